/* topo.c - the registry behind the map. */
#include <stdlib.h>
#include <string.h>

#include <weir/topo.h>

#include "rt/topo_int.h"

#define GONE_MAX 512            /* names remembered after their objects went */

struct gone { struct gone *next; struct topo_row row; char name[]; };

static struct {
    struct spin lock;
    struct topo_node *nodes;
    struct gone *gone;
    size_t gone_count;
    struct wr_topo_note *notes;
    _Atomic(struct wr_kind *) kinds;
} map;

void wr_topo_add(struct topo_node *node,
                 void (*describe)(struct topo_node *node, struct topo_row *row))
{
    node->describe = describe;
    spin_lock(&map.lock);
    node->next = map.nodes;
    node->link = &map.nodes;
    if (node->next)
        node->next->link = &node->next;
    map.nodes = node;
    spin_unlock(&map.lock);
}

/* The lock is held.  Most objects go without having lost anything. */
static void keep_counts(const struct topo_row *row)
{
    if (!(row->refused | row->dropped | row->coalesced | row->lagged))
        return;
    struct gone *gone = map.gone;
    while (gone
           && (strcmp(gone->name, row->name) != 0 || strcmp(gone->row.kind, row->kind) != 0))
        gone = gone->next;
    if (!gone) {
        size_t len = strlen(row->name) + 1;
        if (map.gone_count == GONE_MAX || !(gone = calloc(1, sizeof(*gone) + len)))
            return;
        memcpy(gone->name, row->name, len);
        gone->row = (struct topo_row){ .kind = row->kind, .policy = row->policy,
                                       .name = gone->name, .gone = true };
        gone->next = map.gone;
        map.gone = gone;
        map.gone_count++;
    }
    gone->row.refused += row->refused;
    gone->row.dropped += row->dropped;
    gone->row.coalesced += row->coalesced;
    gone->row.lagged += row->lagged;
}

void wr_topo_remove(struct topo_node *node)
{
    struct topo_row row;
    node->describe(node, &row);
    spin_lock(&map.lock);
    *node->link = node->next;
    if (node->next)
        node->next->link = node->link;
    keep_counts(&row);
    spin_unlock(&map.lock);
}

/* The map's lock is held while a row is described, and describing takes the
 * object's own: an object must not be added or removed under its lock. */
void wr_topo_each(void (*fn)(void *arg, const struct topo_row *row), void *arg)
{
    spin_lock(&map.lock);
    struct topo_node *node = map.nodes;
    while (node && node->next)
        node = node->next;
    for (; node; node = node->link == &map.nodes
             ? NULL
             : TOPO_OWNER(node->link, struct topo_node, next)) {
        struct topo_row row;
        node->describe(node, &row);
        for (int side = 0; side < 2; side++)
            for (int i = 0; i < TOPO_EDGES_MAX; i++)
                row.edges[side][i] = atomic_load_explicit(&node->edges[side][i],
                                                          memory_order_acquire);
        fn(arg, &row);
    }
    for (const struct gone *gone = map.gone; gone; gone = gone->next)
        fn(arg, &gone->row);
    spin_unlock(&map.lock);
}

void wr_topo_note_add(struct wr_topo_note *note)
{
    spin_lock(&map.lock);
    struct wr_topo_note **at = &map.notes;
    while (*at && strcmp((*at)->name, note->name) <= 0)
        at = &(*at)->next;
    note->next = *at;
    note->link = at;
    if (note->next)
        note->next->link = &note->next;
    *at = note;
    spin_unlock(&map.lock);
}

void wr_topo_note_remove(struct wr_topo_note *note)
{
    spin_lock(&map.lock);
    *note->link = note->next;
    if (note->next)
        note->next->link = note->link;
    spin_unlock(&map.lock);
}

void wr_topo_each_note(void (*fn)(void *arg, const struct wr_topo_note *note), void *arg)
{
    spin_lock(&map.lock);
    for (const struct wr_topo_note *note = map.notes; note; note = note->next)
        fn(arg, note);
    spin_unlock(&map.lock);
}

struct wr_kind *wr_kind_first(void)
{
    return atomic_load(&map.kinds);
}

uint64_t wr_kind_count(const struct wr_kind *kind, size_t counter)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < WR_KIND_SHARDS; i++)
        sum += atomic_load_explicit(
            (const _Atomic uint64_t *)(const void *)((const char *)kind + counter
                                                     + i * sizeof(kind->count[0])),
            memory_order_relaxed);
    return sum;
}

void wr_topo_note_slow(struct topo_node *node, int side, const struct wr_kind *kind)
{
    node->last[side] = kind;
    for (int i = 0; i < TOPO_EDGES_MAX; i++) {
        const struct wr_kind *known =
            atomic_load_explicit(&node->edges[side][i], memory_order_relaxed);
        if (known == kind)
            return;
        if (!known) {
            atomic_store_explicit(&node->edges[side][i], kind, memory_order_release);
            return;
        }
    }
    node->edges_lost++;
}

void wr_kind_know(struct wr_kind *kind)
{
    if (atomic_exchange(&kind->known, true))
        return;
    struct wr_kind *head = atomic_load(&map.kinds);
    do
        atomic_store_explicit(&kind->next, head, memory_order_relaxed);
    while (!atomic_compare_exchange_weak(&map.kinds, &head, kind));
}
