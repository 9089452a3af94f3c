/* accepted: each wait comes after the unlock, or cannot wait */
static wr_err work(struct thing *thing)
{
    wr_mutex_lock(&thing->mutex);
    if (!thing->item.ready) {
        wr_mutex_unlock(&thing->mutex);
        return wr_sleep(thing->deadline);
    }
    wr_err err = wr_chan_send(thing->chan, &thing->item, WR_NOW);
    wr_mutex_unlock(&thing->mutex);
    if (err)
        return err;
    return wr_chan_recv(thing->chan, &thing->item, WR_NEVER);
}
