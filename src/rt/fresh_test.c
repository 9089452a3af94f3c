/* fresh_test.c - the queue of tasks that have not started, and its records, on their
 * own: two workers that are only memory. */
#include <stdlib.h>
#include <string.h>

#include "rt/rt_int.h"
#include "testing/test.h"

enum { TASKS = 200 };

static struct task tasks[TASKS];

static struct worker *open_workers(unsigned count)
{
    struct worker *workers = aligned_alloc(CACHE_LINE, count * sizeof(*workers));
    if (!workers)
        abort();
    memset((void *)workers, 0, count * sizeof(*workers));
    wr_rt = (struct rt){ .workers = workers, .count = count };
    for (unsigned i = 0; i < count; i++)
        workers[i].id = i;
    return workers;
}

static void close_workers(void)
{
    wr_task_free_all();
    free(wr_rt.workers);
    wr_rt = (struct rt){ 0 };
}

static void push_all(struct fresh *fresh, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        wr_fresh_push(fresh, &tasks[i]);
}

/* The queue holds exactly these, in this order. */
static void check_holds(struct fresh *fresh, size_t from, size_t to)
{
    CHECK_EQ(to - from, fresh->len);
    for (size_t i = from; i < to; i++)
        CHECK(wr_fresh_pop(fresh) == &tasks[i]);
    CHECK(wr_fresh_pop(fresh) == NULL);
    CHECK_EQ(0, fresh->len);
}

/* ---- the queue ---- */

TEST_PLAIN(the_queue_is_first_in_first_out)
{
    struct fresh fresh = { 0 };
    CHECK(wr_fresh_pop(&fresh) == NULL);
    CHECK(wr_fresh_oldest(&fresh) == NULL);
    for (int round = 0; round < 2; round++) {
        push_all(&fresh, 0, 5);
        CHECK(wr_fresh_oldest(&fresh) == &tasks[0]);
        check_holds(&fresh, 0, 5);
    }
}

TEST_PLAIN(what_is_put_back_is_first_again)
{
    struct fresh fresh = { 0 };
    push_all(&fresh, 0, 3);
    wr_fresh_unpop(&fresh, wr_fresh_pop(&fresh));
    check_holds(&fresh, 0, 3);
    push_all(&fresh, 0, 1);
    wr_fresh_unpop(&fresh, wr_fresh_pop(&fresh));   /* the only one: it is the last too */
    push_all(&fresh, 1, 3);
    check_holds(&fresh, 0, 3);
}

TEST_PLAIN(one_from_the_middle_leaves_the_others_in_order)
{
    for (size_t at = 0; at < 4; at++) {
        struct fresh fresh = { 0 };
        push_all(&fresh, 0, 4);
        CHECK(wr_fresh_take(&fresh, at) == &tasks[at]);
        CHECK_EQ(3, fresh.len);
        push_all(&fresh, 4, 5);                     /* the end of the list is intact */
        for (size_t i = 0; i < 5; i++)
            if (i != at)
                CHECK(wr_fresh_pop(&fresh) == &tasks[i]);
        CHECK(wr_fresh_pop(&fresh) == NULL);
    }
}

/* ---- stealing ---- */

TEST_PLAIN(a_thief_takes_the_older_half_rounded_up)
{
    struct worker *workers = open_workers(2);
    push_all(&workers[1].fresh[0], 0, 7);
    CHECK(wr_steal(&workers[0]));
    check_holds(&workers[0].fresh[0], 0, 4);
    check_holds(&workers[1].fresh[0], 4, 7);
    push_all(&workers[1].fresh[0], 0, 1);
    CHECK(wr_steal(&workers[0]));
    check_holds(&workers[0].fresh[0], 0, 1);
    check_holds(&workers[1].fresh[0], 0, 0);
    close_workers();
}

TEST_PLAIN(a_thief_takes_at_most_thirty_two)
{
    struct worker *workers = open_workers(2);
    push_all(&workers[1].fresh[0], 0, TASKS);
    CHECK(wr_steal(&workers[0]));
    check_holds(&workers[0].fresh[0], 0, 32);
    check_holds(&workers[1].fresh[0], 32, TASKS);
    close_workers();
}

TEST_PLAIN(what_was_stolen_stands_behind_what_was_there)
{
    struct worker *workers = open_workers(2);
    push_all(&workers[0].fresh[0], 0, 2);
    push_all(&workers[1].fresh[0], 2, 4);
    CHECK(wr_steal(&workers[0]));
    check_holds(&workers[0].fresh[0], 0, 3);
    check_holds(&workers[1].fresh[0], 3, 4);
    close_workers();
}

TEST_PLAIN(low_tasks_are_stolen_only_when_no_worker_has_normal_ones)
{
    struct worker *workers = open_workers(3);
    push_all(&workers[1].fresh[1], 0, 2);
    push_all(&workers[2].fresh[0], 2, 4);
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
    push_all(&workers[0].fresh[0], 0, 2);           /* its own do not count */
    CHECK(!wr_steal(&workers[0]));
    CHECK_EQ(2, workers[0].fresh[0].len);
    close_workers();
}

/* ---- records ---- */

TEST_PLAIN(no_record_is_given_out_twice)
{
    enum { MANY = 1000 };
    static struct task *taken[MANY];
    struct worker *workers = open_workers(1);
    for (size_t i = 0; i < MANY; i++) {
        taken[i] = wr_task_take(&workers[0]);
        REQUIRE(taken[i]);
        taken[i]->arg = &taken[i];
    }
    for (size_t i = 0; i < MANY; i++)
        CHECK(taken[i]->arg == &taken[i]);
    for (size_t i = 0; i < MANY; i++)
        wr_task_give(&workers[0], taken[i]);
    close_workers();
}

TEST_PLAIN(records_that_one_worker_takes_and_another_gives_flow_back)
{
    struct worker *workers = open_workers(2);
    for (int i = 0; i < 100000; i++) {
        struct task *task = wr_task_take(&workers[0]);
        REQUIRE(task);
        wr_task_give(&workers[1], task);
    }
    CHECK(workers[1].task_free_len <= 256);
    CHECK(wr_rt.depot_len <= 512);
    CHECK(workers[0].task_free_len + workers[1].task_free_len + wr_rt.depot_len <= 640);
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
