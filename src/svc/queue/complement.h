/* complement.h - papers that only the web has found, asked for in the catalogues by their ids.
 *
 *     err = complement_papers(&errand, &list, &arena, deadline);
 *
 * An entry whose page's address has a DOI, PMID, PMCID, arXiv number or a catalogue's own id
 * has a paper afterwards, if there is one.  The catalogue whose id it is is asked first,
 * Semantic Scholar if it is nobody's; the other only if there is no abstract yet and a DOI is
 * known.  COMPLEMENT_MAX requests are sent, and none to a catalogue that has failed.
 */
#ifndef WR_QUEUE_COMPLEMENT_H
#define WR_QUEUE_COMPLEMENT_H

#include "source/scholar_merge.h"
#include "svc/queue/errand.h"

#define COMPLEMENT_MAX 10               /* requests, of one query */

/* Papers lie in the arena.  What a catalogue could not do is a trouble of the errand.
 * Errors: CANCELED, NOMEM. */
wr_err complement_papers(struct errand *errand, struct scholar_list *list,
                         struct wr_arena *arena, wr_time deadline);

#endif
