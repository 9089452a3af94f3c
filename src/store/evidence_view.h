/* evidence_view.h - questions about the evidence that have a name.
 *
 *     for (size_t i = 0; i < store_view_count; i++)
 *         ...store_views[i].name, store_views[i].description
 *     err = store_view_read(store, "v_contradictions", task, 50, &answer, deadline);
 *     ...as in sql_read.h...
 *     store_answer_free(&answer);
 *
 * The same on both engines.  A task, or (NULL) all; parameters are bound, never pasted.  Claims
 * that a person has rejected are left out.
 */
#ifndef WR_STORE_EVIDENCE_VIEW_H
#define WR_STORE_EVIDENCE_VIEW_H

#include "store/sql_read.h"

struct store_view {
    const char *name, *description;
    const char *columns;            /* their names, with a space between */
    struct store_verb verb;         /* ?1 is the task, ?2 how many rows */
};

extern const struct store_view store_views[];
extern const size_t store_view_count;

/* Up to `max` rows, 1..STORE_ASK_ROWS_MAX.  Errors: NOTFOUND (no such view); see store_do. */
wr_err store_view_read(struct store *store, const char *name, const char *task, size_t max,
                       struct store_answer *ret, wr_time deadline);

#endif
