/* doi_target_test.c - a DOI is looked up in the catalogues, else it is gone where it leads. */
#include "store/claim.h"
#include "store/fragment.h"
#include "store/sql_read.h"
#include "testing/expedition_rig.h"

#define DOI "{\"kind\":\"doi\",\"doi\":\"10.1000/X\"}"
#define ABSTRACT "The tides of the sea are caused by the gravity of the moon and of the sun."
#define S2(abstract) "{\"paperId\":\"649def34f8be52c8b66281af98ae884c09aef38b\"," \
    "\"title\":\"On tides\",\"externalIds\":{\"DOI\":\"10.1000/x\"}" abstract "}"
#define WITH ",\"abstract\":\"" ABSTRACT "\""
#define OPENALEX "{\"id\":\"https://openalex.org/W1\",\"title\":\"On tides\"," \
    "\"doi\":\"https://doi.org/10.1000/x\",\"abstract_inverted_index\":" \
    "{\"Tides\":[0],\"follow\":[1],\"the\":[2],\"moon\":[3],\"in\":[4],\"1687\":[5]}}"

/* What the request of this number asked for, up to its fields. */
static const char *asked(unsigned number)
{
    static char path[500];
    const char *head = expedition.catalogue.heads[number];
    snprintf(path, sizeof(path), "%.*s", (int)strcspn(head + 4, "? "), head + 4);
    return path;
}

static size_t claims_of_task(void)
{
    struct store_claims claims;
    CHECK_OK(store_claim_list(expedition.rig.store, &(struct store_claim_query){
        .task = expedition.task, .max = 10 }, &claims, SOON));
    size_t count = claims.count;
    store_claims_free(&claims);
    return count;
}

LOCAL_TEST(a_doi_is_what_the_first_catalogue_with_an_abstract_says)
{
    expedition.catalogue.scripted = 1;
    expedition.catalogue.script[0].body = S2(WITH);
    BEGIN(store, { "/x", .status = 404 });
    add_target(DOI, "{}");
    done(STORE_JOB_COMPLETED, 1);
    CHECK(says("\"papers_found\":1"));
    CHECK(says("\"fragments_extracted\":1"));
    CHECK(says("\"page_id\":\"page_"));
    CHECK_EQ(1, claims_of_task());
    CHECK_STR("/graph/v1/paper/DOI:10.1000/x", asked(0));       /* in lower case */
    CHECK_EQ(0, expedition.stranger.asked);
    end();
}

LOCAL_TEST(the_other_catalogue_is_asked_for_the_abstract)
{
    expedition.catalogue.scripted = 2;
    expedition.catalogue.script[0].body = S2("");
    expedition.catalogue.script[1].body = OPENALEX;
    BEGIN(store, { "/x", .status = 404 });
    add_target(DOI, "{}");
    done(STORE_JOB_COMPLETED, 1);
    CHECK(says("\"papers_found\":1"));
    CHECK_STR("/works/doi:10.1000/x", asked(1));
    end();
}

LOCAL_TEST(only_catalogues_that_are_wanted_are_asked)
{
    expedition.catalogue.body = OPENALEX;
    BEGIN(store, { "/x", .status = 404 });
    add_target(DOI, "{\"academic_apis\":[\"openalex\"]}");
    done(STORE_JOB_COMPLETED, 1);
    CHECK_STR("/works/doi:10.1000/x", asked(0));
    end();
}

LOCAL_TEST(who_cites_it_is_looked_for_next)
{
    expedition.catalogue.body = S2(WITH);
    BEGIN(store, { "/x", .status = 404 });
    add_target("{\"kind\":\"doi\",\"doi\":\"10.1000/a\\\"b\\\\c\"}", "{}");
    done(STORE_JOB_COMPLETED, 1);
    CHECK_EQ(1, queue_rig_count(&expedition.rig, expedition.task, QUEUE_CITATIONS,
                                STORE_JOB_COMPLETED)
             + queue_rig_count(&expedition.rig, expedition.task, QUEUE_CITATIONS,
                               STORE_JOB_RUNNING)
             + queue_rig_count(&expedition.rig, expedition.task, QUEUE_CITATIONS,
                               STORE_JOB_QUEUED));
    end();
}

/* How many pages of the task say this of where they come from. */
static int64_t come_from(const char *where)
{
    struct store_answer answer;
    struct store_why why;
    char sql[200];
    snprintf(sql, sizeof(sql), "select count(*) from task_pages where %s", where);
    if (!CHECK_OK(store_select(expedition.rig.store, &(struct store_ask){ .sql = sql,
            .rows_max = 1, .time_max = WR_S(2), .steps_max = 100000 }, &answer, &why, SOON)))
        return -1;
    int64_t count = store_int(&answer.rows, 0, 0);
    store_answer_free(&answer);
    return count;
}

LOCAL_TEST(where_a_paper_comes_from_is_kept_with_it)
{
    expedition.catalogue.body = S2(WITH);
    BEGIN(store, { "/x", .status = 404 });
    add_target("{\"kind\":\"doi\",\"doi\":\"10.1000/x\",\"depth\":1,\"reason\":"
               "\"citation_chase\",\"context\":{\"source_page_id\":\"page_7\"}}", "{}");
    done(STORE_JOB_COMPLETED, 1);
    CHECK_EQ(1, come_from("reason = 'citation_chase' and depth = 1 and source_page_id ="
                          " 'page_7'"));
    end();
}

LOCAL_TEST(what_no_catalogue_has_is_fetched_from_where_it_leads)
{
    expedition.catalogue.scripted = 2;
    expedition.catalogue.script[0].status = expedition.catalogue.script[1].status = 404;
    BEGIN(store, { "/x", .status = 404 });
    add_target("{\"kind\":\"doi\",\"doi\":\"10.1002/(SICI)1<1::AID>3.0#Co;2?\"}", "{}");
    done(STORE_JOB_FAILED, 1);
    const char *error = last_of(STORE_JOB_FAILED);
    if (!strstr(error, "https://doi.org/10.1002/(sici)1%3C1::aid%3E3.0%23co;2%3F: "))
        CHECK_STR("the address", error);
    CHECK_EQ(2, expedition.catalogue.asked);
    end();
}

LOCAL_TEST(a_catalogue_that_fails_is_said_when_nothing_else_helps)
{
    expedition.catalogue.scripted = 16;
    for (size_t i = 0; i < 16; i++)
        expedition.catalogue.script[i].status = 500;
    BEGIN(store, { "/x", .status = 404 });
    add_target(DOI, "{\"academic_apis\":[\"openalex\"]}");
    done(STORE_JOB_FAILED, 1);
    CHECK(strstr(last_of(STORE_JOB_FAILED), "https://doi.org/10.1000/x"));
    end();
}

LOCAL_TEST(without_catalogues_a_doi_is_an_address)
{
    BEGIN(store, { "/x", .status = 404 });
    add_target(DOI, "{}");
    done(STORE_JOB_FAILED, 1);
    CHECK(strstr(last_of(STORE_JOB_FAILED), "https://doi.org/10.1000/x"));
    end();
}

LOCAL_TEST(a_target_without_a_doi_fails)
{
    BEGIN(store, { "/x", .status = 404 });
    add_target("{\"kind\":\"doi\"}", "{}");
    done(STORE_JOB_FAILED, 1);
    CHECK_STR("INVALID_PARAMS: the target has no doi", last_of(STORE_JOB_FAILED));
    char target[2200];
    snprintf(target, sizeof(target), "{\"kind\":\"doi\",\"doi\":\"10.1000/%02000d\"}", 0);
    add_target(target, "{}");
    done(STORE_JOB_FAILED, 2);
    CHECK_STR("INVALID_PARAMS: the target has no doi", last_of(STORE_JOB_FAILED));
    end();
}
