/* key.h - under which keys a work is found.
 *
 *     struct key_list keys;
 *     key_of_work(&keys, work);            what the index has of it
 *     key_of_question(&keys, work);        what to look for when somebody cites it
 *
 * A key is a hash of 40 bits of something about a work, and of what kind of thing that is:
 *
 *   DOI, ARXIV   the identifier
 *   TITLE        the folded title (biblio/fold.h), whole
 *   MAIN         the folded title before its subtitle
 *   SEGMENT      one of a few equal parts into which the folded title is cut, with its number
 *                and the length of the whole
 *   PAIR         two words that follow each other, words that say nothing left out
 *   WORD         one word
 *
 * Segments are for typos.  A title that is cut into six parts and has three typos has at least
 * three parts left, which stand in the question where they were or a few places beside: a
 * question looks for them at all places where that many typos can have put them, in titles of
 * all lengths from which that many can have come.  Pairs and words are for titles that differ
 * by whole words: a subtitle left out, a word changed.
 *
 * No allocation, no errors: of a title that is too long its beginning counts, on both sides.
 */
#ifndef WR_LIBRARY_KEY_H
#define WR_LIBRARY_KEY_H

#include <stddef.h>
#include <stdint.h>

#include "biblio/work.h"

enum key_kind { KEY_TITLE, KEY_DOI, KEY_ARXIV, KEY_MAIN, KEY_SEGMENT, KEY_PAIR, KEY_WORD };
#define KEY_KINDS 7
#define KEY_KIND_MASK 7u

#define KEYS_MAX 512
#define KEY_SHIFT 3             /* typos by which a segment may be displaced */

struct key_list {
    uint64_t at[KEYS_MAX];      /* 40 bits; the kind is in the last three */
    size_t count;
};

void key_of_work(struct key_list *ret, const struct bib_work *work);
void key_of_question(struct key_list *ret, const struct bib_work *work);

static inline enum key_kind key_kind(uint64_t key)
{
    return (enum key_kind)(key & KEY_KIND_MASK);
}

#endif
