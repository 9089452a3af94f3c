/* auth.c - see auth.h. */
#include "store/auth.h"

#include "store/job_sql.h"
#include "store/schema.h"
#include "store/store_int.h"

/* Named and worded as people know it, who read it by SQL.  An item is of an attempt: those of
 * an earlier one do not count any more. */
const struct store_step store_auth_tables = {
    .sqlite =
        "create table intervention_queue ("
        "  id text primary key, task_id text not null, job_id text not null,"
        "  attempt integer not null, url text not null, domain text not null,"
        "  auth_type text not null, priority text not null, status text not null,"
        "  queued_at integer not null, expires_at integer not null,"
        "  completed_at integer) strict, without rowid;"
        "create index intervention_job on intervention_queue (job_id, attempt);"
        "create index intervention_open on intervention_queue (task_id, queued_at)"
        " where status = 'pending';",
    .postgres =
        "create table intervention_queue ("
        "  id text collate \"C\" primary key, task_id text collate \"C\" not null,"
        "  job_id text collate \"C\" not null, attempt bigint not null, url text not null,"
        "  domain text not null, auth_type text not null, priority text not null,"
        "  status text not null, queued_at bigint not null, expires_at bigint not null,"
        "  completed_at bigint);"
        "create index intervention_job on intervention_queue (job_id, attempt);"
        "create index intervention_open on intervention_queue (task_id, queued_at)"
        " where status = 'pending';",
};

/* Whether a person has lately helped with a domain. */
const struct store_step store_auth_helps = {
    .sqlite = "create index intervention_helped on intervention_queue (domain, completed_at)"
              " where status = 'completed';",
    .postgres = "create index intervention_helped on intervention_queue (domain, completed_at)"
                " where status = 'completed';",
};

/* ---- setting aside ---- */

#define COLUMNS_IN "insert into intervention_queue (id, task_id, job_id, attempt, url," \
    " domain, auth_type, priority, status, queued_at, expires_at)"

static const struct store_verb park = {
    .name = "auth.park", .writes = true, .undo = true, .first = &store_job_hold_task,
    .sqlite = { COLUMNS_IN " select value ->> 0, job.task, job.id, job.attempt, value ->> 1,"
                " value ->> 2, value ->> 3, value ->> 4, 'pending', now_ms(), now_ms() + ?4"
                " from json_each(?3), job where job.id = ?1 and job.attempt = ?2"
                " and job.state = 2 and job.lease_until > now_ms() and not " TASK_STOPPED,
                "update job set state = case when " TASK_STOPPED " then 6 else 3 end,"
                " tries = tries - 1, lease_until = null" HELD " returning 1",
                INTO_DONE " 6," AS_IT_WAS " null, " STOPPED_WHY " from job where id = ?1"
                          " and state = 6",
                "delete from job where id = ?1 and state = 6" },
    .postgres = "with gone as (delete from job" HELD " and " TASK_STOPPED " returning *),"
                " done as (" GONE_INTO_DONE " 6," AS_IT_WAS " null, " STOPPED_WHY FROM_GONE "),"
                " held as (update job set state = 3, tries = tries - 1, lease_until = null"
                HELD " and not " TASK_STOPPED " returning id, task, attempt), listed as ("
                COLUMNS_IN " select v ->> 0, held.task, held.id, held.attempt, v ->> 1,"
                "  v ->> 2, v ->> 3, v ->> 4, 'pending', now_ms(), now_ms() + ?4::bigint"
                "  from json_array_elements(?3::json) as v, held)"
                " select 1::bigint from held union all select 1::bigint from gone",
};

wr_err store_auth_park(struct store *store, const char *job, uint32_t attempt,
                       const char *items, wr_time within, wr_time deadline)
{
    struct store_rows rows;
    wr_err err = store_do(store, &park, STORE_VALUES(
        STORE_TEXT(job), STORE_INT(attempt), STORE_TEXT(items),
        STORE_INT(within / WR_MS(1))), &rows, deadline);
    if (!err && rows.count == 0)
        err = WR_NOTFOUND;
    store_rows_free(&rows);
    return err;
}

/* ---- what waits ---- */

#define COLUMNS "id, task_id, job_id, url, domain, auth_type, priority, queued_at, expires_at"

static const struct store_verb list = {
    .name = "auth.list",
    .sqlite = { "select " COLUMNS " from intervention_queue where status = 'pending'"
                " and (?1 is null or task_id = ?1) order by queued_at, id limit ?2" },
    .postgres = "select " COLUMNS " from intervention_queue where status = 'pending'"
                " and (?1::text is null or task_id = ?1) order by queued_at, id limit ?2",
};

static void read_auths(struct store_auths *ret)
{
    const struct store_rows *rows = &ret->rows;
    ret->count = rows->count < STORE_AUTH_LIST_MAX ? rows->count : STORE_AUTH_LIST_MAX;
    for (size_t i = 0; i < ret->count; i++)
        ret->auths[i] = (struct store_auth){
            .id = store_text(rows, i, 0), .task = store_text(rows, i, 1),
            .job = store_text(rows, i, 2), .url = store_text(rows, i, 3),
            .domain = store_text(rows, i, 4), .type = store_text(rows, i, 5),
            .priority = store_text(rows, i, 6), .queued_at = store_wall(rows, i, 7),
            .expires_at = store_wall(rows, i, 8) };
}

wr_err store_auth_list(struct store *store, const char *task, size_t max,
                       struct store_auths *ret, wr_time deadline)
{
    WR_ASSERT(max > 0 && max <= STORE_AUTH_LIST_MAX);
    wr_err err = store_do(store, &list, STORE_VALUES(
        STORE_TEXT(task), STORE_INT((int64_t)max)), &ret->rows, deadline);
    read_auths(ret);
    return err;
}

void store_auths_free(struct store_auths *auths)
{
    store_rows_free(&auths->rows);
    auths->count = 0;
}

static const struct store_verb count_verb = {
    .name = "auth.count",
    .sqlite = { "select count(*) from intervention_queue where status = 'pending'"
                " and (?1 is null or task_id = ?1)" },
    .postgres = "select count(*) from intervention_queue where status = 'pending'"
                " and (?1::text is null or task_id = ?1)",
};

wr_err store_auth_count(struct store *store, const char *task, uint64_t *ret, wr_time deadline)
{
    struct store_rows rows;
    wr_err err = store_do(store, &count_verb, STORE_VALUES(STORE_TEXT(task)), &rows, deadline);
    *ret = err ? 0 : (uint64_t)store_int(&rows, 0, 0);
    store_rows_free(&rows);
    return err;
}

/* ---- what became of it ---- */

#define OF_JOB " from intervention_queue as item where item.job_id = job.id" \
    " and item.attempt = job.attempt and item.status = "
#define SETTLED " where state <> 1 and state = 3 and not exists (select 1" OF_JOB "'pending')"
#define HELPED " exists (select 1" OF_JOB "'completed')"
#define NOBODY_CAME " null, 'AUTH_REQUIRED: it needs a person, and none has helped'"

/* Who has solved one has solved what else that domain asked for in the same way. */
#define ALIKE " = 'completed' and (domain, auth_type) =" \
    " (select one.domain, one.auth_type from intervention_queue as one where one.id = ?2)"

/* At most as many as a result of ours has; who asks again gets the next. */
#define THESE "select id from intervention_queue where status = 'pending' and (id = ?2" \
    " or (?1" ALIKE ")" \
    " or domain = ?3 or task_id = ?4 or (?1 = 'expired' and expires_at <= now_ms()))" \
    " order by queued_at limit " WR_STR(STORE_AUTH_LIST_MAX)
#define THESE_THERE "select id from intervention_queue where status = 'pending'" \
    " and (id = ?2::text or (?1::text" ALIKE ")" \
    " or domain = ?3::text or task_id = ?4::text" \
    " or (?1::text = 'expired' and expires_at <= now_ms()))" \
    " order by queued_at limit " WR_STR(STORE_AUTH_LIST_MAX) " for update"

/* Two who resolve the last two items of a job must see one another's. */
static const struct store_verb lock = {
    .name = "auth.lock",
    .postgres = "lock table intervention_queue in share row exclusive mode",
};

static const struct store_verb resolve = {
    .name = "auth.resolve", .writes = true, .undo = true, .first = &lock,
    .sqlite = { "update intervention_queue set status = ?1, completed_at = now_ms()"
                " where id in (" THESE ") returning " COLUMNS,
                "update job set state = 1" SETTLED " and" HELPED,
                INTO_DONE " 5," AS_IT_WAS NOBODY_CAME " from job" SETTLED,
                "delete from job" SETTLED },
    /* All parts of it see the items as they were before. */
    .postgres = "with ended as (update intervention_queue set status = ?1::text,"
                "  completed_at = now_ms() where id in (" THESE_THERE ") returning *),"
                " settled as (select distinct job_id as id, attempt from ended where"
                "  not exists (select 1 from intervention_queue as item"
                "  where item.job_id = ended.job_id and item.attempt = ended.attempt"
                "  and item.status = 'pending' and item.id not in (select id from ended))),"
                " helped as (select id from settled where ?1::text = 'completed' or"
                "  exists (select 1 from intervention_queue as item where"
                "  item.job_id = settled.id and item.attempt = settled.attempt"
                "  and item.status = 'completed')),"
                " back as (update job set state = 1 where state = 3"
                "  and id in (select id from helped)),"
                " gone as (delete from job where state = 3 and id in (select id from settled)"
                "  and id not in (select id from helped) returning *),"
                " done as (" GONE_INTO_DONE " 5," AS_IT_WAS NOBODY_CAME FROM_GONE ")"
                " select " COLUMNS " from ended",
};

wr_err store_auth_resolve(struct store *store, const struct store_auth_which *which,
                          enum store_auth_end end, const char *const *slots,
                          struct store_auths *ret, wr_time deadline)
{
    static const char *const words[] = { "completed", "skipped", "expired" };
    static const struct store_auth_which none = { 0 };
    which = which ? which : &none;
    wr_err err = store_do(store, &resolve, STORE_VALUES(
        STORE_TEXT(words[end]), STORE_TEXT(which->id), STORE_TEXT(which->domain),
        STORE_TEXT(which->task)), &ret->rows, deadline);
    read_auths(ret);
    for (; !err && ret->count && *slots; slots++)
        store_wake(store, *slots);
    return err;
}

static const struct store_verb helped = {
    .name = "auth.helped",
    .sqlite = { "select 1 from intervention_queue where status = 'completed' and domain = ?1"
                " and completed_at >= now_ms() - ?2 limit 1" },
};

wr_err store_auth_helped(struct store *store, const char *domain, wr_time within, bool *ret,
                         wr_time deadline)
{
    struct store_rows rows;
    wr_err err = store_do(store, &helped, STORE_VALUES(
        STORE_TEXT(domain), STORE_INT(within / WR_MS(1))), &rows, deadline);
    *ret = !err && rows.count > 0;
    store_rows_free(&rows);
    return err;
}

static const struct store_verb prune = {
    .name = "auth.prune", .writes = true,
    .sqlite = { "delete from intervention_queue where id in (select id from"
                " intervention_queue as item where completed_at < ?1 and not exists"
                " (select 1 from job where job.id = item.job_id) limit ?2)" },
};

wr_err store_auth_prune(struct store *store, struct wr_wall before, size_t max, uint64_t *ret,
                        wr_time deadline)
{
    WR_ASSERT(max > 0 && max <= STORE_AUTH_LIST_MAX);
    return store_change(store, &prune, STORE_VALUES(
        STORE_INT(before.ns / WR_MS(1)), STORE_INT((int64_t)max)), ret, deadline);
}

static const struct store_verb known = {
    .name = "auth.known", .sqlite = { "select 1 from intervention_queue where id = ?1" },
};

wr_err store_auth_known(struct store *store, const char *id, wr_time deadline)
{
    struct store_rows rows;
    wr_err err = store_do(store, &known, STORE_VALUES(STORE_TEXT(id)), &rows, deadline);
    if (!err && rows.count == 0)
        err = WR_NOTFOUND;
    store_rows_free(&rows);
    return err;
}
