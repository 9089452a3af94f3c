/* net.c - the calls of stream.h, to a network in memory. */
#include "sim/net.h"

#include <stdlib.h>
#include <string.h>

#define LATENCY_HERE_MIN WR_US(10)      /* between tasks of one host, */
#define LATENCY_HERE_MAX WR_US(60)
#define LATENCY_LOG_MIN 16              /* between hosts: 65 microseconds */
#define LATENCY_LOG_MAX 22              /* .. to 8 milliseconds */
#define PORT_MIN 49152u

struct sim_net wr_sim_net;

/* ---- waiting ---- */

/* One whose time is up and who has not run since to say so is no rival. */
static void check_alone(const struct waitlist *list, const char *what, const char *place)
{
    const struct waiter *rival = list->head;
    while (rival && !waiter_waits(rival))
        rival = rival->next;
    if (rival)
        wr_panic_at(place, "two fibers wait for a %s: %s does already, at %s", what,
                    wr_fiber_name(rival->fiber), atomic_load(&rival->fiber->place));
}

static void check_unused(const struct waitlist *list, const char *what, const char *place)
{
    if (list->head)
        wr_panic_at(place, "a %s is closed while %s waits on it; cancel and join its users "
                           "first", what, wr_fiber_name(list->head->fiber));
}

/* Until `ready` says so. */
static wr_err await(bool (*ready)(const void *on), const void *on, struct waitlist *list,
                    wr_time deadline, const char *what, const char *place)
{
    struct fiber *fiber;
    for (;;) {
        wr_err err = wr_wait_enter(&fiber, deadline, what, place);
        if (err || ready(on))
            return err;
        if (deadline == WR_NOW)
            return WR_TIMEOUT;
        check_alone(list, what, place);
        spin_lock(&wr_sim_net.lock);
        err = wr_wait_on(fiber, &wr_sim_net.lock, list, deadline, what, place);
        if (err)
            return err;
    }
}

/* ---- streams ---- */

static struct end *end_of(const struct wr_stream *stream)
{
    return (struct end *)(uintptr_t)stream;
}

static unsigned side_of(const struct end *end)
{
    return end == &end->link->ends[1];
}

static struct pipe *pipe_in(const struct end *end)
{
    return &end->link->pipes[!side_of(end)];
}

static struct pipe *pipe_out(const struct end *end)
{
    return &end->link->pipes[side_of(end)];
}

static struct end *other_end(const struct end *end)
{
    return &end->link->ends[!side_of(end)];
}

static bool readable(const void *on)
{
    const struct end *end = on;
    const struct pipe *pipe = pipe_in(end);
    return end->broken || pipe->arrived > pipe->taken || pipe->ended;
}

/* A Unix socket knows at once that its peer is gone. */
static bool unwritable_for_ever(const struct end *end)
{
    return pipe_out(end)->shut || (end->link->local && !other_end(end)->open);
}

static bool writable(const void *on)
{
    const struct end *end = on;
    const struct pipe *pipe = pipe_out(end);
    return end->broken || pipe->sent - pipe->taken < NET_WINDOW || unwritable_for_ever(end);
}

static wr_err sim_await(struct wr_stream *stream, wr_time deadline, const char *place)
{
    struct end *end = end_of(stream);
    sim_point("await", place);
    return await(readable, end, &end->readers, deadline, "readable stream", place);
}

static size_t take(struct pipe *pipe, unsigned char *to, size_t size)
{
    size_t n = 0;
    for (; n < size && pipe->taken < pipe->arrived; n++)
        to[n] = pipe->ring[pipe->taken++ % NET_WINDOW];
    return n;
}

static wr_err sim_read(struct wr_stream *stream, size_t *ret, void *buf, size_t size,
                       wr_time deadline, const char *place)
{
    struct end *end = end_of(stream);
    sim_point("read", place);
    wr_err err = await(readable, end, &end->readers, deadline, "readable stream", place);
    if (err || end->broken)
        return err ? err : end->broken;
    *ret = take(pipe_in(end), buf, size);
    wr_waitlist_wake_all(&other_end(end)->writers, WR_OK);
    return WR_OK;
}

static size_t give(struct pipe *pipe, const unsigned char *from, size_t size)
{
    size_t n = 0;
    for (; n < size && pipe->sent - pipe->taken < NET_WINDOW; n++)
        pipe->ring[pipe->sent++ % NET_WINDOW] = from[n];
    return n;
}

/* As much of one piece as there is room for. */
static wr_err write_some(struct end *end, size_t *ret, const unsigned char *at, size_t len,
                         wr_time deadline, const char *place)
{
    wr_err err = await(writable, end, &end->writers, deadline, "writable stream", place);
    if (err || end->broken)
        return err ? err : end->broken;
    if (unwritable_for_ever(end))
        return WR_BROKENPIPE;
    uint64_t from = pipe_out(end)->sent;
    *ret = give(pipe_out(end), at, len);
    wr_wire_send_data(end->link, side_of(end), from);
    return WR_OK;
}

static wr_err sim_write(struct wr_stream *stream, size_t *ret, const struct wr_piece *pieces,
                        size_t count, wr_time deadline, const char *place)
{
    if (count > WR_PIECES_MAX)
        wr_panic_at(place, "%zu pieces are written at once, at most %d can be", count,
                    WR_PIECES_MAX);
    *ret = 0;
    sim_point("write", place);
    if (!wr_sim_alive())
        return WR_CANCELED;             /* a dead process sends nothing */
    for (size_t i = 0; i < count; i++) {
        for (size_t at = 0, n; at < pieces[i].len; at += n, *ret += n) {
            const unsigned char *from = pieces[i].at;
            wr_err err = write_some(end_of(stream), &n, from + at, pieces[i].len - at, deadline,
                                    place);
            if (err)
                return err;
        }
    }
    return WR_OK;
}

static void sim_shut(struct wr_stream *stream)
{
    struct end *end = end_of(stream);
    struct pipe *pipe = pipe_out(end);
    if (pipe->shut || end->broken)
        return;
    pipe->shut = true;
    wr_wire_send(end->link, side_of(end), END);
}

/* What was not read is lost, and whoever sent it is told so. */
static void hang_up(struct end *end, bool reset)
{
    const struct pipe *in = pipe_in(end);
    end->open = false;
    if (end->broken == WR_OK) {
        if (reset || in->arrived > in->taken)
            wr_wire_send(end->link, side_of(end), RESET);
        else if (!pipe_out(end)->shut)
            wr_wire_send(end->link, side_of(end), END);
    }
    wr_waitlist_wake_all(&other_end(end)->writers, WR_OK);
    wr_link_unref(end->link);
}

static void sim_close(struct wr_stream *stream, const char *place)
{
    struct end *end = end_of(stream);
    check_unused(&end->readers, "stream", place);
    check_unused(&end->writers, "stream", place);
    hang_up(end, false);
}

static wr_err sim_process_of(const struct wr_stream *stream, uint32_t *ret_uid,
                             int32_t *ret_pid)
{
    if (stream->peer.kind != WR_ADDR_UNIX)
        return WR_UNSUPPORTED;
    *ret_uid = 1000;
    *ret_pid = 1;
    return WR_OK;
}

/* ---- as a case of a select ---- */

static void case_check(void *on, const struct wr_case *c, const char *place)
{
    (void)c;
    check_alone(&((struct end *)on)->readers, "readable stream", place);
}

static struct spin *case_lock(void *on)
{
    (void)on;
    return &wr_sim_net.lock;
}

static void case_link(void *on, const struct wr_case *c, struct waiter *waiter)
{
    (void)c;
    waitlist_push(&((struct end *)on)->readers, waiter);
}

static void case_unlink(void *on, const struct wr_case *c, struct waiter *waiter)
{
    (void)c;
    waitlist_remove(&((struct end *)on)->readers, waiter);
}

static bool case_possible(void *on, const struct wr_case *c)
{
    (void)c;
    return readable(on);
}

static void case_take(void *on, struct wr_case *c)
{
    (void)on;
    c->err = WR_OK;
}

static const struct wr_waitable stream_case = {
    .check = case_check, .lock = case_lock, .link = case_link, .unlink = case_unlink,
    .possible = case_possible, .take = case_take, .finish = wr_case_finish,
};

static struct wr_case sim_readable(struct wr_stream *stream)
{
    return (struct wr_case){ .kind = &stream_case, .on = end_of(stream) };
}

static const struct stream_ops stream_ops = {
    .await = sim_await, .read = sim_read, .write = sim_write, .shut = sim_shut,
    .close = sim_close, .readable = sim_readable, .process = sim_process_of,
};

/* ---- listeners ---- */

static bool any_ip(const struct wr_addr *addr)
{
    static const unsigned char zero[sizeof(addr->ip)];
    return addr->kind != WR_ADDR_UNIX && memcmp(addr->ip, zero, sizeof(zero)) == 0;
}

/* Whether who asks for one of the addresses might mean the other. */
static bool overlap(const struct wr_addr *a, const struct wr_addr *b)
{
    if (a->kind != b->kind || a->port != b->port)
        return false;
    return any_ip(a) || any_ip(b) || wr_addr_equal(a, b);
}

struct sim_listener *wr_sim_listener_at(unsigned host, const struct wr_addr *addr)
{
    struct sim_listener *at = wr_sim_net.listeners;
    while (at && !(at->host == host && overlap(&at->listener.addr, addr)))
        at = at->next;
    return at;
}

static uint16_t next_port(void)
{
    struct sim_net *net = &wr_sim_net;
    net->port = net->port < PORT_MIN || net->port == UINT16_MAX ? PORT_MIN
                                                                 : (uint16_t)(net->port + 1);
    return net->port;
}

static wr_err sim_listen(struct wr_listener **ret, const struct wr_addr *addr,
                         const char *place)
{
    struct sim_net *net = &wr_sim_net;
    unsigned host = wr_host_here();
    struct wr_addr wanted = *addr;
    if (addr->kind == WR_ADDR_NONE || (!any_ip(addr) && wr_host_of(addr, host) != host))
        return WR_INVALID;
    bool choose = addr->kind != WR_ADDR_UNIX && addr->port == 0;
    do {
        if (choose)
            wanted.port = next_port();
        else if (wr_sim_listener_at(host, &wanted))
            return WR_EXISTS;
    } while (choose && wr_sim_listener_at(host, &wanted));
    struct sim_listener *made = calloc(1, sizeof(*made));
    if (!made)
        return WR_NOMEM;
    made->listener.addr = wanted;
    made->host = host;
    made->place = place;
    made->line_end = &made->line;
    made->next = net->listeners;
    made->at = &net->listeners;
    if (made->next)
        made->next->at = &made->next;
    net->listeners = made;
    *ret = &made->listener;
    return WR_OK;
}

static wr_err sim_listen_on(struct wr_listener **ret, int fd, const char *place)
{
    (void)ret;
    (void)fd;
    (void)place;
    return WR_INVALID;          /* nothing here has a descriptor */
}

void wr_sim_line_up(struct sim_listener *listener, struct link *link)
{
    struct end *end = &link->ends[1];
    end->open = true;
    end->place = listener->place;
    end->stream.local = listener->listener.addr;
    if (any_ip(&end->stream.local))
        end->stream.local = link->ends[0].stream.peer;
    link->refs++;
    link->behind = NULL;
    *listener->line_end = link;
    listener->line_end = &link->behind;
    listener->count++;
    wr_waitlist_wake_all(&listener->acceptors, WR_OK);
}

static struct end *first_in_line(struct sim_listener *listener)
{
    struct link *link = listener->line;
    listener->line = link->behind;
    if (!listener->line)
        listener->line_end = &listener->line;
    listener->count--;
    return &link->ends[1];
}

static bool somebody_waits(const void *on)
{
    const struct sim_listener *listener = on;
    return listener->count > 0;
}

static wr_err sim_accept(struct wr_listener *listener, struct wr_conn *ret, wr_time deadline,
                         const char *place)
{
    struct sim_listener *self = (struct sim_listener *)listener;
    sim_point("accept", place);
    for (;;) {
        wr_err err = await(somebody_waits, self, &self->acceptors, deadline, "connection",
                           place);
        if (err)
            return err;
        struct end *end = first_in_line(self);
        end->place = place;
        if (!end->broken) {
            *ret = (struct wr_conn){ .peer = end->stream.peer, .fd = -1, .simulated = end };
            return WR_OK;
        }
        hang_up(end, true);     /* it has broken off already */
    }
}

static void sim_listener_close(struct wr_listener *listener, const char *place)
{
    struct sim_listener *self = (struct sim_listener *)listener;
    check_unused(&self->acceptors, "listener", place);
    while (self->count > 0)
        hang_up(first_in_line(self), true);
    if (self->next)
        self->next->at = self->at;
    *self->at = self->next;
    free(self);
}

static void sim_drop(struct wr_conn *conn)
{
    hang_up(conn->simulated, true);
}

static wr_err sim_open(struct wr_stream **ret, const struct wr_conn *conn, const char *place)
{
    struct end *end = conn->simulated;
    end->place = place;
    end->stream.ops = &stream_ops;
    *ret = &end->stream;
    return WR_OK;
}

/* ---- connecting ---- */

static wr_time some_latency(struct link *link)
{
    if (link->local)
        return 0;
    if (link->ends[0].host == link->ends[1].host)
        return wr_rand_span(&link->rand, LATENCY_HERE_MIN, LATENCY_HERE_MAX);
    return (wr_time)1 << wr_rand_span(&link->rand, LATENCY_LOG_MIN, LATENCY_LOG_MAX);
}

/* Errors: NOMEM, NOTFOUND, IO. */
static wr_err link_to(struct link **ret, const struct wr_addr *addr, const char *place)
{
    unsigned from = wr_host_here(), to = wr_host_of(addr, from);
    if (addr->kind == WR_ADDR_UNIX && !wr_sim_listener_at(from, addr))
        return WR_NOTFOUND;
    struct wr_addr local = { .kind = addr->kind };
    if (addr->kind != WR_ADDR_UNIX) {
        local = wr_host_addr(from, addr);
        local.port = next_port();
    }
    if (to == NET_HOSTS || local.kind != addr->kind)
        return WR_IO;           /* no way leads there */
    struct link *link = wr_link_new();
    if (!link)
        return WR_NOMEM;
    struct end *near = &link->ends[0], *far = &link->ends[1];
    link->local = addr->kind == WR_ADDR_UNIX;
    near->host = from;
    far->host = to;
    near->stream = (struct wr_stream){ .ops = &stream_ops, .peer = *addr, .local = local };
    far->stream.peer = local;
    near->open = true;
    near->place = place;
    link->refs = 1;
    link->latency = some_latency(link);
    *ret = link;
    return WR_OK;
}

static bool has_answer(const void *on)
{
    return ((const struct link *)on)->dialing != DIALING;
}

static wr_err sim_connect(struct wr_stream **ret, const struct wr_addr *addr, wr_time deadline,
                          const char *place)
{
    struct link *link;
    sim_point("connect", place);
    wr_err err = wr_sim_alive() ? link_to(&link, addr, place) : WR_CANCELED;
    if (err)
        return err;
    struct end *end = &link->ends[0];
    wr_wire_send(link, 0, ASK);
    err = await(has_answer, link, &link->dialer, deadline, "connection", place);
    if (!err && link->dialing == REFUSED)
        err = end->broken ? end->broken : WR_IO;
    if (err) {
        if (link->dialing != CONNECTED)
            end->broken = err;  /* an answer that still comes is answered by a reset */
        hang_up(end, true);
        return err;
    }
    *ret = &end->stream;
    return WR_OK;
}

const struct net_ops wr_net_sim = {
    .listen = sim_listen, .listen_on = sim_listen_on, .listener_close = sim_listener_close,
    .accept = sim_accept, .drop = sim_drop, .open = sim_open, .connect = sim_connect,
};

/* ---- the network of one run ---- */

void wr_sim_net_begin(void)
{
    struct sim_net *net = &wr_sim_net;
    *net = (struct sim_net){ .hosts = 1 };
    if (wr_addr_parse_ip(&net->addrs[0], "10.0.0.1", 0))
        wr_fatal(WR_HERE, "the first host has no address");
}

const char *wr_sim_net_end(void)
{
    struct sim_net *net = &wr_sim_net;
    const char *left = NULL;
    for (struct sim_listener *at = net->listeners, *next; at; at = next) {
        next = at->next;
        left = at->place;
        free(at);
    }
    for (struct link *at = net->links, *next; at; at = next) {
        next = at->next;
        for (unsigned side = 0; side < 2; side++)
            if (at->ends[side].open)
                left = at->ends[side].place;
        free(at);
    }
    free(net->heap);
    *net = (struct sim_net){ 0 };
    return left;
}
