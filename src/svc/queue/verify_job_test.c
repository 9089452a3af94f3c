/* verify_job_test.c - what fragments of others say of a claim, and who says so. */
#include "store/claim.h"
#include "store/edge.h"
#include "store/embedding.h"

#include "testing/meaning_rig.h"

#define CLAIM "The tides of the sea are caused by the moon"
#define SAME "As is known the tides of the sea are caused by the moon."

static struct meaning_rig at_work;

static void begin(struct store *store, unsigned which)
{
    at_work = (struct meaning_rig){ 0 };
    meaning_rig_open(&at_work, store, which);
    rig_page(store, &(struct rig_page){ .url = "http://a.test/1", .task = at_work.task,
        .fragments = { CLAIM }, .claims = { CLAIM } });
}

static void add(struct store *store, const char *url, const char *fragment)
{
    rig_page(store, &(struct rig_page){ .url = url, .task = at_work.task,
        .fragments = { fragment } });
}

static const char *claim_id(void)
{
    return rig_claim_id(at_work.task, "http://a.test/1", CLAIM, CLAIM);
}

static const char *verify(void)
{
    meaning_rig_job(&at_work, QUEUE_VERIFY, STORE_JOB_COMPLETED);
    return meaning_rig_said(&at_work, QUEUE_VERIFY, STORE_JOB_COMPLETED);
}

/* Judgements about the claim, as "domain relation" between commas, the origin left out. */
static const char *edges(struct store *store)
{
    static char text[600];
    struct store_edges all;
    size_t len = 0;
    text[0] = '\0';
    CHECK_OK(store_edge_list(store, claim_id(), 50, &all, SOON));
    for (size_t i = 0; i < all.count; i++) {
        struct store_edge edge = store_edge_at(&all, i);
        if (edge.relation != STORE_ORIGIN)
            len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s %s", len ? ", " : "",
                                    edge.domain, store_relation_text(edge.relation));
    }
    store_edges_free(&all);
    return text;
}

/* Who has signed them. */
static const char *judge(struct store *store)
{
    static char name[60];
    static const struct store_verb verb = {
        .name = "test.judge",
        .sqlite = { "select group_concat(distinct nli_model) from edges"
                    " where relation <> 'origin'" } };
    struct store_rows rows;
    CHECK_OK(store_do(store, &verb, STORE_VALUES(STORE_NULL), &rows, SOON));
    const char *found = store_text(&rows, 0, 0);
    snprintf(name, sizeof(name), "%s", found ? found : "(nobody)");
    store_rows_free(&rows);
    return name;
}

LOCAL_TEST(without_models_words_find_and_lexical_judges_under_its_name)
{
    begin(store, 0);
    add(store, "http://b.test/1", SAME);
    CHECK_STR("{\"ok\":true,\"status\":\"completed\",\"method\":\"lexical\",\"candidates_by\":"
              "\"words\",\"claims_processed\":1,\"edges_created\":1,"
              "\"edges_skipped_duplicate\":0}", verify());
    CHECK_STR("b.test supports", edges(store));
    CHECK_STR("lexical", judge(store));
    meaning_rig_close(&at_work);
}

LOCAL_TEST(what_the_claim_s_own_domain_says_is_not_asked)
{
    begin(store, MEANING_EMBEDS | MEANING_JUDGES);
    add(store, "http://a.test/2", "yes " SAME);
    meaning_rig_job(&at_work, QUEUE_EMBED, STORE_JOB_COMPLETED);
    queue_rig_until(&at_work.jobs, at_work.task, QUEUE_VERIFY, STORE_JOB_COMPLETED, 1);
    CHECK_STR("", edges(store));
    CHECK_EQ(0, at_work.judges.asked);
    meaning_rig_close(&at_work);
}

LOCAL_TEST(a_model_judges_and_signs_with_its_name)
{
    begin(store, MEANING_JUDGES);
    add(store, "http://b.test/1", "yes the tides of the sea");
    add(store, "http://c.test/1", "no the tides of the sea");
    add(store, "http://d.test/1", "perhaps tides");
    const char *said = verify();
    CHECK(strstr(said, "\"method\":\"judge\",\"candidates_by\":\"words\","));
    CHECK(strstr(said, "\"edges_created\":3,"));
    CHECK_EQ(1, at_work.judges.asked);              /* all pairs of a claim at once */
    CHECK_EQ(3, at_work.judges.pairs);
    CHECK(strstr(at_work.judges.last, "[\"yes the tides of the sea\",\"" CLAIM "\"]"));
    CHECK(strstr(edges(store), "b.test supports"));
    CHECK(strstr(edges(store), "c.test refutes"));
    CHECK(strstr(edges(store), "d.test neutral"));
    CHECK_STR("judge", judge(store));
    meaning_rig_close(&at_work);
}

LOCAL_TEST(what_is_not_sure_is_not_said)
{
    at_work = (struct meaning_rig){
        .judges = { .scripted = 1,
                    .script = { { .body = "[[{\"label\":\"entailment\",\"score\":0.59},{"
                                          "\"label\":\"neutral\",\"score\":0.4}]]" } } }
    };
    meaning_rig_open(&at_work, store, MEANING_JUDGES);
    rig_page(store, &(struct rig_page){ .url = "http://a.test/1", .task = at_work.task,
        .fragments = { CLAIM }, .claims = { CLAIM } });
    add(store, "http://b.test/1", SAME);
    CHECK(strstr(verify(), "\"claims_processed\":1,\"edges_created\":0,"));
    CHECK_STR("", edges(store));
    meaning_rig_close(&at_work);
}

LOCAL_TEST(where_the_model_cannot_be_asked_nobody_judges_in_its_place)
{
    at_work = (struct meaning_rig){ .judges = { .scripted = 1, .script = { { .body =
        "[[{\"label\":\"LABEL_0\",\"score\":0.9}]]" } } } };
    meaning_rig_open(&at_work, store, MEANING_JUDGES);
    rig_page(store, &(struct rig_page){ .url = "http://a.test/1", .task = at_work.task,
        .fragments = { CLAIM }, .claims = { CLAIM } });
    add(store, "http://b.test/1", "yes " SAME);
    meaning_rig_job(&at_work, QUEUE_VERIFY, STORE_JOB_FAILED);
    const char *said = meaning_rig_said(&at_work, QUEUE_VERIFY, STORE_JOB_FAILED);
    CHECK(strncmp(said, "NLI_FAILED: the nli endpoint http://127.0.0.1:", 45) == 0);
    CHECK(strstr(said, "answered with the label \"LABEL_0\""));
    CHECK_STR("(nobody)", judge(store));
    CHECK(strstr(verify(), "\"claims_processed\":1,\"edges_created\":1,"));  /* it is due */
    CHECK_STR("judge", judge(store));
    meaning_rig_close(&at_work);
}

LOCAL_TEST(those_who_leave_it_to_one_that_fails_are_followed_by_another)
{
    at_work = (struct meaning_rig){ .judges = { .scripted = 1, .script = { {
        .delay = WR_S(5), .body = "[[{\"label\":\"LABEL_0\",\"score\":0.9}]]" } } } };
    meaning_rig_open(&at_work, store, MEANING_JUDGES);
    rig_page(store, &(struct rig_page){ .url = "http://a.test/1", .task = at_work.task,
        .fragments = { CLAIM }, .claims = { CLAIM } });
    add(store, "http://b.test/1", "yes " SAME);
    CHECK(queue_rig_submit(&at_work.jobs, at_work.task, QUEUE_VERIFY, "", NULL));
    queue_rig_until(&at_work.jobs, at_work.task, QUEUE_VERIFY, STORE_JOB_RUNNING, 1);
    CHECK(strstr(verify(), "\"status\":\"joined\""));
    queue_rig_until(&at_work.jobs, at_work.task, QUEUE_VERIFY, STORE_JOB_FAILED, 1);
    queue_rig_until(&at_work.jobs, at_work.task, QUEUE_VERIFY, STORE_JOB_COMPLETED, 2);
    CHECK_STR("judge", judge(store));
    meaning_rig_close(&at_work);
}

LOCAL_TEST(a_pair_is_judged_once)
{
    begin(store, MEANING_JUDGES);
    add(store, "http://b.test/1", "yes " SAME);
    CHECK(strstr(verify(), "\"edges_created\":1,"));
    pass(WR_S(1));
    add(store, "http://c.test/1", "no " SAME);
    pass(WR_S(1));
    CHECK(strstr(verify(), "\"edges_created\":1,"));
    CHECK_EQ(2, at_work.judges.pairs);
    CHECK(strstr(verify(), "\"status\":\"no_claims\""));        /* nothing new since */
    CHECK_EQ(2, at_work.judges.pairs);
    meaning_rig_close(&at_work);
}

LOCAL_TEST(with_vectors_what_is_said_in_other_words_is_found_too)
{
    /* It shares no word with the claim but has its meaning, by the model. */
    static const char other[] = "yes Moon-pull: Tide-rise, Sea-swell";
    begin(store, MEANING_EMBEDS | MEANING_JUDGES);
    add(store, "http://b.test/1", "yes tidemoonsea");           /* one word, by words another */
    add(store, "http://c.test/1", "no wine about the heart");
    add(store, "http://d.test/1", other);
    meaning_rig_job(&at_work, QUEUE_EMBED, STORE_JOB_COMPLETED);
    queue_rig_until(&at_work.jobs, at_work.task, QUEUE_VERIFY, STORE_JOB_COMPLETED, 1);
    CHECK(strstr(edges(store), "b.test supports"));
    CHECK(strstr(meaning_rig_said(&at_work, QUEUE_VERIFY, STORE_JOB_COMPLETED),
                 "\"candidates_by\":\"words and vectors\""));
    CHECK(strstr(meaning_rig_said(&at_work, QUEUE_VERIFY, STORE_JOB_COMPLETED),
                 "\"claims_without_vector\":0}"));
    meaning_rig_close(&at_work);
    begin(store, MEANING_JUDGES);
    add(store, "http://b.test/2", "yes tidemoonsea");
    CHECK(strstr(verify(), "\"edges_created\":0,"));
    meaning_rig_close(&at_work);
}

LOCAL_TEST(words_and_vectors_take_turns_and_no_pair_comes_twice)
{
    char url[40];
    begin(store, MEANING_EMBEDS | MEANING_JUDGES);
    for (int i = 0; i < 15; i++) {
        snprintf(url, sizeof(url), "http://b.test/%d", i);
        add(store, url, "yes tidemoonsea");                     /* found by vectors alone */
        snprintf(url, sizeof(url), "http://c.test/%d", i);
        add(store, url, "caused by the are of");                /* by words alone */
    }
    add(store, "http://d.test/1", SAME);                        /* by both */
    meaning_rig_job(&at_work, QUEUE_EMBED, STORE_JOB_COMPLETED);
    queue_rig_until(&at_work.jobs, at_work.task, QUEUE_VERIFY, STORE_JOB_COMPLETED, 1);
    CHECK_EQ(20, at_work.judges.pairs);
    size_t b = 0, c = 0, d = 0;
    for (const char *at = edges(store); *at; at++) {
        b += strncmp(at, "b.test", 6) == 0;
        c += strncmp(at, "c.test", 6) == 0;
        d += strncmp(at, "d.test", 6) == 0;
    }
    CHECK_EQ(1, d);
    CHECK(b >= 9 && b <= 10);
    CHECK_EQ(20, b + c + d);
    meaning_rig_close(&at_work);
}

LOCAL_TEST(what_words_and_vectors_both_find_is_judged_once)
{
    begin(store, MEANING_EMBEDS | MEANING_JUDGES);
    add(store, "http://b.test/1", "yes tidemoonsea");
    add(store, "http://c.test/1", "caused by the are of");
    add(store, "http://d.test/1", SAME);
    meaning_rig_job(&at_work, QUEUE_EMBED, STORE_JOB_COMPLETED);
    queue_rig_until(&at_work.jobs, at_work.task, QUEUE_VERIFY, STORE_JOB_COMPLETED, 1);
    CHECK_EQ(3, at_work.judges.pairs);
    meaning_rig_close(&at_work);
}

static wr_err read_for_long(void *arg, struct queue_work *work)
{
    (void)arg;
    (void)work;
    return wr_sleep(wr_after(WR_S(5)));
}

LOCAL_TEST(while_pages_are_read_it_leaves_them_the_processor)
{
    begin(store, 0);
    at_work.jobs.handlers[QUEUE_TARGET] = (struct queue_handler){ .run = read_for_long };
    for (int i = 0; i < 9; i++) {
        char url[40], claim[80];
        snprintf(url, sizeof(url), "http://c%d.test/", i);
        snprintf(claim, sizeof(claim), "The ship number %d has reached its harbour", i);
        rig_page(store, &(struct rig_page){ .url = url, .task = at_work.task,
            .fragments = { claim }, .claims = { claim } });
    }
    wr_time start = wr_now();
    verify();
    CHECK(wr_now() - start < WR_MS(20));
    CHECK(queue_rig_submit(&at_work.jobs, at_work.task, QUEUE_TARGET, "", NULL));
    queue_rig_until(&at_work.jobs, at_work.task, QUEUE_TARGET, STORE_JOB_RUNNING, 1);
    start = wr_now();
    CHECK(strstr(verify(), "\"claims_processed\":10,"));
    CHECK(wr_now() - start >= WR_MS(200));
    CHECK(wr_now() - start < WR_S(1));
    meaning_rig_close(&at_work);
}

/* All of it happens in one millisecond: a claim that was judged is due again. */
LOCAL_TEST(every_claim_is_judged_once_in_a_job_however_many_are_due)
{
    begin(store, 0);
    for (int i = 0; i < 70; i++) {
        char url[40], claim[80];
        snprintf(url, sizeof(url), "http://c%d.test/", i);
        snprintf(claim, sizeof(claim), "The ship number %d has reached its harbour", i);
        rig_page(store, &(struct rig_page){ .url = url, .task = at_work.task,
            .fragments = { claim }, .claims = { claim } });
    }
    CHECK(strstr(verify(), "\"claims_processed\":71,"));
    meaning_rig_close(&at_work);
}
