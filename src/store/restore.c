/* restore.c - the way back: see archive.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/file.h>

#include "base/text.h"
#include "base/world.h"
#include "store/archive_int.h"
#include "store/sqlite_conn.h"

/* What may lie beside a store's file; the file itself first: without it there is no store. */
static const char *const ends[] = { "", "-wal", "-shm", "-blobs" };
#define ENDS (sizeof(ends) / sizeof(ends[0]))

static bool store_there(const char *to)
{
    bool found = false;
    for (size_t i = 0; i < ENDS && !found; i++) {
        struct archive_path path = archive_beside(to, ends[i]);
        found = archive_there(path.text);
    }
    return found;
}

bool archive_interrupted(const char *to)
{
    struct archive_path stage = archive_beside(to, "-restoring");
    return !archive_there(to) && archive_there(stage.text);
}

/* From one name to the other, or back: the file itself last, as with it the store is there. */
static wr_err move_end(const char *to, const char *folder, size_t i, bool back)
{
    struct archive_path here = archive_beside(to, ends[i]);
    struct archive_path there = archive_below(folder, ARCHIVE_DATABASE);
    there = archive_beside(there.text, ends[i]);
    wr_err err = back ? wr_file_rename(there.text, here.text, WR_NEVER)
                      : wr_file_rename(here.text, there.text, WR_NEVER);
    return err == WR_NOTFOUND ? WR_OK : err;
}

/* After an error: as it was; where that fails too, say where it is. */
static void put_back(const char *to, char *aside, struct store_why *why)
{
    wr_err err = WR_OK;
    if (!*aside)
        return;
    for (size_t i = ENDS; i-- > 0 && !err;)
        err = move_end(to, aside, i, true);
    if (!err)
        err = wr_file_remove_dir(aside, WR_NEVER);
    if (err) {
        struct store_why first = *why;
        store_say(why, "%.120s; and the old store, which is in %.100s, cannot be put back: %s",
                  first.text, aside, wr_err_text(err));
        return;
    }
    aside[0] = '\0';
}

static wr_err put_aside(const char *to, char *aside, struct store_why *why)
{
    struct archive_path name;
    char when[24] = "";
    int64_t now = wr_world->wall() / 1000000000;
    do {
        snprintf(when, sizeof(when), "%" PRId64, now++);
        name = archive_joined(to, "-before-", when);
    } while (archive_there(name.text));
    wr_err err = wr_file_make_dir(name.text, 0700, WR_NEVER);
    if (err)
        return archive_fail(why, err, "make", name.text);
    struct wr_text text = wr_text_over(aside, ARCHIVE_PATH_MAX);
    wr_text_str(&text, name.text);
    for (size_t i = 0; i < ENDS && !err; i++) {
        err = move_end(to, aside, i, false);
        if (err && err != WR_BUSY)
            (void)!archive_fail(why, err, "put the old store into", aside);
        else if (err)
            store_say(why, "cannot put %.120s%s aside: it is a mount, or in use; unmount it, "
                      "or stop who uses it", to, ends[i]);
    }
    return err;
}

/* A copy of the copy, beside the store; what is there now is what was checked. */
static wr_err bring(const char *path, const char *stage, struct archive_info *ret,
                    struct store_why *why)
{
    struct archive_path from = archive_below(path, ARCHIVE_DATABASE);
    struct archive_path to = archive_below(stage, ARCHIVE_DATABASE);
    struct archive_info seen;
    struct wr_hash database, list;
    struct archive_blobs blobs = { .from = from.text, .to = to.text, .info = &seen,
                                   .why = why };
    wr_err err = wr_file_make_dir(stage, 0700, WR_NEVER);
    if (!err)
        err = wr_file_copy(from.text, to.text, WR_NEVER);
    if (!err)
        err = archive_hash(to.text, &database);
    if (err)
        return archive_fail(why, err, "write", to.text);
    err = archive_look_sealed(to.text, &seen, why);
    if (!err)
        err = archive_take(&blobs);
    list = wr_hash_end(&blobs.list);
    if (!err && !(wr_hash_equal(&database, &ret->database) && wr_hash_equal(&list, &ret->list)))
        err = archive_refuse(why, path, "what is in it now");
    if (err)
        return err;
    err = wr_file_sync(stage, WR_NEVER);
    return err ? archive_fail(why, err, "write", stage) : WR_OK;
}

/* The blobs first: a store is there when its file is. */
static wr_err install(const char *stage, const char *to, struct store_why *why)
{
    struct archive_path file = archive_below(stage, ARCHIVE_DATABASE);
    struct archive_path blobs = archive_beside(file.text, "-blobs");
    struct archive_path to_blobs = archive_beside(to, "-blobs");
    wr_err err = wr_file_rename(blobs.text, to_blobs.text, WR_NEVER);
    bool moved = !err;
    if (moved || err == WR_NOTFOUND)
        err = wr_file_rename(file.text, to, WR_NEVER);
    if (err && moved)
        (void)!wr_file_rename(to_blobs.text, blobs.text, WR_NEVER);
    if (err)
        return archive_fail(why, err, "put the copy in the place of", to);
    archive_clean(stage, 2);
    return WR_OK;
}

/* The folder of the copy of the copy also says that the store is not there because of us: once
 * it does, it stays until a store is there. */
static wr_err exchange(const char *path, const char *to, char *aside, struct archive_info *ret,
                       struct store_why *why)
{
    struct archive_path stage = archive_beside(to, "-restoring");
    bool marked = archive_interrupted(to);
    archive_empty(stage.text, 2);
    wr_err err = bring(path, stage.text, ret, why);
    if (!err && store_there(to))
        err = put_aside(to, aside, why);
    if (!err)
        err = install(stage.text, to, why);
    if (!err)
        return WR_OK;
    put_back(to, aside, why);
    if (marked || *aside)
        archive_empty(stage.text, 2);
    else
        archive_clean(stage.text, 2);
    return err;
}

wr_err archive_restore(const char *path, const char *to, bool replace, char *aside,
                       struct archive_info *ret, struct store_why *why)
{
    aside[0] = '\0';
    wr_err err = archive_check(path, ret, why);
    if (err)
        return err;
    if (strlen(to) >= ARCHIVE_PATH_MAX - 40) {
        store_say(why, "the path of the store is too long");
        return WR_INVALID;
    }
    if (store_there(to) && !replace) {
        store_say(why, "there is a store already, %.140s: say --replace, and it is put aside",
                  to);
        return WR_EXISTS;
    }
    struct archive_path lock = archive_beside(to, "-lock");
    struct conn *conn = calloc(1, sizeof(*conn));
    if (!conn)
        return archive_fail(why, WR_NOMEM, "restore", to);
    err = conn_open(conn, &(struct conn_conf){ .path = lock.text, .create = true }, why);
    if (!err) {
        err = conn_exec(conn, "pragma locking_mode = exclusive; begin exclusive");
        if (err)
            conn_say(conn, why, "lock", lock.text);
    }
    if (err == WR_BUSY)
        store_say(why, "another process has %.160s open: stop it first", to);
    if (!err)
        err = exchange(path, to, aside, ret, why);
    conn_close(conn);
    free(conn);
    return err;
}
