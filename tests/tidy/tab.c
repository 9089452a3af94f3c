/* refused by white_space */

/* A tab	in a comment. */
static int n;
