/* queue_janitor_test.c - what is forgotten, when, and what who waits for it is told. */
#include "svc/queue/queue_janitor.h"

#include "store/query_log.h"
#include "store/removal.h"
#include "store/webpage.h"
#include "testing/queue_rig.h"

#define DAY WR_S(24 * 3600)
#define SOON QUEUE_RIG_SOON
#define URL "http://a.test/moon"

static wr_err look(struct queue_rig *rig, const char *task)
{
    struct queue_look_at at;
    struct queue_why why;
    wr_err err = queue_look(rig->queue, task, &(struct queue_look){ 0 }, &at, &why, SOON);
    if (!err)
        queue_view_unref(at.view);
    return err;
}

LOCAL_TEST(a_task_of_which_something_runs_is_not_removed)
{
    struct queue_rig rig = { 0 };
    struct queue_why why;
    bool cleared;
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    queue_rig_add(&rig, task, "hold");
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_RUNNING, 1);
    CHECK_ERR(WR_DENIED, queue_remove(rig.queue, task, &cleared, &why, SOON));
    CHECK_STR("task_id", why.param);
    CHECK(strstr(why.text, "stop it first"));
    CHECK_OK(look(&rig, task));
    CHECK_OK(wr_once_set(rig.gate, NULL));
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_COMPLETED, 1);
    CHECK_OK(queue_remove(rig.queue, task, &cleared, &why, SOON));
    CHECK(cleared);
    CHECK_ERR(WR_NOTFOUND, look(&rig, task));
    CHECK_ERR(WR_NOTFOUND, queue_remove(rig.queue, "task_x", &cleared, &why, SOON));
    CHECK_STR("TASK_NOT_FOUND", why.code);
    queue_rig_stop(&rig);
}

struct waiting { struct queue_rig *rig; const char *task; wr_err err; wr_time took; };

static wr_err wait_on(void *arg)
{
    struct waiting *waiting = arg;
    struct queue_look_at at;
    struct queue_why why;
    wr_time begun = wr_now();
    waiting->err = queue_look(waiting->rig->queue, waiting->task, &(struct queue_look){
        .wait = WR_S(200), .follow = true }, &at, &why, WR_NEVER);
    waiting->took = wr_now() - begun;
    if (!waiting->err)
        queue_view_unref(at.view);
    return WR_OK;
}

LOCAL_TEST(who_waits_for_a_task_that_is_removed_learns_that_there_is_none)
{
    struct queue_rig rig = { 0 };
    struct queue_why why;
    bool cleared;
    queue_rig_start(&rig, store);
    struct waiting waiting = { .rig = &rig, .task = queue_rig_task(&rig) };
    struct wr_scope *scope = scope_open();
    go(scope, wait_on, &waiting);
    settle();
    CHECK_OK(queue_remove(rig.queue, waiting.task, &cleared, &why, SOON));
    scope_done(scope);
    CHECK_ERR(WR_NOTFOUND, waiting.err);
    CHECK(waiting.took < WR_S(1));
    queue_rig_stop(&rig);
}

LOCAL_TEST(a_task_goes_when_nothing_has_happened_to_it_for_as_long_as_tasks_are_kept)
{
    struct queue_rig rig = { 0 };
    char old[QUEUE_ID];
    queue_rig_start(&rig, store);
    struct queue_janitor janitor = { .queue = rig.queue };
    snprintf(old, sizeof(old), "%s", queue_rig_task(&rig));
    CHECK_OK(wr_sleep(wr_after(2 * DAY)));
    queue_janitor_tidy(&janitor);               /* for ever */
    CHECK_OK(look(&rig, old));
    const char *new = queue_rig_task(&rig);
    atomic_store(&janitor.keep[KEEP_TASKS], DAY);
    queue_janitor_tidy(&janitor);
    CHECK_ERR(WR_NOTFOUND, look(&rig, old));
    CHECK_OK(look(&rig, new));
    queue_rig_stop(&rig);
}

LOCAL_TEST(a_removal_that_was_cut_off_is_gone_on_with_in_the_next_round)
{
    struct queue_rig rig = { 0 };
    struct store_page_known known;
    struct store_page_put put;
    char task[STORE_TASK_ID_MAX + 1];
    queue_rig_start(&rig, store);
    struct queue_janitor janitor = { .queue = rig.queue };
    CHECK_OK(store_page_put(store, &(struct store_page_new){
        .page = { .url = URL, .domain = "a.test", .http_status = 200 },
        .task = queue_rig_task(&rig) }, &put, SOON));
    CHECK_OK(store_removal_begin(store, rig.task, SOON));
    queue_janitor_tidy(&janitor);
    CHECK_ERR(WR_NOTFOUND, store_page_get(store, URL, NULL, &known, SOON));
    store_page_free(&known);
    CHECK_ERR(WR_NOTFOUND, store_removal_next(store, task, SOON));
    queue_rig_stop(&rig);
}

LOCAL_TEST(pages_of_no_task_and_queries_go_after_their_time)
{
    struct queue_rig rig = { 0 };
    struct store_page_known known;
    struct store_page_put put;
    uint64_t gone;
    queue_rig_start(&rig, store);
    struct queue_janitor janitor = { .queue = rig.queue,
                                     .keep = { [KEEP_PAGES] = DAY, [KEEP_QUERIES] = DAY } };
    CHECK_OK(store_page_put(store, &(struct store_page_new){
        .page = { .url = URL, .domain = "a.test", .http_status = 200 } }, &put, SOON));
    CHECK_OK(store_query_put(store, &(struct store_query){ .id = "q", .task = "t",
                                                           .text = "moon" }, SOON));
    queue_janitor_tidy(&janitor);
    CHECK_OK(store_page_get(store, URL, NULL, &known, SOON));
    store_page_free(&known);
    CHECK_OK(wr_sleep(wr_after(DAY + WR_S(1))));
    queue_janitor_tidy(&janitor);
    CHECK_ERR(WR_NOTFOUND, store_page_get(store, URL, NULL, &known, SOON));
    store_page_free(&known);
    CHECK_OK(store_query_prune(store, wr_wall(), 10, &gone, SOON));
    CHECK_EQ(0, gone);
    queue_rig_stop(&rig);
}
