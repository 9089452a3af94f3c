/* author.h - names of authors, one and many, as they are written and as they compare.
 *
 *     struct bib_name name;
 *     bib_author_parse(&name, "van der Berg, Jan Q.", 20, &arena);
 *     bib_author_compare(&name, &(struct bib_name){ "van der Berg", "J." });
 *                                                             BIB_NAME_COMPATIBLE
 *
 * A name is written in many ways: in both orders, with initials, with and without middle
 * names, accents, hyphens.  Two are compatible when one person may be meant by both.
 *
 * Comparing takes no memory.  Any bytes may come in.
 */
#ifndef WR_BIBLIO_AUTHOR_H
#define WR_BIBLIO_AUTHOR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "biblio/work.h"

/* More authors than these are not compared. */
#define BIB_AUTHORS_MAX 512

/* Read one name: "Jan van der Berg", "Berg, J. Q.", "Berg JQ", "Wenbo Guo 0001", "OpenAI".
 * False: there is no letter in it, or the arena is full. */
bool bib_author_parse(struct bib_name *ret, const char *text, size_t len,
                      struct wr_arena *arena);

/* Read a list as BibTeX and many data sets write it, with "and" or ";" between the names,
 * into authors, author_count and et_al of a work.  No more than BIB_AUTHORS_MAX are read;
 * what is left out sets et_al. */
void bib_author_list(struct bib_work *ret, const char *text, struct wr_arena *arena);

enum bib_name_match {
    BIB_NAME_SAME,          /* but for accents, case and order */
    BIB_NAME_COMPATIBLE,    /* initials, a missing middle name, another transliteration */
    BIB_NAME_SLIP,          /* but for one or two letters */
    BIB_NAME_DIFFERENT,
};

enum bib_name_match bib_author_compare(const struct bib_name *a, const struct bib_name *b);

/* "OpenAI", "NLLB Team": not a person. */
bool bib_author_is_group(const struct bib_name *name);

/* "Anonymous", "First Author", "John Doe": nobody. */
bool bib_author_is_placeholder(const struct bib_name *name);

/* Two lists. */
struct bib_authors_match {
    uint32_t matched;       /* of the cited ones, found in the other list */
    uint32_t phantoms;      /* cited, but not there */
    uint32_t missing;       /* there, but not cited */
    uint32_t slips;         /* of the matched, those with wrong letters */
    bool ordered;           /* the matched come in the same order, the first is the first */
};

struct bib_authors_match bib_author_match(const struct bib_work *cited,
                                          const struct bib_work *found);

/* Whether the authors are cited rightly.  Fewer than found are fine only when it is said
 * that there are more (et al.); `partial`: the record may lack some of them. */
bool bib_author_agree(const struct bib_work *cited, const struct bib_work *found, bool partial);

#endif
