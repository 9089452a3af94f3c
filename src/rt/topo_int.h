/* topo_int.h - how things get onto the map.
 *
 * Channels, watches, broadcasts, semaphores and locks carry a node and are on
 * the map from their making to their end.  Who uses them is not declared but
 * noticed: each use compares the kind of the calling task with the last one
 * seen, and only a change costs more than that.
 */
#ifndef WR_RT_TOPO_INT_H
#define WR_RT_TOPO_INT_H

#include "rt/rt_int.h"

#define TOPO_EDGES_MAX 32

enum { TOPO_IN = 0, TOPO_OUT = 1 };     /* the task gives, the task takes */

struct topo_row {
    const char *kind, *name, *policy;
    uint64_t cap, depth, sent, refused, dropped, coalesced, lagged;
    const struct wr_kind *edges[2][TOPO_EDGES_MAX];
    bool gone;                          /* the sum of objects that are no more: counts only */
};

struct topo_node {
    struct topo_node *next, **link;
    void (*describe)(struct topo_node *node, struct topo_row *row);
    const struct wr_kind *last[2];
    _Atomic(const struct wr_kind *) edges[2][TOPO_EDGES_MAX];
    uint64_t edges_lost;                /* kinds beyond the limit */
};

#define TOPO_OWNER(node, type, member) \
    ((type *)(void *)((char *)(node) - offsetof(type, member)))

void wr_topo_add(struct topo_node *node,
                 void (*describe)(struct topo_node *node, struct topo_row *row));
void wr_topo_remove(struct topo_node *node);
void wr_topo_note_slow(struct topo_node *node, int side, const struct wr_kind *kind);

/* Call fn with a row for each node, in the order of their making, and for each
 * name whose objects took counts with them when they went: a counter on a
 * metrics page never falls. */
void wr_topo_each(void (*fn)(void *arg, const struct topo_row *row), void *arg);
struct wr_topo_note;
void wr_topo_each_note(void (*fn)(void *arg, const struct wr_topo_note *note), void *arg);
struct wr_kind *wr_kind_first(void);
struct wr_lock_info;
void wr_lock_each(void (*fn)(void *arg, const struct wr_lock_info *info), void *arg);
uint64_t wr_kind_count(const struct wr_kind *kind, size_t counter);
#define KIND_COUNT(kind, name) wr_kind_count(kind, offsetof(struct wr_kind, count[0].name))

/* The node's object is locked by the caller. */
static inline void topo_note(struct topo_node *node, int side)
{
    struct worker *w = wr_worker_self;
    if (__builtin_expect(w && node->last[side] != w->current->task.kind, 0))
        wr_topo_note_slow(node, side, w->current->task.kind);
}

#endif
