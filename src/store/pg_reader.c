/* pg_reader.c - connections that read; see pg.h.
 *
 * A fiber that reads takes one and waits on it itself, so that its own deadline and its own
 * cancel end the wait.  What it leaves unfinished is the mender's: who has the server give it
 * up, and opens another.  The unit of a reader that is missing is held back while the server
 * can be reached, and given out when it cannot: who gets it finds nothing, and says IO.
 */
#include <string.h>

#include <weir/task.h>

#include "store/pg.h"

#define READ_MAX WR_S(5)
#define CANCEL_TIME_MAX WR_S(1)

static struct pg_conn *take(struct pg *self)
{
    wr_mutex_lock(&self->guard);
    struct pg_conn *conn = self->spare_count ? self->spare[--self->spare_count] : NULL;
    wr_mutex_unlock(&self->guard);
    return conn;
}

static void give(struct pg *self, struct pg_conn *conn)
{
    wr_mutex_lock(&self->guard);
    self->spare[self->spare_count++] = conn;
    wr_mutex_unlock(&self->guard);
}

static void give_up(struct pg *self, struct pg_conn *conn)
{
    (void)!wr_chan_send(self->broken, &conn, WR_NOW);       /* has room for all readers */
}

/* One that is still there; those that have gone meanwhile are left to the mender.
 * Errors: IO (the server cannot be reached), TIMEOUT, CANCELED. */
static wr_err take_sound(struct pg *self, struct pg_conn **ret, wr_time deadline)
{
    for (;;) {
        wr_err err = wr_sem_acquire(self->reading, deadline);
        if (err)
            return err;
        *ret = take(self);
        if (!*ret) {
            wr_sem_release(self->reading);
            return WR_IO;
        }
        if (pg_alive(*ret))
            return WR_OK;
        give_up(self, *ret);
    }
}

wr_err pg_read(struct pg *self, struct store_act *act, wr_time deadline)
{
    size_t at;
    struct pg_conn *conn;
    wr_err err = take_sound(self, &conn, deadline);
    if (err)
        return err;
    err = pg_batch(conn, &act, 1, &at, deadline);
    pg_rest(conn);
    if (pg_failed(conn)) {
        give_up(self, conn);
        return err;
    }
    give(self, conn);
    wr_sem_release(self->reading);
    return err == WR_BUSY ? WR_TIMEOUT : err;
}

/* ---- mending ---- */

struct mending { struct pg *pg; unsigned missing, withheld, failures; };

static wr_err open_one(struct mending *mending)
{
    struct pg *pg = mending->pg;
    struct pg_conn *conn;
    struct store_why why;
    wr_err err = pg_open(&conn, pg->url, &(struct pg_limits){
        .statement = pg->read_max ? pg->read_max : READ_MAX, .lock = READ_MAX }, &why,
        wr_after(PG_CONNECT_MAX));
    if (err)
        return err;
    pg_rest(conn);
    give(pg, conn);
    mending->missing--;
    mending->failures = 0;
    if (mending->withheld) {
        mending->withheld--;
        wr_sem_release(pg->reading);
    }
    return WR_OK;
}

/* The server cannot be reached: those who wait are told. */
static void let_know(struct mending *mending)
{
    mending->failures++;
    if (mending->withheld)
        wr_sem_release_many(mending->pg->reading, mending->withheld);
    mending->withheld = 0;
}

static wr_err open_missing(struct mending *mending)
{
    wr_err err = WR_OK;
    while (mending->missing && !err)
        err = open_one(mending);
    if (err)
        let_know(mending);
    return err == WR_CANCELED ? err : WR_OK;
}

wr_err pg_mend(void *arg)
{
    struct pg *pg = arg;
    struct mending mending = { .pg = pg, .missing = pg->reader_count,
                               .withheld = pg->reader_count };
    wr_err err = WR_OK;
    while (!err) {
        struct pg_conn *conn;
        err = open_missing(&mending);
        if (err)
            break;
        err = wr_chan_recv(pg->broken, &conn, mending.missing
                           ? wr_after(pg_pause(pg, mending.failures)) : WR_NEVER);
        if (err == WR_TIMEOUT && !wr_scope_check()) {
            err = WR_OK;
            continue;
        }
        if (err)
            break;
        pg_cancel(conn, wr_after(CANCEL_TIME_MAX));
        pg_close(conn);
        mending.missing++;
        mending.withheld++;
    }
    if (mending.withheld)
        wr_sem_release_many(pg->reading, mending.withheld);
    return err;
}
