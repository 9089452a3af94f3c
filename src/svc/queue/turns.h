/* turns.h - work that covers all there is, done by one at a time for each task.
 *
 *     struct turn turn;
 *     if (!turns_begin(&turns, &turn, task))
 *         return WR_OK;                       // one is at it, and another follows
 *     ...all there is
 *     if (turns_end(&turns, &turn))
 *         ...somebody came meanwhile: see that it is done once more
 *
 * Whoever comes while one is at it need not wait, nor do it too: what has come since that one
 * looked is for the next one, which is one however many have come.  A turn is the caller's, and
 * is in the list from its beginning to its end; there are as many as jobs run.
 */
#ifndef WR_QUEUE_TURNS_H
#define WR_QUEUE_TURNS_H

#include <stdbool.h>

#include <weir/lock.h>

struct turn {
    const char *task;               /* must stay */
    bool again;
    struct turn *next;
};

struct turns {
    struct wr_mutex lock;
    struct turn *first;
};

void turns_init(struct turns *turns);
void turns_fini(struct turns *turns);

/* False: one is at it.  None of these waits; any fiber. */
bool turns_begin(struct turns *turns, struct turn *turn, const char *task);

/* Whether somebody has come meanwhile. */
bool turns_end(struct turns *turns, struct turn *turn);

#endif
