/* nearness.h - how near many texts are to one: 2 LCS / (sum of lengths), in 1/10,000.
 *
 *     struct nearness near;
 *     nearness_to(&near, "attentionisallyouneed", 21);
 *     unsigned how = nearness_of(&near, text, len);        10000: the same
 *
 * The longest common subsequence by bits, 64 places a step.  What depends on the one text alone
 * is done once.
 */
#ifndef WR_LIBRARY_NEARNESS_H
#define WR_LIBRARY_NEARNESS_H

#include <stddef.h>
#include <stdint.h>

#define NEARNESS_MAX 512            /* bytes of either text that count */
#define NEARNESS_WORDS (NEARNESS_MAX / 64)
#define NEARNESS_SAME 10000u

struct nearness {
    size_t len, words;
    uint64_t where[256][NEARNESS_WORDS];    /* of each byte: the places it has in the text */
};

void nearness_to(struct nearness *ret, const char *text, size_t len);
unsigned nearness_of(const struct nearness *near, const char *text, size_t len);

#endif
