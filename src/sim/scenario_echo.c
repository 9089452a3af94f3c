/* scenario_echo.c - a server that gives back what it gets, over a bad network.
 *
 * Clients on two hosts talk to a server on a third, a writer and a reader for each
 * connection.  Whatever is delayed, lost, doubled, refused, reset, silenced or cut
 * off: what arrives is a beginning of what was sent, at either side and in either
 * direction; who sees the end has seen everything that the other side has sent; no
 * call returns after its deadline; and everybody comes to an end.
 */
#include <weir/stream.h>

#include <string.h>

#include "sim/scenario.h"

#define SERVER "10.0.0.2"
#define CLIENTS 4
#define TALKS 3                 /* of each client, one after the other */
#define ALL_TALKS ((size_t)CLIENTS * TALKS)
#define SENT_MAX 150000         /* more than a window */
#define WITHIN WR_S(2)
#define VISITS 200              /* with those that a doubled connection makes */

/* Bytes: given to the network by the client, heard and said by the server, back. */
struct talk { uint64_t sent, heard, said, back; bool over; };

struct visit { struct echo *echo; struct wr_conn conn; };

struct echo {
    struct wr_addr addr;
    struct wr_scope *serving;
    struct visit visits[VISITS];
    struct talk talks[ALL_TALKS];
    uint64_t clients, broken, whole;
};

/* The first byte says which talk it is, the others follow from it and their place. */
static unsigned char byte_at(size_t talk, uint64_t at)
{
    return (unsigned char)(at == 0 ? talk : (talk + 1) * 31 + at * 7 + at / 256);
}

static void check_bytes(size_t talk, uint64_t at, const unsigned char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        WR_ASSERT(bytes[i] == byte_at(talk, at + i));
}

static void check_in_time(wr_time before)
{
    WR_ASSERT(wr_now() - before <= WITHIN);
}

static wr_err read_some(struct wr_stream *stream, size_t *ret, void *buf, size_t size)
{
    wr_time before = wr_now();
    wr_err err = wr_stream_read(stream, ret, buf, size, wr_after(WITHIN));
    check_in_time(before);
    return err;
}

static wr_err write_some(struct wr_stream *stream, size_t *ret, const void *buf, size_t size)
{
    wr_time before = wr_now();
    wr_err err = wr_stream_write(stream, ret, &(struct wr_piece){ buf, size }, 1,
                                 wr_after(WITHIN));
    check_in_time(before);
    WR_ASSERT(err ? *ret < size || size == 0 : *ret == size);
    return err;
}

/* ---- the server ---- */

static void give_back(struct echo *echo, struct wr_stream *stream)
{
    unsigned char buf[4000];
    struct talk *talk = NULL;
    size_t size, done, which = 0;
    while (!read_some(stream, &size, buf, sizeof(buf)) && size > 0) {
        if (!talk) {
            which = buf[0];
            WR_ASSERT(which < ALL_TALKS);
            talk = &echo->talks[which];
            WR_ASSERT(talk->heard == 0);        /* one connection for each */
        }
        check_bytes(which, talk->heard, buf, size);
        talk->heard += size;
        wr_err err = write_some(stream, &done, buf, size);
        talk->said += done;
        if (err)
            return;
    }
}

static wr_err visited(void *arg)
{
    struct visit *visit = arg;
    struct wr_stream *stream;
    MUST(wr_stream_open(&stream, &visit->conn));
    give_back(visit->echo, stream);
    wr_stream_close(stream);
    return WR_OK;
}

static wr_err serve(void *arg)
{
    struct echo *echo = arg;
    struct wr_listener *listener;
    struct visit *visit = echo->visits;
    MUST(wr_addr_parse(&echo->addr, SERVER ":7"));
    MUST(wr_listen(&listener, &echo->addr));
    struct wr_scope *scope = scope_named("echo.visits");
    for (; !wr_accept(listener, &visit->conn, WR_NEVER); visit++) {
        WR_ASSERT(visit < echo->visits + VISITS - 1);
        visit->echo = echo;
        if (wr_scope_go(scope, "echo.visit", visited, visit))
            wr_conn_drop(&visit->conn);
    }
    MUST(wr_scope_close(scope));
    wr_listener_close(listener);
    return WR_OK;
}

static wr_err server(void *arg)
{
    return wr_sim_host(SERVER, serve, arg);
}

/* ---- the clients ---- */

struct speaker { struct echo *echo; struct wr_stream *stream; size_t talk; uint64_t len; };

static wr_err speak(void *arg)
{
    struct speaker *s = arg;
    struct talk *talk = &s->echo->talks[s->talk];
    unsigned char buf[5000];
    wr_err err = WR_OK;
    while (!err && talk->sent < s->len) {
        uint64_t left = s->len - talk->sent;
        size_t len = 1 + wr_sim_below(left < sizeof(buf) ? left : sizeof(buf)), done;
        for (size_t i = 0; i < len; i++)
            buf[i] = byte_at(s->talk, talk->sent + i);
        talk->sent += len;              /* any of it may arrive, whatever the call says */
        err = write_some(s->stream, &done, buf, len);
        if (!err && wr_sim_below(8) == 0)
            err = wr_sleep(some_time(WR_MS(20)));
    }
    if (!err)
        wr_stream_shut(s->stream);
    return WR_OK;
}

/* Half of the time by a select, as who waits for several things would. */
static wr_err await_by_select(struct wr_stream *stream)
{
    struct wr_case cases[] = { wr_stream_readable(stream) };
    size_t which;
    wr_time before = wr_now();
    wr_err err = wr_select(&which, cases, 1, wr_after(WITHIN));
    check_in_time(before);
    return err;
}

static bool listen_to(struct speaker *s)
{
    struct talk *talk = &s->echo->talks[s->talk];
    unsigned char buf[3000];
    size_t size;
    for (;;) {
        if (wr_sim_below(2) && await_by_select(s->stream))
            return false;
        if (read_some(s->stream, &size, buf, sizeof(buf)))
            return false;
        if (size == 0)
            return true;
        check_bytes(s->talk, talk->back, buf, size);
        talk->back += size;
    }
}

static void converse(struct echo *echo, size_t which)
{
    struct speaker s = { .echo = echo, .talk = which,
                         .len = 1 + wr_sim_below(wr_sim_below(4) ? 6000 : SENT_MAX) };
    wr_time before = wr_now();
    wr_err err = wr_connect(&s.stream, &echo->addr, wr_after(WITHIN));
    check_in_time(before);
    if (err) {
        echo->broken++;
        return;
    }
    struct wr_scope *scope = scope_named("echo.talk");
    MUST(wr_scope_go(scope, "echo.speak", speak, &s));
    bool ended = listen_to(&s);
    if (!ended)
        wr_scope_cancel(scope);
    (void)!wr_scope_close(scope);
    wr_stream_close(s.stream);
    struct talk *talk = &echo->talks[which];
    WR_ASSERT(!ended || talk->back == talk->said);
    if (ended && talk->back == s.len)
        echo->whole++;
    else
        echo->broken++;
}

static wr_err talk_on(void *arg)
{
    struct echo *echo = arg;
    size_t client = echo->clients++;
    for (size_t i = 0; i < TALKS; i++) {
        converse(echo, client * TALKS + i);
        echo->talks[client * TALKS + i].over = true;
        MUST(wr_sleep(some_time(WR_MS(300))));
    }
    return WR_OK;
}

static wr_err two_clients(void *arg)
{
    struct wr_scope *scope = scope_named("echo.clients");
    MUST(wr_scope_go(scope, "echo.client", talk_on, arg));
    MUST(wr_scope_go(scope, "echo.client", talk_on, arg));
    MUST(wr_scope_join(scope, WR_NEVER));
    return wr_scope_close(scope);
}

static wr_err first_host(void *arg)
{
    return wr_sim_host("10.0.0.3", two_clients, arg);
}

static wr_err second_host(void *arg)
{
    return wr_sim_host("10.0.0.4", two_clients, arg);
}

static wr_err run(void *arg)
{
    struct echo *echo = arg;
    echo->serving = scope_named("echo.serving");
    MUST(wr_scope_go(echo->serving, "echo.server", server, echo));
    MUST(wr_sleep(wr_after(WR_MS(1))));         /* it listens by then */
    struct wr_scope *scope = scope_named("echo");
    MUST(wr_scope_go(scope, "echo.first", first_host, echo));
    MUST(wr_scope_go(scope, "echo.second", second_host, echo));
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));
    wr_scope_cancel(echo->serving);
    (void)!wr_scope_close(echo->serving);
    WR_ASSERT(echo->broken + echo->whole == ALL_TALKS);
    return WR_OK;
}

static const char *invariant(void *arg)
{
    const struct echo *echo = arg;
    for (size_t i = 0; i < ALL_TALKS; i++) {
        if (echo->talks[i].heard > echo->talks[i].sent)
            return "the server has heard more than was said";
        if (echo->talks[i].back > echo->talks[i].heard)
            return "a client was told more than the server has heard";
    }
    return NULL;
}

static uint64_t state(void *arg)
{
    const struct echo *echo = arg;
    uint64_t state = state_mix(state_mix(0, echo->broken), echo->whole);
    for (size_t i = 0; i < ALL_TALKS; i++)
        if (echo->talks[i].sent > 0 && !echo->talks[i].over)
            state = state_mix(state, i << 32 | echo->talks[i].back / 1000);
    return state;
}

const struct scenario wr_scenario_echo = {
    .name = "echo",
    .what = "a server gives back what it gets over a bad network: in order, once, in time",
    .size = sizeof(struct echo), .run = run, .invariant = invariant, .state = state,
    .faults = WR_SIM_NET,
};
