/* purse.c - a count of thousandths. */
#include "flow/purse.h"

#define ONE 1000

void purse_init(struct purse *purse, uint32_t permille, uint32_t most, uint32_t first)
{
    *purse = (struct purse){ .each = permille, .most = (int64_t)most * ONE };
    atomic_init(&purse->saved, (int64_t)first * ONE);
}

void purse_pay(struct purse *purse)
{
    int64_t now = atomic_load_explicit(&purse->saved, memory_order_relaxed), then;
    do {
        then = now + purse->each;
        then = then < purse->most ? then : purse->most;
    } while (!atomic_compare_exchange_weak_explicit(&purse->saved, &now, then,
                                                    memory_order_relaxed,
                                                    memory_order_relaxed));
}

bool purse_spend(struct purse *purse)
{
    int64_t now = atomic_load_explicit(&purse->saved, memory_order_relaxed);
    do {
        if (now < ONE)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&purse->saved, &now, now - ONE,
                                                    memory_order_relaxed,
                                                    memory_order_relaxed));
    return true;
}
