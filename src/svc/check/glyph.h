/* glyph.h - text of strangers, as it may be shown to people.
 *
 *     for (const char *at = title; *at;) {
 *         struct check_glyph glyph = check_glyph_next(&at);
 *         wr_text_bytes(page, glyph.bytes, glyph.len);
 *     }
 *
 * Any bytes come in; what comes out is valid UTF-8 that neither moves the cursor of a terminal
 * nor turns the direction of what stands around it: white space of any kind becomes a space,
 * and a control character, a character that embeds, overrides or isolates a direction, and a
 * byte that is no UTF-8 become U+FFFD, so that one sees that something was there.
 */
#ifndef WR_CHECK_GLYPH_H
#define WR_CHECK_GLYPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct check_glyph {
    const char *bytes;          /* not terminated */
    size_t len;
    int32_t code;
};

/* The next character; `at` moves behind it.  Not for the end of a text. */
struct check_glyph check_glyph_next(const char **at);

/* All of it.  NULL is nothing. */
void check_glyphs(struct wr_text *ret, const char *text);

#endif
