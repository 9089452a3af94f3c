#include "source/sources.h"

#include "testing/catalogue_rig.h"

static const struct wr_fetch_range here = {
    .ip = { .kind = WR_ADDR_IP4, .ip = { 127 } }, .bits = 8,
};

TEST(all_sources_are_opened_but_those_that_are_off)
{
    struct sources *sources;
    struct sources_conf conf = { .plain = true };
    conf.settings[2].off = true;
    conf.settings[SOURCES_WEB_SEARCH].on = true;        /* but there is no base for it */
    REQUIRE_OK(sources_open(&sources, &conf));
    for (size_t i = 0; i < SOURCES_MAX; i++) {
        struct drainer *drainer = sources_drainer(sources, i);
        CHECK((drainer != NULL) == (i < SOURCE_COUNT && i != 2));
        CHECK(!drainer || drainer_driver(drainer) == sources_driver(i));
    }
    sources_close(sources, WR_NOW);
}

TEST(fallbacks_are_opened_when_they_are_wanted)
{
    struct sources *sources;
    struct sources_conf conf = { .plain = true };
    conf.settings[SOURCES_WAYBACK].on = true;
    conf.settings[SOURCES_WEB_SEARCH] = (struct sources_setting){
        .on = true, .base = "http://127.0.0.1:8888" };
    REQUIRE_OK(sources_open(&sources, &conf));
    CHECK(!sources_drainer(sources, SOURCES_ALIVE));
    CHECK(sources_drainer(sources, SOURCES_WAYBACK));
    CHECK(sources_drainer(sources, SOURCES_WEB_SEARCH));
    sources_close(sources, WR_NOW);
}

TEST(sources_are_told_who_asks)
{
    static struct catalogue catalogue = {
        .body = "{\"message\":{\"total-results\":0,\"items\":[]}}" };
    struct sources *sources;
    struct sources_conf conf = { .plain = true, .mailto = "me@a.example", .allow = &here,
                                 .allow_count = 1 };
    struct wr_gather *gather;
    catalogue_open(&catalogue);
    conf.settings[0].base = catalogue.base;
    REQUIRE_OK(sources_open(&sources, &conf));
    struct drainer *crossref = sources_drainer(sources, 0);
    CHECK(drainer_keyed(crossref));
    CHECK_OK(wr_gather_new(&gather, &(struct wr_gather_conf){
        .name = "test.gather", .sources = 1, .size = sizeof(struct drainer_answer) }));
    CHECK_OK(drainer_ask(crossref, &(struct drainer_job){
        .question = { .by = SOURCE_BY_TITLE, .text = "x" }, .gather = wr_gather_ref(gather),
        .deadline = wr_after(WR_S(20)) }, WR_NEVER));
    CHECK_OK(wr_gather_wait(gather, WR_NEVER));
    CHECK_ERR(WR_NOTFOUND, wr_gather_result(gather, 0, NULL));
    const char *agent = strcasestr(catalogue.heads[0], "User-Agent: weir/");
    CHECK(agent && strstr(agent, " (+mailto:me@a.example)\r\n"));
    wr_gather_unref(gather);
    sources_close(sources, WR_NOW);
    catalogue_close(&catalogue);
}

static bool breaks_down(const void *about)
{
    (void)about;
    wr_panic("the test breaks down");
}

/* Questions to two sources, of which one breaks down over its first. */
TEST(a_source_that_breaks_down_is_asked_again_and_the_others_do_not_notice)
{
    static struct catalogue catalogue = {
        .body = "{\"message\":{\"total-results\":0,\"items\":[]}}", .delay = WR_S(2) };
    static struct catalogue dblp = {
        .body = "{\"result\":{\"hits\":{\"@total\":\"0\"}}}", .delay = WR_S(5) };
    struct sources *sources;
    struct sources_conf conf = { .plain = true, .allow = &here, .allow_count = 1 };
    struct wr_gather *gather;
    catalogue_open(&catalogue);
    catalogue_open(&dblp);
    conf.settings[0].base = catalogue.base;
    conf.settings[2].base = dblp.base;
    REQUIRE_OK(sources_open(&sources, &conf));
    CHECK_OK(wr_gather_new(&gather, &(struct wr_gather_conf){
        .name = "test.gather", .sources = 3, .size = sizeof(struct drainer_answer) }));
    for (uint32_t i = 0; i < 3; i++)
        CHECK_OK(drainer_ask(sources_drainer(sources, i == 1 ? 2 : 0), &(struct drainer_job){
            .question = { .by = SOURCE_BY_TITLE, .text = "x" }, .slot = i,
            .gather = wr_gather_ref(gather), .deadline = wr_after(WR_S(20)),
            .unwanted = i ? NULL : breaks_down }, WR_NEVER));
    CHECK_OK(wr_gather_wait(gather, wr_after(WR_S(30))));
    CHECK_ERR(WR_PANIC, wr_gather_result(gather, 0, NULL));
    CHECK_ERR(WR_NOTFOUND, wr_gather_result(gather, 1, NULL));
    CHECK_ERR(WR_NOTFOUND, wr_gather_result(gather, 2, NULL));
    CHECK_EQ(1, dblp.asked);                /* it went on while the other one began anew */
    wr_gather_unref(gather);
    sources_close(sources, WR_NOW);
    catalogue_close(&dblp);
    catalogue_close(&catalogue);
}
