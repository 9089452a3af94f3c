/* refused by white_space */
static int n; 
