/* retries.h - how often something was tried again, by what it was: backoff_retries_total{op}.
 *
 * A restart of a child and a question that is asked again are both counted there, so the
 * metric belongs to neither.
 */
#ifndef WR_BASE_RETRIES_H
#define WR_BASE_RETRIES_H

struct wr_counter;

/* The counter of one operation: keep it. */
struct wr_counter *wr_retries_of(const char *op);

#endif
