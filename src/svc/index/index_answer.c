/* index_answer.c - see index_answer.h. */
#include "svc/index/index_answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "svc/index/index_events.h"
#include "svc/index/index_meter.h"
#include "svc/index/latency.h"
#include "svc/index/resolver.h"

#define SCORE_DIGITS 4

/* Those of an answer in their order, by one snapshot of the settings. */
static wr_err put_in_order(struct index_desk *desk, const struct resolver_answer *answer,
                           const struct rank_wish *wish, struct ranked **ret, size_t *ret_count,
                           bool *ret_more)
{
    struct ranked *ranked = calloc(answer->count + 1, sizeof(*ranked));
    if (!ranked)
        return WR_NOMEM;
    const struct index_settings *settings = wr_cell_get(desk->settings);
    struct rank_rule rule = index_settings_rule(settings);
    rule.latency = desk->latencies ? latency_of : NULL;
    rule.arg = desk->latencies;
    *ret_count = rank(ranked, answer->providers, answer->count, &rule, wish, ret_more);
    wr_cell_put(desk->settings, settings);
    *ret = ranked;
    return WR_OK;
}

static void write_score(struct wr_json *json, double score)
{
    wr_json_decimal(json, "score", (int64_t)(score * 10000 + 0.5), SCORE_DIGITS);
}

/* ---- resolve ---- */

/* As the first clients of such an index know them. */
static void write_short(struct wr_json *json, const struct ranked *ranked, size_t count)
{
    wr_json_array(json, "providers");
    for (size_t i = 0; i < count; i++) {
        wr_json_object(json, NULL);
        wr_json_str(json, "id", ranked[i].provider->id);
        wr_json_str(json, "region", ranked[i].provider->region);
        write_score(json, ranked[i].score);
        wr_json_end(json);
    }
    wr_json_end(json);
}

static void write_resolved(struct wr_text *text, const struct index_key *key,
                           const struct resolver_answer *answer, const char *cid,
                           const struct ranked *ranked, size_t count)
{
    struct wr_json json = wr_json_to(text);
    wr_json_object(&json, NULL);
    wr_json_str(&json, "key", key->text);
    wr_json_str(&json, "kind", key->is_name ? "name" : "cid");
    wr_json_bytes(&json, "manifest_cid", cid, WR_CID_TEXT - 1);
    wr_json_str(&json, "source", found_sources[answer->source]);
    wr_json_object(&json, "integrity");
    wr_json_str(&json, "algo", "blake3");
    wr_json_bytes(&json, "digest", cid + 3, WR_CID_TEXT - 1 - 3);
    wr_json_end(&json);
    wr_json_bytes(&json, "etag", cid, WR_CID_TEXT - 1);
    wr_json_u64(&json, "freshness_s", (uint64_t)(answer->age / WR_S(1)));
    wr_json_u64(&json, "providers_hint", answer->count);
    wr_json_bool(&json, "degraded", answer->degraded);
    wr_json_bytes(&json, "manifest", cid, WR_CID_TEXT - 1);
    write_short(&json, ranked, count);
    wr_json_end(&json);
}

wr_err index_answer_resolve(struct index_desk *desk, struct index_quota *quota,
                            const struct index_key *key, bool fresh, struct wr_text *text,
                            char etag[WR_CID_TEXT], wr_time deadline)
{
    struct resolver_answer answer = { 0 };
    struct ranked *ranked = NULL;
    size_t count = 0;
    bool more;
    wr_time began = wr_now();
    wr_err err = index_quota_take(quota, desk, INDEX_QUOTA_RESOLVES);
    if (!err)
        err = resolver_resolve(desk->resolver, key, fresh, &answer, deadline);
    if (!err && answer.count)
        err = put_in_order(desk, &answer, &(struct rank_wish){ .now = wr_wall() }, &ranked,
                           &count, &more);
    if (!err) {
        wr_hash_print_cid(&answer.manifest, etag);
        write_resolved(text, key, &answer, etag, ranked, count);
        wr_time took = wr_now() - began;
        index_meter_answered(key, answer.source, took);
        index_events_tell(desk->events, &(struct index_event){
            .kind = INDEX_RESOLVE_OBSERVED, .key = key, .what = found_sources[answer.source],
            .took = took, .corr_id = quota->call ? wr_call_corr_id(quota->call) : NULL });
    }
    free(ranked);
    resolver_answer_free(&answer);
    return err;
}

/* ---- providers ---- */

static void write_entry(struct wr_json *json, const struct ranked *ranked)
{
    const struct provider *provider = ranked->provider;
    wr_json_object(json, NULL);
    wr_json_str(json, "id", provider->id);
    wr_json_str(json, "addr", provider->addr);
    if (provider->region[0])
        wr_json_str(json, "region", provider->region);
    wr_json_str(json, "class", rank_classes[ranked->class]);
    write_score(json, ranked->score);
    wr_json_u64(json, "last_seen_s", ranked->last_seen_s);
    wr_json_end(json);
}

static void write_hedge(struct wr_json *json, const struct resolver_answer *answer)
{
    if (!answer->asked || answer->source != FOUND_DHT)
        return;
    wr_json_object(json, "hedge");
    wr_json_u64(json, "alpha_ms", (uint64_t)(answer->alpha_took / WR_MS(1)));
    wr_json_u64(json, "beta_ms", (uint64_t)(answer->beta_took / WR_MS(1)));
    wr_json_str(json, "winner", found_winners[answer->winner]);
    wr_json_end(json);
}

/* Who and where, as it is answered: what else an answer says is of the moment. */
static void tag(char etag[WR_CID_TEXT], const struct ranked *ranked, size_t count)
{
    struct wr_hash_state state;
    wr_hash_begin(&state);
    for (size_t i = 0; i < count; i++) {
        const struct provider *provider = ranked[i].provider;
        wr_hash_add(&state, provider->id, strlen(provider->id) + 1);
        wr_hash_add(&state, provider->addr, strlen(provider->addr) + 1);
        wr_hash_add(&state, provider->region, strlen(provider->region) + 1);
    }
    struct wr_hash hash = wr_hash_end(&state);
    wr_hash_print_cid(&hash, etag);
}

wr_err index_answer_providers(struct index_desk *desk, struct index_quota *quota,
                              const struct index_key *cid,
                              const struct index_wish *wish, struct wr_text *text,
                              char etag[WR_CID_TEXT], wr_time deadline)
{
    struct resolver_answer answer = { 0 };
    struct rank_wish order = { .limit = wish->limit, .region = wish->region,
                               .seen_within_s = wish->seen_within_s };
    struct ranked *ranked = NULL;
    size_t count = 0;
    bool more = false;
    wr_err err = index_quota_take(quota, desk, INDEX_QUOTA_PROVIDERS);
    if (!err)
        err = resolver_providers(desk->resolver, &cid->cid, wish->fresh, &answer, deadline);
    order.now = wr_wall();
    if (!err)
        err = put_in_order(desk, &answer, &order, &ranked, &count, &more);
    if (!err && count == 0)
        err = WR_NOTFOUND;              /* none that who asks, or the owner, would want */
    if (!err) {
        struct wr_json json = wr_json_to(text);
        tag(etag, ranked, count);
        wr_json_object(&json, NULL);
        wr_json_str(&json, "cid", cid->text);
        wr_json_array(&json, "providers");
        for (size_t i = 0; i < count; i++)
            write_entry(&json, &ranked[i]);
        wr_json_end(&json);
        write_hedge(&json, &answer);
        wr_json_bool(&json, "truncated", more);
        wr_json_bool(&json, "degraded", answer.degraded);
        wr_json_str(&json, "etag", etag);
        wr_json_end(&json);
        index_meter_provided(ranked, count);
    }
    free(ranked);
    resolver_answer_free(&answer);
    return err;
}

wr_err index_answer_find(void *arg, const struct wr_hash *cid, struct provider *ret,
                         size_t max, size_t *ret_count, wr_time deadline)
{
    struct index_desk *desk = arg;
    struct resolver_answer answer = { 0 };
    struct ranked *ranked = NULL;
    bool more;
    *ret_count = 0;
    wr_err err = resolver_providers(desk->resolver, cid, false, &answer, deadline);
    struct rank_wish order = { .limit = max < RANK_LIMIT_MAX ? max : RANK_LIMIT_MAX,
                               .now = wr_wall() };
    if (!err)
        err = put_in_order(desk, &answer, &order, &ranked, ret_count, &more);
    for (size_t i = 0; i < *ret_count; i++)
        ret[i] = *ranked[i].provider;
    free(ranked);
    resolver_answer_free(&answer);
    return err ? err : *ret_count ? WR_OK : WR_NOTFOUND;
}
