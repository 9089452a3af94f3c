/* ulid.h - names for requests: sorted by time, different everywhere.
 *
 * A ULID is 26 characters of Crockford's base 32 (digits and capitals without I, L,
 * O and U): 48 bits of milliseconds since 1970, then 80 random ones.  It is a name
 * to follow a request by, not a secret: who has seen some may guess others.
 */
#ifndef WR_BASE_ULID_H
#define WR_BASE_ULID_H

#include "base/rand.h"

#define WR_ULID_TEXT 27         /* with the zero byte */

/* A new one, of the world's time and the caller's generator (seeded from the world,
 * so that a simulation repeats it); buf has WR_ULID_TEXT bytes.  Returns buf. */
const char *wr_ulid_make(struct wr_rand *rand, char *buf);

#endif
