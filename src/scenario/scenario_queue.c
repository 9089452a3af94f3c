/* scenario_queue.c - research tasks on a node that dies, through several lives.
 *
 * Clients submit targets, some of them twice, stop tasks in every way, look at them, and help
 * where a person is wanted, while jobs are done that take their time, fail, wait for a person,
 * are put off, lose their store for a moment or lead to others.  A life ends in a drain, or
 * when the process is killed or the power goes, at any change to the disk.  The next life has
 * the same store.
 *
 * What was acknowledged is there.  A job is open or over, never both.  No attempt is begun
 * twice, and none that comes after the one by which the job was over: that one is the last
 * that anybody has claimed, since what is over is not claimed.  (Its own handler may well
 * begin late, when the job was stopped or its lease ended between the claim and that.)  A job
 * that is over stays as it is, down to who has finished it and when: clients look at jobs all
 * the time, and remember.
 *
 * A task that was stopped is paused until somebody submits to it again.  Of what the stop was
 * for nothing is open, unless it let finish what ran, and then nothing but that: what would
 * come back is over.  If it was for all jobs, no job is added: none follows on those that still
 * run.
 *
 * When a life ends, those who wait are answered.  In the last life, which is a good one, every
 * job is over in the end, and everybody who waits for that learns of it at once: nobody waits
 * until his time is up.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/scenarios.h"
#include "store/disk.h"
#include "svc/queue/queue.h"

#define DISK "sim.disk"
#define TASKS 2
#define CLIENTS 3
#define POLLERS 3
#define JOBS 64
#define KEYS 10                 /* targets that differ */
#define LIVES 3
#define TURNS 14                /* of a client, in a life */
#define SOON wr_after(WR_S(60))
#define OVER_WITHIN WR_S(200)   /* the last life, when there is no more to come */
#define ANSWERED_WITHIN WR_S(70) /* who waits when a life ends; a view is read within 60 s */

struct entry {
    bool tried, acked;          /* was to be queued; is for sure */
    uint64_t begun;             /* attempts, as bits */
    enum store_job_state end;   /* in which it was seen; 0: none yet */
    uint32_t attempt;           /* ... by which, */
    struct wr_wall at;          /* ... and when it had come to that */
};

/* What a stop has left, until somebody changes it.  Of two that change a task at the same time
 * nobody knows which came last. */
struct halt { bool known, all, graceful, counted; uint64_t jobs; };

struct task {
    char id[QUEUE_ID];
    uint64_t changing, changes; /* submits and stops: under way, and ever begun */
    struct halt halt;
};

struct ledger {
    struct disk *disk;
    struct store *store;
    struct queue *queue;
    struct wr_once *drain;
    struct queue_handler handlers[QUEUE_KINDS];
    struct task tasks[TASKS];
    struct entry jobs[JOBS];
    size_t next;                /* job */
    bool mortal;                /* the fault of this life ends it */
    bool over, last, hushed;
    uint64_t life;
    uint64_t queued, skipped, begun, stopped, halted, looked, polled, helped, failed;
    const char *wrong;
};

/* Of a life that ends, its end. */
static bool is_down(struct ledger *ledger, wr_err err)
{
    ledger->failed += err != WR_OK;
    if (err == WR_IO)
        ledger->over |= ledger->mortal;
    return err != WR_OK;
}

/* ---- jobs ---- */

static void check_attempts(struct ledger *ledger, const struct entry *entry)
{
    if (entry->end && entry->begun >> 1 >> entry->attempt)
        ledger->wrong = "a job that is over was begun again";
}

static void begin(struct ledger *ledger, struct queue_work *work)
{
    const char *id = queue_work_job(work);
    ledger->begun++;
    if (strncmp(id, "tq_", 3) != 0)
        return;
    struct entry *entry = &ledger->jobs[strtoul(id + 3, NULL, 10)];
    uint32_t attempt = queue_work_attempt(work);
    WR_ASSERT(attempt < 63);            /* of so many a bit is kept */
    if (entry->begun & 1ull << attempt)
        ledger->wrong = "an attempt was begun twice";
    entry->begun |= 1ull << attempt;
    check_attempts(ledger, entry);
}

static wr_err explore(void *arg, struct queue_work *work)
{
    struct ledger *ledger = arg;
    begin(ledger, work);
    wr_err err = wr_sleep(some_time(WR_MS(400)));
    uint64_t what = wr_sim_below(10);
    if (err)
        return err;
    if (what == 0)
        return queue_work_fail(work, WR_IO, "PIPELINE_ERROR", "no");
    if (what == 1)
        queue_work_await(work, &(struct queue_auth_item){ "https://a/", "a", "captcha", NULL });
    if (what == 3)
        queue_work_later(work, (wr_time)wr_sim_below(WR_S(20)));
    if (what == 4)
        return WR_IO;                   /* and nothing is said of it: the store's */
    if (what == 2)
        err = queue_work_chain(work, QUEUE_CITATIONS, "c", NULL, SOON);
    queue_work_then(work, QUEUE_VERIFY, "v", NULL);
    return err;
}

static wr_err follow(void *arg, struct queue_work *work)
{
    begin(arg, work);
    return wr_sleep(some_time(WR_MS(100)));
}

/* ---- clients ---- */

static struct task *some_task(struct ledger *ledger)
{
    return &ledger->tasks[wr_sim_below(TASKS)];
}

static void change(struct task *task)
{
    task->halt.known = false;
    task->changing++;
    task->changes++;
}

/* How many jobs of it there are, those that are over included; and of those that a stop was for
 * the ones that run, and that wait for anything. */
static uint64_t count_jobs(const struct store_counts *counts, const struct halt *halt,
                           uint64_t *ret_running, uint64_t *ret_waiting)
{
    uint64_t all = 0;
    *ret_running = *ret_waiting = 0;
    for (size_t i = 0; i < counts->count; i++) {
        const struct store_count *one = &counts->counts[i];
        bool meant = halt->all || strcmp(one->kind, queue_kinds[QUEUE_TARGET].name) == 0;
        for (int state = STORE_JOB_QUEUED; state <= STORE_JOB_CANCELED; state++)
            all += one->jobs[state];
        *ret_running += meant ? one->jobs[STORE_JOB_RUNNING] : 0;
        *ret_waiting += meant ? one->jobs[STORE_JOB_QUEUED] + one->jobs[STORE_JOB_WAITING] : 0;
    }
    return all;
}

/* A task that was stopped, as it is now. */
static void check_halt(struct ledger *ledger, struct task *task)
{
    struct halt *halt = &task->halt;
    struct store_tasks tasks;
    struct store_counts counts;
    uint64_t changes = task->changes, running, waiting, jobs;
    if (!halt->known)
        return;
    wr_err err = store_task_get(ledger->store, task->id, &tasks, SOON);
    bool paused = !err && tasks.tasks[0].status == STORE_TASK_PAUSED;
    store_tasks_free(&tasks);
    if (is_down(ledger, err)
        || is_down(ledger, store_task_count(ledger->store, task->id, &counts, SOON))
        || task->changes != changes)
        return;
    jobs = count_jobs(&counts, halt, &running, &waiting);
    if (!halt->counted)
        halt->jobs = jobs;
    halt->counted = true;
    if (!paused)
        ledger->wrong = "a task that was stopped is not paused";
    else if (running && !halt->graceful)
        ledger->wrong = "a task that was stopped has a job that runs";
    else if (waiting)
        ledger->wrong = "a task that was stopped has a job that waits";
    else if (halt->all && jobs != halt->jobs)
        ledger->wrong = "a job was added to a task that was stopped";
    ledger->halted++;
}

static void submit_one(struct ledger *ledger)
{
    char rows[120];
    struct queue_submitted took;
    struct queue_why why;
    size_t number = ledger->next;
    if (number == JOBS)
        return;
    ledger->next++;
    struct entry *entry = &ledger->jobs[number];
    entry->tried = true;
    snprintf(rows, sizeof(rows), "[[\"tq_%05zu\",\"target_queue\",\"network_client\",%d,"
             "\"k%d\",{}]]", number, (int)wr_sim_below(3), (int)wr_sim_below(KEYS));
    struct task *task = some_task(ledger);
    change(task);
    wr_err err = queue_submit(ledger->queue, task->id, rows, &took, &why, SOON);
    task->changing--;
    if (!err && strcmp(took.skipped, "[]") == 0) {
        entry->acked = true;
        ledger->queued++;
    } else if (!err) {
        entry->tried = false;
        ledger->skipped++;
    }
    queue_submitted_free(&took);
    (void)is_down(ledger, err);
}

/* A job, as it is now.  What is over stays so, as it was seen first. */
static wr_err witness(struct ledger *ledger, size_t number)
{
    struct entry *entry = &ledger->jobs[number];
    struct store_jobs jobs;
    char id[16];
    snprintf(id, sizeof(id), "tq_%05zu", number);
    wr_err err = store_job_get(ledger->store, id, &jobs, SOON);
    const struct store_job *job = &jobs.jobs[0];
    bool is_over = !err && job->state >= STORE_JOB_COMPLETED;
    if (entry->end && (is_over ? job->state != entry->end || job->attempt != entry->attempt
                                 || job->finished_at.ns != entry->at.ns
                               : !err || err == WR_NOTFOUND))
        ledger->wrong = "what was over has changed";
    if (!err && jobs.count != 1)
        ledger->wrong = "a job is open and over, or over twice";
    if (is_over && !entry->end) {
        entry->end = job->state;
        entry->attempt = job->attempt;
        entry->at = job->finished_at;
        check_attempts(ledger, entry);
    }
    store_jobs_free(&jobs);
    return err;
}

static void stop_one(struct ledger *ledger)
{
    struct queue_stopped stopped;
    struct queue_why why;
    struct task *task = some_task(ledger);
    struct queue_stop stop = { .mode = (enum queue_mode)wr_sim_below(3),
                               .targets_only = wr_sim_below(2) };
    change(task);
    uint64_t changes = task->changing == 1 ? task->changes : 0;
    bool down = is_down(ledger, queue_stop(ledger->queue, task->id, &stop, &stopped, &why,
                                           SOON));
    task->changing--;
    ledger->stopped += !down;
    if (!down && task->changes == changes) {
        task->halt = (struct halt){ .known = true, .all = !stop.targets_only,
                                    .graceful = stop.mode == QUEUE_GRACEFUL };
        check_halt(ledger, task);
    }
}

static void look_at_one(struct ledger *ledger)
{
    struct queue_look_at at;
    struct queue_why why;
    struct task *task = some_task(ledger);
    wr_err err = queue_look(ledger->queue, task->id, &(struct queue_look){
        .wait = (wr_time)wr_sim_below(3) * WR_S(1) }, &at, &why, SOON);
    if (!is_down(ledger, err)) {
        ledger->looked++;
        queue_view_unref(at.view);
    }
    check_halt(ledger, task);
    if (ledger->next)
        (void)is_down(ledger, witness(ledger, wr_sim_below(ledger->next)));
}

static void help_one(struct ledger *ledger)
{
    uint64_t count;
    struct queue_why why;
    enum store_auth_end end = wr_sim_below(3) ? STORE_AUTH_COMPLETED : STORE_AUTH_SKIPPED;
    wr_err err = queue_auth_resolve(ledger->queue, &(struct store_auth_which){ .domain = "a" },
                                    end, &count, &why, SOON);
    if (!is_down(ledger, err))
        ledger->helped += count;
}

static wr_err client(void *arg)
{
    struct ledger *ledger = arg;
    for (int i = 0; i < TURNS && !ledger->over; i++) {
        uint64_t what = wr_sim_below(10);
        if (what < 6)
            submit_one(ledger);
        else if (what < 7)
            stop_one(ledger);
        else if (what < 9)
            look_at_one(ledger);
        else
            help_one(ledger);
        MUST(wr_sleep(some_time(WR_MS(200))));
    }
    return WR_OK;
}

/* One who waits for whatever happens to a task, for as long as one may, until the life ends. */
static wr_err poll_on(void *arg)
{
    struct ledger *ledger = arg;
    const char *task = some_task(ledger)->id;
    char since[QUEUE_CHANGE] = "0-0";
    while (!ledger->over && !ledger->hushed) {
        struct queue_look_at at;
        struct queue_why why;
        wr_err err = queue_look(ledger->queue, task, &(struct queue_look){
            .wait = QUEUE_WAIT_MAX, .since = since }, &at, &why, wr_after(WR_S(600)));
        if (!is_down(ledger, err)) {
            ledger->polled++;
            memcpy(since, at.change, sizeof(since));
            queue_view_unref(at.view);
        }
        MUST(wr_sleep(some_time(WR_MS(300))));
    }
    return WR_OK;
}

/* ---- lives ---- */

static wr_err do_jobs(void *arg)
{
    struct ledger *ledger = arg;
    wr_err err;
    do                          /* as who supervises it would */
        err = queue_run(ledger->queue, ledger->drain, WR_MS(200));
    while (err && !wr_scope_check() && !wr_sleep(wr_after(WR_MS(100))));
    return WR_OK;
}

static wr_err open_store(struct ledger *ledger)
{
    struct store_why why;
    return store_open(&ledger->store, &(struct store_conf){
        .url = "sqlite:/weir.db", .disk = DISK, .readers = 1,
        .read_max = WR_S(60) }, &why, SOON);            /* time passes while one reads */
}

static void break_disk(struct ledger *ledger)
{
    bool power = wr_sim_below(2);
    ledger->mortal = wr_sim_fault(power ? "power" : "kill", 2);
    if (ledger->mortal)
        disk_break(ledger->disk, power ? DISK_POWER : DISK_KILL, 20 + wr_sim_below(300));
}

static void make_tasks(struct ledger *ledger)
{
    struct queue_why why;
    for (size_t i = 0; i < TASKS; i++)
        MUST(queue_create(ledger->queue, &(struct queue_task){ "h", 1000000, 1000000000 },
                          ledger->tasks[i].id, &why, SOON));
}

static void open_queue(struct ledger *ledger)
{
    ledger->handlers[QUEUE_TARGET] = (struct queue_handler){ explore, ledger, 0 };
    ledger->handlers[QUEUE_CITATIONS] = (struct queue_handler){ follow, ledger, 0 };
    ledger->handlers[QUEUE_VERIFY] = (struct queue_handler){ follow, ledger, 0 };
    MUST(queue_new(&ledger->queue, &(struct queue_conf){
        .store = ledger->store, .handlers = ledger->handlers, .lease = WR_S(3),
        .fair = wr_sim_below(2) }));
    MUST(wr_once_new(&ledger->drain, "queue.drain", 0));
}

static void close_queue(struct ledger *ledger)
{
    queue_free(ledger->queue);
    wr_once_free(ledger->drain);
    store_close(ledger->store, SOON);
    ledger->store = NULL;
}

/* Those who ask, while it works; then it is told to end, or is dead. */
static void live(struct ledger *ledger, wr_task_fn ask, size_t count)
{
    struct wr_scope *node = scope_named("queue.node");
    struct wr_scope *polling = scope_named("queue.polling");
    struct wr_scope *asking = scope_named("queue.asking");
    MUST(wr_scope_go(node, "queue.run", do_jobs, ledger));
    for (size_t i = 0; i < POLLERS && !ledger->last; i++)
        MUST(wr_scope_go(polling, "queue.polls", poll_on, ledger));
    for (size_t i = 0; i < count; i++)
        MUST(wr_scope_go(asking, "queue.asks", ask, ledger));
    MUST(wr_scope_join(asking, WR_NEVER));
    MUST(wr_scope_close(asking));
    ledger->hushed = true;
    queue_hush(ledger->queue);
    if (wr_scope_join(polling, wr_after(ANSWERED_WITHIN)))
        ledger->wrong = "who waited was not answered at the end";
    MUST(wr_scope_close(polling));
    if (ledger->over || (!ledger->last && wr_sim_below(2)))
        wr_scope_cancel(node);
    else
        MUST(wr_once_set(ledger->drain, NULL));
    MUST(wr_scope_join(node, WR_NEVER));
    MUST(wr_scope_close(node));
}

/* What was said to be there is there, and what was over is as it was. */
static void look_for_all(struct ledger *ledger)
{
    struct store_why why;
    MUST(store_check(ledger->store, &why, SOON));
    for (size_t i = 0; i < TASKS; i++)
        check_halt(ledger, &ledger->tasks[i]);
    for (size_t i = 0; i < ledger->next; i++) {
        struct entry *entry = &ledger->jobs[i];
        wr_err err = witness(ledger, i);
        WR_ASSERT(!err || err == WR_NOTFOUND);
        if (entry->acked && err)
            ledger->wrong = "an acknowledged job is lost";
        if (!entry->tried && !err)
            ledger->wrong = "a job is there that was skipped";
        if (ledger->last && !err && !entry->end)
            ledger->wrong = "a job is not over in the end";
    }
}

/* Wait for each task until nothing of it is open; who waits longer than anything takes has not
 * been told, or waits for what does not end. */
static wr_err await_all(void *arg)
{
    struct ledger *ledger = arg;
    wr_time begun = wr_now();
    for (size_t i = 0; i < TASKS; i++) {
        char since[QUEUE_CHANGE] = "0-0";
        for (uint64_t open = 1; open && wr_now() - begun <= OVER_WITHIN;) {
            struct queue_look_at at;
            struct queue_why why;
            MUST(queue_look(ledger->queue, ledger->tasks[i].id, &(struct queue_look){
                .wait = QUEUE_WAIT_MAX, .since = since }, &at, &why, wr_after(WR_S(600))));
            open = queue_view_open(at.view);
            memcpy(since, at.change, sizeof(since));
            queue_view_unref(at.view);
            if (open)
                help_one(ledger);
        }
    }
    if (wr_now() - begun > OVER_WITHIN)
        ledger->wrong = "somebody was not told";
    return WR_OK;
}

static wr_err run(void *arg)
{
    struct ledger *ledger = arg;
    MUST(disk_new(&ledger->disk, DISK, wr_sim_below(1 << 30)));
    for (; ledger->life < LIVES; ledger->life++) {
        ledger->over = ledger->mortal = ledger->hushed = false;
        MUST(open_store(ledger));
        open_queue(ledger);
        if (ledger->life == 0)
            make_tasks(ledger);
        break_disk(ledger);
        live(ledger, client, CLIENTS);
        close_queue(ledger);
        disk_mend(ledger->disk);
        disk_restart(ledger->disk);
        MUST(open_store(ledger));
        look_for_all(ledger);
        store_close(ledger->store, SOON);
    }
    ledger->last = true;
    ledger->over = ledger->mortal = ledger->hushed = false;
    MUST(open_store(ledger));
    open_queue(ledger);
    live(ledger, await_all, POLLERS);
    look_for_all(ledger);
    close_queue(ledger);
    disk_free(ledger->disk);
    return WR_OK;
}

static const char *invariant(void *arg)
{
    return ((const struct ledger *)arg)->wrong;
}

static uint64_t state(void *arg)
{
    const struct ledger *ledger = arg;
    uint64_t state = state_mix(state_mix(0, ledger->life), ledger->queued);
    state = state_mix(state_mix(state, ledger->begun), ledger->stopped);
    return state_mix(state_mix(state, ledger->helped), ledger->failed);
}

const struct scenario wr_scenario_queue = {
    .name = "queue",
    .what = "research tasks through several lives: nothing lost, nothing twice, all are told",
    .size = sizeof(struct ledger), .run = run, .invariant = invariant, .state = state,
    .faults = WR_SIM_SLOW | WR_SIM_WALL,
};
