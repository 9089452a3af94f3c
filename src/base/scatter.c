/* scatter.c - eight bytes at a time, each multiplied into the sum. */
#include "base/scatter.h"

#include <string.h>

static uint64_t mix(uint64_t word, uint64_t by)
{
    unsigned __int128 product = (unsigned __int128)word * by;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Keys that differ in their last bytes alone would crowd in some places, with some seeds,
 * but for the last step. */
uint64_t wr_scatter(const uint64_t seed[2], const void *key, size_t len)
{
    const unsigned char *bytes = key;
    uint64_t sum = seed[0] ^ len;
    for (size_t at = 0; at < len; at += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + at, len - at < 8 ? len - at : 8);
        sum = mix(sum ^ word, seed[1] | 1);
    }
    sum = mix(sum ^ seed[0], 0x9e3779b97f4a7c15);
    return sum ^ sum >> 32;
}
