/* budget_share.c - see budget_share.h. */
#include "store/budget_share.h"

#include "store/budget.h"

#define ROUNDING WR_MS(1)           /* of the store's clock */

static wr_time clamp(wr_time spare)
{
    spare = spare < BUDGET_SPARE_MAX ? spare : BUDGET_SPARE_MAX;
    return spare > BUDGET_SPARE_MIN ? spare : BUDGET_SPARE_MIN;
}

/* Whoever reads an old one spares less or more than is best, which its own call then shows. */
static void adapt(struct budget_share *share, wr_time spare, wr_time took)
{
    if (took > spare)
        atomic_store_explicit(&share->spare, clamp(2 * spare), memory_order_relaxed);
    else if (took < spare / 4)
        atomic_store_explicit(&share->spare, clamp(spare - spare / 8), memory_order_relaxed);
}

static wr_err take(void *self, const char *name, wr_time interval, uint32_t turns,
                   wr_time *ret_from, wr_time deadline)
{
    struct budget_share *share = self;
    for (int i = 0; i < BUDGET_TRIES; i++) {
        wr_time spare = atomic_load_explicit(&share->spare, memory_order_relaxed);
        wr_time asked = wr_now();
        wr_err err = store_budget_take(share->store, name, interval, turns, spare, ret_from,
                                       deadline);
        if (err)
            return err;
        wr_time took = wr_now() - asked + ROUNDING;
        adapt(share, spare, took);
        if (took <= spare)
            return WR_OK;
        atomic_fetch_add_explicit(&share->late, 1, memory_order_relaxed);
    }
    return WR_TIMEOUT;
}

static wr_err pause(void *self, const char *name, wr_time span, wr_time deadline)
{
    struct budget_share *share = self;
    return store_budget_pause(share->store, name, span, deadline);
}

void budget_share_init(struct budget_share *share, struct store *store)
{
    *share = (struct budget_share){
        .limiter = { take, pause, share }, .store = store, .spare = BUDGET_SPARE_MIN,
    };
}
