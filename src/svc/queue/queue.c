/* queue.c - see queue.h. */
#include "svc/queue/queue.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/scope.h>

#include "base/world.h"
#include "store/removal.h"
#include "svc/queue/task_news.h"
#include "svc/queue/scheduler.h"
#include "svc/queue/slots.h"

#define LEASE WR_S(30)
#define VIEWS_MAX 4096
#define STOP_WITHIN WR_S(20)            /* what a stop changes in the store */
#define CLEAR_WITHIN WR_S(5)            /* what is left of a removal follows later */
#define FULL_DRAIN WR_MS(500)           /* a full stop waits so long for what it has ended */

struct queue {
    struct store *store;
    struct slots *slots;
    struct news *news;
    struct scheduler *scheduler;
    uint32_t boot;                      /* `change` is of this process */
    void (*helped)(void *arg, const char *domain);
    void *helped_arg;
};

/* What the store says, of a task that was named.  One that cannot be written to knows why. */
static wr_err say_store(struct queue *queue, struct queue_why *why, wr_err err,
                        const char *task)
{
    struct store_health health;
    if (err == WR_NOTFOUND)
        return queue_why_say(why, err, "TASK_NOT_FOUND", "task_id",
                             "there is no task \"%.60s\"", task);
    if (!err)
        return WR_OK;
    store_health(queue->store, &health);
    bool knows = err == WR_IO && health.state == STORE_DEGRADED;
    return queue_why_say(why, err, "INTERNAL_ERROR", "", "the store: %s",
                         knows ? health.why.text : wr_err_text(err));
}

/* ---- the whole ---- */

/* Word from another node. */
static void hear(void *arg, const char *name)
{
    struct queue *queue = arg;
    if (!name) {
        news_doubt(queue->news);
    } else if (strncmp(name, "task_", 5) == 0) {
        news_ring(queue->news, name);
        scheduler_doubt(queue->scheduler, name);
    }
}

wr_err queue_new(struct queue **ret, const struct queue_conf *conf)
{
    static const unsigned usual[QUEUE_SLOTS] = { 1, 1, 4, 8 };
    static const struct queue_handler nobody[QUEUE_KINDS];
    unsigned limits[QUEUE_SLOTS];
    struct queue *queue = calloc(1, sizeof(*queue));
    if (!queue)
        return WR_NOMEM;
    for (size_t i = 0; i < QUEUE_SLOTS; i++)
        limits[i] = conf->limits[i] ? conf->limits[i] : usual[i];
    queue->store = conf->store;
    queue->helped = conf->helped;
    queue->helped_arg = conf->helped_arg;
    wr_world->entropy(&queue->boot, sizeof(queue->boot));
    wr_err err = slots_new(&queue->slots, limits);
    if (!err)
        err = news_new(&queue->news, conf->views_max ? conf->views_max : VIEWS_MAX);
    if (!err)
        err = scheduler_new(&queue->scheduler, &(struct scheduler_conf){
            .store = conf->store, .slots = queue->slots, .news = queue->news,
            .handlers = conf->handlers ? conf->handlers : nobody,
            .lease = conf->lease ? conf->lease : LEASE, .fair = conf->fair });
    if (err) {
        queue_free(queue);
        return err;
    }
    store_listen(queue->store, hear, queue);
    *ret = queue;
    return WR_OK;
}

void queue_free(struct queue *queue)
{
    if (!queue)
        return;
    store_listen(queue->store, NULL, NULL);
    scheduler_free(queue->scheduler);
    news_free(queue->news);
    slots_free(queue->slots);
    free(queue);
}

wr_err queue_run(struct queue *queue, struct wr_once *drain, wr_time moment)
{
    return scheduler_run(queue->scheduler, drain, moment);
}

bool queue_runs(const struct queue *queue)
{
    return scheduler_runs(queue->scheduler);
}

void queue_tune(struct queue *queue, const unsigned limits[QUEUE_SLOTS], bool fair)
{
    slots_tune(queue->slots, limits);
    scheduler_tune(queue->scheduler, fair);
}

void queue_hush(struct queue *queue)
{
    news_hush(queue->news);
}

struct store *queue_store(const struct queue *queue)
{
    return queue->store;
}

wr_err queue_shield(struct wr_scope **ret, wr_time within)
{
    wr_err err = wr_scope_new(ret, &(struct wr_scope_conf){
        .name = "queue.shield", .shield = true, .deadline = wr_after(within) });
    if (!err)
        wr_scope_enter(*ret);
    return err;
}

void queue_shield_end(struct wr_scope *shield)
{
    wr_scope_leave(shield);
    (void)!wr_scope_close(shield);
}

/* ---- tasks and targets ---- */

wr_err queue_create(struct queue *queue, const struct queue_task *task, char ret_id[QUEUE_ID],
                    struct queue_why *why, wr_time deadline)
{
    size_t len = strlen(task->hypothesis);
    if (len == 0 || len > STORE_TASK_TEXT_MAX)
        return queue_why_say(why, WR_INVALID, "INVALID_PARAMS", "hypothesis",
                             "hypothesis has %zu bytes; 1 to %d are allowed", len,
                             STORE_TASK_TEXT_MAX);
    return say_store(queue, why, store_task_add(queue->store, &(struct store_task_new){
        .id = queue_id(ret_id, "task_"), .hypothesis = task->hypothesis,
        .pages_max = task->pages_max, .seconds_max = task->seconds_max }, deadline), ret_id);
}

wr_err queue_allow(struct queue *queue, const char *task, int64_t pages_max,
                   int64_t seconds_max, struct queue_why *why, wr_time deadline)
{
    wr_err err = store_task_allow(queue->store, task, pages_max, seconds_max, deadline);
    if (!err)
        scheduler_announce(queue->scheduler, task);
    return say_store(queue, why, err, task);
}

wr_err queue_submit(struct queue *queue, const char *task, const char *rows,
                    struct queue_submitted *ret, struct queue_why *why, wr_time deadline)
{
    *ret = (struct queue_submitted){ 0 };
    wr_err err = store_task_submit(queue->store, task, rows, queue_slot_names, &ret->took,
                                   deadline);
    if (err == WR_DENIED)
        return queue_why_say(why, err, "INVALID_PARAMS", "task_id",
                             "task \"%.60s\" has failed and takes no more targets; create "
                             "another", task);
    if (err == WR_BUSY && (ret->took.no_pages || ret->took.no_time))
        return queue_why_say(why, WR_DENIED, "BUDGET_EXHAUSTED", "task_id",
                             "the %s of task \"%.60s\" are used up: allow it more, or "
                             "create another", ret->took.no_pages ? "pages" : "seconds", task);
    if (err)
        return say_store(queue, why, err, task);
    ret->resumed = ret->took.was == STORE_TASK_PAUSED;
    ret->skipped = ret->took.skipped;
    scheduler_announce(queue->scheduler, task);
    return WR_OK;
}

void queue_submitted_free(struct queue_submitted *submitted)
{
    store_submitted_free(&submitted->took);
}

/* ---- looking ---- */

static wr_err read_view(void *arg, const char *task, struct queue_view **ret, wr_time deadline)
{
    struct queue *queue = arg;
    return queue_view_read(queue->store, task, ret, deadline);
}

/* A view that is as new as its version; its change says so. */
static wr_err view_now(struct queue *queue, const char *task, struct queue_view **ret,
                       uint64_t *ret_version, wr_time deadline)
{
    return news_view(queue->news, task, read_view, queue, ret, ret_version, deadline);
}

/* "1f00ba12-42" is a version of this process; of another, all are new. */
static bool read_since(const struct queue *queue, const char *text, uint64_t *ret)
{
    unsigned boot;
    uint64_t version;
    int end = 0;
    if (sscanf(text, "%8x-%20" SCNu64 "%n", &boot, &version, &end) != 2 || text[end])
        return false;
    *ret = boot == queue->boot ? version : 0;
    return true;
}

static void write_change(const struct queue *queue, uint64_t version, char ret[QUEUE_CHANGE])
{
    snprintf(ret, QUEUE_CHANGE, "%08x-%" PRIu64, queue->boot, version);
}

/* Wait for a higher version; LAGGED: it is the same, but somebody must look.  WR_OK: look. */
static wr_err wait_on(struct queue *queue, struct queue_view **view, uint64_t since,
                      uint64_t *doubts, wr_time until)
{
    char task[STORE_TASK_ID_MAX + 1];
    memcpy(task, (*view)->id, sizeof(task));
    wr_err err = news_wait(queue->news, task, since, doubts, until);
    if (err != WR_LAGGED)
        return err;
    struct queue_view *now;
    uint64_t version;
    err = view_now(queue, task, &now, &version, until);
    if (err)
        return err;
    if (queue_view_same(*view, now))
        err = WR_LAGGED;
    else
        news_ring(queue->news, task);       /* word of it was lost */
    queue_view_unref(now);
    return err;
}

/* Until there is something new; *view and *version are what is then. */
static wr_err wait_for_news(struct queue *queue, const struct queue_look *look, uint64_t since,
                            uint64_t doubts, struct queue_view **view, uint64_t *version)
{
    wr_time until = wr_after(look->wait);
    wr_err err = WR_OK;
    while (*version <= since && (look->follow || queue_view_open(*view) > 0)) {
        err = wait_on(queue, view, since, &doubts, until);
        if (err == WR_LAGGED)
            continue;
        if (err)
            break;
        struct queue_view *now;
        err = view_now(queue, (*view)->id, &now, version, until);
        if (err)
            break;
        queue_view_unref(*view);
        *view = now;
    }
    bool is_over = err == WR_TIMEOUT || err == WR_DRAINING;
    return is_over ? wr_scope_check() : err;
}

wr_err queue_look(struct queue *queue, const char *task, const struct queue_look *look,
                  struct queue_look_at *ret, struct queue_why *why, wr_time deadline)
{
    uint64_t since = 0, version, first, doubts;
    if (look->wait < 0 || look->wait > QUEUE_WAIT_MAX)
        return queue_why_say(why, WR_INVALID, "INVALID_PARAMS", "wait",
                             "wait is %lld s; 0 to %lld are allowed",
                             (long long)(look->wait / WR_S(1)),
                             (long long)(QUEUE_WAIT_MAX / WR_S(1)));
    if (look->since && !read_since(queue, look->since, &since))
        return queue_why_say(why, WR_INVALID, "INVALID_PARAMS", "since",
                             "since is \"%.40s\"; it is the `change` of a status that was "
                             "answered before", look->since);
    wr_err err = strlen(task) > STORE_TASK_ID_MAX ? WR_NOTFOUND
                 : news_version(queue->news, task, &first, &doubts);
    if (!err)
        err = view_now(queue, task, &ret->view, &version, deadline);
    if (err)
        return say_store(queue, why, err, task);
    if (!look->since)
        since = version;
    if (look->wait)
        err = wait_for_news(queue, look, since, doubts, &ret->view, &version);
    if (err) {
        queue_view_unref(ret->view);
        return say_store(queue, why, err, task);
    }
    write_change(queue, version, ret->change);
    return WR_OK;
}

/* ---- stopping ---- */

static uint64_t running_of(const struct queue_view *view, const char *kind)
{
    uint64_t count = 0;
    for (size_t i = 0; i < view->counts.count; i++)
        if (!kind || strcmp(view->counts.counts[i].kind, kind) == 0)
            count += view->counts.counts[i].jobs[STORE_JOB_RUNNING];
    return count;
}

/* Until none of these runs any more, on any node, or for QUEUE_GRACE.  *ret is how many ran. */
static wr_err wait_for_running(struct queue *queue, const char *task, const char *kind,
                               uint64_t *ret, wr_time deadline)
{
    wr_time until = wr_after(QUEUE_GRACE);
    until = until < deadline ? until : deadline;
    uint64_t running = 0, version, first, doubts;
    wr_err err = news_version(queue->news, task, &first, &doubts);
    *ret = 0;
    while (!err) {
        struct queue_view *view;
        err = view_now(queue, task, &view, &version, deadline);
        if (err)
            break;
        running = running_of(view, kind);
        queue_view_unref(view);
        *ret = running > *ret ? running : *ret;
        if (!running)
            break;
        err = news_wait(queue->news, task, version, &doubts, until);
        if (err == WR_LAGGED)
            err = WR_OK;
    }
    bool is_over = err == WR_TIMEOUT || err == WR_DRAINING;
    return is_over ? wr_scope_check() : err;
}

/* Between the commit and word of it nobody may be canceled: what runs would run on. */
static wr_err stop_now(struct queue *queue, const char *task, const struct queue_stop *stop,
                       const char *kind, struct queue_stopped *ret, wr_time deadline)
{
    bool graceful = stop->mode == QUEUE_GRACEFUL;
    struct wr_scope *shield;
    struct store_tasks tasks;
    wr_err err = queue_shield(&shield, STOP_WITHIN);
    if (err)
        return err;
    err = store_task_get(queue->store, task, &tasks, deadline);
    store_tasks_free(&tasks);
    if (!err)
        err = store_task_stop(queue->store, task, &(struct store_task_stop){
            .kind = kind, .running = !graceful,
            .reason = stop->reason ? stop->reason : "session_completed" }, &ret->canceled,
            deadline);
    if (!err && !graceful)
        ret->interrupted = scheduler_interrupt(queue->scheduler, task, kind);
    if (!err)
        scheduler_announce(queue->scheduler, task);
    queue_shield_end(shield);
    return err;
}

wr_err queue_stop(struct queue *queue, const char *task, const struct queue_stop *stop,
                  struct queue_stopped *ret, struct queue_why *why, wr_time deadline)
{
    const char *kind = stop->targets_only ? queue_kinds[QUEUE_TARGET].name : NULL;
    *ret = (struct queue_stopped){ 0 };
    wr_err err = stop_now(queue, task, stop, kind, ret, deadline);
    if (err)
        return say_store(queue, why, err, task);
    if (stop->mode == QUEUE_GRACEFUL)
        err = wait_for_running(queue, task, kind, &ret->waited, deadline);
    else if (stop->mode == QUEUE_FULL)
        err = scheduler_await(queue->scheduler, task, kind, wr_after(FULL_DRAIN));
    return err == WR_TIMEOUT || err == WR_CANCELED ? WR_OK : say_store(queue, why, err, task);
}

/* ---- removing ---- */

wr_err queue_remove(struct queue *queue, const char *task, bool *ret_cleared,
                    struct queue_why *why, wr_time deadline)
{
    wr_time until = wr_after(CLEAR_WITHIN);
    wr_err err = strlen(task) > STORE_TASK_ID_MAX ? WR_NOTFOUND
                 : store_removal_begin(queue->store, task, deadline);
    if (err == WR_DENIED)
        return queue_why_say(why, err, "INVALID_PARAMS", "task_id", "jobs of task "
                             "\"%.60s\" are queued, run or wait for a person; stop it first "
                             "(mode immediate)", task);
    if (err)
        return say_store(queue, why, err, task);
    scheduler_announce(queue->scheduler, task);
    *ret_cleared = !store_removal_clear(queue->store, task, until < deadline ? until
                                                                             : deadline);
    return WR_OK;
}

/* ---- people ---- */

wr_err queue_auth_list(struct queue *queue, const char *task, struct store_auths *ret,
                       uint64_t *ret_waiting, struct queue_why *why, wr_time deadline)
{
    wr_err err = store_auth_list(queue->store, task, STORE_AUTH_LIST_MAX, ret, deadline);
    *ret_waiting = ret->count;
    if (!err && ret->count == STORE_AUTH_LIST_MAX)
        err = store_auth_count(queue->store, task, ret_waiting, deadline);
    return say_store(queue, why, err, task ? task : "");
}

/* As many as the store resolves at once. */
static wr_err resolve_some(struct queue *queue, const struct store_auth_which *which,
                           enum store_auth_end end, size_t *ret, wr_time deadline)
{
    struct store_auths *auths = malloc(sizeof(*auths));     /* too large for a stack */
    if (!auths)
        return WR_NOMEM;
    wr_err err = store_auth_resolve(queue->store, which, end, queue_slot_names, auths,
                                    deadline);
    *ret = err ? 0 : auths->count;
    for (size_t i = 0; i < *ret; i++) {
        if (end == STORE_AUTH_COMPLETED && queue->helped)
            queue->helped(queue->helped_arg, auths->auths[i].domain);
        scheduler_announce(queue->scheduler, auths->auths[i].task);
    }
    store_auths_free(auths);
    free(auths);
    return err;
}

wr_err queue_auth_resolve(struct queue *queue, const struct store_auth_which *which,
                          enum store_auth_end end, uint64_t *ret, struct queue_why *why,
                          wr_time deadline)
{
    size_t some;
    wr_err err;
    *ret = 0;
    do {
        err = resolve_some(queue, which, end, &some, deadline);
        *ret += err ? 0 : some;
    } while (!err && some == STORE_AUTH_LIST_MAX);
    if (!err && which->id && *ret == 0) {
        err = store_auth_known(queue->store, which->id, deadline);
        if (err == WR_NOTFOUND)
            return queue_why_say(why, err, "RESOURCE_NOT_FOUND", "queue_id",
                                 "nothing waits for a person under the name \"%.60s\"",
                                 which->id);
    }
    return say_store(queue, why, err, "");
}
