/* Research targets: how fast they are taken in, and done when there is nothing to do.
 *
 *   submit   10,000 in one call; then 10,000 calls from 64 clients; each is durable when the
 *            call returns
 *   done     no-op jobs from end to end: submitted in hundreds, claimed, run, finished, and
 *            who waits for the task told of each change, until the last is over; as fast as
 *            they are done, with some that wait, and then all of them at once
 *   status   what a poller has read when the task has changed, with that many jobs over
 *
 * On a server the figures are called pgqueue_..., else queue_...
 * usage: jobs FILE-OR-URL [jobs] */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weir/once.h>
#include <weir/run.h>
#include <weir/scope.h>
#include <weir/sem.h>

#include "../measure.h"
#include "svc/queue/queue.h"
#include "svc/queue/status.h"

#define CLIENTS 64
#define TARGETS 10000
#define BATCH 100
#define BACKLOG 2000            /* open at a time in the steady flow */
#define STATUSES 500

struct bench {
    const char *path, *prefix;
    size_t jobs;
    struct wr_sem *room;            /* for open jobs */
    struct store *store;
    struct queue *queue;
    struct wr_once *drain;
    struct queue_handler handlers[QUEUE_KINDS];
    char task[QUEUE_ID];
    _Atomic size_t next, looks;
};

static wr_err nothing(void *arg, struct queue_work *work)
{
    struct bench *bench = arg;
    wr_text_str(queue_work_output(work), "{}");
    wr_sem_release(bench->room);
    return WR_OK;
}

static wr_err do_jobs(void *arg)
{
    struct bench *bench = arg;
    return queue_run(bench->queue, bench->drain, WR_S(5));
}

/* Rows of so many targets, each another. */
static char *rows_of(struct bench *bench, size_t count)
{
    char *rows = malloc(count * 240 + 8), *at = rows;
    *at++ = '[';
    for (size_t i = 0; i < count; i++) {
        char id[QUEUE_ID], key[QUEUE_KEY], what[40];
        size_t number = atomic_fetch_add(&bench->next, 1);
        snprintf(what, sizeof(what), "query/what is weir %zu", number);
        at += snprintf(at, 238, "%s[\"%s\",\"target_queue\",\"network_client\",50,\"%s\","
                       "{\"target\":{\"kind\":\"query\",\"query\":\"what is weir %zu\"}}]",
                       i ? "," : "", queue_id(id, "tq_"),
                       queue_key(key, bench->task, "query", what, strlen(what)),
                       number);
    }
    snprintf(at, 2, "]");
    return rows;
}

static void submit(struct bench *bench, char *rows)
{
    struct queue_submitted took;
    struct queue_why why;
    MUST(queue_submit(bench->queue, bench->task, rows, &took, &why, WR_NEVER));
    queue_submitted_free(&took);
    free(rows);
}

static void new_task(struct bench *bench)
{
    struct queue_why why;
    MUST(queue_create(bench->queue, &(struct queue_task){ "h", 1000000, 1000000 }, bench->task,
                      &why, WR_NEVER));
}

static void stop_task(struct bench *bench)
{
    struct queue_stopped stopped;
    struct queue_why why;
    MUST(queue_stop(bench->queue, bench->task, &(struct queue_stop){ .mode = QUEUE_IMMEDIATE },
                    &stopped, &why, WR_NEVER));
}

/* ---- taking in ---- */

static wr_err client(void *arg)
{
    struct bench *bench = arg;
    for (size_t i = 0; i < TARGETS / CLIENTS; i++)
        submit(bench, rows_of(bench, 1));
    return WR_OK;
}

static void measure_submit(struct bench *bench)
{
    struct wr_scope *scope;
    new_task(bench);
    char *rows = rows_of(bench, TARGETS);
    wr_time begun = wr_now();
    submit(bench, rows);
    printf("%s_submit_batch_ms %.2f\n", bench->prefix, (double)(wr_now() - begun) / 1e6);
    stop_task(bench);
    new_task(bench);
    begun = wr_now();
    MUST(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "bench",
                                                       .deadline = WR_NEVER }));
    for (size_t i = 0; i < CLIENTS; i++)
        MUST(wr_scope_go(scope, "bench.client", client, bench));
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));
    printf("%s_submit_calls_per_s %.0f\n", bench->prefix,
           (double)(TARGETS / CLIENTS * CLIENTS) * 1e9 / (double)(wr_now() - begun));
    stop_task(bench);
}

/* ---- doing ---- */

/* Until nothing is open any more, by waiting for each change. */
static wr_err watch(void *arg)
{
    struct bench *bench = arg;
    struct queue_why why;
    char since[QUEUE_CHANGE] = "0-0";
    for (uint64_t done = 0; done < bench->jobs;) {
        struct queue_look_at at;
        MUST(queue_look(bench->queue, bench->task, &(struct queue_look){
            .wait = WR_S(60), .since = since }, &at, &why, WR_NEVER));
        done = queue_view_count(at.view, QUEUE_TARGET, STORE_JOB_COMPLETED);
        memcpy(since, at.change, sizeof(since));
        queue_view_unref(at.view);
        atomic_fetch_add(&bench->looks, 1);
        MUST(wr_sleep(wr_after(WR_MS(10))));    /* as who has been told does something */
    }
    return WR_OK;
}

static wr_err feed(void *arg)
{
    struct bench *bench = arg;
    for (size_t i = 0; i < bench->jobs; i += BATCH) {
        for (size_t j = 0; j < BATCH; j++)
            MUST(wr_sem_acquire(bench->room, WR_NEVER));
        submit(bench, rows_of(bench, BATCH));
    }
    return WR_OK;
}

static void measure_done(struct bench *bench, const char *how, size_t backlog)
{
    atomic_store(&bench->looks, 0);
    MUST(wr_sem_new(&bench->room, "bench.room", (unsigned)backlog));
    MUST(wr_once_new(&bench->drain, "bench.drain", 0));
    struct wr_scope *node, *asking;
    MUST(wr_scope_new(&node, &(struct wr_scope_conf){ .name = "node", .deadline = WR_NEVER }));
    MUST(wr_scope_new(&asking, &(struct wr_scope_conf){ .name = "asks",
                                                        .deadline = WR_NEVER }));
    MUST(wr_scope_go(node, "bench.node", do_jobs, bench));
    new_task(bench);
    wr_time begun = wr_now();
    double cpu = measure_cpu_ms();
    MUST(wr_scope_go(asking, "bench.feed", feed, bench));
    MUST(wr_scope_go(asking, "bench.watch", watch, bench));
    MUST(wr_scope_join(asking, WR_NEVER));
    double took = (double)(wr_now() - begun);
    printf("%s_%s_per_s %.0f\n", bench->prefix, how, (double)bench->jobs * 1e9 / took);
    printf("%s_%s_cpu_us %.2f\n", bench->prefix, how,
           (measure_cpu_ms() - cpu) * 1e3 / (double)bench->jobs);
    printf("%s_%s_looks %zu\n", bench->prefix, how, atomic_load(&bench->looks));
    MUST(wr_scope_close(asking));
    MUST(wr_once_set(bench->drain, NULL));
    MUST(wr_scope_join(node, WR_NEVER));
    MUST(wr_scope_close(node));
    wr_once_free(bench->drain);
    wr_sem_free(bench->room);
}

/* ---- looking at it ---- */

static void measure_status(struct bench *bench)
{
    static int64_t samples[STATUSES];
    char prefix[40];
    for (size_t i = 0; i < STATUSES; i++) {
        struct queue_view *view;
        struct queue_status status;
        wr_time begun = wr_now();
        MUST(queue_view_read(bench->store, bench->task, &view, WR_NEVER));
        MUST(queue_status_read(&status, bench->store, view, false, WR_NEVER));
        samples[i] = wr_now() - begun;
        queue_status_free(&status);
        queue_view_unref(view);
    }
    snprintf(prefix, sizeof(prefix), "%s_after_status", bench->prefix);
    measure_percentiles(prefix, samples, STATUSES);
}

static wr_err run(void *arg)
{
    struct bench *bench = arg;
    struct store_why why;
    char url[600];
    bool server = strstr(bench->path, "://") != NULL;
    bench->prefix = server ? "pgqueue" : "queue";
    snprintf(url, sizeof(url), "%s%s", server ? "" : "sqlite:", bench->path);
    MUST(store_open(&bench->store, &(struct store_conf){ .url = url }, &why, WR_NEVER));
    bench->handlers[QUEUE_TARGET] = (struct queue_handler){ .run = nothing,
                                                               .arg = bench };
    MUST(queue_new(&bench->queue, &(struct queue_conf){
        .store = bench->store, .handlers = bench->handlers,
        .limits = { [QUEUE_NETWORK] = 256 } }));
    measure_submit(bench);
    measure_done(bench, "done", BACKLOG);
    measure_status(bench);
    measure_done(bench, "pile", bench->jobs);
    queue_free(bench->queue);
    store_close(bench->store, WR_NEVER);
    return WR_OK;
}

int main(int argc, char **argv)
{
    static struct bench bench;
    if (argc < 2)
        return 2;
    bench.path = argv[1];
    bench.jobs = measure_arg(argc, argv, 2, 100000);
    if (!strstr(bench.path, "://"))
        for (int i = 0; i < 3; i++) {
            char path[600];
            snprintf(path, sizeof(path), "%s%s", bench.path, (const char *[]){ "", "-wal",
                                                                              "-shm" }[i]);
            unlink(path);
        }
    MUST(wr_run(&(struct wr_run_conf){ 0 }, run, &bench));
    return 0;
}
