/* fold.h - the form of a title in which only what it says is left.
 *
 *     char buf[BIB_FOLD_MAX];
 *     struct wr_text folded = WR_TEXT(buf);
 *     bib_fold(&folded, title, strlen(title));     "B ¨UNZ &amp; τCFI" -> "bunztaucfi"
 *
 * Two texts that a reader would call the same have the same form: case, accents (also such
 * as a PDF left beside their letter), ligatures, wide and small forms, punctuation, spaces,
 * entities and tags of HTML make no difference.  Greek letters and signs of mathematics
 * become their names.  Letters and digits of every other script stay, as UTF-8.
 *
 * Any bytes may come in: what is no UTF-8 is passed over.  The form is added to `ret`, and
 * cut like any text that does not fit, anywhere.  Nothing allocates, nothing fails.
 */
#ifndef WR_BIBLIO_FOLD_H
#define WR_BIBLIO_FOLD_H

#include <stddef.h>

#include "base/text.h"

/* Room for the form of any title worth comparing; longer ones are known by their beginning. */
#define BIB_FOLD_MAX 1024

/* Letters and digits only: "foobar". */
void bib_fold(struct wr_text *ret, const char *text, size_t len);

/* Words, with one space between them: "foo bar".  A hyphen separates, an apostrophe does not
 * ("don't" is "dont"); in Chinese and Japanese each sign is a word. */
void bib_fold_words(struct wr_text *ret, const char *text, size_t len);

#endif
