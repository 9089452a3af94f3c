/* scenario_node.c - the whole node in the simulator: load, chaos, and the end.
 *
 * The real node runs as `weir` does, with two workers and a short queue or a longer one.
 * Clients ask over a bad network, workers are killed while they work, HTTP moves from one
 * address to another and back, and at some moment the node is told to stop.  A judge sits
 * at the Unix socket of the control plane, where nothing goes wrong: health is answered at
 * once, to the end; readiness is refused from the moment of the order on; and the node has
 * left within its deadline.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "conf/node_keys.h"
#include "scenario/scenarios.h"
#include "scenario/talk.h"
#include "svc/node/node.h"

#define DRAIN_WITHIN WR_S(3)
#define AT_ONCE WR_MS(5)
#define PATIENCE WR_S(10)
#define CLIENTS 9               /* more than workers and places in the queue */

struct whole {
    struct wr_conf_source source;
    char *argv[16];
    struct node_start start;
    struct node *node;
    struct node_face face;
    bool roomy;                 /* the queue has a place for everybody */
    bool ready, over;
    wr_time told;               /* to stop */
    wr_err result;
    uint64_t answers[6];        /* by hundreds */
    uint64_t failed, kills, looks, moves;
};

/* ---- the node ---- */

static void be_ready(void *arg, const struct node_face *face)
{
    struct whole *whole = arg;
    whole->face = *face;
    whole->ready = true;
}

static const char *const places[] = { "http_addr = \"127.0.0.1:8080\"\n",
                                      "http_addr = \"127.0.0.1:8081\"\n" };

static void load(struct whole *whole)
{
    char *const argv[] = { "weir", "--metrics", "unix:/run/node.sock", "--amnesia",
                           "--log-level", "error", "--workers-count", "2",
                           "--channels-work", whole->roomy ? "16" : "4" };
    static const struct wr_conf_table *const tables[] = { &wr_node_keys, NULL };
    memcpy(whole->argv, argv, sizeof(argv));
    whole->source = (struct wr_conf_source){ .tables = tables, .argv = whole->argv, .cpus = 2,
                                             .argc = sizeof(argv) / sizeof(argv[0]),
                                             .path = "/nowhere/weir.toml", .text = places[0] };
    struct wr_conf_report report = { 0 };
    MUST(wr_conf_load(&whole->start.conf, &whole->source, &report));
    wr_conf_report_free(&report);
    whole->start.source = &whole->source;
    whole->start.ready = be_ready;
    whole->start.arg = whole;
    whole->start.no_signals = true;
}

static wr_err be_node(void *arg)
{
    struct whole *whole = arg;
    whole->result = node_run(&whole->start, &whole->node);
    whole->over = true;
    WR_ASSERT(whole->told && wr_now() - whole->told <= DRAIN_WITHIN);
    WR_ASSERT(whole->result == WR_OK || whole->result == WR_TIMEOUT);
    return WR_OK;
}

/* ---- clients ---- */

static wr_err ask(struct talk *t, struct answer *a, const char *request)
{
    char text[200];
    int len = snprintf(text, sizeof(text), "%s HTTP/1.1\r\nHost: localhost\r\n%s\r\n", request,
                       request[0] == 'P' ? "Content-Length: 0\r\n" : "");
    wr_err err = talk_say(t, text, (size_t)len, wr_after(PATIENCE));
    return err ? err : talk_hear(t, a, wr_after(PATIENCE));
}

/* What a worker's death leaves behind may be 500; what takes too long is 504. */
static bool sane(unsigned status)
{
    switch (status) {
    case 200:
    case 408:
    case 429:
    case 500:
    case 503:
    case 504: return true;
    default: return false;
    }
}

static wr_err use(void *arg)
{
    struct whole *whole = arg;
    while (!whole->over) {
        struct talk t = { 0 };
        struct answer a;
        char request[80];
        wr_err err = wr_connect(&t.stream, &whole->face.http, wr_after(WR_S(1)));
        while (!err) {
            bool repeatable = wr_sim_below(2);
            uint64_t ms = wr_sim_below(wr_sim_below(8) ? 40 : 2500);
            snprintf(request, sizeof(request), "%s /api/v1/debug/sleep?ms=%" PRIu64,
                     repeatable ? "GET" : "POST", ms);
            err = ask(&t, &a, request);
            if (err)
                break;
            WR_ASSERT(sane(a.status));
            /* What may be run again, and finds room, has to meet two deaths to be lost; but it
             * may be turned away where others wait too long already. */
            bool shed = a.status == 503 && strstr(a.body, wr_err_text(WR_SHED));
            if (whole->roomy && !shed && (a.status == 500 || (a.status == 503 && !whole->told)))
                WR_ASSERT(whole->kills > repeatable);
            whole->answers[a.status / 100]++;
            err = a.last ? WR_CLOSED : wr_sleep(some_time(WR_MS(15)));
        }
        whole->failed += err != WR_CLOSED;
        wr_stream_close(t.stream);
        MUST(wr_sleep(some_time(WR_MS(60))));
    }
    return WR_OK;
}

/* Health and readiness, again and again, as long as somebody is there to say it. */
static wr_err judge(void *arg)
{
    struct whole *whole = arg;
    struct talk t = { 0 };
    struct answer a;
    while (!whole->over) {
        if (!t.stream && wr_connect(&t.stream, &whole->face.control, wr_after(AT_ONCE)))
            break;
        bool ready = wr_sim_below(2);
        wr_time before = wr_now();
        bool leaving = whole->told;
        wr_err err = ask(&t, &a, ready ? "GET /readyz" : "GET /healthz");
        if (err && whole->told)
            break;
        MUST(err);
        WR_ASSERT(wr_now() - before <= AT_ONCE);
        WR_ASSERT(ready ? a.status == 200 || a.status == 503 : a.status == 200);
        WR_ASSERT(!(ready && leaving) || a.status == 503);
        whole->looks++;
        if (a.last) {
            wr_stream_close(t.stream);
            t = (struct talk){ 0 };
        }
        MUST(wr_sleep(some_time(WR_MS(40))));
    }
    wr_stream_close(t.stream);
    return WR_OK;
}

static wr_err kill_workers(void *arg)
{
    struct whole *whole = arg;
    while (!whole->told) {
        struct talk t = { 0 };
        struct answer a;
        MUST(wr_sleep(some_time(WR_MS(500))));
        if (!wr_sim_fault("kill a worker", 2)
            || wr_connect(&t.stream, &whole->face.control, wr_after(AT_ONCE)))
            continue;
        whole->kills++;
        WR_ASSERT(ask(&t, &a, "POST /api/v1/debug/crash?service=node.worker") || whole->told
                  || a.status == 202 || a.status == 429);
        wr_stream_close(t.stream);
    }
    return WR_OK;
}

/* Elsewhere and back; what listens is told by be_ready. */
static wr_err move_http(void *arg)
{
    struct whole *whole = arg;
    while (!whole->told) {
        MUST(wr_sleep(some_time(WR_MS(700))));
        if (whole->told || !wr_sim_fault("move", 2))
            continue;
        whole->source.text = places[++whole->moves % 2];
        node_reload(whole->node);
    }
    return WR_OK;
}

static wr_err stop_sometime(void *arg)
{
    struct whole *whole = arg;
    MUST(wr_sleep(some_time(WR_S(3))));
    whole->told = wr_now();
    node_stop(whole->node);
    if (wr_sim_fault("second order", 8)) {
        MUST(wr_sleep(some_time(WR_S(1))));
        if (!whole->over)
            node_stop(whole->node);
    }
    return WR_OK;
}

/* ---- the run ---- */

static wr_err run(void *arg)
{
    struct whole *whole = arg;
    whole->roomy = wr_sim_below(2);
    load(whole);
    struct wr_scope *scope = scope_named("whole");
    MUST(wr_scope_go(scope, "whole.node", be_node, whole));
    for (int i = 0; i < 1000 && !whole->ready; i++)
        MUST(wr_sleep(wr_after(WR_MS(1))));
    WR_ASSERT(whole->ready);
    MUST(wr_scope_go(scope, "whole.judge", judge, whole));
    MUST(wr_scope_go(scope, "whole.killer", kill_workers, whole));
    MUST(wr_scope_go(scope, "whole.mover", move_http, whole));
    MUST(wr_scope_go(scope, "whole.stopper", stop_sometime, whole));
    for (int i = 0; i < CLIENTS; i++)
        MUST(wr_scope_go(scope, "whole.user", use, whole));
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));
    wr_conf_unref(whole->start.conf);
    wr_sim_note("%" PRIu64 " served, %" PRIu64 " sent away, %" PRIu64 " not served, %" PRIu64
                " failed; %" PRIu64 " killed, %" PRIu64 " moved, %" PRIu64 " looks",
                whole->answers[2], whole->answers[4], whole->answers[5], whole->failed,
                whole->kills, whole->moves, whole->looks);
    return WR_OK;
}

static uint64_t state(void *arg)
{
    const struct whole *whole = arg;
    uint64_t state = state_mix(whole->told != 0, whole->failed);
    for (int i = 0; i < 6; i++)
        state = state_mix(state, whole->answers[i] / 4);
    return state_mix(state, whole->kills);
}

const struct scenario wr_scenario_node = {
    .name = "node",
    .what = "the whole node under load and chaos: health at once, the end in time",
    .size = sizeof(struct whole), .run = run, .state = state, .faults = WR_SIM_NET,
    .may_panic = "node.worker",
};
