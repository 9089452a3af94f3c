#include "store/pointer.h"

#include <string.h>

#include "store/schema.h"

const struct store_step store_pointer_tables = {
    .sqlite =
        "create table pointer (space text not null, name text not null, value text not null,"
        "  version integer not null, updated_at integer not null,"
        "  primary key (space, name)) strict;",
    .postgres =
        "create table pointer (space text not null, name text collate \"C\" not null,"
        "  value text not null, version bigint not null, updated_at bigint not null,"
        "  primary key (space, name));",
};

static const struct store_verb get = {
    .name = "pointer.get",
    .sqlite = { "select name, value, version, updated_at from pointer"
                " where space = ?1 and name = ?2" },
};

struct store_pointer store_pointer_at(const struct store_pointers *names, size_t i)
{
    const struct store_rows *rows = &names->rows;
    return (struct store_pointer){
        .name = store_text(rows, i, 0), .value = store_text(rows, i, 1),
        .version = store_int(rows, i, 2),
        .updated_at = store_wall(rows, i, 3) };
}

wr_err store_pointer_get(struct store *store, const char *space, const char *name,
                         struct store_pointers *ret, wr_time deadline)
{
    wr_err err = store_do(store, &get, STORE_VALUES(STORE_TEXT(space), STORE_TEXT(name)),
                          &ret->rows, deadline);
    ret->count = ret->rows.count;
    ret->first = ret->count ? store_pointer_at(ret, 0) : (struct store_pointer){ 0 };
    return !err && ret->count == 0 ? WR_NOTFOUND : err;
}

static const struct store_verb list = {
    .name = "pointer.list",
    .sqlite = { "select name, value, version, updated_at from pointer"
                " where space = ?1 and name > ?2 order by name limit ?3" },
};

wr_err store_pointer_list(struct store *store, const char *space, const char *after, size_t max,
                          struct store_pointers *ret, wr_time deadline)
{
    WR_ASSERT(max > 0 && max <= STORE_POINTER_LIST_MAX);
    wr_err err = store_do(store, &list, STORE_VALUES(
        STORE_TEXT(space), STORE_TEXT(after ? after : ""), STORE_INT((int64_t)max)), &ret->rows,
        deadline);
    ret->count = ret->rows.count;
    ret->first = ret->count ? store_pointer_at(ret, 0) : (struct store_pointer){ 0 };
    return err;
}

static const struct store_verb tally = {
    .name = "pointer.count",
    .sqlite = { "select count(*) from pointer where space = ?1" },
};

wr_err store_pointer_count(struct store *store, const char *space, uint64_t *ret,
                           wr_time deadline)
{
    struct store_rows rows;
    wr_err err = store_do(store, &tally, STORE_VALUES(STORE_TEXT(space)), &rows, deadline);
    *ret = !err && rows.count ? (uint64_t)store_int(&rows, 0, 0) : 0;
    store_rows_free(&rows);
    return err;
}

void store_pointers_free(struct store_pointers *names)
{
    store_rows_free(&names->rows);
    names->count = 0;
}

/* ?4 is the version that it must have: -1 any, 0 none. */
static const struct store_verb put = {
    .name = "pointer.put", .writes = true,
    .sqlite = { "insert into pointer (space, name, value, version, updated_at)"
                " select ?1, ?2, ?3, 1, now_ms() where ?4 <= 0 or exists"
                " (select 1 from pointer where space = ?1 and name = ?2)"
                " on conflict (space, name) do update set value = excluded.value,"
                " version = pointer.version + 1, updated_at = excluded.updated_at"
                " where ?4 = -1 or pointer.version = ?4 returning version" },
    .postgres = "insert into pointer (space, name, value, version, updated_at)"
                " select ?1::text, ?2::text, ?3::text, 1, now_ms() where ?4::bigint <= 0"
                " or exists (select 1 from pointer where space = ?1 and name = ?2)"
                " on conflict (space, name) do update set value = excluded.value,"
                " version = pointer.version + 1, updated_at = excluded.updated_at"
                " where ?4 = -1 or pointer.version = ?4 returning version",
};

wr_err store_pointer_put(struct store *store, const char *space, const char *name,
                         const char *value, int64_t version, int64_t *ret, wr_time deadline)
{
    struct store_rows rows;
    if (strlen(name) > STORE_POINTER_MAX || strlen(value) > STORE_POINTER_VALUE_MAX)
        return WR_INVALID;
    wr_err err = store_do(store, &put, STORE_VALUES(
        STORE_TEXT(space), STORE_TEXT(name), STORE_TEXT(value), STORE_INT(version)), &rows,
        deadline);
    if (!err && rows.count == 0)
        err = WR_EXISTS;
    if (!err)
        *ret = store_int(&rows, 0, 0);
    store_rows_free(&rows);
    return err;
}

static const struct store_verb drop = {
    .name = "pointer.remove", .writes = true,
    .sqlite = { "delete from pointer where space = ?1 and name = ?2" },
};

wr_err store_pointer_remove(struct store *store, const char *space, const char *name,
                            wr_time deadline)
{
    return store_change_one(store, &drop, STORE_VALUES(STORE_TEXT(space), STORE_TEXT(name)),
                            deadline);
}
