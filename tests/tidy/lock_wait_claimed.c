/* accepted: a test that says it breaks the rule */
TEST_DIES(waiting_with_a_lock_held_is_a_panic, "holds lock")
{
    wr_mutex_lock(&lock);
    CHECK_OK(wr_yield());
}
