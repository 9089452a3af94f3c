/* scatter.h - where a key goes in a table in memory.
 *
 *     uint64_t seed[2];
 *     wr_world->entropy(seed, sizeof(seed));
 *     slot = wr_scatter(seed, key, len) % slots;
 *
 * Fast (some nanoseconds for a short key) and different in every process: a stranger who
 * chooses the keys does not know which of them meet.  Not for anything that is kept or sent;
 * that is what hash.h is for.
 */
#ifndef WR_BASE_SCATTER_H
#define WR_BASE_SCATTER_H

#include <stddef.h>
#include <stdint.h>

uint64_t wr_scatter(const uint64_t seed[2], const void *key, size_t len);

#endif
