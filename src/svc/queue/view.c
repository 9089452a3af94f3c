/* view.c - see view.h. */
#include "svc/queue/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/time.h>

#include "base/forget.h"
#include "store/auth.h"

static struct queue_view *from_task(const struct store_task *task)
{
    size_t len = strlen(task->hypothesis) + 1;
    struct queue_view *view = calloc(1, sizeof(*view) + len);
    if (!view)
        return NULL;
    atomic_init(&view->refs, 1);
    view->status = task->status;
    view->pages_max = task->pages_max;
    view->pages_used = task->pages_used;
    view->seconds_max = task->seconds_max;
    view->active_ms = task->active_ms;
    view->created_at = task->created_at;
    view->stopped_at = task->stopped_at;
    view->rounds = task->rounds;
    view->rounds_stopped = task->rounds_stopped;
    snprintf(view->reason, sizeof(view->reason), "%s", task->reason ? task->reason : "");
    snprintf(view->id, sizeof(view->id), "%s", task->id);
    memcpy(view->hypothesis, task->hypothesis, len);
    return view;
}

static bool some_wait(const struct store_counts *counts)
{
    for (size_t i = 0; i < counts->count; i++)
        if (counts->counts[i].jobs[STORE_JOB_WAITING])
            return true;
    return false;
}

wr_err queue_view_read(struct store *store, const char *task, struct queue_view **ret,
                       wr_time deadline)
{
    struct store_tasks tasks;
    struct wr_wall now = wr_wall();
    wr_err err = store_task_get(store, task, &tasks, deadline);
    struct queue_view *view = err ? NULL : from_task(&tasks.tasks[0]);
    store_tasks_free(&tasks);
    if (err)
        return err;
    if (!view)
        return WR_NOMEM;
    view->read_at = now;
    err = store_task_count(store, task, &view->counts, deadline);
    if (!err && some_wait(&view->counts))
        err = store_auth_count(store, task, &view->auths, deadline);
    if (err) {
        queue_view_unref(view);
        return err;
    }
    *ret = view;
    return WR_OK;
}

struct queue_view *queue_view_ref(struct queue_view *view)
{
    atomic_fetch_add(&view->refs, 1);
    return view;
}

void queue_view_unref(struct queue_view *view)
{
    if (view && atomic_fetch_sub(&view->refs, 1) == 1)
        wr_forget_free(view);
}

static bool same_counts(const struct store_counts *one, const struct store_counts *other)
{
    if (one->count != other->count)
        return false;
    for (size_t i = 0; i < one->count; i++) {
        size_t at = 0;
        while (at < other->count && strcmp(other->counts[at].kind, one->counts[i].kind) != 0)
            at++;
        if (at == other->count
            || memcmp(other->counts[at].jobs, one->counts[i].jobs,
                      sizeof(one->counts[i].jobs)) != 0)
            return false;
    }
    return true;
}

bool queue_view_same(const struct queue_view *one, const struct queue_view *other)
{
    return one->status == other->status && one->rounds == other->rounds
           && one->pages_used == other->pages_used
           && one->pages_max == other->pages_max && one->seconds_max == other->seconds_max
           && one->auths == other->auths && one->stopped_at.ns == other->stopped_at.ns
           && strcmp(one->reason, other->reason) == 0
           && same_counts(&one->counts, &other->counts);
}

uint64_t queue_view_count(const struct queue_view *view, enum queue_kind_id kind,
                          enum store_job_state state)
{
    for (size_t i = 0; i < view->counts.count; i++)
        if (strcmp(view->counts.counts[i].kind, queue_kinds[kind].name) == 0)
            return view->counts.counts[i].jobs[state];
    return 0;
}

uint64_t queue_view_open(const struct queue_view *view)
{
    uint64_t open = 0;
    for (size_t i = 0; i < view->counts.count; i++)
        for (int state = STORE_JOB_QUEUED; state <= STORE_JOB_WAITING; state++)
            open += view->counts.counts[i].jobs[state];
    return open;
}
