/* Durable jobs: insert, claim, complete, each acknowledged after its fsync, by many clients at
 * once, with a million finished jobs in the store.  Every client queues a job of its own with a
 * random unique key, claims whichever is first, and completes that one.
 * On a server the figures are called pg_..., else store_...
 * usage: cycle FILE-OR-URL [clients] [seconds] [finished rows] */
#include <libpq-fe.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/run.h>
#include <weir/scope.h>

#include "../measure.h"
#include "store/job.h"

#define SAMPLES_MAX 4000000

struct bench {
    const char *path;
    bool server;
    uint64_t clients, seconds, rows;
    struct store *store;
    wr_time end;
    _Atomic uint64_t cycles, made, samples;
    int64_t *latency;
};

static void sample(struct bench *bench, wr_time since)
{
    uint64_t at = atomic_fetch_add(&bench->samples, 1);
    if (at < SAMPLES_MAX)
        bench->latency[at] = wr_now() - since;
}

static void queue(struct bench *bench, uint64_t *random)
{
    char id[40], unique[40];
    uint64_t number = atomic_fetch_add(&bench->made, 1);
    snprintf(id, sizeof(id), "%016llx%08llx", (unsigned long long)wr_wall().ns,
             (unsigned long long)number);
    snprintf(unique, sizeof(unique), "%016llx%016llx",
             (unsigned long long)measure_random(random),
             (unsigned long long)measure_random(random));
    MUST(store_job_add(bench->store, &(struct store_job_new){
        .id = id, .task = "task_01", .kind = "fetch", .slot = "network_client",
        .priority = (int32_t)(measure_random(random) % 3), .unique = unique,
        .input = "{\"kind\":\"query\",\"query\":\"what is a weir\"}" }, WR_NEVER));
}

static wr_err client(void *arg)
{
    struct bench *bench = arg;
    uint64_t random = MEASURE_SEED + atomic_fetch_add(&bench->made, 1) * 7919;
    while (wr_now() < bench->end) {
        struct store_jobs jobs;
        wr_time start = wr_now();
        queue(bench, &random);
        sample(bench, start);
        start = wr_now();
        MUST(store_job_claim(bench->store, &(struct store_job_claim){
            .slot = "network_client", .max = 1, .lease = WR_S(30) }, &jobs, WR_NEVER));
        sample(bench, start);
        start = wr_now();
        if (jobs.count) {
            MUST(store_job_finish(bench->store, jobs.jobs[0].id, jobs.jobs[0].attempt,
                                  &(struct store_job_end){ .state = STORE_JOB_COMPLETED,
                                                           .output = "{\"pages\":3}" },
                                  WR_NEVER));
            sample(bench, start);
            atomic_fetch_add(&bench->cycles, 1);
        }
        store_jobs_free(&jobs);
    }
    return WR_OK;
}

/* As they would be after a million cycles, made the quick way. */
#define FINISHED(id) " insert into job_done (id, task, kind, slot, priority, state, attempt," \
    " queued_at, started_at, finished_at, input, output%s)" \
    " select " id ", 'task_00', 'fetch', 'network_client', 1, 4, 1, 1600000000000 + i," \
    " 1600000000000 + i, 1600000000000 + i," \
    " '{\"kind\":\"query\",\"query\":\"what is a weir\"}', '{\"pages\":3}'%s from n"

static void make_in_file(struct bench *bench)
{
    sqlite3 *db;
    char sql[600];
    snprintf(sql, sizeof(sql),
             "with recursive n(i) as (select 1 union all select i + 1 from n where i < "
             "%llu)" FINISHED("printf('%%016x%%08x', 1600000000000000000 + i * 1000000, i)"),
             (unsigned long long)bench->rows, "", "");
    WR_ASSERT(sqlite3_open(bench->path, &db) == SQLITE_OK);
    WR_ASSERT(sqlite3_exec(db, "pragma synchronous = off; begin", NULL, NULL, NULL) == 0);
    WR_ASSERT(sqlite3_exec(db, "delete from job_done", NULL, NULL, NULL) == SQLITE_OK);
    if (bench->rows)
        WR_ASSERT(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK);
    WR_ASSERT(sqlite3_exec(db, "commit", NULL, NULL, NULL) == SQLITE_OK);
    WR_ASSERT(sqlite3_exec(db, "pragma wal_checkpoint(truncate)", NULL, NULL, NULL) == 0);
    sqlite3_close(db);
}

static void make_on_server(struct bench *bench)
{
    char sql[700];
    PGconn *pg = PQconnectdb(bench->path);
    snprintf(sql, sizeof(sql),
             "truncate job_done; with n(i) as (select generate_series(1::bigint, %llu))"
             FINISHED("lpad(to_hex(1600000000000000000 + i * 1000000), 16, '0')"
                      " || lpad(to_hex(i), 8, '0')"),
             (unsigned long long)bench->rows, ", seq", ", -i");
    PGresult *result = PQexec(pg, sql);
    if (PQresultStatus(result) != PGRES_COMMAND_OK)
        wr_panic("%s", PQerrorMessage(pg));
    PQclear(result);
    PQclear(PQexec(pg, "vacuum analyze job_done"));
    PQfinish(pg);
}

static void open_store(struct bench *bench)
{
    char url[300];
    struct store_why why = { "" };
    snprintf(url, sizeof(url), "%s%s", bench->server ? "" : "sqlite:", bench->path);
    wr_err err = store_open(&bench->store, &(struct store_conf){ .url = url }, &why, WR_NEVER);
    if (err)
        wr_panic("%s", why.text);
}

static void say(const struct bench *bench, const char *what, double value)
{
    printf("%s_%s %.3f\n", bench->server ? "pg" : "store", what, value);
}

static wr_err run(void *arg)
{
    struct bench *bench = arg;
    struct wr_scope *scope;
    open_store(bench);
    store_close(bench->store, WR_NEVER);
    if (bench->server)
        make_on_server(bench);
    else
        make_in_file(bench);
    open_store(bench);
    bench->latency = calloc(SAMPLES_MAX, sizeof(*bench->latency));
    WR_ASSERT(bench->latency);
    MUST(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "bench",
                                                       .deadline = WR_NEVER }));
    double cpu = measure_cpu_ms();
    wr_time start = wr_now();
    bench->end = start + WR_S((int64_t)bench->seconds);
    for (uint64_t i = 0; i < bench->clients; i++)
        MUST(wr_scope_go(scope, "bench.client", client, bench));
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));
    double took = (double)(wr_now() - start) / 1e9;
    struct store_health health;
    store_health(bench->store, &health);
    double batches = (double)health.batches;
    say(bench, "cycles_per_s", (double)bench->cycles / took);
    say(bench, "cycle_cpu_us", (measure_cpu_ms() - cpu) * 1e3 / (double)bench->cycles);
    say(bench, "cycle_batch", (double)health.writes / batches);
    say(bench, "cycle_batch_slow_percent", 100.0 * (double)health.batches_slow / batches);
    if (!bench->server)
        say(bench, "cycle_wal_mb", (double)health.wal_bytes / 1e6);
    size_t count = bench->samples < SAMPLES_MAX ? bench->samples : SAMPLES_MAX;
    measure_percentiles(bench->server ? "pg_cycle_call" : "store_cycle_call", bench->latency,
                        count);
    store_close(bench->store, WR_NEVER);
    free(bench->latency);
    return WR_OK;
}

int main(int argc, char **argv)
{
    struct bench bench = {
        .path = argc > 1 ? argv[1] : "cycle.db", .clients = measure_arg(argc, argv, 2, 64),
        .seconds = measure_arg(argc, argv, 3, 10), .rows = measure_arg(argc, argv, 4, 1000000),
    };
    bench.server = strncmp(bench.path, "postgres", 8) == 0;
    return wr_run(&(struct wr_run_conf){ 0 }, run, &bench) != WR_OK;
}
