/* venues.h - names of venues that many records share, each kept once.
 *
 * So many as fit are numbered in the order in which they come; a name that comes after that is
 * written into its record.
 */
#ifndef WR_LIBRARY_VENUES_H
#define WR_LIBRARY_VENUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>

#include "base/arena.h"

#define VENUES_MAX (1u << 17)
#define VENUES_BYTES_MAX (16u << 20)

struct venues {
    struct wr_arena names;
    const char **at;                /* by their numbers */
    uint32_t *slots;                /* 1 + a number */
    uint32_t count;
};

wr_err venues_init(struct venues *venues);
void venues_fini(struct venues *venues);

/* The number of a name; *ret_new: it was not there before.  RECORD_NO_VENUE: there is no room
 * for another. */
uint32_t venues_number(struct venues *venues, const char *name, bool *ret_new);

#endif
