/* hold.c - connections that are opened and then do nothing.
 *
 *     hold [-a] PORT COUNT HEX
 *
 * Each of COUNT connections sends the bytes HEX, once.  With -a each then waits for
 * an answer, so that what is held are keep-alive connections between two requests.
 * Prints "held COUNT" when all are there; when its input ends, or when the server
 * has closed them all, closed_count and the times from the bytes to the close.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client.h"

#define CROWD 100
#define BYTES_MAX 1024

struct conn {
    int fd;
    int64_t since;
};

static size_t unhex(char *ret, const char *text)
{
    size_t len = strlen(text) / 2;
    if (len > BYTES_MAX)
        client_die("more bytes than there is room for");
    for (size_t i = 0; i < len; i++) {
        unsigned byte;
        if (sscanf(text + 2 * i, "%2x", &byte) != 1)
            client_die("the bytes are to be hexadecimal");
        ret[i] = (char)byte;
    }
    return len;
}

/* Wait for one answer, which is short. */
static void await_answer(int fd)
{
    char in[CLIENT_IN_MAX];
    size_t len = 0;
    struct answer answer;
    do {
        if (poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, 5000) != 1)
            client_die("no answer within 5 s");
        ssize_t got = recv(fd, in + len, sizeof(in) - 1 - len, 0);
        if (got <= 0)
            client_die("the connection ended before the answer");
        len += (size_t)got;
        in[len] = '\0';
    } while (!client_answer(&answer, in, len));
    if (answer.status != 200)
        client_die("the answer is not 200");
}

/* Until our input ends or nobody is left. */
static void watch(int epoll, uint64_t left, struct samples *closed)
{
    struct epoll_event events[256];
    while (left > 0) {
        int count = epoll_wait(epoll, events, 256, -1);
        for (int i = 0; i < count; i++) {
            struct conn *c = events[i].data.ptr;
            if (!c)
                return;
            char in[CLIENT_IN_MAX];
            ssize_t got = recv(c->fd, in, sizeof(in), 0);
            if (got > 0 || (got < 0 && errno == EAGAIN))
                continue;
            samples_add(closed, client_now() - c->since);
            close(c->fd);
            left--;
        }
    }
}

int main(int argc, char **argv)
{
    bool answers = argc > 1 && strcmp(argv[1], "-a") == 0;
    if (argc != 4 + answers)
        return 2;
    argv += answers;
    uint64_t port = client_number(argv[1]), count = client_number(argv[2]);
    char bytes[BYTES_MAX];
    size_t len = unhex(bytes, argv[3]);
    client_files(count);
    struct conn *conns = calloc(count, sizeof(*conns));
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    if (!conns || epoll < 0)
        client_die("the connections");
    struct epoll_event input = { .events = EPOLLIN, .data.ptr = NULL };
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, STDIN_FILENO, &input))
        client_die("an input that can be waited for");
    for (uint64_t i = 0; i < count; i++) {
        struct conn *c = &conns[i];
        c->fd = client_connect(port, i, CROWD);
        if (c->fd < 0)
            client_die("connect");
        c->since = client_now();
        if (send(c->fd, bytes, len, MSG_NOSIGNAL) != (ssize_t)len)
            client_die("send");
        if (answers)
            await_answer(c->fd);
        struct epoll_event event = { .events = EPOLLIN, .data.ptr = c };
        epoll_ctl(epoll, EPOLL_CTL_ADD, c->fd, &event);
    }
    printf("held %llu\n", (unsigned long long)count);
    fflush(stdout);

    struct samples closed = {};
    watch(epoll, count, &closed);
    samples_print("closed", &closed);
    return 0;
}
