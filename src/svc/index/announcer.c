/* announcer.c - see announcer.h. */
#include "svc/index/announcer.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/chan.h>
#include <weir/lock.h>
#include <weir/log.h>
#include <weir/scope.h>
#include <weir/select.h>
#include <weir/task.h>

#include "dht/dht.h"
#include "svc/index/catalog.h"
#include "svc/index/index_meter.h"
#include "svc/index/shift.h"

#define EVERY WR_S(300)
#define VALID WR_S(600)
#define WITHIN WR_S(2)
#define INFLIGHT 64
#define RATE 1000
#define PAGE 200
#define BATCH 16                        /* are sent on before it is looked at the clock */
#define STORE_WITHIN WR_S(5)
#define LOCK_RANK 463

struct announcer {
    struct announcer_conf conf;
    struct wr_mutex lock;
    char addr[PROVIDER_ADDR], region[PROVIDER_REGION];      /* under the lock */
    struct wr_chan *fresh;              /* new offers */
    struct wr_chan *again;              /* that could not be announced */
    struct wr_chan *begin;              /* a round is wanted */
    _Atomic uint64_t rounds, done, total, failed, added, added_done, announced, alone, failures;
    _Atomic int64_t began, took;
    atomic_bool running;
};

/* ---- making it ---- */

static wr_err make_queue(struct wr_chan **ret, const char *name, size_t size, size_t cap,
                         enum wr_chan_policy policy)
{
    return wr_chan_new(ret, &(struct wr_chan_conf){ .name = name, .item_size = size,
                                                    .cap = cap, .policy = policy });
}

static wr_err make_queues(struct announcer *announcer)
{
    size_t size = sizeof(struct index_key);
    wr_err err = make_queue(&announcer->fresh, "index.offers", size, ANNOUNCER_QUEUE, WR_WAIT);
    if (!err)
        err = make_queue(&announcer->again, "index.again", size, ANNOUNCER_QUEUE, WR_REJECT);
    return err ? err : make_queue(&announcer->begin, "index.begin", 1, 1, WR_REJECT);
}

static void fill_in(struct announcer_conf *conf)
{
    conf->every = conf->every ? conf->every : EVERY;
    conf->valid = conf->valid ? conf->valid : VALID;
    conf->within = conf->within ? conf->within : WITHIN;
    conf->inflight = conf->inflight ? conf->inflight : INFLIGHT;
    conf->rate = conf->rate ? conf->rate : RATE;
}

wr_err announcer_new(struct announcer **ret, const struct announcer_conf *conf)
{
    WR_ASSERT(conf->store && conf->line && conf->signer);
    struct announcer *announcer = calloc(1, sizeof(*announcer));
    if (!announcer)
        return WR_NOMEM;
    announcer->conf = *conf;
    announcer->lock = (struct wr_mutex)WR_MUTEX("index.announcer", LOCK_RANK);
    fill_in(&announcer->conf);
    announcer_introduce(announcer, conf->addr ? conf->addr : "",
                        conf->region ? conf->region : "");
    wr_err err = make_queues(announcer);
    if (err) {
        announcer_free(announcer);
        return err;
    }
    *ret = announcer;
    return WR_OK;
}

void announcer_free(struct announcer *announcer)
{
    if (!announcer)
        return;
    wr_chan_free(announcer->fresh);
    wr_chan_free(announcer->again);
    wr_chan_free(announcer->begin);
    wr_mutex_fini(&announcer->lock);
    free(announcer);
}

void announcer_introduce(struct announcer *announcer, const char *addr, const char *region)
{
    wr_mutex_lock(&announcer->lock);
    snprintf(announcer->addr, sizeof(announcer->addr), "%s", addr);
    snprintf(announcer->region, sizeof(announcer->region), "%s", region);
    wr_mutex_unlock(&announcer->lock);
}

void announcer_begin(struct announcer *announcer)
{
    (void)!wr_chan_send(announcer->begin, "", WR_NOW);      /* full: it is wanted already */
}

/* ---- one offer ---- */

/* NOTFOUND: there is nothing to say of it. */
static wr_err describe(struct announcer *announcer, const struct index_key *key,
                       struct dht_record *ret)
{
    struct catalog_pointer pointer;
    *ret = (struct dht_record){ .kind = key->is_name ? DHT_NAME : DHT_PROVIDER,
                                .cid = key->cid, .issued_at = wr_wall() };
    ret->expires_at.ns = ret->issued_at.ns + announcer->conf.valid;
    wr_mutex_lock(&announcer->lock);
    bool somewhere = *announcer->addr;
    if (!key->is_name) {
        memcpy(ret->addr, announcer->addr, sizeof(announcer->addr));
        memcpy(ret->region, announcer->region, sizeof(announcer->region));
    }
    wr_mutex_unlock(&announcer->lock);
    if (!key->is_name)
        return somewhere ? WR_OK : WR_NOTFOUND;
    wr_err err = catalog_get(announcer->conf.store, CATALOG_SITE, index_key_name(key), &pointer,
                             wr_after(STORE_WITHIN));
    if (!err) {
        ret->cid = pointer.manifest;
        snprintf(ret->name, sizeof(ret->name), "%s", index_key_name(key));
    }
    return err;
}

static wr_err put(struct announcer *announcer, const struct index_key *key,
                  const struct dht_record *record, bool *ret_alone)
{
    struct dht_wanted wanted = { record->kind, key->is_name ? NULL : &key->cid,
                                 key->is_name ? record->name : NULL };
    unsigned char bytes[DHT_RECORD_MAX];
    struct dht_hold hold;
    wr_err err = dht_line_take(announcer->conf.line, &hold);
    if (err)
        return err;
    size_t len = dht_record_write(bytes, record, announcer->conf.signer);
    err = dht_put(hold.dht, &wanted, bytes, len, wr_after(announcer->conf.within));
    *ret_alone = err == WR_DEGRADED;
    return dht_line_give(&hold, *ret_alone ? WR_OK : err);
}

/* Whether it is done, for now.  What is not is for later. */
static bool announce(struct announcer *announcer, const struct index_key *key)
{
    struct dht_record record;
    bool alone = false;
    wr_err err = describe(announcer, key, &record);
    if (err == WR_NOTFOUND)
        return true;
    if (!err)
        err = put(announcer, key, &record, &alone);
    if (err == WR_CANCELED)
        return false;
    index_meter_announced(alone ? WR_DEGRADED : err ? WR_IO : WR_OK);
    atomic_fetch_add(err ? &announcer->failures : alone ? &announcer->alone
                                                        : &announcer->announced, 1);
    if (err)
        (void)!wr_chan_send(announcer->again, key, WR_NOW);
    return !err;
}

wr_err announcer_offer(struct announcer *announcer, const struct index_key *key,
                       wr_time deadline)
{
    wr_err err = catalog_offer(announcer->conf.store, key->text, deadline);
    if (err)
        return err;
    atomic_fetch_add(&announcer->added, 1);
    if (wr_chan_send(announcer->fresh, key, deadline))
        atomic_fetch_add(&announcer->added_done, 1);        /* in the next round */
    return WR_OK;
}

/* ---- those who announce ---- */

static wr_err announce_fresh(void *arg)
{
    struct announcer *announcer = arg;
    struct index_key key;
    wr_err err;
    while (!(err = wr_chan_recv(announcer->fresh, &key, WR_NEVER))) {
        (void)announce(announcer, &key);
        atomic_fetch_add(&announcer->added_done, 1);
    }
    return err;
}

struct round {
    struct announcer *announcer;
    struct wr_chan *keys;               /* closed after the last */
    wr_time began;
};

static wr_err announce_round(void *arg)
{
    struct round *round = arg;
    struct announcer *announcer = round->announcer;
    struct index_key key;
    wr_err err;
    while (!(err = wr_chan_recv(round->keys, &key, WR_NEVER))) {
        if (!announce(announcer, &key))
            atomic_fetch_add(&announcer->failed, 1);
        atomic_fetch_add(&announcer->done, 1);
    }
    return err == WR_CLOSED ? WR_OK : err;
}

/* What could not be announced, from time to time: as many as there are by then. */
static wr_err announce_again(void *arg)
{
    struct announcer *announcer = arg;
    struct index_key key;
    wr_err err;
    while (!(err = wr_sleep(wr_after(ANNOUNCER_AGAIN)))) {
        size_t count = wr_chan_stat(announcer->again).len;
        while (count-- && dht_line_is_up(announcer->conf.line) &&
               !wr_chan_recv(announcer->again, &key, WR_NOW))
            (void)announce(announcer, &key);
    }
    return err;
}

/* ---- rounds ---- */

/* From one to the next. */
static wr_time gap_of(const struct announcer *announcer, uint64_t total)
{
    wr_time usual = WR_S(1) / announcer->conf.rate;
    wr_time needed = announcer->conf.every / 2 / (wr_time)(total ? total : 1);
    return usual < needed ? usual : needed;
}

/* *after is where it goes on; empty: that was the last. */
static wr_err send_page(struct round *round, char *after, wr_time gap, uint64_t *sent)
{
    struct store_pointers offers;
    wr_err err = catalog_offers(round->announcer->conf.store, after, PAGE, &offers,
                                wr_after(STORE_WITHIN));
    for (size_t i = 0; !err && i < offers.count; i++) {
        struct index_key key;
        const char *clause, *text = store_pointer_at(&offers, i).name;
        if (index_key_read(&key, text, &clause))
            continue;
        if (++*sent % BATCH == 0)
            err = wr_sleep(round->began + (wr_time)*sent * gap);
        if (!err)
            err = wr_chan_send(round->keys, &key, WR_NEVER);
    }
    if (!err && offers.count == PAGE)
        snprintf(after, INDEX_KEY_TEXT, "%s", store_pointer_at(&offers, PAGE - 1).name);
    else
        *after = '\0';
    store_pointers_free(&offers);
    return err;
}

static void note_begin(struct announcer *announcer, uint64_t total)
{
    atomic_fetch_add(&announcer->rounds, 1);
    atomic_store(&announcer->done, 0);
    atomic_store(&announcer->failed, 0);
    atomic_store(&announcer->total, total);
    atomic_store(&announcer->began, wr_now());
    atomic_store(&announcer->running, true);
    index_meter_offers(total);
}

static void note_end(struct announcer *announcer, wr_err err)
{
    wr_time took = wr_now() - announcer->began;
    atomic_store(&announcer->took, took);
    atomic_store(&announcer->running, false);
    if (!err && announcer->done)
        wr_log(WR_INFO, "index.announced", WR_F_U64("offers", announcer->done),
               WR_F_U64("failed", announcer->failed), WR_F_MS("took", took));
}

/* All of them, to those who announce. */
static wr_err send_all(struct announcer *announcer, struct round *round, uint64_t total)
{
    char after[INDEX_KEY_TEXT] = "";
    uint64_t sent = 0;
    wr_err err;
    do
        err = send_page(round, after, gap_of(announcer, total), &sent);
    while (!err && *after);
    return err;
}

static wr_err go_round(struct announcer *announcer)
{
    struct round round = { .announcer = announcer, .began = wr_now() };
    struct wr_scope *scope = NULL;
    uint64_t total;
    wr_err err = catalog_offer_count(announcer->conf.store, &total, wr_after(STORE_WITHIN));
    if (!err)
        err = make_queue(&round.keys, "index.round", sizeof(struct index_key), BATCH, WR_WAIT);
    if (!err)
        err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "index.round",
                                                            .deadline = WR_NEVER });
    bool begun = !err;
    if (begun)
        note_begin(announcer, total);
    for (uint32_t i = 0; !err && i < announcer->conf.inflight; i++)
        err = wr_scope_go(scope, "index.announcer", announce_round, &round);
    if (!err)
        err = send_all(announcer, &round, total);
    if (round.keys)
        wr_chan_close(round.keys);
    if (!err)
        err = wr_scope_join(scope, WR_NEVER);
    wr_err of_scope = wr_scope_close(scope);
    wr_chan_free(round.keys);
    err = err ? err : of_scope;
    if (begun)
        note_end(announcer, err);
    return err;
}

/* Round after round; without a DHT it is looked for one now and then. */
static wr_err go_rounds(void *arg)
{
    struct announcer *announcer = arg;
    char wanted;
    wr_err err = WR_OK;
    while (!err) {
        wr_time next = wr_after(ANNOUNCER_AGAIN);
        if (dht_line_is_up(announcer->conf.line)) {
            wr_time began = wr_now();
            err = go_round(announcer);
            if (!err)
                next = began + announcer->conf.every;
            else if (err != WR_CANCELED)
                wr_log(WR_WARN, "index.not_announced", WR_F_ERR(err));
        }
        if (err != WR_CANCELED)
            err = wr_chan_recv(announcer->begin, &wanted, next);
        if (err == WR_TIMEOUT)
            err = wr_scope_check();
    }
    return err;
}

/* What is not new has time. */
static wr_err announce_old(void *arg)
{
    struct announcer *announcer = arg;
    struct wr_scope *scope;
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "index.announcer", .deadline = WR_NEVER, .low = true });
    if (err)
        return err;
    err = wr_scope_go(scope, "index.again", announce_again, announcer);
    if (!err)
        err = wr_scope_go(scope, "index.rounds", go_rounds, announcer);
    if (!err)
        err = wr_scope_join(scope, WR_NEVER);
    wr_err of_all = wr_scope_close(scope);
    return err ? err : of_all;
}

/* Nothing need be finished: what is offered is in the store. */
wr_err announcer_run(void *arg, struct wr_once *drain)
{
    struct announcer *announcer = arg;
    struct wr_scope *scope;
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "index.offers",
                                                               .deadline = WR_NEVER });
    if (err)
        return err;
    for (uint32_t i = 0; !err && i < announcer->conf.inflight; i++)
        err = wr_scope_go(scope, "index.offerer", announce_fresh, announcer);
    if (!err)
        err = wr_scope_go(scope, "index.announcer", announce_old, announcer);
    if (!err)
        return shift_end(scope, drain);
    (void)!wr_scope_close(scope);
    return err;
}

struct announcer_stat announcer_stat(const struct announcer *announcer)
{
    return (struct announcer_stat){
        .round = announcer->rounds, .running = announcer->running, .done = announcer->done,
        .total = announcer->total, .failed = announcer->failed, .began = announcer->began,
        .took = announcer->took, .added = announcer->added,
        .added_done = announcer->added_done, .announced = announcer->announced,
        .alone = announcer->alone, .failures = announcer->failures };
}
