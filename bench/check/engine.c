/* References through the engine with so many coordinators: how many a second, with a library
 * alone and titles that were mistyped; with a source that answers at once, when it is asked
 * (over loopback) and when it is remembered what it said.  And how much memory each takes that
 * waits for an answer.
 * usage: engine COORDINATORS LIBRARY [references] */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/http.h>
#include <weir/run.h>
#include <weir/scope.h>
#include <weir/stream.h>
#include <weir/task.h>

#include "../library/titles.h"
#include "../measure.h"
#include "source/sources.h"
#include "svc/check/engine.h"

#define NOTHING "{\"message\":{\"total-results\":0,\"items\":[]}}"
#define WAITING 1024            /* references whose memory is looked at */

struct bench {
    unsigned coordinators;
    const char *path;           /* of a library */
    uint64_t count;
    bool slow;                  /* nobody is answered */
    struct wr_once *enough;
    struct wr_http *http;
    struct wr_listener *listener;
    char base[WR_ADDR_TEXT_MAX + 10];
    struct wr_cache *cache;
};

static struct bench bench;

static wr_err answer(struct wr_call *call)
{
    if (bench.slow)
        (void)!wr_once_wait(bench.enough, NULL, wr_call_deadline(call));
    wr_call_type(call, "application/json");
    wr_call_write(call, NOTHING, strlen(NOTHING));
    return WR_OK;
}

static const struct wr_route routes[] = {
    { .method = "GET", .path = "/works", .handler = answer, .class = WR_ROUTE_LONG },
};

static wr_err serve(void *arg)
{
    (void)arg;
    return wr_http_serve(bench.http, bench.listener);
}

static void listen_here(void)
{
    struct wr_addr addr;
    char text[WR_ADDR_TEXT_MAX];
    MUST(wr_addr_parse(&addr, "127.0.0.1:0"));
    MUST(wr_listen(&bench.listener, &addr));
    MUST(wr_http_new(&bench.http, &(struct wr_http_conf){
        .routes = routes, .count = 1, .connections_max = 4096,
        .limits = { .ip_connections = 4096 } }));
    wr_addr_print(wr_listener_addr(bench.listener), text);
    snprintf(bench.base, sizeof(bench.base), "http://%s", text);
    MUST(wr_scope_go(wr_scope_self(), "bench.server", serve, NULL));
}

static struct check_paper *paper_of(uint64_t count)
{
    struct wr_arena arena = WR_ARENA((size_t)1 << 30);
    struct bib_name author = { "Lovelace", "Ada" };
    struct check_paper *paper;
    struct bib_references references = {
        .at = wr_arena_alloc(&arena, count * sizeof(struct bib_reference)), .count = count };
    for (uint64_t i = 0; i < count; i++) {
        char title[100];
        snprintf(title, sizeof(title), "Notes on engine %llu, and what it could compute",
                 (unsigned long long)(i * 7919));
        references.at[i] = (struct bib_reference){
            .work = { .title = wr_arena_str(&arena, title), .authors = &author,
                      .author_count = 1, .year = 1843 },
            .raw = "raw", .number = (uint32_t)i + 1 };
    }
    MUST(check_paper_new(&paper, &(struct check_paper_conf){ .references = references }));
    wr_arena_free(&arena);
    return paper;
}

/* Titles that a library has, with two slips of the hand each. */
static struct check_paper *paper_from(const struct library *library, uint64_t count)
{
    struct wr_arena arena = WR_ARENA((size_t)1 << 30);
    struct check_paper *paper;
    uint64_t random = MEASURE_SEED, records = library_info(library).records;
    struct bib_references references = {
        .at = wr_arena_alloc(&arena, count * sizeof(struct bib_reference)), .count = count };
    for (uint64_t i = 0; i < count; i++) {
        struct bib_record record;
        char title[TITLE_MAX];
        MUST(library_record(library, measure_random(&random) % records, &arena, &record));
        snprintf(title, sizeof(title), "%.500s", record.work.title ? record.work.title : "");
        titles_slip(title, 2, &random);
        record.work.title = wr_arena_str(&arena, title);
        references.at[i] = (struct bib_reference){ .work = record.work, .raw = "raw",
                                                   .number = (uint32_t)i + 1 };
    }
    MUST(check_paper_new(&paper, &(struct check_paper_conf){ .references = references }));
    wr_arena_free(&arena);
    return paper;
}

static double pass(struct check_engine *engine, struct check_paper *paper)
{
    int64_t began = measure_time(2);
    MUST(check_engine_check(engine, paper, wr_after(WR_S(100))));
    double seconds = (double)(measure_time(2) - began) / 1e9;
    check_paper_unref(paper);
    return (double)bench.count / seconds;
}

/* Nobody is asked: what coordinators do by themselves. */
static void look_into_library(void)
{
    struct library *library;
    struct library_why why;
    struct check_engine *engine;
    MUST(library_open(&library, bench.path, &why));
    MUST(check_engine_open(&engine, &(struct check_engine_conf){
        .libraries = &library, .library_count = 1, .coordinators = bench.coordinators,
        .year = 2026 }));
    (void)pass(engine, paper_from(library, bench.count));       /* warm */
    printf("check_local_%u_per_s %.0f\n", bench.coordinators,
           pass(engine, paper_from(library, bench.count)));
    check_engine_close(engine);
    library_close(library);
}

static wr_err wait_for_all(void *arg)
{
    return check_engine_check(((void **)arg)[0], ((void **)arg)[1], wr_after(WR_S(60)));
}

/* Half a second after all of them were taken up. */
static void look_at_memory(struct check_engine *engine)
{
    struct check_paper *paper = paper_of(WAITING);
    struct wr_scope *scope;
    void *both[2] = { engine, paper };
    bench.slow = true;
    MUST(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "bench.waiting",
                                                       .deadline = WR_NEVER }));
    size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    MUST(wr_scope_go(scope, "bench.waiter", wait_for_all, both));
    MUST(wr_sleep(wr_after(WR_MS(500))));
    size_t after = mallinfo2().uordblks + mallinfo2().hblkhd;
    printf("check_inflight_bytes %.0f\n", (double)(after - before) / WAITING);
    check_paper_end(paper);
    MUST(wr_once_set(bench.enough, NULL));
    (void)!wr_scope_close(scope);
    check_paper_unref(paper);
}

static wr_err run(void *arg)
{
    static const struct wr_fetch_range here = { .ip = { .kind = WR_ADDR_IP4, .ip = { 127 } },
                                                .bits = 8 };
    struct sources_conf conf = { .plain = true, .allow = &here, .allow_count = 1 };
    struct sources *sources;
    struct check_engine *engine;
    struct wr_scope *scope;
    (void)arg;
    look_into_library();
    MUST(wr_once_new(&bench.enough, "bench.enough", 0));
    MUST(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "bench",
                                                       .deadline = WR_NEVER }));
    wr_scope_enter(scope);
    listen_here();
    MUST(wr_cache_new(&bench.cache, &(struct wr_cache_conf){
        .name = "bench.cache", .ttl = WR_S(1000), .ttl_nothing = WR_S(1000) }));
    for (size_t i = 0; i < SOURCES_MAX; i++)
        conf.settings[i].off = strcmp(sources_driver(i)->slug, "crossref") != 0;
    for (size_t i = 0; i < SOURCES_MAX; i++)
        if (!conf.settings[i].off)
            conf.settings[i] = (struct sources_setting){ .base = bench.base, .interval = 1,
                                                         .timeout = WR_S(30) };
    conf.cache = bench.cache;
    MUST(sources_open(&sources, &conf));
    MUST(check_engine_open(&engine, &(struct check_engine_conf){
        .sources = sources, .coordinators = bench.coordinators, .in_flight = WAITING,
        .year = 2026 }));
    if (bench.coordinators == 4)
        look_at_memory(engine);
    bench.slow = false;
    printf("check_asked_%u_per_s %.0f\n", bench.coordinators,
           pass(engine, paper_of(bench.count)));
    printf("check_remembered_%u_per_s %.0f\n", bench.coordinators,
           pass(engine, paper_of(bench.count)));
    sources_stop(sources);
    check_engine_close(engine);
    sources_close(sources, wr_after(WR_S(1)));
    wr_scope_leave(scope);
    wr_scope_cancel(scope);
    (void)!wr_scope_close(scope);
    wr_http_free(bench.http);
    wr_listener_close(bench.listener);
    return WR_OK;
}

int main(int argc, char **argv)
{
    bench.coordinators = (unsigned)measure_arg(argc, argv, 1, 4);
    bench.path = argc > 2 ? argv[2] : "";
    bench.count = measure_arg(argc, argv, 3, 4000);
    MUST(wr_run(&(struct wr_run_conf){ .workers = 2 }, run, NULL));
    return 0;
}
