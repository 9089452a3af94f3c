/* fresh_test.c - the queue of tasks that have not started, on its own: workers
 * that are only memory. */
#include <stdlib.h>
#include <string.h>

#include "base/world.h"
#include "rt/rt_int.h"
#include "testing/test.h"

enum { TASKS = 200 };

/* Those of the pool, and a control worker behind them. */
static struct worker *open_workers_and(unsigned pool, bool control)
{
    unsigned count = pool + control;
    struct worker *workers = aligned_alloc(CACHE_LINE, count * sizeof(*workers));
    if (!workers)
        abort();
    memset((void *)workers, 0, count * sizeof(*workers));
    wr_rt = (struct rt){ .workers = workers, .count = count, .pool = pool };
    wr_rt.conf.virtual_clock = true;        /* thieves are not patient then */
    for (unsigned i = 0; i < count; i++) {
        workers[i].id = i;
        workers[i].shares = i < pool;
        workers[i].control = i == pool;
    }
    return workers;
}

static struct worker *open_workers(unsigned count)
{
    return open_workers_and(count, false);
}

static void close_workers(void)
{
    wr_fresh_close();
    free(wr_rt.workers);
    wr_rt = (struct rt){ 0 };
}

/* Tasks are told apart by their numbers. */
static void push_all(struct worker *w, int class, uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i < to; i++)
        CHECK_OK(wr_fresh_push(w, class, &(struct task){ .id = i }));
}

/* The queue holds exactly these, in this order. */
static void check_holds(struct worker *w, uint64_t from, uint64_t to)
{
    struct task task;
    CHECK_EQ(to - from, w->fresh[0].len);
    for (uint64_t i = from; i < to; i++) {
        CHECK(wr_fresh_pop(w, 0, &task));
        CHECK_EQ(i, task.id);
    }
    CHECK(!wr_fresh_pop(w, 0, &task));
    CHECK_EQ(0, w->fresh[0].len);
}

/* ---- the queue ---- */

TEST_PLAIN(the_queue_is_first_in_first_out)
{
    struct worker *w = open_workers(1);
    struct task task;
    CHECK(!wr_fresh_pop(w, 0, &task));
    CHECK_EQ(0, wr_fresh_oldest(&w->fresh[0]));
    for (int round = 0; round < 3; round++) {
        push_all(w, 0, 1, TASKS);
        CHECK_EQ(1, wr_fresh_oldest(&w->fresh[0]));
        check_holds(w, 1, TASKS);
    }
    close_workers();
}

TEST_PLAIN(one_from_the_middle_leaves_the_others_in_order)
{
    struct worker *w = open_workers(1);
    struct task task;
    for (size_t at = 0; at < 60; at++) {
        push_all(w, 0, 0, 60);
        CHECK_EQ(at, wr_fresh_at(&w->fresh[0], at)->id);
        wr_fresh_take(w, 0, at, &task);
        CHECK_EQ(at, task.id);
        CHECK_EQ(59, w->fresh[0].len);
        push_all(w, 0, 60, 61);                     /* the end of the line is intact */
        for (uint64_t i = 0; i < 61; i++)
            if (i != at && CHECK(wr_fresh_pop(w, 0, &task)))
                CHECK_EQ(i, task.id);
        CHECK(!wr_fresh_pop(w, 0, &task));
    }
    close_workers();
}

/* ---- stealing ---- */

TEST_PLAIN(of_a_single_batch_a_thief_takes_the_older_half_rounded_up)
{
    struct worker *workers = open_workers(2);
    push_all(&workers[1], 0, 0, 7);
    CHECK(wr_steal(&workers[0]));
    check_holds(&workers[0], 0, 4);
    check_holds(&workers[1], 4, 7);
    push_all(&workers[1], 0, 0, 1);
    CHECK(wr_steal(&workers[0]));
    check_holds(&workers[0], 0, 1);
    check_holds(&workers[1], 0, 0);
    close_workers();
}

TEST_PLAIN(of_many_a_thief_takes_the_first_batch_whole)
{
    struct worker *workers = open_workers(2);
    push_all(&workers[1], 0, 0, TASKS);
    CHECK(wr_steal(&workers[0]));
    check_holds(&workers[0], 0, BATCH_TASKS);
    check_holds(&workers[1], BATCH_TASKS, TASKS);
    push_all(&workers[1], 0, 0, TASKS);
    struct task task;
    CHECK(wr_fresh_pop(&workers[1], 0, &task));
    CHECK(wr_steal(&workers[0]));                   /* what is left of it */
    check_holds(&workers[0], 1, BATCH_TASKS);
    check_holds(&workers[1], BATCH_TASKS, TASKS);
    close_workers();
}

TEST_PLAIN(what_was_stolen_stands_behind_what_was_there)
{
    struct worker *workers = open_workers(2);
    push_all(&workers[0], 0, 0, 2);
    push_all(&workers[1], 0, 2, 4);
    CHECK(wr_steal(&workers[0]));
    push_all(&workers[0], 0, 3, 4);
    check_holds(&workers[0], 0, 4);
    check_holds(&workers[1], 3, 4);
    close_workers();
}

TEST_PLAIN(low_tasks_are_stolen_only_when_no_worker_has_normal_ones)
{
    struct worker *workers = open_workers(3);
    push_all(&workers[1], 1, 0, 2);
    push_all(&workers[2], 0, 2, 4);
    CHECK(wr_steal(&workers[0]));
    CHECK_EQ(1, workers[0].fresh[0].len);
    CHECK_EQ(0, workers[0].fresh[1].len);
    CHECK(wr_steal(&workers[0]));
    CHECK(wr_steal(&workers[0]));
    CHECK_EQ(2, workers[0].fresh[0].len);
    CHECK_EQ(1, workers[0].fresh[1].len);
    close_workers();
}

TEST_PLAIN(a_thief_that_finds_nothing_says_so)
{
    struct worker *workers = open_workers(3);
    push_all(&workers[0], 0, 0, 2);                 /* its own do not count */
    CHECK(!wr_steal(&workers[0]));
    CHECK_EQ(2, workers[0].fresh[0].len);
    close_workers();
}

static wr_time fake_now;

static wr_time fake_mono(void)
{
    return fake_now;
}

TEST_PLAIN(a_short_queue_is_left_to_its_owner_for_twenty_microseconds)
{
    struct worker *workers = open_workers(2);
    struct wr_world fake = *wr_world;
    const struct wr_world *real = wr_world;
    struct task task;
    wr_rt.conf.virtual_clock = false;
    fake.mono = fake_mono;
    wr_world = &fake;
    fake_now = WR_S(1);
    push_all(&workers[1], 0, 0, FRESH_FEW);
    CHECK(!wr_steal(&workers[0]));
    fake_now += WR_US(20) - 1;
    CHECK(!wr_loot(&workers[0]));
    fake_now += 1;
    CHECK(wr_loot(&workers[0]));
    CHECK(wr_fresh_pop(&workers[1], 0, &task));     /* the owner has come back to it */
    CHECK(!wr_steal(&workers[0]));
    fake_now += WR_US(20);
    CHECK(wr_steal(&workers[0]));
    push_all(&workers[1], 0, 0, 2ul * FRESH_FEW);     /* a long one is for all */
    CHECK(wr_steal(&workers[0]));
    wr_world = real;
    close_workers();
}

static size_t length(const struct batch *batch)
{
    size_t count = 0;
    for (; batch; batch = batch->next)
        count++;
    return count;
}

TEST_PLAIN(an_emptied_batch_is_kept_for_the_next_tasks)
{
    enum { BATCHES = 5 };
    struct worker *w = open_workers(1);
    size_t kept = 0;
    for (int round = 0; round < 3; round++) {
        push_all(w, 0, 0, (uint64_t)BATCHES * BATCH_TASKS);
        check_holds(w, 0, (uint64_t)BATCHES * BATCH_TASKS);
        CHECK_EQ(w->batch_count, length(w->batches));
        CHECK(w->batch_count >= BATCHES);
        CHECK(round == 0 || w->batch_count == kept);
        kept = w->batch_count;
    }
    close_workers();
}

TEST_PLAIN(batches_that_one_worker_fills_and_another_empties_flow_back)
{
    struct worker *workers = open_workers(2);
    struct task task;
    for (int i = 0; i < 20000; i++) {
        push_all(&workers[0], 0, 0, 2ul * BATCH_TASKS);
        while (wr_steal(&workers[1]))
            while (wr_fresh_pop(&workers[1], 0, &task))
                ;
    }
    CHECK(length(workers[0].batches) + length(workers[1].batches) + length(wr_rt.depot) < 100);
    close_workers();
}

TEST_PLAIN(after_a_rush_a_megabyte_of_empty_batches_is_kept_and_no_more)
{
    enum { RUSH = 100000, KEPT = 1024 };
    struct worker *w = open_workers(1);
    push_all(w, 0, 0, RUSH);
    check_holds(w, 0, RUSH);
    size_t batches = 0;
    for (const struct batch *batch = wr_rt.depot; batch; batch = batch->next)
        batches++;
    CHECK_EQ(KEPT, batches);
    CHECK_EQ(KEPT, wr_rt.depot_count);
    close_workers();
}

/* ---- the control worker ---- */

TEST_PLAIN(the_control_worker_takes_from_nobody_and_nobody_from_it)
{
    struct worker *workers = open_workers_and(2, true), *control = &workers[2];
    push_all(&workers[0], 0, 1, TASKS);
    push_all(control, 0, 1, TASKS);
    CHECK(!wr_steal(control));
    while (wr_steal(&workers[1]))
        check_holds(&workers[1], wr_fresh_oldest(&workers[1].fresh[0]),
                    wr_fresh_oldest(&workers[1].fresh[0]) + workers[1].fresh[0].len);
    CHECK_EQ(0, workers[0].fresh[0].len);
    check_holds(control, 1, TASKS);
    close_workers();
}

TEST_PLAIN(a_task_that_is_sent_stands_last_in_the_other_queue)
{
    struct worker *workers = open_workers_and(1, true), *control = &workers[1];
    push_all(control, 0, 1, 30);
    for (uint64_t i = 30; i < TASKS; i++)
        CHECK_OK(wr_fresh_send(&workers[0], control, 0, &(struct task){ .id = i }));
    CHECK_EQ(0, workers[0].fresh[0].len);
    check_holds(control, 1, TASKS);
    close_workers();
}

TEST_PLAIN(who_sends_a_task_to_one_that_sleeps_is_to_wake_it)
{
    struct worker *workers = open_workers_and(1, true), *control = &workers[1];
    CHECK_OK(wr_fresh_send(&workers[0], control, 0, &(struct task){ .id = 1 }));
    CHECK_EQ(0, workers[0].kicks);
    control->sleeping = 1;
    CHECK_OK(wr_fresh_send(&workers[0], control, 1, &(struct task){ .id = 2 }));
    CHECK_EQ(2, workers[0].kicks);
    CHECK_EQ(1, control->fresh[1].len);
    close_workers();
}

/* ---- tickets ---- */

TEST_PLAIN(a_small_number_of_tickets_is_exact_across_workers)
{
    struct worker *workers = open_workers(3);
    wr_rt.conf.tasks_max = 5;
    wr_rt.tickets = 5;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 5; i++)
            CHECK(wr_ticket_take(&workers[i % 3]));
        for (int i = 0; i < 3; i++)
            CHECK(!wr_ticket_take(&workers[i]));
        for (int i = 0; i < 5; i++)
            wr_ticket_give(&workers[0]);            /* all ended on one worker */
        CHECK_EQ(5, wr_rt.tickets);
    }
    close_workers();
}

TEST_PLAIN(a_large_number_of_tickets_is_never_exceeded)
{
    enum { LARGE = 65536 };
    struct worker *workers = open_workers(2);
    wr_rt.conf.tasks_max = LARGE;
    wr_rt.tickets = LARGE;
    int taken = 0;
    while (wr_ticket_take(&workers[taken % 2]))
        taken++;
    while (wr_ticket_take(&workers[(taken + 1) % 2]))
        taken++;
    CHECK(taken <= LARGE);
    CHECK(taken >= LARGE - 64);         /* what one worker holds, another cannot use */
    for (int i = 0; i < taken; i++)
        wr_ticket_give(&workers[0]);
    CHECK(wr_rt.tickets + workers[0].tickets + workers[1].tickets == LARGE);
    CHECK(workers[0].tickets < 128);
    close_workers();
}
