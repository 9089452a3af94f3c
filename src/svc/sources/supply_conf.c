/* supply_conf.c - the sources as the configuration has them. */
#include "svc/sources/supply_conf.h"

#include <stdio.h>
#include <string.h>

#include <weir/addr.h>

static struct sources_setting *setting_of(struct sources_conf *sources, const char *word)
{
    size_t len = strcspn(word, "=");
    for (size_t i = 0; i < SOURCES_MAX; i++) {
        const struct source_driver *driver = sources_driver(i);
        if ((strlen(driver->slug) == len && strncmp(driver->slug, word, len) == 0)
            || strcasecmp(driver->name, word) == 0)
            return &sources->settings[i];
    }
    return NULL;                    /* the configuration has been checked: there is none such */
}

static void set_keys(struct sources_conf *sources, const struct wr_conf *conf)
{
    static const char *const slugs[] = { "semantic_scholar", "openalex", "pubmed", "govinfo" };
    for (size_t i = 0; i < sizeof(slugs) / sizeof(*slugs); i++) {
        char key[64];
        snprintf(key, sizeof(key), "check.%s_key", slugs[i]);
        setting_of(sources, slugs[i])->key = wr_conf_secret(conf, key);
    }
}

/* An address that the configuration names may be on this machine.  Those out of documents have
 * a client of their own, for which this does not count. */
static void allow_loopback(struct supply_conf *supply)
{
    (void)!wr_addr_parse(&supply->loopback[0].ip, "127.0.0.1:0");
    (void)!wr_addr_parse(&supply->loopback[1].ip, "[::1]:0");
    supply->loopback[0].bits = 8;
    supply->loopback[1].bits = 128;
    supply->sources.allow = supply->loopback;
    supply->sources.allow_count = 2;
}

void supply_conf_read(struct supply_conf *ret, const struct wr_conf *conf)
{
    const char *const *words;
    struct sources_conf *sources = &ret->sources;
    *ret = (struct supply_conf){ 0 };
    size_t count = wr_conf_words(conf, "check.without", &words);
    for (size_t i = 0; i < count; i++)
        setting_of(sources, words[i])->off = true;
    count = wr_conf_words(conf, "check.bases", &words);
    for (size_t i = 0; i < count; i++)
        setting_of(sources, words[i])->base = strchr(words[i], '=') + 1;
    set_keys(sources, conf);
    sources->mailto = wr_conf_text(conf, "check.mailto");
    sources->settings[SOURCES_ALIVE].on = true;
    sources->settings[SOURCES_WAYBACK].on = wr_conf_bool(conf, "check.wayback");
    sources->settings[SOURCES_WEB_SEARCH].base = wr_conf_text(conf, "check.searxng");
    sources->settings[SOURCES_WEB_SEARCH].on = wr_conf_has(conf, "check.searxng");
    if (count || wr_conf_has(conf, "check.searxng"))
        allow_loopback(ret);
}
