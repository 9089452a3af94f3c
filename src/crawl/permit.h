/* permit.h - whether a site lets us read a page: its robots.txt, fetched when it must be.
 *
 *     struct permit permit = { .client = client };
 *     err = domain_enter(&domain, domains, name, why, deadline);
 *     ...
 *     err = permit_check(&permit, domain, &url, why, deadline);
 *     if (err) ...why is a sentence
 *
 * The file is read once in `ttl`, without waiting for a turn, but as one of the day's.  Five
 * redirects are followed.  What it means when it cannot be had is as RFC 9309 says: with any
 * 4xx all is allowed; with 5xx, 429 or no answer nothing is, and it is asked for again after
 * `retry`, unless there are older rules, which go on then.
 */
#ifndef WR_CRAWL_PERMIT_H
#define WR_CRAWL_PERMIT_H

#include <weir/err.h>
#include <weir/fetch.h>
#include <weir/time.h>

#include "crawl/domain.h"
#include "net/fetch_url.h"

#define PERMIT_TOKEN "weir"         /* what we are called in such a file */

/* Zero is the default of everything but the client. */
struct permit {
    struct wr_fetch_client *client; /* that follows no redirects */
    wr_time ttl;                    /* 24 h */
    wr_time retry;                  /* 5 min */
    wr_time timeout;                /* of one request; 10 s */
};

/* For who is inside the domain of this URL.
 * Errors: DENIED (it is forbidden), IO (the rules cannot be had, so nothing is allowed for
 * now), INVALID (the site is at an address where the client does not go), TIMEOUT, CANCELED,
 * NOMEM; those of domain_extra. */
wr_err permit_check(const struct permit *permit, struct domain *domain,
                    const struct fetch_url *url, char why[DOMAIN_WHY], wr_time deadline);

#endif
