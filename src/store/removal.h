/* removal.h - what nobody wants any more: a task, with all that is its alone.
 *
 *     err = store_removal_begin(store, task, deadline);        (DENIED: jobs of it are open)
 *     err = store_removal_clear(store, task, deadline);        (TIMEOUT: go on later)
 *
 *     while (!(err = store_removal_next(store, task, deadline)))       (NOTFOUND: none)
 *         err = store_removal_clear(store, task, deadline);
 *
 * From its beginning on nobody finds the task.  What it had is cleared in small steps, each a
 * commit of its own, so that nobody waits long behind one: its jobs, items for people, queries,
 * claims with what was judged about them, and its links to pages.  A page that no other task
 * has goes with its fragments, their vectors, and what it cites; one that another page cites
 * stays, as one that nobody has fetched.  A removal that was cut off is gone on with, on
 * whatever node.
 *
 * Somebody may still be at work for the task when it goes, and write what he has found.  So a
 * removal is remembered for STORE_REMOVAL_KEPT, and then cleared once more.
 *
 * The bytes of a page (blob.h) go STORE_REMOVAL_KEPT after the last page that has them, and so
 * do those of a page that was fetched again and is another now.
 */
#ifndef WR_STORE_REMOVAL_H
#define WR_STORE_REMOVAL_H

#include <stddef.h>
#include <stdint.h>

#include "store/evidence.h"
#include "store/store.h"
#include "store/task.h"

#define STORE_REMOVAL_KEPT WR_S(3600)   /* longer than any job may take */
#define STORE_REMOVAL_STEP 200          /* rows of a step */
#define STORE_REMOVAL_LIST_MAX 64
#define STORE_PRUNE_LOOK 1000           /* pages that are looked at at once */

/* The task is gone; one whose removal has begun, too.  Errors: DENIED (something of it is
 * queued, runs or waits: stop it first), NOTFOUND. */
wr_err store_removal_begin(struct store *store, const char *task, wr_time deadline);

/* Clear what it had.  WR_OK: all of it.  Errors: TIMEOUT, CANCELED; of the store: what is left
 * is left for the next. */
wr_err store_removal_clear(struct store *store, const char *task, wr_time deadline);

/* One that is to be cleared.  Errors: NOTFOUND (none is). */
wr_err store_removal_next(struct store *store, char ret_task[STORE_TASK_ID_MAX + 1],
                          wr_time deadline);

/* Up to `max` tasks, at most STORE_REMOVAL_LIST_MAX, of which nothing is open, and to which
 * nothing has happened since this moment.  Free the rows: ids. */
wr_err store_removal_stale(struct store *store, struct wr_wall before, size_t max,
                           struct store_rows *ret, wr_time deadline);

/* Remove pages that no task has and that were fetched before this moment, among the next
 * STORE_PRUNE_LOOK after `cursor`, which goes on; at the end it is empty again.  *ret is how
 * many. */
wr_err store_page_prune(struct store *store, char cursor[STORE_EVIDENCE_ID],
                        struct wr_wall before, uint64_t *ret, wr_time deadline);

/* Remove up to `max` blobs, at most STORE_REMOVAL_LIST_MAX, that no page has had for
 * STORE_REMOVAL_KEPT.  *ret is how many were looked at: as many as `max` says that there may be
 * more. */
wr_err store_blob_prune(struct store *store, size_t max, uint64_t *ret, wr_time deadline);

#endif
