/* pool_test.c - work is run once or refused once, whatever happens to workers. */
#include "svc/node/pool.h"

#include <stdatomic.h>

#include <weir/chan.h>
#include <weir/scope.h>
#include <weir/sup.h>
#include <weir/task.h>

#include "testing/test.h"

#define WORKERS 3

struct job {
    wr_time span;
    _Atomic int runs, refusals, cuts;
    wr_err refused_with;
};

static void run_job(void *arg)
{
    struct job *job = arg;
    if (wr_sleep(wr_after(job->span)))
        job->cuts++;
    else
        job->runs++;
}

static void refuse_job(void *arg, wr_err err)
{
    struct job *job = arg;
    job->refused_with = err;
    job->refusals++;
}

static struct work work_of(struct job *job)
{
    return (struct work){ run_job, refuse_job, job };
}

struct crew {
    struct pool *pool;
    struct wr_sup *sup;
    struct wr_scope *scope;
    struct wr_child children[WORKERS];
};

static wr_err supervise(void *arg)
{
    return wr_sup_run(((struct crew *)arg)->sup);
}

static void open_crew(struct crew *crew, size_t cap)
{
    *crew = (struct crew){ 0 };
    CHECK_OK(pool_new(&crew->pool, WORKERS, cap));
    for (size_t i = 0; i < WORKERS; i++)
        crew->children[i] = (struct wr_child){ "node.worker", pool_work,
                                               pool_seat(crew->pool, i), WR_RESTART_ALWAYS,
                                               .group = 0 };
    CHECK_OK(wr_sup_new(&crew->sup, &(struct wr_sup_conf){
        .name = "node", .children = crew->children, .count = WORKERS, .quiet = true }));
    CHECK_OK(wr_scope_new(&crew->scope, &(struct wr_scope_conf){ .name = "test",
                                                                 .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(crew->scope, "test.sup", supervise, crew));
    CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
}

static wr_err close_crew(struct crew *crew)
{
    wr_sup_stop(crew->sup);
    wr_err err = wr_scope_join(crew->scope, WR_NEVER);
    (void)!wr_scope_close(crew->scope);
    pool_close(crew->pool);
    wr_sup_free(crew->sup);
    pool_free(crew->pool);
    return err;
}

TEST(what_is_submitted_is_run_once)
{
    struct crew crew;
    open_crew(&crew, 8);
    struct job jobs[8] = { 0 };
    for (size_t i = 0; i < 8; i++)
        CHECK_OK(pool_submit(crew.pool, &(struct work){ run_job, refuse_job, &jobs[i] }));
    CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    for (size_t i = 0; i < 8; i++)
        CHECK_EQ(1, jobs[i].runs);
    CHECK_OK(close_crew(&crew));
}

TEST(a_full_queue_refuses_at_once_and_drops_nothing)
{
    struct crew crew;
    open_crew(&crew, 4);
    struct job slow = { .span = WR_S(1) }, more = { .span = WR_S(1) };
    struct work first = work_of(&slow), second = work_of(&more);
    for (int i = 0; i < WORKERS; i++)
        CHECK_OK(pool_submit(crew.pool, &first));
    CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    for (int i = 0; i < 4; i++)
        CHECK_OK(pool_submit(crew.pool, &second));
    wr_time before = wr_now();
    CHECK_ERR(WR_BUSY, pool_submit(crew.pool, &second));
    CHECK_EQ(before, wr_now());
    CHECK_OK(close_crew(&crew));
    CHECK_EQ(WORKERS, slow.runs);
    CHECK_EQ(4, more.runs);
    CHECK_EQ(0, slow.refusals + more.refusals);
}

TEST(a_killed_worker_cuts_off_what_it_does_and_comes_back)
{
    struct crew crew;
    open_crew(&crew, 4);
    struct job long_job = { .span = WR_S(1) };
    struct work work = work_of(&long_job);
    for (int i = 0; i < WORKERS; i++)
        CHECK_OK(pool_submit(crew.pool, &work));
    CHECK_OK(wr_sleep(wr_after(WR_MS(10))));
    CHECK_OK(pool_kill(crew.pool, 1));
    CHECK_ERR(WR_NOTFOUND, pool_kill(crew.pool, 1));
    CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    CHECK_EQ(1, long_job.cuts);
    CHECK_EQ(WR_CHILD_BACKOFF, wr_sup_stat(crew.sup, 1).state);
    CHECK_EQ(WR_PANIC, wr_sup_stat(crew.sup, 1).err);
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    CHECK_EQ(WR_CHILD_RUNNING, wr_sup_stat(crew.sup, 1).state);
    CHECK_EQ(WORKERS - 1, long_job.runs);
    CHECK_OK(close_crew(&crew));
}

TEST(the_others_go_on_while_a_worker_is_down)
{
    struct crew crew;
    open_crew(&crew, 4);
    CHECK_OK(pool_kill(crew.pool, 0));
    CHECK_OK(pool_kill(crew.pool, 2));
    CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    struct job job = { .span = WR_MS(5) };
    struct work work = work_of(&job);
    CHECK_OK(pool_submit(crew.pool, &work));
    CHECK_OK(wr_sleep(wr_after(WR_MS(6))));
    CHECK_EQ(1, job.runs);
    CHECK_OK(close_crew(&crew));
}

TEST(what_comes_back_is_taken_by_a_full_queue_and_goes_first)
{
    struct crew crew;
    open_crew(&crew, 2);
    struct job slow = { .span = WR_MS(10) }, back = { .span = WR_MS(5) };
    struct work first = work_of(&slow), again = work_of(&back);
    for (int i = 0; i < WORKERS; i++)
        CHECK_OK(pool_submit(crew.pool, &first));
    CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    for (int i = 0; i < 2; i++)
        CHECK_OK(pool_submit(crew.pool, &first));
    CHECK_ERR(WR_BUSY, pool_submit(crew.pool, &again));
    CHECK_OK(pool_resubmit(crew.pool, &again));
    CHECK_OK(wr_sleep(wr_after(WR_MS(15))));
    CHECK_EQ(1, back.runs);
    CHECK_EQ(WORKERS, slow.runs);
    CHECK_OK(close_crew(&crew));
    CHECK_EQ(WORKERS + 2, slow.runs);
}

TEST(a_drain_runs_what_is_queued)
{
    struct crew crew;
    open_crew(&crew, 16);
    struct job job = { .span = WR_MS(100) };
    struct work work = work_of(&job);
    for (int i = 0; i < 12; i++)
        CHECK_OK(pool_submit(crew.pool, &work));
    CHECK_OK(close_crew(&crew));
    CHECK_EQ(12, job.runs);
}

TEST(what_no_worker_will_take_is_refused_with_draining)
{
    struct crew crew;
    open_crew(&crew, 16);
    struct job job = { .span = WR_S(2) };
    struct work work = work_of(&job);
    for (int i = 0; i < 12; i++)
        CHECK_OK(pool_submit(crew.pool, &work));
    CHECK_ERR(WR_TIMEOUT, close_crew(&crew));
    CHECK_EQ(12, job.runs + job.cuts + job.refusals);
    CHECK(job.refusals > 0);
    CHECK_EQ(WR_DRAINING, job.refused_with);
}

TEST(a_closed_pool_takes_nothing)
{
    struct crew crew;
    open_crew(&crew, 4);
    struct job job = { 0 };
    struct work work = work_of(&job);
    pool_close(crew.pool);
    CHECK_ERR(WR_DRAINING, pool_submit(crew.pool, &work));
    CHECK_OK(close_crew(&crew));
    CHECK_EQ(0, job.runs + job.refusals);
}

/* ---- too much work ---- */

struct offer {
    wr_time span, queued, waited;
    bool ran;
};

static void run_offer(void *arg)
{
    struct offer *offer = arg;
    offer->waited = wr_now() - offer->queued;
    offer->ran = !wr_sleep(wr_after(offer->span));
}

static void refuse_offer(void *arg, wr_err err)
{
    (void)arg;
    (void)err;
}

#define OFFERS 600

struct outcome {
    unsigned taken, full, shed, ran;
    wr_time waited_most;
};

/* Each takes `span`; one comes each `every`. */
static struct outcome offer_work(size_t cap, wr_time span, wr_time every)
{
    static struct offer offers[OFFERS];
    struct outcome outcome = { 0 };
    struct crew crew;
    open_crew(&crew, cap);
    for (size_t i = 0; i < OFFERS; i++) {
        offers[i] = (struct offer){ .span = span, .queued = wr_now() };
        wr_err err = pool_submit(crew.pool, &(struct work){ run_offer, refuse_offer,
                                                            &offers[i] });
        CHECK(err == WR_OK || err == WR_BUSY || err == WR_SHED);
        outcome.taken += !err;
        outcome.full += err == WR_BUSY;
        outcome.shed += err == WR_SHED;
        CHECK_OK(wr_sleep(wr_after(every)));
    }
    CHECK_OK(wr_sleep(wr_after(WR_S(100))));        /* all that was taken is done */
    CHECK_EQ(0, pool_stat(crew.pool).dropped);
    CHECK_OK(close_crew(&crew));
    for (size_t i = 0; i < OFFERS; i++) {
        outcome.ran += offers[i].ran;
        if (offers[i].waited > outcome.waited_most)
            outcome.waited_most = offers[i].waited;
    }
    return outcome;
}

/* Three workers do a piece in 400 ms; twice as much comes, for 40 s.  A plain queue of 512
 * would make everybody wait for 20 s and more. */
TEST(who_would_be_answered_too_late_is_turned_away_and_the_rest_is_done)
{
    struct outcome outcome = offer_work(512, WR_MS(400), WR_MS(400) / 3 / 2);
    CHECK_EQ(0, outcome.full);
    CHECK(outcome.shed > OFFERS / 3);
    CHECK_EQ(outcome.taken, outcome.ran);
    CHECK(outcome.ran >= OFFERS / 2 * 95 / 100);    /* of what can be done */
    CHECK(outcome.waited_most <= WR_S(2));
}

TEST(a_full_queue_that_is_quick_says_busy_and_turns_nobody_away_otherwise)
{
    struct outcome outcome = offer_work(32, WR_MS(5), WR_MS(5) / 3 / 2);
    CHECK(outcome.full > OFFERS / 3);
    CHECK_EQ(0, outcome.shed);
    CHECK_EQ(outcome.taken, outcome.ran);
}

TEST(a_queue_that_is_full_and_slow_is_full)
{
    struct outcome outcome = offer_work(2, WR_S(10), WR_MS(100));
    CHECK(outcome.full > OFFERS / 2);
}
