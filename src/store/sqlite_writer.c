/* sqlite_writer.c - one transaction for everybody who came during the last one.
 *
 * All of this runs on the lane's thread.
 */
#include <string.h>

#include "store/sqlite.h"

#define PROBE_EVERY WR_S(1)
#define LOOK_EVERY WR_S(5)          /* when nobody writes */
#define CHECKPOINT_PAGES 1000       /* some 4 MB */

/* ---- the connection ---- */

/* After each commit: the log is copied into the file as soon as it is long enough, and then
 * begins anew in its place; its file is not cut, which would cost more than it saves. */
static int after_commit(void *arg, sqlite3 *db, const char *name, int pages)
{
    struct sqlite *self = arg;
    wr_mutex_lock(&self->guard);
    self->health.wal_bytes = (uint64_t)pages * SQLITE_PAGE;
    wr_mutex_unlock(&self->guard);
    wr_gauge_set(self->figures.log, (int64_t)pages * SQLITE_PAGE);
    if (pages >= CHECKPOINT_PAGES)
        (void)sqlite3_wal_checkpoint_v2(db, name, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    return SQLITE_OK;
}

wr_err sqlite_writer_open(struct sqlite *self, struct store_why *why)
{
    struct conn *conn = &self->writer;
    /* One that went away later is not made anew: it would be empty. */
    wr_err err = conn_open(conn, &(struct conn_conf){ .path = self->path, .vfs = self->vfs,
                                                      .create = !self->lane }, why);
    if (err)
        return err;
    if (*self->path) {
        err = conn_exec(conn, "pragma journal_mode = wal; pragma synchronous = full");
        sqlite3_wal_hook(conn->db, after_commit, self);
    }
    if (err) {
        conn_say(conn, why, "write", self->path);
        conn_close(conn);
    }
    return err;
}

/* ---- when it fails, and until it works again ---- */

static const char *advice(int code)
{
    switch (code & 0xff) {
    case SQLITE_FULL: return "make room on the disk, it then goes on by itself";
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN: return "make it writable, it then goes on by itself";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return "stop the node and restore a backup (weir restore)";
    default: return "see to the disk, it then goes on by itself";
    }
}

/* Its path does not lead to it any more: what is written now is gone when it is closed. */
static bool moved(struct sqlite *self)
{
    int answer = 0;
    if (*self->path && self->writer.db)
        (void)sqlite3_file_control(self->writer.db, "main", SQLITE_FCNTL_HAS_MOVED, &answer);
    return answer;
}

/* The connection stays: it alone knows which file it was, should it come back. */
static void give_up_moved(struct sqlite *self)
{
    wr_mutex_lock(&self->guard);
    if (self->health.state == STORE_OK)
        wr_gauge_add(self->figures.degraded, 1);
    self->health.state = STORE_DEGRADED;
    store_say(&self->health.why, "%.120s was moved or removed while it was open; put it back, "
              "or stop, restore a backup and start again", self->path);
    wr_mutex_unlock(&self->guard);
}

/* Whatever the transaction has done is undone; what was committed before is safe.  A connection
 * with a transaction or a copy under way would stay open behind our back, with its locks.  One
 * in memory is rolled back, and goes on.
 * The sentence of the first failure stays until it is repaired. */
static void give_up(struct sqlite *self)
{
    struct conn *conn = &self->writer;
    struct store_why why;
    if (!*self->path) {             /* closed, it would be lost */
        if (conn_inside(conn))
            (void)!conn_step(conn, CONN_ROLLBACK);
        return;
    }
    int code = conn->db ? sqlite3_extended_errcode(conn->db) : SQLITE_NOMEM;
    conn_say(conn, &why, "write", self->path);
    self->suspect |= (code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CORRUPT;
    self->broken = true;
    self->probe_at = wr_now() + PROBE_EVERY;
    sqlite_copies_cut(self);
    if (conn->db && conn_inside(conn))
        (void)!conn_step(conn, CONN_ROLLBACK);
    if (moved(self)) {
        give_up_moved(self);
        return;
    }
    conn_close(conn);
    wr_mutex_lock(&self->guard);
    if (self->health.state == STORE_OK) {
        wr_gauge_add(self->figures.degraded, 1);
        store_say(&self->health.why, "%.180s; %s", why.text, advice(code));
    }
    self->health.state = STORE_DEGRADED;
    wr_mutex_unlock(&self->guard);
}

/* Something real: it must reach the disk. */
static wr_err write_something(struct conn *conn)
{
    wr_err err = conn_step(conn, CONN_BEGIN);
    if (!err)
        err = conn_exec(conn, "insert or replace into probe (id, at) values (1, now_ms())");
    return err ? err : conn_step(conn, CONN_COMMIT);
}

static wr_err repair(struct sqlite *self)
{
    struct store_why why;
    if (wr_now() < self->probe_at)
        return WR_IO;
    self->probe_at = wr_now() + PROBE_EVERY;
    if (moved(self))
        return WR_IO;
    conn_close(&self->writer);
    wr_err err = sqlite_writer_open(self, &why);
    if (err)
        return WR_IO;
    struct conn *conn = &self->writer;
    int64_t faults = 0;
    if (self->suspect)
        err = conn_ask(conn, "select count(*) from pragma_quick_check(1) where quick_check "
                       "<> 'ok'", &faults);
    if (!err && !faults)
        err = write_something(conn);
    if (err || faults) {
        conn_close(conn);
        return WR_IO;
    }
    self->broken = self->suspect = false;
    wr_mutex_lock(&self->guard);
    self->health.state = STORE_OK;
    self->health.why.text[0] = '\0';
    wr_mutex_unlock(&self->guard);
    wr_gauge_add(self->figures.degraded, -1);
    return WR_OK;
}

/* A disk that nobody writes to is still full, or read-only: what is said of it is true. */
static void look(struct sqlite *self)
{
    struct conn *conn = &self->writer;
    conn->now_ms = wr_wall().ns / WR_MS(1);
    self->wrote_at = wr_now();
    if (moved(self) || write_something(conn))
        give_up(self);
}

void sqlite_idle(void *engine)
{
    struct sqlite *self = engine;
    if (self->broken)
        (void)!repair(self);
    else if (*self->path && wr_now() - self->wrote_at >= LOOK_EVERY)
        look(self);
}

/* ---- a batch ---- */

/* What concerns one verb alone; anything else is the end of the transaction. */
static bool own_fault(wr_err err)
{
    return err == WR_EXISTS || err == WR_INVALID;
}

static wr_err do_one(struct conn *conn, struct store_act *act)
{
    if (act->alone)
        return WR_OK;
    act->item.err = conn_do(conn, act->verb, act->values, &act->rows);
    bool over = act->item.err && (!own_fault(act->item.err) || !conn_inside(conn));
    return over ? WR_IO : WR_OK;
}

/* Whoever comes before the commit is in it, so that one fsync serves all: *count grows. */
static wr_err do_verbs(struct sqlite *self, struct wr_lane_item *const *items, size_t *count)
{
    struct conn *conn = &self->writer;
    conn->now_ms = wr_wall().ns / WR_MS(1);
    wr_err err = conn_step(conn, CONN_BEGIN);
    for (size_t i = 0; i < *count && !err; i++) {
        err = do_one(conn, (struct store_act *)(void *)items[i]);
        if (i + 1 == *count)
            *count = wr_lane_more(self->lane);
    }
    if (!err && moved(self))
        err = WR_IO;
    return err ? err : conn_step(conn, CONN_COMMIT);
}

static void fail_verbs(struct wr_lane_item *const *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct store_act *act = (struct store_act *)(void *)items[i];
        store_rows_free(&act->rows);
        act->item.err = WR_IO;
    }
}

static void note(struct sqlite *self, wr_time start, size_t count)
{
    self->wrote_at = wr_now();
    wr_time took = self->wrote_at - start;
    wr_mutex_lock(&self->guard);
    self->health.writes += count;
    self->health.batches++;
    self->health.batches_slow += took > METER_SLOW;
    wr_mutex_unlock(&self->guard);
    wr_counter_add(self->figures.writes, count);
    wr_histogram_observe(self->figures.batch, took);
}

/* What is no verb has no part in the transaction, and is done whatever came of it. */
void sqlite_write(void *engine, struct wr_lane_item *const *items, size_t count)
{
    struct sqlite *self = engine;
    wr_time start = wr_now();
    wr_err err = self->broken ? repair(self) : WR_OK;
    if (!err) {
        err = do_verbs(self, items, &count);
        if (err)
            give_up(self);
    }
    if (err)
        fail_verbs(items, count);
    else
        note(self, start, count);
    for (size_t i = 0; i < count; i++) {
        struct store_act *act = (struct store_act *)(void *)items[i];
        if (act->alone)
            act->item.err = act->alone(self, act);
    }
}
