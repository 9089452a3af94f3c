/* cell.c - a pointer and a count in one word.
 *
 * The word holds the address of the present snapshot in its low 48 bits and,
 * above, the number of references handed out since it was put there.  Getting
 * one adds to that number, in one atomic step with reading the address: there
 * is no moment at which the snapshot could go between the two.
 *
 * Each snapshot also has a balance.  When it is replaced, the writer adds the
 * number found in the word to the balance; each reader that puts it back takes
 * one off: from the word while it is still there, else from the balance.  The
 * balance reaches zero, after the writer has added, when nobody holds it.
 */
#include <weir/cell.h>

#include <stdlib.h>
#include <string.h>

#include "rt/rt_int.h"

#define ADDRESS_BITS 48
#define ADDRESS_MASK (((uint64_t)1 << ADDRESS_BITS) - 1)
#define ONE_READER ((uint64_t)1 << ADDRESS_BITS)
#define READERS_MAX 0xfff0u

struct snapshot {
    _Atomic int64_t balance;
    struct wr_cell *cell;
    _Alignas(16) char value[];
};

/* Until the writer has settled a replaced snapshot its balance is this far
 * above zero, so that no reader can be mistaken for the last. */
#define UNSETTLED ((int64_t)1 << 40)

struct wr_cell {
    _Atomic uint64_t word;
    _Atomic uint64_t serial;
    _Atomic bool writing;
    _Atomic size_t old;             /* replaced snapshots that somebody still holds */
    size_t size;
    void (*drop)(void *snapshot);
    const char *name;
};

static struct snapshot *snapshot_of(uint64_t word)
{
    return (struct snapshot *)(uintptr_t)(word & ADDRESS_MASK);
}

static struct snapshot *snapshot_new(struct wr_cell *cell, const void *value)
{
    size_t bytes;
    if (__builtin_add_overflow(sizeof(struct snapshot), cell->size, &bytes))
        return NULL;
    struct snapshot *snapshot = malloc(bytes);
    if (!snapshot)
        return NULL;
    RT_ASSERT(((uint64_t)(uintptr_t)snapshot & ~ADDRESS_MASK) == 0);
    atomic_init(&snapshot->balance, UNSETTLED);
    snapshot->cell = cell;
    memcpy(snapshot->value, value, cell->size);
    return snapshot;
}

static void snapshot_drop(struct snapshot *snapshot)
{
    if (snapshot->cell->drop)
        snapshot->cell->drop(snapshot->value);
    free(snapshot);
}

/* A replaced one that nobody holds any more; the cell may be gone afterwards. */
static void snapshot_retire(struct snapshot *snapshot)
{
    struct wr_cell *cell = snapshot->cell;
    snapshot_drop(snapshot);
    atomic_fetch_sub_explicit(&cell->old, 1, memory_order_release);
}

wr_err wr_cell_new(struct wr_cell **ret, struct wr_cell_writer *ret_writer,
                   const struct wr_cell_conf *conf)
{
    if (!conf->name || conf->size == 0 || !conf->initial)
        wr_panic("cell \"%s\": name, size and initial are required",
                 conf->name ? conf->name : "?");
    struct wr_cell *cell = calloc(1, sizeof(*cell));
    if (!cell)
        return WR_NOMEM;
    cell->name = conf->name;
    cell->size = conf->size;
    cell->drop = conf->drop;
    struct snapshot *snapshot = snapshot_new(cell, conf->initial);
    if (!snapshot) {
        free(cell);
        return WR_NOMEM;
    }
    atomic_store_explicit(&cell->word, (uint64_t)(uintptr_t)snapshot, memory_order_release);
    atomic_store_explicit(&cell->serial, 1, memory_order_relaxed);
    *ret = cell;
    *ret_writer = (struct wr_cell_writer){ .cell = cell, .serial = 1 };
    return WR_OK;
}

void (wr_cell_free)(struct wr_cell *cell, const char *place)
{
    if (!cell)
        return;
    uint64_t word = atomic_load_explicit(&cell->word, memory_order_acquire);
    if (word >> ADDRESS_BITS)
        wr_panic_at(place, "cell \"%s\" is freed while %u readers hold its snapshot",
                    cell->name, (unsigned)(word >> ADDRESS_BITS));
    size_t old = atomic_load_explicit(&cell->old, memory_order_acquire);
    if (old)
        wr_panic_at(place, "cell \"%s\" is freed while %zu of its old snapshots are held",
                    cell->name, old);
    snapshot_drop(snapshot_of(word));
    free(cell);
}

const void *wr_cell_get(struct wr_cell *cell)
{
    uint64_t word = atomic_fetch_add_explicit(&cell->word, ONE_READER, memory_order_acq_rel);
    if (__builtin_expect((word >> ADDRESS_BITS) >= READERS_MAX, 0)) {
        atomic_fetch_sub_explicit(&cell->word, ONE_READER, memory_order_relaxed);
        wr_panic("cell \"%s\": more than %u readers hold one snapshot", cell->name,
                 READERS_MAX);
    }
    return snapshot_of(word)->value;
}

void wr_cell_put(struct wr_cell *cell, const void *value)
{
    struct snapshot *snapshot =
        (struct snapshot *)(uintptr_t)((uintptr_t)value - offsetof(struct snapshot, value));
    uint64_t word = atomic_load_explicit(&cell->word, memory_order_relaxed);
    while (snapshot_of(word) == snapshot && word >> ADDRESS_BITS)
        if (atomic_compare_exchange_weak_explicit(&cell->word, &word, word - ONE_READER,
                                                  memory_order_release, memory_order_relaxed))
            return;
    if (atomic_fetch_sub_explicit(&snapshot->balance, 1, memory_order_acq_rel) == 1)
        snapshot_retire(snapshot);
}

static struct wr_cell *check_writer(const struct wr_cell_writer *writer, const char *place)
{
    struct wr_cell *cell = writer->cell;
    if (!cell)
        wr_panic_at(place, "this writer handle is empty: it was moved or never made");
    if (atomic_load_explicit(&cell->serial, memory_order_acquire) != writer->serial)
        wr_panic_at(place,
                    "cell \"%s\" has one writer, and this handle is not it: it was moved on",
                    cell->name);
    return cell;
}

wr_err (wr_cell_set)(struct wr_cell_writer *writer, const void *value, const char *place)
{
    sim_point("swap", place);
    struct wr_cell *cell = check_writer(writer, place);
    if (atomic_exchange_explicit(&cell->writing, true, memory_order_acquire))
        wr_panic_at(place, "cell \"%s\" is written by two at once", cell->name);
    struct snapshot *snapshot = snapshot_new(cell, value);
    if (!snapshot) {
        atomic_store_explicit(&cell->writing, false, memory_order_release);
        return WR_NOMEM;
    }
    uint64_t word = atomic_exchange_explicit(&cell->word, (uint64_t)(uintptr_t)snapshot,
                                             memory_order_acq_rel);
    struct snapshot *old = snapshot_of(word);
    int64_t readers = (int64_t)(word >> ADDRESS_BITS);
    atomic_fetch_add_explicit(&cell->old, 1, memory_order_relaxed);
    atomic_store_explicit(&cell->writing, false, memory_order_release);
    if (atomic_fetch_add_explicit(&old->balance, readers - UNSETTLED, memory_order_acq_rel)
        == UNSETTLED - readers)
        snapshot_retire(old);
    return WR_OK;
}

struct wr_cell_writer (wr_cell_move)(struct wr_cell_writer *from, const char *place)
{
    struct wr_cell *cell = check_writer(from, place);
    uint64_t serial = atomic_fetch_add_explicit(&cell->serial, 1, memory_order_acq_rel) + 1;
    *from = (struct wr_cell_writer){ 0 };
    return (struct wr_cell_writer){ .cell = cell, .serial = serial };
}
