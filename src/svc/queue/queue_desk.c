/* queue_desk.c - see queue_desk.h. */
#include "svc/queue/queue_desk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/offload.h>

#include "base/json.h"
#include "svc/queue/primary.h"
#include "svc/queue/status.h"
#include "svc/queue/target.h"

#define SUMMARY_WITHIN WR_S(2)
#define OFFLOAD_FROM 16                 /* so many targets are read beside the fibers */

const char *const queue_stop_reasons[] = { "session_completed", "budget_exhausted",
                                           "user_cancelled", NULL };
const char *const queue_stop_modes[] = { [QUEUE_GRACEFUL] = "graceful",
                                         [QUEUE_IMMEDIATE] = "immediate",
                                         [QUEUE_FULL] = "full", NULL };
const char *const queue_stop_scopes[] = { "all_jobs", "target_queue_only", NULL };
const char *const queue_auth_targets[] = { "item", "domain", "task", NULL };
const char *const queue_auth_actions[] = { "complete", "skip", NULL };
const char *const queue_auth_groups[] = { "none", "domain", "type", NULL };
const char *const queue_auth_filters[] = { "all", "high", "medium", "low", NULL };
const char *const queue_details[] = { "summary", "full", NULL };

/* ---- arguments ---- */

#define refuse(why, param, ...) \
    queue_why_say(why, WR_INVALID, "INVALID_PARAMS", param, __VA_ARGS__)

/* The number of a word, the first where none is said. */
static wr_err take_word(const struct queue_said *said, const char *name,
                        const char *const *words, int *ret, struct queue_why *why)
{
    char all[120];
    struct wr_text text = WR_TEXT(all);
    const json_t *value = queue_said_get(said, name);
    const char *word = json_string_value(value);
    *ret = 0;
    if (!value)
        return WR_OK;
    for (int i = 0; words[i]; i++) {
        if (word && strcmp(words[i], word) == 0) {
            *ret = i;
            return WR_OK;
        }
        wr_text_format(&text, "%s%s", i ? ", " : "", words[i]);
    }
    return refuse(why, name, "%s is %s%.60s%s; allowed are %s", name, word ? "\"" : "",
                  word ? word : "no text", word ? "\"" : "", all);
}

static wr_err take_text(const struct queue_said *said, const char *name, const char **ret,
                        struct queue_why *why)
{
    const json_t *value = queue_said_get(said, name);
    *ret = json_string_value(value);
    if (value && (!*ret || !(*ret)[strspn(*ret, " \t\r\n")]))
        return refuse(why, name, "%s must be a text that is not empty", name);
    return WR_OK;
}

/* ---- tasks ---- */

/* An object that has these members, which may be one, and no others. */
static wr_err take_object(const json_t *value, const char *name, const char *one,
                          const char *other, struct queue_why *why)
{
    const char *key;
    json_t *ignored;
    if (value && !json_is_object(value))
        return refuse(why, name, "%s must be an object", name);
    json_object_foreach((json_t *)(uintptr_t)value, key, ignored)
        if (strcmp(key, one) != 0 && strcmp(key, other) != 0)
            return refuse(why, name, "%s has no member \"%.40s\"; it may have %s%s%s", name,
                          key, one, one == other ? "" : " and ", one == other ? "" : other);
    return WR_OK;
}

static wr_err take_budget(struct queue_desk *desk, const json_t *config,
                          struct queue_task *ret, struct queue_why *why)
{
    const char *part = "budget";
    const json_t *budget = json_object_get(config, part);
    const json_t *seconds = json_object_get(budget, "max_seconds");
    if (json_object_get(budget, "budget_pages"))
        return refuse(why, "config.budget.budget_pages",
                      "config.budget.budget_pages is no name any more: say max_pages");
    wr_err err = take_object(config, "config", part, part, why);
    if (!err)
        err = take_object(budget, "config.budget", "max_pages", "max_seconds", why);
    if (!err)
        err = queue_said_number(json_object_get(budget, "max_pages"), "config.budget.max_pages",
                                0, atomic_load(&desk->pages_max), &ret->pages_max, why);
    if (!err && json_is_integer(seconds) && json_integer_value(seconds) < 0)
        ret->seconds_max = 0;           /* as the reference has it */
    else if (!err)
        err = queue_said_number(seconds, "config.budget.max_seconds", 0, QUEUE_SECONDS_MAX,
                                &ret->seconds_max, why);
    return err;
}

static void write_budget(struct wr_json *json, int64_t pages, int64_t seconds)
{
    wr_json_object(json, "budget");
    wr_json_i64(json, "max_pages", pages);
    wr_json_i64(json, "max_seconds", seconds);
    wr_json_end(json);
}

wr_err queue_desk_create(struct queue_desk *desk, const struct queue_said *said,
                         struct wr_text *text, struct queue_why *why, wr_time deadline)
{
    struct queue_task task = { .pages_max = atomic_load(&desk->pages_max),
                               .seconds_max = atomic_load(&desk->seconds_max) };
    const json_t *config = queue_said_get(said, "config");
    char id[QUEUE_ID];
    wr_err err = take_text(said, "hypothesis", &task.hypothesis, why);
    size_t len = task.hypothesis ? strlen(task.hypothesis) : 0;
    if (!err && len == 0)
        err = refuse(why, "hypothesis", "hypothesis is missing: say what is to be found out");
    if (!err && len > STORE_TASK_TEXT_MAX)
        err = refuse(why, "hypothesis", "hypothesis has %zu bytes; at most %d are allowed", len,
                     STORE_TASK_TEXT_MAX);
    if (!err)
        err = take_budget(desk, config, &task, why);
    if (!err)
        err = queue_create(desk->queue, &task, id, why, deadline);
    if (err)
        return err;
    struct wr_json json = wr_json_to(text);
    wr_json_object(&json, NULL);
    wr_json_bool(&json, "ok", true);
    wr_json_str(&json, "task_id", id);
    wr_json_str(&json, "hypothesis", task.hypothesis);
    wr_json_time(&json, "created_at", wr_wall());
    write_budget(&json, task.pages_max, task.seconds_max);
    wr_json_str(&json, "message", "made; what is to be looked at are its targets");
    wr_json_end(&json);
    return WR_OK;
}

/* More of it than is used, up to as much again as a new task gets: so what a task may cost is
 * somebody's decision each time. */
wr_err queue_desk_budget(struct queue_desk *desk, const char *task,
                         const struct queue_said *said, struct wr_text *text,
                         struct queue_why *why, wr_time deadline)
{
    struct queue_look_at at;
    int64_t pages = -1, seconds = -1;
    wr_err err = queue_look(desk->queue, task, &(struct queue_look){ 0 }, &at, why, deadline);
    if (err)
        return err;
    struct queue_view *view = at.view;
    err = queue_said_number(queue_said_get(said, "max_pages"), "max_pages", 0,
                            view->pages_used + atomic_load(&desk->pages_max), &pages, why);
    if (!err)
        err = queue_said_number(queue_said_get(said, "max_seconds"), "max_seconds", 0,
                                QUEUE_SECONDS_MAX, &seconds, why);
    if (!err && pages < 0 && seconds < 0)
        err = refuse(why, "max_pages", "neither max_pages nor max_seconds is given");
    if (!err)
        err = queue_allow(desk->queue, task, pages, seconds, why, deadline);
    if (!err) {
        struct wr_json json = wr_json_to(text);
        wr_json_object(&json, NULL);
        wr_json_bool(&json, "ok", true);
        wr_json_str(&json, "task_id", view->id);
        write_budget(&json, pages < 0 ? view->pages_max : pages,
                     seconds < 0 ? view->seconds_max : seconds);
        wr_json_i64(&json, "pages_used", view->pages_used);
        wr_json_end(&json);
    }
    queue_view_unref(view);
    return err;
}

static void write_task(struct wr_json *json, const struct store_task *task)
{
    wr_json_object(json, NULL);
    wr_json_str(json, "task_id", task->id);
    wr_json_str(json, "status", store_task_word(task->status));
    if (task->reason)
        wr_json_str(json, "stop_reason", task->reason);
    wr_json_str(json, "hypothesis", task->hypothesis);
    wr_json_time(json, "created_at", task->created_at);
    wr_json_i64(json, "pages_used", task->pages_used);
    write_budget(json, task->pages_max, task->seconds_max);
    wr_json_end(json);
}

wr_err queue_desk_tasks(struct queue_desk *desk, const char *before, size_t max,
                        struct wr_text *text, wr_time deadline)
{
    struct store_tasks *tasks = calloc(1, sizeof(*tasks));
    if (!tasks)
        return WR_NOMEM;
    wr_err err = store_task_list(queue_store(desk->queue), before, max, tasks, deadline);
    if (!err) {
        struct wr_json json = wr_json_to(text);
        wr_json_object(&json, NULL);
        wr_json_bool(&json, "ok", true);
        wr_json_array(&json, "tasks");
        for (size_t i = 0; i < tasks->count; i++)
            write_task(&json, &tasks->tasks[i]);
        wr_json_end(&json);
        if (tasks->count == max)
            wr_json_str(&json, "next_cursor", tasks->tasks[max - 1].id);
        wr_json_end(&json);
    }
    store_tasks_free(tasks);
    free(tasks);
    return err;
}

/* ---- targets and jobs ---- */

struct reading {
    struct queue_targets targets;
    struct queue_targets_said said;
    struct queue_why *why;
    wr_err err;
};

static void read_targets(void *arg)
{
    struct reading *reading = arg;
    reading->err = queue_targets_read(&reading->targets, &reading->said, reading->why);
}

wr_err queue_desk_submit(struct queue_desk *desk, const char *task,
                         const struct queue_said *said, struct wr_text *text,
                         struct queue_why *why, wr_time deadline)
{
    struct queue_submitted submitted = { 0 };
    struct reading reading = { .said = { task, queue_said_get(said, "targets"),
                                         queue_said_get(said, "options") },
                               .why = why };
    wr_err err = WR_OK;
    if (json_array_size(reading.said.targets) < OFFLOAD_FROM)
        read_targets(&reading);
    else
        err = wr_offload(read_targets, &reading, deadline);
    if (!err)
        err = reading.err;
    if (!err) {
        err = queue_submit(desk->queue, task, reading.targets.rows.at, &submitted, why,
                           deadline);
        if (!err)
            queue_targets_write(text, &reading.targets, &submitted);
        queue_submitted_free(&submitted);
    }
    queue_targets_free(&reading.targets);
    return err;
}

wr_err queue_desk_job(struct queue_desk *desk, const char *id, struct wr_text *text,
                      struct queue_why *why, wr_time deadline)
{
    struct store_jobs *jobs = calloc(1, sizeof(*jobs));
    if (!jobs)
        return WR_NOMEM;
    wr_err err = store_job_get(queue_store(desk->queue), id, jobs, deadline);
    if (err == WR_NOTFOUND)
        err = queue_why_say(why, err, "RESOURCE_NOT_FOUND", "job_id", "there is no job "
                            "\"%.60s\", or no longer (queue.history)", id);
    if (!err) {
        struct wr_json json = wr_json_to(text);
        queue_job_write(&json, &jobs->jobs[0], true);
    }
    store_jobs_free(jobs);
    free(jobs);
    return err;
}

wr_err queue_desk_status(struct queue_desk *desk, const struct queue_look_at *at, bool full,
                         struct wr_text *text, wr_time deadline)
{
    struct queue_status status;
    wr_err err = queue_status_read(&status, queue_store(desk->queue), at->view, full, deadline);
    status.change = at->change;
    if (!err)
        queue_status_write(text, &status);
    queue_status_free(&status);
    return err;
}

/* ---- stopping ---- */

static uint64_t count_state(const struct store_counts *counts, enum store_job_state state)
{
    uint64_t all = 0;
    for (size_t i = 0; i < counts->count; i++)
        all += counts->counts[i].jobs[state];
    return all;
}

static void write_canceled(struct wr_json *json, const struct queue_stopped *stopped)
{
    const struct store_counts *counts = &stopped->canceled;
    wr_json_object(json, "cancelled_counts");
    wr_json_u64(json, "queued_cancelled", count_state(counts, STORE_JOB_QUEUED));
    wr_json_u64(json, "running_cancelled", count_state(counts, STORE_JOB_RUNNING));
    wr_json_u64(json, "awaiting_auth_cancelled", count_state(counts, STORE_JOB_WAITING));
    wr_json_u64(json, "tasks_cancelled", stopped->interrupted);
    wr_json_u64(json, "scheduler_jobs_cancelled", stopped->interrupted);
    wr_json_u64(json, "jobs_waited", stopped->waited);
    wr_json_object(json, "by_kind");
    for (size_t i = 0; i < counts->count; i++) {
        wr_json_object(json, counts->counts[i].kind);
        wr_json_u64(json, "queued", counts->counts[i].jobs[STORE_JOB_QUEUED]);
        wr_json_u64(json, "running", counts->counts[i].jobs[STORE_JOB_RUNNING]);
        wr_json_u64(json, "awaiting_auth", counts->counts[i].jobs[STORE_JOB_WAITING]);
        wr_json_end(json);
    }
    wr_json_end(json);
    wr_json_end(json);
}

/* All kinds but that of targets, and those that clients of the reference know. */
static void write_unaffected(struct wr_json *json, bool targets_only)
{
    wr_json_array(json, "unaffected_kinds");
    if (targets_only) {
        wr_json_str(json, NULL, queue_kinds[QUEUE_VERIFY].name);
        wr_json_str(json, NULL, queue_kinds[QUEUE_CITATIONS].name);
        wr_json_str(json, NULL, queue_kinds[QUEUE_EMBED].name);
        wr_json_str(json, NULL, "nli");
    }
    wr_json_end(json);
}

/* What it has come to; without it the answer is no less true. */
static void write_summary(struct wr_json *json, struct queue_desk *desk, const char *task,
                          wr_time deadline)
{
    struct queue_look_at at;
    struct queue_why ignored;
    struct wr_scope *shield;
    if (queue_shield(&shield, SUMMARY_WITHIN))
        return;
    struct store_evidence found = { 0 };
    int primary = 0;
    wr_err err = queue_look(desk->queue, task, &(struct queue_look){ 0 }, &at, &ignored,
                            deadline);
    if (!err) {
        (void)!store_evidence_count(queue_store(desk->queue), task, &found, deadline);
        (void)!primary_share(&primary, queue_store(desk->queue), task, deadline);
    }
    queue_shield_end(shield);
    if (err)
        return;
    queue_status_summary(json, at.view, found.claims, primary);
    queue_view_unref(at.view);
}

wr_err queue_desk_stop(struct queue_desk *desk, const char *task,
                       const struct queue_said *said, struct wr_text *text,
                       struct queue_why *why, wr_time deadline)
{
    int reason, mode, scope;
    wr_err err = take_word(said, "reason", queue_stop_reasons, &reason, why);
    if (!err)
        err = take_word(said, "mode", queue_stop_modes, &mode, why);
    if (!err)
        err = take_word(said, "scope", queue_stop_scopes, &scope, why);
    if (err)
        return err;
    struct queue_stopped *stopped = calloc(1, sizeof(*stopped));
    if (!stopped)
        return WR_NOMEM;
    err = queue_stop(desk->queue, task, &(struct queue_stop){
        .reason = queue_stop_reasons[reason], .mode = (enum queue_mode)mode,
        .targets_only = scope == 1 }, stopped, why, deadline);
    if (!err) {
        struct wr_json json = wr_json_to(text);
        wr_json_object(&json, NULL);
        wr_json_bool(&json, "ok", true);
        wr_json_str(&json, "task_id", task);
        wr_json_str(&json, "final_status", store_task_word(STORE_TASK_PAUSED));
        wr_json_str(&json, "reason", queue_stop_reasons[reason]);
        wr_json_str(&json, "mode", queue_stop_modes[mode]);
        wr_json_str(&json, "scope", queue_stop_scopes[scope]);
        write_canceled(&json, stopped);
        write_unaffected(&json, scope == 1);
        write_summary(&json, desk, task, deadline);
        wr_json_bool(&json, "is_resumable", true);
        wr_json_end(&json);
    }
    free(stopped);
    return err;
}

wr_err queue_desk_remove(struct queue_desk *desk, const char *task, struct wr_text *text,
                         struct queue_why *why, wr_time deadline)
{
    bool cleared;
    wr_err err = queue_remove(desk->queue, task, &cleared, why, deadline);
    if (!err) {
        struct wr_json json = wr_json_to(text);
        wr_json_object(&json, NULL);
        wr_json_bool(&json, "ok", true);
        wr_json_str(&json, "task_id", task);
        wr_json_bool(&json, "cleared", cleared);
        wr_json_end(&json);
    }
    return err;
}

/* ---- what waits for a person ---- */

static void write_auth(struct wr_json *json, const struct store_auth *auth)
{
    wr_json_object(json, NULL);
    wr_json_str(json, "queue_id", auth->id);
    wr_json_str(json, "url", auth->url);
    wr_json_str(json, "domain", auth->domain);
    wr_json_str(json, "auth_type", auth->type);
    wr_json_str(json, "priority", auth->priority);
    wr_json_time(json, "created_at", auth->queued_at);
    wr_json_time(json, "expires_at", auth->expires_at);
    wr_json_str(json, "task_id", auth->task);
    wr_json_str(json, "job_id", auth->job);
    wr_json_end(json);
}

static const char *group_of(const struct store_auth *auth, int group_by)
{
    return group_by == 1 ? auth->domain : auth->type;
}

static bool wanted(const struct store_auth *auth, const char *filter)
{
    return strcmp(filter, "all") == 0 || strcmp(filter, auth->priority) == 0;
}

/* Those of the same group as the first, which is the first of its group. */
static void write_group(struct wr_json *json, const struct store_auths *auths, size_t first,
                        int group_by, const char *filter)
{
    const char *name = group_of(&auths->auths[first], group_by);
    for (size_t i = 0; i < first; i++)
        if (wanted(&auths->auths[i], filter)
            && strcmp(group_of(&auths->auths[i], group_by), name) == 0)
            return;
    wr_json_array(json, name);
    for (size_t i = first; i < auths->count; i++)
        if (wanted(&auths->auths[i], filter)
            && strcmp(group_of(&auths->auths[i], group_by), name) == 0)
            write_auth(json, &auths->auths[i]);
    wr_json_end(json);
}

/* Where the oldest of `waiting` are listed, and not all, the rest is counted with them: nobody
 * knows their priority. */
static void write_auths(struct wr_text *text, const struct store_auths *auths, uint64_t waiting,
                        int group_by, const char *filter)
{
    struct wr_json json = wr_json_to(text);
    uint64_t count = 0;
    wr_json_object(&json, NULL);
    wr_json_bool(&json, "ok", true);
    wr_json_str(&json, "group_by", queue_auth_groups[group_by]);
    if (group_by)
        wr_json_object(&json, "groups");
    else
        wr_json_array(&json, "items");
    for (size_t i = 0; i < auths->count; i++) {
        if (!wanted(&auths->auths[i], filter))
            continue;
        count++;
        if (group_by)
            write_group(&json, auths, i, group_by, filter);
        else
            write_auth(&json, &auths->auths[i]);
    }
    wr_json_end(&json);
    wr_json_u64(&json, "total_count", count + (waiting - auths->count));
    if (waiting > auths->count)
        wr_json_bool(&json, "truncated", true);
    wr_json_end(&json);
}

wr_err queue_desk_auths(struct queue_desk *desk, const struct queue_said *said,
                        struct wr_text *text, struct queue_why *why, wr_time deadline)
{
    const char *task = NULL;
    int group_by, filter;
    wr_err err = take_text(said, "task_id", &task, why);
    if (!err)
        err = take_word(said, "group_by", queue_auth_groups, &group_by, why);
    if (!err)
        err = take_word(said, "priority_filter", queue_auth_filters, &filter, why);
    if (err)
        return err;
    struct store_auths *auths = calloc(1, sizeof(*auths));
    if (!auths)
        return WR_NOMEM;
    uint64_t waiting = 0;
    err = queue_auth_list(desk->queue, task, auths, &waiting, why, deadline);
    if (!err)
        write_auths(text, auths, waiting, group_by, queue_auth_filters[filter]);
    store_auths_free(auths);
    free(auths);
    return err;
}

static const char *const which_names[] = { "queue_id", "domain", "task_id" };

static wr_err take_which(const struct queue_said *said, int target,
                         struct store_auth_which *ret, struct queue_why *why)
{
    const char *value = NULL;
    wr_err err = take_text(said, which_names[target], &value, why);
    if (!err && !value)
        err = refuse(why, which_names[target], "%s is missing: with target \"%s\" it says "
                     "which", which_names[target], queue_auth_targets[target]);
    *(target == 0 ? &ret->id : target == 1 ? &ret->domain : &ret->task) = value;
    return err;
}

wr_err queue_desk_resolve(struct queue_desk *desk, const struct queue_said *said,
                          struct wr_text *text, struct queue_why *why, wr_time deadline)
{
    struct store_auth_which which = { 0 };
    const json_t *success = queue_said_get(said, "success");
    int target, action;
    if (!queue_said_get(said, "action"))
        return refuse(why, "action", "action is missing; allowed are complete, skip");
    wr_err err = take_word(said, "target", queue_auth_targets, &target, why);
    if (!err)
        err = take_word(said, "action", queue_auth_actions, &action, why);
    if (!err && success && !json_is_boolean(success))
        err = refuse(why, "success", "success must be true or false");
    if (!err)
        err = take_which(said, target, &which, why);
    if (err)
        return err;
    bool done = action == 0 && !json_is_false(success);
    uint64_t count;
    err = queue_auth_resolve(desk->queue, &which,
                             done ? STORE_AUTH_COMPLETED : STORE_AUTH_SKIPPED, &count, why,
                             deadline);
    if (!err) {
        struct wr_json json = wr_json_to(text);
        wr_json_object(&json, NULL);
        wr_json_bool(&json, "ok", true);
        wr_json_str(&json, "target", queue_auth_targets[target]);
        wr_json_str(&json, "action", queue_auth_actions[action]);
        wr_json_str(&json, which_names[target],
                    json_string_value(queue_said_get(said, which_names[target])));
        wr_json_u64(&json, "resolved_count", count);
        if (action == 0)
            wr_json_bool(&json, "success", done);
        else
            wr_json_null(&json, "success");
        wr_json_end(&json);
    }
    return err;
}
