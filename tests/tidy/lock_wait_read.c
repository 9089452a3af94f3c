/* refused by lock_across_wait */
static wr_err work(struct thing *thing)
{
    wr_rwlock_read(&thing->lock);
    wr_err err = wr_yield();
    wr_rwlock_read_done(&thing->lock);
    return err;
}
