#include "store/job.h"

#include <stdio.h>

#include "base/world.h"
#include "store/task.h"
#include "testing/store_rig.h"

#define SOON wr_after(WR_S(5))
#define LEASE WR_S(30)
#define SPAN WR_S(10)

static const char *const slots[] = { "net", NULL };

/* The jobs "a" and "b" of the task "t". */
static void queue_two(struct store *store)
{
    struct store_submitted took;
    CHECK_OK(store_task_add(store, &(struct store_task_new){
        .id = "t", .hypothesis = "h", .pages_max = 1, .seconds_max = 99 }, SOON));
    CHECK_OK(store_task_submit(store, "t", "[[\"a\",\"target_queue\",\"net\",1,null,{}],"
                               "[\"b\",\"target_queue\",\"net\",1,null,{}]]", slots, &took,
                               SOON));
    store_submitted_free(&took);
}

/* Claim one: its attempt, and its id in `ret`; 0: there is none. */
static uint32_t claim(struct store *store, char ret[STORE_JOB_ID_MAX + 1])
{
    struct store_jobs jobs;
    CHECK_OK(store_job_claim(store, &(struct store_job_claim){
        .slot = "net", .max = 1, .lease = LEASE }, &jobs, SOON));
    uint32_t attempt = jobs.count ? jobs.jobs[0].attempt : 0;
    snprintf(ret, STORE_JOB_ID_MAX + 1, "%s", jobs.count ? jobs.jobs[0].id : "");
    store_jobs_free(&jobs);
    return attempt;
}

static size_t expire(struct store *store, wr_time *ret_next)
{
    struct store_jobs jobs;
    CHECK_OK(store_job_expire(store, &jobs, ret_next, SOON));
    size_t count = jobs.count;
    for (size_t i = 0; i < count; i++)
        CHECK_EQ(STORE_JOB_QUEUED, jobs.jobs[i].state);
    store_jobs_free(&jobs);
    return count;
}

static enum store_job_state state_of(struct store *store, const char *id)
{
    struct store_jobs jobs;
    CHECK_OK(store_job_get(store, id, &jobs, SOON));
    enum store_job_state state = jobs.jobs[0].state;
    store_jobs_free(&jobs);
    return state;
}

STORE_TEST(what_is_put_off_is_queued_but_claimed_only_when_it_is_due)
{
    char id[STORE_JOB_ID_MAX + 1];
    struct store_counts counts;
    wr_time next;
    queue_two(store);
    CHECK_EQ(1, claim(store, id));
    CHECK_OK(store_job_put_off(store, "a", 1, SPAN, false, SOON));
    CHECK_EQ(STORE_JOB_QUEUED, state_of(store, "a"));
    CHECK_OK(store_task_count(store, "t", &counts, SOON));
    CHECK_EQ(2, counts.counts[0].jobs[STORE_JOB_QUEUED]);
    CHECK_EQ(1, claim(store, id));
    CHECK_STR("b", id);
    CHECK_EQ(0, expire(store, &next));
    CHECK_EQ(SPAN, next);
    pass(SPAN);
    CHECK_EQ(1, expire(store, &next));
    CHECK_EQ(LEASE - SPAN, next);                   /* that of b */
    CHECK_EQ(2, claim(store, id));
    CHECK_STR("a", id);
}

STORE_TEST(what_was_put_off_has_its_old_place_and_all_of_its_attempts)
{
    char id[STORE_JOB_ID_MAX + 1];
    wr_time next;
    queue_two(store);
    for (uint32_t attempt = 1; attempt <= 5; attempt++) {
        CHECK_EQ(attempt, claim(store, id));
        CHECK_STR("a", id);                         /* before b, each time */
        CHECK_OK(store_job_put_off(store, "a", attempt, 0, false, SOON));
        CHECK_ERR(WR_NOTFOUND, store_job_put_off(store, "a", attempt, 0, false, SOON));
        CHECK_EQ(1, expire(store, &next));
        CHECK_EQ(WR_NEVER, next);
    }
}

STORE_TEST(who_puts_off_and_counts_it_can_do_so_while_an_attempt_is_left)
{
    char id[STORE_JOB_ID_MAX + 1];
    wr_time next;
    queue_two(store);
    CHECK_EQ(1, claim(store, id));
    CHECK_OK(store_job_put_off(store, "a", 1, 0, true, SOON));
    CHECK_EQ(1, expire(store, &next));
    CHECK_EQ(2, claim(store, id));
    CHECK_ERR(WR_NOTFOUND, store_job_put_off(store, "a", 2, 0, true, SOON));
    CHECK_EQ(STORE_JOB_RUNNING, state_of(store, "a"));
    CHECK_OK(store_job_finish(store, "a", 2, &(struct store_job_end){
        .state = STORE_JOB_FAILED, .error = "E: it is so" }, SOON));
}

STORE_TEST(a_stop_cancels_what_is_put_off)
{
    char id[STORE_JOB_ID_MAX + 1];
    struct store_counts counts;
    wr_time next;
    queue_two(store);
    CHECK_EQ(1, claim(store, id));
    CHECK_OK(store_job_put_off(store, "a", 1, 0, false, SOON));
    CHECK_OK(store_task_stop(store, "t", &(struct store_task_stop){ .reason = "x" }, &counts,
                             SOON));
    CHECK_EQ(2, counts.counts[0].jobs[STORE_JOB_QUEUED]);
    CHECK_EQ(0, expire(store, &next));
    CHECK_EQ(STORE_JOB_CANCELED, state_of(store, "a"));
}

static const struct wr_world *true_world;

static int64_t wall_before(void)
{
    return true_world->wall() - WR_S(7200);
}

STORE_TEST(a_clock_that_is_set_back_keeps_nothing_away)
{
    true_world = wr_world;
    struct wr_world past = *wr_world;
    past.wall = wall_before;
    char id[STORE_JOB_ID_MAX + 1];
    wr_time next;
    queue_two(store);
    CHECK_EQ(1, claim(store, id));
    pass(WR_S(7200));
    CHECK_EQ(1, expire(store, &next));
    CHECK_EQ(2, claim(store, id));
    CHECK_OK(store_job_put_off(store, "a", 2, SPAN, false, SOON));
    wr_world = &past;
    if (rig_server)
        pass(-WR_S(7200));
    CHECK_EQ(1, expire(store, &next));
    CHECK_EQ(3, claim(store, id));
    wr_world = true_world;
}

/* The task is stopped while "a" runs, which may finish. */
static void stop_gracefully(struct store *store, const char *kind)
{
    char id[STORE_JOB_ID_MAX + 1];
    struct store_counts counts;
    queue_two(store);
    CHECK_EQ(1, claim(store, id));
    CHECK_OK(store_task_stop(store, "t", &(struct store_task_stop){
        .kind = kind, .reason = "x" }, &counts, SOON));
    CHECK_EQ(STORE_JOB_RUNNING, state_of(store, "a"));
}

STORE_TEST(what_would_come_back_into_a_stopped_task_is_canceled)
{
    wr_time next;
    stop_gracefully(store, NULL);
    CHECK_OK(store_job_put_off(store, "a", 1, SPAN, false, SOON));
    CHECK_EQ(STORE_JOB_CANCELED, state_of(store, "a"));
    CHECK_EQ(0, expire(store, &next));
    CHECK_EQ(WR_NEVER, next);
}

STORE_TEST(what_a_drain_gives_back_to_a_task_stopped_for_its_kind_is_canceled)
{
    stop_gracefully(store, "target_queue");
    CHECK_OK(store_job_requeue(store, "a", 1, false, SOON));
    CHECK_EQ(STORE_JOB_CANCELED, state_of(store, "a"));
}

STORE_TEST(what_was_stopped_for_another_kind_comes_back)
{
    stop_gracefully(store, "verify_nli");
    CHECK_OK(store_job_requeue(store, "a", 1, false, SOON));
    CHECK_EQ(STORE_JOB_QUEUED, state_of(store, "a"));
}

STORE_TEST(what_a_dead_node_leaves_of_a_stopped_task_is_canceled)
{
    struct store_jobs jobs;
    wr_time next;
    stop_gracefully(store, NULL);
    pass(LEASE);
    CHECK_OK(store_job_expire(store, &jobs, &next, SOON));
    CHECK_EQ(1, jobs.count);
    CHECK_EQ(STORE_JOB_CANCELED, jobs.jobs[0].state);
    store_jobs_free(&jobs);
    CHECK_OK(store_job_get(store, "a", &jobs, SOON));
    CHECK_STR("CANCELLED: the task was stopped", jobs.jobs[0].error);
    store_jobs_free(&jobs);
}

STORE_TEST(of_what_a_job_queues_only_the_kinds_that_were_not_stopped_are)
{
    struct store_jobs jobs;
    stop_gracefully(store, "target_queue");
    CHECK_OK(store_job_chain(store, "a", 1, "[[\"c\",\"target_queue\",\"net\",1,null,{}],"
                             "[\"v\",\"verify_nli\",\"cpu\",1,null,{}]]", slots, SOON));
    CHECK_ERR(WR_NOTFOUND, store_job_get(store, "c", &jobs, SOON));
    store_jobs_free(&jobs);
    CHECK_EQ(STORE_JOB_QUEUED, state_of(store, "v"));
    CHECK_OK(store_job_finish(store, "a", 1, &(struct store_job_end){
        .state = STORE_JOB_COMPLETED, .slots = slots,
        .next = "[[\"d\",\"target_queue\",\"net\",1,null,{}],"
                "[\"w\",\"verify_nli\",\"cpu\",1,null,{}]]" }, SOON));
    CHECK_ERR(WR_NOTFOUND, store_job_get(store, "d", &jobs, SOON));
    store_jobs_free(&jobs);
    CHECK_EQ(STORE_JOB_QUEUED, state_of(store, "w"));
}

STORE_TEST(who_opens_a_file_anew_does_not_wait_for_what_was_put_off)
{
    char id[STORE_JOB_ID_MAX + 1];
    wr_time next;
    queue_two(store);
    CHECK_EQ(1, claim(store, id));
    CHECK_OK(store_job_put_off(store, "a", 1, WR_S(600), false, SOON));
    CHECK_OK(store_job_disown(store, SOON));
    CHECK_EQ(rig_server ? 0 : 1, expire(store, &next));
}
