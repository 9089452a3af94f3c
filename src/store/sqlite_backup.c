/* sqlite_backup.c - a copy while all goes on.
 *
 * The writer's thread copies a slice between two batches, so that nobody waits for more than
 * one.  What is written meanwhile goes into the copy too, as it is the same connection that
 * writes: the copy is never begun anew, and in the end it is as the store was at that moment.
 */
#include <weir/file.h>
#include <weir/offload.h>
#include <weir/scope.h>
#include <weir/task.h>

#include "store/sqlite.h"

#define SLICE_PAGES 256             /* 1 MB */

struct copy {
    struct store_act act;           /* first: the lane has it by this */
    const char *path;
    struct store_why *why;
    struct conn to;
    sqlite3_backup *backup;
    uint64_t writer_number;
    bool done;
};

static wr_err fail(struct copy *copy)
{
    conn_say(&copy->to, copy->why, "write", copy->path);
    return WR_IO;
}

/* The connection that was copied from was given up. */
static bool lost(const struct sqlite *self, const struct copy *copy)
{
    return self->writer_number != copy->writer_number;
}

static wr_err begin(void *engine, struct store_act *act)
{
    struct sqlite *self = engine;
    struct copy *copy = (struct copy *)(void *)act;
    copy->writer_number = self->writer_number;
    copy->backup = sqlite3_backup_init(copy->to.db, "main", self->writer.db, "main");
    return copy->backup ? WR_OK : fail(copy);
}

static wr_err copy_slice(void *engine, struct store_act *act)
{
    struct copy *copy = (struct copy *)(void *)act;
    int code = SQLITE_IOERR;
    if (!lost(engine, copy))
        code = sqlite3_backup_step(copy->backup, SLICE_PAGES);
    copy->done = code == SQLITE_DONE;
    return code == SQLITE_OK || copy->done ? WR_OK : fail(copy);
}

/* Half a copy is none. */
static wr_err end(void *engine, struct store_act *act)
{
    struct copy *copy = (struct copy *)(void *)act;
    (void)engine;
    int code = sqlite3_backup_finish(copy->backup);
    wr_err err = code == SQLITE_OK ? WR_OK : fail(copy);
    conn_close(&copy->to);
    if (err || !copy->done) {
        sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
        (void)vfs->xDelete(vfs, copy->path, 1);
    }
    return err;
}

static wr_err on_the_lane(struct sqlite *self, struct copy *copy,
                          wr_err (*fn)(void *, struct store_act *), wr_time deadline)
{
    copy->act.alone = fn;
    return wr_lane_do(self->lane, &copy->act.item, deadline);
}

/* Whatever has come of the caller, what the writer holds must be given back by it. */
static wr_err end_shielded(struct sqlite *self, struct copy *copy)
{
    struct wr_scope *shield;
    wr_err err = wr_scope_new(&shield, &(struct wr_scope_conf){
        .name = "store.backup", .deadline = wr_after(WR_S(60)), .shield = true });
    if (err)
        return err;
    wr_scope_enter(shield);
    while ((err = on_the_lane(self, copy, end, WR_NEVER)) == WR_BUSY)
        (void)!wr_sleep(wr_after(WR_MS(1)));
    wr_scope_leave(shield);
    (void)!wr_scope_close(shield);
    return err;
}

static void open_there(void *arg)
{
    struct copy *copy = arg;
    copy->act.item.err = conn_open(&copy->to, &(struct conn_conf){
        .path = copy->path, .create = true }, copy->why);
}

wr_err sqlite_backup(void *engine, const char *path, struct store_why *why, wr_time deadline)
{
    struct sqlite *self = engine;
    struct copy copy = { .path = path, .why = why };
    struct wr_file_info info;
    store_say(why, "cannot copy to %.160s: out of time", path);
    if (!wr_file_look(&info, path, deadline)) {
        store_say(why, "%.180s is there already: give the path of a new file", path);
        return WR_EXISTS;
    }
    wr_err err = wr_offload(open_there, &copy, deadline);
    err = err ? err : copy.act.item.err;
    if (err)
        return err;
    err = on_the_lane(self, &copy, begin, deadline);
    while (!err && !copy.done)
        err = on_the_lane(self, &copy, copy_slice, deadline);
    copy.done &= !err;
    wr_err ended = end_shielded(self, &copy);
    return err ? err : ended;
}
