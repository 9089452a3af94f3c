/* roster.h - who is here: a bounded table of addresses, tenants, or whoever counts.
 *
 *     err = roster_enter(roster, key, len, 256, &guest);     (BUSY: 256 are in already)
 *     err = wr_bucket_take(&guest->buckets[0], &rate, 1, &wait);
 *     ...
 *     roster_leave(roster, guest);
 *
 * A guest is remembered from its first visit.  While somebody is in under its key it
 * stays where it is, and its buckets may be used without a lock.  Afterwards it is
 * idle: it is kept, with what it has used up, until its place is needed, and then the
 * guest that has been idle longest goes whose buckets are full again: forgetting it
 * changes nothing.  Guests that are in never go, nor do those that have used something up:
 * nobody gets a fresh bucket by making the table forget.  When there are no others,
 * newcomers are refused until a bucket is full; who is known is not affected.
 *
 * All memory is allocated with the table.  It is split into parts of PART_GUESTS with
 * a lock each, by a hash whose seed comes from the world; a stranger who could guess
 * collisions would make a look-up walk one part, no more.
 */
#ifndef WR_FLOW_ROSTER_H
#define WR_FLOW_ROSTER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/bucket.h>
#include <weir/err.h>

#define ROSTER_KEY_MAX 32
#define ROSTER_PART_GUESTS 512

struct roster;

struct wr_guest {
    struct wr_bucket buckets[3];    /* these two are for the user of the table */
    _Atomic uint32_t busy;
    uint32_t in;                    /* the rest is the table's */
    struct wr_guest *chain;            /* same slot of the hash */
    struct wr_guest *older, *newer;    /* while it is idle */
    uint32_t slot;
    uint32_t key_len;
    unsigned char key[ROSTER_KEY_MAX];
};

struct roster_stat {
    size_t guests;                  /* known */
    size_t in;                      /* entered and not left */
    uint64_t forgotten;             /* gave their place to another */
};

/* A table of at most `guests`, rounded up to a multiple of PART_GUESTS if more.  The
 * name is for the lock.  Errors: NOMEM. */
wr_err roster_new(struct roster **ret, const char *name, size_t guests);

/* Nobody may be in.  NULL is allowed. */
void roster_free(struct roster *roster);

/* Come in under a key, which `max` others at most have done and not left.
 * Errors: BUSY (there are so many); NOMEM (every place of its part of the table is taken by
 * somebody who is in, or has used something up). */
wr_err roster_enter(struct roster *roster, const void *key, size_t len, uint32_t max,
                    struct wr_guest **ret);

/* Once for each entry. */
void roster_leave(struct roster *roster, struct wr_guest *guest);

/* The counts of all parts, one after the other. */
struct roster_stat roster_stat(struct roster *roster);

#endif
