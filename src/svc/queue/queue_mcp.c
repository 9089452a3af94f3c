/* queue_mcp.c - see queue_mcp.h. */
#include "svc/queue/queue_mcp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mcp/request.h"

#define WITHIN WR_S(20)
#define POLL_MS 5000
#define INPUTS_MAX 16                   /* that are asked for at a time */

/* ---- one task ---- */

static uint64_t count_states(const struct queue_view *view, enum store_job_state from,
                             enum store_job_state to)
{
    uint64_t all = 0;
    for (size_t i = 0; i < view->counts.count; i++)
        for (int state = (int)from; state <= (int)to; state++)
            all += view->counts.counts[i].jobs[state];
    return all;
}

uint64_t queue_mcp_done(const struct queue_view *view)
{
    return count_states(view, STORE_JOB_COMPLETED, STORE_JOB_CANCELED);
}

uint64_t queue_mcp_total(const struct queue_view *view)
{
    return count_states(view, STORE_JOB_QUEUED, STORE_JOB_CANCELED);
}

static enum mcp_task_state state_of(const struct queue_view *view)
{
    if (count_states(view, STORE_JOB_QUEUED, STORE_JOB_RUNNING))
        return MCP_TASK_WORKING;
    if (view->status == STORE_TASK_FAILED)
        return MCP_TASK_FAILED;
    if (view->status == STORE_TASK_PAUSED)
        return MCP_TASK_CANCELLED;
    if (count_states(view, STORE_JOB_WAITING, STORE_JOB_WAITING))
        return MCP_TASK_INPUT_REQUIRED;
    return view->status == STORE_TASK_CREATED ? MCP_TASK_WORKING : MCP_TASK_COMPLETED;
}

static int64_t changed_ms(const struct queue_view *view)
{
    int64_t last = view->created_at.ns / WR_MS(1), stopped = view->stopped_at.ns / WR_MS(1);
    last = stopped > last ? stopped : last;
    for (size_t i = 0; i < view->counts.count; i++)
        if (view->counts.counts[i].finished_ms > last)
            last = view->counts.counts[i].finished_ms;
    return last;
}

/* A change is different whenever something is; as a number it is that with hardly any doubt. */
static uint64_t version_of(const char *change)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (; *change; change++)
        hash = (hash ^ (unsigned char)*change) * 0x100000001b3;
    return hash ? hash : 1;
}

static void describe(const struct queue_look_at *at, struct mcp_task *ret)
{
    const struct queue_view *view = at->view;
    *ret = (struct mcp_task){ .state = state_of(view),
                              .created_ms = view->created_at.ns / WR_MS(1),
                              .changed_ms = changed_ms(view), .poll_ms = POLL_MS,
                              .version = version_of(at->change) };
    snprintf(ret->id, sizeof(ret->id), "%s", view->id);
    if (ret->state == MCP_TASK_INPUT_REQUIRED)
        snprintf(ret->note, sizeof(ret->note), "%llu things wait for a person",
                 (unsigned long long)view->auths);
    else if (ret->state == MCP_TASK_CANCELLED)
        snprintf(ret->note, sizeof(ret->note), "stopped: %s", view->reason);
    else
        snprintf(ret->note, sizeof(ret->note), "%llu of %llu jobs are over",
                 (unsigned long long)queue_mcp_done(view),
                 (unsigned long long)queue_mcp_total(view));
}

wr_err queue_mcp_look(struct queue_desk *desk, const char *id, struct mcp_task *ret,
                      struct queue_why *why, wr_time deadline)
{
    struct queue_look_at at;
    wr_err err = queue_look(desk->queue, id, &(struct queue_look){ 0 }, &at, why, deadline);
    if (!err) {
        describe(&at, ret);
        queue_view_unref(at.view);
    }
    return err;
}

/* ---- as an offer has it ---- */

static struct queue_desk *desk_of(struct mcp_request *request)
{
    struct queue_desk *desk = mcp_request_arg(request);
    return desk->queue ? desk : NULL;
}

/* Until it is another than was seen, or the node drains: then a wait ends before its time with
 * nothing new. */
static wr_err look(struct mcp_request *request, const char *id, uint64_t seen,
                   struct mcp_task *ret, wr_time deadline)
{
    struct queue_desk *desk = desk_of(request);
    struct queue_why why;
    struct queue_look_at at;
    struct queue_look how = { 0 };
    char since[QUEUE_CHANGE] = "";
    for (;;) {
        wr_time until = wr_after(how.wait);
        wr_err err = desk ? queue_look(desk->queue, id, &how, &at, &why,
                                       wr_after(how.wait + WITHIN)) : WR_NOTFOUND;
        if (err)
            return err;
        describe(&at, ret);
        queue_view_unref(at.view);
        if (ret->version != seen || wr_now() >= deadline)
            return WR_OK;
        if (wr_now() < until && strcmp(since, at.change) == 0)
            return WR_DRAINING;
        memcpy(since, at.change, sizeof(since));
        wr_time left = deadline == WR_NEVER ? QUEUE_WAIT_MAX : deadline - wr_now();
        how = (struct queue_look){ .since = since, .follow = true,
                                   .wait = left < QUEUE_WAIT_MAX ? left : QUEUE_WAIT_MAX };
    }
}

static wr_err result(struct mcp_request *request, const char *id)
{
    struct queue_desk *desk = desk_of(request);
    struct wr_text *text = mcp_request_structured(request);
    struct queue_why why;
    struct queue_look_at at;
    wr_err err = desk ? queue_look(desk->queue, id, &(struct queue_look){ 0 }, &at, &why,
                                   wr_after(WITHIN)) : WR_NOTFOUND;
    if (err)
        return err;
    err = queue_desk_status(desk, &at, false, text, wr_after(WITHIN));
    queue_view_unref(at.view);
    if (!err)
        wr_text_bytes(mcp_request_text(request), text->at, text->len);
    return err;
}

static wr_err cancel(struct mcp_request *request, const char *id)
{
    struct queue_desk *desk = desk_of(request);
    struct queue_why why;
    struct queue_stopped *stopped = calloc(1, sizeof(*stopped));
    wr_err err = !desk ? WR_NOTFOUND : !stopped ? WR_NOMEM : WR_OK;
    if (!err)
        err = queue_stop(desk->queue, id, &(struct queue_stop){
            .mode = QUEUE_IMMEDIATE, .reason = "user_cancelled" }, stopped, &why,
            wr_after(WITHIN));
    free(stopped);
    return err;
}

/* The newest first, and each as it is now. */
static wr_err list(struct mcp_request *request, const char *after, struct mcp_task *ret,
                   size_t max, size_t *ret_count)
{
    struct queue_desk *desk = desk_of(request);
    struct queue_why why;
    struct store_tasks *tasks = calloc(1, sizeof(*tasks));
    wr_err err = !tasks ? WR_NOMEM : WR_OK;
    *ret_count = 0;
    max = max < STORE_TASK_LIST_MAX ? max : STORE_TASK_LIST_MAX;
    if (!err && desk)
        err = store_task_list(queue_store(desk->queue), after, max, tasks, wr_after(WITHIN));
    for (size_t i = 0; !err && tasks && i < tasks->count; i++) {
        err = queue_mcp_look(desk, tasks->tasks[i].id, &ret[*ret_count], &why,
                             wr_after(WITHIN));
        if (!err)
            ++*ret_count;
        err = err == WR_NOTFOUND ? WR_OK : err;
    }
    if (tasks)
        store_tasks_free(tasks);
    free(tasks);
    return err;
}

/* ---- what only a person can do ---- */

static json_t *ask_for(const struct store_auth *auth)
{
    return json_pack("{s:s, s:{s:s++++, s:{s:s, s:{s:{s:s, s:s}}, s:[s]}}}",
                     "method", "elicitation/create", "params",
                     "message", "Open ", auth->url, " and do what it asks for (", auth->type,
                     "), then accept.",
                     "requestedSchema", "type", "object", "properties", "done", "type",
                     "boolean", "title", "I have done it", "required", "done");
}

static json_t *inputs(struct mcp_request *request, const char *id)
{
    struct queue_desk *desk = desk_of(request);
    struct queue_why why;
    struct store_auths *auths = calloc(1, sizeof(*auths));
    json_t *all = json_object();
    if (auths && all && desk
        && !queue_auth_list(desk->queue, id, auths, &why, wr_after(WITHIN)))
        for (size_t i = 0; i < auths->count && i < INPUTS_MAX; i++)
            json_object_set_new(all, auths->auths[i].id, ask_for(&auths->auths[i]));
    if (auths)
        store_auths_free(auths);
    free(auths);
    return all;
}

static wr_err update(struct mcp_request *request, const char *id, const char *name,
                     const json_t *answer)
{
    struct queue_desk *desk = desk_of(request);
    struct queue_why why;
    const char *action = json_string_value(json_object_get(answer, "action"));
    const json_t *content = json_object_get(answer, "content");
    bool done = action && strcmp(action, "accept") == 0
                && !json_is_false(json_object_get(content, "done"));
    (void)id;
    if (!action)
        return mcp_request_fail(request, WR_INVALID, "the answer to \"%.60s\" must have "
                                "\"action\": accept, decline or cancel", name);
    struct store_auths *auths = calloc(1, sizeof(*auths));
    wr_err err = !desk ? WR_NOTFOUND : !auths ? WR_NOMEM : WR_OK;
    if (!err)
        err = queue_auth_resolve(desk->queue, &(struct store_auth_which){ .id = name },
                                 done ? STORE_AUTH_COMPLETED : STORE_AUTH_SKIPPED, auths, &why,
                                 wr_after(WITHIN));
    if (!err && auths->count == 0)
        err = WR_NOTFOUND;
    if (auths)
        store_auths_free(auths);
    free(auths);
    return err;
}

struct mcp_tasks queue_mcp_tasks(struct queue_desk *desk)
{
    return (struct mcp_tasks){ .look = look, .result = result, .cancel = cancel, .list = list,
                               .inputs = inputs, .update = update, .arg = desk };
}
