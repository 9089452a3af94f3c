/* chain.h - a linear chain that labels a sequence of tokens, learned from labelled ones.
 *
 *     struct extract_chain chain;
 *     extract_chain_open(&chain, blob, words);
 *     for each token i:
 *         extract_feature(&features, TEMPLATE, value); ...
 *         extract_chain_score(&chain, &features, scores + i * chain.labels);
 *         edges[i] = class of the step from token i - 1 to i
 *     extract_chain_best(&chain, scores, edges, count, scratch, ret);
 *
 * What is seen at a token is a set of features, each a hash; each that the model knows adds
 * its weight to every label.  A step from one label to the next has a weight too, which
 * depends on a class of the step that the caller chooses, a sign between the two for
 * instance.  The best sequence is the one with the largest sum, found by dynamic programming:
 * time and memory are linear in the number of tokens.
 *
 * Weights are whole numbers, so the same text has the same labels on every machine.
 *
 * A model is one array of 32-bit words, made by the program extract-train (eval/train.c):
 *
 *     magic, labels, classes, features
 *     the weight of a step            [classes][labels + 1][labels]; last row: the start
 *     where the keys of a range begin [EXTRACT_CHAIN_RANGES + 1]
 *     keys in order                   [features]
 *     weights, a byte each            [features][labels], filled up with zeros to a word
 */
#ifndef WR_EXTRACT_CHAIN_H
#define WR_EXTRACT_CHAIN_H

#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>

#define EXTRACT_CHAIN_MAGIC 0x31484357u         /* "WCH1" */
#define EXTRACT_CHAIN_RANGES 4096u
#define EXTRACT_LABELS_MAX 16
#define EXTRACT_CLASSES_MAX 64
#define EXTRACT_FEATURES_MAX 96

struct extract_chain {
    uint32_t labels, classes, features;
    const uint32_t *steps, *ranges, *keys;
    const signed char *weights;
};

struct extract_features {
    uint32_t count;
    uint32_t key[EXTRACT_FEATURES_MAX];
};

/* Look at a model; it must stay.  Errors: INVALID (that is no model). */
wr_err extract_chain_open(struct extract_chain *ret, const uint32_t *blob, size_t words);

/* One number made of two, well spread. */
static inline uint32_t extract_mix(uint32_t a, uint32_t b)
{
    uint32_t hash = a * 0x9e3779b1u ^ (b + 0x7f4a7c15u);
    hash = (hash ^ hash >> 15) * 0x85ebca77u;
    return hash ^ hash >> 13;
}

static inline void extract_feature(struct extract_features *features, uint32_t template_,
                                   uint32_t value)
{
    if (features->count < EXTRACT_FEATURES_MAX)
        features->key[features->count++] = extract_mix(template_ + 1, value);
}

/* Where the label l of a step from label k begins. */
static inline int32_t extract_step(const struct extract_chain *chain, uint32_t class_,
                                   uint32_t from, uint32_t to)
{
    return (int32_t)chain->steps[(class_ * (chain->labels + 1) + from) * chain->labels + to];
}

/* The sum of the weights of all features, for each label. */
void extract_chain_score(const struct extract_chain *chain,
                         const struct extract_features *features, int32_t *ret);

/* The best labels of `count` tokens.  `scratch` has count * labels bytes. */
void extract_chain_best(const struct extract_chain *chain, const int32_t *scores,
                        const uint8_t *edges, size_t count, uint8_t *scratch, uint8_t *ret);

#endif
