/* lookup.c - see lookup.h. */
#include "svc/index/lookup.h"

#include <stdio.h>
#include <string.h>

#include "dht/dht.h"
#include "svc/index/catalog.h"
#include "svc/index/index_meter.h"

_Static_assert(PROVIDER_ID == SIGNER_ID_TEXT && PROVIDER_ADDR == DHT_ADDR_MAX + 1 &&
              PROVIDER_REGION == DHT_REGION_MAX + 1);

const char *const found_sources[FOUND_SOURCES] = {
    [FOUND_CACHE] = "cache", [FOUND_DB] = "db", [FOUND_DHT] = "dht",
};
const char *const found_winners[FOUND_WINNERS] = {
    [FOUND_ALPHA] = "alpha", [FOUND_BETA] = "beta", [FOUND_TIE] = "tie",
};
_Static_assert((int)FOUND_ALPHA == (int)DHT_ALPHA && (int)FOUND_BETA == (int)DHT_BETA &&
              (int)FOUND_TIE == (int)DHT_TIE);

/* ---- what is found ---- */

static struct provider provider_of(const struct dht_record *record)
{
    struct provider provider = { .seen_at = record->issued_at, .until = record->expires_at,
                                 .latency = -1 };
    signer_id_print(record->id, provider.id);
    memcpy(provider.addr, record->addr, sizeof(provider.addr));
    memcpy(provider.region, record->region, sizeof(provider.region));
    return provider;
}

static struct provider ourselves(const struct lookup *lookup)
{
    struct provider self = lookup->self;
    self.seen_at = wr_wall();
    self.until.ns = self.seen_at.ns + lookup->valid;
    self.latency = 0;
    return self;
}

/* Ourselves, if we offer it, and who is in the records, each once. */
static wr_err write_found(struct wr_bytes **ret, const struct found *head,
                          const struct provider *self, const struct dht_found *records)
{
    size_t most = (self != NULL) + (records ? records->count : 0);
    wr_err err = wr_bytes_new(ret, sizeof(*head) + most * sizeof(struct provider));
    if (err)
        return err;
    struct found *found = (struct found *)(void *)(*ret)->data;
    *found = *head;
    found->looked_at = wr_now();
    found->count = 0;
    if (self)
        found->providers[found->count++] = *self;
    for (size_t i = 0; records && i < records->count; i++) {
        struct provider provider = provider_of(&records->records[i]);
        if (!self || strcmp(provider.id, self->id) != 0)
            found->providers[found->count++] = provider;
    }
    (*ret)->len = sizeof(*head) + found->count * sizeof(struct provider);
    return WR_OK;
}

static void note_hedge(struct found *head, const struct dht_found *records)
{
    head->asked = true;
    head->winner = (enum found_winner)records->winner;
    head->alpha_took = records->alpha_took;
    head->beta_took = records->beta_took;
}

/* ---- whom we ask ---- */

/* What is no answer of the DHT, and not the caller's own affair, is that it cannot be asked. */
static wr_err as_answer(wr_err err)
{
    switch (err) {
    case WR_OK:
    case WR_NOTFOUND:
    case WR_OPENCIRCUIT:
    case WR_DEGRADED:
    case WR_TIMEOUT:
    case WR_CANCELED:
    case WR_NOMEM: return err;
    default: return WR_DEGRADED;
    }
}

static wr_err ask_dht(const struct lookup *lookup, const struct dht_wanted *wanted,
                      struct dht_found *ret, wr_time deadline)
{
    struct dht_hold hold;
    wr_err err = dht_line_take(lookup->line, &hold);
    if (err)
        return err;
    wr_time began = wr_now();
    err = dht_line_give(&hold, dht_find(hold.dht, wanted, ret, deadline));
    index_meter_asked(err, wr_now() - began);
    return as_answer(err);
}

/* The DHT could not be asked, for reasons that are not the caller's. */
static bool is_silent(wr_err err)
{
    return err == WR_DEGRADED || err == WR_OPENCIRCUIT || err == WR_TIMEOUT;
}

static wr_err is_offered(const struct lookup *lookup, const char *key, bool *ret,
                         wr_time deadline)
{
    *ret = false;
    if (!*lookup->self.id)
        return WR_OK;
    wr_err err = catalog_is_offered(lookup->store, key, deadline);
    *ret = !err;
    return err == WR_NOTFOUND ? WR_OK : err;
}

static wr_err read_pointer(const struct lookup *lookup, enum catalog_kind kind, const char *key,
                           struct wr_hash *ret, wr_time deadline)
{
    struct catalog_pointer pointer;
    wr_err err = catalog_get(lookup->store, kind, key, &pointer, deadline);
    if (!err)
        *ret = pointer.manifest;
    else if (err == WR_QUARANTINE)
        index_meter_damaged("pointer");
    return err;
}

/* ---- providers ---- */

/* So much earlier that there is time to answer without it. */
static wr_time before(wr_time deadline)
{
    wr_time least = wr_now();
    return deadline == WR_NEVER || deadline - LOOKUP_KEEPS < least
        ? deadline : deadline - LOOKUP_KEEPS;
}

wr_err lookup_providers(const struct lookup *lookup, const struct wr_hash *cid,
                        struct wr_bytes **ret, wr_time deadline)
{
    char text[WR_CID_TEXT];
    bool ours;
    wr_err err = is_offered(lookup, wr_hash_print_cid(cid, text), &ours, deadline);
    if (err)
        return err;
    struct found head = { .source = FOUND_DB, .manifest = *cid };
    struct dht_found records = { 0 };
    struct provider self;
    err = ask_dht(lookup, &(struct dht_wanted){ DHT_PROVIDER, cid, NULL }, &records,
                  ours ? before(deadline) : deadline);
    if (!err) {
        head.source = FOUND_DHT;
        note_hedge(&head, &records);
    }
    head.degraded = is_silent(err);
    if (ours && (err == WR_NOTFOUND || head.degraded))
        err = WR_OK;
    if (ours)
        self = ourselves(lookup);
    if (!err)
        err = write_found(ret, &head, ours ? &self : NULL, &records);
    dht_found_free(&records);
    return err;
}

/* ---- manifests ---- */

static wr_err manifest_of_name(const struct lookup *lookup, const char *name,
                               struct wr_bytes **ret, wr_time deadline)
{
    struct found head = { .source = FOUND_DB };
    struct dht_found records = { 0 };
    wr_err err = read_pointer(lookup, CATALOG_SITE, name, &head.manifest, deadline);
    if (err == WR_NOTFOUND && dht_line_knows_names(lookup->line)) {
        err = ask_dht(lookup, &(struct dht_wanted){ DHT_NAME, NULL, name }, &records, deadline);
        if (!err && records.count == 0)
            err = WR_NOTFOUND;
        if (!err) {
            head.source = FOUND_DHT;
            head.manifest = records.records[0].cid;
            note_hedge(&head, &records);
        }
    }
    if (!err)
        err = write_found(ret, &head, NULL, NULL);
    dht_found_free(&records);
    return err;
}

static wr_err manifest_of_cid(const struct lookup *lookup, const struct index_key *key,
                              struct wr_bytes **ret, wr_time deadline)
{
    struct found head = { .source = FOUND_DB, .manifest = key->cid };
    bool ours = false;
    wr_err err = read_pointer(lookup, CATALOG_ASSET, key->text, &head.manifest, deadline);
    bool known = !err;
    if (!err || err == WR_NOTFOUND)
        err = is_offered(lookup, key->text, &ours, deadline);
    if (err)
        return err;
    if (!known && !ours)
        return lookup_providers(lookup, &key->cid, ret, deadline);
    struct provider self = ourselves(lookup);
    return write_found(ret, &head, ours ? &self : NULL, NULL);
}

wr_err lookup_manifest(const struct lookup *lookup, const struct index_key *key,
                       struct wr_bytes **ret, wr_time deadline)
{
    return key->is_name ? manifest_of_name(lookup, index_key_name(key), ret, deadline)
                        : manifest_of_cid(lookup, key, ret, deadline);
}
