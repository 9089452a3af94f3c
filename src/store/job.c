/* job.c - see job.h.
 *
 * A job that is over moves to another table, so that what is claimed from stays small and the
 * index of unique keys holds open jobs only, however many were finished.
 */
#include "store/job.h"

#include <string.h>

#include "base/json.h"
#include "store/job_sql.h"
#include "store/schema.h"
#include "store/store_int.h"

#define ATTEMPTS_MAX 2
#define LOOK_AGAIN WR_S(1)          /* where it cannot be found out when the next is due */
#define HELD_BYTES_MAX ((size_t)STORE_JOB_BEAT_MAX * (STORE_JOB_ID_MAX * 6 + 32))
#define LOST "'WORKER_LOST: its lease ran out, and no attempt is left'"
#define EXPIRE_MAX WR_STR(STORE_JOB_CLAIM_MAX)

/* seq is the order of arrival; every index ends with it.  `attempt` only rises and tells
 * holders apart; `tries` counts those that are held against the job.  A state of 0 is that of a
 * queued one that was put off, until lease_until. */
const struct store_step store_job_tables = {
    .sqlite =
        "create table job ("
        "  seq integer primary key, id text not null unique, task text not null,"
        "  kind text not null, slot text not null, priority integer not null,"
        "  state integer not null, attempt integer not null, tries integer not null,"
        "  attempts_max integer not null,"
        "  queued_at integer not null, started_at integer, lease_until integer,"
        "  only_one text, input text) strict;"
        "create unique index job_only_one on job (only_one) where only_one is not null;"
        "create index job_ready on job (slot, priority, queued_at) where state = 1;"
        "create index job_held on job (state, lease_until) where state <> 1;"
        "create index job_task on job (task);"
        "create table job_done ("
        "  seq integer primary key, id text not null unique, task text not null,"
        "  kind text not null, slot text not null, priority integer not null,"
        "  state integer not null, attempt integer not null, queued_at integer not null,"
        "  started_at integer, finished_at integer not null,"
        "  input text, output text, error text) strict;"
        "create index job_done_task on job_done (task);",
    /* An update there writes to every index: so there are few, and none over seq alone. */
    .postgres =
        "create table job ("
        "  seq bigint generated always as identity, id text collate \"C\" primary key,"
        "  task text collate \"C\" not null, kind text not null,"
        "  slot text collate \"C\" not null, priority bigint not null,"
        "  state bigint not null, attempt bigint not null, tries bigint not null,"
        "  attempts_max bigint not null, queued_at bigint not null, started_at bigint,"
        "  lease_until bigint, only_one text collate \"C\", input text)"
        "  with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);"
        "create unique index job_only_one on job (only_one) where only_one is not null;"
        "create index job_ready on job (slot, priority, queued_at, seq) where state = 1;"
        "create index job_held on job (lease_until) where state = 2;"
        "create index job_task on job (task);"
        "create table job_done ("
        "  seq bigint not null, id text collate \"C\" primary key,"
        "  task text collate \"C\" not null, kind text not null, slot text not null,"
        "  priority bigint not null, state bigint not null, attempt bigint not null,"
        "  queued_at bigint not null, started_at bigint, finished_at bigint not null,"
        "  input text, output text, error text);"
        "create index job_done_task on job_done (task);",
};

/* A file has its finished jobs in the order in which they were finished: no index is needed to
 * find the old ones.  A server has not; this kind of index costs next to nothing. */
const struct store_step store_job_ages = {
    .sqlite = "",
    .postgres = "create index job_done_age on job_done using brin (finished_at);",
};

/* Those that were put off are looked for with those whose lease runs out. */
const struct store_step store_job_put_offs = {
    .sqlite = "",
    .postgres = "drop index job_held;"
                "create index job_held on job (lease_until) where state in (0, 2);",
};

/* ---- queueing ---- */

static const struct store_verb add = {
    .name = "job.add", .writes = true,
    .sqlite = { "insert into job (id, task, kind, slot, priority, only_one, input,"
                " attempts_max, state, attempt, tries, queued_at)"
                " select ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 1, 0, 0, now_ms()"
                " where not exists (select 1 from job_done where id = ?1)" },
    /* A key that is taken is no error there: it would spoil the batch. */
    .postgres = "insert into job (id, task, kind, slot, priority, only_one, input,"
                " attempts_max, state, attempt, tries, queued_at)"
                " select ?1::text, ?2::text, ?3::text, ?4::text, ?5::bigint, ?6::text,"
                " ?7::text, ?8::bigint, 1, 0, 0, now_ms()"
                " where not exists (select 1 from job_done where id = ?1)"
                " on conflict do nothing",
};

_Static_assert(STORE_JOB_SLOT_MAX < WAKE_NAME_MAX, "nobody can wait for such a slot");

static bool too_long(const char *text, size_t max)
{
    return text && strlen(text) > max;
}

wr_err store_job_add(struct store *store, const struct store_job_new *job, wr_time deadline)
{
    if (too_long(job->id, STORE_JOB_ID_MAX) || too_long(job->task, STORE_JOB_NAME_MAX)
        || too_long(job->kind, STORE_JOB_NAME_MAX) || too_long(job->slot, STORE_JOB_SLOT_MAX)
        || too_long(job->unique, STORE_JOB_NAME_MAX)
        || too_long(job->input, STORE_JOB_INPUT_MAX))
        return WR_INVALID;
    uint64_t added;
    uint32_t attempts = job->attempts_max ? job->attempts_max : ATTEMPTS_MAX;
    wr_err err = store_change(store, &add, STORE_VALUES(
        STORE_TEXT(job->id), STORE_TEXT(job->task), STORE_TEXT(job->kind),
        STORE_TEXT(job->slot), STORE_INT(job->priority), STORE_TEXT(job->unique),
        STORE_TEXT(job->input), STORE_INT(attempts)), &added, deadline);
    if (err)
        return err;
    if (!added)
        return WR_EXISTS;
    store_wake(store, job->slot);
    return WR_OK;
}

/* ---- claiming ---- */

/* Rows that are changed come back in no order: store_jobs_read restores the claim's own. */
#define CLAIM_AS "update job set state = 2, attempt = attempt + 1, tries = tries + 1," \
    " started_at = now_ms(), lease_until = now_ms() + ?2"
#define CLAIM CLAIM_AS " where seq "
#define FIRST "(select seq from job where state = 1 and slot = ?1" \
    " order by priority, queued_at, seq"

/* On a server: what another claims at this moment is passed over. */
#define FIRST_FREE "(select id from job where state = 1 and slot = ?1" \
    " order by priority, queued_at, seq"

static const struct store_verb claim = {
    .name = "job.claim", .writes = true, .undo = true,
    .sqlite = { CLAIM "in " FIRST " limit ?3) returning " OPEN_COLUMNS("input") },
    .postgres = CLAIM_AS " where id = any (array" FIRST_FREE
                " limit ?3 for update skip locked)) returning " OPEN_COLUMNS("input"),
};

/* One job is always a result that can be returned: so there is nothing to undo. */
_Static_assert(STORE_JOB_ID_MAX + 4 * STORE_JOB_NAME_MAX + STORE_JOB_INPUT_MAX
               + STORE_JOB_OUTPUT_MAX + STORE_JOB_ERROR_MAX < STORE_RESULT_MAX / 2,
               "a job has more bytes than a result may have");

static const struct store_verb claim_one = {
    .name = "job.claim_one", .writes = true,
    .sqlite = { CLAIM "= " FIRST " limit 1) returning " OPEN_COLUMNS("input") },
    .postgres = CLAIM_AS " where ?3::bigint = 1 and id = " FIRST_FREE
                " limit 1 for update skip locked) returning " OPEN_COLUMNS("input"),
};

/* Tasks in turn: first of all the first job of each, and what a task has running counts as if
 * it stood before.  All that is queued for the slot is looked at. */
#define IN_TURN "select seq, id, priority, queued_at, row_number() over (partition by task" \
    " order by priority, queued_at, seq) + coalesce(busy, 0) as turn from job left join" \
    " (select task as whose, count(*) as busy from job where state <> 1 and state = 2" \
    "  and slot = ?1 group by task) as those on whose = task where state = 1 and slot = ?1"
#define BY_TURN " order by priority, turn, queued_at, seq limit ?3"

static const struct store_verb claim_fair = {
    .name = "job.claim_fair", .writes = true, .undo = true,
    .sqlite = { CLAIM "in (select seq from (" IN_TURN ")" BY_TURN ") returning "
                OPEN_COLUMNS("input") },
    /* More are looked at than are taken: others may be taking the first of them. */
    .postgres = "with ranked as materialized (select * from (" IN_TURN ") as all_of_them"
                BY_TURN "::bigint * 8), free as (select job.id from job join ranked"
                "  on job.id = ranked.id where job.state = 1 order by ranked.priority,"
                "  ranked.turn, ranked.queued_at, ranked.seq limit ?3::bigint"
                "  for update of job skip locked) " CLAIM_AS
                " where id in (select id from free) returning " OPEN_COLUMNS("input"),
};

enum store_job_state store_job_state_of(int64_t state)
{
    return state == 0 ? STORE_JOB_QUEUED : (enum store_job_state)state;
}

static void read_row(const struct store_rows *rows, size_t row, struct store_job *ret)
{
    *ret = (struct store_job){
        .id = store_text(rows, row, 0), .task = store_text(rows, row, 1),
        .kind = store_text(rows, row, 2), .slot = store_text(rows, row, 3),
        .priority = (int32_t)store_int(rows, row, 4),
        .state = store_job_state_of(store_int(rows, row, 5)),
        .attempt = (uint32_t)store_int(rows, row, 6),
        .queued_at = store_wall(rows, row, 7),
        .started_at = store_wall(rows, row, 8),
        .finished_at = store_wall(rows, row, 9),
        .input = store_text(rows, row, 10), .output = store_text(rows, row, 11),
        .error = store_text(rows, row, 12),
    };
}

/* Whether the job in one row is claimed before that in the other. */
static bool before(const struct store_rows *rows, size_t one, size_t other)
{
    static const size_t by[] = { 4, 7, 13 };        /* priority, queued_at, seq */
    for (size_t i = 0; i < sizeof(by) / sizeof(by[0]); i++) {
        int64_t a = store_int(rows, one, by[i]), b = store_int(rows, other, by[i]);
        if (a != b)
            return a < b;
    }
    return false;
}

/* At most STORE_JOB_CLAIM_MAX rows, nearly in order as a rule: insertion it is. */
void store_jobs_read(struct store_jobs *jobs, bool sort)
{
    size_t order[STORE_JOB_CLAIM_MAX];
    jobs->count = jobs->rows.count;
    for (size_t i = 0; i < jobs->count; i++) {
        size_t at = i;
        for (; sort && at > 0 && before(&jobs->rows, i, order[at - 1]); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    for (size_t i = 0; i < jobs->count; i++)
        read_row(&jobs->rows, order[i], &jobs->jobs[i]);
}

wr_err store_job_claim(struct store *store, const struct store_job_claim *which,
                       struct store_jobs *ret, wr_time deadline)
{
    size_t max = which->max;
    WR_ASSERT(max > 0 && max <= STORE_JOB_CLAIM_MAX);
    WR_ASSERT(which->lease >= WR_MS(1));
    wr_err err;
    do {
        ret->lease_until = wr_after(which->lease);
        const struct store_verb *verb = which->fair ? &claim_fair
                                        : max == 1  ? &claim_one
                                                    : &claim;
        err = store_do(store, verb, STORE_VALUES(
            STORE_TEXT(which->slot), STORE_INT(which->lease / WR_MS(1)),
            STORE_INT((int64_t)max)), &ret->rows, deadline);
        max /= 2;
    } while (err == WR_INVALID && max > 0);     /* too large a result: fewer will do */
    store_jobs_read(ret, true);
    return err;
}

void store_jobs_free(struct store_jobs *jobs)
{
    store_rows_free(&jobs->rows);
    jobs->count = 0;
}

/* ---- what a holder does ---- */

/* Do a verb that brings a job back to its slot, which it returns: nobody is harmed who is woken
 * for one that was over. */
static wr_err bring_back(struct store *store, const struct store_verb *verb,
                         struct store_values values, wr_time deadline)
{
    struct store_rows rows;
    wr_err err = store_do(store, verb, values, &rows, deadline);
    if (!err && rows.count == 0)
        err = WR_NOTFOUND;
    if (!err)
        store_wake(store, store_text(&rows, 0, 0));
    store_rows_free(&rows);
    return err;
}

/* All at once: one after the other the last ones would come too late where a store is slow. */
static const struct store_verb beat = {
    .name = "job.beat", .writes = true,
    .sqlite = { "update job set lease_until = now_ms() + ?2 from json_each(?1) as v"
                " where job.id = v.value ->> 0 and job.attempt = v.value ->> 1"
                " and job.state = 2 and job.lease_until > now_ms() returning id" },
    .postgres = "update job set lease_until = now_ms() + ?2::bigint"
                " from json_array_elements(?1::json) as v where job.id = v ->> 0"
                " and job.attempt = (v ->> 1)::bigint and job.state = 2"
                " and job.lease_until > now_ms() returning job.id",
};

static void write_held(struct wr_text *text, const struct store_job_held *held, size_t count)
{
    struct wr_json json = wr_json_to(text);
    wr_json_array(&json, NULL);
    for (size_t i = 0; i < count; i++) {
        wr_json_array(&json, NULL);
        wr_json_str(&json, NULL, held[i].id);
        wr_json_u64(&json, NULL, held[i].attempt);
        wr_json_end(&json);
    }
    wr_json_end(&json);
}

static bool among(const struct store_rows *rows, const char *id)
{
    for (size_t i = 0; i < rows->count; i++)
        if (strcmp(store_text(rows, i, 0), id) == 0)
            return true;
    return false;
}

wr_err store_job_beat(struct store *store, struct store_job_held *held, size_t count,
                      wr_time lease, wr_time deadline)
{
    WR_ASSERT(count <= STORE_JOB_BEAT_MAX);
    struct store_rows rows = { 0 };
    struct wr_text text = wr_text_heap(HELD_BYTES_MAX);
    write_held(&text, held, count);
    wr_err err = text.cut ? WR_NOMEM : store_do(store, &beat, STORE_VALUES(
        STORE_TEXT(text.at), STORE_INT(lease / WR_MS(1))), &rows, deadline);
    for (size_t i = 0; i < count; i++)
        held[i].ours = !err && among(&rows, held[i].id);
    store_rows_free(&rows);
    wr_text_free(&text);
    return err;
}

static const struct store_verb release = {
    .name = "job.release", .writes = true,
    .sqlite = { "update job set lease_until = 0 where id = ?1 and attempt = ?2 and state = 2" },
};

wr_err store_job_release(struct store *store, const char *id, uint32_t attempt,
                         wr_time deadline)
{
    uint64_t count;
    return store_change(store, &release, STORE_VALUES(STORE_TEXT(id), STORE_INT(attempt)),
                        &count, deadline);
}

static const struct store_verb finish = {
    .name = "job.finish", .writes = true,
    .sqlite = { INTO_DONE " ?3," AS_IT_WAS " ?4, ?5 from job" HELD,
                "delete from job" HELD },
    .postgres = "with gone as (delete from job" HELD " returning *)" GONE_INTO_DONE
                " ?3::bigint," AS_IT_WAS " ?4::text, ?5::text" FROM_GONE,
};

/* Nothing of a kind follows that was stopped.  On a server the row of the task is held, so that
 * a stop at this moment comes before or after, and is seen. */
#define OF_TASK " where exists (select 1 from job join tasks on tasks.id = job.task" \
    " where job.id = ?1 and attempt = ?2 and state = 2 and lease_until > now_ms()" \
    " and " GOES_ON("value ->> 1") ")"
#define ITS_TASK(from) "going as (select tasks.id as task, status, stopped_all, stopped_kind" \
    " from tasks, " from " where tasks.id = " from ".task for share of tasks)"
#define GOING ", going where " GOES_ON("v ->> 1") " on conflict do nothing)"

#define NEXT INTO_JOB("(select task from job where id = ?1)", "?6")
#define NEXT_THERE INTO_JOB_THERE("going.task")

/* What comes next is queued before the job has gone, since only who holds it may. */
static const struct store_verb finish_and_next = {
    .name = "job.finish_and_next",
    .writes = true,
    .undo = true,
    .sqlite = { INTO_DONE " ?3," AS_IT_WAS " ?4, ?5 from job" HELD,
                NEXT OF_TASK " on conflict do nothing", "delete from job" HELD },
    .postgres = "with gone as (delete from job" HELD " returning *), " ITS_TASK("gone")
                ", next as (" NEXT_THERE " from json_array_elements(?6::json) as v" GOING
                GONE_INTO_DONE " ?3::bigint," AS_IT_WAS " ?4::text, ?5::text" FROM_GONE,
};

static void wake_all(struct store *store, const char *const *slots)
{
    for (; slots && *slots; slots++)
        store_wake(store, *slots);
}

wr_err store_job_finish(struct store *store, const char *id, uint32_t attempt,
                        const struct store_job_end *end, wr_time deadline)
{
    WR_ASSERT(end->state == STORE_JOB_COMPLETED || end->state == STORE_JOB_FAILED);
    if (too_long(end->output, STORE_JOB_OUTPUT_MAX)
        || too_long(end->error, STORE_JOB_ERROR_MAX))
        return WR_INVALID;
    struct store_values values = STORE_VALUES(
        STORE_TEXT(id), STORE_INT(attempt), STORE_INT(end->state), STORE_TEXT(end->output),
        STORE_TEXT(end->error), STORE_TEXT(end->next));
    values.count -= !end->next;
    wr_err err = store_change_one(store, end->next ? &finish_and_next : &finish, values,
                                  deadline);
    if (!err && end->next)
        wake_all(store, end->slots);
    return err;
}

#define CHAINED INTO_JOB("(select task from job where id = ?1)", "?3")
#define CHAINED_THERE INTO_JOB_THERE("going.task")

static const struct store_verb chain = {
    .name = "job.chain", .writes = true, .undo = true,
    .sqlite = { CHAINED OF_TASK " on conflict do nothing",
                "select 1 from job" HELD },
    .postgres = "with held as (select task from job" HELD " for update), "
                ITS_TASK("held") ", next as ("
                CHAINED_THERE " from json_array_elements(?3::json) as v" GOING
                " select 1::bigint from held",
};

wr_err store_job_chain(struct store *store, const char *id, uint32_t attempt, const char *next,
                       const char *const *slots, wr_time deadline)
{
    struct store_rows rows;
    wr_err err = store_do(store, &chain, STORE_VALUES(STORE_TEXT(id), STORE_INT(attempt),
                                                      STORE_TEXT(next)), &rows, deadline);
    if (!err && rows.count == 0)
        err = WR_NOTFOUND;
    if (!err)
        wake_all(store, slots);
    store_rows_free(&rows);
    return err;
}

/* In a task that was stopped meanwhile it has nowhere to go back to: it is over.  (On a file it
 * has state 6 between the first statement and the last.)  On a server the task is held first,
 * as above. */
#define BACK(state, rest) { \
    "update job set state = case when " TASK_STOPPED " then 6 else " state " end," rest \
    " returning slot", \
    INTO_DONE " 6," AS_IT_WAS " null, " STOPPED_WHY " from job where id = ?1 and state = 6", \
    "delete from job where id = ?1 and state = 6" }
#define BACK_THERE(state, rest) \
    "with gone as (delete from job" HELD " and " TASK_STOPPED " returning *)," \
    " done as (" GONE_INTO_DONE " 6," AS_IT_WAS " null, " STOPPED_WHY FROM_GONE ")," \
    " back as (update job set state = " state "," rest " and not " TASK_STOPPED \
    "  returning slot) select slot from gone union all select slot from back"
#define REQUEUED " tries = tries - ?3, lease_until = null" HELD
#define PUT_OFF " tries = tries - ?4, lease_until = now_ms() + ?3" HELD \
    " and (?4 = 1 or tries < attempts_max)"

const struct store_verb store_job_hold_task = {
    .name = "job.hold_task",
    .postgres = "select 1 from tasks where id = (select task from job where id = ?1) for share",
};

static const struct store_verb requeue = {
    .name = "job.requeue", .writes = true, .undo = true, .first = &store_job_hold_task,
    .sqlite = BACK("1", REQUEUED), .postgres = BACK_THERE("1", REQUEUED),
};

wr_err store_job_requeue(struct store *store, const char *id, uint32_t attempt, bool counted,
                         wr_time deadline)
{
    return bring_back(store, &requeue, STORE_VALUES(STORE_TEXT(id), STORE_INT(attempt),
                                                    STORE_INT(!counted)), deadline);
}

static const struct store_verb put_off = {
    .name = "job.put_off", .writes = true, .undo = true, .first = &store_job_hold_task,
    .sqlite = BACK("0", PUT_OFF), .postgres = BACK_THERE("0", PUT_OFF),
};

wr_err store_job_put_off(struct store *store, const char *id, uint32_t attempt, wr_time by,
                         bool counted, wr_time deadline)
{
    WR_ASSERT(by >= 0 && by <= STORE_JOB_PUT_OFF_MAX);
    return bring_back(store, &put_off, STORE_VALUES(
        STORE_TEXT(id), STORE_INT(attempt), STORE_INT(by / WR_MS(1)), STORE_INT(!counted)),
        deadline);
}

/* ---- what others do ---- */

#define LEASED "state <> 1 and state in (0, 2)"     /* as the index says it */
/* Nothing is put off by so much: a clock was set back. */
#define TOO_FAR "lease_until > now_ms() + 3600000"
_Static_assert(STORE_JOB_PUT_OFF_MAX == WR_MS(3600000), "as the statement has it");
#define OPEN_WITHOUT_INPUT OPEN_COLUMNS("null::text")

/* Those that are over have state 5 or 6 between the first statement and the last. */
static const struct store_verb expire = {
    .name = "job.expire",
    .writes = true,
    .undo = true,
    .sqlite = { "update job set state = case when " TASK_STOPPED " then 6"
                " when state = 2 and tries >= attempts_max then 5 else 1 end,"
                " lease_until = null where seq in (select seq from (select seq, lease_until"
                " from job where " LEASED " and lease_until <= now_ms() union all"
                " select seq, lease_until from job where state <> 1 and state = 0 and " TOO_FAR
                ") order by lease_until limit " EXPIRE_MAX ")"
                " returning " OPEN_COLUMNS("null"),
                INTO_DONE " state," AS_IT_WAS " null, iif(state = 5, " LOST ", " STOPPED_WHY ")"
                          " from job where state <> 1 and state in (5, 6)",
                "delete from job where state <> 1 and state in (5, 6)" },
    .postgres = "with late as (select id from job where state in (0, 2)"
                " and (lease_until <= now_ms() or (state = 0 and " TOO_FAR "))"
                " order by lease_until limit " EXPIRE_MAX " for update skip locked),"
                " end_of as (select id, case when " TASK_STOPPED " then 6"
                "  when state = 2 and tries >= attempts_max then 5 else 1 end::bigint as state"
                "  from job where id in (select id from late)),"
                " back as (update job set state = 1, lease_until = null"
                "  where id in (select id from end_of where state = 1)"
                "  returning " OPEN_WITHOUT_INPUT "),"
                " over as (delete from job where id in (select id from end_of where state > 1)"
                "  returning *),"
                " gone as (select over.id, task, kind, slot, priority, end_of.state, attempt,"
                "  queued_at, started_at, input, seq from over join end_of on over.id ="
                "  end_of.id),"
                " done as (" GONE_INTO_DONE " state," AS_IT_WAS " null, case when state = 5"
                "  then " LOST " else " STOPPED_WHY " end" FROM_GONE ")"
                " select * from back union all select id, task, kind, slot, priority, state,"
                " attempt, queued_at, started_at, null, null, null, null, seq from gone",
};

static const struct store_verb disown = {
    .name = "job.disown", .writes = true,
    .sqlite = { "update job set lease_until = 0 where " LEASED },
};

wr_err store_job_disown(struct store *store, wr_time deadline)
{
    uint64_t count;
    if (store_is_shared(store))
        return WR_OK;
    return store_change(store, &disown, (struct store_values){ 0 }, &count, deadline);
}

static const struct store_verb next_lease = {
    .name = "job.next_lease",
    /* Of each the first in the index, and not all of both. */
    .sqlite = { "select min(due) - now_ms() from (select min(lease_until) as due from job"
                " where state <> 1 and state = 0 union all select min(lease_until) from job"
                " where state <> 1 and state = 2)" },
    .postgres = "select min(lease_until) - now_ms() from job where state in (0, 2)",
};

wr_err store_job_expire(struct store *store, struct store_jobs *ret, wr_time *ret_next,
                        wr_time deadline)
{
    struct store_rows next;
    wr_err err = store_do(store, &expire, (struct store_values){ 0 }, &ret->rows, deadline);
    store_jobs_read(ret, true);
    for (size_t i = 0; i < ret->count; i++)
        if (ret->jobs[i].state == STORE_JOB_QUEUED)
            store_wake(store, ret->jobs[i].slot);
    if (err)
        return err;
    /* What has come back is to be told, whether this can be found out or not. */
    if (store_do(store, &next_lease, (struct store_values){ 0 }, &next, deadline)) {
        *ret_next = LOOK_AGAIN;
        return WR_OK;
    }
    bool none = store_value_at(&next, 0, 0).type == STORE_IS_NULL;
    int64_t ms = store_int(&next, 0, 0);
    *ret_next = none ? WR_NEVER : ms > 0 ? WR_MS(ms) : 0;
    store_rows_free(&next);
    return WR_OK;
}

wr_err(store_job_wait)(struct store *store, const char *slot, uint64_t *seen, wr_time deadline,
                       const char *place)
{
    return wakes_wait(&store->wakes, slot, seen, deadline, place);
}

static const struct store_verb get = {
    .name = "job.get",
    .sqlite = { "select " OPEN_COLUMNS("input") " from job where id = ?1 union all"
                " select " DONE_COLUMNS " from job_done where id = ?1" },
    .postgres = "select " DONE_COLUMNS " from job_done where id = ?1 union all"
                " select " OPEN_COLUMNS("input") " from job where id = ?1",
};

wr_err store_job_get(struct store *store, const char *id, struct store_jobs *ret,
                     wr_time deadline)
{
    wr_err err = store_do(store, &get, STORE_VALUES(STORE_TEXT(id)), &ret->rows, deadline);
    store_jobs_read(ret, true);
    if (!err && ret->count == 0)
        err = WR_NOTFOUND;
    return err;
}

static const struct store_verb prune = {
    .name = "job.prune", .writes = true,
    .sqlite = { "delete from job_done where finished_at < ?1 and seq in"
                " (select seq from job_done order by seq limit ?2)" },
    .postgres = "delete from job_done where id = any (array(select id from job_done"
                " where finished_at < ?1 limit ?2 for update skip locked))",
};

wr_err store_job_prune(struct store *store, struct wr_wall before, size_t max, uint64_t *ret,
                       wr_time deadline)
{
    WR_ASSERT(max > 0 && max <= STORE_JOB_PRUNE_MAX);
    return store_change(store, &prune, STORE_VALUES(
        STORE_INT(before.ns / WR_MS(1)), STORE_INT((int64_t)max)), ret, deadline);
}
