/* What the wrappers of a call cost when nothing stands in the way: a hit in the cache's first
 * level from two threads at once, a turn of a limiter, a look at a breaker.
 * usage: flowcost [entries] [look-ups] */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <x86intrin.h>

#include <weir/breaker.h>
#include <weir/cache.h>
#include <weir/limiter.h>
#include <weir/run.h>
#include <weir/scope.h>

#include "measure.h"

#define READERS 2
#define PAYLOAD 64

#define LONGEST 10000               /* ns; what takes longer counts as this */

struct bench {
    uint64_t entries, lookups;
    struct wr_cache *cache;
    double ns_per_tick;
    atomic_uint at[READERS];        /* the processor of each reader, from 1 on */
};

/* How many took so many nanoseconds: small, so that it leaves the processor's cache to what
 * is measured. */
struct reader {
    struct bench *bench;
    unsigned number;
    uint64_t seed;
    uint32_t took[LONGEST + 1];
};

static double calibrate(void)
{
    wr_time begun = wr_now();
    uint64_t ticks = __rdtsc();
    while (wr_now() - begun < WR_MS(50))
        ;
    return (double)(wr_now() - begun) / (double)(__rdtsc() - ticks);
}

/* What two readings of the counter with nothing in between differ by. */
static uint64_t ticks_of_nothing(void)
{
    uint64_t least = UINT64_MAX;
    unsigned cpu;
    for (int i = 0; i < 1000; i++) {
        uint64_t begun = __rdtsc(), took = __rdtscp(&cpu) - begun;
        least = took < least ? took : least;
    }
    return least;
}

static bool apart(struct bench *bench)
{
    unsigned one = atomic_load(&bench->at[0]), other = atomic_load(&bench->at[READERS - 1]);
    return READERS == 1 || (one && other && one != other);
}

static wr_err read_some(void *arg)
{
    struct reader *reader = arg;
    struct bench *bench = reader->bench;
    uint64_t nothing = ticks_of_nothing();
    unsigned cpu;                   /* the second reading waits for what comes before it */
    do {                            /* without giving way: each on a processor of its own */
        __rdtscp(&cpu);
        atomic_store(&bench->at[reader->number], cpu + 1);
    } while (!apart(bench));
    for (uint64_t i = 0; i < bench->lookups; i++) {
        uint64_t key = measure_random(&reader->seed) % bench->entries;
        struct wr_bytes *answer;
        uint64_t begun = __rdtsc();
        enum wr_cache_found found = wr_cache_get(bench->cache, &key, sizeof(key), &answer);
        uint64_t took = __rdtscp(&cpu) - begun;
        WR_ASSERT(found == WR_CACHE_HIT);
        wr_bytes_unref(answer);
        took -= took < nothing ? took : nothing;
        double ns = (double)took * bench->ns_per_tick;
        reader->took[ns < LONGEST ? (size_t)ns : LONGEST]++;
        if (i % 1024 == 0)
            MUST(wr_yield());
    }
    return WR_OK;
}

static void fill(struct bench *bench)
{
    char payload[PAYLOAD] = { 0 };
    for (uint64_t key = 0; key < bench->entries; key++) {
        struct wr_bytes *answer;
        MUST(wr_bytes_copy(&answer, payload, sizeof(payload)));
        wr_cache_put(bench->cache, &key, sizeof(key), answer);
        wr_bytes_unref(answer);
    }
}

/* What `percent` of all look-ups took at most. */
static int percentile(const struct reader *readers, const struct bench *bench, unsigned percent)
{
    uint64_t left = READERS * bench->lookups * percent / 100;
    for (int ns = 0; ns < LONGEST; ns++) {
        uint64_t here = 0;
        for (unsigned i = 0; i < READERS; i++)
            here += readers[i].took[ns];
        if (here > left)
            return ns;
        left -= here;
    }
    return LONGEST;
}

static void bench_cache(struct bench *bench)
{
    struct wr_scope *scope;
    MUST(wr_cache_new(&bench->cache, &(struct wr_cache_conf){
        .name = "bench", .entries_max = 2 * bench->entries, .ttl = WR_S(3600) }));
    fill(bench);
    struct reader *readers = calloc(READERS, sizeof(*readers));
    WR_ASSERT(readers != NULL);
    MUST(wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "readers", .deadline = WR_NEVER }));
    for (unsigned i = 0; i < READERS; i++) {
        readers[i].bench = bench;
        readers[i].number = i;
        readers[i].seed = MEASURE_SEED + i;
        MUST(wr_scope_go(scope, "bench.reader", read_some, &readers[i]));
    }
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));
    printf("weir_cache_hit_p50_ns %d\n", percentile(readers, bench, 50));
    printf("weir_cache_hit_p99_ns %d\n", percentile(readers, bench, 99));
    free(readers);
    wr_cache_free(bench->cache);
}

#define ROUNDS 2000000

static void bench_limiter(void)
{
    struct wr_limiter *limiter;
    MUST(wr_limiter_new(&limiter, &(struct wr_limiter_conf){
        .name = "bench", .interval = 1, .guard = 1, .burst = 1000 }));
    int64_t begun = measure_time(1);
    for (int i = 0; i < ROUNDS; i++)
        MUST(wr_limiter_acquire(limiter, WR_NEVER));
    printf("weir_limiter_ns %.1f\n", (double)(measure_time(1) - begun) / ROUNDS);
    wr_limiter_free(limiter);
}

static void bench_breaker(void)
{
    struct wr_breakers *breakers;
    MUST(wr_breakers_new(&breakers, &(struct wr_breakers_conf){
        .name = "bench", .targets = 8 }));
    uint32_t pass, sum = 0;
    int64_t begun = measure_time(1);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        MUST(wr_breaker_enter(breakers, i % 8, &pass));
        sum += pass;
    }
    int64_t entered = measure_time(1);
    for (uint32_t i = 0; i < ROUNDS; i++)
        wr_breaker_leave(breakers, i % 8, pass, WR_VERDICT_GOOD);
    int64_t left = measure_time(1);
    WR_ASSERT(sum == 0);
    printf("weir_breaker_check_ns %.1f\n", (double)(entered - begun) / ROUNDS);
    printf("weir_breaker_post_ns %.1f\n", (double)(left - entered) / ROUNDS);
    wr_breakers_free(breakers);
}

static wr_err bench(void *arg)
{
    struct bench *bench = arg;
    bench->ns_per_tick = calibrate();
    bench_limiter();
    bench_breaker();
    bench_cache(bench);
    return WR_OK;
}

int main(int argc, char **argv)
{
    struct bench all = {
        .entries = measure_arg(argc, argv, 1, 10000),
        .lookups = measure_arg(argc, argv, 2, 500000),
    };
    return wr_run(&(struct wr_run_conf){ .workers = READERS }, bench, &all) != WR_OK;
}
