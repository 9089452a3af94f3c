/* judgement.h - all that is known about one reference, and what follows from it.
 *
 *     struct judgement judgement;
 *     judgement_begin(&judgement, reference);
 *     judgement_look(&judgement, library);                     (each of them)
 *     judgement_hear(&judgement, &answer);                     (of each source)
 *     judgement_decide(&judgement, 2026);
 *     ...judgement.finding
 *     judgement_free(&judgement);
 *
 * What it stands on is gathered first and judged once (biblio/judge.h): in which order it came
 * makes no difference.  A work that nobody has is only "not found" when everybody who was to
 * be asked has answered, also where its identifiers lead; and not when the built-in sample is
 * all that was looked into.  One that is only a page is skipped when nobody has looked at that.
 */
#ifndef WR_CHECK_JUDGEMENT_H
#define WR_CHECK_JUDGEMENT_H

#include <weir/bytes.h>
#include <weir/err.h>

#include "base/arena.h"
#include "biblio/work.h"
#include "library/library.h"
#include "svc/check/report.h"

#define JUDGEMENT_ARENA_MAX ((size_t)16 << 20)

/* What a source said, or why it said nothing. */
struct judgement_answer {
    const char *source;
    struct wr_bytes *records;       /* packed (source/answer.h); with WR_OK */
    wr_err err;
    bool remembered;                /* it was said some time ago */
    bool search;                    /* for the work, not where an identifier leads */
    bool page;                      /* about an address that is cited */
};

struct judgement {
    struct check_finding finding;
    struct wr_arena arena;          /* of all that follows */
    struct bib_record *records;
    const struct library **from;    /* of each record; NULL: a remote source */
    bool *remembered;
    size_t count, room;
    struct check_asked *asked;
    size_t asked_count, asked_room;
    const char *retraction;         /* a notice that a library knows of, */
    const struct library *retraction_from;
    bool searched;                  /* somebody who may know any work has answered */
    bool silent;                    /* somebody did not answer, or was not asked */
    bool paged;                     /* somebody was asked about the page */
};

/* The reference must outlive it. */
void judgement_begin(struct judgement *judgement, const struct bib_reference *reference);

void judgement_look(struct judgement *judgement, const struct library *library);
void judgement_hear(struct judgement *judgement, const struct judgement_answer *answer);

/* Once, when all of it is there.  `year`: which it is now. */
void judgement_decide(struct judgement *judgement, int year);

void judgement_free(struct judgement *judgement);

#endif
