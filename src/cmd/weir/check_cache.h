/* check_cache.h - what sources have said, kept from one run of the command to the next.
 *
 *     struct check_cache kept;
 *     err = check_cache_open(&kept, conf);
 *     ...kept.cache, for the panel
 *     check_cache_close(&kept);            (when nobody asks any more)
 *
 * It is kept in the store of the data directory, if nobody else has that: a node, or another
 * check.  Otherwise, and under amnesia, it is remembered while the command runs, and no longer.
 */
#ifndef WEIR_CMD_CHECK_CACHE_H
#define WEIR_CMD_CHECK_CACHE_H

#include <weir/cache.h>
#include <weir/scope.h>

#include "store/cache_level.h"
#include "svc/node/depot.h"

struct check_cache {
    struct wr_cache *cache;
    char why[NODE_WHY_MAX];         /* why it is not kept; empty: it is, or is not to be */
    int lock;                       /* of the data directory; -1: not ours */
    struct depot depot;
    struct cache_level *level;
    struct wr_scope *scope;         /* of the level's task */
};

/* In the caller's scope, who must close it before his task returns.  That it cannot be kept is
 * no error.  Errors: NOMEM. */
wr_err check_cache_open(struct check_cache *kept, const struct wr_conf *conf);

/* Write what is not written yet, for a few seconds at most.  One that was never opened is fine,
 * if it is zero. */
void check_cache_close(struct check_cache *kept);

#endif
