/* flow.c - a program outside the tree that asks three others, the first of which does not
 * answer, through everything that can be wrapped around a call; and asks again, which the cache
 * answers. */
#include <stdatomic.h>
#include <stdio.h>

#include <weir/admit.h>
#include <weir/breaker.h>
#include <weir/cache.h>
#include <weir/gather.h>
#include <weir/hedge.h>
#include <weir/limiter.h>
#include <weir/retry.h>
#include <weir/run.h>
#include <weir/scope.h>
#include <weir/shed.h>

static struct wr_limiter *limiter;
static struct wr_breakers *breakers;
static struct wr_hedge *hedge;
static struct wr_retry *retry;
static struct wr_cache *cache;
static atomic_int asked;

static wr_err ask_one(const struct wr_way *way, struct wr_ask *ask, wr_time deadline)
{
    (void)way;
    atomic_fetch_add(&asked, 1);
    if (ask->target == 0)
        return wr_sleep(deadline);                  /* does not answer */
    return wr_bytes_copy(&ask->answer, "an answer", 9);
}

static wr_err make_all(void)
{
    wr_err err = wr_limiter_new(&limiter, &(struct wr_limiter_conf){
        .name = "flow", .interval = WR_MS(1) });
    if (!err)
        err = wr_breakers_new(&breakers, &(struct wr_breakers_conf){
            .name = "flow", .targets = 3 });
    if (!err)
        err = wr_hedge_new(&hedge, &(struct wr_hedge_conf){
            .name = "flow", .delay_max = WR_MS(20), .budget_permille = 1000 });
    if (!err)
        err = wr_retry_new(&retry, &(struct wr_retry_conf){ .name = "flow" });
    return err ? err : wr_cache_new(&cache, &(struct wr_cache_conf){ .name = "flow" });
}

static void free_all(void)
{
    wr_cache_free(cache);
    wr_retry_free(retry);
    wr_hedge_free(hedge);
    wr_breakers_free(breakers);
    wr_limiter_free(limiter);
}

/* As one would say it. */
static wr_err look_up(struct wr_ask *ask)
{
    static const uint32_t targets[] = { 0, 1, 2 };
    const struct wr_way *way =
        WR_CACHED(cache,
            WR_RETRIED(retry,
                WR_LIMITED(limiter,
                    WR_HEDGED(hedge,
                        WR_GUARDED(breakers, WR_WAY(ask_one, NULL))))));
    *ask = (struct wr_ask){ .key = "key", .key_len = 3, .safe = true,
                            .targets = targets, .target_count = 3 };
    return wr_way_ask(way, ask, wr_after(WR_S(2)));
}

/* Of two sources, each of which goes that way. */
static wr_err gather_both(void)
{
    struct wr_gather *gather;
    wr_err err = wr_gather_new(&gather, &(struct wr_gather_conf){
        .name = "flow", .sources = 2, .size = sizeof(size_t) });
    if (err)
        return err;
    for (uint32_t i = 0; i < 2; i++) {
        struct wr_ask ask;
        wr_err outcome = look_up(&ask);
        wr_gather_report(gather, i, outcome, outcome ? NULL : &ask.answer->len);
        wr_ask_done(&ask);
    }
    err = wr_gather_wait(gather, wr_after(WR_S(1)));
    for (uint32_t i = 0; i < 2 && !err; i++) {
        size_t len = 0;
        err = wr_gather_result(gather, i, &len);
        err = err ? err : len == 9 ? WR_OK : WR_INVALID;
    }
    wr_gather_unref(gather);
    return err;
}

/* Who comes is admitted and queued before. */
static wr_err serve(void)
{
    static struct wr_shed shed = WR_SHED_INIT;
    struct wr_admit *admit;
    struct wr_admit_refusal why;
    struct wr_guest *guest;
    struct wr_addr peer;
    wr_err err = wr_admit_new(&admit, &(struct wr_admit_limits){
        .requests = wr_rate_of(10, WR_S(1), 1) }, 0);
    if (err)
        return err;
    err = wr_addr_parse(&peer, "192.0.2.1:7");
    if (!err)
        err = wr_admit_connection(admit, &peer, &guest, &why);
    if (!err) {
        err = wr_admit_request(admit, guest, wr_now(), &why);
        if (!err && wr_admit_request(admit, guest, wr_now(), &why) != WR_BUSY)
            err = WR_INVALID;                       /* one at once, and not two */
        wr_time queued = wr_now();
        if (!err && wr_shed_enter(&shed, WR_SHED_NORMAL))
            err = WR_SHED;
        if (!err) {
            wr_shed_leave(&shed, queued);
            err = gather_both();
        }
        wr_admit_leave(admit, guest);
    }
    wr_admit_free(admit);
    return err;
}

static wr_err flow(void *arg)
{
    (void)arg;
    struct wr_scope *janitors;
    wr_err err = make_all();
    if (!err)
        err = wr_scope_new(&janitors, &(struct wr_scope_conf){ .name = "janitors",
                                                               .deadline = WR_NEVER });
    if (err)
        return err;
    err = wr_scope_go(janitors, "flow.breakers", wr_breakers_run, breakers);
    if (!err)
        err = wr_scope_go(janitors, "flow.cache", wr_cache_run, cache);
    if (!err)
        err = serve();
    wr_scope_cancel(janitors);
    wr_err end = wr_scope_close(janitors);
    free_all();
    return err ? err : end;
}

int main(void)
{
    wr_err err = wr_run(&(struct wr_run_conf){ 0 }, flow, NULL);
    printf("two lookups: %s, %d asked\n", wr_err_text(err), atomic_load(&asked));
    return err != WR_OK;
}
