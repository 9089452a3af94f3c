/* supply_conf_test.c - the sources as the configuration has them. */
#include "svc/sources/supply_conf.h"

#include "svc/sources/supply_keys.h"
#include "testing/test.h"

static struct wr_conf *load(const char *flag)
{
    static const struct wr_conf_table *const tables[] = { &supply_keys, NULL };
    struct wr_conf *conf = NULL;
    struct wr_conf_report report = { 0 };
    char *argv[] = { (char *)"weir", (char *)flag, NULL };
    CHECK_OK(wr_conf_load(&conf, &(struct wr_conf_source){
        .tables = tables, .argc = flag ? 2 : 1, .argv = argv }, &report));
    wr_conf_report_free(&report);
    return conf;
}

static struct supply_conf supply;

TEST(sources_that_are_not_wanted_are_off)
{
    struct wr_conf *conf = load("--check-without=crossref,arXiv");
    supply_conf_read(&supply, conf);
    for (size_t i = 0; i < SOURCES_MAX; i++) {
        const char *slug = sources_driver(i)->slug;
        bool off = strcmp(slug, "crossref") == 0 || strcmp(slug, "arxiv") == 0;
        CHECK_EQ(off, supply.sources.settings[i].off);
    }
    CHECK(supply.sources.settings[SOURCES_ALIVE].on);
    CHECK(supply.sources.settings[SOURCES_WAYBACK].on);
    CHECK(!supply.sources.settings[SOURCES_WEB_SEARCH].on);
    wr_conf_unref(conf);
}

TEST(this_machine_is_asked_only_where_an_address_is_configured)
{
    static const struct { const char *flag; size_t allowed; } cases[] = {
        { NULL, 0 },
        { "--check-mailto=me@a.example", 0 },
        { "--check-searxng=http://127.0.0.1:8888", 2 },
        { "--check-bases=dblp=http://127.0.0.1:8888", 2 },
    };
    for (size_t i = 0; i < 4; i++) {
        struct wr_conf *conf = load(cases[i].flag);
        supply_conf_read(&supply, conf);
        CHECK_EQ(cases[i].allowed, supply.sources.allow_count);
        CHECK_EQ(0, supply.sources.allow_pages_count);
        wr_conf_unref(conf);
    }
}

TEST(a_base_and_a_key_go_to_their_source)
{
    struct wr_conf *conf = load("--check-bases=openalex=http://127.0.0.1:1/x");
    supply_conf_read(&supply, conf);
    for (size_t i = 0; i < SOURCES_MAX; i++) {
        bool it = strcmp(sources_driver(i)->slug, "openalex") == 0;
        CHECK_EQ(it, supply.sources.settings[i].base != NULL);
    }
    wr_conf_unref(conf);
    conf = load("--check-searxng=http://127.0.0.1:8888");
    supply_conf_read(&supply, conf);
    CHECK_STR("http://127.0.0.1:8888", supply.sources.settings[SOURCES_WEB_SEARCH].base);
    CHECK(supply.sources.settings[SOURCES_WEB_SEARCH].on);
    wr_conf_unref(conf);
}
