/* date.h - moments as HTTP writes them: Sun, 06 Nov 1994 08:49:37 GMT. */
#ifndef WR_NET_DATE_H
#define WR_NET_DATE_H

#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>

#define DATE_TEXT 30            /* with the zero byte */

/* Write the second since 1970, up to the year 9999; buf has DATE_TEXT bytes.  Returns buf. */
const char *date_print(int64_t second, char *buf);

/* Read one of the three ways in which dates have been written: as above, with a dash
 * and two digits of the year (RFC 850), or as C does (asctime).  A year of two digits
 * is the one that is not more than 50 years after `now`, another second since 1970.
 * Errors: INVALID. */
wr_err date_parse(int64_t *ret, const char *text, int64_t now);

#endif
