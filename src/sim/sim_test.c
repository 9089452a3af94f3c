#include <weir/sim.h>

#include <stdio.h>
#include <string.h>

#include <weir/chan.h>
#include <weir/lock.h>
#include <weir/offload.h>
#include <weir/once.h>
#include <weir/scope.h>
#include <weir/time.h>

#include "base/text.h"
#include "base/world.h"
#include "testing/test.h"

static const struct wr_scope_conf plain = { .name = "test", .deadline = WR_NEVER };

/* ---- a small busy program: three producers, a channel of two, two consumers ---- */

struct busy { struct wr_chan *ch; int left; uint64_t sum; };

static wr_err produce(void *arg)
{
    struct busy *busy = arg;
    for (int i = 0; i < 20; i++) {
        uint64_t item = 1 + wr_sim_below(9);
        wr_err err = wr_chan_send(busy->ch, &item, WR_NEVER);
        if (err)
            return err;
        busy->sum += item;
    }
    if (--busy->left == 0)
        wr_chan_close(busy->ch);
    return WR_OK;
}

static wr_err consume(void *arg)
{
    struct busy *busy = arg;
    uint64_t item;
    wr_err err;
    while (!(err = wr_chan_recv(busy->ch, &item, WR_NEVER)))
        busy->sum -= item;
    return err == WR_CLOSED ? WR_OK : err;
}

static wr_err run_busy(void *arg)
{
    struct busy *busy = arg;
    struct wr_scope *scope;
    *busy = (struct busy){ .left = 3 };
    REQUIRE_OK(wr_chan_new(&busy->ch, &(struct wr_chan_conf){ .name = "busy", .item_size = 8,
                                                             .cap = 2, .policy = WR_WAIT }),
               WR_NOMEM);
    REQUIRE_OK(wr_scope_new(&scope, &plain), WR_NOMEM);
    for (int i = 0; i < 3; i++)
        CHECK_OK(wr_scope_go(scope, "produce", produce, busy));
    for (int i = 0; i < 2; i++)
        CHECK_OK(wr_scope_go(scope, "consume", consume, busy));
    wr_err err = wr_scope_join(scope, WR_NEVER);
    (void)!wr_scope_close(scope);
    wr_chan_free(busy->ch);
    WR_ASSERT(err || busy->sum == 0);
    return err;
}

static const enum wr_sim_scheduler seeded[] = { WR_SIM_RANDOM, WR_SIM_PCT, WR_SIM_FIFO };

TEST_PLAIN(a_program_that_is_right_holds_under_every_scheduler)
{
    struct busy busy;
    struct wr_sim_result result;
    for (int i = 0; i < 3; i++) {
        CHECK_OK(wr_sim_run(&result, &(struct wr_sim_conf){
            .name = "busy", .seeds = 50, .scheduler = seeded[i],
            .faults = WR_SIM_SLOW | WR_SIM_WALL }, run_busy, &busy));
        CHECK_EQ(50, result.runs);
        CHECK_EQ(50, result.counted);
        CHECK_EQ(WR_SIM_HELD, result.failure);
        CHECK(result.operations >= result.runs * WR_SIM_OPERATIONS_MIN);
        CHECK(result.faults >= 50);
        CHECK((result.preemptions > 0) == (seeded[i] != WR_SIM_FIFO));
    }
}

/* ---- the same seed ---- */

struct lines { char text[200000]; struct wr_text out; };

static void append(void *arg, const char *line)
{
    struct lines *lines = arg;
    wr_text_str(&lines->out, line);
    wr_text_str(&lines->out, "\n");
}

static uint64_t trace_into(struct lines *lines, enum wr_sim_scheduler scheduler, uint64_t seed)
{
    struct busy busy;
    struct wr_sim_result result;
    lines->out = WR_TEXT(lines->text);
    CHECK_OK(wr_sim_run(&result, &(struct wr_sim_conf){
        .name = "busy", .seed = seed, .scheduler = scheduler,
        .faults = WR_SIM_SLOW | WR_SIM_WALL, .trace = append, .trace_arg = lines }, run_busy,
        &busy));
    CHECK_EQ(0, lines->out.cut);
    CHECK(lines->out.len > 1000);
    return result.hash;
}

TEST_PLAIN(the_same_seed_gives_the_same_trace_byte_for_byte)
{
    static struct lines first, second;
    for (int i = 0; i < 3; i++) {
        uint64_t hash = trace_into(&first, seeded[i], 42);
        CHECK(trace_into(&second, seeded[i], 42) == hash);
        CHECK_STR(first.text, second.text);
        CHECK(trace_into(&second, seeded[i], 43) != hash);
        CHECK(strcmp(first.text, second.text) != 0);
    }
}

TEST_PLAIN(a_trace_holds_no_address)
{
    static struct lines lines;
    (void)trace_into(&lines, WR_SIM_RANDOM, 7);
    CHECK(strstr(lines.text, "0x") == NULL);
    CHECK(strstr(lines.text, "run produce#3\n") != NULL);
    CHECK(strstr(lines.text, "  send src/sim/sim_test.c:") != NULL);
}

/* ---- the world ---- */

struct outside { uint64_t bytes; int64_t wall; wr_time now; const char *path; };

static wr_err look_outside(void *arg)
{
    struct outside *outside = arg;
    wr_world->entropy(&outside->bytes, sizeof(outside->bytes));
    outside->wall = wr_wall().ns;
    outside->now = wr_now();
    outside->path = wr_world->env("PATH");
    return WR_OK;
}

static struct outside outside_of(uint64_t seed)
{
    struct outside outside;
    struct wr_sim_result result;
    CHECK_OK(wr_sim_run(&result, &(struct wr_sim_conf){ .name = "outside", .seed = seed },
                        look_outside, &outside));
    return outside;
}

TEST_PLAIN(entropy_and_clocks_come_from_the_seed_and_the_environment_is_empty)
{
    struct outside one = outside_of(1), again = outside_of(1), two = outside_of(2);
    CHECK(one.bytes == again.bytes && one.bytes != two.bytes);
    CHECK(one.wall == again.wall && one.now == again.now);
    CHECK(one.path == NULL);
    CHECK(wr_world == &wr_world_os);
}

static void note_call(void *arg)
{
    *(bool *)arg = true;
}

static wr_err offload(void *arg)
{
    return wr_offload(note_call, arg, WR_NEVER);
}

TEST_PLAIN(offloaded_calls_are_made_in_place)
{
    bool called = false;
    struct wr_sim_result result;
    CHECK_OK(wr_sim_run(&result, &(struct wr_sim_conf){ .name = "offload" }, offload, &called));
    CHECK(called);
}

/* ---- failures ---- */

static wr_err simulate_quietly(struct wr_sim_result *ret, wr_task_fn fn, void *arg)
{
    return wr_sim_run(ret, &(struct wr_sim_conf){ .name = "failing", .seed = 7, .quiet = true,
                                                  .steps_max = 2000 }, fn, arg);
}

static wr_err wait_for_ever(void *arg)
{
    return wr_once_wait(arg, NULL, WR_NEVER);
}

static wr_err run_deadlock(void *arg)
{
    (void)arg;
    struct wr_once *once;
    struct wr_scope *scope;
    REQUIRE_OK(wr_once_new(&once, "never", 0), WR_NOMEM);
    REQUIRE_OK(wr_scope_new(&scope, &plain), WR_NOMEM);
    CHECK_OK(wr_scope_go(scope, "waiter", wait_for_ever, once));
    (void)!wr_scope_join(scope, WR_NEVER);
    (void)!wr_scope_close(scope);
    wr_once_free(once);
    return WR_OK;
}

TEST_PLAIN(a_deadlock_is_a_result_and_not_the_end)
{
    struct wr_sim_result result;
    CHECK_ERR(WR_PANIC, simulate_quietly(&result, run_deadlock, NULL));
    CHECK_EQ(WR_SIM_DEADLOCK, result.failure);
    CHECK_EQ(7, result.seed);
    CHECK_EQ(0, result.needed);
    CHECK_STR("deadlock", wr_sim_failure_name(result.failure));
}

static wr_err yield_for_ever(void *arg)
{
    (void)arg;
    wr_err err;
    while (!(err = wr_yield()))
        continue;
    return err;
}

TEST_PLAIN(a_run_that_does_not_end_is_stopped)
{
    struct wr_sim_result result;
    CHECK_ERR(WR_PANIC, simulate_quietly(&result, yield_for_ever, NULL));
    CHECK_EQ(WR_SIM_STEPS, result.failure);
    CHECK(result.steps > 2000 && result.steps < 2010);
}

/* It does not even stop when it is canceled. */
static wr_err ignore_cancel(void *arg)
{
    int *rounds = arg;
    while (++*rounds)
        wr_sim_point("and on");
    return WR_OK;
}

static wr_err start_deaf_tasks(void *arg)
{
    struct wr_scope *scope;
    REQUIRE_OK(wr_scope_new(&scope, &plain), WR_NOMEM);
    for (int i = 0; i < 3; i++)
        CHECK_OK(wr_scope_go(scope, "deaf", ignore_cancel, arg));
    return wr_scope_close(scope);
}

TEST_PLAIN(a_run_that_cannot_be_canceled_is_abandoned_and_the_next_one_is_well)
{
    struct busy busy;
    struct wr_sim_result result;
    CHECK_ERR(WR_PANIC, simulate_quietly(&result, start_deaf_tasks, &(int){ 0 }));
    CHECK_EQ(WR_SIM_STEPS, result.failure);
    CHECK_OK(wr_sim_run(&result, &(struct wr_sim_conf){ .name = "busy" }, run_busy, &busy));
}

static wr_err return_error(void *arg)
{
    (void)arg;
    return WR_NOTFOUND;
}

TEST_PLAIN(a_task_that_returns_an_error_fails_the_run)
{
    struct wr_sim_result result;
    CHECK_ERR(WR_PANIC, simulate_quietly(&result, return_error, NULL));
    CHECK_EQ(WR_SIM_ERROR, result.failure);
    CHECK(strstr(result.message, "NotFound") != NULL);
}

static wr_err panic_below(void *arg)
{
    (void)arg;
    wr_panic("no such luck");
}

/* Even when its owner does not look. */
static wr_err ignore_panic(void *arg)
{
    struct wr_scope *scope;
    REQUIRE_OK(wr_scope_new(&scope, &plain), WR_NOMEM);
    CHECK_OK(wr_scope_go(scope, "panics", panic_below, arg));
    (void)!wr_scope_join(scope, WR_NEVER);
    (void)!wr_scope_close(scope);
    return WR_OK;
}

TEST_PLAIN(a_panic_anywhere_fails_the_run)
{
    struct wr_sim_result result;
    CHECK_ERR(WR_PANIC, simulate_quietly(&result, ignore_panic, NULL));
    CHECK_EQ(WR_SIM_PANIC, result.failure);
    CHECK(strstr(result.message, "no such luck") != NULL);
}

TEST_PLAIN(a_panic_of_those_who_may_is_no_failure)
{
    struct wr_sim_result result;
    CHECK_OK(wr_sim_run(&result, &(struct wr_sim_conf){ .name = "may", .may_panic = "pan" },
                        ignore_panic, NULL));
    CHECK_ERR(WR_PANIC, wr_sim_run(&result, &(struct wr_sim_conf){
        .name = "may not", .may_panic = "others", .quiet = true }, ignore_panic, NULL));
    CHECK_EQ(WR_SIM_PANIC, result.failure);
}

struct steps { int count; int setups; };

static wr_err count_steps(void *arg)
{
    struct steps *steps = arg;
    for (int i = 0; i < 100; i++) {
        steps->count++;
        wr_sim_point("step");
    }
    return WR_OK;
}

static const char *below_fifty(void *arg)
{
    return ((struct steps *)arg)->count >= 50 ? "fifty is too much" : NULL;
}

static uint64_t count_of(void *arg)
{
    return (uint64_t)((struct steps *)arg)->count;
}

static void set_up(void *arg)
{
    struct steps *steps = arg;
    steps->count = 0;
    steps->setups++;
}

TEST_PLAIN(an_invariant_is_checked_between_steps)
{
    struct steps steps = { 0 };
    struct wr_sim_result result;
    CHECK_ERR(WR_PANIC, wr_sim_run(&result, &(struct wr_sim_conf){
        .name = "steps", .quiet = true, .setup = set_up, .invariant = below_fifty },
        count_steps, &steps));
    CHECK_EQ(WR_SIM_INVARIANT, result.failure);
    CHECK_STR("fifty is too much", result.message);
    CHECK_EQ(50, result.operations);
}

TEST_PLAIN(states_are_counted_over_all_runs_and_each_begins_anew)
{
    struct steps steps = { 0 };
    struct wr_sim_result result;
    CHECK_OK(wr_sim_run(&result, &(struct wr_sim_conf){
        .name = "steps", .seeds = 10, .setup = set_up, .state = count_of }, count_steps,
        &steps));
    CHECK_EQ(101, result.states);
    CHECK_EQ(10, steps.setups);
}

TEST_PLAIN(a_run_counts_only_with_enough_operations_and_a_fault)
{
    struct steps steps = { 0 };
    struct wr_sim_result result;
    CHECK_OK(wr_sim_run(&result, &(struct wr_sim_conf){ .name = "steps", .seeds = 10 },
                        count_steps, &steps));
    CHECK_EQ(0, result.counted);
    CHECK_OK(wr_sim_run(&result, &(struct wr_sim_conf){
        .name = "steps", .seeds = 10, .faults = WR_SIM_WALL }, count_steps, &steps));
    CHECK_EQ(10, result.counted);
    CHECK_OK(wr_sim_run(&result, &(struct wr_sim_conf){
        .name = "outside", .seeds = 10, .faults = WR_SIM_WALL }, look_outside,
        &(struct outside){ 0 }));
    CHECK_EQ(0, result.counted);
}

/* ---- what a person sees ---- */

TEST_DIES_PLAIN(a_failure_names_its_seed_and_shows_the_way_to_it,
                "simulation \"shown\" failed with seed 12: deadlock: .*"
                "run waiter#3.*once src/sim/sim_test.c:.*fail deadlock")
{
    struct wr_sim_result result;
    if (wr_sim_run(&result, &(struct wr_sim_conf){ .name = "shown", .seed = 12 }, run_deadlock,
                   NULL) == WR_PANIC)
        wr_panic("as expected");
}

static struct wr_mutex mutex = WR_MUTEX("test.mutex", 1);

static wr_err panic_with_lock(void *arg)
{
    (void)arg;
    wr_mutex_lock(&mutex);
    wr_panic("not to be contained");
}

TEST_DIES_PLAIN(a_panic_that_ends_the_process_names_the_seed_before,
                "not to be contained.*this was simulation \"locked\", seed 31")
{
    struct wr_sim_result result;
    (void)!wr_sim_run(&result, &(struct wr_sim_conf){ .name = "locked", .seed = 31 },
                      panic_with_lock, NULL);
}

static wr_err nest(void *arg)
{
    struct wr_sim_result result;
    return wr_sim_run(&result, &(struct wr_sim_conf){ .name = "inner" }, return_error, arg);
}

TEST_PLAIN(a_simulation_inside_a_simulation_is_refused)
{
    struct wr_sim_result result;
    CHECK_ERR(WR_PANIC, simulate_quietly(&result, nest, NULL));
    CHECK(strstr(result.message, "a simulation inside a simulation") != NULL);
}

TEST_DIES_PLAIN(crashes_without_saying_whose_are_refused,
                "say by conf.crash which tasks may panic")
{
    struct wr_sim_result result;
    (void)!wr_sim_run(&result, &(struct wr_sim_conf){ .name = "who", .faults = WR_SIM_CRASH },
                      return_error, NULL);
}

TEST_DIES_PLAIN(signals_without_saying_which_are_refused,
                "say by conf.signals which may arrive")
{
    struct wr_sim_result result;
    (void)!wr_sim_run(&result, &(struct wr_sim_conf){ .name = "which",
                                                      .faults = WR_SIM_SIGNAL },
                      return_error, NULL);
}

TEST_PANICS(numbers_are_drawn_in_simulations_only, "wr_sim_below outside a simulation")
{
    (void)wr_sim_below(2);
}
