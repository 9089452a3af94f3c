/* embed_job_test.c - vectors of what a task has found. */
#include "store/embedding.h"

#include "testing/meaning_rig.h"

static struct meaning_rig at_work;

static void begin(struct store *store)
{
    meaning_rig_open(&at_work, store, MEANING_EMBEDS);
}

static size_t lacks(struct store *store)
{
    struct store_lacking lacking;
    CHECK_OK(store_embedding_lacking(store, at_work.task, "words", STORE_EMBEDDING_LACKING_MAX,
                                     &lacking, SOON));
    size_t count = lacking.count;
    store_lacking_free(&lacking);
    return count;
}

LOCAL_TEST(claims_and_fragments_of_the_task_get_vectors_and_are_then_judged)
{
    static float vector[STORE_EMBEDDING_DIMENSION_MAX];
    size_t dimension;
    at_work = (struct meaning_rig){ 0 };
    begin(store);
    rig_page(store, &(struct rig_page){ .url = "http://a.test/1", .task = at_work.task,
        .fragments = { "The moon pulls", "Red wine" }, .claims = { "The moon pulls" } });
    rig_page(store, &(struct rig_page){ .url = "http://b.test/1", .task = "task_other",
        .fragments = { "Not ours" } });
    meaning_rig_job(&at_work, QUEUE_EMBED, STORE_JOB_COMPLETED);
    CHECK_STR("{\"ok\":true,\"status\":\"completed\",\"model\":\"words\",\"claims_embedded\":1,"
              "\"fragments_embedded\":2}",
              meaning_rig_said(&at_work, QUEUE_EMBED, STORE_JOB_COMPLETED));
    CHECK_EQ(0, lacks(store));
    CHECK_EQ(1, at_work.embeds.asked);
    CHECK_EQ(3, at_work.embeds.texts);
    CHECK_OK(store_embedding_get(store, (struct store_embedded){ "fragment", rig_fragment_id(
        "http://a.test/1", "Red wine") }, "words", vector, &dimension, SOON));
    CHECK_EQ(MODEL_DIMENSION, dimension);
    CHECK(vector[3] == 1 && vector[0] == 0);
    queue_rig_until(&at_work.jobs, at_work.task, QUEUE_VERIFY, STORE_JOB_COMPLETED, 1);
    meaning_rig_close(&at_work);
}

LOCAL_TEST(what_has_a_vector_is_not_asked_for_again)
{
    at_work = (struct meaning_rig){ 0 };
    begin(store);
    rig_page(store, &(struct rig_page){ .url = "http://a.test/1", .task = at_work.task,
        .fragments = { "The moon pulls" } });
    meaning_rig_job(&at_work, QUEUE_EMBED, STORE_JOB_COMPLETED);
    rig_page(store, &(struct rig_page){ .url = "http://a.test/2", .task = at_work.task,
        .fragments = { "The sea rises" } });
    meaning_rig_job(&at_work, QUEUE_EMBED, STORE_JOB_COMPLETED);
    CHECK_EQ(2, at_work.embeds.texts);
    CHECK_STR("{\"model\":\"words\",\"encoding_format\":\"float\",\"input\":["
              "\"The sea rises\"]}", at_work.embeds.last);
    meaning_rig_job(&at_work, QUEUE_EMBED, STORE_JOB_COMPLETED);
    CHECK_EQ(2, at_work.embeds.asked);
    meaning_rig_close(&at_work);
}

LOCAL_TEST(many_texts_are_asked_for_by_the_batch)
{
    char url[40];
    at_work = (struct meaning_rig){ 0 };
    begin(store);
    for (int i = 0; i < 10; i++) {
        snprintf(url, sizeof(url), "http://a.test/%d", i);
        rig_page(store, &(struct rig_page){ .url = url, .task = at_work.task,
            .fragments = { "a", "b", "c", "d", "e", "f", "g" } });
    }
    meaning_rig_job(&at_work, QUEUE_EMBED, STORE_JOB_COMPLETED);
    CHECK_EQ(70, at_work.embeds.texts);
    CHECK_EQ(3, at_work.embeds.asked);
    CHECK_EQ(0, lacks(store));
    meaning_rig_close(&at_work);
}

LOCAL_TEST(an_endpoint_that_fails_fails_the_job_with_its_words_and_claims_are_judged_still)
{
    at_work = (struct meaning_rig){ .embeds = { .script = {
        { .status = 422, .body = "{\"error\":\"too long\"}" } }, .scripted = 1 } };
    begin(store);
    rig_page(store, &(struct rig_page){ .url = "http://a.test/1", .task = at_work.task,
        .fragments = { "The moon pulls" }, .claims = { "The moon pulls" } });
    meaning_rig_job(&at_work, QUEUE_EMBED, STORE_JOB_FAILED);
    const char *said = meaning_rig_said(&at_work, QUEUE_EMBED, STORE_JOB_FAILED);
    CHECK(strncmp(said, "EMBEDDING_FAILED: the embedding endpoint http://127.0.0.1:", 57) == 0);
    CHECK(strstr(said, "answered /v1/embeddings with 422: too long"));
    queue_rig_until(&at_work.jobs, at_work.task, QUEUE_VERIFY, STORE_JOB_COMPLETED, 1);
    CHECK(strstr(meaning_rig_said(&at_work, QUEUE_VERIFY, STORE_JOB_COMPLETED),
                 "\"candidates_by\":\"words and vectors\",\"claims_processed\":1,"
                 "\"edges_created\":0,\"edges_skipped_duplicate\":0,"
                 "\"claims_without_vector\":1}"));
    CHECK_EQ(2, lacks(store));
    meaning_rig_close(&at_work);
}

LOCAL_TEST(what_takes_longer_than_a_job_may_is_gone_on_with_by_another)
{
    char url[40];
    at_work = (struct meaning_rig){ .embeds = { .scripted = 16 } };
    for (int i = 0; i < 16; i++)
        at_work.embeds.script[i].delay = WR_S(50);
    begin(store);
    for (int i = 0; i < 28; i++) {                  /* seven batches */
        snprintf(url, sizeof(url), "http://a.test/%d", i);
        rig_page(store, &(struct rig_page){ .url = url, .task = at_work.task,
            .fragments = { "a", "b", "c", "d", "e", "f", "g", "h" } });
    }
    CHECK(queue_rig_submit(&at_work.jobs, at_work.task, QUEUE_EMBED, "", NULL));
    CHECK_OK(wr_sleep(wr_after(WR_S(250))));
    CHECK(strstr(meaning_rig_said(&at_work, QUEUE_EMBED, STORE_JOB_COMPLETED),
                 "\"status\":\"continued\",\"model\":\"words\",\"claims_embedded\":0,"
                 "\"fragments_embedded\":128}"));
    CHECK_OK(wr_sleep(wr_after(WR_S(200))));
    CHECK_EQ(2, queue_rig_count(&at_work.jobs, at_work.task, QUEUE_EMBED, STORE_JOB_COMPLETED));
    queue_rig_until(&at_work.jobs, at_work.task, QUEUE_VERIFY, STORE_JOB_COMPLETED, 1);
    CHECK_EQ(0, lacks(store));
    meaning_rig_close(&at_work);
}

LOCAL_TEST(an_endpoint_that_never_answers_fails_the_job)
{
    at_work = (struct meaning_rig){ .embeds = { .scripted = 16 } };
    for (int i = 0; i < 16; i++)
        at_work.embeds.script[i].delay = WR_S(1000);
    begin(store);
    rig_page(store, &(struct rig_page){ .url = "http://a.test/1", .task = at_work.task,
        .fragments = { "The moon pulls" } });
    CHECK(queue_rig_submit(&at_work.jobs, at_work.task, QUEUE_EMBED, "", NULL));
    CHECK_OK(wr_sleep(wr_after(WR_S(250))));
    CHECK_EQ(1, queue_rig_count(&at_work.jobs, at_work.task, QUEUE_EMBED, STORE_JOB_FAILED));
    CHECK(strstr(meaning_rig_said(&at_work, QUEUE_EMBED, STORE_JOB_FAILED), "did not answer"));
    CHECK_EQ(3, at_work.embeds.asked);
    meaning_rig_close(&at_work);
}

LOCAL_TEST(a_stop_ends_it_and_nothing_follows)
{
    struct queue_stopped stopped;
    struct queue_why why;
    at_work = (struct meaning_rig){ .embeds = { .script = { { .delay = WR_S(50) } },
                                            .scripted = 1 } };
    begin(store);
    rig_page(store, &(struct rig_page){ .url = "http://a.test/1", .task = at_work.task,
        .fragments = { "The moon pulls" } });
    CHECK(queue_rig_submit(&at_work.jobs, at_work.task, QUEUE_EMBED, "", NULL));
    queue_rig_until(&at_work.jobs, at_work.task, QUEUE_EMBED, STORE_JOB_RUNNING, 1);
    CHECK_OK(queue_stop(at_work.jobs.queue, at_work.task, &(struct queue_stop){
        .mode = QUEUE_FULL }, &stopped, &why, SOON));
    queue_rig_until(&at_work.jobs, at_work.task, QUEUE_EMBED, STORE_JOB_CANCELED, 1);
    CHECK_EQ(0, queue_rig_count(&at_work.jobs, at_work.task, QUEUE_VERIFY, STORE_JOB_QUEUED));
    meaning_rig_close(&at_work);
}
