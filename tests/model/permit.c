/* permit.c - what threads wait for besides memory: permits, sleep, choices. */
#include "explore_int.h"

#define PAUSES_MAX 1000         /* without looking at anything: it will be said */

/* Where one thread sleeps on a word. */
static uintptr_t bed(uintptr_t addr, unsigned thread)
{
    return addr + ((uintptr_t)thread << 56);
}

static void do_wait(struct thread *thread, struct event *event)
{
    struct place *place = place_at(event->op.addr);
    if (self == 0 && !place->permit)
        model_fail("setup or finish waits for something that nobody posts");
    event->before = event->result = place->permit;
    if (place->permit)
        clock_join(&thread->hb, &place->posted);
    place->permit = false;
    thread->hb.at[self]++;
}

static void do_post(struct thread *thread, struct event *event)
{
    struct place *place = place_at(event->op.addr);
    event->before = place->permit;
    clock_join(&place->posted, &thread->hb);
    place->permit = true;
    thread->hb.at[self]++;
}

static void do_sleep(struct event *event)
{
    const struct op *op = &event->op;
    event->before = event->result = memory_peek(op->addr & ~TOKEN, op->size);
    if (event->before == op->expected)
        place_at(op->addr)->sleepers |= BIT(self);
}

/* A wake orders nothing: what was written under a lock is seen by taking it. */
static void do_wake(struct event *event)
{
    struct place *place = place_at(event->op.addr);
    for (unsigned id = 1; id < THREADS && event->result < event->op.arg; id++)
        if (place->sleepers & BIT(id)) {
            place->sleepers &= ~BIT(id);
            place_at(bed(event->op.addr, id))->permit = true;
            event->result++;
        }
}

void permit_do(struct thread *thread, struct event *event)
{
    switch (event->op.kind) {
    case OP_POST: do_post(thread, event); break;
    case OP_SLEEP: do_sleep(event); break;
    case OP_WAKE: do_wake(event); break;
    default: do_wait(thread, event);
    }
}

unsigned permit_touches(const struct op *op, struct touch *touch)
{
    unsigned count = 0;
    touch[count++] = (struct touch){ .addr = op->addr, .write = true };
    if (op->kind == OP_SLEEP)
        touch[count++] = (struct touch){ .addr = op->addr & ~TOKEN };
    for (unsigned id = 1; id < thread_count && op->kind == OP_WAKE; id++)
        touch[count++] = (struct touch){ .addr = bed(op->addr, id), .write = true };
    return count;
}

/* ---- for models ---- */

struct from { uintptr_t pc, sp; };

#define HERE \
    ((struct from){ (uintptr_t)__builtin_return_address(0), \
                    (uintptr_t)__builtin_frame_address(0) })

static uint64_t act(enum op_kind kind, uintptr_t addr, uint64_t arg, struct from from)
{
    bool swapped;
    struct op op = { .kind = kind, .addr = addr, .arg = arg, .pc = from.pc, .sp = from.sp };
    return memory_do(&op, &swapped);
}

void model_wait(const void *token)
{
    act(OP_WAIT, (uintptr_t)token | TOKEN, 0, HERE);
}

bool model_wait_timed(const void *token)
{
    return act(OP_WAIT_TIMED, (uintptr_t)token | TOKEN, 0, HERE);
}

bool model_post(const void *token)
{
    return act(OP_POST, (uintptr_t)token | TOKEN, 0, HERE);
}

/* Several turns in a row are one: a pause that grows changes nothing. */
void model_relax(void)
{
    struct thread *thread = &threads[self];
    if (thread->seen_count > 0 || ++thread->pauses > PAUSES_MAX) {
        thread->pauses = 0;
        act(OP_RELAX, 0, 0, HERE);
    }
}

unsigned model_choose(unsigned count)
{
    return (unsigned)act(OP_CHOOSE, 0, count, HERE);
}

void model_sleep(const uint32_t *word, uint32_t expected)
{
    bool swapped;
    struct from from = HERE;
    uintptr_t addr = (uintptr_t)word | TOKEN;
    struct op op = { .kind = OP_SLEEP, .addr = addr, .size = sizeof(*word),
                     .expected = expected, .pc = from.pc, .sp = from.sp };
    if (memory_do(&op, &swapped) == expected)
        act(OP_WAIT, bed(addr, self), 0, from);
}

void model_wake(const uint32_t *word, unsigned count)
{
    act(OP_WAKE, (uintptr_t)word | TOKEN, count, HERE);
}
