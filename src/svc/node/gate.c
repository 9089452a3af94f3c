/* gate.c - who may do what: see gate.h. */
#include "svc/node/gate.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/bucket.h>
#include <weir/metric.h>
#include <weir/time.h>

#include "flow/roster.h"

#define TOKENS_MAX 4096             /* whose rates are remembered */
#define RATE_MAX 1000000

static struct wr_metric refused_metric = {
    .name = "auth_refused_total",
    .help = "Calls that were not let in, by what was wrong with their token.",
    .type = WR_COUNTER, .labels = { "reason" }, .series_max = 16,
};

struct gate {
    struct gate_conf conf;
    _Atomic bool open;
    struct roster *rates;
};

wr_err gate_new(struct gate **ret, const struct gate_conf *conf)
{
    struct gate *gate = calloc(1, sizeof(*gate));
    if (!gate)
        return WR_NOMEM;
    gate->conf = *conf;
    gate->open = conf->open;
    if (!conf->open)
        gate->conf.self[0] = '\0';
    wr_err err = roster_new(&gate->rates, "node.tokens", TOKENS_MAX);
    if (err)
        free(gate);
    else
        *ret = gate;
    return err;
}

void gate_free(struct gate *gate)
{
    if (!gate)
        return;
    roster_free(gate->rates);
    free(gate);
}

void gate_set_open(struct gate *gate, bool open)
{
    atomic_store(&gate->open, open);
}

/* ---- names of this machine ---- */

/* The host in "host", "host:port", "[v6]" or "[v6]:port"; its length. */
static size_t host_len(const char *text)
{
    if (text[0] == '[') {
        const char *end = strchr(text, ']');
        return end ? (size_t)(end - text) + 1 : 0;
    }
    return strcspn(text, ":");
}

static bool port_follows(const char *text)
{
    return !*text || (*text == ':' && text[1] && !text[1 + strspn(text + 1, "0123456789")]);
}

static bool loopback_name(const char *host)
{
    char name[64];
    struct wr_addr addr;
    size_t len = host_len(host);
    if (len == 0 || len >= sizeof(name) || !port_follows(host + len))
        return false;
    size_t bracket = host[0] == '[';
    memcpy(name, host + bracket, len - 2 * bracket);
    name[len - 2 * bracket] = '\0';
    if (strcasecmp(name, "localhost") == 0)
        return true;
    return !wr_addr_parse_ip(&addr, name, 0) && wr_addr_loopback(&addr);
}

/* A page may call the place it came from. */
static bool own_origin(const char *origin, const char *host)
{
    const char *rest = strncmp(origin, "http://", 7) == 0    ? origin + 7
                       : strncmp(origin, "https://", 8) == 0 ? origin + 8
                                                             : NULL;
    return rest && strcasecmp(rest, host) == 0;
}

/* ---- tokens ---- */

static wr_err refuse(struct wr_call *call, unsigned status, const char *reason,
                     const char *why)
{
    wr_counter_add(wr_metric_counter(&refused_metric, reason), 1);
    wr_call_status(call, status);
    if (status == 401)
        wr_call_reply_header(call, "WWW-Authenticate", "Bearer");
    return wr_call_fail(call, WR_DENIED, "%s", why);
}

/* NULL: there is none.  Empty: there is something else. */
static const char *bearer(const struct wr_call *call)
{
    const char *value = wr_call_header(call, "authorization");
    if (!value)
        return NULL;
    if (strncasecmp(value, "bearer ", 7) != 0)
        return "";
    return value + 7 + strspn(value + 7, " ");
}

/* Its rate is its own business and its children's: by its id.  No more is let through
 * than it allows, and a table that is full lets nobody through that it does not know. */
static wr_err keep_rate(struct gate *gate, const struct wr_token_verdict *verdict,
                        wr_time *ret_wait, const char **ret_why)
{
    struct wr_guest *guest;
    *ret_wait = WR_S(1);
    *ret_why = "more tokens with a rate are in use than can be told apart";
    if (!verdict->rate.per_s && !verdict->rate.burst)
        return WR_OK;
    uint64_t per_s = verdict->rate.per_s, burst = verdict->rate.burst;
    struct wr_rate rate = wr_rate_of((uint32_t)(per_s < RATE_MAX ? per_s : RATE_MAX), WR_S(1),
                                     (uint32_t)(burst < RATE_MAX ? burst : RATE_MAX));
    wr_err err = roster_enter(gate->rates, verdict->id, WR_TOKEN_ID_SIZE, UINT32_MAX, &guest);
    const char *reason = err ? "table_full" : "rate";
    if (!err) {
        *ret_why = "the token is used more often than it allows";
        err = wr_bucket_take(&guest->buckets[0], &rate, 1, ret_wait);
        roster_leave(gate->rates, guest);
    }
    if (err)
        wr_counter_add(wr_metric_counter(&refused_metric, reason), 1);
    return err ? WR_BUSY : WR_OK;
}

/* Who he is from now on: the token itself is forgotten. */
static wr_err remember(struct wr_call *call, const struct wr_token *token,
                       const struct wr_token_verdict *verdict, const char *tenant)
{
    struct caller *caller = caller_make(call);
    char *scopes = wr_call_alloc(call, token->size);
    if (!caller || !scopes)
        return WR_NOMEM;
    caller_has(caller, verdict, tenant);
    caller->scopes = wr_token_scopes(token, scopes) ? scopes : NULL;
    return WR_OK;
}

static wr_err admit_admin(struct wr_call *call)
{
    struct caller *caller = caller_make(call);
    if (!caller)
        return WR_NOMEM;
    snprintf(caller->token, sizeof(caller->token), "admin");
    return WR_OK;
}

static wr_err admit_token(struct gate *gate, struct wr_call *call, const char *text)
{
    struct wr_token token;
    struct wr_token_verdict verdict;
    struct wr_token_ask ask = {
        .now_s = wr_wall().ns / WR_S(1),
        .aud = GATE_AUDIENCE,
        .scope = wr_call_route(call)->scope,
        .method = wr_call_method(call),
        .path = wr_call_path(call),
        .tenant = wr_call_header(call, "x-tenant"),
        .peer = wr_call_peer(call),
        .size = wr_call_size(call),
        .amnesia = gate->conf.amnesia,
    };
    bool fine = wr_token_parse(&token, text, strlen(text), &verdict)
        && wr_token_verify(&token, gate->conf.keys, gate->conf.key_count, &ask, &verdict);
    wr_err err = fine ? remember(call, &token, &verdict, ask.tenant) : WR_OK;
    wr_token_wipe(&token);
    if (err)
        return err;
    if (!fine)
        return refuse(call, verdict.status, wr_token_state_word(verdict.state), verdict.why);
    wr_time wait;
    const char *why;
    if (!keep_rate(gate, &verdict, &wait, &why))
        return WR_OK;
    wr_call_retry_after(call, wait);
    return wr_call_fail(call, WR_BUSY, "%s", why);
}

wr_err gate_capability(struct gate *gate, const struct gate_ask *asked, const char **ret_why)
{
    struct wr_token token;
    struct wr_token_verdict verdict;
    struct wr_token_ask ask = { .now_s = wr_wall().ns / WR_S(1), .aud = GATE_AUDIENCE,
                                .scope = asked->scope, .tenant = asked->tenant,
                                .peer = asked->peer, .size = asked->size,
                                .amnesia = gate->conf.amnesia };
    *ret_why = "this needs a token";
    if (asked->cap_len == 0)
        return asked->open_to_all
                || (atomic_load(&gate->open) && wr_addr_loopback(asked->peer))
            ? WR_OK : WR_INVALID;
    bool fine = wr_token_parse(&token, asked->cap, asked->cap_len, &verdict)
        && wr_token_verify(&token, gate->conf.keys, gate->conf.key_count, &ask, &verdict);
    wr_token_wipe(&token);
    wr_time wait;
    if (fine && asked->caller)
        caller_has(asked->caller, &verdict, asked->tenant);
    if (fine)
        return keep_rate(gate, &verdict, &wait, ret_why);
    *ret_why = verdict.why;
    wr_counter_add(wr_metric_counter(&refused_metric, wr_token_state_word(verdict.state)), 1);
    return verdict.status == 403 ? WR_DENIED : WR_INVALID;
}

static bool needs_token(const struct gate_conf *conf, const struct wr_call *call, bool open)
{
    const struct wr_route *route = wr_call_route(call);
    if (route->scope && strcmp(route->scope, GATE_ADMIN) == 0)
        return conf->admin || !open;
    return !open && (route->class != WR_ROUTE_PRIORITY || route->scope);
}

wr_err gate_admit(struct gate *gate, struct wr_call *call)
{
    const struct gate_conf *conf = &gate->conf;
    /* Whatever was said about the address: who comes from elsewhere is not at home. */
    bool open = atomic_load(&gate->open) && wr_addr_loopback(wr_call_peer(call));
    const char *token = bearer(call);
    if (token) {
        if (conf->admin && wr_secret_equal(conf->admin, token, strlen(token)))
            return admit_admin(call);
        return admit_token(gate, call, token);
    }
    if (needs_token(conf, call, open))
        return conf->admin || conf->key_count
                   ? refuse(call, 401, "missing", "this needs a token: Authorization: Bearer")
                   : refuse(call, 403, "missing", "this can be asked for on a loopback address "
                                                  "only, as the node has no key for tokens");
    const char *host = wr_call_header(call, "host"), *origin = wr_call_header(call, "origin");
    if (!open)
        return WR_OK;
    if (!host || (strcmp(host, conf->self) != 0 && !loopback_name(host)))
        return refuse(call, 403, "host", "without a token the host must be a loopback name");
    if (origin && !own_origin(origin, host))
        return refuse(call, 403, "origin", "without a token no other origin may call");
    return WR_OK;
}
