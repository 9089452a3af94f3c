/* os_program.c - child processes: one clone, and between it and exec nothing but system calls.
 *
 * The child is a copy of a process with threads, so it must not touch a lock, the heap, nor
 * those functions of the C library that speak to all threads (setuid is one).  What goes
 * wrong there is told over a pipe that exec closes.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rt/os.h"
#include "rt/os_jail.h"

/* Everything the child needs, made before it is. */
struct birth {
    const struct wr_program_conf *conf;
    struct os_jail jail;
    int input, output, nothing;     /* what will be 0, 1 and 2; */
    int told;                       /* ... and 3, with the output as 4, if it talks; else -1 */
    int report;                     /* where failures are told */
};

static const char *const steps[] = {
    [OS_STEP_DESCRIPTORS] = "its descriptors",
    [OS_STEP_USER] = "a user without rights",
    [OS_STEP_FILES] = "a file system of its own",
    [OS_STEP_LIMITS] = "limits",
    [OS_STEP_FILTER] = "a filter of system calls",
    [OS_STEP_EXEC] = "running it",
};

/* ---- in the child ---- */

_Noreturn static void give_up(int report, enum os_step step)
{
    struct os_failure failure = { step, errno };
    ssize_t written = write(report, &failure, sizeof(failure));
    _exit(written == sizeof(failure) ? 127 : 126);
}

/* The numbers may be taken by what they are to be replaced with: all are moved away first.  The
 * pipe for reports becomes the last. */
static bool place_descriptors(struct birth *birth)
{
    bool talk = birth->told >= 0;
    int from[] = { birth->input, talk ? birth->nothing : birth->output, birth->nothing,
                   talk ? birth->told : birth->report, birth->output, birth->report };
    int count = talk ? 6 : 4;
    for (int i = 0; i < count; i++)
        if ((from[i] = fcntl(from[i], F_DUPFD, 16)) < 0)
            return false;
    for (int i = 0; i < count; i++)
        if (dup2(from[i], i) != i)
            return false;
    birth->report = count - 1;
    return fcntl(birth->report, F_SETFD, FD_CLOEXEC) == 0
        && syscall(SYS_close_range, count, ~0u, 0) == 0;
}

/* A parent that ended before its death was of interest left nobody who reads the report. */
static bool is_orphan(int report)
{
    struct pollfd reader = { .fd = report };
    return poll(&reader, 1, 0) > 0;
}

_Noreturn static void be_child(struct birth *birth)
{
    const struct wr_program_conf *conf = birth->conf;
    static const char *const no_env[] = { NULL };
    const char *path = conf->path;
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (conf->jail) {
        enum os_step step = wr_os_jail_enter(&birth->jail, &path);
        if (step != OS_STEP_NONE)
            give_up(birth->report, step);
    }
    if (!place_descriptors(birth))
        give_up(birth->report, OS_STEP_DESCRIPTORS);
    if (is_orphan(birth->report))
        _exit(126);
    if (conf->jail) {
        enum os_step step = wr_os_jail_lock(&birth->jail);
        if (step != OS_STEP_NONE)
            give_up(birth->report, step);
    }
    execve(path, (char *const *)(const void *)conf->args,
           (char *const *)(const void *)(conf->env ? conf->env : no_env));
    give_up(birth->report, OS_STEP_EXEC);
}

/* ---- in the parent ---- */

/* A file in memory that cannot be changed any more, or /dev/null. */
static int open_input(const struct wr_program_conf *conf)
{
    if (!conf->input)
        return open("/dev/null", O_RDONLY | O_CLOEXEC);
    int fd = memfd_create("input", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    const char *at = conf->input;
    for (size_t left = conf->input_size; fd >= 0 && left > 0;) {
        ssize_t n = write(fd, at, left);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            close(fd);
            return -1;
        }
        at += n;
        left -= (size_t)n;
    }
    if (fd >= 0 && (lseek(fd, 0, SEEK_SET) != 0
                    || fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK
                                                  | F_SEAL_SEAL) != 0)) {
        close(fd);
        return -1;
    }
    return fd;
}

static long clone_process(unsigned long flags, int *ret_process)
{
    return syscall(SYS_clone, flags | CLONE_PIDFD | SIGCHLD, 0, ret_process, 0, 0);
}

/* The report ends when exec has closed the pipe, or with what went wrong. */
static wr_err read_report(int fd, const char *path, char *why)
{
    struct os_failure failure;
    ssize_t n;
    do {
        n = read(fd, &failure, sizeof(failure));
    } while (n < 0 && errno == EINTR);
    if (n == 0)
        return WR_OK;
    if (n != sizeof(failure)) {
        snprintf(why, WR_PROGRAM_WHY, "%s ended before it began", path);
        return WR_IO;
    }
    const char *number = strerrordesc_np(failure.number);
    if (failure.step == OS_STEP_EXEC)
        snprintf(why, WR_PROGRAM_WHY, "%s cannot be run: %s", path, number);
    else
        snprintf(why, WR_PROGRAM_WHY, "%s cannot be run in a sandbox: %s cannot be had (%s)",
                 path, steps[failure.step], number);
    wr_err err = wr_err_errno(failure.number);
    return failure.step == OS_STEP_EXEC || err == WR_NOMEM ? err : WR_DENIED;
}

static wr_err give_birth(struct os_program *ret, struct birth *birth, int report, char *why)
{
    const struct wr_program_conf *conf = birth->conf;
    long pid = clone_process(conf->jail ? birth->jail.namespaces : 0, &ret->process);
    if (pid < 0 && conf->jail && errno == EPERM && wr_os_jail_try_user(&birth->jail))
        pid = clone_process(birth->jail.namespaces, &ret->process);
    if (pid == 0)
        be_child(birth);
    ret->id = pid;
    close(birth->report);
    birth->report = -1;
    if (pid < 0) {
        int number = errno;
        snprintf(why, WR_PROGRAM_WHY, conf->jail
                     ? "%s cannot be run: no namespaces for a sandbox (%s); run as root, or "
                       "allow user namespaces (user.max_user_namespaces)"
                     : "%s cannot be run: %s", conf->path, strerrordesc_np(number));
        return number == ENOMEM || number == EAGAIN ? WR_NOMEM : WR_DENIED;
    }
    wr_err err = read_report(report, conf->path, why);
    if (err) {
        siginfo_t info;
        kill((pid_t)pid, SIGKILL);
        while (waitid(P_PIDFD, (id_t)ret->process, &info, WEXITED) != 0 && errno == EINTR)
            ;
        close(ret->process);
    }
    return err;
}

static void close_all(const int *fds, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

/* All that the child gets; what could be had is in place after a failure too. */
static wr_err open_all(struct birth *birth, int output[2], int report[2], int talk[2])
{
    birth->input = open_input(birth->conf);
    if (birth->input < 0 || pipe2(output, O_CLOEXEC) != 0 || pipe2(report, O_CLOEXEC) != 0
        || (birth->conf->talk && pipe2(talk, O_CLOEXEC) != 0)
        || (birth->nothing = open("/dev/null", O_WRONLY | O_CLOEXEC)) < 0)
        return wr_err_errno(errno);
    birth->output = output[1];
    birth->report = report[1];
    birth->told = talk[0];
    report[1] = -1;
    return WR_OK;
}

wr_err wr_os_program_start(struct os_program *ret, const struct wr_program_conf *conf,
                           char *why)
{
    int output[2] = { -1, -1 }, report[2] = { -1, -1 }, talk[2] = { -1, -1 };
    struct birth birth = { .conf = conf, .nothing = -1, .report = -1, .told = -1 };
    if (access(conf->path, X_OK) != 0) {
        wr_err err = wr_err_errno(errno);
        snprintf(why, WR_PROGRAM_WHY, "%s cannot be run: %s", conf->path,
                 strerrordesc_np(errno));
        return err;
    }
    if (conf->jail)
        wr_os_jail_prepare(&birth.jail, conf);
    wr_err err = open_all(&birth, output, report, talk);
    if (!err)
        err = give_birth(ret, &birth, report[0], why);
    ret->output = output[0];
    ret->talk = talk[1];
    close_all((int[]){ birth.input, birth.nothing, birth.report, output[1], report[0],
                       report[1], talk[0], err ? output[0] : -1, err ? talk[1] : -1 }, 9);
    return err;
}

bool wr_os_program_ended(const struct os_program *program, bool *ret_killed, int *ret_code)
{
    siginfo_t info = { 0 };
    int failed = waitid(P_PIDFD, (id_t)program->process, &info, WEXITED | WNOHANG);
    if (failed ? errno != ECHILD : info.si_pid == 0)
        return false;               /* ECHILD: somebody else was told how it ended */
    *ret_killed = failed || info.si_code != CLD_EXITED;
    *ret_code = info.si_status;
    return true;
}

void wr_os_program_signal(const struct os_program *program, int number)
{
    kill((pid_t)program->id, number);
}
