/* scenario_store.c - jobs in a store on a disk that fails, through several lives of a process.
 *
 * Clients queue jobs, claim, keep, finish and give them up, over SQLite on a disk in memory
 * (store/disk.h).  A life ends when the process is killed or the power goes, at any change to
 * the disk; or the disk is full, read-only or fails once, until it is mended.  The next life
 * opens what was left.  Whatever happens: the file opens and is sound; what was acknowledged is
 * there; a job that was finished is never claimed again; in the end every job is done, once.
 *
 * A life that ends closes its store, which changes nothing on a dead disk: so nothing is left
 * in memory of it either.
 */
#include <stdio.h>
#include <stdlib.h>

#include "scenario/scenarios.h"
#include "store/disk.h"
#include "store/job.h"

#define DISK "sim.disk"
#define CLIENTS 3
#define JOBS 24
#define LIVES 3
#define TURNS 16                /* of a client, in a life */
#define SOON wr_after(WR_S(60))

struct entry {
    bool busy;                  /* somebody is about to queue it */
    bool tried, added;          /* was to be queued; is for sure */
    bool ending, ended;         /* the same of its end */
};

struct keeping {
    struct disk *disk;
    struct store *store;
    struct entry jobs[JOBS];
    bool mortal;                /* the fault of this life ends it */
    bool over;
    uint64_t life;
    uint64_t added, claimed, ended, expired, failed;
    const char *wrong;
};

static void name_of(char id[16], size_t number)
{
    snprintf(id, 16, "job-%05zu", number);
}

/* A failure that is not known to be one; of a life that ends, its end. */
static wr_err failed(struct keeping *keeping, wr_err err)
{
    if (err != WR_IO)
        return err;
    keeping->failed++;
    keeping->over |= keeping->mortal;
    return WR_IO;
}

/* ---- what clients do ---- */

/* One that nobody has tried, or of which it is not known whether it was queued: its id makes
 * sure that it is not there twice. */
static void add_one(struct keeping *keeping)
{
    size_t number = 0;
    char id[16];
    while (number < JOBS && (keeping->jobs[number].added || keeping->jobs[number].busy))
        number++;
    if (number == JOBS)
        return;
    struct entry *entry = &keeping->jobs[number];
    name_of(id, number);
    bool tried = entry->tried;
    entry->tried = entry->busy = true;
    wr_err err = failed(keeping, store_job_add(keeping->store, &(struct store_job_new){
        .id = id, .task = "t", .kind = "k", .slot = "s", .priority = (int32_t)(number % 3),
        .unique = id, .attempts_max = 1000 }, SOON));
    WR_ASSERT(!err || err == WR_IO || (err == WR_EXISTS && tried));
    entry->busy = false;
    keeping->added += !err;
    entry->added |= err != WR_IO;
}

static void finish(struct keeping *keeping, const struct store_job *job, struct entry *entry)
{
    entry->ending = true;
    wr_err err = failed(keeping, store_job_finish(keeping->store, job->id, job->attempt,
        &(struct store_job_end){ .state = STORE_JOB_COMPLETED }, SOON));
    WR_ASSERT(!err || err == WR_IO || err == WR_NOTFOUND);
    if (err)
        return;
    if (entry->ended)
        keeping->wrong = "a job was finished twice";
    entry->ended = true;
    keeping->ended++;
}

/* Claim one, perhaps take too long, perhaps keep it, perhaps give it up. */
static void work_on_one(struct keeping *keeping)
{
    struct store_jobs jobs;
    wr_err err = failed(keeping, store_job_claim(keeping->store, &(struct store_job_claim){
        .slot = "s", .max = 1, .lease = WR_MS(200) }, &jobs,
                                                 SOON));
    WR_ASSERT(!err || err == WR_IO);
    if (!err && jobs.count) {
        const struct store_job *job = &jobs.jobs[0];
        size_t number = strtoul(job->id + 4, NULL, 10);
        struct entry *entry = &keeping->jobs[number];
        keeping->claimed++;
        if (entry->ended)
            keeping->wrong = "a job that was finished is claimed again";
        if (wr_sim_below(3) == 0)
            MUST(wr_sleep(some_time(WR_MS(400))));
        struct store_job_held held = { job->id, job->attempt, false };
        if (wr_sim_below(3) == 0)
            (void)!failed(keeping, store_job_beat(keeping->store, &held, 1, WR_MS(200), SOON));
        if (wr_sim_below(5) == 0)
            (void)!failed(keeping, store_job_requeue(keeping->store, job->id, job->attempt,
                                                     wr_sim_below(2), SOON));
        else
            finish(keeping, job, entry);
    }
    store_jobs_free(&jobs);
}

/* How long until the next lease runs out. */
static wr_time expire_some(struct keeping *keeping)
{
    struct store_jobs jobs;
    wr_time next = WR_NEVER;
    if (!failed(keeping, store_job_expire(keeping->store, &jobs, &next, SOON)))
        keeping->expired += jobs.count;
    store_jobs_free(&jobs);
    return next;
}

static wr_err client(void *arg)
{
    struct keeping *keeping = arg;
    for (int i = 0; i < TURNS && !keeping->over; i++) {
        uint64_t what = wr_sim_below(8);
        if (what < 3)
            add_one(keeping);
        else if (what < 7)
            work_on_one(keeping);
        else
            (void)expire_some(keeping);
        MUST(wr_sleep(some_time(WR_MS(50))));
    }
    return WR_OK;
}

static wr_err mend(void *arg)
{
    struct keeping *keeping = arg;
    MUST(wr_sleep(some_time(WR_S(2))));
    if (!keeping->mortal)
        disk_mend(keeping->disk);
    return WR_OK;
}

/* ---- lives ---- */

static void break_disk(struct keeping *keeping)
{
    static const struct { const char *name; enum disk_fault fault; } faults[] = {
        { "kill", DISK_KILL }, { "power", DISK_POWER }, { "full disk", DISK_FULL },
        { "read-only disk", DISK_DENIED }, { "disk error", DISK_ERROR },
    };
    uint64_t which = wr_sim_below(5);
    keeping->mortal = false;
    if (!wr_sim_fault(faults[which].name, 2))
        return;
    keeping->mortal = which < 2;
    disk_break(keeping->disk, faults[which].fault, wr_sim_below(60));
}

static wr_err open_store(struct keeping *keeping)
{
    struct store_why why;
    return store_open(&keeping->store, &(struct store_conf){
        .url = "sqlite:/weir.db", .disk = DISK, .readers = 1,
        .read_max = WR_S(60) }, &why, SOON);            /* time passes while one reads */
}

static void live(struct keeping *keeping)
{
    struct wr_scope *scope = scope_named("store.clients");
    for (int i = 0; i < CLIENTS; i++)
        MUST(wr_scope_go(scope, "store.client", client, keeping));
    MUST(wr_scope_go(scope, "store.mender", mend, keeping));
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));
}

/* The end of a life, however it came; what is left is for the next. */
static void end_life(struct keeping *keeping)
{
    store_close(keeping->store, SOON);
    keeping->store = NULL;
    disk_mend(keeping->disk);
    disk_restart(keeping->disk);
}

/* Everything that was said to be there is there. */
static void look_for_all(struct keeping *keeping)
{
    struct store_why why;
    MUST(store_check(keeping->store, &why, SOON));
    for (size_t i = 0; i < JOBS; i++) {
        const struct entry *entry = &keeping->jobs[i];
        char id[16];
        struct store_jobs jobs;
        name_of(id, i);
        wr_err err = store_job_get(keeping->store, id, &jobs, SOON);
        WR_ASSERT(!err || err == WR_NOTFOUND);
        bool done = jobs.count && jobs.jobs[0].state == STORE_JOB_COMPLETED;
        if (entry->added && err)
            keeping->wrong = "an acknowledged job is lost";
        if (!entry->tried && !err)
            keeping->wrong = "a job is there that nobody has queued";
        if (entry->ended && !done)
            keeping->wrong = "an acknowledged end is lost";
        if (!entry->ending && done)
            keeping->wrong = "a job is finished that nobody has finished";
        store_jobs_free(&jobs);
    }
}

static void claim_and_finish_all(struct keeping *keeping)
{
    struct store_jobs jobs;
    MUST(store_job_claim(keeping->store, &(struct store_job_claim){
        .slot = "s", .max = STORE_JOB_CLAIM_MAX, .lease = WR_S(600) }, &jobs, SOON));
    for (size_t i = 0; i < jobs.count; i++)
        finish(keeping, &jobs.jobs[i],
               &keeping->jobs[strtoul(jobs.jobs[i].id + 4, NULL, 10)]);
    store_jobs_free(&jobs);
}

static bool all_done(struct keeping *keeping)
{
    bool done = true;
    for (size_t i = 0; i < JOBS && done; i++) {
        struct store_jobs jobs;
        char id[16];
        name_of(id, i);
        MUST(store_job_get(keeping->store, id, &jobs, SOON));
        WR_ASSERT(jobs.count == 1);
        done = jobs.jobs[0].state == STORE_JOB_COMPLETED;
        store_jobs_free(&jobs);
    }
    return done;
}

/* The last life is a good one: all jobs are queued, and all are finished.  A calendar that was
 * set back makes a lease of the dead last longer; one that is set ahead ends a lease of the
 * living. */
static void finish_all(struct keeping *keeping)
{
    for (int i = 0; i < JOBS; i++)
        add_one(keeping);
    for (;;) {
        wr_time next = expire_some(keeping);
        claim_and_finish_all(keeping);
        if (all_done(keeping))
            break;
        MUST(wr_sleep(wr_after(next == WR_NEVER ? WR_S(1) : next)));
    }
}

static wr_err run(void *arg)
{
    struct keeping *keeping = arg;
    MUST(disk_new(&keeping->disk, DISK, wr_sim_below(1 << 30)));
    for (; keeping->life < LIVES; keeping->life++) {
        keeping->over = false;
        break_disk(keeping);
        wr_err err = open_store(keeping);
        if (!err)
            live(keeping);
        end_life(keeping);
        MUST(open_store(keeping));
        look_for_all(keeping);
        end_life(keeping);
    }
    MUST(open_store(keeping));
    finish_all(keeping);
    look_for_all(keeping);
    store_close(keeping->store, SOON);
    disk_free(keeping->disk);
    return WR_OK;
}

static const char *invariant(void *arg)
{
    return ((const struct keeping *)arg)->wrong;
}

static uint64_t state(void *arg)
{
    const struct keeping *keeping = arg;
    uint64_t state = state_mix(state_mix(0, keeping->life), keeping->added);
    state = state_mix(state_mix(state, keeping->claimed), keeping->ended);
    return state_mix(state_mix(state, keeping->expired), keeping->failed);
}

const struct scenario wr_scenario_store = {
    .name = "store",
    .what = "jobs on a disk that fails, through several lives: nothing lost, nothing twice",
    .size = sizeof(struct keeping), .run = run, .invariant = invariant, .state = state,
    .faults = WR_SIM_SLOW | WR_SIM_WALL,
};
