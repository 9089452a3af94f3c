/* refused by sleeping_test */
static void wait_a_little(void)
{
    usleep(100000);
}
