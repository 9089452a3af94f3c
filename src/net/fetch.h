/* fetch.h - the client of <weir/fetch.h> from inside: what its parts share.
 *
 * fetch.c has the calls: limits, redirects, decoding.  fetch_name.c finds addresses
 * and judges them.  A transport sends one request to addresses that were judged and
 * delivers the head and the bytes of the answer; there are two, libcurl
 * (fetch_curl.c) and streams (fetch_plain.c).
 */
#ifndef WR_NET_FETCH_H
#define WR_NET_FETCH_H

#include <stdatomic.h>

#include <weir/fetch.h>
#include <weir/once.h>
#include <weir/scope.h>
#include <weir/sem.h>

#include "net/fetch_head.h"
#include "net/fetch_url.h"
#include "net/iostat.h"
#include "net/unzip.h"

#define FETCH_ADDRS_MAX 8

struct fetch_addrs { struct wr_addr list[FETCH_ADDRS_MAX]; size_t count; };

/* What goes out; valid while `send` runs. */
struct fetch_ask {
    const char *method;
    const struct fetch_url *url;
    const struct fetch_url *peer;           /* who is connected to: the proxy, or url */
    struct fetch_addrs addrs;               /* of the peer, with ports */
    const struct wr_fetch_header *headers;  /* all but Host and what frames the body */
    size_t header_count;
    const void *body;
    size_t body_len;
    bool bodied;                            /* say how long the body is, even if it is empty */
};

struct fetch_ops {
    /* Start what the transport needs, tasks in client->scope.  Errors: of the client. */
    wr_err (*start)(struct wr_fetch_client *client);
    /* The scope is closed, and no fetch is left. */
    void (*free)(struct wr_fetch_client *client);
    /* Send a request and wait for the head.  On success `drop` must follow. */
    wr_err (*send)(struct wr_fetch *fetch, const struct fetch_ask *ask, wr_time deadline,
                   const char *place);
    /* Bytes of the body as they came; *ret 0 is the end. */
    wr_err (*read)(struct wr_fetch *fetch, size_t *ret, char *buf, size_t size,
                   wr_time deadline, const char *place);
    /* Be done with the exchange.  Must not wait. */
    void (*drop)(struct wr_fetch *fetch);
};

extern const struct fetch_ops fetch_curl, fetch_plain;

struct wr_fetch_client {
    struct wr_fetch_conf conf;              /* with the defaults in it */
    const struct fetch_ops *ops;
    struct wr_scope *scope;
    struct wr_once *stop;                   /* set: what is under way ends with CLOSED */
    struct wr_sem *slots;                   /* requests_max of them */
    atomic_bool closed;
    atomic_uint refs;                       /* the owner's, and one for each fetch */
    _Atomic uint64_t connects;
    struct fetch_url proxy;
    struct fetch_names *names;
    void *transport;
};

struct wr_fetch {
    struct wr_fetch_client *client;
    struct fetch_url url;
    struct fetch_head head;
    void *exchange;                         /* the transport's; NULL when there is none */
    enum iostat_op op;                      /* what is being waited for */
    struct unzip unzip;
    uint64_t body_max;
    char *raw;                              /* received and not yet decoded */
    const char *raw_at;
    size_t raw_len;
    bool raw_ended, ended;
    wr_err err;                             /* of the body, once it has failed */
    char why[WR_FETCH_WHY_MAX];
};

/* Give a reference up; the last one frees the client. */
void fetch_client_unref(struct wr_fetch_client *client);

/* Write a sentence, without what could upset a terminal; returns err. */
wr_err fetch_why(char *why, wr_err err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether the client may connect there. */
bool fetch_may_reach(const struct wr_fetch_client *client, const struct wr_addr *addr);

/* The addresses of a URL's host that the client may connect to.  The proxy is not
 * judged.  Errors: NOTFOUND, DENIED, TIMEOUT, CANCELED, CLOSED, BUSY, NOMEM, IO. */
wr_err fetch_names_find(struct wr_fetch_client *client, struct fetch_addrs *ret,
                        const struct fetch_url *url, char *why, wr_time deadline);

/* Start the tasks that look names up; when they are gone, answer who still waits with
 * CLOSED; free what they used. */
wr_err fetch_names_start(struct wr_fetch_client *client);
void fetch_names_stop(struct wr_fetch_client *client);
void fetch_names_free(struct wr_fetch_client *client);

/* Whether the network is a simulated one. */
bool fetch_simulated(void);

#endif
