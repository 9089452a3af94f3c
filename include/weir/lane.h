/* lane.h - one thread for blocking work that is cheaper in batches.
 *
 *     struct insert { struct wr_lane_item item; ... };
 *
 *     static void commit(void *db, struct wr_lane_item *const *items, size_t count);
 *
 *     err = wr_lane_new(&lane, &(struct wr_lane_conf){
 *         .name = "store.writer", .run = commit, .arg = db });
 *     ...
 *     struct insert insert = { ... };
 *     err = wr_lane_do(lane, &insert.item, deadline);
 *
 * A lane has a thread of its own.  What fibers bring while it is busy is its next batch, in
 * the order in which it came, up to batch_max; nobody waits for a batch to fill up.  `run`
 * does the batch and leaves the result of each in its err.  When it returns all of them are
 * acknowledged together: for a store that is one transaction and one fsync for everybody who
 * came during the last one.  It must not call anything that can wait.  Before its last step
 * it may take in who has come since it began (wr_lane_more): else clients that each wait for
 * their answer fall into two halves, one in the batch and one waiting for the next.
 *
 * An item that has not begun when its deadline or a cancel comes is taken back and never
 * done.  One that has begun is waited for, and its result is what it came to, whatever the
 * deadline: an acknowledgement is never lost.
 *
 * In a simulation there is no thread: the first fiber that comes waits as long as a disk
 * takes, and then does the batch of all who came meanwhile.
 */
#ifndef WEIR_LANE_H
#define WEIR_LANE_H

#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>
#include <weir/panic.h>
#include <weir/time.h>

struct wr_lane;

/* The head of whatever is to be done.  It stays with the fiber, which waits. */
struct wr_lane_item { wr_err err; };            /* set by run */

struct wr_lane_conf {
    const char *name;               /* required: a literal of at most 15 bytes */
    void (*run)(void *arg, struct wr_lane_item *const *items, size_t count);   /* required */
    void (*idle)(void *arg);        /* on the thread, when nothing has come for ... */
    wr_time idle_after;             /* ... so long by the real clock; 1 s */
    void *arg;
    size_t queue_max;               /* items that wait; 4096 */
    size_t batch_max;               /* 256 */
};

struct wr_lane_stat {
    size_t queued;
    uint64_t items, batches;        /* done */
    uint64_t refused;               /* with BUSY */
    size_t batch_largest;
};

/* Inside a run, which it must not outlive.  Errors: NOMEM (or no thread can be started). */
wr_err wr_lane_new(struct wr_lane **ret, const struct wr_lane_conf *conf WR_AT);
#define wr_lane_new(ret, ...) wr_lane_new(ret, __VA_ARGS__, WR_HERE)

/* End its thread; blocks while that is in `idle`.  Nobody may be waiting on it.  NULL is
 * allowed. */
void wr_lane_free(struct wr_lane *lane WR_AT);
#define wr_lane_free(lane) wr_lane_free(lane, WR_HERE)

/* Have it done.  Errors: BUSY (queue_max are waiting), TIMEOUT, CANCELED: it was not done,
 * and never will be; else what `run` left in item->err. */
wr_err wr_lane_do(struct wr_lane *lane, struct wr_lane_item *item, wr_time deadline WR_AT);
#define wr_lane_do(lane, item, deadline) wr_lane_do(lane, item, deadline, WR_HERE)

/* For `run` alone: let those who came meanwhile join the batch, up to batch_max in all.
 * Returns how many there are now; the new ones stand behind the others in `items`. */
size_t wr_lane_more(struct wr_lane *lane);

/* The counts, at one moment. */
struct wr_lane_stat wr_lane_stat(struct wr_lane *lane);

#endif
