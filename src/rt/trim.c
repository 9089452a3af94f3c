/* trim.c - the memory of fibers that wait for long.
 *
 * A fiber that once called deeply keeps the pages it touched, though it may
 * now wait near the top of its stack for an hour.  Each worker goes round its
 * waiting fibers, a few at a time; one that has not moved between two visits
 * gets everything below its stack pointer given back to the system.  Nothing
 * above is touched: others may write into the frames of a fiber that waits.
 *
 * When a whole round finds nothing left to do, the rounds end until a fiber
 * moves again, so that a program that sleeps is left asleep.
 */
#include "rt/rt_int.h"

#define STEP WR_MS(10)
#define STEP_FIBERS 256
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
    if (!fiber->started || fiber == w->current || fiber->rest == TRIMMED)
        return;
    w->trim_more = true;
    if (fiber->rest == SEEN)
        trim(fiber);
    fiber->rest++;
}

void wr_trim(struct worker *w, wr_time now)
{
    if (now < w->trim_next)
        return;
    struct fiber *fiber = w->trim_at ? w->trim_at : w->all;
    for (int i = 0; i < STEP_FIBERS && fiber; i++) {
        visit(w, fiber);
        fiber = fiber->all_next;
    }
    w->trim_at = fiber;
    if (fiber) {
        w->trim_next = now + STEP;
        return;
    }
    w->trim_next = w->trim_more ? now + ROUND : WR_NEVER;
    w->trim_more = false;
}
