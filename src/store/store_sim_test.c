/* The whole store in a simulation: one thread, a seeded schedule, a disk in memory.  Clients
 * queue, claim and finish jobs until the power goes; afterwards all is there that they were
 * told of. */
#include <stdio.h>
#include <stdlib.h>

#include <weir/scope.h>
#include <weir/sim.h>

#include "store/disk.h"
#include "store/job.h"
#include "testing/test.h"

#define CLIENTS 6
#define JOBS 40
#define SOON wr_after(WR_S(60))

struct world {
    struct disk *disk;
    struct store *store;
    int next;
    bool added[JOBS], finished[JOBS];
    const char *wrong;
};

static wr_err open_store(struct world *world)
{
    struct store_why why;
    return store_open(&world->store, &(struct store_conf){
        .url = "sqlite:/weir.db", .disk = "sim.disk", .readers = 1 }, &why, SOON);
}

static wr_err one_job(struct world *world, int number)
{
    struct store_jobs jobs = { 0 };
    char id[16];
    snprintf(id, sizeof(id), "job-%05d", number);
    wr_err err = store_job_add(world->store, &(struct store_job_new){
        .id = id, .task = "t", .kind = "k", .slot = "s", .unique = id }, SOON);
    if (err)
        return err;
    world->added[number] = true;
    err = store_job_claim(world->store, "s", 1, WR_S(600), &jobs, SOON);
    if (!err && jobs.count) {
        int claimed = (int)strtol(jobs.jobs[0].id + 4, NULL, 10);
        err = store_job_finish(world->store, jobs.jobs[0].id, jobs.jobs[0].attempt,
                               &(struct store_job_end){ .state = STORE_JOB_COMPLETED }, SOON);
        if (!err && world->finished[claimed])
            world->wrong = "a job was finished twice";
        if (!err)
            world->finished[claimed] = true;
    }
    store_jobs_free(&jobs);
    return err;
}

static wr_err client(void *arg)
{
    struct world *world = arg;
    while (world->next < JOBS)
        if (one_job(world, world->next++))
            break;                              /* the power is gone */
    return WR_OK;
}

static void look_for_all(struct world *world)
{
    for (int i = 0; i < JOBS; i++) {
        char id[16];
        struct store_jobs jobs;
        snprintf(id, sizeof(id), "job-%05d", i);
        wr_err err = store_job_get(world->store, id, &jobs, SOON);
        if (world->added[i] && err)
            world->wrong = "an acknowledged job is lost";
        if (world->finished[i] && (err || jobs.jobs[0].state != STORE_JOB_COMPLETED))
            world->wrong = "an acknowledged end is lost";
        store_jobs_free(&jobs);
    }
}

static wr_err live(void *arg)
{
    struct world *world = arg;
    struct wr_scope *scope;
    *world = (struct world){ 0 };
    wr_err err = disk_new(&world->disk, "sim.disk", wr_sim_below(1 << 30));
    if (err)
        return err;
    disk_break(world->disk, DISK_POWER, 100 + wr_sim_below(1200));
    err = open_store(world);
    if (!err)
        err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "clients",
                                                            .deadline = WR_NEVER });
    for (int i = 0; i < CLIENTS && !err; i++)
        err = wr_scope_go(scope, "sim.client", client, world);
    if (!err) {
        (void)!wr_scope_join(scope, WR_NEVER);
        err = wr_scope_close(scope);
    }
    store_close(world->store, SOON);
    disk_restart(world->disk);
    if (!err)
        err = open_store(world);
    if (!err)
        look_for_all(world);
    store_close(world->store, SOON);
    disk_free(world->disk);
    return err;
}

static const char *what_is_wrong(void *arg)
{
    return ((struct world *)arg)->wrong;
}

TEST_PLAIN(in_every_simulated_order_what_was_acknowledged_survives_the_power)
{
    static struct world world;
    struct wr_sim_result result, again;
    struct wr_sim_conf conf = { .name = "store", .seeds = (uint64_t)test_rounds(100),
                                .faults = WR_SIM_SLOW | WR_SIM_WALL,
                                .invariant = what_is_wrong };
    CHECK_OK(wr_sim_run(&result, &conf, live, &world));
    CHECK_OK(wr_sim_run(&again, &conf, live, &world));
    CHECK_EQ(result.hash, again.hash);              /* and the same order, the same run */
}
