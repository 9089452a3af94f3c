/* judge.h - is this the work that was cited, and is it cited rightly?
 *
 *     struct bib_verdict verdict;
 *     err = bib_decide(reference, records, count, 2026, &verdict, &arena);
 *     ... verdict.outcome, verdict.mismatches, verdict.flags
 *
 * Records are candidates: whatever libraries and sources returned for the title or for an
 * identifier, in any order.  The verdict depends on the set of them alone.
 *
 * The work that was meant is the one with this title; or the one whose identifier was cited,
 * if the title is nearly the same or the authors are; or one with nearly this title and these
 * authors.  Of several the one that is cited with the fewest mistakes is chosen, so that a
 * preprint and the paper it became are each found as what they are.
 *
 * What one side does not say is no mistake.  Nor is a preprint cited for the paper
 * (PREPRINT_OF_PUBLISHED), nor a venue of which nothing certain can be said (venue.h).  A DOI
 * that nobody knows is none either, unless the paper is known to have another one, or to have
 * none because of where it appeared.  But a record that does not say something is no proof of
 * it, where another one of the same work says that it is wrong.
 *
 * Pure functions; everything they return lies in the arena or belongs to the caller.
 */
#ifndef WR_BIBLIO_JUDGE_H
#define WR_BIBLIO_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

#include <weir/err.h>

#include "base/arena.h"
#include "biblio/verdict.h"
#include "biblio/work.h"

enum bib_agreement {
    BIB_UNSAID,             /* by one of them, or nothing certain */
    BIB_AGREES,
    BIB_DIFFERS,
};

/* A record beside what is cited, field by field. */
struct bib_comparison {
    enum bib_agreement fields[BIB_FIELD_COUNT];
    unsigned alike;         /* the titles, in thousandths */
    bool meant;             /* this is the work that was cited */
    bool identified;        /* the cited DOI or arXiv number is the record's */
    bool preprint;          /* cited is the preprint, recorded the paper */
    bool page;              /* cited is a page, and the record is that it is there */
    bool unjudged;          /* there are authors, but none to compare them with */
    bool excused;           /* authors agree, but for some that the record may lack */
};

/* Whether all that is cited is a page: it has an address, no identifier, and was not published
 * where catalogues look.  Of such a work it says something that its page is there; of a paper
 * that nobody knows it does not. */
bool bib_work_is_page(const struct bib_work *work);

struct bib_comparison bib_judge(const struct bib_work *cited, const struct bib_record *found);

/* No more candidates than these are looked at; the best ones first, please. */
#define BIB_CANDIDATES_MAX 64

/* `year`: which it is now.  Outcomes are VERIFIED, MISMATCH and NOT_FOUND; the others are for
 * whoever asked.  Evidence points into `records`.  Errors: NOMEM (the arena is full). */
wr_err bib_decide(const struct bib_reference *reference, const struct bib_record *records,
                  size_t count, int year, struct bib_verdict *ret, struct wr_arena *arena);

#endif
