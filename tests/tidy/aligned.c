/* accepted: breaks and alignment inside a statement are the author's */
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

struct pair { int one, other; };

static wr_err open_it(struct wr_chan **ret)
{
    return wr_chan_new(ret, &(struct wr_chan_conf){
        .name = "a.channel", .item_size = sizeof(struct pair), .cap = 3,
        .policy = WR_WAIT });
}
