/* target.h - what is to be looked at, as clients say it, and as the jobs that it becomes.
 *
 *     struct queue_targets targets;
 *     err = queue_targets_read(&targets, &(struct queue_targets_said){
 *         .task = task, .targets = list, .options = options }, &why);
 *     if (!err)
 *         err = queue_submit(queue, task, targets.rows.at, &submitted, &why, deadline);
 *     if (!err)
 *         queue_targets_write(&text, &targets, &submitted);
 *     ...
 *     queue_targets_free(&targets);
 *
 * A target is a text, which is an address if it begins with http:// or https://, a DOI if it
 * looks like one (with or without "doi:"), and a query else; or it is an object:
 *
 *     {"kind":"query","query":"..."}
 *     {"kind":"url","url":"https://...","depth":0,"reason":"manual"}
 *     {"kind":"doi","doi":"10.1000/182"}
 *
 * each with "options" of its own if it has some, which go before those of the call.  Addresses
 * and DOIs may have a "context": its source_page_id is the page whose link led here, and all of
 * it is kept with the job; a "policy" may be {}, since none is known.  Options are
 * serp_engines, academic_apis, budget_pages and priority.
 *
 * All are good, or none is taken, and the first that is not is said.  Blanks around a text are
 * left out.  An address is taken in the form that all addresses of its page have (address.h),
 * one of doi.org is a DOI, and a DOI is in lower case: so one page is one target, however it is
 * written.  Queries are the same if they are the same to the byte.  The ids of a call sort in
 * its order, and after those of earlier calls.
 */
#ifndef WR_QUEUE_TARGET_H
#define WR_QUEUE_TARGET_H

#include <jansson.h>

#include "base/text.h"
#include "svc/queue/queue.h"

#define QUEUE_TARGET_TEXT_MAX 4096      /* bytes of a query, an address, a DOI */
#define QUEUE_TARGET_MORE_MAX (16 << 10)    /* ... of a context or policy, as JSON */
#define QUEUE_TARGET_DEPTH_MAX 1000
#define QUEUE_TARGET_PAGES_MAX 10000

/* What a client says.  targets may be NULL, which is refused, and so may options. */
struct queue_targets_said {
    const char *task;
    const json_t *targets, *options;
};

struct queue_targets {
    struct wr_text rows;                /* for queue_submit */
    size_t count;
    char (*ids)[QUEUE_ID];
};

/* Takes milliseconds where there are thousands: not in a fiber then, but by wr_offload; it does
 * not wait.  *ret is to be freed, also after an error.  Errors: INVALID, with the reason;
 * NOMEM. */
wr_err queue_targets_read(struct queue_targets *ret, const struct queue_targets_said *said,
                          struct queue_why *why);
void queue_targets_free(struct queue_targets *targets);

/* What became of them, as JSON: {"ok":true,"queued_count":1,"skipped_count":0,...}.  The ids of
 * those that were skipped are empty from then on. */
void queue_targets_write(struct wr_text *text, struct queue_targets *targets,
                         const struct queue_submitted *submitted);

/* Words that can be said: the last is NULL. */
extern const char *const queue_engines[];
extern const char *const queue_academic[];
extern const char *const queue_priorities[];

#endif
