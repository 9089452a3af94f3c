/* match.h - a sentence as a question to the full-text indexes.
 *
 *     char buf[STORE_MATCH_MAX];
 *     struct wr_text match = WR_TEXT(buf);
 *     if (store_match(&match, "The moon is far away.", 0))     "moon" OR "far" OR "away"
 *         ...where fragments_fts match ?1 | websearch_to_tsquery('simple', ?1)
 *
 * Any of the words may be found, so the order of what is found matters: FTS5 by BM25,
 * PostgreSQL by ts_rank, which does not know how rare a word is.  Nothing in the sentence is
 * an operator.
 * Words that say nothing (up to two letters, the commonest of English) are left out, unless
 * nothing else is there; of one that comes twice one is taken, and of many the first.  Who
 * wants fewer gets the longest, which are the rarest as a rule.
 *
 * Case makes no difference, an accent does.  Scripts without spaces are not cut into words: a
 * run of them is found as a whole.
 */
#ifndef WR_STORE_MATCH_H
#define WR_STORE_MATCH_H

#include <stdbool.h>

#include "base/text.h"

#define STORE_MATCH_WORDS_MAX 32
#define STORE_MATCH_WORD_MAX 64     /* bytes; what is longer is no word */
#define STORE_MATCH_MAX (STORE_MATCH_WORDS_MAX * (STORE_MATCH_WORD_MAX + 7))

/* Whether there is a word in it.  The question, of at most so many words (0: of all), is added
 * to `ret`. */
bool store_match(struct wr_text *ret, const char *sentence, size_t words_max);

#endif
