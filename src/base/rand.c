/* rand.c - xoshiro256** for the numbers, splitmix64 to spread a seed.
 *
 * Both are public algorithms by D. Blackman and S. Vigna; the tests hold their
 * published outputs.
 */
#include "base/rand.h"

#include <weir/panic.h>

#include "base/world.h"

static uint64_t rotate(uint64_t bits, unsigned left)
{
    return bits << left | bits >> (64 - left);
}

#define STEP 0x9e3779b97f4a7c15     /* of splitmix64: 2^64 over the golden ratio, odd */

/* Successive values differ in half their bits even for seeds that differ in
 * one; four of them are never all zero, the one state xoshiro cannot leave. */
static uint64_t spread(uint64_t *seed)
{
    uint64_t mixed = *seed += STEP;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return mixed ^ mixed >> 31;
}

void wr_rand_seed(struct wr_rand *rand, uint64_t seed)
{
    for (int i = 0; i < 4; i++)
        rand->state[i] = spread(&seed);
}

void wr_rand_seed_from_world(struct wr_rand *rand)
{
    uint64_t seed;
    wr_world->entropy(&seed, sizeof(seed));
    wr_rand_seed(rand, seed);
}

uint64_t wr_rand_next(struct wr_rand *rand)
{
    uint64_t *s = rand->state;
    uint64_t result = rotate(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate(s[3], 45);
    return result;
}

/* The high word of random * limit is the answer.  The low words that would
 * make some answers one step more likely than others are the 2^64 mod limit
 * smallest ones: those draws are repeated. */
uint64_t wr_rand_below(struct wr_rand *rand, uint64_t limit)
{
    WR_ASSERT(limit > 0);
    for (;;) {
        unsigned __int128 product = (unsigned __int128)wr_rand_next(rand) * limit;
        uint64_t low = (uint64_t)product;
        if (low >= limit || low >= -limit % limit)
            return (uint64_t)(product >> 64);
    }
}

int64_t wr_rand_span(struct wr_rand *rand, int64_t min, int64_t max)
{
    WR_ASSERT(min <= max);
    uint64_t count = (uint64_t)max - (uint64_t)min + 1;
    uint64_t offset = count == 0 ? wr_rand_next(rand) : wr_rand_below(rand, count);
    return (int64_t)((uint64_t)min + offset);
}

void wr_rand_share_from_world(struct wr_rand_shared *shared)
{
    uint64_t seed;
    wr_world->entropy(&seed, sizeof(seed));
    atomic_store_explicit(&shared->state, seed, memory_order_relaxed);
}

int64_t wr_rand_draw(struct wr_rand_shared *shared, int64_t min, int64_t max)
{
    struct wr_rand rand;
    wr_rand_seed(&rand, atomic_fetch_add_explicit(&shared->state, STEP, memory_order_relaxed));
    return wr_rand_span(&rand, min, max);
}
