/* identifier.h - DOI, arXiv number and addresses of a reference.
 *
 * biblio/ident.h knows what they look like.  Here it is asked twice: once about the text as it
 * is, and where that has none, about the text without the spaces that some readers of PDF put
 * around signs ("arXiv :hep -th/0610336").
 */
#ifndef WR_EXTRACT_IDENTIFIER_H
#define WR_EXTRACT_IDENTIFIER_H

#include <stddef.h>

#include "base/arena.h"
#include "biblio/work.h"

/* Set doi, arxiv_id, urls and url_count of a work: the first of each kind, and all addresses.
 * The text may have line ends in it.  When the arena is full, it says so. */
void extract_identifiers(struct bib_work *ret, const char *raw, size_t len,
                         struct wr_arena *arena);

#endif
