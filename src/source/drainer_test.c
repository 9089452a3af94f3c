#include "source/drainer.h"

#include "source/answer.h"
#include "testing/catalogue_rig.h"
#include "testing/metric_rig.h"
#include "testing/source_rig.h"

#define HIT(title) "{\"result\":{\"hits\":{\"hit\":[{\"info\":{\"title\":\"" title "\"}}]}}}"
#define NONE "{\"result\":{\"hits\":{\"@total\":\"0\"}}}"
#define ITEM "{\"message\":{\"title\":[\"Quiet Rivers\"]}}"

/* A catalogue and the drainer of it. */
struct setting {
    struct catalogue catalogue;
    struct drainer_conf conf;
    struct drainer *drainer;
};

static void begin(struct setting *setting, const struct source_driver *driver)
{
    catalogue_open(&setting->catalogue);
    setting->conf.driver = driver;
    setting->conf.base = setting->catalogue.base;
    setting->conf.client = catalogue_client();
    CHECK_OK(drainer_open(&setting->drainer, &setting->conf));
}

static void end(struct setting *setting)
{
    drainer_close(setting->drainer);
    wr_fetch_client_close(setting->conf.client, WR_NOW);
    catalogue_close(&setting->catalogue);
}

static bool settles(const void *answer)
{
    return answer;
}

static struct wr_gather *gather_of(uint32_t slots, bool may_settle)
{
    struct wr_gather *gather = NULL;
    CHECK_OK(wr_gather_new(&gather, &(struct wr_gather_conf){
        .name = "test.gather", .sources = slots, .size = sizeof(struct drainer_answer),
        .settles = may_settle ? settles : NULL }));
    return gather;
}

static void send(struct setting *setting, struct wr_gather *gather, uint32_t slot,
                 struct source_question question, wr_time span)
{
    CHECK_OK(drainer_ask(setting->drainer, &(struct drainer_job){
        .question = question, .gather = wr_gather_ref(gather), .slot = slot,
        .about = setting, .deadline = wr_after(span) }, WR_NEVER));
}

/* What was reported, without keeping it. */
static wr_err result(struct wr_gather *gather, uint32_t slot)
{
    struct drainer_answer answer;
    wr_err err = wr_gather_result(gather, slot, &answer);
    if (!err)
        wr_bytes_unref(answer.records);
    return err;
}

#define BY_TITLE(text_) \
    (struct source_question) \
    { \
        .by = SOURCE_BY_TITLE, .text = (text_) \
    }
#define BY_DOI(text_) \
    (struct source_question) \
    { \
        .by = SOURCE_BY_DOI, .text = (text_), .always = true \
    }

static wr_err ask_one(struct setting *setting, struct source_question question)
{
    struct wr_gather *gather = gather_of(1, false);
    send(setting, gather, 0, question, WR_S(120));
    CHECK_OK(wr_gather_wait(gather, WR_NEVER));
    wr_err err = result(gather, 0);
    wr_gather_unref(gather);
    return err;
}

TEST(a_job_is_answered_with_records)
{
    static struct setting setting = { .catalogue = { .body = HIT("Quiet Rivers."),
                                                     .delay = WR_MS(300) } };
    struct drainer_answer answer;
    struct wr_arena arena = WR_ARENA(10000);
    struct bib_record *records;
    size_t count;
    begin(&setting, &source_dblp);
    struct wr_gather *gather = gather_of(1, false);
    send(&setting, gather, 0, BY_TITLE("Quiet rivers"), WR_S(120));
    CHECK_OK(wr_gather_wait(gather, WR_NEVER));
    REQUIRE_OK(wr_gather_result(gather, 0, &answer));
    CHECK(answer.about == &setting && !answer.remembered);
    CHECK_EQ(WR_MS(300), answer.took);
    REQUIRE_OK(answer_unpack(answer.records, &arena, &records, &count));
    CHECK_EQ(1, count);
    CHECK_STR("Quiet Rivers", records[0].work.title);
    CHECK_STR("DBLP", records[0].source);
    wr_bytes_unref(answer.records);
    wr_gather_unref(gather);
    wr_arena_free(&arena);
    end(&setting);
}

/* 30 questions, of which some are refused: whatever happens, no two requests arrive closer
 * together than the source allows, and after a refusal not before the time it gave. */
TEST(the_limit_is_kept_as_the_source_counts_it)
{
    enum { JOBS = 30 };
    static struct setting setting = {
        .catalogue = { .body = NONE, .scripted = 8,
                       .script = { [3] = { .status = 429, .headers = "Retry-After: 5\r\n" },
                                   [6] = { .status = 429 } } } };
    static char titles[JOBS][20];
    for (size_t i = 0; i < 8; i++)
        setting.catalogue.script[i].body = NONE;
    begin(&setting, &source_dblp);
    struct wr_gather *gather = gather_of(JOBS, false);
    for (uint32_t i = 0; i < JOBS; i++) {
        snprintf(titles[i], sizeof(titles[i]), "Title number %u", i);
        send(&setting, gather, i, BY_TITLE(titles[i]), WR_S(1000));
    }
    CHECK_OK(wr_gather_wait(gather, WR_NEVER));
    for (uint32_t i = 0; i < JOBS; i++)
        CHECK_ERR(WR_NOTFOUND, result(gather, i));
    CHECK_EQ(JOBS + 2, setting.catalogue.asked);
    for (unsigned i = 1; i < JOBS + 2; i++)
        CHECK(setting.catalogue.at[i] - setting.catalogue.at[i - 1] >= WR_S(1));
    CHECK_EQ(WR_S(5), setting.catalogue.at[4] - setting.catalogue.at[3]);
    CHECK(setting.catalogue.at[6] - setting.catalogue.at[5] >= WR_S(2));
    CHECK(setting.catalogue.at[8] - setting.catalogue.at[7] >= WR_S(4));
    CHECK_EQ(JOBS, drainer_stat(setting.drainer).nothing);
    wr_gather_unref(gather);
    end(&setting);
}

TEST(forty_questions_take_forty_intervals)
{
    enum { JOBS = 40 };
    static struct setting setting = { .catalogue = { .body = NONE, .delay = WR_MS(400) } };
    static char titles[JOBS][20];
    begin(&setting, &source_dblp);
    struct wr_gather *gather = gather_of(JOBS, false);
    wr_time begun = wr_now();
    for (uint32_t i = 0; i < JOBS; i++) {
        snprintf(titles[i], sizeof(titles[i]), "Title number %u", i);
        send(&setting, gather, i, BY_TITLE(titles[i]), WR_S(1000));
    }
    CHECK_OK(wr_gather_wait(gather, WR_NEVER));
    CHECK(wr_now() - begun <= JOBS * WR_S(11) / 10 + WR_S(2));
    CHECK_EQ(JOBS, setting.catalogue.asked);
    wr_gather_unref(gather);
    end(&setting);
}

TEST(a_slow_source_is_asked_for_several_at_once_if_it_allows)
{
    enum { JOBS = 10 };
    static struct setting slow = { .catalogue = { .body = "{\"numFound\":0,\"docs\":[]}",
                                                  .delay = WR_S(3) } },
                          single = { .catalogue = { .body = NONE, .delay = WR_S(3) } };
    static char titles[JOBS][20];
    struct setting *const settings[] = { &slow, &single };
    for (int k = 0; k < 2; k++) {
        begin(settings[k], k ? &source_dblp : &source_open_library);
        struct wr_gather *gather = gather_of(JOBS, false);
        for (uint32_t i = 0; i < JOBS; i++) {
            snprintf(titles[i], sizeof(titles[i]), "Title number %u", i);
            send(settings[k], gather, i, BY_TITLE(titles[i]), WR_S(1000));
        }
        CHECK_OK(wr_gather_wait(gather, WR_NEVER));
        CHECK_EQ(k ? 1 : 2, settings[k]->catalogue.most_at_once);
        wr_gather_unref(gather);
        end(settings[k]);
    }
}

TEST(who_says_where_to_write_to_may_ask_crossref_more_at_once)
{
    enum { JOBS = 10 };
    static struct setting setting = {
        .catalogue = { .body = "{\"message\":{\"total-results\":0,\"items\":[]}}",
                       .delay = WR_S(3) },
        .conf.mailto = "me@a.example" };
    static char titles[JOBS][20];
    begin(&setting, &source_crossref);
    struct wr_gather *gather = gather_of(JOBS, false);
    for (uint32_t i = 0; i < JOBS; i++) {
        snprintf(titles[i], sizeof(titles[i]), "Title number %u", i);
        send(&setting, gather, i, BY_TITLE(titles[i]), WR_S(1000));
    }
    CHECK_OK(wr_gather_wait(gather, WR_NEVER));
    CHECK_EQ(3, setting.catalogue.most_at_once);
    CHECK(setting.catalogue.at[1] - setting.catalogue.at[0] < WR_MS(400));
    wr_gather_unref(gather);
    end(&setting);
}

TEST(a_settled_question_is_skipped_and_costs_no_turn)
{
    static struct setting setting = { .catalogue.body = HIT("Quiet Rivers") };
    begin(&setting, &source_dblp);
    struct wr_gather *gather = gather_of(3, true);
    send(&setting, gather, 0, BY_TITLE("Quiet rivers"), WR_S(120));
    send(&setting, gather, 1, BY_TITLE("Quiet rivers, once more"), WR_S(120));
    send(&setting, gather, 2, BY_TITLE("Quiet rivers, thrice"), WR_S(120));
    CHECK_OK(wr_gather_wait(gather, WR_NEVER));
    CHECK_OK(result(gather, 0));
    CHECK_ERR(WR_CANCELED, result(gather, 1));
    CHECK_ERR(WR_CANCELED, result(gather, 2));
    CHECK_EQ(1, setting.catalogue.asked);
    CHECK_EQ(2, drainer_stat(setting.drainer).skipped);
    CHECK(metric_value("source_questions_total{source=\"dblp\",outcome=\"skipped\"}") >= 2);
    CHECK(metric_value("source_questions_total{source=\"dblp\",outcome=\"found\"}") >= 1);
    wr_gather_unref(gather);
    end(&setting);
}

TEST(defect_4_where_an_identifier_leads_is_asked_though_the_work_was_found)
{
    static struct setting setting = { .catalogue.body = ITEM };
    begin(&setting, &source_crossref);
    struct wr_gather *gather = gather_of(2, true);
    wr_gather_report(gather, 0, WR_OK, &(struct drainer_answer){ 0 });
    CHECK(wr_gather_settled(gather));
    send(&setting, gather, 1, BY_DOI("10.1000/x"), WR_S(120));
    CHECK_OK(wr_gather_wait(gather, WR_NEVER));
    CHECK_OK(result(gather, 1));
    CHECK_EQ(1, setting.catalogue.asked);
    wr_gather_unref(gather);
    end(&setting);
}

static bool nobody_waits(const void *about)
{
    (void)about;
    return true;
}

TEST(what_nobody_waits_for_is_not_asked)
{
    static struct setting setting = { .catalogue.body = NONE };
    begin(&setting, &source_dblp);
    struct wr_gather *gather = gather_of(1, false);
    CHECK_OK(drainer_ask(setting.drainer, &(struct drainer_job){
        .question = BY_TITLE("x"), .gather = wr_gather_ref(gather),
        .unwanted = nobody_waits, .deadline = WR_NEVER }, WR_NEVER));
    CHECK_OK(wr_gather_wait(gather, WR_NEVER));
    CHECK_ERR(WR_CANCELED, result(gather, 0));
    CHECK_EQ(0, setting.catalogue.asked);
    wr_gather_unref(gather);
    end(&setting);
}

TEST(a_full_queue_makes_wait_until_the_deadline)
{
    static struct setting setting = { .catalogue = { .body = NONE, .delay = WR_S(9) } };
    begin(&setting, &source_dblp);
    struct wr_gather *gather = gather_of(1, false);
    static struct wr_gather *gathers[DRAINER_QUEUE + 1];
    for (int i = 0; i <= DRAINER_QUEUE; i++) {
        gathers[i] = gather_of(1, false);
        send(&setting, gathers[i], 0, BY_TITLE("x"), WR_S(120));
        if (i == 0)
            settle();
    }
    CHECK_EQ(DRAINER_QUEUE, drainer_stat(setting.drainer).queued);
    wr_time begun = wr_now();
    struct drainer_job job = { .question = BY_TITLE("x"), .gather = gather };
    CHECK_ERR(WR_TIMEOUT, drainer_ask(setting.drainer, &job, wr_after(WR_S(2))));
    CHECK_EQ(WR_S(2), wr_now() - begun);
    end(&setting);
    for (int i = 0; i <= DRAINER_QUEUE; i++) {
        CHECK_ERR(WR_CANCELED, result(gathers[i], 0));
        wr_gather_unref(gathers[i]);
    }
    wr_gather_unref(gather);
}

static bool breaks_down(const void *about)
{
    wr_panic("the test breaks down over %s", (const char *)about);
}

struct running { struct drainer *drainer; struct wr_once *drain; };

static wr_err run(void *arg)
{
    const struct running *running = arg;
    return drainer_run(running->drainer, running->drain);
}

TEST(who_breaks_down_over_a_question_has_answered_it_and_the_queue_goes_on)
{
    static struct catalogue catalogue = { .body = NONE };
    catalogue_open(&catalogue);
    struct drainer *drainer;
    struct wr_fetch_client *client = catalogue_client();
    struct wr_gather *gather = gather_of(2, false);
    struct wr_scope *scope;
    struct running running = { 0 };
    CHECK_OK(wr_once_new(&running.drain, "test.drain", 0));
    REQUIRE_OK(drainer_new(&drainer, &(struct drainer_conf){
        .driver = &source_dblp, .base = catalogue.base, .client = client }));
    CHECK_OK(drainer_ask(drainer, &(struct drainer_job){
        .question = BY_TITLE("x"), .gather = wr_gather_ref(gather), .about = "it",
        .unwanted = breaks_down, .deadline = WR_NEVER }, WR_NEVER));
    CHECK_OK(drainer_ask(drainer, &(struct drainer_job){
        .question = BY_TITLE("y"), .gather = wr_gather_ref(gather), .slot = 1,
        .deadline = wr_after(WR_S(60)) }, WR_NEVER));
    running.drainer = drainer;
    for (int i = 0; i < 2; i++) {
        CHECK_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test.drainer",
                                                               .deadline = WR_NEVER }));
        CHECK_OK(wr_scope_go(scope, "test.drainer", run, &running));
        if (i == 0)
            CHECK_ERR(WR_PANIC, wr_scope_join(scope, wr_after(WR_S(1))));
        else
            CHECK_OK(wr_gather_wait(gather, wr_after(WR_S(60))));
        (void)!wr_scope_close(scope);
    }
    CHECK_ERR(WR_PANIC, result(gather, 0));
    CHECK_ERR(WR_NOTFOUND, result(gather, 1));
    CHECK_EQ(0, drainer_stat(drainer).asking);
    wr_gather_unref(gather);
    drainer_free(drainer);
    wr_once_free(running.drain);
    wr_fetch_client_close(client, WR_NOW);
    catalogue_close(&catalogue);
}

TEST(a_close_ends_what_is_under_way_and_reports_all)
{
    static struct setting setting = { .catalogue = { .body = NONE, .delay = WR_S(9) } };
    begin(&setting, &source_dblp);
    struct wr_gather *gather = gather_of(3, false);
    for (uint32_t i = 0; i < 3; i++)
        send(&setting, gather, i, BY_TITLE("x"), WR_S(120));
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    CHECK_EQ(1, setting.catalogue.asked);
    wr_time begun = wr_now();
    drainer_close(setting.drainer);
    setting.drainer = NULL;
    CHECK_EQ(begun, wr_now());
    CHECK_OK(wr_gather_wait(gather, WR_NOW));
    for (uint32_t i = 0; i < 3; i++)
        CHECK_ERR(WR_CANCELED, result(gather, i));
    wr_gather_unref(gather);
    end(&setting);
}

TEST(a_job_whose_deadline_passes_in_the_queue_is_not_asked)
{
    static struct setting setting = { .catalogue = { .body = NONE, .delay = WR_S(5) } };
    begin(&setting, &source_dblp);
    struct wr_gather *gather = gather_of(2, false);
    send(&setting, gather, 0, BY_TITLE("one"), WR_S(120));
    send(&setting, gather, 1, BY_TITLE("other"), WR_S(3));
    CHECK_OK(wr_gather_wait(gather, WR_NEVER));
    CHECK_ERR(WR_NOTFOUND, result(gather, 0));
    CHECK_ERR(WR_TIMEOUT, result(gather, 1));
    CHECK_EQ(1, setting.catalogue.asked);
    wr_gather_unref(gather);
    end(&setting);
}

TEST(failures_are_told_and_never_nothing)
{
    static struct setting setting = {
        .catalogue = { .scripted = 3,
                       .script = { { .status = 500 }, { .body = "<html>" }, { .status = 429 } },
                       .body = "{}" } };
    begin(&setting, &source_dblp);
    CHECK_ERR(WR_IO, ask_one(&setting, BY_TITLE("one")));
    CHECK_STR("DBLP: answered with HTTP 500", drainer_stat(setting.drainer).last_why);
    CHECK_ERR(WR_IO, ask_one(&setting, BY_TITLE("two")));
    CHECK_STR("DBLP: sent a page where JSON was to be",
              drainer_stat(setting.drainer).last_why);
    CHECK_ERR(WR_IO, ask_one(&setting, BY_TITLE("three")));
    CHECK_EQ(3, drainer_stat(setting.drainer).failed);
    CHECK_ERR(WR_IO, drainer_stat(setting.drainer).last_err);
    end(&setting);
}

TEST(records_that_nobody_asked_for_are_nothing)
{
    static struct setting setting = { .catalogue.body = HIT("Deep Learning for Dam Repair") };
    begin(&setting, &source_dblp);
    CHECK_ERR(WR_NOTFOUND, ask_one(&setting, BY_TITLE("Quiet Rivers of the North")));
    CHECK_OK(ask_one(&setting, BY_TITLE("Deep learning for dams: repair")));
    CHECK_OK(ask_one(&setting, BY_TITLE("Deep Learning")));
    end(&setting);
}

/* ---- remembering ---- */

static struct wr_cache *cache_of(void)
{
    struct wr_cache *cache = NULL;
    CHECK_OK(wr_cache_new(&cache, &(struct wr_cache_conf){
        .name = "test.cache", .ttl = DRAINER_TTL, .ttl_nothing = DRAINER_TTL_NOTHING }));
    return cache;
}

TEST(an_answer_is_remembered_for_seven_days_and_nothing_for_one)
{
    static struct setting setting = {
        .catalogue = { .scripted = 2, .body = NONE,
                       .script = { { .body = HIT("Quiet Rivers") }, { .body = NONE } } } };
    struct source_question found = BY_TITLE("Quiet rivers!"), nothing = BY_TITLE("Loud rivers");
    struct wr_bytes *bytes;
    setting.conf.cache = cache_of();
    begin(&setting, &source_dblp);
    CHECK_ERR(WR_OPENCIRCUIT, drainer_recall(setting.drainer, &found, &bytes, WR_NEVER));
    wr_time begun = wr_now();
    CHECK_OK(ask_one(&setting, found));
    CHECK_OK(ask_one(&setting, BY_TITLE("QUIET RIVERS")));
    CHECK_ERR(WR_NOTFOUND, ask_one(&setting, nothing));
    CHECK_ERR(WR_NOTFOUND, ask_one(&setting, nothing));
    CHECK_EQ(2, setting.catalogue.asked);
    CHECK_EQ(2, drainer_stat(setting.drainer).remembered);
    CHECK_OK(drainer_recall(setting.drainer, &found, &bytes, WR_NEVER));
    wr_bytes_unref(bytes);
    CHECK_ERR(WR_NOTFOUND, drainer_recall(setting.drainer, &nothing, &bytes, WR_NEVER));
    CHECK_OK(wr_sleep(begun + DRAINER_TTL_NOTHING + WR_S(5)));
    CHECK_ERR(WR_OPENCIRCUIT, drainer_recall(setting.drainer, &nothing, &bytes, WR_NEVER));
    CHECK_OK(wr_sleep(begun + DRAINER_TTL - WR_S(5)));
    CHECK_OK(drainer_recall(setting.drainer, &found, &bytes, WR_NEVER));
    wr_bytes_unref(bytes);
    CHECK_OK(wr_sleep(begun + DRAINER_TTL + WR_S(5)));
    CHECK_ERR(WR_OPENCIRCUIT, drainer_recall(setting.drainer, &found, &bytes, WR_NEVER));
    end(&setting);
    wr_cache_free(setting.conf.cache);
}

TEST(an_error_is_not_remembered)
{
    static struct setting setting = {
        .catalogue = { .scripted = 1, .script = { { .status = 500 } },
                       .body = HIT("Quiet Rivers") } };
    setting.conf.cache = cache_of();
    begin(&setting, &source_dblp);
    CHECK_ERR(WR_IO, ask_one(&setting, BY_TITLE("Quiet rivers")));
    CHECK_OK(ask_one(&setting, BY_TITLE("Quiet rivers")));
    end(&setting);
    wr_cache_free(setting.conf.cache);
}

TEST(defect_13_two_dois_under_one_title_are_two_questions)
{
    static struct setting setting = {
        .catalogue = { .scripted = 1, .script = { { .status = 404 } }, .body = ITEM } };
    struct source_question one = BY_DOI("10.1000/one"), other = BY_DOI("10.1000/other");
    one.title = other.title = "Quiet Rivers";
    setting.conf.cache = cache_of();
    begin(&setting, &source_crossref);
    CHECK_ERR(WR_NOTFOUND, ask_one(&setting, one));
    CHECK_OK(ask_one(&setting, other));
    CHECK_ERR(WR_NOTFOUND, ask_one(&setting, one));
    CHECK_OK(ask_one(&setting, other));
    CHECK_EQ(2, setting.catalogue.asked);
    end(&setting);
    wr_cache_free(setting.conf.cache);
}

/* ---- breaker ---- */

TEST(a_source_that_keeps_failing_is_left_alone)
{
    static struct setting setting;
    struct wr_breakers *breakers = NULL;
    struct wr_scope *scope = scope_open();
    int i = 0;
    CHECK_OK(wr_breakers_new(&breakers, &(struct wr_breakers_conf){ .name = "test",
                                                                    .targets = 1 }));
    CHECK_OK(wr_scope_go(scope, "test.janitor", wr_breakers_run, breakers));
    setting.conf.breakers = breakers;
    begin(&setting, &source_dblp);
    wr_err err = WR_IO;
    for (; i < 20 && err == WR_IO; i++)
        err = ask_one(&setting, BY_TITLE("x"));
    CHECK_ERR(WR_OPENCIRCUIT, err);
    CHECK(setting.catalogue.asked < 10);
    end(&setting);
    (void)!wr_scope_close(scope);
    wr_breakers_free(breakers);
}
