/* edge.h - what speaks for what: judgements of fragments about claims, and their correction.
 *
 *     struct store_judgement judgements[] = {
 *         { .fragment = fragment, .claim = claim, .relation = STORE_SUPPORTS,
 *           .confidence = 0.8, .by = "lexical" } };
 *     err = store_edge_judge(store, judgements, 1, &new, deadline);
 *     ...
 *     err = store_edge_correct(store, edge, STORE_REFUTES, reason, sample, &before, deadline);
 *
 * A fragment has at most one judgement about a claim: a second one is passed over, whoever was
 * first.  A correction by a person replaces it, and is kept with what was said before, so that
 * a model can learn from it.  Edges `origin` come with their claims and `cites` with
 * their pages (webpage.h).
 */
#ifndef WR_STORE_EDGE_H
#define WR_STORE_EDGE_H

#include <stdbool.h>

#include "store/store.h"
#include "store/verb.h"

#define STORE_EDGE_JUDGE_MAX 256
#define STORE_EDGE_LIST_MAX 200
#define STORE_EDGE_REASON_MAX 2048

enum store_relation {
    STORE_SUPPORTS = 1, STORE_REFUTES, STORE_NEUTRAL, STORE_ORIGIN, STORE_CITES,
};

/* The word for it, as it is in the table; and the relation of a word, 0 when it is none. */
const char *store_relation_text(enum store_relation relation);
enum store_relation store_relation_of(const char *text);

struct store_judgement {
    const char *fragment, *claim;
    enum store_relation relation;   /* SUPPORTS, REFUTES or NEUTRAL */
    double confidence;              /* 0..1 */
    const char *by;                 /* the model, or NULL */
};

/* All of them at once; *ret is how many are new.  Errors: INVALID (more than
 * STORE_EDGE_JUDGE_MAX). */
wr_err store_edge_judge(struct store *store, const struct store_judgement *judgements,
                        size_t count, uint64_t *ret, wr_time deadline);

/* A person has looked at a judgement and says this.  With the relation that it has it is
 * marked as seen, and no sample is made.  Else it has the new one with confidence 1, and the
 * table nli_corrections has a row of this id with both texts, the old and the new word.  *ret
 * is the relation that it had.  Errors: NOTFOUND (no such judgement), EXISTS (the id of the
 * sample), INVALID (too long a reason). */
wr_err store_edge_correct(struct store *store, const char *edge, enum store_relation relation,
                          const char *reason, const char *sample, enum store_relation *ret,
                          wr_time deadline);

/* Edges to a claim, with what they come from. */
struct store_edge {
    const char *id, *fragment, *text, *page, *url, *domain, *title;
    enum store_relation relation;
    double confidence;              /* -1: an origin has none */
    bool corrected;
};
struct store_edges { size_t count; struct store_rows rows; };

/* The origin first, then what speaks for or against it, then what does neither; of each the
 * most certain first. */
wr_err store_edge_list(struct store *store, const char *claim, size_t max,
                       struct store_edges *ret, wr_time deadline);
struct store_edge store_edge_at(const struct store_edges *edges, size_t i);
void store_edges_free(struct store_edges *edges);

#endif
