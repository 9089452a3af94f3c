/* bibitem.h - one \bibitem after the other, as references.
 *
 * What has a name (\bibinfo{title}{...}, \showDOI) is taken by it; what is plain text is read
 * as any reference is, and \newblock tells then where the title is.  For tex.c.
 */
#ifndef WR_EXTRACT_BIBITEM_H
#define WR_EXTRACT_BIBITEM_H

#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>

#include "base/arena.h"
#include "biblio/work.h"

/* From \bibitem on, without comments. */
struct extract_item {
    const char *begin, *end;
    uint32_t line, line_end;
};

/* Errors: NOMEM. */
wr_err extract_items(const struct extract_item *items, size_t count, struct wr_arena *arena,
                     struct bib_references *ret);

#endif
