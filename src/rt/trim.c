/* trim.c - the memory of fibers that wait for long.
 *
 * A fiber that once called deeply keeps the pages it touched, though it may
 * now wait near the top of its stack for an hour.  Each worker, when it has
 * nothing to do and now and then when it has, goes round its waiting fibers, a few
 * at a time; one that has not moved between two visits gets everything below its
 * stack pointer given back to the system.  Nothing above is touched: others may
 * write into the frames of a fiber that waits.
 *
 * Fibers whose task has ended are kept for the next; when a great many are
 * spare, after a rush, their stacks go back a few at a time as well.
 *
 * When a whole round finds nothing left to do, the rounds end until a fiber
 * moves again, so that a program that sleeps is left asleep.
 */
#include "rt/rt_int.h"

#define STEP WR_MS(10)
#define STEP_FIBERS 256
#define SPARE_KEEP 1024         /* fibers without a task that a worker keeps */
#define ROUND WR_S(1)
#define RED_ZONE 256            /* below the stack pointer, still in use */

enum { MOVED = 0, SEEN, TRIMMED };      /* fiber.rest */

static void trim(struct fiber *fiber)
{
    uintptr_t page = wr_os_page();
    uintptr_t low = (uintptr_t)fiber->stack;
    uintptr_t high = ((uintptr_t)fiber->sp - RED_ZONE) & ~(page - 1);
    if (high > low)
        wr_os_forget((void *)low, high - low);
}

static void visit(struct worker *w, struct fiber *fiber)
{
    uint64_t word = atomic_load_explicit(&fiber->word, memory_order_relaxed);
    if (word != fiber->rest_word) {
        fiber->rest_word = word;
        fiber->rest = MOVED;
    }
    if (!fiber->started || fiber == w->current || fiber->rest == TRIMMED)
        return;
    w->trim_more = true;
    if (fiber->rest == SEEN)
        trim(fiber);
    fiber->rest++;
}

/* What was spare through a whole round is not needed now. */
static void free_spare(struct worker *w)
{
    for (int i = 0; i < STEP_FIBERS && w->spare_excess > 0 && w->spare; i++) {
        w->spare_excess--;
        struct fiber *spare = w->spare;
        w->spare = spare->next;
        w->spare_len--;
        wr_fiber_free(spare);
    }
}

void wr_trim(struct worker *w, wr_time now)
{
    uint64_t turns = atomic_load_explicit(&w->turns, memory_order_relaxed);
    if (w->trim_next == WR_NEVER && turns != w->trim_turns)
        w->trim_next = now;
    if (now < w->trim_next)
        return;
    if (!w->trim_at)
        w->trim_turns = turns;
    free_spare(w);
    struct fiber *fiber = w->trim_at ? w->trim_at : w->all;
    for (int i = 0; i < STEP_FIBERS && fiber; i++) {
        visit(w, fiber);
        fiber = fiber->all_next;
    }
    w->trim_at = fiber;
    if (fiber || w->spare_excess > 0) {
        w->trim_next = now + STEP;
        return;
    }
    if (w->spare_least > SPARE_KEEP) {
        w->spare_excess = w->spare_least - SPARE_KEEP;
        w->trim_more = true;
    }
    w->spare_least = w->spare_len;
    w->trim_next = w->trim_more ? now + ROUND : WR_NEVER;
    w->trim_more = false;
}
