/* refused by lock_across_wait */
static wr_err work(struct thing *thing)
{
    wr_mutex_lock(&thing->mutex);
    wr_err err = wr_chan_send(thing->chan, &thing->item, wr_after(WR_S(1)));
    wr_mutex_unlock(&thing->mutex);
    return err;
}
