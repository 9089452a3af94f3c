/* fetch_curl.h - an exchange by libcurl: what its caller and the driver share.
 *
 * The caller makes it; from the post of WANT_START the driver has it, and what is not
 * under the driver's lock is the driver's alone.
 */
#ifndef WR_NET_FETCH_CURL_H
#define WR_NET_FETCH_CURL_H

#include <curl/curl.h>

#include <weir/chan.h>
#include <weir/fd.h>
#include <weir/lock.h>
#include <weir/timer.h>

#include "net/fetch.h"

#define RANK_CURL 612
#define RESTING_MAX 64          /* connections at rest, of all hosts */
#define HELD_MAX 65536          /* bytes of an answer that wait for their reader */
#define HELD_LOW 32768          /* so few, and the peer may go on */

#define WANT_START 1u
#define WANT_MORE 2u
#define WANT_DROP 4u

struct exchange {
    atomic_uint refs;               /* the caller's, the driver's, a posted drop's */
    struct driver *driver;
    struct wr_chan *news;
    _Atomic enum iostat_op op;

    char *url, *method, *body;
    size_t body_len;
    bool bodied, tls, proxied;
    struct curl_slist *headers, *resolve;

    CURL *easy;
    struct exchange *next_live, **live_link;
    wr_err refused;                 /* by a callback of ours: what libcurl's error means */
    char error[CURL_ERROR_SIZE];

    unsigned wants;                 /* from here on: under the driver's lock */
    struct exchange *next_posted;
    struct fetch_head head;         /* the driver's until it is whole */
    bool head_whole;
    char *held;                     /* from held_at to held_len: not yet read */
    size_t held_at, held_len, held_cap;
    bool paused;
    bool done;
    wr_err err;
    char why[WR_FETCH_WHY_MAX];
};

struct driver {
    struct wr_fetch_client *client;
    bool library;                   /* libcurl was initialised */
    struct fetch_trust *trust;
    struct wr_once *ready;          /* of wr_err: whether it could start */
    struct wr_chan *kick;
    struct wr_mutex lock;
    struct exchange *posted, **posted_end;      /* under the lock */
    bool dead;                                  /* ... too */

    CURLM *multi;                   /* the rest is its fiber's alone */
    int watch;
    struct wr_fd *fd;               /* of watch */
    struct wr_timer timer;
    struct exchange *live;
    size_t live_count;
    wr_time rest_since;             /* since when nothing is under way; or WR_NEVER */
};

/* Copy a request.  It has two references.  Errors: NOMEM. */
wr_err exchange_new(struct exchange **ret, struct wr_fetch_client *client,
                    const struct fetch_ask *ask);

/* Give a reference up; the last one frees it. */
void exchange_unref(struct exchange *exchange);

/* A channel that only says that there is something new.  Errors: NOMEM. */
wr_err exchange_news(struct wr_chan **ret, const char *name);

/* Say that there is. */
void exchange_tell(struct exchange *exchange);

/* A handle that does what the exchange says; NULL without memory. */
CURL *exchange_easy(struct exchange *exchange);

/* What an error of libcurl is to us; why is written down. */
wr_err exchange_failed(struct exchange *exchange, CURLcode code);

#endif
