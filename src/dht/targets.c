/* targets.c - a favourite, a turn, and those who failed. */
#include "dht/targets.h"

#include <weir/panic.h>

void targets_init(struct targets *targets, uint32_t count)
{
    WR_ASSERT(count >= 1 && count <= TARGETS_MAX);
    *targets = (struct targets){ .count = count, .first = count };
}

/* In which group one is: 0 may be asked, 1 if there is nobody better, 2 not at all. */
static unsigned group_of(const struct targets *targets, const struct wr_breakers *breakers,
                         uint32_t target)
{
    enum wr_breaker_state state = breakers ? wr_breaker_stat(breakers, target).state
                                           : WR_BREAKER_CLOSED;
    if (state == WR_BREAKER_OPEN)
        return 2;
    bool failed = atomic_load_explicit(&targets->failed[target], memory_order_relaxed);
    return failed || state == WR_BREAKER_HALF_OPEN;
}

/* The favourite, if there is one; the good ones from `turn` on; the others likewise. */
static uint32_t order_from(const struct targets *targets, const struct wr_breakers *breakers,
                           uint32_t turn, uint32_t favourite, uint32_t ret[TARGETS_MAX])
{
    uint32_t found = 0, count = targets->count;
    unsigned groups[TARGETS_MAX];
    for (uint32_t i = 0; i < count; i++)
        groups[i] = group_of(targets, breakers, i);
    bool has_favourite = favourite < count && groups[favourite] == 0;
    if (has_favourite)
        ret[found++] = favourite;
    for (unsigned group = 0; group < 2; group++)
        for (uint32_t i = 0; i < count; i++) {
            uint32_t target = (turn + i) % count;
            if (groups[target] == group && !(has_favourite && target == favourite))
                ret[found++] = target;
        }
    return found;
}

uint32_t targets_order(struct targets *targets, const struct wr_breakers *breakers,
                       uint32_t ret[TARGETS_MAX])
{
    uint32_t first = atomic_load_explicit(&targets->first, memory_order_relaxed);
    uint32_t turn = 0;
    if (first < targets->count)
        turn = atomic_fetch_add_explicit(&targets->turn, 1, memory_order_relaxed);
    return order_from(targets, breakers, turn % targets->count, first, ret);
}

uint32_t targets_from(struct targets *targets, const struct wr_breakers *breakers,
                      uint32_t number, uint32_t ret[TARGETS_MAX])
{
    return order_from(targets, breakers, number % targets->count, targets->count, ret);
}

void targets_note(struct targets *targets, uint32_t target, enum target_news news)
{
    WR_ASSERT(target < targets->count);
    atomic_store_explicit(&targets->failed[target], news == TARGET_FAILED,
                          memory_order_relaxed);
    if (news == TARGET_FAILED)
        return;
    atomic_store_explicit(&targets->heard[target], wr_now(), memory_order_relaxed);
    if (news == TARGET_FIRST)
        atomic_store_explicit(&targets->first, target, memory_order_relaxed);
}
