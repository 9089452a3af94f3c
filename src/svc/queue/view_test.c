#include "svc/queue/view.h"

#include "store/auth.h"
#include "testing/settle.h"
#include "testing/store_rig.h"

#define SOON wr_after(WR_S(5))

static const char *const slots[] = { "network_client", NULL };

static void make(struct store *store)
{
    struct store_submitted took;
    CHECK_OK(store_task_add(store, &(struct store_task_new){
        .id = "t1", .hypothesis = "water is wet", .pages_max = 200, .seconds_max = 3600 },
        SOON));
    CHECK_OK(store_task_submit(store, "t1",
                               "[[\"a\",\"target_queue\",\"network_client\",1,null,{}],"
                               "[\"b\",\"target_queue\",\"network_client\",2,null,{}],"
                               "[\"c\",\"verify_nli\",\"cpu_nlp\",2,null,{}]]", slots, &took,
                               SOON));
    store_submitted_free(&took);
}

static struct queue_view *look(struct store *store)
{
    struct queue_view *view = NULL;
    CHECK_OK(queue_view_read(store, "t1", &view, SOON));
    return view;
}

static void claim(struct store *store)
{
    struct store_jobs jobs;
    CHECK_OK(store_job_claim(store, &(struct store_job_claim){
        .slot = "network_client", .max = 1, .lease = WR_S(30) }, &jobs, SOON));
    CHECK_EQ(1, jobs.count);
    store_jobs_free(&jobs);
}

STORE_TEST(a_view_has_the_task_and_its_jobs_by_kind_and_state)
{
    make(store);
    claim(store);
    struct queue_view *view = look(store);
    CHECK_STR("t1", view->id);
    CHECK_STR("water is wet", view->hypothesis);
    CHECK_EQ(STORE_TASK_EXPLORING, view->status);
    CHECK_EQ(1, queue_view_count(view, QUEUE_TARGET, STORE_JOB_RUNNING));
    CHECK_EQ(1, queue_view_count(view, QUEUE_TARGET, STORE_JOB_QUEUED));
    CHECK_EQ(1, queue_view_count(view, QUEUE_VERIFY, STORE_JOB_QUEUED));
    CHECK_EQ(0, queue_view_count(view, QUEUE_EMBED, STORE_JOB_QUEUED));
    CHECK_EQ(3, queue_view_open(view));
    CHECK_EQ(0, view->auths);
    queue_view_unref(view);
}

STORE_TEST(a_view_counts_what_waits_for_a_person)
{
    make(store);
    claim(store);
    CHECK_OK(store_auth_park(store, "a", 1, "[[\"x\",\"u\",\"d\",\"captcha\",\"high\"],"
                                            "[\"y\",\"u\",\"e\",\"captcha\",\"high\"]]",
                             WR_S(60), SOON));
    struct queue_view *view = look(store);
    CHECK_EQ(2, view->auths);
    CHECK_EQ(1, queue_view_count(view, QUEUE_TARGET, STORE_JOB_WAITING));
    CHECK_EQ(3, queue_view_open(view));
    queue_view_unref(view);
}

STORE_TEST(views_are_the_same_until_something_happens)
{
    make(store);
    struct queue_view *one = look(store);
    pass(WR_S(9));
    struct queue_view *two = look(store);
    CHECK(queue_view_same(one, two));
    CHECK_EQ(one->active_ms + 9000, two->active_ms);
    claim(store);
    struct queue_view *three = look(store);
    CHECK(!queue_view_same(one, three));
    queue_view_unref(one);
    queue_view_unref(two);
    queue_view_unref(three);
}

STORE_TEST(there_is_no_view_of_a_task_that_is_not_there)
{
    struct queue_view *view;
    CHECK_ERR(WR_NOTFOUND, queue_view_read(store, "t9", &view, SOON));
}
