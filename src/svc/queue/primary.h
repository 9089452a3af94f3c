/* primary.h - sources whose own word it is: papers, and pages of governments, armies,
 * universities and what nations have made together.
 *
 *     if (primary_is("www.example.ac.uk")) ...
 *     err = primary_share(&share, store, task, deadline);         (1000: all pages of the task)
 */
#ifndef WR_QUEUE_PRIMARY_H
#define WR_QUEUE_PRIMARY_H

#include <stdbool.h>

#include <weir/err.h>
#include <weir/time.h>

struct store;

/* Whether pages of this domain are, by its name. */
bool primary_is(const char *domain);

/* How many of a thousand pages of a task are; 0, if it has none.  Errors: of the store. */
wr_err primary_share(int *ret, struct store *store, const char *task, wr_time deadline);

#endif
