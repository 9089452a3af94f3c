/* ratio.c - the longest common subsequence, 64 letters at a time. */
#include "biblio/ratio.h"

#include <stdint.h>
#include <string.h>

#include <weir/panic.h>

/* One block of at most 64 letters of `a` against all of `b`, after Hyyrö: a bit of the row
 * turns 0 where the subsequence grows.  What the sums carry into the next block is kept, one
 * bit for each letter of `b`. */
static unsigned common_block(const char *a, size_t len, const char *b, size_t b_len,
                             uint64_t *carries)
{
    uint64_t places[256] = { 0 };
    for (size_t i = 0; i < len; i++)
        places[(unsigned char)a[i]] |= 1ull << i;
    uint64_t row = ~0ull;
    for (size_t j = 0; j < b_len; j++) {
        uint64_t *word = &carries[j / 64], bit = 1ull << j % 64;
        uint64_t both = row & places[(unsigned char)b[j]], sum = 0;
        bool over = __builtin_add_overflow(row, both, &sum);
        over |= __builtin_add_overflow(sum, (*word & bit) != 0, &sum);
        *word = over ? *word | bit : *word & ~bit;
        row = sum | (row & ~both);
    }
    uint64_t used = len == 64 ? ~0ull : (1ull << len) - 1;
    return (unsigned)__builtin_popcountll(~row & used);
}

unsigned bib_ratio(const char *a, size_t a_len, const char *b, size_t b_len)
{
    a_len = a_len < BIB_RATIO_MAX ? a_len : BIB_RATIO_MAX;
    b_len = b_len < BIB_RATIO_MAX ? b_len : BIB_RATIO_MAX;
    if (a_len == b_len && memcmp(a, b, a_len) == 0)
        return 1000;
    uint64_t carries[BIB_RATIO_MAX / 64] = { 0 };
    size_t common = 0;
    for (size_t at = 0; at < a_len; at += 64) {
        size_t len = a_len - at < 64 ? a_len - at : 64;
        common += common_block(a + at, len, b, b_len, carries);
    }
    return (unsigned)(2000 * common / (a_len + b_len));
}

#define BAND 3

/* Rows of the usual table, but only the diagonals that can stay within the band. */
unsigned bib_slips(const char *a, size_t a_len, const char *b, size_t b_len, unsigned max)
{
    WR_ASSERT(max <= BAND);
    enum { WIDTH = 2 * BAND + 3, FAR = 99 };
    size_t apart = a_len > b_len ? a_len - b_len : b_len - a_len;
    if (apart > max)
        return max + 1;
    unsigned char rows[3][WIDTH];       /* cell d of row i is column i + d - BAND - 1 */
    memset(rows, FAR, sizeof(rows));
    for (size_t i = 0; i <= a_len; i++) {
        unsigned char *row = rows[i % 3], *up = rows[(i + 2) % 3], *up2 = rows[(i + 1) % 3];
        unsigned least = FAR;
        memset(row, FAR, WIDTH);
        for (size_t d = 1; d < WIDTH - 1; d++) {
            if (i + d < BAND + 1 || i + d - BAND - 1 > b_len)
                continue;
            size_t j = i + d - BAND - 1;
            unsigned best = i == 0 && j == 0 ? 0 : FAR;
            if (i > 0 && j > 0 && up[d] + (unsigned)(a[i - 1] != b[j - 1]) < best)
                best = up[d] + (unsigned)(a[i - 1] != b[j - 1]);
            if (j > 0 && row[d - 1] + 1u < best)
                best = row[d - 1] + 1u;
            if (i > 0 && up[d + 1] + 1u < best)
                best = up[d + 1] + 1u;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                up2[d] + 1u < best)
                best = up2[d] + 1u;
            row[d] = (unsigned char)best;
            least = best < least ? best : least;
        }
        if (least > max)
            return max + 1;
    }
    unsigned end = rows[a_len % 3][b_len + BAND + 1 - a_len];
    return end <= max ? end : max + 1;
}
