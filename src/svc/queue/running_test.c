#include "svc/queue/running.h"

#include <stdlib.h>

#include "testing/settle.h"
#include "testing/test.h"

static struct running *made(void)
{
    struct running *running = NULL;
    CHECK_OK(running_new(&running));
    return running;
}

static struct queue_work *job_of(struct running *running, const char *task, const char *kind)
{
    struct queue_work *work = NULL;
    CHECK_OK(work_new(&work, NULL, &(struct store_job){ .id = "j", .task = task,
                                                        .kind = kind }));
    running_enter(running, work);
    return work;
}

static void gone(struct running *running, struct queue_work *work)
{
    running_leave(running, work);
    work_unref(work);
}

TEST(those_of_a_task_and_kind_are_ended_and_the_others_are_not)
{
    struct running *running = made();
    struct queue_work *one = job_of(running, "a", "target_queue");
    struct queue_work *kind = job_of(running, "a", "verify_nli");
    struct queue_work *task = job_of(running, "b", "target_queue");
    struct wr_scope *scope = scope_open();
    wr_time until;
    CHECK(running_begin(running, one, scope));
    CHECK_EQ(1, running_end(running, "a", "target_queue", WORK_STOPPED));
    CHECK_EQ(WORK_STOPPED, running_fate(running, one, &until));
    CHECK_EQ(WORK_OURS, running_fate(running, kind, &until));
    CHECK_EQ(WORK_OURS, running_fate(running, task, &until));
    wr_scope_enter(scope);
    CHECK_ERR(WR_CANCELED, wr_scope_check());
    wr_scope_leave(scope);
    running_rest(running, one);
    (void)!wr_scope_close(scope);
    gone(running, task);
    gone(running, one);
    gone(running, kind);
    running_free(running);
}

TEST(one_that_was_ended_before_it_began_does_not_begin)
{
    struct running *running = made();
    struct queue_work *one = job_of(running, "a", "target_queue");
    running_lose(running, one);
    CHECK(!running_begin(running, one, NULL));
    gone(running, one);
    running_free(running);
}

TEST(how_it_ended_first_is_how_it_ended)
{
    struct running *running = made();
    struct queue_work *one = job_of(running, "a", "target_queue");
    wr_time until;
    running_end(running, NULL, NULL, WORK_DRAINED);
    running_end(running, "a", NULL, WORK_STOPPED);
    CHECK_EQ(WORK_DRAINED, running_fate(running, one, &until));
    gone(running, one);
    running_free(running);
}

struct awaiting { struct running *running; wr_err err; bool back; };

static wr_err await_end(void *arg)
{
    struct awaiting *awaiting = arg;
    awaiting->err = running_await(awaiting->running, "a", NULL, wr_after(WR_S(9)));
    awaiting->back = true;
    return WR_OK;
}

TEST(the_end_of_the_last_of_a_task_is_waited_for)
{
    struct running *running = made();
    struct queue_work *one = job_of(running, "a", "target_queue");
    struct queue_work *two = job_of(running, "a", "verify_nli");
    struct queue_work *other = job_of(running, "b", "target_queue");
    struct awaiting awaiting = { .running = running };
    struct wr_scope *scope = scope_open();
    go(scope, await_end, &awaiting);
    gone(running, one);
    settle();
    CHECK(!awaiting.back);
    gone(running, two);
    scope_done(scope);
    CHECK_OK(awaiting.err);
    gone(running, other);
    running_free(running);
}

TEST(those_that_are_doubted_are_picked_once)
{
    struct running *running = made();
    struct queue_work *one = job_of(running, "a", "target_queue");
    struct queue_work *other = job_of(running, "b", "target_queue");
    size_t count;
    running_doubt(running, "a");
    struct queue_work **picked = running_pick(running, false, &count);
    CHECK_EQ(1, count);
    CHECK(picked[0] == one);
    work_unref(one);
    free(picked);
    free(running_pick(running, false, &count));
    CHECK_EQ(0, count);
    picked = running_pick(running, true, &count);
    CHECK_EQ(2, count);
    work_unref(one);
    work_unref(other);
    free(picked);
    CHECK(running_bury(running) == other);
    CHECK(running_bury(running) == one);
    CHECK(!running_bury(running));
    work_unref(one);
    work_unref(other);
    running_free(running);
}
