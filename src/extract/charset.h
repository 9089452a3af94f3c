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
    const char *charset;            /* what it was: "UTF-8", "UTF-16", "Latin-1", "SHIFT_JIS" */
};

/* The caller frees ret->at.  Errors: NOMEM. */
wr_err extract_charset(const char *bytes, size_t size, struct extract_text *ret);

/* The same where somebody says what it is ("windows-1251", as a server or a page does): that is
 * believed if there is no mark, if it is one of the encodings of the web, and if the bytes are
 * not UTF-8 all the same.  NULL and any other word say nothing.  Errors: NOMEM. */
wr_err extract_charset_as(const char *bytes, size_t size, const char *label,
                          struct extract_text *ret);

/* Whether bytes can be a text at all: few of them are control characters. */
bool extract_is_text(const struct extract_text *text);

#endif
