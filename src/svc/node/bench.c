/* bench.c - see bench.h. */
#include "svc/node/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <weir/chan.h>
#include <weir/lock.h>
#include <weir/scope.h>

#include "base/ulid.h"
#include "net/json_in.h"
#include "svc/node/node_int.h"
#include "svc/node/page.h"
#include "svc/node/probe.h"

#define RANK_STATE 10

enum state { QUEUED, RUNNING, DONE, FAILED };

struct run {
    char id[WR_ULID_TEXT];          /* empty: there is none */
    enum state state;
    struct probe_conf conf;
    struct wr_wall asked;
    struct probe_result result;     /* of one that is over */
};

struct bench {
    struct wr_chan *wishes;         /* the number of a run */
    struct wr_mutex lock;           /* of what follows */
    struct run runs[BENCH_RUNS_MAX];
    size_t next;                    /* takes the place of the oldest */
    bool active;                    /* the one before `next` is not over */
    const struct probe *probe;      /* of the one that is running */
    struct wr_rand ids;
};

wr_err bench_new(struct bench **ret)
{
    struct bench *bench = calloc(1, sizeof(*bench));
    if (!bench)
        return WR_NOMEM;
    bench->lock = (struct wr_mutex)WR_MUTEX("node.bench", RANK_STATE);
    wr_rand_seed_from_world(&bench->ids);
    wr_err err = wr_chan_new(&bench->wishes, &(struct wr_chan_conf){
        .name = "node.bench", .item_size = sizeof(size_t), .cap = 1, .policy = WR_REJECT });
    if (err)
        free(bench);
    else
        *ret = bench;
    return err;
}

void bench_free(struct bench *bench)
{
    if (!bench)
        return;
    wr_chan_free(bench->wishes);
    wr_mutex_fini(&bench->lock);
    free(bench);
}

/* ---- running ---- */

/* A run is over: what came of it can be read, and the next may come. */
static void end_run(struct bench *bench, size_t which, enum state state,
                    const struct probe_result *result)
{
    wr_mutex_lock(&bench->lock);
    bench->runs[which].state = state;
    bench->runs[which].result = *result;
    bench->active = false;
    bench->probe = NULL;
    wr_mutex_unlock(&bench->lock);
}

static struct probe_conf begin_run(struct bench *bench, size_t which)
{
    wr_mutex_lock(&bench->lock);
    bench->runs[which].state = RUNNING;
    struct probe_conf conf = bench->runs[which].conf;
    wr_mutex_unlock(&bench->lock);
    return conf;
}

static void show_probe(struct bench *bench, const struct probe *probe)
{
    wr_mutex_lock(&bench->lock);
    bench->probe = probe;
    wr_mutex_unlock(&bench->lock);
}

static void run_one(struct bench *bench, size_t which)
{
    struct probe_conf conf = begin_run(bench, which);
    struct probe_result result = { 0 };
    struct probe *probe = NULL;
    wr_err err = probe_new(&probe, &conf);
    if (!err) {
        show_probe(bench, probe);
        err = probe_run(probe, &result);
    }
    if (err && !result.why[0])
        snprintf(result.why, sizeof(result.why), "%s", wr_err_text(err));
    end_run(bench, which, err ? FAILED : DONE, &result);
    probe_free(probe);
}

static wr_err run_wishes(void *arg)
{
    struct bench *bench = arg;
    size_t which;
    wr_err err;
    while (!(err = wr_chan_recv(bench->wishes, &which, WR_NEVER)))
        run_one(bench, which);
    return err;
}

/* What a former life of this child has left behind; what waits still waits. */
static void give_up(struct bench *bench)
{
    static const struct probe_result ended = { .why = "it was ended in the middle" };
    wr_mutex_lock(&bench->lock);
    size_t last = (bench->next + BENCH_RUNS_MAX - 1) % BENCH_RUNS_MAX;
    bool running = bench->active && bench->runs[last].state == RUNNING;
    wr_mutex_unlock(&bench->lock);
    if (running)
        end_run(bench, last, FAILED, &ended);
}

wr_err bench_run(void *arg, struct wr_once *drain)
{
    struct bench *bench = ((struct node *)arg)->bench;
    struct wr_scope *scope;
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "node.bench",
                                                               .deadline = WR_NEVER });
    if (err)
        return err;
    give_up(bench);
    err = wr_scope_go(scope, "bench.run", run_wishes, bench);
    if (!err) {
        wr_scope_enter(scope);              /* so that a panic there is noticed here */
        err = wr_once_wait(drain, NULL, WR_NEVER);
        wr_scope_leave(scope);
    }
    wr_scope_cancel(scope);
    wr_err ended = wr_scope_close(scope);
    return ended ? ended : err;
}

/* ---- a wish, as it comes ---- */

/* A whole number of the object, within its limits; 0 is good for one that need not be
 * there.  Errors: INVALID, and why. */
static wr_err number(struct wr_call *call, const json_t *wish, const char *key,
                     json_int_t least, json_int_t most, json_int_t *ret)
{
    const json_t *value = json_object_get(wish, key);
    if (!value && least == 0) {
        *ret = 0;
        return WR_OK;
    }
    if (!json_is_integer(value))
        return wr_call_fail(call, WR_INVALID, "%s is %s; a whole number from %lld to %lld is "
                            "needed", key, value ? "something else" : "missing",
                            (long long)least, (long long)most);
    *ret = json_integer_value(value);
    if (*ret >= least && *ret <= most)
        return WR_OK;
    return wr_call_fail(call, WR_INVALID, "%s is %lld; %lld to %lld are allowed", key,
                        (long long)*ret, (long long)least, (long long)most);
}

static wr_err only_known(struct wr_call *call, json_t *wish)
{
    static const char *const known[] = { "suite", "durationSecs", "concurrency",
                                         "payloadSize", "seed", "samples" };
    const char *key;
    json_t *value;
    json_object_foreach(wish, key, value)
    {
        size_t i = 0;
        while (i < sizeof(known) / sizeof(*known) && strcmp(key, known[i]) != 0)
            i++;
        if (i == sizeof(known) / sizeof(*known))
            return wr_call_fail(call, WR_INVALID, "\"%.40s\" is not known; suite, "
                                "durationSecs, concurrency, payloadSize, seed, samples are",
                                key);
    }
    return WR_OK;
}

static wr_err read_wish(struct wr_call *call, json_t *wish, struct probe_conf *ret)
{
    const char *suite = json_string_value(json_object_get(wish, "suite"));
    json_int_t seconds = 0, clients = 0, samples = 0, seed = 0, payload;
    wr_err err = only_known(call, wish);
    if (!err && (!suite || strcmp(suite, PROBE_SUITE) != 0))
        err = wr_call_fail(call, WR_INVALID, "suite is \"%.40s\"; there is %s",
                           suite ? suite : "", PROBE_SUITE);
    if (!err)
        err = number(call, wish, "durationSecs", 1, PROBE_DURATION_MAX / WR_S(1), &seconds);
    if (!err)
        err = number(call, wish, "concurrency", 1, PROBE_CLIENTS_MAX, &clients);
    if (!err)
        err = number(call, wish, "samples", 0, PROBE_SAMPLES_MAX, &samples);
    if (!err)
        err = number(call, wish, "seed", 0, INT64_MAX, &seed);
    if (!err)                               /* nothing in this suite has a body */
        err = number(call, wish, "payloadSize", 0, 0, &payload);
    if (err)
        return err;
    ret->duration = WR_S(seconds);
    ret->clients = (unsigned)clients;
    ret->samples_max = (unsigned)samples;
    ret->seed = (uint64_t)seed;
    return WR_OK;
}

/* Errors: BUSY (one is not over). */
static wr_err begin_wish(struct bench *bench, const struct probe_conf *conf, char *ret_id)
{
    struct wr_wall now = wr_wall();
    wr_err err = WR_BUSY;
    wr_mutex_lock(&bench->lock);
    size_t which = bench->next;
    if (!bench->active)
        err = wr_chan_send(bench->wishes, &which, WR_NOW);
    if (!err) {
        struct run *run = &bench->runs[which];
        *run = (struct run){ .state = QUEUED, .conf = *conf, .asked = now };
        memcpy(ret_id, wr_ulid_make(&bench->ids, run->id), WR_ULID_TEXT);
        bench->active = true;
        bench->next = (which + 1) % BENCH_RUNS_MAX;
    }
    wr_mutex_unlock(&bench->lock);
    return err;
}

wr_err bench_serve_start(struct wr_call *call)
{
    struct node *node = wr_call_arg(call);
    struct probe_conf conf = { 0 };
    char id[WR_ULID_TEXT], place[80];
    size_t len;
    const char *body = wr_call_body(call, &len);
    struct page page;
    const struct settings *settings = settings_get(node);
    bool tls = wr_conf_bool(settings->conf, "tls.enabled");
    settings_put(node, settings);
    (void)inlet_addr(node->inlets[WAY_HTTP], &conf.addr);
    if (tls)
        return wr_call_fail(call, WR_UNSUPPORTED, "this node speaks TLS, and a run measures "
                            "in clear");
    json_t *wish = json_in_object(body, len);
    wr_err err = wish ? read_wish(call, wish, &conf)
                      : wr_call_fail(call, WR_INVALID, "the body is no JSON object, has a key "
                                     "twice, or nests too deep");
    json_decref(wish);
    if (err)
        return err;
    err = begin_wish(node->bench, &conf, id);
    if (err)
        return wr_call_fail(call, err, "a run is under way, and one at a time is allowed");
    snprintf(place, sizeof(place), "/api/v1/bench/runs/%s", id);
    wr_call_reply_header(call, "Location", place);
    wr_call_status(call, 202);
    page_begin(&page);
    wr_json_str(&page.json, "runId", id);
    return page_end(&page, call);
}

/* ---- looking ---- */

/* Errors: NOTFOUND, and why. */
static wr_err find_run(struct wr_call *call, struct run *ret, unsigned *ret_progress)
{
    struct bench *bench = ((struct node *)wr_call_arg(call))->bench;
    const char *id = wr_call_param(call, "id");
    bool found = false;
    wr_mutex_lock(&bench->lock);
    for (size_t i = 0; i < BENCH_RUNS_MAX && !found; i++)
        if (bench->runs[i].id[0] && strcmp(bench->runs[i].id, id) == 0) {
            found = true;
            *ret = bench->runs[i];
        }
    if (found)
        *ret_progress = ret->state >= DONE ? 1000
            : ret->state == RUNNING && bench->probe ? probe_progress(bench->probe) : 0;
    wr_mutex_unlock(&bench->lock);
    return found ? WR_OK
                 : wr_call_fail(call, WR_NOTFOUND, "there is no run of that id; the last %d "
                                "are remembered", BENCH_RUNS_MAX);
}

static const char *state_word(enum state state)
{
    static const char *const words[] = { "queued", "running", "done", "failed" };
    return words[state];
}

wr_err bench_serve_status(struct wr_call *call)
{
    struct run run;
    struct page page;
    unsigned progress = 0;
    wr_err err = find_run(call, &run, &progress);
    if (err)
        return err;
    page_begin(&page);
    wr_json_str(&page.json, "runId", run.id);
    page_moment(&page, "askedAt", run.asked);
    wr_json_str(&page.json, "status", state_word(run.state));
    wr_json_decimal(&page.json, "progress", progress, 3);
    if (run.state == FAILED)
        wr_json_str(&page.json, "why", run.result.why);
    return page_end(&page, call);
}

wr_err bench_serve_result(struct wr_call *call)
{
    struct run run;
    struct page page;
    unsigned progress;
    wr_err err = find_run(call, &run, &progress);
    if (err)
        return err;
    if (run.state != DONE)
        return wr_call_fail(call, WR_NOTFOUND, "the run is %s%s%s: it has no result",
                            state_word(run.state), run.state == FAILED ? ", " : "",
                            run.state == FAILED ? run.result.why : "");
    page_begin(&page);
    wr_json_str(&page.json, "runId", run.id);
    wr_json_u64(&page.json, "durationSecs", (uint64_t)(run.conf.duration / WR_S(1)));
    probe_write(&page.json, &run.result);
    return page_end(&page, call);
}
