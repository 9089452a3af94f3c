#include "source/serp.h"

#include <weir/once.h>

#include "testing/catalogue_rig.h"

#define PAGE "{\"url\":\"https://a.example/\",\"title\":\"One\",\"engines\":[\"mojeek\"]}"
#define FOUND "{\"results\":[" PAGE "],\"unresponsive_engines\":[]}"
#define TROUBLE(engine, text) \
    "{\"results\":[],\"unresponsive_engines\":[[\"" engine "\",\"" text "\"]]}"
#define MOJEEK SERP_BIT(SERP_MOJEEK)
#define GOOGLE SERP_BIT(SERP_GOOGLE)
#define DUCK SERP_BIT(SERP_DUCKDUCKGO)

static const struct wr_fetch_range here = {
    .ip = { .kind = WR_ADDR_IP4, .ip = { 127 } }, .bits = 8,
};

struct rig {
    struct catalogue catalogue;
    struct sources_conf conf;
    struct sources *sources;
    struct wr_cache *cache;
    struct serp *serp;
    struct wr_arena arena;
    struct serp_found found;
};

static void begin(struct rig *rig)
{
    catalogue_open(&rig->catalogue);
    rig->conf = (struct sources_conf){ .plain = true, .allow = &here, .allow_count = 1 };
    for (size_t i = 0; i < SOURCES_MAX; i++)
        rig->conf.settings[i].off = true;
    rig->conf.settings[SOURCES_WEB_SEARCH] = (struct sources_setting){
        .on = true, .base = rig->catalogue.base, .interval = WR_MS(1) };
    rig->arena = WR_ARENA(1 << 20);
    REQUIRE_OK(sources_open(&rig->sources, &rig->conf));
    REQUIRE_OK(serp_new(&rig->serp, &(struct serp_conf){ .sources = rig->sources,
                                                         .cache = rig->cache }));
}

static void end(struct rig *rig)
{
    serp_free(rig->serp);
    sources_close(rig->sources, WR_NOW);
    wr_arena_free(&rig->arena);
    catalogue_close(&rig->catalogue);
}

static wr_err search(struct rig *rig, const char *query, uint32_t engines, wr_time within)
{
    return serp_search(&rig->found, rig->serp, &(struct serp_ask){
        .query = query, .engines = engines, .arena = &rig->arena }, wr_after(within));
}

/* The target of a request. */
static const char *asked(struct rig *rig, unsigned number)
{
    static char path[500];
    const char *head = rig->catalogue.heads[number];
    snprintf(path, sizeof(path), "%.*s", (int)strcspn(head + 4, " "), head + 4);
    return path;
}

TEST_PLAIN(a_person_sees_what_an_engine_wants_on_its_own_page)
{
    char buf[100];
    struct wr_text url = WR_TEXT(buf);
    serp_engine_page(&url, SERP_STARTPAGE, "a & b");
    CHECK_STR("https://www.startpage.com/sp/search?query=a%20%26%20b", url.at);
}

TEST(a_query_goes_to_the_engines_that_are_named)
{
    static struct rig rig = { .catalogue.body = FOUND };
    begin(&rig);
    CHECK_OK(search(&rig, "Quiet rivers & more", MOJEEK | GOOGLE, WR_S(10)));
    CHECK_STR("/search?q=Quiet%20rivers%20%26%20more&format=json&pageno=1"
              "&engines=mojeek,google", asked(&rig, 0));
    CHECK_EQ(1, rig.found.count);
    CHECK_EQ(MOJEEK | GOOGLE, rig.found.asked);
    CHECK_OK(serp_search(&rig.found, rig.serp, &(struct serp_ask){
        .query = "x", .engines = MOJEEK, .page = 2, .arena = &rig.arena }, wr_after(WR_S(9))));
    CHECK_STR("/search?q=x&format=json&pageno=2&engines=mojeek", asked(&rig, 1));
    end(&rig);
}

TEST(without_names_those_are_asked_that_mind_least_and_waited_for)
{
    static struct rig rig = { .catalogue.body = FOUND };
    begin(&rig);
    CHECK_OK(search(&rig, "a", 0, WR_S(10)));
    CHECK_STR("/search?q=a&format=json&pageno=1&engines=duckduckgo,mojeek,brave",
              asked(&rig, 0));
    CHECK_OK(search(&rig, "b", 0, WR_S(10)));                   /* who is first again */
    CHECK_STR("/search?q=b&format=json&pageno=1&engines=duckduckgo", asked(&rig, 1));
    CHECK(rig.catalogue.at[1] - rig.catalogue.at[0] >= WR_S(2));
    end(&rig);
}

TEST(between_two_queries_an_engine_has_its_time)
{
    static const struct { enum serp_engine engine; wr_time gap; } cases[] = {
        { SERP_DUCKDUCKGO, WR_S(2) }, { SERP_MOJEEK, WR_S(4) }, { SERP_ECOSIA, WR_S(3) },
        { SERP_STARTPAGE, WR_S(5) }, { SERP_BRAVE, WR_S(10) }, { SERP_GOOGLE, WR_S(20) },
        { SERP_BING, WR_S(20) },
    };
    static struct rig rig = { .catalogue.body = FOUND };
    begin(&rig);
    for (size_t i = 0; i < 7; i++) {
        uint32_t bit = SERP_BIT(cases[i].engine);
        CHECK_OK(search(&rig, "a", bit, WR_S(60)));
        wr_time first = wr_now();
        CHECK_ERR(WR_TIMEOUT, search(&rig, "b", bit, cases[i].gap / 2));
        CHECK_EQ(first, wr_now());              /* at once: it would be in vain */
        CHECK_OK(search(&rig, "b", bit, WR_S(60)));
        CHECK_EQ(cases[i].gap, wr_now() - first);
    }
    CHECK_EQ(14, rig.catalogue.asked);
    end(&rig);
}

static struct rig crowd;

static wr_err search_mojeek(void *unused)
{
    struct wr_arena arena = WR_ARENA(1 << 20);
    struct serp_found found;
    (void)unused;
    wr_err err = serp_search(&found, crowd.serp, &(struct serp_ask){
        .query = "rivers", .engines = MOJEEK, .arena = &arena }, wr_after(WR_S(100)));
    wr_arena_free(&arena);
    return err;
}

TEST(an_engine_is_asked_by_one_at_a_time)
{
    struct wr_scope *scope;
    crowd.catalogue = (struct catalogue){ .body = FOUND, .delay = WR_S(7) };
    begin(&crowd);
    CHECK_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test.crowd",
                                                           .deadline = WR_NEVER }));
    for (int i = 0; i < 4; i++)
        CHECK_OK(wr_scope_go(scope, "test.caller", search_mojeek, NULL));
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    (void)!wr_scope_close(scope);
    CHECK_EQ(4, crowd.catalogue.asked);
    CHECK_EQ(1, crowd.catalogue.most_at_once);
    CHECK_EQ(WR_S(7 + 4), crowd.catalogue.at[3] - crowd.catalogue.at[2]);
    end(&crowd);
}

TEST(an_engine_has_so_many_queries_on_a_day)
{
    static struct rig rig = { .catalogue.body = FOUND };
    begin(&rig);
    for (int i = 0; i < 10; i++)
        CHECK_OK(search(&rig, "a", GOOGLE, WR_S(60)));
    CHECK_EQ(10, serp_stat(rig.serp, SERP_GOOGLE).today);
    wr_time day = WR_S(24 * 3600), before = wr_now();
    wr_time left = day - wr_wall().ns % day;
    CHECK_ERR(WR_OPENCIRCUIT, search(&rig, "a", GOOGLE, WR_S(60)));
    CHECK_STR("Web Search: all engines have failed and are left alone, or had their day",
              rig.found.why);
    CHECK_OK(search(&rig, "a", GOOGLE, day));
    CHECK_EQ(left, wr_now() - before);          /* midnight, UTC */
    CHECK_EQ(1, serp_stat(rig.serp, SERP_GOOGLE).today);
    end(&rig);
}

TEST(an_engine_that_fails_twice_is_left_alone_longer_each_time)
{
    static const wr_time spans[] = { WR_S(1800), WR_S(3600), WR_S(7200), WR_S(7200) };
    static struct rig rig = { .catalogue.body = TROUBLE("mojeek", "CAPTCHA required") };
    begin(&rig);
    CHECK_OK(search(&rig, "a", MOJEEK, WR_S(60)));
    REQUIRE(rig.found.trouble_count == 1);
    CHECK_EQ(SERP_CAPTCHA, rig.found.troubles[0].kind);
    CHECK(!serp_stat(rig.serp, SERP_MOJEEK).alone);         /* once may happen */
    for (size_t i = 0; i < 4; i++) {
        CHECK_OK(search(&rig, "a", MOJEEK, WR_S(10000)));
        struct serp_stat stat = serp_stat(rig.serp, SERP_MOJEEK);
        CHECK(stat.alone && stat.last == SERP_CAPTCHA);
        CHECK_EQ(spans[i], stat.next - wr_now());
        CHECK_ERR(WR_OPENCIRCUIT, search(&rig, "a", MOJEEK, WR_S(60)));
    }
    rig.catalogue.body = FOUND;
    CHECK_OK(search(&rig, "a", MOJEEK, WR_S(10000)));       /* and all is forgotten */
    CHECK_EQ(1, rig.found.count);
    rig.catalogue.body = TROUBLE("mojeek", "timeout");
    CHECK_OK(search(&rig, "a", MOJEEK, WR_S(60)));
    CHECK(!serp_stat(rig.serp, SERP_MOJEEK).alone);
    end(&rig);
}

TEST(an_engine_that_is_pardoned_is_asked_at_once)
{
    static struct rig rig = { .catalogue.body = TROUBLE("mojeek", "CAPTCHA required") };
    begin(&rig);
    for (int i = 0; i < 2; i++)
        CHECK_OK(search(&rig, "a", MOJEEK, WR_S(60)));
    CHECK_OK(wr_sleep(wr_after(WR_S(5))));
    CHECK_ERR(WR_OPENCIRCUIT, search(&rig, "a", MOJEEK, WR_S(60)));
    serp_pardon(rig.serp, SERP_MOJEEK);
    rig.catalogue.body = FOUND;
    wr_time before = wr_now();
    CHECK_OK(search(&rig, "a", MOJEEK, WR_S(60)));
    CHECK_EQ(before, wr_now());
    end(&rig);
}

TEST(the_trouble_of_one_engine_is_not_that_of_another)
{
    static struct rig rig = {
        .catalogue.body = "{\"results\":[" PAGE "],\"unresponsive_engines\":[[\"google\","
                          "\"access denied\"]]}" };
    begin(&rig);
    for (int i = 0; i < 2; i++)
        CHECK_OK(search(&rig, "a", MOJEEK | GOOGLE, WR_S(60)) ?: wr_sleep(wr_after(WR_S(30))));
    CHECK_EQ(1, rig.found.count);
    CHECK(serp_stat(rig.serp, SERP_GOOGLE).alone);
    CHECK(!serp_stat(rig.serp, SERP_MOJEEK).alone);
    CHECK_OK(search(&rig, "a", MOJEEK | GOOGLE, WR_S(60)));
    CHECK_EQ(MOJEEK, rig.found.asked);
    end(&rig);
}

TEST(that_the_searx_fails_says_nothing_of_the_engines)
{
    static struct rig rig = { .catalogue = { .body = "no" } };
    begin(&rig);
    for (int i = 0; i < 3; i++)
        CHECK_ERR(WR_IO, search(&rig, "a", MOJEEK, WR_S(60)));
    CHECK(!serp_stat(rig.serp, SERP_MOJEEK).alone);
    CHECK_EQ(0, serp_stat(rig.serp, SERP_MOJEEK).failed);
    CHECK_EQ(3, serp_stat(rig.serp, SERP_MOJEEK).asked);
    end(&rig);
}

TEST(what_was_found_without_trouble_is_remembered_for_a_day)
{
    static struct rig rig = { .catalogue.body = FOUND };
    CHECK_OK(wr_cache_new(&rig.cache, &(struct wr_cache_conf){ .name = "test.serp",
                                                               .ttl = SERP_TTL }));
    begin(&rig);
    CHECK_OK(search(&rig, "Quiet rivers", MOJEEK, WR_S(60)));
    CHECK_OK(search(&rig, "quiet, RIVERS!", MOJEEK, WR_S(60)));
    CHECK_EQ(1, rig.catalogue.asked);
    CHECK_EQ(0, rig.found.asked);
    REQUIRE(rig.found.count == 1);
    CHECK_STR("https://a.example/", rig.found.results[0].url);
    CHECK_OK(search(&rig, "Quiet rivers", DUCK, WR_S(60)));         /* others, */
    CHECK_OK(search(&rig, "Quiet river", MOJEEK, WR_S(60)));        /* another one, */
    CHECK_EQ(3, rig.catalogue.asked);
    end(&rig);                          /* what has clients wakes for them, all day long */
    CHECK_OK(wr_sleep(wr_after(SERP_TTL)));
    begin(&rig);
    CHECK_OK(search(&rig, "Quiet rivers", MOJEEK, WR_S(60)));       /* another day */
    CHECK_EQ(4, rig.catalogue.asked);
    rig.catalogue.body = TROUBLE("mojeek", "timeout");
    CHECK_OK(search(&rig, "trouble", MOJEEK, WR_S(60)));
    CHECK_OK(search(&rig, "trouble", MOJEEK, WR_S(60)));
    CHECK_EQ(6, rig.catalogue.asked);
    end(&rig);
    wr_cache_free(rig.cache);
}

TEST(what_is_no_query_is_not_sent_to_any_engine)
{
    static struct rig rig = { .catalogue.body = FOUND };
    static char text[SERP_QUERY_MAX + 2];
    begin(&rig);
    memset(text, 'x', SERP_QUERY_MAX + 1);
    CHECK_ERR(WR_INVALID, search(&rig, "", 0, WR_S(1)));
    CHECK_ERR(WR_INVALID, search(&rig, " ?! ", 0, WR_S(1)));
    CHECK_ERR(WR_INVALID, search(&rig, text, 0, WR_S(1)));
    CHECK_ERR(WR_INVALID, serp_search(&rig.found, rig.serp, &(struct serp_ask){
        .query = "x", .page = 3, .arena = &rig.arena }, wr_after(WR_S(1))));
    CHECK_STR("Web Search: page 3 is asked for; there are 1 to 2", rig.found.why);
    CHECK_EQ(0, rig.catalogue.asked);
    end(&rig);
}

TEST(without_a_searx_there_is_no_search)
{
    struct sources *sources;
    struct serp *serp;
    struct serp_found found;
    struct wr_arena arena = WR_ARENA(1 << 20);
    REQUIRE_OK(sources_open(&sources, &(struct sources_conf){ .plain = true }));
    CHECK_OK(serp_new(&serp, &(struct serp_conf){ .sources = sources }));
    CHECK_ERR(WR_UNSUPPORTED, serp_search(&found, serp, &(struct serp_ask){
        .query = "x", .arena = &arena }, wr_after(WR_S(1))));
    CHECK_STR("Web Search: no SearxNG is configured (check.searxng)", found.why);
    serp_free(serp);
    sources_close(sources, WR_NOW);
    wr_arena_free(&arena);
}

TEST_PLAIN(engines_and_kinds_go_by_their_names)
{
    CHECK_EQ(SERP_BING, serp_engine_find("bing"));
    CHECK_EQ(SERP_ENGINES, serp_engine_find("altavista"));
    CHECK_STR("startpage", serp_engine_name(SERP_STARTPAGE));
    CHECK_STR("captcha", serp_kind_name(SERP_CAPTCHA));
}
