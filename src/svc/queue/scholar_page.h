/* scholar_page.h - a paper that a catalogue told of, kept as a page with its abstract.
 *
 *     struct scholar_kept kept;
 *     err = scholar_page_keep(&(struct scholar_keep){ .store = store, .task = task,
 *         .hypothesis = hypothesis, .paper = paper, .reason = "academic_api" }, &kept,
 *         deadline);
 *     ...kept.page, kept.claims
 *
 * The work is in the table of works, and its page has the address where it can be found.  The
 * abstract is its one fragment; a paper without one is there for others to cite.
 */
#ifndef WR_QUEUE_SCHOLAR_PAGE_H
#define WR_QUEUE_SCHOLAR_PAGE_H

#include "crawl/address.h"
#include "source/scholar.h"
#include "store/evidence.h"
#include "store/store.h"

#define SCHOLAR_PAGE_URL (ADDRESS_MAX + 1)

struct scholar_keep {
    struct store *store;
    const char *task, *hypothesis, *reason;
    const struct scholar_paper *paper;
    unsigned depth;
    const char *source_page;            /* whose link led here, or NULL */
};

struct scholar_kept {
    char page[STORE_EVIDENCE_ID];
    size_t fragments, claims;
};

/* Errors: of the store; NOMEM, BUSY, TIMEOUT, CANCELED. */
wr_err scholar_page_keep(const struct scholar_keep *keep, struct scholar_kept *ret,
                         wr_time deadline);

/* Where it can be found: by its DOI, its arXiv number, or in the catalogue. */
void scholar_page_url(const struct scholar_paper *paper, char ret[SCHOLAR_PAGE_URL]);

#endif
