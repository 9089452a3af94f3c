/* refused by layout_rule */
static void count(int *n)
{
    if(*n > 0)
        (*n)++;
}
