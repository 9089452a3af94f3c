/* scribe.h - pointers on their way to the store, one for each key.
 *
 *     err = scribe_put(scribe, &pointer, deadline);
 *
 * Who puts a pointer waits until it is in the store.  One task writes them, in the order of
 * their keys' coming; a newer one of a key that still waits takes the place of the older, and
 * both are told when it is written: whoever had come a moment earlier would have been
 * overwritten.  So a key that is put a thousand times at once is written a few times, and 256
 * keys that wait are the most: one more is refused at once, and counted as the facet `index`
 * counts (flow/facet.h).  What nobody waits for any more when its turn comes is not written.
 *
 * Any fiber may put.  It is run by a task (index.scribe); without one nobody is told.
 */
#ifndef WR_INDEX_SCRIBE_H
#define WR_INDEX_SCRIBE_H

#include <stdint.h>

#include <weir/err.h>
#include <weir/once.h>
#include <weir/time.h>

#include "store/store.h"
#include "svc/index/catalog.h"

#define SCRIBE_WAITING_MAX 256

struct scribe;

/* Since the start. */
struct scribe_stat {
    uint64_t written;                   /* writes that the store has taken */
    uint64_t replaced;                  /* pointers that a newer one was written for */
    uint64_t refused;                   /* BUSY */
    size_t waiting;                     /* keys, now */
};

/* Errors: NOMEM. */
wr_err scribe_new(struct scribe **ret, struct store *store);

/* It does not run.  Who still waits is told DRAINING.  NULL is allowed. */
void scribe_free(struct scribe *scribe);

/* The task, as a child of a supervisor: until it is drained.  What waits then is still written,
 * and nothing new is taken.  Errors: CANCELED. */
wr_err scribe_run(void *scribe, struct wr_once *drain);

/* Errors: BUSY (as many keys wait as may), DRAINING, TIMEOUT and CANCELED (if that has begun it
 * is written all the same), NOMEM, PANIC; those of catalog_put. */
wr_err scribe_put(struct scribe *scribe, const struct catalog_pointer *pointer,
                  wr_time deadline);

struct scribe_stat scribe_stat(struct scribe *scribe);

#endif
