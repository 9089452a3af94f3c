/* What was acknowledged survives; what was not is there whole or not at all; and nothing is
 * finished twice: whichever change to the disk the process or the machine ends at. */
#include <stdatomic.h>
#include <string.h>

#include <weir/scope.h>

#include "store/disk.h"
#include "store/job.h"
#include "testing/settle.h"
#include "testing/store_rig.h"

#define CLIENTS 4
#define JOBS 334                    /* queued, claimed and finished: 1,002 operations */
#define SOON wr_after(WR_S(60))

/* How far each job has come, for sure; one step more may have been under way. */
enum step { NEW, ADDING, ADDED, FINISHING, FINISHED };

struct load {
    struct disk *disk;
    struct store *store;
    atomic_int next;
    atomic_int step[JOBS];
    atomic_uint attempt[JOBS];
};

static wr_err open_on(struct load *load)
{
    struct store_why why;
    wr_err err = store_open(&load->store, &(struct store_conf){
        .url = "sqlite:/weir.db", .disk = "crash.disk", .readers = 1 }, &why, SOON);
    if (err && err != WR_IO)
        fprintf(stderr, "# %s\n", why.text);
    return err;
}

static void name_of(char id[16], int number)
{
    snprintf(id, 16, "job-%05d", number);
}

static wr_err add(struct load *load, int number)
{
    char id[16];
    name_of(id, number);
    atomic_store(&load->step[number], ADDING);
    wr_err err = store_job_add(load->store, &(struct store_job_new){
        .id = id, .task = "task", .kind = "k", .slot = "s", .priority = number % 3,
        .unique = id, .input = "{}" }, SOON);
    if (!err)
        atomic_store(&load->step[number], ADDED);
    return err;
}

static wr_err finish_one(struct load *load)
{
    struct store_jobs jobs;
    wr_err err = store_job_claim(load->store, &(struct store_job_claim){
        .slot = "s", .max = 1, .lease = WR_S(600) }, &jobs, SOON);
    if (!err && jobs.count) {
        int number = (int)strtol(jobs.jobs[0].id + 4, NULL, 10);
        CHECK(load->step[number] < FINISHING);                  /* by nobody else */
        atomic_store(&load->attempt[number], jobs.jobs[0].attempt);
        atomic_store(&load->step[number], FINISHING);
        err = store_job_finish(load->store, jobs.jobs[0].id, jobs.jobs[0].attempt,
                               &(struct store_job_end){ .state = STORE_JOB_COMPLETED }, SOON);
        if (!err)
            atomic_store(&load->step[number], FINISHED);
    }
    store_jobs_free(&jobs);
    return err;
}

static wr_err client(void *arg)
{
    struct load *load = arg;
    wr_err err = WR_OK;
    for (int number; !err && (number = atomic_fetch_add(&load->next, 1)) < JOBS;) {
        err = add(load, number);
        if (!err)
            err = finish_one(load);
    }
    CHECK(err == WR_OK || err == WR_IO);
    return WR_OK;
}

static void work(struct load *load)
{
    struct wr_scope *scope = scope_open();
    for (int i = 0; i < CLIENTS; i++)
        CHECK_OK(wr_scope_go(scope, "test.client", client, load));
    scope_done(scope);
}

/* Whether what is found fits what is known. */
static bool fits(enum step step, enum store_job_state state)
{
    switch (step) {
    case NEW: return state == 0;
    case ADDING: return state == 0 || state == STORE_JOB_QUEUED || state == STORE_JOB_RUNNING;
    case ADDED: return state == STORE_JOB_QUEUED || state == STORE_JOB_RUNNING;
    case FINISHING: return state == STORE_JOB_RUNNING || state == STORE_JOB_COMPLETED;
    case FINISHED: return state == STORE_JOB_COMPLETED;
    }
    return false;
}

static bool verify(struct load *load)
{
    bool good = true;
    struct store_why why = { "" };
    good &= CHECK_OK(store_check(load->store, &why, SOON));
    for (int i = 0; i < JOBS; i++) {
        char id[16];
        struct store_jobs jobs;
        name_of(id, i);
        wr_err err = store_job_get(load->store, id, &jobs, SOON);
        good &= CHECK(err == WR_OK || err == WR_NOTFOUND);
        enum store_job_state state = jobs.count ? jobs.jobs[0].state : 0;
        good &= CHECK(jobs.count <= 1);             /* open or finished, not both */
        good &= CHECK(fits((enum step)load->step[i], state));
        store_jobs_free(&jobs);
    }
    return good;
}

/* Work until the n-th change, end, and look at what was left.  False when the work was over
 * before that. */
static bool crash_at(enum disk_fault fault, uint64_t n, bool *good)
{
    static struct load load;
    load = (struct load){ 0 };
    CHECK_OK(disk_new(&load.disk, "crash.disk", n));
    disk_break(load.disk, fault, n);
    wr_err err = open_on(&load);
    if (!err) {
        work(&load);
        store_close(load.store, SOON);
    }
    bool reached = disk_changes(load.disk) > n;
    disk_restart(load.disk);
    *good = CHECK_OK(open_on(&load));
    if (*good) {
        *good = verify(&load);
        /* What was under way can be done again, and what is done cannot. */
        for (int i = 0; i < JOBS && *good; i++)
            if (load.step[i] >= ADDED) {
                char id[16];
                name_of(id, i);
                *good = CHECK_ERR(WR_EXISTS, store_job_add(
                    load.store, &(struct store_job_new){ .id = id, .task = "t", .kind = "k",
                                                         .slot = "s" }, SOON));
                break;
            }
        store_close(load.store, SOON);
    }
    disk_free(load.disk);
    if (!*good)
        fprintf(stderr, "# at change %llu\n", (unsigned long long)n);
    return reached;
}

/* WEIR_CRASH_STEP=1 ends it at every change; that takes some minutes. */
static void crash_everywhere(enum disk_fault fault)
{
    const char *text = getenv("WEIR_CRASH_STEP");
    uint64_t slow = 100 / (uint64_t)test_rounds(100);       /* 1 where nothing is slower */
    uint64_t step = text ? strtoull(text, NULL, 10) : 73 * slow;
    uint64_t first = slow > 1 ? 13 : 1;
    uint64_t n = 0;
    bool good = true;
    while (good && crash_at(fault, n, &good))
        n += n < 40 ? first : step; /* each of those that make the file, then some */
    CHECK(n > 1000);
}

TEST(a_process_may_end_at_any_change_to_the_disk)
{
    crash_everywhere(DISK_KILL);
}

TEST(a_machine_may_lose_power_at_any_change_to_the_disk)
{
    crash_everywhere(DISK_POWER);
}
