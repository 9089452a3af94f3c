/* vector_search.h - what was found, by what it means.
 *
 *     err = queue_vector_search(desk, &said, &text, &why, deadline);
 *
 * The query becomes a vector by the endpoint that made those of the claims and fragments, and
 * is compared with all of them.  Without an endpoint there is nothing to search, and the answer
 * says which key of the configuration would change that.
 */
#ifndef WR_QUEUE_VECTOR_SEARCH_H
#define WR_QUEUE_VECTOR_SEARCH_H

#include "svc/queue/queue_desk.h"

#define QUEUE_VECTOR_QUERY_MAX 2000     /* bytes */

/* As what queue_desk.h has: query, target, task_id, top_k, min_similarity.
 * Errors: INVALID, NOTFOUND (no such task, or nothing in it has a vector), UNSUPPORTED (no
 * endpoint), IO (it failed). */
wr_err queue_vector_search(struct queue_desk *desk, const struct queue_said *said,
                           struct wr_text *text, struct queue_why *why, wr_time deadline);

/* "claims", "fragments"; the last is NULL. */
extern const char *const queue_vector_targets[];

#endif
