/* queue_mcp.c - see queue_mcp.h. */
#include "svc/queue/queue_mcp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mcp/request.h"

#define WITHIN WR_S(20)
#define POLL_MS 5000
#define INPUTS_MAX 16                   /* that are asked for at a time */
#define ROUND_DIGITS 18

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

/* ---- rounds ---- */

/* "task_1.2" is the second round of task_1. */
static bool read_id(const char *id, char ret_task[MCP_TASK_ID], uint64_t *ret_round)
{
    const char *dot = strrchr(id, '.');
    size_t len = dot ? (size_t)(dot - id) : 0, digits = dot ? strlen(dot + 1) : 0;
    if (len == 0 || len >= MCP_TASK_ID || digits == 0 || digits > ROUND_DIGITS
        || dot[1 + strspn(dot + 1, "0123456789")])
        return false;
    memcpy(ret_task, id, len);
    ret_task[len] = '\0';
    *ret_round = strtoull(dot + 1, NULL, 10);
    return true;
}

static bool was_stopped(const struct queue_view *view, uint64_t round)
{
    uint64_t ago = view->rounds - round;
    return ago < 64 && view->rounds_stopped >> ago & 1;
}

/* One that is over stays as it ended, whatever becomes of the task.  Before the first there is
 * nothing to wait for. */
static enum mcp_task_state state_of(const struct queue_view *view, uint64_t round)
{
    bool last = round && round == view->rounds;
    if (last && count_states(view, STORE_JOB_QUEUED, STORE_JOB_RUNNING))
        return MCP_TASK_WORKING;
    if (last && view->status == STORE_TASK_FAILED)
        return MCP_TASK_FAILED;
    if (round && was_stopped(view, round))
        return MCP_TASK_CANCELLED;
    if (last && count_states(view, STORE_JOB_WAITING, STORE_JOB_WAITING))
        return MCP_TASK_INPUT_REQUIRED;
    return MCP_TASK_COMPLETED;
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

static void write_note(const struct queue_view *view, uint64_t round, struct mcp_task *ret)
{
    struct wr_text note = wr_text_over(ret->note, sizeof(ret->note));
    if (ret->state == MCP_TASK_INPUT_REQUIRED)
        wr_text_format(&note, "%llu things wait for a person", (unsigned long long)view->auths);
    else if (round < view->rounds)
        wr_text_format(&note, "this was round %llu; the task has gone on with another",
                       (unsigned long long)round);
    else if (!round)
        wr_text_str(&note, "no targets were queued yet");
    else if (ret->state == MCP_TASK_CANCELLED)
        wr_text_format(&note, "stopped: %s", view->reason);
    else
        wr_text_format(&note, "%llu of %llu jobs are over",
                       (unsigned long long)queue_mcp_done(view),
                       (unsigned long long)queue_mcp_total(view));
}

static void describe(const struct queue_look_at *at, uint64_t round, struct mcp_task *ret)
{
    const struct queue_view *view = at->view;
    *ret = (struct mcp_task){ .state = state_of(view, round),
                              .created_ms = view->created_at.ns / WR_MS(1),
                              .changed_ms = changed_ms(view), .poll_ms = POLL_MS,
                              .version = version_of(at->change) };
    snprintf(ret->id, sizeof(ret->id), "%s.%llu", view->id, (unsigned long long)round);
    write_note(view, round, ret);
}

wr_err queue_mcp_look(struct queue_desk *desk, const char *task, struct mcp_task *ret,
                      struct queue_why *why, wr_time deadline)
{
    struct queue_look_at at;
    wr_err err = queue_look(desk->queue, task, &(struct queue_look){ 0 }, &at, why, deadline);
    if (!err) {
        describe(&at, at.view->rounds, ret);
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

/* A look at a round that there is, or was. */
static wr_err look_at(struct mcp_request *request, const char *id, const struct queue_look *how,
                      uint64_t *ret_round, struct queue_look_at *ret)
{
    struct queue_desk *desk = desk_of(request);
    char task[MCP_TASK_ID];
    struct queue_why why;
    if (!desk || !read_id(id, task, ret_round))
        return WR_NOTFOUND;
    wr_err err = queue_look(desk->queue, task, how, ret, &why, wr_after(how->wait + WITHIN));
    if (!err && *ret_round > ret->view->rounds) {
        queue_view_unref(ret->view);
        err = WR_NOTFOUND;
    }
    return err;
}

/* Until it is another than was seen, or the node drains: then a wait ends before its time with
 * nothing new. */
static wr_err look(struct mcp_request *request, const char *id, uint64_t seen,
                   struct mcp_task *ret, wr_time deadline)
{
    struct queue_look_at at;
    struct queue_look how = { 0 };
    char since[QUEUE_CHANGE] = "";
    uint64_t round;
    for (;;) {
        wr_time until = wr_after(how.wait);
        wr_err err = look_at(request, id, &how, &round, &at);
        if (err)
            return err;
        describe(&at, round, ret);
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
    struct wr_text *text = mcp_request_structured(request);
    struct queue_look_at at;
    uint64_t round;
    wr_err err = look_at(request, id, &(struct queue_look){ 0 }, &round, &at);
    if (err)
        return err;
    err = queue_desk_status(desk_of(request), &at, false, text, wr_after(WITHIN));
    queue_view_unref(at.view);
    if (!err)
        wr_text_bytes(mcp_request_text(request), text->at, text->len);
    return err;
}

/* What is queued after its round is not what was to be canceled. */
static wr_err cancel(struct mcp_request *request, const char *id)
{
    struct queue_why why;
    struct queue_look_at at;
    uint64_t round;
    wr_err err = look_at(request, id, &(struct queue_look){ 0 }, &round, &at);
    if (err)
        return err;
    struct queue_stopped *stopped = calloc(1, sizeof(*stopped));
    err = stopped ? WR_OK : WR_NOMEM;
    if (!err && round == at.view->rounds)
        err = queue_stop(desk_of(request)->queue, at.view->id, &(struct queue_stop){
            .mode = QUEUE_IMMEDIATE, .reason = "user_cancelled" }, stopped, &why,
            wr_after(WITHIN));
    free(stopped);
    queue_view_unref(at.view);
    return err;
}

/* The newest first, and of each the last round. */
static wr_err list(struct mcp_request *request, const char *after, struct mcp_task *ret,
                   size_t max, size_t *ret_count)
{
    struct queue_desk *desk = desk_of(request);
    struct queue_why why;
    char before[MCP_TASK_ID];
    uint64_t round;
    struct store_tasks *tasks = calloc(1, sizeof(*tasks));
    wr_err err = !tasks ? WR_NOMEM : after && !read_id(after, before, &round) ? WR_NOTFOUND
                                                                              : WR_OK;
    *ret_count = 0;
    max = max < STORE_TASK_LIST_MAX ? max : STORE_TASK_LIST_MAX;
    if (!err && desk)
        err = store_task_list(queue_store(desk->queue), after ? before : NULL, max, tasks,
                              wr_after(WITHIN));
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
    char task[MCP_TASK_ID];
    uint64_t round, waiting;
    struct store_auths *auths = calloc(1, sizeof(*auths));
    json_t *all = json_object();
    if (auths && all && desk && read_id(id, task, &round)
        && !queue_auth_list(desk->queue, task, auths, &waiting, &why, wr_after(WITHIN)))
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
    uint64_t count = 0;
    wr_err err = !desk ? WR_NOTFOUND
        : queue_auth_resolve(desk->queue, &(struct store_auth_which){ .id = name },
                             done ? STORE_AUTH_COMPLETED : STORE_AUTH_SKIPPED, &count, &why,
                             wr_after(WITHIN));
    return !err && count == 0 ? WR_NOTFOUND : err;
}

struct mcp_tasks queue_mcp_tasks(struct queue_desk *desk)
{
    return (struct mcp_tasks){ .look = look, .result = result, .cancel = cancel, .list = list,
                               .inputs = inputs, .update = update, .arg = desk,
                               .scope = QUEUE_SCOPE };
}
