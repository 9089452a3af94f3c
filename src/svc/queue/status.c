/* status.c - see status.h. */
#include "svc/queue/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/json.h"
#include "store/auth.h"
#include "store/domain_rule.h"
#include "store/job.h"

#define ERRORS_MAX 20
#define SUBJECT_MAX 101
#define MS_PER_S 1000

/* ---- reading ---- */

static wr_err read_done(struct store_jobs **ret, struct store *store, const char *task,
                        enum store_job_state state, size_t max, wr_time deadline)
{
    *ret = calloc(1, sizeof(**ret));
    return *ret ? store_task_done_jobs(store, task, state, max, *ret, deadline) : WR_NOMEM;
}

static uint64_t count_all(const struct queue_view *view, enum store_job_state state)
{
    uint64_t all = 0;
    for (size_t i = 0; i < view->counts.count; i++)
        all += view->counts.counts[i].jobs[state];
    return all;
}

static wr_err read_lists(struct queue_status *ret, struct store *store, wr_time deadline)
{
    const struct queue_view *view = ret->view;
    wr_err err = WR_OK;
    if (queue_view_open(view)) {
        ret->open = calloc(1, sizeof(*ret->open));
        err = ret->open ? store_task_open_jobs(store, view->id, STORE_JOB_CLAIM_MAX, ret->open,
                                               deadline) : WR_NOMEM;
    }
    if (!err && count_all(view, STORE_JOB_COMPLETED))
        err = read_done(&ret->completed, store, view->id, STORE_JOB_COMPLETED,
                        STORE_JOB_CLAIM_MAX, deadline);
    if (!err && count_all(view, STORE_JOB_CANCELED))
        err = read_done(&ret->canceled, store, view->id, STORE_JOB_CANCELED,
                        STORE_JOB_CLAIM_MAX, deadline);
    if (!err && view->auths) {
        ret->auths = calloc(1, sizeof(*ret->auths));
        err = ret->auths ? store_auth_list(store, view->id, STORE_AUTH_LIST_MAX, ret->auths,
                                           deadline) : WR_NOMEM;
    }
    if (!err)
        err = store_evidence_domains(store, view->id, &ret->domains, deadline);
    return err ? err : store_domain_rule_list(store, &ret->rules, deadline);
}

wr_err queue_status_read(struct queue_status *ret, struct store *store,
                         const struct queue_view *view, bool full, wr_time deadline)
{
    *ret = (struct queue_status){ .view = view, .full = full, .now = wr_wall() };
    wr_err err = store_evidence_count(store, view->id, &ret->found, deadline);
    if (!err && count_all(view, STORE_JOB_FAILED))
        err = read_done(&ret->failed, store, view->id, STORE_JOB_FAILED,
                        full ? STORE_JOB_CLAIM_MAX : ERRORS_MAX, deadline);
    return !err && full ? read_lists(ret, store, deadline) : err;
}

static void free_jobs(struct store_jobs *jobs)
{
    if (jobs)
        store_jobs_free(jobs);
    free(jobs);
}

void queue_status_free(struct queue_status *status)
{
    free_jobs(status->failed);
    free_jobs(status->open);
    free_jobs(status->completed);
    free_jobs(status->canceled);
    if (status->auths)
        store_auths_free(status->auths);
    free(status->auths);
    store_rows_free(&status->domains);
    store_rows_free(&status->rules);
    *status = (struct queue_status){ 0 };
}

/* ---- what follows from the counts ---- */

static uint64_t under_way(const struct queue_view *view, enum queue_kind_id kind)
{
    return queue_view_count(view, kind, STORE_JOB_QUEUED)
           + queue_view_count(view, kind, STORE_JOB_RUNNING);
}

static uint64_t seen(const struct queue_view *view, enum queue_kind_id kind)
{
    uint64_t all = 0;
    for (int state = STORE_JOB_QUEUED; state <= STORE_JOB_CANCELED; state++)
        all += queue_view_count(view, kind, (enum store_job_state)state);
    return all;
}

static bool targets_drained(const struct queue_view *view)
{
    return under_way(view, QUEUE_TARGET) == 0;
}

/* One that was never queued is over once no target can bring it any more. */
static bool drained(const struct queue_view *view, enum queue_kind_id kind)
{
    return under_way(view, kind) == 0 && (seen(view, kind) || targets_drained(view));
}

/* What vectors are made for comes after them. */
static bool verified(const struct queue_view *view)
{
    return under_way(view, QUEUE_EMBED) == 0 && drained(view, QUEUE_VERIFY);
}

struct queue_milestones queue_status_milestones(const struct queue_view *view)
{
    return (struct queue_milestones){
        .targets_drained = targets_drained(view),
        .verified = verified(view),
        .citations_ready = targets_drained(view) && drained(view, QUEUE_CITATIONS)
                           && view->auths == 0 };
}

static int64_t active_ms(const struct queue_status *status)
{
    const struct queue_view *view = status->view;
    int64_t more = status->now.ns > view->read_at.ns
        ? (status->now.ns - view->read_at.ns) / WR_MS(1) : 0;
    bool runs = view->status == STORE_TASK_EXPLORING && queue_view_open(view);
    return view->active_ms + (runs ? more : 0);
}

/* Since something was over, or the task was made; while something runs, none. */
static int64_t idle_seconds(const struct queue_status *status)
{
    const struct queue_view *view = status->view;
    int64_t last = view->created_at.ns / WR_MS(1), now = status->now.ns / WR_MS(1);
    if (count_all(view, STORE_JOB_RUNNING))
        return 0;
    for (size_t i = 0; i < view->counts.count; i++)
        if (view->counts.counts[i].finished_ms > last)
            last = view->counts.counts[i].finished_ms;
    return now > last ? (now - last) / MS_PER_S : 0;
}

/* ---- jobs ---- */

struct queue_job_error queue_job_error(const char *text)
{
    struct queue_job_error error = { .code = "PIPELINE_ERROR", .message = text };
    size_t len = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    if (len > 0 && len < sizeof(error.code) && strncmp(text + len, ": ", 2) == 0) {
        snprintf(error.code, sizeof(error.code), "%.*s", (int)len, text);
        error.message = text + len + 2;
    }
    return error;
}

const char *queue_job_subject(const char *input, char *buf, size_t size)
{
    static const char *const keys[] = { "query", "url", "doi" };
    json_t *json = input ? json_loads(input, 0, NULL) : NULL;
    const json_t *target = json_object_get(json, "target");
    const char *text = "";
    for (size_t i = 0; i < 3; i++)
        if (json_is_string(json_object_get(target, keys[i])))
            text = json_string_value(json_object_get(target, keys[i]));
    size_t len = strnlen(text, size);
    if (len == size)
        len--;
    while (len < strlen(text) && len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80)
        len--;
    memcpy(buf, text, len);
    buf[len] = '\0';
    json_decref(json);
    return buf;
}

static const char *const states[] = {
    [STORE_JOB_QUEUED] = "queued", [STORE_JOB_RUNNING] = "running",
    [STORE_JOB_WAITING] = "awaiting_auth", [STORE_JOB_COMPLETED] = "completed",
    [STORE_JOB_FAILED] = "failed", [STORE_JOB_CANCELED] = "cancelled",
};

static void write_error(struct wr_json *json, const char *text)
{
    struct queue_job_error error = queue_job_error(text);
    wr_json_str(json, "error_code", error.code);
    wr_json_str(json, "message", error.message);
}

void queue_job_write(struct wr_json *json, const struct store_job *job, bool whole)
{
    char subject[SUBJECT_MAX];
    wr_json_object(json, NULL);
    wr_json_str(json, "id", job->id);
    if (whole)
        wr_json_str(json, "task_id", job->task);
    wr_json_str(json, "kind", job->kind);
    wr_json_str(json, "query", queue_job_subject(job->input, subject, sizeof(subject)));
    wr_json_str(json, "status", states[job->state]);
    wr_json_i64(json, "priority", job->priority);
    wr_json_u64(json, "attempt", job->attempt);
    wr_json_time(json, "created_at", job->queued_at);
    wr_json_time(json, "started_at", job->started_at);
    wr_json_time(json, "completed_at", job->finished_at);
    if (job->error) {
        wr_json_object(json, "error");
        write_error(json, job->error);
        wr_json_end(json);
    }
    if (whole && job->input)
        wr_json_raw(json, "input", job->input, strlen(job->input));
    if (whole && job->output)
        wr_json_raw(json, "output", job->output, strlen(job->output));
    wr_json_end(json);
}

/* ---- a summary ---- */

static void write_phase(struct wr_json *json, const struct queue_view *view,
                        enum queue_kind_id kind)
{
    static const enum store_job_state shown[] = { STORE_JOB_QUEUED, STORE_JOB_RUNNING,
                                                  STORE_JOB_COMPLETED, STORE_JOB_FAILED };
    wr_json_object(json, queue_kinds[kind].phase);
    for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++)
        wr_json_u64(json, states[shown[i]], queue_view_count(view, kind, shown[i]));
    wr_json_end(json);
}

/* As long as what is over has taken, for each job that is not; nobody knows before one is. */
static void write_eta(struct wr_json *json, const struct queue_status *status)
{
    const struct queue_view *view = status->view;
    uint64_t over = count_all(view, STORE_JOB_COMPLETED) + count_all(view, STORE_JOB_FAILED);
    uint64_t left = count_all(view, STORE_JOB_QUEUED) + count_all(view, STORE_JOB_RUNNING);
    if (left == 0)
        wr_json_u64(json, "eta_seconds", 0);
    else if (over == 0)
        wr_json_null(json, "eta_seconds");
    else
        wr_json_u64(json, "eta_seconds", (uint64_t)active_ms(status) / over * left / MS_PER_S);
}

static void write_progress(struct wr_json *json, const struct queue_status *status)
{
    const struct queue_view *view = status->view;
    uint64_t running = queue_view_count(view, QUEUE_TARGET, STORE_JOB_RUNNING);
    wr_json_object(json, "progress");
    wr_json_object(json, "searches");
    wr_json_u64(json, "satisfied", queue_view_count(view, QUEUE_TARGET, STORE_JOB_COMPLETED));
    wr_json_u64(json, "running", running);
    wr_json_u64(json, "total", seen(view, QUEUE_TARGET));
    wr_json_end(json);
    wr_json_object(json, "queue");
    wr_json_u64(json, "depth", queue_view_count(view, QUEUE_TARGET, STORE_JOB_QUEUED));
    wr_json_u64(json, "running", running);
    wr_json_end(json);
    wr_json_object(json, "jobs_by_phase");
    for (int kind = 0; kind < QUEUE_KINDS; kind++)
        if (queue_kinds[kind].phase)
            write_phase(json, view, (enum queue_kind_id)kind);
    wr_json_end(json);
    write_eta(json, status);
    wr_json_end(json);
}

static void write_budget(struct wr_json *json, const struct queue_status *status)
{
    const struct queue_view *view = status->view;
    int64_t left = view->pages_max > view->pages_used
        ? (view->pages_max - view->pages_used) * 100 / view->pages_max : 0;
    wr_json_object(json, "budget");
    wr_json_i64(json, "pages_used", view->pages_used);
    wr_json_i64(json, "pages_limit", view->pages_max);
    wr_json_i64(json, "remaining_percent", left);
    wr_json_i64(json, "time_used_seconds", active_ms(status) / MS_PER_S);
    wr_json_i64(json, "time_limit_seconds", view->seconds_max);
    wr_json_end(json);
}

static void write_waiting(struct wr_json *json, const struct queue_view *view,
                          enum queue_kind_id kind)
{
    uint64_t queued = queue_view_count(view, kind, STORE_JOB_QUEUED);
    uint64_t running = queue_view_count(view, kind, STORE_JOB_RUNNING);
    bool over = kind == QUEUE_TARGET   ? targets_drained(view)
                : kind == QUEUE_VERIFY ? verified(view)
                                       : drained(view, kind);
    wr_json_object(json, NULL);
    wr_json_str(json, "kind", queue_kinds[kind].name);
    wr_json_str(json, "status", over      ? "drained"
                                : running ? "running"
                                : queued  ? "queued"
                                          : "not_enqueued");
    wr_json_u64(json, "queued", queued);
    wr_json_u64(json, "running", running);
    wr_json_u64(json, "completed", queue_view_count(view, kind, STORE_JOB_COMPLETED));
    wr_json_end(json);
}

static void write_milestones(struct wr_json *json, const struct queue_view *view)
{
    struct queue_milestones reached = queue_status_milestones(view);
    wr_json_object(json, "milestones");
    wr_json_bool(json, "target_queue_drained", reached.targets_drained);
    wr_json_bool(json, "nli_verification_done", reached.verified);
    wr_json_bool(json, "citation_chase_ready", reached.citations_ready);
    wr_json_end(json);
    wr_json_array(json, "waiting_for");
    write_waiting(json, view, QUEUE_TARGET);
    write_waiting(json, view, QUEUE_CITATIONS);
    write_waiting(json, view, QUEUE_VERIFY);
    if (view->auths) {
        wr_json_object(json, NULL);
        wr_json_str(json, "kind", "pending_auth");
        wr_json_str(json, "status", "pending");
        wr_json_u64(json, "count", view->auths);
        wr_json_end(json);
    }
    wr_json_end(json);
}

static void write_warnings(struct wr_json *json, const struct queue_status *status)
{
    const struct queue_view *view = status->view;
    int64_t idle = idle_seconds(status), seconds = active_ms(status) / MS_PER_S;
    bool queued = count_all(view, STORE_JOB_QUEUED);
    char text[300];
    wr_json_array(json, "warnings");
    if (view->status == STORE_TASK_EXPLORING && idle >= QUEUE_IDLE_MAX / WR_S(1)) {
        snprintf(text, sizeof(text), "nothing has happened for %lld s: %s", (long long)idle,
                 queued        ? "jobs are queued, for sites that have no turn yet, or no node "
                                 "does them"
                 : view->auths ? "what is left waits for a person"
                               : "queue more targets, or stop the task");
        wr_json_str(json, NULL, text);
    }
    if (view->pages_used >= view->pages_max) {
        snprintf(text, sizeof(text), "the %lld pages of the budget are used up: no more are "
                 "fetched until it is raised", (long long)view->pages_max);
        wr_json_str(json, NULL, text);
    }
    if (seconds >= view->seconds_max) {
        snprintf(text, sizeof(text), "the %lld s of the budget are used up: no more targets "
                 "are taken until it is raised", (long long)view->seconds_max);
        wr_json_str(json, NULL, text);
    }
    wr_json_end(json);
}

static void write_errors(struct wr_json *json, const struct queue_status *status)
{
    char subject[SUBJECT_MAX];
    size_t count = status->failed ? status->failed->count : 0;
    wr_json_array(json, "errors");
    for (size_t i = 0; i < count && i < ERRORS_MAX; i++) {
        const struct store_job *job = &status->failed->jobs[i];
        wr_json_object(json, NULL);
        wr_json_str(json, "job_id", job->id);
        wr_json_str(json, "kind", job->kind);
        wr_json_str(json, "target", queue_job_subject(job->input, subject, sizeof(subject)));
        write_error(json, job->error ? job->error : "");
        wr_json_end(json);
    }
    wr_json_end(json);
    wr_json_u64(json, "error_count", count_all(status->view, STORE_JOB_FAILED));
}

/* ---- the rest of a full one ---- */

#define LISTS 4

/* The order in which they are done. */
static int by_turn(const void *a, const void *b)
{
    const struct store_job *one = *(const struct store_job *const *)a;
    const struct store_job *other = *(const struct store_job *const *)b;
    int64_t since = one->queued_at.ns - other->queued_at.ns;
    return one->priority != other->priority ? (one->priority > other->priority ? 1 : -1)
           : since                          ? (since > 0 ? 1 : -1)
                                            : strcmp(one->id, other->id);
}

static void write_items(struct wr_json *json, const struct queue_status *status)
{
    const struct store_jobs *const lists[LISTS] = { status->open, status->completed,
                                                    status->failed, status->canceled };
    const struct store_job *jobs[LISTS * STORE_JOB_CLAIM_MAX];
    size_t count = 0;
    for (size_t i = 0; i < LISTS; i++)
        for (size_t j = 0; lists[i] && j < lists[i]->count && j < STORE_JOB_CLAIM_MAX; j++)
            jobs[count++] = &lists[i]->jobs[j];
    qsort(jobs, count, sizeof(void *), by_turn);
    wr_json_array(json, "queue_items");
    for (size_t i = 0; i < count; i++)
        queue_job_write(json, jobs[i], false);
    wr_json_end(json);
}

static void write_search(struct wr_json *json, const struct store_job *job)
{
    static const char *const keys[] = { "status", "pages_fetched", "useful_fragments",
                                        "harvest_rate", "satisfaction_score",
                                        "has_primary_source" };
    char subject[SUBJECT_MAX];
    json_t *output = job->output ? json_loads(job->output, 0, NULL) : NULL;
    wr_json_object(json, NULL);
    wr_json_str(json, "id", job->id);
    wr_json_str(json, "query", queue_job_subject(job->input, subject, sizeof(subject)));
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        char text[64];
        const json_t *value = json_object_get(output, keys[i]);
        size_t len = value ? json_dumpb(value, text, sizeof(text), JSON_ENCODE_ANY) : 0;
        if (len > 0 && len <= sizeof(text))
            wr_json_raw(json, keys[i], text, len);
    }
    wr_json_end(json);
    json_decref(output);
}

static void write_searches(struct wr_json *json, const struct store_jobs *jobs)
{
    wr_json_array(json, "searches_detail");
    for (size_t i = 0; jobs && i < jobs->count; i++)
        if (strcmp(jobs->jobs[i].kind, queue_kinds[QUEUE_TARGET].name) == 0)
            write_search(json, &jobs->jobs[i]);
    wr_json_end(json);
}

static void write_kinds(struct wr_json *json, const struct queue_view *view)
{
    wr_json_object(json, "jobs_by_kind");
    for (size_t i = 0; i < view->counts.count; i++) {
        wr_json_object(json, view->counts.counts[i].kind);
        for (int state = STORE_JOB_QUEUED; state <= STORE_JOB_CANCELED; state++)
            wr_json_u64(json, states[state], view->counts.counts[i].jobs[state]);
        wr_json_end(json);
    }
    wr_json_end(json);
}

/* A domain with how it wants to be helped; each is written once, with its first item. */
static void write_domain(struct wr_json *json, const struct store_auths *auths, size_t first)
{
    const char *domain = auths->auths[first].domain;
    uint64_t count = 0;
    wr_json_object(json, NULL);
    wr_json_str(json, "domain", domain);
    wr_json_array(json, "auth_types");
    for (size_t i = first; i < auths->count; i++) {
        bool known = strcmp(auths->auths[i].domain, domain) != 0;
        count += !known;
        for (size_t j = first; j < i && !known; j++)
            known = strcmp(auths->auths[j].domain, domain) == 0
                    && strcmp(auths->auths[j].type, auths->auths[i].type) == 0;
        if (!known)
            wr_json_str(json, NULL, auths->auths[i].type);
    }
    wr_json_end(json);
    wr_json_u64(json, "count", count);
    wr_json_end(json);
}

static void write_auths(struct wr_json *json, const struct queue_status *status)
{
    const struct store_auths *auths = status->auths;
    wr_json_object(json, "pending_auth_detail");
    wr_json_u64(json, "awaiting_auth_jobs", count_all(status->view, STORE_JOB_WAITING));
    wr_json_u64(json, "pending_captchas", status->view->auths);
    wr_json_array(json, "domains");
    for (size_t i = 0; auths && i < auths->count; i++) {
        bool known = false;
        for (size_t j = 0; j < i && !known; j++)
            known = strcmp(auths->auths[j].domain, auths->auths[i].domain) == 0;
        if (!known)
            write_domain(json, auths, i);
    }
    wr_json_end(json);
    wr_json_end(json);
}

/* What people have said of domains, for all tasks. */
static void write_rules(struct wr_json *json, const struct store_rows *rules)
{
    wr_json_array(json, "blocked_domains");
    for (size_t i = 0; i < rules->count; i++)
        if (strcmp(store_text(rules, i, 1), "block") == 0)
            wr_json_str(json, NULL, store_text(rules, i, 0));
    wr_json_end(json);
    wr_json_array(json, "domain_overrides");
    for (size_t i = 0; i < rules->count; i++) {
        wr_json_object(json, NULL);
        wr_json_str(json, "domain_pattern", store_text(rules, i, 0));
        wr_json_str(json, "decision", store_text(rules, i, 1));
        wr_json_str(json, "reason", store_text(rules, i, 2) ? store_text(rules, i, 2) : "");
        wr_json_end(json);
    }
    wr_json_end(json);
}

static void write_evidence(struct wr_json *json, const struct queue_status *status)
{
    const struct store_evidence *found = &status->found;
    wr_json_object(json, "evidence_summary");
    wr_json_u64(json, "total_claims", found->claims);
    wr_json_u64(json, "total_fragments", found->fragments);
    wr_json_u64(json, "total_pages", found->pages);
    wr_json_u64(json, "supporting_edges", found->supporting);
    wr_json_u64(json, "refuting_edges", found->refuting);
    wr_json_u64(json, "neutral_edges", found->neutral);
    wr_json_array(json, "top_domains");
    for (size_t i = 0; i < status->domains.count; i++)
        wr_json_str(json, NULL, store_text(&status->domains, i, 0));
    wr_json_end(json);
    wr_json_end(json);
}

static void write_full(struct wr_json *json, const struct queue_status *status)
{
    write_searches(json, status->completed);
    write_items(json, status);
    write_auths(json, status);
    write_kinds(json, status->view);
    wr_json_i64(json, "idle_seconds", idle_seconds(status));
    write_rules(json, &status->rules);
    write_evidence(json, status);
}

void queue_status_write(struct wr_text *text, const struct queue_status *status)
{
    const struct queue_view *view = status->view;
    struct wr_json out = wr_json_to(text), *json = &out;
    wr_json_object(json, NULL);
    wr_json_bool(json, "ok", true);
    wr_json_str(json, "task_id", view->id);
    wr_json_str(json, "status", store_task_word(view->status));
    if (view->reason[0])
        wr_json_str(json, "stop_reason", view->reason);
    wr_json_str(json, "hypothesis", view->hypothesis);
    wr_json_str(json, "change", status->change);
    write_progress(json, status);
    wr_json_object(json, "metrics");
    wr_json_u64(json, "total_claims", status->found.claims);
    wr_json_u64(json, "total_pages", status->found.pages);
    wr_json_u64(json, "total_fragments", status->found.fragments);
    wr_json_i64(json, "elapsed_seconds", active_ms(status) / MS_PER_S);
    wr_json_end(json);
    write_budget(json, status);
    write_milestones(json, view);
    wr_json_u64(json, "pending_auth_count", view->auths);
    write_errors(json, status);
    write_warnings(json, status);
    if (status->full)
        write_full(json, status);
    wr_json_end(json);
}

void queue_status_summary(struct wr_json *json, const struct queue_view *view, uint64_t claims,
                          int primary)
{
    wr_json_object(json, "summary");
    wr_json_u64(json, "total_searches", seen(view, QUEUE_TARGET));
    wr_json_u64(json, "satisfied_searches",
                queue_view_count(view, QUEUE_TARGET, STORE_JOB_COMPLETED));
    wr_json_u64(json, "total_claims", claims);
    wr_json_decimal(json, "primary_source_ratio", primary, 3);
    wr_json_i64(json, "pages_used", view->pages_used);
    wr_json_end(json);
}
