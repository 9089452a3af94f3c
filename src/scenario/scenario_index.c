/* scenario_index.c - who has what, asked of proxies that are slow, dead or lie, over a bad
 * network.
 *
 * A node resolves names and looks for providers, by five proxies of a DHT into which anybody
 * puts what he likes: records that are forged, over, for something else, too large, no records
 * at all, and names of those whom nobody believes.  Proxies answer late, with nonsense, with
 * half of it, with what was not asked, with nothing, or not at all; the DHT comes and goes; too
 * many ask at once; and in the end, at any moment, the node is drained.
 *
 * Whatever happens: nobody is in an answer but who has signed that very record, for what was
 * asked, and whose time is not over; no name stands for what the one who is believed has not
 * said; every answer comes by its deadline; what the node has itself is found without anybody;
 * nothing is "not there" unless a proxy has just said so; what a proxy has taken lies in the
 * DHT; what was dropped was sent; each question is counted once; and nothing is left behind.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <weir/once.h>

#include "dht/dht.h"
#include "scenario/liars.h"
#include "scenario/scenarios.h"
#include "store/disk.h"
#include "svc/index/catalog.h"
#include "svc/index/resolver.h"

#define DISK "sim.disk"
#define NODE "10.0.0.9"
#define CLIENTS 6
#define TURNS 7                 /* of a client */
#define NEWS 8                  /* of who publishes, and of who lies */
#define TRUTHS_MAX 48
#define WITHIN WR_MS(1200)
#define NOTHING_WITHIN WR_S(4)  /* it is remembered for 2 s, and took its time before */
#define BRIEF WR_S(2)           /* how long some records are valid */
#define SOON wr_after(WR_S(60))

enum who { SELF, TRUSTED, OTHER, LIAR, SIGNERS };

/* What can be asked for. */
enum what { CID_A, CID_B, CID_C, CID_NONE, CID_OWN, NAME_OWN, NAME_FAR, NAME_NONE, SUBJECTS };
static const char *const names[SUBJECTS] = {
    [NAME_OWN] = "name:own.example", [NAME_FAR] = "name:far.example",
    [NAME_NONE] = "name:none.example",
};

_Static_assert((int)SUBJECTS == CLOUD_SUBJECTS, "each has a key");

struct ledger {
    struct cloud cloud;
    struct index_key keys[SUBJECTS];
    struct signer *signers[SIGNERS];
    struct dht_record truths[TRUTHS_MAX];
    size_t truth_count;
    struct disk *disk;
    struct store *store;
    struct dht_line *line;
    struct resolver *resolver;
    struct wr_once *drain;
    struct provider self;
    struct wr_hash own_manifest;
    bool over;
    uint64_t dropped[DHT_FAULTS];
    uint64_t asked, found, none, refused, failed, late, put;
    const char *wrong;
};

/* ---- who says the truth ---- */

static struct dht_record record_of(struct ledger *ledger, enum who who, enum what what)
{
    struct dht_record record = {
        .kind = what < NAME_OWN ? DHT_PROVIDER : DHT_NAME, .cid = ledger->keys[what].cid,
        .issued_at.ns = wr_wall().ns / WR_MS(1) * WR_MS(1),
    };
    memcpy(record.id, signer_id(ledger->signers[who]), SIGNER_ID);
    record.expires_at.ns = record.issued_at.ns + WR_S(600);
    if (record.kind == DHT_NAME) {
        snprintf(record.name, sizeof(record.name), "%s",
                 index_key_name(&ledger->keys[what]));
        record.cid = ledger->keys[wr_sim_below(CID_OWN)].cid;
    } else {
        snprintf(record.addr, sizeof(record.addr), "tcp://10.0.1.%u:%zu", (unsigned)who,
                 ledger->truth_count + 1);
        snprintf(record.region, sizeof(record.region), "r%u", (unsigned)who);
    }
    return record;
}

/* Written down before anybody else can know it. */
static size_t sign_truth(struct ledger *ledger, const struct dht_record *record, enum who who,
                         unsigned char *buf)
{
    WR_ASSERT(ledger->truth_count < TRUTHS_MAX);
    ledger->truths[ledger->truth_count++] = *record;
    return dht_record_write(buf, record, ledger->signers[who]);
}

static void put_by_proxy(struct ledger *ledger, enum what what, const unsigned char *buf,
                         size_t len)
{
    struct dht_hold hold;
    char data[CLOUD_DATA];
    wr_time deadline = some_time(WITHIN);
    if (dht_line_take(ledger->line, &hold))
        return;
    wr_err err = dht_line_give(&hold, dht_put(hold.dht, &(struct dht_wanted){
        DHT_PROVIDER, &ledger->keys[what].cid, NULL }, buf, len, deadline));
    cloud_base64(data, buf, len);
    ledger->put += !err;
    if (!err && !cloud_has(&ledger->cloud, ledger->cloud.subjects[what].path, data))
        ledger->wrong = "what was put is not there";
    if (wr_now() > deadline)
        ledger->wrong = "to put it took longer than was granted";
}

static void publish(struct ledger *ledger)
{
    static const enum what published[] = { CID_A, CID_A, CID_B, CID_C, NAME_FAR };
    enum what what = published[wr_sim_below(5)];
    enum who who = what == NAME_FAR ? TRUSTED : (enum who)wr_sim_below(LIAR);
    unsigned char buf[DHT_RECORD_MAX];
    char data[CLOUD_DATA];
    struct dht_record record = record_of(ledger, who, what);
    bool brief = who != SELF && wr_sim_below(4) == 0;
    if (brief)
        record.expires_at.ns = record.issued_at.ns + BRIEF;
    size_t len = sign_truth(ledger, &record, who, buf);
    cloud_base64(data, buf, len);
    if (who == SELF)
        put_by_proxy(ledger, what, buf, len);
    else
        cloud_keep(&ledger->cloud, ledger->cloud.subjects[what].path, data, DHT_FINE, brief);
}

static wr_err publish_on(void *arg)
{
    struct ledger *ledger = arg;
    for (int i = 0; i < NEWS && !ledger->over; i++) {
        publish(ledger);
        MUST(wr_sleep(some_time(WR_S(2))));
    }
    return WR_OK;
}

/* ---- who does not ---- */

/* In the name of somebody else, or in his own about what others believe only others. */
static size_t lie_about(struct ledger *ledger, enum what what, unsigned char *buf,
                        enum dht_fault fault)
{
    struct dht_record record = record_of(ledger, LIAR, what);
    enum who who = what >= NAME_OWN && fault != DHT_FOREIGN ? TRUSTED : OTHER;
    if (fault == DHT_EXPIRED) {
        record.issued_at.ns -= WR_S(1200);
        record.expires_at.ns -= WR_S(1200);
    }
    if (fault == DHT_FOREIGN && what < NAME_OWN)
        record.cid.bytes[WR_HASH_SIZE - 1] ^= 1;        /* the same key in the DHT */
    size_t len = dht_record_write(buf, &record, ledger->signers[who]);
    if (fault == DHT_FORGED)
        buf[len - 1 - wr_sim_below(SIGNATURE)] ^= 1;
    if (fault == DHT_MALFORMED)
        len -= 1 + wr_sim_below(len);
    return len;
}

static wr_err lie_on(void *arg)
{
    static const enum what subjects[] = {
        CID_A, CID_B, CID_NONE, NAME_OWN, NAME_FAR, NAME_NONE,
    };
    struct ledger *ledger = arg;
    unsigned char buf[DHT_RECORD_MAX + 400];
    char data[CLOUD_DATA];
    for (int i = 0; i < NEWS && !ledger->over; i++) {
        enum dht_fault fault = 1 + (enum dht_fault)wr_sim_below(DHT_FAULTS - 1);
        enum what what = subjects[wr_sim_below(6)];
        size_t len = lie_about(ledger, what, buf, fault);
        if (fault == DHT_OVERSIZED) {
            memset(buf, (int)i, sizeof(buf));
            len = DHT_RECORD_MAX + 1 + wr_sim_below(400);
        }
        cloud_base64(data, buf, len);
        cloud_keep(&ledger->cloud, ledger->cloud.subjects[what].path, data, fault, false);
        MUST(wr_sleep(some_time(WR_S(1))));
    }
    return WR_OK;
}

/* ---- who asks ---- */

static bool was_said(const struct ledger *ledger, const struct dht_record *what)
{
    for (size_t i = 0; i < ledger->truth_count; i++) {
        const struct dht_record *truth = &ledger->truths[i];
        if (truth->kind == what->kind && wr_hash_equal(&truth->cid, &what->cid)
            && memcmp(truth->id, what->id, SIGNER_ID) == 0
            && strcmp(truth->addr, what->addr) == 0
            && strcmp(truth->region, what->region) == 0
            && strcmp(truth->name, what->name) == 0
            && (what->kind == DHT_NAME || truth->expires_at.ns == what->expires_at.ns))
            return true;
    }
    return false;
}

static bool is_self(const struct ledger *ledger, const struct provider *provider)
{
    return strcmp(provider->id, ledger->self.id) == 0
        && strcmp(provider->addr, ledger->self.addr) == 0;
}

static void check_provider(struct ledger *ledger, enum what what,
                           const struct provider *provider)
{
    struct dht_record record = { .kind = DHT_PROVIDER,
                                 .cid = ledger->keys[what].cid,
                                 .expires_at = provider->until };
    MUST(signer_id_read(record.id, provider->id));
    snprintf(record.addr, sizeof(record.addr), "%s", provider->addr);
    snprintf(record.region, sizeof(record.region), "%s", provider->region);
    if (what == CID_OWN ? !is_self(ledger, provider) : !was_said(ledger, &record))
        ledger->wrong = "somebody is in an answer who has not said so";
}

/* Of the providers of a content id. */
static void check_set(struct ledger *ledger, enum what what, const struct provider *providers,
                      size_t count)
{
    struct ranked ranked[DHT_RECORDS_MAX + 1];
    bool more;
    WR_ASSERT(count <= DHT_RECORDS_MAX);
    for (size_t i = 0; i < count; i++) {
        check_provider(ledger, what, &providers[i]);
        for (size_t j = 0; j < i; j++)
            if (strcmp(providers[i].id, providers[j].id) == 0)
                ledger->wrong = "somebody is in an answer twice";
    }
    struct wr_wall now = wr_wall();
    size_t shown = rank(ranked, providers, count, &rank_usual,
                        &(struct rank_wish){ .limit = RANK_LIMIT_MAX, .now = now }, &more);
    for (size_t i = 0; i < shown; i++)
        if (ranked[i].provider->until.ns <= now.ns)
            ledger->wrong = "somebody is offered whose time is over";
}

static void check_found(struct ledger *ledger, enum what what,
                        const struct resolver_answer *answer)
{
    const struct wr_hash *manifest = &answer->manifest;
    struct dht_record said = { .kind = DHT_NAME, .cid = *manifest, .name = "far.example" };
    ledger->found++;
    memcpy(said.id, signer_id(ledger->signers[TRUSTED]), SIGNER_ID);
    if (what == CID_NONE || what == NAME_NONE)
        ledger->wrong = "what is not there was found";
    else if (what == NAME_OWN && !wr_hash_equal(manifest, &ledger->own_manifest))
        ledger->wrong = "a name of ours stands for something else";
    else if (what == NAME_FAR && !was_said(ledger, &said))
        ledger->wrong = "a name stands for what nobody has said who is believed";
    else if (what < NAME_OWN && !wr_hash_equal(manifest, &ledger->keys[what].cid))
        ledger->wrong = "the answer is of something else";
    if (what < NAME_OWN)
        check_set(ledger, what, answer->providers, answer->count);
    if (what == CID_OWN && answer->count == 0)
        ledger->wrong = "we have it, and are not in the answer";
}

/* What the node has itself needs nobody; what it has not is not there only if that was said. */
static void check_error(struct ledger *ledger, enum what what, wr_err err, wr_time began)
{
    bool ours = what == CID_OWN || what == NAME_OWN;
    wr_time said = ledger->cloud.subjects[what].none_at;
    switch (err) {
    case WR_BUSY:
    case WR_DRAINING: ledger->refused++; break;
    case WR_TIMEOUT: ledger->late++; break;
    case WR_NOTFOUND:
        ledger->none++;
        if (!said || began - said > NOTHING_WITHIN)
            ledger->wrong = "it is said not to be there, and nobody has said so";
        if (ours)
            ledger->wrong = "what is ours was not found";
        break;
    case WR_DEGRADED:
    case WR_OPENCIRCUIT:
        ledger->failed++;
        if (ours)
            ledger->wrong = "what is ours was not found without others";
        break;
    default: wr_panic("an answer is %s", wr_err_name(err));
    }
}

static void ask(struct ledger *ledger)
{
    enum what what = (enum what)wr_sim_below(SUBJECTS);
    const struct index_key *key = &ledger->keys[what];
    struct resolver_answer answer = { 0 };
    bool fresh = wr_sim_below(3) == 0;
    wr_time began = wr_now();
    wr_time deadline = wr_sim_below(4) ? wr_after(WITHIN) : some_time(WITHIN);
    ledger->asked++;
    wr_err err = key->is_name || wr_sim_below(3) == 0
        ? resolver_resolve(ledger->resolver, key, fresh, &answer, deadline)
        : resolver_providers(ledger->resolver, &key->cid, fresh, &answer, deadline);
    if (wr_now() > deadline)
        ledger->wrong = "an answer is later than its deadline";
    if (err)
        check_error(ledger, what, err, began);
    else
        check_found(ledger, what, &answer);
    if (!err && !fresh && answer.source == FOUND_CACHE && wr_now() != began)
        ledger->wrong = "what is in the cache waited for somebody";
    resolver_answer_free(&answer);
}

static wr_err ask_on(void *arg)
{
    struct ledger *ledger = arg;
    for (int i = 0; i < TURNS; i++) {
        ask(ledger);
        MUST(wr_sleep(some_time(WR_S(3))));
    }
    return WR_OK;
}

/* ---- the node ---- */

static struct dht *open_dht(struct ledger *ledger, char urls[CLOUD_PROXIES][32])
{
    const char *proxies[CLOUD_PROXIES];
    struct dht *dht;
    for (size_t i = 0; i < CLOUD_PROXIES; i++) {
        snprintf(urls[i], sizeof(urls[i]), "http://%s", ledger->cloud.hosts[i].ip);
        proxies[i] = urls[i];
    }
    MUST(dht_open(&dht,
                  &(struct dht_conf){ .proxies = proxies,
                                      .count = CLOUD_PROXIES,
                                      .trusted_count = 1,
                                      .trusted = (const unsigned char(*)[SIGNER_ID])signer_id(
                                          ledger->signers[TRUSTED]),
                                      .quorum = 1 + (uint32_t)wr_sim_below(2) }));
    return dht;
}

/* It comes and goes. */
static wr_err keep_dht(void *arg)
{
    struct ledger *ledger = arg;
    char urls[CLOUD_PROXIES][32];
    while (!ledger->over) {
        struct dht *dht = open_dht(ledger, urls);
        struct wr_scope *scope = scope_named("index.dht");
        MUST(dht_line_attach(ledger->line, dht));
        MUST(wr_scope_go(scope, "index.dht", dht_run, dht));
        for (wr_time until = some_time(WR_S(20)); wr_now() < until && !ledger->over;)
            MUST(wr_sleep(wr_after(WR_MS(100))));
        dht_line_detach(ledger->line);
        wr_scope_cancel(scope);
        (void)!wr_scope_close(scope);
        struct dht_stat stat = dht_stat(dht);
        for (size_t i = 1; i < DHT_FAULTS; i++)
            ledger->dropped[i] += stat.dropped[i];
        dht_close(dht, wr_after(WR_S(1)));
        MUST(wr_sleep(some_time(WR_S(2))));
    }
    return WR_OK;
}

static wr_err resolve_on(void *arg)
{
    struct ledger *ledger = arg;
    return resolver_run(ledger->resolver, ledger->drain);
}

static void open_node(struct ledger *ledger)
{
    struct store_why why;
    struct catalog_pointer pointer = { .kind = CATALOG_SITE, .key = "own.example",
                                       .manifest = ledger->own_manifest, .updated_at_ms = 1 };
    MUST(disk_new(&ledger->disk, DISK, wr_sim_below(1 << 30)));
    MUST(store_open(&ledger->store, &(struct store_conf){
        .url = "sqlite:/weir.db", .disk = DISK, .readers = 1, .read_max = WR_S(60) }, &why,
        SOON));
    MUST(catalog_put(ledger->store, &pointer, SOON));
    MUST(catalog_offer(ledger->store, ledger->keys[CID_OWN].text, SOON));
    signer_id_print(signer_id(ledger->signers[SELF]), ledger->self.id);
    snprintf(ledger->self.addr, sizeof(ledger->self.addr), "tcp://" NODE ":9101");
    MUST(dht_line_new(&ledger->line));
    MUST(resolver_new(&ledger->resolver, &(struct resolver_conf){
        .store = ledger->store, .line = ledger->line, .self = ledger->self,
        .workers = 3, .queue_max = 2 }));
    MUST(wr_once_new(&ledger->drain, "index.drain", 0));
}

/* Whatever was asked has ended, and the books agree. */
static void close_node(struct ledger *ledger)
{
    struct resolver_stat stat = resolver_stat(ledger->resolver);
    WR_ASSERT(stat.asked == ledger->asked && stat.working == 0 && stat.queue.len == 0);
    WR_ASSERT(stat.hits + stat.nothings <= stat.asked && stat.restarted == 0);
    WR_ASSERT(stat.looked + stat.late <= stat.queue.sent);
    WR_ASSERT(stat.refused <= ledger->refused + ledger->late);
    for (size_t i = 1; i < DHT_FAULTS; i++)
        if (ledger->dropped[i] > ledger->cloud.sent[i])
            ledger->wrong = "more was dropped than was sent";
    resolver_free(ledger->resolver);
    dht_line_free(ledger->line);
    wr_once_free(ledger->drain);
    store_close(ledger->store, SOON);
    disk_free(ledger->disk);
}

static wr_err node(void *arg)
{
    struct ledger *ledger = arg;
    struct wr_scope *inside = scope_named("index.node"), *asking = scope_named("index.asking");
    open_node(ledger);
    MUST(wr_scope_go(inside, "index.resolver", resolve_on, ledger));
    MUST(wr_scope_go(inside, "index.line", keep_dht, ledger));
    MUST(wr_scope_go(asking, "index.publishes", publish_on, ledger));
    MUST(wr_scope_go(asking, "index.lies", lie_on, ledger));
    for (size_t i = 0; i < CLIENTS; i++)
        MUST(wr_scope_go(asking, "index.asks", ask_on, ledger));
    MUST(wr_sleep(some_time(WR_S(30))));
    if (wr_sim_below(2))
        MUST(wr_scope_join(asking, WR_NEVER));
    MUST(wr_once_set(ledger->drain, NULL));
    ledger->over = true;
    MUST(wr_scope_join(asking, WR_NEVER));
    MUST(wr_scope_close(asking));
    MUST(wr_scope_join(inside, WR_NEVER));
    MUST(wr_scope_close(inside));
    close_node(ledger);
    return WR_OK;
}

static wr_err node_host(void *arg)
{
    return wr_sim_host(NODE, node, arg);
}

/* ---- the run ---- */

static void name_subjects(struct ledger *ledger)
{
    for (size_t i = 0; i < SUBJECTS; i++) {
        struct index_key *key = &ledger->keys[i];
        char *path = ledger->cloud.subjects[i].path, cid[WR_CID_TEXT];
        unsigned char dht_key[DHT_KEY];
        const char *clause;
        struct wr_hash hash = wr_hash_of(&i, sizeof(i));
        MUST(index_key_read(key, names[i] ? names[i] : wr_hash_print_cid(&hash, cid), &clause));
        dht_key_of(dht_key, &(struct dht_wanted){
            key->is_name ? DHT_NAME : DHT_PROVIDER, &key->cid,
            key->is_name ? index_key_name(key) : NULL });
        for (size_t j = 0; j < DHT_KEY; j++)
            snprintf(path + 2 * j, 3, "%02x", dht_key[j]);
    }
    ledger->own_manifest = wr_hash_of("ours", 4);
}

static wr_err run(void *arg)
{
    struct ledger *ledger = arg;
    struct wr_scope *serving = scope_named("index.serving"), *asking = scope_named("index");
    char why[SIGNER_WHY];
    name_subjects(ledger);
    for (size_t i = 0; i < SIGNERS; i++)
        MUST(signer_open(&ledger->signers[i], NULL, SOON, why));
    cloud_open(&ledger->cloud, serving);
    MUST(wr_scope_go(asking, "index.host", node_host, ledger));
    MUST(wr_scope_join(asking, WR_NEVER));
    MUST(wr_scope_close(asking));
    wr_scope_cancel(serving);
    (void)!wr_scope_close(serving);
    for (size_t i = 0; i < SIGNERS; i++)
        signer_close(ledger->signers[i]);
    uint64_t ended = ledger->found + ledger->none + ledger->refused + ledger->late
                     + ledger->failed;
    WR_ASSERT(ended == ledger->asked && ended == (size_t)CLIENTS * TURNS);
    wr_sim_note("%" PRIu64 " found, %" PRIu64 " not there, %" PRIu64 " refused, %" PRIu64
                " late, %" PRIu64 " without a DHT, %" PRIu64 " forged ones dropped",
                ledger->found, ledger->none, ledger->refused, ledger->late, ledger->failed,
                ledger->dropped[DHT_FORGED]);
    return WR_OK;
}

static const char *invariant(void *arg)
{
    return ((const struct ledger *)arg)->wrong;
}

static uint64_t state(void *arg)
{
    const struct ledger *ledger = arg;
    uint64_t state = state_mix(state_mix(0, ledger->found), ledger->none);
    state = state_mix(state_mix(state, ledger->refused), ledger->late);
    state = state_mix(state_mix(state, ledger->failed), ledger->put);
    return state_mix(state, ledger->cloud.count);
}

const struct scenario wr_scenario_index = {
    .name = "index",
    .what = "names and providers by proxies that lie: only what was signed, in time, or said",
    .size = sizeof(struct ledger), .run = run, .invariant = invariant, .state = state,
    .faults = WR_SIM_NET,
};
