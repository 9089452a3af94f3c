#include <stdatomic.h>
#include <string.h>

#include <weir/chan.h>
#include <weir/run.h>
#include <weir/scope.h>
#include <weir/select.h>
#include <weir/sup.h>
#include <weir/task.h>

#include "testing/test.h"

/* ---- workers that are killed while they work ---- */

#define WORKERS 20
#define KILLED_PER_ROUND 2
#define ROUNDS 80               /* one each 250 ms, so twenty seconds */
#define VICTIMS 4               /* each is hit every half second */
#define DEATHS 6                /* of each: with the longest pauses they take 16 seconds */
#define PANIC_EVERY 8           /* kills; the others return an error */

struct farm {
    struct wr_chan *jobs;
    struct wr_sup *sup;
    _Atomic uint64_t made, refused, done, failed;
    struct worker { struct farm *farm; _Atomic int orders; } workers[WORKERS];
};

enum { LIVE, FAIL, PANIC };

static wr_err work(void *arg, struct wr_once *drain)
{
    struct worker *worker = arg;
    struct farm *farm = worker->farm;
    int job;
    struct wr_case cases[] = { WR_CASE_RECV(farm->jobs, &job), WR_CASE_ONCE(drain, NULL) };
    size_t which;
    wr_err err;
    while (!(err = wr_select(&which, cases, 2, WR_NEVER)) && which == 0) {
        if ((err = wr_sleep(wr_after(WR_MS(9)))))
            return err;
        int order = atomic_exchange(&worker->orders, LIVE);
        atomic_fetch_add(order == LIVE ? &farm->done : &farm->failed, 1);
        if (order == PANIC)
            wr_panic("killed at work");
        if (order == FAIL)
            return WR_IO;
    }
    return err;
}

static wr_err make(void *arg, struct wr_once *drain)
{
    struct farm *farm = arg;
    while (!wr_once_done(drain)) {
        if (wr_chan_send(farm->jobs, &(int){ 1 }, WR_NOW))
            farm->refused++;
        farm->made++;
        wr_err err = wr_sleep(wr_after(WR_MS(1)));
        if (err)
            return err;
    }
    return WR_OK;
}

static wr_err run_sup(void *arg)
{
    struct farm *farm = arg;
    return wr_sup_run(farm->sup);
}

static unsigned count_health(struct farm *farm, enum wr_health health)
{
    unsigned count = 0;
    for (size_t i = 0; i < WORKERS; i++)
        count += wr_sup_stat(farm->sup, i).health == health;
    return count;
}

/* The same few are hit again and again, so that they become degraded: five
 * restarts are allowed in a minute, and the sixth death is one too many. */
static void kill_some(struct farm *farm, int round)
{
    for (int i = 0; i < KILLED_PER_ROUND; i++) {
        int kill = round * KILLED_PER_ROUND + i;
        struct worker *worker = &farm->workers[kill % VICTIMS];
        atomic_store(&worker->orders, kill % PANIC_EVERY ? FAIL : PANIC);
    }
}

TEST(workers_killed_under_load_are_degraded_then_ready_and_every_job_is_accounted_for)
{
    static struct farm farm;
    static struct wr_child children[WORKERS + 1];
    struct wr_scope *scope;
    memset(&farm, 0, sizeof(farm));
    for (size_t i = 0; i < WORKERS; i++) {
        farm.workers[i].farm = &farm;
        children[i] = (struct wr_child){ "farm.worker", work, &farm.workers[i],
                                         WR_RESTART_ALWAYS, .group = 0 };
    }
    children[WORKERS] = (struct wr_child){ "farm.maker", make, &farm, WR_RESTART_ALWAYS,
                                           .group = 1 };
    REQUIRE_OK(wr_chan_new(&farm.jobs, &(struct wr_chan_conf){
        .name = "farm.jobs", .item_size = sizeof(int), .cap = 512, .policy = WR_REJECT }));
    REQUIRE_OK(wr_sup_new(&farm.sup, &(struct wr_sup_conf){
        .name = "farm", .children = children, .count = WORKERS + 1, .quiet = true }));
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "farm",
                                                             .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(scope, "test.farm", run_sup, &farm));

    unsigned degraded = 0;
    for (int round = 0; round < ROUNDS; round++) {
        CHECK_OK(wr_sleep(wr_after(WR_MS(250))));
        kill_some(&farm, round);
        unsigned now = count_health(&farm, WR_HEALTH_DEGRADED);
        degraded = now > degraded ? now : degraded;
    }
    CHECK_EQ(VICTIMS, degraded);
    CHECK_OK(wr_sleep(wr_after(WR_S(80))));
    CHECK_EQ(WORKERS, count_health(&farm, WR_HEALTH_READY));

    wr_sup_stop(farm.sup);
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_OK(wr_scope_close(scope));
    CHECK(farm.failed >= (uint64_t)VICTIMS * DEATHS);
    CHECK(farm.done > 50000);
    CHECK_EQ(farm.made, farm.refused + farm.done + farm.failed);
    wr_sup_free(farm.sup);
    wr_chan_free(farm.jobs);
}

/* ---- a run that has no task left for a child ---- */

static wr_err hog(void *arg)
{
    (void)arg;
    return wr_sleep(wr_after(WR_S(2)));
}

static wr_err just_wait(void *arg, struct wr_once *drain)
{
    atomic_fetch_add((_Atomic int *)arg, 1);
    return wr_once_wait(drain, NULL, WR_NEVER);
}

static wr_err look_and_stop(void *arg)
{
    wr_err err = wr_sleep(wr_after(WR_S(1)));
    struct wr_child_stat stat = wr_sup_stat(arg, 0);
    CHECK_EQ(WR_CHILD_BACKOFF, stat.state);
    CHECK_ERR(WR_BUSY, stat.err);
    err = err ? err : wr_sleep(wr_after(WR_S(30)));
    wr_sup_stop(arg);
    return err;
}

/* Two hogs hold the places of a keeper and its child for two seconds. */
static wr_err crowd(void *arg)
{
    static _Atomic int begun;
    begun = 0;
    const struct wr_child children[] = {
        { "crowd.child", just_wait, &begun, WR_RESTART_ALWAYS, .group = 0 },
    };
    struct wr_sup *sup;
    struct wr_scope *scope;
    REQUIRE_OK(wr_sup_new(&sup, &(struct wr_sup_conf){
        .name = "crowd", .children = children, .count = 1, .quiet = true,
        .restarts_max = 100 }), WR_NOMEM);
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "crowd",
                                                             .deadline = WR_NEVER }), WR_NOMEM);
    CHECK_OK(wr_scope_go(scope, "crowd.end", look_and_stop, sup));
    for (int i = 0; i < *(int *)arg; i++)
        CHECK_OK(wr_scope_go(scope, "crowd.hog", hog, NULL));
    CHECK_OK(wr_sup_run(sup));
    CHECK_EQ(1, begun);
    CHECK(wr_sup_stat(sup, 0).restarts > 0);
    CHECK_ERR(WR_OK, wr_sup_stat(sup, 0).err);
    wr_sup_free(sup);
    return wr_scope_close(scope);
}

TEST_PLAIN(a_child_that_cannot_be_started_is_tried_again_as_one_that_failed)
{
    /* Room for: the end, the hogs, and one or none of keeper and child. */
    for (int hogs = 1; hogs <= 2; hogs++)
        CHECK_OK(wr_run(&(struct wr_run_conf){ .virtual_clock = true, .tasks_max = 3 }, crowd,
                        &hogs));
}
