/* job_sql.h - statements about jobs, in the parts of which several verbs are made. */
#ifndef WR_STORE_JOB_SQL_H
#define WR_STORE_JOB_SQL_H

/* What a row of either table is read as: see read_row. */
#define OPEN_COLUMNS(input) "id, task, kind, slot, priority, state, attempt, queued_at," \
    " started_at, null as finished_at, " input ", null as output, null as error, seq"
#define DONE_COLUMNS "id, task, kind, slot, priority, state, attempt, queued_at, started_at," \
    " finished_at, input, output, error, seq"

/* A finished job, from an open one; who moves it says what it came to. */
#define INTO_DONE "insert into job_done (id, task, kind, slot, priority, state, attempt," \
    " queued_at, started_at, finished_at, input, output, error)" \
    " select id, task, kind, slot, priority,"
#define AS_IT_WAS " attempt, queued_at, started_at, now_ms(), input,"

/* The same on a server, from those that a part of the statement, `gone`, has taken out. */
#define GONE_INTO_DONE " insert into job_done (id, task, kind, slot, priority, state," \
    " attempt, queued_at, started_at, finished_at, input, output, error, seq)" \
    " select id, task, kind, slot, priority,"
#define FROM_GONE ", seq from gone"

/* Jobs out of a JSON array of arrays: [id, kind, slot, priority, key, input].  `task` and
 * `rows` are expressions; on a server each row is v. */
#define JOB_COLUMNS "insert into job (id, task, kind, slot, priority, only_one, input," \
    " attempts_max, state, attempt, tries, queued_at)"
#define INTO_JOB(task, rows) JOB_COLUMNS " select value ->> 0, " task ", value ->> 1," \
    " value ->> 2, value ->> 3, value ->> 4, value -> 5, 2, 1, 0, 0, now_ms()" \
    " from json_each(" rows ")"
#define INTO_JOB_THERE(task) JOB_COLUMNS " select v ->> 0, " task ", v ->> 1, v ->> 2," \
    " (v ->> 3)::bigint, v ->> 4, (v -> 5)::text, 2, 1, 0, 0, now_ms()"

/* Whether jobs of a kind may be queued in their task: it was not stopped, or not for them. */
#define GOES_ON(kind) "(status <> 'paused' or (stopped_all = 0 and " kind \
    " <> coalesce(stopped_kind, '')))"
#define TASK_STOPPED "exists (select 1 from tasks where tasks.id = job.task and not " \
    GOES_ON("job.kind") ")"
#define STOPPED_WHY "'CANCELLED: the task was stopped'"

/* The attempt ?2 holds the job ?1. */
#define HELD " where id = ?1 and attempt = ?2 and state = 2 and lease_until > now_ms()"

#endif
