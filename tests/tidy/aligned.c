/* accepted: alignment inside a line is the author's */
static const struct row rows[] = {
    { "one",   1,   true },
    { "three", 3,   false },      /* far out */
    { "five",  5,   false },
    { "seven", 7,   true },
};

wr_err (wr_yield)(const char *place)
{
    return wait(place);
}
