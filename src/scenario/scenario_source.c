/* scenario_source.c - references, the drainer of a source, and the source, over a bad network.
 *
 * Coordinators ask about works, three questions at a time, through one drainer; the source has
 * every other one, and now and then refuses, fails, or sends half an answer; and one moment the
 * drainer is closed, whatever is under way.  Each question is reported once.  What is reported
 * as found is the work that was asked for, what is reported as not there is not there, and
 * nothing else is either.  And the source was never asked more often than it allows.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/http.h>
#include <weir/stream.h>

#include "scenario/scenarios.h"
#include "source/answer.h"
#include "source/drainer.h"

#define SOURCE_HOST "10.0.0.2"
#define COORDINATORS 3
#define REFERENCES 6            /* of each coordinator */
#define QUESTIONS 3             /* of each reference */
#define INTERVAL WR_MS(100)
#define TIMEOUT WR_S(1)

struct catalogue {
    struct wr_http *http;
    struct wr_cache *cache;
    struct drainer *drainer;
    bool open;
    unsigned sending;           /* to the drainer, at present */
    wr_time begun;
    uint64_t arrived;
    uint64_t found, nothing, failed, skipped;
    unsigned next;              /* number of the next question */
    char titles[COORDINATORS * REFERENCES * QUESTIONS][32];
};

/* ---- the source: it has what is even ---- */

static wr_err search(struct wr_call *call)
{
    struct catalogue *catalogue = wr_call_arg(call);
    const char *query = wr_call_query(call, "q"), *number = query ? strrchr(query, 'n') : NULL;
    WR_ASSERT(number);
    catalogue->arrived++;
    wr_err err = wr_sleep(some_time(WR_MS(200)));
    if (err)
        return err;
    unsigned title = (unsigned)strtoul(number + 1, NULL, 10);
    switch (wr_sim_below(8)) {
    case 0:
        wr_call_status(call, 429);
        wr_call_reply_header(call, "Retry-After", "1");
        return WR_OK;
    case 1: return WR_IO;
    case 2: wr_call_print(call, "{\"result\":{\"hits\":"); return WR_OK;
    default: break;
    }
    if (title % 2)
        wr_call_print(call, "{\"result\":{\"hits\":{\"@total\":\"0\"}}}");
    else
        wr_call_print(call, "{\"result\":{\"hits\":{\"hit\":[{\"info\":{\"title\":"
                      "\"Quiet river n%ux.\"}}]}}}", title);
    return WR_OK;
}

static wr_err serve(void *arg)
{
    struct catalogue *catalogue = arg;
    struct wr_listener *listener;
    struct wr_addr addr;
    MUST(wr_addr_parse(&addr, SOURCE_HOST ":80"));
    MUST(wr_listen(&listener, &addr));
    catalogue->open = true;
    wr_err err = wr_http_serve(catalogue->http, listener);
    wr_listener_close(listener);
    return err;
}

static wr_err source_host(void *arg)
{
    return wr_sim_host(SOURCE_HOST, serve, arg);
}

/* ---- those who ask ---- */

static bool settles(const void *answer)
{
    return answer;
}

static void check_found(const struct drainer_answer *answer, const char *title)
{
    struct wr_arena arena = WR_ARENA(100000);
    struct bib_record *records;
    size_t count;
    MUST(answer_unpack(answer->records, &arena, &records, &count));
    WR_ASSERT(count == 1 && strcmp(records[0].work.title, title) == 0);
    wr_arena_free(&arena);
    wr_bytes_unref(answer->records);
}

static void check_report(struct catalogue *catalogue, struct wr_gather *gather, uint32_t slot,
                         unsigned number)
{
    struct drainer_answer answer;
    wr_err err = wr_gather_result(gather, slot, &answer);

    if (!err) {
        WR_ASSERT(number % 2 == 0 && answer.about == catalogue);
        check_found(&answer, catalogue->titles[number]);
        catalogue->found++;
    } else if (err == WR_NOTFOUND) {
        WR_ASSERT(number % 2 == 1);
        catalogue->nothing++;
    } else if (err == WR_CANCELED) {
        catalogue->skipped++;
    } else {
        catalogue->failed++;
    }
}

static void ask_one(struct catalogue *catalogue, struct wr_gather *gather, uint32_t slot,
                    unsigned number)
{
    char *title = catalogue->titles[number];
    snprintf(title, sizeof(catalogue->titles[0]), "Quiet river n%ux", number);
    wr_time deadline = some_time(WR_S(20));
    struct drainer_job job = {
        .question = { .by = SOURCE_BY_TITLE, .text = title, .always = wr_sim_below(2) },
        .gather = wr_gather_ref(gather), .slot = slot, .about = catalogue,
        .deadline = deadline };
    catalogue->sending++;
    wr_err err = catalogue->drainer ? drainer_ask(catalogue->drainer, &job, deadline)
                                    : WR_CLOSED;
    catalogue->sending--;
    if (!err)
        return;
    wr_gather_report(gather, slot, WR_CANCELED, NULL);
    wr_gather_unref(gather);
}

static wr_err coordinate(void *arg)
{
    struct catalogue *catalogue = arg;
    for (int i = 0; i < REFERENCES; i++) {
        unsigned first = catalogue->next;
        struct wr_gather *gather;
        catalogue->next += QUESTIONS;
        MUST(wr_gather_new(&gather, &(struct wr_gather_conf){
            .name = "source.reference", .sources = QUESTIONS,
            .size = sizeof(struct drainer_answer), .settles = settles }));
        for (uint32_t slot = 0; slot < QUESTIONS; slot++)
            ask_one(catalogue, gather, slot, first + slot);
        MUST(wr_gather_wait(gather, WR_NEVER));
        for (uint32_t slot = 0; slot < QUESTIONS; slot++)
            check_report(catalogue, gather, slot, first + slot);
        wr_gather_unref(gather);
        MUST(wr_sleep(some_time(WR_MS(500))));
    }
    return WR_OK;
}

/* The drainer, for a while; then nobody sends to it any more, and it is closed. */
static wr_err drain(void *arg)
{
    struct catalogue *catalogue = arg;
    struct wr_fetch_client *client;
    struct drainer *drainer;
    MUST(wr_fetch_client_new(&client, &(struct wr_fetch_conf){
        .name = "source.client", .internal = true, .redirects = WR_REDIRECT_ANY,
        .fresh = true }));
    MUST(drainer_open(&drainer, &(struct drainer_conf){
        .driver = &source_dblp, .client = client, .cache = catalogue->cache,
        .base = "http://" SOURCE_HOST, .interval = INTERVAL, .timeout = TIMEOUT }));
    catalogue->begun = wr_now();
    catalogue->drainer = drainer;
    MUST(wr_sleep(some_time(WR_S(60))));
    catalogue->drainer = NULL;
    while (catalogue->sending)
        MUST(wr_sleep(wr_after(WR_MS(1))));
    drainer_close(drainer);
    wr_fetch_client_close(client, wr_after(WR_S(1)));
    return WR_OK;
}

static wr_err check_node(void *arg)
{
    struct catalogue *catalogue = arg;
    struct wr_scope *scope = scope_named("source.coordinators");
    MUST(wr_scope_go(scope, "source.drain", drain, catalogue));
    while (!catalogue->drainer)
        MUST(wr_sleep(wr_after(WR_MS(1))));
    for (int i = 0; i < COORDINATORS; i++)
        MUST(wr_scope_go(scope, "source.coordinator", coordinate, catalogue));
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));
    return WR_OK;
}

static wr_err check_host(void *arg)
{
    return wr_sim_host("10.0.0.3", check_node, arg);
}

/* ---- the run ---- */

static wr_err run(void *arg)
{
    struct catalogue *catalogue = arg;
    const struct wr_route routes[] = {
        { .method = "GET", .path = "/search/publ/api", .handler = search, .arg = catalogue,
          .class = WR_ROUTE_LONG },
    };
    struct wr_scope *serving = scope_named("source.serving"), *asking = scope_named("source");
    MUST(wr_http_new(&catalogue->http, &(struct wr_http_conf){ .routes = routes, .count = 1 }));
    MUST(wr_cache_new(&catalogue->cache, &(struct wr_cache_conf){
        .name = "source.answers", .ttl = DRAINER_TTL, .ttl_nothing = DRAINER_TTL_NOTHING }));
    MUST(wr_scope_go(serving, "source.host", source_host, catalogue));
    while (!catalogue->open)
        MUST(wr_sleep(wr_after(WR_MS(1))));
    MUST(wr_scope_go(asking, "source.node", check_host, catalogue));
    MUST(wr_scope_join(asking, WR_NEVER));
    MUST(wr_scope_close(asking));
    wr_scope_cancel(serving);
    (void)!wr_scope_close(serving);
    wr_cache_free(catalogue->cache);
    wr_http_free(catalogue->http);
    uint64_t reported = catalogue->found + catalogue->nothing + catalogue->failed
                        + catalogue->skipped;
    WR_ASSERT(reported == (size_t)COORDINATORS * REFERENCES * QUESTIONS);
    wr_sim_note("%" PRIu64 " found, %" PRIu64 " not there, %" PRIu64 " failed, %" PRIu64
                " skipped, %" PRIu64 " requests", catalogue->found, catalogue->nothing,
                catalogue->failed, catalogue->skipped, catalogue->arrived);
    return WR_OK;
}

static const char *invariant(void *arg)
{
    const struct catalogue *catalogue = arg;
    if (catalogue->begun
        && (wr_time)catalogue->arrived > 1 + (wr_now() - catalogue->begun) / INTERVAL)
        return "the source was asked more often than it allows";
    return NULL;
}

static uint64_t state(void *arg)
{
    const struct catalogue *catalogue = arg;
    uint64_t state = state_mix(state_mix(0, catalogue->found), catalogue->nothing);
    state = state_mix(state_mix(state, catalogue->failed), catalogue->skipped);
    return state_mix(state_mix(state, catalogue->arrived), catalogue->next);
}

const struct scenario wr_scenario_source = {
    .name = "source",
    .what = "a source asked over a bad network: each question is reported once, and truly",
    .size = sizeof(struct catalogue), .run = run, .invariant = invariant, .state = state,
    .faults = WR_SIM_NET | WR_SIM_LATE,
};
