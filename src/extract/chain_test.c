#include "extract/chain.h"

#include <string.h>

#include "testing/test.h"

#define LABELS 2
#define STEPS ((LABELS + 1) * LABELS)
#define WORDS (4 + STEPS + EXTRACT_CHAIN_RANGES + 1 + 2 + 1)

/* Two labels, one class, two features: 7 speaks for label 0, 9 for label 1; to stay is better
 * than to change by `stay`. */
static uint32_t blob[WORDS];

static void make(int32_t stay)
{
    uint32_t keys[2] = { extract_mix(1, 7), extract_mix(1, 9) };
    signed char weights[4] = { 10, 0, 0, 10 };
    if (keys[0] > keys[1]) {
        uint32_t key = keys[0];
        keys[0] = keys[1];
        keys[1] = key;
        memcpy(weights, (signed char[]){ 0, 10, 10, 0 }, 4);
    }
    memset(blob, 0, sizeof(blob));
    blob[0] = EXTRACT_CHAIN_MAGIC;
    blob[1] = LABELS;
    blob[2] = 1;
    blob[3] = 2;
    blob[4 + 0] = blob[4 + 3] = (uint32_t)stay;
    uint32_t *ranges = blob + 4 + (size_t)STEPS, width = UINT32_MAX / EXTRACT_CHAIN_RANGES + 1;
    for (uint32_t i = 0; i <= EXTRACT_CHAIN_RANGES; i++)
        ranges[i] = (uint32_t)(keys[0] / width < i) + (uint32_t)(keys[1] / width < i);
    ranges[EXTRACT_CHAIN_RANGES] = 2;
    memcpy(ranges + EXTRACT_CHAIN_RANGES + 1, keys, sizeof(keys));
    memcpy(ranges + EXTRACT_CHAIN_RANGES + 3, weights, sizeof(weights));
}

static void label(const uint32_t *seen, size_t count, uint8_t *ret)
{
    struct extract_chain chain;
    int32_t scores[8 * LABELS];
    uint8_t edges[8] = { 0 }, scratch[8 * LABELS];
    REQUIRE_OK(extract_chain_open(&chain, blob, WORDS));
    for (size_t i = 0; i < count; i++) {
        struct extract_features features = { 0 };
        extract_feature(&features, 0, seen[i]);
        extract_chain_score(&chain, &features, scores + i * LABELS);
    }
    extract_chain_best(&chain, scores, edges, count, scratch, ret);
}

TEST_PLAIN(each_token_gets_the_label_its_features_speak_for)
{
    uint8_t ret[3] = { 0 };
    make(0);
    label((uint32_t[]){ 7, 9, 7 }, 3, ret);
    CHECK(ret[0] == 0 && ret[1] == 1 && ret[2] == 0);
}

TEST_PLAIN(a_step_may_weigh_more_than_a_token)
{
    uint8_t ret[3] = { 0 };
    make(8);
    label((uint32_t[]){ 7, 9, 7 }, 3, ret);
    CHECK(ret[0] == 0 && ret[1] == 0 && ret[2] == 0);
}

TEST_PLAIN(a_feature_that_was_never_seen_says_nothing)
{
    uint8_t ret[3] = { 0 };
    make(1);
    label((uint32_t[]){ 9, 1234, 9 }, 3, ret);
    CHECK(ret[0] == 1 && ret[1] == 1 && ret[2] == 1);
}

TEST_PLAIN(what_is_no_model_is_refused)
{
    struct extract_chain chain;
    make(0);
    CHECK_OK(extract_chain_open(&chain, blob, WORDS));
    CHECK_ERR(WR_INVALID, extract_chain_open(&chain, blob, WORDS - 1));
    CHECK_ERR(WR_INVALID, extract_chain_open(&chain, blob, 3));
    blob[1] = 200;
    CHECK_ERR(WR_INVALID, extract_chain_open(&chain, blob, WORDS));
    make(0);
    blob[0]++;
    CHECK_ERR(WR_INVALID, extract_chain_open(&chain, blob, WORDS));
    make(0);
    blob[4 + STEPS + 5] = 77;
    CHECK_ERR(WR_INVALID, extract_chain_open(&chain, blob, WORDS));
}
