/* date.h - moments as HTTP writes them: Sun, 06 Nov 1994 08:49:37 GMT. */
#ifndef WR_NET_DATE_H
#define WR_NET_DATE_H

#include <stddef.h>
#include <stdint.h>

#include <stdatomic.h>

#include <weir/err.h>
#include <weir/time.h>

#define DATE_TEXT 30            /* with the zero byte */
#define DATE_STAMP_TEXT 32      /* ... and to whole words */

/* Write the second since 1970, up to the year 9999; buf has DATE_TEXT bytes.  Returns buf. */
const char *date_print(int64_t second, char *buf);

/* The date of the present second, for the heads of many answers.  Who comes first in a
 * second writes it, the others copy it.  All zero to begin with; for all threads. */
struct date_stamp {
    _Atomic uint32_t turn;      /* odd while it is written */
    _Atomic wr_time until;      /* the second is not over before */
    _Atomic uint64_t words[DATE_STAMP_TEXT / 8];
};

/* The date at `now`, which is from wr_now a moment ago: only when a second is over is the
 * clock of the calendar asked, so that one that was set is followed within a second.  buf
 * has DATE_STAMP_TEXT bytes.  Returns buf. */
const char *date_stamp(struct date_stamp *stamp, wr_time now, char *buf);

/* Read one of the three ways in which dates have been written: as above, with a dash
 * and two digits of the year (RFC 850), or as C does (asctime).  A year of two digits
 * is the one that is not more than 50 years after `now`, another second since 1970.
 * Errors: INVALID. */
wr_err date_parse(int64_t *ret, const char *text, int64_t now);

/* How long a Retry-After asks to wait: seconds, or a date; at most `max`.  0: it does not say,
 * or is NULL. */
wr_time date_retry_after(const char *value, struct wr_wall now, wr_time max);

#endif
