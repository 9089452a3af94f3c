/* embedding.h - what texts mean, as vectors, and which are near.
 *
 *     err = store_embedding_put(store, "claim", id, "bge-m3", vector, 1024, deadline);
 *     err = store_embedding_near(store, &(struct store_near){ .type = "claim", .task = task,
 *         .model = "bge-m3", .vector = asked, .dimension = 1024, .min = 0.5, .max = 10 },
 *         found, &count, &searched, deadline);
 *
 * A fragment or a claim has one vector of each model, kept as 32-bit floats, the low byte
 * first.  A search looks at all of them, some at a time, and compares away from the workers;
 * one of another dimension, or without a direction, is near nothing.
 */
#ifndef WR_STORE_EMBEDDING_H
#define WR_STORE_EMBEDDING_H

#include "store/evidence.h"

#define STORE_EMBEDDING_DIMENSION_MAX 4096
#define STORE_EMBEDDING_NEAR_MAX 50

/* In place of what there was.  Errors: INVALID (too many dimensions, or none). */
wr_err store_embedding_put(struct store *store, const char *type, const char *id,
                           const char *model, const float *vector, size_t dimension,
                           wr_time deadline);

struct store_near {
    const char *type;               /* fragment or claim */
    const char *task;               /* its claims, or fragments of its pages; NULL: all */
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
