/* fiber_test.c - tasks as fibers: names, waits, cleanups, and panics that are contained.
 * Panics that end the process are in fiber_rule_test.c. */
#include <weir/task.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <weir/chan.h>
#include <weir/lock.h>
#include <weir/offload.h>
#include <weir/run.h>
#include <weir/scope.h>
#include <weir/timer.h>

#include "testing/test.h"

static struct wr_scope *make(const char *name)
{
    struct wr_scope *scope = NULL;
    CHECK_OK(wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = name, .deadline = WR_NEVER }));
    return scope;
}

/* Run one task in a scope of its own; what the scope says of it. */
static wr_err run_one(wr_task_fn fn, void *arg)
{
    struct wr_scope *scope = make("one");
    CHECK_OK(wr_scope_go(scope, "test.one", fn, arg));
    wr_err err = wr_scope_join(scope, WR_NEVER);
    CHECK_ERR(err, wr_scope_close(scope));
    return err;
}

/* ---- names ---- */

static void name_of_a_thread(void *arg)
{
    snprintf(arg, 40, "%s", wr_task_name());
}

TEST(a_task_is_named_by_its_kind_and_a_number_and_a_thread_is_a_thread)
{
    char name[40];
    CHECK(strncmp(wr_task_name(), "main#", 5) == 0);
    CHECK_OK(wr_offload(name_of_a_thread, name, WR_NEVER));
    CHECK_STR("thread", name);
}

TEST_PLAIN(outside_any_run_the_name_is_thread)
{
    CHECK_STR("thread", wr_task_name());
}

static wr_err send_name(void *arg)
{
    char name[40] = "";
    snprintf(name, sizeof(name), "%s", wr_task_name());
    CHECK_OK(wr_yield());
    CHECK_STR(name, wr_task_name());        /* the same for as long as it lives */
    return wr_chan_send(arg, name, WR_NEVER);
}

TEST(no_two_tasks_have_one_name)
{
    enum { TASKS = 50 };
    static char names[TASKS][40];
    struct wr_chan *ch;
    REQUIRE_OK(wr_chan_new(&ch, &(struct wr_chan_conf){
        .name = "names", .item_size = sizeof(names[0]), .cap = TASKS, .policy = WR_REJECT }));
    struct wr_scope *scope = make("named");
    for (int i = 0; i < TASKS; i++)
        CHECK_OK(wr_scope_go(scope, "test.named", send_name, ch));
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_OK(wr_scope_close(scope));
    for (int i = 0; i < TASKS; i++) {
        CHECK_OK(wr_chan_recv(ch, names[i], WR_NOW));
        CHECK(strncmp(names[i], "test.named#", 11) == 0);
        for (int j = 0; j < i; j++)
            CHECK(strcmp(names[i], names[j]) != 0);
    }
    wr_chan_free(ch);
}

/* ---- kinds ---- */

static wr_err return_it(void *arg)
{
    return *(wr_err *)arg;
}

static wr_err panic_at_once(void *arg)
{
    (void)arg;
    wr_panic("on purpose");
}

struct sums { uint64_t spawned, completed, canceled, panicked; };

static struct sums sum(const struct wr_kind *kind)
{
    struct sums sums = { 0 };
    for (int i = 0; i < WR_KIND_SHARDS; i++) {
        sums.spawned += kind->count[i].spawned;
        sums.completed += kind->count[i].completed;
        sums.canceled += kind->count[i].canceled;
        sums.panicked += kind->count[i].panicked;
    }
    return sums;
}

static void go_and_join(struct wr_kind *kind, wr_task_fn fn, void *arg, wr_err want)
{
    struct wr_scope *scope = make("kind");
    CHECK_OK(wr_scope_go_kind(scope, kind, fn, arg));
    CHECK_ERR(want, wr_scope_join(scope, WR_NEVER));
    CHECK_ERR(want, wr_scope_close(scope));
}

TEST(a_kind_counts_its_tasks_by_how_they_ended)
{
    static struct wr_kind kind = WR_KIND("test.counted");
    wr_err ok = WR_OK, canceled = WR_CANCELED, io = WR_IO;
    go_and_join(&kind, return_it, &ok, WR_OK);
    go_and_join(&kind, return_it, &ok, WR_OK);
    go_and_join(&kind, return_it, &canceled, WR_CANCELED);
    go_and_join(&kind, return_it, &io, WR_IO);
    go_and_join(&kind, panic_at_once, NULL, WR_PANIC);
    struct sums sums = sum(&kind);
    CHECK_EQ(5, sums.spawned);
    CHECK_EQ(5, sums.completed);
    CHECK_EQ(1, sums.canceled);
    CHECK_EQ(1, sums.panicked);
}

/* ---- yield and sleep ---- */

struct turn { char *log; char mark; };

static wr_err take_turns(void *arg)
{
    struct turn *turn = arg;
    for (int i = 0; i < 3; i++) {
        size_t at = strlen(turn->log);
        turn->log[at] = turn->mark;
        CHECK_OK(wr_yield());
    }
    return WR_OK;
}

static wr_err take_turns_on_one_worker(void *arg)
{
    (void)arg;
    char log[16] = "";
    struct turn turns[] = { { log, 'a' }, { log, 'b' }, { log, 'c' } };
    struct wr_scope *scope = make("turns");
    for (int i = 0; i < 3; i++)
        CHECK_OK(wr_scope_go(scope, "test.turn", take_turns, &turns[i]));
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_STR("abcabcabc", log);
    return wr_scope_close(scope);
}

TEST_PLAIN(yield_lets_the_others_run_in_turn)
{
    struct wr_run_conf conf = { .workers = 1, .virtual_clock = true };
    CHECK_OK(wr_run(&conf, take_turns_on_one_worker, NULL));
}

TEST(sleep_returns_at_its_deadline_exactly)
{
    static const wr_time spans[] = { 1, 1000, 1023, 1024, 65536, 777777777, WR_S(3600) };
    for (size_t i = 0; i < sizeof(spans) / sizeof(*spans); i++) {
        wr_time deadline = wr_now() + spans[i];
        CHECK_OK(wr_sleep(deadline));
        CHECK_EQ(deadline, wr_now());
    }
}

TEST(sleep_until_a_moment_that_has_passed_takes_no_time)
{
    wr_time start = wr_now();
    CHECK_OK(wr_sleep(start));
    CHECK_OK(wr_sleep(start - WR_S(1)));
    CHECK_OK(wr_sleep(WR_NOW));
    CHECK_EQ(start, wr_now());
}

/* ---- what a switch preserves ---- */

/* More live values than there are registers, whole numbers and fractions. */
static wr_err keep_values(void *arg)
{
    uint64_t seed = (uint64_t)(uintptr_t)arg;
    uint64_t a = seed * 3, b = seed * 5, c = seed * 7, d = seed * 11, e = seed * 13;
    uint64_t f = seed * 17, g = seed * 19, h = seed * 23, i = seed * 29;
    double x = (double)seed / 3, y = (double)seed / 7, z = 1 / (double)seed;
    for (int round = 0; round < 50; round++) {
        CHECK_OK(wr_yield());
        a += 1, b += a, c ^= b, d += c, e ^= d, f += e, g ^= f, h += g, i ^= h;
        x += y, y *= 1 + z, z /= 2;
    }
    uint64_t a2 = seed * 3, b2 = seed * 5, c2 = seed * 7, d2 = seed * 11, e2 = seed * 13;
    uint64_t f2 = seed * 17, g2 = seed * 19, h2 = seed * 23, i2 = seed * 29;
    double x2 = (double)seed / 3, y2 = (double)seed / 7, z2 = 1 / (double)seed;
    for (int round = 0; round < 50; round++) {
        a2 += 1, b2 += a2, c2 ^= b2, d2 += c2, e2 ^= d2, f2 += e2, g2 ^= f2, h2 += g2, i2 ^= h2;
        x2 += y2, y2 *= 1 + z2, z2 /= 2;
    }
    bool same = a == a2 && b == b2 && c == c2 && d == d2 && e == e2 && f == f2 && g == g2
        && h == h2 && i == i2;
    CHECK(same);
    CHECK(x - x2 == 0 && y - y2 == 0 && z - z2 == 0);
    return WR_OK;
}

TEST(values_in_registers_survive_every_switch)
{
    struct wr_scope *scope = make("values");
    for (uintptr_t i = 1; i <= 40; i++)
        CHECK_OK(wr_scope_go(scope, "test.values", keep_values, (void *)(i * 7919)));
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_OK(wr_scope_close(scope));
}

static wr_err spoil_errno(void *arg)
{
    errno = *(int *)arg;
    return WR_OK;
}

static wr_err wait_with_errno(void *arg)
{
    int other = ENOTTY;
    (void)arg;
    struct wr_scope *scope = make("errno");
    CHECK_OK(wr_scope_go(scope, "test.spoiler", spoil_errno, &other));
    errno = ENOENT;
    wr_err copied = wr_err_errno(errno);        /* the rule: copy it before the next wait */
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_EQ(ENOTTY, errno);                    /* one thread, one errno: the other fiber's */
    CHECK_ERR(WR_NOTFOUND, copied);
    return wr_scope_close(scope);
}

TEST_PLAIN(errno_belongs_to_the_thread_so_it_is_copied_before_a_wait)
{
    CHECK_OK(wr_run(&(struct wr_run_conf){ .workers = 1, .virtual_clock = true },
                    wait_with_errno, NULL));
}

/* ---- panics in a task ---- */

static wr_err note_cancel(void *arg)
{
    return *(wr_err *)arg = wr_sleep(WR_NEVER);
}

TEST(a_panic_ends_its_task_and_the_scope_says_so)
{
    CHECK_ERR(WR_PANIC, run_one(panic_at_once, NULL));
    CHECK_OK(wr_sleep(wr_after(WR_MS(1))));     /* nobody else noticed */
}

static wr_err assert_something(void *arg)
{
    WR_ASSERT(arg != NULL);
    return WR_OK;
}

TEST(an_assertion_that_does_not_hold_is_a_panic)
{
    int there;
    CHECK_ERR(WR_PANIC, run_one(assert_something, NULL));
    CHECK_OK(run_one(assert_something, &there));
}

TEST(a_panic_cancels_the_siblings)
{
    wr_err seen = WR_OK;
    struct wr_scope *scope = make("siblings");
    CHECK_OK(wr_scope_go(scope, "test.sibling", note_cancel, &seen));
    CHECK_OK(wr_yield());
    CHECK_OK(wr_scope_go(scope, "test.unlucky", panic_at_once, NULL));
    CHECK_ERR(WR_PANIC, wr_scope_join(scope, WR_NEVER));
    CHECK_ERR(WR_CANCELED, seen);
    CHECK_ERR(WR_PANIC, wr_scope_close(scope));
}

TEST_PANICS(a_panic_names_its_place_the_task_where_it_was_started_and_the_worker,
            "weir: panic at src/rt/fiber_test\\.c:[0-9]+: on purpose\n"
            "weir: in task test\\.one#[0-9]+, started at src/rt/fiber_test\\.c:[0-9]+, "
            "on worker [0-9]+: the task ends\n")
{
    if (run_one(panic_at_once, NULL) == WR_PANIC)
        wr_panic("as claimed");
}

TEST_PANICS(a_panic_of_the_first_task_is_the_result_of_the_run, "of the first task")
{
    wr_panic("of the first task");
}

TEST(many_panics_one_after_the_other_leave_nothing_behind)
{
    int quiet = 0;
    for (int i = 0; i < 30; i++)
        quiet += run_one(panic_at_once, NULL) == WR_PANIC;
    CHECK_EQ(30, quiet);
}

/* ---- cleanups ---- */

struct cleaning { char log[8]; int len; };

static void note_a(void *arg)
{
    struct cleaning *cleaning = arg;
    cleaning->log[cleaning->len++] = 'a';
}

static void note_b(void *arg)
{
    struct cleaning *cleaning = arg;
    cleaning->log[cleaning->len++] = 'b';
}

static void note_c(void *arg)
{
    struct cleaning *cleaning = arg;
    cleaning->log[cleaning->len++] = 'c';
}

static void deeper(struct cleaning *cleaning)
{
    struct wr_cleanup c = { .fn = note_c, .arg = cleaning };
    wr_cleanup_push(&c);
    wr_panic("three cleanups deep");
}

static wr_err push_and_panic(void *arg)
{
    struct wr_cleanup a = { .fn = note_a, .arg = arg }, b = { .fn = note_b, .arg = arg };
    struct wr_cleanup gone = { .fn = note_b, .arg = arg };
    wr_cleanup_push(&a);
    wr_cleanup_push(&gone);
    wr_cleanup_pop(&gone);
    wr_cleanup_push(&b);
    deeper(arg);
    return WR_OK;
}

TEST(a_panic_runs_the_cleanups_that_are_there_last_in_first_out)
{
    struct cleaning cleaning = { 0 };
    CHECK_ERR(WR_PANIC, run_one(push_and_panic, &cleaning));
    CHECK_STR("cba", cleaning.log);
}

static wr_err push_and_pop(void *arg)
{
    struct wr_cleanup a = { .fn = note_a, .arg = arg };
    wr_cleanup_push(&a);
    CHECK_OK(wr_yield());
    wr_cleanup_pop(&a);
    return WR_IO;
}

TEST(without_a_panic_no_cleanup_runs)
{
    struct cleaning cleaning = { 0 };
    CHECK_ERR(WR_IO, run_one(push_and_pop, &cleaning));
    CHECK_STR("", cleaning.log);
}

static void free_chan(void *arg)
{
    wr_chan_free(*(struct wr_chan **)arg);
}

/* What a cleanup points to lies in the frames that are given up. */
static wr_err own_and_panic(void *arg)
{
    struct wr_chan *ch = NULL;
    struct wr_cleanup cleanup = { .fn = free_chan, .arg = &ch };
    CHECK_OK(wr_chan_new(&ch, &(struct wr_chan_conf){
        .name = "owned", .item_size = 1, .cap = 1, .policy = WR_WAIT }));
    wr_cleanup_push(&cleanup);
    return panic_at_once(arg);
}

TEST(a_cleanup_releases_what_the_frame_of_the_task_holds)
{
    CHECK_ERR(WR_PANIC, run_one(own_and_panic, NULL));      /* ASan would see the leak */
}

struct layered { char log[8]; int len; };

static void note(struct layered *layered, char mark)
{
    layered->log[layered->len++] = mark;
}

static wr_err note_end_of_outer(void *arg)
{
    (void)!wr_sleep(WR_NEVER);
    note(arg, 'o');
    return WR_CANCELED;
}

static wr_err note_end_of_inner(void *arg)
{
    (void)!wr_sleep(WR_NEVER);
    note(arg, 'i');
    return WR_CANCELED;
}

static void note_cleanup(void *arg)
{
    note(arg, 'c');
}

/* The inner task may use what the cleanup releases; the outer one cannot. */
static wr_err layer_and_panic(void *arg)
{
    struct wr_cleanup cleanup = { .fn = note_cleanup, .arg = arg };
    struct wr_scope *outer = make("outer");
    CHECK_OK(wr_scope_go(outer, "test.outer", note_end_of_outer, arg));
    wr_cleanup_push(&cleanup);
    struct wr_scope *inner = make("inner");
    CHECK_OK(wr_scope_go(inner, "test.inner", note_end_of_inner, arg));
    CHECK_OK(wr_sleep(wr_after(1)));
    wr_panic("between two scopes");
}

TEST(a_panic_closes_scopes_and_runs_cleanups_in_the_reverse_order_of_their_making)
{
    struct layered layered = { 0 };
    CHECK_ERR(WR_PANIC, run_one(layer_and_panic, &layered));
    CHECK_STR("ico", layered.log);
}

static wr_err forget_to_pop(void *arg)
{
    struct wr_cleanup a = { .fn = note_a, .arg = arg };
    wr_cleanup_push(&a);
    return WR_OK;
}

TEST(a_cleanup_whose_frame_has_returned_is_a_panic_and_is_not_run)
{
    struct cleaning cleaning = { 0 };
    CHECK_ERR(WR_PANIC, run_one(forget_to_pop, &cleaning));
    CHECK_STR("", cleaning.log);
}

TEST_PANICS(a_cleanup_that_was_not_popped_is_reported_with_its_task,
            "task test\\.one#[0-9]+ returned with a cleanup not popped")
{
    struct cleaning cleaning = { 0 };
    if (run_one(forget_to_pop, &cleaning) == WR_PANIC)
        wr_panic("as claimed");
}

static wr_err pop_in_wrong_order(void *arg)
{
    struct wr_cleanup a = { .fn = note_a, .arg = arg }, b = { .fn = note_b, .arg = arg };
    wr_cleanup_push(&a);
    wr_cleanup_push(&b);
    wr_cleanup_pop(&a);
    return WR_OK;
}

TEST(cleanups_popped_out_of_order_are_a_panic_that_runs_them)
{
    struct cleaning cleaning = { 0 };
    CHECK_ERR(WR_PANIC, run_one(pop_in_wrong_order, &cleaning));
    CHECK_STR("ba", cleaning.log);
}

/* ---- what a panic takes with it ---- */

static wr_err sleep_long(void *arg)
{
    return wr_sleep(*(wr_time *)arg);
}

static wr_err own_a_scope_and_panic(void *arg)
{
    wr_err seen = WR_OK;
    struct wr_scope *scope = make("owned");
    wr_time *never = arg;
    CHECK_OK(wr_scope_go(scope, "test.below", sleep_long, never));
    CHECK_OK(wr_scope_go(scope, "test.below", note_cancel, &seen));
    CHECK_OK(wr_yield());
    return panic_at_once(NULL);
}

TEST(tasks_below_a_task_that_panics_are_canceled_and_joined_first)
{
    wr_time never = WR_NEVER;
    CHECK_ERR(WR_PANIC, run_one(own_a_scope_and_panic, &never));
}

/* The timer lies in a frame that nobody will leave in an orderly way. */
static wr_err set_a_timer_and_panic(void *arg)
{
    struct wr_timer timer = { 0 };
    wr_timer_set(&timer, wr_after(*(wr_time *)arg));
    wr_panic("with a timer set");
}

static wr_err fill_a_frame(void *arg)
{
    volatile unsigned char frame[4096];
    memset((void *)frame, 0xa5, sizeof(frame));
    (void)arg;
    return wr_yield() ? WR_IO : frame[17] == 0xa5 ? WR_OK : WR_INVALID;
}

TEST(a_timer_in_a_frame_that_a_panic_gave_up_is_cleared)
{
    for (int i = 0; i < 20; i++) {
        wr_time span = WR_MS(1 + i);
        CHECK_ERR(WR_PANIC, run_one(set_a_timer_and_panic, &span));
        CHECK_OK(run_one(fill_a_frame, NULL));
    }
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));      /* past all of them */
}
