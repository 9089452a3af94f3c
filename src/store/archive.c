/* archive.c - see archive.h. */
#include "store/archive_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/file.h>
#include <weir/offload.h>
#include <weir/scope.h>

#include "base/text.h"
#include "base/world.h"
#include "store/blob.h"
#include "store/schema.h"
#include "store/sqlite_conn.h"
#include "store/store_int.h"

#define NAME_LEN (WR_HASH_TEXT - 3)     /* of a blob's file: its hash without two digits */
#define LIST_MAX ((size_t)64 << 20)
#define PIECE ((size_t)1 << 20)
#define MANIFEST_MAX 1000
#define CLEAN_WITHIN WR_S(60)

struct archive_path archive_joined(const char *a, const char *b, const char *c)
{
    struct archive_path path;
    struct wr_text text = WR_TEXT(path.text);
    wr_text_str(&text, a);
    wr_text_str(&text, b);
    wr_text_str(&text, c);
    WR_ASSERT(!text.cut);
    return path;
}

struct archive_path archive_below(const char *folder, const char *name)
{
    return archive_joined(folder, "/", name);
}

struct archive_path archive_beside(const char *file, const char *end)
{
    return archive_joined(file, end, "");
}

bool archive_there(const char *path)
{
    struct wr_file_info info;
    return wr_file_look(&info, path, WR_NEVER) != WR_NOTFOUND;
}

wr_err archive_fail(struct store_why *why, wr_err err, const char *doing, const char *path)
{
    store_say(why, "cannot %s %.160s: %s", doing, path,
              err == WR_IO ? "the disk is full, or fails" : wr_err_text(err));
    return err;
}

/* ---- folders ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

struct names { char *text; const char **at; size_t count; };

static void names_free(struct names *names)
{
    free(names->text);
    free((void *)names->at);
}

/* The names in a folder, in order; none when it is not there. */
static wr_err names_in(const char *folder, struct names *ret)
{
    *ret = (struct names){ 0 };
    size_t len;
    wr_err err = wr_file_list(&ret->text, &len, folder, LIST_MAX, WR_NEVER);
    if (err)
        return err == WR_NOTFOUND ? WR_OK : err;
    for (size_t i = 0; i < len; i++)
        ret->count += ret->text[i] == '\0';
    ret->at = calloc(ret->count + 1, sizeof(*ret->at));
    if (!ret->at) {
        names_free(ret);
        return WR_NOMEM;
    }
    const char *at = ret->text;
    for (size_t i = 0; i < ret->count; i++, at += strlen(at) + 1)
        ret->at[i] = at;
    qsort((void *)ret->at, ret->count, sizeof(*ret->at), by_name);
    return WR_OK;
}

void archive_empty(const char *folder, unsigned depth)
{
    struct names names;
    if (names_in(folder, &names))
        return;
    for (size_t i = 0; i < names.count; i++) {
        struct archive_path path = archive_below(folder, names.at[i]);
        if (wr_file_remove(path.text, WR_NEVER) && depth > 0)
            archive_clean(path.text, depth - 1);
    }
    names_free(&names);
}

void archive_clean(const char *folder, unsigned depth)
{
    archive_empty(folder, depth);
    (void)!wr_file_remove_dir(folder, WR_NEVER);
}

/* ---- the database ---- */

static wr_err judge_steps(struct conn *conn, const char *file, struct archive_info *ret,
                          struct store_why *why)
{
    int64_t id = 0, steps = 0;
    wr_err err = conn_ask(conn, "pragma application_id", &id);
    if (!err)
        err = conn_ask(conn, "pragma user_version", &steps);
    if (err) {
        conn_say(conn, why, "read", file);
        return err;
    }
    ret->steps = (uint64_t)steps;
    if (id != STORE_APPLICATION_ID) {
        store_say(why, "%.160s is not a store: give the path of one", file);
        return WR_INVALID;
    }
    if (steps > (int64_t)store_step_count) {
        store_say(why, "%.120s was written by a newer program: it is at step %" PRId64
                  ", this one knows %zu; use the newer program", file, steps, store_step_count);
        return WR_INVALID;
    }
    return WR_OK;
}

/* A log that its owner has left stays as it is. */
static wr_err look_as(bool sealed, const char *file, struct archive_info *ret,
                      struct store_why *why)
{
    struct wr_file_info info, log;
    struct archive_path wal = archive_beside(file, "-wal");
    *ret = (struct archive_info){ 0 };
    wr_err err = wr_file_look(&info, file, WR_NEVER);
    if (err)
        return archive_fail(why, err, "look at", file);
    ret->bytes = info.size;
    ret->wal_bytes = wr_file_look(&log, wal.text, WR_NEVER) ? 0 : log.size;
    struct conn *conn = calloc(1, sizeof(*conn));
    if (!conn)
        return archive_fail(why, WR_NOMEM, "look at", file);
    err = conn_open(conn, &(struct conn_conf){ .path = file, .read_only = true,
                                                .sealed = sealed }, why);
    if (!err) {
        (void)sqlite3_db_config(conn->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        err = judge_steps(conn, file, ret, why);
        if (!err)
            err = conn_check(conn, file, why);
        conn_close(conn);
    }
    free(conn);
    return err;
}

wr_err archive_look(const char *file, struct archive_info *ret, struct store_why *why)
{
    return look_as(false, file, ret, why);
}

wr_err archive_look_sealed(const char *file, struct archive_info *ret, struct store_why *why)
{
    return look_as(true, file, ret, why);
}

/* A copy has no log, and needs none to be read where nothing can be written. */
static wr_err settle(const char *file, struct store_why *why)
{
    struct conn *conn = calloc(1, sizeof(*conn));
    if (!conn)
        return archive_fail(why, WR_NOMEM, "settle", file);
    wr_err err = conn_open(conn, &(struct conn_conf){ .path = file }, why);
    if (!err) {
        err = conn_exec(conn, "pragma journal_mode = delete");
        if (err)
            conn_say(conn, why, "write", file);
        conn_close(conn);
    }
    free(conn);
    return err;
}

wr_err archive_hash(const char *path, struct wr_hash *ret)
{
    struct wr_hash_state state;
    char *piece = malloc(PIECE);
    size_t len = PIECE;
    wr_err err = piece ? WR_OK : WR_NOMEM;
    wr_hash_begin(&state);
    for (uint64_t at = 0; !err && len == PIECE; at += len) {
        err = wr_file_read_part(&len, piece, PIECE, path, at, WR_NEVER);
        if (!err)
            wr_hash_add(&state, piece, len);
    }
    free(piece);
    *ret = wr_hash_end(&state);
    return err;
}

/* ---- blobs ---- */

static bool is_blob(const char *name)
{
    return strlen(name) == NAME_LEN && strspn(name, "0123456789abcdef") == NAME_LEN;
}

static struct archive_path folder_of(const char *file, const char *folder)
{
    return archive_joined(file, "-blobs/", folder);
}

/* One that is removed under our hands is none. */
static wr_err take_blob(struct archive_blobs *blobs, const char *folder, const char *name)
{
    struct archive_path from = folder_of(blobs->from, folder), to = { "" };
    struct wr_hash want, is;
    char hex[WR_HASH_TEXT], *bytes;
    size_t len;
    from = archive_below(from.text, name);
    snprintf(hex, sizeof(hex), "%s%s", folder, name);
    WR_ASSERT(!wr_hash_parse(&want, hex, strlen(hex)));
    wr_err err = WR_OK;
    if (blobs->to) {
        to = folder_of(blobs->to, folder);
        to = archive_below(to.text, name);
        err = wr_file_copy(from.text, to.text, WR_NEVER);
        if (err == WR_NOTFOUND && !archive_there(from.text))
            return WR_OK;
        if (err)
            return archive_fail(blobs->why, err, "write", to.text);
    }
    const char *path = blobs->to ? to.text : from.text;
    err = wr_file_read(&bytes, &len, path, STORE_BLOB_MAX, WR_NEVER);
    if (err)
        return archive_fail(blobs->why, err, "read", path);
    is = wr_hash_of(bytes, len);
    free(bytes);
    if (!wr_hash_equal(&is, &want)) {
        store_say(blobs->why, "blob %.16s... is damaged (%.120s): put it again, or remove it",
                  hex, from.text);
        return WR_QUARANTINE;
    }
    wr_hash_add(&blobs->list, hex, strlen(hex));
    blobs->info->blobs++;
    blobs->info->blob_bytes += len;
    return WR_OK;
}

static wr_err take_folder(struct archive_blobs *blobs)
{
    char folder[3];
    struct names names;
    snprintf(folder, sizeof(folder), "%02x", blobs->folder++ & 0xff);
    struct archive_path from = folder_of(blobs->from, folder);
    wr_err err = names_in(from.text, &names);
    if (err)
        return archive_fail(blobs->why, err, "read", from.text);
    if (blobs->to && names.count) {
        struct archive_path to = folder_of(blobs->to, folder);
        err = wr_file_make_dir(to.text, 0700, WR_NEVER);
        if (err)
            (void)!archive_fail(blobs->why, err, "make", to.text);
    }
    for (size_t i = 0; i < names.count && !err; i++)
        if (is_blob(names.at[i]))
            err = take_blob(blobs, folder, names.at[i]);
    names_free(&names);
    return err;
}

static void blobs_begin(struct archive_blobs *blobs)
{
    wr_hash_begin(&blobs->list);
    blobs->info->blobs = blobs->info->blob_bytes = 0;
}

wr_err archive_take(struct archive_blobs *blobs)
{
    wr_err err = WR_OK;
    blobs_begin(blobs);
    while (!err && blobs->folder < 256)
        err = take_folder(blobs);
    return err;
}

/* ---- the manifest ---- */

static void describe(char *text, const struct archive_info *info)
{
    char one[WR_CID_TEXT], two[WR_CID_TEXT];
    snprintf(text, MANIFEST_MAX,
             "weir backup 1\nsteps %" PRIu64 "\ndatabase %" PRIu64 " %s\nblobs %" PRIu64
             " %" PRIu64 " %s\n", info->steps, info->bytes,
             wr_hash_print_cid(&info->database, one), info->blobs, info->blob_bytes,
             wr_hash_print_cid(&info->list, two));
}

/* ---- making one ---- */

struct making {
    struct store *store;
    struct archive_path part, file;     /* the folder under its other name, and its database */
    struct archive_blobs blobs;
    struct archive_info *info;
    struct store_why *why;
    wr_err err;
};

static void look_there(void *arg)
{
    struct making *making = arg;
    making->err = settle(making->file.text, making->why);
    if (!making->err)
        making->err = archive_look_sealed(making->file.text, making->info, making->why);
}

static void take_there(void *arg)
{
    struct making *making = arg;
    making->err = take_folder(&making->blobs);
}

static void finish_there(void *arg)
{
    struct making *making = arg;
    struct archive_path manifest = archive_below(making->part.text, "manifest");
    char text[MANIFEST_MAX];
    making->info->list = wr_hash_end(&making->blobs.list);
    wr_err err = archive_hash(making->file.text, &making->info->database);
    if (!err) {
        describe(text, making->info);
        err = wr_file_write_atomic(manifest.text, text, strlen(text), 0600, WR_NEVER);
    }
    if (!err)
        err = wr_file_sync(making->part.text, WR_NEVER);
    making->err = err ? archive_fail(making->why, err, "write", making->part.text) : WR_OK;
}

static void clean_there(void *arg)
{
    struct making *making = arg;
    archive_clean(making->part.text, 2);
}

static wr_err away(struct making *making, void (*fn)(void *), wr_time deadline)
{
    wr_err err = wr_offload(fn, making, deadline);
    if (err)
        store_say(making->why, "the backup was broken off: %s", wr_err_text(err));
    return err ? err : making->err;
}

static wr_err make_in(struct making *making, wr_time deadline)
{
    struct store *store = making->store;
    wr_err err = store_backup(store, making->file.text, making->why, deadline);
    if (!err)
        err = away(making, look_there, deadline);
    making->blobs = (struct archive_blobs){ .from = store->engine->path(store->state),
                                    .to = making->file.text, .info = making->info,
                                    .why = making->why };
    blobs_begin(&making->blobs);
    while (!err && making->blobs.from && making->blobs.folder < 256)
        err = away(making, take_there, deadline);
    return err ? err : away(making, finish_there, deadline);
}

/* Whatever has come of the caller, half a copy does not stay. */
static void clean_shielded(struct making *making)
{
    struct wr_scope *shield;
    if (wr_scope_new(&shield, &(struct wr_scope_conf){
            .name = "store.archive", .deadline = wr_after(CLEAN_WITHIN), .shield = true }))
        return;
    wr_scope_enter(shield);
    (void)!wr_offload(clean_there, making, WR_NEVER);
    wr_scope_leave(shield);
    (void)!wr_scope_close(shield);
}

wr_err archive_make(struct store *store, const char *path, struct archive_info *ret,
                    struct store_why *why, wr_time deadline)
{
    uint64_t random;
    char end[20];
    struct making making = { .store = store, .info = ret, .why = why };
    struct wr_file_info info;
    *ret = (struct archive_info){ 0 };
    size_t len = strlen(path);
    if (len == 0 || len >= ARCHIVE_PATH_MAX || path[len - 1] == '/') {
        store_say(why, "\"%.120s\" cannot be a backup: give the path of a new folder, of less "
                  "than %d bytes", path, ARCHIVE_PATH_MAX);
        return WR_INVALID;
    }
    if (!wr_file_look(&info, path, deadline)) {
        store_say(why, "%.160s is there already: give the path of a new folder", path);
        return WR_EXISTS;
    }
    wr_world->entropy(&random, sizeof(random));
    snprintf(end, sizeof(end), "%016" PRIx64, random);
    making.part = archive_joined(path, ".part-", end);
    making.file = archive_below(making.part.text, ARCHIVE_DATABASE);
    wr_err err = wr_file_make_dir(making.part.text, 0700, deadline);
    if (err)
        return archive_fail(why, err, "make", making.part.text);
    err = make_in(&making, deadline);
    if (!err) {
        err = wr_file_rename(making.part.text, path, deadline);
        if (err)
            (void)!archive_fail(why, err, "make", path);
    }
    if (err)
        clean_shielded(&making);
    return err;
}

/* ---- reading one ---- */

wr_err archive_refuse(struct store_why *why, const char *path, const char *what)
{
    store_say(why, "%.140s: %s is not what was copied: it is damaged; take another backup",
              path, what);
    return WR_QUARANTINE;
}

/* What lies in the folder and is not in the manifest was not copied. */
static wr_err only_ours(const char *path, struct store_why *why)
{
    static const char *const ours[] = { "manifest", ARCHIVE_DATABASE,
                                        ARCHIVE_DATABASE "-blobs" };
    struct names names;
    wr_err err = names_in(path, &names);
    if (err)
        return archive_fail(why, err, "read", path);
    for (size_t i = 0; i < names.count && !err; i++) {
        bool known = false;
        for (size_t j = 0; j < sizeof(ours) / sizeof(ours[0]); j++)
            known |= strcmp(names.at[i], ours[j]) == 0;
        if (!known) {
            store_say(why, "%.120s is not as it was made: \"%.60s\" was put into it; take that "
                      "away if it is yours, or take another backup", path, names.at[i]);
            err = WR_QUARANTINE;
        }
    }
    names_free(&names);
    return err;
}

wr_err archive_check(const char *path, struct archive_info *ret, struct store_why *why)
{
    struct archive_path manifest = archive_below(path, "manifest");
    struct archive_path file = archive_below(path, ARCHIVE_DATABASE);
    struct archive_blobs blobs = { .from = file.text, .info = ret, .why = why };
    char said[MANIFEST_MAX], *text;
    size_t len;
    *ret = (struct archive_info){ 0 };
    if (strlen(path) >= ARCHIVE_PATH_MAX) {
        store_say(why, "the path of the backup has %zu bytes, and at most %d are allowed",
                  strlen(path), ARCHIVE_PATH_MAX - 1);
        return WR_INVALID;
    }
    wr_err err = wr_file_read(&text, &len, manifest.text, MANIFEST_MAX - 1, WR_NEVER);
    if (err) {
        store_say(why, "%.140s is no backup: its file \"manifest\" cannot be read: %s", path,
                  wr_err_text(err));
        return err;
    }
    bool known = strncmp(text, "weir backup 1\n", 14) == 0;
    err = known ? archive_hash(file.text, &ret->database) : WR_INVALID;
    if (!known)
        store_say(why, "%.140s is no backup, or one of a newer program", path);
    else if (err)
        err = archive_fail(why, err, "read", file.text);
    if (!err)
        err = only_ours(path, why);
    if (!err)
        err = archive_take(&blobs);
    struct wr_file_info info = { 0 };
    if (!err)
        err = wr_file_look(&info, file.text, WR_NEVER);
    ret->list = wr_hash_end(&blobs.list);
    ret->bytes = info.size;
    if (!err && sscanf(text, "weir backup 1\nsteps %" SCNu64, &ret->steps) == 1) {
        describe(said, ret);
        if (strcmp(said, text) != 0)
            err = archive_refuse(why, path, "what is in it");
    } else if (!err) {
        err = archive_refuse(why, path, "its manifest");
    }
    free(text);
    struct archive_info seen;
    return err ? err : archive_look_sealed(file.text, &seen, why);
}
