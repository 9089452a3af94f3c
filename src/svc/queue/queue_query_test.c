/* queue_query_test.c - questions about what was found. */
#include "svc/queue/queue_query.h"

#include <stdio.h>

#include "store/evidence_view.h"
#include "store/webpage.h"
#include "testing/queue_rig.h"

static struct queue_rig jobs;
static struct queue_desk desk;
static struct queue_why why;
static struct wr_text text;

static const json_t *of_json(const void *from, const char *name)
{
    return json_object_get(from, name);
}

typedef wr_err (*ask_fn)(struct queue_desk *, const struct queue_said *, struct wr_text *,
                         struct queue_why *, wr_time);

static wr_err ask(ask_fn fn, const char *arguments)
{
    json_t *json = json_loads(arguments, 0, NULL);
    CHECK(json);
    why = (struct queue_why){ 0 };
    wr_text_rewind(&text, 0);
    wr_err err = fn(&desk, &(struct queue_said){ of_json, json }, &text, &why, QUEUE_RIG_SOON);
    json_decref(json);
    return err;
}

static wr_err ask_candidates(const char *task, const char *arguments)
{
    json_t *json = json_loads(arguments, 0, NULL);
    CHECK(json);
    why = (struct queue_why){ 0 };
    wr_text_rewind(&text, 0);
    wr_err err = queue_query_candidates(&desk, task, &(struct queue_said){ of_json, json },
                                        &text, &why, QUEUE_RIG_SOON);
    json_decref(json);
    return err;
}

static bool says(const char *what)
{
    if (strstr(text.at, what))
        return true;
    printf("# %s\n", text.at);
    return false;
}

/* A page that cites two. */
static void begin(struct store *store)
{
    struct store_page_put put;
    struct store_fragment_new fragment = { .text = "All wine is red." };
    struct store_cited cited[] = {
        { "https://b.example/x", "b.example", "B", "as B says" },
        { "https://doi.org/10.1000/182", "doi.org", "A paper", "as is known" },
    };
    uint64_t fresh;
    memset(&jobs, 0, sizeof(jobs));
    queue_rig_start(&jobs, store);
    desk.queue = jobs.queue;
    text = wr_text_heap(QUEUE_ANSWER_MAX);
    CHECK_OK(store_page_put(store, &(struct store_page_new){
        .page = { .url = "https://a.example/", .domain = "a.example", .title = "A" },
        .task = queue_rig_task(&jobs), .reason = "serp", .fragments = &fragment,
        .fragment_count = 1 }, &put, WR_NEVER));
    CHECK_OK(store_page_cite(store, put.id, "openalex", cited, 2, &fresh, WR_NEVER));
}

static void end(void)
{
    wr_text_free(&text);
    queue_rig_stop(&jobs);
}

STORE_TEST(a_select_is_answered_with_rows_and_names)
{
    begin(store);
    CHECK_OK(ask(queue_query_sql, "{\"sql\":\"select title, 1.5 as x, null as n, 7 as i "
                                  "from pages where domain = 'a.example'\"}"));
    CHECK(says("{\"ok\":true,\"columns\":[\"title\",\"x\",\"n\",\"i\"],\"rows\":[{"
               "\"title\":\"A\",\"x\":1.5,\"n\":null,\"i\":7}],\"row_count\":1,"
               "\"truncated\":false,\"elapsed_ms\":"));
    CHECK_OK(ask(queue_query_sql, "{\"sql\":\"select url from pages\",\"options\":"
                                  "{\"limit\":2,\"include_schema\":true}}"));
    CHECK(says("\"row_count\":2,\"truncated\":true"));
    CHECK(says("\"schema\":{\"tables\":[{\"name\":\"tasks\",\"columns\":[\"id\","));
    end();
}

STORE_TEST(what_does_not_only_read_is_refused_with_a_sentence)
{
    begin(store);
    CHECK_ERR(WR_INVALID, ask(queue_query_sql, "{\"sql\":\"delete from pages\"}"));
    CHECK_STR("INVALID_PARAMS", why.code);
    CHECK(why.text[0]);
    CHECK_ERR(WR_INVALID, ask(queue_query_sql, "{\"sql\":\"select task_id from pages\"}"));
    CHECK(strstr(why.text, "belong to all tasks: join task_pages or claims"));
    CHECK_ERR(WR_INVALID, ask(queue_query_sql, "{}"));
    CHECK_ERR(WR_INVALID, ask(queue_query_sql, "{\"sql\":\"select 1\",\"options\":"
                                               "{\"limit\":201}}"));
    CHECK_STR("limit is 201; allowed are whole numbers from 1 to 200", why.text);
    CHECK_ERR(WR_INVALID, ask(queue_query_sql, "{\"sql\":\"select 1\",\"options\":"
                                               "{\"rows\":1}}"));
    CHECK_STR("options", why.param);
    end();
}

STORE_TEST(a_statement_is_cut_off_and_told_so)
{
    begin(store);
    CHECK_ERR(WR_TIMEOUT, ask(queue_query_sql, "{\"sql\":\"with recursive n (i) as (select 1 "
                              "union all select i + 1 from n) select count(*) from n\","
                              "\"options\":{\"timeout_ms\":50}}"));
    CHECK_STR("TIMEOUT", why.code);
    CHECK(strstr(why.text, "the query was interrupted"));
    end();
}

/* Those who ask have units of it; see sql_read.h. */
STORE_TEST(who_asks_while_too_many_are_answered_is_told_to_come_back)
{
    begin(store);
    CHECK_OK(wr_sem_acquire_many(store->asking, STORE_ASKS_MAX, WR_NOW));
    struct queue_said said = { of_json, NULL };
    json_t *json = json_pack("{s:s}", "sql", "select 1");
    said.from = json;
    CHECK_ERR(WR_BUSY, queue_query_sql(&desk, &said, &text, &why, wr_after(WR_MS(10))));
    CHECK(strstr(why.text, "ask again when one is over"));
    CHECK_EQ(429, wr_err_http(WR_BUSY));
    json_decref(json);
    wr_sem_release_many(store->asking, STORE_ASKS_MAX);
    end();
}

STORE_TEST(views_are_listed_and_read)
{
    begin(store);
    CHECK_OK(ask(queue_list_views, "{}"));
    CHECK(says("{\"name\":\"v_contradictions\",\"description\":\""));
    CHECK(says("\"count\":17}"));
    CHECK_OK(ask(queue_query_view, "{\"view_name\":\"v_reference_candidates\",\"limit\":1}"));
    CHECK(says("\"view_name\":\"v_reference_candidates\",\"columns\":[\"citation_edge_id\","));
    CHECK(says("\"row_count\":1"));
    CHECK_ERR(WR_NOTFOUND, ask(queue_query_view, "{\"view_name\":\"v_moon\"}"));
    CHECK_STR("there is no view \"v_moon\"; list_views has them", why.text);
    CHECK_ERR(WR_INVALID, ask(queue_query_view, "{}"));
    end();
}

/* The tasks' own tables are empty, and all can be read. */
STORE_TEST(each_view_is_read)
{
    begin(store);
    for (size_t i = 0; i < store_view_count; i++) {
        char arguments[120];
        snprintf(arguments, sizeof(arguments), "{\"view_name\":\"%s\",\"task_id\":\"%s\"}",
                 store_views[i].name, jobs.task);
        CHECK_OK(ask(queue_query_view, arguments));
        CHECK(says("\"row_count\":"));
    }
    end();
}

STORE_TEST(what_is_cited_can_be_queued)
{
    begin(store);
    CHECK_OK(ask_candidates(jobs.task, "{\"dry_run\":true}"));
    CHECK(says("\"queued_count\":0,"));
    CHECK(says("\"dry_run\":true,\"candidates\":[{\"citation_edge_id\":\""));
    CHECK(says("\"url\":\"https://doi.org/10.1000/182\",\"kind\":\"doi\","
               "\"doi\":\"10.1000/182\",\"citing_url\":\"https://a.example/\","
               "\"citation_context\":\"as is known\"}"));
    CHECK_OK(ask_candidates(jobs.task, "{\"options\":{\"priority\":\"high\"}}"));
    CHECK(says("\"queued_count\":2,"));
    CHECK_OK(ask_candidates(jobs.task, "{\"include_ids\":[]}"));
    CHECK(says("there are no candidates"));
    CHECK_ERR(WR_INVALID, ask_candidates(jobs.task, "{\"include_ids\":[],"
                                                    "\"exclude_ids\":[]}"));
    CHECK_STR("give include_ids or exclude_ids, not both", why.text);
    CHECK_ERR(WR_NOTFOUND, ask_candidates("task_0", "{}"));
    CHECK_STR("TASK_NOT_FOUND", why.code);
    end();
}

/* Both are told, as in the view: what is newest first; ids are in the order of the answer. */
static void ids_of(char first[64], char second[64])
{
    json_t *json = json_loads(text.at, 0, NULL);
    const json_t *all = json_object_get(json, "candidates");
    snprintf(first, 64, "%s", json_string_value(json_object_get(json_array_get(all, 0),
                                                                "citation_edge_id")));
    snprintf(second, 64, "%s", json_string_value(json_object_get(json_array_get(all, 1),
                                                                 "citation_edge_id")));
    json_decref(json);
}

STORE_TEST(some_of_what_is_cited_are_chosen_by_their_ids)
{
    char first[64], second[64], arguments[200];
    begin(store);
    CHECK_OK(ask_candidates(jobs.task, "{\"dry_run\":true}"));
    ids_of(first, second);
    snprintf(arguments, sizeof(arguments), "{\"dry_run\":true,\"include_ids\":[\"%s\"]}",
             second);
    CHECK_OK(ask_candidates(jobs.task, arguments));
    CHECK(strstr(text.at, second) && !strstr(text.at, first));
    snprintf(arguments, sizeof(arguments), "{\"exclude_ids\":[\"%s\"]}", second);
    CHECK_OK(ask_candidates(jobs.task, arguments));
    CHECK(says("\"queued_count\":1,"));
    CHECK(strstr(text.at, first) && !strstr(text.at, second));
    CHECK_OK(ask_candidates(jobs.task, "{\"limit\":1,\"dry_run\":true}"));
    CHECK(!strstr(text.at, second));
    CHECK_ERR(WR_INVALID, ask_candidates(jobs.task, "{\"limit\":0}"));
    end();
}

STORE_TEST(a_doi_is_found_in_addresses_as_publishers_write_them)
{
    static const struct { const char *url, *doi; } rows[] = {
        { "https://x.example/doi/full/10.1145/3292500.33", "10.1145/3292500.33" },
        { "https://x.example/doi/10.1145/1.2/FULL?x=10.9999/2", "10.1145/1.2" },
        { "https://x.example/get?doi=10.1000/182&part=2", "10.1000/182" },
        { "https://x.example/10.1000/abc.pdf", "10.1000/abc" },
        { "https://x.example/version-10.1000/182", NULL },
        { "https://x.example/10.10/182", NULL },
        { "https://x.example/10.1000/", NULL },
    };
    begin(store);
    char page[STORE_EVIDENCE_ID];
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char told[200];
        uint64_t fresh;
        CHECK_OK(store_page_cite(store, store_page_id(page, "https://a.example/"), "x",
                                 &(struct store_cited){ rows[i].url, "x.example", "T", "" }, 1,
                                 &fresh, WR_NEVER));
        CHECK_OK(ask_candidates(jobs.task, "{\"dry_run\":true,\"limit\":50}"));
        snprintf(told, sizeof(told), rows[i].doi ? "%s\",\"kind\":\"doi\",\"doi\":\"%s\""
                 : "%s\",\"kind\":\"url\",\"doi\":null", rows[i].url, rows[i].doi);
        CHECK(says(told));
    }
    end();
}
