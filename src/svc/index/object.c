#include "svc/index/object.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/metric.h>
#include <weir/scope.h>
#include <weir/sem.h>
#include <weir/task.h>

#include "base/forget.h"

#define PART_WITHIN WR_S(1)
#define SCHEME "tcp://"
#define UA "weir"

static struct wr_metric asked_metric = {
    .name = "index_object_fetches_total",
    .help = "Providers that were asked for an object, by what came of it.",
    .type = WR_COUNTER, .labels = { "result" }, .series_max = 16, .svc = "index" };
static struct wr_metric first_metric = {
    .name = "index_object_first_byte_seconds",
    .help = "How long providers took for the first byte of an object.",
    .type = WR_HISTOGRAM, .svc = "index", .digits = WR_NS_AS_S,
    .bounds = { WR_MS(1), WR_MS(3), WR_MS(10), WR_MS(30), WR_MS(80), WR_MS(200), WR_MS(500),
                WR_S(1), WR_S(3) } };
static struct wr_metric damaged_metric = {
    .name = "index_object_damaged_total",
    .help = "Objects of our own store that were not what their id says.",
    .type = WR_COUNTER, .svc = "index" };

struct object {
    struct object_conf conf;
    _Atomic bool internal;
    struct wr_sem *fetches;
};

wr_err object_new(struct object **ret, const struct object_conf *conf)
{
    struct object *object = calloc(1, sizeof(*object));
    if (!object)
        return WR_NOMEM;
    object->conf = *conf;
    atomic_init(&object->internal, conf->internal);
    if (!object->conf.part_within)
        object->conf.part_within = PART_WITHIN;
    wr_err err = wr_sem_new(&object->fetches, "index.fetches", OBJECT_FETCHES_MAX);
    if (err)
        object_free(object);
    else
        *ret = object;
    return err;
}

void object_free(struct object *object)
{
    if (!object)
        return;
    wr_sem_free(object->fetches);
    free(object);
}

void object_allow_internal(struct object *object, bool internal)
{
    atomic_store(&object->internal, internal);
}

void object_got_free(struct object_got *got)
{
    if (got->fetched.at)
        wr_text_free(&got->fetched);
    wr_forget_free(got->stored);
    *got = (struct object_got){ 0 };
}

/* ---- ours ---- */

wr_err object_get_own(struct object *object, const struct wr_hash *cid, struct object_got *ret,
                      wr_time deadline)
{
    char text[WR_CID_TEXT];
    struct object_got got = { 0 };
    wr_hash_print_cid(cid, text);
    wr_err err = store_blob_get(object->conf.store, text, &got.stored, &got.len, deadline);
    if (err == WR_QUARANTINE)
        wr_counter_add(wr_metric_counter(&damaged_metric), 1);
    if (err)
        return err;
    got.bytes = got.stored;
    *ret = got;
    return WR_OK;
}

wr_err object_put(struct object *object, const struct wr_hash *cid, const void *bytes,
                  size_t len, wr_time deadline)
{
    char kept[WR_CID_TEXT];
    if (len > STORE_BLOB_MAX)
        return WR_INVALID;
    struct wr_hash is = wr_hash_of(bytes, len);
    if (!wr_hash_equal(&is, cid))
        return WR_QUARANTINE;
    return store_blob_put(object->conf.store, bytes, len, kept, deadline);
}

/* ---- a provider's ---- */

/* What came of asking one: the words of the metric. */
enum outcome { FINE, ADDRESS, UNREACHABLE, REFUSED, TOO_LARGE, FORGED, BROKE_OFF };
static const char *const outcomes[] = { "ok", "address", "unreachable", "refused",
                                        "oversized", "forged", "broke_off" };

struct coming {
    struct wr_text text;
    struct wr_hash_state hash;
    wr_time began, first;               /* first: how long it took; < 0: not there yet */
};

static wr_err take(void *arg, const void *bytes, size_t len)
{
    struct coming *coming = arg;
    if (coming->first < 0)
        coming->first = wr_now() - coming->began;
    wr_text_bytes(&coming->text, bytes, len);
    wr_hash_add(&coming->hash, bytes, len);
    return coming->text.cut ? WR_INVALID : WR_OK;
}

static bool addr_of(struct wr_addr *ret, const struct object *object, const char *text)
{
    if (strncmp(text, SCHEME, strlen(SCHEME)) != 0
        || wr_addr_parse(ret, text + strlen(SCHEME)) || ret->kind == WR_ADDR_UNIX
        || ret->port == 0)
        return false;
    return atomic_load(&object->internal) || !wr_addr_internal(ret);
}

/* The last of a good answer: whether it is what was asked for. */
static enum outcome judge(struct coming *coming, const struct wr_hash *cid, unsigned code)
{
    struct wr_hash is = wr_hash_end(&coming->hash);
    if (code >= 300)
        return REFUSED;
    if (coming->first < 0)
        coming->first = wr_now() - coming->began;       /* it is empty */
    return wr_hash_equal(&is, cid) ? FINE : FORGED;
}

static enum outcome ask(struct object *object, const struct wr_addr *addr,
                        const struct wr_hash *cid, struct coming *coming, wr_time deadline)
{
    char id[WR_CID_TEXT], payload[WR_CID_TEXT + 16];
    struct wr_oap_client *client;
    struct wr_oap_answer answer = { 0 };
    wr_time soon = wr_after(object->conf.part_within);
    if (wr_oap_connect(&client, &(struct wr_oap_server){ .addr = addr, .ua = UA },
                       soon < deadline ? soon : deadline))
        return UNREACHABLE;
    int len = snprintf(payload, sizeof(payload), "{\"addr\":\"%s\"}",
                       wr_hash_print_cid(cid, id));
    wr_err err = wr_oap_ask_parts(client, &(struct wr_oap_request){
        .id = WR_OAP_OBJ_GET, .payload = payload, .payload_len = (size_t)len },
        &(struct wr_oap_taker){ .take = take, .arg = coming,
                                .within = object->conf.part_within }, &answer, deadline);
    wr_oap_close(client);
    enum outcome outcome = coming->text.cut ? TOO_LARGE
                           : err            ? BROKE_OFF
                                            : judge(coming, cid, answer.code);
    wr_forget_free(answer.payload);
    return outcome;
}

/* WR_OK: it is there and right. */
static wr_err fetch_from(struct object *object, const struct provider *provider,
                         const struct wr_hash *cid, struct object_got *ret, wr_time deadline)
{
    struct wr_addr addr;
    struct coming coming = { .text = wr_text_heap(STORE_BLOB_MAX + 1), .began = wr_now(),
                             .first = -1 };
    wr_hash_begin(&coming.hash);
    enum outcome outcome = addr_of(&addr, object, provider->addr)
                               ? ask(object, &addr, cid, &coming, deadline)
                               : ADDRESS;
    wr_err gone = wr_scope_check();     /* then it says nothing of him */
    if (outcome != FINE) {
        wr_text_free(&coming.text);
        if (gone)
            return gone;
    }
    wr_counter_add(wr_metric_counter(&asked_metric, outcomes[outcome]), 1);
    if (outcome != FINE) {
        latency_failed(object->conf.latencies, provider->id);
        book_failed(object->conf.book, provider->id);
        return WR_IO;
    }
    wr_histogram_observe(wr_metric_histogram(&first_metric), coming.first);
    latency_seen(object->conf.latencies, provider->id, coming.first);
    book_received(object->conf.book, provider->id, coming.text.len);
    *ret = (struct object_got){ .bytes = coming.text.at, .len = coming.text.len,
                                .fetched = coming.text };
    snprintf(ret->from, sizeof(ret->from), "%s", provider->id);
    return WR_OK;
}

/* Until when one may take, so that there is something left for those behind him. */
static wr_time share(wr_time deadline, bool last)
{
    wr_time now = wr_now();
    if (last || deadline == WR_NEVER || deadline <= now)
        return deadline;
    return now + (deadline - now) / 2;
}

static wr_err fetch(struct object *object, const struct wr_hash *cid, struct object_got *ret,
                    wr_time deadline)
{
    struct provider providers[OBJECT_PROVIDERS_MAX];
    size_t count = 0;
    wr_err err = object->conf.find ? object->conf.find(object->conf.arg, cid, providers,
                                                       OBJECT_PROVIDERS_MAX, &count, deadline)
                                   : WR_NOTFOUND;
    if (err)
        return err;
    err = WR_NOTFOUND;
    for (size_t i = 0; i < count; i++) {
        if (object->conf.self && strcmp(providers[i].id, object->conf.self) == 0)
            continue;
        if (wr_now() >= deadline)
            return WR_TIMEOUT;
        err = fetch_from(object, &providers[i], cid, ret, share(deadline, i + 1 == count));
        if (err != WR_IO)
            return err;
    }
    return err == WR_IO && wr_now() >= deadline ? WR_TIMEOUT : err;
}

static void give_back(void *arg)
{
    struct object *object = arg;
    wr_sem_release(object->fetches);
}

wr_err object_get(struct object *object, const struct wr_hash *cid, struct object_got *ret,
                  wr_time deadline)
{
    wr_err own = object_get_own(object, cid, ret, deadline);
    if (own != WR_NOTFOUND && own != WR_QUARANTINE)
        return own;
    wr_err err = wr_sem_try_acquire_many(object->fetches, 1);
    if (err)
        return err;
    struct wr_cleanup cleanup = { .fn = give_back, .arg = object };
    wr_cleanup_push(&cleanup);
    err = fetch(object, cid, ret, deadline);
    wr_cleanup_pop(&cleanup);
    give_back(object);
    if (!err && own == WR_QUARANTINE)   /* whether it can be mended is the store's business */
        (void)!object_put(object, cid, ret->bytes, ret->len, deadline);
    return err == WR_NOTFOUND ? own : err;
}
