/* scope_model.c - the end of scopes: the last task against the joiner, a cancel
 * against whoever waits, and nobody touches a scope that is gone. */
#include <weir/once.h>
#include <weir/scope.h>

#include "seam.h"

static struct wr_scope *scope, *inner;
static struct wr_once *once;
static wr_err result[MODEL_THREADS_MAX], joined, closed;
static bool ran[MODEL_THREADS_MAX];

static void open_scope(void)
{
    seam_open();
    MODEL_OK(wr_once_new(&once, "model.once", 0));
    MODEL_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .deadline = WR_NEVER }));
}

static void free_once(void)
{
    wr_once_free(once);
}

static wr_err nothing(void *arg)
{
    (void)arg;
    ran[model_self()] = true;
    return WR_OK;
}

static wr_err fail(void *arg)
{
    (void)arg;
    return WR_INVALID;
}

static wr_err wait_for_once(void *arg)
{
    (void)arg;
    result[model_self()] = wr_once_wait(once, NULL, WR_NEVER);
    return result[model_self()];
}

static wr_err wait_but_say_ok(void *arg)
{
    (void)!wait_for_once(arg);
    return WR_OK;
}

static void go(wr_task_fn fn)
{
    MODEL_OK(wr_scope_go(scope, "model.task", fn, NULL));
}

static void join_and_close(wr_time deadline)
{
    joined = wr_scope_join(scope, deadline);
    closed = wr_scope_close(scope);
}

/* ---- the last task against the joiner ---- */

static void own_two(void)
{
    seam_enter();
    go(nothing);
    go(nothing);
    join_and_close(WR_NEVER);
}

static void both_ran(void)
{
    MODEL_CHECK(joined == WR_OK && closed == WR_OK && ran[1] && ran[2]);
    free_once();
}

MODEL(scope_last_task_against_join, .setup = open_scope,
      .thread = { own_two, seam_run_task, seam_run_task }, .finish = both_ran,
      .locks_wait = true, .stale_max = 1);
MODEL(scope_last_task_spinning, .setup = open_scope,
      .thread = { own_two, seam_run_task, seam_run_task }, .finish = both_ran,
      .preempt_max = 2);

static void own_for_a_while(void)
{
    seam_enter();
    go(nothing);
    join_and_close(wr_after(WR_MS(5)));
}

static void joined_or_not(void)
{
    MODEL_CHECK(joined == WR_OK || joined == WR_TIMEOUT);
    MODEL_CHECK(closed == WR_OK && ran[1]);
    free_once();
}

MODEL(scope_join_deadline_against_last_task, .setup = open_scope,
      .thread = { own_for_a_while, seam_run_task }, .finish = joined_or_not, .stale_max = 1);

static void own_joining_now(void)
{
    seam_enter();
    go(nothing);
    joined = wr_scope_join(scope, WR_NOW);
    MODEL_CHECK(joined == WR_OK || wr_scope_live(scope) <= 1);
    closed = wr_scope_close(scope);
}

MODEL(scope_join_now, .setup = open_scope, .thread = { own_joining_now, seam_run_task },
      .finish = joined_or_not);

/* ---- the first error cancels the rest ---- */

static void own_failing(void)
{
    seam_enter();
    go(wait_for_once);
    go(fail);
    join_and_close(WR_NEVER);
}

static void first_error(void)
{
    MODEL_CHECK(joined == WR_INVALID && closed == WR_INVALID && result[1] == WR_CANCELED);
    free_once();
}

MODEL(scope_error_against_wait, .setup = open_scope,
      .thread = { own_failing, seam_run_task, seam_run_task }, .finish = first_error,
      .locks_wait = true, .stale_max = 1);

/* Told to: after the first failure no second task could be started. */
static wr_err fail_when_told(void *arg)
{
    (void)arg;
    model_wait(&ran[model_self()]);
    return WR_INVALID;
}

static void own_two_failing(void)
{
    seam_enter();
    go(fail_when_told);
    go(fail_when_told);
    model_post(&ran[1]);
    model_post(&ran[2]);
    join_and_close(WR_NEVER);
}

static void same_error(void)
{
    MODEL_CHECK(joined == WR_INVALID && closed == WR_INVALID);
    free_once();
}

MODEL(scope_two_errors, .setup = open_scope,
      .thread = { own_two_failing, seam_run_task, seam_run_task }, .finish = same_error,
      .locks_wait = true, .stale_max = 1);

/* ---- a cancel against a wait, and against the wake that would end it ---- */

static void own_and_cancel(void)
{
    seam_enter();
    go(wait_for_once);
    wr_scope_cancel(scope);
    join_and_close(WR_NEVER);
}

static void set_once(void)
{
    seam_enter();
    MODEL_OK(wr_once_set(once, NULL));
}

static void canceled_or_woken(void)
{
    MODEL_CHECK(joined == WR_OK && closed == WR_OK);
    MODEL_CHECK(result[1] == WR_CANCELED || result[1] == WR_OK);
    free_once();
}

MODEL(scope_cancel_against_wake, .setup = open_scope,
      .thread = { own_and_cancel, seam_run_task, set_once }, .finish = canceled_or_woken,
      .locks_wait = true, .stale_max = 2);

static void own_and_close(void)
{
    seam_enter();
    go(wait_for_once);
    go(wait_but_say_ok);
    joined = WR_OK;
    closed = wr_scope_close(scope);
}

static void both_canceled(void)
{
    MODEL_CHECK(joined == WR_OK && closed == WR_OK);
    MODEL_CHECK(result[1] == WR_CANCELED && result[2] == WR_CANCELED);
    free_once();
}

MODEL(scope_close_cancels_two, .setup = open_scope,
      .thread = { own_and_close, seam_run_task, seam_run_task }, .finish = both_canceled,
      .locks_wait = true, .full = true, .full_stale_max = 1);

/* ---- scopes below scopes ---- */

static void open_inner(bool shield)
{
    open_scope();
    wr_scope_enter(scope);
    MODEL_OK(wr_scope_new(&inner, &(struct wr_scope_conf){
        .deadline = shield ? WR_S(2000) : WR_NEVER, .shield = shield }));
    struct wr_scope *other;             /* a sibling, so that there is a list of them */
    MODEL_OK(wr_scope_new(&other, &(struct wr_scope_conf){ .deadline = WR_NEVER }));
    MODEL_OK(wr_scope_close(other));
}

static void open_below(void)
{
    open_inner(false);
}

static void open_shielded(void)
{
    open_inner(true);
}

static wr_err cancel_outer(void *arg)
{
    (void)arg;
    wr_scope_cancel(scope);
    return WR_OK;
}

/* The task of the inner scope waits; the outer one is canceled from beside. */
static void own_inner(void)
{
    seam_enter();
    MODEL_OK(wr_scope_go(inner, "model.inner", wait_for_once, NULL));
    MODEL_OK(wr_scope_go(scope, "model.outer", cancel_outer, NULL));
    wr_scope_enter(inner);
    wr_err waited = wr_once_wait(once, NULL, WR_NEVER);
    MODEL_CHECK(waited == WR_CANCELED && wr_scope_check() == WR_CANCELED);
    wr_scope_leave(inner);
    MODEL_OK(wr_scope_close(inner));
    wr_scope_leave(scope);
    closed = wr_scope_close(scope);
}

static void inner_canceled(void)
{
    MODEL_CHECK(result[1] == WR_CANCELED && closed == WR_OK);
    free_once();
}

MODEL(scope_cancel_reaches_below, .setup = open_below,
      .thread = { own_inner, seam_run_task, seam_run_task }, .finish = inner_canceled,
      .locks_wait = true);

/* A shield is not canceled from above: the task waits until it is woken, or until
 * the shield's own deadline, which may pass at any moment here. */
static wr_err wait_in_shield(void *arg)
{
    wr_err err = wait_for_once(arg);
    model_post(&ran[1]);
    return err;
}

static void own_shield(void)
{
    seam_enter();
    MODEL_OK(wr_scope_go(inner, "model.inner", wait_in_shield, NULL));
    MODEL_OK(wr_scope_go(scope, "model.outer", cancel_outer, NULL));
    model_wait(&ran[1]);
    MODEL_CHECK(wr_scope_close(inner) == result[1]);
    wr_scope_leave(scope);
    closed = wr_scope_close(scope);
}

static void shielded_was_woken(void)
{
    MODEL_CHECK((result[1] == WR_OK || result[1] == WR_TIMEOUT) && closed == WR_OK);
    free_once();
}

MODEL(scope_shield_holds, .setup = open_shielded,
      .thread = { own_shield, seam_run_task, seam_run_task, set_once },
      .finish = shielded_was_woken, .locks_wait = true);

/* In an ended scope nothing starts, and nothing waits. */
static void own_ended(void)
{
    seam_enter();
    wr_scope_cancel(scope);
    wr_scope_cancel(scope);
    MODEL_CHECK(wr_scope_go(scope, "model.task", nothing, NULL) == WR_CANCELED);
    wr_scope_enter(scope);
    MODEL_CHECK(wr_once_wait(once, NULL, WR_NEVER) == WR_CANCELED);
    MODEL_CHECK(wr_scope_join(scope, WR_NEVER) == WR_CANCELED);
    MODEL_CHECK(wr_scope_join(scope, WR_NOW) == WR_OK);
    MODEL_CHECK(wr_once_wait(once, NULL, WR_NOW) == WR_TIMEOUT);
    wr_scope_leave(scope);
    MODEL_OK(wr_scope_close(scope));
    MODEL_OK(wr_scope_close(NULL));
    closed = WR_OK;
}

MODEL(scope_ended_starts_nothing, .setup = open_scope, .thread = { own_ended },
      .finish = free_once);
