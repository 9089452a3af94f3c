#include "svc/queue/queue.h"

#include "store/disk.h"
#include "testing/queue_rig.h"

#define SOON wr_after(WR_S(40))
#define QUIET WR_MS(300)

/* ---- tasks and targets ---- */

STORE_TEST(a_task_is_created_and_seen)
{
    struct queue_rig rig = { 0 };
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    struct queue_view *view = queue_rig_view(&rig, task);
    CHECK_STR("water is wet", view->hypothesis);
    CHECK_EQ(STORE_TASK_CREATED, view->status);
    CHECK_EQ(200, view->pages_max);
    queue_view_unref(view);
    queue_rig_stop(&rig);
}

LOCAL_TEST(a_task_without_a_hypothesis_is_refused)
{
    struct queue_rig rig = { 0 };
    struct queue_why why;
    queue_rig_start(&rig, store);
    CHECK_ERR(WR_INVALID, queue_create(rig.queue, &(struct queue_task){ "", 1, 1 }, rig.task,
                                       &why, SOON));
    CHECK_STR("INVALID_PARAMS", why.code);
    CHECK_STR("hypothesis", why.param);
    queue_rig_stop(&rig);
}

STORE_TEST(the_same_target_is_one_job_while_it_is_open_and_another_afterwards)
{
    struct queue_rig rig = { 0 };
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    CHECK(queue_rig_submit(&rig, task, QUEUE_TARGET, "hold", "same"));
    CHECK(!queue_rig_submit(&rig, task, QUEUE_TARGET, "hold", "same"));
    CHECK_OK(wr_once_set(rig.gate, NULL));
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_COMPLETED, 1);
    CHECK(queue_rig_submit(&rig, task, QUEUE_TARGET, "ok", "same"));
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_COMPLETED, 2);
    queue_rig_stop(&rig);
}

static const char *refused(struct queue_rig *rig, const char *task, wr_err expected)
{
    static struct queue_why why;
    struct queue_submitted took;
    CHECK_ERR(expected, queue_submit(rig->queue, task,
                                     "[[\"x\",\"target_queue\",\"network_client\",1,null,{}]]",
                                     &took, &why, SOON));
    queue_submitted_free(&took);
    return why.code;
}

LOCAL_TEST(targets_are_refused_for_a_task_that_is_not_there_or_has_used_up_its_budget)
{
    struct queue_rig rig = { 0 };
    struct queue_why why;
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    CHECK_STR("TASK_NOT_FOUND", refused(&rig, "task_9", WR_NOTFOUND));
    CHECK_OK(queue_allow(rig.queue, task, -1, 100, &why, SOON));
    queue_rig_add(&rig, task, "ok");
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_COMPLETED, 1);
    CHECK_OK(wr_sleep(wr_after(WR_S(3600))));
    queue_rig_add(&rig, task, "hold");          /* to do nothing has cost no time */
    CHECK_OK(wr_sleep(wr_after(WR_S(100))));
    CHECK_STR("BUDGET_EXHAUSTED", refused(&rig, task, WR_DENIED));
    CHECK_OK(wr_once_set(rig.gate, NULL));
    CHECK_OK(queue_allow(rig.queue, task, -1, 7200, &why, SOON));
    queue_rig_add(&rig, task, "ok");
    queue_rig_stop(&rig);
}

/* ---- looking ---- */

struct poller {
    struct queue *queue;
    const char *task;
    struct queue_look look;
    char since[QUEUE_CHANGE];
    wr_err err;
    uint64_t completed, running;
    wr_time took;
    bool back;
};

static wr_err poll_once(void *arg)
{
    struct poller *poller = arg;
    struct queue_look_at at;
    struct queue_why why;
    wr_time begun = wr_now();
    if (poller->since[0])
        poller->look.since = poller->since;
    poller->err = queue_look(poller->queue, poller->task, &poller->look, &at, &why,
                             wr_after(WR_S(400)));
    poller->took = wr_now() - begun;
    poller->back = true;
    if (poller->err)
        return WR_OK;
    poller->completed = queue_view_count(at.view, QUEUE_TARGET, STORE_JOB_COMPLETED);
    poller->running = queue_view_count(at.view, QUEUE_TARGET, STORE_JOB_RUNNING);
    memcpy(poller->since, at.change, sizeof(poller->since));
    queue_view_unref(at.view);
    return WR_OK;
}

static struct poller poller_of(struct queue_rig *rig, const char *task, wr_time wait)
{
    return (struct poller){ .queue = rig->queue, .task = task, .look = { .wait = wait } };
}

/* Look now, so that the poller knows what is; a job holds.  From a server word of our own
 * changes comes back, later: then there is something new, though it looks the same. */
static struct poller up_to_date(struct queue_rig *rig, const char *task, wr_time wait)
{
    struct poller poller = poller_of(rig, task, 0);
    queue_rig_add(rig, task, "hold");
    queue_rig_until(rig, task, QUEUE_TARGET, STORE_JOB_RUNNING, 1);
    CHECK_OK(poll_once(&poller));
    CHECK_EQ(1, poller.running);
    poller.look.wait = QUIET;
    do
        CHECK_OK(poll_once(&poller));
    while (!poller.err && poller.took < QUIET);
    poller.look.since = NULL;
    poller.back = false;
    poller.look.wait = wait;
    return poller;
}

STORE_TEST(all_who_wait_are_woken_by_a_change)
{
    struct queue_rig rig = { 0 };
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    struct poller one = up_to_date(&rig, task, WR_S(300)), two = one;
    struct wr_scope *scope = scope_open();
    go(scope, poll_once, &one);
    go(scope, poll_once, &two);
    rig_settle();
    CHECK(!one.back && !two.back);
    CHECK_OK(wr_once_set(rig.gate, NULL));
    scope_done(scope);
    CHECK_EQ(1, one.completed);
    CHECK_EQ(1, two.completed);
    queue_rig_stop(&rig);
}

/* Word of each change comes at once: else who looks would wait for ten seconds. */
LOCAL_TEST(whatever_becomes_of_a_job_wakes_who_waits)
{
    struct queue_rig rig = { 0 };
    uint64_t count;
    struct queue_why why;
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    wr_time begun = wr_now();
    queue_rig_add(&rig, task, "hold");                  /* so that something is open */
    queue_rig_add(&rig, task, "fail");
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_FAILED, 1);
    queue_rig_add(&rig, task, "person");
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_WAITING, 1);
    rig.solved = true;
    CHECK_OK(queue_auth_resolve(rig.queue, &(struct store_auth_which){ .task = task },
                                STORE_AUTH_COMPLETED, &count, &why, SOON));
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_COMPLETED, 1);
    queue_rig_add(&rig, task, "chain");
    queue_rig_until(&rig, task, QUEUE_CITATIONS, STORE_JOB_COMPLETED, 1);
    queue_rig_until(&rig, task, QUEUE_VERIFY, STORE_JOB_COMPLETED, 1);
    CHECK(wr_now() - begun < WR_S(1));
    queue_rig_stop(&rig);
}

LOCAL_TEST(who_waits_in_vain_is_told_what_is)
{
    struct queue_rig rig = { 0 };
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    struct poller one = up_to_date(&rig, task, WR_S(25));
    CHECK_OK(poll_once(&one));
    CHECK_OK(one.err);
    CHECK_EQ(WR_S(25), one.took);
    CHECK_EQ(1, one.running);
    queue_rig_stop(&rig);
}

LOCAL_TEST(who_knows_less_than_there_is_does_not_wait)
{
    struct queue_rig rig = { 0 };
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    struct poller one = up_to_date(&rig, task, WR_S(25));
    queue_rig_add(&rig, task, "hold");
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_RUNNING, 2);
    CHECK_OK(poll_once(&one));
    CHECK_EQ(0, one.took);
    snprintf(one.since, sizeof(one.since), "deadbeef-7");   /* another process's */
    CHECK_OK(poll_once(&one));
    CHECK_EQ(0, one.took);
    queue_rig_stop(&rig);
}

/* Whatever others were told, and whatever nobody was. */
LOCAL_TEST(who_does_not_say_what_he_knows_waits_for_what_comes)
{
    struct queue_rig rig = { 0 };
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    struct poller one = up_to_date(&rig, task, WR_S(25));
    queue_rig_add(&rig, task, "fail");
    pass(WR_S(1));
    one.since[0] = '\0';
    CHECK_OK(poll_once(&one));
    CHECK_EQ(WR_S(25), one.took);
    struct wr_scope *scope = scope_open();
    one.since[0] = '\0';
    one.look.since = NULL;
    go(scope, poll_once, &one);
    rig_settle();
    CHECK_OK(wr_once_set(rig.gate, NULL));
    scope_done(scope);
    CHECK(one.took < WR_MS(1));
    CHECK_EQ(1, one.completed);
    queue_rig_stop(&rig);
}

static wr_err submit_later(void *arg)
{
    struct queue_rig *rig = arg;
    wr_err err = wr_sleep(wr_after(WR_MS(2345)));
    queue_rig_add(rig, rig->task, "hold");
    return err;
}

LOCAL_TEST(who_follows_waits_also_while_nothing_is_open)
{
    struct queue_rig rig = { 0 };
    queue_rig_start(&rig, store);
    struct poller one = poller_of(&rig, queue_rig_task(&rig), WR_S(60));
    one.look.follow = true;
    struct wr_scope *scope = scope_open();
    go(scope, submit_later, &rig);
    CHECK_OK(poll_once(&one));
    CHECK_OK(one.err);
    CHECK_EQ(2345, (one.took + WR_US(1)) / WR_MS(1));
    scope_done(scope);
    CHECK_OK(wr_once_set(rig.gate, NULL));
    queue_rig_stop(&rig);
}

LOCAL_TEST(nobody_waits_for_a_task_with_nothing_open_or_one_that_is_not_there)
{
    struct queue_rig rig = { 0 };
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    struct poller one = poller_of(&rig, task, WR_S(60));
    CHECK_OK(poll_once(&one));
    CHECK_OK(one.err);
    CHECK_EQ(0, one.took);
    one.task = "task_9";
    CHECK_OK(poll_once(&one));
    CHECK_ERR(WR_NOTFOUND, one.err);
    CHECK_EQ(0, one.took);
    queue_rig_stop(&rig);
}

LOCAL_TEST(a_wait_or_a_since_that_is_none_is_refused)
{
    struct queue_rig rig = { 0 };
    struct queue_look_at at;
    struct queue_why why;
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    CHECK_ERR(WR_INVALID, queue_look(rig.queue, task, &(struct queue_look){ .wait = WR_S(301) },
                                     &at, &why, SOON));
    CHECK_STR("wait", why.param);
    CHECK_ERR(WR_INVALID, queue_look(rig.queue, task, &(struct queue_look){ .since = "7" },
                                     &at, &why, SOON));
    CHECK_STR("since", why.param);
    queue_rig_stop(&rig);
}

LOCAL_TEST(in_a_drain_who_waits_is_answered_at_once)
{
    struct queue_rig rig = { 0 };
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    struct poller one = up_to_date(&rig, task, WR_S(300));
    struct wr_scope *scope = scope_open();
    go(scope, poll_once, &one);
    wr_time now = wr_now();
    queue_hush(rig.queue);
    scope_done(scope);
    CHECK_OK(one.err);
    CHECK(wr_now() - now < WR_MS(1));
    CHECK_EQ(1, one.running);
    queue_rig_stop(&rig);
}

/* ---- stopping ---- */

static struct queue_stopped stop(struct queue_rig *rig, const char *task, enum queue_mode mode,
                                 bool targets_only)
{
    struct queue_stopped stopped = { 0 };
    struct queue_why why = { 0 };
    CHECK_OK(queue_stop(rig->queue, task, &(struct queue_stop){
        .mode = mode, .targets_only = targets_only, .reason = "user_cancelled" }, &stopped,
        &why, SOON));
    return stopped;
}

/* Four that run, two that wait. */
static const char *busy(struct queue_rig *rig)
{
    const char *task = queue_rig_task(rig);
    for (int i = 0; i < 6; i++)
        queue_rig_add(rig, task, "hold");
    queue_rig_until(rig, task, QUEUE_TARGET, STORE_JOB_RUNNING, 4);
    return task;
}

STORE_TEST(an_immediate_stop_cancels_what_is_queued_and_what_runs)
{
    struct queue_rig rig = { 0 };
    queue_rig_start(&rig, store);
    const char *task = busy(&rig);
    struct queue_stopped stopped = stop(&rig, task, QUEUE_IMMEDIATE, false);
    CHECK_EQ(1, stopped.canceled.count);
    CHECK_EQ(2, stopped.canceled.counts[0].jobs[STORE_JOB_QUEUED]);
    CHECK_EQ(4, stopped.canceled.counts[0].jobs[STORE_JOB_RUNNING]);
    CHECK_EQ(4, stopped.interrupted);
    rig_settle();
    CHECK_EQ(0, rig.at_once);                           /* their handlers have ended */
    CHECK_EQ(6, queue_rig_count(&rig, task, QUEUE_TARGET, STORE_JOB_CANCELED));
    struct queue_view *view = queue_rig_view(&rig, task);
    CHECK_EQ(STORE_TASK_PAUSED, view->status);
    CHECK_STR("user_cancelled", view->reason);
    queue_view_unref(view);
    CHECK_OK(wr_once_set(rig.gate, NULL));
    queue_rig_add(&rig, task, "ok");                    /* and it goes on */
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_COMPLETED, 1);
    queue_rig_stop(&rig);
}

static wr_err open_the_gate(void *arg)
{
    struct queue_rig *rig = arg;
    wr_err err = wr_sleep(wr_after(rig_server ? WR_MS(500) : WR_S(7)));
    CHECK_OK(wr_once_set(rig->gate, NULL));
    return err;
}

STORE_TEST(a_graceful_stop_waits_for_what_runs)
{
    struct queue_rig rig = { 0 };
    queue_rig_start(&rig, store);
    const char *task = busy(&rig);
    struct wr_scope *scope = scope_open();
    go(scope, open_the_gate, &rig);
    struct queue_stopped stopped = stop(&rig, task, QUEUE_GRACEFUL, false);
    CHECK_EQ(2, stopped.canceled.counts[0].jobs[STORE_JOB_QUEUED]);
    CHECK_EQ(0, stopped.canceled.counts[0].jobs[STORE_JOB_RUNNING]);
    CHECK_EQ(4, stopped.waited);
    CHECK_EQ(4, queue_rig_count(&rig, task, QUEUE_TARGET, STORE_JOB_COMPLETED));
    scope_done(scope);
    queue_rig_stop(&rig);
}

LOCAL_TEST(a_graceful_stop_waits_for_half_a_minute_and_no_longer)
{
    struct queue_rig rig = { 0 };
    queue_rig_start(&rig, store);
    const char *task = busy(&rig);
    wr_time begun = wr_now();
    struct queue_stopped stopped = stop(&rig, task, QUEUE_GRACEFUL, false);
    CHECK_EQ(4, stopped.waited);
    CHECK_EQ(QUEUE_GRACE, wr_now() - begun);
    CHECK_EQ(4, queue_rig_count(&rig, task, QUEUE_TARGET, STORE_JOB_RUNNING));
    queue_rig_stop(&rig);
}

LOCAL_TEST(a_full_stop_has_ended_what_ran_when_it_returns)
{
    struct queue_rig rig = { 0 };
    queue_rig_start(&rig, store);
    const char *task = busy(&rig);
    stop(&rig, task, QUEUE_FULL, false);
    CHECK_EQ(0, rig.at_once);
    queue_rig_stop(&rig);
}

STORE_TEST(a_stop_of_targets_leaves_the_other_kinds_alone)
{
    struct queue_rig rig = { 0 };
    queue_rig_start(&rig, store);
    const char *task = busy(&rig);
    CHECK(queue_rig_submit(&rig, task, QUEUE_VERIFY, "hold", NULL));
    queue_rig_until(&rig, task, QUEUE_VERIFY, STORE_JOB_RUNNING, 1);
    struct queue_stopped stopped = stop(&rig, task, QUEUE_IMMEDIATE, true);
    CHECK_EQ(1, stopped.canceled.count);
    CHECK_EQ(4, stopped.interrupted);
    CHECK_OK(wr_once_set(rig.gate, NULL));
    queue_rig_until(&rig, task, QUEUE_VERIFY, STORE_JOB_COMPLETED, 1);
    struct queue_view *view = queue_rig_view(&rig, task);
    CHECK_EQ(STORE_TASK_PAUSED, view->status);
    queue_view_unref(view);
    queue_rig_stop(&rig);
}

static wr_err hear_nobody(void *arg, struct queue_work *work)
{
    struct queue_rig *rig = arg;
    (void)work;
    atomic_fetch_add(&rig->at_once, 1);
    wr_err err = wait_shielded(rig->gate, WR_S(60));
    atomic_fetch_sub(&rig->at_once, 1);
    return err;
}

LOCAL_TEST(a_full_stop_waits_half_a_second_for_what_does_not_end)
{
    struct queue_rig rig = { 0 };
    rig.handlers[QUEUE_TARGET] = (struct queue_handler){ hear_nobody, &rig, 0 };
    queue_rig_begin(&rig, store);
    const char *task = queue_rig_task(&rig);
    queue_rig_add(&rig, task, "x");
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_RUNNING, 1);
    settle();
    wr_time begun = wr_now();
    stop(&rig, task, QUEUE_IMMEDIATE, false);
    CHECK_EQ(0, wr_now() - begun);
    stop(&rig, task, QUEUE_FULL, false);
    CHECK_EQ(WR_MS(500), wr_now() - begun);
    CHECK_EQ(1, rig.at_once);
    CHECK_OK(wr_once_set(rig.gate, NULL));
    settle();
    CHECK_EQ(1, queue_rig_count(&rig, task, QUEUE_TARGET, STORE_JOB_CANCELED));
    queue_rig_stop(&rig);
}

LOCAL_TEST(a_stop_leaves_other_tasks_alone_and_one_of_nothing_is_fine)
{
    struct queue_rig rig = { 0 };
    char other[QUEUE_ID];
    queue_rig_start(&rig, store);
    memcpy(other, queue_rig_task(&rig), sizeof(other));
    queue_rig_add(&rig, other, "hold");
    queue_rig_until(&rig, other, QUEUE_TARGET, STORE_JOB_RUNNING, 1);
    const char *task = queue_rig_task(&rig);
    struct queue_stopped stopped = stop(&rig, task, QUEUE_IMMEDIATE, false);
    CHECK_EQ(0, stopped.canceled.count);
    stop(&rig, task, QUEUE_IMMEDIATE, false);
    CHECK_EQ(1, queue_rig_count(&rig, other, QUEUE_TARGET, STORE_JOB_RUNNING));
    queue_rig_stop(&rig);
}

LOCAL_TEST(a_stop_wakes_who_waits)
{
    struct queue_rig rig = { 0 };
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    struct poller one = up_to_date(&rig, task, WR_S(300));
    struct wr_scope *scope = scope_open();
    go(scope, poll_once, &one);
    stop(&rig, task, QUEUE_IMMEDIATE, false);
    scope_done(scope);
    CHECK_OK(one.err);
    CHECK(one.took < WR_S(1));
    queue_rig_stop(&rig);
}

/* ---- people ---- */

STORE_TEST(a_target_that_waits_for_a_person_is_not_queued_twice)
{
    struct queue_rig rig = { 0 };
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    CHECK(queue_rig_submit(&rig, task, QUEUE_TARGET, "person", "same"));
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_WAITING, 1);
    CHECK(!queue_rig_submit(&rig, task, QUEUE_TARGET, "person", "same"));
    queue_rig_stop(&rig);
}

LOCAL_TEST(a_job_whose_person_does_not_come_fails_after_three_hours)
{
    struct queue_rig rig = { 0 };
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    queue_rig_add(&rig, task, "person");
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_WAITING, 1);
    CHECK_OK(wr_sleep(wr_after(WR_S(3 * 3600 + 31))));
    CHECK_EQ(1, queue_rig_count(&rig, task, QUEUE_TARGET, STORE_JOB_FAILED));
    queue_rig_stop(&rig);
}

/* ---- several nodes ---- */

/* Another node on the same server, which does no jobs. */
static void begin_other(struct queue_rig *rig, struct store_rig *server, struct store **ret)
{
    CHECK_OK(store_open(ret, &(struct store_conf){ .url = server->url, .sweep = WR_S(600) },
                        &server->why, SOON));
    queue_rig_begin(rig, *ret);
}

SERVER_TEST(who_waits_on_one_node_is_woken_by_what_another_does)
{
    struct queue_rig works = { 0 }, asks = { 0 };
    struct store *other = NULL;
    queue_rig_start(&works, rig->store);
    begin_other(&asks, rig, &other);
    const char *task = queue_rig_task(&works);
    queue_rig_add(&works, task, "hold");
    queue_rig_until(&asks, task, QUEUE_TARGET, STORE_JOB_RUNNING, 1);
    struct poller one = poller_of(&asks, task, 0);
    CHECK_OK(poll_once(&one));
    one.look.wait = WR_S(300);
    CHECK_OK(wr_once_set(works.gate, NULL));
    do                                  /* word of what was before may come only now */
        CHECK_OK(poll_once(&one));
    while (!one.err && !one.completed && one.took < WR_S(60));
    CHECK(one.took < WR_S(60));         /* and nobody looks by himself before that */
    CHECK_EQ(1, one.completed);
    queue_rig_stop(&asks);
    store_close(other, SOON);
    queue_rig_stop(&works);
}

SERVER_TEST(a_stop_on_one_node_ends_what_another_runs)
{
    struct queue_rig works = { .conf = { .lease = WR_S(600) } }, asks = { 0 };
    struct store *other = NULL;
    queue_rig_start(&works, rig->store);
    begin_other(&asks, rig, &other);
    const char *task = queue_rig_task(&works);
    queue_rig_add(&works, task, "hold");
    queue_rig_until(&works, task, QUEUE_TARGET, STORE_JOB_RUNNING, 1);
    stop(&asks, task, QUEUE_IMMEDIATE, false);
    for (int i = 0; i < 1000 && atomic_load(&works.at_once); i++)
        rig_settle();
    CHECK_EQ(0, works.at_once);
    CHECK_EQ(1, queue_rig_count(&works, task, QUEUE_TARGET, STORE_JOB_CANCELED));
    queue_rig_stop(&asks);
    store_close(other, SOON);
    queue_rig_stop(&works);
}

/* ---- a store that cannot be written to ---- */

TEST(a_full_disk_is_told_in_the_words_of_the_store)
{
    struct disk *disk;
    struct store *store;
    struct store_why none;
    struct queue *queue;
    struct queue_why why = { 0 };
    char id[QUEUE_ID];
    wr_err err = WR_OK;
    CHECK_OK(disk_new(&disk, "test.disk", 1));
    CHECK_OK(store_open(&store, &(struct store_conf){
        .url = "sqlite:/weir.db", .disk = "test.disk", .readers = 1 }, &none, SOON));
    CHECK_OK(queue_new(&queue, &(struct queue_conf){ .store = store }));
    disk_break(disk, DISK_FULL, 0);
    for (int i = 0; i < 5000 && !err; i++)
        err = queue_create(queue, &(struct queue_task){ "water is wet", 200, 3600 }, id, &why,
                           SOON);
    CHECK_ERR(WR_IO, err);
    CHECK_STR("INTERNAL_ERROR", why.code);
    CHECK(strstr(why.text, "/weir.db") && strstr(why.text, "full"));
    queue_free(queue);
    store_close(store, SOON);
    disk_free(disk);
}
