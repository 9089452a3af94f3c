#include "store/removal.h"

#include "store/auth.h"
#include "store/blob.h"
#include "store/claim.h"
#include "store/edge.h"
#include "store/embedding.h"
#include "store/fragment.h"
#include "store/publication.h"
#include "store/query_log.h"
#include "store/verb.h"
#include "testing/evidence_rig.h"
#include "testing/settle.h"

#define MOON "http://a.test/moon"
#define SUN "http://b.test/sun"

static const struct rig_page moon = {
    .url = MOON, .task = "t", .title = "The moon", .fragments = { "The moon is far." },
    .claims = { "It is far" } };

static void make(struct store *store, const char *id)
{
    CHECK_OK(store_task_add(store, &(struct store_task_new){
        .id = id, .hypothesis = "the moon is far", .pages_max = 3, .seconds_max = 60 }, SOON));
}

/* A job of it, which is finished, or left open. */
static void add_job(struct store *store, const char *task, const char *id, bool finished)
{
    struct store_jobs jobs;
    CHECK_OK(store_job_add(store, &(struct store_job_new){
        .id = id, .task = task, .kind = "target_queue", .slot = "net" }, SOON));
    if (!finished)
        return;
    CHECK_OK(store_job_claim(store, &(struct store_job_claim){
        .slot = "net", .max = 1, .lease = WR_S(30) }, &jobs, SOON));
    CHECK_OK(store_job_finish(store, id, jobs.jobs[0].attempt, &(struct store_job_end){
        .state = STORE_JOB_COMPLETED, .output = "{}" }, SOON));
    store_jobs_free(&jobs);
}

static void removed(struct store *store, const char *task)
{
    CHECK_OK(store_removal_begin(store, task, SOON));
    CHECK_OK(store_removal_clear(store, task, SOON));
}

static int64_t count(struct store *store, const struct store_verb *verb)
{
    struct store_rows rows;
    CHECK_OK(store_do(store, verb, (struct store_values){ 0 }, &rows, SOON));
    int64_t value = store_int(&rows, 0, 0);
    store_rows_free(&rows);
    return value;
}

/* All that a task may leave behind. */
#define OF(table) " + (select count(*) from " table ")"
#define LEFT_OF_QUEUE OF("tasks") OF("job") OF("job_done") OF("job_tally") \
    OF("intervention_queue") OF("queries") OF("serp_items")
#define LEFT_OF_PAGES OF("pages") OF("task_pages") OF("fragments") OF("claims") OF("edges") \
    OF("nli_corrections") OF("embeddings") OF("works") OF("work_authors") OF("work_identifiers")
static const struct store_verb left = {
    .name = "test.left", .sqlite = { "select 0" LEFT_OF_QUEUE LEFT_OF_PAGES },
};

STORE_TEST(a_task_with_something_open_stays)
{
    struct store_tasks tasks;
    make(store, "t");
    add_job(store, "t", "j1", false);
    CHECK_ERR(WR_DENIED, store_removal_begin(store, "t", SOON));
    CHECK_OK(store_task_get(store, "t", &tasks, SOON));
    store_tasks_free(&tasks);
    CHECK_ERR(WR_NOTFOUND, store_removal_begin(store, "nobody", SOON));
}

STORE_TEST(nobody_finds_a_task_whose_removal_has_begun)
{
    struct store_tasks tasks;
    struct store_submitted took;
    static const char *const slots[] = { "net", NULL };
    make(store, "t");
    CHECK_OK(store_removal_begin(store, "t", SOON));
    CHECK_ERR(WR_NOTFOUND, store_task_get(store, "t", &tasks, SOON));
    store_tasks_free(&tasks);
    CHECK_ERR(WR_NOTFOUND, store_task_submit(store, "t",
        "[[\"j\",\"target_queue\",\"net\",50,null,{}]]", slots, &took, SOON));
    store_submitted_free(&took);
    CHECK_OK(store_removal_begin(store, "t", SOON));        /* again is no error */
}

static void put_work(struct store *store, char *id)
{
    static const struct store_author author = { .name = "A. Moon" };
    CHECK_OK(store_work_put(store, &(struct store_work){
        .provider = "openalex", .provider_id = "W1", .doi = "10.1/moon", .title = "The moon",
        .citations = -1, .references = -1, .authors = &author, .author_count = 1 }, id, SOON));
}

/* Everything of which there is a table. */
static void fill(struct store *store)
{
    struct store_jobs jobs;
    struct store_auths auths;
    char work[STORE_EVIDENCE_ID], page[STORE_EVIDENCE_ID];
    uint64_t new;
    static const char *const slots[] = { NULL };
    static const float vector[] = { 1, 2 };
    struct rig_page with_work = moon;
    make(store, "t");
    add_job(store, "t", "j1", false);
    CHECK_OK(store_job_claim(store, &(struct store_job_claim){
        .slot = "net", .max = 1, .lease = WR_S(30) }, &jobs, SOON));
    store_jobs_free(&jobs);
    CHECK_OK(store_auth_park(store, "j1", 1, "[[\"a1\",\"u\",\"d\",\"captcha\",\"high\"]]",
                             WR_S(60), SOON));
    CHECK_OK(store_auth_resolve(store, &(struct store_auth_which){ .id = "a1" },
                                STORE_AUTH_SKIPPED, slots, &auths, SOON));
    store_auths_free(&auths);
    put_work(store, work);
    with_work.work = work;
    rig_page(store, &with_work);
    const char *claim = rig_claim_id("t", MOON, "The moon is far.", "It is far");
    rig_page(store, &(struct rig_page){ .url = SUN, .task = "t", .fragments = { "So far!" } });
    CHECK_OK(store_edge_judge(store, &(struct store_judgement){
        .fragment = rig_fragment_id(SUN, "So far!"), .claim = claim,
        .relation = STORE_SUPPORTS, .confidence = 1 }, 1, &new, SOON));
    struct store_embedded both[] = { { "claim", claim },
                                     { "fragment", rig_fragment_id(SUN, "So far!") } };
    for (size_t i = 0; i < 2; i++)
        CHECK_OK(store_embedding_put(store, "m", &both[i], 1, vector, 2, SOON));
    CHECK_OK(store_page_cite(store, store_page_id(page, MOON), "page", &(struct store_cited){
        .url = "http://c.test/", .domain = "c.test" }, 1, &new, SOON));
    CHECK_OK(store_query_put(store, &(struct store_query){
        .id = "q1", .task = "t", .text = "moon", .hits = &(struct store_hit){
            .engine = "e", .url = MOON, .rank = 1, .page = 1 }, .hit_count = 1 }, SOON));
}

STORE_TEST(nothing_is_left_of_a_task_that_is_removed)
{
    struct store_fragments found;
    fill(store);
    CHECK(count(store, &left) > 15);
    removed(store, "t");
    CHECK_EQ(0, count(store, &left));
    CHECK_OK(store_fragment_search(store, &(struct store_fragment_query){
        .sentence = "moon", .max = 10 }, &found, SOON));
    CHECK_EQ(0, found.count);
    store_fragments_free(&found);
}

STORE_TEST(a_page_that_comes_again_after_its_removal_is_found_by_its_words)
{
    struct store_fragments found;
    make(store, "t");
    rig_page(store, &moon);
    removed(store, "t");
    make(store, "u");
    rig_page(store, &(struct rig_page){ .url = SUN, .task = "u",
                                        .fragments = { "The sun is hot." } });
    CHECK_OK(store_fragment_search(store, &(struct store_fragment_query){
        .sentence = "sun", .max = 10 }, &found, SOON));
    CHECK_EQ(1, found.count);
    store_fragments_free(&found);
}

STORE_TEST(what_another_task_has_stays)
{
    struct store_evidence evidence;
    struct rig_page shared = moon;
    make(store, "t");
    make(store, "u");
    rig_page(store, &moon);
    shared.task = "u";
    rig_page(store, &shared);
    removed(store, "t");
    CHECK_OK(store_evidence_count(store, "t", &evidence, SOON));
    CHECK_EQ(0, evidence.pages + evidence.fragments + evidence.claims);
    CHECK_OK(store_evidence_count(store, "u", &evidence, SOON));
    CHECK_EQ(1, evidence.pages);
    CHECK_EQ(1, evidence.fragments);
    CHECK_EQ(1, evidence.claims);
}

/* Of the moon, which the sun cites, and the stars, which the moon cites. */
STORE_TEST(a_page_that_another_cites_stays_as_one_that_nobody_has_fetched)
{
    static const struct store_cited of_sun = { .url = MOON, .domain = "a.test" };
    static const struct store_cited of_moon = { .url = "http://c.test/", .domain = "c.test" };
    struct store_page_known known;
    char page[STORE_EVIDENCE_ID];
    uint64_t new;
    make(store, "t");
    make(store, "u");
    rig_page(store, &moon);
    rig_page(store, &(struct rig_page){ .url = SUN, .task = "u", .fragments = { "Hot" } });
    CHECK_OK(store_page_cite(store, store_page_id(page, SUN), "page", &of_sun, 1, &new, SOON));
    CHECK_OK(store_page_cite(store, store_page_id(page, MOON), "page", &of_moon, 1, &new,
                             SOON));
    removed(store, "t");
    CHECK_OK(store_page_get(store, MOON, NULL, &known, SOON));
    CHECK_STR("The moon", known.page.title);
    CHECK_EQ(0, known.fetched_at.ns);
    store_page_free(&known);
    CHECK_ERR(WR_NOTFOUND, store_page_get(store, "http://c.test/", NULL, &known, SOON));
    store_page_free(&known);
}

STORE_TEST(a_page_of_more_fragments_than_a_step_has_goes_as_a_whole)
{
    enum { MANY = STORE_REMOVAL_STEP + 30 };
    static struct store_fragment_new fragments[MANY];
    static char texts[MANY][16];
    struct store_page_put put;
    make(store, "t");
    for (size_t i = 0; i < MANY; i++) {
        snprintf(texts[i], sizeof(texts[i]), "moon %zu", i);
        fragments[i] = (struct store_fragment_new){ .text = texts[i] };
    }
    CHECK_OK(store_page_put(store, &(struct store_page_new){
        .page = { .url = MOON, .domain = "a.test", .http_status = 200 }, .task = "t",
        .fragments = fragments, .fragment_count = MANY }, &put, SOON));
    removed(store, "t");
    CHECK_EQ(0, count(store, &left));
}

STORE_TEST(what_somebody_writes_late_for_a_removed_task_is_cleared_an_hour_later)
{
    char task[STORE_TASK_ID_MAX + 1];
    make(store, "t");
    removed(store, "t");
    CHECK_ERR(WR_NOTFOUND, store_removal_next(store, task, SOON));
    rig_page(store, &moon);
    pass(STORE_REMOVAL_KEPT + WR_S(1));
    CHECK_OK(store_removal_next(store, task, SOON));
    CHECK_STR("t", task);
    CHECK_OK(store_removal_clear(store, task, SOON));
    CHECK_EQ(0, count(store, &left));
    CHECK_ERR(WR_NOTFOUND, store_removal_next(store, task, SOON));
    CHECK_ERR(WR_NOTFOUND, store_removal_begin(store, "t", SOON));
}

STORE_TEST(a_removal_that_was_cut_off_is_gone_on_with)
{
    char task[STORE_TASK_ID_MAX + 1];
    make(store, "t");
    rig_page(store, &moon);
    CHECK_OK(store_removal_begin(store, "t", SOON));
    CHECK_OK(store_removal_next(store, task, SOON));
    CHECK_STR("t", task);
}

/* A page of these bytes; their id. */
static void put_bytes(struct store *store, const char *task, const char *url,
                      const char *bytes, char *cid)
{
    struct store_page_put put;
    CHECK_OK(store_blob_put(store, bytes, strlen(bytes), cid, SOON));
    CHECK_OK(store_page_put(store, &(struct store_page_new){
        .page = { .url = url, .domain = "a.test", .http_status = 200, .content_hash = cid },
        .task = task }, &put, SOON));
}

static wr_err blob(struct store *store, const char *cid)
{
    char *bytes = NULL;
    size_t len;
    wr_err err = store_blob_get(store, cid, &bytes, &len, SOON);
    free(bytes);
    return err;
}

static uint64_t prune_blobs(struct store *store)
{
    uint64_t gone;
    CHECK_OK(store_blob_prune(store, 10, &gone, SOON));
    return gone;
}

STORE_TEST(the_bytes_of_a_page_go_an_hour_after_the_last_that_has_them)
{
    char cid[WR_CID_TEXT], shared[WR_CID_TEXT];
    make(store, "t");
    make(store, "u");
    put_bytes(store, "t", MOON, "the moon", cid);
    put_bytes(store, "t", SUN, "not found", shared);
    put_bytes(store, "u", "http://c.test/", "not found", shared);
    removed(store, "t");
    CHECK_EQ(0, prune_blobs(store));
    CHECK_OK(blob(store, cid));
    pass(STORE_REMOVAL_KEPT + WR_S(1));
    CHECK_EQ(2, prune_blobs(store));
    CHECK_ERR(WR_NOTFOUND, blob(store, cid));
    CHECK_OK(blob(store, shared));
    CHECK_EQ(0, prune_blobs(store));
}

STORE_TEST(the_old_bytes_of_a_page_that_has_changed_go)
{
    char old[WR_CID_TEXT], new[WR_CID_TEXT];
    make(store, "t");
    put_bytes(store, "t", MOON, "the moon is far", old);
    put_bytes(store, "t", MOON, "the moon is near", new);
    pass(STORE_REMOVAL_KEPT + WR_S(1));
    CHECK_EQ(1, prune_blobs(store));
    CHECK_ERR(WR_NOTFOUND, blob(store, old));
    CHECK_OK(blob(store, new));
}

STORE_TEST(a_task_is_stale_when_nothing_of_it_is_open_and_nothing_has_happened_for_so_long)
{
    struct store_rows rows;
    make(store, "old");
    make(store, "open");
    make(store, "done");
    add_job(store, "done", "j1", false);
    add_job(store, "open", "j2", false);
    pass(WR_S(100));
    make(store, "new");
    struct store_jobs jobs;
    CHECK_OK(store_job_claim(store, &(struct store_job_claim){
        .slot = "net", .max = 1, .lease = WR_S(30) }, &jobs, SOON));
    CHECK_OK(store_job_finish(store, "j1", 1, &(struct store_job_end){
        .state = STORE_JOB_COMPLETED }, SOON));
    store_jobs_free(&jobs);
    CHECK_OK(store_removal_stale(store, (struct wr_wall){ rig_wall().ns - WR_S(50) }, 10, &rows,
                                 SOON));
    CHECK_EQ(1, rows.count);
    CHECK_STR("old", store_text(&rows, 0, 0));
    store_rows_free(&rows);
}

STORE_TEST(a_page_that_no_task_has_goes_when_it_is_old)
{
    char cursor[STORE_EVIDENCE_ID] = "", cid[WR_CID_TEXT];
    uint64_t gone;
    make(store, "t");
    put_bytes(store, NULL, MOON, "the moon", cid);
    rig_page(store, &(struct rig_page){ .url = SUN, .task = "t", .fragments = { "Hot" } });
    CHECK_OK(store_page_prune(store, cursor, rig_wall(), &gone, SOON));
    CHECK_EQ(0, gone);
    pass(WR_S(100));
    CHECK_OK(store_page_prune(store, cursor, rig_wall(), &gone, SOON));
    CHECK_EQ(1, gone);
    CHECK_STR("", cursor);
    struct store_page_known known;
    CHECK_ERR(WR_NOTFOUND, store_page_get(store, MOON, NULL, &known, SOON));
    store_page_free(&known);
    CHECK_OK(store_page_get(store, SUN, NULL, &known, SOON));
    store_page_free(&known);
}

struct race { struct store *store; char url[40], gone[8], stays[8]; };

static wr_err race_put(void *arg)
{
    struct race *race = arg;
    rig_page(race->store, &(struct rig_page){ .url = race->url, .task = race->stays,
                                              .fragments = { "one", "two", "three" } });
    return WR_OK;
}

static wr_err race_remove(void *arg)
{
    struct race *race = arg;
    removed(race->store, race->gone);
    return WR_OK;
}

STORE_TEST(a_page_that_is_put_for_another_task_beside_a_removal_has_all_its_fragments)
{
    for (int i = 0; i < 30; i++) {
        struct race race = { .store = store };
        struct store_evidence evidence;
        snprintf(race.url, sizeof(race.url), "http://a.test/%d", i);
        snprintf(race.gone, sizeof(race.gone), "g%d", i);
        snprintf(race.stays, sizeof(race.stays), "s%d", i);
        make(store, race.gone);
        make(store, race.stays);
        rig_page(store, &(struct rig_page){ .url = race.url, .task = race.gone,
                                            .fragments = { "one", "two", "three" } });
        struct wr_scope *scope = scope_open();
        go(scope, race_put, &race);
        go(scope, race_remove, &race);
        scope_done(scope);
        CHECK_OK(store_evidence_count(store, race.stays, &evidence, SOON));
        CHECK_EQ(1, evidence.pages);
        CHECK_EQ(3, evidence.fragments);
    }
}
