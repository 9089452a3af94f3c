#include <weir/signal.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <weir/fd.h>
#include <weir/run.h>
#include <weir/scope.h>
#include <weir/select.h>
#include <weir/sup.h>
#include <weir/task.h>

#include "base/world.h"
#include "rt/hooks.h"
#include "rt/rt_int.h"
#include "rt/signal_int.h"
#include "testing/test.h"

#define GIVE_UP_S 60        /* a child that hangs is ended by the kernel */

static const int wanted[] = { SIGINT, SIGTERM, SIGHUP };

static struct wr_signal *open_wanted(void)
{
    struct wr_signal *signals = NULL;
    CHECK_OK(wr_signal_open(&signals, wanted, 3));
    return signals;
}

/* The next signal, which must have arrived. */
static int next(struct wr_signal *signals)
{
    int number = 0;
    CHECK_OK(wr_chan_recv(wr_signal_chan(signals), &number, wr_after(WR_S(1))));
    return number;
}

/* ---- a process of its own, on the real clock.  These come first: they are
 * forked before this process has had threads. ---- */

struct child { pid_t pid; int from; };

static int to_parent;

static void tell(const void *what, size_t size)
{
    CHECK_EQ((long long)size, write(to_parent, what, size));
}

/* Under a sanitizer what is not printed yet is printed by the child too. */
static pid_t fork_clean(void)
{
    fflush(stdout);
    return fork();
}

static struct child fork_running(wr_task_fn fn)
{
    int ends[2];
    struct child child = { .pid = -1 };
    REQUIRE(pipe(ends) == 0, child);
    child.pid = fork_clean();
    child.from = ends[0];
    if (child.pid == 0) {
        alarm(GIVE_UP_S);
        to_parent = ends[1];
        wr_err err = wr_run(&(struct wr_run_conf){ 0 }, fn, NULL);
        _exit(err ? 1 : 0);
    }
    close(ends[1]);
    return child;
}

static bool hear(struct child *child, void *what, size_t size)
{
    return CHECK_EQ((long long)size, read(child->from, what, size));
}

static int await(struct child *child)
{
    int status = -1;
    CHECK_EQ(child->pid, waitpid(child->pid, &status, 0));
    close(child->from);
    return status;
}

struct weather { uint64_t received; struct wr_signal_stat stat; };

static wr_err weather_the_storm(void *arg)
{
    (void)arg;
    struct weather seen = { 0 };
    struct wr_signal *signals = open_wanted();
    int number = 0;
    tell("r", 1);
    bool told = false;          /* a hangup caught before may still come after it */
    while (!wr_chan_recv(wr_signal_chan(signals), &number,
                         told ? wr_after(WR_MS(200)) : WR_NEVER)) {
        told |= number == SIGTERM;
        seen.received++;
    }
    seen.stat = wr_signal_stat(signals);
    tell(&seen, sizeof(seen));
    wr_signal_close(signals);
    return WR_OK;
}

TEST_PLAIN(a_storm_of_ten_thousand_signals_is_survived_and_counted)
{
    struct child child = fork_running(weather_the_storm);
    struct weather seen;
    char ready;
    REQUIRE(hear(&child, &ready, 1));
    for (int i = 0; i < 10000; i++)
        kill(child.pid, SIGHUP);
    kill(child.pid, SIGTERM);
    if (hear(&child, &seen, sizeof(seen))) {
        CHECK(seen.received >= 2);
        CHECK_EQ(seen.stat.caught, seen.received + seen.stat.coalesced);
        CHECK(seen.stat.caught <= 10001);
    }
    CHECK_EQ(0, await(&child));
}

/* The pattern of the header, around a child that does not care. */

static wr_err stubborn(void *arg, struct wr_once *drain)
{
    (void)arg;
    tell("r", 1);
    wr_err err = wr_once_wait(drain, NULL, WR_NEVER);
    tell("d", 1);
    return err ? err : wr_sleep(WR_NEVER);
}

static wr_err willing(void *arg, struct wr_once *drain)
{
    (void)arg;
    tell("r", 1);
    return wr_once_wait(drain, NULL, WR_NEVER);
}

struct node { struct wr_signal *signals; struct wr_sup *sup; unsigned reloads; };

static wr_err obey(void *arg)
{
    struct node *node = arg;
    int number;
    while (!wr_chan_recv(wr_signal_chan(node->signals), &number, WR_NEVER)) {
        if (number == SIGHUP) {
            node->reloads++;
            tell("h", 1);
        } else {
            wr_sup_stop(node->sup);
        }
    }
    return WR_OK;
}

static wr_err run_node(wr_child_fn run, wr_err want)
{
    const struct wr_child children[] = {
        { "test.node", run, NULL, WR_RESTART_ALWAYS, .group = 0 },
    };
    struct node node = { .signals = open_wanted() };
    struct wr_scope *scope;
    REQUIRE_OK(wr_sup_new(&node.sup, &(struct wr_sup_conf){
                   .name = "test", .children = children, .count = 1, .quiet = true,
                   .drain_within = WR_S(5) }), WR_IO);
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test",
                                                             .deadline = WR_NEVER }), WR_IO);
    REQUIRE_OK(wr_scope_go(scope, "test.signals", obey, &node), WR_IO);
    CHECK_ERR(want, wr_sup_run(node.sup));
    CHECK_OK(wr_scope_close(scope));
    wr_sup_free(node.sup);
    wr_signal_close(node.signals);
    return WR_OK;
}

static wr_err run_stubborn(void *arg)
{
    (void)arg;
    return run_node(stubborn, WR_TIMEOUT);
}

static wr_err run_willing(void *arg)
{
    (void)arg;
    return run_node(willing, WR_OK);
}

TEST_PLAIN(a_second_interrupt_aborts_the_drain_at_once)
{
    struct child child = fork_running(run_stubborn);
    char heard;
    wr_time start = wr_world->mono();
    REQUIRE(hear(&child, &heard, 1));
    kill(child.pid, SIGINT);
    REQUIRE(hear(&child, &heard, 1));       /* it drains, and would for five seconds */
    CHECK_EQ('d', heard);
    kill(child.pid, SIGINT);
    CHECK_EQ(0, await(&child));
    CHECK(wr_world->mono() - start < WR_S(5));
}

TEST_PLAIN(hangup_reloads_and_terminate_drains)
{
    struct child child = fork_running(run_willing);
    char heard;
    REQUIRE(hear(&child, &heard, 1));
    for (int i = 0; i < 3; i++) {
        kill(child.pid, SIGHUP);
        REQUIRE(hear(&child, &heard, 1));
        CHECK_EQ('h', heard);
    }
    kill(child.pid, SIGTERM);
    CHECK_EQ(0, await(&child));
}

static wr_err close_and_raise(void *arg)
{
    (void)arg;
    wr_signal_close(open_wanted());
    kill(getpid(), SIGHUP);
    return WR_OK;
}

TEST_PLAIN(after_the_close_a_signal_that_ended_the_process_ends_it_again)
{
    signal(SIGHUP, SIG_DFL);                /* who started us may have ignored it: nohup */
    struct child child = fork_running(close_and_raise);
    int status = await(&child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGHUP);
}

struct fds { unsigned long count, inodes; };

static struct fds open_fds(void)
{
    struct fds fds = { 0 };
    struct stat st;
    for (int fd = 0; fd < 256; fd++)
        if (fstat(fd, &st) == 0) {
            fds.count++;
            fds.inodes += st.st_ino;
        }
    return fds;
}

static wr_err count_fds(void *arg)
{
    (void)arg;
    struct fds seen[3] = { open_fds() };
    for (int i = 1; i < 3; i++) {
        wr_signal_close(open_wanted());
        seen[i] = open_fds();
    }
    tell(seen, sizeof(seen));
    return WR_OK;
}

/* Otherwise a handler that is late would write into whatever has its number now. */
TEST_PLAIN(the_pipe_that_handlers_write_to_is_made_once_and_stays)
{
    struct child child = fork_running(count_fds);
    struct fds seen[3];
    REQUIRE(hear(&child, seen, sizeof(seen)));
    CHECK_EQ(seen[0].count + 2, seen[1].count);
    CHECK_EQ(seen[1].count, seen[2].count);
    CHECK_EQ(seen[1].inodes, seen[2].inodes);
    CHECK_EQ(0, await(&child));
}

enum { ROUNDS = 2000 };
static int other_in, other_out;     /* the process this one was forked from, or forked */
static int mine;                    /* the signal of this one */

static wr_err raise_and_receive(void *arg)
{
    (void)arg;
    struct wr_signal *signals = open_wanted();
    char open = 'o';
    CHECK_EQ(1, write(other_out, &open, 1));
    CHECK_EQ(1, read(other_in, &open, 1));
    bool whole = true;
    for (int i = 0; i < ROUNDS && whole; i++) {
        raise(mine);
        whole = CHECK_EQ(mine, next(signals));
    }
    CHECK_EQ(ROUNDS, wr_signal_stat(signals).caught);
    whole &= wr_signal_stat(signals).caught == ROUNDS;
    wr_signal_close(signals);
    return whole ? WR_OK : WR_IO;
}

static wr_err open_and_close(void *arg)
{
    (void)arg;
    wr_signal_close(open_wanted());
    return WR_OK;
}

/* Both at once, after one has used them and was forked. */
static int two_generations(void)
{
    int down[2], up[2], status = -1;
    if (wr_run(&(struct wr_run_conf){ 0 }, open_and_close, NULL) || pipe(down) || pipe(up))
        return 1;
    pid_t pid = fork_clean();
    mine = pid ? SIGHUP : SIGTERM;
    other_in = pid ? up[0] : down[0];
    other_out = pid ? down[1] : up[1];
    wr_err err = wr_run(&(struct wr_run_conf){ 0 }, raise_and_receive, NULL);
    if (pid == 0)
        _exit(err ? 1 : 0);
    waitpid(pid, &status, 0);
    return err || status ? 1 : 0;
}

TEST_PLAIN(a_forked_process_catches_its_own_signals_and_leaves_its_parents_alone)
{
    int status = -1;
    pid_t pid = fork_clean();
    if (pid == 0) {
        alarm(GIVE_UP_S);
        _exit(two_generations());
    }
    CHECK_EQ(pid, waitpid(pid, &status, 0));
    CHECK_EQ(0, status);
}

/* ---- in this process ---- */

TEST(signals_arrive_as_values_in_the_order_of_their_coming)
{
    struct wr_signal *signals = open_wanted();
    raise(SIGTERM);
    CHECK_EQ(SIGTERM, next(signals));
    raise(SIGHUP);
    CHECK_EQ(SIGHUP, next(signals));
    raise(SIGHUP);
    CHECK_EQ(SIGHUP, next(signals));
    CHECK_EQ(3, wr_signal_stat(signals).caught);
    CHECK_EQ(0, wr_signal_stat(signals).coalesced);
    wr_signal_close(signals);
}

TEST(a_signal_is_a_case_of_a_select)
{
    struct wr_signal *signals = open_wanted();
    struct wr_timer tick = { 0 };
    int number = 0;
    size_t which = 9;
    struct wr_case cases[] = {
        WR_CASE_RECV(wr_signal_chan(signals), &number), WR_CASE_TIMER(&tick),
    };
    wr_timer_set(&tick, wr_after(WR_S(1)));
    CHECK_OK(wr_select(&which, cases, 2, WR_NEVER));
    CHECK_EQ(1, which);
    raise(SIGINT);
    wr_timer_set(&tick, wr_after(WR_S(1)));
    CHECK_OK(wr_select(&which, cases, 2, WR_NEVER));
    CHECK_EQ(0, which);
    CHECK_EQ(SIGINT, number);
    wr_timer_clear(&tick);
    wr_signal_close(signals);
}

static int lowest_free_fd(void)
{
    int fd = dup(STDIN_FILENO);
    close(fd);
    return fd;
}

TEST(the_process_has_one_and_can_have_another_after_it)
{
    struct wr_signal *signals = open_wanted(), *second = NULL;
    CHECK_ERR(WR_EXISTS, wr_signal_open(&second, wanted, 3));
    CHECK(second == NULL);
    wr_signal_close(signals);
    int free_before = lowest_free_fd();
    for (int i = 0; i < 3; i++) {
        signals = open_wanted();
        raise(SIGTERM);
        CHECK_EQ(SIGTERM, next(signals));
        wr_signal_close(signals);
    }
    CHECK_EQ(free_before, lowest_free_fd());
    wr_signal_close(NULL);
}

static const int ignored[] = { SIGWINCH, SIGCHLD };     /* harmless when not caught */

static wr_err open_after_another(void *arg)
{
    atomic_bool *refused = arg;
    struct wr_signal *signals = NULL;
    wr_err err;
    while ((err = wr_signal_open(&signals, ignored, 1)) == WR_EXISTS) {
        atomic_store(refused, true);
        REQUIRE_OK(wr_yield(), WR_OK);
    }
    REQUIRE_OK(err, WR_OK);
    CHECK_OK(wr_sleep(wr_after(1)));        /* the other is done with its close by now */
    raise(SIGWINCH);
    CHECK_EQ(SIGWINCH, next(signals));
    wr_signal_close(signals);
    return WR_OK;
}

static void check_default(int number)
{
    struct sigaction now;
    CHECK_EQ(0, sigaction(number, NULL, &now));
    CHECK(now.sa_handler == SIG_DFL);
}

TEST(one_that_is_being_closed_is_closed_before_another_opens)
{
    for (int i = 0; i < 20; i++) {
        struct wr_scope *scope;
        struct wr_signal *signals = NULL;
        atomic_bool refused = false;
        REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test",
                                                                 .deadline = WR_NEVER }));
        REQUIRE_OK(wr_signal_open(&signals, &ignored[1], 1));
        CHECK_OK(wr_scope_go(scope, "test.next", open_after_another, &refused));
        while (!atomic_load(&refused))
            REQUIRE_OK(wr_yield());
        wr_signal_close(signals);
        CHECK_OK(wr_scope_join(scope, WR_NEVER));
        CHECK_OK(wr_scope_close(scope));
        check_default(SIGWINCH);
        check_default(SIGCHLD);
    }
}

static volatile sig_atomic_t handled;

static void handle(int number)
{
    handled = number;
}

TEST(after_the_close_the_handlers_of_before_are_back)
{
    static const int twice[] = { SIGUSR1, SIGUSR2, SIGUSR1 };
    struct sigaction own = { .sa_handler = handle, .sa_flags = SA_RESTART }, now;
    struct wr_signal *signals;
    CHECK_EQ(0, sigaction(SIGUSR1, &own, NULL));
    signal(SIGUSR2, SIG_IGN);
    REQUIRE_OK(wr_signal_open(&signals, twice, 3));
    raise(SIGUSR2);
    CHECK_EQ(SIGUSR2, next(signals));
    wr_signal_close(signals);
    handled = 0;
    raise(SIGUSR1);
    CHECK_EQ(SIGUSR1, handled);
    CHECK_EQ(0, sigaction(SIGUSR1, NULL, &now));
    CHECK_EQ(SA_RESTART, now.sa_flags & (SA_RESTART | SA_ONSTACK));
    CHECK_EQ(0, sigaction(SIGUSR2, NULL, &now));
    CHECK(now.sa_handler == SIG_IGN);
    signal(SIGUSR1, SIG_DFL);
    signal(SIGUSR2, SIG_DFL);
}

TEST(in_a_scope_that_has_ended_it_does_not_open_and_leaves_nothing)
{
    struct wr_scope *scope;
    struct wr_signal *signals = NULL;
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test",
                                                             .deadline = WR_NEVER }));
    wr_scope_cancel(scope);
    wr_scope_enter(scope);
    CHECK_ERR(WR_CANCELED, wr_signal_open(&signals, wanted, 3));
    wr_scope_leave(scope);
    CHECK_OK(wr_scope_close(scope));
    wr_signal_close(open_wanted());
}

/* Not the last ones: valgrind and emulators keep them. */
TEST(the_first_signal_without_a_meaning_of_its_own_is_caught)
{
    struct wr_signal *signals;
    REQUIRE_OK(wr_signal_open(&signals, &(int){ SIGRTMIN }, 1));
    raise(SIGRTMIN);
    CHECK_EQ(SIGRTMIN, next(signals));
    wr_signal_close(signals);
}

/* ---- injected ---- */

TEST(an_injected_signal_arrives_as_a_real_one)
{
    struct wr_signal *signals = open_wanted();
    CHECK_OK(wr_signal_inject(SIGTERM));
    CHECK_EQ(SIGTERM, next(signals));
    CHECK_ERR(WR_NOTFOUND, wr_signal_inject(SIGUSR1));
    wr_signal_close(signals);
    CHECK_ERR(WR_NOTFOUND, wr_signal_inject(SIGTERM));
}

TEST(a_storm_of_one_signal_cannot_push_out_another)
{
    struct wr_signal *signals = open_wanted();
    for (int i = 0; i < 10000; i++)
        CHECK_OK(wr_signal_inject(i == 5000 ? SIGTERM : SIGHUP));
    CHECK_EQ(10000, wr_signal_stat(signals).caught);
    CHECK_EQ(9998, wr_signal_stat(signals).coalesced);
    CHECK_EQ(SIGHUP, next(signals));
    CHECK_EQ(SIGTERM, next(signals));
    int number;
    CHECK_ERR(WR_TIMEOUT, wr_chan_recv(wr_signal_chan(signals), &number, WR_NOW));
    wr_signal_close(signals);
}

/* In a simulation every call is a point at which others may run. */

static bool injecting;

static wr_err inject_one(void *arg)
{
    (void)arg;
    injecting = true;
    CHECK_OK(wr_signal_inject(SIGTERM));
    injecting = false;
    return WR_OK;
}

static wr_err inject_and_close(void *arg)
{
    (void)arg;
    struct wr_signal *signals = open_wanted();
    struct wr_scope *scope;
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test",
                                                             .deadline = WR_NEVER }), WR_IO);
    CHECK_OK(wr_scope_go(scope, "test.injector", inject_one, NULL));
    CHECK_OK(wr_yield());
    CHECK(!injecting);              /* it would go on with what is freed here */
    CHECK_OK(wr_scope_close(scope));
    wr_signal_close(signals);
    return WR_OK;
}

static wr_time same_moment(wr_time now)
{
    return now;
}

static size_t choose_last(const struct rt_candidate *among, size_t count)
{
    (void)among;
    return injecting ? 0 : count - 1;
}

static bool give_way(const struct rt_point *point)
{
    (void)point;
    return true;
}

TEST_PLAIN(nobody_runs_in_the_middle_of_an_injection)
{
    static const struct rt_hooks hooks = {
        .turn = same_moment, .choose = choose_last, .point = give_way, .advance = same_moment,
        .stuck = wr_run_abandon, .wall = same_moment,
    };
    CHECK_OK(wr_run_hooked(&(struct wr_run_conf){ 0 }, &hooks, inject_and_close, NULL));
}
