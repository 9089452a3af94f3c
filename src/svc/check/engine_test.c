/* engine_test.c - references through the engine: a real library, real sources on loopback. */
#include "svc/check/engine.h"

#include "testing/catalogue_rig.h"
#include "testing/library_rig.h"

#define NOTHING "{\"message\":{\"total-results\":0,\"items\":[]}}"
#define NOTES \
    "{\"message\":{\"total-results\":1,\"items\":[{\"title\":[\"Notes on the Analytical " \
    "Engine\"],\"author\":[{\"given\":\"Ada\",\"family\":\"Lovelace\"}]," \
    "\"DOI\":\"10.1000/" \
    "notes\",\"issued\":{\"date-parts\":[[1843]]},\"type\":\"journal-article\"}]}}"
#define PAGE \
    "{\"results\":[{\"title\":\"Notes on the Analytical Engine\",\"url\":" \
    "\"https://example.org/notes\"}]}"
#define NO_HITS "{\"result\":{\"hits\":{\"@total\":\"0\"}}}"

static const struct wr_fetch_range here = {
    .ip = { .kind = WR_ADDR_IP4, .ip = { 127 } }, .bits = 8,
};
static const struct bib_name lovelace = { "Lovelace", "Ada" };

static struct bib_work notes(void)
{
    return (struct bib_work){ .title = "Notes on the Analytical Engine", .authors = &lovelace,
                              .author_count = 1, .year = 1843 };
}

/* Crossref, DBLP and a web search, and a library with one work. */
struct rig {
    struct catalogue *crossref, *dblp, *wayback, *web;
    bool pages;                     /* are looked at, also on loopback */
    bool strict;                    /* ... and not there */
    wr_time dblp_interval;
    struct library_rig library;
    struct library *libraries[1];
    struct sources_conf conf;
    struct sources *sources;
    struct check_engine *engine;
    struct check_engine_conf engine_conf;
};

static size_t place_of(const char *slug)
{
    size_t place = 0;
    while (strcmp(sources_driver(place)->slug, slug) != 0)
        place++;
    return place;
}

static void open_rig(struct rig *rig, bool with_library)
{
    rig->conf = (struct sources_conf){ .plain = true, .allow = &here, .allow_count = 1,
                                       .cache = rig->conf.cache };
    for (size_t i = 0; i < SOURCES_MAX; i++)
        rig->conf.settings[i].off = true;
    if (rig->crossref) {
        catalogue_open(rig->crossref);
        rig->conf.settings[place_of("crossref")] =
            (struct sources_setting){ .base = rig->crossref->base };
    }
    if (rig->dblp) {
        catalogue_open(rig->dblp);
        rig->conf.settings[place_of("dblp")] =
            (struct sources_setting){ .base = rig->dblp->base, .interval = rig->dblp_interval };
    }
    if (rig->web) {
        catalogue_open(rig->web);
        rig->conf.settings[SOURCES_WEB_SEARCH] =
            (struct sources_setting){ .on = true, .base = rig->web->base };
    }
    if (rig->wayback) {
        catalogue_open(rig->wayback);
        rig->conf.settings[SOURCES_WAYBACK] =
            (struct sources_setting){ .base = rig->wayback->base, .on = true };
    }
    if (rig->pages)
        rig->conf.settings[SOURCES_ALIVE] = (struct sources_setting){ .on = true };
    rig->conf.allow_pages = &here;
    rig->conf.allow_pages_count = !rig->strict;
    if (with_library) {
        struct bib_record record = { .work = notes(), .id = "n1" };
        library_rig_open(&rig->library);
        rig_add(&rig->library, &record);
        rig_finish(&rig->library);
        rig->libraries[0] = rig->library.lib;
        rig->engine_conf.libraries = rig->libraries;
        rig->engine_conf.library_count = 1;
    }
    CHECK_OK(sources_open(&rig->sources, &rig->conf));
    rig->engine_conf.sources = rig->sources;
    rig->engine_conf.year = 2026;
    REQUIRE_OK(check_engine_open(&rig->engine, &rig->engine_conf));
}

static void close_rig(struct rig *rig)
{
    check_engine_close(rig->engine);
    sources_close(rig->sources, WR_NOW);
    if (rig->engine_conf.library_count)
        library_rig_close(&rig->library);
    if (rig->web)
        catalogue_close(rig->web);
    if (rig->wayback)
        catalogue_close(rig->wayback);
    if (rig->dblp)
        catalogue_close(rig->dblp);
    if (rig->crossref)
        catalogue_close(rig->crossref);
}

static struct check_paper *paper_of(const struct bib_work *works, size_t count)
{
    struct wr_arena arena = WR_ARENA(1 << 20);
    struct bib_references references = {
        .at = wr_arena_alloc(&arena, count * sizeof(struct bib_reference)), .count = count };
    for (size_t i = 0; i < count; i++)
        references.at[i] = (struct bib_reference){ .work = works[i], .raw = "raw",
                                                   .number = (uint32_t)i + 1 };
    struct check_paper *paper = NULL;
    CHECK_OK(check_paper_new(&paper, &(struct check_paper_conf){ .references = references }));
    wr_arena_free(&arena);
    return paper;
}

/* Check one work by itself; the report lives as long as the paper. */
static const struct check_finding *check_one(struct rig *rig, struct check_paper **ret,
                                             struct bib_work work)
{
    *ret = paper_of(&work, 1);
    CHECK_OK(check_engine_check(rig->engine, *ret, wr_after(WR_S(600))));
    return &check_paper_report(*ret)->findings[0];
}

TEST(a_work_in_a_library_is_verified_and_nobody_is_asked)
{
    static struct catalogue crossref = { .body = NOTHING };
    static struct rig rig = { .crossref = &crossref };
    struct check_paper *paper;
    open_rig(&rig, true);
    const struct check_finding *finding = check_one(&rig, &paper, notes());
    CHECK_EQ(BIB_VERIFIED, finding->verdict.outcome);
    REQUIRE(finding->evidence_count == 1);
    CHECK_STR("Rig", finding->evidence[0].source);
    CHECK(finding->evidence[0].version && strlen(finding->evidence[0].version) == 64);
    CHECK_EQ(0, crossref.asked);
    check_paper_unref(paper);
    close_rig(&rig);
}

TEST(a_work_that_everybody_was_asked_about_in_vain_is_not_found)
{
    static struct catalogue crossref = { .body = NOTHING }, dblp = { .body = NO_HITS };
    static struct rig rig = { .crossref = &crossref, .dblp = &dblp };
    struct check_paper *paper;
    open_rig(&rig, false);
    const struct check_finding *finding = check_one(&rig, &paper, notes());
    CHECK_EQ(BIB_NOT_FOUND, finding->verdict.outcome);
    CHECK_EQ(2, finding->asked_count);
    CHECK_EQ(CHECK_UNKNOWN, finding->asked[0].answer);
    CHECK_EQ(1, crossref.asked);
    CHECK_EQ(1, dblp.asked);
    check_paper_unref(paper);
    close_rig(&rig);
}

TEST(a_source_that_fails_makes_it_inconclusive_and_is_asked_again)
{
    static struct catalogue crossref = { .body = NOTHING };
    static struct catalogue dblp = { .scripted = 2,
                                     .script = { { .status = 500 }, { .status = 500 } } };
    static struct rig rig = { .crossref = &crossref, .dblp = &dblp };
    struct check_paper *paper;
    open_rig(&rig, false);
    const struct check_finding *finding = check_one(&rig, &paper, notes());
    CHECK_EQ(BIB_INCONCLUSIVE, finding->verdict.outcome);
    CHECK(finding->reason && strstr(finding->reason, "DBLP"));
    CHECK_EQ(2, dblp.asked);
    CHECK_EQ(1, crossref.asked);                /* which had answered */
    check_paper_unref(paper);
    close_rig(&rig);
}

TEST(a_source_that_fails_once_is_heard_the_second_time)
{
    static struct catalogue crossref = { .body = NOTES, .scripted = 1,
                                         .script = { { .status = 502 } } };
    static struct rig rig = { .crossref = &crossref };
    struct check_paper *paper;
    open_rig(&rig, false);
    const struct check_finding *finding = check_one(&rig, &paper, notes());
    CHECK_EQ(BIB_VERIFIED, finding->verdict.outcome);
    CHECK_STR("CrossRef", finding->evidence[0].source);
    CHECK(finding->evidence[0].asked_ms > 0);
    CHECK_EQ(2, crossref.asked);
    check_paper_unref(paper);
    close_rig(&rig);
}

TEST(whoever_has_not_been_asked_yet_is_not_when_it_is_verified)
{
    static struct catalogue crossref = { .body = NOTES }, dblp = { .body = NO_HITS };
    static struct rig rig = { .crossref = &crossref, .dblp = &dblp, .dblp_interval = WR_S(30) };
    open_rig(&rig, false);
    /* Crossref has verified the second and the third before DBLP has had its second turn. */
    struct bib_work works[] = { notes(), notes(), notes() };
    struct check_paper *paper = paper_of(works, 3);
    CHECK_OK(check_engine_check(rig.engine, paper, wr_after(WR_S(600))));
    for (size_t i = 0; i < 3; i++)
        CHECK_EQ(BIB_VERIFIED, check_paper_report(paper)->findings[i].verdict.outcome);
    CHECK_EQ(1, dblp.asked);
    CHECK_EQ(3, crossref.asked);
    check_paper_unref(paper);
    close_rig(&rig);
}

TEST(a_source_that_does_not_tell_the_year_settles_nothing)
{
    static struct catalogue crossref = { .body = NOTES };
    static struct catalogue dblp = {
        .body = "{\"result\":{\"hits\":{\"hit\":[{\"info\":{\"title\":\"Notes on the "
                "Analytical Engine\",\"authors\":{\"author\":\"Ada Lovelace\"}}}]}}}" };
    static struct rig rig = { .crossref = &crossref, .dblp = &dblp };
    struct check_paper *paper;
    crossref.delay = WR_S(2);                       /* so that DBLP is the first to answer */
    open_rig(&rig, false);
    struct bib_work works[] = { notes(), notes() };
    works[0].year = works[1].year = 1850;
    paper = paper_of(works, 2);
    CHECK_OK(check_engine_check(rig.engine, paper, wr_after(WR_S(600))));
    for (size_t i = 0; i < 2; i++) {
        const struct check_finding *finding = &check_paper_report(paper)->findings[i];
        CHECK_EQ(BIB_MISMATCH, finding->verdict.outcome);
        CHECK_EQ(BIB_FIELD_YEAR, finding->verdict.mismatches[0].field);
    }
    check_paper_unref(paper);
    close_rig(&rig);
}

TEST(the_web_is_asked_about_a_work_that_nobody_knows)
{
    static struct catalogue crossref = { .body = NOTHING }, web = { .body = PAGE };
    static struct rig rig = { .crossref = &crossref, .web = &web };
    struct check_paper *paper;
    open_rig(&rig, false);
    const struct check_finding *finding = check_one(&rig, &paper, notes());
    CHECK_EQ(BIB_VERIFIED, finding->verdict.outcome);
    CHECK_EQ(BIB_FLAG(AUTHORS_UNJUDGED), finding->verdict.flags);
    CHECK_STR("Web Search", finding->evidence[0].source);
    check_paper_unref(paper);
    close_rig(&rig);
}

TEST(a_page_says_nothing_against_a_record_that_differs)
{
    static const struct bib_name somebody = { "Somebody", "Else" };
    static struct catalogue crossref = { .body = NOTES }, web = { .body = PAGE };
    static struct rig rig = { .crossref = &crossref, .web = &web };
    struct check_paper *paper;
    open_rig(&rig, false);
    struct bib_work work = notes();
    work.authors = &somebody;
    const struct check_finding *finding = check_one(&rig, &paper, work);
    CHECK_EQ(BIB_MISMATCH, finding->verdict.outcome);
    CHECK_EQ(0, web.asked);
    check_paper_unref(paper);
    close_rig(&rig);
}

TEST(an_identifier_is_followed_though_a_library_has_the_work)
{
    static struct catalogue crossref = { .body = NOTHING };
    static struct rig rig = { .crossref = &crossref };
    struct check_paper *paper;
    open_rig(&rig, true);
    struct bib_work work = notes();
    work.doi = "10.1000/another";
    (void)check_one(&rig, &paper, work);
    CHECK(crossref.asked > 0);
    CHECK(strstr(crossref.heads[0], "10.1000"));
    check_paper_unref(paper);
    close_rig(&rig);
}

TEST(a_reference_without_anything_to_look_for_is_skipped)
{
    static struct catalogue crossref = { .body = NOTHING };
    static struct rig rig = { .crossref = &crossref };
    open_rig(&rig, false);
    struct bib_reference reference = { .raw = "ibid.", .skip = "it has no title", .number = 1 };
    struct check_paper *paper;
    REQUIRE_OK(check_paper_new(&paper, &(struct check_paper_conf){
        .references = { &reference, 1 } }));
    CHECK_OK(check_engine_check(rig.engine, paper, WR_NEVER));
    const struct check_finding *finding = &check_paper_report(paper)->findings[0];
    CHECK_EQ(BIB_SKIPPED, finding->verdict.outcome);
    CHECK_STR("it has no title", finding->reason);
    CHECK_EQ(0, crossref.asked);
    check_paper_unref(paper);
    close_rig(&rig);
}

TEST(what_a_source_said_is_remembered_for_the_next_paper)
{
    static struct catalogue dblp = { .body = NO_HITS };
    /* It settles the reference, and is late so that the other one has been heard, too. */
    static struct catalogue crossref = { .body = NOTES, .delay = WR_S(1) };
    static struct rig rig = { .crossref = &crossref, .dblp = &dblp };
    struct check_paper *paper;
    CHECK_OK(wr_cache_new(&rig.conf.cache, &(struct wr_cache_conf){
        .name = "check.sources", .ttl = DRAINER_TTL, .ttl_nothing = DRAINER_TTL_NOTHING }));
    open_rig(&rig, false);
    (void)check_one(&rig, &paper, notes());
    check_paper_unref(paper);
    unsigned before = crossref.asked + dblp.asked;
    const struct check_finding *finding = check_one(&rig, &paper, notes());
    CHECK_EQ(BIB_VERIFIED, finding->verdict.outcome);
    CHECK_EQ(0, finding->evidence[0].asked_ms);
    CHECK_EQ(before, crossref.asked + dblp.asked);
    /* All that is remembered is seen, also of who is not needed any more. */
    REQUIRE(finding->asked_count == 2);
    CHECK_EQ(CHECK_FOUND, finding->asked[0].answer);
    CHECK_EQ(CHECK_UNKNOWN, finding->asked[1].answer);
    check_paper_unref(paper);
    struct wr_cache *cache = rig.conf.cache;
    close_rig(&rig);
    wr_cache_free(cache);
}

TEST(a_paper_whose_time_is_over_says_what_was_not_looked_at)
{
    static struct catalogue crossref = { .body = NOTHING, .delay = WR_S(8) };
    static struct rig rig = { .crossref = &crossref, .engine_conf = { .in_flight = 1 } };
    open_rig(&rig, false);
    struct bib_work works[] = { notes(), notes() };
    struct check_paper *paper = paper_of(works, 2);
    wr_time began = wr_now();
    CHECK_ERR(WR_TIMEOUT, check_engine_check(rig.engine, paper, wr_after(WR_S(3))));
    CHECK_EQ(WR_S(3), wr_now() - began);
    const struct check_report *report = check_paper_report(paper);
    CHECK(report->cut_short);
    CHECK_EQ(BIB_INCONCLUSIVE, report->findings[0].verdict.outcome);
    CHECK_EQ(BIB_INCONCLUSIVE, report->findings[1].verdict.outcome);
    check_paper_unref(paper);
    began = wr_now();
    close_rig(&rig);                            /* what is under way is given up */
    CHECK(wr_now() - began < WR_S(1));
}

TEST(an_engine_is_closed_at_once_and_another_one_goes_on_with_the_same_sources)
{
    static struct catalogue crossref = { .body = NOTHING, .delay = WR_S(8) };
    static struct rig rig = { .crossref = &crossref };
    open_rig(&rig, false);
    struct bib_work work = notes();
    struct check_paper *paper = paper_of(&work, 1);
    CHECK_ERR(WR_TIMEOUT, check_engine_check(rig.engine, paper, wr_after(WR_S(3))));
    check_paper_unref(paper);
    wr_time began = wr_now();
    check_engine_close(rig.engine);             /* Crossref is still being asked */
    CHECK_EQ(began, wr_now());
    REQUIRE_OK(check_engine_open(&rig.engine, &rig.engine_conf));
    work.title = "Another title";
    paper = paper_of(&work, 1);
    CHECK_OK(check_engine_check(rig.engine, paper, wr_after(WR_S(60))));
    CHECK_EQ(BIB_NOT_FOUND, check_paper_report(paper)->findings[0].verdict.outcome);
    CHECK_EQ(2, crossref.asked);
    check_paper_unref(paper);
    close_rig(&rig);
}

TEST(nobody_is_asked_for_a_paper_that_has_ended)
{
    static struct catalogue crossref = { .body = NOTHING };
    static struct rig rig = { .crossref = &crossref };
    open_rig(&rig, false);
    struct bib_work works[] = { notes(), notes(), notes() };
    struct check_paper *paper = paper_of(works, 3);
    CHECK_ERR(WR_TIMEOUT, check_engine_check(rig.engine, paper, wr_after(WR_MS(500))));
    CHECK_OK(wr_sleep(wr_after(WR_S(10))));
    CHECK_EQ(1, crossref.asked);                /* it allows one in a second */
    check_paper_unref(paper);
    close_rig(&rig);
}

TEST(no_more_references_than_allowed_are_under_way)
{
    static struct catalogue crossref = { .body = NOTHING };
    static struct rig rig = { .crossref = &crossref, .engine_conf = { .in_flight = 3 } };
    open_rig(&rig, false);
    struct bib_work works[20];
    for (size_t i = 0; i < 20; i++)
        works[i] = notes();
    struct check_paper *paper = paper_of(works, 20);
    CHECK_OK(check_engine_check(rig.engine, paper, wr_after(WR_S(600))));
    CHECK_EQ(20, crossref.asked);
    for (size_t i = 1; i < 20; i++)             /* its limit: one each second */
        CHECK(crossref.at[i] - crossref.at[i - 1] >= WR_S(1));
    check_paper_unref(paper);
    close_rig(&rig);
}

/* ---- pages ---- */

#define NO_SNAPSHOT "{\"archived_snapshots\":{}}"

/* A work that is no more than a page on a site. */
static struct bib_work page_on(const struct catalogue *site, const char **url)
{
    *url = site->base;
    return (struct bib_work){ .kind = BIB_WEB, .title = "Engines for everybody",
                              .authors = &lovelace, .author_count = 1, .urls = url,
                              .url_count = 1 };
}

TEST(a_page_that_answers_is_verified_but_not_its_authors)
{
    static struct catalogue crossref = { .body = NOTHING }, site = { .body = "hello" };
    static struct catalogue wayback = { .body = NO_SNAPSHOT };
    static struct rig rig = { .crossref = &crossref, .wayback = &wayback, .pages = true };
    struct check_paper *paper;
    const char *url;
    open_rig(&rig, false);
    catalogue_open(&site);
    const struct check_finding *finding = check_one(&rig, &paper, page_on(&site, &url));
    CHECK_EQ(BIB_VERIFIED, finding->verdict.outcome);
    CHECK_EQ(BIB_FLAG(AUTHORS_UNJUDGED), finding->verdict.flags);
    REQUIRE(finding->evidence_count == 1);
    CHECK_STR("URL Check", finding->evidence[0].source);
    CHECK_STR(site.base, finding->evidence[0].url);
    CHECK_EQ(1, crossref.asked);                /* first */
    CHECK_EQ(1, site.asked);
    CHECK_EQ(0, wayback.asked);
    check_paper_unref(paper);
    catalogue_close(&site);
    close_rig(&rig);
}

TEST(a_page_that_is_gone_is_asked_of_the_archive)
{
    static struct catalogue crossref = { .body = NOTHING };
    static struct catalogue site = { .scripted = 2,
                                     .script = { { .status = 404 }, { .status = 404 } } };
    static struct catalogue wayback = { .body = NO_SNAPSHOT };
    static struct rig rig = { .crossref = &crossref, .wayback = &wayback, .pages = true };
    struct check_paper *paper;
    const char *url;
    open_rig(&rig, false);
    catalogue_open(&site);
    const struct check_finding *finding = check_one(&rig, &paper, page_on(&site, &url));
    CHECK_EQ(BIB_NOT_FOUND, finding->verdict.outcome);
    CHECK_EQ(2, site.asked);
    CHECK_EQ(1, wayback.asked);
    check_paper_unref(paper);
    catalogue_close(&site);
    close_rig(&rig);
}

TEST(a_page_that_fails_is_not_unknown)
{
    static struct catalogue crossref = { .body = NOTHING };
    static struct catalogue site = { .scripted = 2,
                                     .script = { { .status = 500 }, { .status = 500 } } };
    static struct rig rig = { .crossref = &crossref, .pages = true };
    struct check_paper *paper;
    const char *url;
    open_rig(&rig, false);
    catalogue_open(&site);
    const struct check_finding *finding = check_one(&rig, &paper, page_on(&site, &url));
    CHECK_EQ(BIB_INCONCLUSIVE, finding->verdict.outcome);
    CHECK(strstr(finding->reason, "URL Check"));
    check_paper_unref(paper);
    catalogue_close(&site);
    close_rig(&rig);
}

TEST(a_paper_that_nobody_knows_is_not_verified_by_a_page)
{
    static struct catalogue crossref = { .body = NOTHING }, site = { .body = "hello" };
    static struct rig rig = { .crossref = &crossref, .pages = true };
    struct check_paper *paper;
    const char *url;
    open_rig(&rig, false);
    catalogue_open(&site);
    struct bib_work work = page_on(&site, &url);
    work.kind = BIB_PAPER;
    const struct check_finding *finding = check_one(&rig, &paper, work);
    CHECK_EQ(BIB_NOT_FOUND, finding->verdict.outcome);
    CHECK_EQ(0, site.asked);
    check_paper_unref(paper);
    catalogue_close(&site);
    close_rig(&rig);
}

TEST(a_document_cannot_make_us_look_into_our_own_network)
{
    static struct catalogue crossref = { .body = NOTHING }, site = { .body = "hello" };
    static struct rig rig = { .crossref = &crossref, .pages = true, .strict = true };
    struct check_paper *paper;
    const char *url;
    open_rig(&rig, false);                      /* though Crossref is there */
    catalogue_open(&site);
    const struct check_finding *finding = check_one(&rig, &paper, page_on(&site, &url));
    CHECK_EQ(BIB_NOT_FOUND, finding->verdict.outcome);
    CHECK_EQ(1, crossref.asked);
    CHECK_EQ(0, site.asked);
    check_paper_unref(paper);
    catalogue_close(&site);
    close_rig(&rig);
}

TEST(a_page_is_skipped_where_pages_are_not_looked_at)
{
    static struct catalogue crossref = { .body = NOTHING }, site;
    static struct rig rig = { .crossref = &crossref };
    struct check_paper *paper;
    const char *url;
    open_rig(&rig, false);
    const struct check_finding *finding = check_one(&rig, &paper, page_on(&site, &url));
    CHECK_EQ(BIB_SKIPPED, finding->verdict.outcome);
    CHECK(strstr(finding->reason, "page"));
    check_paper_unref(paper);
    close_rig(&rig);
}

TEST(an_address_alone_is_looked_at)
{
    static struct catalogue crossref = { .body = NOTHING }, site = { .body = "hello" };
    static struct rig rig = { .crossref = &crossref, .pages = true };
    struct check_paper *paper;
    const char *url;
    open_rig(&rig, false);
    catalogue_open(&site);
    struct bib_work work = page_on(&site, &url);
    work.title = NULL;
    work.author_count = 0;
    const struct check_finding *finding = check_one(&rig, &paper, work);
    CHECK_EQ(BIB_VERIFIED, finding->verdict.outcome);
    CHECK_EQ(0, finding->verdict.flags);
    CHECK_EQ(0, crossref.asked);
    CHECK_EQ(1, site.asked);
    check_paper_unref(paper);
    catalogue_close(&site);
    close_rig(&rig);
}
