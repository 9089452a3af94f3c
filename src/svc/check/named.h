/* named.h - a paper that is named instead of given: by its arXiv id or its DOI.
 *
 *     struct named named;
 *     if (named_read(&named, "arXiv:2403.00108v2")) {
 *         err = named_fetch(&named, sources, &arena, &documents, why, wr_after(WR_S(120)));
 *         ...documents.at[0].references
 *     }
 *
 * Of a paper in arXiv what it was typeset from is fetched, or the PDF where that is all there
 * is, and read like a file.  Of several lists in it those of .bbl files count, because they
 * have what is cited and nothing else; else those in the text; else the .bib files.
 *
 * Of a DOI Crossref is asked what the publisher says that the work cites.  Such a list has
 * fields, or references as they were printed, or both; of authors it names the first.
 *
 * Either goes through the drainer of the source, so its limit is kept.
 */
#ifndef WR_CHECK_NAMED_H
#define WR_CHECK_NAMED_H

#include <weir/err.h>
#include <weir/time.h>

#include "base/arena.h"
#include "extract/document.h"
#include "source/sources.h"

#define NAMED_MAX 200
#define NAMED_WHY 400
#define NAMED_BODY_MAX ((size_t)64 << 20)

enum named_kind { NAMED_ARXIV, NAMED_DOI };

struct named {
    enum named_kind kind;
    char id[NAMED_MAX];             /* "2403.00108v2", "10.1000/xyz" */
    char name[NAMED_MAX + 8];       /* "arXiv:2403.00108v2", "doi:10.1000/xyz": in reports */
};

/* Whether a text is such a name and nothing else: bare, with "arXiv:" or "doi:" before it, or
 * the address at arxiv.org or doi.org. */
bool named_read(struct named *ret, const char *text);

/* Fetch and read it.  Everything in *ret lies in the arena.  After an error `why` is a sentence
 * that begins with the name.  `sources` may be NULL: that is offline.
 * Errors: UNSUPPORTED (offline, or the source is off), NOTFOUND (the source knows none, or has
 * no list of it), those of drainer_fetch and extract_document; IO (no answer that can be read).
 */
wr_err named_fetch(const struct named *named, const struct sources *sources,
                   struct wr_arena *arena, struct extract_documents *ret, char *why,
                   wr_time deadline);

/* Of the lists in what a paper was typeset from, keep those that say best what it cites. */
void named_choose(struct extract_documents *documents);

#endif
