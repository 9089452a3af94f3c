/* once.h - one value, set once, for any number of waiters.
 *
 * The answer to a question that several fibers asked.  After it is set every
 * wait returns it at once, for as long as the once lives.
 */
#ifndef WEIR_ONCE_H
#define WEIR_ONCE_H

#include <stdbool.h>
#include <stddef.h>

#include <weir/err.h>
#include <weir/panic.h>
#include <weir/time.h>

struct wr_once;

/* The name is required.  Size may be 0: then it is only an event.  Errors: NOMEM. */
wr_err wr_once_new(struct wr_once **ret, const char *name, size_t size WR_AT);
#define wr_once_new(ret, name, size) wr_once_new(ret, name, size, WR_HERE)

/* No fiber may be waiting on it: close it and join its users first.  NULL is allowed. */
void wr_once_free(struct wr_once *once WR_AT);
#define wr_once_free(once) wr_once_free(once, WR_HERE)

/* Set the value and wake who waits.  Errors: EXISTS (it was set before; the
 * first value stays), CLOSED. */
wr_err wr_once_set(struct wr_once *once, const void *value);

/* There will be no value: waits return CLOSED.  Does nothing once it is set. */
void wr_once_close(struct wr_once *once);

/* Whether it was set. */
bool wr_once_done(const struct wr_once *once);

/* Wait for the value and copy it out; with NULL only wait.
 * Errors: TIMEOUT, CLOSED, CANCELED. */
wr_err wr_once_wait(struct wr_once *once, void *ret, wr_time deadline WR_AT);
#define wr_once_wait(once, ret, deadline) wr_once_wait(once, ret, deadline, WR_HERE)

#endif
