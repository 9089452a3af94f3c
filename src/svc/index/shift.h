/* shift.h - tasks that work until they are told to finish, or until one of them fails.
 *
 *     err = wr_scope_go(scope, "index.offerer", announce_fresh, announcer);
 *     ...
 *     err = shift_end(scope, drain);
 *
 * A child of a supervisor that only waited for its drain would not see that its tasks are gone:
 * the first that fails ends the others of its scope, and nobody would start them again.
 */
#ifndef WR_INDEX_SHIFT_H
#define WR_INDEX_SHIFT_H

#include <weir/err.h>
#include <weir/once.h>
#include <weir/scope.h>

/* Until all of them have ended, and the scope is closed; they are canceled when `drain` is set,
 * or the caller is.  Errors: that of the task that failed first; NOMEM, CANCELED. */
wr_err shift_end(struct wr_scope *scope, struct wr_once *drain);

#endif
