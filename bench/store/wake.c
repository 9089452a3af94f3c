/* From the acknowledgement of an insert to the moment at which a worker runs that was waiting
 * for it; and beside it, in turns, a thread that sleeps on a futex and is woken.
 * usage: wake FILE [wakes] [pause in us] */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <weir/offload.h>
#include <weir/run.h>
#include <weir/scope.h>
#include <weir/watch.h>

#include "../measure.h"
#include "store/job.h"

struct bench {
    const char *path;
    size_t count;
    wr_time pause;
    struct store *store;
    _Atomic wr_time woke;
    _Atomic uint32_t word, answer;
    _Atomic wr_time bare_woke;
};

static wr_err worker(void *arg)
{
    struct bench *bench = arg;
    uint64_t seen = 0;
    MUST(store_job_wait(bench->store, "net", &seen, WR_NOW));
    for (size_t i = 0; i < bench->count; i++) {
        MUST(store_job_wait(bench->store, "net", &seen, WR_NEVER));
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

static int64_t wake_ours(struct bench *bench)
{
    char id[40];
    snprintf(id, sizeof(id), "%016llx", (unsigned long long)wr_wall().ns);
    atomic_store(&bench->woke, 0);
    MUST(store_job_add(bench->store, &(struct store_job_new){
        .id = id, .task = "task", .kind = "fetch", .slot = "net" }, WR_NEVER));
    wr_time acknowledged = wr_now();
    while (atomic_load(&bench->woke) == 0)
        MUST(wr_sleep(wr_after(WR_US(200))));
    wr_time woke = atomic_load(&bench->woke);
    return woke > acknowledged ? woke - acknowledged : 0;   /* it may be the faster one */
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

static wr_err run(void *arg)
{
    struct bench *bench = arg;
    struct store_why why;
    struct wr_scope *scope;
    pthread_t thread;
    char url[300];
    int64_t *ours = calloc(bench->count, sizeof(*ours));
    int64_t *bare = calloc(bench->count, sizeof(*bare));
    WR_ASSERT(ours && bare);
    snprintf(url, sizeof(url), "sqlite:%s", bench->path);
    if (store_open(&bench->store, &(struct store_conf){ .url = url }, &why, WR_NEVER))
        wr_panic("%s", why.text);
    MUST(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "bench",
                                                       .deadline = WR_NEVER }));
    MUST(wr_scope_go(scope, "bench.worker", worker, bench));
    WR_ASSERT(pthread_create(&thread, NULL, sleeper, bench) == 0);
    for (size_t i = 0; i < bench->count; i++) {
        MUST(wr_sleep(wr_after(bench->pause)));
        ours[i] = wake_ours(bench);
        MUST(wr_sleep(wr_after(bench->pause)));
        MUST(wr_offload(wake_bare, bench, WR_NEVER));
        bare[i] = atomic_load(&bench->bare_woke);
    }
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));
    pthread_join(thread, NULL);
    measure_percentiles("store_wake", ours, bench->count);
    measure_percentiles("bare_wake", bare, bench->count);
    store_close(bench->store, WR_NEVER);
    free(ours);
    free(bare);
    return WR_OK;
}

int main(int argc, char **argv)
{
    struct bench bench = { .path = argc > 1 ? argv[1] : "wake.db",
                           .count = measure_arg(argc, argv, 2, 2000),
                           .pause = WR_US((int64_t)measure_arg(argc, argv, 3, 1000)) };
    return wr_run(&(struct wr_run_conf){ 0 }, run, &bench) != WR_OK;
}
