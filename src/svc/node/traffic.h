/* traffic.h - how many bytes the node took in and gave out, and when.
 *
 * The last 60 seconds, 60 minutes, 24 hours, 30 days and 12 months, each a ring of sums;
 * all in memory, from when the node began.  The calendar is that of UTC, and the last
 * bucket of each ring is the one that is not over yet.
 *
 * Somebody must look about once a second: what went through since the last look is taken
 * to be of the second in which that was.
 */
#ifndef WR_NODE_TRAFFIC_H
#define WR_NODE_TRAFFIC_H

#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>
#include <weir/http.h>
#include <weir/stream.h>
#include <weir/time.h>

#define TRAFFIC_BUCKETS_MAX 60

enum traffic_ring {
    TRAFFIC_SECONDS, TRAFFIC_MINUTES, TRAFFIC_HOURS, TRAFFIC_DAYS, TRAFFIC_MONTHS,
    TRAFFIC_RINGS
};

struct traffic;

/* Count from now on; `total` is what the world had counted before.  Errors: NOMEM. */
wr_err traffic_new(struct traffic **ret, struct wr_wall now, struct wr_stream_bytes total);
void traffic_free(struct traffic *traffic);

/* The world has counted so much by now.  Any fiber. */
void traffic_note(struct traffic *traffic, struct wr_wall now, struct wr_stream_bytes total);

/* A ring, oldest first, as it is at `now`; how many buckets it has.  Any fiber. */
size_t traffic_read(struct traffic *traffic, enum traffic_ring ring, struct wr_wall now,
                    struct wr_stream_bytes ret[TRAFFIC_BUCKETS_MAX]);

/* Handler; the arg of its route is the node. */
wr_err traffic_serve(struct wr_call *call);

#endif
