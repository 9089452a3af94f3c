/* budget.h - turns that several nodes share: one limit, however many draw from it.
 *
 *     err = store_budget_take(store, "crossref", WR_MS(20), 10, WR_MS(5), &from, deadline);
 *     ...10 turns are ours: at from, from + 20 ms, ...
 *
 * A budget is the moment from which its turns are free, by the store's clock.  Taking some
 * moves it on by as many intervals; so no two takers get the same turn, whatever their clocks
 * say.  Turns are taken by the batch, never one per call: a call to the store is dearer than
 * most limits.  What is taken and not used is lost.
 */
#ifndef WR_STORE_BUDGET_H
#define WR_STORE_BUDGET_H

#include "store/store.h"

#define STORE_BUDGET_TURNS_MAX 1000

/* Take `turns` turns, at most STORE_BUDGET_TURNS_MAX.  *ret_from is the moment of the first on
 * this process's clock, now or later: never earlier than by the store's clock, and later by no
 * more than the call took and a millisecond.  The budget stays free for `spare` after the last
 * of them: for those who come later than they should. */
wr_err store_budget_take(struct store *store, const char *name, wr_time interval,
                         uint32_t turns, wr_time spare, wr_time *ret_from, wr_time deadline);

/* The other side wants none for so long: no turn begins before that. */
wr_err store_budget_pause(struct store *store, const char *name, wr_time span,
                          wr_time deadline);

#endif
