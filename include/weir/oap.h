/* oap.h - OAP/1: requests and answers in frames, many at once on one connection.
 *
 *     static wr_err ping(struct wr_oap_call *call)
 *     {
 *         wr_oap_write(call, "{\"ready\":true}", 14);
 *         return WR_OK;
 *     }
 *
 *     static const struct wr_oap_verb verbs[] = {
 *         { .id = WR_OAP_HEALTH_PING, .name = "HEALTH_PING", .handler = ping },
 *     };
 *     ...
 *     err = wr_oap_new(&server, &(struct wr_oap_conf){ .verbs = verbs, .count = 1 });
 *     err = wr_oap_serve(server, listener);
 *
 * A connection begins with HELLO.  Then each request is a verb, a tenant, a number
 * (corr) that its answer carries too, and a payload, in one frame or in many between
 * START and END; answers come as they are ready.  A handler gets the request whole and
 * within its limits.  What it returns besides WR_OK becomes an error frame with a code
 * and a sentence.
 *
 * A frame that cannot be right is answered with a code that says so, and ends the
 * connection: 413 when it is too large, before there is memory for it; else 400.
 *
 * Everything has a limit: connections, of all and of one address; requests in flight
 * on each (64), requests of a tenant from one address, bytes that a connection's requests
 * hold (4 MiB; above it is not read).
 */
#ifndef WEIR_OAP_H
#define WEIR_OAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/addr.h>
#include <weir/bucket.h>
#include <weir/err.h>
#include <weir/panic.h>
#include <weir/stream.h>
#include <weir/time.h>

struct wr_oap;
struct wr_scope;
struct wr_oap_call;
struct wr_tls;

/* The verbs that have a number. */
enum wr_oap_id {
    WR_OAP_HELLO = 0,
    WR_OAP_HEALTH_PING = 0x0001,
    WR_OAP_CFG_SNAP = 0x0002,
    WR_OAP_OBJ_GET = 0x0007,
    WR_OAP_OBJ_PUT = 0x0008,
    WR_OAP_INDEX_RESOLVE = 0x0010,
    WR_OAP_INDEX_PROVIDERS = 0x0011,
    WR_OAP_REWARD_COMPUTE = 0x0020,
    WR_OAP_REWARD_GET = 0x0021,
};

#define WR_OAP_TENANT_SIZE 16

typedef wr_err (*wr_oap_handler)(struct wr_oap_call *call);

/* A row of the table.  Zero is the default of all but id, name and handler. */
struct wr_oap_verb {
    uint16_t id;                    /* not 0 */
    const char *name;               /* "HEALTH_PING" */
    wr_oap_handler handler;
    void *arg;                      /* wr_oap_arg gives it back */
    bool priority;                  /* answered at once, also in a drain; must not wait */
    size_t payload_max;             /* bytes; 1 MiB, at most 4 MiB */
    wr_time deadline;               /* from the first frame to the answer; 2 s */
};

struct wr_oap_conf {
    const struct wr_oap_verb *verbs;
    size_t count;
    /* Whether this may be asked, with the capability that came with it (may be empty);
     * asked before anything is queued.  DENIED is 403, INVALID is 401, BUSY 429;
     * wr_oap_fail says why.  NULL: everything may. */
    wr_err (*auth)(void *arg, struct wr_oap_call *call, const void *cap, size_t cap_len);
    /* Run a call: queue it and have wr_oap_run called by a worker, or return BUSY, SHED or
     * DRAINING.  NULL: they run where they arrive, one after the other. */
    wr_err (*submit)(void *arg, struct wr_oap_call *call);
    /* Once for each call that `auth` has let in: it is over, whatever became of it, and no
     * worker has it any more.  It must not wait.  May be NULL. */
    void (*leave)(void *arg, struct wr_oap_call *call);
    void *arg;                      /* of all three */
    struct wr_tls *tls;             /* NULL: in the clear */
    size_t frame_max;               /* 1 MiB, which is also the most */
    size_t chunk_max;               /* of an answer in many frames, the payload of one: 64 KiB,
                                     * which is also the most */
    unsigned inflight_max;          /* of a connection: 64, which is also the most */
    unsigned connections_max;       /* 1024 */
    unsigned ip_connections;        /* of one address (see http.h): 256 */
    struct wr_rate ip_accepts;      /* ... new ones; zero: no limit */
    struct wr_rate ip_requests;     /* ... requests, but for priority; beyond it 429 */
    struct wr_rate ip_control;      /* ... and those of priority */
    unsigned tenant_max;            /* of a tenant, on all connections of its address, or of
                                     * all if `auth` has seen that it is of it: 256 */
    wr_time hello_within;           /* TLS and HELLO must be done so soon, each; 2 s */
    wr_time read_within;            /* a frame must be whole so soon; 5 s */
    wr_time write_within;           /* ... and a frame of ours be taken; 5 s */
    wr_time idle_max;               /* with nothing in flight; 60 s */
};

/* Errors: NOMEM.  A table that contradicts itself is a panic. */
wr_err wr_oap_new(struct wr_oap **ret, const struct wr_oap_conf *conf);

/* Free it.  Nobody may be serving, and no call be queued.  NULL is allowed. */
void wr_oap_free(struct wr_oap *oap);

/* Take connections and answer them until the calling fiber's scope ends; then all
 * connections are closed.  Errors: CANCELED, TIMEOUT, NOMEM, IO. */
wr_err wr_oap_serve(struct wr_oap *oap, struct wr_listener *listener);

/* The bounds of conf (connections_max to idle_max) for what begins from now on. */
void wr_oap_tune(struct wr_oap *oap, const struct wr_oap_conf *conf);

/* The same in two halves, as wr_http_take (http.h). */
wr_err wr_oap_take(struct wr_oap *oap, struct wr_listener *listener, struct wr_scope *scope);

/* From now on: requests are answered 503, but for those of priority; what is in flight
 * is answered; a connection with nothing in flight is closed. */
void wr_oap_drain(struct wr_oap *oap);

/* Drain, and wait until no connection is left and no worker has a call of it.  Errors:
 * TIMEOUT, CANCELED. */
wr_err wr_oap_finish(struct wr_oap *oap, wr_time deadline WR_AT);
#define wr_oap_finish(oap, deadline) wr_oap_finish(oap, deadline, WR_HERE)

/* Connections that are open. */
size_t wr_oap_connections(const struct wr_oap *oap);

/* ---- in a handler ---- */

/* What was asked: the payload, whole; its bytes, for `auth` before it is; by whom; with
 * which number. */
const void *wr_oap_payload(const struct wr_oap_call *call, size_t *ret_len);
int64_t wr_oap_size(const struct wr_oap_call *call);    /* -1: not known before it is there */
const unsigned char *wr_oap_tenant(const struct wr_oap_call *call);
const struct wr_addr *wr_oap_peer(const struct wr_oap_call *call);
uint64_t wr_oap_corr(const struct wr_oap_call *call);

/* The row of the table, and its arg. */
const struct wr_oap_verb *wr_oap_verb_of(const struct wr_oap_call *call);
void *wr_oap_arg(const struct wr_oap_call *call);

/* When it came, and by when it is to be answered: what is later is nobody's. */
wr_time wr_oap_began(const struct wr_oap_call *call);
wr_time wr_oap_deadline(const struct wr_oap_call *call);

/* A place for a pointer, NULL at first: what `auth` puts there `leave` finds. */
void **wr_oap_memo(struct wr_oap_call *call);

/* Add to the answer, of 64 MiB at most; it goes out in frames of 64 KiB when the handler
 * has returned. */
void wr_oap_write(struct wr_oap_call *call, const void *bytes, size_t len);

/* Send a part of the answer now, of any size, behind what was written so far; nothing is
 * kept of it.  Waits while the connection has 4 parts of 64 KiB before it that its peer
 * has not taken; a peer that takes none of them in time (write_within) loses the
 * connection.  The deadline of the verb is that of the last part too.  Not for verbs of
 * priority.
 *
 * An error breaks the answer off, also one that the handler returns later: the peer gets
 * it as the last frame.  Errors: BROKENPIPE (there is nobody to answer), TIMEOUT,
 * CANCELED, NOMEM. */
wr_err wr_oap_send(struct wr_oap_call *call, const void *bytes, size_t len, wr_time deadline);

/* Say why a call failed; returns err, to be returned. */
wr_err wr_oap_fail(struct wr_oap_call *call, wr_err err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Run a call that was given to `submit`, in the calling fiber, and answer it.  If the
 * handler panics the call is answered with 500, and the panic goes on. */
void wr_oap_run(struct wr_oap_call *call);

/* Answer a call that was given to `submit` and will not be run. */
void wr_oap_refuse(struct wr_oap_call *call, wr_err err);

/* ---- the other side ---- */

struct wr_oap_client;

/* Whom to ask. */
struct wr_oap_server {
    const struct wr_addr *addr;
    struct wr_tls *tls;             /* NULL: in the clear */
    const char *host;               /* ... else whose certificate it must have */
    const char *ua;                 /* who we are; may be NULL */
};

/* What to ask. */
struct wr_oap_request {
    uint16_t id;
    unsigned char tenant[WR_OAP_TENANT_SIZE];
    const void *cap, *payload;
    size_t cap_len, payload_len;
};

/* The answer, whole. */
struct wr_oap_answer {
    unsigned code;                  /* 200, ... */
    char *payload;                  /* ends with a zero byte; the caller frees it */
    size_t len;
};

/* Connect, say who we are, hear what is agreed.
 * Errors: those of wr_connect and wr_tls_connect; INVALID (the peer does not speak
 * OAP/1). */
wr_err wr_oap_connect(struct wr_oap_client **ret, const struct wr_oap_server *server,
                      wr_time deadline);

/* Ask one thing and wait for its answer, of at most `max` bytes.  A code above 299 is an
 * answer too, and says why; what came before it is dropped.  After an error the
 * connection is good for closing only.
 * Errors: INVALID (not an answer, or larger), CLOSED, TIMEOUT, CANCELED, BROKENPIPE, IO,
 * NOMEM. */
wr_err wr_oap_ask(struct wr_oap_client *client, const struct wr_oap_request *request,
                  size_t max, struct wr_oap_answer *ret, wr_time deadline);

/* The same, but what comes is given to `take` as it comes, and nothing of it is kept: *ret has
 * the payload of a code above 299 only.  What was taken before such a code is to be dropped.
 * What `take` returns besides WR_OK ends it, and is returned; it must not wait.
 * Errors: as wr_oap_ask. */
struct wr_oap_taker {
    wr_err (*take)(void *arg, const void *bytes, size_t len);
    void *arg;
    wr_time within;                 /* each part must come so soon after the one before, and
                                     * the first after the request; 0: by the deadline */
};
wr_err wr_oap_ask_parts(struct wr_oap_client *client, const struct wr_oap_request *request,
                        const struct wr_oap_taker *taker, struct wr_oap_answer *ret,
                        wr_time deadline);

/* Close it.  NULL is allowed. */
void wr_oap_close(struct wr_oap_client *client);

#endif
