/* inquiry.h - what becomes of one reference, from the queue to its finding.
 *
 *     err = inquiry_new(&inquiry, &desk, paper, index, deadline);
 *     if (inquiry_begin(inquiry))      (libraries, what is remembered; sources are asked)
 *         ...it is done
 *     ...later, each time all that were asked have reported (desk.settled):
 *     if (inquiry_go_on(inquiry))
 *         ...it is done
 *     inquiry_free(inquiry);
 *
 * An inquiry waits for nobody but for room in the queue of a source.  It keeps what sources
 * said, packed; libraries are looked into again when it is judged, which takes less than
 * keeping what they said would.
 *
 * When it is done its finding is in the paper.
 */
#ifndef WR_CHECK_INQUIRY_H
#define WR_CHECK_INQUIRY_H

#include <stdbool.h>

#include "library/library.h"
#include "source/drainer.h"
#include "svc/check/paper.h"

struct inquiry;

/* What all inquiries of an engine share. */
struct inquiry_desk {
    struct library *const *libraries;
    size_t library_count;
    struct drainer *const *drainers;
    size_t drainer_count;
    struct drainer *const *fallbacks;       /* asked when nobody knows it, one by one */
    size_t fallback_count;
    int year;                               /* which it is now */
    /* All that were asked have reported: called once after each time some were, by whoever
     * reported last; must not wait. */
    void (*settled)(void *arg, struct inquiry *inquiry);
    void *arg;
};

/* Holds the paper.  Errors: NOMEM. */
wr_err inquiry_new(struct inquiry **ret, const struct inquiry_desk *desk,
                   struct check_paper *paper, size_t index, wr_time deadline);

/* Whether it is done; else `settled` is called. */
bool inquiry_begin(struct inquiry *inquiry);
bool inquiry_go_on(struct inquiry *inquiry);

/* When it is done, or after `settled`, to go on no further.  NULL is allowed. */
void inquiry_free(struct inquiry *inquiry);

#endif
