/* task.c - see task.h. */
#include "store/task.h"

#include <stdio.h>
#include <string.h>

#include "store/job_sql.h"
#include "store/schema.h"
#include "store/store_int.h"

#define FOLD_FROM 500                   /* rows of a tally, from which on they are added up */

/* People read tasks by SQL: so their states are words.
 *
 * How many jobs of a task are in which state is asked for whenever one has changed.  Open ones
 * are counted in an index.  Those that are over may be many: they are counted as they come. */
const struct store_step store_task_tables = {
    .sqlite =
        "create table tasks ("
        "  id text primary key, hypothesis text not null, status text not null,"
        "  stop_reason text, max_pages integer not null, pages_used integer not null,"
        "  max_seconds integer not null, created_at integer not null, active_since integer,"
        "  active_ms integer not null, stopped_at integer) strict, without rowid;"
        "drop index job_task;"
        "create index job_task on job (task, kind, state);"
        "drop index job_done_task;"
        "create index job_done_task on job_done (task, state, finished_at);"
        "create table job_tally ("
        "  task text not null, kind text not null, state integer not null,"
        "  jobs integer not null, finished_at integer not null,"
        "  primary key (task, kind, state)) strict, without rowid;"
        "insert into job_tally select task, kind, state, count(*), max(finished_at)"
        " from job_done group by task, kind, state;"
        "create trigger job_done_more after insert on job_done begin"
        "  insert into job_tally values (new.task, new.kind, new.state, 1, new.finished_at)"
        "  on conflict do update set jobs = jobs + 1, finished_at = excluded.finished_at;"
        " end;"
        "create trigger job_done_less after delete on job_done begin"
        "  update job_tally set jobs = jobs - 1"
        "  where task = old.task and kind = old.kind and state = old.state;"
        " end;",
    .postgres =
        "create table tasks ("
        "  id text collate \"C\" primary key, hypothesis text not null, status text not null,"
        "  stop_reason text, max_pages bigint not null, pages_used bigint not null,"
        "  max_seconds bigint not null, created_at bigint not null, active_since bigint,"
        "  active_ms bigint not null, stopped_at bigint) with (fillfactor = 50);"
        "drop index job_done_task;"
        "create index job_done_task on job_done (task, kind, state, finished_at);",
};

/* Whether all kinds of jobs were stopped: then none follows on those that still run. */
const struct store_step store_task_scope = {
    .sqlite = "alter table tasks add column stopped_all integer not null default 0;",
    .postgres = "alter table tasks add column stopped_all bigint not null default 0;",
};

/* And if only one kind was, which. */
const struct store_step store_task_kind = {
    .sqlite = "alter table tasks add column stopped_kind text;",
    .postgres = "alter table tasks add column stopped_kind text;",
};

/* A task explores in rounds: one begins with what is queued when nothing is open, or when it
 * was stopped.  Of each of the last 64 it is known whether it was stopped. */
const struct store_step store_task_rounds = {
    .sqlite = "alter table tasks add column rounds integer not null default 0;"
              "alter table tasks add column rounds_stopped integer not null default 0;"
              "update tasks set rounds = 1, rounds_stopped = status = 'paused'"
              " where status <> 'created';",
    .postgres = "alter table tasks add column rounds bigint not null default 0;"
                "alter table tasks add column rounds_stopped bigint not null default 0;"
                "update tasks set rounds = 1, rounds_stopped = (status = 'paused')::int"
                " where status <> 'created';",
};

/* On a server a row that all change who finish something would make them wait for one another.
 * So each adds a row of its own, and who reads them adds up what has become many. */
const struct store_step store_task_tally = {
    .sqlite = "",
    .postgres =
        "create table job_tally ("
        "  task text collate \"C\" not null, kind text not null, state bigint not null,"
        "  jobs bigint not null, finished_at bigint not null)"
        "  with (autovacuum_vacuum_scale_factor = 0.05);"
        "create index job_tally_task on job_tally (task);"
        "insert into job_tally select task, kind, state, count(*), max(finished_at)"
        " from job_done group by task, kind, state;"
        "create function job_done_more() returns trigger language plpgsql as $$ begin"
        "  insert into job_tally values (new.task, new.kind, new.state, 1, new.finished_at);"
        "  return null; end $$;"
        "create function job_done_less() returns trigger language plpgsql as $$ begin"
        "  insert into job_tally select task, kind, state, -count(*), 0"
        "  from these group by task, kind, state; return null; end $$;"
        "create trigger job_done_more after insert on job_done"
        "  for each row execute function job_done_more();"
        "create trigger job_done_less after delete on job_done referencing old table as these"
        "  for each statement execute function job_done_less();"
        "drop index job_done_task;"
        "create index job_done_task on job_done (task, state, finished_at);",
};

static const char *const words[] = {
    [STORE_TASK_CREATED] = "created", [STORE_TASK_EXPLORING] = "exploring",
    [STORE_TASK_PAUSED] = "paused", [STORE_TASK_FAILED] = "failed",
};

const char *store_task_word(enum store_task_status status)
{
    return words[status];
}

static enum store_task_status status_of(const char *word)
{
    for (size_t i = 1; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(words[i], word) == 0)
            return (enum store_task_status)i;
    return STORE_TASK_FAILED;
}

/* ---- tasks ---- */

static const struct store_verb add = {
    .name = "task.add", .writes = true,
    .sqlite = { "insert into tasks (id, hypothesis, status, max_pages, max_seconds, pages_used,"
                " created_at, active_ms) values (?1, ?2, 'created', ?3, ?4, 0, now_ms(), 0)"
                " on conflict do nothing" },
};

wr_err store_task_add(struct store *store, const struct store_task_new *task, wr_time deadline)
{
    if (strlen(task->id) > STORE_TASK_ID_MAX || strlen(task->hypothesis) > STORE_TASK_TEXT_MAX)
        return WR_INVALID;
    wr_err err = store_change_one(store, &add, STORE_VALUES(
        STORE_TEXT(task->id), STORE_TEXT(task->hypothesis), STORE_INT(task->pages_max),
        STORE_INT(task->seconds_max)), deadline);
    return err == WR_NOTFOUND ? WR_EXISTS : err;
}

/* Time counts while something is open: the last job that is over has stopped the clock. */
#define UNTIL "case when exists (select 1 from job where task = tasks.id) then now_ms()" \
    " else (select max(finished_at) from job_tally where task = tasks.id) end"
#define USED " active_ms + coalesce(max(" UNTIL " - active_since, 0), 0)"
#define USED_THERE " active_ms + greatest(" UNTIL " - active_since, 0)"
#define COLUMNS(used) "id, hypothesis, status, stop_reason, max_pages, pages_used," \
    " max_seconds," used ", created_at, stopped_at, rounds, rounds_stopped"

static const struct store_verb get = {
    .name = "task.get", .sqlite = { "select " COLUMNS(USED) " from tasks where id = ?1" },
    .postgres = "select " COLUMNS(USED_THERE) " from tasks where id = ?1",
};

/* Ids sort by time. */
static const struct store_verb list = {
    .name = "task.list",
    .sqlite = { "select " COLUMNS(USED) " from tasks where id < coalesce(?1, '~')"
                " order by id desc limit ?2" },
    .postgres = "select " COLUMNS(USED_THERE) " from tasks where id < coalesce(?1::text, '~')"
                " order by id desc limit ?2",
};

static wr_err read_tasks(wr_err err, struct store_tasks *ret)
{
    const struct store_rows *rows = &ret->rows;
    ret->count = err ? 0 : rows->count;
    for (size_t i = 0; i < ret->count; i++)
        ret->tasks[i] = (struct store_task){
            .id = store_text(rows, i, 0), .hypothesis = store_text(rows, i, 1),
            .status = status_of(store_text(rows, i, 2)), .reason = store_text(rows, i, 3),
            .pages_max = store_int(rows, i, 4), .pages_used = store_int(rows, i, 5),
            .seconds_max = store_int(rows, i, 6), .active_ms = store_int(rows, i, 7),
            .created_at = store_wall(rows, i, 8),
            .stopped_at = store_wall(rows, i, 9),
            .rounds = (uint64_t)store_int(rows, i, 10),
            .rounds_stopped = (uint64_t)store_int(rows, i, 11) };
    return err;
}

wr_err store_task_get(struct store *store, const char *id, struct store_tasks *ret,
                      wr_time deadline)
{
    wr_err err = read_tasks(store_do(store, &get, STORE_VALUES(STORE_TEXT(id)), &ret->rows,
                                     deadline), ret);
    return !err && ret->count == 0 ? WR_NOTFOUND : err;
}

wr_err store_task_list(struct store *store, const char *before, size_t max,
                       struct store_tasks *ret, wr_time deadline)
{
    WR_ASSERT(max > 0 && max <= STORE_TASK_LIST_MAX);
    return read_tasks(store_do(store, &list, STORE_VALUES(
        STORE_TEXT(before), STORE_INT((int64_t)max)), &ret->rows, deadline), ret);
}

void store_tasks_free(struct store_tasks *tasks)
{
    store_rows_free(&tasks->rows);
    tasks->count = 0;
}

static const struct store_verb spend = {
    .name = "task.spend", .writes = true,
    .sqlite = { "update tasks set pages_used = pages_used + 1"
                " where id = ?1 and pages_used < max_pages" },
};

wr_err store_task_spend(struct store *store, const char *id, wr_time deadline)
{
    struct store_tasks tasks;
    wr_err err = store_change_one(store, &spend, STORE_VALUES(STORE_TEXT(id)), deadline);
    if (err != WR_NOTFOUND)
        return err;
    err = store_task_get(store, id, &tasks, deadline);
    store_tasks_free(&tasks);
    return err ? err : WR_BUSY;
}

static const struct store_verb allow = {
    .name = "task.allow", .writes = true,
    .sqlite = { "update tasks set max_pages = case when ?2 < 0 then max_pages else ?2 end,"
                " max_seconds = case when ?3 < 0 then max_seconds else ?3 end where id = ?1" },
    .postgres = "update tasks set"
                " max_pages = case when ?2::bigint < 0 then max_pages else ?2::bigint end,"
                " max_seconds = case when ?3::bigint < 0 then max_seconds else ?3::bigint end"
                " where id = ?1",
};

wr_err store_task_allow(struct store *store, const char *id, int64_t pages_max,
                        int64_t seconds_max, wr_time deadline)
{
    return store_change_one(store, &allow, STORE_VALUES(
        STORE_TEXT(id), STORE_INT(pages_max), STORE_INT(seconds_max)), deadline);
}

/* ---- jobs of a task ---- */

#define TO_EXPLORING "update tasks set status = 'exploring', stop_reason = null," \
    " stopped_at = null, active_since = now_ms(), rounds = rounds + 1," \
    " rounds_stopped = rounds_stopped << 1"
#define NONE_OPEN "not exists (select 1 from job where task = ?1)"

#define SUBMITTED INTO_JOB("?1", "?2")
#define SUBMITTED_THERE INTO_JOB_THERE("?1")
#define NO_PAGES " pages_used >= max_pages"
#define NO_TIME USED " >= max_seconds * 1000"
#define NO_TIME_THERE USED_THERE " >= max_seconds * 1000"

/* Who submits and who stops come one after the other. */
static const struct store_verb lock = {
    .name = "task.lock", .postgres = "select 1 from tasks where id = ?1 for update",
};

/* A clock that was stopped is written down before more is queued.  What was there before stands
 * between what is queued and what that changes. */
static const struct store_verb submit = {
    .name = "task.submit", .writes = true, .undo = true, .first = &lock,
    .sqlite = { "update tasks set active_ms =" USED ", active_since = null"
                " where id = ?1 and active_since is not null and " NONE_OPEN,
                SUBMITTED " where exists (select 1 from tasks where id = ?1 and status <>"
                " 'failed' and not" NO_PAGES " and not" NO_TIME ") on conflict do nothing",
                "select status," NO_PAGES "," NO_TIME ","
                " (select json_group_array(key) from json_each(?2) as one"
                " where not exists (select 1 from job where id = one.value ->> 0))"
                " from tasks where id = ?1",
                TO_EXPLORING " where id = ?1"
                " and (status <> 'exploring' or active_since is null)"
                " and exists (select 1 from job where id in"
                " (select value ->> 0 from json_each(?2)))" },
    .postgres = "with one as (select v, i - 1 as i from"
                " json_array_elements(?2::json) with ordinality as j (v, i)),"
                " asked as (select status, (" NO_PAGES ")::int::bigint as pages,"
                "  (" NO_TIME_THERE ")::int::bigint as time from tasks where id = ?1),"
                " added as (" SUBMITTED_THERE " from one, asked"
                "  where asked.status <> 'failed' and pages = 0 and time = 0 order by i"
                "  on conflict do nothing returning id),"
                " explores as (" TO_EXPLORING ", active_ms =" USED_THERE
                "  where id = ?1 and (status in ('created', 'paused') or " NONE_OPEN ")"
                "  and exists (select 1 from added))"
                " select status, pages, time, (select coalesce(json_agg(i), '[]')::text"
                " from one where v ->> 0 not in (select id from added)) from asked",
};

wr_err store_task_submit(struct store *store, const char *id, const char *jobs,
                         const char *const *slots, struct store_submitted *ret,
                         wr_time deadline)
{
    *ret = (struct store_submitted){ 0 };
    wr_err err = store_do(store, &submit, STORE_VALUES(STORE_TEXT(id), STORE_TEXT(jobs)),
                          &ret->rows, deadline);
    if (!err && ret->rows.count == 0)
        err = WR_NOTFOUND;
    if (err)
        return err;
    ret->was = status_of(store_text(&ret->rows, 0, 0));
    ret->no_pages = store_int(&ret->rows, 0, 1) != 0;
    ret->no_time = store_int(&ret->rows, 0, 2) != 0;
    ret->skipped = store_text(&ret->rows, 0, 3);
    if (ret->was == STORE_TASK_FAILED)
        return WR_DENIED;
    if (ret->no_pages || ret->no_time)
        return WR_BUSY;
    for (; *slots; slots++)
        store_wake(store, *slots);
    return WR_OK;
}

void store_submitted_free(struct store_submitted *submitted)
{
    store_rows_free(&submitted->rows);
}

#define STOPPED " where task = ?1 and (?2 is null or kind = ?2) and (state <> 2 or ?3)"
/* A round that had nothing left to do was over before. */
#define ROUND_STOPPED " rounds_stopped = case when " NONE_OPEN " then rounds_stopped" \
    " else rounds_stopped | 1 end"
#define TO_PAUSED(all, used) "update tasks set status = 'paused', stop_reason = ?4," \
    " stopped_all = case when " all " is null then 1 else 0 end, stopped_kind = " all "," \
    " stopped_at = now_ms(), active_ms =" used ", active_since = null"
#define UNLESS_FAILED " where id = ?1 and status <> 'failed'"
#define TO_PAUSED_THERE TO_PAUSED("?2::text", USED_THERE) "," ROUND_STOPPED UNLESS_FAILED
#define NOT_NEEDED " set status = 'cancelled', completed_at = now_ms()" \
    " where task_id = ?1 and status = 'pending'"
#define CANCELED_BY " null, " STOPPED_WHY

static const struct store_verb stop_verb = {
    .name = "task.stop",
    .writes = true,
    .undo = true,
    .first = &lock,
    .sqlite = { "update tasks set" ROUND_STOPPED UNLESS_FAILED,
                INTO_DONE " 6," AS_IT_WAS CANCELED_BY " from job" STOPPED,
                "select kind, state, count(*), 0 from job" STOPPED " group by kind, state",
                "delete from job" STOPPED, TO_PAUSED("?2", USED) UNLESS_FAILED,
                "update intervention_queue" NOT_NEEDED },
    .postgres = "with gone as (delete from job where task = ?1 and (?2::text is null or"
                " kind = ?2) and (state <> 2 or ?3::boolean) returning *),"
                " paused as (" TO_PAUSED_THERE "),"
                " excused as (update intervention_queue" NOT_NEEDED "),"
                " done as (" GONE_INTO_DONE " 6," AS_IT_WAS CANCELED_BY FROM_GONE ")"
                " select kind, state, count(*), 0::bigint from gone group by kind, state",
};

/* Rows of kind, state, how many, when the last. */
static void read_counts(const struct store_rows *rows, struct store_counts *ret)
{
    for (size_t i = 0; i < rows->count; i++) {
        const char *kind = store_text(rows, i, 0);
        unsigned state = store_job_state_of(store_int(rows, i, 1));
        int64_t finished = store_int(rows, i, 3);
        size_t at = 0;
        while (at < ret->count && strcmp(ret->counts[at].kind, kind) != 0)
            at++;
        if (at == STORE_TASK_KINDS_MAX || state > STORE_JOB_CANCELED)
            continue;
        struct store_count *count = &ret->counts[at];
        if (at == ret->count) {
            *count = (struct store_count){ 0 };
            snprintf(count->kind, sizeof(count->kind), "%s", kind);
            ret->count++;
        }
        count->jobs[state] += (uint64_t)store_int(rows, i, 2);
        if (finished > count->finished_ms)
            count->finished_ms = finished;
    }
}

static wr_err count_by(struct store *store, const struct store_verb *verb,
                       struct store_values values, struct store_counts *ret, wr_time deadline)
{
    struct store_rows rows;
    ret->count = 0;
    wr_err err = store_do(store, verb, values, &rows, deadline);
    if (!err)
        read_counts(&rows, ret);
    store_rows_free(&rows);
    return err;
}

wr_err store_task_stop(struct store *store, const char *id, const struct store_task_stop *stop,
                       struct store_counts *ret, wr_time deadline)
{
    return count_by(store, &stop_verb, STORE_VALUES(
        STORE_TEXT(id), STORE_TEXT(stop->kind), STORE_INT(stop->running),
        STORE_TEXT(stop->reason)), ret, deadline);
}

static const struct store_verb count_verb = {
    .name = "task.count",
    .sqlite = { "select kind, state, count(*), 0, 0 from job where task = ?1"
                " group by kind, state union all select kind, state, jobs, finished_at, 1"
                " from job_tally where task = ?1 and jobs > 0" },
    .postgres = "select kind, state, count(*), 0::bigint, 0::bigint from job where task = ?1"
                " group by kind, state union all select kind, state, sum(jobs)::bigint,"
                " max(finished_at), count(*) from job_tally where task = ?1"
                " group by kind, state having sum(jobs) > 0",
};

/* Who adds up at the same time finds the rows gone, and adds up nothing. */
static const struct store_verb fold_verb = {
    .name = "task.fold", .writes = true,
    .postgres = "with gone as (delete from job_tally where task = ?1 returning *)"
                " insert into job_tally select task, kind, state, sum(jobs)::bigint,"
                " max(finished_at) from gone group by task, kind, state",
};

/* Rows of the tally that were read for the counts. */
static uint64_t tally_rows(const struct store_rows *rows)
{
    uint64_t all = 0;
    for (size_t i = 0; i < rows->count; i++)
        all += (uint64_t)store_int(rows, i, 4);
    return all;
}

/* What is not added up now is the next one's to do: the counts are right either way. */
wr_err store_task_count(struct store *store, const char *id, struct store_counts *ret,
                        wr_time deadline)
{
    struct store_rows rows;
    ret->count = 0;
    wr_err err = store_do(store, &count_verb, STORE_VALUES(STORE_TEXT(id)), &rows, deadline);
    if (!err)
        read_counts(&rows, ret);
    if (!err && tally_rows(&rows) > FOLD_FROM)
        (void)!store_do(store, &fold_verb, STORE_VALUES(STORE_TEXT(id)), NULL, deadline);
    store_rows_free(&rows);
    return err;
}

static const struct store_verb depth_verb = {
    .name = "task.depth",
    .sqlite = { "select kind, state, count(*), ?1 from job group by kind, state" },
    .postgres = "select kind, state, count(*), ?1::bigint from job group by kind, state",
};

wr_err store_task_depth(struct store *store, struct store_counts *ret, wr_time deadline)
{
    return count_by(store, &depth_verb, STORE_VALUES(STORE_INT(0)), ret, deadline);
}

static const struct store_verb open_jobs = {
    .name = "task.open_jobs",
    .sqlite = { "select " OPEN_COLUMNS("input") " from job where task = ?1"
                " order by priority, queued_at, seq limit ?2" },
};

wr_err store_task_open_jobs(struct store *store, const char *id, size_t max,
                            struct store_jobs *ret, wr_time deadline)
{
    WR_ASSERT(max > 0 && max <= STORE_JOB_CLAIM_MAX);
    wr_err err = store_do(store, &open_jobs, STORE_VALUES(
        STORE_TEXT(id), STORE_INT((int64_t)max)), &ret->rows, deadline);
    store_jobs_read(ret, false);
    return err;
}

static const struct store_verb done_jobs = {
    .name = "task.done_jobs",
    .sqlite = { "select " DONE_COLUMNS " from job_done where task = ?1 and state = ?2"
                " order by finished_at desc, seq desc limit ?3" },
};

wr_err store_task_done_jobs(struct store *store, const char *id, enum store_job_state state,
                            size_t max, struct store_jobs *ret, wr_time deadline)
{
    WR_ASSERT(max > 0 && max <= STORE_JOB_CLAIM_MAX);
    wr_err err = store_do(store, &done_jobs, STORE_VALUES(
        STORE_TEXT(id), STORE_INT(state), STORE_INT((int64_t)max)), &ret->rows, deadline);
    store_jobs_read(ret, false);
    return err;
}
