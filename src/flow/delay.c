/* delay.c - counts of times, by classes that grow with them. */
#include "flow/delay.h"

#define EACH_BITS 3                 /* eight classes for each doubling */
#define EACH (1u << EACH_BITS)

/* Below EACH every time has a class of its own; above, the class is the position of the
 * highest bit and the three bits below it. */
static unsigned class_of(wr_time took)
{
    uint64_t time = took > 0 ? (uint64_t)took : 0;
    if (time < EACH)
        return (unsigned)time;
    unsigned top = 63 - (unsigned)__builtin_clzll(time);
    unsigned which = (unsigned)(time >> (top - EACH_BITS)) & (EACH - 1);
    unsigned number = (top - EACH_BITS + 1) * EACH + which;
    return number < DELAY_CLASSES ? number : DELAY_CLASSES - 1;
}

/* The longest time of a class. */
static wr_time end_of(unsigned number)
{
    if (number < EACH)
        return number;
    unsigned shift = number / EACH - 1;
    return (wr_time)((((uint64_t)EACH + number % EACH + 1) << shift) - 1);
}

static void halve(struct delay *delay)
{
    uint32_t left = 0;
    for (unsigned i = 0; i < DELAY_CLASSES; i++) {
        uint32_t half = atomic_load_explicit(&delay->counts[i], memory_order_relaxed) / 2;
        atomic_fetch_sub_explicit(&delay->counts[i], half, memory_order_relaxed);
        left += half;
    }
    atomic_fetch_sub_explicit(&delay->total, left, memory_order_relaxed);
}

void delay_note(struct delay *delay, wr_time took)
{
    atomic_fetch_add_explicit(&delay->counts[class_of(took)], 1, memory_order_relaxed);
    uint32_t total = atomic_fetch_add_explicit(&delay->total, 1, memory_order_relaxed) + 1;
    if (total == DELAY_FORGET)
        halve(delay);
}

wr_time delay_quantile(const struct delay *delay, uint32_t permille)
{
    uint64_t total = atomic_load_explicit(&delay->total, memory_order_relaxed);
    uint64_t wanted = (total * permille + 999) / 1000, seen = 0;
    if (total == 0)
        return 0;
    for (unsigned i = 0; i < DELAY_CLASSES; i++) {
        seen += atomic_load_explicit(&delay->counts[i], memory_order_relaxed);
        if (seen >= wanted)
            return end_of(i);
    }
    return end_of(DELAY_CLASSES - 1);
}
