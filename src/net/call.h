/* call.h - a request and its answer, on their way through the server.
 *
 * A call owns everything it refers to: the bytes of its request, its body, its
 * reply.  It belongs to its connection while it is read and written, and to a
 * worker as well while it is queued or runs.  When a worker is not done at the
 * hard deadline the connection answers without it and lets go; the last of the
 * two gives the memory back.
 */
#ifndef WR_NET_CALL_H
#define WR_NET_CALL_H

#include <stdatomic.h>

#include <weir/chan.h>
#include <weir/http.h>

#include "base/text.h"
#include "net/h1.h"
#include "net/route.h"

#define CALL_HEAD_MAX 16384         /* bytes of a request before its body */
#define CALL_HEADERS_MAX 2048       /* bytes of headers that a handler adds */
#define CALL_REPLY_MAX ((size_t)64 << 20)
#define CALL_MEMORY_MAX ((size_t)1 << 20)

/* Who comes first: the worker with an answer, or the connection's patience. */
enum call_state { CALL_PENDING, CALL_ANSWERED, CALL_ABANDONED };

struct block { struct block *next; _Alignas(16) char bytes[]; };

struct wr_call {
    struct wr_http *http;
    const struct wr_route *route;
    size_t route_index;
    struct wr_addr peer;
    wr_time began, deadline, hard_deadline;

    /* The request.  Its bytes stay where they were read; the zero bytes that end
     * names and values are written over what stood between them. */
    struct h1 h1;
    char *path, *query;             /* decoded; as it came, or NULL */
    struct params params;
    struct slice body;              /* in `bytes`, or all of `collected` */
    struct wr_text collected;
    bool body_over;                 /* it was larger than the route allows */

    /* The answer. */
    unsigned status;
    const char *type;
    struct wr_text reply;
    struct wr_text headers;
    char headers_room[CALL_HEADERS_MAX];
    wr_err failed;
    char why[200];

    struct block *blocks;           /* wr_call_alloc */
    size_t allocated;

    _Atomic unsigned holders;
    _Atomic(enum call_state) state;
    struct wr_chan *done;           /* of the connection: told when it is answered */
    struct wr_call *next;           /* among the spare ones */
    size_t fill;                    /* of bytes, with what follows this request */
    char bytes[CALL_HEAD_MAX];
};

/* A new call, with one holder; NULL without memory. */
struct wr_call *call_new(struct wr_http *http, const struct wr_addr *peer);

/* Let go of it. */
void call_drop(struct wr_call *call);

/* Forget everything but the bytes, for the next request of the connection. */
void call_reset(struct wr_call *call);

/* The head is whole: end its texts with zero bytes, split and decode the target.
 * Errors: INVALID, with why. */
wr_err call_head(struct wr_call *call);

/* Call the handler, inside its deadline. */
void call_handle(struct wr_call *call);

/* The answer is an error now, with its status and a body that says so. */
void call_refuse(struct wr_call *call, wr_err err, unsigned status, const char *why);

#endif
