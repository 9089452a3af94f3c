/* sqlite_backup.c - a copy while all goes on.
 *
 * The writer's thread copies a slice between two batches, so that nobody waits for more than
 * one.  What is written meanwhile goes into the copy too, as it is the same connection that
 * writes: the copy is never begun anew, and in the end it is as the store was at that moment.
 *
 * A copy that is under way holds the connection that it reads.  So the engine knows all of
 * them: with the connection they end too, and one that nobody could end ends with the store.
 */
#include <stdlib.h>
#include <string.h>

#include <weir/file.h>
#include <weir/offload.h>
#include <weir/scope.h>
#include <weir/task.h>

#include "store/sqlite.h"

#define SLICE_PAGES 256             /* 1 MB */
#define END_WITHIN WR_S(60)

struct sqlite_copy {
    struct store_act act;           /* first: the lane has it by this */
    struct sqlite_copy *next;
    char *path;
    struct store_why why;
    struct conn to;
    sqlite3_backup *backup;         /* NULL: not begun, or over */
    bool done;
};

/* ---- on the lane ---- */

/* The library leaves its sentence in the connection that is written, and only now. */
static int cut(struct sqlite_copy *copy)
{
    int code = sqlite3_backup_finish(copy->backup);
    copy->backup = NULL;
    return code;
}

void sqlite_copies_cut(struct sqlite *self)
{
    for (struct sqlite_copy *copy = self->copies; copy; copy = copy->next)
        (void)cut(copy);
}

/* It cannot be read, for a reason that is the store's. */
static wr_err fail_here(struct sqlite *self, struct sqlite_copy *copy)
{
    wr_mutex_lock(&self->guard);
    store_say(&copy->why, "cannot copy the store: %.220s", self->health.why.text);
    wr_mutex_unlock(&self->guard);
    return WR_IO;
}

static wr_err fail(struct sqlite *self, struct sqlite_copy *copy, int code)
{
    (void)cut(copy);
    bool reading = (code & 0xff) == SQLITE_CORRUPT || (code & 0xff) == SQLITE_NOTADB
        || code == SQLITE_IOERR_READ || code == SQLITE_IOERR_SHORT_READ;
    if (reading)
        store_say(&copy->why, "cannot copy the store: %.120s: %s", self->path,
                  sqlite3_errstr(code));
    else
        conn_say(&copy->to, &copy->why, "write", copy->path);
    return WR_IO;
}

static wr_err begin(void *engine, struct store_act *act)
{
    struct sqlite *self = engine;
    struct sqlite_copy *copy = (struct sqlite_copy *)(void *)act;
    copy->next = self->copies;
    self->copies = copy;
    if (self->broken)
        return fail_here(self, copy);
    copy->backup = sqlite3_backup_init(copy->to.db, "main", self->writer.db, "main");
    return copy->backup ? WR_OK : fail(self, copy, sqlite3_extended_errcode(copy->to.db));
}

static wr_err copy_slice(void *engine, struct store_act *act)
{
    struct sqlite_copy *copy = (struct sqlite_copy *)(void *)act;
    if (!copy->backup)
        return fail_here(engine, copy);
    int code = sqlite3_backup_step(copy->backup, SLICE_PAGES);
    copy->done = code == SQLITE_DONE;
    return code == SQLITE_OK || copy->done ? WR_OK : fail(engine, copy, code);
}

/* Half a copy is none. */
static wr_err end(void *engine, struct store_act *act)
{
    struct sqlite *self = engine;
    struct sqlite_copy *copy = (struct sqlite_copy *)(void *)act;
    for (struct sqlite_copy **at = &self->copies; *at; at = &(*at)->next)
        if (*at == copy) {
            *at = copy->next;
            break;
        }
    int code = cut(copy);
    wr_err err = code == SQLITE_OK || !copy->done ? WR_OK : fail(self, copy, code);
    conn_close(&copy->to);
    if (err || !copy->done) {
        sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
        (void)vfs->xDelete(vfs, copy->path, 1);
    }
    return err;
}

static void copy_free(struct sqlite_copy *copy)
{
    free(copy->path);
    free(copy);
}

void sqlite_copies_end(struct sqlite *self)
{
    while (self->copies) {
        struct sqlite_copy *copy = self->copies;
        self->copies = copy->next;
        copy->done = false;
        (void)!end(self, &copy->act);
        copy_free(copy);
    }
}

/* ---- of the caller ---- */

static wr_err on_the_lane(struct sqlite *self, struct sqlite_copy *copy,
                          wr_err (*fn)(void *, struct store_act *), wr_time deadline)
{
    copy->act.alone = fn;
    copy->act.item.err = WR_OK;
    return wr_lane_do(self->lane, &copy->act.item, deadline);
}

/* Whatever has come of the caller, what the writer holds must be given back by it.  *ended:
 * it was; otherwise the engine keeps the copy until it is closed. */
static wr_err end_shielded(struct sqlite *self, struct sqlite_copy *copy, bool *ended)
{
    struct wr_scope *shield;
    *ended = false;
    wr_err err = wr_scope_new(&shield, &(struct wr_scope_conf){
        .name = "store.backup", .deadline = wr_after(END_WITHIN), .shield = true });
    if (err)
        return err;
    wr_scope_enter(shield);
    while ((err = on_the_lane(self, copy, end, WR_NEVER)) == WR_BUSY)
        (void)!wr_sleep(wr_after(WR_MS(1)));
    *ended = !copy->to.db;
    wr_scope_leave(shield);
    (void)!wr_scope_close(shield);
    return err;
}

/* A copy is whole or removed, so it needs no journal; and the writers need not wait until it is
 * on the disk: that is seen to afterwards. */
static void open_there(void *arg)
{
    struct sqlite_copy *copy = arg;
    wr_err err = conn_open(&copy->to, &(struct conn_conf){ .path = copy->path, .create = true },
                           &copy->why);
    if (!err) {
        err = conn_exec(&copy->to, "pragma journal_mode = off; pragma synchronous = off");
        if (err)
            conn_say(&copy->to, &copy->why, "write", copy->path);
    }
    copy->act.item.err = err;
}

static wr_err copy_all(struct sqlite *self, struct sqlite_copy *copy, wr_time deadline)
{
    wr_err err = wr_offload(open_there, copy, deadline);
    err = err ? err : copy->act.item.err;
    if (!err)
        err = on_the_lane(self, copy, begin, deadline);
    while (!err && !copy->done)
        err = on_the_lane(self, copy, copy_slice, deadline);
    copy->done &= !err;
    return err;
}

wr_err sqlite_backup(void *engine, const char *path, struct store_why *why, wr_time deadline)
{
    struct sqlite *self = engine;
    struct wr_file_info info;
    bool ended = true;
    if (!wr_file_look(&info, path, deadline)) {
        store_say(why, "%.180s is there already: give the path of a new file", path);
        return WR_EXISTS;
    }
    struct sqlite_copy *copy = calloc(1, sizeof(*copy));
    char *name = strdup(path);
    if (!copy || !name) {
        free(copy);
        free(name);
        store_say(why, "cannot copy to %.160s: out of memory", path);
        return WR_NOMEM;
    }
    copy->path = name;
    wr_err err = copy_all(self, copy, deadline);
    wr_err last = copy->to.db ? end_shielded(self, copy, &ended) : WR_OK;
    err = err ? err : last;
    *why = copy->why;
    if (err && !why->text[0])
        store_say(why, "cannot copy to %.160s: %s", path, wr_err_text(err));
    if (ended)
        copy_free(copy);
    return err;
}
