/* Lookups over real proxies of OpenDHT, some of which are stopped meanwhile: hedged, and with
 * nobody asked but the first.
 * usage: lookups QUESTION MODE [URL=PID]... [+ PID]...
 *
 * QUESTION is one of those below.  MODE is hedged, or unhedged; or whole, which is hedged, and
 * waits for the end of each answer.  The first five addresses are its targets; PIDs behind the
 * plus are nodes of the network that nobody asks.  Whatever was stopped goes on at the end. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/run.h>
#include <weir/scope.h>
#include <weir/task.h>

#include "../measure.h"
#include "base/hash.h"
#include "dht/dht_int.h"

#define TARGETS 5
#define OTHERS_MAX 32
#define KEYS 200
#define DEADLINE WR_MS(1200)

struct bench {
    const char *question, *mode;
    const char *urls[TARGETS];
    pid_t pids[TARGETS], others[OTHERS_MAX];
    size_t other_count;
    struct signer *signer;
    struct dht *dht;
    struct wr_scope *janitor;
    struct wr_hash keys[KEYS];
    _Atomic size_t next;
    int64_t *samples;
    _Atomic size_t count, failed, wrong;
};

/* ---- the dht ---- */

static void open_dht(struct bench *bench)
{
    struct dht_conf conf = { .proxies = bench->urls, .count = TARGETS,
                             .unhedged = strcmp(bench->mode, "unhedged") == 0 };
    if (strcmp(bench->mode, "whole") == 0)
        conf.linger = WR_S(10);
    MUST(dht_open(&bench->dht, &conf));
    MUST(wr_scope_new(&bench->janitor, &(struct wr_scope_conf){
        .name = "janitor", .deadline = WR_NEVER }));
    MUST(wr_scope_go(bench->janitor, "bench.janitor", dht_run, bench->dht));
}

static void close_dht(struct bench *bench)
{
    wr_scope_cancel(bench->janitor);
    MUST(wr_scope_close(bench->janitor));
    dht_close(bench->dht, wr_after(WR_S(1)));
}

static wr_err publish(struct bench *bench, const struct wr_hash *cid)
{
    unsigned char bytes[DHT_RECORD_MAX];
    struct dht_record record = { .kind = DHT_PROVIDER, .cid = *cid,
                                 .addr = "tcp://127.0.0.1:9101", .issued_at = wr_wall() };
    record.expires_at.ns = record.issued_at.ns + WR_S(600);
    size_t len = dht_record_write(bytes, &record, bench->signer);
    return dht_put(bench->dht, &(struct dht_wanted){ DHT_PROVIDER, cid, NULL }, bytes, len,
                   wr_after(WR_S(10)));
}

static void publish_all(struct bench *bench)
{
    for (size_t i = 0; i < KEYS; i++) {
        uint64_t name[] = { (uint64_t)wr_wall().ns, i };
        bench->keys[i] = wr_hash_of(name, sizeof(name));
        MUST(publish(bench, &bench->keys[i]));
    }
}

static wr_err look_up(struct bench *bench, wr_time *ret_took)
{
    struct dht_found found;
    size_t number = atomic_fetch_add(&bench->next, 1) % KEYS;
    wr_time begun = wr_now();
    wr_err err = dht_find(bench->dht,
                          &(struct dht_wanted){ DHT_PROVIDER, &bench->keys[number], NULL },
                          &found, wr_after(DEADLINE));
    *ret_took = wr_now() - begun;
    dht_found_free(&found);
    return err;
}

/* One that counts. */
static void measure(struct bench *bench)
{
    wr_time took;
    wr_err err = look_up(bench, &took);
    bench->samples[atomic_fetch_add(&bench->count, 1)] = took;
    atomic_fetch_add(&bench->failed, err != WR_OK);
}

static void many(struct bench *bench, size_t count)
{
    for (size_t i = 0; i < count; i++)
        measure(bench);
}

static void stop(const pid_t *pids, size_t count, int number)
{
    for (size_t i = 0; i < count; i++)
        WR_ASSERT(kill(pids[i], number) == 0);
}

/* ---- questions ---- */

static int compare(const void *a, const void *b)
{
    int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;
    return (one > other) - (one < other);
}

static double at(const struct bench *bench, size_t permille)
{
    size_t place = bench->count * permille / 1000;
    return (double)bench->samples[place < bench->count ? place : bench->count - 1] / 1e6;
}

static void print(struct bench *bench, const char *what)
{
    const char *mode = bench->mode;
    WR_ASSERT(bench->count > 0);
    qsort(bench->samples, bench->count, sizeof(bench->samples[0]), compare);
    printf("dht_%s_%s_p50_ms %.3f\n", what, mode, at(bench, 500));
    printf("dht_%s_%s_p99_ms %.3f\n", what, mode, at(bench, 990));
    printf("dht_%s_%s_max_ms %.3f\n", what, mode, at(bench, 1000));
    printf("dht_%s_%s_failed_percent %.2f\n", what, mode,
           100.0 * (double)bench->failed / (double)bench->count);
}

/* All is well.  The first ones teach it how long answers take. */
static void healthy(struct bench *bench)
{
    wr_time took;
    for (int i = 0; i < 1000; i++)
        (void)!look_up(bench, &took);
    struct wr_hedge_stat before = dht_stat(bench->dht).hedge;
    many(bench, 4000);
    struct wr_hedge_stat after = dht_stat(bench->dht).hedge;
    print(bench, "healthy");
    if (after.calls > before.calls) {
        uint64_t calls = after.calls - before.calls;
        printf("dht_healthy_extra_percent %.2f\n",
               100.0 * (double)(after.extra - before.extra) / (double)calls);
        printf("dht_healthy_delay_ms %.2f\n", (double)after.delay / 1e6);
    }
}

/* Two of five proxies are frozen, others each time; the first lookup after that counts too. */
static void two(struct bench *bench)
{
    wr_time took;
    for (int i = 0; i < 300; i++)
        (void)!look_up(bench, &took);
    for (int round = 0; round < 20; round++) {
        pid_t frozen[] = { bench->pids[round % TARGETS],
                           bench->pids[(round + 1 + round / TARGETS % 2) % TARGETS] };
        stop(frozen, 2, SIGSTOP);
        many(bench, 25);
        stop(frozen, 2, SIGCONT);
        MUST(wr_sleep(wr_after(WR_MS(200))));
    }
    print(bench, "two");
}

/* Those are frozen who are about to be asked: the three of the first wave.  Unhedged, the one.
 * */
static void front(struct bench *bench)
{
    wr_time took;
    for (int i = 0; i < 300; i++)
        (void)!look_up(bench, &took);
    for (int round = 0; round < 40; round++) {
        struct targets copy;
        uint32_t order[TARGETS_MAX];
        memcpy(&copy, &bench->dht->targets, sizeof(copy));
        WR_ASSERT(targets_order(&copy, bench->dht->breakers, order) >= 3);
        pid_t frozen[] = { bench->pids[order[0]], bench->pids[order[1]],
                           bench->pids[order[2]] };
        stop(frozen, 3, SIGSTOP);
        measure(bench);
        stop(frozen, 3, SIGCONT);
        for (int i = 0; i < 10; i++)
            (void)!look_up(bench, &took);
        MUST(wr_sleep(wr_after(WR_MS(100))));
    }
    print(bench, "front");
}

/* The same to one that has just begun: it knows nothing about anybody. */
static void fresh(struct bench *bench)
{
    stop(bench->pids, 3, SIGSTOP);
    for (int round = 0; round < 40; round++) {
        close_dht(bench);
        open_dht(bench);
        measure(bench);
    }
    stop(bench->pids, 3, SIGCONT);
    print(bench, "fresh");
}

/* Half of the nodes behind the proxies are frozen. */
static void behind(struct bench *bench)
{
    size_t half = bench->other_count / 2;
    wr_time took;
    for (int i = 0; i < 300; i++)
        (void)!look_up(bench, &took);
    stop(bench->others, half, SIGSTOP);
    many(bench, 100);
    stop(bench->others, half, SIGCONT);
    print(bench, "behind");
}

static wr_err caller(void *arg)
{
    struct bench *bench = arg;
    wr_time took;
    wr_err err = look_up(bench, &took);
    atomic_fetch_add(&bench->failed, err != WR_OK);
    if (err == WR_TIMEOUT)
        bench->samples[atomic_fetch_add(&bench->count, 1)] = took;
    else
        atomic_fetch_add(&bench->wrong, 1);
    return WR_OK;
}

static size_t open_breakers(const struct bench *bench)
{
    return dht_stat(bench->dht).open;
}

/* 200 callers, so long apart, of whom all are to be told that their deadline has passed. */
static void call(struct bench *bench, wr_time apart, const char *what)
{
    struct wr_scope *scope;
    bench->count = bench->failed = bench->wrong = 0;
    MUST(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "callers",
                                                       .deadline = WR_NEVER }));
    for (int i = 0; i < 200; i++) {
        MUST(wr_scope_go(scope, "bench.caller", caller, bench));
        if (apart)
            MUST(wr_sleep(wr_after(apart)));
    }
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));
    print(bench, what);
    printf("dht_%s_over_p99_ms %.3f\n", what, at(bench, 990) - (double)DEADLINE / 1e6);
    printf("dht_%s_over_max_ms %.3f\n", what, at(bench, 1000) - (double)DEADLINE / 1e6);
    printf("dht_%s_wrong %zu\n", what, (size_t)bench->wrong);
}

/* Nobody answers: all are told at their deadline that it has passed, those who come at once
 * and, by another dht, those who come one after the other.  Then the breakers are open, and
 * that is said at once.  Then all are back. */
static void dead(struct bench *bench)
{
    wr_time took;
    stop(bench->pids, TARGETS, SIGSTOP);
    call(bench, 0, "burst");
    close_dht(bench);
    open_dht(bench);
    call(bench, WR_MS(3), "dead");
    wr_time limit = wr_after(WR_S(5));
    while (open_breakers(bench) < TARGETS && wr_now() < limit)
        MUST(wr_sleep(wr_after(WR_MS(10))));
    printf("dht_dead_open %zu\n", open_breakers(bench));
    wr_err err = look_up(bench, &took);
    printf("dht_dead_refused_ms %.3f\n",
           err == WR_OPENCIRCUIT ? (double)took / 1e6 : (double)DEADLINE / 1e6);
    stop(bench->pids, TARGETS, SIGCONT);
    wr_time back = wr_now();
    do {
        MUST(wr_sleep(wr_after(WR_MS(20))));
        err = look_up(bench, &took);
    } while (err && wr_now() - back < WR_S(30));
    printf("dht_dead_recovery_s %.2f\n", (double)(wr_now() - back) / 1e9);
}

struct publisher { struct bench *bench; _Atomic size_t next; size_t count; };

static wr_err publisher(void *arg)
{
    struct publisher *publisher = arg;
    size_t number;
    while ((number = atomic_fetch_add(&publisher->next, 1)) < publisher->count) {
        uint64_t name[] = { (uint64_t)wr_wall().ns, number, 7 };
        struct wr_hash cid = wr_hash_of(name, sizeof(name));
        if (publish(publisher->bench, &cid))
            atomic_fetch_add(&publisher->bench->failed, 1);
    }
    return WR_OK;
}

/* Records put, 32 at a time. */
static void puts_(struct bench *bench)
{
    struct publisher all = { .bench = bench, .count = 10000 };
    struct wr_scope *scope;
    wr_time begun = wr_now();
    MUST(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "publishers",
                                                       .deadline = WR_NEVER }));
    for (int i = 0; i < 32; i++)
        MUST(wr_scope_go(scope, "bench.publisher", publisher, &all));
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));
    printf("dht_puts_per_s %.0f\n", 10000 / ((double)(wr_now() - begun) / 1e9));
    printf("dht_puts_failed %zu\n", (size_t)bench->failed);
}

static const struct { const char *name; void (*run)(struct bench *bench); } questions[] = {
    { "healthy", healthy }, { "two", two }, { "front", front }, { "fresh", fresh },
    { "behind", behind }, { "dead", dead }, { "puts", puts_ },
};

static wr_err run(void *arg)
{
    struct bench *bench = arg;
    char why[SIGNER_WHY];
    MUST(signer_open(&bench->signer, NULL, wr_after(WR_S(1)), why));
    open_dht(bench);
    publish_all(bench);
    for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++)
        if (strcmp(questions[i].name, bench->question) == 0)
            questions[i].run(bench);
    close_dht(bench);
    signer_close(bench->signer);
    return WR_OK;
}

static void read_args(struct bench *bench, int argc, char **argv)
{
    size_t targets = 0;
    bool is_other = false;
    for (int i = 3; i < argc; i++) {
        char *mark = strchr(argv[i], '=');
        if (strcmp(argv[i], "+") == 0)
            is_other = true;
        else if (is_other && bench->other_count < OTHERS_MAX)
            bench->others[bench->other_count++] = (pid_t)strtol(argv[i], NULL, 10);
        else if (mark && targets < TARGETS) {
            *mark = '\0';
            bench->urls[targets] = argv[i];
            bench->pids[targets++] = (pid_t)strtol(mark + 1, NULL, 10);
        }
    }
    if (targets != TARGETS)
        wr_panic("%d proxies are needed, as URL=PID", TARGETS);
}

int main(int argc, char **argv)
{
    static struct bench bench;
    if (argc < 3)
        wr_panic("usage: lookups QUESTION MODE URL=PID... + PID...");
    bench.question = argv[1];
    bench.mode = argv[2];
    read_args(&bench, argc, argv);
    bench.samples = calloc(10000, sizeof(bench.samples[0]));
    wr_err err = wr_run(&(struct wr_run_conf){ .workers = 1 }, run, &bench);
    free(bench.samples);
    return err != WR_OK;
}
