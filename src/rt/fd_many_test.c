/* fd_many_test.c - many descriptors, reused numbers, several workers, broken rules. */
#include <weir/fd.h>

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <unistd.h>

#include <weir/run.h>
#include <weir/scope.h>
#include <weir/select.h>

#include "rt/rt_int.h"
#include "testing/settle.h"
#include "testing/test.h"

struct pair { struct wr_fd *in, *out; };

static bool pipe_open(struct pair *ret)
{
    int ends[2];
    if (!CHECK_EQ(0, pipe(ends)))
        return false;
    return CHECK_OK(wr_fd_open(&ret->in, ends[0])) && CHECK_OK(wr_fd_open(&ret->out, ends[1]));
}

static void pipe_close(struct pair pair)
{
    wr_fd_close(pair.in);
    wr_fd_close(pair.out);
}

/* ---- many ---- */

enum { RING = 1000 };

struct ring { struct pair pipes[RING]; atomic_int passed; };
struct station { struct ring *ring; int at; };

/* A byte goes round: each station reads from its pipe and writes to the next. */
static wr_err pass_on(void *arg)
{
    struct station *station = arg;
    struct ring *ring = station->ring;
    char byte;
    size_t size;
    for (int round = 0; round < 3; round++) {
        CHECK_OK(wr_fd_read(ring->pipes[station->at].in, &size, &byte, 1, WR_NEVER));
        ring->passed++;
        if (round == 2 && station->at == RING - 1)
            break;
        CHECK_OK(wr_fd_write(ring->pipes[(station->at + 1) % RING].out, &size, &byte, 1,
                             WR_NEVER));
    }
    return WR_OK;
}

static wr_err go_round(void *arg)
{
    struct ring *ring = arg;
    static struct station stations[RING];
    struct wr_scope *scope = scope_open();
    size_t size;
    for (int i = 0; i < RING; i++)
        REQUIRE(pipe_open(&ring->pipes[i]), WR_NOFILE);
    for (int i = 0; i < RING; i++) {
        stations[i] = (struct station){ ring, i };
        CHECK_OK(wr_scope_go(scope, "test.station", pass_on, &stations[i]));
    }
    CHECK_OK(wr_fd_write(ring->pipes[0].out, &size, "x", 1, WR_NEVER));
    scope_done(scope);
    for (int i = 0; i < RING; i++)
        pipe_close(ring->pipes[i]);
    return WR_OK;
}

TEST_PLAIN(a_thousand_pipes_pass_a_byte_round_on_any_number_of_workers)
{
    static struct ring ring;
    struct rlimit limit;
    REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    if (limit.rlim_max < 2 * RING + 100)
        SKIP("fewer descriptors than that are allowed here");
    limit.rlim_cur = limit.rlim_max;
    REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    for (unsigned i = 0; i < 4; i++) {
        struct wr_run_conf conf = { .workers = 1 + i / 2 * 3, .virtual_clock = i % 2 };
        ring.passed = 0;
        CHECK_OK(wr_run(&conf, go_round, &ring));
        CHECK_EQ(3 * RING, ring.passed);
    }
}

enum { ROUNDS = 2000 };

struct rally { int there[2], back[2]; atomic_bool started; };

/* Each side opens what it reads, so that its own worker hears of it. */
static void play(int in, int out, int writes)
{
    struct wr_fd *fd = NULL;
    char byte = 'x';
    size_t size;
    REQUIRE_OK(wr_fd_open(&fd, in));
    for (int i = 0; i < ROUNDS; i++) {
        CHECK_OK(wr_fd_read(fd, &size, &byte, 1, wr_after(WR_S(1))));
        if (i < writes)
            CHECK_EQ(1, write(out, &byte, 1));
    }
    wr_fd_close(fd);
}

static wr_err answer(void *arg)
{
    struct rally *rally = arg;
    rally->started = true;
    play(rally->there[0], rally->back[1], ROUNDS);
    return WR_OK;
}

static wr_err nothing(void *arg)
{
    (void)arg;
    return WR_OK;
}

/* Bytes on their way are work to do: the clock must not jump over them. */
static wr_err rally_without_time(void *arg)
{
    struct rally rally = { 0 };
    struct wr_scope *scope = scope_open();
    wr_time start = wr_now();
    (void)arg;
    REQUIRE(pipe(rally.there) == 0 && pipe(rally.back) == 0, WR_NOFILE);
    CHECK_OK(wr_scope_go(scope, "test.answer", answer, &rally));
    for (int i = 0; i < 20; i++)        /* enough to wake another worker, which takes it */
        CHECK_OK(wr_scope_go(scope, "test.nothing", nothing, NULL));
    while (wr_rt.count > 1 && !rally.started)
        ;
    CHECK_EQ(1, write(rally.there[1], "x", 1));
    play(rally.back[0], rally.there[1], ROUNDS - 1);
    scope_done(scope);
    CHECK_EQ(start, wr_now());
    close(rally.there[1]);
    close(rally.back[1]);
    return WR_OK;
}

TEST_PLAIN(the_virtual_clock_does_not_jump_while_bytes_are_under_way)
{
    for (unsigned workers = 1; workers <= 4; workers++) {
        struct wr_run_conf conf = { .workers = workers, .virtual_clock = true };
        CHECK_OK(wr_run(&conf, rally_without_time, NULL));
    }
}

/* ---- numbers that come again ---- */

static struct os_event event_of(uint32_t index, uint32_t generation)
{
    return (struct os_event){ .data = (uint64_t)generation << 32 | index,
                              .ready = WR_READABLE | WR_WRITABLE };
}

static wr_err wait_readable(void *arg)
{
    return wr_fd_wait(arg, WR_READABLE, WR_NEVER);
}

/* In a new run the table is empty: the first descriptor is {0, generation 0}. */
static wr_err reopen_the_same(void *arg)
{
    int ends[2];
    struct wr_fd *fd;
    struct worker *w = fiber_self()->home;
    struct os_event first = event_of(0, 0), second = event_of(0, 1), none = event_of(999, 0);
    (void)arg;
    REQUIRE(pipe(ends) == 0, WR_NOFILE);
    int other = dup(ends[0]);
    CHECK_OK(wr_fd_open(&fd, ends[0]));
    int number = wr_fd_number(fd);
    wr_fd_close(fd);
    CHECK_EQ(number, dup2(other, number));
    CHECK_OK(wr_fd_open(&fd, number));

    struct wr_scope *scope = scope_open();
    go(scope, wait_readable, fd);
    wr_fd_event(w, &first);                 /* was on its way when the first was closed */
    wr_fd_event(w, &none);
    settle();
    CHECK_EQ(1, wr_scope_live(scope));      /* it did not wake the second */
    wr_fd_event(w, &second);
    scope_done(scope);
    wr_fd_close(fd);
    wr_fd_event(w, &second);                /* and now it is nobody's */
    close(other);
    close(ends[1]);
    return WR_OK;
}

TEST_PLAIN(an_event_of_a_closed_descriptor_does_not_reach_the_one_that_has_its_number_now)
{
    struct wr_run_conf conf = { .workers = 1, .virtual_clock = true };
    CHECK_OK(wr_run(&conf, reopen_the_same, NULL));
    CHECK_OK(wr_run(&conf, reopen_the_same, NULL));
}

static wr_err open_and_close(void *arg)
{
    for (int i = 0; i < 100; i++) {
        struct pair pair = { 0 };
        size_t size;
        char buf[4];
        REQUIRE(pipe_open(&pair), WR_NOFILE);
        CHECK_OK(wr_fd_write(pair.out, &size, "abc", 3, WR_NEVER));
        if (i % 2)
            CHECK_OK(wr_fd_read(pair.in, &size, buf, 3, WR_NEVER));
        if (i % 3 == 0)
            CHECK_OK(wr_yield());
        pipe_close(pair);       /* perhaps with an event on its way */
    }
    atomic_fetch_add((atomic_int *)arg, 1);
    return WR_OK;
}

static wr_err churn(void *arg)
{
    struct wr_scope *scope = scope_open();
    for (int i = 0; i < 16; i++)
        CHECK_OK(wr_scope_go(scope, "test.churn", open_and_close, arg));
    scope_done(scope);
    return WR_OK;
}

TEST_PLAIN(descriptors_come_and_go_on_four_workers)
{
    atomic_int ended = 0;
    CHECK_OK(wr_run(&(struct wr_run_conf){ .workers = 4 }, churn, &ended));
    CHECK_EQ(16, ended);
}

/* ---- one that waited, and has not run since ---- */

struct turn { struct wr_fd *fd; wr_time at; bool served; };

static wr_err sleep_then_wait(void *arg)
{
    struct turn *turn = arg;
    CHECK_OK(wr_sleep(turn->at));
    wr_err err = wr_fd_wait(turn->fd, WR_READABLE, turn->at + WR_MS(2));
    turn->served = err == WR_OK;
    return err;
}

static wr_err wait_until(void *arg)
{
    struct turn *turn = arg;
    CHECK_ERR(WR_TIMEOUT, wr_fd_wait(turn->fd, WR_READABLE, turn->at));
    return WR_OK;
}

/* Both have their moment at once; the sleeper, armed first, runs first. */
static wr_err follow_a_late_one(void *arg)
{
    struct pair pair = { 0 };
    struct wr_scope *scope = scope_open();
    size_t size;
    (void)arg;
    REQUIRE(pipe_open(&pair), WR_NOFILE);
    struct turn turn = { .fd = pair.in, .at = wr_after(WR_MS(1)) };
    go(scope, sleep_then_wait, &turn);
    go(scope, wait_until, &turn);
    CHECK_OK(wr_sleep(turn.at + WR_MS(1)));
    CHECK_OK(wr_fd_write(pair.out, &size, "x", 1, WR_NEVER));
    scope_done(scope);
    CHECK(turn.served);
    pipe_close(pair);
    return WR_OK;
}

TEST_PLAIN(one_whose_time_is_up_is_no_rival_and_does_not_take_the_next_ones_place)
{
    struct wr_run_conf conf = { .workers = 1, .virtual_clock = true };
    CHECK_OK(wr_run(&conf, follow_a_late_one, NULL));
}

/* ---- signals ---- */

TEST(a_broken_pipe_is_no_signal_and_programs_we_start_have_it_as_ever)
{
    struct sigaction act;
    CHECK_EQ(0, sigaction(SIGPIPE, NULL, &act));
    CHECK(act.sa_handler != SIG_DFL);
    CHECK(act.sa_handler != SIG_IGN);       /* that would be inherited */
}

/* ---- rules ---- */

#define RIVAL(events) \
    "panic at src/rt/fd_many_test\\.c:[0-9]+: two fibers wait for descriptor [0-9]+ to " \
    "be " events ": test\\.task#[0-9]+ does already, at src/rt/fd_many_test\\.c:[0-9]+.*" \
    "in task main#"

TEST_PANICS(two_fibers_that_wait_to_read_one_descriptor_are_a_panic, RIVAL("readable"))
{
    struct pair pair = { 0 };
    REQUIRE(pipe_open(&pair));
    go(scope_open(), wait_readable, pair.in);
    (void)!wr_fd_wait(pair.in, WR_READABLE, WR_NEVER);
}

TEST_PANICS(two_fibers_that_wait_in_a_select_are_a_panic_of_the_second_alone,
            RIVAL("readable"))
{
    struct pair pair = { 0 };
    size_t which;
    REQUIRE(pipe_open(&pair));
    struct wr_case cases[] = { WR_CASE_FD(pair.in, WR_READABLE) };
    go(scope_open(), wait_readable, pair.in);
    (void)!wr_select(&which, cases, 1, WR_NEVER);
}

static wr_err select_readable(void *arg)
{
    size_t which;
    struct wr_case cases[] = { WR_CASE_FD(arg, WR_READABLE) };
    return wr_select(&which, cases, 1, WR_NEVER);
}

TEST_PANICS(who_waits_in_a_select_is_a_rival_too, RIVAL("readable"))
{
    struct pair pair = { 0 };
    REQUIRE(pipe_open(&pair));
    go(scope_open(), select_readable, pair.in);
    (void)!wr_fd_wait(pair.in, WR_READABLE, WR_NEVER);
}

TEST(twice_in_one_select_is_no_rival)
{
    struct pair pair = { 0 };
    size_t which = 9, size;
    REQUIRE(pipe_open(&pair));
    struct wr_case cases[] = { WR_CASE_FD(pair.in, WR_READABLE),
                               WR_CASE_FD(pair.in, WR_READABLE) };
    CHECK_ERR(WR_TIMEOUT, wr_select(&which, cases, 2, wr_after(1)));
    CHECK_OK(wr_fd_write(pair.out, &size, "x", 1, WR_NEVER));
    CHECK_OK(wr_select(&which, cases, 2, WR_NEVER));
    CHECK_EQ(0, which);
    pipe_close(pair);
}

TEST_PANICS(waiting_for_both_at_once_is_a_panic,
            "panic at src/rt/fd_many_test\\.c:[0-9]+: "
            "wait for descriptor [0-9]+ to be readable or writable, one at a time")
{
    struct pair pair = { 0 };
    REQUIRE(pipe_open(&pair));
    (void)!wr_fd_wait(pair.in, 3, WR_NEVER);
}

TEST_PANICS(closing_a_descriptor_somebody_waits_on_names_him,
            "panic at src/rt/fd_many_test\\.c:[0-9]+: "
            "descriptor [0-9]+ is closed while test\\.task#[0-9]+ waits on it; cancel and join "
            "its users first")
{
    struct pair pair = { 0 };
    REQUIRE(pipe_open(&pair));
    go(scope_open(), wait_readable, pair.in);
    wr_fd_close(pair.in);
}

TEST_DIES_PLAIN(opening_a_descriptor_outside_a_task_is_a_panic,
                "panic at src/rt/fd_many_test\\.c:[0-9]+: "
                "wr_fd_open outside a task: a descriptor belongs to a worker")
{
    struct wr_fd *fd;
    (void)!wr_fd_open(&fd, 0);
}

/* ---- after its run ---- */

static struct wr_fd *left;
static int left_number;

static wr_err leave_open(void *arg)
{
    int ends[2];
    (void)arg;
    REQUIRE(pipe(ends) == 0, WR_IO);
    close(ends[1]);
    left_number = ends[0];
    return wr_fd_open(&left, ends[0]);
}

static wr_err run_plain(wr_task_fn fn)
{
    return wr_run(&(struct wr_run_conf){ .virtual_clock = true }, fn, NULL);
}

TEST_DIES_PLAIN(one_that_outlives_its_run_is_named_with_its_place,
                "weir: descriptor [0-9]+, opened at src/rt/fd_many_test\\.c:[0-9]+, was not "
                "closed before its run ended: closed now\n")
{
    CHECK_OK(run_plain(leave_open));
    wr_panic("as claimed");
}

static wr_err read_left(void *arg)
{
    size_t size;
    char byte;
    (void)arg;
    return wr_fd_read(left, &size, &byte, 1, WR_NOW);
}

TEST_DIES_PLAIN(using_it_in_the_next_run_is_a_panic,
                "panic at src/rt/fd_many_test\\.c:[0-9]+: descriptor [0-9]+, opened at "
                "src/rt/fd_many_test\\.c:[0-9]+, was closed with the run it was opened in")
{
    CHECK_OK(run_plain(leave_open));
    CHECK_ERR(WR_PANIC, run_plain(read_left));
    wr_panic("as claimed");
}

static wr_err close_left(void *arg)
{
    (void)arg;
    wr_fd_close(left);
    return WR_OK;
}

TEST_PLAIN(one_that_outlived_its_run_is_closed_and_can_only_be_given_back)
{
    for (int i = 0; i < 2; i++) {
        CHECK_OK(run_plain(leave_open));
        CHECK_EQ(-1, fcntl(left_number, F_GETFD));
        CHECK_OK(run_plain(close_left));
    }
    CHECK_OK(run_plain(leave_open));
    wr_fd_close(left);
}
