/* From the acknowledgement of a change to the moment at which who waits for it has been told,
 * with what the task has become; and beside it, in turns, a thread that sleeps on a futex and
 * is woken.  Then the same with many who wait for many tasks, each of which changes at once.
 * usage: wake FILE [wakes] [pause in us] [pollers] [tasks] */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <weir/offload.h>
#include <weir/run.h>
#include <weir/scope.h>

#include "../measure.h"
#include "svc/queue/queue.h"

#define TASKS_MAX 1000
#define ROUNDS 20

struct bench {
    const char *path;
    size_t count, pollers, tasks;
    wr_time pause;
    struct store *store;
    struct queue *queue;
    char ids[TASKS_MAX][QUEUE_ID];
    _Atomic wr_time woke, bare_woke;
    wr_time rung[ROUNDS][TASKS_MAX];
    _Atomic uint32_t word, answer;
    _Atomic size_t ready, back, next;
    int64_t *late;
};

static void look(struct bench *bench, const char *task, char since[QUEUE_CHANGE])
{
    struct queue_look_at at;
    struct queue_why why;
    MUST(queue_look(bench->queue, task, &(struct queue_look){ .wait = WR_S(300),
                                                              .since = since }, &at, &why,
                    WR_NEVER));
    memcpy(since, at.change, QUEUE_CHANGE);
    queue_view_unref(at.view);
}

static void change(struct bench *bench, const char *task, int64_t pages)
{
    struct queue_why why;
    MUST(queue_allow(bench->queue, task, pages, -1, &why, WR_NEVER));
}

/* ---- one ---- */

static wr_err poller(void *arg)
{
    struct bench *bench = arg;
    char since[QUEUE_CHANGE] = "0-0";
    look(bench, bench->ids[0], since);
    for (size_t i = 0; i < bench->count; i++) {
        look(bench, bench->ids[0], since);
        atomic_store(&bench->woke, wr_now());
    }
    return WR_OK;
}

static void *sleeper(void *arg)
{
    struct bench *bench = arg;
    for (uint32_t seen = 0; seen < bench->count; seen++) {
        while (atomic_load(&bench->word) == seen)
            syscall(SYS_futex, &bench->word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
        atomic_store(&bench->bare_woke, wr_now());
        atomic_fetch_add(&bench->answer, 1);
    }
    return NULL;
}

static int64_t wake_ours(struct bench *bench, size_t number)
{
    atomic_store(&bench->woke, 0);
    change(bench, bench->ids[0], 1000 + (int64_t)number);
    wr_time acknowledged = wr_now();
    while (atomic_load(&bench->woke) == 0)
        MUST(wr_sleep(wr_after(WR_US(200))));
    wr_time woke = atomic_load(&bench->woke);
    return woke > acknowledged ? woke - acknowledged : 0;
}

static void wake_bare(void *arg)
{
    struct bench *bench = arg;
    uint32_t answer = atomic_load(&bench->answer);
    wr_time start = wr_now();
    atomic_fetch_add(&bench->word, 1);
    syscall(SYS_futex, &bench->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    while (atomic_load(&bench->answer) == answer)
        usleep(100);
    atomic_fetch_sub(&bench->bare_woke, start);
}

static void measure_one(struct bench *bench)
{
    int64_t *ours = calloc(bench->count, sizeof(*ours)), *bare = calloc(bench->count,
                                                                         sizeof(*bare));
    struct wr_scope *scope;
    pthread_t thread;
    pthread_create(&thread, NULL, sleeper, bench);
    MUST(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "bench",
                                                       .deadline = WR_NEVER }));
    MUST(wr_scope_go(scope, "bench.poller", poller, bench));
    MUST(wr_sleep(wr_after(WR_MS(50))));
    for (size_t i = 0; i < bench->count; i++) {
        ours[i] = wake_ours(bench, i);
        MUST(wr_sleep(wr_after(bench->pause)));
        MUST(wr_offload(wake_bare, bench, WR_NEVER));
        bare[i] = atomic_load(&bench->bare_woke);
        MUST(wr_sleep(wr_after(bench->pause)));
    }
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));
    pthread_join(thread, NULL);
    measure_percentiles("queue_wake", ours, bench->count);
    measure_percentiles("queue_bare_wake", bare, bench->count);
    free(ours);
    free(bare);
}

/* ---- many ---- */

static wr_err one_of_many(void *arg)
{
    struct bench *bench = arg;
    size_t me = atomic_fetch_add(&bench->next, 1), task = me % bench->tasks;
    char since[QUEUE_CHANGE] = "0-0";
    look(bench, bench->ids[task], since);
    for (size_t round = 0; round < ROUNDS; round++) {
        atomic_fetch_add(&bench->ready, 1);
        look(bench, bench->ids[task], since);
        bench->late[me * ROUNDS + round] = wr_now();
        atomic_fetch_add(&bench->back, 1);
        while (atomic_load(&bench->back) < (round + 1) * bench->pollers)
            MUST(wr_sleep(wr_after(WR_MS(1))));
    }
    return WR_OK;
}

static void measure_many(struct bench *bench)
{
    struct wr_scope *scope;
    bench->late = calloc(bench->pollers * ROUNDS, sizeof(*bench->late));
    MUST(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "many", .deadline = WR_NEVER }));
    for (size_t i = 0; i < bench->pollers; i++)
        MUST(wr_scope_go(scope, "bench.many", one_of_many, bench));
    for (size_t round = 0; round < ROUNDS; round++) {
        while (atomic_load(&bench->ready) < (round + 1) * bench->pollers)
            MUST(wr_sleep(wr_after(WR_MS(1))));
        MUST(wr_sleep(wr_after(WR_MS(20))));
        for (size_t i = 0; i < bench->tasks; i++) {
            change(bench, bench->ids[i], 5000 + (int64_t)(round * bench->tasks + i));
            bench->rung[round][i] = wr_now();
        }
    }
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));
    for (size_t i = 0; i < bench->pollers * ROUNDS; i++) {
        bench->late[i] -= bench->rung[i % ROUNDS][i / ROUNDS % bench->tasks];
        bench->late[i] = bench->late[i] > 0 ? bench->late[i] : 0;   /* it may be the faster */
    }
    measure_percentiles("queue_many_wake", bench->late, bench->pollers * ROUNDS);
    free(bench->late);
}

static wr_err run(void *arg)
{
    struct bench *bench = arg;
    struct store_why said;
    struct queue_why why;
    char url[600];
    snprintf(url, sizeof(url), "sqlite:%s", bench->path);
    MUST(store_open(&bench->store, &(struct store_conf){ .url = url }, &said, WR_NEVER));
    MUST(queue_new(&bench->queue, &(struct queue_conf){ .store = bench->store }));
    for (size_t i = 0; i < bench->tasks; i++) {
        struct queue_submitted took;
        char rows[120], id[QUEUE_ID];
        MUST(queue_create(bench->queue, &(struct queue_task){ "h", 1000000, 1000000 },
                          bench->ids[i], &why, WR_NEVER));
        snprintf(rows, sizeof(rows), "[[\"%s\",\"target_queue\",\"network_client\",1,null,{}]]",
                 queue_id(id, "tq_"));
        MUST(queue_submit(bench->queue, bench->ids[i], rows, &took, &why, WR_NEVER));
        queue_submitted_free(&took);
    }
    measure_one(bench);
    measure_many(bench);
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
    bench.count = measure_arg(argc, argv, 2, 500);
    bench.pause = (wr_time)measure_arg(argc, argv, 3, 2000) * 1000;
    bench.pollers = measure_arg(argc, argv, 4, 1000);
    bench.tasks = measure_arg(argc, argv, 5, 100);
    static const char *const ends[] = { "", "-wal", "-shm" };
    for (size_t i = 0; i < 3; i++) {
        char path[600];
        snprintf(path, sizeof(path), "%s%s", bench.path, ends[i]);
        unlink(path);
    }
    MUST(wr_run(&(struct wr_run_conf){ 0 }, run, &bench));
    return 0;
}
