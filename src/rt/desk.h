/* desk.h - where fibers bring what other fibers do for them, in batches.
 *
 *     err = wr_desk_do(desk, &item, deadline);                 (who wants something)
 *
 *     while (!(err = wr_desk_take(desk, items, 256, &count, WR_NEVER))) {
 *         ...each items[i]->err                                 (a keeper)
 *         wr_desk_done(desk, items, count);
 *     }
 *
 * A lane (weir/lane.h) whose work is done by tasks, of which there may be several, instead of
 * a thread.  What has come when a keeper is free is its next batch, in the order in which it
 * came: its share of it, when others are free too.  An item that has not begun when its
 * deadline or a cancel comes is taken back and never done; one that has begun is waited for,
 * and its result is what it came to.
 */
#ifndef WR_RT_DESK_H
#define WR_RT_DESK_H

#include <weir/lane.h>

struct wr_desk;

/* `name` is a literal; queue_max items may wait; so many keepers will there be.
 * Errors: NOMEM. */
wr_err wr_desk_new(struct wr_desk **ret, const char *name, size_t queue_max, size_t keepers);

/* Nobody may be waiting on it.  NULL is allowed. */
void wr_desk_free(struct wr_desk *desk WR_AT);
#define wr_desk_free(desk) wr_desk_free(desk, WR_HERE)

/* Have it done.  Errors: BUSY (queue_max are waiting), TIMEOUT, CANCELED: it was not done, and
 * never will be; what wr_desk_refuse said; else what its keeper left in item->err. */
wr_err wr_desk_do(struct wr_desk *desk, struct wr_lane_item *item, wr_time deadline,
                  const char *place);

/* Take up to `max` of what waits, as soon as anything does.  All that was taken must go to
 * wr_desk_done.  Errors: TIMEOUT, CANCELED. */
wr_err wr_desk_take(struct wr_desk *desk, struct wr_lane_item **items, size_t max,
                    size_t *ret_count, wr_time deadline WR_AT);
#define wr_desk_take(...) wr_desk_take(__VA_ARGS__, WR_HERE)

/* They have their results: end their waits.  The items are gone with that. */
void wr_desk_done(struct wr_desk *desk, struct wr_lane_item *const *items, size_t count);

/* From now on nothing is taken in: this is the result of what waits and of what comes.
 * WR_OK: it is open again. */
void wr_desk_refuse(struct wr_desk *desk, wr_err err);

#endif
