#include "svc/queue/scheduler.h"

#include "testing/metric_rig.h"
#include "testing/queue_rig.h"

#define SOON wr_after(WR_S(20))

/* The only job of a task in that state; its error, and its output. */
static const char *error_of(struct queue_rig *rig, const char *task, enum store_job_state state,
                            bool output)
{
    static char text[700];
    struct store_jobs jobs;
    CHECK_OK(store_task_done_jobs(rig->store, task, state, 1, &jobs, SOON));
    const char *found = !jobs.count ? NULL : output ? jobs.jobs[0].output : jobs.jobs[0].error;
    snprintf(text, sizeof(text), "%s", found ? found : "(none)");
    store_jobs_free(&jobs);
    return text;
}

/* None yet: it is not there. */
static long long counted(const char *result)
{
    long long value = metric_value("queue_jobs_total{kind=\"target_queue\",result=\"%s\","
                                   "svc=\"queue\"}", result);
    return value < 0 ? 0 : value;
}

STORE_TEST(a_job_is_claimed_run_and_finished_with_its_output)
{
    struct queue_rig rig = { 0 };
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    queue_rig_add(&rig, task, "ok");
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_COMPLETED, 1);
    CHECK_STR("{\"ok\":true}", error_of(&rig, task, STORE_JOB_COMPLETED, true));
    CHECK_EQ(1, rig.ran[QUEUE_TARGET]);
    queue_rig_stop(&rig);
}

STORE_TEST(what_was_queued_before_it_runs_is_done)
{
    struct queue_rig rig = { 0 };
    struct store_submitted took;
    CHECK_OK(store_task_add(store, &(struct store_task_new){
        .id = "task_1", .hypothesis = "h", .pages_max = 1, .seconds_max = 9 }, SOON));
    CHECK_OK(store_task_submit(store, "task_1",
                               "[[\"a\",\"target_queue\",\"network_client\",1,null,{}]]",
                               queue_slot_names, &took, SOON));
    store_submitted_free(&took);
    queue_rig_start(&rig, store);
    queue_rig_until(&rig, "task_1", QUEUE_TARGET, STORE_JOB_COMPLETED, 1);
    queue_rig_stop(&rig);
}

STORE_TEST(a_job_that_fails_says_why_and_others_go_on)
{
    struct queue_rig rig = { 0 };
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    queue_rig_add(&rig, task, "fail");
    queue_rig_add(&rig, task, "ok");
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_COMPLETED, 1);
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_FAILED, 1);
    CHECK_STR("ALL_FETCHES_FAILED: it is broken",
              error_of(&rig, task, STORE_JOB_FAILED, false));
    queue_rig_stop(&rig);
}

LOCAL_TEST(a_panic_ends_its_job_and_nothing_else)
{
    struct queue_rig rig = { 0 };
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    queue_rig_add(&rig, task, "panic");
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_FAILED, 1);
    CHECK_STR("INTERNAL_ERROR: it broke down; the log of the node says where",
              error_of(&rig, task, STORE_JOB_FAILED, false));
    queue_rig_add(&rig, task, "ok");
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_COMPLETED, 1);
    queue_rig_stop(&rig);
}

LOCAL_TEST(what_a_job_has_borrowed_is_given_back_however_it_ends)
{
    struct queue_rig rig = { 0 };
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    queue_rig_add(&rig, task, "borrow panic");
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_FAILED, 1);
    queue_rig_add(&rig, task, "borrow ok");
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_COMPLETED, 1);
    queue_rig_add(&rig, task, "borrow hold");
    queue_rig_add(&rig, task, "borrow ok");
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_RUNNING, 2);
    CHECK_OK(wr_once_set(rig.gate, NULL));
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_COMPLETED, 3);
    queue_rig_stop(&rig);
}

LOCAL_TEST(a_job_that_takes_too_long_is_ended)
{
    struct queue_rig rig = { 0 };
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    queue_rig_add(&rig, task, "hold");
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_RUNNING, 1);
    wr_time begun = wr_now();
    CHECK_OK(wr_sleep(wr_after(QUEUE_WITHIN + WR_S(1))));
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_FAILED, 1);
    CHECK_STR("PIPELINE_TIMEOUT: it took too long",
              error_of(&rig, task, STORE_JOB_FAILED, false));
    CHECK(wr_now() - begun < QUEUE_WITHIN + WR_S(2));
    queue_rig_stop(&rig);
}

LOCAL_TEST(a_result_that_is_too_large_is_no_result)
{
    struct queue_rig rig = { 0 };
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    queue_rig_add(&rig, task, "large");
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_FAILED, 1);
    CHECK_STR("PIPELINE_ERROR: its result is larger than it may be (1048576 bytes)",
              error_of(&rig, task, STORE_JOB_FAILED, false));
    queue_rig_stop(&rig);
}

LOCAL_TEST(what_would_follow_and_does_not_fit_is_not_passed_over)
{
    struct queue_rig rig = { 0 };
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    queue_rig_add(&rig, task, "endless");
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_FAILED, 1);
    CHECK_STR("PIPELINE_ERROR: what is to follow on it is larger than it may be (1048576 "
              "bytes)", error_of(&rig, task, STORE_JOB_FAILED, false));
    CHECK_EQ(0, queue_rig_count(&rig, task, QUEUE_VERIFY, STORE_JOB_QUEUED));
    queue_rig_stop(&rig);
}

LOCAL_TEST(what_a_person_is_wanted_for_and_does_not_fit_is_not_passed_over)
{
    struct queue_rig rig = { 0 };
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    queue_rig_add(&rig, task, "wordy");
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_FAILED, 1);
    CHECK_STR("PIPELINE_ERROR: what it wants of a person is larger than it may be (1048576 "
              "bytes)", error_of(&rig, task, STORE_JOB_FAILED, false));
    queue_rig_stop(&rig);
}

LOCAL_TEST(who_says_canceled_unasked_has_failed_and_is_not_done_for_ever)
{
    struct queue_rig rig = { 0 };
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    queue_rig_add(&rig, task, "cancel");
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_FAILED, 1);
    CHECK_EQ(1, rig.ran[QUEUE_TARGET]);
    queue_rig_stop(&rig);
}

LOCAL_TEST(no_more_run_at_a_time_than_there_are_slots)
{
    struct queue_rig rig = { 0 };
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    for (int i = 0; i < 9; i++)
        queue_rig_add(&rig, task, "hold");
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_RUNNING, 4);
    settle();
    CHECK_EQ(5, queue_rig_count(&rig, task, QUEUE_TARGET, STORE_JOB_QUEUED));
    CHECK_OK(wr_once_set(rig.gate, NULL));
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_COMPLETED, 9);
    CHECK_EQ(4, rig.most_at_once);
    queue_rig_stop(&rig);
}

LOCAL_TEST(more_slots_are_used_when_there_may_be_more)
{
    struct queue_rig rig = { 0 };
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    for (int i = 0; i < 9; i++)
        queue_rig_add(&rig, task, "hold");
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_RUNNING, 4);
    queue_tune(rig.queue, (const unsigned[QUEUE_SLOTS]){ 1, 1, 6, 8 }, false);
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_RUNNING, 6);
    CHECK_OK(wr_once_set(rig.gate, NULL));
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_COMPLETED, 9);
    queue_rig_stop(&rig);
}

STORE_TEST(follow_up_jobs_run_and_their_parent_is_finished)
{
    struct queue_rig rig = { 0 };
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    queue_rig_add(&rig, task, "chain");
    queue_rig_until(&rig, task, QUEUE_CITATIONS, STORE_JOB_COMPLETED, 1);
    queue_rig_until(&rig, task, QUEUE_VERIFY, STORE_JOB_COMPLETED, 1);
    CHECK_EQ(1, queue_rig_count(&rig, task, QUEUE_TARGET, STORE_JOB_COMPLETED));
    queue_rig_stop(&rig);
}

static wr_err break_down(void *arg, struct queue_work *work)
{
    (void)arg;
    return queue_work_fail(work, WR_IO, "PIPELINE_ERROR", "it does not work");
}

STORE_TEST(what_follows_may_fail_and_its_target_is_completed)
{
    struct queue_rig rig = { 0 };
    rig.handlers[QUEUE_TARGET] = (struct queue_handler){ queue_rig_target, &rig, 0 };
    rig.handlers[QUEUE_CITATIONS] = (struct queue_handler){ break_down, &rig, 0 };
    rig.handlers[QUEUE_VERIFY] = (struct queue_handler){ break_down, &rig, 0 };
    queue_rig_begin(&rig, store);
    const char *task = queue_rig_task(&rig);
    queue_rig_add(&rig, task, "chain");
    queue_rig_until(&rig, task, QUEUE_CITATIONS, STORE_JOB_FAILED, 1);
    queue_rig_until(&rig, task, QUEUE_VERIFY, STORE_JOB_FAILED, 1);
    CHECK_EQ(1, queue_rig_count(&rig, task, QUEUE_TARGET, STORE_JOB_COMPLETED));
    CHECK_STR("{\"ok\":true}", error_of(&rig, task, STORE_JOB_COMPLETED, true));
    queue_rig_stop(&rig);
}

STORE_TEST(a_job_that_fails_with_half_a_character_has_failed)
{
    struct queue_rig rig = { 0 };
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    queue_rig_add(&rig, task, "half");
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_FAILED, 1);
    queue_rig_stop(&rig);
}

/* A file takes any bytes. */
SERVER_TEST(a_job_whose_result_the_store_refuses_has_failed)
{
    struct queue_rig queue = { 0 };
    queue_rig_start(&queue, rig->store);
    const char *task = queue_rig_task(&queue);
    queue_rig_add(&queue, task, "bytes");
    queue_rig_until(&queue, task, QUEUE_TARGET, STORE_JOB_FAILED, 1);
    queue_rig_stop(&queue);
}

/* ---- not now ---- */

LOCAL_TEST(a_job_that_puts_itself_off_comes_back_at_its_time_and_holds_no_slot_until_then)
{
    struct queue_rig rig = { 0 };
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    long long put_off = counted("put_off");
    wr_time begun = wr_now();
    for (int i = 0; i < 4; i++)                     /* as many as there are slots */
        queue_rig_add(&rig, task, "later");
    queue_rig_add(&rig, task, "ok");
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_COMPLETED, 1);
    CHECK(wr_now() - begun < WR_S(1));
    CHECK_EQ(4, queue_rig_count(&rig, task, QUEUE_TARGET, STORE_JOB_QUEUED));
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_COMPLETED, 5);
    CHECK(wr_now() - begun >= WR_S(40) && wr_now() - begun < WR_S(42));
    CHECK_EQ(4 * 3 + 1, rig.ran[QUEUE_TARGET]);
    CHECK_EQ(8, counted("put_off") - put_off);
    queue_rig_stop(&rig);
}

LOCAL_TEST(what_is_put_off_can_be_stopped)
{
    struct queue_stopped stopped = { 0 };
    struct queue_why why = { 0 };
    struct queue_rig rig = { 0 };
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    queue_rig_add(&rig, task, "later");
    settle();
    CHECK_EQ(1, queue_rig_count(&rig, task, QUEUE_TARGET, STORE_JOB_QUEUED));
    CHECK_OK(queue_stop(rig.queue, task, &(struct queue_stop){
        .mode = QUEUE_GRACEFUL, .reason = "user_cancelled" }, &stopped, &why, SOON));
    CHECK_OK(wr_sleep(wr_after(WR_S(60))));
    CHECK_EQ(1, queue_rig_count(&rig, task, QUEUE_TARGET, STORE_JOB_CANCELED));
    CHECK_EQ(1, rig.ran[QUEUE_TARGET]);
    queue_rig_stop(&rig);
}

LOCAL_TEST(a_job_whose_store_was_away_is_tried_again_once)
{
    struct queue_rig rig = { 0 };
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    queue_rig_add(&rig, task, "away");
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_COMPLETED, 1);
    CHECK_EQ(2, rig.ran[QUEUE_TARGET]);
    queue_rig_add(&rig, task, "lock");              /* the store let it wait too long */
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_COMPLETED, 2);
    CHECK_EQ(4, rig.ran[QUEUE_TARGET]);
    queue_rig_add(&rig, task, "gone");
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_FAILED, 1);
    CHECK_EQ(6, rig.ran[QUEUE_TARGET]);
    CHECK_STR("PIPELINE_ERROR: the store could not be used, and not when it was tried again; "
              "the log of the node says why", error_of(&rig, task, STORE_JOB_FAILED, false));
    queue_rig_stop(&rig);
}

/* ---- leases ---- */

LOCAL_TEST(a_lease_is_renewed_for_as_long_as_the_job_runs)
{
    struct queue_rig rig = { .conf = { .lease = WR_S(3) } };
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    queue_rig_add(&rig, task, "hold");
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_RUNNING, 1);
    CHECK_OK(wr_sleep(wr_after(WR_S(60))));
    CHECK_OK(wr_once_set(rig.gate, NULL));
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_COMPLETED, 1);
    CHECK_EQ(1, rig.ran[QUEUE_TARGET]);
    queue_rig_stop(&rig);
}

/* What a node that died has left. */
static void leave_running_on(struct store *store, const char *task, const char *id,
                             const char *slot, wr_time lease)
{
    struct store_submitted took;
    struct store_jobs jobs;
    char rows[120];
    snprintf(rows, sizeof(rows), "[[\"%s\",\"target_queue\",\"%s\",1,null,{}]]", id, slot);
    CHECK_OK(store_task_submit(store, task, rows, queue_slot_names, &took, SOON));
    store_submitted_free(&took);
    CHECK_OK(store_job_claim(store, &(struct store_job_claim){
        .slot = slot, .max = 1, .lease = lease }, &jobs, SOON));
    CHECK_EQ(1, jobs.count);
    store_jobs_free(&jobs);
}

static void leave_running(struct store *store, const char *task, const char *id)
{
    leave_running_on(store, task, id, "network_client", WR_S(30));
}

LOCAL_TEST(what_another_node_leaves_is_found_in_two_leases_also_by_one_that_was_idle)
{
    struct queue_rig rig = { .conf = { .lease = WR_S(3) } };
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));          /* it has looked, and there was nothing */
    leave_running_on(store, task, "a", "gpu", WR_S(3));     /* where we take none ourselves */
    CHECK_OK(wr_sleep(wr_after(WR_S(2))));
    CHECK_EQ(1, queue_rig_count(&rig, task, QUEUE_TARGET, STORE_JOB_RUNNING));
    CHECK_OK(wr_sleep(wr_after(WR_S(4) + WR_MS(100))));
    CHECK_EQ(1, queue_rig_count(&rig, task, QUEUE_TARGET, STORE_JOB_QUEUED));
    queue_rig_stop(&rig);
}

LOCAL_TEST(what_a_dead_process_left_in_a_file_is_done_at_once)
{
    struct queue_rig rig = { 0 };
    CHECK_OK(store_task_add(store, &(struct store_task_new){
        .id = "task_1", .hypothesis = "h", .pages_max = 1, .seconds_max = 99 }, SOON));
    leave_running(store, "task_1", "a");
    wr_time begun = wr_now();
    queue_rig_start(&rig, store);
    queue_rig_until(&rig, "task_1", QUEUE_TARGET, STORE_JOB_COMPLETED, 1);
    CHECK(wr_now() - begun < WR_S(1));
    queue_rig_stop(&rig);
}

LOCAL_TEST(what_others_have_taken_over_is_not_counted_as_done)
{
    struct queue_rig rig = { 0 };
    struct store_jobs jobs;
    wr_time next;
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    for (int i = 0; i < 4; i++)                     /* as many as there are slots */
        queue_rig_add(&rig, task, "hold");
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_RUNNING, 4);
    long long completed = counted("completed"), interrupted = counted("interrupted");
    CHECK_OK(store_job_disown(store, SOON));
    CHECK_OK(store_job_expire(store, &jobs, &next, SOON));
    store_jobs_free(&jobs);
    CHECK_OK(store_job_claim(store, &(struct store_job_claim){
        .slot = "network_client", .max = 4, .lease = WR_S(30) }, &jobs, SOON));
    CHECK_EQ(4, jobs.count);
    store_jobs_free(&jobs);
    CHECK_OK(wr_once_set(rig.gate, NULL));
    rig_settle();
    CHECK_EQ(4, queue_rig_count(&rig, task, QUEUE_TARGET, STORE_JOB_RUNNING));
    CHECK_EQ(completed, counted("completed"));
    CHECK_EQ(interrupted + 4, counted("interrupted"));
    queue_rig_stop(&rig);
}

LOCAL_TEST(a_job_that_has_killed_its_node_twice_has_failed)
{
    struct queue_rig rig = { 0 };
    struct store_jobs jobs;
    CHECK_OK(store_task_add(store, &(struct store_task_new){
        .id = "task_1", .hypothesis = "h", .pages_max = 1, .seconds_max = 99 }, SOON));
    leave_running(store, "task_1", "a");
    CHECK_OK(store_job_disown(store, SOON));
    wr_time next;
    CHECK_OK(store_job_expire(store, &jobs, &next, SOON));
    store_jobs_free(&jobs);
    CHECK_OK(store_job_claim(store, &(struct store_job_claim){
        .slot = "network_client", .max = 1, .lease = WR_S(30) }, &jobs, SOON));
    CHECK_EQ(1, jobs.count);
    store_jobs_free(&jobs);
    queue_rig_start(&rig, store);
    queue_rig_until(&rig, "task_1", QUEUE_TARGET, STORE_JOB_FAILED, 1);
    CHECK_EQ(0, rig.ran[QUEUE_TARGET]);
    CHECK_STR("WORKER_LOST: its lease ran out, and no attempt is left",
              error_of(&rig, "task_1", STORE_JOB_FAILED, false));
    queue_rig_stop(&rig);
}

/* ---- the end ---- */

STORE_TEST(in_a_drain_what_runs_has_a_moment_to_finish)
{
    struct queue_rig rig = { .moment = WR_S(5) };
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    queue_rig_add(&rig, task, "hold");
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_RUNNING, 1);
    CHECK_OK(wr_once_set(rig.drain, NULL));
    rig_settle();
    queue_rig_add(&rig, task, "ok");                    /* which is not begun any more */
    rig_settle();
    CHECK_OK(wr_once_set(rig.gate, NULL));
    scope_done(rig.scope);
    CHECK_EQ(1, queue_rig_count(&rig, task, QUEUE_TARGET, STORE_JOB_COMPLETED));
    CHECK_EQ(1, queue_rig_count(&rig, task, QUEUE_TARGET, STORE_JOB_QUEUED));
    queue_rig_free(&rig);
}

STORE_TEST(what_has_not_finished_by_then_is_queued_again_and_nothing_is_counted)
{
    struct queue_rig rig = { .moment = WR_MS(50) };
    struct store_jobs jobs;
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    for (int i = 0; i < 5; i++)
        queue_rig_add(&rig, task, "hold");
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_RUNNING, 4);
    queue_rig_drain(&rig);
    CHECK_EQ(4, rig.ran[QUEUE_TARGET]);                 /* nothing new was begun */
    CHECK_EQ(5, queue_rig_count(&rig, task, QUEUE_TARGET, STORE_JOB_QUEUED));
    queue_rig_free(&rig);
    for (uint32_t attempt = 2; attempt < 6; attempt++) {
        CHECK_OK(store_job_claim(store, &(struct store_job_claim){
            .slot = "network_client", .max = 1, .lease = WR_S(30) }, &jobs, SOON));
        CHECK_EQ(attempt, jobs.jobs[0].attempt);
        CHECK_OK(store_job_requeue(store, jobs.jobs[0].id, attempt, false, SOON));
        store_jobs_free(&jobs);
    }
    wr_time next;                   /* it has both of its attempts still */
    CHECK_OK(store_job_claim(store, &(struct store_job_claim){
        .slot = "network_client", .max = 1, .lease = WR_S(30) }, &jobs, SOON));
    store_jobs_free(&jobs);
    pass(WR_S(31));
    CHECK_OK(store_job_expire(store, &jobs, &next, SOON));
    CHECK_EQ(1, jobs.count);
    CHECK_EQ(STORE_JOB_QUEUED, jobs.jobs[0].state);
    store_jobs_free(&jobs);
}
