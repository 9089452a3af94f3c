/* index_keys.c - see index_keys.h. */
#include "svc/index/index_keys.h"

#include <string.h>

#include <weir/addr.h>
#include <weir/hedge.h>

#include "dht/dht.h"
#include "svc/index/resolver.h"

#define HOUR WR_S(3600)
#define BUCKETS_MAX 16
#define REGION_MAX 32
#define LEGS_MAX WR_HEDGE_LEGS_MAX

#define SPAN(least, most) .type = WR_CONF_DURATION, .min = (least), .max = (most)
#define COUNT(least, most) .type = WR_CONF_INT, .min = (least), .max = (most)
#define WORDS .type = WR_CONF_WORDS, .preset = ""

/* The seed's own names of them. */
#define SVC(name) .env = "SVC_INDEX_" name
#define RON(name) .env = "SVC_INDEX_" name " !RON_INDEX_" name

static const struct wr_conf_key keys[] = {
    { .name = "index.deadline", SPAN(WR_MS(10), INDEX_DEADLINE_MAX), .preset = "1200ms",
      .live = true, RON("DEADLINE_MS"), .help = "Until who asks has an answer, all told." },
    { .name = "index.workers", COUNT(1, RESOLVER_WORKERS_MAX), .preset = "128",
      .help = "Lookups at a time; they wait for others, and compute nothing." },
    { .name = "index.queue", COUNT(1, 65536), .preset = "512",
      .help = "Lookups that may wait for a worker; one more is refused at once." },

    { .name = "index.proxies", WORDS,
      .help = "Proxies of the DHT, beside that of the node's own dhtnode: "
              "\"http://10.0.0.7:8081\"." },
    { .name = "index.dhtnode", .type = WR_CONF_CHOICE, .preset = "auto",
      .choices = "auto on off",
      .help = "A node of the DHT as a child of this one; auto: where it is installed." },
    { .name = "index.bootstrap", WORDS, SVC("BOOTSTRAP"),
      .help = "Nodes by which the dhtnode finds others, \"host:port\"; none: it is alone." },
    { .name = "index.network", COUNT(0, UINT32_MAX), .preset = "0",
      .help = "The network that the dhtnode is in; it does not hear nodes of others." },
    { .name = "index.dhtnode_port", COUNT(0, 65535), .preset = "0",
      .help = "The UDP port of the dhtnode; 0: a free one." },
    { .name = "index.alpha", COUNT(1, LEGS_MAX - 1), .preset = "3", RON("ALPHA"),
      .help = "Proxies that are asked at once." },
    { .name = "index.beta", COUNT(1, LEGS_MAX - 1), .preset = "2", RON("BETA"),
      .help = "Others that are asked when these are late." },
    { .name = "index.quorum", COUNT(1, LEGS_MAX - 1), .preset = "1", SVC("QUORUM"),
      .help = "Answers with something in them that are enough." },
    { .name = "index.hedge", SPAN(WR_MS(1), WR_S(5)), .preset = "150ms", RON("HEDGE_MS"),
      .help = "The others are asked after this at the latest; sooner where answers are usually "
              "sooner." },
    { .name = "index.retries", COUNT(0, 10), .preset = "3", SVC("MAX_RETRIES"),
      .help = "How often a lookup that nobody could answer is tried again." },

    { .name = "index.addr", .type = WR_CONF_TEXT,
      .help = "Where others fetch what we have: \"tcp://203.0.113.7:9101\"; unset: oap_addr." },
    { .name = "index.region", .type = WR_CONF_TEXT,
      .help = "Where this node is, in a word for those who want what is near: \"eu\"." },
    { .name = "index.trusted", WORDS,
      .help = "Whom to believe about names: ids of nodes, 64 hex digits each; none: nobody." },

    { .name = "index.cache.entries", COUNT(1, 10000000), .preset = "100000",
      .live = true, RON("CACHE_ENTRIES"), .help = "Answers that are remembered." },
    { .name = "index.cache.ttl", SPAN(WR_MS(1), HOUR), .preset = "10s", .live = true,
      RON("CACHE_TTL_MS"),
      .help = "... for so long." },
    { .name = "index.cache.neg_ttl", SPAN(WR_MS(1), HOUR), .preset = "2s", .live = true,
      RON("NEG_TTL_MS"),
      .help = "How long it is remembered that there is none." },
    { .name = "index.cache.warmup", WORDS,
      .help = "Keys that are looked for when the node begins: \"name:weir.example\"." },
    { .name = "index.pins_max", COUNT(1, 100000), .preset = "10000",
      .help = "Content ids that may be pinned." },

    { .name = "index.rank.region_permille", COUNT(0, 1000), .preset = "600", .live = true,
      .help = "How much it counts that a provider is where who asks wants it, of 1000." },
    { .name = "index.rank.half_life", SPAN(WR_S(1), 24 * HOUR), .preset = "10m", .live = true,
      .help = "A provider last seen so long ago is half as fresh." },
    { .name = "index.rank.latency_buckets_ms", .type = WR_CONF_NUMBERS,
      .preset = "30,80,200,500", .min = 1, .max = 60000, .live = true,
      .help = "Classes of providers by how fast they are, in rising order." },
    { .name = "index.rank.regions", WORDS, .live = true,
      .help = "Regions that providers may be in; all when empty." },
    { .name = "index.rank.denied", WORDS, .live = true,
      .help = "Providers that are never offered: ids, 64 hex digits each." },

    { .name = "index.breaker.window", SPAN(WR_S(1), HOUR), .preset = "30s", .live = true,
      .help = "How far back it is looked how a proxy does." },
    { .name = "index.breaker.trip_permille", COUNT(1, 1000), .preset = "500", .live = true,
      .help = "Failures of 1000 above which it is left alone." },
    { .name = "index.breaker.cooldown", SPAN(WR_MS(1), HOUR), .preset = "10s", .live = true,
      .help = "... for so long." },
    { .name = "index.breaker.probes", COUNT(1, 100), .preset = "3", .live = true,
      .help = "Lookups by which it is then tried." },

    { .name = "index.quotas.resolves_per_min", COUNT(0, 1000000), .preset = "0", .live = true,
      .env = "SVC_INDEX_MAX_RESOLVES_PER_MIN",
      .help = "What one tenant may resolve in a minute; 0: as much as it likes." },
    { .name = "index.quotas.providers_per_min", COUNT(0, 1000000), .preset = "0", .live = true,
      .env = "SVC_INDEX_MAX_PROVIDERS_PER_MIN",
      .help = "... and how often it may ask for providers." },

    { .name = "index.facets.search", .type = WR_CONF_BOOL, .preset = "false", .live = true,
      .help = "Serve /search." },
    { .name = "index.facets.graph", .type = WR_CONF_BOOL, .preset = "false", .live = true,
      .help = "Serve /graph." },
};

/* ---- what must hold of words ---- */

static void check_proxies(const struct wr_conf *conf, struct wr_conf_report *report)
{
    const char *const *words, *clause = "";
    size_t which = 0;
    size_t count = wr_conf_words(conf, "index.proxies", &words);
    if (count > INDEX_PROXIES_MAX)
        wr_conf_refuse(report, conf, "index.proxies", "there are %zu; %d are allowed", count,
                       INDEX_PROXIES_MAX);
    else if (dht_proxies_check(words, count, &which, &clause))
        wr_conf_refuse(report, conf, "index.proxies", "\"%.100s\": %s", words[which], clause);
}

/* "host:port"; where the host is an address of IPv6 it is in brackets. */
static bool has_port(const char *text)
{
    const char *colon = strrchr(text, ':');
    size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;
    if (!colon || colon == text || digits == 0 || digits > 5 || colon[1 + digits])
        return false;
    return text[0] == '[' ? colon[-1] == ']' : strcspn(text, ":/@ ") == (size_t)(colon - text);
}

static void check_bootstrap(const struct wr_conf *conf, struct wr_conf_report *report)
{
    const char *const *words;
    size_t count = wr_conf_words(conf, "index.bootstrap", &words);
    for (size_t i = 0; i < count; i++)
        if (!has_port(words[i]))
            wr_conf_refuse(report, conf, "index.bootstrap", "\"%.100s\" is no host and port: "
                           "\"dht.example:4222\"", words[i]);
}

/* Nobody resolves names to fetch: who is asked is known by his address. */
static bool is_provider(const char *text)
{
    struct wr_addr addr;
    char host[DHT_ADDR_MAX + 1];
    return !dht_addr_read(host, NULL, text) && !wr_addr_parse_ip(&addr, host, 1);
}

static void check_addr(const struct wr_conf *conf, struct wr_conf_report *report)
{
    const char *addr = wr_conf_text(conf, "index.addr");
    if (addr && !is_provider(addr))
        wr_conf_refuse(report, conf, "index.addr", "an address is tcp://, an address of IP and "
                       "a port from 1 to 65535: \"tcp://203.0.113.7:9101\"");
}

static bool is_region(const char *text)
{
    size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-");
    return len > 0 && len <= REGION_MAX && text[len] == '\0';
}

static void check_regions(const struct wr_conf *conf, struct wr_conf_report *report)
{
    static const char rule[] = "a region is a word of a-z, 0-9 and '-', of at most 32 bytes";
    const char *const *words, *own = wr_conf_text(conf, "index.region");
    size_t count = wr_conf_words(conf, "index.rank.regions", &words);
    if (own && !is_region(own))
        wr_conf_refuse(report, conf, "index.region", "%s", rule);
    for (size_t i = 0; i < count; i++)
        if (!is_region(words[i]))
            wr_conf_refuse(report, conf, "index.rank.regions", "%s", rule);
}

static void check_ids(const struct wr_conf *conf, struct wr_conf_report *report,
                      const char *key, size_t max)
{
    const char *const *words;
    size_t count = wr_conf_words(conf, key, &words);
    if (count > max)
        wr_conf_refuse(report, conf, key, "there are %zu; %zu are allowed", count, max);
    for (size_t i = 0; i < count; i++)
        if (strspn(words[i], "0123456789abcdef") != 64 || words[i][64])
            wr_conf_refuse(report, conf, key, "\"%.100s\" is no id of a node: those have 64 "
                           "hex digits in lower case", words[i]);
}

static void check_buckets(const struct wr_conf *conf, struct wr_conf_report *report)
{
    static const char key[] = "index.rank.latency_buckets_ms";
    const int64_t *numbers;
    size_t count = wr_conf_numbers(conf, key, &numbers);
    if (count == 0 || count > BUCKETS_MAX)
        wr_conf_refuse(report, conf, key, "there are %zu; 1 to %d are allowed", count,
                       BUCKETS_MAX);
    for (size_t i = 1; i < count; i++)
        if (numbers[i] <= numbers[i - 1]) {
            wr_conf_refuse(report, conf, key, "each is to be above the one before it");
            return;
        }
}

static void check_legs(const struct wr_conf *conf, struct wr_conf_report *report)
{
    int64_t alpha = wr_conf_int(conf, "index.alpha"), beta = wr_conf_int(conf, "index.beta");
    if (alpha + beta > LEGS_MAX)
        wr_conf_refuse(report, conf, "index.beta", "with index.alpha = %lld it is more than %d "
                       "together", (long long)alpha, LEGS_MAX);
    if (wr_conf_int(conf, "index.quorum") > alpha)
        wr_conf_refuse(report, conf, "index.quorum", "it is above index.alpha = %lld: no more "
                       "are asked at once", (long long)alpha);
}

static void check(const struct wr_conf *conf, struct wr_conf_report *report)
{
    check_proxies(conf, report);
    check_bootstrap(conf, report);
    check_addr(conf, report);
    check_regions(conf, report);
    check_ids(conf, report, "index.trusted", INDEX_TRUSTED_MAX);
    check_ids(conf, report, "index.rank.denied", 256);
    check_buckets(conf, report);
    check_legs(conf, report);
    if (wr_conf_duration(conf, "index.hedge") >= wr_conf_duration(conf, "index.deadline"))
        wr_conf_refuse(report, conf, "index.hedge", "it must be below index.deadline, or the "
                       "others would be asked when it is too late");
}

const struct wr_conf_table index_keys = { keys, sizeof(keys) / sizeof(*keys), check };
