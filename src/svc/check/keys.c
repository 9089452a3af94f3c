/* keys.c - what can be configured of checking references. */
#include <string.h>

#include "source/sources.h"
#include "svc/check/engine.h"
#include "svc/check/keys.h"

#define DAY WR_S(24 * 3600)

static const struct wr_conf_key keys[] = {
    { .name = "check.libraries", .type = WR_CONF_WORDS, .preset = "",
      .help = "Local libraries to look into, by path (weir library build makes them)." },
    { .name = "check.sample", .type = WR_CONF_BOOL, .preset = "true",
      .help = "Also look into the sample library that is built in." },
    { .name = "check.offline", .type = WR_CONF_BOOL, .preset = "false",
      .help = "Ask nobody outside: libraries only." },
    { .name = "check.workers", .type = WR_CONF_INT, .preset = "4", .min = 1, .max = 64,
      .help = "Coordinators: how many references are worked on at a moment." },
    { .name = "check.in_flight", .type = WR_CONF_INT, .preset = "32", .min = 1,
      .max = CHECK_IN_FLIGHT_MAX,
      .help = "References about which sources are being asked at a time." },
    { .name = "check.reference_timeout", .type = WR_CONF_DURATION, .preset = "2m",
      .min = WR_S(1), .max = WR_S(3600),
      .help = "For one reference, from when it is taken up." },
    { .name = "check.timeout", .type = WR_CONF_DURATION, .preset = "30m", .min = WR_S(1),
      .max = DAY, .help = "For all references of a document." },
    { .name = "check.mailto", .type = WR_CONF_TEXT, .env = "CROSSREF_MAILTO",
      .help = "An address that sources may write to; some answer faster to who has one." },
    { .name = "check.without", .type = WR_CONF_WORDS, .preset = "",
      .help = "Remote sources that are not asked, by name, such as \"openalex\"." },
    { .name = "check.bases", .type = WR_CONF_WORDS, .preset = "",
      .help = "Other addresses of sources: \"crossref=http://127.0.0.1:9000\"." },
    { .name = "check.searxng", .type = WR_CONF_TEXT, .env = "SEARXNG_URL",
      .help = "A SearxNG that is asked about works that nobody knows." },
    { .name = "check.wayback", .type = WR_CONF_BOOL, .preset = "true",
      .help = "Ask the Wayback Machine about pages that nobody knows." },
    { .name = "check.cache", .type = WR_CONF_BOOL, .preset = "true",
      .help = "Keep what sources said in the store: a week, or a day that they know nothing." },
    { .name = "check.semantic_scholar_key", .type = WR_CONF_SECRET, .env = "S2_API_KEY",
      .help = "A key for Semantic Scholar." },
    { .name = "check.openalex_key", .type = WR_CONF_SECRET, .env = "OPENALEX_KEY",
      .help = "A key for OpenAlex." },
    { .name = "check.pubmed_key", .type = WR_CONF_SECRET, .env = "NCBI_API_KEY",
      .help = "A key for PubMed." },
    { .name = "check.govinfo_key", .type = WR_CONF_SECRET, .env = "GOVINFO_KEY",
      .help = "A key for GovInfo, which is not asked without one." },
    { .name = "check.documents_at_once", .type = WR_CONF_INT, .preset = "8", .min = 1,
      .max = 64, .help = "Documents that the node checks at a time." },
    { .name = "check.documents_waiting", .type = WR_CONF_INT, .preset = "64", .min = 1,
      .max = 4096, .help = "Documents that wait for that; one more is refused with 429." },
    { .name = "check.documents_bytes", .type = WR_CONF_SIZE, .preset = "512MiB", .min = 1,
      .max = (int64_t)64 << 30, .live = true,
      .help = "Bytes of the documents that wait or are checked; more is refused with 429." },
    { .name = "check.reports_max", .type = WR_CONF_INT, .preset = "256", .min = 1,
      .max = 4096, .live = true, .help = "Reports that the node keeps in memory." },
    { .name = "check.reports_bytes", .type = WR_CONF_SIZE, .preset = "256MiB", .min = 1,
      .max = (int64_t)64 << 30, .live = true, .help = "Bytes of these in all." },
    { .name = "check.report_ttl", .type = WR_CONF_DURATION, .preset = "24h", .min = WR_S(1),
      .max = 30 * DAY, .live = true, .help = "How long a report is kept." },
};

/* "crossref=http://...": which source; NULL: it is none. */
static const struct source_driver *named(const char *word)
{
    char name[64];
    size_t len = strcspn(word, "=");
    if (len >= sizeof(name))
        return NULL;
    memcpy(name, word, len);
    name[len] = '\0';
    for (size_t i = 0; i < SOURCES_MAX; i++)
        if (strcmp(sources_driver(i)->slug, name) == 0)
            return sources_driver(i);
    return source_find(name);
}

static void check_names(const struct wr_conf *conf, struct wr_conf_report *report,
                        const char *key, bool addresses)
{
    const char *const *words;
    size_t count = wr_conf_words(conf, key, &words);
    for (size_t i = 0; i < count; i++) {
        const char *address = strchr(words[i], '=');
        if (!named(words[i]))
            wr_conf_refuse(report, conf, key, "there is no source \"%.40s\"; docs/sources.md "
                           "has their names", words[i]);
        else if (addresses && (!address || strncmp(address, "=http", 5) != 0))
            wr_conf_refuse(report, conf, key, "\"%.40s\" has no address: write NAME=http://...",
                           words[i]);
    }
}

static void check(const struct wr_conf *conf, struct wr_conf_report *report)
{
    check_names(conf, report, "check.without", false);
    check_names(conf, report, "check.bases", true);
}

const struct wr_conf_table check_keys = { keys, sizeof(keys) / sizeof(*keys), check };
