/* scope_rule_test.c - the rules of scopes, broken on purpose: each is caught, and
 * the report names what a person needs. */
#include <weir/scope.h>

#include <stdatomic.h>
#include <stdio.h>

#include <weir/chan.h>
#include <weir/offload.h>
#include <weir/once.h>
#include <weir/select.h>
#include <weir/sem.h>

#include "testing/test.h"

static struct wr_scope *make(const char *name)
{
    struct wr_scope *scope = NULL;
    CHECK_OK(wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = name, .deadline = WR_NEVER }));
    return scope;
}

static wr_err nothing(void *arg)
{
    (void)arg;
    return WR_OK;
}

/* ---- making ---- */

TEST_PANICS(a_scope_without_a_deadline_is_refused_by_name,
            "scope \"hasty\" has no deadline: say one, or WR_NEVER.*in task main#")
{
    struct wr_scope *scope;
    (void)!wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "hasty" });
}

TEST_PANICS(a_shield_without_a_deadline_is_refused_by_name,
            "scope \"wall\" is a shield and needs a deadline of its own.*in task main#")
{
    struct wr_scope *scope;
    (void)!wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "wall", .deadline = WR_NEVER, .shield = true });
}

TEST_DIES_PLAIN(a_scope_outside_a_task_is_a_panic, "wr_scope_new outside a task")
{
    struct wr_scope *scope;
    (void)!wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "x", .deadline = WR_NEVER });
}

/* ---- leaving open ---- */

static wr_err say_that_it_ended(void *arg)
{
    (void)arg;
    CHECK_ERR(WR_CANCELED, wr_sleep(WR_NEVER));
    fprintf(stderr, "the task below has ended\n");
    return WR_CANCELED;
}

static wr_err forget_to_close(void *arg)
{
    (void)arg;
    struct wr_scope *scope = make("forgotten");
    CHECK_OK(wr_scope_go(scope, "test.below", say_that_it_ended, NULL));
    CHECK_OK(wr_yield());
    return WR_OK;
}

TEST_PANICS(a_scope_left_open_is_named_with_its_task_and_where_that_was_started,
            "panic at src/rt/scope_rule_test\\.c:[0-9]+: "
            "task test\\.forgetful#[0-9]+ returned with scope \"forgotten\" open")
{
    struct wr_scope *scope = make("around");
    CHECK_OK(wr_scope_go(scope, "test.forgetful", forget_to_close, NULL));
    CHECK_ERR(WR_PANIC, wr_scope_join(scope, WR_NEVER));
    CHECK_ERR(WR_PANIC, wr_scope_close(scope));
    wr_panic("as claimed");
}

TEST_PANICS(no_task_outlives_a_scope_that_was_left_open,
            "the task below has ended\n.*as claimed")
{
    struct wr_scope *scope = make("around");
    CHECK_OK(wr_scope_go(scope, "test.forgetful", forget_to_close, NULL));
    CHECK_ERR(WR_PANIC, wr_scope_join(scope, WR_NEVER));
    CHECK_ERR(WR_PANIC, wr_scope_close(scope));
    wr_panic("as claimed");
}

/* ---- whose it is ---- */

static wr_err close_it(void *arg)
{
    return wr_scope_close(arg);
}

static wr_err join_it(void *arg)
{
    return wr_scope_join(arg, WR_NEVER);
}

static wr_err enter_it(void *arg)
{
    wr_scope_enter(arg);
    return WR_OK;
}

/* Let another fiber do something to a scope of this one; its panic is ours. */
static void by_another(const char *name, wr_task_fn fn)
{
    struct wr_scope *scope = make(name), *around = make("around");
    CHECK_OK(wr_scope_go(around, "test.stranger", fn, scope));
    wr_err err = wr_scope_join(around, WR_NEVER);
    CHECK_ERR(WR_PANIC, wr_scope_close(around));
    CHECK_OK(wr_scope_close(scope));
    if (err == WR_PANIC)
        wr_panic("as claimed");
}

TEST_PANICS(a_scope_closed_by_another_fiber_names_both_and_the_place,
            "panic at src/rt/scope_rule_test\\.c:[0-9]+: scope \"mine\" is closed by "
            "test\\.stranger#[0-9]+, but belongs to main#[0-9]+")
{
    by_another("mine", close_it);
}

TEST_PANICS(a_scope_joined_by_another_fiber_names_both_and_the_place,
            "panic at src/rt/scope_rule_test\\.c:[0-9]+: scope \"mine\" is joined by "
            "test\\.stranger#[0-9]+, but belongs to main#[0-9]+")
{
    by_another("mine", join_it);
}

TEST_PANICS(a_scope_entered_by_another_fiber_names_both,
            "scope \"mine\" is entered by test\\.stranger#[0-9]+, but belongs to main#[0-9]+")
{
    by_another("mine", enter_it);
}

static wr_err start_in_it(void *arg)
{
    return wr_scope_go(arg, "test.foundling", nothing, NULL);
}

TEST_PANICS(a_task_started_in_a_scope_that_one_is_not_below_names_scope_and_tasks,
            "task \"test\\.foundling\" is started in scope \"mine\" by test\\.stranger#[0-9]+, "
            "which is not below it; it belongs to main#[0-9]+")
{
    by_another("mine", start_in_it);
}

/* ---- order ---- */

TEST_PANICS(scopes_are_closed_in_the_reverse_order_of_their_making,
            "panic at src/rt/scope_rule_test\\.c:[0-9]+: "
            "scope \"first\" is closed before \"second\", which was made after it")
{
    struct wr_scope *first = make("first");
    (void)make("second");
    (void)!wr_scope_close(first);
}

TEST_PANICS(a_scope_cannot_be_closed_from_inside,
            "panic at src/rt/scope_rule_test\\.c:[0-9]+: "
            "scope \"house\" is closed while its owner is inside it")
{
    struct wr_scope *scope = make("house");
    wr_scope_enter(scope);
    (void)!wr_scope_close(scope);
}

TEST_PANICS(a_scope_cannot_be_entered_twice, "scope \"house\" is entered twice")
{
    struct wr_scope *scope = make("house");
    wr_scope_enter(scope);
    wr_scope_enter(scope);
}

TEST_PANICS(scopes_are_left_in_the_reverse_order_of_entering,
            "scope \"outer\" is left, but main#[0-9]+ is in \"inner\"")
{
    struct wr_scope *outer = make("outer"), *inner = make("inner");
    wr_scope_enter(outer);
    wr_scope_enter(inner);
    wr_scope_leave(outer);
}

TEST_PANICS(a_scope_that_was_not_entered_cannot_be_left,
            "scope \"house\" is left, but main#[0-9]+ is in \"run\"")
{
    wr_scope_leave(make("house"));
}

static wr_err panic_inside(void *arg)
{
    (void)arg;
    struct wr_scope *outer = make("outer");
    wr_scope_enter(outer);
    struct wr_scope *inner = make("inner");
    wr_scope_enter(inner);
    CHECK_OK(wr_scope_go(outer, "test.below", say_that_it_ended, NULL));
    CHECK_OK(wr_scope_go(inner, "test.below", say_that_it_ended, NULL));
    CHECK_OK(wr_yield());
    wr_panic("inside two scopes");
}

TEST_PANICS(a_panic_inside_scopes_leaves_and_closes_them_all,
            "inside two scopes.*has ended\n.*has ended\n.*as claimed")
{
    struct wr_scope *scope = make("around");
    CHECK_OK(wr_scope_go(scope, "test.unlucky", panic_inside, NULL));
    CHECK_ERR(WR_PANIC, wr_scope_join(scope, WR_NEVER));
    CHECK_ERR(WR_PANIC, wr_scope_close(scope));
    wr_panic("as claimed");
}

/* ---- waiting outside tasks ---- */

TEST_DIES_PLAIN(sleeping_outside_a_task_names_the_place,
                "panic at src/rt/scope_rule_test\\.c:[0-9]+: a call that may wait, "
                "outside a task")
{
    (void)!wr_sleep(WR_NEVER);
}

TEST_DIES_PLAIN(yielding_outside_a_task_names_the_place,
                "panic at src/rt/scope_rule_test\\.c:[0-9]+: a call that may wait, "
                "outside a task")
{
    (void)!wr_yield();
}

static void start_from_a_thread(void *arg)
{
    (void)!wr_scope_go(arg, "test.orphan", nothing, NULL);
}

TEST_DIES(a_task_started_by_a_thread_that_is_no_task_is_named,
          "task \"test\\.orphan\" is started outside a task")
{
    (void)!wr_offload(start_from_a_thread, make("mine"), WR_NEVER);
}

static void wait_on_a_thread(void *arg)
{
    (void)!wr_once_wait(arg, NULL, WR_NEVER);
}

TEST_DIES(waiting_in_an_offloaded_call_names_the_place,
          "panic at src/rt/scope_rule_test\\.c:[0-9]+: a call that may wait, outside a task")
{
    struct wr_once *once;
    CHECK_OK(wr_once_new(&once, "never", 0));
    (void)!wr_offload(wait_on_a_thread, once, WR_NEVER);
}
