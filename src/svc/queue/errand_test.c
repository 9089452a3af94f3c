/* errand_test.c - what a target asks for, and how it is told what came of it. */
#include "svc/queue/errand.h"

#include "store/task.h"
#include "svc/queue/queue_work_int.h"
#include "testing/store_rig.h"
#include "testing/stranger_rig.h"

#define SOON wr_after(WR_S(600))

static struct explorer explorer;
static struct stranger stranger;
static struct queue_work *work;
static struct errand errand;
static unsigned news;

static void hear(void *arg, const char *task)
{
    (void)arg;
    CHECK_STR("task_1", task);
    news++;
}

static const char tides[] =
    "<title>Tides</title><article><h1>Tides</h1><p>The tides of the sea are caused by the "
    "gravity of the moon, as Newton explained in 1687 to everybody.</p></article>";

static wr_err unreadable;                   /* why the list of domains cannot be read */

static wr_err read_list(void *arg, const char *host)
{
    (void)arg, (void)host;
    return unreadable;
}

/* A job with that input, of a task that may fetch three pages. */
static wr_err begin(struct store *store, const char *input)
{
    CHECK_OK(store_task_add(store, &(struct store_task_new){
        .id = "task_1", .hypothesis = "The moon causes the tides", .pages_max = 3,
        .seconds_max = 99 }, SOON));
    stranger = (struct stranger){ .pages = { { "/1", .body = tides }, { "/2", .body = tides },
        { "/empty", .body = "<p>" }, { "/gone", .status = 404 },
        { "/gate", .status = 403, .body = "<div class=\"h-captcha\" data-sitekey=x>" },
        { "/slow", .body = tides, .delay = WR_S(100) } } };
    stranger_open(&stranger);
    explorer = (struct explorer){ .store = store };
    unreadable = WR_OK;
    CHECK_OK(crawl_open(&explorer.crawl, &(struct crawl_conf){
        .fetch = STRANGER_FETCH, .timeout = WR_S(110), .listed = read_list }));
    CHECK_OK(work_new(&work, store, &(struct store_job){
        .id = "tq_1", .task = "task_1", .kind = "target_queue", .input = input }));
    work->news = hear;
    news = 0;
    return errand_begin(&errand, &explorer, work);
}

#define TARGET "{\"target\":{\"kind\":\"url\",\"url\":\"u\",\"depth\":2},\"options\":{" \
    "\"depth\":7,\"budget_pages\":5,\"academic_apis\":[\"openalex\",3]}}"

static wr_err visit(const char *path)
{
    return errand_visit(&errand, stranger_url(&stranger, "a.test", path), "manual", 0);
}

/* The end, with this output; or this error. */
static void end(wr_err with, const char *says)
{
    wr_err err = errand_end(&errand, with);
    const char *text = err ? work->error : work->output.at;
    if (!text || !strstr(text, says))
        CHECK_STR(says, text);
    work_unref(work);
    crawl_close(explorer.crawl);
    stranger_close(&stranger);
}

LOCAL_TEST(nothing_is_looked_at_when_the_time_of_the_task_is_used_up)
{
    CHECK_OK(begin(store, TARGET));
    json_decref(errand.input);
    free(errand.hypothesis);
    CHECK_OK(store_task_allow(store, "task_1", -1, 0, SOON));
    CHECK_ERR(WR_BUSY, errand_begin(&errand, &explorer, work));
    end(WR_BUSY, "BUDGET_EXHAUSTED: the 0 seconds of the task are used up");
}

LOCAL_TEST(a_target_goes_before_the_options_of_its_call)
{
    CHECK_OK(begin(store, TARGET));
    CHECK_STR("The moon causes the tides", errand.hypothesis);
    CHECK_STR("u", errand_text(&errand, "url"));
    CHECK(!errand_text(&errand, "doi"));
    CHECK(!errand_text(&errand, "depth"));
    CHECK_EQ(2, errand_number(&errand, "depth", 0));
    CHECK_EQ(5, errand_number(&errand, "budget_pages", 0));
    CHECK_EQ(9, errand_number(&errand, "none", 9));
    CHECK(errand_wants(&errand, "academic_apis", "openalex"));
    CHECK(!errand_wants(&errand, "academic_apis", "semantic_scholar"));
    CHECK(errand_wants(&errand, "serp_engines", "mojeek"));
    end(WR_OK, "\"status\":\"completed\"");
}

LOCAL_TEST(what_is_no_input_is_told)
{
    CHECK_ERR(WR_INVALID, begin(store, "{\"target\":\"x\"}"));
    end(WR_INVALID, "INVALID_PARAMS: the job has no target that can be read");
}

LOCAL_TEST(an_errand_of_no_task_does_not_begin)
{
    CHECK_OK(begin(store, TARGET));
    CHECK_ERR(WR_CANCELED, errand_end(&errand, WR_CANCELED));
    snprintf(work->task, sizeof(work->task), "task_none");
    CHECK_ERR(WR_NOTFOUND, errand_begin(&errand, &explorer, work));
    CHECK_ERR(WR_NOTFOUND, errand_end(&errand, WR_NOTFOUND));
    work_unref(work);
    crawl_close(explorer.crawl);
    stranger_close(&stranger);
}

LOCAL_TEST(a_store_that_is_away_or_busy_is_no_trouble_with_a_page)
{
    CHECK_OK(begin(store, TARGET));
    unreadable = WR_TIMEOUT;
    CHECK_ERR(WR_IO, visit("/1"));
    unreadable = WR_IO;
    CHECK_ERR(WR_IO, visit("/1"));
    unreadable = WR_OK;
    CHECK_OK(visit("/1"));
    CHECK_EQ(0, errand.error_count);
    end(WR_OK, "\"status\":\"completed\"");
}

LOCAL_TEST(pages_are_counted_and_told_of_as_they_come)
{
    CHECK_OK(begin(store, TARGET));
    CHECK_OK(visit("/1"));
    CHECK_EQ(1, news);
    CHECK_EQ(1, errand.pages);
    CHECK(errand.page[0]);
    end(WR_OK, "\"status\":\"completed\",\"page_id\":\"page_");
}

LOCAL_TEST(what_follows_a_good_end_is_verification)
{
    CHECK_OK(begin(store, TARGET));
    CHECK_OK(visit("/1"));
    CHECK_OK(errand_end(&errand, WR_OK));
    CHECK(strstr(work_next(work), "verify_nli"));
    work_unref(work);
    crawl_close(explorer.crawl);
    stranger_close(&stranger);
}

LOCAL_TEST(a_page_that_cannot_be_had_is_listed_beside_one_that_can)
{
    CHECK_OK(begin(store, TARGET));
    CHECK_OK(visit("/gone"));
    CHECK_OK(visit("/1"));
    CHECK_EQ(2, news);
    end(WR_OK, "\"status\":\"partial\"");
}

LOCAL_TEST(with_nothing_got_it_has_failed_with_what_went_wrong_last)
{
    CHECK_OK(begin(store, TARGET));
    CHECK_OK(visit("/gone"));
    CHECK_OK(visit("/empty"));
    CHECK_STR("NO_TEXT", errand.last_code);
    end(WR_OK, "/empty: there is nothing to read on it");
}

LOCAL_TEST(who_waits_for_a_person_has_not_failed_and_nothing_follows_yet)
{
    CHECK_OK(begin(store, TARGET));
    CHECK_OK(visit("/gate"));
    CHECK_EQ(1, errand.awaited);
    CHECK_OK(errand_end(&errand, WR_OK));
    CHECK(strstr(work->output.at, "\"status\":\"awaiting_auth\""));
    CHECK(!work_next(work));
    CHECK(strstr(work_awaited(work), "\"hcaptcha\",\"high\""));
    work_unref(work);
    crawl_close(explorer.crawl);
    stranger_close(&stranger);
}

LOCAL_TEST(a_budget_that_is_used_up_ends_it_with_what_there_is)
{
    CHECK_OK(begin(store, TARGET));
    CHECK_OK(visit("/1"));
    CHECK_OK(store_task_allow(store, "task_1", 1, -1, SOON));
    CHECK_ERR(WR_BUSY, visit("/2"));
    CHECK(errand.spent);
    end(WR_BUSY, "\"status\":\"budget_exhausted\"");
}

LOCAL_TEST(a_page_counts_when_somebody_is_asked_for_it)
{
    struct store_tasks tasks;
    CHECK_OK(begin(store, TARGET));
    CHECK_OK(visit("/1"));
    CHECK_OK(visit("/1"));                      /* the task has it */
    CHECK_OK(errand_visit(&errand, "http://10.1.2.3/", "manual", 0));
    CHECK_OK(errand_visit(&errand, "nonsense", "manual", 0));
    CHECK_OK(visit("/2"));
    CHECK_OK(visit("/gone"));
    CHECK_OK(store_task_get(store, "task_1", &tasks, SOON));
    CHECK_EQ(3, tasks.tasks[0].pages_used);
    store_tasks_free(&tasks);
    CHECK_ERR(WR_BUSY, visit("/empty"));
    end(WR_BUSY, "\"status\":\"budget_exhausted\"");
}

LOCAL_TEST(a_budget_that_was_used_up_before_is_its_failure)
{
    CHECK_OK(begin(store, TARGET));
    CHECK_OK(store_task_allow(store, "task_1", 0, -1, SOON));
    CHECK_ERR(WR_BUSY, visit("/1"));
    end(WR_BUSY, "BUDGET_EXHAUSTED: the pages of the task are used up");
}

LOCAL_TEST(a_page_has_its_own_time_and_the_errand_one_for_all)
{
    CHECK_OK(begin(store, TARGET));
    wr_time began = wr_now();
    CHECK_OK(visit("/slow"));
    CHECK_EQ(1, errand.pages);
    CHECK_OK(wr_sleep(began + ERRAND_WITHIN - WR_S(50)));
    CHECK_OK(visit("/slow?again"));             /* 404, at once */
    CHECK_OK(wr_sleep(began + ERRAND_WITHIN));
    CHECK_ERR(WR_TIMEOUT, visit("/1"));
    CHECK(errand.late);
    end(WR_TIMEOUT, "\"status\":\"timeout\"");
}

LOCAL_TEST(a_page_that_takes_longer_than_the_errand_has_is_listed_as_late)
{
    CHECK_OK(begin(store, TARGET));
    CHECK_OK(visit("/1"));
    CHECK_OK(wr_sleep(errand.until - WR_S(20)));
    CHECK_OK(visit("/slow"));
    CHECK_STR("TIMEOUT", errand.last_code);
    end(WR_OK, "\"status\":\"partial\"");
}

LOCAL_TEST(troubles_are_listed_up_to_a_bound_and_the_last_is_known)
{
    CHECK_OK(begin(store, TARGET));
    for (int i = 0; i < 2 * ERRAND_ERRORS_MAX; i++)
        errand_trouble(&errand, "me\"", "ODD", "number %d", i);
    errand.papers = 1;
    CHECK_EQ(2 * ERRAND_ERRORS_MAX, errand.error_count);
    CHECK_STR("number 99", errand.last_why);
    size_t count = 0;
    for (const char *at = errand.errors.at; (at = strstr(at, "{\"about\":\"me\\\"\"")); at++)
        count++;
    CHECK_EQ(ERRAND_ERRORS_MAX, count);
    end(WR_OK, "\"error\":\"number 49\"}]}");
}

LOCAL_TEST(who_has_failed_tells_all_that_went_wrong)
{
    CHECK_OK(begin(store, TARGET));
    errand_trouble(&errand, "openalex", "SOURCE_FAILED", "it is away");
    errand_note(&errand, "web", "NOT_CONFIGURED", "nobody is to be asked");
    errand_trouble(&errand, "bing", "SERP_SEARCH_FAILED", "it refuses");
    end(WR_OK, "SERP_SEARCH_FAILED: openalex: it is away; web: nobody is to be asked; bing: it "
               "refuses");
}

LOCAL_TEST(a_result_says_how_well_it_satisfies)
{
    CHECK_OK(begin(store, TARGET));
    CHECK_OK(visit("/1"));
    CHECK_OK(visit("/2"));                      /* of the same domain */
    errand.claims = 1;
    errand.fragments = 4;
    end(WR_OK, "\"useful_fragments\":1,\"harvest_rate\":0.5,"
               "\"satisfaction_score\":0.233,\"has_primary_source\":false,");
}

LOCAL_TEST(papers_are_primary_sources_and_enough_of_them_satisfy)
{
    CHECK_OK(begin(store, TARGET));
    errand.papers = 5;
    end(WR_OK, "\"satisfaction_score\":1,\"has_primary_source\":true,");
}

/* Turns fifty seconds apart. */
static void begin_slow(struct store *store, const char *input)
{
    CHECK_OK(begin(store, input));
    crawl_close(explorer.crawl);
    CHECK_OK(crawl_open(&explorer.crawl, &(struct crawl_conf){
        .fetch = STRANGER_FETCH, .domain = { .interval = WR_S(45), .jitter_min = WR_S(5),
                                             .jitter_max = WR_S(5) } }));
}

LOCAL_TEST(the_errand_of_one_page_is_put_off_until_it_has_a_turn)
{
    begin_slow(store, TARGET);
    CHECK_OK(visit("/1"));
    json_object_set_new((json_t *)(uintptr_t)errand.target, "url",
                        json_string(stranger_url(&stranger, "a.test", "/2")));
    CHECK_OK(visit("/2"));
    CHECK_EQ(WR_S(50), work->later);
    CHECK_OK(errand_end(&errand, WR_OK));
    CHECK_EQ(0, work->output.len);
    CHECK(!work_next(work));
    work_unref(work);
    crawl_close(explorer.crawl);
    stranger_close(&stranger);
}

LOCAL_TEST(a_page_among_others_that_has_no_turn_soon_becomes_a_target_of_its_own)
{
    struct store_jobs jobs;
    begin_slow(store, TARGET);
    CHECK_OK(store_job_add(store, &(struct store_job_new){
        .id = "tq_1", .task = "task_1", .kind = "target_queue", .slot = "network_client",
        .priority = 99 }, SOON));
    CHECK_OK(store_job_claim(store, &(struct store_job_claim){
        .slot = "network_client", .max = 1, .lease = WR_S(600) }, &jobs, SOON));
    work->attempt = jobs.jobs[0].attempt;
    work->priority = jobs.jobs[0].priority;
    store_jobs_free(&jobs);
    wr_time begun = wr_now();
    CHECK_OK(visit("/1"));
    CHECK_OK(visit("/2"));
    CHECK_OK(visit("/2"));
    CHECK_EQ(0, wr_now() - begun);
    CHECK_EQ(0, work->later);
    CHECK_OK(store_task_open_jobs(store, "task_1", 10, &jobs, SOON));
    CHECK_EQ(2, jobs.count);
    CHECK_EQ(99, jobs.jobs[1].priority);
    CHECK(strstr(jobs.jobs[1].input, "/2\",\"reason\":\"manual\",\"depth\":0,"
                                     "\"redirects\":0}}"));
    store_jobs_free(&jobs);
    end(WR_OK, "\"pages_fetched\":1,\"pages_queued\":2,");
}

LOCAL_TEST(what_was_canceled_says_nothing)
{
    CHECK_OK(begin(store, TARGET));
    CHECK_ERR(WR_CANCELED, errand_end(&errand, WR_CANCELED));
    CHECK_EQ(0, work->output.len);
    CHECK(!work_next(work));
    work_unref(work);
    crawl_close(explorer.crawl);
    stranger_close(&stranger);
}
