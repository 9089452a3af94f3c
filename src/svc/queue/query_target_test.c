/* query_target_test.c - a query, asked of the web and of catalogues at once.
 *
 * All of them are at one address, and its answer has what each of them looks for: Semantic
 * Scholar `data`, OpenAlex and SearxNG `results`.  So it does not matter who comes first. */
#include "store/sql_read.h"
#include "testing/expedition_rig.h"

#define QUERY "{\"kind\":\"query\",\"query\":\"moon and tides\"}"
#define ABSTRACT "The tides of the sea are caused by the gravity of the moon and of the sun."
#define PAPER "{\"paperId\":\"649def34f8be52c8b66281af98ae884c09aef38b\"," \
    "\"title\":\"On tides\",\"externalIds\":{\"DOI\":\"10.1000/x\"}," \
    "\"abstract\":\"" ABSTRACT "\"}"
#define WORK "{\"id\":\"https://openalex.org/W1\",\"title\":\"On tides\"," \
    "\"doi\":\"https://doi.org/10.1000/x\",\"url\":\"https://doi.org/10.1000/x\"," \
    "\"engine\":\"mojeek\",\"engines\":[\"mojeek\"],\"abstract_inverted_index\":" \
    "{\"Tides\":[0],\"follow\":[1],\"the\":[2],\"moon\":[3],\"in\":[4],\"1687\":[5]}}"
#define FOUND(troubles) "{\"data\":[" PAPER "],\"results\":[" WORK "]," \
    "\"unresponsive_engines\":[" troubles "]}"

static int64_t count(const char *sql)
{
    struct store_answer answer;
    struct store_why why;
    if (!CHECK_OK(store_select(expedition.rig.store, &(struct store_ask){ .sql = sql,
            .rows_max = 1, .time_max = WR_S(2), .steps_max = 100000 }, &answer, &why, SOON)))
        return -1;
    int64_t number = store_int(&answer.rows, 0, 0);
    store_answer_free(&answer);
    return number;
}

/* How often a request had this in its path. */
static unsigned asked_for(const char *part)
{
    unsigned times = 0;
    for (unsigned i = 0; i < expedition.catalogue.asked && i < CATALOGUE_MAX; i++)
        times += strstr(expedition.catalogue.heads[i], part) != NULL;
    return times;
}

LOCAL_TEST(a_paper_that_three_have_found_is_one_paper)
{
    expedition.catalogue.body = FOUND("");
    BEGIN(store, { "/x", .status = 404 });
    add_target(QUERY, "{}");
    done(STORE_JOB_COMPLETED, 1);
    CHECK(says("\"papers_found\":1"));
    CHECK_EQ(1, asked_for("GET /graph/v1/paper/search?query=moon%20and%20tides&"));
    CHECK_EQ(1, asked_for("GET /works?search=moon%20and%20tides&"));
    CHECK_EQ(1, count("select count(*) from pages"));
    CHECK_EQ(1, count("select count(*) from queries where query_text = 'moon and tides'"));
    CHECK_EQ(2, count("select count(*) from serp_items"));     /* on both pages */
    CHECK_EQ(0, expedition.stranger.asked);             /* its abstract is enough */
    end();
}

LOCAL_TEST(its_papers_citations_are_followed_by_another_job)
{
    expedition.catalogue.body = FOUND("");
    BEGIN(store, { "/x", .status = 404 });
    add_target(QUERY, "{}");
    done(STORE_JOB_COMPLETED, 1);
    CHECK_EQ(1, count("select count(*) from jobs where kind = 'citation_graph' and input_json"
                      " like '%\"DOI:10.1000/x\"%'"));
    end();
}

LOCAL_TEST(an_engine_that_wants_a_person_sets_the_query_aside)
{
    struct store_auths auths;
    uint64_t waiting;
    struct queue_why why;
    expedition.catalogue.body = FOUND("[\"duckduckgo\",\"CAPTCHA\"]");
    BEGIN(store, { "/x", .status = 404 });
    add_target(QUERY, "{}");
    done(STORE_JOB_WAITING, 1);
    CHECK_OK(queue_auth_list(expedition.rig.queue, expedition.task, &auths, &waiting, &why,
                             SOON));
    CHECK_EQ(1, auths.count);
    CHECK_STR("duckduckgo", auths.auths[0].domain);
    CHECK_STR("captcha", auths.auths[0].type);
    CHECK_STR("https://duckduckgo.com/?q=moon%20and%20tides", auths.auths[0].url);
    store_auths_free(&auths);
    CHECK_EQ(1, count("select count(*) from pages"));   /* what the others found is kept */
    end();
}

LOCAL_TEST(only_catalogues_that_are_wanted_are_searched)
{
    expedition.catalogue.body = FOUND("");
    BEGIN(store, { "/x", .status = 404 });
    add_target(QUERY, "{\"academic_apis\":[\"openalex\"]}");
    done(STORE_JOB_COMPLETED, 1);
    CHECK_EQ(0, asked_for("/graph/v1/paper/search"));
    CHECK_EQ(1, asked_for("/works?search="));
    end();
}

/* OpenAlex finds nothing in an answer without results, and says so. */
LOCAL_TEST(a_catalogue_that_fails_is_named_and_the_rest_goes_on)
{
    expedition.catalogue.body = "{\"data\":[" PAPER "]}";
    BEGIN(store, { "/x", .status = 404 });
    add_target(QUERY, "{}");
    done(STORE_JOB_COMPLETED, 1);
    CHECK(says("\"papers_found\":1"));
    CHECK(says("openalex"));
    CHECK(says("SOURCE_FAILED"));
    end();
}

LOCAL_TEST(a_query_that_nobody_could_answer_has_failed)
{
    expedition.catalogue.body = "no JSON";
    BEGIN(store, { "/x", .status = 404 });
    add_target(QUERY, "{}");
    done(STORE_JOB_FAILED, 1);
    CHECK(strstr(last_of(STORE_JOB_FAILED), "SERP_SEARCH_FAILED: "));
    CHECK(strstr(last_of(STORE_JOB_FAILED), "; semantic_scholar: "));
    end();
}

/* ---- what the web alone finds ---- */

static const char *const numbers[] = { "one", "two", "three", "four", "five" };

/* Pages of the site, as a SearxNG lists them. */
static const char *listed(char buf[4000], const char *first, unsigned count)
{
    struct wr_text text = wr_text_over(buf, 4000);
    wr_text_str(&text, "{\"results\":[");
    for (unsigned i = 0; i < count; i++) {
        char path[40];
        snprintf(path, sizeof(path), "%s%u", first, i + 1);
        wr_text_format(&text, "%s{\"url\":\"%s\",\"title\":\"%s about tides %s\","
                       "\"engine\":\"mojeek\",\"engines\":[\"mojeek\"]}", i ? "," : "",
                       url_of("a.test", path), first, numbers[i % 5]);
    }
    wr_text_str(&text, "],\"unresponsive_engines\":[]}");
    return buf;
}

#define NOBODY { "/paper/search", { .body = "{\"data\":[]}" } }, \
    { "/works?search", { .body = "{\"results\":[]}" } }
#define NO_MORE { "pageno=2", { .body = "{\"results\":[]}" } }

/* Catalogues find nothing, and the web what is said next. */
static void prepare(void)
{
    static const struct catalogue_way ways[] = { NOBODY, NO_MORE };
    expedition.catalogue.body = "{}";
    memcpy(expedition.catalogue.ways, ways, sizeof(ways));
}

static const char tides[] =
    "<title>Tides</title><article><h1>Tides</h1><p>The tides of the sea are caused by the "
    "gravity of the moon, as Newton explained in 1687 to everybody.</p></article>";
static const char ferries[] =
    "<title>Ferries</title><article><h1>Ferries</h1><p>Ferries that cross the lake at night "
    "carried ninety thousand passengers in 2019, which is more than ever before.</p></article>";

LOCAL_TEST(a_short_first_page_of_results_is_followed_by_the_second)
{
    char one[4000], two[4000];
    prepare();
    BEGIN(store, { "/p1", HTML, .body = tides }, { "/q1", HTML, .body = ferries });
    expedition.catalogue.body = listed(one, "/p", 1);
    expedition.catalogue.ways[2].reply.body = listed(two, "/q", 1);
    add_target(QUERY, "{}");
    done(STORE_JOB_COMPLETED, 1);
    CHECK(says("\"pages_fetched\":2"));
    CHECK_EQ(1, asked_for("&pageno=2&engines=duckduckgo "));    /* he is the first who may be */
    CHECK_EQ(1, count("select count(*) from serp_items where page_number = 2"));
    end();
}

LOCAL_TEST(twenty_results_are_enough)
{
    char one[4000];
    prepare();
    BEGIN(store, { "/p1", HTML, .body = tides });
    expedition.catalogue.body = listed(one, "/p", 20);
    add_target(QUERY, "{\"budget_pages\":1}");
    done(STORE_JOB_COMPLETED, 1);
    CHECK_EQ(0, asked_for("pageno=2"));
    end();
}

LOCAL_TEST(pages_that_say_nothing_new_end_the_search)
{
    char one[4000];
    prepare();
    BEGIN(store, { "/p1", HTML, .body = tides }, { "/p2", HTML, .body = tides },
          { "/p3", HTML, .body = tides }, { "/p4", HTML, .body = ferries });
    expedition.catalogue.body = listed(one, "/p", 4);
    add_target(QUERY, "{}");
    done(STORE_JOB_COMPLETED, 1);
    CHECK(says("\"status\":\"exhausted\""));
    CHECK(says("\"novelty_score\":0.333"));
    CHECK_STR("/robots.txt /p1 /p2 /p3", stranger_paths(&expedition.stranger));
    end();
}

LOCAL_TEST(a_page_that_says_something_new_keeps_it_going)
{
    char one[4000];
    prepare();
    BEGIN(store, { "/p1", HTML, .body = tides }, { "/p2", HTML, .body = tides },
          { "/p3", HTML, .body = ferries }, { "/p4", HTML, .body = tides });
    expedition.catalogue.body = listed(one, "/p", 4);
    add_target(QUERY, "{}");
    done(STORE_JOB_COMPLETED, 1);
    CHECK(says("\"status\":\"budget_exhausted\""));             /* at the fourth */
    end();
}

LOCAL_TEST(that_no_page_could_be_fetched_is_said_with_all_reasons)
{
    char one[4000];
    prepare();
    BEGIN(store, { "/p1", .status = 404 }, { "/p2", .status = 410 });
    expedition.catalogue.body = listed(one, "/p", 2);
    add_target(QUERY, "{}");
    done(STORE_JOB_FAILED, 1);
    const char *error = last_of(STORE_JOB_FAILED);
    CHECK(strncmp(error, "ALL_FETCHES_FAILED: ", 20) == 0);
    CHECK(strstr(error, "/p1: it was answered with 404; "));
    CHECK(strstr(error, "/p2: it was answered with 410"));
    end();
}

LOCAL_TEST(that_all_engines_are_left_alone_is_said)
{
    prepare();
    BEGIN(store, { "/x", .status = 404 });
    expedition.catalogue.body = "{\"results\":[],\"unresponsive_engines\":"
                                "[[\"mojeek\",\"timeout\"]]}";
    for (unsigned i = 1; i <= 3; i++) {
        add_target(QUERY, "{\"serp_engines\":[\"mojeek\"]}");
        done(STORE_JOB_FAILED, i);
        CHECK(strncmp(last_of(STORE_JOB_FAILED), i < 3 ? "SERP_SEARCH_FAILED: timeout"
                      : "ALL_ENGINES_BLOCKED: ", 21) == 0);
    }
    end();
}

LOCAL_TEST(who_is_not_configured_is_listed_and_fails_nothing)
{
    prepare();
    expedition.without_web = true;
    BEGIN(store, { "/x", .status = 404 });
    add_target(QUERY, "{}");
    done(STORE_JOB_COMPLETED, 1);
    CHECK(says("\"status\":\"exhausted\""));
    CHECK(says("\"errors\":[{\"about\":\"web search\",\"error_code\":\"NOT_CONFIGURED\","
               "\"error\":\"Web Search: no SearxNG is configured (check.searxng)\"}]"));
    end();
}

LOCAL_TEST(a_query_that_nobody_could_be_asked_for_has_failed)
{
    BEGIN(store, { "/x", .status = 404 });
    add_target(QUERY, "{}");
    done(STORE_JOB_FAILED, 1);
    CHECK_STR("NOT_CONFIGURED: there is nobody to be asked: no SearxNG (check.searxng), and no "
              "catalogue of papers", last_of(STORE_JOB_FAILED));
    end();
}

LOCAL_TEST(results_that_are_one_page_are_fetched_once)
{
    static char body[1000];
    prepare();
    BEGIN(store, { "/p1", HTML, .body = tides });
    const char *url = url_of("a.test", "/p1");
    snprintf(body, sizeof(body), "{\"results\":[{\"url\":\"%s\",\"title\":\"Tides\"},"
             "{\"url\":\"%s#more\",\"title\":\"Moon\"}]}", url, url);
    expedition.catalogue.body = body;
    add_target(QUERY, "{}");
    done(STORE_JOB_COMPLETED, 1);
    CHECK(says("\"pages_fetched\":1"));
    CHECK_STR("/robots.txt /p1", stranger_paths(&expedition.stranger));
    end();
}

LOCAL_TEST(a_target_without_a_query_fails_its_job)
{
    BEGIN(store, { "/x", .status = 404 });
    add_target("{\"kind\":\"query\"}", "{}");
    done(STORE_JOB_FAILED, 1);
    CHECK_STR("INVALID_PARAMS: the target has no query", last_of(STORE_JOB_FAILED));
    end();
}
