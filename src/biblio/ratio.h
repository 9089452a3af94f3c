/* ratio.h - how alike two strings of bytes are.
 *
 *     bib_ratio("novacek", 7, "novaczek", 8) == 933        of 1000
 *
 * The ratio is that of the longest common subsequence: twice its length by the sum of both
 * lengths.  It is for folded text (fold.h), where letters of other scripts count as the
 * bytes they have.  Both calls need no memory but a little of the stack.
 */
#ifndef WR_BIBLIO_RATIO_H
#define WR_BIBLIO_RATIO_H

#include <stdbool.h>
#include <stddef.h>

/* What is longer is compared by its beginning. */
#define BIB_RATIO_MAX 1024

/* Per mille, rounded down; two empty strings are the same. */
unsigned bib_ratio(const char *a, size_t a_len, const char *b, size_t b_len);

/* How many letters were changed, added, lost or exchanged with their neighbour, if not more
 * than `max` (at most 3); else max + 1. */
unsigned bib_slips(const char *a, size_t a_len, const char *b, size_t b_len, unsigned max);

#endif
