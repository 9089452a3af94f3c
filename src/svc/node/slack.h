/* slack.h - when to give memory back to the system.
 *
 *     struct slack slack = { 0 };
 *     each SLACK_EVERY:
 *     if (slack_quiet(&slack, bytes) && slack_due(&slack, wr_world->heap_idle()))
 *         ... wr_world->heap_trim(), on a thread of the pool ...
 *
 * The heap keeps what is freed, for the next who wants it: after a flood that is as much as
 * the flood took, for ever.  Giving it back takes a while and holds the heap's locks, so it
 * is done when nobody is in a hurry: there was next to no traffic since the last look, what
 * is idle has not changed, and it is worth it.
 */
#ifndef WR_NODE_SLACK_H
#define WR_NODE_SLACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/time.h>

#define SLACK_EVERY WR_S(5)
#define SLACK_TRAFFIC ((uint64_t)1 << 20)   /* bytes between two looks: that is nobody */
#define SLACK_SAME ((size_t)1 << 20)        /* bytes of the heap: that is no change */
#define SLACK_WORTH ((size_t)8 << 20)       /* ... that is worth it */

struct slack {
    uint64_t bytes;             /* of traffic, at the last look */
    size_t idle;                /* bytes of the heap that nobody used then */
    size_t given;               /* so much of it had been given back; it still counts there */
};

/* Bytes in and out since the beginning.  True: hardly any since the last look. */
bool slack_quiet(struct slack *slack, uint64_t bytes);

/* Bytes of the heap that nobody uses.  True: give them back now. */
bool slack_due(struct slack *slack, size_t idle);

#endif
