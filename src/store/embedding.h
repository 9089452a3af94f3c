/* embedding.h - what texts mean, as vectors, and which are near.
 *
 *     struct store_lacking lacking;
 *     err = store_embedding_lacking(store, task, "bge-m3", 32, &lacking, deadline);
 *     ...vectors of store_lacking_at(&lacking, i).text...
 *     err = store_embedding_put(store, "bge-m3", targets, count, vectors, 1024, deadline);
 *     ...
 *     err = store_embedding_near(store, &(struct store_near){ .type = "claim", .task = task,
 *         .model = "bge-m3", .vector = asked, .dimension = 1024, .min = 0.5, .max = 10 },
 *         found, &count, &searched, deadline);
 *
 * A fragment or a claim has one vector of each model, kept as 32-bit floats, the low byte
 * first.  A search looks at all of them, a MiB at a time, and compares away from the workers;
 * one of another dimension, or without a direction, is near nothing.
 */
#ifndef WR_STORE_EMBEDDING_H
#define WR_STORE_EMBEDDING_H

#include "store/evidence.h"
#include "store/verb.h"

#define STORE_EMBEDDING_DIMENSION_MAX 4096
#define STORE_EMBEDDING_NEAR_MAX 50
#define STORE_EMBEDDING_PUT_MAX 64
#define STORE_EMBEDDING_LACKING_MAX 512

/* What has a vector: a "fragment" or a "claim". */
struct store_embedded { const char *type, *id; };

/* In place of what there was, all or none: the i-th has vectors[i * dimension] and so on.  None
 * comes twice.  Errors: INVALID (too many dimensions, or none; too many at once). */
wr_err store_embedding_put(struct store *store, const char *model,
                           const struct store_embedded *targets, size_t count,
                           const float *vectors, size_t dimension, wr_time deadline);

/* The vector of one; ret has room for STORE_EMBEDDING_DIMENSION_MAX.  Errors: NOTFOUND. */
wr_err store_embedding_get(struct store *store, struct store_embedded target, const char *model,
                           float *ret, size_t *ret_dimension, wr_time deadline);

/* Claims of a task and fragments of its pages that have no vector of this model, up to `max`
 * (1..STORE_EMBEDDING_LACKING_MAX), the claims first. */
struct store_lacking { size_t count; struct store_rows rows; };
struct store_lacking_one { struct store_embedded target; const char *text; };
wr_err store_embedding_lacking(struct store *store, const char *task, const char *model,
                               size_t max, struct store_lacking *ret, wr_time deadline);
struct store_lacking_one store_lacking_at(const struct store_lacking *lacking, size_t i);
void store_lacking_free(struct store_lacking *lacking);

struct store_near {
    const char *type;               /* fragment or claim */
    const char *task;               /* its claims, or fragments of its pages; NULL: all */
    const char *claim;              /* fragments of a task alone: what may speak for or against
                                     * it, as in fragment.h; NULL: any */
    const char *model;
    const float *vector;
    size_t dimension;
    double min;                     /* of the cosine */
    size_t max;                     /* 1..STORE_EMBEDDING_NEAR_MAX */
};

struct store_near_one { char id[STORE_EVIDENCE_ID]; double similarity; };

/* The nearest first.  ret has room for query->max; *ret_searched is how many were looked at. */
wr_err store_embedding_near(struct store *store, const struct store_near *query,
                            struct store_near_one *ret, size_t *ret_count,
                            size_t *ret_searched, wr_time deadline);

#endif
