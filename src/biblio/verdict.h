/* verdict.h - what is said of a reference: the words, and what stands behind them.
 *
 * These are the words of the JSON that people build on (docs/check.md): they do not change.
 */
#ifndef WR_BIBLIO_VERDICT_H
#define WR_BIBLIO_VERDICT_H

#include <stddef.h>
#include <stdint.h>

#include "biblio/work.h"

/* X(name, word) */
#define BIB_OUTCOMES(X) \
    X(VERIFIED, "verified")         /* the work exists, as cited */ \
    X(MISMATCH, "mismatch")         /* it exists, but not as cited */ \
    X(NOT_FOUND, "not_found")       /* everybody was asked, and nobody knows it */ \
    X(INCONCLUSIVE, "inconclusive") /* somebody who might know it could not be asked */ \
    X(SKIPPED, "skipped")           /* there is nothing to look for */

#define BIB_FIELDS(X) \
    X(TITLE, "title") \
    X(AUTHORS, "authors") \
    X(YEAR, "year") \
    X(VENUE, "venue") \
    X(DOI, "doi") \
    X(ARXIV_ID, "arxiv_id")

#define BIB_FLAGS(X) \
    X(RETRACTED, "retracted") \
    X(DUPLICATE, "duplicate")                           /* of an earlier reference */ \
    X(FUTURE_DATE, "future_date") \
    X(PLACEHOLDER_AUTHORS, "placeholder_authors")       /* "First Author", "John Doe" */ \
    X(FOREIGN_IDENTIFIER, "foreign_identifier")         /* it belongs to another work */ \
    X(AUTHORS_UNJUDGED, "authors_unjudged")             /* who has it names no authors */ \
    X(PREPRINT_OF_PUBLISHED, "preprint_of_published") \
    X(TRUNCATED, "truncated")

enum bib_outcome {
#define X(name, word) BIB_##name,
    BIB_OUTCOMES(X)
#undef X
    BIB_OUTCOME_COUNT,
};

enum bib_field {
#define X(name, word) BIB_FIELD_##name,
    BIB_FIELDS(X)
#undef X
    BIB_FIELD_COUNT,
};

enum bib_flag {
#define X(name, word) BIB_FLAG_##name,
    BIB_FLAGS(X)
#undef X
    BIB_FLAG_COUNT,
};
#define BIB_FLAG(name) (1u << BIB_FLAG_##name)

const char *bib_outcome_word(enum bib_outcome outcome);
const char *bib_field_word(enum bib_field field);
const char *bib_flag_word(enum bib_flag flag);

/* A field that is not as it should be, both sides as people read them. */
struct bib_mismatch {
    enum bib_field field;
    const char *cited, *found;
};

/* In the arena of whoever judged. */
struct bib_verdict {
    enum bib_outcome outcome;
    uint32_t flags;                         /* BIB_FLAGs */
    const struct bib_mismatch *mismatches;
    size_t mismatch_count;
    const struct bib_record *const *evidence;   /* the records it stands on, the best first */
    size_t evidence_count;
    uint16_t similarity;                    /* of the best one's title, in thousandths */
    bool firm;                              /* there was a title worth looking for: only then
                                             * does it mean much that nobody has it */
};

/* Whether somebody should look at it: a mismatch, a work that nobody knows, or one of the
 * flags FUTURE_DATE, PLACEHOLDER_AUTHORS and FOREIGN_IDENTIFIER. */
bool bib_verdict_detects(const struct bib_verdict *verdict);

#endif
