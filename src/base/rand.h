/* rand.h - seeded random numbers.
 *
 * A generator is a plain value with an explicit seed: the same seed gives the
 * same numbers, which is what a replay needs.  Code that wants to differ from
 * run to run seeds from the world, so that a simulation still decides.
 *
 * Fast (a nanosecond) and good enough for jitter, sampling and schedules; not
 * for keys or tokens, which come from wr_world->entropy directly.
 *
 * A generator belongs to one fiber or thread at a time.
 */
#ifndef WR_BASE_RAND_H
#define WR_BASE_RAND_H

#include <stdatomic.h>
#include <stdint.h>

struct wr_rand { uint64_t state[4]; };

/* Every seed is a good one, zero and small neighbours too. */
void wr_rand_seed(struct wr_rand *rand, uint64_t seed);

void wr_rand_seed_from_world(struct wr_rand *rand);

/* 64 random bits. */
uint64_t wr_rand_next(struct wr_rand *rand);

/* One of 0 .. limit-1, each equally likely; limit 0 is a panic. */
uint64_t wr_rand_below(struct wr_rand *rand, uint64_t limit);

/* One of min .. max, both included, each equally likely; min > max is a panic. */
int64_t wr_rand_span(struct wr_rand *rand, int64_t min, int64_t max);

/* One that all threads may draw from at once: a word, and a draw is an addition to it.
 * For jitter. */
struct wr_rand_shared { _Atomic uint64_t state; };
void wr_rand_share_from_world(struct wr_rand_shared *shared);
int64_t wr_rand_draw(struct wr_rand_shared *shared, int64_t min, int64_t max);

#endif
