/* fork.c - fork in a program that uses the library: the child has no runtime and is
 * told so, may exec, and the parent never notices. */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <weir/chan.h>
#include <weir/fd.h>
#include <weir/offload.h>
#include <weir/run.h>
#include <weir/scope.h>
#include <weir/task.h>
#include <weir/timer.h>

#include "testing/settle.h"
#include "testing/test.h"

extern char **environ;

#define SAID_MAX 4096

struct child { pid_t pid; int output; int status; char said[SAID_MAX]; };

/* As fork: false in the child, whose standard error the parent will read. */
static bool fork_off(struct child *child)
{
    int ends[2];
    if (pipe(ends) != 0)
        abort();
    child->pid = fork();
    if (child->pid < 0)
        abort();
    if (child->pid == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        return false;
    }
    close(ends[1]);
    child->output = ends[0];
    return true;
}

/* Blocks, like everything about children here: only their end is of interest. */
static void await(struct child *child)
{
    size_t len = 0;
    ssize_t n;
    while ((n = read(child->output, child->said + len, SAID_MAX - 1 - len)) != 0)
        if (n > 0)
            len += (size_t)n;
        else if (errno != EINTR)
            abort();
    child->said[len] = '\0';
    close(child->output);
    while (waitpid(child->pid, &child->status, 0) < 0)
        if (errno != EINTR)
            abort();
}

#define SAYS "in a child of fork(), which has no runtime: exec at once, or use posix_spawn"

/* The child was ended by the panic that says so. */
static void check_refused(struct child *child, const char *what)
{
    await(child);
    CHECK(WIFSIGNALED(child->status) && WTERMSIG(child->status) == SIGABRT);
    CHECK(strstr(child->said, SAYS) != NULL);
    if (!CHECK(strstr(child->said, what) != NULL))
        printf("# it said: %s", child->said);
}

/* ---- the child uses the runtime ---- */

static wr_err nothing(void *arg)
{
    (void)arg;
    return WR_OK;
}

static void try_sleep(void *arg)
{
    (void)arg;
    (void)!wr_sleep(wr_after(WR_MS(1)));
}

static void try_recv(void *arg)
{
    int item;
    (void)!wr_chan_recv(arg, &item, WR_NEVER);
}

static void try_scope(void *arg)
{
    (void)arg;
    (void)scope_open();
}

static void try_go(void *arg)
{
    (void)arg;
    struct wr_scope *scope = wr_scope_self();
    (void)!wr_scope_go(scope, "weather.late", nothing, NULL);
}

static void try_run(void *arg)
{
    (void)arg;
    (void)!wr_run(&(struct wr_run_conf){ 0 }, nothing, NULL);
}

static void try_fd(void *arg)
{
    struct wr_fd *fd;
    (void)arg;
    (void)!wr_fd_open(&fd, 0);
}

static void try_timer(void *arg)
{
    struct wr_timer timer = { 0 };
    (void)arg;
    wr_timer_set(&timer, 1);
}

static const struct { void (*fn)(void *arg); const char *says; } uses[] = {
    { try_sleep, "a call that may wait" },
    { try_recv, "a call that may wait" },
    { try_scope, "wr_scope_new" },
    { try_go, "wr_scope_self" },
    { try_run, "wr_run" },
    { try_fd, "wr_fd_open" },
    { try_timer, "wr_timer_set" },
};

TEST(using_the_runtime_in_the_child_is_a_panic_that_says_so)
{
    struct wr_chan *ch;
    CHECK_OK(wr_chan_new(&ch, &(struct wr_chan_conf){
        .name = "chan", .item_size = sizeof(int), .cap = 1, .policy = WR_WAIT }));
    for (size_t i = 0; i < sizeof(uses) / sizeof(*uses); i++) {
        struct child child;
        if (!fork_off(&child)) {
            uses[i].fn(ch);
            _exit(0);
        }
        check_refused(&child, uses[i].says);
    }
    wr_chan_free(ch);
}

static wr_err fork_and_return(void *arg)
{
    (void)fork_off(arg);
    return WR_OK;               /* in the child, too: it must not go on as a scheduler */
}

TEST(a_task_that_returns_in_the_child_does_not_run_the_others_there)
{
    struct child child;
    struct wr_scope *scope = scope_open();
    pid_t parent = getpid();
    CHECK_OK(wr_scope_go(scope, "weather.fork", fork_and_return, &child));
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    if (getpid() != parent)
        _exit(7);               /* we run twice now: the worst of all */
    CHECK_OK(wr_scope_close(scope));
    check_refused(&child, "task weather.fork#");
}

static void fork_on_a_thread(void *arg)
{
    if (!fork_off(arg)) {
        try_sleep(NULL);
        _exit(0);
    }
}

TEST(a_child_of_an_offloaded_call_is_told_the_same)
{
    struct child child;
    CHECK_OK(wr_offload(fork_on_a_thread, &child, WR_NEVER));
    check_refused(&child, "a call that may wait");
}

/* ---- the child does something else ---- */

TEST(a_child_may_exec)
{
    struct child child;
    if (!fork_off(&child)) {
        execl("/bin/sh", "sh", "-c", "exit 5", NULL);
        _exit(1);
    }
    await(&child);
    CHECK(WIFEXITED(child.status) && WEXITSTATUS(child.status) == 5);
}

TEST(a_child_may_compute_and_leave)
{
    struct child child;
    if (!fork_off(&child))
        _exit(strcmp(wr_task_name(), "thread") == 0 ? 6 : 1);
    await(&child);
    CHECK(WIFEXITED(child.status) && WEXITSTATUS(child.status) == 6);
}

TEST(posix_spawn_works_in_a_task)
{
    pid_t pid;
    int status = 0;
    char *args[] = { "sh", "-c", "exit 4", NULL };
    REQUIRE(posix_spawn(&pid, "/bin/sh", NULL, NULL, args, environ) == 0);
    REQUIRE(waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 4);
}

/* ---- the parent ---- */

static wr_err tick(void *arg)
{
    for (int i = 0; i < 20; i++)
        CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    atomic_fetch_add((atomic_int *)arg, 1);
    return WR_OK;
}

TEST(the_parent_goes_on_as_if_nothing_had_happened)
{
    atomic_int ended = 0;
    struct wr_scope *scope = scope_open();
    wr_time start = wr_now();
    for (int i = 0; i < 20; i++)
        CHECK_OK(wr_scope_go(scope, "weather.tick", tick, &ended));
    for (int i = 0; i < 10; i++) {
        struct child child;
        CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
        if (!fork_off(&child))
            _exit(i);
        await(&child);
        CHECK(WIFEXITED(child.status) && WEXITSTATUS(child.status) == i);
    }
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_OK(wr_scope_close(scope));
    CHECK_EQ(20, ended);
    CHECK_EQ(start + WR_MS(20), wr_now());
}

/* ---- outside a run ---- */

static wr_err sleep_once(void *arg)
{
    (void)arg;
    return wr_sleep(wr_after(WR_S(1)));
}

TEST_PLAIN(a_child_of_a_program_that_is_not_running_anything_may_run)
{
    struct wr_run_conf conf = { .workers = 1, .virtual_clock = true };
    struct child child;
    CHECK_OK(wr_run(&conf, sleep_once, NULL));      /* it has run before */
    if (!fork_off(&child))
        _exit(wr_run(&conf, sleep_once, NULL) == WR_OK ? 3 : 1);
    await(&child);
    CHECK(WIFEXITED(child.status) && WEXITSTATUS(child.status) == 3);
}
