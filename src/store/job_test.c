#include "store/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/scope.h>
#include <weir/task.h>

#include "store/task.h"
#include "testing/settle.h"
#include "testing/store_rig.h"

#define LEASE WR_S(30)
#define SOON wr_after(WR_S(5))

static struct store_job_new job_of(const char *id, int32_t priority)
{
    return (struct store_job_new){ .id = id, .task = "task", .kind = "fetch", .slot = "net",
                                   .priority = priority };
}

static wr_err add(struct store *store, const char *id, int32_t priority)
{
    struct store_job_new job = job_of(id, priority);
    return store_job_add(store, &job, SOON);
}

static wr_err add_unique(struct store *store, const char *id, const char *key)
{
    struct store_job_new job = job_of(id, 0);
    job.unique = key;
    return store_job_add(store, &job, SOON);
}

/* Claim one; its attempt, or 0 when there is none.  `ids` gets what was claimed. */
static uint32_t claim(struct store *store, char *ret_id)
{
    struct store_jobs jobs;
    uint32_t attempt = 0;
    *ret_id = '\0';
    CHECK_OK(store_job_claim(store, &(struct store_job_claim){
        .slot = "net", .max = 1, .lease = LEASE }, &jobs, SOON));
    if (jobs.count) {
        snprintf(ret_id, STORE_JOB_ID_MAX + 1, "%s", jobs.jobs[0].id);
        attempt = jobs.jobs[0].attempt;
    }
    store_jobs_free(&jobs);
    return attempt;
}

static wr_err complete(struct store *store, const char *id, uint32_t attempt)
{
    return store_job_finish(store, id, attempt, &(struct store_job_end){
        .state = STORE_JOB_COMPLETED, .output = "{}" }, SOON);
}

static enum store_job_state state_of(struct store *store, const char *id)
{
    struct store_jobs jobs;
    enum store_job_state state = 0;
    if (!store_job_get(store, id, &jobs, SOON))
        state = jobs.jobs[0].state;
    store_jobs_free(&jobs);
    return state;
}

/* ---- one job ---- */

STORE_TEST(a_job_is_queued_claimed_and_finished_with_all_it_carries)
{
    struct store_jobs jobs;
    struct store_job_new job = job_of("j1", 7);
    job.input = "{\"q\":1}";
    CHECK_OK(store_job_add(store, &job, SOON));
    wr_time sent = wr_now();
    CHECK_OK(store_job_claim(store, &(struct store_job_claim){
        .slot = "net", .max = 5, .lease = LEASE }, &jobs, SOON));
    CHECK_EQ(1, jobs.count);
    CHECK(jobs.lease_until >= sent + LEASE && jobs.lease_until <= sent + LEASE + rig_slack());
    CHECK_STR("j1", jobs.jobs[0].id);
    CHECK_STR("task", jobs.jobs[0].task);
    CHECK_STR("fetch", jobs.jobs[0].kind);
    CHECK_STR("{\"q\":1}", jobs.jobs[0].input);
    CHECK_EQ(7, jobs.jobs[0].priority);
    CHECK_EQ(1, jobs.jobs[0].attempt);
    CHECK_EQ(STORE_JOB_RUNNING, jobs.jobs[0].state);
    store_jobs_free(&jobs);
    pass(WR_S(3));
    CHECK_OK(store_job_finish(store, "j1", 1, &(struct store_job_end){
        .state = STORE_JOB_FAILED, .output = "{}", .error = "no route" }, SOON));
    CHECK_OK(store_job_get(store, "j1", &jobs, SOON));
    CHECK_EQ(STORE_JOB_FAILED, jobs.jobs[0].state);
    CHECK_STR("no route", jobs.jobs[0].error);
    CHECK_STR("{}", jobs.jobs[0].output);
    CHECK_STR("{\"q\":1}", jobs.jobs[0].input);
    CHECK_EQ(WR_S(3), jobs.jobs[0].finished_at.ns - jobs.jobs[0].started_at.ns);
    store_jobs_free(&jobs);
}

STORE_TEST(nothing_to_claim_is_a_count_of_none)
{
    struct store_jobs jobs;
    CHECK_OK(add(store, "j1", 0));
    CHECK_OK(store_job_claim(store, &(struct store_job_claim){
        .slot = "gpu", .max = 1, .lease = LEASE }, &jobs, SOON));
    CHECK_EQ(0, jobs.count);
    store_jobs_free(&jobs);
    CHECK_ERR(WR_NOTFOUND, store_job_get(store, "j2", &jobs, SOON));
    store_jobs_free(&jobs);
}

STORE_TEST(an_id_is_used_once_also_after_its_job_is_over)
{
    char id[STORE_JOB_ID_MAX + 1];
    CHECK_OK(add(store, "j1", 0));
    CHECK_ERR(WR_EXISTS, add(store, "j1", 0));
    CHECK_OK(complete(store, "j1", claim(store, id)));
    CHECK_ERR(WR_EXISTS, add(store, "j1", 0));
}

STORE_TEST(a_unique_key_belongs_to_one_open_job)
{
    char id[STORE_JOB_ID_MAX + 1];
    CHECK_OK(add_unique(store, "j1", "key"));
    CHECK_ERR(WR_EXISTS, add_unique(store, "j2", "key"));
    CHECK_OK(add_unique(store, "j3", "other"));
    CHECK_OK(add_unique(store, "j4", NULL));
    CHECK_OK(add_unique(store, "j5", NULL));
    uint32_t attempt = claim(store, id);
    CHECK_ERR(WR_EXISTS, add_unique(store, "j2", "key"));       /* it runs */
    CHECK_OK(complete(store, id, attempt));
    CHECK_OK(add_unique(store, "j2", "key"));                   /* it is over */
}

STORE_TEST(an_id_or_input_that_is_too_long_is_refused)
{
    char long_id[STORE_JOB_ID_MAX + 2];
    memset(long_id, 'x', sizeof(long_id) - 1);
    long_id[sizeof(long_id) - 1] = '\0';
    CHECK_ERR(WR_INVALID, add(store, long_id, 0));
    CHECK_OK(add(store, long_id + 1, 0));
}

/* ---- order ---- */

STORE_TEST(claims_come_by_priority_then_time_then_arrival)
{
    static const char *const want[] = { "d", "e", "a", "b", "c" };
    struct store_jobs jobs;
    CHECK_OK(add(store, "a", 50));
    pass(WR_MS(5));
    CHECK_OK(add(store, "b", 50));
    CHECK_OK(add(store, "c", 50));
    CHECK_OK(add(store, "d", 10));
    CHECK_OK(add(store, "e", 10));
    CHECK_OK(store_job_claim(store, &(struct store_job_claim){
        .slot = "net", .max = 4, .lease = LEASE }, &jobs, SOON));
    REQUIRE(jobs.count == 4);
    for (size_t i = 0; i < 4; i++)
        CHECK_STR(want[i], jobs.jobs[i].id);
    store_jobs_free(&jobs);
    char id[STORE_JOB_ID_MAX + 1];
    CHECK(claim(store, id));
    CHECK_STR("c", id);
}

STORE_TEST(a_job_that_is_queued_again_keeps_its_place)
{
    char id[STORE_JOB_ID_MAX + 1];
    CHECK_OK(add(store, "a", 0));
    pass(WR_MS(5));
    CHECK_OK(add(store, "b", 0));
    uint32_t attempt = claim(store, id);
    CHECK_OK(store_job_requeue(store, "a", attempt, true, SOON));
    CHECK_EQ(2, claim(store, id));
    CHECK_STR("a", id);
}

/* ---- leases ---- */

static bool beat(struct store *store, const char *id, uint32_t attempt)
{
    struct store_job_held held = { id, attempt, false };
    CHECK_OK(store_job_beat(store, &held, 1, LEASE, SOON));
    return held.ours;
}

STORE_TEST(a_holder_whose_lease_ran_out_changes_nothing)
{
    char id[STORE_JOB_ID_MAX + 1];
    CHECK_OK(add(store, "j1", 0));
    CHECK_EQ(1, claim(store, id));
    pass(LEASE);
    CHECK(!beat(store, "j1", 1));
    CHECK_ERR(WR_NOTFOUND, complete(store, "j1", 1));
    CHECK_ERR(WR_NOTFOUND, store_job_requeue(store, "j1", 1, true, SOON));
    CHECK_EQ(STORE_JOB_RUNNING, state_of(store, "j1"));
}

STORE_TEST(a_beat_keeps_the_lease)
{
    char id[STORE_JOB_ID_MAX + 1];
    CHECK_OK(add(store, "j1", 0));
    CHECK_EQ(1, claim(store, id));
    for (int i = 0; i < 5; i++) {
        pass(LEASE - WR_MS(1));
        CHECK(beat(store, "j1", 1));
    }
    CHECK(!beat(store, "j1", 2));
    CHECK_OK(complete(store, "j1", 1));
    CHECK_ERR(WR_NOTFOUND, complete(store, "j1", 1));
}

STORE_TEST(a_beat_tells_of_each_job_whether_it_is_still_held)
{
    char id[STORE_JOB_ID_MAX + 1];
    for (int i = 0; i < 3; i++)
        CHECK_OK(add(store, (const char *[]){ "j1", "j2", "j3" }[i], 0));
    for (int i = 0; i < 3; i++)
        CHECK_EQ(1, claim(store, id));
    CHECK_OK(complete(store, "j2", 1));
    struct store_job_held held[] = { { "j1", 1, 0 }, { "j2", 1, true }, { "j3", 1, 0 } };
    CHECK_OK(store_job_beat(store, held, 3, LEASE, SOON));
    CHECK(held[0].ours && !held[1].ours && held[2].ours);
}

STORE_TEST(a_lease_that_ran_out_returns_the_job_and_the_last_one_fails_it)
{
    char id[STORE_JOB_ID_MAX + 1];
    struct store_jobs jobs;
    wr_time next;
    CHECK_OK(add(store, "j1", 0));
    CHECK_EQ(1, claim(store, id));
    CHECK_OK(store_job_expire(store, &jobs, &next, SOON));
    CHECK_EQ(0, jobs.count);
    CHECK_EQ(LEASE, next);
    store_jobs_free(&jobs);
    pass(LEASE);
    CHECK_OK(store_job_expire(store, &jobs, &next, SOON));
    CHECK_EQ(1, jobs.count);
    CHECK_EQ(STORE_JOB_QUEUED, jobs.jobs[0].state);
    CHECK_EQ(WR_NEVER, next);
    store_jobs_free(&jobs);
    CHECK_EQ(2, claim(store, id));
    CHECK_ERR(WR_NOTFOUND, complete(store, "j1", 1));           /* the one before */
    pass(LEASE);
    CHECK_OK(store_job_expire(store, &jobs, &next, SOON));
    CHECK_EQ(1, jobs.count);
    CHECK_EQ(STORE_JOB_FAILED, jobs.jobs[0].state);
    store_jobs_free(&jobs);
    CHECK_EQ(STORE_JOB_FAILED, state_of(store, "j1"));
    CHECK_EQ(0, claim(store, id));
}

STORE_TEST(a_requeue_that_is_not_counted_gives_a_new_attempt_and_takes_none_away)
{
    char id[STORE_JOB_ID_MAX + 1];
    struct store_jobs jobs;
    wr_time next;
    CHECK_OK(add(store, "j1", 0));
    for (uint32_t attempt = 1; attempt <= 5; attempt++) {
        CHECK_EQ(attempt, claim(store, id));
        CHECK_OK(store_job_requeue(store, "j1", attempt, false, SOON));
        CHECK_ERR(WR_NOTFOUND, complete(store, "j1", attempt));
    }
    CHECK_EQ(6, claim(store, id));
    pass(LEASE);
    CHECK_OK(store_job_expire(store, &jobs, &next, SOON));
    CHECK_EQ(STORE_JOB_QUEUED, jobs.jobs[0].state);             /* the first of two */
    store_jobs_free(&jobs);
}

STORE_TEST(who_opens_a_file_anew_has_back_what_ran_and_a_server_is_left_alone)
{
    char id[STORE_JOB_ID_MAX + 1];
    struct store_jobs jobs;
    wr_time next;
    CHECK_OK(add(store, "j1", 0));
    CHECK_EQ(1, claim(store, id));
    CHECK_OK(store_job_disown(store, SOON));
    CHECK_OK(store_job_expire(store, &jobs, &next, SOON));
    CHECK_EQ(rig_server ? 0 : 1, jobs.count);
    store_jobs_free(&jobs);
    CHECK_EQ(rig_server ? STORE_JOB_RUNNING : STORE_JOB_QUEUED, state_of(store, "j1"));
}

STORE_TEST(what_is_released_comes_back_at_once_and_only_from_who_has_it)
{
    char id[STORE_JOB_ID_MAX + 1];
    struct store_jobs jobs;
    wr_time next;
    CHECK_OK(add(store, "j1", 0));
    CHECK_EQ(1, claim(store, id));
    CHECK_OK(store_job_release(store, "j1", 2, SOON));
    CHECK_OK(store_job_expire(store, &jobs, &next, SOON));
    CHECK_EQ(0, jobs.count);
    store_jobs_free(&jobs);
    CHECK_OK(store_job_release(store, "j1", 1, SOON));
    CHECK_OK(store_job_expire(store, &jobs, &next, SOON));
    CHECK_EQ(1, jobs.count);
    store_jobs_free(&jobs);
    CHECK_EQ(2, claim(store, id));
}

/* ---- what comes next ---- */

static const char *const slots[] = { "net", NULL };
static const char sequel[] = "[[\"n1\",\"verify_nli\",\"net\",45,\"key\",{\"c\":[1]}],"
                             "[\"n2\",\"verify_nli\",\"net\",45,\"key\",{}]]";

/* What follows belongs to a task that is there. */
static void make_task(struct store *store)
{
    CHECK_OK(store_task_add(store, &(struct store_task_new){
        .id = "task", .hypothesis = "h", .pages_max = 1, .seconds_max = 1 }, SOON));
}

STORE_TEST(what_comes_next_is_queued_with_the_end_of_a_job_and_each_key_once)
{
    char id[STORE_JOB_ID_MAX + 1];
    struct store_jobs jobs;
    uint64_t seen = 0;
    make_task(store);
    CHECK_OK(add(store, "j1", 0));
    uint32_t attempt = claim(store, id);
    CHECK_OK(store_job_wait(store, "net", &seen, WR_NOW));
    CHECK_OK(store_job_finish(store, "j1", attempt, &(struct store_job_end){
        .state = STORE_JOB_COMPLETED, .next = sequel, .slots = slots }, SOON));
    CHECK_OK(store_job_wait(store, "net", &seen, WR_NOW));
    CHECK_EQ(STORE_JOB_COMPLETED, state_of(store, "j1"));
    CHECK_OK(store_job_get(store, "n1", &jobs, SOON));
    CHECK_STR("task", jobs.jobs[0].task);
    CHECK_STR("verify_nli", jobs.jobs[0].kind);
    CHECK_EQ(STORE_JOB_QUEUED, jobs.jobs[0].state);
    store_jobs_free(&jobs);
    CHECK_ERR(WR_NOTFOUND, store_job_get(store, "n2", &jobs, SOON));
    store_jobs_free(&jobs);
}

STORE_TEST(who_does_not_hold_a_job_queues_nothing_after_it)
{
    char id[STORE_JOB_ID_MAX + 1];
    struct store_jobs jobs;
    make_task(store);
    CHECK_OK(add(store, "j1", 0));
    CHECK_EQ(1, claim(store, id));
    CHECK_ERR(WR_NOTFOUND, store_job_finish(store, "j1", 2, &(struct store_job_end){
        .state = STORE_JOB_COMPLETED, .next = sequel, .slots = slots }, SOON));
    CHECK_ERR(WR_NOTFOUND, store_job_chain(store, "j1", 2, sequel, slots, SOON));
    CHECK_ERR(WR_NOTFOUND, store_job_get(store, "n1", &jobs, SOON));
    store_jobs_free(&jobs);
    CHECK_OK(store_job_chain(store, "j1", 1, sequel, slots, SOON));
    CHECK_EQ(STORE_JOB_QUEUED, state_of(store, "n1"));
    CHECK_EQ(STORE_JOB_RUNNING, state_of(store, "j1"));
    CHECK_OK(store_job_chain(store, "j1", 1, sequel, slots, SOON));    /* its key is held */
}

/* ---- fair ---- */

static void add_for(struct store *store, const char *task, int from, int to, int32_t priority)
{
    for (int i = from; i < to; i++) {
        char id[32];
        snprintf(id, sizeof(id), "%s%d", task, i);
        struct store_job_new job = job_of(id, priority);
        job.task = task;
        CHECK_OK(store_job_add(store, &job, SOON));
    }
}

/* The ids of what is claimed, joined by blanks. */
static const char *claim_some(struct store *store, size_t max, bool fair)
{
    static char ids[200];
    struct store_jobs jobs;
    size_t len = 0;
    ids[0] = '\0';
    CHECK_OK(store_job_claim(store, &(struct store_job_claim){
        .slot = "net", .max = max, .lease = LEASE, .fair = fair }, &jobs, SOON));
    for (size_t i = 0; i < jobs.count; i++)
        len += (size_t)snprintf(ids + len, sizeof(ids) - len, "%s%s", i ? " " : "",
                                jobs.jobs[i].id);
    store_jobs_free(&jobs);
    return ids;
}

STORE_TEST(without_fairness_who_came_first_is_served_first)
{
    add_for(store, "a", 0, 3, 0);
    add_for(store, "b", 0, 2, 0);
    CHECK_STR("a0 a1 a2 b0", claim_some(store, 4, false));
}

STORE_TEST(with_fairness_tasks_take_turns_and_who_has_fewer_running_comes_first)
{
    add_for(store, "a", 0, 6, 0);
    add_for(store, "b", 0, 2, 0);
    add_for(store, "c", 0, 1, 0);
    CHECK_STR("a0 a1", claim_some(store, 2, false));
    CHECK_STR("b0", claim_some(store, 1, true));
    CHECK_STR("c0", claim_some(store, 1, true));
    CHECK_STR("b1", claim_some(store, 1, true));        /* a has two running, b had one */
    CHECK_STR("a2 a3", claim_some(store, 2, true));
}

STORE_TEST(fairness_is_within_a_priority)
{
    add_for(store, "a", 0, 2, 0);
    add_for(store, "b", 0, 2, 5);
    CHECK_STR("a0 a1 b0", claim_some(store, 3, true));
}

/* ---- waking ---- */

struct waiting { struct store *store; wr_err err; wr_time woke; int times; };

static wr_err await_work(void *arg)
{
    struct waiting *waiting = arg;
    uint64_t seen = 0;
    CHECK_OK(store_job_wait(waiting->store, "net", &seen, WR_NOW));     /* look first */
    waiting->err = store_job_wait(waiting->store, "net", &seen, wr_after(WR_S(60)));
    waiting->woke = wr_now();
    return WR_OK;
}

STORE_TEST(who_waits_for_a_slot_is_woken_when_something_is_queued_for_it)
{
    struct waiting waiting = { .store = store };
    struct wr_scope *scope = scope_open();
    go(scope, await_work, &waiting);
    rig_settle();
    struct store_job_new gpu = job_of("gpu", 0);
    gpu.slot = "gpu";
    CHECK_OK(store_job_add(store, &gpu, SOON));
    rig_settle();
    CHECK_EQ(1, wr_scope_live(scope));                  /* another slot's */
    wr_time now = wr_now();
    CHECK_OK(add(store, "j1", 0));
    scope_done(scope);
    CHECK_OK(waiting.err);
    CHECK(waiting.woke - now <= rig_slack());
}

STORE_TEST(what_was_queued_while_nobody_waited_is_seen_by_the_next_wait)
{
    uint64_t seen = 0;
    CHECK_OK(store_job_wait(store, "net", &seen, WR_NOW));
    CHECK_OK(add(store, "j1", 0));
    CHECK_OK(store_job_wait(store, "net", &seen, WR_NOW));
    CHECK_ERR(WR_TIMEOUT, store_job_wait(store, "net", &seen, WR_NOW));
}

STORE_TEST(whatever_brings_a_job_back_wakes)
{
    char id[STORE_JOB_ID_MAX + 1];
    uint64_t seen = 0;
    struct store_jobs jobs;
    wr_time next;
    CHECK_OK(store_job_wait(store, "net", &seen, WR_NOW));
    CHECK_OK(add(store, "j1", 0));
    CHECK_OK(store_job_wait(store, "net", &seen, WR_NOW));
    CHECK_OK(store_job_requeue(store, "j1", claim(store, id), false, SOON));
    CHECK_OK(store_job_wait(store, "net", &seen, WR_NOW));
    CHECK_EQ(2, claim(store, id));
    pass(LEASE);
    CHECK_OK(store_job_expire(store, &jobs, &next, SOON));
    store_jobs_free(&jobs);
    CHECK_OK(store_job_wait(store, "net", &seen, WR_NOW));
}

/* ---- many ---- */

#define CLIENTS 16

struct crowd { struct store *store; int finished; };

static wr_err work(void *arg)
{
    struct crowd *crowd = arg;
    char id[STORE_JOB_ID_MAX + 1];
    for (uint32_t attempt; (attempt = claim(crowd->store, id)) != 0;) {
        CHECK_EQ(1, attempt);
        CHECK_OK(complete(crowd->store, id, attempt));
        __atomic_fetch_add(&crowd->finished, 1, __ATOMIC_RELAXED);
    }
    return WR_OK;
}

STORE_TEST(every_job_is_claimed_and_finished_once_by_many_at_once)
{
    struct crowd crowd = { .store = store };
    struct wr_scope *scope = scope_open();
    int jobs = test_rounds(300);
    for (int i = 0; i < jobs; i++) {
        char id[16];
        snprintf(id, sizeof(id), "job-%05d", i);
        CHECK_OK(add(store, id, i % 3));
    }
    for (int i = 0; i < CLIENTS; i++)
        CHECK_OK(wr_scope_go(scope, "test.worker", work, &crowd));
    scope_done(scope);
    CHECK_EQ(jobs, crowd.finished);
}

/* ---- how large, and for how long ---- */

static char *text_of(size_t len)
{
    char *text = malloc(len + 1);
    WR_ASSERT(text);
    memset(text, 'x', len);
    text[len] = '\0';
    return text;
}

STORE_TEST(a_text_that_is_too_long_is_refused)
{
    char *name = text_of(STORE_JOB_NAME_MAX + 1), *input = text_of(STORE_JOB_INPUT_MAX + 1);
    char *slot = text_of(STORE_JOB_SLOT_MAX + 1);
    const struct store_job_new good = { .id = "a", .task = "t", .kind = "k", .slot = "s" };
    struct store_job_new bad[6] = { good, good, good, good, good, good };
    bad[0].id = name;
    bad[1].task = name;
    bad[2].kind = name;
    bad[3].slot = slot;
    bad[4].unique = name;
    bad[5].input = input;
    for (size_t i = 0; i < 6; i++)
        CHECK_ERR(WR_INVALID, store_job_add(store, &bad[i], SOON));
    free(name);
    free(slot);
    free(input);
}

STORE_TEST(what_was_taken_can_be_claimed_and_read_however_long)
{
    struct store_jobs jobs;
    char *name = text_of(STORE_JOB_NAME_MAX), *input = text_of(STORE_JOB_INPUT_MAX);
    const char *slot = name + STORE_JOB_NAME_MAX - STORE_JOB_SLOT_MAX;
    char *output = text_of(STORE_JOB_OUTPUT_MAX + 1), *error = text_of(STORE_JOB_ERROR_MAX + 1);
    CHECK_OK(store_job_add(store, &(struct store_job_new){ .id = "a", .task = name,
        .kind = name, .slot = slot, .unique = name, .input = input }, SOON));
    CHECK_OK(store_job_claim(store, &(struct store_job_claim){
        .slot = slot, .max = 1, .lease = WR_S(10) }, &jobs, SOON));
    CHECK_EQ(1, jobs.count);
    store_jobs_free(&jobs);
    struct store_job_end end = { .state = STORE_JOB_FAILED, .output = output };
    CHECK_ERR(WR_INVALID, store_job_finish(store, "a", 1, &end, SOON));
    end = (struct store_job_end){ .state = STORE_JOB_FAILED, .error = error };
    CHECK_ERR(WR_INVALID, store_job_finish(store, "a", 1, &end, SOON));
    output[STORE_JOB_OUTPUT_MAX] = error[STORE_JOB_ERROR_MAX] = '\0';
    end = (struct store_job_end){ .state = STORE_JOB_FAILED, .output = output,
                                   .error = error };
    CHECK_OK(store_job_finish(store, "a", 1, &end, SOON));
    CHECK_OK(store_job_get(store, "a", &jobs, SOON));
    CHECK_EQ(STORE_JOB_OUTPUT_MAX, strlen(jobs.jobs[0].output));
    store_jobs_free(&jobs);
    free(name);
    free(input);
    free(output);
    free(error);
}

STORE_TEST(history_is_forgotten_in_slices_from_its_old_end)
{
    char id[STORE_JOB_ID_MAX + 1];
    uint64_t count;
    struct wr_wall between = { 0 };
    for (int i = 0; i < 6; i++) {
        if (i == 3) {
            pass(WR_S(1));
            between = rig_wall();
        }
        snprintf(id, sizeof(id), "job-%d", i);
        CHECK_OK(add(store, id, 0));
        CHECK_OK(complete(store, id, claim(store, id)));
    }
    CHECK_OK(add(store, "open", 0));
    CHECK_OK(store_job_prune(store, between, 2, &count, SOON));
    CHECK_EQ(2, count);
    CHECK_OK(store_job_prune(store, between, 2, &count, SOON));
    CHECK_EQ(1, count);
    CHECK_OK(store_job_prune(store, between, STORE_JOB_PRUNE_MAX, &count, SOON));
    CHECK_EQ(0, count);
    for (int i = 0; i < 6; i++) {
        snprintf(id, sizeof(id), "job-%d", i);
        CHECK_EQ(i < 3 ? 0 : STORE_JOB_COMPLETED, state_of(store, id));
    }
    CHECK_EQ(STORE_JOB_QUEUED, state_of(store, "open"));
    CHECK_OK(add(store, "job-0", 0));
}
