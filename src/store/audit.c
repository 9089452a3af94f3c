#include "store/audit.h"

#include <string.h>

#include "store/schema.h"

/* Numbers are never used again: a reader would take the new event for one it has seen. */
const struct store_step store_audit_tables = {
    .sqlite =
        "create table audit (number integer primary key autoincrement, at integer not null,"
        "  type text not null, actor text not null, request text, detail text) strict;",
    .postgres =
        "create table audit (number bigserial primary key, at bigint not null,"
        "  type text not null, actor text not null, request text, detail text);",
};

static const struct store_verb add = {
    .name = "audit.add", .writes = true,
    .sqlite = { "insert into audit (at, type, actor, request, detail)"
                " values (now_ms(), ?1, ?2, ?3, ?4)" },
};

wr_err store_audit_add(struct store *store, const struct store_event *event, wr_time deadline)
{
    if (event->detail && strlen(event->detail) > STORE_EVENT_DETAIL_MAX)
        return WR_INVALID;
    return store_do(store, &add, STORE_VALUES(
        STORE_TEXT(event->type), STORE_TEXT(event->actor), STORE_TEXT(event->request),
        STORE_TEXT(event->detail)), NULL, deadline);
}

static const struct store_verb list = {
    .name = "audit.list",
    .sqlite = { "select number, at, type, actor, request, detail from audit"
                " where number > ?1 order by number limit ?2" },
};

wr_err store_audit_list(struct store *store, int64_t after, size_t max,
                        struct store_events *ret, wr_time deadline)
{
    WR_ASSERT(max > 0 && max <= STORE_EVENT_LIST_MAX);
    wr_err err = store_do(store, &list, STORE_VALUES(STORE_INT(after),
                                                     STORE_INT((int64_t)max)), &ret->rows,
                          deadline);
    ret->count = ret->rows.count;
    return err;
}

struct store_event store_event_at(const struct store_events *events, size_t i)
{
    const struct store_rows *rows = &events->rows;
    return (struct store_event){
        .number = store_int(rows, i, 0), .at = store_wall(rows, i, 1),
        .type = store_text(rows, i, 2), .actor = store_text(rows, i, 3),
        .request = store_text(rows, i, 4), .detail = store_text(rows, i, 5) };
}

void store_events_free(struct store_events *events)
{
    store_rows_free(&events->rows);
    events->count = 0;
}

static const struct store_verb prune = {
    .name = "audit.prune", .writes = true,
    .sqlite = { "delete from audit where number in (select number from audit where at < ?1"
                " order by number limit ?2)" },
};

wr_err store_audit_prune(struct store *store, struct wr_wall before, size_t max, uint64_t *ret,
                         wr_time deadline)
{
    return store_change(store, &prune, STORE_VALUES(STORE_INT(before.ns / WR_MS(1)),
                                                    STORE_INT((int64_t)max)), ret, deadline);
}
