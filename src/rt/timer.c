/* timer.c - a hierarchical wheel: arming and disarming in constant time.
 *
 * Time is cut into ticks of 16 microseconds.  Level 0 has a slot for each of
 * the 256 ticks of the current round, level 1 a slot for each of the 256
 * rounds, and so on: a timer goes to the lowest level whose round it shares
 * with the present tick, found by the highest bit in which the two differ.
 * When the present reaches a slot of a higher level, its timers move down;
 * each move touches memory that has grown cold, so levels are few and wide.
 *
 * The order of levels is the order of time: all timers of level 0 are due
 * before any of level 1.  Slots are rings, first armed first out.
 *
 * Timers keep their exact deadline and never fire before it; a slot that is
 * only partly due keeps the rest.  That is what makes virtual time exact.
 */
#include <weir/timer.h>

#include "rt/rt_int.h"

#define TICK_SHIFT 14
#define LEVEL_BITS 8
#define SCAN_MAX 8          /* timers looked at to answer "when next" exactly */

static uint64_t tick_of(wr_time deadline)
{
    uint64_t last = ((uint64_t)1 << (WHEEL_LEVELS * LEVEL_BITS)) - 1;
    uint64_t tick = deadline <= 0 ? 0 : (uint64_t)deadline >> TICK_SHIFT;
    return tick < last ? tick : last;
}

static void place(struct wheel *wheel, struct wr_timer *timer)
{
    uint64_t tick = tick_of(timer->deadline);
    if (tick < wheel->tick)
        tick = wheel->tick;
    uint64_t differ = tick ^ wheel->tick;
    unsigned level = differ ? (63u - (unsigned)__builtin_clzll(differ)) / LEVEL_BITS : 0;
    unsigned slot = (unsigned)(tick >> (level * LEVEL_BITS)) & (WHEEL_SLOTS - 1);
    timer->level = (unsigned char)level;
    timer->slot = (unsigned char)slot;
    struct wr_timer *head = wheel->slot[level][slot];
    if (head) {
        timer->next = head;
        timer->prev = head->prev;
        head->prev->next = timer;
        head->prev = timer;
        return;
    }
    timer->next = timer->prev = timer;
    wheel->slot[level][slot] = timer;
    wheel->occupied[level][slot / 64] |= (uint64_t)1 << slot % 64;
}

static void mark_empty(struct wheel *wheel, unsigned level, unsigned slot)
{
    wheel->slot[level][slot] = NULL;
    wheel->occupied[level][slot / 64] &= ~((uint64_t)1 << slot % 64);
}

static void unplace(struct wheel *wheel, struct wr_timer *timer)
{
    struct wr_timer **head = &wheel->slot[timer->level][timer->slot];
    if (timer->next == timer) {
        mark_empty(wheel, timer->level, timer->slot);
        return;
    }
    timer->next->prev = timer->prev;
    timer->prev->next = timer->next;
    if (*head == timer)
        *head = timer->next;
}

void wr_wheel_arm(struct wheel *wheel, struct wr_timer *timer, wr_time deadline)
{
    if (timer->state == TIMER_ARMED)
        wr_wheel_disarm(wheel, timer);
    timer->deadline = deadline;
    timer->state = TIMER_ARMED;
    wheel->count++;
    place(wheel, timer);
}

void wr_wheel_disarm(struct wheel *wheel, struct wr_timer *timer)
{
    if (timer->state == TIMER_ARMED) {
        unplace(wheel, timer);
        wheel->count--;
    }
    timer->state = TIMER_CLEAR;
}

/* Only after a panic, so that looking at every timer is not too much. */
void wr_wheel_forget(struct wheel *wheel, const void *at, size_t size)
{
    for (unsigned level = 0; level < WHEEL_LEVELS; level++)
        for (unsigned slot = 0; slot < WHEEL_SLOTS; slot++) {
            struct wr_timer *timer = wheel->slot[level][slot];
            for (const struct wr_timer *last = timer ? timer->prev : NULL; timer;) {
                struct wr_timer *next = timer == last ? NULL : timer->next;
                if ((uintptr_t)timer - (uintptr_t)at < size)
                    wr_wheel_disarm(wheel, timer);
                timer = next;
            }
        }
}

/* The first occupied slot in time: its level, or -1, and the tick it begins at. */
static int first_slot(const struct wheel *wheel, unsigned *ret_slot, uint64_t *ret_tick)
{
    for (int level = 0; level < WHEEL_LEVELS; level++)
        for (unsigned word = 0; word < WHEEL_SLOTS / 64; word++) {
            uint64_t bits = wheel->occupied[level][word];
            if (!bits)
                continue;
            unsigned slot = word * 64 + (unsigned)__builtin_ctzll(bits);
            unsigned shift = (unsigned)level * LEVEL_BITS;
            uint64_t round = wheel->tick >> (shift + LEVEL_BITS) << (shift + LEVEL_BITS);
            *ret_slot = slot;
            *ret_tick = round | ((uint64_t)slot << shift);
            return level;
        }
    return -1;
}

/* Of a higher slot with many timers only its beginning is told: the wheel is
 * then asked again, with the slot moved down.  Of a full slot at level 0 its
 * end, unless the exact moment is wanted. */
wr_time wr_wheel_next(const struct wheel *wheel, bool exact)
{
    unsigned slot;
    uint64_t tick;
    int level = first_slot(wheel, &slot, &tick);
    if (level < 0)
        return WR_NEVER;
    const struct wr_timer *head = wheel->slot[level][slot], *timer = head;
    wr_time earliest = head->deadline;
    for (int i = 0; (timer = timer->next) != head; i++) {
        if (i >= SCAN_MAX && (level > 0 || !exact))
            return (wr_time)((level > 0 ? tick : tick + 1) << TICK_SHIFT);
        if (timer->deadline < earliest)
            earliest = timer->deadline;
    }
    return earliest;
}

static void move_down(struct wheel *wheel, int level, unsigned slot)
{
    struct wr_timer *head = wheel->slot[level][slot], *timer = head, *next;
    mark_empty(wheel, (unsigned)level, slot);
    do {
        next = timer->next;
        place(wheel, timer);
        timer = next;
    } while (timer != head);
}

struct wr_timer *wr_wheel_pop(struct wheel *wheel, wr_time now)
{
    uint64_t present = tick_of(now), tick;
    unsigned slot;
    int level;
    while ((level = first_slot(wheel, &slot, &tick)) >= 0 && tick <= present) {
        if (tick > wheel->tick)
            wheel->tick = tick;
        if (level > 0) {
            move_down(wheel, level, slot);
            continue;
        }
        struct wr_timer *head = wheel->slot[0][slot], *timer = head;
        do {
            if (timer->deadline <= now) {
                unplace(wheel, timer);
                wheel->count--;
                timer->state = TIMER_DUE;
                return timer;
            }
            timer = timer->next;
        } while (timer != head);
        return NULL;            /* due later in this very tick */
    }
    if (level < 0 && present > wheel->tick)
        wheel->tick = present;
    return NULL;
}

void wr_timer_check_home(const struct wr_timer *timer, const char *place)
{
    struct worker *w = wr_worker_self;
    if (timer->state == TIMER_ARMED && !(w && w->id == timer->home))
        wr_panic_at(place, "a timer that is set on %s is used by %s, which is not on it",
                    wr_rt.workers[timer->home].name, wr_task_name());
}

static struct worker *own_worker(const struct wr_timer *timer, const char *call,
                                 const char *place)
{
    struct worker *w = wr_worker_self;
    if (!w || !w->current || w->current == &w->sched) {
        wr_fork_check(place, call);
        wr_panic_at(place, "%s outside a task: timers belong to a fiber's worker", call);
    }
    wr_timer_check_home(timer, place);
    return w;
}

void (wr_timer_set)(struct wr_timer *timer, wr_time deadline, const char *place)
{
    struct worker *w = own_worker(timer, "wr_timer_set", place);
    struct fiber *fiber = w->current;
    if (timer->state != TIMER_ARMED
        && (uintptr_t)timer - (uintptr_t)fiber->stack < fiber->stack_size) {
        timer->stack_of = fiber;
        fiber->timer_place = place;
        fiber->stack_timers++;
    }
    timer->kind = TIMER_PUBLIC;
    timer->home = (unsigned char)w->id;
    wr_wheel_arm(&w->wheel, timer, deadline);
}

void (wr_timer_clear)(struct wr_timer *timer, const char *place)
{
    struct worker *w = own_worker(timer, "wr_timer_clear", place);
    wr_wheel_disarm(&w->wheel, timer);
    wr_timer_off(timer);
}

void wr_timer_off(struct wr_timer *timer)
{
    struct fiber *fiber = timer->stack_of;
    if (fiber)
        fiber->stack_timers--;
    timer->stack_of = NULL;
}

bool wr_timer_due(const struct wr_timer *timer)
{
    return timer->state == TIMER_DUE
        || (timer->state == TIMER_ARMED && timer->deadline <= wr_now());
}
