/* deposit.h - what a publisher says that a work cites: the list of references in Crossref's
 * record of it.
 *
 *     err = deposit_read("doi:10.1000/xyz", json, len, &arena, &documents, why, deadline);
 *
 * An item has fields (article-title, author, year, journal-title, DOI and so on), or the
 * reference as it was printed (unstructured), or both.  What was printed is read like a line of
 * text; fields take the place of what was read.  Of authors an item names the first, so there
 * may be more.
 */
#ifndef WR_CHECK_DEPOSIT_H
#define WR_CHECK_DEPOSIT_H

#include <weir/err.h>
#include <weir/time.h>

#include "base/arena.h"
#include "extract/document.h"

#define DEPOSIT_WHY 300

/* Must be called by a task: it is read away from the workers.  Everything in *ret lies in the
 * arena.  After an error `why` is a sentence.
 * Errors: IO (it is no such record), NOTFOUND (it has no list), NOMEM, TIMEOUT, CANCELED. */
wr_err deposit_read(const char *name, const char *json, size_t len, struct wr_arena *arena,
                    struct extract_documents *ret, char *why, wr_time deadline);

#endif
