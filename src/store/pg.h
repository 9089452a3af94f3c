/* pg.h - the engine for many nodes: a server, a few connections that are kept.
 *
 * Writers are tasks with a connection each; what has come while they were busy is their next
 * transaction, in one pipeline (rt/desk.h, pg_conn.h).  Readers have connections of their own,
 * which the reading fibers use themselves; a few more answer strangers (sql_read.h).  One more
 * connection is the ear: by it nodes tell one another that something was queued.
 *
 * A connection that is lost is opened anew, at once and then with growing pauses.  While no
 * writer has one the store is degraded, and writes return IO at once.  What was under way when
 * a connection broke returns IO: the commit may have been the last that was heard.
 *
 * The tasks live below the scope of the fiber that has opened the store, which must close it;
 * when that scope is canceled, the store is closed for writes.
 */
#ifndef WR_STORE_PG_H
#define WR_STORE_PG_H

#include <weir/chan.h>
#include <weir/lock.h>
#include <weir/scope.h>
#include <weir/sem.h>

#include "base/rand.h"
#include "rt/desk.h"
#include "store/meter.h"
#include "store/pg_conn.h"
#include "store/sql_read.h"

#define PG_READERS_MAX 64
#define PG_PAUSE_MIN WR_MS(100)     /* before a lost connection is tried again ... */
#define PG_PAUSE_MAX WR_S(5)        /* ... growing up to this */
#define PG_CONNECT_MAX WR_S(5)
#define PG_CHANNEL_MAX 64

struct pg_ear;

/* One that answers strangers' statements: opened when it is needed, and kept. */
struct pg_asker {
    struct pg_conn *conn;           /* or NULL; if it has failed, the server may be still at
                                     * work for it */
    bool taken;
};

struct pg {
    char *url;
    unsigned writer_count, reader_count;
    size_t batch_max;
    wr_time read_max, sweep;
    char channel[PG_CHANNEL_MAX];
    struct wr_scope *scope;
    struct wr_desk *desk;           /* of the writers */
    struct wr_sem *reading;         /* a unit for each reader */
    struct wr_chan *broken;         /* readers that are to be replaced */
    struct pg_ear *ear;             /* or NULL: nobody listens */
    struct wr_rand_shared jitter;
    struct wr_mutex guard;          /* of all below */
    unsigned writers_up;
    bool suspect;                   /* the server has refused to write: try it first */
    size_t spare_count;
    struct pg_conn *spare[PG_READERS_MAX];
    struct pg_asker askers[STORE_ASKS_MAX];
    struct store_health health;
    struct meter figures;
};

/* The pause after the n-th failure in a row. */
wr_time pg_pause(struct pg *self, unsigned failures);

/* ---- pg_schema.c ---- */

/* Bring the tables up to date, in one transaction that one node at a time is in; and find out
 * by what channel its nodes speak.  Errors: INVALID (written by a newer program), DENIED, IO,
 * TIMEOUT, CANCELED; with a sentence. */
wr_err pg_schema(struct pg_conn *conn, char *ret_channel, struct store_why *why,
                 wr_time deadline);

/* ---- pg_writer.c: a task, `arg` is the engine ---- */

wr_err pg_write(void *arg);

/* ---- pg_reader.c ---- */

/* Do a verb that reads.  Errors: as store_do. */
wr_err pg_read(struct pg *self, struct store_act *act, wr_time deadline);

/* A task: opens readers, and replaces those that were lost or cut off. */
wr_err pg_mend(void *arg);

/* ---- pg_select.c: see sql_read.h; no more than STORE_ASKS_MAX at a time ---- */

wr_err pg_select(void *engine, const struct store_ask *ask, struct store_answer *ret,
                 struct store_why *why, wr_time deadline);

/* ---- pg_ear.c ---- */

/* Errors: as pg_open; NOMEM. */
wr_err pg_ear_open(struct pg *self, struct wakes *wakes, struct store_why *why,
                   wr_time deadline);
void pg_ear_close(struct pg_ear *ear);

/* Tell the other nodes, soon. */
void pg_ear_tell(struct pg_ear *ear, const char *name);

#endif
