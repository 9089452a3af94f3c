/* nearness.c - longest common subsequences by bits. */
#include "library/nearness.h"

#include <string.h>

void nearness_to(struct nearness *ret, const char *text, size_t len)
{
    ret->len = len < NEARNESS_MAX ? len : NEARNESS_MAX;
    ret->words = (ret->len + 63) / 64;
    for (size_t i = 0; i < 256; i++)
        memset(ret->where[i], 0, ret->words * sizeof(uint64_t));
    for (size_t i = 0; i < ret->len; i++)
        ret->where[(unsigned char)text[i]][i / 64] |= UINT64_C(1) << (i % 64);
}

/* A zero bit is a place of the text that belongs to the common subsequence (Hyyrö 2004). */
unsigned nearness_of(const struct nearness *near, const char *text, size_t len)
{
    uint64_t row[NEARNESS_WORDS];
    size_t common = 0;
    if (len > NEARNESS_MAX)
        len = NEARNESS_MAX;
    if (len + near->len == 0)
        return NEARNESS_SAME;
    memset(row, 0xff, sizeof(row));
    for (size_t i = 0; i < len; i++) {
        const uint64_t *where = near->where[(unsigned char)text[i]];
        unsigned carry = 0;
        for (size_t word = 0; word < near->words; word++) {
            uint64_t both = row[word] & where[word];
            unsigned long long sum;
            unsigned over = __builtin_uaddll_overflow(row[word], both, &sum);
            over |= __builtin_uaddll_overflow(sum, carry, &sum);
            carry = over;
            row[word] = sum | (row[word] - both);
        }
    }
    for (size_t word = 0; word < near->words; word++)
        common += (size_t)__builtin_popcountll(~row[word]);
    return (unsigned)(2 * common * NEARNESS_SAME / (len + near->len));
}
