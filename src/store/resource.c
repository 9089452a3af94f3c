#include "store/resource.h"

#include <stdio.h>
#include <string.h>

#include "store/schema.h"
#include "store/verb.h"

const struct store_step store_resource_tables = {
    .sqlite =
        "create table resource_index (identifier_type text not null,"
        "  identifier_value text not null, page_id text, task_id text,"
        "  status text not null, worker_id text not null,"
        "  claimed_at integer not null, completed_at integer,"
        "  primary key (identifier_type, identifier_value)) strict, without rowid;",
    .postgres =
        "create table resource_index (identifier_type text collate \"C\" not null,"
        "  identifier_value text collate \"C\" not null, page_id text, task_id text,"
        "  status text not null, worker_id text not null,"
        "  claimed_at bigint not null, completed_at bigint);"
        "create unique index resource_index_one on resource_index"
        "  (identifier_type, md5(identifier_value));",
};

/* Who comes when it is taken changes nothing, but for one that has failed or is overdue. */
#define TAKE "insert into resource_index (identifier_type, identifier_value, task_id," \
    " worker_id, status, claimed_at)"
#define TAKE_OVER " do update set task_id = excluded.task_id," \
    " worker_id = excluded.worker_id, status = 'processing', claimed_at = now_ms()" \
    " where resource_index.status = 'failed' or (resource_index.status = 'processing'" \
    " and resource_index.claimed_at <= now_ms() - "

static const struct store_verb claim = {
    .name = "resource.claim", .writes = true, .undo = true,
    .sqlite = { TAKE
                " values (?1, ?2, ?3, ?4, 'processing', now_ms())"
                " on conflict (identifier_type, identifier_value)" TAKE_OVER "?5)",
                "select status, worker_id, page_id from resource_index"
                " where identifier_type = ?1 and identifier_value = ?2" },
    .postgres = "with taken as (" TAKE
                "  values (?1::text, ?2::text, ?3::text, ?4::text, 'processing',"
                "  now_ms()) on conflict (identifier_type, md5(identifier_value))"
                TAKE_OVER "?5::bigint) returning status, worker_id, page_id)"
                " select status, worker_id, page_id from taken union all"
                " select status, worker_id, page_id from resource_index"
                " where identifier_type = ?1 and md5(identifier_value) = md5(?2)"
                " and not exists (select 1 from taken)",
};

static bool too_long(const char *text, size_t max)
{
    return text && strlen(text) > max;
}

wr_err store_resource_claim(struct store *store, const struct store_resource *resource,
                            wr_time lease, struct store_resource_claim *ret, wr_time deadline)
{
    struct store_rows rows;
    *ret = (struct store_resource_claim){ 0 };
    if (too_long(resource->value, STORE_RESOURCE_VALUE_MAX)
        || too_long(resource->type, STORE_RESOURCE_WORD_MAX)
        || too_long(resource->task, STORE_RESOURCE_WORD_MAX)
        || too_long(resource->worker, STORE_RESOURCE_WORD_MAX))
        return WR_INVALID;
    wr_err err = store_do(store, &claim, STORE_VALUES(
        STORE_TEXT(resource->type), STORE_TEXT(resource->value), STORE_TEXT(resource->task),
        STORE_TEXT(resource->worker), STORE_INT(lease / WR_MS(1))), &rows, deadline);
    /* None: another node has it since this moment. */
    if (!err && rows.count) {
        const char *page = store_text(&rows, 0, 2);
        ret->completed = strcmp(store_text(&rows, 0, 0), "completed") == 0;
        ret->mine = !ret->completed && strcmp(store_text(&rows, 0, 1), resource->worker) == 0;
        snprintf(ret->page, sizeof(ret->page), "%s", page ? page : "");
    }
    store_rows_free(&rows);
    return err;
}

static const struct store_verb done = {
    .name = "resource.done", .writes = true,
    .sqlite = { "update resource_index set page_id = ?4, completed_at = now_ms(),"
                " status = iif(?4 is null, 'failed', 'completed')"
                " where identifier_type = ?1 and identifier_value = ?2"
                " and worker_id = ?3 and status = 'processing'" },
    .postgres = "update resource_index set page_id = ?4::text, completed_at = now_ms(),"
                " status = case when ?4::text is null then 'failed' else 'completed' end"
                " where identifier_type = ?1 and md5(identifier_value) = md5(?2)"
                " and worker_id = ?3 and status = 'processing'",
};

wr_err store_resource_done(struct store *store, const char *type, const char *value,
                           const char *worker, const char *page, wr_time deadline)
{
    return store_change_one(store, &done, STORE_VALUES(
        STORE_TEXT(type), STORE_TEXT(value), STORE_TEXT(worker), STORE_TEXT(page)), deadline);
}
