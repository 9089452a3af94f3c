#include "store/task.h"

#include <stdio.h>
#include <string.h>

#include <weir/scope.h>
#include <weir/task.h>

#include "store/auth.h"
#include "testing/settle.h"
#include "testing/store_rig.h"

#define SOON wr_after(WR_S(5))

static const char *const slots[] = { "net", NULL };

static void make(struct store *store, const char *id)
{
    CHECK_OK(store_task_add(store, &(struct store_task_new){
        .id = id, .hypothesis = "water is wet", .pages_max = 3, .seconds_max = 60 }, SOON));
}

/* Submit jobs of kind target_queue, whose ids are their keys; what was skipped. */
static const char *submit(struct store *store, const char *task, const char *jobs)
{
    static char skipped[100];
    struct store_submitted took;
    CHECK_OK(store_task_submit(store, task, jobs, slots, &took, SOON));
    snprintf(skipped, sizeof(skipped), "%s", took.skipped);
    store_submitted_free(&took);
    return skipped;
}

static const char one[] = "[[\"j1\",\"target_queue\",\"net\",50,\"k1\",{\"q\":\"a\"}]]";
static const char two[] = "[[\"j2\",\"target_queue\",\"net\",50,\"k1\",{}],"
                          "[\"j3\",\"target_queue\",\"net\",10,null,{}]]";

static enum store_task_status status_of(struct store *store, const char *id)
{
    struct store_tasks tasks;
    CHECK_OK(store_task_get(store, id, &tasks, SOON));
    enum store_task_status status = tasks.tasks[0].status;
    store_tasks_free(&tasks);
    return status;
}

static uint32_t claim(struct store *store, char *ret_id)
{
    struct store_jobs jobs;
    CHECK_OK(store_job_claim(store, &(struct store_job_claim){
        .slot = "net", .max = 1, .lease = WR_S(30) }, &jobs, SOON));
    uint32_t attempt = jobs.count ? jobs.jobs[0].attempt : 0;
    snprintf(ret_id, STORE_JOB_ID_MAX + 1, "%s", jobs.count ? jobs.jobs[0].id : "");
    store_jobs_free(&jobs);
    return attempt;
}

STORE_TEST(a_task_is_made_once_and_found_with_all_it_has)
{
    struct store_tasks tasks;
    make(store, "t1");
    CHECK_ERR(WR_EXISTS, store_task_add(store, &(struct store_task_new){
        .id = "t1", .hypothesis = "other" }, SOON));
    CHECK_OK(store_task_get(store, "t1", &tasks, SOON));
    CHECK_STR("water is wet", tasks.tasks[0].hypothesis);
    CHECK_EQ(STORE_TASK_CREATED, tasks.tasks[0].status);
    CHECK_EQ(3, tasks.tasks[0].pages_max);
    CHECK_EQ(0, tasks.tasks[0].pages_used);
    CHECK_EQ(60, tasks.tasks[0].seconds_max);
    CHECK(!tasks.tasks[0].reason);
    store_tasks_free(&tasks);
    CHECK_ERR(WR_NOTFOUND, store_task_get(store, "t2", &tasks, SOON));
    store_tasks_free(&tasks);
}

STORE_TEST(tasks_are_listed_from_the_newest_on)
{
    struct store_tasks tasks;
    make(store, "task_1");
    make(store, "task_2");
    make(store, "task_3");
    CHECK_OK(store_task_list(store, NULL, 2, &tasks, SOON));
    CHECK_EQ(2, tasks.count);
    CHECK_STR("task_3", tasks.tasks[0].id);
    store_tasks_free(&tasks);
    CHECK_OK(store_task_list(store, "task_2", 2, &tasks, SOON));
    CHECK_EQ(1, tasks.count);
    CHECK_STR("task_1", tasks.tasks[0].id);
    store_tasks_free(&tasks);
}

STORE_TEST(what_is_submitted_is_queued_with_all_it_carries_and_the_task_explores)
{
    struct store_jobs jobs;
    make(store, "t1");
    CHECK_STR("[]", submit(store, "t1", one));
    CHECK_EQ(STORE_TASK_EXPLORING, status_of(store, "t1"));
    CHECK_OK(store_job_get(store, "j1", &jobs, SOON));
    CHECK_STR("t1", jobs.jobs[0].task);
    CHECK_STR("target_queue", jobs.jobs[0].kind);
    CHECK_STR("net", jobs.jobs[0].slot);
    CHECK_EQ(50, jobs.jobs[0].priority);
    CHECK_STR("{\"q\":\"a\"}", jobs.jobs[0].input);
    CHECK_EQ(STORE_JOB_QUEUED, jobs.jobs[0].state);
    store_jobs_free(&jobs);
}

STORE_TEST(what_is_open_under_its_key_is_skipped_and_the_rest_is_queued)
{
    char id[STORE_JOB_ID_MAX + 1];
    make(store, "t1");
    CHECK_STR("[]", submit(store, "t1", one));
    CHECK_STR("[0]", submit(store, "t1", two));
    CHECK_EQ(1, claim(store, id));
    CHECK_STR("j3", id);                        /* 10 comes before 50 */
    CHECK_EQ(1, claim(store, id));
    CHECK_STR("j1", id);
    CHECK_EQ(0, claim(store, id));
}

STORE_TEST(two_of_one_key_in_one_call_are_one_job)
{
    make(store, "t1");
    CHECK_STR("[1]", submit(store, "t1", "[[\"a\",\"k\",\"net\",1,\"same\",null],"
                                         "[\"b\",\"k\",\"net\",1,\"same\",null]]"));
}

STORE_TEST(nothing_is_queued_for_a_task_that_is_not_there_or_by_what_is_no_json)
{
    char id[STORE_JOB_ID_MAX + 1];
    struct store_submitted took;
    CHECK_ERR(WR_NOTFOUND, store_task_submit(store, "t9", one, slots, &took, SOON));
    store_submitted_free(&took);
    make(store, "t1");
    CHECK_ERR(WR_INVALID, store_task_submit(store, "t1", "[[\"j1\",", slots, &took, SOON));
    store_submitted_free(&took);
    CHECK_EQ(0, claim(store, id));
    CHECK_EQ(STORE_TASK_CREATED, status_of(store, "t1"));
}

STORE_TEST(a_stop_pauses_and_more_targets_resume)
{
    struct store_counts counts;
    struct store_submitted took;
    struct store_tasks tasks;
    make(store, "t1");
    submit(store, "t1", one);
    pass(WR_S(7));
    CHECK_OK(store_task_stop(store, "t1", &(struct store_task_stop){
        .reason = "user_cancelled" }, &counts, SOON));
    pass(WR_S(100));
    CHECK_OK(store_task_get(store, "t1", &tasks, SOON));
    CHECK_EQ(STORE_TASK_PAUSED, tasks.tasks[0].status);
    CHECK_STR("user_cancelled", tasks.tasks[0].reason);
    CHECK_EQ(7000, tasks.tasks[0].active_ms);   /* paused time does not count */
    store_tasks_free(&tasks);
    CHECK_OK(store_task_submit(store, "t1", two, slots, &took, SOON));
    CHECK_EQ(STORE_TASK_PAUSED, took.was);
    CHECK_STR("[]", took.skipped);              /* who was canceled holds no key */
    store_submitted_free(&took);
    CHECK_EQ(STORE_TASK_EXPLORING, status_of(store, "t1"));
}

static int64_t active_ms(struct store *store)
{
    struct store_tasks tasks;
    CHECK_OK(store_task_get(store, "t1", &tasks, SOON));
    int64_t active = tasks.tasks[0].active_ms;
    store_tasks_free(&tasks);
    return active;
}

static void finish(struct store *store, const char *id)
{
    CHECK_OK(store_job_finish(store, id, 1, &(struct store_job_end){
        .state = STORE_JOB_COMPLETED, .output = "{}" }, SOON));
}

STORE_TEST(time_counts_while_something_is_open)
{
    struct store_counts counts;
    char id[STORE_JOB_ID_MAX + 1];
    make(store, "t1");
    submit(store, "t1", one);
    pass(WR_S(3));
    CHECK_EQ(1, claim(store, id));
    pass(WR_S(4));
    CHECK_EQ(7000, active_ms(store));
    finish(store, id);
    pass(WR_S(3600));
    CHECK_EQ(7000, active_ms(store));           /* and is not used up by that */
    submit(store, "t1", two);
    CHECK_EQ(7000, active_ms(store));
    pass(WR_S(2));
    CHECK_EQ(9000, active_ms(store));
    while (claim(store, id))
        finish(store, id);
    pass(WR_S(3600));
    CHECK_OK(store_task_stop(store, "t1", &(struct store_task_stop){ .reason = "r" }, &counts,
                             SOON));
    CHECK_EQ(9000, active_ms(store));
}

/* One running, two queued of one kind; one queued of another. */
static void fill(struct store *store)
{
    char id[STORE_JOB_ID_MAX + 1];
    make(store, "t1");
    make(store, "t2");
    submit(store, "t1", "[[\"r\",\"target_queue\",\"net\",1,null,{}],"
                        "[\"a\",\"target_queue\",\"net\",2,null,{}],"
                        "[\"b\",\"target_queue\",\"net\",3,null,{}],"
                        "[\"v\",\"verify_nli\",\"net\",45,null,{}]]");
    submit(store, "t2", "[[\"o\",\"target_queue\",\"net\",9,null,{}]]");
    CHECK_EQ(1, claim(store, id));
    CHECK_STR("r", id);
}

static const struct store_count *of(const struct store_counts *counts, const char *kind)
{
    static const struct store_count none;
    for (size_t i = 0; i < counts->count; i++)
        if (strcmp(counts->counts[i].kind, kind) == 0)
            return &counts->counts[i];
    return &none;
}

static enum store_job_state state_of(struct store *store, const char *id)
{
    struct store_jobs jobs;
    CHECK_OK(store_job_get(store, id, &jobs, SOON));
    enum store_job_state state = jobs.jobs[0].state;
    store_jobs_free(&jobs);
    return state;
}

/* "2:01": two rounds; of the last and the one before whether they were stopped. */
static const char *rounds(struct store *store)
{
    static char text[32];
    struct store_tasks tasks;
    CHECK_OK(store_task_get(store, "t1", &tasks, SOON));
    unsigned stopped = (unsigned)tasks.tasks[0].rounds_stopped;
    snprintf(text, sizeof(text), "%u:%u%u", (unsigned)tasks.tasks[0].rounds, stopped & 1,
             stopped >> 1 & 1);
    store_tasks_free(&tasks);
    return text;
}

STORE_TEST(a_round_begins_with_what_is_queued_when_nothing_is_open_or_it_was_stopped)
{
    char id[STORE_JOB_ID_MAX + 1];
    struct store_counts counts;
    const struct store_task_stop stop = { .reason = "user_cancelled" };
    make(store, "t1");
    CHECK_STR("0:00", rounds(store));
    submit(store, "t1", one);
    submit(store, "t1", "[[\"j4\",\"target_queue\",\"net\",50,null,{}]]");
    CHECK_STR("1:00", rounds(store));           /* the first was open */
    CHECK_EQ(1, claim(store, id));
    finish(store, id);
    CHECK_EQ(1, claim(store, id));
    finish(store, id);
    CHECK_OK(store_task_stop(store, "t1", &stop, &counts, SOON));
    CHECK_STR("1:00", rounds(store));           /* all of it was done */
    submit(store, "t1", two);
    CHECK_STR("2:00", rounds(store));
    CHECK_OK(store_task_stop(store, "t1", &stop, &counts, SOON));
    CHECK_STR("2:10", rounds(store));
    submit(store, "t1", "[[\"j5\",\"target_queue\",\"net\",50,null,{}]]");
    CHECK_STR("3:01", rounds(store));
}

STORE_TEST(a_stop_takes_what_is_in_its_scope_and_says_how_many_of_which)
{
    struct store_counts counts;
    fill(store);
    CHECK_OK(store_task_stop(store, "t1", &(struct store_task_stop){
        .kind = "target_queue", .reason = "session_completed" }, &counts, SOON));
    CHECK_EQ(1, counts.count);
    CHECK_EQ(2, of(&counts, "target_queue")->jobs[STORE_JOB_QUEUED]);
    CHECK_EQ(0, of(&counts, "target_queue")->jobs[STORE_JOB_RUNNING]);
    CHECK_EQ(STORE_JOB_RUNNING, state_of(store, "r"));
    CHECK_EQ(STORE_JOB_QUEUED, state_of(store, "v"));
    CHECK_EQ(STORE_JOB_QUEUED, state_of(store, "o"));
    CHECK_OK(store_task_stop(store, "t1", &(struct store_task_stop){
        .running = true, .reason = "session_completed" }, &counts, SOON));
    CHECK_EQ(1, of(&counts, "target_queue")->jobs[STORE_JOB_RUNNING]);
    CHECK_EQ(1, of(&counts, "verify_nli")->jobs[STORE_JOB_QUEUED]);
    CHECK_OK(store_task_stop(store, "t1", &(struct store_task_stop){
        .running = true, .reason = "session_completed" }, &counts, SOON));
    CHECK_EQ(0, counts.count);
}

STORE_TEST(a_late_finish_does_not_overwrite_canceled)
{
    struct store_counts counts;
    fill(store);
    CHECK_OK(store_task_stop(store, "t1", &(struct store_task_stop){
        .running = true, .reason = "session_completed" }, &counts, SOON));
    CHECK_ERR(WR_NOTFOUND, store_job_finish(store, "r", 1, &(struct store_job_end){
        .state = STORE_JOB_COMPLETED }, SOON));
    CHECK_EQ(STORE_JOB_CANCELED, state_of(store, "r"));
}

STORE_TEST(jobs_are_counted_by_kind_and_state_with_when_the_last_was_over)
{
    struct store_counts counts;
    fill(store);
    pass(WR_S(1));
    CHECK_OK(store_job_finish(store, "r", 1, &(struct store_job_end){
        .state = STORE_JOB_FAILED, .error = "PIPELINE_ERROR: no" }, SOON));
    int64_t when = rig_wall().ns / WR_MS(1);
    CHECK_OK(store_task_count(store, "t1", &counts, SOON));
    CHECK_EQ(2, counts.count);
    CHECK_EQ(2, of(&counts, "target_queue")->jobs[STORE_JOB_QUEUED]);
    CHECK_EQ(1, of(&counts, "target_queue")->jobs[STORE_JOB_FAILED]);
    CHECK_EQ(when, of(&counts, "target_queue")->finished_ms);
    CHECK_EQ(1, of(&counts, "verify_nli")->jobs[STORE_JOB_QUEUED]);
    CHECK_EQ(0, of(&counts, "verify_nli")->finished_ms);
}

STORE_TEST(open_jobs_of_all_tasks_are_counted_and_no_others)
{
    struct store_counts mine, all;
    fill(store);
    CHECK_OK(store_job_finish(store, "r", 1, &(struct store_job_end){
        .state = STORE_JOB_FAILED, .error = "PIPELINE_ERROR: no" }, SOON));
    CHECK_OK(store_task_count(store, "t1", &mine, SOON));
    CHECK_OK(store_job_add(store, &(struct store_job_new){
        .id = "else", .task = "elsewhere", .kind = "verify_nli", .slot = "cpu_nlp" }, SOON));
    CHECK_OK(store_task_depth(store, &all, SOON));
    CHECK_EQ(of(&mine, "verify_nli")->jobs[STORE_JOB_QUEUED] + 1,
             of(&all, "verify_nli")->jobs[STORE_JOB_QUEUED]);
    CHECK_EQ(0, of(&all, "target_queue")->jobs[STORE_JOB_FAILED]);
}

STORE_TEST(jobs_of_a_task_are_read_open_ones_in_order_and_finished_ones_the_last_first)
{
    struct store_jobs jobs;
    char id[STORE_JOB_ID_MAX + 1];
    fill(store);
    CHECK_OK(store_task_open_jobs(store, "t1", 2, &jobs, SOON));
    CHECK_EQ(2, jobs.count);
    CHECK_STR("r", jobs.jobs[0].id);
    CHECK_STR("a", jobs.jobs[1].id);
    store_jobs_free(&jobs);
    CHECK_OK(store_job_finish(store, "r", 1, &(struct store_job_end){
        .state = STORE_JOB_FAILED, .error = "first" }, SOON));
    CHECK_EQ(1, claim(store, id));
    pass(WR_S(1));
    CHECK_OK(store_job_finish(store, "a", 1, &(struct store_job_end){
        .state = STORE_JOB_FAILED, .error = "second" }, SOON));
    CHECK_OK(store_task_done_jobs(store, "t1", STORE_JOB_FAILED, 10, &jobs, SOON));
    CHECK_EQ(2, jobs.count);
    CHECK_STR("second", jobs.jobs[0].error);
    CHECK_STR("first", jobs.jobs[1].error);
    store_jobs_free(&jobs);
}

STORE_TEST(pages_are_counted_up_to_the_limit_and_more_can_be_allowed)
{
    make(store, "t1");
    for (int i = 0; i < 3; i++)
        CHECK_OK(store_task_spend(store, "t1", SOON));
    CHECK_ERR(WR_BUSY, store_task_spend(store, "t1", SOON));
    CHECK_ERR(WR_NOTFOUND, store_task_spend(store, "t9", SOON));
    CHECK_OK(store_task_allow(store, "t1", 4, -1, SOON));
    CHECK_OK(store_task_spend(store, "t1", SOON));
    CHECK_ERR(WR_BUSY, store_task_spend(store, "t1", SOON));
    CHECK_ERR(WR_NOTFOUND, store_task_allow(store, "t9", 4, -1, SOON));
}

STORE_TEST(nothing_is_queued_when_the_budget_is_used_up)
{
    struct store_submitted took;
    make(store, "t1");
    submit(store, "t1", one);
    pass(WR_S(60));
    CHECK_ERR(WR_BUSY, store_task_submit(store, "t1", two, slots, &took, SOON));
    CHECK(took.no_time && !took.no_pages);
    store_submitted_free(&took);
    CHECK_OK(store_task_allow(store, "t1", -1, 120, SOON));
    CHECK_STR("[0]", submit(store, "t1", two));
    for (int i = 0; i < 3; i++)
        CHECK_OK(store_task_spend(store, "t1", SOON));
    CHECK_ERR(WR_BUSY, store_task_submit(store, "t1", two, slots, &took, SOON));
    CHECK(took.no_pages && !took.no_time);
    store_submitted_free(&took);
}

/* ---- many at once ---- */

#define CLIENTS 8

struct rush { struct store *store; int next, queued; };

static wr_err submit_same(void *arg)
{
    struct rush *rush = arg;
    char jobs[100];
    struct store_submitted took;
    int me = __atomic_fetch_add(&rush->next, 1, __ATOMIC_RELAXED);
    snprintf(jobs, sizeof(jobs), "[[\"j%d\",\"target_queue\",\"net\",50,\"same\",{}]]", me);
    CHECK_OK(store_task_submit(rush->store, "t1", jobs, slots, &took, SOON));
    if (strcmp(took.skipped, "[]") == 0)
        __atomic_fetch_add(&rush->queued, 1, __ATOMIC_RELAXED);
    store_submitted_free(&took);
    return WR_OK;
}

STORE_TEST(of_many_who_submit_the_same_at_once_one_queues_it)
{
    struct rush rush = { .store = store };
    make(store, "t1");
    struct wr_scope *scope = scope_open();
    for (int i = 0; i < CLIENTS; i++)
        go(scope, submit_same, &rush);
    scope_done(scope);
    CHECK_EQ(1, rush.queued);
}

STORE_TEST(ten_thousand_are_submitted_at_once)
{
    static char jobs[800000];
    struct store_submitted took;
    struct store_counts counts;
    size_t len = 0;
    for (int i = 0; i < 10000; i++)
        len += (size_t)snprintf(jobs + len, sizeof(jobs) - len,
                                "%c[\"j%05d\",\"target_queue\",\"net\",50,\"k%d\",{\"n\":%d}]",
                                i ? ',' : '[', i, i, i);
    snprintf(jobs + len, sizeof(jobs) - len, "]");
    make(store, "t1");
    CHECK_OK(store_task_submit(store, "t1", jobs, slots, &took, wr_after(WR_S(60))));
    CHECK_STR("[]", took.skipped);
    store_submitted_free(&took);
    CHECK_OK(store_task_count(store, "t1", &counts, SOON));
    CHECK_EQ(10000, counts.counts[0].jobs[STORE_JOB_QUEUED]);
}

/* ---- what stops beside what goes on ---- */

static void finish_with_next(struct store *store, const char *id, uint32_t attempt)
{
    CHECK_OK(store_job_finish(store, id, attempt, &(struct store_job_end){
        .state = STORE_JOB_COMPLETED, .slots = slots,
        .next = "[[\"n1\",\"verify_nli\",\"net\",45,null,{}]]" }, SOON));
}

static size_t queued(struct store *store, const char *task)
{
    struct store_jobs jobs;
    CHECK_OK(store_task_open_jobs(store, task, 64, &jobs, SOON));
    size_t count = jobs.count;
    store_jobs_free(&jobs);
    return count;
}

STORE_TEST(nothing_follows_on_a_job_that_ends_after_all_of_its_task_was_stopped)
{
    char id[STORE_JOB_ID_MAX + 1];
    struct store_counts counts;
    make(store, "t1");
    submit(store, "t1", one);
    uint32_t attempt = claim(store, id);
    CHECK_OK(store_task_stop(store, "t1", &(struct store_task_stop){ .reason = "user" },
                             &counts, SOON));
    CHECK_OK(store_job_chain(store, id, attempt, "[[\"c1\",\"verify_nli\",\"net\",45,null,{}]]",
                             slots, SOON));
    finish_with_next(store, id, attempt);
    CHECK_EQ(0, queued(store, "t1"));
}

STORE_TEST(what_follows_on_a_target_goes_on_when_only_targets_were_stopped)
{
    char id[STORE_JOB_ID_MAX + 1];
    struct store_counts counts;
    make(store, "t1");
    submit(store, "t1", one);
    uint32_t attempt = claim(store, id);
    CHECK_OK(store_task_stop(store, "t1", &(struct store_task_stop){
        .reason = "user", .kind = "target_queue" }, &counts, SOON));
    finish_with_next(store, id, attempt);
    CHECK_EQ(1, queued(store, "t1"));
}

struct race { struct store *store; char task[8]; int number; };

static wr_err race_submit(void *arg)
{
    struct race *race = arg;
    char jobs[4000] = "[", *at = jobs + 1;
    for (int i = 0; i < 50; i++)
        at += snprintf(at, 70, "%s[\"r%d-%d\",\"target_queue\",\"net\",50,null,{}]",
                       i ? "," : "", race->number, i);
    snprintf(at, 2, "]");
    submit(race->store, race->task, jobs);
    return WR_OK;
}

static wr_err race_stop(void *arg)
{
    struct race *race = arg;
    struct store_counts counts;
    CHECK_OK(store_task_stop(race->store, race->task, &(struct store_task_stop){
        .reason = "user" }, &counts, SOON));
    return WR_OK;
}

STORE_TEST(a_task_that_a_stop_beside_a_submit_has_paused_has_nothing_queued)
{
    for (int i = 0; i < 30; i++) {
        struct race race = { .store = store, .number = i };
        snprintf(race.task, sizeof(race.task), "r%d", i);
        make(store, race.task);
        struct wr_scope *scope = scope_open();
        go(scope, race_submit, &race);
        go(scope, race_stop, &race);
        CHECK_OK(wr_scope_join(scope, SOON));
        CHECK_OK(wr_scope_close(scope));
        bool paused = status_of(store, race.task) == STORE_TASK_PAUSED;
        CHECK_EQ(paused ? 0 : 50, queued(store, race.task));
    }
}

static uint64_t completed(struct store *store, const char *task)
{
    struct store_counts counts;
    CHECK_OK(store_task_count(store, task, &counts, SOON));
    return counts.count ? counts.counts[0].jobs[STORE_JOB_COMPLETED] : 0;
}

/* Else every look at a task would take as long as it has finished jobs. */
SERVER_TEST(jobs_that_are_over_are_added_up_by_who_counts_them)
{
    static const char done[] =
        "insert into job_done select n, 'j' || n, 't1', 'target_queue',"
        " 'net', 50, 4, 1, 1, 1, n, null, null, null from generate_series(1, 600) as n";
    uint64_t gone;
    make(rig->store, "t1");
    CHECK_OK(rig_say(rig, done));
    CHECK_EQ(600, rig_ask(rig, "select count(*) from job_tally"));
    CHECK_EQ(600, completed(rig->store, "t1"));
    CHECK_EQ(1, rig_ask(rig, "select count(*) from job_tally"));
    CHECK_EQ(600, completed(rig->store, "t1"));
    CHECK_OK(store_job_prune(rig->store, (struct wr_wall){ WR_MS(201) }, 1000, &gone, SOON));
    CHECK_EQ(200, gone);
    CHECK_EQ(400, completed(rig->store, "t1"));
    CHECK_EQ(2, rig_ask(rig, "select count(*) from job_tally"));
}
