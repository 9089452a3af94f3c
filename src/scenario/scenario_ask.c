/* scenario_ask.c - questions to three peers over a bad network, through everything that is
 * wrapped around a call.
 *
 * Askers want the value of a few keys.  They go through the cache, a retry, a hedge, and for
 * each leg a breaker and a limiter to a peer, over a connection of its own.  Whatever the
 * network does: an answer is the one of its key, and not older than the cache may keep it; no
 * call ends after its deadline; what was sent again stays within the budget; and when all have
 * returned, nobody asks any more and no connection is open.
 */
#include <weir/breaker.h>
#include <weir/cache.h>
#include <weir/hedge.h>
#include <weir/limiter.h>
#include <weir/retry.h>
#include <weir/stream.h>

#include <stdio.h>
#include <string.h>

#include "scenario/scenarios.h"

#define PEERS 3
#define ASKERS 3
#define QUESTIONS 8             /* of each asker */
#define KEYS 3
#define VISITS 200
#define WITHIN WR_S(1)
#define TTL WR_MS(300)

struct asking;
struct visit { struct wr_conn conn; };

struct peer {
    struct asking *asking;
    char host[16];
    struct wr_addr addr;
    struct wr_limiter *limiter;
};

struct asking {
    struct peer peers[PEERS];
    struct wr_cache *cache;
    struct wr_retry *retry;
    struct wr_hedge *hedge;
    struct wr_breakers *breakers;
    struct visit visits[VISITS];
    uint64_t visited;
    uint64_t legs;              /* under way */
    uint64_t asked, answered, refused, failed;
};

/* ---- the peers: "key" is answered by "key moment" ---- */

static wr_err read_line(struct wr_stream *stream, char *line, size_t size, wr_time deadline)
{
    size_t len = 0, got;
    for (;;) {
        wr_err err = wr_stream_read(stream, &got, line + len, size - 1 - len, deadline);
        if (err)
            return err;
        len += got;
        line[len] = '\0';
        if (strchr(line, '\n'))
            return WR_OK;
        if (got == 0 || len + 1 == size)
            return WR_CLOSED;
    }
}

static wr_err write_line(struct wr_stream *stream, const char *line, wr_time deadline)
{
    size_t size;
    struct wr_piece piece = { line, strlen(line) };
    return wr_stream_write(stream, &size, &piece, 1, deadline);
}

static wr_err visited(void *arg)
{
    struct visit *visit = arg;
    struct wr_stream *stream;
    char line[64], answer[96];
    MUST(wr_stream_open(&stream, &visit->conn));
    wr_err err = read_line(stream, line, sizeof(line), wr_after(WITHIN));
    if (!err && wr_sim_below(6) == 0)
        err = wr_sleep(some_time(WR_MS(400)));
    if (!err) {
        line[strcspn(line, "\n")] = '\0';
        if (wr_sim_below(10) == 0)
            snprintf(answer, sizeof(answer), "busy\n");
        else
            snprintf(answer, sizeof(answer), "%s %lld\n", line, (long long)wr_now());
        (void)!write_line(stream, answer, wr_after(WITHIN));
    }
    wr_stream_close(stream);
    return WR_OK;
}

static wr_err serve(void *arg)
{
    struct peer *peer = arg;
    struct asking *asking = peer->asking;
    struct wr_listener *listener;
    struct wr_conn conn;
    MUST(wr_listen(&listener, &peer->addr));
    struct wr_scope *scope = scope_named("ask.visits");
    while (!wr_accept(listener, &conn, WR_NEVER)) {
        WR_ASSERT(asking->visited < VISITS);
        struct visit *visit = &asking->visits[asking->visited++];
        *visit = (struct visit){ conn };
        if (wr_scope_go(scope, "ask.visit", visited, visit))
            wr_conn_drop(&conn);
    }
    MUST(wr_scope_close(scope));
    wr_listener_close(listener);
    return WR_OK;
}

static wr_err at_peer(void *arg)
{
    struct peer *peer = arg;
    return wr_sim_host(peer->host, serve, peer);
}

/* ---- a leg ---- */

static wr_err converse(struct asking *asking, struct wr_ask *ask, wr_time deadline)
{
    struct wr_stream *stream;
    char line[96], key[8];
    wr_err err = wr_connect(&stream, &asking->peers[ask->target].addr, deadline);
    if (err)
        return err;
    snprintf(key, sizeof(key), "%.*s\n", (int)ask->key_len, (const char *)ask->key);
    err = write_line(stream, key, deadline);
    if (!err)
        err = read_line(stream, line, sizeof(line), deadline);
    wr_stream_close(stream);
    if (err)
        return err;
    if (strcmp(line, "busy\n") == 0) {
        ask->retry_after = WR_MS(50);
        return WR_BUSY;
    }
    return wr_bytes_copy(&ask->answer, line, strcspn(line, "\n"));
}

static wr_err ask_peer(const struct wr_way *way, struct wr_ask *ask, wr_time deadline)
{
    struct asking *asking = way->self;
    asking->legs++;
    wr_err err = converse(asking, ask, deadline);
    asking->legs--;
    asking->refused += err == WR_BUSY;
    return err;
}

/* Each peer has its own limiter: the wrapper is made for the one that is asked. */
static wr_err ask_limited(const struct wr_way *way, struct wr_ask *ask, wr_time deadline)
{
    struct asking *asking = way->self;
    struct wr_limiter *limiter = asking->peers[ask->target].limiter;
    return wr_way_ask(WR_LIMITED(limiter, WR_WAY(ask_peer, asking)), ask, deadline);
}

/* ---- the askers ---- */

static void check_answer(const struct wr_ask *ask)
{
    const char *text = (const char *)ask->answer->data;
    long long made;
    WR_ASSERT(strncmp(text, ask->key, ask->key_len) == 0);
    WR_ASSERT(sscanf(text + ask->key_len, " %lld", &made) == 1);
    WR_ASSERT(wr_now() - made <= TTL + WITHIN);
}

static wr_err ask_on(void *arg)
{
    static const uint32_t orders[PEERS][PEERS] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 } };
    struct asking *asking = arg;
    const struct wr_way *leg = WR_GUARDED(asking->breakers, WR_WAY(ask_limited, asking));
    const struct wr_way *way = WR_CACHED(asking->cache,
        WR_RETRIED(asking->retry, WR_HEDGED(asking->hedge, leg)));
    for (int i = 0; i < QUESTIONS; i++) {
        char key[2] = { (char)('a' + wr_sim_below(KEYS)), '\0' };
        struct wr_ask ask = { .key = key, .key_len = 1, .safe = true,
                              .targets = orders[wr_sim_below(PEERS)], .target_count = PEERS };
        wr_time begun = wr_now();
        asking->asked++;
        wr_err err = wr_way_ask(way, &ask, wr_after(WITHIN));
        WR_ASSERT(wr_now() - begun <= WITHIN);
        WR_ASSERT(!err == (ask.answer != NULL));
        if (err)
            asking->failed++;
        else
            check_answer(&ask);
        asking->answered += !err;
        wr_ask_done(&ask);
        MUST(wr_sleep(some_time(WR_S(1))));
    }
    return WR_OK;
}

static wr_err all_askers(void *arg)
{
    struct asking *asking = arg;
    struct wr_scope *janitors = scope_named("ask.janitors"), *scope = scope_named("ask.askers");
    MUST(wr_scope_go(janitors, "ask.breakers", wr_breakers_run, asking->breakers));
    MUST(wr_scope_go(janitors, "ask.cache", wr_cache_run, asking->cache));
    for (int i = 0; i < ASKERS; i++)
        MUST(wr_scope_go(scope, "ask.asker", ask_on, asking));
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));
    WR_ASSERT(asking->legs == 0);
    wr_scope_cancel(janitors);
    (void)!wr_scope_close(janitors);
    return WR_OK;
}

static wr_err at_askers(void *arg)
{
    return wr_sim_host("10.0.0.5", all_askers, arg);
}

static void open_all(struct asking *asking)
{
    MUST(wr_cache_new(&asking->cache, &(struct wr_cache_conf){
        .name = "ask", .entries_max = 6400, .ttl = TTL, .tick = WR_S(30) }));
    MUST(wr_retry_new(&asking->retry, &(struct wr_retry_conf){ .name = "ask" }));
    MUST(wr_hedge_new(&asking->hedge, &(struct wr_hedge_conf){
        .name = "ask", .delay_max = WR_MS(100), .budget_permille = 500 }));
    MUST(wr_breakers_new(&asking->breakers, &(struct wr_breakers_conf){
        .name = "ask", .targets = PEERS, .window = WR_S(3), .cooldown = WR_MS(300),
        .samples_min = 3, .probes = 1 }));
    for (int i = 0; i < PEERS; i++) {
        struct peer *peer = &asking->peers[i];
        char text[24];
        peer->asking = asking;
        snprintf(peer->host, sizeof(peer->host), "10.0.0.%d", i + 2);
        snprintf(text, sizeof(text), "%s:7", peer->host);
        MUST(wr_addr_parse(&peer->addr, text));
        MUST(wr_limiter_new(&peer->limiter, &(struct wr_limiter_conf){
            .name = "ask", .interval = WR_MS(10) }));
    }
}

static void close_all(struct asking *asking)
{
    struct wr_retry_stat retry = wr_retry_stat(asking->retry);
    WR_ASSERT(retry.again <= retry.questions / 5 + 1 + 60);    /* a free one each second */
    wr_cache_free(asking->cache);
    wr_retry_free(asking->retry);
    wr_hedge_free(asking->hedge);
    wr_breakers_free(asking->breakers);
    for (int i = 0; i < PEERS; i++)
        wr_limiter_free(asking->peers[i].limiter);
}

static wr_err run(void *arg)
{
    struct asking *asking = arg;
    open_all(asking);
    struct wr_scope *serving = scope_named("ask.serving"), *scope = scope_named("ask");
    for (int i = 0; i < PEERS; i++)
        MUST(wr_scope_go(serving, "ask.peer", at_peer, &asking->peers[i]));
    MUST(wr_sleep(wr_after(WR_MS(1))));
    MUST(wr_scope_go(scope, "ask.host", at_askers, asking));
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));
    wr_scope_cancel(serving);
    (void)!wr_scope_close(serving);
    WR_ASSERT(asking->answered + asking->failed == (uint64_t)ASKERS * QUESTIONS);
    close_all(asking);
    return WR_OK;
}

static const char *invariant(void *arg)
{
    const struct asking *asking = arg;
    return asking->legs > 2 * (uint64_t)ASKERS ? "more legs than the askers have" : NULL;
}

static uint64_t state(void *arg)
{
    const struct asking *asking = arg;
    uint64_t state = state_mix(state_mix(0, asking->answered), asking->failed);
    return state_mix(state_mix(state, asking->legs), asking->refused);
}

const struct scenario wr_scenario_ask = {
    .name = "ask",
    .what = "questions through cache, retry, hedge, breaker and limiter over a bad network",
    .size = sizeof(struct asking), .run = run, .invariant = invariant, .state = state,
    .faults = WR_SIM_NET,
};
