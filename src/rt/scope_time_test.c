/* scope_time_test.c - deadlines of scopes: inherited, exact, shielded. */
#include <weir/scope.h>

#include <stdatomic.h>

#include <weir/chan.h>
#include <weir/once.h>
#include <weir/run.h>

#include "base/world.h"
#include "rt/scope_int.h"
#include "testing/test.h"

static struct wr_scope *make(wr_time deadline)
{
    struct wr_scope *scope = NULL;
    CHECK_OK(wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "test", .deadline = deadline }));
    return scope;
}

static struct wr_scope *make_shield(wr_time deadline)
{
    struct wr_scope *scope = NULL;
    CHECK_OK(wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "shield", .deadline = deadline, .shield = true }));
    return scope;
}

/* Waits for ever, and notes how and when that ended. */
struct waiting { wr_err err; wr_time at; };

static wr_err wait_for_ever(void *arg)
{
    struct waiting *waiting = arg;
    waiting->err = wr_sleep(WR_NEVER);
    waiting->at = wr_now();
    return waiting->err;
}

/* ---- the effective deadline ---- */

TEST(a_wait_ends_with_timeout_at_the_nanosecond_the_scope_says)
{
    static const wr_time spans[] = { 1, 999, 1023, 1024, 1025, 12345678, WR_S(86400) + 1 };
    for (size_t i = 0; i < sizeof(spans) / sizeof(*spans); i++) {
        wr_time deadline = wr_now() + spans[i];
        struct waiting waiting = { 0 };
        struct wr_scope *scope = make(deadline);
        CHECK_OK(wr_scope_go(scope, "test.waiting", wait_for_ever, &waiting));
        CHECK_ERR(WR_TIMEOUT, wr_scope_join(scope, WR_NEVER));
        CHECK_EQ(deadline, waiting.at);
        CHECK_ERR(WR_TIMEOUT, waiting.err);
        CHECK_ERR(WR_TIMEOUT, wr_scope_close(scope));
    }
}

TEST(without_a_deadline_of_its_own_a_scope_has_its_parents)
{
    wr_time deadline = wr_after(WR_MS(7));
    struct waiting waiting = { 0 };
    struct wr_scope *outer = make(deadline);
    wr_scope_enter(outer);
    struct wr_scope *inner = make(WR_NEVER);
    CHECK_OK(wr_scope_go(inner, "test.waiting", wait_for_ever, &waiting));
    CHECK_ERR(WR_TIMEOUT, wr_scope_join(inner, WR_NEVER));
    CHECK_ERR(WR_TIMEOUT, wr_scope_close(inner));
    wr_scope_leave(outer);
    CHECK_OK(wr_scope_close(outer));
    CHECK_EQ(deadline, waiting.at);
}

TEST(the_earliest_deadline_on_the_way_to_the_root_is_the_effective_one)
{
    wr_time base = wr_now();
    wr_time spans[] = { WR_MS(50), WR_MS(20), WR_MS(90), WR_MS(20) + 1 };
    struct wr_scope *scopes[4];
    wr_time effective = WR_NEVER;
    for (int i = 0; i < 4; i++) {
        scopes[i] = make(base + spans[i]);
        wr_scope_enter(scopes[i]);
        if (base + spans[i] < effective)
            effective = base + spans[i];
        CHECK_EQ(effective, wr_scope_deadline());
    }
    CHECK_ERR(WR_TIMEOUT, wr_sleep(WR_NEVER));
    CHECK_EQ(base + WR_MS(20), wr_now());
    for (int i = 3; i >= 0; i--) {
        wr_scope_leave(scopes[i]);
        CHECK_OK(wr_scope_close(scopes[i]));
    }
}

TEST(outside_any_scope_with_a_deadline_there_is_none)
{
    CHECK_EQ(WR_NEVER, wr_scope_deadline());
}

TEST(a_waits_own_earlier_deadline_leaves_the_scope_running)
{
    wr_time base = wr_now();
    struct wr_scope *scope = make(base + WR_MS(10));
    wr_scope_enter(scope);
    CHECK_OK(wr_sleep(base + WR_MS(4)));
    CHECK_EQ(base + WR_MS(4), wr_now());
    CHECK_OK(wr_scope_check());
    CHECK_OK(wr_sleep(base + WR_MS(10) - 1));
    CHECK_ERR(WR_TIMEOUT, wr_sleep(base + WR_MS(10) + 1));
    CHECK_EQ(base + WR_MS(10), wr_now());
    wr_scope_leave(scope);
    CHECK_OK(wr_scope_close(scope));
}

TEST(a_deadline_that_has_passed_ends_the_first_wait)
{
    wr_time base = wr_now();
    struct wr_scope *scope = make(base - WR_MS(1));
    wr_scope_enter(scope);
    CHECK_ERR(WR_TIMEOUT, wr_sleep(base + WR_S(1)));
    CHECK_EQ(base, wr_now());
    wr_scope_leave(scope);
    CHECK_OK(wr_scope_close(scope));
}

TEST(deadlines_a_nanosecond_apart_pass_in_their_order)
{
    enum { SCOPES = 40 };
    wr_time base = wr_after(WR_MS(1));
    struct wr_scope *scopes[SCOPES];
    struct waiting waiting[SCOPES] = { 0 };
    for (int i = 0; i < SCOPES; i++) {
        scopes[i] = make(base + (i * 7) % SCOPES);
        CHECK_OK(wr_scope_go(scopes[i], "test.waiting", wait_for_ever, &waiting[i]));
    }
    CHECK_OK(wr_sleep(base + SCOPES));
    for (int i = SCOPES - 1; i >= 0; i--) {
        CHECK_ERR(WR_TIMEOUT, wr_scope_close(scopes[i]));
        CHECK_EQ(base + (i * 7) % SCOPES, waiting[i].at);
    }
}

/* ---- after it has passed ---- */

static wr_err never_run(void *arg)
{
    *(bool *)arg = true;
    return WR_OK;
}

TEST(a_scope_whose_deadline_has_passed_takes_no_tasks_and_no_scopes)
{
    bool ran = false;
    struct wr_scope *scope = make(wr_after(WR_MS(1))), *below = NULL;
    wr_scope_enter(scope);
    CHECK_ERR(WR_TIMEOUT, wr_sleep(WR_NEVER));
    CHECK_ERR(WR_TIMEOUT, wr_scope_go(scope, "test.late", never_run, &ran));
    CHECK_ERR(WR_TIMEOUT, wr_scope_new(&below, &(struct wr_scope_conf){
        .name = "late", .deadline = WR_NEVER }));
    CHECK(below == NULL);
    CHECK_ERR(WR_TIMEOUT, wr_scope_check());
    CHECK_ERR(WR_TIMEOUT, wr_yield());
    wr_scope_leave(scope);
    CHECK_OK(wr_scope_close(scope));
    CHECK(!ran);
}

TEST(what_ended_a_scope_first_stays_its_cause)
{
    struct wr_scope *timed = make(wr_after(WR_MS(1))), *canceled = make(wr_after(WR_MS(1)));
    struct waiting late = { 0 }, early = { 0 };
    CHECK_OK(wr_scope_go(timed, "test.timed", wait_for_ever, &late));
    CHECK_OK(wr_scope_go(canceled, "test.canceled", wait_for_ever, &early));
    CHECK_OK(wr_yield());
    wr_scope_cancel(canceled);
    CHECK_OK(wr_sleep(wr_after(WR_MS(2))));
    wr_scope_cancel(timed);
    bool ran = false;
    CHECK_ERR(WR_CANCELED, wr_scope_go(canceled, "test.late", never_run, &ran));
    CHECK_ERR(WR_TIMEOUT, wr_scope_go(timed, "test.late", never_run, &ran));
    CHECK_OK(wr_scope_close(canceled));
    CHECK_ERR(WR_TIMEOUT, wr_scope_close(timed));
    CHECK_ERR(WR_TIMEOUT, late.err);
    CHECK_ERR(WR_CANCELED, early.err);
    CHECK(!ran);
}

static wr_err pass_it_on(void *arg)
{
    struct wr_scope *scope = make(WR_NEVER);
    CHECK_OK(wr_scope_go(scope, "test.waiting", wait_for_ever, arg));
    (void)!wr_scope_join(scope, WR_NEVER);
    return wr_scope_close(scope);
}

TEST(a_timeout_is_a_timeout_all_the_way_down)
{
    wr_time deadline = wr_after(WR_MS(3));
    struct waiting waiting = { 0 };
    struct wr_scope *scope = make(deadline);
    CHECK_OK(wr_scope_go(scope, "test.passing", pass_it_on, &waiting));
    CHECK_ERR(WR_TIMEOUT, wr_scope_join(scope, WR_NEVER));
    CHECK_ERR(WR_TIMEOUT, wr_scope_close(scope));
    CHECK_ERR(WR_TIMEOUT, waiting.err);
    CHECK_EQ(deadline, waiting.at);
}

TEST(a_deadline_after_which_nothing_runs_is_no_error)
{
    struct wr_scope *scope = make(wr_after(WR_MS(1)));
    CHECK_OK(wr_sleep(wr_after(WR_MS(2))));
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_OK(wr_scope_close(scope));
}

/* ---- shields ---- */

struct shielded { wr_err inside, after; wr_time inside_at; wr_time deadline; };

/* Finishes something under a shield while its scope is canceled. */
static wr_err finish_under_shield(void *arg)
{
    struct shielded *shielded = arg;
    CHECK_ERR(WR_CANCELED, wr_sleep(WR_NEVER));
    struct wr_scope *shield = make_shield(shielded->deadline);
    wr_scope_enter(shield);
    CHECK_EQ(shielded->deadline, wr_scope_deadline());
    CHECK_OK(wr_scope_check());
    CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    shielded->inside = wr_sleep(WR_NEVER);
    shielded->inside_at = wr_now();
    wr_scope_leave(shield);
    shielded->after = wr_scope_check();
    CHECK_OK(wr_scope_close(shield));
    return WR_CANCELED;
}

TEST(a_shield_survives_the_cancel_from_above_until_its_own_deadline)
{
    struct shielded shielded = { .deadline = wr_after(WR_MS(30)) };
    struct wr_scope *scope = make(WR_NEVER);
    CHECK_OK(wr_scope_go(scope, "test.finishing", finish_under_shield, &shielded));
    CHECK_OK(wr_sleep(wr_after(WR_MS(5))));
    CHECK_OK(wr_scope_close(scope));
    CHECK_ERR(WR_TIMEOUT, shielded.inside);
    CHECK_EQ(shielded.deadline, shielded.inside_at);
    CHECK_ERR(WR_CANCELED, shielded.after);
}

TEST(a_shield_that_was_there_before_the_cancel_survives_it_too)
{
    wr_time deadline = wr_after(WR_MS(9));
    struct waiting waiting = { 0 };
    struct wr_scope *outer = make(WR_NEVER);
    wr_scope_enter(outer);
    struct wr_scope *shield = make_shield(deadline);
    CHECK_OK(wr_scope_go(shield, "test.waiting", wait_for_ever, &waiting));
    CHECK_OK(wr_yield());
    wr_scope_cancel(outer);
    wr_scope_enter(shield);
    CHECK_ERR(WR_TIMEOUT, wr_sleep(WR_NEVER));
    wr_scope_leave(shield);
    CHECK_ERR(WR_TIMEOUT, wr_scope_close(shield));
    wr_scope_leave(outer);
    CHECK_OK(wr_scope_close(outer));
    CHECK_ERR(WR_TIMEOUT, waiting.err);
    CHECK_EQ(deadline, waiting.at);
}

TEST(a_shield_may_outlive_the_deadline_above_it)
{
    wr_time base = wr_now();
    struct wr_scope *outer = make(base + WR_MS(1));
    wr_scope_enter(outer);
    struct wr_scope *shield = make_shield(base + WR_MS(5));
    wr_scope_enter(shield);
    CHECK_OK(wr_sleep(base + WR_MS(3)));
    CHECK_OK(wr_scope_check());
    struct wr_scope *below = make(WR_NEVER);
    wr_scope_enter(below);
    CHECK_EQ(base + WR_MS(5), wr_scope_deadline());
    CHECK_ERR(WR_TIMEOUT, wr_sleep(WR_NEVER));
    CHECK_EQ(base + WR_MS(5), wr_now());
    wr_scope_leave(below);
    CHECK_OK(wr_scope_close(below));
    wr_scope_leave(shield);
    CHECK_OK(wr_scope_close(shield));
    CHECK_ERR(WR_TIMEOUT, wr_scope_check());
    wr_scope_leave(outer);
    CHECK_OK(wr_scope_close(outer));
}

TEST(a_shield_itself_can_be_canceled)
{
    struct waiting waiting = { 0 };
    struct wr_scope *shield = make_shield(wr_after(WR_S(1)));
    wr_time start = wr_now();
    CHECK_OK(wr_scope_go(shield, "test.waiting", wait_for_ever, &waiting));
    CHECK_OK(wr_yield());
    wr_scope_cancel(shield);
    CHECK_OK(wr_scope_join(shield, WR_NEVER));
    CHECK_OK(wr_scope_close(shield));
    CHECK_ERR(WR_CANCELED, waiting.err);
    CHECK_EQ(start, waiting.at);
}

/* ---- enter and leave ---- */

TEST(entering_puts_a_block_of_code_under_a_deadline_and_leaving_takes_it_away)
{
    wr_time base = wr_now();
    struct wr_scope *self = wr_scope_self(), *scope = make(base + WR_MS(2));
    wr_scope_enter(scope);
    CHECK(wr_scope_self() == scope);
    CHECK_ERR(WR_TIMEOUT, wr_sleep(base + WR_MS(9)));
    wr_scope_leave(scope);
    CHECK(wr_scope_self() == self);
    CHECK_OK(wr_sleep(base + WR_MS(9)));
    CHECK_EQ(base + WR_MS(9), wr_now());
    CHECK_OK(wr_scope_close(scope));
}

static wr_err fail(void *arg)
{
    (void)arg;
    CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    return WR_IO;
}

TEST(who_is_inside_a_scope_is_canceled_with_it)
{
    wr_time start = wr_now();
    struct wr_scope *scope = make(WR_NEVER);
    CHECK_OK(wr_scope_go(scope, "test.failing", fail, NULL));
    wr_scope_enter(scope);
    CHECK_ERR(WR_CANCELED, wr_sleep(WR_NEVER));
    CHECK_EQ(start + WR_MS(1), wr_now());
    wr_scope_leave(scope);
    CHECK_OK(wr_scope_check());
    CHECK_ERR(WR_IO, wr_scope_close(scope));
}

/* ---- loops that do not wait ---- */

/* The real clock: under the virtual one, time stands still while anything runs. */
static wr_err compute_until_told(void *arg)
{
    wr_time *late = arg;
    wr_time deadline = wr_after(WR_MS(5)), give_up = wr_after(WR_S(10));
    struct wr_scope *scope = make(deadline);
    wr_scope_enter(scope);
    wr_err err = WR_OK;
    while (!err && wr_now() < give_up)
        err = wr_scope_check();
    *late = wr_now() - deadline;
    wr_scope_leave(scope);
    CHECK_OK(wr_scope_close(scope));
    return err;
}

TEST_PLAIN(a_loop_that_only_computes_learns_from_check_that_its_time_is_over)
{
    wr_time late = -1;
    CHECK_ERR(WR_TIMEOUT, wr_run(&(struct wr_run_conf){ 0 }, compute_until_told, &late));
    CHECK(late >= 0);
    CHECK(late < WR_S(5));
}

/* ---- on another worker than the owner's ---- */

#define HELPERS 64              /* more than the owner's worker keeps to itself */

static struct { _Atomic unsigned long home; _Atomic int waiting, timed_out; } apart;

static wr_err wait_apart(void *arg)
{
    (void)arg;
    int none = 0;
    if (wr_os_thread_id() == apart.home
        || !atomic_compare_exchange_strong(&apart.waiting, &none, 1))
        return WR_OK;
    struct wr_once *never;
    CHECK_OK(wr_once_new(&never, "test.never", 0));
    CHECK_ERR(WR_TIMEOUT, wr_once_wait(never, NULL, WR_NEVER));
    CHECK_ERR(WR_TIMEOUT, wr_sleep(wr_after(WR_S(100))));
    wr_once_free(never);
    apart.timed_out = 1;
    return WR_TIMEOUT;
}

static bool spin_until(_Atomic int *flag)
{
    wr_time give_up = wr_after(WR_S(5));
    while (!atomic_load(flag) && wr_now() < give_up)
        ;
    return atomic_load(flag);
}

/* It does not wait: its worker can fire no timer. */
static wr_err own_and_compute(void *arg)
{
    (void)arg;
    apart.home = wr_os_thread_id();
    struct wr_scope *scope;
    CHECK_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test.apart",
                                                           .deadline = wr_after(WR_MS(20)) }));
    for (int i = 0; i < HELPERS; i++)
        CHECK_OK(wr_scope_go(scope, "test.apart", wait_apart, NULL));
    CHECK(spin_until(&apart.waiting));
    CHECK(spin_until(&apart.timed_out));
    wr_time give_up = wr_after(WR_S(5));
    while (atomic_load(&scope->ended) == WR_OK && wr_now() < give_up)
        ;
    CHECK_ERR(WR_TIMEOUT, atomic_load(&scope->ended));      /* not by the task's error */
    CHECK_ERR(WR_TIMEOUT, wr_scope_close(scope));
    return WR_OK;
}

TEST_PLAIN(a_deadline_ends_waits_on_another_worker_and_the_scope_while_the_owner_computes)
{
    CHECK_OK(wr_run(&(struct wr_run_conf){ .workers = 2 }, own_and_compute, NULL));
}

/* Past its deadline, and no timer had a chance to fire. */
static wr_err close_late(void *arg)
{
    struct waiting *waiting = arg;
    wr_time deadline = wr_after(WR_MS(5));
    struct wr_scope *scope = make(deadline);
    CHECK_OK(wr_scope_go(scope, "test.waiting", wait_for_ever, waiting));
    CHECK_OK(wr_yield());
    while (wr_now() <= deadline)
        ;
    CHECK_ERR(WR_TIMEOUT, wr_scope_close(scope));
    return WR_OK;
}

TEST_PLAIN(a_scope_that_is_closed_after_its_deadline_timed_out)
{
    struct waiting waiting = { 0 };
    CHECK_OK(wr_run(&(struct wr_run_conf){ .workers = 1 }, close_late, &waiting));
    CHECK_ERR(WR_TIMEOUT, waiting.err);
}
