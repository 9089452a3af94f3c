/* publication.h - works of scholars, their authors and the names that catalogues have for them.
 *
 *     char id[STORE_EVIDENCE_ID];
 *     struct store_work work = { .doi = "10.1/a", .title = title, .year = 2020,
 *         .provider = "openalex", .provider_id = "W1", .authors = authors, .author_count = 2 };
 *     err = store_work_put(store, &work, id, deadline);
 *     ...a page with .canonical_id = id
 *
 * A work with a DOI is known by it, whichever catalogue tells of it; one without is known by
 * the catalogue's own name.  What one tells replaces what was told before; NULL and 0 leave it.
 * Authors are replaced all together, when there are any.
 */
#ifndef WR_STORE_PUBLICATION_H
#define WR_STORE_PUBLICATION_H

#include <stdbool.h>

#include "store/evidence.h"

#define STORE_WORK_AUTHORS_MAX 256
#define STORE_WORK_BYTES_MAX (1 << 20)      /* all of it, as JSON */

struct store_author { const char *name, *affiliation, *orcid; };

struct store_work {
    const char *doi;                /* in lower case, or NULL */
    const char *provider, *provider_id;     /* required */
    const char *title, *published, *venue;
    int year;
    int64_t citations, references;  /* -1: not known */
    bool open_access;
    const char *oa_url, *pdf_url, *pmid, *pmcid, *arxiv;
    const struct store_author *authors;
    size_t author_count;
};

/* ret_id has STORE_EVIDENCE_ID bytes.  Errors: INVALID (too many authors, too long). */
wr_err store_work_put(struct store *store, const struct store_work *work, char *ret_id,
                      wr_time deadline);

/* The id that it gives.  Returns ret. */
const char *store_work_id(char *ret, const char *doi, const char *provider,
                          const char *provider_id);

#endif
