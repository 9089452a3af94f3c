/* accepted: strcpy(a, b) in a comment, in text, or as a member is no call */
static const char text[] = "sprintf(x)";

static void call(struct table *table)
{
    table->system(text);
}
