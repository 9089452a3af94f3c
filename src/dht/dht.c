/* dht.c - the proxies and all that is around them: their life, their janitor, what is put.
 *
 * dht_find.c has what is found.
 */
#include "dht/dht.h"

#include <stdlib.h>
#include <string.h>

#include <weir/metric.h>
#include <weir/panic.h>
#include <weir/scope.h>
#include <weir/task.h>

#include "dht/dht_int.h"

#define PING_TICK WR_MS(100)
#define PING_MAX WR_S(1)                /* one that takes longer has failed */
#define PING_AGAIN WR_S(1)              /* one that failed is asked again */
/* Times `hedge`.  Nobody waits for a put as for a lookup; and each proxy that was asked has the
 * key in mind for an hour, which makes all that is put there later dearer (design/0020). */
#define PUT_HEDGE 4                     /* then another is asked too */
#define PUT_TRY 8                       /* then yet others are tried */
#define SLOWER 3                        /* so many times as long as another: silent */
#define JITTER 50                       /* of 1000: so much sooner others may be asked */
#define PAUSE_MIN WR_MS(50)
#define PAUSE_MAX WR_MS(100)
#define FOLLOW_TURN WR_S(30)
#define REQUESTS_MAX 4096
#define CONNECTIONS_MAX 256             /* to one proxy */
#define IDLE_MAX WR_S(5)                /* less than dhtnode keeps what is at rest */

static struct wr_metric hedged_metric = {
    .name = "dht_hedged_requests_total",
    .help = "Lookups for which others were asked, too, by who answered first: these, the first "
            "ones, or both.",
    .type = WR_COUNTER, .labels = { "result" }, .series_max = 3, .svc = "index",
};
static struct wr_metric dropped_metric = {
    .name = "dht_records_dropped_total",
    .help = "Records from the DHT that were not believed, by what is wrong with them.",
    .type = WR_COUNTER, .labels = { "fault" }, .series_max = 8, .svc = "index",
};

/* ---- verdicts ---- */

static bool is_trusted(const struct dht *dht, const unsigned char *id)
{
    for (size_t i = 0; i < dht->conf.trusted_count; i++)
        if (memcmp(dht->conf.trusted[i], id, SIGNER_ID) == 0)
            return true;
    return false;
}

static wr_err drop(struct dht *dht, enum dht_fault fault)
{
    atomic_fetch_add_explicit(&dht->dropped[fault], 1, memory_order_relaxed);
    wr_counter_add(wr_metric_counter(&dropped_metric, dht_faults[fault]), 1);
    return WR_INVALID;
}

/* Who is not trusted cannot make us check anything. */
wr_err dht_weigh(struct dht *dht, struct dht_record *ret, const struct dht_wanted *wanted,
                 enum proxy_line line, const void *bytes, size_t len)
{
    enum dht_fault fault = line == PROXY_OVERSIZED ? DHT_OVERSIZED
                           : line == PROXY_OTHER ? DHT_MALFORMED : DHT_FINE;
    if (fault == DHT_FINE && !dht_record_weigh(ret, bytes, len, wanted, wr_wall(), &fault)
        && ret->kind == DHT_NAME && !is_trusted(dht, ret->id))
        fault = DHT_FOREIGN;
    return fault == DHT_FINE ? WR_OK : drop(dht, fault);
}

wr_err dht_check(struct dht *dht, const struct dht_record *record, const void *bytes,
                 size_t len)
{
    return dht_record_check(record, bytes, len) ? drop(dht, DHT_FORGED) : WR_OK;
}

/* What it says about the target.  Our own troubles say nothing; nor does silence that was cut
 * off before others would have been asked, or by one who was not much faster. */
static enum wr_verdict verdict_of(const struct dht *dht, wr_err err, wr_time took,
                                  wr_time other)
{
    bool had_time = took >= dht->conf.hedge - dht->conf.hedge / 1000 * JITTER;
    bool is_last = other > 0 && took >= SLOWER * other;
    switch (err) {
    case WR_OK:
    case WR_DEGRADED: return WR_VERDICT_GOOD;
    case WR_TIMEOUT: return had_time ? WR_VERDICT_BAD : WR_VERDICT_NONE;
    case WR_CANCELED: return had_time && is_last ? WR_VERDICT_BAD : WR_VERDICT_NONE;
    case WR_IO: return WR_VERDICT_BAD;
    default: return WR_VERDICT_NONE;
    }
}

void dht_tell(struct dht *dht, uint32_t target, uint32_t pass, wr_err err, wr_time took,
              wr_time other)
{
    enum wr_verdict verdict = verdict_of(dht, err, took, other);
    wr_breaker_leave(dht->breakers, target, pass, verdict);
    if (verdict != WR_VERDICT_NONE)
        targets_note(&dht->targets, target,
                     verdict == WR_VERDICT_BAD ? TARGET_FAILED : TARGET_ANSWERED);
}

void dht_tell_first(_Atomic wr_time *first, wr_time took)
{
    wr_time nobody = 0;
    atomic_compare_exchange_strong(first, &nobody, took > 0 ? took : 1);
}

/* ---- the janitor ---- */

struct ping { struct dht *dht; uint32_t target; };

static wr_err ping_one(void *arg)
{
    struct ping ping = *(struct ping *)arg;
    struct dht *dht = ping.dht;
    uint32_t pass;
    uint64_t nodes = 0;
    free(arg);
    if (!wr_breaker_enter(dht->breakers, ping.target, &pass)) {
        wr_time begun = wr_now();
        wr_err err = proxy_ping(&dht->proxies[ping.target], &nodes, wr_after(PING_MAX));
        dht_tell(dht, ping.target, pass, err, wr_now() - begun, 0);
        if (!err) {
            atomic_store(&dht->nodes[ping.target], nodes);
            atomic_store(&dht->pinged[ping.target], true);
        }
    }
    atomic_store(&dht->pinging[ping.target], false);
    return WR_OK;
}

/* Who was heard of lately need not be asked, who is to be left alone is not. */
static bool is_due(const struct dht *dht, uint32_t target, wr_time pinged)
{
    enum wr_breaker_state state = wr_breaker_stat(dht->breakers, target).state;
    if (state == WR_BREAKER_OPEN || atomic_load(&dht->pinging[target]))
        return false;
    if (state == WR_BREAKER_HALF_OPEN)
        return true;
    wr_time since = wr_now() - pinged;
    if (atomic_load(&dht->targets.failed[target]))
        return since >= PING_AGAIN;
    wr_time heard = atomic_load(&dht->targets.heard[target]);
    return since >= DHT_PING_EVERY && (!heard || wr_now() - heard >= DHT_PING_EVERY);
}

static wr_err ping_due(struct dht *dht, struct wr_scope *scope)
{
    wr_time pinged[DHT_PROXIES_MAX] = { 0 };
    for (uint32_t i = 0; i < dht->conf.count; i++)
        pinged[i] = wr_now() - DHT_PING_EVERY;
    wr_err err;
    do {
        for (uint32_t i = 0; i < dht->conf.count; i++) {
            if (!is_due(dht, i, pinged[i]))
                continue;
            pinged[i] = wr_now();
            struct ping *ping = malloc(sizeof(*ping));
            if (!ping)
                continue;
            *ping = (struct ping){ dht, i };
            atomic_store(&dht->pinging[i], true);
            if (wr_scope_go(scope, "dht.ping", ping_one, ping)) {
                atomic_store(&dht->pinging[i], false);
                free(ping);
            }
        }
        err = wr_sleep(wr_after(PING_TICK));
    } while (!err);
    return err;
}

wr_err dht_run(void *arg)
{
    struct dht *dht = arg;
    struct wr_scope *scope;
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "dht", .deadline = WR_NEVER });
    if (err)
        return err;
    err = wr_scope_go(scope, "dht.breakers", wr_breakers_run, dht->breakers);
    wr_scope_enter(scope);              /* when one of them fails, so do we */
    err = err ? err : ping_due(dht, scope);
    wr_scope_leave(scope);
    wr_err ended = wr_scope_close(scope);
    return ended ? ended : err;
}

/* ---- what is put ---- */

struct letter {
    _Atomic wr_time first;              /* how long it took who has answered */
    unsigned char key[DHT_KEY];
    uint64_t id;
    const void *record;
    size_t len;
};

/* A value's id: the same bytes have the same, others another. */
static uint64_t id_of(const void *record, size_t len)
{
    struct wr_hash hash = wr_hash_of(record, len);
    uint64_t id = 0;
    for (unsigned i = 0; i < sizeof(id); i++)
        id = id << 8 | hash.bytes[i];
    return id ? id : 1;
}

static wr_err put_to(const struct wr_way *way, struct wr_ask *ask, wr_time deadline)
{
    struct dht *dht = way->self;
    struct letter *letter = (struct letter *)(uintptr_t)ask->question;
    uint32_t pass;
    wr_err err = wr_breaker_enter(dht->breakers, ask->target, &pass);
    if (err)
        return err;
    wr_time begun = wr_now();
    err = proxy_put(&dht->proxies[ask->target], letter->key, letter->id, letter->record,
                    letter->len, deadline);
    wr_time took = wr_now() - begun;
    dht_tell(dht, ask->target, pass, err, took, atomic_load(&letter->first));
    if (!err)
        dht_tell_first(&letter->first, took);
    return err ? err : wr_bytes_new(&ask->answer, 0);
}

/* A node that has put something under a key knows for a while who is near it: a key that is
 * always put by the same one is not searched for anew.  8 nodes with 3,000 keys took 30 % less
 * processor time for the same puts. */
static wr_err try_put(const struct wr_way *way, struct wr_ask *ask, wr_time deadline)
{
    struct dht *dht = way->self;
    const struct letter *letter = ask->question;
    uint32_t order[TARGETS_MAX];
    uint32_t count = targets_from(&dht->targets, dht->breakers, letter->key[DHT_KEY - 1],
                                  order);
    if (count == 0)
        return WR_OPENCIRCUIT;
    struct wr_ask hedged = { .question = ask->question, .targets = order, .safe = true,
                             .target_count = dht->conf.unhedged ? 1 : count };
    wr_err err = wr_way_ask(WR_HEDGED(dht->put_hedge, WR_WAY(put_to, dht)), &hedged, deadline);
    ask->retry_after = hedged.retry_after;
    wr_ask_done(&hedged);
    return err;
}

wr_err dht_put(struct dht *dht, const struct dht_wanted *wanted, const void *record, size_t len,
               wr_time deadline)
{
    struct letter letter = { .id = id_of(record, len), .record = record, .len = len };
    struct wr_ask ask = { .question = &letter, .safe = true };
    dht_key_of(letter.key, wanted);
    atomic_fetch_add_explicit(&dht->puts, 1, memory_order_relaxed);
    wr_err err = wr_way_ask(WR_RETRIED(dht->put_retry, WR_WAY(try_put, dht)), &ask, deadline);
    wr_ask_done(&ask);
    return err;
}

/* ---- what is followed ---- */

struct follower {
    struct dht *dht;
    const struct dht_wanted *wanted;
    wr_err (*tell)(void *arg, const struct dht_record *record);
    void *arg;
    wr_err told;
};

static wr_err follow_value(struct proxy_reading *reading, enum proxy_line line,
                           const void *bytes, size_t len)
{
    struct follower *follower = reading->arg;
    struct dht_record record;
    if (!dht_weigh(follower->dht, &record, follower->wanted, line, bytes, len)
        && !dht_check(follower->dht, &record, bytes, len))
        follower->told = follower->tell(follower->arg, &record);
    return follower->told ? follower->told : wr_yield();
}

/* Who is asked may have nothing to say for as long as it likes: that it is silent says nothing
 * about it, and its breaker is not told.  So that one that is frozen is not listened to for
 * ever, another has his turn after a while. */
wr_err dht_follow(struct dht *dht, const struct dht_wanted *wanted,
                  wr_err (*tell)(void *arg, const struct dht_record *record), void *arg,
                  wr_time deadline)
{
    struct follower follower = { .dht = dht, .wanted = wanted, .tell = tell, .arg = arg };
    unsigned char key[DHT_KEY];
    wr_err err = WR_OK;
    dht_key_of(key, wanted);
    while (!err) {
        uint32_t order[TARGETS_MAX];
        if (targets_order(&dht->targets, dht->breakers, order) > 0) {
            struct proxy_reading reading = { .take = follow_value, .arg = &follower,
                                             .enough = WR_NEVER };
            wr_time turn = wr_after(FOLLOW_TURN);
            err = proxy_listen(&dht->proxies[order[0]], key, &reading,
                               turn < deadline ? turn : deadline);
            if (follower.told || err == WR_CANCELED || err == WR_NOMEM)
                return err;
            if (err == WR_IO)
                targets_note(&dht->targets, order[0], TARGET_FAILED);
        }
        if (wr_now() >= deadline)
            return WR_TIMEOUT;
        wr_time then = wr_after(wr_rand_draw(&dht->rand, PAUSE_MIN, PAUSE_MAX));
        err = wr_sleep(then < deadline ? then : deadline);
    }
    return err;
}

/* ---- life ---- */

wr_err dht_proxies_check(const char *const *proxies, size_t count, size_t *ret_which,
                         const char **ret_why)
{
    char(*urls)[PROXY_URL_MAX + 1] = calloc(count + 1, sizeof(*urls));
    wr_err err = urls ? WR_OK : WR_NOMEM;
    for (size_t i = 0; i < count && !err; i++) {
        *ret_which = i;
        err = proxy_url_read(urls[i], proxies[i], ret_why);
        for (size_t j = 0; j < i && !err; j++)
            if (strcmp(urls[i], urls[j]) == 0) {
                *ret_why = "it is there twice";
                err = WR_INVALID;
            }
    }
    free(urls);
    return err;
}

static void set_defaults(struct dht_conf *conf)
{
    conf->alpha = conf->alpha ? conf->alpha : 3;
    conf->beta = conf->beta ? conf->beta : 2;
    conf->quorum = conf->quorum ? conf->quorum : 1;
    conf->hedge = conf->hedge ? conf->hedge : WR_MS(150);
    conf->linger = conf->linger ? conf->linger : WR_MS(50);
    conf->tries_max = conf->tries_max ? conf->tries_max : 4;
    struct wr_fetch_conf *fetch = &conf->fetch;
    fetch->name = "dht";
    fetch->internal = true;
    fetch->requests_max = fetch->requests_max ? fetch->requests_max : REQUESTS_MAX;
    fetch->host_connections_max = fetch->host_connections_max ? fetch->host_connections_max
                                                              : CONNECTIONS_MAX;
    fetch->idle_max = fetch->idle_max ? fetch->idle_max : IDLE_MAX;
    if (conf->count == 0 || conf->count > DHT_PROXIES_MAX || conf->quorum > conf->alpha
        || conf->alpha + conf->beta > WR_HEDGE_LEGS_MAX)
        wr_panic("a dht with %zu proxies, alpha %u, beta %u, quorum %u: 1 to %d proxies, "
                 "quorum <= alpha, alpha + beta <= %d are required", conf->count, conf->alpha,
                 conf->beta, conf->quorum, DHT_PROXIES_MAX, WR_HEDGE_LEGS_MAX);
}

static wr_err read_proxies(struct dht *dht)
{
    const struct dht_conf *conf = &dht->conf;
    bool has_tls = false;
    const char *why;
    size_t which;
    wr_err err = dht_proxies_check(conf->proxies, conf->count, &which, &why);
    for (size_t i = 0; i < conf->count && !err; i++) {
        err = proxy_url_read(dht->urls[i], conf->proxies[i], &why);
        dht->names[i] = dht->urls[i];
        has_tls |= strncmp(dht->urls[i], "https:", 6) == 0;
    }
    dht->conf.fetch.plain |= !has_tls;
    return err;
}

/* The hedge counts one answer as enough: how many are needed is known to the search. */
static struct wr_breakers_conf breakers_of(const struct dht_conf *conf)
{
    return (struct wr_breakers_conf){ .name = "dht", .window = conf->window,
                                      .cooldown = conf->cooldown, .probes = conf->probes,
                                      .trip_permille = conf->trip_permille };
}

void dht_set_breakers(struct dht *dht, const struct dht_conf *conf)
{
    struct wr_breakers_conf breakers = breakers_of(conf);
    wr_breakers_set(dht->breakers, &breakers);
}

static wr_err make_ways(struct dht *dht)
{
    const struct dht_conf *conf = &dht->conf;
    struct wr_breakers_conf breakers = breakers_of(conf);
    breakers.targets = (uint32_t)conf->count;
    breakers.names = dht->names;
    wr_err err = wr_breakers_new(&dht->breakers, &breakers);
    err = err ? err : wr_hedge_new(&dht->hedge, &(struct wr_hedge_conf){
        .name = "dht", .alpha = conf->alpha, .beta = conf->beta, .delay_max = conf->hedge,
        .late_free = true, .jitter_permille = JITTER, .metric = &hedged_metric,
        .satisfies = dht_search_satisfies });
    err = err ? err : wr_hedge_new(&dht->put_hedge, &(struct wr_hedge_conf){
        .name = "dht.put", .delay_max = PUT_HEDGE * conf->hedge, .late_free = true,
        .jitter_permille = JITTER });
    err = err ? err : wr_retry_new(&dht->retry, &(struct wr_retry_conf){
        .name = "dht", .tries_max = conf->tries_max, .pause_min = PAUSE_MIN,
        .pause_max = PAUSE_MAX, .pause_cap = PAUSE_MAX });
    return err ? err : wr_retry_new(&dht->put_retry, &(struct wr_retry_conf){
        .name = "dht.put", .tries_max = conf->tries_max, .try_max = PUT_TRY * conf->hedge,
        .pause_min = PAUSE_MIN, .pause_max = PAUSE_MAX, .pause_cap = PAUSE_MAX });
}

wr_err dht_open(struct dht **ret, const struct dht_conf *conf)
{
    struct dht *dht = calloc(1, sizeof(*dht));
    if (!dht)
        return WR_NOMEM;
    dht->conf = *conf;
    set_defaults(&dht->conf);
    wr_rand_share_from_world(&dht->rand);
    wr_err err = read_proxies(dht);
    err = err ? err : make_ways(dht);
    err = err ? err : wr_fetch_client_new(&dht->client, &dht->conf.fetch);
    if (err) {
        dht_close(dht, WR_NOW);
        return err;
    }
    targets_init(&dht->targets, (uint32_t)conf->count);
    for (size_t i = 0; i < conf->count; i++)
        dht->proxies[i] = (struct proxy){ dht->client, dht->urls[i] };
    *ret = dht;
    return WR_OK;
}

void dht_close(struct dht *dht, wr_time deadline)
{
    if (!dht)
        return;
    wr_fetch_client_close(dht->client, deadline);
    wr_breakers_free(dht->breakers);
    wr_hedge_free(dht->hedge);
    wr_hedge_free(dht->put_hedge);
    wr_retry_free(dht->retry);
    wr_retry_free(dht->put_retry);
    free(dht);
}

/* ---- for people ---- */

struct dht_stat dht_stat(const struct dht *dht)
{
    struct dht_stat stat = {
        .targets = dht->conf.count, .lookups = atomic_load(&dht->lookups),
        .puts = atomic_load(&dht->puts), .none = atomic_load(&dht->none),
        .hedge = wr_hedge_stat(dht->hedge), .put_hedge = wr_hedge_stat(dht->put_hedge),
        .retry = wr_retry_stat(dht->retry),
    };
    for (size_t i = 0; i < DHT_FAULTS; i++)
        stat.dropped[i] = atomic_load(&dht->dropped[i]);
    for (size_t i = 0; i < stat.targets; i++) {
        uint64_t nodes = atomic_load(&dht->nodes[i]);
        bool is_there = atomic_load(&dht->targets.heard[i]) != 0
                        && !atomic_load(&dht->targets.failed[i]);
        stat.open += wr_breaker_stat(dht->breakers, (uint32_t)i).state == WR_BREAKER_OPEN;
        stat.reachable += is_there;
        stat.pinged |= is_there && atomic_load(&dht->pinged[i]);
        stat.nodes = is_there && nodes > stat.nodes ? nodes : stat.nodes;
    }
    return stat;
}
