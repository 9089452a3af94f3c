/* vector_search_test.c - what was found, by what it means. */
#include "svc/queue/vector_search.h"

#include "testing/meaning_rig.h"

static struct meaning_rig at_work;
static struct queue_desk desk;
static struct queue_why why;
static struct wr_text text;

static const json_t *of_json(const void *from, const char *name)
{
    return json_object_get(from, name);
}

static void begin(struct store *store, unsigned which)
{
    meaning_rig_open(&at_work, store, which);
    desk.queue = at_work.jobs.queue;
    desk.meaning = &at_work.meaning;
    text = wr_text_heap(QUEUE_ANSWER_MAX);
}

/* A task with two claims and their vectors. */
static void begin_with_claims(struct store *store)
{
    at_work = (struct meaning_rig){ 0 };
    begin(store, MEANING_EMBEDS);
    rig_page(store, &(struct rig_page){ .url = "http://a.test/1", .task = at_work.task,
        .fragments = { "The moon pulls the sea", "Wine for the heart" },
        .claims = { "The moon pulls the sea", "Wine helps the heart" } });
    meaning_rig_job(&at_work, QUEUE_EMBED, STORE_JOB_COMPLETED);
    queue_rig_until(&at_work.jobs, at_work.task, QUEUE_VERIFY, STORE_JOB_COMPLETED, 1);
}

static void end(void)
{
    wr_text_free(&text);
    meaning_rig_close(&at_work);
}

static wr_err ask(const char *arguments)
{
    json_t *json = json_loads(arguments, 0, NULL);
    CHECK(json);
    why = (struct queue_why){ 0 };
    wr_text_rewind(&text, 0);
    wr_err err = queue_vector_search(&desk, &(struct queue_said){ of_json, json }, &text, &why,
                                     SOON);
    json_decref(json);
    return err;
}

static wr_err ask_of_task(const char *task, const char *more)
{
    char arguments[300];
    snprintf(arguments, sizeof(arguments), "{\"query\":\"moon\",\"task_id\":\"%s\"%s}", task,
             more);
    return ask(arguments);
}

LOCAL_TEST(claims_that_mean_the_same_come_first)
{
    char want[400];
    begin_with_claims(store);
    CHECK_OK(ask("{\"query\":\"a satellite: the moon, and the sea\"}"));
    snprintf(want, sizeof(want), "{\"ok\":true,\"results\":[{\"id\":\"%s\",\"similarity\":"
             "0.817554,\"text_preview\":\"The moon pulls the sea\",\"task_id\":\"%s\"}],"
             "\"total_searched\":2,\"model\":\"words\"}",
             rig_claim_id(at_work.task, "http://a.test/1", "The moon pulls the sea",
                          "The moon pulls the sea"), at_work.task);
    CHECK_STR(want, text.at);
    CHECK_OK(ask("{\"query\":\"the moon, and the sea\",\"min_similarity\":0}"));
    CHECK(strstr(text.at, "\"similarity\":1.000000,\"text_preview\":\"The moon pulls"));
    CHECK(strstr(text.at, "\"text_preview\":\"Wine helps the heart\""));
    CHECK_OK(ask("{\"query\":\"the moon, and the sea\",\"min_similarity\":0,\"top_k\":1}"));
    CHECK(!strstr(text.at, "Wine"));
    end();
}

LOCAL_TEST(fragments_are_searched_when_they_are_asked_for)
{
    begin_with_claims(store);
    CHECK_OK(ask("{\"query\":\"heart, wine\",\"target\":\"fragments\"}"));
    CHECK(strstr(text.at, "\"text_preview\":\"Wine for the heart\",\"url\":"
                          "\"http://a.test/1\"}],\"total_searched\":2,"));
    end();
}

LOCAL_TEST(of_a_task_its_own_are_searched)
{
    struct queue_why ignored;
    char other[QUEUE_ID];
    begin_with_claims(store);
    CHECK_OK(ask_of_task(at_work.task, ""));
    CHECK(strstr(text.at, "\"total_searched\":2"));
    CHECK_OK(queue_create(at_work.jobs.queue, &(struct queue_task){ "x", 10, 10 }, other,
                          &ignored, SOON));
    CHECK_ERR(WR_NOTFOUND, ask_of_task(other, ""));
    CHECK_STR("RESOURCE_NOT_FOUND", why.code);
    CHECK_STR("no claim of this task has a vector of the model \"words\" yet: embed jobs make "
              "them after each target; get_status tells whether one is queued or has failed",
              why.text);
    CHECK_ERR(WR_NOTFOUND, ask_of_task("task_0", ""));
    CHECK_STR("TASK_NOT_FOUND", why.code);
    end();
}

LOCAL_TEST(without_any_vector_or_endpoint_it_says_so)
{
    at_work = (struct meaning_rig){ 0 };
    begin(store, MEANING_EMBEDS);
    CHECK_ERR(WR_NOTFOUND, ask("{\"query\":\"moon\",\"target\":\"fragments\"}"));
    CHECK(strstr(why.text, "no fragment has a vector of the model \"words\" yet"));
    end();
    at_work = (struct meaning_rig){ 0 };
    begin(store, 0);
    CHECK_ERR(WR_UNSUPPORTED, ask("{\"query\":\"moon\"}"));
    CHECK_STR("EMBEDDING_NOT_AVAILABLE", why.code);
    CHECK(strstr(why.text, "set queue.embedding.url"));
    desk.meaning = NULL;
    CHECK_ERR(WR_UNSUPPORTED, ask("{\"query\":\"moon\"}"));
    end();
}

LOCAL_TEST(an_endpoint_that_fails_is_said_to)
{
    at_work = (struct meaning_rig){ .embeds = { .scripted = 1, .script = {
        { .status = 401, .body = "{\"error\":\"who are you\"}" } } } };
    begin(store, MEANING_EMBEDS);
    CHECK_ERR(WR_IO, ask("{\"query\":\"moon\"}"));
    CHECK_STR("EMBEDDING_FAILED", why.code);
    CHECK(strstr(why.text, "answered /v1/embeddings with 401: who are you"));
    end();
}

LOCAL_TEST(a_preview_has_two_hundred_characters_and_no_half_one)
{
    static char fragment[1000];
    at_work = (struct meaning_rig){ 0 };
    begin(store, MEANING_EMBEDS);
    size_t len = (size_t)snprintf(fragment, sizeof(fragment), "moon");
    for (int i = 0; i < 300; i++)
        len += (size_t)snprintf(fragment + len, sizeof(fragment) - len, "\xc3\xa9");
    rig_page(store, &(struct rig_page){ .url = "http://a.test/1", .task = at_work.task,
        .fragments = { fragment } });
    meaning_rig_job(&at_work, QUEUE_EMBED, STORE_JOB_COMPLETED);
    CHECK_OK(ask("{\"query\":\"moon\",\"target\":\"fragments\"}"));
    json_t *said = json_loads(text.at, 0, NULL);
    const char *preview = json_string_value(json_object_get(json_array_get(json_object_get(
        said, "results"), 0), "text_preview"));
    CHECK_EQ(4 + 196 * 2, preview ? strlen(preview) : 0);
    json_decref(said);
    end();
}

LOCAL_TEST(arguments_that_are_wrong_are_refused_with_a_sentence)
{
    static const struct { const char *arguments, *param; } cases[] = {
        { "{}", "query" }, { "{\"query\":7}", "query" }, { "{\"query\":\" \\n\"}", "query" },
        { "{\"query\":\"a\",\"target\":\"pages\"}", "target" },
        { "{\"query\":\"a\",\"target\":1}", "target" },
        { "{\"query\":\"a\",\"task_id\":1}", "task_id" },
        { "{\"query\":\"a\",\"top_k\":0}", "top_k" },
        { "{\"query\":\"a\",\"top_k\":51}", "top_k" },
        { "{\"query\":\"a\",\"top_k\":1.5}", "top_k" },
        { "{\"query\":\"a\",\"min_similarity\":1.1}", "min_similarity" },
        { "{\"query\":\"a\",\"min_similarity\":-0.1}", "min_similarity" },
        { "{\"query\":\"a\",\"min_similarity\":\"0.5\"}", "min_similarity" },
    };
    static char large[QUEUE_VECTOR_QUERY_MAX + 100];
    at_work = (struct meaning_rig){ 0 };
    begin(store, MEANING_EMBEDS);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        CHECK_ERR(WR_INVALID, ask(cases[i].arguments));
        CHECK_STR("INVALID_PARAMS", why.code);
        CHECK_STR(cases[i].param, why.param);
        CHECK(why.text[0]);
    }
    snprintf(large, sizeof(large), "{\"query\":\"%0*d\"}", QUEUE_VECTOR_QUERY_MAX + 1, 0);
    CHECK_ERR(WR_INVALID, ask(large));
    CHECK_STR("query has 2001 bytes; 2000 are allowed", why.text);
    CHECK_EQ(0, at_work.embeds.asked);
    end();
}
