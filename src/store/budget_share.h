/* budget_share.h - one limit for several nodes: turns of a limiter (weir/limiter.h) that come
 * from the store.
 *
 *     static struct budget_share share;
 *     budget_share_init(&share, store);
 *     err = wr_limiter_new(&limiter, &(struct wr_limiter_conf){
 *         .name = "crossref", .interval = WR_MS(20), .share = &share.limiter });
 *
 * All limiters of one name, on whatever node, together keep to the interval.  They take turns
 * by the batch, of a fifth of a second at most, never one for each call.
 *
 * The store's clock gives out the turns, and a node learns of its own some time later; how much
 * later it cannot know, only that it is no more than the call took.  So a batch is followed by
 * spare time, and a batch whose call took longer than that is not used, but taken again with
 * more to spare.  Nothing depends on what the nodes' clocks say.  Of the budget that costs a
 * fortieth when a call takes less than 4 ms, and more when the store is slow.
 *
 * After a refusal nobody takes turns until its time is over; those who have a batch use it up.
 *
 * Without the store there are no turns: IO, at once.  A part of the budget for each node would
 * not do, as those who still reach the store take all of it.
 *
 * The store's clock must not jump.  When it is set forward two batches can overlap, once; when
 * it is set back nobody gets a turn until it has come to where it was.
 */
#ifndef WR_STORE_BUDGET_SHARE_H
#define WR_STORE_BUDGET_SHARE_H

#include <stdatomic.h>

#include <weir/limiter.h>

#include "store/store.h"

#define BUDGET_SPARE_MIN WR_MS(5)
#define BUDGET_SPARE_MAX WR_MS(200)
#define BUDGET_TRIES 8

struct budget_share {
    struct wr_limiter_share limiter;    /* for wr_limiter_conf.share */
    struct store *store;
    _Atomic wr_time spare;
    _Atomic uint64_t late;              /* batches that were not used */
};

/* Any number of limiters may use it.  The store must outlive it, and it them.
 * What acquire then returns of it: the errors of store_do; TIMEOUT also when the store takes
 * longer than BUDGET_SPARE_MAX again and again. */
void budget_share_init(struct budget_share *share, struct store *store);

#endif
