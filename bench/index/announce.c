/* Offers that a node announces over real proxies of OpenDHT: new ones, and a round of all.
 * usage: announce STORE COUNT URL...
 *
 * STORE is a file, which must not be there.  New ones come from 64 fibers, each durable before
 * it is announced; a round is paced, at 1,000 a second.  What it took of our own processor time
 * is said per id, each line at once, so that who reads it can look at others by then. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <weir/run.h>
#include <weir/scope.h>
#include <weir/task.h>

#include "../measure.h"
#include "dht/dht.h"
#include "svc/index/announcer.h"

#define PUBLISHERS 64
#define URLS_MAX 16

struct bench {
    const char *path;
    const char *urls[URLS_MAX];
    size_t url_count;
    uint64_t count;
    struct store *store;
    struct dht_line *line;
    struct signer *signer;
    struct dht *dht;
    struct announcer *announcer;
    struct wr_once *drain;
    _Atomic uint64_t next;
    double cpu_us;                      /* used before what is under way */
    uint64_t extra;                     /* proxies asked beside the first, before that */
};

static wr_err publish(void *arg)
{
    struct bench *bench = arg;
    for (uint64_t i; (i = atomic_fetch_add(&bench->next, 1)) < bench->count;) {
        struct index_key key = { .cid = wr_hash_of(&i, sizeof(i)) };
        wr_hash_print_cid(&key.cid, key.text);
        MUST(announcer_offer(bench->announcer, &key, wr_after(WR_S(60))));
    }
    return WR_OK;
}

static wr_err announce(void *arg)
{
    struct bench *bench = arg;
    return announcer_run(bench->announcer, bench->drain);
}

static double cpu_us(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec * 1e6 + (double)used.tv_nsec / 1e3;
}

static void say(struct bench *bench, const char *what, uint64_t count, wr_time took)
{
    double now = cpu_us();
    uint64_t extra = dht_stat(bench->dht).put_hedge.extra;
    printf("index_%s_cpu_us %.0f\n", what, (now - bench->cpu_us) / (double)count);
    printf("index_%s_extra_percent %.2f\n", what,
           100.0 * (double)(extra - bench->extra) / (double)count);
    printf("index_%s_per_s %.0f\n", what, (double)count / ((double)took / 1e9));
    fflush(stdout);
    bench->cpu_us = now;
    bench->extra = extra;
}

static void publish_all(struct bench *bench)
{
    struct wr_scope *scope;
    wr_time began = wr_now();
    MUST(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "publishers",
                                                       .deadline = WR_NEVER }));
    for (int i = 0; i < PUBLISHERS; i++)
        MUST(wr_scope_go(scope, "bench.publisher", publish, bench));
    for (int i = 0; announcer_stat(bench->announcer).added_done < bench->count; i++) {
        MUST(wr_sleep(wr_after(WR_MS(1))));
        if (i % 1000 == 999)
            fprintf(stderr, "# %llu of %llu are announced\n",
                    (unsigned long long)announcer_stat(bench->announcer).added_done,
                    (unsigned long long)bench->count);
    }
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));
    say(bench, "published", bench->count, wr_now() - began);
}

static void announce_all(struct bench *bench)
{
    uint64_t round = announcer_stat(bench->announcer).round;
    announcer_begin(bench->announcer);
    struct announcer_stat stat;
    int ticks = 0;
    do {
        MUST(wr_sleep(wr_after(WR_MS(1))));
        stat = announcer_stat(bench->announcer);
        if (++ticks % 1000 == 0)
            fprintf(stderr, "# %llu of %llu are announced again, %llu failed\n",
                    (unsigned long long)stat.done, (unsigned long long)stat.total,
                    (unsigned long long)stat.failed);
    } while (stat.round == round || stat.running);
    say(bench, "announced_again", stat.done, stat.took);
}

static struct wr_scope *start(struct bench *bench)
{
    struct wr_scope *scope;
    MUST(announcer_new(&bench->announcer, &(struct announcer_conf){
        .store = bench->store, .line = bench->line, .signer = bench->signer,
        .addr = "tcp://127.0.0.1:9101" }));
    MUST(wr_once_new(&bench->drain, "bench.drain", 0));
    MUST(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "announcer",
                                                       .deadline = WR_NEVER }));
    MUST(wr_scope_go(scope, "bench.announcer", announce, bench));
    while (announcer_stat(bench->announcer).round == 0 ||
           announcer_stat(bench->announcer).running)
        MUST(wr_sleep(wr_after(WR_MS(1))));             /* the round that it begins with */
    return scope;
}

static uint64_t stop(struct bench *bench, struct wr_scope *scope)
{
    struct announcer_stat stat = announcer_stat(bench->announcer);
    MUST(wr_once_set(bench->drain, NULL));
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));
    announcer_free(bench->announcer);
    wr_once_free(bench->drain);
    return stat.failures;
}

static wr_err run(void *arg)
{
    struct bench *bench = arg;
    char why[SIGNER_WHY], url[300];
    struct store_why store_why;
    struct wr_scope *janitor;
    snprintf(url, sizeof(url), "sqlite:%s", bench->path);
    MUST(store_open(&bench->store, &(struct store_conf){ .url = url }, &store_why,
                    wr_after(WR_S(10))));
    MUST(signer_open(&bench->signer, NULL, wr_after(WR_S(1)), why));
    MUST(dht_line_new(&bench->line));
    MUST(dht_open(&bench->dht, &(struct dht_conf){ .proxies = bench->urls,
                                                   .count = bench->url_count }));
    MUST(wr_scope_new(&janitor, &(struct wr_scope_conf){ .name = "janitor",
                                                         .deadline = WR_NEVER }));
    MUST(wr_scope_go(janitor, "bench.janitor", dht_run, bench->dht));
    MUST(dht_line_attach(bench->line, bench->dht));
    struct wr_scope *scope = start(bench);
    bench->cpu_us = cpu_us();
    publish_all(bench);
    announce_all(bench);
    printf("index_announce_failed %llu\n", (unsigned long long)stop(bench, scope));
    dht_line_detach(bench->line);
    wr_scope_cancel(janitor);
    MUST(wr_scope_close(janitor));
    dht_close(bench->dht, wr_after(WR_S(1)));
    dht_line_free(bench->line);
    signer_close(bench->signer);
    store_close(bench->store, wr_after(WR_S(10)));
    return WR_OK;
}

int main(int argc, char **argv)
{
    static struct bench bench;
    if (argc < 4)
        wr_panic("usage: announce STORE COUNT URL...");
    bench.path = argv[1];
    bench.count = measure_arg(argc, argv, 2, 10000);
    for (int i = 3; i < argc && bench.url_count < URLS_MAX; i++)
        bench.urls[bench.url_count++] = argv[i];
    return wr_run(&(struct wr_run_conf){ .workers = 1 }, run, &bench) != WR_OK;
}
