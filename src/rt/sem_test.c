#include <weir/sem.h>

#include <stdatomic.h>

#include <weir/offload.h>
#include <weir/run.h>

#include "base/rand.h"
#include "testing/settle.h"
#include "testing/test.h"

static struct wr_sem *make(size_t units)
{
    struct wr_sem *sem = NULL;
    CHECK_OK(wr_sem_new(&sem, "test.sem", units));
    return sem;
}

static size_t taken(const struct wr_sem *sem)
{
    return wr_sem_stat(sem).taken;
}

struct call {
    struct wr_sem *sem;
    size_t units;
    wr_time deadline;
    bool done;
    wr_err err;
    wr_time ended;
};

static wr_err acquire_task(void *arg)
{
    struct call *call = arg;
    call->err = wr_sem_acquire_many(call->sem, call->units, call->deadline);
    call->done = true;
    call->ended = wr_now();
    return WR_OK;
}

static struct call asking(struct wr_sem *sem, size_t units)
{
    return (struct call){ .sem = sem, .units = units, .deadline = WR_NEVER };
}

/* ---- units ---- */

TEST(as_many_units_are_had_as_there_are)
{
    struct wr_sem *sem = make(3);
    for (int i = 0; i < 3; i++)
        CHECK_OK(wr_sem_acquire(sem, WR_NOW));
    CHECK_ERR(WR_BUSY, wr_sem_acquire(sem, WR_NOW));
    wr_sem_release(sem);
    CHECK_OK(wr_sem_acquire(sem, WR_NOW));
    CHECK_EQ(3, wr_sem_stat(sem).units);
    CHECK_EQ(3, taken(sem));
    wr_sem_release_many(sem, 3);
    CHECK_EQ(0, taken(sem));
    wr_sem_free(sem);
}

TEST(several_units_are_had_at_once_or_not_at_all)
{
    struct wr_sem *sem = make(5);
    CHECK_OK(wr_sem_try_acquire_many(sem, 3));
    CHECK_ERR(WR_BUSY, wr_sem_try_acquire_many(sem, 3));
    CHECK_EQ(3, taken(sem));
    CHECK_OK(wr_sem_try_acquire_many(sem, 2));
    CHECK_ERR(WR_BUSY, wr_sem_try_acquire_many(sem, 1));
    CHECK_EQ(2, wr_sem_stat(sem).refused);
    wr_sem_release_many(sem, 5);
    CHECK_OK(wr_sem_try_acquire_many(sem, 5));
    wr_sem_release_many(sem, 5);
    wr_sem_free(sem);
}

TEST(a_request_waits_for_its_units_and_gets_them_the_moment_they_are_released)
{
    struct wr_sem *sem = make(2);
    struct wr_scope *scope = scope_open();
    struct call call = asking(sem, 2);
    wr_time start = wr_now();
    CHECK_OK(wr_sem_acquire_many(sem, 2, WR_NOW));
    go(scope, acquire_task, &call);
    wr_sem_release(sem);
    CHECK_OK(wr_sleep(start + WR_MS(5)));
    CHECK(!call.done);
    wr_sem_release(sem);
    scope_done(scope);
    CHECK_OK(call.err);
    CHECK_EQ(WR_MS(5), call.ended - start);
    CHECK_EQ(2, taken(sem));
    wr_sem_release_many(sem, 2);
    wr_sem_free(sem);
}

TEST(units_may_be_released_by_another_fiber_than_took_them)
{
    struct wr_sem *sem = make(1);
    struct wr_scope *scope = scope_open();
    struct call call = asking(sem, 1);
    go(scope, acquire_task, &call);
    scope_done(scope);
    wr_sem_release(sem);
    CHECK_EQ(0, taken(sem));
    wr_sem_free(sem);
}

TEST(more_units_serve_those_who_wait_and_fewer_serve_nobody_until_enough_are_back)
{
    struct wr_sem *sem = make(2);
    struct wr_scope *scope = scope_open();
    struct call call = asking(sem, 2);
    CHECK_OK(wr_sem_acquire_many(sem, 2, WR_NOW));
    go(scope, acquire_task, &call);
    wr_sem_resize(sem, 3);
    settle();
    CHECK(!call.done);
    wr_sem_resize(sem, 4);
    scope_done(scope);
    CHECK_OK(call.err);
    wr_sem_resize(sem, 1);
    CHECK_EQ(1, wr_sem_stat(sem).units);
    CHECK_EQ(4, taken(sem));
    CHECK_ERR(WR_BUSY, wr_sem_acquire(sem, WR_NOW));
    wr_sem_release_many(sem, 3);
    CHECK_ERR(WR_BUSY, wr_sem_acquire(sem, WR_NOW));
    wr_sem_release(sem);
    CHECK_ERR(WR_BUSY, wr_sem_acquire_many(sem, 2, WR_NOW));
    CHECK_OK(wr_sem_acquire(sem, WR_NOW));
    wr_sem_release(sem);
    wr_sem_free(sem);
}

TEST_PANICS(a_semaphore_cannot_be_left_without_units, "at least one unit")
{
    wr_sem_resize(make(2), 0);
}

/* ---- first come, first served ---- */

TEST(units_go_to_those_who_wait_in_the_order_they_came)
{
    struct wr_sem *sem = make(1);
    struct wr_scope *scope = scope_open();
    struct call calls[4];
    CHECK_OK(wr_sem_acquire(sem, WR_NOW));
    for (int i = 0; i < 4; i++) {
        calls[i] = asking(sem, 1);
        go(scope, acquire_task, &calls[i]);
    }
    for (int i = 0; i < 4; i++) {
        wr_sem_release(sem);
        CHECK_ERR(WR_BUSY, wr_sem_acquire(sem, WR_NOW));    /* not for a newcomer */
        settle();
        for (int j = 0; j < 4; j++)
            CHECK_EQ(j <= i, calls[j].done);
    }
    wr_sem_release(sem);
    scope_done(scope);
    wr_sem_free(sem);
}

TEST(a_request_for_many_is_not_starved_by_requests_for_few)
{
    struct wr_sem *sem = make(4);
    struct wr_scope *scope = scope_open();
    struct call big = asking(sem, 4), small = asking(sem, 1);
    CHECK_OK(wr_sem_acquire_many(sem, 2, WR_NOW));
    go(scope, acquire_task, &big);
    go(scope, acquire_task, &small);    /* two are free, but it stands behind */
    CHECK(!small.done);
    CHECK_ERR(WR_BUSY, wr_sem_try_acquire_many(sem, 1));
    wr_sem_release(sem);
    settle();
    CHECK(!big.done && !small.done);
    wr_sem_release(sem);
    settle();
    CHECK(big.done && !small.done);
    wr_sem_release_many(sem, 4);
    scope_done(scope);
    CHECK_OK(small.err);
    wr_sem_release(sem);
    wr_sem_free(sem);
}

TEST(one_release_serves_as_many_as_it_suffices_for)
{
    struct wr_sem *sem = make(6);
    struct wr_scope *scope = scope_open();
    static const size_t units[] = { 2, 3, 1, 1 };
    struct call calls[4];
    CHECK_OK(wr_sem_acquire_many(sem, 6, WR_NOW));
    for (int i = 0; i < 4; i++) {
        calls[i] = asking(sem, units[i]);
        go(scope, acquire_task, &calls[i]);
    }
    wr_sem_release_many(sem, 6);
    settle();
    CHECK(calls[0].done && calls[1].done && calls[2].done && !calls[3].done);
    CHECK_EQ(6, taken(sem));
    wr_sem_release_many(sem, 6);
    scope_done(scope);
    wr_sem_release(sem);
    wr_sem_free(sem);
}

static void big_one_leaves(bool by_cancel)
{
    struct wr_sem *sem = make(2);
    struct wr_scope *scope = scope_open(), *doomed = scope_open();
    struct call big = asking(sem, 2), small = asking(sem, 1);
    wr_time start = wr_now();
    big.deadline = by_cancel ? WR_NEVER : start + WR_MS(3);
    CHECK_OK(wr_sem_acquire(sem, WR_NOW));
    go(doomed, acquire_task, &big);
    go(scope, acquire_task, &small);
    CHECK(!small.done);
    CHECK_OK(wr_sleep(start + WR_MS(3)));
    if (by_cancel)
        wr_scope_cancel(doomed);
    settle();
    CHECK_ERR(by_cancel ? WR_CANCELED : WR_TIMEOUT, big.err);
    CHECK(small.done);                  /* nobody released anything; there was enough for it */
    CHECK_EQ(WR_MS(3), small.ended - start);
    CHECK_EQ(!by_cancel, wr_sem_stat(sem).refused);
    CHECK_OK(wr_scope_close(doomed));
    scope_done(scope);
    wr_sem_release_many(sem, 2);
    wr_sem_free(sem);
}

TEST(when_a_big_request_times_out_those_behind_it_are_served)
{
    big_one_leaves(false);
}

TEST(when_a_big_request_is_canceled_those_behind_it_are_served)
{
    big_one_leaves(true);
}

/* ---- deadlines and cancels ---- */

TEST(a_request_gives_up_exactly_at_its_deadline_and_is_counted)
{
    struct wr_sem *sem = make(1);
    CHECK_OK(wr_sem_acquire(sem, WR_NOW));
    wr_time start = wr_now();
    CHECK_ERR(WR_TIMEOUT, wr_sem_acquire(sem, start - 1));
    CHECK_EQ(start, wr_now());
    CHECK_ERR(WR_TIMEOUT, wr_sem_acquire(sem, start + WR_US(9)));
    CHECK_EQ(WR_US(9), wr_now() - start);
    CHECK_EQ(2, wr_sem_stat(sem).refused);
    CHECK_EQ(1, taken(sem));
    wr_sem_release(sem);
    CHECK_EQ(0, taken(sem));
    wr_sem_free(sem);
}

TEST(a_request_that_was_served_has_its_units_though_it_is_canceled_before_it_runs)
{
    struct wr_sem *sem = make(1);
    struct wr_scope *scope = scope_open();
    struct call call = asking(sem, 1);
    CHECK_OK(wr_sem_acquire(sem, WR_NOW));
    go(scope, acquire_task, &call);
    wr_sem_release(sem);
    wr_scope_cancel(scope);
    scope_done(scope);
    CHECK_OK(call.err);
    CHECK_EQ(1, taken(sem));
    wr_sem_release(sem);
    wr_sem_free(sem);
}

TEST(in_a_canceled_scope_units_are_still_had_with_wr_now)
{
    struct wr_sem *sem = make(1);
    struct wr_scope *scope = scope_open();
    wr_scope_enter(scope);
    wr_scope_cancel(scope);
    CHECK_ERR(WR_CANCELED, wr_sem_acquire(sem, WR_NEVER));
    CHECK_EQ(0, taken(sem));
    CHECK_OK(wr_sem_acquire(sem, WR_NOW));
    wr_sem_release(sem);
    wr_scope_leave(scope);
    CHECK_OK(wr_scope_close(scope));
    wr_sem_free(sem);
}

/* ---- the gate ---- */

struct visit { struct wr_gate *gate; int *inside, *visits; };

static wr_err visit(void *arg)
{
    struct visit *visit = arg;
    CHECK_OK(wr_gate_enter(visit->gate, WR_NEVER));
    CHECK_EQ(1, ++*visit->inside);
    CHECK_OK(wr_sleep(wr_after(WR_US(1))));
    CHECK_EQ(0, --*visit->inside);
    ++*visit->visits;
    wr_gate_leave(visit->gate);
    return WR_OK;
}

TEST(one_fiber_at_a_time_is_inside_a_gate_though_it_waits_there)
{
    int inside = 0, visits = 0;
    struct visit v = { .inside = &inside, .visits = &visits };
    struct wr_scope *scope = scope_open();
    REQUIRE_OK(wr_gate_new(&v.gate, "test.gate"));
    wr_time start = wr_now();
    for (int i = 0; i < 20; i++)
        CHECK_OK(wr_scope_go(scope, "test.visitor", visit, &v));
    scope_done(scope);
    CHECK_EQ(20, visits);
    CHECK_EQ(20 * WR_US(1), wr_now() - start);
    wr_gate_free(v.gate);
    wr_gate_free(NULL);
}

TEST(a_gate_that_is_taken_is_busy_now_and_times_out_later)
{
    struct wr_gate *gate;
    REQUIRE_OK(wr_gate_new(&gate, "test.gate"));
    CHECK_OK(wr_gate_enter(gate, WR_NOW));
    wr_time start = wr_now();
    CHECK_ERR(WR_BUSY, wr_gate_enter(gate, WR_NOW));
    CHECK_ERR(WR_TIMEOUT, wr_gate_enter(gate, start + WR_MS(1)));
    CHECK_EQ(WR_MS(1), wr_now() - start);
    wr_gate_leave(gate);
    CHECK_OK(wr_gate_enter(gate, WR_NOW));
    wr_gate_leave(gate);
    wr_gate_free(gate);
}

/* ---- rules that were broken ---- */

TEST_PANICS(asking_for_more_than_there_is_panics,
            "panic at src/rt/sem_test.c:[0-9]+: "
            "semaphore \"test.sem\" has 3 units; "
            "4 can never be had")
{
    CHECK_OK(wr_sem_acquire_many(make(3), 4, WR_NEVER));
}

TEST_PANICS(trying_for_more_than_there_is_panics,
            "\"test.sem\" has 3 units; 4 can never be had")
{
    CHECK_OK(wr_sem_try_acquire_many(make(3), 4));
}

TEST_PANICS(asking_for_nothing_panics, "semaphore \"test.sem\" has 3 units; 0 can never be had")
{
    CHECK_OK(wr_sem_acquire_many(make(3), 0, WR_NEVER));
}

TEST_PANICS(releasing_more_than_was_taken_panics,
            "panic at src/rt/sem_test.c:[0-9]+: "
            "semaphore \"test.sem\": 2 released, but only 1 of 3 units are taken")
{
    struct wr_sem *sem = make(3);
    CHECK_OK(wr_sem_acquire(sem, WR_NOW));
    wr_sem_release_many(sem, 2);
}

TEST_PANICS(leaving_a_gate_that_nobody_entered_panics,
            "panic at src/rt/sem_test.c:[0-9]+: "
            "semaphore \"test.gate\": 1 released, but only 0 of 1 units are taken")
{
    struct wr_gate *gate;
    REQUIRE_OK(wr_gate_new(&gate, "test.gate"));
    wr_gate_leave(gate);
}

TEST_PANICS(a_semaphore_needs_a_unit,
            "panic at src/rt/sem_test\\.c:[0-9]+: semaphore \"test.none\": a name and at least "
            "one unit are required; it has 0")
{
    struct wr_sem *sem;
    CHECK_OK(wr_sem_new(&sem, "test.none", 0));
}

TEST_PANICS(a_gate_needs_a_name,
            "panic at src/rt/sem_test\\.c:[0-9]+: semaphore \"\\?\": a name")
{
    struct wr_gate *gate;
    CHECK_OK(wr_gate_new(&gate, NULL));
}

TEST_PANICS(a_semaphore_needs_a_name, "semaphore \"\\?\": a name")
{
    struct wr_sem *sem;
    CHECK_OK(wr_sem_new(&sem, NULL, 1));
}

TEST_PANICS(freeing_a_semaphore_names_the_fiber_that_still_waits,
            "panic at src/rt/sem_test\\.c:[0-9]+: "
            "semaphore \"test.sem\" is freed while test.task#[0-9]+ waits on it; join "
            "its users first")
{
    static struct call call;
    struct wr_sem *sem = make(1);
    call = asking(sem, 1);
    CHECK_OK(wr_sem_acquire(sem, WR_NOW));
    go(scope_open(), acquire_task, &call);
    wr_sem_free(sem);
}

/* ---- several threads ---- */

static void release_from_outside(void *arg)
{
    CHECK_ERR(WR_BUSY, wr_sem_try_acquire_many(arg, 1));
    wr_sem_release(arg);
}

TEST(a_thread_outside_the_runtime_may_release_and_wakes_who_waits)
{
    struct wr_sem *sem = make(1);
    struct wr_scope *scope = scope_open();
    struct call call = asking(sem, 1);
    CHECK_OK(wr_sem_acquire(sem, WR_NOW));
    go(scope, acquire_task, &call);
    CHECK_OK(wr_offload(release_from_outside, sem, WR_NEVER));
    scope_done(scope);
    CHECK_OK(call.err);
    wr_sem_release(sem);
    wr_sem_free(sem);
}

#define UNITS 5
#define TURNS 300

struct crowd { struct wr_sem *sem; _Atomic int number, inside; };

static wr_err use(void *arg)
{
    struct crowd *crowd = arg;
    struct wr_rand rand;
    wr_rand_seed(&rand, (uint64_t)++crowd->number);
    for (int i = 0; i < TURNS; i++) {
        size_t n = 1 + (size_t)wr_rand_below(&rand, UNITS);
        wr_time deadline = i % 3 ? WR_NEVER : wr_after(wr_rand_span(&rand, 0, 2000));
        wr_err err = wr_sem_acquire_many(crowd->sem, n, i % 7 ? deadline : WR_NOW);
        if (err == WR_CANCELED)
            return err;
        if (err != WR_OK) {
            CHECK(err == WR_TIMEOUT || err == WR_BUSY);
            continue;
        }
        CHECK(atomic_fetch_add(&crowd->inside, (int)n) + (int)n <= UNITS);
        if (i % 2)
            (void)!wr_yield();
        crowd->inside -= (int)n;
        wr_sem_release_many(crowd->sem, n);
    }
    return WR_OK;
}

static wr_err crowd_it(void *arg)
{
    struct crowd crowd = { .sem = make(UNITS) };
    struct wr_scope *scope = scope_open(), *doomed = scope_open();
    (void)arg;
    for (int i = 0; i < 12; i++)
        CHECK_OK(wr_scope_go(i % 3 ? scope : doomed, "test.user", use, &crowd));
    for (int i = 0; i < 50; i++)
        CHECK_OK(wr_yield());
    CHECK_OK(wr_scope_close(doomed));
    scope_done(scope);
    CHECK_EQ(0, taken(crowd.sem));
    wr_sem_free(crowd.sem);
    return WR_OK;
}

TEST(never_more_units_are_out_than_there_are_and_all_come_back)
{
    CHECK_OK(crowd_it(NULL));
}

TEST_PLAIN(never_more_units_are_out_than_there_are_on_two_workers_and_the_real_clock)
{
    CHECK_OK(wr_run(&(struct wr_run_conf){ .workers = 2 }, crowd_it, NULL));
}

TEST_PLAIN(never_more_units_are_out_than_there_are_on_four_workers_and_the_real_clock)
{
    CHECK_OK(wr_run(&(struct wr_run_conf){ .workers = 4 }, crowd_it, NULL));
}
