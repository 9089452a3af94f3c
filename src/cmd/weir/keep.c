/* keep.c - see keep.h.  One thread, no runtime, and next to no memory: what could fail
 * here would take everything down. */
#include "cmd/weir/keep.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/rand.h"
#include "base/text.h"
#include "cmd/weir/weir.h"
#include "rt/os.h"

#define CRASHES_MAX 16
#define NEWS_MAX 4096
#define EXIT_UNEXECUTED 127
#define EXIT_BY_SIGNAL 128
#define EXIT_REFUSED 2          /* its configuration, or its place */

static struct {
    const struct keep_conf *conf;
    char **argv;
    pid_t pid, child;           /* ours; and 0 while there is none */
    int signals, relay;         /* descriptors; the relay is -1 when nobody is told */
    sigset_t mask;              /* as it was given to us, and as the child gets it */
    char notify[sizeof(((struct sockaddr_un *)0)->sun_path)];  /* where the manager hears */
    char relay_name[32];        /* and where the child tells */
    bool sockets, watched;      /* the manager handed us sockets, a watchdog */
    bool leaving;               /* the program has said that it stops */
    unsigned stops;             /* times we were told to stop */
    wr_time start_at, kill_at;
    wr_time crashes[CRASHES_MAX];
    unsigned crash_count;
    struct wr_rand rand;
    int status;                 /* to end with; -1: not yet */
} keeper;

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void say(const char *format, ...)
{
    char line[300];
    struct wr_text text = WR_TEXT(line);
    va_list args;
    va_start(args, format);
    wr_text_str(&text, "weir: keep: ");
    wr_text_vformat(&text, format, args);
    va_end(args);
    if (text.len > 0 && write(STDERR_FILENO, text.at, text.len) < 0)
        return;                 /* nobody listens, and there is nobody else to tell */
}

/* ---- the service manager ---- */

static bool is_ours(const char *variable)
{
    char text[24];
    const char *value = getenv(variable);
    snprintf(text, sizeof(text), "%ld", (long)keeper.pid);
    return value && strcmp(value, text) == 0;
}

/* Our own place to be told at: an abstract name that the system chooses. */
static bool open_relay(void)
{
    struct sockaddr_un addr = { .sun_family = AF_UNIX };
    socklen_t len = sizeof(sa_family_t);
    int on = 1;
    keeper.relay = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (keeper.relay < 0 || bind(keeper.relay, (struct sockaddr *)&addr, len) != 0
        || setsockopt(keeper.relay, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) != 0)
        return false;
    len = sizeof(addr);
    if (getsockname(keeper.relay, (struct sockaddr *)&addr, &len) != 0)
        return false;
    size_t size = len - offsetof(struct sockaddr_un, sun_path);
    if (size < 2 || size >= sizeof(keeper.relay_name))
        return false;
    memcpy(keeper.relay_name, addr.sun_path, size);
    keeper.relay_name[0] = '@';
    return true;
}

static bool open_manager(void)
{
    const char *notify = getenv("NOTIFY_SOCKET");
    bool told = notify && strlen(notify) < sizeof(keeper.notify);
    keeper.relay = -1;
    keeper.sockets = is_ours("LISTEN_PID");
    keeper.watched = is_ours("WATCHDOG_PID");
    if (notify && !told)
        return true;            /* the program refuses what is wrong with it */
    if (told)
        memcpy(keeper.notify, notify, strlen(notify) + 1);
    return open_relay() || !told;
}

static void tell(const char *text, size_t len)
{
    if (keeper.notify[0] && wr_os_tell(keeper.notify, text, len))
        return;                 /* a manager that does not hear is no reason to end */
}

/* That it crashed is a sign of life of ours: the watchdog's time begins anew. */
static void tell_status(const char *status)
{
    char buf[200];
    struct wr_text text = WR_TEXT(buf);
    wr_text_format(&text, "WATCHDOG=1\nSTATUS=%s\n", status);
    tell(text.at, text.len);
}

/* Which process is the main one is not the child's to say: we are.  That it stops because
 * somebody wants it to is for us too. */
static void pass_news(char *news)
{
    char buf[NEWS_MAX + 32];
    struct wr_text text = WR_TEXT(buf);
    for (char *line = news, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        end += *end == '\n';
        keeper.leaving |= strncmp(line, "STOPPING=1", strlen("STOPPING=1")) == 0;
        if (strncmp(line, "MAINPID=", strlen("MAINPID=")) == 0)
            wr_text_format(&text, "MAINPID=%ld\n", (long)keeper.pid);
        else
            wr_text_bytes(&text, line, (size_t)(end - line));
    }
    tell(text.at, text.len);
}

/* Anybody can send to an abstract name; the system says who did. */
static bool from_child(struct msghdr *message)
{
    struct cmsghdr *header = CMSG_FIRSTHDR(message);
    struct ucred sender;
    if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_CREDENTIALS)
        return false;
    memcpy(&sender, CMSG_DATA(header), sizeof(sender));
    return keeper.child > 0 && sender.pid == keeper.child;
}

static void take_news(void)
{
    char news[NEWS_MAX + 1];
    union { struct cmsghdr align; char room[CMSG_SPACE(sizeof(struct ucred))]; } control;
    for (;;) {
        struct iovec part = { news, NEWS_MAX };
        struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
                                  .msg_controllen = sizeof(control) };
        ssize_t len = recvmsg(keeper.relay, &message, MSG_CMSG_CLOEXEC);
        if (len < 0)
            return;
        news[len] = '\0';
        if (from_child(&message) && !(message.msg_flags & MSG_TRUNC))
            pass_news(news);
    }
}

/* ---- starting ---- */

static void set_number(const char *variable, long number)
{
    char text[24];
    snprintf(text, sizeof(text), "%ld", number);
    setenv(variable, text, 1);
}

/* In the child: what was meant for us is meant for it.  In a process group of its own,
 * since a terminal's Ctrl-C goes to a whole group: sent on as well, it would be two. */
static void become_program(void)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != keeper.pid)
        _exit(EXIT_UNEXECUTED);         /* we are gone already */
    if (keeper.sockets)
        set_number("LISTEN_PID", getpid());
    if (keeper.watched)
        set_number("WATCHDOG_PID", getpid());
    if (keeper.relay >= 0)
        setenv("NOTIFY_SOCKET", keeper.relay_name, 1);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &keeper.mask, NULL);
    execv("/proc/self/exe", keeper.argv);
    say("cannot run the program again: %s\n", strerror(errno));
    _exit(EXIT_UNEXECUTED);
}

static void crashed(const char *how);

static void start(void)
{
    keeper.start_at = WR_NEVER;
    keeper.leaving = false;
    pid_t child = fork();
    if (child == 0)
        become_program();
    if (child > 0)
        keeper.child = child;
    else
        crashed("cannot be started: there are too many processes, or no memory");
}

/* ---- the end of the program ---- */

/* How many crashes are in the period that ends now, this one among them. */
static unsigned count_crash(wr_time now)
{
    unsigned recent = 0, kept = keeper.conf->crashes_max + 1;
    keeper.crashes[keeper.crash_count++ % kept] = now;
    for (unsigned i = 0; i < kept && i < keeper.crash_count; i++)
        recent += now - keeper.crashes[i] < keeper.conf->crashes_within;
    return recent;
}

static wr_time backoff(unsigned crash)
{
    const struct keep_conf *conf = keeper.conf;
    wr_time min = conf->backoff_min, max = conf->backoff_max;
    for (unsigned i = 1; i < crash; i++) {
        min = min * 2 < conf->backoff_cap / 2 ? min * 2 : conf->backoff_cap / 2;
        max = max * 2 < conf->backoff_cap ? max * 2 : conf->backoff_cap;
    }
    return wr_rand_span(&keeper.rand, min, max);
}

static void crashed(const char *how)
{
    wr_time now = wr_now();
    unsigned crash = count_crash(now), most = keeper.conf->crashes_max;
    long within = (long)(keeper.conf->crashes_within / WR_S(1));
    if (crash > most) {
        say("the program %s; that is more than %u crashes in %ld s: giving up.  What was said "
            "above tells where; to try again, start it again\n", how, most, within);
        tell_status("crashed too often, given up");
        keeper.status = KEEP_GAVE_UP;
        return;
    }
    wr_time pause = backoff(crash);
    keeper.start_at = now + pause;
    say("the program %s; starting it again in %ld ms (crash %u, at most %u in %ld s)\n", how,
        (long)(pause / WR_MS(1)), crash, most, within);
    tell_status("crashed, starting again");
}

static void describe(char *buf, size_t size, pid_t pid, int state)
{
    if (WIFEXITED(state)) {
        snprintf(buf, size, "(process %ld) ended with status %d", (long)pid,
                 WEXITSTATUS(state));
        return;
    }
    int number = WTERMSIG(state);
    const char *name = sigabbrev_np(number);
    snprintf(buf, size, "(process %ld) was killed by signal %d (SIG%s, %s)%s", (long)pid,
             number, name ? name : "?", strsignal(number),
             WCOREDUMP(state) ? ", core dumped" : "");
}

/* Not when it is done, or will not run as it is set up; nor when it did not end well after
 * somebody had stopped it. */
static bool is_crash(int state)
{
    int status = WIFEXITED(state) ? WEXITSTATUS(state) : EXIT_FAILURE;
    if (keeper.stops > 0 || (keeper.leaving && status == EXIT_FAILURE))
        return false;
    return status != EXIT_SUCCESS && status != EXIT_REFUSED;
}

static void ended(pid_t pid, int state)
{
    char how[160];
    keeper.child = 0;
    keeper.kill_at = WR_NEVER;
    describe(how, sizeof(how), pid, state);
    if (is_crash(state)) {
        crashed(how);
        return;
    }
    if (!WIFEXITED(state) || WEXITSTATUS(state) > EXIT_REFUSED)
        say("the program %s while it was to stop\n", how);
    keeper.status = WIFEXITED(state) ? WEXITSTATUS(state) : EXIT_BY_SIGNAL + WTERMSIG(state);
}

/* All of them: as the first process of a container we have children that we never
 * started. */
static void reap(void)
{
    int state;
    pid_t pid;
    while ((pid = waitpid(-1, &state, WNOHANG)) > 0)
        if (pid == keeper.child) {
            if (keeper.relay >= 0)
                take_news();            /* its last ones */
            ended(pid, state);
        }
}

/* ---- signals ---- */

static void stop(void)
{
    const struct keep_conf *conf = keeper.conf;
    wr_time at = wr_now() + (keeper.stops++ == 0 ? conf->stop_within : conf->abort_within);
    if (at < keeper.kill_at)
        keeper.kill_at = at;
    keeper.start_at = WR_NEVER;
    if (keeper.child == 0)
        keeper.status = 0;              /* it is down already */
}

static void take_signals(void)
{
    struct signalfd_siginfo info;
    while (keeper.status < 0 && read(keeper.signals, &info, sizeof(info)) == sizeof(info)) {
        if (info.ssi_signo == SIGCHLD) {
            reap();
            continue;
        }
        if (keeper.child > 0)
            kill(keeper.child, (int)info.ssi_signo);
        if (info.ssi_signo != SIGHUP)
            stop();
    }
}

static bool open_signals(void)
{
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGTERM);
    sigaddset(&wanted, SIGINT);
    sigaddset(&wanted, SIGHUP);
    sigaddset(&wanted, SIGCHLD);
    signal(SIGPIPE, SIG_IGN);
    sigprocmask(SIG_BLOCK, &wanted, &keeper.mask);
    keeper.signals = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
    return keeper.signals >= 0;
}

/* ---- the loop ---- */

static void act_in_time(void)
{
    wr_time now = wr_now();
    if (keeper.start_at <= now)
        start();
    if (keeper.kill_at <= now && keeper.child > 0) {
        say("the program (process %ld) did not stop in time: killed\n", (long)keeper.child);
        kill(keeper.child, SIGKILL);
        keeper.kill_at = WR_NEVER;
    }
}

/* Rounded up, so that it is not woken too early again and again. */
static int until_next(void)
{
    wr_time next = keeper.start_at < keeper.kill_at ? keeper.start_at : keeper.kill_at;
    wr_time now = wr_now();
    if (next == WR_NEVER)
        return -1;
    return next <= now ? 0 : (int)((next - now + WR_MS(1) - 1) / WR_MS(1));
}

int keep(const struct keep_conf *conf, char **argv)
{
    WR_ASSERT(conf->crashes_max < CRASHES_MAX);
    memset(&keeper, 0, sizeof(keeper));
    keeper.conf = conf;
    keeper.argv = argv;
    keeper.pid = getpid();
    keeper.kill_at = WR_NEVER;
    keeper.status = -1;
    wr_rand_seed_from_world(&keeper.rand);
    if (!open_signals() || !open_manager()) {
        say("cannot begin: %s\n", strerror(errno));
        return 1;
    }
    keeper.start_at = wr_now();
    while (keeper.status < 0) {
        act_in_time();
        struct pollfd fds[] = { { .fd = keeper.relay, .events = POLLIN },
                                { .fd = keeper.signals, .events = POLLIN } };
        if (keeper.status >= 0 || poll(fds, 2, until_next()) <= 0)
            continue;
        if (fds[0].revents)
            take_news();
        take_signals();
    }
    return keeper.status;
}

void keep_name(const char *argv0)
{
    const char *slash = strrchr(argv0, '/');
    prctl(PR_SET_NAME, slash ? slash + 1 : argv0);
}

int weir_keep(int argc, char **argv)
{
    static const struct keep_conf conf = {
        .backoff_min = WR_MS(100), .backoff_max = WR_MS(500), .backoff_cap = WR_S(5),
        .crashes_max = 5, .crashes_within = WR_S(60),
        .stop_within = WR_S(10), .abort_within = WR_S(1),
    };
    (void)argc;
    argv[0] = "weir";
    return keep(&conf, argv);
}
