/* program_test.c - other programs: started, read, ended, and kept in jail.
 *
 * The programs that attack are this one: run with the argument "attack" it tries one thing that
 * must not work, and says with what it got (0: it worked).
 */
#include "rt/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <weir/run.h>
#include <weir/scope.h>
#include <weir/sim.h>

#include "testing/test.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED true
#endif
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

#define JAILED_MEMORY ((size_t)256 << 20)

/* ---- the attacks ---- */

static int got(long result)
{
    return result >= 0 ? 0 : errno;
}

static int attack_socket(void)
{
    return got(socket(AF_INET, SOCK_STREAM, 0));
}

static int attack_abstract_socket(void)
{
    struct sockaddr_un addr = { .sun_family = AF_UNIX, .sun_path = "\0weir-test" };
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    return fd < 0 ? errno : got(connect(fd, (struct sockaddr *)&addr, sizeof(addr)));
}

static int attack_write(void)
{
    return got(open("/program", O_WRONLY));
}

static int attack_create(void)
{
    return got(open("/made", O_CREAT | O_RDONLY, 0600));
}

static int attack_create_in_libraries(void)
{
    return got(openat(AT_FDCWD, "/usr/lib/made", O_CREAT | O_RDWR, 0600));
}

static int attack_truncate(void)
{
    return got(open("/program", O_RDONLY | O_TRUNC));
}

static int attack_unlink(void)
{
    return got(unlink("/etc/ld.so.cache"));
}

static int attack_fork(void)
{
    return got(fork());
}

static int attack_memory(void)
{
    volatile char *much = malloc((size_t)1 << 30);      /* a compiler would leave it out */
    if (!much)
        return errno;
    for (size_t at = 0; at < (size_t)1 << 30; at += 4096)
        much[at] = 1;
    return 0;
}

static int attack_shadow(void)
{
    return got(open("/etc/shadow", O_RDONLY));
}

static int attack_ptrace(void)
{
    return got(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}

static int attack_kill_parent(void)
{
    return got(kill(getppid(), SIGTERM));
}

static int attack_kill_all(void)
{
    return got(kill(-1, SIGTERM));
}

static int attack_environment(void)
{
    return got(open("/proc/self/environ", O_RDONLY));
}

static int attack_environment_of_parent(void)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/environ", (int)getppid());
    return got(open(path, O_RDONLY));
}

static int attack_input(void)
{
    return got(write(0, "x", 1));
}

static int attack_become_root(void)
{
    return got(syscall(SYS_setresuid, 0, 0, 0));
}

static int attack_mount(void)
{
    return got(syscall(SYS_mount, "none", "/etc", "tmpfs", 0, NULL));
}

static int attack_namespace(void)
{
    return got(syscall(SYS_unshare, 0x10000000));
}

static int attack_old_root(void)
{
    return got(open("../../../../../home", O_RDONLY));
}

static int attack_descriptors(void)
{
    for (int fd = 3; fd < 64; fd++)
        if (fstat(fd, &(struct stat){ 0 }) == 0)
            return 0;
    return EBADF;
}

static const struct attack {
    const char *name;
    int (*try)(void);
} attacks[] = {
    { "socket", attack_socket },
    { "abstract_socket", attack_abstract_socket },
    { "write", attack_write },
    { "create", attack_create },
    { "create_in_libraries", attack_create_in_libraries },
    { "truncate", attack_truncate },
    { "unlink", attack_unlink },
    { "fork", attack_fork },
    { "memory", attack_memory },
    { "shadow", attack_shadow },
    { "ptrace", attack_ptrace },
    { "kill_parent", attack_kill_parent },
    { "kill_all", attack_kill_all },
    { "environment", attack_environment },
    { "environment_of_parent", attack_environment_of_parent },
    { "input", attack_input },
    { "become_root", attack_become_root },
    { "mount", attack_mount },
    { "namespace", attack_namespace },
    { "old_root", attack_old_root },
    { "descriptors", attack_descriptors },
};

#define ATTACKS (sizeof(attacks) / sizeof(attacks[0]))

static void copy_input(void)
{
    char buf[4096];
    for (ssize_t n; (n = read(0, buf, sizeof(buf))) > 0;)
        if (write(1, buf, (size_t)n) != n)
            _exit(1);
}

static void be_program(const char *what)
{
    for (size_t i = 0; i < ATTACKS; i++)
        if (strcmp(what, attacks[i].name) == 0)
            _exit(attacks[i].try());
    if (strcmp(what, "copy") == 0)
        copy_input();
    if (strcmp(what, "loop") == 0)
        for (;;)                        /* a constant: any other loop may be taken to end */
            ;
    if (strcmp(what, "who") == 0)
        _exit(getuid() == 65534 && getgid() == 65534 && getpid() == 1 ? 0 : 1);
    if (strcmp(what, "env") == 0)
        _exit(getenv("SECRET") || !getenv("GIVEN") ? 1 : 0);
    _exit(0);
}

__attribute__((constructor)) static void begin(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "attack") == 0)
        be_program(argv[2]);
}

/* ---- running them ---- */

static char own_path[256];

static wr_err run_real(wr_task_fn fn, void *arg)
{
    ssize_t len = readlink("/proc/self/exe", own_path, sizeof(own_path) - 1);
    own_path[len > 0 ? len : 0] = '\0';
    return wr_run(&(struct wr_run_conf){ 0 }, fn, arg);
}

static const struct wr_jail jail = { .memory_max = JAILED_MEMORY, .cpu_seconds_max = 2 };

static struct wr_program *started(const char *what, const struct wr_jail *in,
                                  const char *const *env)
{
    struct wr_program *program = NULL;
    char why[WR_PROGRAM_WHY];
    struct wr_program_conf conf = { .path = own_path,
                                    .args = (const char *const[]){ "x", "attack", what, NULL },
                                    .env = env, .input = "some input", .input_size = 10,
                                    .jail = in };
    if (!CHECK_OK(wr_program_start(&program, &conf, why, wr_after(WR_S(10)))))
        printf("# %s\n", why);
    return program;
}

static struct wr_program_end ran(const char *what, const struct wr_jail *in,
                                 const char *const *env)
{
    struct wr_program_end end = { .code = -1 };
    struct wr_program *program = started(what, in, env);
    if (program)
        CHECK_OK(wr_program_wait(program, &end, wr_after(WR_S(20))));
    wr_program_close(program);
    return end;
}

static wr_err read_all(void *arg)
{
    char text[64];
    size_t len = 0, n;
    struct wr_program *program = started("copy", arg, NULL);
    REQUIRE(program, WR_IO);
    while (CHECK_OK(wr_program_read(program, &n, text + len, sizeof(text) - len,
                                    wr_after(WR_S(10)))) && n > 0)
        len += n;
    text[len] = '\0';
    CHECK_STR("some input", text);
    struct wr_program_end end;
    CHECK_OK(wr_program_wait(program, &end, wr_after(WR_S(10))));
    CHECK(!end.killed && end.code == 0);
    wr_program_close(program);
    return WR_OK;
}

/* The other processor is emulated, and what it starts is not. */
#ifdef __x86_64__
#define FOREIGN_SKIP() ((void)0)
#else
#define FOREIGN_SKIP() SKIP("a program for this processor may not run by itself")
#endif

TEST_PLAIN(a_program_reads_its_input_and_its_output_is_read)
{
    FOREIGN_SKIP();
    CHECK_OK(run_real(read_all, NULL));
}

static wr_err see_environment(void *arg)
{
    (void)arg;
    setenv("SECRET", "1", 1);
    CHECK_EQ(0, ran("env", NULL, (const char *const[]){ "GIVEN=1", NULL }).code);
    return WR_OK;
}

TEST_PLAIN(a_program_has_the_environment_it_is_given_and_no_other)
{
    FOREIGN_SKIP();
    CHECK_OK(run_real(see_environment, NULL));
}

/* Any start buries the dead, also one that fails. */
static void bury(void)
{
    struct wr_program *none = NULL;
    char why[WR_PROGRAM_WHY];
    struct wr_program_conf conf = { .path = "/none",
                                    .args = (const char *const[]){ "x", NULL } };
    CHECK_ERR(WR_NOTFOUND, wr_program_start(&none, &conf, why, wr_after(WR_S(10))));
}

static bool has_children(void)
{
    siginfo_t info;
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

static wr_err close_running(void *arg)
{
    struct wr_program *program = started("loop", arg, NULL);
    struct wr_program_end end;
    CHECK_ERR(WR_TIMEOUT, wr_program_wait(program, &end, wr_after(WR_MS(20))));
    CHECK(has_children());
    wr_program_close(program);
    for (int i = 0; i < 5000 && has_children(); i++) {
        CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
        bury();
    }
    CHECK(!has_children());
    return WR_OK;
}

TEST_PLAIN(a_program_that_is_closed_is_killed_and_buried)
{
    FOREIGN_SKIP();
    CHECK_OK(run_real(close_running, NULL));
}

static wr_err signal_it(void *arg)
{
    (void)arg;
    struct wr_program *program = started("loop", NULL, NULL);
    struct wr_program_end end;
    wr_program_signal(program, SIGTERM);
    CHECK_OK(wr_program_wait(program, &end, wr_after(WR_S(10))));
    CHECK(end.killed && end.code == SIGTERM);
    wr_program_signal(program, SIGTERM);
    wr_program_close(program);
    return WR_OK;
}

TEST_PLAIN(a_signal_reaches_a_program)
{
    FOREIGN_SKIP();
    CHECK_OK(run_real(signal_it, NULL));
}

static wr_err start_nothing(void *arg)
{
    struct wr_program *program = NULL;
    char why[WR_PROGRAM_WHY];
    struct wr_program_conf conf = { .path = "/nonexistent/program", .jail = arg,
                                    .args = (const char *const[]){ "x", NULL } };
    CHECK_ERR(WR_NOTFOUND, wr_program_start(&program, &conf, why, wr_after(WR_S(1))));
    CHECK_STR("/nonexistent/program cannot be run: No such file or directory", why);
    conf.path = "/etc/passwd";
    CHECK_ERR(WR_DENIED, wr_program_start(&program, &conf, why, wr_after(WR_S(1))));
    CHECK_STR("/etc/passwd cannot be run: Permission denied", why);
    CHECK(!program);
    return WR_OK;
}

TEST_PLAIN(a_program_that_is_not_there_is_said_with_its_path)
{
    CHECK_OK(run_real(start_nothing, NULL));
}

static wr_err start_simulated(void *arg)
{
    (void)arg;
    struct wr_program *none = NULL;
    char why[WR_PROGRAM_WHY];
    struct wr_program_conf conf = { .path = own_path,
                                    .args = (const char *const[]){ "x", NULL } };
    CHECK_ERR(WR_UNSUPPORTED, wr_program_start(&none, &conf, why, wr_after(WR_S(1))));
    CHECK_STR("there are no other programs in a simulation", why);
    return WR_OK;
}

TEST_PLAIN(a_simulation_has_no_other_programs)
{
    struct wr_sim_result result;
    CHECK_OK(wr_sim_run(&result, &(struct wr_sim_conf){ .name = "program" }, start_simulated,
                        NULL));
}

static wr_err await_the_end(void *arg)
{
    (void)arg;
    size_t which;
    struct wr_program *program = started("loop", NULL, NULL);
    REQUIRE(program, WR_IO);
    struct wr_case cases[] = { wr_program_ended(program) };
    CHECK_ERR(WR_TIMEOUT, wr_select(&which, cases, 1, wr_after(WR_MS(20))));
    wr_program_signal(program, SIGKILL);
    CHECK_OK(wr_select(&which, cases, 1, wr_after(WR_S(10))));
    wr_program_close(program);
    return WR_OK;
}

TEST_PLAIN(the_end_of_a_program_can_be_one_of_several_things_to_wait_for)
{
    FOREIGN_SKIP();
    CHECK_OK(run_real(await_the_end, NULL));
}

/* ---- in jail ---- */

static wr_err be_attacked(void *arg)
{
    (void)arg;
    for (size_t i = 0; i < ATTACKS; i++) {
        struct wr_program_end end = ran(attacks[i].name, &jail, NULL);
        if (!CHECK(!end.killed && end.code > 0))
            printf("# attack %s: %s %d\n", attacks[i].name, end.killed ? "killed" : "got",
                   end.code);
    }
    CHECK_EQ(0, ran("who", &jail, NULL).code);
    return read_all((void *)(uintptr_t)&jail);
}

TEST_PLAIN(nothing_of_what_an_attacker_tries_works_in_jail)
{
    FOREIGN_SKIP();
    if (SANITIZED || getenv("WEIR_TEST_SLOW"))
        SKIP("neither a sanitizer nor valgrind can live in a jail");
    CHECK_OK(run_real(be_attacked, NULL));
}

/* Everything of it again, as somebody who is not root. */
static int be_attacked_as(unsigned uid)
{
    if (setgid(uid) != 0 || setuid(uid) != 0 || access("/proc/self/exe", X_OK) != 0)
        return 77;
    wr_err err = run_real(be_attacked, NULL);
    fflush(stdout);
    return err ? 1 : 0;
}

TEST_PLAIN(nothing_works_in_the_jail_of_somebody_who_is_not_root)
{
    FOREIGN_SKIP();
    if (SANITIZED || getenv("WEIR_TEST_SLOW"))
        SKIP("neither a sanitizer nor valgrind can live in a jail");
    if (geteuid() != 0)
        SKIP("we are not root: the test before this one is it");
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0)
        _exit(be_attacked_as(65533));
    int status = 0;
    CHECK_EQ(pid, waitpid(pid, &status, 0));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        SKIP("nobody else can reach this program");
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static wr_err loop_in_jail(void *arg)
{
    (void)arg;
    struct wr_jail short_jail = jail;
    short_jail.cpu_seconds_max = 1;
    struct wr_program_end end = ran("loop", &short_jail, NULL);
    CHECK(end.killed && end.code == SIGKILL);
    return close_running((void *)(uintptr_t)&jail);
}

TEST_PLAIN(a_loop_in_jail_ends_with_its_time_or_with_our_patience)
{
    FOREIGN_SKIP();
    if (SANITIZED || getenv("WEIR_TEST_SLOW"))
        SKIP("neither a sanitizer nor valgrind can live in a jail");
    CHECK_OK(run_real(loop_in_jail, NULL));
}
