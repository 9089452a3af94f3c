/* supply_keys.c - what can be configured of sources. */
#include <string.h>

#include "source/sources.h"
#include "svc/sources/supply_keys.h"

static const struct wr_conf_key keys[] = {
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

const struct wr_conf_table supply_keys = { keys, sizeof(keys) / sizeof(*keys), check };
