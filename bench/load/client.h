/* client.h - what the load programs share: connections, answers, samples.
 *
 * The load programs are clients of any HTTP/1.1 server, ours and the peers', and
 * print lines "metric value".  They come from many addresses of 127.0.0.0/8, so
 * that a server's limits per address stay on while it is measured.
 *
 * Whatever keeps a program from measuring ends it with a sentence and status 1.
 */
#ifndef BENCH_CLIENT_H
#define BENCH_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLIENT_IN_MAX 4096

_Noreturn void client_die(const char *what);

/* An argument as a number, or the end. */
uint64_t client_number(const char *text);

/* Nanoseconds that only go forward. */
int64_t client_now(void);

/* So many descriptors will be open. */
void client_files(uint64_t count);

/* Bind a socket to one of CLIENT_SOURCES addresses, and to no port yet. */
#define CLIENT_SOURCES 4096
void client_bind(int fd, uint32_t source);

/* Connect to 127.0.0.1:port, as the index-th of connections of which each source
 * address has `crowd`.  Non-blocking, no delay; -1 when nobody listens. */
int client_connect(uint64_t port, uint64_t index, uint64_t crowd);

struct answer {
    unsigned status;
    bool close;                 /* the server will close the connection after it */
    size_t len;                 /* of the whole answer */
};

/* Whether a whole answer begins `in`, which has a zero behind its end.  Chunked bodies
 * are no answers here: no server of the suite sends them. */
bool client_answer(struct answer *ret, const char *in, size_t len);

/* Samples of one kind; zero is an empty set. */
struct samples {
    int64_t *at;
    size_t count, cap;
};

void samples_add(struct samples *set, int64_t ns);

/* Print NAME_count, and NAME_p50_us, _p99_us and _max_us when there are any; it sorts. */
void samples_print(const char *name, struct samples *set);

#endif
