/* trip.c - how long a question and its answer take, and bare ones of the same size beside.
 *
 *     trip PORT COUNT < QUESTION                 over HTTP, on a connection that stays
 *     trip - COUNT PROGRAM [ARG...] < QUESTION   over the pipes of a program that is started
 *
 * In turns with each goes a bare one: to a process that reads
 * as many bytes and writes as many as the answer has, over a socket or pipes of its own.
 * Prints call_p50_us, bare_p50_us and over_p50_us, and the 99th percentiles.
 */
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client.h"

#define ANSWER_MAX ((size_t)1 << 20)
#define WARM 1000

/* What is written to and read from. */
struct ends { int in, out; };

static char answer[ANSWER_MAX + 1];

static void write_all(int fd, const char *bytes, size_t len)
{
    while (len) {
        ssize_t n = write(fd, bytes, len);
        if (n <= 0)
            client_die("it cannot be written to");
        bytes += n;
        len -= (size_t)n;
    }
}

/* How much of the answer is there is enough? */
static size_t whole(size_t len, int pipes)
{
    answer[len] = '\0';
    if (pipes)
        return len && answer[len - 1] == '\n' ? len : 0;
    const char *body = strstr(answer, "\r\n\r\n");
    const char *said = strcasestr(answer, "content-length:");
    if (!body || !said)
        return 0;
    size_t want = (size_t)(body + 4 - answer) + strtoul(said + 15, NULL, 10);
    return len >= want ? want : 0;
}

static size_t ask(const struct ends *ends, const char *question, size_t len, int pipes)
{
    size_t have = 0, done = 0;
    write_all(ends->out, question, len);
    while (!done) {
        ssize_t n = read(ends->in, answer + have, ANSWER_MAX - have);
        if (n <= 0)
            client_die("it does not answer");
        have += (size_t)n;
        done = whole(have, pipes);
    }
    return done;
}

static void echo(const struct ends *ends, size_t question, size_t len)
{
    static char room[ANSWER_MAX];
    for (size_t have = 0;;) {
        ssize_t n = read(ends->in, room, sizeof(room));
        if (n <= 0)
            _exit(0);
        for (have += (size_t)n; have >= question; have -= question)
            write_all(ends->out, room, len);
    }
}

static void bare_ask(const struct ends *ends, const char *question, size_t len, size_t want)
{
    static char room[ANSWER_MAX];
    write_all(ends->out, question, len);
    for (size_t have = 0; have < want;) {
        ssize_t n = read(ends->in, room, sizeof(room));
        if (n <= 0)
            client_die("the bare one does not answer");
        have += (size_t)n;
    }
}

/* A connection whose calls wait. */
static int connect_to(uint64_t port)
{
    int fd = client_connect(port, 0, 1);
    if (fd < 0 || fcntl(fd, F_SETFL, 0))
        client_die("nobody listens");
    return fd;
}

static int listen_somewhere(uint64_t *port)
{
    struct sockaddr_in addr = { .sin_family = AF_INET,
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof(addr);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&addr, size) || listen(fd, 1)
        || getsockname(fd, (struct sockaddr *)&addr, &size))
        client_die("it cannot listen");
    *port = ntohs(addr.sin_port);
    return fd;
}

/* Two ends, joined by pipes or a socket to those of a child. */
static struct ends join(struct ends *child, int pipes)
{
    int to[2], from[2];
    if (!pipes) {
        uint64_t port;
        int listener = listen_somewhere(&port), near = connect_to(port);
        int far = accept(listener, NULL, NULL), on = 1;
        setsockopt(far, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        close(listener);
        *child = (struct ends){ far, far };
        return (struct ends){ near, near };
    }
    if (pipe(to) || pipe(from))
        client_die("there are no pipes");
    *child = (struct ends){ to[0], from[1] };
    return (struct ends){ from[0], to[1] };
}

static struct ends start_bare(size_t question, size_t len, int pipes)
{
    struct ends child, ours = join(&child, pipes);
    if (fork() == 0) {
        close(ours.in);
        close(ours.out);
        echo(&child, question, len);
    }
    return ours;
}

static struct ends start_program(char **words)
{
    struct ends child, ours = join(&child, 1);
    if (fork() == 0) {
        dup2(child.in, STDIN_FILENO);
        dup2(child.out, STDOUT_FILENO);
        close(ours.in);
        close(ours.out);
        execv(words[0], words);
        _exit(127);
    }
    close(child.in);
    close(child.out);
    return ours;
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    static char question[4096];
    if (argc < 3)
        client_die("trip PORT|- COUNT [PROGRAM...] < QUESTION");
    int pipes = strcmp(argv[1], "-") == 0;
    size_t count = client_number(argv[2]), len = fread(question, 1, sizeof(question), stdin);
    int fd = pipes ? -1 : connect_to(client_number(argv[1]));
    struct ends server = pipes ? start_program(argv + 3) : (struct ends){ fd, fd };
    size_t size = ask(&server, question, len, pipes);
    struct ends bare = start_bare(len, size, pipes);
    int64_t *calls = calloc(count, sizeof(*calls)), *bares = calloc(count, sizeof(*bares));
    if (!calls || !bares || !count)
        client_die("there is no memory");
    for (size_t i = 0; i < count + WARM; i++) {
        int64_t begin = client_now();
        ask(&server, question, len, pipes);
        int64_t between = client_now();
        bare_ask(&bare, question, len, size);
        calls[i % count] = between - begin;
        bares[i % count] = client_now() - between;
    }
    qsort(calls, count, sizeof(*calls), compare);
    qsort(bares, count, sizeof(*bares), compare);
    double call = (double)calls[count / 2] / 1e3, least = (double)bares[count / 2] / 1e3;
    printf("call_p50_us %.2f\nbare_p50_us %.2f\nover_p50_us %.2f\n"
           "call_p99_us %.2f\nbare_p99_us %.2f\n", call, least, call - least,
           (double)calls[count * 99 / 100] / 1e3, (double)bares[count * 99 / 100] / 1e3);
    return 0;
}
