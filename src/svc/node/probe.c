/* probe.c - see probe.h. */
#include "svc/node/probe.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/fetch.h>
#include <weir/metric.h>
#include <weir/panic.h>
#include <weir/scope.h>
#include <weir/stream.h>
#include <weir/task.h>

#include "base/rand.h"

#define ANSWER_WITHIN WR_S(2)
#define TOO_MANY_REQUESTS 429

/* All of them are answered to whoever asks, and while everything else is busy. */
static const char *const pages[PROBE_PAGES] = {
    "/healthz", "/readyz", "/version", "/metrics",
};

struct sample { wr_time took; uint8_t page; bool there, failed, refused; };

struct probe {
    struct probe_conf conf;
    struct wr_fetch_client *client;
    char urls[PROBE_PAGES][WR_ADDR_TEXT_MAX + 40];
    wr_time until;
    _Atomic wr_time began;          /* 0: not yet */
    _Atomic unsigned next;          /* the place of the next sample */
    _Atomic unsigned order;         /* which client comes next */
    struct sample samples[];
};

/* Who listens on any address is reached on a loopback one. */
static void to_this_machine(struct wr_addr *addr)
{
    static const unsigned char any[sizeof(addr->ip)];
    if (memcmp(addr->ip, any, sizeof(any)) != 0)
        return;
    if (addr->kind == WR_ADDR_IP4)
        addr->ip[0] = 127;
    addr->ip[addr->kind == WR_ADDR_IP4 ? 3 : 15] = 1;
}

wr_err probe_new(struct probe **ret, const struct probe_conf *conf)
{
    char text[WR_ADDR_TEXT_MAX];
    if (conf->duration <= 0 || conf->duration > PROBE_DURATION_MAX || conf->clients == 0
        || conf->clients > PROBE_CLIENTS_MAX || conf->samples_max > PROBE_SAMPLES_MAX)
        wr_panic("a probe of %lld ns, %u clients and %u samples is out of its limits",
                 (long long)conf->duration, conf->clients, conf->samples_max);
    unsigned samples = conf->samples_max ? conf->samples_max : PROBE_SAMPLES_MAX;
    struct probe *probe = calloc(1, sizeof(*probe) + samples * sizeof(probe->samples[0]));
    if (!probe)
        return WR_NOMEM;
    probe->conf = *conf;
    probe->conf.samples_max = samples;
    to_this_machine(&probe->conf.addr);
    wr_addr_print(&probe->conf.addr, text);
    for (size_t i = 0; i < PROBE_PAGES; i++)
        snprintf(probe->urls[i], sizeof(probe->urls[i]), "http://%s%s", text, pages[i]);
    *ret = probe;
    return WR_OK;
}

void probe_free(struct probe *probe)
{
    free(probe);
}

unsigned probe_progress(const struct probe *probe)
{
    wr_time began = atomic_load(&probe->began);
    if (!began)
        return 0;
    uint64_t time = (uint64_t)((wr_now() - began) * 1000 / probe->conf.duration);
    uint64_t samples = (uint64_t)atomic_load(&probe->next) * 1000 / probe->conf.samples_max;
    uint64_t most = time > samples ? time : samples;
    return most < 1000 ? (unsigned)most : 1000;
}

/* ---- asking ---- */

/* An answer that is no answer counts; only the end of the scope ends the client. */
static wr_err ask(struct probe *probe, size_t page, struct sample *ret)
{
    struct wr_fetch_reply reply;
    wr_time before = wr_now();
    wr_err err = wr_fetch(probe->client,
                          &(struct wr_fetch_request){ .url = probe->urls[page],
                                                      .body_max = (size_t)8 << 20 },
                          &reply, wr_after(ANSWER_WITHIN));
    bool refused = !err && reply.status == TOO_MANY_REQUESTS;
    *ret = (struct sample){ .took = wr_now() - before, .page = (uint8_t)page, .there = true,
                            .failed = err || (reply.status >= 400 && !refused),
                            .refused = refused };
    wr_fetch_reply_free(&reply);
    return err == WR_CANCELED || err == WR_CLOSED ? err : WR_OK;
}

static wr_err run_client(void *arg)
{
    struct probe *probe = arg;
    struct wr_rand rand;
    unsigned place;
    wr_err err = WR_OK;
    wr_rand_seed(&rand, probe->conf.seed + atomic_fetch_add(&probe->order, 1));
    while (!err && wr_now() < probe->until
           && (place = atomic_fetch_add(&probe->next, 1)) < probe->conf.samples_max)
        err = ask(probe, wr_rand_below(&rand, PROBE_PAGES), &probe->samples[place]);
    return err;
}

static wr_err run_clients(struct probe *probe)
{
    struct wr_scope *scope;
    wr_time began = wr_now();
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "node.probe",
                                                               .deadline = WR_NEVER });
    if (err)
        return err;
    probe->until = began + probe->conf.duration;
    atomic_store(&probe->began, began);
    for (unsigned i = 0; i < probe->conf.clients && !err; i++)
        err = wr_scope_go(scope, "probe.client", run_client, probe);
    if (!err)
        err = wr_scope_join(scope, WR_NEVER);
    wr_err ended = wr_scope_close(scope);
    return err ? err : ended;
}

/* Whether the port is open: who has it may speak something else. */
static bool listens(const struct probe *probe)
{
    struct wr_stream *stream;
    wr_err err = wr_connect(&stream, &probe->conf.addr, wr_after(ANSWER_WITHIN));
    if (!err)
        wr_stream_close(stream);
    return !err;
}

/* Whether anybody is there at all. */
static wr_err try(struct probe *probe, struct probe_result *ret)
{
    struct wr_fetch_reply reply;
    wr_err err = wr_fetch(probe->client, &(struct wr_fetch_request){ .url = probe->urls[0] },
                          &reply, wr_after(ANSWER_WITHIN));
    if (err)
        snprintf(ret->why, sizeof(ret->why), "%.170s%s", reply.why, listens(probe)
                 ? " (this asks by HTTP in clear only, not over TLS)" : "");
    wr_fetch_reply_free(&reply);
    return err;
}

/* ---- what came of it ---- */

static int compare(const void *a, const void *b)
{
    wr_time one = *(const wr_time *)a, other = *(const wr_time *)b;
    return (one > other) - (one < other);
}

/* The smallest that so many of a hundred are not above. */
static wr_time percentile(const wr_time *sorted, size_t count, size_t percent)
{
    return count ? sorted[(count * percent + 99) / 100 - 1] : 0;
}

static void sum_up(const struct probe *probe, size_t page, wr_time *room, struct probe_row *row)
{
    unsigned taken = atomic_load(&probe->next);
    size_t count = 0;
    *row = (struct probe_row){ .page = pages[page] };
    for (unsigned i = 0; i < taken && i < probe->conf.samples_max; i++) {
        const struct sample *sample = &probe->samples[i];
        if (!sample->there || sample->page != page)
            continue;
        row->refused += sample->refused;
        row->errors += sample->failed;
        if (!sample->refused)
            room[count++] = sample->took;
    }
    qsort(room, count, sizeof(*room), compare);
    row->requests = count;
    row->p50 = percentile(room, count, 50);
    row->p95 = percentile(room, count, 95);
    row->p99 = percentile(room, count, 99);
}

static wr_err sum_up_all(const struct probe *probe, struct probe_result *ret)
{
    wr_time *room = calloc(probe->conf.samples_max, sizeof(*room));
    if (!room)
        return WR_NOMEM;
    for (size_t i = 0; i < PROBE_PAGES; i++) {
        sum_up(probe, i, room, &ret->rows[i]);
        (void)!wr_yield();              /* others must not wait for all the sorting */
    }
    free(room);
    return WR_OK;
}

wr_err probe_run(struct probe *probe, struct probe_result *ret)
{
    *ret = (struct probe_result){ .clients = probe->conf.clients };
    wr_err err = wr_fetch_client_new(&probe->client, &(struct wr_fetch_conf){
        .name = "probe", .plain = true, .internal = true,
        .requests_max = probe->conf.clients + 1,
        .host_connections_max = probe->conf.clients });
    if (err)
        return err;
    err = try(probe, ret);
    if (!err) {
        err = run_clients(probe);
        ret->took = wr_now() - atomic_load(&probe->began);
    }
    wr_fetch_client_close(probe->client, WR_NOW);
    if (!err)
        err = sum_up_all(probe, ret);
    if (err && !ret->why[0])
        snprintf(ret->why, sizeof(ret->why), "%s", wr_err_text(err));
    return err;
}

/* ---- for people and machines ---- */

static void add_rate(struct wr_json *json, uint64_t requests, wr_time took)
{
    double rate = took > 0 ? (double)requests * (double)WR_S(1) / (double)took : 0;
    wr_json_decimal(json, "rps", (int64_t)(rate * 10), 1);
}

void probe_write(struct wr_json *json, const struct probe_result *result)
{
    uint64_t requests = 0, errors = 0, refused = 0;
    for (size_t i = 0; i < PROBE_PAGES; i++) {
        requests += result->rows[i].requests;
        errors += result->rows[i].errors;
        refused += result->rows[i].refused;
    }
    wr_json_str(json, "suite", PROBE_SUITE);
    wr_json_u64(json, "concurrency", result->clients);
    wr_json_decimal(json, "tookMs", result->took, WR_NS_AS_MS);
    wr_json_u64(json, "requests", requests);
    wr_json_u64(json, "errors", errors);
    wr_json_u64(json, "refused", refused);
    add_rate(json, requests, result->took);
    wr_json_array(json, "endpoints");
    for (size_t i = 0; i < PROBE_PAGES; i++) {
        const struct probe_row *row = &result->rows[i];
        wr_json_object(json, NULL);
        wr_json_str(json, "endpoint", row->page);
        wr_json_u64(json, "requests", row->requests);
        wr_json_u64(json, "errors", row->errors);
        wr_json_u64(json, "refused", row->refused);
        add_rate(json, row->requests, result->took);
        wr_json_decimal(json, "p50Ms", row->p50, WR_NS_AS_MS);
        wr_json_decimal(json, "p95Ms", row->p95, WR_NS_AS_MS);
        wr_json_decimal(json, "p99Ms", row->p99, WR_NS_AS_MS);
        wr_json_end(json);
    }
    wr_json_end(json);
}
