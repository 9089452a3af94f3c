/* turns.c - see turns.h. */
#include "svc/queue/turns.h"

#include <string.h>

#define LOCK_RANK 683

void turns_init(struct turns *turns)
{
    *turns = (struct turns){ .lock = WR_MUTEX("queue.turns", LOCK_RANK) };
}

void turns_fini(struct turns *turns)
{
    wr_mutex_fini(&turns->lock);
}

bool turns_begin(struct turns *turns, struct turn *turn, const char *task)
{
    *turn = (struct turn){ .task = task };
    wr_mutex_lock(&turns->lock);
    struct turn *at = turns->first;
    while (at && strcmp(at->task, task) != 0)
        at = at->next;
    if (at) {
        at->again = true;
    } else {
        turn->next = turns->first;
        turns->first = turn;
    }
    wr_mutex_unlock(&turns->lock);
    return !at;
}

bool turns_end(struct turns *turns, struct turn *turn)
{
    wr_mutex_lock(&turns->lock);
    struct turn **at = &turns->first;
    while (*at && *at != turn)
        at = &(*at)->next;
    if (*at)
        *at = turn->next;
    bool again = turn->again;
    wr_mutex_unlock(&turns->lock);
    return again;
}
