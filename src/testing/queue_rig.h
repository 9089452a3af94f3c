/* queue_rig.h - a queue that runs, with jobs that do what they are told.
 *
 *     LOCAL_TEST(a_job_is_done)
 *     {
 *         struct queue_rig rig;
 *         queue_rig_start(&rig, store);
 *         const char *task = queue_rig_task(&rig);
 *         queue_rig_add(&rig, task, "ok");
 *         queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_COMPLETED, 1);
 *         queue_rig_stop(&rig);
 *     }
 *
 * A job does what its input says: "ok", "fail", "hold" (until rig.gate is set), "panic",
 * "person" (asks for one, unless rig.solved), "chain" (citations now, verification then),
 * "large" (says more than may be said), "endless" (wants too much to follow), "wordy" (wants
 * too much of a person), "cancel" (returns CANCELED unasked), "half" (fails with half a
 * character), "bytes" (says what is no text), "later" (puts itself off by 20 s, the first two
 * times), "away" (as if the store had been, the first time), "lock" (as if it had been busy for
 * too long), "gone" (always away); "borrow" takes the browser's slot first, and keeps it.
 */
#ifndef WR_TESTING_QUEUE_RIG_H
#define WR_TESTING_QUEUE_RIG_H

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <weir/once.h>
#include <weir/scope.h>
#include <weir/task.h>

#include "svc/queue/queue.h"
#include "testing/settle.h"
#include "testing/store_rig.h"

#define QUEUE_RIG_SOON wr_after(WR_S(20))

struct queue_rig {
    struct store *store;
    struct queue *queue;
    struct wr_scope *scope;
    struct wr_once *drain, *gate;
    struct queue_conf conf;             /* may be filled in before the start */
    struct queue_handler handlers[QUEUE_KINDS];
    wr_time moment;                     /* that a drain gives; 1 s */
    atomic_bool solved;
    atomic_int ran[QUEUE_KINDS];        /* how often a handler began, */
    atomic_int at_once, most_at_once;   /* ... of targets */
    int number;
    char task[QUEUE_ID];
    wr_err ended;                       /* of queue_run */
};

static inline wr_err queue_rig_hold(struct queue_rig *rig, struct queue_work *work)
{
    wr_err err = wr_once_wait(rig->gate, NULL, WR_NEVER);
    if (!err)
        wr_text_str(queue_work_output(work), "{}");
    return err;
}

static inline void queue_rig_overdo(struct queue_work *work, bool follows)
{
    static char much[(1 << 20) + 8];
    memset(much, ' ', sizeof(much) - 1);
    memcpy(much + sizeof(much) - sizeof("{}"), "{}", sizeof("{}"));
    if (follows)
        queue_work_then(work, QUEUE_VERIFY, NULL, much);
    else
        queue_work_await(work, &(struct queue_auth_item){ much, "a.example", "captcha",
                                                          "high" });
}

static inline wr_err queue_rig_act(struct queue_rig *rig, struct queue_work *work)
{
    const char *input = queue_work_input(work);
    if (strstr(input, "borrow"))
        CHECK_OK(queue_work_take(work, QUEUE_BROWSER, QUEUE_RIG_SOON));
    if (strstr(input, "hold"))
        return queue_rig_hold(rig, work);
    if (strstr(input, "fail"))
        return queue_work_fail(work, WR_IO, "ALL_FETCHES_FAILED", "it is %s", "broken");
    if (strstr(input, "gone") || (strstr(input, "away") && queue_work_attempt(work) == 1))
        return WR_IO;
    if (strstr(input, "lock") && queue_work_attempt(work) == 1)
        return WR_TIMEOUT;
    if (strstr(input, "later") && queue_work_attempt(work) <= 2)
        queue_work_later(work, WR_S(20));
    if (strstr(input, "half"))
        return queue_work_fail(work, WR_IO, "ALL_FETCHES_FAILED", "it is \xc3");
    if (strstr(input, "bytes"))
        wr_text_str(queue_work_output(work), "\xff");
    if (strstr(input, "panic"))
        wr_panic("as it was told");
    if (strstr(input, "cancel"))
        return WR_CANCELED;
    if (strstr(input, "large"))
        for (int i = 0; i < 20000; i++)
            wr_text_str(queue_work_output(work), "a hundred bytes, or nearly so, of a result "
                                                 "that nobody will ever read to its end ");
    if (strstr(input, "endless") || strstr(input, "wordy"))
        queue_rig_overdo(work, strstr(input, "endless"));
    if (strstr(input, "person") && !atomic_load(&rig->solved))
        queue_work_await(work, &(struct queue_auth_item){
            "https://a.example/x", "a.example", "captcha", "high" });
    if (strstr(input, "chain")) {
        CHECK_OK(queue_work_chain(work, QUEUE_CITATIONS, "s1", "{\"papers\":[]}",
                                  QUEUE_RIG_SOON));
        queue_work_then(work, QUEUE_VERIFY, "v", NULL);
    }
    wr_text_str(queue_work_output(work), "{\"ok\":true}");
    return WR_OK;
}

static inline wr_err queue_rig_target(void *arg, struct queue_work *work)
{
    struct queue_rig *rig = arg;
    atomic_fetch_add(&rig->ran[QUEUE_TARGET], 1);
    int now = atomic_fetch_add(&rig->at_once, 1) + 1;
    if (now > atomic_load(&rig->most_at_once))
        atomic_store(&rig->most_at_once, now);
    wr_err err = queue_rig_act(rig, work);
    atomic_fetch_sub(&rig->at_once, 1);
    return err;
}

static inline wr_err queue_rig_citations(void *arg, struct queue_work *work)
{
    struct queue_rig *rig = arg;
    atomic_fetch_add(&rig->ran[QUEUE_CITATIONS], 1);
    return queue_rig_act(rig, work);
}

static inline wr_err queue_rig_verify(void *arg, struct queue_work *work)
{
    struct queue_rig *rig = arg;
    atomic_fetch_add(&rig->ran[QUEUE_VERIFY], 1);
    return queue_rig_act(rig, work);
}

static inline wr_err queue_rig_run(void *arg)
{
    struct queue_rig *rig = arg;
    rig->ended = queue_run(rig->queue, rig->drain, rig->moment);
    return WR_OK;
}

/* With handlers that are filled in already. */
static inline void queue_rig_begin(struct queue_rig *rig, struct store *store)
{
    rig->store = store;
    rig->moment = rig->moment ? rig->moment : WR_S(1);
    rig->conf.store = store;
    rig->conf.handlers = rig->handlers;
    CHECK_OK(wr_once_new(&rig->drain, "test.drain", 0));
    CHECK_OK(wr_once_new(&rig->gate, "test.gate", 0));
    CHECK_OK(queue_new(&rig->queue, &rig->conf));
    rig->scope = scope_open();
    go(rig->scope, queue_rig_run, rig);
}

static inline void queue_rig_start(struct queue_rig *rig, struct store *store)
{
    rig->handlers[QUEUE_TARGET] = (struct queue_handler){ queue_rig_target, rig, 0 };
    rig->handlers[QUEUE_CITATIONS] = (struct queue_handler){ queue_rig_citations, rig, 0 };
    rig->handlers[QUEUE_VERIFY] = (struct queue_handler){ queue_rig_verify, rig, 0 };
    queue_rig_begin(rig, store);
}

/* Drain it, and wait until it has ended. */
static inline void queue_rig_drain(struct queue_rig *rig)
{
    queue_hush(rig->queue);
    CHECK_OK(wr_once_set(rig->drain, NULL));
    scope_done(rig->scope);
    CHECK_OK(rig->ended);
}

static inline void queue_rig_free(struct queue_rig *rig)
{
    queue_free(rig->queue);
    wr_once_free(rig->drain);
    wr_once_free(rig->gate);
}

static inline void queue_rig_stop(struct queue_rig *rig)
{
    queue_rig_drain(rig);
    queue_rig_free(rig);
}

/* A task; its id, until the next. */
static inline const char *queue_rig_task(struct queue_rig *rig)
{
    struct queue_why why;
    CHECK_OK(queue_create(rig->queue, &(struct queue_task){ "water is wet", 200, 3600 },
                          rig->task, &why, QUEUE_RIG_SOON));
    return rig->task;
}

/* Submit one job of a kind; whether it was queued. */
static inline bool queue_rig_submit(struct queue_rig *rig, const char *task,
                                    enum queue_kind_id kind, const char *what, const char *key)
{
    struct queue_submitted took;
    struct queue_why why = { 0 };
    char rows[400], id[QUEUE_ID], name[QUEUE_KEY], unique[QUEUE_KEY + 2] = "null";
    if (key)
        snprintf(unique, sizeof(unique), "\"%s\"",
                 queue_key(name, task, queue_kinds[kind].name, key, strlen(key)));
    snprintf(rows, sizeof(rows), "[[\"%s\",\"%s\",\"%s\",50,%s,{\"do\":\"%s\",\"n\":%d}]]",
             queue_id(id, queue_kinds[kind].prefix), queue_kinds[kind].name,
             queue_slot_names[queue_kinds[kind].slot], unique, what, rig->number++);
    if (!CHECK_OK(queue_submit(rig->queue, task, rows, &took, &why, QUEUE_RIG_SOON)))
        printf("# %s %s\n", why.code, why.text);
    bool queued = took.skipped && strcmp(took.skipped, "[]") == 0;
    queue_submitted_free(&took);
    return queued;
}

static inline void queue_rig_add(struct queue_rig *rig, const char *task, const char *what)
{
    CHECK(queue_rig_submit(rig, task, QUEUE_TARGET, what, NULL));
}

/* The view now. */
static inline struct queue_view *queue_rig_view(struct queue_rig *rig, const char *task)
{
    struct queue_look_at at = { 0 };
    struct queue_why why = { 0 };
    if (!CHECK_OK(queue_look(rig->queue, task, &(struct queue_look){ 0 }, &at, &why,
                             QUEUE_RIG_SOON)))
        printf("# %s %s\n", why.code, why.text);
    return at.view;
}

static inline uint64_t queue_rig_count(struct queue_rig *rig, const char *task,
                                       enum queue_kind_id kind, enum store_job_state state)
{
    struct queue_view *view = queue_rig_view(rig, task);
    uint64_t count = queue_view_count(view, kind, state);
    queue_view_unref(view);
    return count;
}

/* Wait until so many are in that state, by looking when something has changed. */
static inline void queue_rig_until(struct queue_rig *rig, const char *task,
                                   enum queue_kind_id kind, enum store_job_state state,
                                   uint64_t count)
{
    struct queue_why why = { 0 };
    struct queue_look_at at = { .change = "" };
    char since[QUEUE_CHANGE] = "0-0";
    wr_time until = wr_after(WR_S(60));
    uint64_t found = 0;
    while (wr_now() < until) {
        if (!CHECK_OK(queue_look(rig->queue, task, &(struct queue_look){
                .wait = WR_S(10), .since = since }, &at, &why, QUEUE_RIG_SOON)))
            return;
        found = queue_view_count(at.view, kind, state);
        uint64_t open = queue_view_open(at.view);
        queue_view_unref(at.view);
        memcpy(since, at.change, sizeof(since));
        if (found >= count || !open)
            break;
    }
    CHECK_EQ(count, found);
}

#endif
