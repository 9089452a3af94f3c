/* scholar_read.h - what the catalogues of scholar.h answer, read.
 *
 *     struct source_reading reading = { .driver = &source_openalex, .question = &question,
 *                                       .arena = &arena };
 *     err = scholar_read(&found, &reading, SCHOLAR_LIST, &reply);
 *     ...found.papers, or reading.why
 *
 * Any bytes may come in.  What is of another type than expected is not there; a paper without a
 * title or an id is none.
 */
#ifndef WR_SOURCE_SCHOLAR_READ_H
#define WR_SOURCE_SCHOLAR_READ_H

#include "source/scholar.h"

/* What an answer holds. */
enum scholar_shape {
    SCHOLAR_LIST,                       /* papers */
    SCHOLAR_ONE,                        /* a paper */
    SCHOLAR_CITED, SCHOLAR_CITING,      /* papers, each in a link (Semantic Scholar) */
    SCHOLAR_IDS,                        /* of a paper: its id, and those of what it cites, with
                                         * nothing else (OpenAlex) */
    SCHOLAR_SHAPES,
};

/* Papers are put in *ret, at most SCHOLAR_LIMIT_MAX; of SCHOLAR_IDS they have an id alone, the
 * first is the paper itself.  The driver says whose answer it is.  Must not run on a fiber
 * where bytes are many: it computes.
 * Errors: those of reading_status; IO (no answer that can be read), NOMEM. */
wr_err scholar_read(struct scholar_found *ret, struct source_reading *reading,
                    enum scholar_shape shape, const struct source_reply *reply);

#endif
