/* One durable insert on an idle store, and beside it, in turns, the least that any store can
 * do: append 4 KiB to a file and sync it.
 * usage: insert FILE [inserts] [pause in us] */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weir/offload.h>
#include <weir/run.h>

#include "../measure.h"
#include "store/job.h"

struct bench { const char *path; size_t count; wr_time pause; int bare; };

static void sync_bare(void *arg)
{
    static char page[4096];
    struct bench *bench = arg;
    WR_ASSERT(write(bench->bare, page, sizeof(page)) == sizeof(page));
    WR_ASSERT(fdatasync(bench->bare) == 0);
}

static wr_err run(void *arg)
{
    struct bench *bench = arg;
    struct store *store;
    struct store_why why;
    char url[300], path[300];
    int64_t *ours = calloc(bench->count, sizeof(*ours));
    int64_t *bare = calloc(bench->count, sizeof(*bare));
    WR_ASSERT(ours && bare);
    snprintf(url, sizeof(url), "sqlite:%s", bench->path);
    snprintf(path, sizeof(path), "%s-bare", bench->path);
    bench->bare = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    WR_ASSERT(bench->bare >= 0);
    if (store_open(&store, &(struct store_conf){ .url = url }, &why, WR_NEVER))
        wr_panic("%s", why.text);
    for (size_t i = 0; i < bench->count; i++) {
        char id[40];
        snprintf(id, sizeof(id), "%016llx", (unsigned long long)wr_wall().ns);
        MUST(wr_sleep(wr_after(bench->pause)));
        wr_time start = wr_now();
        MUST(store_job_add(store, &(struct store_job_new){
            .id = id, .task = "task", .kind = "fetch", .slot = "net", .unique = id,
            .input = "{\"kind\":\"query\",\"query\":\"what is a weir\"}" }, WR_NEVER));
        ours[i] = wr_now() - start;
        MUST(wr_sleep(wr_after(bench->pause)));
        start = wr_now();
        MUST(wr_offload(sync_bare, bench, WR_NEVER));
        bare[i] = wr_now() - start;
    }
    measure_percentiles("store_insert", ours, bench->count);
    measure_percentiles("bare_sync", bare, bench->count);
    store_close(store, WR_NEVER);
    close(bench->bare);
    unlink(path);
    free(ours);
    free(bare);
    return WR_OK;
}

int main(int argc, char **argv)
{
    struct bench bench = { .path = argc > 1 ? argv[1] : "insert.db",
                           .count = measure_arg(argc, argv, 2, 2000),
                           .pause = WR_US((int64_t)measure_arg(argc, argv, 3, 1000)) };
    return wr_run(&(struct wr_run_conf){ 0 }, run, &bench) != WR_OK;
}
