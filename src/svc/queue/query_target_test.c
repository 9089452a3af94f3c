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
    CHECK_EQ(1, count("select count(*) from serp_items"));
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
    struct queue_why why;
    expedition.catalogue.body = FOUND("[\"duckduckgo\",\"CAPTCHA\"]");
    BEGIN(store, { "/x", .status = 404 });
    add_target(QUERY, "{}");
    done(STORE_JOB_WAITING, 1);
    CHECK_OK(queue_auth_list(expedition.rig.queue, expedition.task, &auths, &why, SOON));
    CHECK_EQ(1, auths.count);
    CHECK_STR("duckduckgo", auths.auths[0].domain);
    CHECK_STR("captcha", auths.auths[0].type);
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
    CHECK(strstr(last_of(STORE_JOB_FAILED), "SOURCE_FAILED: "));
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
