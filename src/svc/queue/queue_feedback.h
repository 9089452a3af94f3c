/* queue_feedback.h - what a person says of what was found: domains to be left alone, claims to
 * be dropped, judgements to be corrected.
 *
 *     err = queue_feedback(desk, &said, &text, &why, deadline);
 *
 * By the argument `action`:
 *
 *     domain_block, domain_unblock     domain_pattern and reason: never fetch from it, or do in
 *                                      spite of all
 *     domain_clear_override            domain_pattern: forget what was said of it
 *     claim_reject, claim_restore      claim_id (and reason): it counts no more, or again
 *     edge_correct                     edge_id and correct_relation: what the fragment really
 *                                      says of the claim; what was judged is kept beside it,
 *                                      so that a model can learn from it
 *
 * Everything can be said twice.
 */
#ifndef WR_QUEUE_FEEDBACK_H
#define WR_QUEUE_FEEDBACK_H

#include "svc/queue/queue_desk.h"

/* As what queue_desk.h has.  NOTFOUND: RESOURCE_NOT_FOUND. */
wr_err queue_feedback(struct queue_desk *desk, const struct queue_said *said,
                      struct wr_text *text, struct queue_why *why, wr_time deadline);

/* The words of `action` and of `correct_relation`; the last is NULL. */
extern const char *const queue_feedback_actions[], *const queue_feedback_relations[];

#endif
