/* scholar_merge.h - what catalogues and the web have found, as one list.
 *
 *     struct scholar_list list;
 *     err = scholar_merge(&list, &(struct scholar_merging){
 *         .papers = { &semantic_scholar, &openalex }, .pages = { &first, &second },
 *         .arena = &arena });
 *     ...list.entries[0 .. list.count)
 *
 * Two finds are one work if they have the same DOI, arXiv number or PMID, else if their titles
 * have nine tenths of their words in common (of all words of both, without case and accents).
 * Two DOIs that differ are two works, whatever they are called, unless one of them is arXiv's:
 * then it is the preprint.  A title of less than three words says too little.  Pages add their
 * own name to titles ("Quiet Rivers - Journal of Rivers"): what follows the last dash or bar is
 * also left out.
 *
 * What a catalogue says wins over what a page says; of two catalogues the first that has an
 * abstract, and the other fills in what it does not know.
 *
 * Papers come first, in their order, then pages that are none of these.
 */
#ifndef WR_SOURCE_SCHOLAR_MERGE_H
#define WR_SOURCE_SCHOLAR_MERGE_H

#include "source/scholar.h"
#include "source/serp.h"

#define SCHOLAR_MERGE_MAX \
    (SCHOLAR_APIS * SCHOLAR_LIMIT_MAX + SERP_PAGES_MAX * SERP_RESULTS_MAX)

enum scholar_origin { SCHOLAR_BOTH, SCHOLAR_API_ONLY, SCHOLAR_SERP_ONLY };

/* "both", "api_only", "serp_only" */
const char *scholar_origin_name(enum scholar_origin origin);

struct scholar_entry {
    enum scholar_origin origin;
    struct scholar_paper *paper;            /* NULL: only the web has it */
    const struct serp_result *page;         /* the first; NULL: only catalogues have it */
    uint32_t apis;                          /* bits of enum scholar_api: who has it */
    /* By which it is known, also out of the page's address; bare, or NULL. */
    const char *doi, *arxiv, *pmid, *pmcid;
    const char *semantic_scholar, *openalex;    /* the catalogues' own */
};

struct scholar_list {
    struct scholar_entry *entries;          /* they lie in the arena */
    size_t count;
};

/* NULL is allowed, for who has found nothing.  What is given must stay: entries point to it. */
struct scholar_merging {
    const struct scholar_found *papers[SCHOLAR_APIS];
    const struct serp_found *pages[SERP_PAGES_MAX];
    struct wr_arena *arena;
};

/* Of hundreds of finds it takes milliseconds: not on a fiber then.  Errors: NOMEM. */
wr_err scholar_merge(struct scholar_list *ret, const struct scholar_merging *merging);

#endif
