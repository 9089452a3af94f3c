/* call.c - from the head of a request to the handler, and what that can ask: see
 * http.h, and call.h for who owns what. */
#include "net/call.h"

#include <stdlib.h>
#include <string.h>

#include <weir/scope.h>
#include <weir/task.h>

#include "base/forget.h"
#include "base/ulid.h"
#include "net/server.h"

#define REPLY_KEPT 1024             /* the memory of a small reply is good for the next */

/* ---- making and letting go ---- */

struct wr_call *call_new(const struct visit *visit, size_t room)
{
    struct wr_call *call = malloc(sizeof(*call) + room);
    if (!call)
        return NULL;
    memset(call, 0, offsetof(struct wr_call, corr));
    call->reply = wr_text_heap(CALL_REPLY_MAX);
    call->headers = wr_text_heap(CALL_HEADERS_MAX);
    call->http = visit->http;
    call->visit = visit;
    call->peer = *wr_stream_peer(visit->stream);
    call->fill = 0;
    call->room = room;
    atomic_init(&call->holders, 1);
    call_reset(call);
    return call;
}

static void free_blocks(struct wr_call *call)
{
    while (call->blocks) {
        struct block *block = call->blocks;
        call->blocks = block->next;
        wr_forget_free(block);
    }
    call->allocated = 0;
}

/* As if no handler had been called. */
static void forget_answer(struct wr_call *call)
{
    if (call->reply.cap > REPLY_KEPT) {
        wr_text_free(&call->reply);
        call->reply = wr_text_heap(CALL_REPLY_MAX);
    }
    wr_text_rewind(&call->reply, 0);
    wr_text_rewind(&call->headers, 0);
    call->header_count = 0;
    call->retry_said = 0;
    call->sized = false;
    call->status = 200;
    call->type = "text/plain; charset=utf-8";
    call->failed = WR_OK;
    call->why[0] = '\0';
    call->rejected = NULL;
}

void call_reset(struct wr_call *call)
{
    if (call->entered)
        server_leave(call);
    free_blocks(call);
    call_body_close(call);
    wr_text_free(&call->collected);
    call->collected = wr_text_heap(1);
    forget_answer(call);
    head_clear(&call->head);
    call->route = NULL;
    call->path = call->query = NULL;
    call->params = (struct params){ 0 };
    call->body = (struct slice){ "", 0 };
    call->body_over = call->begun = false;
    call->repeated = 0;
    call->io = NULL;
    call->memo = NULL;
    call->caller = NULL;
    call->corr[0] = '\0';
}

void call_drop(struct wr_call *call)
{
    if (!call || atomic_fetch_sub_explicit(&call->holders, 1, memory_order_acq_rel) > 1)
        return;
    call_reset(call);
    wr_text_free(&call->collected);
    wr_text_free(&call->reply);
    wr_text_free(&call->headers);
    wr_forget_free(call);
}

/* ---- a few to spare ---- */

#define PROBES 8

static _Atomic(struct wr_call *) *slot_of(const struct visit *visit, size_t probe)
{
    uint64_t hash = (uint64_t)(uintptr_t)visit * 0x9e3779b97f4a7c15;
    return &visit->http->spare[((hash >> 32) + probe) % SERVER_SPARE_MAX];
}

struct wr_call *call_take(const struct visit *visit)
{
    for (size_t i = 0; i < PROBES; i++) {
        _Atomic(struct wr_call *) *slot = slot_of(visit, i);
        if (!atomic_load_explicit(slot, memory_order_relaxed))
            continue;
        struct wr_call *call = atomic_exchange_explicit(slot, NULL, memory_order_acquire);
        if (call) {
            call->visit = visit;
            call->peer = *wr_stream_peer(visit->stream);
            call->fill = 0;
            return call;
        }
    }
    return call_new(visit, CALL_ROOM);
}

/* One that a worker is still about to let go of is not used again. */
void call_give(struct wr_call *call, const struct visit *visit)
{
    if (call->room > CALL_ROOM
        || atomic_load_explicit(&call->holders, memory_order_acquire) > 1) {
        call_drop(call);
        return;
    }
    call_reset(call);
    wr_forget(call->bytes, call->room);
    for (size_t i = 0; i < PROBES; i++) {
        struct wr_call *none = NULL;
        if (atomic_compare_exchange_strong_explicit(slot_of(visit, i), &none, call,
                                                    memory_order_release,
                                                    memory_order_relaxed))
            return;
    }
    call_drop(call);
}

/* ---- the head ---- */

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* In place; false for what cannot be decoded, and for a zero byte. */
static bool decode(char *text, bool plus)
{
    unsigned char *to = (unsigned char *)text;
    for (const char *at = text; *at; at++) {
        if (*at == '%') {
            int high = hex(at[1]), low = high < 0 ? -1 : hex(at[2]);
            if (low < 0 || (high | low) == 0)
                return false;
            *to++ = (unsigned char)(high * 16 + low);
            at += 2;
        } else {
            *to++ = (unsigned char)(plus && *at == '+' ? ' ' : *at);
        }
    }
    *to = '\0';
    return true;
}

static void terminate(struct slice slice)
{
    if (slice.at)
        ((char *)(uintptr_t)slice.at)[slice.len] = '\0';
}

static bool refused(struct wr_call *call, wr_err err, unsigned status, const char *why)
{
    call_refuse(call, err, status, why);
    return false;
}

/* The authority of an absolute target is that of the host field (h1.c). */
static char *path_of(char *target)
{
    char *scheme = target[0] == '/' ? NULL : strstr(target, "://");
    if (!scheme)
        return target;
    char *end = strpbrk(scheme + 3, "/?#");
    if (!end)
        return scheme;                      /* "http://host": the root */
    if (*end != '/')
        *--end = '/';                       /* "http://host?query" */
    return end;
}

/* End the texts with zero bytes, split and decode the target. */
static bool split_head(struct wr_call *call)
{
    struct head *head = &call->head;
    for (size_t i = 0; i < head->count; i++) {
        terminate(head->fields[i].name);
        terminate(head->fields[i].value);
    }
    terminate(head->target);
    call->path = path_of((char *)(uintptr_t)head->target.at);
    if (call->path[0] == ':')
        call->path[0] = '/', call->path[1] = '\0';
    if (strchr(call->path, '#'))
        return refused(call, WR_INVALID, 400, "a fragment in the target");
    char *query = strchr(call->path, '?');
    if (query) {
        *query = '\0';
        call->query = query + 1;
    }
    return decode(call->path, false)
        || refused(call, WR_INVALID, 400, "a path that cannot be decoded");
}

void call_identify(struct wr_call *call, struct wr_rand *ids)
{
    const struct slice *given = &call->head.corr;
    if (call->corr[0])
        return;
    if (!given->at) {
        wr_ulid_make(ids, call->corr);
        return;
    }
    memcpy(call->corr, given->at, given->len);
    call->corr[given->len] = '\0';
}

static bool no_route(struct wr_call *call, struct found found)
{
    if (!found.path_known)
        return refused(call, WR_NOTFOUND, 404, "there is nothing at this path");
    char allowed[100];
    routes_allowed(call->http->routes, call->path, allowed, sizeof(allowed));
    wr_call_reply_header(call, "Allow", allowed);
    return refused(call, WR_UNSUPPORTED, 405, "the path does not have this method");
}

static bool admitted(struct wr_call *call, wr_time now)
{
    const struct wr_http_conf *conf = &call->http->conf;
    server_enter(call);             /* before the look at the drain, which looks at this */
    if (call->route->class != WR_ROUTE_PRIORITY && atomic_load(&call->http->draining))
        return refused(call, WR_DRAINING, 503, NULL);
    if (!server_pay(call, now))
        return false;
    wr_err err = conf->admit ? conf->admit(conf->arg, call) : WR_OK;
    call->admitted = !err;
    if (err)
        call_fail(call, err);
    return !err;
}

/* A token is worth what it allows, and nobody needs it any more: it does not stay in
 * memory that is used again. */
static void forget_token(struct wr_call *call)
{
    static const char name[] = "authorization";
    for (size_t i = 0; i < call->head.count; i++) {
        struct field *field = &call->head.fields[i];
        if (field->name.len != sizeof(name) - 1 || !field->value.at
            || strncasecmp(field->name.at, name, sizeof(name) - 1) != 0)
            continue;
        explicit_bzero((char *)(uintptr_t)field->value.at, field->value.len);
        field->value.len = 0;
    }
}

/* As they are now: a call keeps those that it began with. */
static void set_bounds(struct wr_call *call)
{
    const struct limits *now = &call->http->now;
    const struct route_state *state = &call->http->states[call->route_index];
    wr_time within = state->usual_deadline ? now->deadline : call->route->deadline;
    call->hard_deadline = call->deadline = call->began + within;
    if (call->route->class == WR_ROUTE_SHORT)
        call->deadline -= within / 4;
    call->body_max = state->body == BODY_USUAL   ? now->body_max
                     : state->body == BODY_LARGE ? now->body_large
                                                 : call->route->body_max;
}

static bool judge(struct wr_call *call, struct wr_rand *ids, wr_time now)
{
    call_identify(call, ids);
    if (call->visit->stranger)
        return refused(call, WR_DENIED, 403, "this user may not use the socket");
    struct found found = { 0 };
    bool sound = split_head(call);
    if (sound)
        found = routes_find(call->http->routes, call->head.method, call->path, &call->params);
    if (!found.route)               /* what does not exist is not for nothing either */
        return server_pay(call, now) && sound && no_route(call, found);
    call->route = found.route;
    call->route_index = found.index;
    set_bounds(call);
    return admitted(call, now) && call_body_open(call);
}

bool call_judge(struct wr_call *call, struct wr_rand *ids, wr_time now)
{
    bool goes_on = judge(call, ids, now);
    if (call->http->conf.admit)
        forget_token(call);
    return goes_on;
}

/* ---- running ---- */

bool call_count(struct wr_call *call)
{
    if (!call_body_whole(call)
        || (call->route->class == WR_ROUTE_PRIORITY && !server_hold(call)))
        return false;
    unsigned before =
        atomic_fetch_add(&call->http->states[call->route_index].running, 1);
    call->counted = true;
    if (!call->route->concurrency || before < call->route->concurrency)
        return true;
    call_uncount(call);
    wr_counter_add(call->http->states[call->route_index].busy, 1);
    return refused(call, WR_BUSY, 429, "as many calls of this path run as may");
}

void call_uncount(struct wr_call *call)
{
    if (call->counted)
        atomic_fetch_sub(&call->http->states[call->route_index].running, 1);
    call->counted = false;
    if (call->control)
        server_release(call);
}

static wr_err handle_in_time(struct wr_call *call)
{
    struct wr_scope *scope;
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = call->route->path,
                                                               .deadline = call->deadline });
    if (err)
        return err;
    wr_scope_enter(scope);
    err = call->route->handler(call);
    wr_scope_leave(scope);
    wr_err left = wr_scope_close(scope);
    return err ? err : left;
}

void call_handle(struct wr_call *call)
{
    wr_err err = call->route->class == WR_ROUTE_PRIORITY ? call->route->handler(call)
                                                         : handle_in_time(call);
    if (!err && call->reply.cut)
        err = wr_call_fail(call, WR_NOMEM, "the answer is larger than %zu bytes, or there is "
                           "no memory for it", CALL_REPLY_MAX);
    if (err)
        call_fail(call, err);
    call_uncount(call);
}

bool call_submit(struct wr_call *call, struct wr_chan *done)
{
    const struct wr_http_conf *conf = &call->http->conf;
    call->done = done;
    atomic_store_explicit(&call->state, CALL_PENDING, memory_order_relaxed);
    /* Who ran the last request may not have let go yet: one more, not two. */
    atomic_fetch_add_explicit(&call->holders, 1, memory_order_relaxed);
    wr_err err = conf->submit(conf->arg, call);
    if (!err)
        return true;
    atomic_fetch_sub_explicit(&call->holders, 1, memory_order_relaxed);
    call_uncount(call);
    call_fail(call, err);
    if (err == WR_BUSY)
        wr_counter_add(call->http->states[call->route_index].busy, 1);
    return false;
}

bool call_abandon(struct wr_call *call)
{
    return atomic_exchange(&call->state, CALL_ABANDONED) == CALL_PENDING;
}

void call_await_word(struct wr_chan *done)
{
    struct wr_scope *shield;
    void *word;
    struct wr_scope_conf conf = { .name = "http.word", .deadline = wr_after(WR_S(60)),
                                  .shield = true };
    if (wr_scope_new(&shield, &conf)) {
        while (wr_chan_recv(done, &word, WR_NOW) != WR_OK)
            ;
        return;
    }
    wr_scope_enter(shield);
    (void)!wr_chan_recv(done, &word, WR_NEVER);
    wr_scope_leave(shield);
    (void)!wr_scope_close(shield);
}

struct wr_call *call_replace(struct wr_call *old, size_t room)
{
    struct wr_call *call = call_new(old->visit, room);
    if (!call)
        return NULL;
    call->route = old->route;
    call->route_index = old->route_index;
    call->began = old->began;
    call->head.method = strcmp(old->head.method, "HEAD") == 0 ? "HEAD" : "GET";
    memcpy(call->corr, old->corr, sizeof(call->corr));
    call_refuse(call, WR_TIMEOUT, 504, "there was no answer within the deadline");
    return call;
}

/* Its answer is there: tell the connection, if that still waits, and let go. */
static void give_back(struct wr_call *call)
{
    call_uncount(call);
    if (atomic_exchange(&call->state, CALL_ANSWERED) == CALL_PENDING)
        (void)!wr_chan_send(call->done, &(void *){ call }, WR_NOW);
    call_drop(call);
}

void wr_call_refuse(struct wr_call *call, wr_err err)
{
    call_fail(call, err);
    give_back(call);
}

/* A POST is somebody's wish to do it once. */
static bool repeatable(const struct wr_call *call)
{
    const char *method = call->head.method;
    return call->route->repeatable || strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0
        || strcmp(method, "PUT") == 0 || strcmp(method, "DELETE") == 0;
}

/* Its worker was ended under it.  True: another will have it. */
static bool run_again(struct wr_call *call)
{
    const struct wr_http_conf *conf = &call->http->conf;
    if (call->repeated + 1 >= call->http->now.tries_max || !repeatable(call)
        || wr_now() >= call->deadline)
        return false;
    call->repeated++;
    if (!call->counted)                 /* it runs on, in another place */
        atomic_fetch_add(&call->http->states[call->route_index].running, 1);
    call->counted = true;
    forget_answer(call);
    return !conf->submit(conf->arg, call);
}

static void give_back_broken(void *arg)
{
    struct wr_call *call = arg;
    if (!run_again(call))
        wr_call_refuse(call, WR_PANIC);
}

void wr_call_run(struct wr_call *call)
{
    struct wr_cleanup cleanup = { .fn = give_back_broken, .arg = call };
    wr_cleanup_push(&cleanup);
    call_handle(call);
    wr_cleanup_pop(&cleanup);
    if (call->failed != WR_CANCELED)
        give_back(call);
    else if (!run_again(call))
        wr_call_refuse(call, WR_CANCELED);
}

/* ---- the request ---- */

const char *wr_call_method(const struct wr_call *call)
{
    return call->head.method;
}

const char *wr_call_path(const struct wr_call *call)
{
    return call->path;
}

const char *wr_call_param(const struct wr_call *call, const char *name)
{
    return route_param(call->route, &call->params, name);
}

/* Found in the query as it came, and decoded in the call's memory. */
const char *wr_call_query(struct wr_call *call, const char *name)
{
    size_t len = strlen(name);
    for (const char *at = call->query; at; at = strchr(at, '&')) {
        at += *at == '&';
        if (strncmp(at, name, len) != 0 || (at[len] != '=' && at[len] != '&' && at[len]))
            continue;
        const char *value = at + len + (at[len] == '=');
        size_t size = strcspn(value, "&");
        char *copy = wr_call_alloc(call, size + 1);
        if (!copy)
            return NULL;
        memcpy(copy, value, size);
        copy[size] = '\0';
        return decode(copy, true) ? copy : NULL;
    }
    return NULL;
}

const char *wr_call_header(const struct wr_call *call, const char *name)
{
    const struct head *head = &call->head;
    if (strcmp(name, "host") == 0)
        return head->host.at;               /* also when it was :authority */
    const struct slice *value = head_field(head, name);
    return !value ? NULL : value->at ? value->at : "";
}

int64_t wr_call_size(const struct wr_call *call)
{
    const struct head *head = &call->head;
    return head->length_known && head->length <= INT64_MAX ? (int64_t)head->length : -1;
}

const char *wr_call_body(const struct wr_call *call, size_t *ret_len)
{
    *ret_len = call->body.len;
    return call->body.at;
}

const char *wr_call_corr_id(const struct wr_call *call)
{
    return call->corr;
}

wr_time wr_call_began(const struct wr_call *call)
{
    return call->began;
}

wr_time wr_call_deadline(const struct wr_call *call)
{
    return call->hard_deadline;
}

const struct wr_addr *wr_call_peer(const struct wr_call *call)
{
    return &call->peer;
}

const struct wr_route *wr_call_route(const struct wr_call *call)
{
    return call->route;
}

void **wr_call_memo(struct wr_call *call)
{
    return &call->memo;
}

bool wr_call_repeated(const struct wr_call *call)
{
    return call->repeated > 0;
}

unsigned wr_call_answered(const struct wr_call *call)
{
    return call->status;
}

void *wr_call_arg(const struct wr_call *call)
{
    return call->route->arg;
}

void *wr_call_alloc(struct wr_call *call, size_t size)
{
    if (size > CALL_MEMORY_MAX - call->allocated)
        return NULL;
    struct block *block = malloc(sizeof(*block) + size);
    if (!block)
        return NULL;
    block->next = call->blocks;
    call->blocks = block;
    call->allocated += size;
    return block->bytes;
}
