/* sqlite.h - the engine for one node: a file, one writer, several readers.
 *
 * The writer is a lane (weir/lane.h): what came during the last fsync is the next transaction.
 * One that cannot be committed fails for all who are in it, with IO; the connection is given
 * up, never its fsync tried again, and the store is degraded until a new connection has
 * written something: looked at each second, whether anybody writes or not.  While it is well
 * and nobody writes, it writes something itself each five seconds, so that a disk which cannot
 * be written any more is known before it is needed.  A file that was moved or removed is found
 * out in the same way, and before each commit; the store is then degraded until it is back.
 *
 * Reads go to connections of their own, through offload.h; each sees one moment, and is cut off
 * after read_max, because while it lasts the write-ahead log cannot start over.  A store in
 * memory has one connection, which does all.
 *
 * That no two processes have the file open is held by a lock on PATH-lock, which ends with the
 * process; PATH is where the file is, whichever link led to it.
 */
#ifndef WR_STORE_SQLITE_H
#define WR_STORE_SQLITE_H

#include <weir/lock.h>
#include <weir/sem.h>

#include "store/sqlite_conn.h"
#include "store/meter.h"
#include "store/sqlite_forget.h"

#define SQLITE_PAGE 4096
#define SQLITE_READERS_MAX 64

struct store_ask;
struct store_answer;

struct sqlite {
    char *path;                     /* "" in memory */
    const char *vfs;
    wr_time read_max;
    struct wr_lane *lane;
    struct conn writer;             /* the lane's, but for opening and closing */
    struct sqlite_copy *copies;     /* the lane's: those that are read from the writer */
    bool broken;                    /* the lane's: there is no writer now */
    bool suspect;                   /* ... and the disk has failed: check it first */
    wr_time probe_at;
    wr_time wrote_at;               /* the lane's: when it last could */
    struct conn lock;               /* holds PATH-lock */
    unsigned reader_count;
    struct conn *readers;
    struct wr_sem *reading;         /* a unit for each reader */
    struct wr_mutex guard;          /* of all below */
    unsigned spare_count;
    struct conn *spare[SQLITE_READERS_MAX];
    struct store_health health;
    struct meter figures;           /* the same for the metrics page */
};

/* sqlite_writer.c: a batch of the lane; what it does when nothing comes. */
void sqlite_write(void *engine, struct wr_lane_item *const *items, size_t count);
void sqlite_idle(void *engine);

/* Open the connection that writes; the tables are there.  Errors: as conn_open. */
wr_err sqlite_writer_open(struct sqlite *self, struct store_why *why);

/* sqlite_open.c: the lock, which a store in memory does not need; then all connections, and the
 * tables.  They block.  Errors: as store_open. */
wr_err sqlite_lock(struct sqlite *self, struct store_why *why);
wr_err sqlite_open_all(struct sqlite *self, struct store_why *why);
void sqlite_close_all(struct sqlite *self);

/* sqlite_backup.c.  On the lane: its copies are over, as the writer's connection goes.  When
 * the lane is gone: none is left. */
void sqlite_copies_cut(struct sqlite *self);
void sqlite_copies_end(struct sqlite *self);
wr_err sqlite_backup(void *engine, const char *path, struct store_why *why, wr_time deadline);

/* sqlite_select.c: see sql_read.h. */
wr_err sqlite_select(void *engine, const struct store_ask *ask, struct store_answer *ret,
                     struct store_why *why, wr_time deadline);

#endif
