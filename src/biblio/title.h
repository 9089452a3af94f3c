/* title.h - whether two titles are the same title.
 *
 *     unsigned alike;
 *     bib_title_compare("Attention is all you ned", "Attention Is All You Need", &alike);
 *                                                              BIB_TITLE_SAME
 *
 * Titles are compared word by word.  A slip inside a word, a hyphen, a missing article make
 * no other title; a word exchanged, added or lost does, however short it is, and so do a
 * number, a plural and a negation: "GPT-3" is not "GPT-4", and a title that differs from a
 * true one by a single word is what an invented one looks like.  Where the two words are a
 * letter or two apart ("News" and "New"), both may be true: SLIPPED leaves it to whoever knows
 * more about the work.
 *
 * Any bytes may come in.  Nothing allocates; about 12 KB of the stack are used.
 */
#ifndef WR_BIBLIO_TITLE_H
#define WR_BIBLIO_TITLE_H

#include <stdbool.h>

enum bib_title_match {
    BIB_TITLE_SAME,
    BIB_TITLE_SHORTENED,        /* one is the other without its subtitle */
    BIB_TITLE_SLIPPED,          /* the same, if a slip may have made another word */
    BIB_TITLE_DIFFERENT,
};

/* `alike` gets the ratio of their letters, per mille (ratio.h). */
enum bib_title_match bib_title_compare(const char *a, const char *b, unsigned *alike);

/* How many words it has: too few say little about a work. */
unsigned bib_title_words(const char *title);

#endif
