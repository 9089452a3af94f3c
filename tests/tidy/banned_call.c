/* refused by banned_call */
static void copy(char *to, const char *from)
{
    strcpy(to, from);
}
