/* queue_janitor.h - the one who forgets what was kept long enough.
 *
 *     struct queue_janitor janitor = { .queue = queue };
 *     queue_janitor_tune(&janitor, conf);
 *     err = wr_scope_go(scope, "queue.janitor", queue_janitor_run, &janitor);
 *
 * Once a minute: finished jobs, tasks that nobody has touched, what people were asked for,
 * queries, pages that no task has, each after its time; removals that are not cleared yet
 * (store/removal.h); and bytes that no page has any more.  All of it in small steps, so that
 * nobody waits long behind one.  Several nodes of a store may do so at once.
 */
#ifndef WR_QUEUE_JANITOR_H
#define WR_QUEUE_JANITOR_H

#include <stdint.h>

#include "conf/conf.h"
#include "store/evidence.h"
#include "svc/queue/queue.h"

#define QUEUE_TIDY_EVERY WR_S(60)

/* How long what is kept; 0: for ever. */
enum queue_keep { KEEP_JOBS, KEEP_TASKS, KEEP_AUTHS, KEEP_QUERIES, KEEP_PAGES, KEEP_COUNT };

struct queue_janitor {
    struct queue *queue;                    /* must outlive it */
    _Atomic int64_t keep[KEEP_COUNT];       /* wr_time */
    char cursor[STORE_EVIDENCE_ID];         /* its own: where it is among the pages */
};

/* As this configuration says, from the next round on. */
void queue_janitor_tune(struct queue_janitor *janitor, const struct wr_conf *conf);

/* One round.  What cannot be done now is left for the next, and the log says why. */
void queue_janitor_tidy(struct queue_janitor *janitor);

/* Round after round, until it is canceled; arg is the janitor. */
wr_err queue_janitor_run(void *arg);

#endif
