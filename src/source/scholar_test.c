#include "source/scholar.h"

#include <weir/secret.h>

#include "testing/catalogue_rig.h"

#define S2_ID "649def34f8be52c8b66281af98ae884c09aef38b"
#define WORKS(list) "{\"meta\":{\"count\":1},\"results\":[" list "]}"
#define WORK(id, title) "{\"id\":\"https://openalex.org/" id "\",\"title\":\"" title "\"}"
#define PAPER(title) "{\"paperId\":\"" S2_ID "\",\"title\":\"" title "\"}"

static const struct wr_fetch_range here = {
    .ip = { .kind = WR_ADDR_IP4, .ip = { 127 } }, .bits = 8,
};

/* Both catalogues are at the same address. */
struct rig {
    struct catalogue catalogue;
    struct sources_conf conf;
    struct sources *sources;
    struct wr_arena arena;
    struct scholar_ask ask;
    struct scholar_found found;
};

static size_t place_of(const struct source_driver *driver)
{
    size_t place = 0;
    while (sources_driver(place) != driver)
        place++;
    return place;
}

static void begin(struct rig *rig)
{
    catalogue_open(&rig->catalogue);
    rig->conf.plain = true;
    rig->conf.allow = &here;
    rig->conf.allow_count = 1;
    rig->conf.settings[place_of(&source_semantic_scholar)].base = rig->catalogue.base;
    rig->conf.settings[place_of(&source_openalex)].base = rig->catalogue.base;
    rig->arena = WR_ARENA(1 << 20);
    REQUIRE_OK(sources_open(&rig->sources, &rig->conf));
    rig->ask = (struct scholar_ask){ .sources = rig->sources, .arena = &rig->arena };
}

static void end(struct rig *rig)
{
    sources_close(rig->sources, WR_NOW);
    wr_arena_free(&rig->arena);
    catalogue_close(&rig->catalogue);
}

typedef wr_err call_fn(struct scholar_found *ret, const struct scholar_ask *ask,
                       wr_time deadline);

static wr_err call(struct rig *rig, call_fn *fn, enum scholar_api api, const char *text)
{
    rig->ask.api = api;
    rig->ask.text = text;
    return fn(&rig->found, &rig->ask, wr_after(WR_S(60)));
}

/* What the request of this number asked for, without fields and what follows. */
static const char *asked(struct rig *rig, unsigned number)
{
    static char path[500];
    const char *head = rig->catalogue.heads[number];
    size_t len = strcspn(head + 4, " ");
    snprintf(path, sizeof(path), "%.*s", (int)len, head + 4);
    char *fields = strstr(path, "fields=");
    fields = fields ? fields : strstr(path, "select=id,title,");
    if (fields)
        *fields = '\0';
    return path;
}

TEST(a_search_asks_for_so_many_and_finds_them)
{
    static struct rig rig = {
        .catalogue.body = WORKS(WORK("W1", "One") "," WORK("W2", "Two")) };
    begin(&rig);
    rig.ask.limit = 2;
    CHECK_OK(call(&rig, scholar_search, SCHOLAR_OPENALEX, " sleep-wake  &\tmemory? "));
    CHECK_STR("/works?search=sleep-wake%20%26%20memory%3F%20&per-page=2&", asked(&rig, 0));
    REQUIRE(rig.found.count == 2);
    CHECK_STR("Two", rig.found.papers[1].title);
    rig.catalogue.body = "{\"total\":1,\"data\":[" PAPER("One") "]}";
    CHECK_OK(call(&rig, scholar_search, SCHOLAR_SEMANTIC_SCHOLAR, "sleep-wake"));
    CHECK_STR("/graph/v1/paper/search?query=sleep%20wake&limit=2&", asked(&rig, 1));
    REQUIRE(rig.found.count == 1);
    CHECK_STR(S2_ID, rig.found.papers[0].id);
    end(&rig);
}

TEST(a_paper_is_looked_up_by_each_form_of_an_id)
{
    static const struct { const char *id, *s2, *openalex; } cases[] = {
        { "DOI:10.1000/A;b", "DOI:10.1000/a%3Bb", "doi:10.1000/a%3Bb" },
        { "doi:https://doi.org/10.1000/x", "DOI:10.1000/x", "doi:10.1000/x" },
        { "PMID:31452104", "PMID:31452104", "pmid:31452104" },
        { "PMCID:PMC6993921", "PMCID:6993921", "pmcid:PMC6993921" },
        { "ARXIV:2403.00108v2", "ARXIV:2403.00108", "doi:10.48550/arxiv.2403.00108" },
    };
    static struct rig rig = { .conf.settings[3].interval = WR_MS(1) };
    begin(&rig);
    for (unsigned i = 0; i < 5; i++) {
        char want[100];
        rig.catalogue.body = PAPER("One");
        CHECK_OK(call(&rig, scholar_look, SCHOLAR_SEMANTIC_SCHOLAR, cases[i].id));
        snprintf(want, sizeof(want), "/graph/v1/paper/%s?", cases[i].s2);
        CHECK_STR(want, asked(&rig, 2 * i));
        rig.catalogue.body = WORK("W1", "One");
        CHECK_OK(call(&rig, scholar_look, SCHOLAR_OPENALEX, cases[i].id));
        snprintf(want, sizeof(want), "/works/%s?", cases[i].openalex);
        CHECK_STR(want, asked(&rig, 2 * i + 1));
        CHECK_EQ(1, rig.found.count);
    }
    end(&rig);
}

TEST(what_is_no_query_and_no_id_is_not_sent)
{
    static const char *const ids[] = { "", "W", "Wx", "DOI:", "DOI:none", "PMID:1a", "ISBN:1",
                                       "W1/../../x", "abcdef",
                                       "PMID:1234567890123" };
    static struct rig rig;
    begin(&rig);
    for (unsigned i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
        CHECK_ERR(WR_INVALID, call(&rig, scholar_look, SCHOLAR_OPENALEX, ids[i]));
        CHECK(strstr(rig.found.why, "is none of its ids"));
        CHECK_ERR(WR_INVALID, call(&rig, scholar_cited, SCHOLAR_SEMANTIC_SCHOLAR, ids[i]));
    }
    CHECK_ERR(WR_INVALID, call(&rig, scholar_look, SCHOLAR_OPENALEX, S2_ID));
    CHECK_ERR(WR_INVALID, call(&rig, scholar_search, SCHOLAR_OPENALEX, " \t "));
    static char text[600];
    memset(text, 'x', sizeof(text) - 1);
    CHECK_ERR(WR_INVALID, call(&rig, scholar_search, SCHOLAR_OPENALEX, text));
    CHECK_EQ(0, rig.catalogue.asked);
    end(&rig);
}

TEST(links_of_semantic_scholar_take_one_request)
{
    static struct rig rig = {
        .catalogue = { .scripted = 2, .script = {
            { .body = "{\"data\":[{\"citedPaper\":" PAPER("Old") "}]}" },
            { .body = "{\"data\":[{\"citingPaper\":" PAPER("New") "}]}" } } } };
    begin(&rig);
    CHECK_OK(call(&rig, scholar_cited, SCHOLAR_SEMANTIC_SCHOLAR, "DOI:10.1000/x"));
    CHECK_STR("/graph/v1/paper/DOI:10.1000/x/references?limit=10&", asked(&rig, 0));
    CHECK_STR("Old", rig.found.papers[0].title);
    CHECK_OK(call(&rig, scholar_citing, SCHOLAR_SEMANTIC_SCHOLAR, S2_ID));
    CHECK_STR("/graph/v1/paper/" S2_ID "/citations?limit=10&", asked(&rig, 1));
    CHECK_STR("New", rig.found.papers[0].title);
    end(&rig);
}

TEST(links_of_openalex_take_the_ids_first)
{
    static struct rig
        rig = { .catalogue = {
                    .body = WORKS(WORK("W2", "Old")),
                    .scripted = 4,
                    .script = {
                        { .body = "{\"id\":\"https://openalex.org/W1\",\"referenced_works\":["
                                  "\"https://openalex.org/W2\",\"https://openalex.org/W3\"]}" },
                        { .body = WORKS(WORK("W2", "Old") "," WORK("W3", "Older")) },
                        { .body = WORKS(WORK("W9", "New")) },
                        { .body = "{\"id\":\"https://openalex.org/"
                                  "W7\",\"referenced_works\":[]}" } } } };
    begin(&rig);
    CHECK_OK(call(&rig, scholar_cited, SCHOLAR_OPENALEX, "DOI:10.1000/x"));
    CHECK_STR("/works/doi:10.1000/x?select=id,referenced_works", asked(&rig, 0));
    CHECK_STR("/works?filter=openalex:W2%7CW3&per-page=10&", asked(&rig, 1));
    REQUIRE(rig.found.count == 2);
    CHECK_STR("Older", rig.found.papers[1].title);
    CHECK_OK(call(&rig, scholar_citing, SCHOLAR_OPENALEX, "W5"));
    CHECK_STR("/works?filter=cites:W5&per-page=10&", asked(&rig, 2));
    CHECK_STR("New", rig.found.papers[0].title);
    CHECK_OK(call(&rig, scholar_cited, SCHOLAR_OPENALEX, "W7"));
    CHECK_EQ(0, rig.found.count);                   /* it cites nothing: that is all */
    CHECK_EQ(4, rig.catalogue.asked);
    end(&rig);
}

TEST(an_unknown_paper_is_not_found_and_a_search_never_is)
{
    static struct rig rig = { .catalogue = { .scripted = 2, .script = {
        { .status = 404, .body = "{}" }, { .status = 404, .body = "{}" } } } };
    begin(&rig);
    CHECK_ERR(WR_NOTFOUND, call(&rig, scholar_look, SCHOLAR_OPENALEX, "W1"));
    CHECK_STR("OpenAlex: knows no W1", rig.found.why);
    CHECK_ERR(WR_IO, call(&rig, scholar_search, SCHOLAR_OPENALEX, "x"));
    CHECK_EQ(0, rig.found.count);
    end(&rig);
}

TEST(a_refusal_is_waited_for_and_the_question_sent_once_more)
{
    static struct rig rig = { .catalogue = { .body = WORKS(WORK("W1", "One")), .scripted = 1,
        .script = { { .status = 429, .headers = "Retry-After: 7\r\n" } } } };
    begin(&rig);
    CHECK_OK(call(&rig, scholar_search, SCHOLAR_OPENALEX, "x"));
    CHECK(rig.catalogue.at[1] - rig.catalogue.at[0] >= WR_S(7));
    CHECK_EQ(2, rig.catalogue.asked);
    end(&rig);
}

/* Six callers at a source that takes two at a time, and one in so many seconds. */
static struct rig crowd;

static wr_err look_up(void *unused)
{
    struct wr_arena arena = WR_ARENA(1 << 20);
    struct scholar_found found;
    (void)unused;
    wr_err err = scholar_look(&found, &(struct scholar_ask){
        .sources = crowd.sources, .api = SCHOLAR_SEMANTIC_SCHOLAR, .text = S2_ID,
        .arena = &arena }, wr_after(WR_S(200)));
    wr_arena_free(&arena);
    return err;
}

TEST(callers_keep_the_limits_of_the_source_together)
{
    struct wr_scope *scope;
    crowd.catalogue = (struct catalogue){ .body = PAPER("One"), .delay = WR_S(10) };
    begin(&crowd);
    CHECK_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test.crowd",
                                                           .deadline = WR_NEVER }));
    for (int i = 0; i < 6; i++)
        CHECK_OK(wr_scope_go(scope, "test.caller", look_up, NULL));
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    (void)!wr_scope_close(scope);
    CHECK_EQ(6, crowd.catalogue.asked);
    CHECK_EQ(2, crowd.catalogue.most_at_once);
    for (size_t i = 1; i < 6; i++)
        CHECK(crowd.catalogue.at[i] - crowd.catalogue.at[i - 1] >= WR_S(3));
    end(&crowd);
}

TEST(one_that_keeps_failing_is_left_alone)
{
    static struct rig rig = { .catalogue.body = "{}" };
    begin(&rig);
    for (unsigned i = 0; i < 8; i++)
        rig.catalogue.script[i] = (struct catalogue_reply){ .status = 500 };
    rig.catalogue.scripted = 8;
    for (unsigned i = 0; i < 5; i++)
        CHECK_ERR(WR_IO, call(&rig, scholar_look, SCHOLAR_OPENALEX, "W1"));
    CHECK_OK(wr_sleep(wr_after(WR_MS(200))));
    CHECK_ERR(WR_OPENCIRCUIT, call(&rig, scholar_look, SCHOLAR_OPENALEX, "W1"));
    CHECK_STR("OpenAlex: failed too often and is left alone for a while", rig.found.why);
    CHECK_EQ(5, rig.catalogue.asked);
    end(&rig);
}

TEST(a_key_goes_along_and_into_no_message)
{
    static struct rig rig = { .catalogue.body = PAPER("One") };
    struct wr_secret *key;
    char word[] = "sesame";                         /* which is wiped */
    CHECK_OK(wr_secret_new(&key, word, 6));
    rig.conf.settings[place_of(&source_semantic_scholar)].key = key;
    rig.conf.settings[place_of(&source_openalex)].key = key;
    begin(&rig);
    CHECK_OK(call(&rig, scholar_look, SCHOLAR_SEMANTIC_SCHOLAR, S2_ID));
    CHECK(strcasestr(rig.catalogue.heads[0], "x-api-key: sesame\r\n"));
    (void)!call(&rig, scholar_look, SCHOLAR_OPENALEX, "W1");
    CHECK(strstr(asked(&rig, 1), "/works/W1?"));
    CHECK(strstr(rig.catalogue.heads[1], "&api_key=sesame "));
    rig.catalogue.script[2] = (struct catalogue_reply){ .broken_off = true };
    rig.catalogue.scripted = 3;
    CHECK_ERR(WR_IO, call(&rig, scholar_look, SCHOLAR_OPENALEX, "W1"));
    CHECK(rig.found.why[0] && !strstr(rig.found.why, "sesame"));
    end(&rig);
    wr_secret_unref(key);
}

TEST(strangers_do_not_search_where_strangers_may_not)
{
    struct sources *sources;
    struct sources_conf conf = { .plain = true };
    struct wr_arena arena = WR_ARENA(1 << 20);
    struct scholar_found found;
    struct scholar_ask ask = { .api = SCHOLAR_OPENALEX, .text = "x", .arena = &arena };
    conf.settings[place_of(&source_semantic_scholar)].off = true;
    REQUIRE_OK(sources_open(&sources, &conf));
    ask.sources = sources;
    CHECK_ERR(WR_UNSUPPORTED, scholar_search(&found, &ask, wr_after(WR_S(1))));
    CHECK_STR("OpenAlex: gives strangers no searches: get a key (check.openalex_key)",
              found.why);
    ask.api = SCHOLAR_SEMANTIC_SCHOLAR;
    CHECK_ERR(WR_UNSUPPORTED, scholar_search(&found, &ask, wr_after(WR_S(1))));
    CHECK_STR("Semantic Scholar: is not asked (check.without)", found.why);
    sources_close(sources, WR_NOW);
    wr_arena_free(&arena);
}

TEST_PLAIN(catalogues_go_by_their_names)
{
    CHECK_EQ(SCHOLAR_OPENALEX, scholar_api_find("openalex"));
    CHECK_EQ(SCHOLAR_SEMANTIC_SCHOLAR, scholar_api_find("semantic_scholar"));
    CHECK_EQ(SCHOLAR_APIS, scholar_api_find("scopus"));
    CHECK_STR("openalex", scholar_api_name(SCHOLAR_OPENALEX));
}
