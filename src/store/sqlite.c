/* sqlite.c - see sqlite.h. */
#include "store/sqlite.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <weir/file.h>
#include <weir/offload.h>

#include "store/sqlite_quota.h"

#define READERS 4
#define READ_MAX WR_MS(250)
#define LOCK_RANK 510

/* ---- opening and closing ---- */

typedef wr_err opening_part(struct sqlite *self, struct store_why *why);

struct opening {
    struct sqlite *self;
    struct store_why *why;
    opening_part *part;
    wr_err err;
};

static void open_there(void *arg)
{
    struct opening *opening = arg;
    opening->err = opening->part(opening->self, opening->why);
}

static wr_err open_part(struct sqlite *self, opening_part *part, struct store_why *why,
                        wr_time deadline)
{
    struct opening opening = { .self = self, .why = why, .part = part };
    wr_err err = wr_offload(open_there, &opening, deadline);
    if (err)
        store_say(why, "cannot open %.120s: %s", self->path, wr_err_text(err));
    return err ? err : opening.err;
}

/* The library would make the file readable for all. */
static void make_private(struct sqlite *self, wr_time deadline)
{
    struct wr_file_info info;
    if (*self->path && !self->vfs
        && wr_file_look(&info, self->path, deadline) == WR_NOTFOUND)
        (void)!wr_file_write_atomic(self->path, "", 0, 0600, deadline);
}

static wr_err open_all(struct sqlite *self, struct store_why *why, wr_time deadline)
{
    wr_err err = *self->path ? open_part(self, sqlite_lock, why, deadline) : WR_OK;
    if (err)
        return err;
    make_private(self, deadline);   /* if it cannot, opening says why */
    return open_part(self, sqlite_open_all, why, deadline);
}

static void close_there(void *arg)
{
    struct sqlite *self = arg;
    wr_lane_free(self->lane);
    sqlite_copies_end(self);
    sqlite_close_all(self);
}

static void discard(struct sqlite *self)
{
    if (self->health.state == STORE_DEGRADED)
        wr_gauge_add(self->figures.degraded, -1);
    wr_sem_free(self->reading);
    wr_mutex_fini(&self->guard);
    free(self->readers);
    free(self->path);
    free(self);
}

/* Closing blocks.  It must not fail: where no thread can be had for it, it blocks here. */
static void sqlite_close(void *engine, wr_time deadline)
{
    if (wr_offload(close_there, engine, deadline))
        close_there(engine);
    discard(engine);
}

/* The library keeps accounts of its memory under one lock, unless it is told not to before
 * its first use. */
static void prepare_library(void)
{
    static atomic_bool done;
    if (atomic_exchange(&done, true))
        return;
    (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    sqlite_quota_install();
}

/* As the library finds it, with links followed; what it cannot find stays as it is. */
static char *true_path(const char *name, const char *path)
{
    sqlite3_vfs *vfs = *path ? sqlite3_vfs_find(name) : NULL;
    char *text = vfs ? calloc(1, (size_t)vfs->mxPathname + 1) : NULL;
    int code = text ? vfs->xFullPathname(vfs, path, vfs->mxPathname, text) : SQLITE_CANTOPEN;
    if ((code & 0xff) == SQLITE_OK)
        return text;
    free(text);
    return strdup(path);
}

wr_err store_true_path(char *ret, size_t size, const char *path)
{
    sqlite_forget_install();
    prepare_library();
    char *text = true_path(NULL, path);
    if (!text)
        return WR_NOMEM;
    bool fits = strlen(text) < size;
    if (fits)
        memcpy(ret, text, strlen(text) + 1);
    free(text);
    return fits ? WR_OK : WR_INVALID;
}

static wr_err sqlite_new(struct sqlite **ret, const struct store_conf *conf, const char *path)
{
    struct sqlite *self = calloc(1, sizeof(*self));
    if (!self)
        return WR_NOMEM;
    *ret = self;
    self->guard = (struct wr_mutex)WR_MUTEX("store.sqlite", LOCK_RANK);
    meter_init(&self->figures);
    self->read_max = conf->read_max ? conf->read_max : READ_MAX;
    self->vfs = conf->disk;
    self->path = true_path(self->vfs, path);
    if (!self->path)
        return WR_NOMEM;
    if (!*path)
        return WR_OK;               /* in memory: the writer reads too */
    self->reader_count = conf->readers ? conf->readers : READERS;
    WR_ASSERT(self->reader_count <= SQLITE_READERS_MAX);
    self->readers = calloc(self->reader_count, sizeof(*self->readers));
    if (!self->readers)
        return WR_NOMEM;
    return wr_sem_new(&self->reading, "store.readers", self->reader_count);
}

static wr_err sqlite_open(void **ret, const struct store_conf *conf, const char *path,
                          struct store_why *why, wr_time deadline)
{
    struct sqlite *self = NULL;
    sqlite_forget_install();
    prepare_library();
    store_say(why, "out of memory");
    wr_err err = sqlite_new(&self, conf, path);
    if (!err)
        err = open_all(self, why, deadline);
    if (!err)
        err = wr_lane_new(&self->lane, &(struct wr_lane_conf){
            .name = "store.writer", .run = sqlite_write, .idle = sqlite_idle, .arg = self,
            .queue_max = conf->queue_max, .batch_max = conf->batch_max });
    if (err) {
        if (self)
            sqlite_close(self, WR_NOW);
        return err;
    }
    *ret = self;
    return WR_OK;
}

/* ---- verbs ---- */

struct reading { struct sqlite *self; struct conn *conn; struct store_act *act; };

static void read_there(void *arg)
{
    struct reading *reading = arg;
    struct conn *conn = reading->conn;
    struct store_act *act = reading->act;
    conn->now_ms = wr_wall().ns / WR_MS(1);
    conn->give_up = wr_now() + reading->self->read_max;
    act->item.err = conn_do(conn, act->verb, act->values, &act->rows);
}

static struct conn *take_reader(struct sqlite *self)
{
    wr_mutex_lock(&self->guard);
    struct conn *conn = self->spare[--self->spare_count];
    wr_mutex_unlock(&self->guard);
    return conn;
}

static void give_reader(struct sqlite *self, struct conn *conn)
{
    wr_mutex_lock(&self->guard);
    self->spare[self->spare_count++] = conn;
    wr_mutex_unlock(&self->guard);
}

static wr_err sqlite_act(void *engine, struct store_act *act, wr_time deadline,
                         const char *place)
{
    struct sqlite *self = engine;
    if (act->verb->writes || !self->reader_count)
        return (wr_lane_do)(self->lane, &act->item, deadline, place);
    wr_err err = wr_sem_acquire(self->reading, deadline);
    if (err)
        return err;
    struct reading reading = { self, take_reader(self), act };
    err = (wr_offload)(read_there, &reading, deadline, place);
    give_reader(self, reading.conn);
    wr_sem_release(self->reading);
    return err ? err : act->item.err;
}

/* ---- its health ---- */

static void sqlite_health(void *engine, struct store_health *ret)
{
    struct sqlite *self = engine;
    wr_mutex_lock(&self->guard);
    *ret = self->health;
    wr_mutex_unlock(&self->guard);
}

struct checking {
    struct store_act act;           /* of a store in memory */
    struct sqlite *self;
    struct conn conn;
    struct store_why *why;
    wr_err err;
};

static void check_there(void *arg)
{
    struct checking *checking = arg;
    struct sqlite *self = checking->self;
    checking->err = conn_open(&checking->conn, &(struct conn_conf){
        .path = self->path, .vfs = self->vfs, .read_only = true }, checking->why);
    if (checking->err)
        return;
    checking->err = conn_check(&checking->conn, self->path, checking->why);
    conn_close(&checking->conn);
}

static wr_err check_here(void *engine, struct store_act *act)
{
    struct sqlite *self = engine;
    return conn_check(&self->writer, "the store", ((struct checking *)act)->why);
}

/* A file is read by a connection of its own, however long that takes. */
static wr_err sqlite_check(void *engine, struct store_why *why, wr_time deadline)
{
    struct sqlite *self = engine;
    struct checking *checking = calloc(1, sizeof(*checking));
    if (!checking)
        return WR_NOMEM;
    *checking = (struct checking){ .act.alone = check_here, .self = self, .why = why };
    wr_err err;
    if (*self->path) {
        err = wr_offload(check_there, checking, deadline);
        err = err ? err : checking->err;
    } else {
        err = wr_lane_do(self->lane, &checking->act.item, deadline);
    }
    free(checking);
    return err;
}

static const char *sqlite_path(void *engine)
{
    struct sqlite *self = engine;
    return *self->path && !self->vfs ? self->path : NULL;
}

const struct store_engine store_sqlite = {
    .open = sqlite_open, .close = sqlite_close, .act = sqlite_act, .health = sqlite_health,
    .check = sqlite_check, .backup = sqlite_backup, .path = sqlite_path,
    .select = sqlite_select,
};
