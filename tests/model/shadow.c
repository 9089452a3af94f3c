/* shadow.c - plain accesses: are they ordered, is the memory alive?
 *
 * For every eight bytes of the heap, the model threads' stacks and the
 * program's globals there is a cell with the accesses that still matter: one
 * is forgotten when a later one that it is ordered before, or its own
 * thread's, would conflict with everything it could conflict with.
 *
 * Cells carry the number of the run they belong to, so a new run costs
 * nothing.  The first write of a run to a global saves its old value.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "explore_int.h"

#define ACCESSES 4              /* in a cell: nearly always enough */
#define MORE 24                 /* in the room it gets when it is not */
#define ROOMS 4096
#define SAVED_MAX 65536

struct access {
    uint32_t clk, pc;
    uint8_t thread, mask;
    bool write, atomic;
};

struct cell {
    uint32_t stamp;
    uint8_t live;               /* bytes that may be touched */
    bool has_atomic, saved;
    uint8_t count;
    uint32_t room;              /* 0: none */
    struct access access[ACCESSES];
};

struct region {
    uintptr_t from, to;
    bool heap, global;
    struct cell *cells;
};

enum { HEAP, STACKS, MAPPED, GLOBALS, REGIONS };

static struct region regions[REGIONS];
static struct {
    uint64_t *at, old;
} saved[SAVED_MAX];
static unsigned saved_count;
static struct access rooms[ROOMS][MORE];
static uint32_t room_count;

static void open_region(struct region *region, const void *from, size_t size)
{
    region->from = (uintptr_t)from & ~(uintptr_t)7;
    region->to = ((uintptr_t)from + size + 7) & ~(uintptr_t)7;
    size_t cells = (region->to - region->from) / 8;
    region->cells = mmap(NULL, cells * sizeof(struct cell), PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (region->cells == MAP_FAILED)
        abort();
}

void shadow_open(void)
{
    extern char __data_start[], _end[];
    regions[HEAP].heap = true;
    open_region(&regions[HEAP], heap_base, heap_size);
    open_region(&regions[STACKS], stacks_base, STACK_SIZE * THREADS);
    open_region(&regions[MAPPED], map_base, MAP_SIZE);
    regions[GLOBALS].global = true;
    open_region(&regions[GLOBALS], __data_start, (size_t)(_end - __data_start));
}

void shadow_restore(void)
{
    room_count = 0;
    while (saved_count) {
        saved_count--;
        *saved[saved_count].at = saved[saved_count].old;
    }
}

static const struct region *region_of(uintptr_t addr)
{
    for (unsigned i = 0; i < REGIONS; i++)
        if (addr >= regions[i].from && addr < regions[i].to)
            return &regions[i];
    return NULL;
}

static struct cell *cell_of(const struct region *region, uintptr_t addr)
{
    struct cell *cell = &region->cells[(addr - region->from) / 8];
    if (cell->stamp != run_stamp) {
        cell->stamp = run_stamp;
        cell->live = region->heap ? heap_live(addr) : 0xff;
        cell->has_atomic = cell->saved = false;
        cell->count = 0;
        cell->room = 0;
    }
    return cell;
}

static _Noreturn void fail_race(const struct access *old, const struct access *new,
                                uintptr_t addr)
{
    char what[128], first[256], second[256];
    report_addr(addr, what, sizeof(what));
    report_pc(old->pc, first, sizeof(first));
    report_pc(new->pc, second, sizeof(second));
    model_fail("data race on %s:\n#   %s%s by thread %d at %s\n#   %s%s by thread %d at %s",
               what, old->atomic ? "atomic " : "", old->write ? "write" : "read",
               old->thread - 1, first, new->atomic ? "atomic " : "",
               new->write ? "write" : "read", new->thread - 1, second);
}

static _Noreturn void fail_dead(uintptr_t addr, bool write, uintptr_t pc)
{
    char what[128], where[256], freed[256] = "";
    unsigned index;
    const struct block *block = heap_block(addr, &index);
    report_addr(addr, what, sizeof(what));
    report_pc(pc, where, sizeof(where));
    if (block && block->freed)
        report_pc(block->freed_pc, freed, sizeof(freed));
    bool inside = block && addr < block->addr + block->size;
    model_fail("%s: %s of %s at %s%s%s",
               inside && block->freed ? "use after free" : "access outside an allocation",
               write ? "write" : "read", what, where, freed[0] ? ", freed at " : "", freed);
}

/* A frame of another thread that has returned.  Where a thread is on a stack of
 * the program's own making, all of the one it came from counts as in use. */
static void check_frame(uintptr_t addr, bool write, uintptr_t pc)
{
    unsigned owner = (unsigned)((addr - (uintptr_t)stacks_base) / STACK_SIZE);
    const struct thread *thread = &threads[owner];
    uintptr_t bottom = (uintptr_t)stacks_base + owner * STACK_SIZE, sp = thread->op.sp;
    bool away = sp < bottom || sp >= bottom + STACK_SIZE;
    if (owner == self || (thread->live && (away || addr >= sp)))
        return;
    char where[256];
    report_pc(pc, where, sizeof(where));
    model_fail("use after return: %s of the stack of thread %d at %s",
               write ? "write" : "read", (int)owner - 1, where);
}

static bool dominates(const struct access *new, const struct access *old)
{
    return (old->mask & ~new->mask) == 0
        && new->write >= old->write &&new->atomic <= old->atomic;
}

/* Where the accesses of a cell are, with space for one more. */
static struct access *space(struct cell *cell)
{
    if (cell->room)
        return rooms[cell->room - 1];
    if (cell->count < ACCESSES)
        return cell->access;
    if (room_count == ROOMS)
        model_fail("too much is shared by too many");
    struct access *room = rooms[room_count++];
    memcpy(room, cell->access, sizeof(cell->access));
    cell->room = room_count;
    return room;
}

static void record(struct cell *cell, const struct access *new, uintptr_t addr)
{
    struct access *only = &cell->access[0];
    bool alone = cell->count == 0 || (cell->count == 1 && only->thread == new->thread);
    if (alone && !cell->room && (cell->count == 0 || dominates(new, only))) {
        *only = *new;           /* the usual case: one thread's own memory */
        cell->count = 1;
        return;
    }
    const struct clock *hb = &threads[new->thread].hb;
    struct access *list = space(cell);
    unsigned kept = 0;
    for (unsigned i = 0; i < cell->count; i++) {
        const struct access *old = &list[i];
        bool ordered = old->thread == new->thread || old->clk <= hb->at[old->thread];
        if (!ordered && (old->mask & new->mask) && (old->write || new->write)
            && !(old->atomic && new->atomic))
            fail_race(old, new, addr);
        if (!(ordered && dominates(new, old)))
            list[kept++] = *old;
    }
    if (kept == MORE)
        model_fail("too many kinds of access to eight bytes");
    list[kept++] = *new;
    cell->count = (uint8_t)kept;
}

static void save(const struct region *region, struct cell *cell, uintptr_t addr)
{
    if (!region->global || cell->saved)
        return;
    if (saved_count == SAVED_MAX)
        model_fail("a run changes too many globals");
    uint64_t *at = (uint64_t *)(addr & ~(uintptr_t)7);
    saved[saved_count].at = at;
    saved[saved_count++].old = *at;
    cell->saved = true;
}

/* Plain bytes were written: over atomic ones?  A neighbour in the same eight
 * bytes keeps its history. */
static void mark_dirty(uintptr_t from, uintptr_t to)
{
    for (uintptr_t at = from & ~(uintptr_t)7; at < to; at++) {
        struct place *place = place_known(at);
        if (place && at + place->size > from)
            place->dirty = true;
    }
}

/* The bytes [at, next) of the eight they lie in. */
static uint8_t mask_of(uintptr_t at, uintptr_t next)
{
    return (uint8_t)((BIT(next - at) - 1) << (at & 7));
}

void shadow_access(uintptr_t addr, size_t size, bool write, bool atomic, uintptr_t pc)
{
    const struct region *region = region_of(addr);
    if (!region || size == 0)
        return;
    if (region == &regions[STACKS])
        check_frame(addr, write, pc);
    for (uintptr_t at = addr, end = addr + size; at < end;) {
        uintptr_t next = (at | 7) + 1 < end ? (at | 7) + 1 : end;
        uint8_t mask = mask_of(at, next);
        struct cell *cell = cell_of(region, at);
        if (mask & ~cell->live)
            fail_dead(at, write, pc);
        if (write)
            save(region, cell, at);
        if (atomic)
            cell->has_atomic = true;
        else if (write && cell->has_atomic)
            mark_dirty(at, next);
        struct access access = { .clk = threads[self].hb.at[self],
                                 .pc = (uint32_t)pc,
                                 .thread = (uint8_t)self,
                                 .mask = mask,
                                 .write = write,
                                 .atomic = atomic };
        record(cell, &access, at);
        at = next;
    }
}

/* A write that leaves nothing alive.  What was not touched in this run is found
 * dead when it is. */
void shadow_free(uintptr_t addr, size_t size, uintptr_t pc)
{
    const struct region *region = region_of(addr);
    for (uintptr_t at = addr; at < addr + size; at += 8) {
        struct cell *cell = &region->cells[(at - region->from) / 8];
        if (cell->stamp != run_stamp)
            continue;
        struct access access = { .clk = threads[self].hb.at[self], .pc = (uint32_t)pc,
                                 .thread = (uint8_t)self, .mask = cell->live, .write = true };
        record(cell, &access, at);
        cell->live = 0;
    }
}
