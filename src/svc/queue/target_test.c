/* target_test.c - what clients may say, and the jobs that it becomes. */
#include "svc/queue/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/task.h>

#include "base/ulid.h"
#include "svc/queue/identity.h"
#include "testing/test.h"

#define TASK "task_one"

static struct queue_targets targets;
static struct queue_why why;

static wr_err read_for(const char *task, const char *list, const char *options)
{
    json_t *said = list ? json_loads(list, 0, NULL) : NULL;
    json_t *more = options ? json_loads(options, 0, NULL) : NULL;
    CHECK(!list || said);
    CHECK(!options || more);
    wr_err err = queue_targets_read(&targets, &(struct queue_targets_said){
        .task = task, .targets = said, .options = more }, &why);
    json_decref(said);
    json_decref(more);
    return err;
}

/* Row `row`, column `column` of what was made, as JSON; the last one stays until the next. */
static const char *cell(size_t row, size_t column)
{
    static char *text;
    json_t *rows = json_loads(targets.rows.at, 0, NULL);
    free(text);
    text = json_dumps(json_array_get(json_array_get(rows, row), column),
                      JSON_ENCODE_ANY | JSON_COMPACT);
    json_decref(rows);
    return text ? text : "";
}

/* The input of the only target. */
static const char *input_of(const char *list, const char *options)
{
    queue_targets_free(&targets);
    CHECK_OK(read_for(TASK, list, options));
    return cell(0, 5);
}

static void check_refused(const char *list, const char *options, const char *param,
                          const char *text)
{
    CHECK_ERR(WR_INVALID, read_for(TASK, list, options));
    CHECK_STR("INVALID_PARAMS", why.code);
    CHECK_STR(param, why.param);
    CHECK_STR(text, why.text);
    queue_targets_free(&targets);
}

TEST_PLAIN(a_text_is_a_query_an_address_or_a_doi)
{
    CHECK_STR("{\"target\":{\"kind\":\"query\",\"query\":\"red wine\"},\"options\":{}}",
              input_of("[\"red wine\"]", NULL));
    CHECK_STR("{\"target\":{\"kind\":\"url\",\"url\":\"https://a.example/?q=1\",\"depth\":0,"
              "\"reason\":\"manual\"},\"options\":{}}",
              input_of("[\"https://a.example/?q=1\"]", NULL));
    CHECK_STR("{\"target\":{\"kind\":\"doi\",\"doi\":\"10.1000/182\",\"depth\":0,"
              "\"reason\":\"manual\"},\"options\":{}}", input_of("[\"10.1000/182\"]", NULL));
    CHECK(strstr(input_of("[\"doi:10.1000/182\"]", NULL), "\"doi\":\"10.1000/182\""));
    CHECK(strstr(input_of("[\"HTTP://A.example\"]", NULL), "\"url\":\"http://a.example/\""));
    CHECK(strstr(input_of("[\"10.1000/ 182\"]", NULL), "\"query\":\"10.1000/ 182\""));
    queue_targets_free(&targets);
}

TEST_PLAIN(an_object_says_more)
{
    CHECK_STR("{\"target\":{\"kind\":\"url\",\"url\":\"http://a/\",\"depth\":2,"
              "\"reason\":\"citation_chase\",\"context\":{\"source_page_id\":\"p\"},"
              "\"policy\":{}},\"options\":{}}",
              input_of("[{\"kind\":\"url\",\"url\":\"http://a/\",\"depth\":2,\"reason\":"
                       "\"citation_chase\",\"context\":{\"source_page_id\":\"p\"},"
                       "\"policy\":{}}]", NULL));
    queue_targets_free(&targets);
}

TEST_PLAIN(options_of_a_target_go_before_those_of_the_call)
{
    CHECK_STR("{\"target\":{\"kind\":\"query\",\"query\":\"a\"},\"options\":{"
              "\"serp_engines\":[\"bing\"],\"academic_apis\":[\"openalex\"],"
              "\"budget_pages\":7}}",
              input_of("[{\"kind\":\"query\",\"query\":\"a\",\"options\":{\"serp_engines\":"
                       "[\"bing\"],\"priority\":\"low\"}}]",
                       "{\"serp_engines\":[\"google\"],\"academic_apis\":[\"openalex\"],"
                       "\"budget_pages\":7,\"priority\":\"high\"}"));
    CHECK_STR("90", cell(0, 3));
    queue_targets_free(&targets);
}

TEST_PLAIN(a_row_is_a_job_in_the_slot_of_the_network)
{
    CHECK_OK(read_for(TASK, "[\"a\",\"a\",\"b\",{\"kind\":\"doi\",\"doi\":\"10.1000/a\"}]",
                      "{\"priority\":\"high\"}"));
    CHECK_EQ(4, targets.count);
    CHECK_STR("\"target_queue\"", cell(0, 1));
    CHECK_STR("\"network_client\"", cell(0, 2));
    CHECK_STR("10", cell(3, 3));
    char key[200];
    snprintf(key, sizeof(key), "%s", cell(0, 4));
    CHECK_EQ(QUEUE_KEY + 1, strlen(key));
    CHECK_STR(key, cell(1, 4));                 /* the same to the byte */
    CHECK(strcmp(key, cell(2, 4)) != 0);
    queue_targets_free(&targets);
    CHECK_OK(read_for("task_two", "[\"a\"]", NULL));
    CHECK_STR("50", cell(0, 3));                /* medium, unless it is said */
    CHECK(strcmp(key, cell(0, 4)) != 0);        /* of another task */
    queue_targets_free(&targets);
}

TEST_PLAIN(a_query_and_an_address_with_the_same_text_are_two)
{
    char key[200];
    CHECK_OK(read_for(TASK, "[{\"kind\":\"query\",\"query\":\"http://a/\"},\"http://a/\"]",
                      NULL));
    snprintf(key, sizeof(key), "%s", cell(0, 4));
    CHECK(strcmp(key, cell(1, 4)) != 0);
    queue_targets_free(&targets);
}

/* The key of each target of a list is that of the first. */
static void check_same(const char *list)
{
    char key[200];
    CHECK_OK(read_for(TASK, list, NULL));
    snprintf(key, sizeof(key), "%s", cell(0, 4));
    for (size_t i = 1; i < targets.count; i++)
        CHECK_STR(key, cell(i, 4));
    queue_targets_free(&targets);
}

TEST_PLAIN(one_page_is_one_target_however_it_is_written)
{
    check_same("[\"http://a.example\",\"HTTP://A.example:80/\",\" http://a.example/#top \","
               "{\"kind\":\"url\",\"url\":\"http://a.example/.\"}]");
    check_same("[\"https://de.example/wiki/K\u00f6ln\",\"https://de.example/wiki/K%c3%b6ln\"]");
    check_same("[\"http://k\u00f6ln.example/\",\"http://xn--kln-sna.example\"]");
    check_same("[\"10.1000/aB\",\"DOI:10.1000/Ab \",\"https://doi.org/10.1000/ab\","
               "\"http://dx.doi.org/10.1000%2FAB?x\",{\"kind\":\"doi\",\"doi\":"
               "\"doi:10.1000/ab\"},{\"kind\":\"url\",\"url\":"
               "\"https://www.doi.org/10.1000/ab\"}]");
    check_same("[\" red wine\",\"red wine\"]");
}

TEST_PLAIN(an_address_that_leads_to_a_doi_is_one)
{
    CHECK_STR("{\"target\":{\"kind\":\"doi\",\"doi\":\"10.1000/182\",\"depth\":1,"
              "\"reason\":\"manual\"},\"options\":{}}",
              input_of("[{\"kind\":\"url\",\"url\":\"https://doi.org/10.1000/182\","
                       "\"depth\":1}]", NULL));
    CHECK(strstr(input_of("[\"https://doi.org/10.1234\"]", NULL),
                 "\"url\":\"https://doi.org/10.1234\""));
    queue_targets_free(&targets);
}

TEST_PLAIN(where_it_comes_from_can_be_said_and_how_it_is_treated_cannot)
{
    check_refused("[{\"kind\":\"url\",\"url\":\"http://a\",\"context\":"
                  "{\"source_page_id\":7}}]", NULL, "targets[0].context", "targets[0].context "
                  "has a source_page_id that is no id of a page, 1 to 255 bytes");
    check_refused("[{\"kind\":\"doi\",\"doi\":\"10.1000/a\",\"context\":"
                  "{\"citation_context\":[]}}]", NULL, "targets[0].context",
                  "targets[0].context has a citation_context that is no text");
    check_refused("[{\"kind\":\"url\",\"url\":\"http://a\",\"policy\":{\"js\":true}}]", NULL,
                  "targets[0].policy", "targets[0].policy has keys, and none is known: "
                  "robots.txt and the limits of the node hold for all; leave it out");
}

TEST(ids_sort_in_the_order_of_the_call_and_by_time)
{
    char last[QUEUE_ID];
    CHECK_OK(read_for(TASK, "[\"a\",\"b\"]", NULL));
    CHECK(strncmp("tq_", targets.ids[0], 3) == 0);
    CHECK_EQ(3 + WR_ULID_TEXT - 1, strlen(targets.ids[0]));
    CHECK(strcmp(targets.ids[0], targets.ids[1]) < 0);
    snprintf(last, sizeof(last), "%s", targets.ids[1]);
    CHECK(!strpbrk(last, "ABCDEFGHJKMNPQRSTVWXYZ"));
    queue_targets_free(&targets);
    CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    CHECK_OK(read_for(TASK, "[\"c\"]", NULL));
    CHECK(strcmp(last, targets.ids[0]) < 0);
    queue_targets_free(&targets);
}

TEST_PLAIN(the_first_fault_refuses_all_and_is_named)
{
    CHECK_ERR(WR_INVALID, read_for("", "[\"a\"]", NULL));
    CHECK_STR("task_id is \"\"; it is the id that create_task has given", why.text);
    queue_targets_free(&targets);
    check_refused(NULL, NULL, "targets", "targets is no list of at least one target");
    check_refused("[]", NULL, "targets", "targets is no list of at least one target");
    check_refused("[\"a\", 7]", "{\"priority\":\"urgent\"}", "targets[1]",
                  "targets[1] is 7; a target is a text or an object with \"kind\"");
    check_refused("[\" \\t\"]", NULL, "targets[0]",
                  "targets[0] is empty: say what is to be looked at");
    check_refused("[\"https://\"]", NULL, "targets[0]", "targets[0] is \"https://\": it has "
                  "no host; an address looks like https://example.org/page");
    check_refused("[{\"kind\":\"file\"}]", NULL, "targets[0].kind",
                  "targets[0].kind is \"file\"; allowed are query, url, doi");
    check_refused("[{\"query\":\"a\"}]", NULL, "targets[0].kind",
                  "targets[0].kind is missing; allowed are query, url, doi");
    check_refused("[{\"kind\":\"url\",\"query\":\"a\"}]", NULL, "targets[0].url",
                  "targets[0].url is missing; it must be a text");
    check_refused("[{\"kind\":\"query\",\"query\":\"a\",\"depth\":1}]", NULL, "targets[0]",
                  "targets[0] has \"depth\"; allowed are kind, query, options");
    check_refused("[{\"kind\":\"url\",\"url\":\"ftp://a\"}]", NULL, "targets[0].url",
                  "targets[0].url is \"ftp://a\": it does not begin with http:// or "
                  "https://; an address looks like https://example.org/page");
    check_refused("[{\"kind\":\"url\",\"url\":\"http://a\",\"depth\":-1}]", NULL,
                  "targets[0].depth", "targets[0].depth is -1; allowed are whole numbers from "
                  "0 to 1000");
    check_refused("[{\"kind\":\"url\",\"url\":\"http://a\",\"reason\":\"why\"}]", NULL,
                  "targets[0].reason", "targets[0].reason is \"why\"; allowed are manual, "
                  "citation_chase");
    check_refused("[{\"kind\":\"doi\",\"doi\":\"10.12/a\"}]", NULL, "targets[0].doi",
                  "targets[0].doi is \"10.12/a\"; a DOI looks like 10.1000/182");
    check_refused("[{\"kind\":\"doi\",\"doi\":\"10.1000/a\",\"context\":[]}]", NULL,
                  "targets[0].context", "targets[0].context is no object");
}

TEST_PLAIN(options_that_nobody_knows_are_refused)
{
    check_refused("[\"a\"]", "{\"serp_engines\":[\"altavista\"]}", "serp_engines",
                  "serp_engines has \"altavista\"; known are duckduckgo, mojeek, google, "
                  "brave, ecosia, startpage, bing");
    check_refused("[\"a\"]", "{\"academic_apis\":[]}", "academic_apis",
                  "academic_apis is a list of 1 to 2 of semantic_scholar, openalex; leave it "
                  "out for all that there are");
    check_refused("[\"a\"]", "{\"priority\":\"urgent\"}", "priority",
                  "priority is \"urgent\"; allowed are high, medium, low");
    check_refused("[\"a\"]", "{\"budget_pages\":0}", "budget_pages",
                  "budget_pages is 0; allowed are whole numbers from 1 to 10000");
    check_refused("[\"a\"]", "{\"depth\":0}", "options", "options has \"depth\"; allowed are "
                  "serp_engines, academic_apis, budget_pages, priority");
    check_refused("[\"a\"]", "[]", "options", "options is no object");
    check_refused("[{\"kind\":\"query\",\"query\":\"a\",\"options\":{\"serp_engines\":7}}]",
                  NULL, "targets[0].serp_engines", "targets[0].serp_engines is a list of 1 to "
                  "7 of duckduckgo, mojeek, google, brave, ecosia, startpage, bing; leave it "
                  "out for all that there are");
    CHECK_OK(read_for(TASK, "[\"a\"]", "{\"serp_engines\":null,\"budget_pages\":null}"));
    queue_targets_free(&targets);
}

TEST_PLAIN(hosts_are_looked_for_where_they_are)
{
    static const struct { const char *text; wr_err err; } cases[] = {
        { "[\"http://a\"]", WR_OK },
        { "[\"http://user:word@a:80/\"]", WR_INVALID },
        { "[\"http://user@/\"]", WR_INVALID },
        { "[\"http://:80/\"]", WR_INVALID },
        { "[\"http:///path\"]", WR_INVALID },
        { "[\"http://?q\"]", WR_INVALID },
        { "[\"http://a/b c\"]", WR_OK },
        { "[\"http://a b/c\"]", WR_INVALID },
        { "[\"http://[::1]/\"]", WR_OK },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        if (!CHECK_ERR(cases[i].err, read_for(TASK, cases[i].text, NULL)))
            printf("# %s\n", cases[i].text);
        queue_targets_free(&targets);
    }
}

/* A list of `count` strings of `len` characters, the last ones their number. */
static json_t *many(size_t count, size_t len)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        char text[QUEUE_TARGET_TEXT_MAX + 2];
        memset(text, 'x', len);
        snprintf(text + (len > 8 ? len - 8 : 0), 9, "%08zu", i);
        json_array_append_new(list, json_stringn(text, len));
    }
    return list;
}

static wr_err read_many(size_t count, size_t len)
{
    json_t *list = many(count, len);
    wr_err err = queue_targets_read(&targets, &(struct queue_targets_said){
        .task = TASK, .targets = list }, &why);
    json_decref(list);
    return err;
}

TEST_PLAIN(ten_thousand_are_taken_and_not_one_more)
{
    CHECK_OK(read_many(QUEUE_TARGETS_MAX, 390));
    CHECK_EQ(QUEUE_TARGETS_MAX, targets.count);
    json_t *rows = json_loadb(targets.rows.at, targets.rows.len, 0, NULL);
    CHECK_EQ(QUEUE_TARGETS_MAX, json_array_size(rows));
    json_decref(rows);
    for (size_t i = 1; i < targets.count; i++)
        if (strcmp(targets.ids[i - 1], targets.ids[i]) >= 0)
            CHECK_STR(targets.ids[i - 1], targets.ids[i]);
    queue_targets_free(&targets);
    CHECK_ERR(WR_INVALID, read_many(QUEUE_TARGETS_MAX + 1, 9));
    CHECK_STR("targets has 10001 targets; at most 10000 are taken in one call", why.text);
    queue_targets_free(&targets);
}

TEST_PLAIN(long_texts_are_refused)
{
    CHECK_OK(read_many(1, QUEUE_TARGET_TEXT_MAX));
    queue_targets_free(&targets);
    CHECK_ERR(WR_INVALID, read_many(1, QUEUE_TARGET_TEXT_MAX + 1));
    CHECK_STR("targets[0] has 4097 bytes; at most 4096 are allowed", why.text);
    queue_targets_free(&targets);
    char list[2100];
    snprintf(list, sizeof(list), "[\"doi:10.1000/%01993d\"]", 0);
    check_refused(list, NULL, "targets[0]", "targets[0] has 2001 bytes; a DOI has at most "
                  "2000");
}

TEST_PLAIN(the_answer_has_the_ids_of_those_that_were_queued)
{
    char buf[1000], want[400];
    struct wr_text text = WR_TEXT(buf);
    CHECK_OK(read_for(TASK, "[\"a\",\"b\",\"c\"]", NULL));
    snprintf(want, sizeof(want), "{\"ok\":true,\"queued_count\":1,\"skipped_count\":2,"
             "\"target_ids\":[\"%s\"],\"task_resumed\":true,\"message\":\"1 queued, the others "
             "were queued or running already; the task goes on; get_status with \\\"wait\\\" "
             "tells when something has happened\"}", targets.ids[1]);
    queue_targets_write(&text, &targets, &(struct queue_submitted){
        .resumed = true, .skipped = "[2,0]" });
    CHECK_STR(want, text.at);
    queue_targets_free(&targets);
}

TEST_PLAIN(a_task_of_which_nothing_was_queued_does_not_go_on)
{
    char buf[1000];
    struct wr_text text = WR_TEXT(buf);
    CHECK_OK(read_for(TASK, "[\"a\"]", NULL));
    queue_targets_write(&text, &targets, &(struct queue_submitted){
        .resumed = true, .skipped = "[0]" });
    CHECK(strstr(text.at, "\"queued_count\":0,\"skipped_count\":1,\"target_ids\":[],"
                          "\"task_resumed\":false"));
    queue_targets_free(&targets);
}
