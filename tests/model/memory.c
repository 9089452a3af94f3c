/* memory.c - atomic operations, as C11 orders them.
 *
 * Each place keeps its latest stores as messages.  A message carries the
 * clock that a reader with acquire comes after: that of the writer for a
 * release, that of the writer's last release fence otherwise, joined with the
 * message it replaced for a read-modify-write.
 *
 * A load may return an older message, within the model's limit, unless one
 * that follows it is known to the reader: written or read by something that
 * happens before the load, or ordered before it by sequentially consistent
 * stores and fences.  Not covered: stores that come to lie before an earlier
 * store of the same place, loads that see a store made after them, and a weak
 * compare-exchange that fails although it need not.
 */
#include <string.h>

#include "explore_int.h"

#define PLACES 1024

static struct place places[PLACES];
static struct clock fences;             /* of all sequentially consistent fences */
static uint64_t sc_clock;
static unsigned stale_count;

void memory_reset(void)
{
    fences = (struct clock){ 0 };
    sc_clock = 0;
    stale_count = 0;
}

static struct place *probe(uintptr_t addr)
{
    uintptr_t hash = addr * 0x9e3779b97f4a7c15u;
    for (unsigned i = 0; i < PLACES; i++) {
        struct place *place = &places[((hash >> 40) + i) % PLACES];
        if (place->stamp != run_stamp || place->addr == addr)
            return place;
    }
    model_fail("more than %d atomic places", PLACES);
}

struct place *place_known(uintptr_t addr)
{
    struct place *place = probe(addr);
    return place->stamp == run_stamp ? place : NULL;
}

struct place *place_at(uintptr_t addr)
{
    struct place *place = probe(addr);
    if (place->stamp == run_stamp)
        return place;
    place->addr = addr;
    place->stamp = run_stamp;
    place->size = 0;
    place->dirty = place->permit = false;
    place->sleepers = 0;
    place->posted = (struct clock){ 0 };
    place->count = 0;
    place->last_write = -1;
    for (unsigned id = 0; id < THREADS; id++)
        place->last_read[id] = -1;
    return place;
}

uint64_t memory_peek(uintptr_t addr, unsigned size)
{
    uint64_t value = 0;
    memcpy(&value, (const void *)addr, size);
    return value;
}

static void poke(uintptr_t addr, unsigned size, uint64_t value)
{
    memcpy((void *)addr, &value, size);
}

static struct message *message_at(struct place *place, uint64_t index)
{
    return &place->message[index % HISTORY];
}

static struct message *newest(struct place *place)
{
    return message_at(place, place->count - 1);
}

/* The place with its present value as the newest message.  After a plain
 * write that is the only one: what comes later is ordered after it, or a race
 * that was reported. */
static struct place *atomic_place(const struct op *op)
{
    struct place *place = place_at(op->addr);
    if (place->size && place->size != op->size)
        model_fail("atomic accesses of %u and %u bytes at one address", place->size,
                   op->size);
    if (place->count == 0 || place->dirty) {
        uint64_t index = place->count++;
        uint64_t value = memory_peek(op->addr, op->size);
        *message_at(place, index) = (struct message){ .value = value };
        place->dirty = false;
        place->size = op->size;
    }
    return place;
}

static bool acquires(int order)
{
    return order == __ATOMIC_ACQUIRE || order == __ATOMIC_CONSUME || order == __ATOMIC_ACQ_REL
        || order == __ATOMIC_SEQ_CST;
}

static bool releases(int order)
{
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

/* Whether nothing before this message may be read by the thread any more. */
static bool is_floor(const struct message *m, const struct thread *thread, int order)
{
    struct clock known = thread->hb;
    clock_join(&known, &thread->fence);
    if (order == __ATOMIC_SEQ_CST)
        clock_join(&known, &fences);
    if (m->clk <= known.at[m->thread])
        return true;
    for (unsigned id = 0; id < THREADS; id++)
        if (m->seen[id] && m->seen[id] <= known.at[id])
            return true;
    return m->sc && (order == __ATOMIC_SEQ_CST || m->sc_time < thread->fence_time);
}

static uint64_t pick(struct place *place, const struct thread *thread, int order)
{
    uint64_t top = place->count - 1;
    if (settings.stale_max == 0 || stale_count >= settings.stale_max || self == 0)
        return top;
    unsigned can = 1;
    while (can < HISTORY && can <= top
           && !is_floor(message_at(place, top - can + 1), thread, order))
        can++;
    unsigned back = run_choice(can);
    stale_count += back > 0;
    return top - back;
}

static void note_seen(struct thread *thread, uintptr_t addr, uint64_t value)
{
    for (unsigned i = 0; i < thread->seen_count; i++)
        if (thread->seen[i].addr == addr) {
            thread->seen[i].changed |= thread->seen[i].value != value;
            return;
        }
    if (thread->seen_count == SEEN_MAX) {
        memmove(thread->seen, thread->seen + 1, sizeof(thread->seen) - sizeof(thread->seen[0]));
        thread->seen_count--;
    }
    thread->seen[thread->seen_count++] = (struct seen){ .addr = addr, .value = value };
}

static void has_read(struct place *place, uint64_t index, struct thread *thread, int order)
{
    struct message *m = message_at(place, index);
    if (!m->seen[self])
        m->seen[self] = thread->hb.at[self];
    clock_join(acquires(order) ? &thread->hb : &thread->acquire, &m->release);
    note_seen(thread, place->addr, m->value);
}

static void append(struct place *place, const struct op *op, struct thread *thread,
                   uint64_t value, bool follows)
{
    struct clock release = releases(op->order) ? thread->hb : thread->release;
    if (follows)
        clock_join(&release, &newest(place)->release);
    *message_at(place, place->count++) = (struct message){ .value = value,
                                                           .release = release,
                                                           .clk = thread->hb.at[self],
                                                           .thread = self,
                                                           .sc = op->order == __ATOMIC_SEQ_CST,
                                                           .sc_time = sc_clock++ };
    poke(op->addr, op->size, value);
}

static uint64_t combine(const struct op *op, uint64_t old)
{
    switch (op->kind) {
    case OP_ADD: return old + op->arg;
    case OP_SUB: return old - op->arg;
    case OP_AND: return old & op->arg;
    case OP_OR: return old | op->arg;
    case OP_XOR: return old ^ op->arg;
    case OP_NAND: return ~(old & op->arg);
    default: return op->arg;
    }
}

static uint64_t narrow(uint64_t value, unsigned size)
{
    return size >= 8 ? value : value & (((uint64_t)1 << (size * 8)) - 1);
}

uint64_t memory_raw(const struct op *op, bool *ret_swapped)
{
    if (op->kind == OP_FENCE)
        return 0;
    uint64_t old = memory_peek(op->addr, op->size);
    *ret_swapped = op->kind != OP_CAS || old == op->expected;
    if (op->kind != OP_LOAD && *ret_swapped)
        poke(op->addr, op->size, combine(op, old));
    return old;
}

static void do_fence(const struct op *op, struct thread *thread)
{
    if (acquires(op->order))
        clock_join(&thread->hb, &thread->acquire);
    if (op->order == __ATOMIC_SEQ_CST) {
        clock_join(&fences, &thread->hb);
        thread->fence = fences;
        thread->fence_time = sc_clock++;
    }
    if (releases(op->order))
        thread->release = thread->hb;
    thread->hb.at[self]++;
}

/* A read-modify-write that leaves the value and releases nothing: as good as a
 * load, and so it need not be ordered with others of its kind. */
static bool is_silent(const struct op *op, const struct thread *thread, uint64_t old)
{
    bool fenced = false;
    for (unsigned id = 0; id < THREADS; id++)
        fenced |= thread->release.at[id] != 0;
    return op->kind != OP_STORE && op->kind != OP_LOAD && !releases(op->order) && !fenced
        && narrow(combine(op, old), op->size) == old;
}

static void do_atomic(const struct op *op, struct thread *thread, struct event *event)
{
    bool cas = op->kind == OP_CAS, load = op->kind == OP_LOAD;
    struct place *place = atomic_place(op);
    uint64_t index = load ? pick(place, thread, op->order) : place->count - 1;
    event->stale = index + 1 < place->count;
    event->before = event->result = message_at(place, index)->value;
    event->wrote = !load && (!cas || event->before == op->expected);
    bool silent = event->wrote && is_silent(op, thread, event->before);
    shadow_access(op->addr, op->size, event->wrote, true, op->pc);
    if (op->kind != OP_STORE)
        has_read(place, index, thread, event->wrote || !cas ? op->order : op->fail_order);
    if (event->wrote && !silent) {
        event->result = narrow(combine(op, event->before), op->size);
        append(place, op, thread, event->result, op->kind != OP_STORE);
        if (op->kind != OP_STORE)
            has_read(place, place->count - 1, thread, __ATOMIC_RELAXED);
    } else {
        event->touch[0].write = false;
    }
    thread->hb.at[self]++;
}

/* Stores reach a spinning reader in the end: it sees the newest from here on. */
static void do_relax(struct thread *thread, struct event *event)
{
    for (unsigned i = 0; i < thread->seen_count; i++) {
        event->seen[i] = thread->seen[i];
        struct place *place = place_at(thread->seen[i].addr);
        struct message *m = newest(place);
        if (!m->seen[self])
            m->seen[self] = thread->hb.at[self];
    }
    thread->seen_count = 0;
    thread->released = false;
    thread->hb.at[self]++;
}

uint64_t memory_do(const struct op *op, bool *ret_swapped)
{
    *ret_swapped = true;
    if (op->kind == OP_FENCE && (op->order != __ATOMIC_SEQ_CST || settings.stale_max == 0)) {
        do_fence(op, &threads[self]);       /* concerns nobody else: not a step */
        return 0;
    }
    run_step(op);
    struct thread *thread = &threads[self];
    struct event *event = run_event();
    memory_touches(thread, event->touch, &event->touch_count);
    switch (op->kind) {
    case OP_FENCE: do_fence(op, thread); break;
    case OP_RELAX: do_relax(thread, event); break;
    case OP_CHOOSE:
        event->result = run_choice((unsigned)op->arg);
        event->before = event->result;
        break;
    case OP_WAIT:
    case OP_WAIT_TIMED:
    case OP_POST:
    case OP_SLEEP:
    case OP_WAKE: permit_do(thread, event); break;
    default: do_atomic(op, thread, event);
    }
    *ret_swapped = event->wrote;
    uint64_t before = event->before;
    run_done(event);
    return before;
}

static bool spin_goes_on(const struct thread *thread)
{
    if (thread->released || thread->seen_count == 0)
        return true;
    for (unsigned i = 0; i < thread->seen_count; i++) {
        struct place *place = place_at(thread->seen[i].addr);
        if (thread->seen[i].changed || newest(place)->value != thread->seen[i].value)
            return true;
    }
    return false;
}

bool memory_enabled(const struct thread *thread)
{
    const struct op *op = &thread->op;
    switch (op->kind) {
    case OP_WAIT: return place_at(op->addr)->permit;
    case OP_RELAX: return spin_goes_on(thread);
    case OP_EXCHANGE:
        return !settings.model->locks_wait || op->order != __ATOMIC_ACQUIRE
            || memory_peek(op->addr, op->size) != op->arg;
    default: return true;
    }
}

bool memory_enabled_at(const struct event *event, unsigned touch, uint64_t value)
{
    const struct op *op = &event->op;
    if (op->kind == OP_RELAX)
        return event->seen[touch].changed || value != event->seen[touch].value;
    if (op->kind == OP_EXCHANGE && touch == 0 && settings.model->locks_wait
        && op->order == __ATOMIC_ACQUIRE)
        return value != op->arg;
    return true;
}

void memory_touches(const struct thread *thread, struct touch *touch, unsigned *ret_count)
{
    const struct op *op = &thread->op;
    unsigned count = 0;
    switch (op->kind) {
    case OP_CHOOSE:
    case OP_NONE: break;
    case OP_FENCE: touch[count++] = (struct touch){ .addr = FENCE_PLACE, .write = true }; break;
    case OP_RELAX:
        for (unsigned i = 0; i < thread->seen_count; i++)
            touch[count++] = (struct touch){ .addr = thread->seen[i].addr };
        break;
    case OP_WAIT:
    case OP_WAIT_TIMED:
    case OP_POST:
    case OP_SLEEP:
    case OP_WAKE: count = permit_touches(op, touch); break;
    default:
        touch[count++] = (struct touch){ .addr = op->addr, .write = op->kind != OP_LOAD };
        if (op->order == __ATOMIC_SEQ_CST && settings.stale_max > 0)
            touch[count++] = (struct touch){ .addr = FENCE_PLACE };
    }
    *ret_count = count;
}
