/* status_test.c - what clients are told of a task. */
#include "svc/queue/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <weir/task.h>

#include "base/json.h"
#include "store/auth.h"
#include "store/domain_rule.h"
#include "testing/store_rig.h"

#define TASK "task_1"
#define BEGAN 1700000000LL              /* when views here were read, in seconds */

/* ---- from a view ---- */

static struct queue_view *view;
static char told[1 << 16];

static void view_begin(enum store_task_status status)
{
    free(view);
    view = calloc(1, sizeof(*view) + 20);
    REQUIRE(view);
    atomic_init(&view->refs, 1);
    view->status = status;
    view->pages_max = 200;
    view->seconds_max = 3600;
    view->created_at = view->read_at = (struct wr_wall){ WR_S(BEGAN) };
    snprintf(view->id, sizeof(view->id), TASK);
    memcpy(view->hypothesis, "wine is red", 12);
}

static void view_jobs(enum queue_kind_id kind, enum store_job_state state, uint64_t count)
{
    size_t at = 0;
    struct store_count *counts = view->counts.counts;
    while (at < view->counts.count && strcmp(counts[at].kind, queue_kinds[kind].name) != 0)
        at++;
    if (at == view->counts.count) {
        view->counts.count++;
        snprintf(counts[at].kind, sizeof(counts[at].kind), "%s", queue_kinds[kind].name);
    }
    counts[at].jobs[state] = count;
}

/* So long after it was read. */
static const char *tell(wr_time later, bool full)
{
    struct wr_text text = WR_TEXT(told);
    queue_status_write(&text, &(struct queue_status){
        .view = view, .change = "7", .full = full, .now = { WR_S(BEGAN) + later } });
    CHECK_EQ(0, text.cut);
    json_t *json = json_loads(told, 0, NULL);
    CHECK(json);
    json_decref(json);
    return told;
}

static bool tells(const char *what)
{
    if (strstr(told, what))
        return true;
    printf("# %s\n", told);
    return false;
}

TEST(a_task_that_was_just_made_is_all_zeros)
{
    view_begin(STORE_TASK_CREATED);
    CHECK_STR("{\"ok\":true,\"task_id\":\"task_1\",\"status\":\"created\","
              "\"hypothesis\":\"wine is red\",\"change\":\"7\",\"progress\":{"
              "\"searches\":{\"satisfied\":0,\"running\":0,\"total\":0},"
              "\"queue\":{\"depth\":0,\"running\":0},\"jobs_by_phase\":{"
              "\"exploration\":{\"queued\":0,\"running\":0,\"completed\":0,\"failed\":0},"
              "\"citation\":{\"queued\":0,\"running\":0,\"completed\":0,\"failed\":0},"
              "\"verification\":{\"queued\":0,\"running\":0,\"completed\":0,\"failed\":0}},"
              "\"eta_seconds\":0},\"metrics\":{\"total_claims\":0,\"total_pages\":0,"
              "\"total_fragments\":0,\"elapsed_seconds\":0},\"budget\":{\"pages_used\":0,"
              "\"pages_limit\":200,\"remaining_percent\":100,\"time_used_seconds\":0,"
              "\"time_limit_seconds\":3600},\"milestones\":{\"target_queue_drained\":true,"
              "\"nli_verification_done\":true,\"citation_chase_ready\":true},\"waiting_for\":["
              "{\"kind\":\"target_queue\",\"status\":\"drained\",\"queued\":0,\"running\":0,"
              "\"completed\":0},{\"kind\":\"citation_graph\",\"status\":\"drained\","
              "\"queued\":0,\"running\":0,\"completed\":0},{\"kind\":\"verify_nli\","
              "\"status\":\"drained\",\"queued\":0,\"running\":0,\"completed\":0}],"
              "\"pending_auth_count\":0,\"errors\":[],\"error_count\":0,\"warnings\":[]}",
              tell(0, false));
}

TEST(what_was_never_queued_is_over_when_the_targets_are)
{
    view_begin(STORE_TASK_EXPLORING);
    view_jobs(QUEUE_TARGET, STORE_JOB_RUNNING, 1);
    struct queue_milestones reached = queue_status_milestones(view);
    CHECK(!reached.targets_drained && !reached.verified && !reached.citations_ready);
    tell(0, false);
    CHECK(tells("{\"kind\":\"verify_nli\",\"status\":\"not_enqueued\""));
    CHECK(tells("{\"kind\":\"target_queue\",\"status\":\"running\""));
    view_jobs(QUEUE_VERIFY, STORE_JOB_COMPLETED, 1);
    CHECK(queue_status_milestones(view).verified);      /* some has been */
    view_jobs(QUEUE_VERIFY, STORE_JOB_QUEUED, 1);
    CHECK(!queue_status_milestones(view).verified);
    tell(0, false);
    CHECK(tells("{\"kind\":\"verify_nli\",\"status\":\"queued\",\"queued\":1,"));
    view_jobs(QUEUE_TARGET, STORE_JOB_RUNNING, 0);
    view_jobs(QUEUE_TARGET, STORE_JOB_COMPLETED, 1);
    reached = queue_status_milestones(view);
    CHECK(reached.targets_drained && !reached.verified && reached.citations_ready);
    view_jobs(QUEUE_VERIFY, STORE_JOB_QUEUED, 0);
    CHECK(queue_status_milestones(view).verified);
    view_jobs(QUEUE_EMBED, STORE_JOB_RUNNING, 1);       /* it is followed by one more */
    CHECK(!queue_status_milestones(view).verified);
    tell(0, false);
    CHECK(tells("{\"kind\":\"verify_nli\",\"status\":\"not_enqueued\",\"queued\":0,"));
    view->auths = 2;
    CHECK(!queue_status_milestones(view).citations_ready);
    tell(0, false);
    CHECK(tells("{\"kind\":\"pending_auth\",\"status\":\"pending\",\"count\":2}"));
}

TEST(progress_counts_targets_and_says_how_long_the_rest_may_take)
{
    view_begin(STORE_TASK_EXPLORING);
    view->active_ms = 58000;
    view_jobs(QUEUE_TARGET, STORE_JOB_QUEUED, 5);
    view_jobs(QUEUE_TARGET, STORE_JOB_RUNNING, 1);
    view_jobs(QUEUE_TARGET, STORE_JOB_COMPLETED, 2);
    view_jobs(QUEUE_TARGET, STORE_JOB_FAILED, 1);
    tell(WR_S(2), false);
    CHECK(tells("\"searches\":{\"satisfied\":2,\"running\":1,\"total\":9},"
                "\"queue\":{\"depth\":5,\"running\":1}"));
    CHECK(tells("\"eta_seconds\":120}"));               /* 60 s for 3, 6 are left */
    CHECK(tells("\"elapsed_seconds\":60}"));
    view_jobs(QUEUE_TARGET, STORE_JOB_COMPLETED, 0);
    view_jobs(QUEUE_TARGET, STORE_JOB_FAILED, 0);
    tell(0, false);
    CHECK(tells("\"eta_seconds\":null}"));
}

TEST(a_paused_task_grows_no_older)
{
    view_begin(STORE_TASK_PAUSED);
    view->active_ms = 58000;
    snprintf(view->reason, sizeof(view->reason), "user_cancelled");
    tell(WR_S(100), false);
    CHECK(tells("\"elapsed_seconds\":58}"));
    CHECK(tells("\"status\":\"paused\",\"stop_reason\":\"user_cancelled\""));
}

TEST(who_has_used_up_his_budget_is_warned)
{
    view_begin(STORE_TASK_EXPLORING);
    view->pages_used = 133;
    tell(0, false);
    CHECK(tells("\"remaining_percent\":33,"));          /* rounded down */
    CHECK(tells("\"warnings\":[]"));
    view->pages_used = 200;
    view->active_ms = 3600000;
    tell(0, false);
    CHECK(tells("\"remaining_percent\":0,"));
    CHECK(tells("\"warnings\":[\"the 200 pages of the budget are used up: no more are fetched "
                "until it is raised\",\"the 3600 s of the budget are used up: no "
                "more targets are taken until it is raised\"]"));
    view->pages_used = 300;
    view->pages_max = 0;
    tell(0, false);
    CHECK(tells("\"remaining_percent\":0,"));
}

TEST(a_task_that_does_nothing_for_five_minutes_is_warned)
{
    view_begin(STORE_TASK_EXPLORING);
    tell(WR_S(299), true);
    CHECK(tells("\"warnings\":[]") && tells("\"idle_seconds\":299"));
    tell(WR_S(300), true);
    CHECK(tells("nothing has happened for 300 s: queue more targets, or stop the task"));
    view_jobs(QUEUE_TARGET, STORE_JOB_QUEUED, 1);
    tell(WR_S(300), true);
    CHECK(tells("jobs are queued, for sites that have no turn yet, or no node does them"));
    view_jobs(QUEUE_TARGET, STORE_JOB_RUNNING, 1);
    tell(WR_S(300), true);
    CHECK(tells("\"warnings\":[]") && tells("\"idle_seconds\":0"));
    view_begin(STORE_TASK_EXPLORING);
    view_jobs(QUEUE_TARGET, STORE_JOB_COMPLETED, 1);
    view->counts.counts[0].finished_ms = BEGAN * 1000 + 1000;
    tell(WR_S(300), true);
    CHECK(tells("\"warnings\":[]") && tells("\"idle_seconds\":299"));
    view->status = STORE_TASK_PAUSED;
    tell(WR_S(9000), true);
    CHECK(tells("\"warnings\":[]"));
}

/* ---- jobs ---- */

TEST(an_error_has_a_code_and_a_sentence)
{
    struct queue_job_error error = queue_job_error("ALL_FETCHES_FAILED: 3 pages, 3 refusals");
    CHECK_STR("ALL_FETCHES_FAILED", error.code);
    CHECK_STR("3 pages, 3 refusals", error.message);
    error = queue_job_error("it broke: down");
    CHECK_STR("PIPELINE_ERROR", error.code);
    CHECK_STR("it broke: down", error.message);
    CHECK_STR("PIPELINE_ERROR", queue_job_error("").code);
    CHECK_STR("PIPELINE_ERROR", queue_job_error("AN:NO").code);
}

TEST(a_subject_is_cut_between_characters)
{
    char buf[8];
    CHECK_STR("abc", queue_job_subject("{\"target\":{\"query\":\"abc\"}}", buf, sizeof(buf)));
    CHECK_STR("http://", queue_job_subject("{\"target\":{\"url\":\"http://a\"}}", buf,
                                           sizeof(buf)));
    CHECK_STR("abcdef", queue_job_subject("{\"target\":{\"doi\":\"abcdef\xc3\xa4\"}}", buf,
                                          sizeof(buf)));
    CHECK_STR("abcde\xc3\xa4", queue_job_subject("{\"target\":{\"doi\":\"abcde\xc3\xa4z\"}}",
                                                 buf, sizeof(buf)));
    CHECK_STR("", queue_job_subject("no JSON", buf, sizeof(buf)));
    CHECK_STR("", queue_job_subject(NULL, buf, sizeof(buf)));
}

/* ---- from a store ---- */

static const char *const slots[] = { "network_client", NULL };

static void submit(struct store *store, const char *rows)
{
    struct store_submitted took;
    CHECK_OK(store_task_submit(store, TASK, rows, slots, &took, WR_NEVER));
    store_submitted_free(&took);
}

/* Claim the next one, and end it so; NULL: it waits for a person. */
static void end_next(struct store *store, const struct store_job_end *end)
{
    struct store_jobs jobs;
    REQUIRE_OK(store_job_claim(store, &(struct store_job_claim){
        .slot = "network_client", .max = 1, .lease = WR_S(30) }, &jobs, WR_NEVER));
    if (CHECK_EQ(1, jobs.count) && end)
        CHECK_OK(store_job_finish(store, jobs.jobs[0].id, jobs.jobs[0].attempt, end, WR_NEVER));
    else
        CHECK_OK(store_auth_park(store, jobs.jobs[0].id, jobs.jobs[0].attempt,
                                 "[[\"a1\",\"http://d/1\",\"d\",\"captcha\",\"high\"],"
                                 "[\"a2\",\"http://d/2\",\"d\",\"login\",\"low\"],"
                                 "[\"a3\",\"http://e/\",\"e\",\"captcha\",\"high\"],"
                                 "[\"a4\",\"http://d/3\",\"d\",\"captcha\",\"high\"]]",
                                 WR_S(1000), WR_NEVER));
    store_jobs_free(&jobs);
}

#define ROW_AT(priority, id, query) "[\"" id "\",\"target_queue\",\"network_client\"," \
    #priority ",null,{\"target\":{\"kind\":\"query\",\"query\":\"" query "\"}}]"
#define ROW(id, query) ROW_AT(50, id, query)

STORE_TEST(a_full_status_lists_jobs_with_their_errors_and_who_must_help)
{
    struct queue_status status;
    struct queue_view *seen;
    CHECK_OK(store_task_add(store, &(struct store_task_new){
        .id = TASK, .hypothesis = "h", .pages_max = 10, .seconds_max = 100 }, WR_NEVER));
    submit(store, "[" ROW("tq_1", "one") "," ROW("tq_2", "two") "," ROW("tq_3", "three") "]");
    end_next(store, &(struct store_job_end){ .state = STORE_JOB_COMPLETED,
        .output = "{\"ok\":true,\"status\":\"satisfied\",\"pages_fetched\":3,\"more\":[1]}" });
    end_next(store, &(struct store_job_end){ .state = STORE_JOB_FAILED,
                                             .error = "SERP_FAILED: nobody \"answers\"" });
    end_next(store, NULL);
    submit(store, "[" ROW_AT(10, "tq_4", "four") "]");
    REQUIRE_OK(queue_view_read(store, TASK, &seen, WR_NEVER));
    REQUIRE_OK(queue_status_read(&status, store, seen, true, WR_NEVER));
    struct wr_text text = WR_TEXT(told);
    queue_status_write(&text, &status);
    CHECK_EQ(0, text.cut);
    CHECK(tells("\"errors\":[{\"job_id\":\"tq_2\",\"kind\":\"target_queue\",\"target\":\"two\","
                "\"error_code\":\"SERP_FAILED\",\"message\":\"nobody \\\"answers\\\"\"}],"
                "\"error_count\":1"));
    CHECK(tells("\"searches_detail\":[{\"id\":\"tq_1\",\"query\":\"one\","
                "\"status\":\"satisfied\",\"pages_fetched\":3}]"));
    CHECK(tells("\"queue_items\":[{\"id\":\"tq_4\",\"kind\":\"target_queue\","
                "\"query\":\"four\",\"status\":\"queued\",\"priority\":10,"));
    CHECK(tells("{\"id\":\"tq_3\",\"kind\":\"target_queue\","
                "\"query\":\"three\",\"status\":\"awaiting_auth\",\"priority\":50,"
                "\"attempt\":1,\"created_at\":\""));
    const char *items = strstr(told, "\"queue_items\""), *last = items;
    static const char *const order[] = { "\"tq_4\"", "\"tq_1\"", "\"tq_2\"", "\"tq_3\"" };
    for (size_t i = 0; i < 4 && last; i++)      /* by priority, then as they were queued */
        CHECK((last = strstr(last, order[i])));
    CHECK(tells("\"id\":\"tq_4\",\"kind\":\"target_queue\",\"query\":\"four\","
                "\"status\":\"queued\""));
    CHECK(tells("\"status\":\"failed\"") && tells("\"error\":{\"error_code\":\"SERP_FAILED"));
    CHECK(tells("\"pending_auth_detail\":{\"awaiting_auth_jobs\":1,\"pending_captchas\":4,"
                "\"domains\":[{\"domain\":\"d\",\"auth_types\":[\"captcha\",\"login\"],"
                "\"count\":3},{\"domain\":\"e\",\"auth_types\":[\"captcha\"],\"count\":1}]}"));
    CHECK(tells("\"jobs_by_kind\":{\"target_queue\":{\"queued\":1,\"running\":0,"
                "\"awaiting_auth\":1,\"completed\":1,\"failed\":1,\"cancelled\":0}}"));
    queue_status_free(&status);
    queue_view_unref(seen);
}

STORE_TEST(a_full_status_has_what_was_said_of_domains_and_how_searches_went)
{
    struct queue_status status;
    struct queue_view *seen;
    CHECK_OK(store_task_add(store, &(struct store_task_new){
        .id = TASK, .hypothesis = "h", .pages_max = 10, .seconds_max = 100 }, WR_NEVER));
    CHECK_OK(store_domain_rule_set(store, "r1", "bad.example", STORE_DOMAIN_BLOCK, "lies",
                                   WR_NEVER));
    CHECK_OK(store_domain_rule_set(store, "r2", "good.example", STORE_DOMAIN_UNBLOCK, "no",
                                   WR_NEVER));
    submit(store, "[" ROW("tq_1", "one") "]");
    end_next(store, &(struct store_job_end){ .state = STORE_JOB_COMPLETED,
        .output = "{\"useful_fragments\":2,\"harvest_rate\":0.5,\"satisfaction_score\":0.25,"
                  "\"has_primary_source\":false}" });
    REQUIRE_OK(queue_view_read(store, TASK, &seen, WR_NEVER));
    REQUIRE_OK(queue_status_read(&status, store, seen, true, WR_NEVER));
    struct wr_text text = WR_TEXT(told);
    queue_status_write(&text, &status);
    CHECK(tells("\"blocked_domains\":[\"bad.example\"],\"domain_overrides\":[{"
                "\"domain_pattern\":\"bad.example\",\"decision\":\"block\",\"reason\":"
                "\"lies\"},{\"domain_pattern\":\"good.example\",\"decision\":\"unblock\","));
    CHECK(tells("\"top_domains\":[]"));
    CHECK(tells("\"useful_fragments\":2,\"harvest_rate\":0.5,\"satisfaction_score\":0.25,"
                "\"has_primary_source\":false"));
    queue_status_free(&status);
    queue_view_unref(seen);
}

STORE_TEST(a_summary_has_the_errors_and_no_lists)
{
    struct queue_status status;
    struct queue_view *seen;
    CHECK_OK(store_task_add(store, &(struct store_task_new){
        .id = TASK, .hypothesis = "h", .pages_max = 10, .seconds_max = 100 }, WR_NEVER));
    submit(store, "[" ROW("tq_1", "one") "," ROW("tq_2", "two") "]");
    end_next(store, &(struct store_job_end){ .state = STORE_JOB_FAILED, .error = "X: y" });
    REQUIRE_OK(queue_view_read(store, TASK, &seen, WR_NEVER));
    REQUIRE_OK(queue_status_read(&status, store, seen, false, WR_NEVER));
    CHECK(!status.open && !status.completed && !status.canceled && !status.auths);
    struct wr_text text = WR_TEXT(told);
    queue_status_write(&text, &status);
    CHECK(tells("\"error_code\":\"X\",\"message\":\"y\""));
    CHECK(!strstr(told, "queue_items"));
    queue_status_free(&status);
    queue_view_unref(seen);
}

STORE_TEST(one_job_is_shown_whole)
{
    struct store_jobs jobs;
    CHECK_OK(store_task_add(store, &(struct store_task_new){
        .id = TASK, .hypothesis = "h", .pages_max = 10, .seconds_max = 100 }, WR_NEVER));
    submit(store, "[" ROW("tq_1", "one") "]");
    end_next(store, &(struct store_job_end){ .state = STORE_JOB_COMPLETED,
                                             .output = "{\"ok\":true}" });
    REQUIRE_OK(store_job_get(store, "tq_1", &jobs, WR_NEVER));
    struct wr_text text = WR_TEXT(told);
    struct wr_json json = wr_json_to(&text);
    queue_job_write(&json, &jobs.jobs[0], true);
    CHECK(tells("{\"id\":\"tq_1\",\"task_id\":\"task_1\",\"kind\":\"target_queue\","));
    CHECK(tells("\"input\":{\"target\":{\"kind\":\"query\",\"query\":\"one\"}},"
                "\"output\":{\"ok\":true}}"));
    store_jobs_free(&jobs);
}
