/* citation_job_test.c - papers that cite, and are cited. */
#include "store/sql_read.h"
#include "testing/expedition_rig.h"

#define S2_A "649def34f8be52c8b66281af98ae884c09aef38b"
#define OWN "{\"paperId\":\"" S2_A "\",\"title\":\"On tides\",\"externalIds\":" \
    "{\"DOI\":\"10.1000/x\"}}"
#define PAPER(number, title, cited) "{\"paperId\":\"" number \
    "49def34f8be52c8b66281af98ae884c09aef38b\",\"title\":\"" title "\",\"citationCount\":" \
    cited "}"
#define CITED(papers) "{\"data\":[" papers "]}"
#define NONE "{\"data\":[]}"

/* A job of this kind, as a target would have chained it. */
static void add_job(const char *papers)
{
    struct queue_submitted took;
    struct queue_why why;
    char rows[600], id[QUEUE_ID];
    snprintf(rows, sizeof(rows), "[[\"%s\",\"citation_graph\",\"cpu_nlp\",50,null,"
             "{\"query\":\"moon and tides\",\"papers\":[%s]}]]", queue_id(id, "cg_"), papers);
    CHECK_OK(queue_submit(expedition.rig.queue, expedition.task, rows, &took, &why, SOON));
    queue_submitted_free(&took);
}

static void over(enum store_job_state state, uint64_t count)
{
    queue_rig_until(&expedition.rig, expedition.task, QUEUE_CITATIONS, state, count);
}

/* Whether the last job in that state has this in its output, or in its error: there are no
 * others here. */
static bool tells(enum store_job_state state, const char *part)
{
    struct store_jobs jobs;
    CHECK_OK(store_task_done_jobs(expedition.rig.store, expedition.task, state, 1, &jobs,
                                  SOON));
    const struct store_job *job = jobs.count ? &jobs.jobs[0] : NULL;
    const char *text = !job ? "(none)" : job->output ? job->output : job->error;
    bool found = strstr(text, part) != NULL;
    if (!found)
        printf("# %s\n", text);
    store_jobs_free(&jobs);
    return found;
}

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

static void script(const char *own, const char *cited, const char *citing)
{
    size_t at = expedition.catalogue.scripted;
    expedition.catalogue.script[at].body = own;
    expedition.catalogue.script[at + 1].body = cited;
    expedition.catalogue.script[at + 2].body = citing;
    expedition.catalogue.scripted = at + 3;
}

LOCAL_TEST(both_ways_of_the_graph_are_followed_as_edges)
{
    script(OWN, CITED("{\"citedPaper\":" PAPER("1", "Tides of old", "3") "}"),
           CITED("{\"citingPaper\":" PAPER("2", "The moon today", "1") "}"));
    BEGIN(store, { "/x", .status = 404 });
    add_job("\"DOI:10.1000/x\"");
    over(STORE_JOB_COMPLETED, 1);
    CHECK(tells(STORE_JOB_COMPLETED,
                "\"papers_processed\":1,\"citations_found\":2,\"edges_created\":2,"
               "\"papers_persisted\":3,\"method\":\"lexical\""));
    CHECK_EQ(2, count("select count(*) from edges where relation = 'cites'"));
    CHECK_EQ(1, count("select count(*) from edges e join pages p on p.id = e.source_id where"
                      " e.relation = 'cites' and p.title = 'The moon today'"));
    CHECK_EQ(0, count("select pages_used from tasks"));
    end();
}

LOCAL_TEST(an_edge_is_there_once_however_often_it_is_found)
{
    for (int i = 0; i < 2; i++)
        script(OWN, CITED("{\"citedPaper\":" PAPER("1", "Tides of old", "3") "}"), NONE);
    BEGIN(store, { "/x", .status = 404 });
    add_job("\"DOI:10.1000/x\"");
    over(STORE_JOB_COMPLETED, 1);
    add_job("\"DOI:10.1000/x\"");
    over(STORE_JOB_COMPLETED, 2);
    CHECK(tells(STORE_JOB_COMPLETED, "\"citations_found\":1,\"edges_created\":0,"));
    CHECK_EQ(1, count("select count(*) from edges where relation = 'cites'"));
    end();
}

/* Of twelve ten are kept: those that are about it, and then those that are cited more. */
LOCAL_TEST(what_has_nothing_to_do_with_it_is_left_out)
{
    static char body[4000];
    struct wr_text text = WR_TEXT(body);
    wr_text_str(&text, "{\"data\":[");
    for (int i = 0; i < 12; i++)
        wr_text_format(&text, "%s{\"citedPaper\":{\"paperId\":\"%x49def34f8be52c8b66281af98ae"
                       "884c09aef38b\",\"title\":\"%s %d\",\"citationCount\":%d}}",
                       i ? "," : "", i,
                       i < 2 ? "Moon and tides" : "Cookery of kings", i, i < 2 ? 0 : i);
    wr_text_str(&text, "]}");
    script(OWN, body, NONE);
    BEGIN(store, { "/x", .status = 404 });
    add_job("\"DOI:10.1000/x\"");
    over(STORE_JOB_COMPLETED, 1);
    CHECK(tells(STORE_JOB_COMPLETED, "\"citations_found\":12,\"edges_created\":10,"));
    CHECK_EQ(2, count("select count(*) from pages where title like 'Moon and tides%'"));
    CHECK_EQ(0, count("select count(*) from pages where title in ('Cookery of kings 2',"
                      " 'Cookery of kings 3')"));
    end();
}

LOCAL_TEST(a_direction_that_fails_does_not_keep_the_other_from_being_followed)
{
    script(OWN, "no JSON", CITED("{\"citingPaper\":" PAPER("2", "The moon today", "1") "}"));
    BEGIN(store, { "/x", .status = 404 });
    add_job("\"DOI:10.1000/x\"");
    over(STORE_JOB_COMPLETED, 1);
    CHECK(tells(STORE_JOB_COMPLETED,
                "\"papers_processed\":1,\"citations_found\":1,\"edges_created\":1,"));
    end();
}

LOCAL_TEST(a_job_whose_papers_nobody_knows_has_failed_and_says_why)
{
    expedition.catalogue.body = "no JSON";
    BEGIN(store, { "/x", .status = 404 });
    add_job("\"DOI:10.1000/x\"");
    over(STORE_JOB_FAILED, 1);
    CHECK(tells(STORE_JOB_FAILED, "SOURCE_FAILED: "));
    end();
}

LOCAL_TEST(no_more_than_five_papers_are_followed)
{
    expedition.catalogue.body = OWN;
    BEGIN(store, { "/x", .status = 404 });
    add_job("\"DOI:10.1000/1\",\"DOI:10.1000/2\",\"DOI:10.1000/3\",\"DOI:10.1000/4\","
            "\"DOI:10.1000/5\",\"DOI:10.1000/6\"");
    over(STORE_JOB_COMPLETED, 1);
    CHECK(tells(STORE_JOB_COMPLETED, "\"papers_processed\":5,"));
    end();
}
