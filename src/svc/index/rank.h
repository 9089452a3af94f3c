/* rank.h - in which order providers are offered.  Pure.
 *
 *     struct ranked ranked[DHT_RECORDS_MAX];
 *     bool more;
 *     size_t count = rank(ranked, providers, n, &rule,
 *                         &(struct rank_wish){ .limit = 5, .region = "eu", .now = wr_wall() },
 *                         &more);
 *     ...ranked[0].provider is the best, rank_classes[ranked[0].class] is why
 *
 * Out are those whose time is over, those on the denylist, those outside allowed_regions (if
 * there are any), and those seen longer ago than the wish says.
 *
 *     fresh = 2 ^ (-last_seen / half_life)
 *     lat   = 1 - i / n, i the first bucket that its latency is in; unknown 0.5, above all 0
 *     base  = fresh / 2 + lat / 2
 *     score = bias * match + (1 - bias) * base     if a region is wished; else base
 *
 * Order: score, the highest first; last seen, the latest first; id.  The same input has the
 * same order, whatever order it came in.  The class is region_match if it has the wished
 * region, else fresh if it was seen within half_life, else any.
 *
 * Seen is when its record was made; one from a clock that is ahead was seen now.
 */
#ifndef WR_INDEX_RANK_H
#define WR_INDEX_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/time.h>

#define PROVIDER_ID 65                  /* 64 hex digits and a zero byte */
#define PROVIDER_ADDR 256
#define PROVIDER_REGION 33

#define RANK_LIMIT 5                    /* of who does not say how many */
#define RANK_LIMIT_MAX 32
#define RANK_BUCKETS_MAX 16

/* Who says that he has it, verified.  It is a plain value: it may lie in a cache. */
struct provider {
    char id[PROVIDER_ID];               /* his public key */
    char addr[PROVIDER_ADDR];           /* "tcp://host:port" */
    char region[PROVIDER_REGION];       /* may be empty */
    struct wr_wall seen_at, until;
    wr_time latency;                    /* < 0: not known */
};

/* What the node's owner wants. */
struct rank_rule {
    double bias;                        /* of a wished region: 0 to 1 */
    wr_time half_life;                  /* above 0 */
    const wr_time *buckets;             /* ascending */
    size_t bucket_count;                /* 1 to RANK_BUCKETS_MAX */
    const char *const *regions;         /* allowed_regions; none: all */
    size_t region_count;
    const char *const *denied;          /* ids */
    size_t denied_count;
    /* How fast a provider has been lately; where that is not known (< 0), and with NULL, it is
     * what is in the provider itself.  Must not wait. */
    wr_time (*latency)(void *arg, const char *id);
    void *arg;
};

/* 0.6; 600 s; 30, 80, 200, 500 ms; everybody. */
extern const struct rank_rule rank_usual;

/* What who asks wants. */
struct rank_wish {
    size_t limit;                       /* 0: RANK_LIMIT; at most RANK_LIMIT_MAX */
    const char *region;                 /* NULL or empty: any */
    uint64_t seen_within_s;             /* min_freshness; 0: whenever */
    struct wr_wall now;
};

enum rank_class { RANK_REGION_MATCH, RANK_FRESH, RANK_ANY, RANK_CLASSES };
extern const char *const rank_classes[RANK_CLASSES];        /* "region_match", ... */

struct ranked {
    const struct provider *provider;
    double score;                       /* 0 to 1 */
    enum rank_class class;
    uint64_t last_seen_s;
};

/* How many of ret, which has room for `count`, are the answer; whether the limit has left out
 * others. */
size_t rank(struct ranked *ret, const struct provider *providers, size_t count,
            const struct rank_rule *rule, const struct rank_wish *wish, bool *ret_more);

#endif
