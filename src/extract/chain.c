#include "extract/chain.h"

#include <string.h>

#include <weir/panic.h>

#define HEADER 4

wr_err extract_chain_open(struct extract_chain *ret, const uint32_t *blob, size_t words)
{
    if (words < HEADER || blob[0] != EXTRACT_CHAIN_MAGIC || blob[1] == 0
        || blob[1] > EXTRACT_LABELS_MAX || blob[2] == 0 || blob[2] > EXTRACT_CLASSES_MAX)
        return WR_INVALID;
    struct extract_chain chain = { .labels = blob[1], .classes = blob[2], .features = blob[3] };
    size_t steps = (size_t)chain.classes * (chain.labels + 1) * chain.labels;
    size_t weights = ((size_t)chain.features * chain.labels + 3) / 4;
    if (words != HEADER + steps + EXTRACT_CHAIN_RANGES + 1 + chain.features + weights)
        return WR_INVALID;
    chain.steps = blob + HEADER;
    chain.ranges = chain.steps + steps;
    chain.keys = chain.ranges + EXTRACT_CHAIN_RANGES + 1;
    chain.weights = (const signed char *)(chain.keys + chain.features);
    for (size_t i = 0; i < EXTRACT_CHAIN_RANGES; i++) {
        if (chain.ranges[i] > chain.ranges[i + 1])
            return WR_INVALID;
    }
    if (chain.ranges[EXTRACT_CHAIN_RANGES] != chain.features)
        return WR_INVALID;
    *ret = chain;
    return WR_OK;
}

/* The weights of a feature, or NULL.  A range has a handful of keys. */
static const signed char *find(const struct extract_chain *chain, uint32_t key)
{
    uint32_t range = key / (UINT32_MAX / EXTRACT_CHAIN_RANGES + 1);
    for (uint32_t i = chain->ranges[range]; i < chain->ranges[range + 1]; i++) {
        if (chain->keys[i] == key)
            return chain->weights + (size_t)i * chain->labels;
    }
    return NULL;
}

void extract_chain_score(const struct extract_chain *chain,
                         const struct extract_features *features, int32_t *ret)
{
    memset(ret, 0, chain->labels * sizeof(*ret));
    for (uint32_t i = 0; i < features->count; i++) {
        const signed char *weights = find(chain, features->key[i]);
        for (uint32_t label = 0; weights && label < chain->labels; label++)
            ret[label] += weights[label];
    }
}

/* Where to come from to each label at one token; `sums` are those of the token before. */
static void step(const struct extract_chain *chain, const int32_t *scores, uint32_t edge,
                 int64_t *sums, uint8_t *back)
{
    int64_t after[EXTRACT_LABELS_MAX];
    for (uint32_t to = 0; to < chain->labels; to++) {
        int64_t best = INT64_MIN;
        for (uint32_t from = 0; from < chain->labels; from++) {
            int64_t sum = sums[from] + extract_step(chain, edge, from, to);
            if (sum > best) {
                best = sum;
                back[to] = (uint8_t)from;
            }
        }
        after[to] = best + scores[to];
    }
    memcpy(sums, after, chain->labels * sizeof(*sums));
}

void extract_chain_best(const struct extract_chain *chain, const int32_t *scores,
                        const uint8_t *edges, size_t count, uint8_t *scratch, uint8_t *ret)
{
    int64_t sums[EXTRACT_LABELS_MAX];
    uint32_t labels = chain->labels;
    if (count == 0)
        return;
    for (uint32_t label = 0; label < labels; label++)
        sums[label] = scores[label] + extract_step(chain, edges[0], labels, label);
    for (size_t i = 1; i < count; i++) {
        WR_ASSERT(edges[i] < chain->classes);
        step(chain, scores + i * labels, edges[i], sums, scratch + i * labels);
    }
    uint8_t last = 0;
    for (uint32_t label = 1; label < labels; label++) {
        if (sums[label] > sums[last])
            last = (uint8_t)label;
    }
    for (size_t i = count; i-- > 0;) {
        ret[i] = last;
        if (i > 0)
            last = scratch[i * labels + last];
    }
}
