/* hop.h - one address on the way to a page: asked in its turn, as often as it takes.
 *
 *     struct hop hop = { .ground = &ground, .url = &url, .patience = WR_S(2),
 *         .visit = { .client = client, .url = url.text, .body_max = max } };
 *     snprintf(hop.domain, sizeof(hop.domain), "example.org");
 *     err = hop_run(&hop, deadline);
 *     if (err) ...hop.outcome and hop.why say which kind of thing, and a sentence
 *     else     ...hop.visit has the answer: a refusal is one, too
 *     visit_free(&hop.visit);
 *
 * Each try goes into the domain, looks at its robots.txt, waits for a turn and asks.  No
 * answer, 429 and 5xx are tried again, with a pause that doubles, within the deadline.  Who has
 * a patience and finds others waiting, or is told to come again, is put off instead.
 */
#ifndef WR_CRAWL_HOP_H
#define WR_CRAWL_HOP_H

#include <weir/retry.h>
#include <weir/sem.h>

#include "crawl/crawl.h"
#include "crawl/domain.h"
#include "crawl/permit.h"
#include "crawl/visit.h"
#include "net/fetch_url.h"

/* What all hops share. */
struct hop_ground {
    struct domains *domains;
    struct permit permit;
    struct wr_sem *requests;        /* those that may be asked at once */
    struct wr_retry *retry;
    wr_time timeout;                /* of one request */
};

struct hop {
    struct hop_ground *ground;
    const struct fetch_url *url;
    char domain[DOMAIN_NAME_MAX];
    struct visit visit;
    wr_time patience;               /* for the first turn; 0: until the deadline */
    const struct crawl_ask *ask;    /* whose `go` is asked before the first request; or NULL */

    bool tried, gone;               /* a try has begun, a request was let go */
    bool answered;                  /* the last time that it was asked */
    wr_err err;                     /* of the last try, and what it was */
    enum crawl_outcome outcome;
    wr_time retry_in;               /* LATER: how long to stay away */
    char why[VISIT_WHY];
};

/* Errors: as crawl_get has them, with hop->outcome. */
wr_err hop_run(struct hop *hop, wr_time deadline);

/* What an answer, or that there was none, says of the domain; whole_time: it had all that one
 * request may take. */
enum domain_verdict hop_verdict(const struct visit *visit, wr_err err, bool whole_time);

#endif
