/* capacity.h - are there enough workers for what is asked?  Pure.
 *
 *     struct capacity_reading before, after;
 *     capacity_read(&before, metrics);            what GET /metrics says
 *     ... some seconds later
 *     capacity_read(&after, metrics);
 *     struct capacity capacity = capacity_of(&before, &after, seconds, workers);
 *     ...capacity.used                            above CAPACITY_USED_MAX: too few
 *     ...capacity.workers_wanted
 *
 * With a rate of questions, a hit ratio, a service time (what a question takes without the
 * DHT) and a lookup time (what the DHT takes), each question takes
 *
 *     each = hit_ratio * service + (1 - hit_ratio) * (service + lookup)
 *     used = rate * each / workers
 *
 * and ceil(rate * each / 0.7) workers keep `used` at or below 0.7 (seed 001, 13).  The rate is
 * that of the time between both readings.  What a question takes is seen there too, or, where
 * there were fewer than CAPACITY_SEEN_MIN, since the node began: that is more than chance.
 *
 * Service time contains what a question waited for a worker: when they are too few it is
 * overrated, never underrated.
 */
#ifndef WR_INDEX_CAPACITY_H
#define WR_INDEX_CAPACITY_H

#include <stdbool.h>
#include <stdint.h>

#define CAPACITY_USED_MAX 0.7
#define CAPACITY_SEEN_MIN 20

/* Counts, and seconds, since the node began: of /resolve, of the DHT, of the cache. */
struct capacity_reading {
    double asked, asked_seconds;
    double lookups, lookup_seconds;
    double hits, misses;
};

struct capacity {
    double rate;                    /* questions a second */
    double service, lookup, each;   /* seconds */
    double hit_ratio;               /* 0 to 1 */
    double used;                    /* of the time of all workers: 1 is all of it */
    uint64_t workers_wanted;        /* at least 1 */
    bool known;                     /* false: nobody has ever asked, and all else is 0 */
};

/* Out of the text of the metrics; what is not there is 0. */
void capacity_read(struct capacity_reading *ret, const char *metrics);

/* Over some seconds, more than 0, with at least one worker.  A node that was started again
 * between both readings counts from its start. */
struct capacity capacity_of(const struct capacity_reading *before,
                            const struct capacity_reading *after, double seconds,
                            uint64_t workers);

#endif
