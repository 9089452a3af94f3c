/* refused by lock_across_wait: it waits in a function of its own */
static wr_err settle(struct thing *thing)
{
    return wr_once_wait(thing->once, NULL, WR_NEVER);
}

static wr_err work(struct thing *thing)
{
    wr_rwlock_write(&thing->lock);
    wr_err err = settle(thing);
    wr_rwlock_write_done(&thing->lock);
    return err;
}
