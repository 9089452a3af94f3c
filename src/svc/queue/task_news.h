/* task_news.h - word that something has happened to a task, for those who wait for that.
 *
 *     err = news_version(news, task, &version, &doubts);
 *     ...look at the task
 *     err = news_wait(news, task, version, &doubts, deadline);     (OK: look again)
 *
 *     news_ring(news, task);                                       (after the commit)
 *
 * A task has a version that rises with all that happens to it.  Who has looked at the task
 * after he was told a version waits for a higher one: so nothing is missed, whoever else looks.
 * Versions belong to this process, and are kept for tasks that were asked about of late; of one
 * that is forgotten all are new again, which costs a look and no more.
 *
 * The last view of a task is kept beside its version, for all who look before the next rises.
 */
#ifndef WR_QUEUE_TASK_NEWS_H
#define WR_QUEUE_TASK_NEWS_H

#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>
#include <weir/panic.h>
#include <weir/time.h>

#include "svc/queue/view.h"

struct news;

/* Of so many tasks; of more, if somebody waits for each of them.  Errors: NOMEM. */
wr_err news_new(struct news **ret, size_t max);

/* Nobody may be waiting.  NULL is allowed. */
void news_free(struct news *news);

/* The version of a task now, never 0; and how often there was doubt.  Errors: NOMEM. */
wr_err news_version(struct news *news, const char *task, uint64_t *ret, uint64_t *ret_doubts);

/* Something has happened to it.  Does not wait; any fiber. */
void news_ring(struct news *news, const char *task);

/* Something may have happened, to any of them: who waits is to look, and to go on waiting if
 * nothing has. */
void news_doubt(struct news *news);

/* From now on nobody waits, and who does returns. */
void news_hush(struct news *news);

/* Wait until the version is above `since`.  Errors: LAGGED (there was doubt more often than
 * *doubts says, which is set: look), DRAINING (nobody is to wait), TIMEOUT, CANCELED, NOMEM. */
wr_err news_wait(struct news *news, const char *task, uint64_t since, uint64_t *doubts,
                 wr_time deadline WR_AT);
#define news_wait(...) news_wait(__VA_ARGS__, WR_HERE)

/* The view of a task, as it is: the one that is kept, if nothing has happened since it was
 * read, else a new one.  One reads it, for all who ask at that moment.  *ret is to be unref'd;
 * *ret_version is one that it is as new as.  Errors: those of `read`; TIMEOUT, CANCELED,
 * NOMEM. */
typedef wr_err news_read_fn(void *arg, const char *task, struct queue_view **ret,
                            wr_time deadline);
wr_err news_view(struct news *news, const char *task, news_read_fn *read, void *arg,
                 struct queue_view **ret, uint64_t *ret_version, wr_time deadline WR_AT);
#define news_view(...) news_view(__VA_ARGS__, WR_HERE)

/* Those who wait now. */
size_t news_waiting(const struct news *news);

#endif
