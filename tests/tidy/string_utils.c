/* refused by file_name */
static int n;
