/* bibtex_name.h - the names in an author field.
 *
 *     bibtex_names(&arena, "Ludwig van Beethoven and {NASA} and others", 42, &work);
 *
 * "First von Last", "von Last, First", "von Last, Jr, First", and BibLaTeX's "family=Last,
 * given=First, prefix=von".  Braces keep together what is in them, so an institution in braces
 * is one family name.  "others" and "et al." say that there are more.  Commas or semicolons
 * where "and" was meant are understood where it is clear that they are.
 */
#ifndef WR_BIBLIO_BIBTEX_NAME_H
#define WR_BIBLIO_BIBTEX_NAME_H

#include <stddef.h>

#include "base/arena.h"
#include "biblio/work.h"

#define BIBTEX_NAMES_MAX 4096       /* of one work; if there are more, et_al says so */

/* Sets authors, author_count and et_al of the work.  What does not fit the arena is missing,
 * and arena->full says so. */
void bibtex_names(struct wr_arena *arena, const char *tex, size_t len, struct bib_work *work);

#endif
