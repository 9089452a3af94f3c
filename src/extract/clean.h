/* clean.h - the text of a reference as it would stand on one endless line.
 *
 *     "Testing quan-\ntised inertia: a ﬁrst J. G. Ko ¨rner"
 *      Testing quantised inertia: a first J. G. Körner
 *
 * White space and line ends become one space; a word that was hyphenated at a line end is put
 * together again; ligatures become letters, accents that a PDF left beside their letter are
 * put on it; what is not UTF-8 becomes U+FFFD, and control characters go.
 */
#ifndef WR_EXTRACT_CLEAN_H
#define WR_EXTRACT_CLEAN_H

#include <stddef.h>

#include "base/text.h"

/* Add the clean form of the text. */
void extract_clean(struct wr_text *ret, const char *text, size_t len);

/* The same without any repair: white space to one space, and valid UTF-8. */
void extract_collapse(struct wr_text *ret, const char *text, size_t len);

#endif
