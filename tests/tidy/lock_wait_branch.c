/* refused by lock_across_wait: the early way out does not unlock the late one */
static wr_err work(struct thing *thing)
{
    wr_mutex_lock(&thing->mutex);
    if (thing->done) {
        wr_mutex_unlock(&thing->mutex);
        return WR_OK;
    }
    wr_err err = wr_sleep(wr_after(WR_MS(1)));
    wr_mutex_unlock(&thing->mutex);
    return err;
}
