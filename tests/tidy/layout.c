/* refused by layout_rule */
static void count(int *n) {
    (*n)++;
}
