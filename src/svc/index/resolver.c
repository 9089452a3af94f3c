/* resolver.c - see resolver.h.
 *
 * Who leads a flight gives it to the queue as a job and waits like the others: so a lookup is
 * not the affair of the one who asked first, and goes on when he is gone.
 */
#include "svc/index/resolver.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/cache.h>
#include <weir/log.h>
#include <weir/scope.h>
#include <weir/select.h>
#include <weir/task.h>

#include "flow/flight.h"
#include "svc/index/catalog.h"
#include "svc/index/index_memory.h"
#include "svc/index/index_meter.h"

#define WORKERS 128
#define QUEUE_MAX 512
#define VALID WR_S(600)
#define WARM_WITHIN WR_MS(1200)
#define WARMERS 4
#define PIN_WITHIN WR_MS(200)
#define PINS_AT_ONCE 100
#define TRIES_MAX 4

struct question {
    enum index_question kind;
    bool fresh;
    struct index_key key;
};

struct job {
    struct question question;
    struct flight *flight;
    wr_time deadline;
};

#define STRIPES 256

struct resolver {
    struct resolver_conf conf;
    _Atomic uint32_t drops[STRIPES];    /* times that keys of a stripe were dropped */
    struct index_memory *memory;
    struct flights *flights;
    struct wr_chan *work, *warm;
    struct wr_chan *gone;               /* a value for each worker that has ended by a panic */
    _Atomic uint64_t asked, hits, nothings, shared, looked, looked_ns, refused, late, warmed,
        restarted;
    _Atomic uint32_t working;
};

/* ---- making it ---- */

static void refuse(struct job *job, wr_err err)
{
    flight_take(job->flight);
    flight_land(job->flight, err, NULL);
}

static void refuse_dropped(void *item)
{
    refuse(item, WR_DRAINING);
}

static void fill_in(struct resolver_conf *conf)
{
    conf->workers = conf->workers ? conf->workers : WORKERS;
    conf->queue_max = conf->queue_max ? conf->queue_max : QUEUE_MAX;
    conf->valid = conf->valid ? conf->valid : VALID;
    conf->warm_within = conf->warm_within ? conf->warm_within : WARM_WITHIN;
}

static wr_err make_queues(struct resolver *resolver)
{
    const struct resolver_conf *conf = &resolver->conf;
    wr_err err = wr_chan_new(&resolver->work, &(struct wr_chan_conf){
        .name = "index.work", .item_size = sizeof(struct job), .cap = conf->queue_max,
        .policy = WR_REJECT, .drop = refuse_dropped });
    if (!err)
        err = wr_chan_new(&resolver->warm, &(struct wr_chan_conf){
            .name = "index.warm", .item_size = sizeof(struct index_key),
            .cap = RESOLVER_WARM_MAX, .policy = WR_WAIT });
    if (!err)
        err = wr_chan_new(&resolver->gone, &(struct wr_chan_conf){
            .name = "index.gone", .item_size = 1, .cap = conf->workers, .policy = WR_REJECT });
    return err;
}

wr_err resolver_new(struct resolver **ret, const struct resolver_conf *conf)
{
    WR_ASSERT(conf->store && conf->line && conf->workers <= RESOLVER_WORKERS_MAX);
    struct resolver *resolver = calloc(1, sizeof(*resolver));
    if (!resolver)
        return WR_NOMEM;
    resolver->conf = *conf;
    fill_in(&resolver->conf);
    wr_err err = index_memory_new(&resolver->memory, &conf->memory);
    if (!err)
        err = make_queues(resolver);
    if (!err)
        err = flights_new(&resolver->flights, "index.flights");
    if (err) {
        resolver_free(resolver);
        return err;
    }
    *ret = resolver;
    return WR_OK;
}

void resolver_free(struct resolver *resolver)
{
    if (!resolver)
        return;
    wr_chan_free(resolver->work);           /* lands what is in it */
    wr_chan_free(resolver->warm);
    wr_chan_free(resolver->gone);
    flights_free(resolver->flights);
    index_memory_free(resolver->memory);
    free(resolver);
}

/* ---- what is remembered ---- */

static size_t stripe_of(const struct index_key *key)
{
    struct wr_hash hash = wr_hash_of(key->text, strlen(key->text));
    return hash.bytes[0];
}

/* Who wants it fresh remembers nothing. */
static enum wr_cache_found recall(struct resolver *resolver, const struct question *question,
                                  struct wr_bytes **ret)
{
    return question->fresh ? WR_CACHE_MISS
                           : index_memory_get(resolver->memory, question->kind,
                                              question->key.text, ret);
}

/* A lookup that began before its key was dropped may have seen what was there before: it is
 * neither remembered nor shared with those who come later.  Some keys share a count. */
static uint32_t drops_of(struct resolver *resolver, const struct index_key *key)
{
    return atomic_load(&resolver->drops[stripe_of(key)]);
}

/* Only what is known: not an error, nor what the store says because nobody could be asked. */
static void remember(struct resolver *resolver, const struct question *question, uint32_t drops,
                     wr_err err, struct wr_bytes *bytes)
{
    if ((err && err != WR_NOTFOUND) || (!err && found_in(bytes)->degraded))
        return;
    if (drops_of(resolver, &question->key) != drops)
        return;
    index_memory_put(resolver->memory, question->kind, question->key.text, bytes);
    if (!err && question->kind == INDEX_MANIFEST && found_in(bytes)->source == FOUND_DHT &&
        !question->key.is_name)
        index_memory_put(resolver->memory, INDEX_PROVIDERS, question->key.text, bytes);
}

/* What is pinned is kept where others do not crowd it out. */
static void keep_pinned(struct resolver *resolver, const struct question *question,
                        struct wr_bytes *bytes)
{
    if (!question->key.is_name && !found_in(bytes)->degraded &&
        !catalog_is_pinned(resolver->conf.store, question->key.text, wr_after(PIN_WITHIN)))
        index_memory_pin(resolver->memory, question->kind, question->key.text, bytes);
}

void resolver_remember(struct resolver *resolver, const struct index_memory_conf *conf)
{
    index_memory_set(resolver->memory, conf);
}

void resolver_drop(struct resolver *resolver, const struct index_key *key)
{
    atomic_fetch_add(&resolver->drops[stripe_of(key)], 1);
    index_memory_drop(resolver->memory, key->text);
}

void resolver_clear(struct resolver *resolver)
{
    for (size_t i = 0; i < STRIPES; i++)
        atomic_fetch_add(&resolver->drops[i], 1);
    index_memory_clear(resolver->memory);
}

/* ---- looking for it ---- */

static wr_err look(struct resolver *resolver, const struct question *question,
                   struct wr_bytes **ret, wr_time deadline)
{
    struct lookup lookup = { .store = resolver->conf.store, .line = resolver->conf.line,
                             .valid = resolver->conf.valid, .self = resolver->conf.self };
    return question->kind == INDEX_MANIFEST
        ? lookup_manifest(&lookup, &question->key, ret, deadline)
        : lookup_providers(&lookup, &question->key.cid, ret, deadline);
}

/* The leader of the flight looks, and lands it. */
static void answer_flight(struct resolver *resolver, const struct question *question,
                          struct flight *flight, wr_time deadline)
{
    struct wr_bytes *bytes = NULL;
    uint32_t drops = drops_of(resolver, &question->key);
    enum wr_cache_found cached = recall(resolver, question, &bytes);
    wr_err err = cached == WR_CACHE_NOTHING ? WR_NOTFOUND : WR_OK;
    if (cached == WR_CACHE_MISS) {
        err = look(resolver, question, &bytes, deadline);
        remember(resolver, question, drops, err, bytes);
    }
    flight_land(flight, err, bytes);
    if (cached == WR_CACHE_MISS && !err)
        keep_pinned(resolver, question, bytes);
    wr_bytes_unref(bytes);
}

static void stop_working(void *arg)
{
    struct resolver *resolver = arg;
    atomic_fetch_sub(&resolver->working, 1);
}

static void do_job(struct resolver *resolver, const struct job *job)
{
    struct wr_cleanup cleanup = { .fn = stop_working, .arg = resolver };
    wr_time began = wr_now();
    atomic_fetch_add(&resolver->working, 1);
    wr_cleanup_push(&cleanup);
    flight_take(job->flight);
    if (began < job->deadline) {
        answer_flight(resolver, &job->question, job->flight, job->deadline);
        atomic_fetch_add(&resolver->looked, 1);
        atomic_fetch_add(&resolver->looked_ns, (uint64_t)(wr_now() - began));
    } else {
        flight_land(job->flight, WR_TIMEOUT, NULL);
        atomic_fetch_add(&resolver->late, 1);
    }
    wr_cleanup_pop(&cleanup);
    stop_working(resolver);
}

/* ---- asking ---- */

static wr_err board(struct resolver *resolver, const struct question *question,
                    struct flight **ret, bool *ret_leads)
{
    char text[16 + INDEX_KEY_TEXT];
    int len = snprintf(text, sizeof(text), "%c%c%u %s", question->fresh ? 'f' : 'a',
                       question->kind == INDEX_MANIFEST ? 'r' : 'p',
                       drops_of(resolver, &question->key), question->key.text);
    return flight_board(resolver->flights, text, (size_t)len, ret, ret_leads);
}

static void enqueue(struct resolver *resolver, const struct question *question,
                    struct flight *flight, wr_time deadline)
{
    struct job job = { *question, flight, deadline };
    flight_hand(flight);
    wr_err err = wr_chan_send(resolver->work, &job, WR_NOW);
    if (err == WR_BUSY)
        atomic_fetch_add(&resolver->refused, 1);
    if (err)
        refuse(&job, err == WR_CLOSED ? WR_DRAINING : err);
}

/* *ret_theirs: the error is of somebody else's making, and there may be none for us. */
static wr_err fly(struct resolver *resolver, const struct question *question,
                  struct wr_bytes **ret, bool *ret_theirs, wr_time deadline)
{
    struct flight *flight;
    bool leads;
    wr_err outcome = WR_OK;
    *ret_theirs = false;
    wr_err err = board(resolver, question, &flight, &leads);
    if (err)
        return err;
    if (leads)
        enqueue(resolver, question, flight, deadline);
    else
        atomic_fetch_add(&resolver->shared, 1);
    err = flight_wait(flight, &outcome, ret, deadline);
    if (err)
        return err;
    *ret_theirs = outcome == WR_TIMEOUT || outcome == WR_CANCELED || outcome == WR_PANIC;
    return outcome;
}

/* The providers of a manifest are in the answer if they happen to be known. */
static void fill_answer(struct resolver *resolver, const struct question *question,
                        struct resolver_answer *ret, struct wr_bytes *bytes, bool cached)
{
    const struct found *found = found_in(bytes), *set = found;
    struct wr_bytes *known = NULL;
    char text[WR_CID_TEXT];
    bool is_set = question->kind == INDEX_PROVIDERS ||
        (!question->key.is_name && found->source == FOUND_DHT);
    if (!is_set && index_memory_get(resolver->memory, INDEX_PROVIDERS,
                                    wr_hash_print_cid(&found->manifest, text),
                                    &known) == WR_CACHE_HIT)
        set = found_in(known);
    *ret = (struct resolver_answer){
        .source = cached ? FOUND_CACHE : found->source, .degraded = found->degraded,
        .asked = found->asked, .winner = found->winner, .alpha_took = found->alpha_took,
        .beta_took = found->beta_took, .manifest = found->manifest,
        .age = wr_now() - found->looked_at, .providers = set->providers, .count = set->count,
        .bytes = bytes, .set = known };
}

static wr_err ask(struct resolver *resolver, const struct question *question,
                  struct resolver_answer *ret, wr_time deadline)
{
    struct wr_bytes *bytes = NULL;
    enum wr_cache_found cached = recall(resolver, question, &bytes);
    wr_err err = cached == WR_CACHE_NOTHING ? WR_NOTFOUND : WR_OK;
    atomic_fetch_add_explicit(&resolver->asked, 1, memory_order_relaxed);
    if (cached)
        atomic_fetch_add_explicit(err ? &resolver->nothings : &resolver->hits, 1,
                                  memory_order_relaxed);
    if (!question->fresh)
        index_meter_cached(cached != WR_CACHE_MISS);
    bool theirs = cached == WR_CACHE_MISS;
    for (int tries = 0; theirs && tries < TRIES_MAX && (tries == 0 || wr_now() < deadline);
         tries++)
        err = fly(resolver, question, &bytes, &theirs, deadline);
    if (!err)
        fill_answer(resolver, question, ret, bytes, cached != WR_CACHE_MISS);
    return err;
}

wr_err resolver_resolve(struct resolver *resolver, const struct index_key *key, bool fresh,
                        struct resolver_answer *ret, wr_time deadline)
{
    return ask(resolver, &(struct question){ INDEX_MANIFEST, fresh, *key }, ret, deadline);
}

wr_err resolver_providers(struct resolver *resolver, const struct wr_hash *cid, bool fresh,
                          struct resolver_answer *ret, wr_time deadline)
{
    struct question question = { INDEX_PROVIDERS, fresh, { .cid = *cid } };
    wr_hash_print_cid(cid, question.key.text);
    return ask(resolver, &question, ret, deadline);
}

void resolver_answer_free(struct resolver_answer *answer)
{
    wr_bytes_unref(answer->bytes);
    wr_bytes_unref(answer->set);
    *answer = (struct resolver_answer){ 0 };
}

/* ---- at leisure ---- */

wr_err resolver_warm(struct resolver *resolver, const struct index_key *key)
{
    wr_err err = wr_chan_send(resolver->warm, key, WR_NOW);
    return err == WR_CLOSED ? WR_DRAINING : err;
}

/* Without a job: whoever is being warmed takes no place in the queue.  If somebody is looking
 * for it anew already, that is as good. */
static wr_err warm_one(struct resolver *resolver, const struct question *question,
                       struct resolver_answer *ret)
{
    wr_time deadline = wr_after(resolver->conf.warm_within);
    struct flight *flight;
    struct wr_bytes *bytes = NULL;
    bool leads;
    wr_err outcome = WR_OK;
    wr_err err = board(resolver, question, &flight, &leads);
    if (err)
        return err;
    if (leads) {
        flight_hand(flight);
        flight_take(flight);
        answer_flight(resolver, question, flight, deadline);
    }
    err = flight_wait(flight, &outcome, &bytes, deadline);
    atomic_fetch_add(&resolver->warmed, 1);
    if (!err && !outcome)
        fill_answer(resolver, question, ret, bytes, false);
    return err ? err : outcome;
}

static void warm_key(struct resolver *resolver, const struct index_key *key)
{
    struct question providers = { INDEX_PROVIDERS, true, *key };
    struct resolver_answer answer = { 0 };
    if (key->is_name) {
        wr_err err = warm_one(resolver, &(struct question){ INDEX_MANIFEST, true, *key },
                              &answer);
        if (err)
            return;
        providers.key = (struct index_key){ .cid = answer.manifest };
        wr_hash_print_cid(&answer.manifest, providers.key.text);
        resolver_answer_free(&answer);
    }
    if (!warm_one(resolver, &providers, &answer))
        resolver_answer_free(&answer);
}

static wr_err keep_warm(void *arg)
{
    struct resolver *resolver = arg;
    struct index_key key;
    wr_err err;
    while (!(err = wr_chan_recv(resolver->warm, &key, WR_NEVER)))
        warm_key(resolver, &key);
    return err == WR_CLOSED ? WR_OK : err;
}

static wr_err warm_pins(struct resolver *resolver)
{
    char after[WR_CID_TEXT] = "";
    struct store_pointers pins;
    wr_err err;
    size_t count = PINS_AT_ONCE;
    for (err = WR_OK; !err && count == PINS_AT_ONCE;) {
        err = catalog_pins(resolver->conf.store, after, PINS_AT_ONCE, &pins,
                           wr_after(WARM_WITHIN));
        count = pins.count;
        for (size_t i = 0; !err && i < count; i++) {
            struct index_key key;
            const char *clause, *text = store_pointer_at(&pins, i).name;
            snprintf(after, sizeof(after), "%s", text);
            if (!index_key_read(&key, text, &clause))
                err = wr_chan_send(resolver->warm, &key, WR_NEVER);
        }
        store_pointers_free(&pins);
    }
    return err;
}

/* What is to be warm from the start.  If that fails nothing is lost but the warmth. */
static wr_err prefetch(void *arg)
{
    struct resolver *resolver = arg;
    wr_err err = WR_OK;
    for (size_t i = 0; !err && i < resolver->conf.warmup_count; i++)
        err = wr_chan_send(resolver->warm, &resolver->conf.warmup[i], WR_NEVER);
    if (!err)
        err = warm_pins(resolver);
    if (err && err != WR_CANCELED && err != WR_CLOSED)
        wr_log(WR_WARN, "index.not_warmed", WR_F_ERR(err));
    return WR_OK;
}

/* ---- running ---- */

static void tell_gone(void *arg)
{
    struct resolver *resolver = arg;
    (void)!wr_chan_send(resolver->gone, "", WR_NOW);
}

static wr_err work(void *arg)
{
    struct resolver *resolver = arg;
    struct wr_cleanup cleanup = { .fn = tell_gone, .arg = resolver };
    struct job job;
    wr_err err;
    wr_cleanup_push(&cleanup);
    while (!(err = wr_chan_recv(resolver->work, &job, WR_NEVER)))
        do_job(resolver, &job);
    wr_cleanup_pop(&cleanup);
    return err == WR_CLOSED ? WR_OK : err;
}

static wr_err start_workers(struct resolver *resolver, struct wr_scope *scope)
{
    wr_err err = WR_OK;
    for (uint32_t i = 0; !err && i < resolver->conf.workers; i++)
        err = wr_scope_go(scope, "index.worker", work, resolver);
    return err;
}

static wr_err start_leisure(struct resolver *resolver, struct wr_scope *scope)
{
    wr_err err = index_memory_start(resolver->memory, scope);
    for (int i = 0; !err && i < WARMERS; i++)
        err = wr_scope_go(scope, "index.warmer", keep_warm, resolver);
    return err ? err : wr_scope_go(scope, "index.prefetch", prefetch, resolver);
}

/* Until it is drained: a worker in place of each that has ended. */
static wr_err mind(struct resolver *resolver, struct wr_scope *workers, struct wr_once *drain)
{
    char gone;
    struct wr_case cases[] = { WR_CASE_ONCE(drain, NULL), WR_CASE_RECV(resolver->gone, &gone) };
    size_t which;
    wr_err err;
    while (!(err = wr_select(&which, cases, 2, WR_NEVER)) && which == 1) {
        atomic_fetch_add(&resolver->restarted, 1);
        err = wr_scope_go(workers, "index.worker", work, resolver);
        if (err)
            return err;
    }
    return err;
}

/* No more comes in; what waits is answered, or, if that is not granted, refused. */
static wr_err finish(struct resolver *resolver, struct wr_scope *workers)
{
    struct job job;
    wr_chan_close(resolver->work);
    wr_chan_close(resolver->warm);
    wr_err err = workers ? wr_scope_join(workers, WR_NEVER) : WR_OK;
    while (!wr_chan_recv(resolver->work, &job, WR_NOW))
        refuse(&job, WR_DRAINING);
    return err == WR_PANIC ? WR_OK : err;
}

wr_err resolver_run(void *arg, struct wr_once *drain)
{
    struct resolver *resolver = arg;
    struct wr_scope *workers = NULL, *leisure = NULL;
    wr_err err = wr_scope_new(&workers, &(struct wr_scope_conf){
        .name = "index.workers", .deadline = WR_NEVER, .independent = true });
    if (!err)
        err = wr_scope_new(&leisure, &(struct wr_scope_conf){
            .name = "index.leisure", .deadline = WR_NEVER, .low = true, .independent = true });
    if (!err)
        err = start_leisure(resolver, leisure);
    if (!err)
        err = start_workers(resolver, workers);
    if (!err)
        err = mind(resolver, workers, drain);
    if (!err || err == WR_CANCELED)
        err = finish(resolver, workers);
    (void)!wr_scope_close(leisure);
    (void)!wr_scope_close(workers);
    return err;
}

struct resolver_stat resolver_stat(struct resolver *resolver)
{
    return (struct resolver_stat){
        .asked = resolver->asked, .hits = resolver->hits, .nothings = resolver->nothings,
        .shared = resolver->shared, .looked = resolver->looked,
        .looked_ns = resolver->looked_ns, .refused = resolver->refused,
        .late = resolver->late, .warmed = resolver->warmed, .restarted = resolver->restarted,
        .workers = resolver->conf.workers, .working = resolver->working,
        .entries = index_memory_size(resolver->memory), .queue = wr_chan_stat(resolver->work) };
}
