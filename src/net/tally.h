/* tally.h - what each route is asked for: http_requests_total{route,method,status}, and
 * inflight_requests{route} of all servers.
 *
 * A request is counted when its answer is out.  What has no route, because the path leads
 * nowhere or the request was none, is counted as route "none".
 */
#ifndef WR_NET_TALLY_H
#define WR_NET_TALLY_H

#include <stdatomic.h>

#include <weir/metric.h>

#define TALLY_STATUSES 16

struct wr_http;

/* Of one route.  Zero but for its names is a good one; they must outlive it. */
struct tally {
    const char *route, *method;
    _Atomic(struct wr_counter *) counters[TALLY_STATUSES];      /* of the usual statuses */
};

/* Count an answer with this status; NULL: it had no route. */
void tally_count(struct tally *tally, unsigned status);

/* Show how many requests of this server are being answered, until tally_forget. */
void tally_show(struct wr_http *http);
void tally_forget(struct wr_http *http);

#endif
