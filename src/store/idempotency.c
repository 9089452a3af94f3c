/* idempotency.c - see idempotency.h.  A row without a status is being done. */
#include "store/idempotency.h"

#include <string.h>

#include "store/schema.h"

const struct store_step store_once_tables = {
    .sqlite =
        "create table once (route text not null, key text not null, digest text not null,"
        "  keep integer not null, until integer not null, status integer, body blob,"
        "  primary key (route, key)) strict;"
        "create index once_until on once (until);",
    .postgres =
        "create table once (route text not null, key text not null, digest text not null,"
        "  keep bigint not null, until bigint not null, status bigint, body bytea,"
        "  primary key (route, key));"
        "create index once_until on once (until);",
};

/* The turn is counted beside the rows: theirs would begin anew where one was swept. */
const struct store_step store_once_turns = {
    .sqlite =
        "alter table once add column turn integer not null default 0;"
        "create table once_turn (id integer primary key, turn integer not null) strict;"
        "insert into once_turn (id, turn) values (1, 0);",
    .postgres =
        "alter table once add column turn bigint not null default 0;"
        "create sequence once_turn;",
};

/* A row whose time is over is begun anew. */
#define INTO "insert into once (route, key, digest, keep, until, turn) select "
#define OR_ANEW \
    " where (select count(*) from once) < ?6 or exists (select 1 from once" \
    " where route = ?1 and key = ?2) on conflict (route, key) do update" \
    " set digest = excluded.digest, keep = excluded.keep, until = excluded.until, status = " \
    "null, body = null," \
    " turn = excluded.turn where once.until <= now_ms() returning turn"

static const struct store_verb begin = {
    .name = "once.begin", .writes = true,
    .sqlite = { "update once_turn set turn = turn + 1",
                INTO "?1, ?2, ?3, ?4, now_ms() + ?5, (select turn from once_turn)" OR_ANEW },
    .postgres = INTO "?1::text, ?2::text, ?3::text, ?4::bigint, now_ms() + ?5::bigint,"
                " nextval('once_turn')" OR_ANEW,
};

static const struct store_verb look = {
    .name = "once.look",
    .sqlite = { "select digest, status, body from once where route = ?1 and key = ?2" },
};

static const struct store_verb tally = {
    .name = "once.count", .sqlite = { "select count(*) from once" },
};

/* It was neither begun nor is it there: there is no room, or it was dropped just now, and the
 * next try begins it. */
static wr_err why_not(struct store *store, const struct store_once_ask *ask, wr_time deadline)
{
    struct store_rows rows;
    wr_err err = store_do(store, &tally, STORE_VALUES(), &rows, deadline);
    if (!err)
        err = (uint64_t)store_int(&rows, 0, 0) >= ask->keys_max ? WR_SHED : WR_BUSY;
    store_rows_free(&rows);
    return err;
}

wr_err store_once_begin(struct store *store, const struct store_once_ask *ask,
                        struct store_once *ret, wr_time deadline)
{
    *ret = (struct store_once){ 0 };
    if (strlen(ask->key) > STORE_ONCE_KEY_MAX)
        return WR_INVALID;
    wr_err err = store_do(store, &begin, STORE_VALUES(
        STORE_TEXT(ask->route), STORE_TEXT(ask->key), STORE_TEXT(ask->digest),
        STORE_INT(ask->keep / WR_MS(1)), STORE_INT(STORE_ONCE_BEGUN / WR_MS(1)),
        STORE_INT((int64_t)ask->keys_max)), &ret->rows, deadline);
    if (err)
        return err;
    if (ret->rows.count) {
        ret->turn = (uint64_t)store_int(&ret->rows, 0, 0);
        return WR_OK;
    }
    store_rows_free(&ret->rows);
    err = store_do(store, &look, STORE_VALUES(STORE_TEXT(ask->route), STORE_TEXT(ask->key)),
                   &ret->rows, deadline);
    if (err)
        return err;
    if (ret->rows.count == 0)
        return why_not(store, ask, deadline);
    if (strcmp(store_text(&ret->rows, 0, 0), ask->digest) != 0)
        return WR_INVALID;
    if (store_value_at(&ret->rows, 0, 1).type == STORE_IS_NULL)
        return WR_BUSY;
    ret->status = (int)store_int(&ret->rows, 0, 1);
    ret->body = store_value_at(&ret->rows, 0, 2);
    return WR_EXISTS;
}

void store_once_free(struct store_once *once)
{
    store_rows_free(&once->rows);
}

/* The turn ?3 is doing it. */
#define ITS_TURN " where route = ?1 and key = ?2 and turn = ?3 and status is null"

static const struct store_verb end = {
    .name = "once.end", .writes = true,
    .sqlite = { "update once set status = ?4, body = ?5, until = now_ms() + keep" ITS_TURN },
};

wr_err store_once_end(struct store *store, const char *route, const char *key, uint64_t turn,
                      const struct store_once_answer *answer, wr_time deadline)
{
    if (answer->len > STORE_ONCE_BODY_MAX)
        return WR_INVALID;
    return store_change_one(store, &end, STORE_VALUES(
        STORE_TEXT(route), STORE_TEXT(key), STORE_INT((int64_t)turn),
        STORE_INT(answer->status), STORE_BLOB(answer->body, answer->len)), deadline);
}

static const struct store_verb drop = {
    .name = "once.drop", .writes = true, .sqlite = { "delete from once" ITS_TURN },
};

wr_err store_once_drop(struct store *store, const char *route, const char *key, uint64_t turn,
                       wr_time deadline)
{
    return store_change_one(store, &drop, STORE_VALUES(
        STORE_TEXT(route), STORE_TEXT(key), STORE_INT((int64_t)turn)), deadline);
}

static const struct store_verb sweep = {
    .name = "once.sweep", .writes = true,
    .sqlite = { "delete from once where (route, key) in (select route, key from once"
                " where until <= now_ms() order by until limit ?1)" },
};

wr_err store_once_sweep(struct store *store, size_t max, uint64_t *ret, wr_time deadline)
{
    return store_change(store, &sweep, STORE_VALUES(STORE_INT((int64_t)max)), ret, deadline);
}
