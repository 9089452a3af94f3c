/* fetch.h - an HTTP client whose calls wait like any other.
 *
 *     struct wr_fetch_client *client;
 *     err = wr_fetch_client_new(&client, &(struct wr_fetch_conf){ .name = "crossref" });
 *     ...
 *     struct wr_fetch_reply reply;
 *     err = wr_fetch(client, &(struct wr_fetch_request){ .url = url }, &reply,
 *                    wr_after(WR_S(10)));
 *     if (err)
 *         ...reply.why is a sentence that says what happened, and to which address
 *     else
 *         ...reply.status, reply.body
 *     wr_fetch_reply_free(&reply);
 *
 * A status of 404 or 500 is an answer, not an error.  An error is that there was no
 * answer, or none that may be taken:
 *
 *   TIMEOUT      the deadline passed, the call's or the scope's
 *   CANCELED     the scope was canceled
 *   NOTFOUND     the name has no address
 *   DENIED       a limit or a rule of the client: an internal address, a redirect that
 *                is not followed, a body that is too large or grows too much
 *   INVALID      the request is none: an address or a header that cannot be sent
 *   UNSUPPORTED  the answer has a coding that was not asked for
 *   IO           refused, reset, no valid certificate, not HTTP, broken off
 *   BUSY         the client has requests_max under way; nothing was sent
 *   CLOSED       the client was closed
 *   NOMEM, NOFILE
 *
 * Where a stranger chose the address (a citation, a redirect) he must not reach what
 * only this machine or its network may: an address is judged when it is connected
 * to, after names were resolved and for each redirect again, and an internal one
 * (wr_addr_internal) is refused unless it is in `allow`.
 *
 * A call that ends early, because of its deadline or a cancel, leaves nothing behind:
 * its connection is closed, or goes back to the pool if it is at rest.
 *
 * One client serves any number of fibers on any workers.  It speaks HTTP/1.1 and
 * HTTP/2 over TLS by libcurl, which runs in one fiber of the client's own, so that its
 * handles never leave their worker.  Under simulation, or with `plain`, the same calls
 * speak HTTP/1.1 over streams (stream.h).
 */
#ifndef WEIR_FETCH_H
#define WEIR_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/addr.h>
#include <weir/err.h>
#include <weir/panic.h>
#include <weir/time.h>

struct wr_fetch_client;
struct wr_fetch;                    /* an answer that is being read */

/* Which redirects are followed; the others are an answer like any. */
enum wr_fetch_redirects {
    WR_REDIRECT_NONE = 0,
    WR_REDIRECT_ORIGIN,             /* to the same scheme, host and port */
    WR_REDIRECT_ANY,                /* anywhere, but not from https to http */
};

/* Addresses that are allowed though they are internal: the first `bits` of ip. */
struct wr_fetch_range { struct wr_addr ip; unsigned bits; };

/* A name with an address of its own, which is not looked up.  The port is that of the
 * URL.  The address is judged like any other.  In simulation there are no other names. */
struct wr_fetch_host { const char *name; struct wr_addr ip; };

/* Everything but the name has a default: zero.  Nothing pointed to is copied: it
 * must outlive the client. */
struct wr_fetch_conf {
    const char *name;               /* required: for people, as a literal */
    const char *user_agent;         /* "weir" */
    const char *ca_file;            /* certificates to trust; the system's */
    const char *proxy;              /* "http://10.0.0.1:3128": trusted, never judged itself;
                                     * it resolves names, so only addresses are judged */
    enum wr_fetch_redirects redirects;
    unsigned redirects_max;         /* 5 */
    bool redirect_to_http;          /* ... also from https */
    bool internal;                  /* internal addresses are allowed, all of them */
    const struct wr_fetch_range *allow;     /* ... or these */
    size_t allow_count;
    const struct wr_fetch_host *hosts;
    size_t host_count;
    size_t body_max;                /* bytes of an answer, decoded; 1 MiB */
    unsigned ratio_max;             /* decoded bytes for each one received, beyond the
                                     * first 64 KiB; 10 */
    unsigned requests_max;          /* at the same time; 1024 */
    unsigned host_connections_max;  /* to one host; further requests wait; 16 */
    unsigned lookups_max;           /* names being looked up at the same time; 8 */
    wr_time idle_max;               /* a connection at rest is kept so long; 30 s */
    bool fresh;                     /* none is kept: what is sent on one that has just gone is
                                     * sent again on another, and may arrive twice */
    bool http2;                     /* offer it over TLS.  A reader that falls behind then
                                     * makes the connection hold up to 32 MiB for it */
    bool plain;                     /* HTTP/1.1 over streams; no https but in simulation */
};

/* Names are compared in any case.  Of an answer they are in lower case. */
struct wr_fetch_header { const char *name, *value; };

/* Host, Content-Length, Transfer-Encoding, Connection and the like are the client's
 * own.  To another origin a redirect takes only Accept, Accept-Language, Content-Type,
 * Range and User-Agent along: anything else may be a key. */
struct wr_fetch_request {
    const char *url;                /* required: http or https, without user and password */
    const char *method;             /* "GET", or "POST" with a body */
    const struct wr_fetch_header *headers;
    size_t header_count;
    const void *body;
    size_t body_len;
    size_t body_max;                /* of the answer; the client's */
};

#define WR_FETCH_WHY_MAX 256

struct wr_fetch_reply {
    unsigned status;
    const struct wr_fetch_header *headers;
    size_t header_count;
    const char *url;                /* where the answer came from, after redirects */
    char *body;                     /* with a zero byte after it */
    size_t body_len;
    char why[WR_FETCH_WHY_MAX];     /* after an error: a sentence */
    void *head;                     /* what headers and url lie in */
};

/* Make a client in the scope of the calling fiber, which must close it before its
 * task returns, and after what it made later, as with scopes.  A conf that contradicts
 * itself is a panic.
 * Errors: NOMEM, NOFILE, BUSY, CANCELED, TIMEOUT; INVALID (the proxy is no address). */
wr_err wr_fetch_client_new(struct wr_fetch_client **ret,
                           const struct wr_fetch_conf *conf WR_AT);
#define wr_fetch_client_new(...) wr_fetch_client_new(__VA_ARGS__, WR_HERE)

/* Take no new requests, wait for those under way until the deadline, end the others
 * with CLOSED, close all connections.  Answers that are still open may be closed
 * later.  What the system is looking up at that moment cannot be stopped, and is waited
 * for.  NULL is allowed. */
void wr_fetch_client_close(struct wr_fetch_client *client, wr_time deadline WR_AT);
#define wr_fetch_client_close(client, deadline) wr_fetch_client_close(client, deadline, WR_HERE)

/* A snapshot for metrics and tests. */
struct wr_fetch_stat {
    size_t requests;                /* under way */
    uint64_t connects;              /* connections made so far */
};
struct wr_fetch_stat wr_fetch_client_stat(const struct wr_fetch_client *client);

/* Ask, and wait for the whole answer.  *ret is set in any case and given back with
 * wr_fetch_reply_free.  Errors: above. */
wr_err wr_fetch(struct wr_fetch_client *client, const struct wr_fetch_request *request,
                struct wr_fetch_reply *ret, wr_time deadline WR_AT);
#define wr_fetch(...) wr_fetch(__VA_ARGS__, WR_HERE)

/* Ask, and wait for the head of the answer.  *ret_head is set in any case, without a
 * body, and given back with wr_fetch_reply_free, before or after the close.
 * Errors: above. */
wr_err wr_fetch_open(struct wr_fetch **ret, struct wr_fetch_client *client,
                     const struct wr_fetch_request *request, struct wr_fetch_reply *ret_head,
                     wr_time deadline WR_AT);
#define wr_fetch_open(...) wr_fetch_open(__VA_ARGS__, WR_HERE)

/* Read what is there of the body, at least a byte; *ret 0 is its end.  What is not
 * read is not received: the peer waits once 64 KiB are on hand.  After an error there
 * is nothing more to read; after TIMEOUT because of this deadline there is.
 * Errors: above. */
wr_err wr_fetch_read(struct wr_fetch *fetch, size_t *ret, void *buf, size_t size,
                     wr_time deadline WR_AT);
#define wr_fetch_read(...) wr_fetch_read(__VA_ARGS__, WR_HERE)

/* After an error of wr_fetch_read: a sentence, until the close. */
const char *wr_fetch_why(const struct wr_fetch *fetch);

/* Be done with it, read or not.  Never waits.  NULL is allowed. */
void wr_fetch_close(struct wr_fetch *fetch);

/* The value of a header, by its name in lower case; NULL when there is none. */
const char *wr_fetch_reply_header(const struct wr_fetch_reply *reply, const char *name);

/* Give back what a reply holds.  Twice is fine. */
void wr_fetch_reply_free(struct wr_fetch_reply *reply);

#endif
