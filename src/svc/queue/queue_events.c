/* queue_events.c - see queue_events.h. */
#include "svc/queue/queue_events.h"

#include <stdio.h>
#include <string.h>

#include <weir/chan.h>
#include <weir/scope.h>
#include <weir/sse.h>
#include <weir/task.h>

#include "svc/service.h"

#define STATUS_WITHIN WR_S(2)

/* Who follows a task, and the last that he has seen of it. */
struct follow {
    struct queue *queue;
    const char *task;
    char change[QUEUE_CHANGE];
    struct wr_chan *news;               /* of struct queue_look_at */
};

/* One view after the other, until nobody takes them any more, or the node drains: then a wait
 * ends before its time with nothing new. */
static wr_err run_follow(void *arg)
{
    struct follow *follow = arg;
    struct queue_why why;
    wr_err err = WR_OK;
    while (!err) {
        struct queue_look_at at;
        wr_time until = wr_after(QUEUE_WAIT_MAX);
        err = queue_look(follow->queue, follow->task, &(struct queue_look){
            .wait = QUEUE_WAIT_MAX, .since = follow->change[0] ? follow->change : "0-0",
            .follow = true }, &at, &why, WR_NEVER);
        if (err)
            break;
        if (strcmp(at.change, follow->change) == 0) {
            err = wr_now() < until ? WR_CLOSED : WR_OK;
            queue_view_unref(at.view);
            continue;
        }
        snprintf(follow->change, sizeof(follow->change), "%s", at.change);
        err = wr_chan_send(follow->news, &at, WR_NEVER);
        if (err)
            queue_view_unref(at.view);
    }
    wr_chan_close(follow->news);
    return err == WR_CANCELED || err == WR_CLOSED ? WR_OK : err;
}

static void drop_look(void *item)
{
    queue_view_unref(((struct queue_look_at *)item)->view);
}

static wr_err send_status(struct wr_sse *sse, struct queue_desk *desk,
                          const struct queue_look_at *at)
{
    struct wr_text text = wr_text_heap(WR_SSE_EVENT_MAX);
    wr_err err = queue_desk_status(desk, at, false, &text, wr_after(STATUS_WITHIN));
    if (!err)
        err = wr_sse_event(sse, at->change, "status", text.at);
    wr_text_free(&text);
    return err;
}

static wr_err send_all(struct wr_call *call, struct wr_sse *sse, struct queue_desk *desk,
                       struct follow *follow)
{
    const struct facet_permit *permit = *wr_call_memo(call);
    struct queue_look_at at;
    struct wr_case cases[] = { WR_CASE_RECV(follow->news, &at) };
    size_t which;
    wr_err err = WR_OK;
    while (!err && !(permit && facet_shed(permit))) {
        err = wr_sse_select(sse, &which, cases, 1);
        if (!err)
            err = cases[0].err;
        if (err)
            break;
        err = send_status(sse, desk, &at);
        queue_view_unref(at.view);
    }
    return err == WR_CLOSED ? WR_OK : err;
}

wr_err queue_events(struct wr_call *call, struct queue_desk *desk, const char *task)
{
    struct follow follow = { .queue = desk->queue, .task = task };
    const char *last = wr_sse_last_id(call);
    struct wr_scope *scope;
    struct wr_sse sse;
    snprintf(follow.change, sizeof(follow.change), "%s", last ? last : "");
    wr_err err = wr_chan_new(&follow.news, &(struct wr_chan_conf){
        .name = "queue.follow", .item_size = sizeof(struct queue_look_at), .cap = 1,
        .policy = WR_WAIT, .drop = drop_look });
    if (err)
        return err;
    err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "queue.follow",
                                                        .deadline = WR_NEVER });
    if (!err) {
        err = wr_sse_begin(&sse, call, &(struct wr_sse_conf){ 0 });
        if (!err)
            err = wr_scope_go(scope, "queue.follow", run_follow, &follow);
        if (!err)
            err = send_all(call, &sse, desk, &follow);
        wr_scope_cancel(scope);
        (void)!wr_scope_close(scope);
        err = wr_sse_end(&sse, err);
    }
    wr_chan_free(follow.news);
    return err;
}
