#include "client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

_Noreturn void client_die(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, errno ? strerror(errno) : "it cannot be");
    exit(1);
}

uint64_t client_number(const char *text)
{
    char *end;
    errno = 0;
    uint64_t value = strtoull(text, &end, 10);
    if (errno || end == text || *end != '\0')
        client_die(text);
    return value;
}

int64_t client_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void client_files(uint64_t count)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur >= count + 64)
        return;
    limit.rlim_cur = count + 64;
    if (limit.rlim_max < limit.rlim_cur)
        limit.rlim_max = limit.rlim_cur;
    if (setrlimit(RLIMIT_NOFILE, &limit))
        client_die("as many open files as there are connections");
}

void client_bind(int fd, uint32_t source)
{
    /* 127.0.1.0 and up: not the addresses that other programs use */
    struct sockaddr_in from = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK + 255 + source),
    };
    /* the port is chosen when it connects, so that a port can serve several peers */
    setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &(int){ 1 }, sizeof(int));
    if (bind(fd, (struct sockaddr *)&from, sizeof(from)))
        client_die("bind to an address of 127.0.0.0/8");
}

int client_connect(uint64_t port, uint64_t index, uint64_t crowd)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        client_die("socket");
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    client_bind(fd, (uint32_t)(index / crowd) % CLIENT_SOURCES);
    if (connect(fd, (struct sockaddr *)&to, sizeof(to))) {
        close(fd);
        return -1;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
    fcntl(fd, F_SETFL, O_NONBLOCK);
    return fd;
}

bool client_answer(struct answer *ret, const char *in, size_t len)
{
    const char *end = memmem(in, len, "\r\n\r\n", 4);
    if (!end)
        return false;
    size_t head = (size_t)(end - in) + 4;
    char *length = strcasestr(in, "\r\ncontent-length:");
    char *close = strcasestr(in, "\r\nconnection: close");
    size_t body = length && length < end ? strtoul(length + 17, NULL, 10) : 0;
    *ret = (struct answer){ .status = (unsigned)strtoul(in + 9, NULL, 10),
                            .close = close && close < end, .len = head + body };
    return len >= ret->len;
}

void samples_add(struct samples *set, int64_t ns)
{
    if (set->count == set->cap) {
        set->cap = set->cap ? 2 * set->cap : 4096;
        set->at = realloc(set->at, set->cap * sizeof(*set->at));
        if (!set->at)
            client_die("memory for the samples");
    }
    set->at[set->count++] = ns;
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

void samples_print(const char *name, struct samples *set)
{
    printf("%s_count %zu\n", name, set->count);
    if (set->count == 0)
        return;
    qsort(set->at, set->count, sizeof(*set->at), compare);
    printf("%s_p50_us %.1f\n", name, (double)set->at[set->count / 2] / 1e3);
    printf("%s_p99_us %.1f\n", name, (double)set->at[set->count * 99 / 100] / 1e3);
    printf("%s_max_us %.1f\n", name, (double)set->at[set->count - 1] / 1e3);
}
