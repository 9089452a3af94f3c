/* slots.h - how many jobs of each sort a node does at a time.
 *
 *     err = slots_take(slots, QUEUE_NETWORK, 64, &got, WR_NEVER);     (waits for one at least)
 *     ...
 *     slots_give(slots, QUEUE_NETWORK, got);
 *
 * The graphics card and the browser exclude each other: both want the memory.  When both are
 * wanted, they take turns.
 */
#ifndef WR_QUEUE_SLOTS_H
#define WR_QUEUE_SLOTS_H

#include <stddef.h>

#include <weir/err.h>
#include <weir/panic.h>
#include <weir/time.h>

#include "svc/queue/job_kind.h"

struct slots;

/* Errors: NOMEM. */
wr_err slots_new(struct slots **ret, const unsigned limits[QUEUE_SLOTS]);

/* Nobody may be waiting.  NULL is allowed. */
void slots_free(struct slots *slots);

/* So many from now on; what is taken beyond that stays taken until it is given back. */
void slots_tune(struct slots *slots, const unsigned limits[QUEUE_SLOTS]);

/* Take up to `want` of a slot, at least one.  Errors: TIMEOUT, CANCELED. */
wr_err slots_take(struct slots *slots, enum queue_slot slot, size_t want, size_t *ret,
                  wr_time deadline WR_AT);
#define slots_take(...) slots_take(__VA_ARGS__, WR_HERE)
void slots_give(struct slots *slots, enum queue_slot slot, size_t count);

size_t slots_taken(struct slots *slots, enum queue_slot slot);

#endif
