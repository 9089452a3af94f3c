#include <weir/run.h>

#include <dirent.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weir/offload.h>
#include <weir/once.h>
#include <weir/scope.h>

#include "base/world.h"
#include "rt/scope_int.h"
#include "testing/settle.h"
#include "testing/test.h"

static const struct wr_run_conf by_default = { 0 };

static int entries(const char *path)
{
    int count = 0;
    DIR *dir = opendir(path);
    REQUIRE(dir, 0);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

/* ---- what it returns ---- */

static wr_err return_it(void *arg)
{
    return *(wr_err *)arg;
}

TEST_PLAIN(the_result_of_the_first_task_is_the_result_of_the_run)
{
    static const wr_err results[] = { WR_OK, WR_IO, WR_CANCELED, WR_TIMEOUT, WR_PANIC };
    for (size_t i = 0; i < sizeof(results) / sizeof(*results); i++) {
        wr_err result = results[i];
        CHECK_ERR(result, wr_run(&by_default, return_it, &result));
    }
}

static wr_err leave_a_scope_open(void *arg)
{
    (void)arg;
    (void)scope_open();
    return WR_OK;
}

TEST_PLAIN(a_first_task_that_breaks_a_rule_as_it_returns_has_panicked)
{
    CHECK_ERR(WR_PANIC, wr_run(&by_default, leave_a_scope_open, NULL));
}

static wr_err count_late(void *arg)
{
    wr_err err = wr_sleep(wr_after(WR_MS(5)));
    atomic_fetch_add((atomic_int *)arg, 1);
    return err;
}

static wr_err start_and_return(void *arg)
{
    for (int i = 0; i < 10; i++)
        CHECK_OK(wr_scope_go(wr_scope_self(), "test.late", count_late, arg));
    return WR_OK;
}

TEST_PLAIN(the_run_ends_when_everything_the_first_task_started_has_ended)
{
    atomic_int count = 0;
    CHECK_OK(wr_run(&by_default, start_and_return, &count));
    CHECK_EQ(10, count);
}

/* ---- nothing is left ---- */

static void look_busy(void *arg)
{
    atomic_fetch_add((atomic_int *)arg, 1);
}

static wr_err offload_once(void *arg)
{
    return wr_offload(look_busy, arg, WR_NEVER);
}

static wr_err use_everything(void *arg)
{
    struct wr_scope *scope = scope_open();
    for (int i = 0; i < 20; i++)
        CHECK_OK(wr_scope_go(scope, "test.offload", offload_once, arg));
    for (int i = 0; i < 20; i++)
        CHECK_OK(wr_scope_go(scope, "test.late", count_late, arg));
    scope_done(scope);
    return WR_OK;
}

TEST_PLAIN(no_thread_and_no_descriptor_is_left_after_a_run)
{
    if (test_emulated())
        SKIP("the emulator has threads of its own");
    atomic_int count = 0;
    struct wr_run_conf conf = { .workers = 4 };
    CHECK_OK(wr_run(&conf, use_everything, &count));        /* what libc keeps, it has now */
    int threads = entries("/proc/self/task"), descriptors = entries("/proc/self/fd");
    for (int i = 0; i < 3; i++) {
        CHECK_OK(wr_run(&conf, use_everything, &count));
        CHECK_EQ(threads, entries("/proc/self/task"));
        CHECK_EQ(descriptors, entries("/proc/self/fd"));
    }
    CHECK_EQ(4 * 40, count);
}

TEST_PLAIN(runs_may_follow_one_another_with_any_configuration)
{
    for (unsigned i = 0; i < 50; i++) {
        atomic_int count = 0;
        struct wr_run_conf conf = { .workers = 1 + i % 3, .virtual_clock = i % 2,
                                    .stack_size = (size_t)(i % 5 == 0) * 1024 * 1024 };
        CHECK_OK(wr_run(&conf, use_everything, &count));
        CHECK_EQ(40, count);
    }
}

/* Its own descriptors are then among the first three. */
TEST_PLAIN(a_run_does_without_a_standard_input)
{
    int input = dup(STDIN_FILENO);
    for (unsigned workers = 1; workers <= 2; workers++) {
        atomic_int count = 0;
        struct wr_run_conf conf = { .workers = workers };
        close(STDIN_FILENO);
        CHECK_OK(wr_run(&conf, use_everything, &count));
        CHECK_EQ(40, count);
        CHECK_EQ(-1, close(STDIN_FILENO));      /* and given back */
    }
    if (input >= 0) {
        CHECK_EQ(STDIN_FILENO, dup2(input, STDIN_FILENO));
        close(input);
    }
}

TEST_PLAIN(the_world_is_the_real_one_again_after_a_virtual_run)
{
    wr_err result = WR_OK;
    struct wr_run_conf conf = { .virtual_clock = true };
    wr_time before = wr_now();
    CHECK_OK(wr_run(&conf, return_it, &result));
    CHECK(wr_world == &wr_world_os);
    CHECK(wr_now() >= before);
    CHECK(wr_now() - before < WR_S(60));
}

/* ---- one at a time ---- */

static wr_err run_inside(void *arg)
{
    return wr_run(&by_default, return_it, arg);
}

TEST_PANICS(a_run_inside_a_run_is_a_panic,
            "panic at src/rt/run_test\\.c:[0-9]+: "
            "wr_run inside wr_run: one run at a time per process")
{
    wr_err result = WR_OK;
    (void)!run_inside(&result);
}

static void run_on_a_thread(void *arg)
{
    (void)!run_inside(arg);
}

TEST_DIES(a_run_beside_a_run_is_a_panic_too,
          "panic at src/rt/run_test\\.c:[0-9]+: "
          "wr_run inside wr_run: one run at a time per process")
{
    wr_err result = WR_OK;
    (void)!wr_offload(run_on_a_thread, &result, WR_NEVER);
}

/* ---- how many workers ---- */

static wr_err count_workers(void *arg)
{
    *(unsigned *)arg = wr_rt.count;
    return WR_OK;
}

static unsigned workers_of(unsigned asked, const char *env)
{
    unsigned count = 0;
    char *before = getenv("WEIR_THREADS");
    char *kept = before ? strdup(before) : NULL;
    if (env)
        setenv("WEIR_THREADS", env, 1);
    else
        unsetenv("WEIR_THREADS");
    CHECK_OK(wr_run(&(struct wr_run_conf){ .workers = asked }, count_workers, &count));
    if (kept)
        setenv("WEIR_THREADS", kept, 1);
    else
        unsetenv("WEIR_THREADS");
    free(kept);
    return count;
}

TEST_PLAIN(the_number_of_workers_is_the_one_asked_for_then_the_environments_then_the_cores)
{
    unsigned cores = wr_os_cores();
    CHECK_EQ(3, workers_of(3, NULL));
    CHECK_EQ(3, workers_of(3, "2"));
    CHECK_EQ(2, workers_of(0, "2"));
    CHECK_EQ(cores < 64 ? cores : 64, workers_of(0, NULL));
    CHECK_EQ(cores < 64 ? cores : 64, workers_of(0, "many"));
    CHECK_EQ(64, workers_of(1000, NULL));
}

TEST_DIES_PLAIN(a_number_of_workers_that_is_none_is_said,
                "weir: WEIR_THREADS is \"4x\", not a number: one worker per core\n"
                ".*weir: panic")
{
    (void)workers_of(0, "4x");
    wr_panic("as claimed");
}

static wr_err be_all_alone(void *arg)
{
    *(int *)arg = entries("/proc/self/task");
    return WR_OK;
}

TEST_PLAIN(with_one_worker_and_the_virtual_clock_there_is_no_other_thread)
{
    int outside = entries("/proc/self/task"), inside = 0;
    struct wr_run_conf conf = { .workers = 1, .virtual_clock = true };
    CHECK_OK(wr_run(&conf, be_all_alone, &inside));
    CHECK_EQ(outside, inside);
}

static void run_with_stack(size_t size)
{
    struct wr_run_conf conf = { .workers = 1, .virtual_clock = true, .stack_size = size };
    wr_err result = WR_OK;
    CHECK_OK(wr_run(&conf, return_it, &result));
}

TEST_DIES_PLAIN(a_stack_of_less_than_16_kib_is_refused,
                "panic at src/rt/run_test\\.c:[0-9]+: "
                "a stack of 16383 bytes: 16384 to 67108864 are allowed")
{
    run_with_stack(16 * 1024 - 1);
}

TEST_DIES_PLAIN(a_stack_of_more_than_64_mib_is_refused,
                "panic at src/rt/run_test\\.c:[0-9]+: "
                "a stack of 67108865 bytes: 16384 to 67108864 are allowed")
{
    run_with_stack((size_t)64 * 1024 * 1024 + 1);
}

TEST_PLAIN(as_many_tasks_as_can_be_counted_are_as_many_as_there_is_memory_for)
{
    wr_err result = WR_OK;
    for (size_t less = 0; less < 4; less++) {
        struct wr_run_conf conf = { .workers = 2, .tasks_max = SIZE_MAX - less };
        CHECK_OK(wr_run(&conf, return_it, &result));
    }
}

/* ---- the clocks ---- */

TEST(the_virtual_clock_stands_still_while_something_runs_and_jumps_when_nothing_can)
{
    wr_time start = wr_now();
    wr_time real = wr_world_os.mono();
    while (wr_world_os.mono() - real < WR_MS(2))
        ;
    CHECK_EQ(start, wr_now());
    CHECK_OK(wr_sleep(start + WR_S(3600)));
    CHECK_EQ(start + WR_S(3600), wr_now());
    CHECK(wr_world_os.mono() - real < WR_S(60));
}

TEST(the_virtual_calendar_moves_with_the_virtual_clock)
{
    struct wr_wall before = wr_wall();
    CHECK_OK(wr_sleep(wr_after(WR_S(86400))));
    CHECK_EQ(WR_S(86400), wr_wall().ns - before.ns);
}

static wr_err sleep_really(void *arg)
{
    wr_time start = wr_world_os.mono(), span = *(wr_time *)arg;
    CHECK_OK(wr_sleep(wr_after(span)));
    CHECK(wr_world_os.mono() - start >= span);
    return WR_OK;
}

TEST_PLAIN(a_real_sleep_is_never_too_short)
{
    for (unsigned workers = 1; workers <= 2; workers++)
        for (wr_time span = WR_US(1); span <= WR_MS(10); span *= 10)
            CHECK_OK(wr_run(&(struct wr_run_conf){ .workers = workers }, sleep_really, &span));
}

/* ---- the dump ---- */

static wr_err wait_for_ever(void *arg)
{
    return wr_once_wait(arg, NULL, WR_NEVER);
}

TEST_DIES(a_dump_names_every_fiber_what_it_waits_for_and_where,
          "worker [0-9]+ +test\\.stuck#[0-9]+ +waits on test\\.event at "
          "src/rt/run_test\\.c:[0-9]+.*enough seen")
{
    struct wr_once *once;
    CHECK_OK(wr_once_new(&once, "test.event", 0));
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_scope_go(scope, "test.stuck", wait_for_ever, once));
    settle();
    wr_run_dump();
    wr_foreign_enter();
    wr_panic("enough seen");
}

static struct { atomic_int lines, wrong; } dumped;

static bool count_line(const char *line, size_t len)
{
    (void)len;
    atomic_fetch_add(&dumped.lines, 1);
    if (!strstr(line, "weir:   worker ") || !strstr(line, "#") || !strstr(line, " at src/rt/"))
        atomic_fetch_add(&dumped.wrong, 1);
    return true;
}

struct churn { atomic_int running; int rounds; };

static wr_err wait_a_little(void *arg)
{
    wr_err err = wr_sleep(wr_after(WR_US(20)));
    return err ? err : wr_once_wait(arg, NULL, WR_NEVER);
}

/* Tasks that begin, wait here and there and end, in scopes that come and go. */
static wr_err come_and_go(void *arg)
{
    struct churn *churn = arg;
    for (int i = 0; i < churn->rounds; i++) {
        struct wr_once *once;
        struct wr_scope *outer = scope_open();
        wr_scope_enter(outer);
        struct wr_scope *scope = scope_open();
        REQUIRE_OK(wr_once_new(&once, "test.event", 0), WR_NOMEM);
        for (int task = 0; task < 5; task++)
            CHECK_OK(wr_scope_go(scope, "test.brief", wait_a_little, once));
        CHECK_OK(wr_sleep(wr_after(WR_US(30))));
        if (i % 2)
            CHECK_OK(wr_once_set(once, NULL));
        CHECK_OK(wr_scope_close(scope));
        wr_scope_leave(outer);
        CHECK_OK(wr_scope_close(outer));
        wr_once_free(once);
    }
    atomic_fetch_sub(&churn->running, 1);
    return WR_OK;
}

static wr_err dump_meanwhile(void *arg)
{
    struct churn *churn = arg;
    struct wr_scope *scope = scope_open();
    for (int i = 0; i < 4; i++)
        CHECK_OK(wr_scope_go(scope, "test.churn", come_and_go, churn));
    while (atomic_load(&churn->running) > 0) {
        wr_run_dump();
        CHECK_OK(wr_sleep(wr_after(WR_US(20))));
    }
    scope_done(scope);
    return WR_OK;
}

TEST_PLAIN(a_dump_shows_only_what_is_there_while_fibers_begin_wait_and_end_on_two_workers)
{
    struct churn churn = { .running = 4, .rounds = test_rounds(200) };
    struct wr_world listening = *wr_world;
    const struct wr_world *before = wr_world;
    listening.complain = count_line;
    wr_world = &listening;
    CHECK_OK(wr_run(&(struct wr_run_conf){ .workers = 2 }, dump_meanwhile, &churn));
    wr_world = before;
    CHECK(dumped.lines > 0);
    CHECK_EQ(0, dumped.wrong);
}

static void dump_to(bool (*complain)(const char *line, size_t len))
{
    const struct wr_world *before = wr_world;
    struct wr_world listening = *before;
    listening.complain = complain;
    wr_world = &listening;
    wr_run_dump();
    wr_world = before;
}

static struct { unsigned rows, more, locked; } long_dump;

static bool look_at_the_lock(const char *line, size_t len)
{
    (void)len;
    unsigned more = 0;
    long_dump.rows += strstr(line, "#") != NULL;
    if (sscanf(line, "weir:   and %u more\n", &more) == 1)
        long_dump.more += more;
    long_dump.locked += atomic_load(&wr_rt.root->lock.word) != 0;
    return true;
}

TEST(a_dump_shows_thousands_and_holds_no_lock_while_it_prints)
{
    enum { FIBERS = 5000, SHOWN = 4096 };
    struct wr_once *once;
    CHECK_OK(wr_once_new(&once, "test.event", 0));
    struct wr_scope *scope = scope_open();
    for (int i = 0; i < FIBERS; i++)
        CHECK_OK(wr_scope_go(scope, "test.stuck", wait_for_ever, once));
    settle();
    dump_to(look_at_the_lock);
    CHECK_EQ(SHOWN, long_dump.rows);
    CHECK(long_dump.rows + long_dump.more > FIBERS);
    CHECK_EQ(0, long_dump.locked);
    CHECK_OK(wr_once_set(once, NULL));
    scope_done(scope);
    wr_once_free(once);
}

TEST_PLAIN(a_dump_outside_any_run_shows_nothing)
{
    int before = dumped.lines;
    dump_to(count_line);
    CHECK_EQ(before, dumped.lines);
}

TEST_DIES(when_nothing_can_ever_run_again_the_run_ends_and_says_who_waits_for_what,
          "deadlock: every task waits, and nothing can wake one.*"
          "test\\.stuck#[0-9]+ +waits on test\\.event at src/rt/run_test\\.c:[0-9]+")
{
    struct wr_once *once;
    CHECK_OK(wr_once_new(&once, "test.event", 0));
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_scope_go(scope, "test.stuck", wait_for_ever, once));
    (void)!wr_scope_join(scope, WR_NEVER);
}
