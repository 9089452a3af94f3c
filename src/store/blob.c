#include "store/blob.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/file.h>

#include "store/schema.h"
#include "store/store_int.h"

#define PATH_MAX_LEN 1024

const struct store_step store_blob_tables = {
    .sqlite = "create table blob (id blob primary key, bytes blob not null) strict;",
    .postgres = "create table blob (id bytea primary key, bytes bytea not null);",
};

/* ---- as files ---- */

/* PATH-blobs/ab/cdef..., and how long its folder's part is. */
static wr_err file_of(const char *beside, const struct wr_hash *hash, char *path,
                      size_t *ret_folder)
{
    char hex[WR_HASH_TEXT];
    wr_hash_print(hash, hex);
    int folder = snprintf(path, PATH_MAX_LEN, "%s-blobs/%.2s", beside, hex);
    int len = snprintf(path, PATH_MAX_LEN, "%s-blobs/%.2s/%s", beside, hex, hex + 2);
    *ret_folder = (size_t)folder;
    return len < PATH_MAX_LEN ? WR_OK : WR_INVALID;
}

static wr_err write_file(const char *path, size_t folder, const void *bytes, size_t len,
                         wr_time deadline)
{
    wr_err err = wr_file_write_atomic(path, bytes, len, 0600, deadline);
    if (err != WR_NOTFOUND)
        return err;
    char above[PATH_MAX_LEN];
    memcpy(above, path, folder);
    above[folder] = '\0';
    err = wr_file_make_dir(above, 0700, deadline);
    return err ? err : wr_file_write_atomic(path, bytes, len, 0600, deadline);
}

/* ---- as rows ---- */

static const struct store_verb put = {
    .name = "blob.put", .writes = true,
    .sqlite = { "insert into blob (id, bytes) values (?1, ?2)"
                " on conflict (id) do update set bytes = excluded.bytes" },
};
static const struct store_verb get = {
    .name = "blob.get", .sqlite = { "select bytes from blob where id = ?1" },
};
static const struct store_verb drop = {
    .name = "blob.remove", .writes = true, .sqlite = { "delete from blob where id = ?1" },
};

static wr_err read_row(struct store *store, const struct wr_hash *hash, char **ret,
                       size_t *ret_len, wr_time deadline)
{
    struct store_rows rows;
    wr_err err = store_do(store, &get, STORE_VALUES(STORE_BLOB(hash->bytes, WR_HASH_SIZE)),
                          &rows, deadline);
    if (!err && rows.count == 0)
        err = WR_NOTFOUND;
    if (!err) {
        struct store_value value = store_value_at(&rows, 0, 0);
        *ret = malloc(value.len + 1);
        *ret_len = value.len;
        if (*ret)
            memcpy(*ret, value.bytes, value.len + 1);
        else
            err = WR_NOMEM;
    }
    store_rows_free(&rows);
    return err;
}

/* ---- both ---- */

wr_err store_blob_put(struct store *store, const void *bytes, size_t len, char *cid,
                      wr_time deadline)
{
    if (len > STORE_BLOB_MAX)
        return WR_INVALID;
    struct wr_hash hash = wr_hash_of(bytes, len);
    wr_hash_print_cid(&hash, cid);
    const char *beside = store->engine->path(store->state);
    if (!beside)
        return store_do(store, &put, STORE_VALUES(STORE_BLOB(hash.bytes, WR_HASH_SIZE),
                                                  STORE_BLOB(bytes, len)), NULL, deadline);
    char path[PATH_MAX_LEN];
    size_t folder;
    wr_err err = file_of(beside, &hash, path, &folder);
    return err ? err : write_file(path, folder, bytes, len, deadline);
}

wr_err store_blob_get(struct store *store, const char *cid, char **ret, size_t *ret_len,
                      wr_time deadline)
{
    struct wr_hash want;
    wr_err err = wr_hash_parse_cid(&want, cid, strlen(cid));
    if (err)
        return err;
    const char *beside = store->engine->path(store->state);
    if (beside) {
        char path[PATH_MAX_LEN];
        size_t folder;
        err = file_of(beside, &want, path, &folder);
        if (!err)
            err = wr_file_read(ret, ret_len, path, STORE_BLOB_MAX, deadline);
    } else {
        err = read_row(store, &want, ret, ret_len, deadline);
    }
    if (err)
        return err;
    struct wr_hash is = wr_hash_of(*ret, *ret_len);
    if (wr_hash_equal(&is, &want))
        return WR_OK;
    free(*ret);
    *ret = NULL;
    return WR_QUARANTINE;
}

wr_err store_blob_remove(struct store *store, const char *cid, wr_time deadline)
{
    struct wr_hash hash;
    wr_err err = wr_hash_parse_cid(&hash, cid, strlen(cid));
    if (err)
        return err;
    const char *beside = store->engine->path(store->state);
    if (!beside)
        return store_change_one(store, &drop, STORE_VALUES(
            STORE_BLOB(hash.bytes, WR_HASH_SIZE)), deadline);
    char path[PATH_MAX_LEN];
    size_t folder;
    err = file_of(beside, &hash, path, &folder);
    return err ? err : wr_file_remove(path, deadline);
}
