#include "svc/queue/task_news.h"

#include <stdlib.h>
#include <string.h>

#include <weir/scope.h>

#include "testing/metric_rig.h"
#include "testing/settle.h"
#include "testing/test.h"

static struct news *made(size_t max)
{
    struct news *news = NULL;
    CHECK_OK(news_new(&news, max));
    return news;
}

static uint64_t version_of(struct news *news, const char *task)
{
    uint64_t version = 0, doubts;
    CHECK_OK(news_version(news, task, &version, &doubts));
    return version;
}

/* ---- waiting ---- */

struct waiter {
    struct news *news;
    const char *task;
    uint64_t since, doubts;
    wr_err err;
    bool back;
};

static wr_err await_news(void *arg)
{
    struct waiter *waiter = arg;
    waiter->err = news_wait(waiter->news, waiter->task, waiter->since, &waiter->doubts,
                            wr_after(WR_S(10)));
    waiter->back = true;
    return WR_OK;
}

static struct waiter waiter_for(struct news *news, const char *task)
{
    return (struct waiter){ .news = news, .task = task, .since = version_of(news, task) };
}

TEST(what_happens_to_a_task_wakes_all_who_wait_for_it_and_nobody_else)
{
    struct news *news = made(16);
    struct waiter one = waiter_for(news, "a"), two = one, other = waiter_for(news, "b");
    struct wr_scope *scope = scope_open();
    go(scope, await_news, &one);
    go(scope, await_news, &two);
    go(scope, await_news, &other);
    settle();
    CHECK_EQ(3, news_waiting(news));
    news_ring(news, "a");
    settle();
    CHECK(one.back && two.back && !other.back);
    CHECK_OK(one.err);
    news_ring(news, "b");
    scope_done(scope);
    CHECK_EQ(0, news_waiting(news));
    news_free(news);
}

TEST(how_late_who_waits_goes_on_is_counted)
{
    struct news *news = made(16);
    struct waiter one = waiter_for(news, "a"), two = one;
    struct wr_scope *scope = scope_open();
    long long before = metric_value("queue_wake_seconds_count{svc=\"queue\"}");
    go(scope, await_news, &one);
    go(scope, await_news, &two);
    settle();
    CHECK_OK(wr_sleep(wr_after(WR_S(2))));
    news_ring(news, "a");
    scope_done(scope);
    CHECK_EQ(before + 2, metric_value("queue_wake_seconds_count{svc=\"queue\"}"));
    CHECK_EQ(before + 2, metric_value("queue_wake_seconds_bucket{svc=\"queue\","
                                      "le=\"0.00001\"}"));
    CHECK_OK(wr_sleep(wr_after(WR_S(2))));          /* nobody waited for what was before */
    CHECK_OK(news_wait(news, "a", one.since, &one.doubts, WR_NOW));
    CHECK_EQ(before + 2, metric_value("queue_wake_seconds_count{svc=\"queue\"}"));
    news_free(news);
}

TEST(what_happened_before_the_wait_is_not_missed)
{
    struct news *news = made(16);
    uint64_t since = version_of(news, "a"), doubts = 0;
    news_ring(news, "a");
    CHECK_OK(news_wait(news, "a", since, &doubts, WR_NOW));
    CHECK_ERR(WR_TIMEOUT, news_wait(news, "a", version_of(news, "a"), &doubts, WR_NOW));
    news_free(news);
}

TEST(with_doubt_everybody_is_told_to_look_once)
{
    struct news *news = made(16);
    uint64_t doubts = 0, since = version_of(news, "a");
    news_doubt(news);
    CHECK_ERR(WR_LAGGED, news_wait(news, "a", since, &doubts, WR_NOW));
    CHECK_ERR(WR_TIMEOUT, news_wait(news, "a", since, &doubts, WR_NOW));
    news_free(news);
}

TEST(nobody_waits_any_more_after_the_hush)
{
    struct news *news = made(16);
    struct waiter one = waiter_for(news, "a");
    struct wr_scope *scope = scope_open();
    go(scope, await_news, &one);
    settle();
    news_hush(news);
    scope_done(scope);
    CHECK_ERR(WR_DRAINING, one.err);
    CHECK_ERR(WR_DRAINING, news_wait(news, "b", version_of(news, "b"), &one.doubts,
                                     wr_after(WR_S(1))));
    news_free(news);
}

TEST(a_task_that_was_forgotten_is_new_again_and_one_that_is_waited_for_is_kept)
{
    struct news *news = made(2);
    struct waiter one = waiter_for(news, "a");
    struct wr_scope *scope = scope_open();
    go(scope, await_news, &one);
    settle();
    uint64_t b = version_of(news, "b");
    version_of(news, "c");
    version_of(news, "d");
    CHECK(version_of(news, "b") > b);
    CHECK_EQ(one.since, version_of(news, "a"));
    news_ring(news, "a");
    scope_done(scope);
    CHECK_OK(one.err);
    news_free(news);
}

/* ---- views ---- */

struct reads { int count; wr_time takes; wr_err err; };

static wr_err read_view(void *arg, const char *task, struct queue_view **ret, wr_time deadline)
{
    struct reads *reads = arg;
    (void)task;
    (void)deadline;
    __atomic_fetch_add(&reads->count, 1, __ATOMIC_RELAXED);
    if (reads->takes)
        CHECK_OK(wr_sleep(wr_after(reads->takes)));
    if (reads->err)
        return reads->err;
    struct queue_view *view = calloc(1, sizeof(*view) + 1);
    atomic_init(&view->refs, 1);
    *ret = view;
    return WR_OK;
}

static void look(struct news *news, struct reads *reads)
{
    struct queue_view *view = NULL;
    uint64_t version;
    CHECK_OK(news_view(news, "a", read_view, reads, &view, &version, wr_after(WR_S(5))));
    queue_view_unref(view);
}

TEST(a_view_is_read_once_until_something_happens)
{
    struct news *news = made(16);
    struct reads reads = { 0 };
    look(news, &reads);
    look(news, &reads);
    CHECK_EQ(1, reads.count);
    news_ring(news, "a");
    look(news, &reads);
    CHECK_EQ(2, reads.count);
    news_doubt(news);
    look(news, &reads);
    CHECK_EQ(3, reads.count);
    news_free(news);
}

struct looker { struct news *news; struct reads *reads; };

static wr_err look_once(void *arg)
{
    struct looker *looker = arg;
    look(looker->news, looker->reads);
    return WR_OK;
}

TEST(of_many_who_look_at_once_one_reads)
{
    struct news *news = made(16);
    struct reads reads = { .takes = WR_MS(10) };
    struct looker looker = { news, &reads };
    struct wr_scope *scope = scope_open();
    for (int i = 0; i < 20; i++)
        go(scope, look_once, &looker);
    scope_done(scope);
    CHECK_EQ(1, reads.count);
    news_free(news);
}

TEST(what_happens_while_it_is_read_is_read_again_by_the_next)
{
    struct news *news = made(16);
    struct reads reads = { .takes = WR_MS(10) };
    struct looker looker = { news, &reads };
    struct wr_scope *scope = scope_open();
    go(scope, look_once, &looker);
    settle();
    news_ring(news, "a");
    scope_done(scope);
    look(news, &reads);
    CHECK_EQ(2, reads.count);
    news_free(news);
}

TEST(who_cannot_read_leaves_it_to_the_next)
{
    struct news *news = made(16);
    struct reads reads = { .err = WR_IO };
    struct queue_view *view;
    uint64_t version;
    CHECK_ERR(WR_IO, news_view(news, "a", read_view, &reads, &view, &version, WR_NEVER));
    reads.err = WR_OK;
    look(news, &reads);
    CHECK_EQ(2, reads.count);
    news_free(news);
}

static wr_err give_up_soon(void *arg)
{
    struct looker *looker = arg;
    struct queue_view *view = NULL;
    uint64_t version;
    CHECK_ERR(WR_TIMEOUT, news_view(looker->news, "a", read_view, looker->reads, &view,
                                    &version, wr_after(WR_MS(5))));
    CHECK(!view);
    return WR_OK;
}

TEST(who_gives_up_waiting_for_a_view_has_none)
{
    struct news *news = made(16);
    struct reads reads = { .takes = WR_MS(10) };
    struct looker looker = { news, &reads };
    struct wr_scope *scope = scope_open();
    go(scope, look_once, &looker);
    reads.takes = 0;
    go(scope, give_up_soon, &looker);
    scope_done(scope);
    look(news, &reads);
    CHECK_EQ(1, reads.count);
    news_free(news);
}
