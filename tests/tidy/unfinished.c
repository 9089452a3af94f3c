/* refused by unfinished */
static int answer; /* TODO: find the question */
