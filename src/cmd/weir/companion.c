/* companion.c - see companion.h. */
#include "cmd/weir/companion.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd/weir/local.h"

#define START_MS 20000
#define STEP_MS 10
#define SAID_MAX 600            /* of what it has logged, when it does not start */

struct companion {
    pid_t pid;
    int log;                    /* in memory */
};

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

/* In the child; nothing but calls that are safe there. */
static _Noreturn void become(char **argv, int log, pid_t parent)
{
    int nothing = open("/dev/null", O_RDWR);
    bool good = nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0
        && dup2(nothing, STDOUT_FILENO) >= 0 && dup2(log, STDERR_FILENO) >= 0
        && prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && getppid() == parent;
    setpgid(0, 0);              /* what interrupts the command at a terminal is its affair */
    if (good)
        execv("/proc/self/exe", argv);
    _exit(127);
}

/* The last lines that it has logged, or how it ended. */
static void say_why(const struct companion *companion, int status, char *why, size_t size)
{
    char said[SAID_MAX + 1];
    off_t end = lseek(companion->log, 0, SEEK_END);
    off_t from = end > SAID_MAX ? end - SAID_MAX : 0;
    ssize_t len = pread(companion->log, said, SAID_MAX, from);
    while (len > 0 && said[len - 1] == '\n')
        len--;
    said[len > 0 ? len : 0] = '\0';
    snprintf(why, size, "no node runs on this data directory, and one could not be started: "
             "%s%d; it has said: %s", WIFSIGNALED(status) ? "it was ended by signal "
                                                          : "it ended with status ",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
             len > 0 ? said : "nothing");
}

static bool await_up(struct companion *companion, const struct wr_conf *conf, char *why,
                     size_t size)
{
    for (int waited = 0; waited < START_MS; waited += STEP_MS) {
        struct local_answer answer;
        int status;
        bool up = local_ask(&answer, conf, "GET", "/readyz", "", 5) && answer.status == 200;
        local_free(&answer);
        if (up)
            return true;
        if (waitpid(companion->pid, &status, WNOHANG) == companion->pid) {
            companion->pid = 0;
            say_why(companion, status, why, size);
            return false;
        }
        pause_ms(STEP_MS);
    }
    snprintf(why, size, "no node runs on this data directory, and the one that was started is "
             "not ready after %d s; `weir run` shows what it does", START_MS / 1000);
    return false;
}

bool companion_start(struct companion **ret, const struct flags *flags,
                     const struct wr_conf *conf, bool works, char *why, size_t size)
{
    static char name[] = "weir", run[] = "run", addr[] = "--http-addr=127.0.0.1:0";
    static char idle[] = "--queue-work=false", alone[] = "--index-dhtnode=off";
    char *argv[FLAGS_MAX + 6] = { name, run, addr };
    for (int i = 1; i < flags->count; i++)
        argv[i + 2] = flags->at[i];
    argv[flags->count + 2] = works ? NULL : idle;
    argv[flags->count + 3] = works ? NULL : alone;
    struct companion *companion = calloc(1, sizeof(*companion));
    if (!companion) {
        snprintf(why, size, "there is no memory to start a node");
        return false;
    }
    companion->log = memfd_create("weir-companion", MFD_CLOEXEC);
    pid_t parent = getpid();
    companion->pid = companion->log >= 0 ? fork() : -1;
    if (companion->pid == 0)
        become(argv, companion->log, parent);
    if (companion->pid < 0) {
        snprintf(why, size, "no node runs on this data directory, and one cannot be started: "
                 "%s", strerror(errno));
        companion->pid = 0;
    } else if (await_up(companion, conf, why, size)) {
        *ret = companion;
        return true;
    }
    companion_stop(companion);
    return false;
}

bool companion_lives(struct companion *companion)
{
    if (companion->pid > 0 && waitpid(companion->pid, NULL, WNOHANG) == companion->pid)
        companion->pid = 0;
    return companion->pid > 0;
}

void companion_stop(struct companion *companion)
{
    if (!companion)
        return;
    if (companion->pid > 0) {
        kill(companion->pid, SIGTERM);
        while (waitpid(companion->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    if (companion->log >= 0)
        close(companion->log);
    free(companion);
}
