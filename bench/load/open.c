/* open.c - requests that leave at a fixed rate, whatever the answers do.
 *
 *     open [-w] [-d MS] [-s CROWD] [-f FIRST] [-n FROM:COUNT] PORT RATE SECONDS CONNECTIONS
 *          TARGET...
 *
 * A target is "GET /path" or "POST /path".  With -n a run of `#` in it stands for a number of
 * as many digits: all of FROM to FROM + COUNT - 1, each once before any comes again, scattered.
 *
 * Each request goes out on an idle keep-alive connection; the targets take turns.
 * Its time runs from the instant it was due, so a server that stalls the client is
 * not spared.  A connection that the server ends is opened again a little later.  The
 * first second is not counted.  Prints for each method and status METHOD_STATUS_count,
 * _p50_us, _p99_us, _max_us; then `broken`, requests whose connection ended without an
 * answer, and `starved`, instants at which a request was due and no connection was idle.
 *
 * -d: not times, but their distance from so many milliseconds.
 * -s: connections that come from the same address (100).
 * -f: which address is the first (0), for several loads that are not to share one.
 * -w: wait for events instead of asking for them all the time; for loads that share
 *     their core with the server.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "client.h"

#define TARGETS_MAX 8
#define SERIES_MAX 64
#define S INT64_C(1000000000)
#define OPEN_EVERY (S / 100)
#define STRIDE UINT64_C(7368787)    /* a prime above any COUNT: so it reaches every number */

struct target {
    char method[8];
    char request[512];
    size_t len;
    char *number;                   /* its digits in the request; NULL: it has none */
    size_t digits;
};

struct conn {
    int fd;
    uint64_t index;
    const struct target *asked;     /* NULL while it is idle */
    int64_t due;
    size_t len;
    char in[CLIENT_IN_MAX];
};

struct series {
    const char *method;
    unsigned status;
    struct samples samples;
};

static struct {
    uint64_t port, rate, crowd, first, connections;
    uint64_t from, numbers;         /* of targets that have one */
    int64_t distance;               /* from which times are measured; -1 is none */
    bool waits;
    struct target targets[TARGETS_MAX];
    size_t target_count;
    struct conn *conns, **idle;     /* a ring: each connection gets its turn */
    size_t idle_first, idle_count;
    struct conn **shut;             /* by the server; opened again one after the other */
    size_t shut_count;
    int64_t next_open;
    struct series series[SERIES_MAX];
    size_t series_count;
    uint64_t sent, broken, starved;
    int64_t start, measure, end;
    int epoll;
} load = { .crowd = 100, .distance = -1 };

static void add_target(const char *text)
{
    if (load.target_count == TARGETS_MAX)
        client_die("more targets than there is room for");
    struct target *t = &load.targets[load.target_count++];
    const char *space = strchr(text, ' ');
    if (!space || (size_t)(space - text) >= sizeof(t->method))
        client_die("a target is a method, a space and a path");
    for (const char *from = text; from < space; from++)
        t->method[from - text] = (char)(*from | 0x20);
    bool body = strncmp(text, "POST", 4) == 0;
    t->len = (size_t)snprintf(t->request, sizeof(t->request),
                              "%s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n%s\r\n", text,
                              (unsigned)load.port, body ? "Content-Length: 0\r\n" : "");
    if (t->len >= sizeof(t->request))
        client_die("a target is too long");
    t->number = load.numbers ? strchr(t->request, '#') : NULL;
    t->digits = t->number ? strspn(t->number, "#") : 0;
}

/* Let it ask for the next number. */
static void write_number(struct target *t)
{
    uint64_t number = load.from + load.sent / load.target_count * STRIDE % load.numbers;
    for (size_t i = t->digits; i-- > 0; number /= 10)
        t->number[i] = (char)('0' + number % 10);
}

static void read_numbers(char *text)
{
    char *colon = strchr(text, ':');
    if (!colon)
        client_die("-n is FROM:COUNT");
    *colon = '\0';
    load.from = client_number(text);
    load.numbers = client_number(colon + 1);
    if (load.numbers == 0 || load.numbers >= STRIDE)
        client_die("-n: there are none, or too many");
}

static void rest(struct conn *c)
{
    c->asked = NULL;
    c->len = 0;
    load.idle[(load.idle_first + load.idle_count++) % load.connections] = c;
}

static struct conn *next_idle(void)
{
    struct conn *c = load.idle[load.idle_first];
    load.idle_first = (load.idle_first + 1) % load.connections;
    load.idle_count--;
    return c;
}

static void leave_idle(struct conn *c)
{
    for (size_t i = load.idle_count; i > 0; i--) {
        struct conn *other = next_idle();
        if (other != c)
            rest(other);
    }
}

/* Who is refused does not hammer at the door. */
static void open_later(struct conn *c)
{
    load.shut[load.shut_count++] = c;
    load.next_open = client_now() + OPEN_EVERY;
}

static void open_conn(struct conn *c)
{
    c->fd = client_connect(load.port, c->index + load.first * load.crowd, load.crowd);
    if (c->fd < 0 && errno == ECONNRESET) {
        load.broken++;
        open_later(c);
        return;
    }
    if (c->fd < 0)
        client_die("connect");
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = c };
    epoll_ctl(load.epoll, EPOLL_CTL_ADD, c->fd, &event);
    rest(c);
}

static struct samples *series_of(const char *method, unsigned status)
{
    for (size_t i = 0; i < load.series_count; i++)
        if (load.series[i].method == method && load.series[i].status == status)
            return &load.series[i].samples;
    if (load.series_count == SERIES_MAX)
        client_die("more kinds of answers than there is room for");
    struct series *s = &load.series[load.series_count++];
    *s = (struct series){ .method = method, .status = status };
    return &s->samples;
}

static int64_t next_due(void)
{
    return load.start + (int64_t)(load.sent * (uint64_t)S / load.rate);
}

static void send_due(int64_t now)
{
    for (;;) {
        int64_t due = next_due();
        if (due > now)
            return;
        if (load.idle_count == 0) {
            load.starved++;
            return;
        }
        struct conn *c = next_idle();
        struct target *target = &load.targets[load.sent % load.target_count];
        if (target->number)
            write_number(target);
        load.sent++;
        c->asked = target;
        c->due = due;
        /* a connection that has ended meanwhile is found when it is read */
        (void)!send(c->fd, c->asked->request, c->asked->len, MSG_NOSIGNAL);
    }
}

static void answered(struct conn *c, unsigned status)
{
    if (c->due < load.measure)
        return;
    int64_t took = client_now() - c->due;
    if (load.distance >= 0)
        took = took > load.distance ? took - load.distance : load.distance - took;
    samples_add(series_of(c->asked->method, status), took);
}

static void ended(struct conn *c)
{
    if (!c->asked)
        leave_idle(c);
    close(c->fd);
    load.broken += c->asked != NULL;
    open_later(c);
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
    if (!client_answer(&answer, c->in, c->len)) {
        if (c->len == sizeof(c->in) - 1)
            client_die("an answer is too long");
        return;
    }
    if (!c->asked)
        client_die("an answer without a request");
    answered(c, answer.status);
    if (answer.close) {
        close(c->fd);
        open_conn(c);
        return;
    }
    rest(c);
}

static void run(void)
{
    struct epoll_event events[512];
    for (int64_t now; (now = client_now()) < load.end;) {
        if (load.shut_count > 0 && now >= load.next_open) {
            load.next_open = now + OPEN_EVERY;
            open_conn(load.shut[--load.shut_count]);
        }
        send_due(now);
        int64_t left = load.idle_count > 0 ? next_due() - client_now() : S / 1000;
        struct timespec pause = { .tv_nsec = load.waits && left > 0 ? left % S : 0 };
        int count = epoll_pwait2(load.epoll, events, 512, &pause, NULL);
        for (int i = 0; i < count; i++)
            on_event(events[i].data.ptr);
    }
}

static void report(void)
{
    for (size_t i = 0; i < load.series_count; i++) {
        char name[32];
        snprintf(name, sizeof(name), "%s_%u", load.series[i].method, load.series[i].status);
        samples_print(name, &load.series[i].samples);
    }
    printf("broken %llu\nstarved %llu\n", (unsigned long long)load.broken,
           (unsigned long long)load.starved);
}

int main(int argc, char **argv)
{
    for (int option; (option = getopt(argc, argv, "wd:s:f:n:")) != -1;) {
        if (option == 'w')
            load.waits = true;
        else if (option == 'd')
            load.distance = (int64_t)client_number(optarg) * 1000000;
        else if (option == 's')
            load.crowd = client_number(optarg);
        else if (option == 'f')
            load.first = client_number(optarg);
        else if (option == 'n')
            read_numbers(optarg);
        else
            return 2;
    }
    if (argc - optind < 5)
        return 2;
    load.port = client_number(argv[optind]);
    load.rate = client_number(argv[optind + 1]);
    uint64_t seconds = client_number(argv[optind + 2]);
    load.connections = client_number(argv[optind + 3]);
    for (int i = optind + 4; i < argc; i++)
        add_target(argv[i]);

    client_files(load.connections);
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);       /* what is due leaves when it is due */
    load.epoll = epoll_create1(EPOLL_CLOEXEC);
    load.conns = calloc(load.connections, sizeof(*load.conns));
    load.idle = calloc(load.connections, sizeof(*load.idle));
    load.shut = calloc(load.connections, sizeof(*load.shut));
    if (!load.conns || !load.idle || !load.shut)
        client_die("memory for the connections");
    for (uint64_t i = 0; i < load.connections; i++) {
        load.conns[i].index = i;
        open_conn(&load.conns[i]);
    }
    load.start = client_now();
    load.measure = load.start + S;
    load.end = load.measure + (int64_t)seconds * S;
    run();
    report();
    return 0;
}
