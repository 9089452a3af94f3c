/* drain.c - end a server by SIGTERM while it is under load, and account for every request.
 *
 *     drain PORT PID CONNECTIONS "GET /path"
 *
 * Each connection asks, waits for the answer, asks again; a connection that was closed
 * after its answer is opened anew.  After one second PID gets SIGTERM and the load goes
 * on until PID has ended.  Prints
 *
 *     exit_ms        from SIGTERM to the end of the process
 *     lost           requests sent before SIGTERM that got no whole answer
 *     cut            answers that broke off in the middle
 *     late           requests sent after SIGTERM, into connections that were then closed
 *     done, refused  answers of 2xx, of 503
 *     other          any other answer
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client.h"

#define CROWD 100
#define MS INT64_C(1000000)
#define PAUSE (10 * MS)             /* of a client that was told 503 */
#define PATIENCE (20000 * MS)       /* a server that does not end is not waited for longer */

struct conn {
    int fd;                         /* -1 is closed */
    bool asked;
    bool gone;                      /* nobody listens any more */
    int64_t sent;
    int64_t again;                  /* when to ask next, while it is not asked */
    uint64_t index;
    size_t len;
    char in[CLIENT_IN_MAX];
};

static struct {
    uint64_t port, count;
    char request[512];
    size_t request_len;
    int epoll;
    struct conn *conns;
    int64_t term;                   /* when SIGTERM was sent; 0 before */
    uint64_t lost, cut, late, done, refused, other;
} drain;

static void shut(struct conn *c)
{
    close(c->fd);
    c->fd = -1;
    c->asked = false;
    c->len = 0;
}

/* The connection has ended, whatever was asked on it. */
static void ended(struct conn *c)
{
    if (c->asked && c->len > 0)
        drain.cut++;
    else if (c->asked && (drain.term == 0 || c->sent < drain.term))
        drain.lost++;
    else if (c->asked)
        drain.late++;
    shut(c);
}

static void ask(struct conn *c)
{
    if (c->fd < 0) {
        c->fd = client_connect(drain.port, c->index, CROWD);
        if (c->fd < 0) {
            c->gone = true;
            return;
        }
        struct epoll_event event = { .events = EPOLLIN, .data.ptr = c };
        epoll_ctl(drain.epoll, EPOLL_CTL_ADD, c->fd, &event);
    }
    c->asked = true;
    c->sent = client_now();
    /* a connection that has ended meanwhile is found when it is read */
    (void)!send(c->fd, drain.request, drain.request_len, MSG_NOSIGNAL);
}

static void on_event(struct conn *c)
{
    ssize_t got = recv(c->fd, c->in + c->len, sizeof(c->in) - 1 - c->len, 0);
    if (got < 0 && errno == EAGAIN)
        return;
    if (got <= 0) {
        ended(c);
        return;
    }
    c->len += (size_t)got;
    c->in[c->len] = '\0';
    struct answer answer;
    if (!client_answer(&answer, c->in, c->len))
        return;
    c->asked = false;
    c->len = 0;
    drain.done += answer.status / 100 == 2;
    drain.refused += answer.status == 503;
    drain.other += answer.status / 100 != 2 && answer.status != 503;
    c->again = client_now() + (answer.status == 503 ? PAUSE : 0);
    if (answer.close)
        shut(c);
}

/* Ask where it is time to; false when there is nobody left who would. */
static bool round_of_requests(void)
{
    bool anyone = false;
    int64_t now = client_now();
    for (uint64_t i = 0; i < drain.count; i++) {
        struct conn *c = &drain.conns[i];
        if (!c->gone && !c->asked && c->again <= now)
            ask(c);
        anyone = anyone || !c->gone;
    }
    return anyone;
}

static void events_of(int64_t until)
{
    struct epoll_event events[256];
    int64_t left = (until - client_now()) / MS;
    int count = epoll_wait(drain.epoll, events, 256, left <= 0 ? 0 : 1);
    for (int i = 0; i < count; i++)
        on_event(events[i].data.ptr);
}

static double until_exit(int pidfd)
{
    int64_t exited = 0, give_up = drain.term + PATIENCE;
    bool anyone = true;
    while ((!exited || anyone) && client_now() < give_up) {
        anyone = round_of_requests();
        events_of(give_up);
        struct pollfd process = { .fd = pidfd, .events = POLLIN };
        if (!exited && poll(&process, 1, anyone ? 0 : 1) == 1)
            exited = client_now();
    }
    if (!exited) {
        errno = ETIMEDOUT;
        client_die("the server does not end");
    }
    return (double)(exited - drain.term) / 1e6;
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    drain.port = client_number(argv[1]);
    int pidfd = pidfd_open((pid_t)client_number(argv[2]), 0);
    drain.count = client_number(argv[3]);
    drain.request_len = (size_t)snprintf(drain.request, sizeof(drain.request),
                                         "%s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n\r\n",
                                         argv[4], (unsigned)drain.port);
    drain.conns = calloc(drain.count, sizeof(*drain.conns));
    drain.epoll = epoll_create1(EPOLL_CLOEXEC);
    if (pidfd < 0 || !drain.conns || drain.request_len >= sizeof(drain.request))
        client_die("the process, the connections or the request");
    client_files(drain.count);
    for (uint64_t i = 0; i < drain.count; i++)
        drain.conns[i] = (struct conn){ .fd = -1, .index = i };

    int64_t end = client_now() + 1000 * MS;
    while (client_now() < end) {
        round_of_requests();
        events_of(end);
    }
    drain.term = client_now();
    if (pidfd_send_signal(pidfd, SIGTERM, NULL, 0))
        client_die("SIGTERM");
    double exit_ms = until_exit(pidfd);
    printf("exit_ms %.1f\nlost %llu\ncut %llu\nlate %llu\ndone %llu\nrefused %llu\n"
           "other %llu\n",
           exit_ms, (unsigned long long)drain.lost, (unsigned long long)drain.cut,
           (unsigned long long)drain.late, (unsigned long long)drain.done,
           (unsigned long long)drain.refused, (unsigned long long)drain.other);
    return 0;
}
