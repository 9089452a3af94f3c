/* latency.h - how fast providers were lately: seen when they are asked, wanted for rank.h.
 *
 *     err = latencies_new(&latencies);
 *     latency_seen(latencies, id, WR_MS(12));
 *     latency_failed(latencies, other);
 *     ...
 *     rule.latency = latency_of;           (rank.h)
 *     rule.arg = latencies;
 *
 * What counts is the time until the first byte of an answer, the last ones most: a quarter of
 * each new one.  Who has failed is as slow as LATENCY_FAILED until he does better, or ten
 * minutes have passed: after that nothing is known of anybody.
 *
 * 4096 are remembered; a newcomer may take the place of another, who is not known then.  Any
 * fiber may use it.
 */
#ifndef WR_INDEX_LATENCY_H
#define WR_INDEX_LATENCY_H

#include <weir/err.h>
#include <weir/time.h>

#define LATENCY_FAILED WR_S(60)
#define LATENCY_OLD WR_S(600)

struct latencies;

/* Errors: NOMEM. */
wr_err latencies_new(struct latencies **ret);
void latencies_free(struct latencies *latencies);       /* NULL is allowed */

/* The id is a provider's: hex digits (rank.h). */
void latency_seen(struct latencies *latencies, const char *id, wr_time took);
void latency_failed(struct latencies *latencies, const char *id);

/* < 0: not known. */
wr_time latency_of(void *latencies, const char *id);

#endif
