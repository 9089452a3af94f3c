/* base64.h - bytes as text that needs no escaping in a URL or a header.
 *
 * The alphabet of RFC 4648 section 5 (A-Z a-z 0-9 - _), without padding.  There is
 * one text for any bytes, and only that one is read: no other alphabet, no white
 * space, no padding, and no bits that are left over at the end.
 */
#ifndef WR_BASE_BASE64_H
#define WR_BASE_BASE64_H

#include <stddef.h>

#include <weir/err.h>

/* How much room so many bytes need as text, with the zero byte. */
#define WR_BASE64_TEXT(size) (((size)*4 + 2) / 3 + 1)

/* Write it; buf has WR_BASE64_TEXT(size) bytes.  Returns the length of the text. */
size_t wr_base64_print(char *buf, const void *bytes, size_t size);

/* Read it into at most `cap` bytes; *ret is how many there are.
 * Errors: INVALID (not such a text), NOMEM (more than cap). */
wr_err wr_base64_parse(size_t *ret, void *buf, size_t cap, const char *text, size_t len);

#endif
