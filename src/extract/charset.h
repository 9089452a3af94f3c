/* charset.h - text of whatever encoding, as UTF-8.
 *
 * A mark at the beginning decides; without one it is UTF-8 if most of what is not ASCII can be
 * that, UTF-16 if every other byte is zero, and else what Windows calls Latin (1252).
 */
#ifndef WR_EXTRACT_CHARSET_H
#define WR_EXTRACT_CHARSET_H

#include <stdbool.h>
#include <stddef.h>

#include <weir/err.h>

struct extract_text {
    char *at;                       /* on the heap, with a zero byte behind it */
    size_t len;
    const char *charset;            /* what it was: "UTF-8", "UTF-16", "Latin-1" */
};

/* The caller frees ret->at.  Errors: NOMEM. */
wr_err extract_charset(const char *bytes, size_t size, struct extract_text *ret);

/* Whether bytes can be a text at all: few of them are control characters. */
bool extract_is_text(const struct extract_text *text);

#endif
