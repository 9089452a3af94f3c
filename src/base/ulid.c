/* ulid.c - 128 bits in 26 characters. */
#include "base/ulid.h"

#include "base/world.h"

#define MS 1000000              /* nanoseconds */
#define TIME_CHARS 10
#define RANDOM_CHARS 8          /* 40 bits; there are two such groups */

static void print(char *at, uint64_t value, unsigned chars)
{
    static const char digits[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    while (chars > 0) {
        at[--chars] = digits[value & 31];
        value >>= 5;
    }
}

const char *wr_ulid_make(struct wr_rand *rand, char *buf)
{
    int64_t wall = wr_world->wall();
    uint64_t ms = wall > 0 ? (uint64_t)wall / MS : 0;
    print(buf, ms & 0xffffffffffff, TIME_CHARS);
    print(buf + TIME_CHARS, wr_rand_next(rand), RANDOM_CHARS);
    print(buf + TIME_CHARS + RANDOM_CHARS, wr_rand_next(rand), RANDOM_CHARS);
    buf[WR_ULID_TEXT - 1] = '\0';
    return buf;
}
