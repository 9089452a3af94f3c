/* retry.c - new tries within a budget. */
#include <weir/retry.h>

#include <stdatomic.h>
#include <stdlib.h>

#include <weir/bucket.h>
#include <weir/metric.h>
#include <weir/scope.h>
#include <weir/task.h>

#include "base/rand.h"
#include "base/retries.h"
#include "flow/purse.h"

struct wr_retry {
    struct wr_retry_conf conf;
    struct purse purse;
    struct wr_rate floor;
    struct wr_bucket free_tries;
    struct wr_rand_shared rand;
    struct wr_counter *counted;
    _Atomic uint64_t questions, again, over_budget, too_late;
};

static void set_defaults(struct wr_retry_conf *conf)
{
    conf->tries_max = conf->tries_max ? conf->tries_max : 3;
    conf->pause_min = conf->pause_min ? conf->pause_min : WR_MS(50);
    conf->pause_max = conf->pause_max ? conf->pause_max : WR_MS(100);
    conf->pause_cap = conf->pause_cap ? conf->pause_cap : WR_S(5);
    conf->budget_permille = conf->budget_permille ? conf->budget_permille : 200;
    conf->budget_max = conf->budget_max ? conf->budget_max : 100;
    conf->floor = conf->floor ? conf->floor : 1;
}

wr_err (wr_retry_new)(struct wr_retry **ret, const struct wr_retry_conf *conf,
                      const char *place)
{
    struct wr_retry *retry = calloc(1, sizeof(*retry));
    if (!retry)
        return WR_NOMEM;
    retry->conf = *conf;
    set_defaults(&retry->conf);
    if (!conf->name || retry->conf.pause_min > retry->conf.pause_max)
        wr_panic_at(place, "retry \"%s\": a name is required, and pause_min <= pause_max",
                    conf->name ? conf->name : "");
    purse_init(&retry->purse, retry->conf.budget_permille, retry->conf.budget_max, 0);
    retry->floor = wr_rate_of(retry->conf.floor, WR_S(1), retry->conf.floor);
    wr_rand_share_from_world(&retry->rand);
    retry->counted = wr_retries_of(conf->name);
    *ret = retry;
    return WR_OK;
}

void wr_retry_free(struct wr_retry *retry)
{
    free(retry);
}

static void count(_Atomic uint64_t *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

/* From what questions have paid, else one of those that are free. */
static bool may_spend(struct wr_retry *retry)
{
    return purse_spend(&retry->purse)
        || !wr_bucket_take(&retry->free_tries, &retry->floor, 1, NULL);
}

/* Whether another try could help, apart from time and budget. */
static bool may_help(const struct wr_retry *retry, const struct wr_ask *ask, wr_err err,
                     uint32_t tries)
{
    return ask->safe && tries < retry->conf.tries_max && wr_err_retryable(err)
           && err != WR_BUSY && err != WR_OPENCIRCUIT;
}

static wr_time pause(struct wr_retry *retry, uint32_t tries)
{
    wr_time span = wr_rand_draw(&retry->rand, retry->conf.pause_min, retry->conf.pause_max);
    for (uint32_t i = 1; i < tries && span < retry->conf.pause_cap; i++)
        span *= 2;
    return span < retry->conf.pause_cap ? span : retry->conf.pause_cap;
}

wr_err wr_retry_ask(const struct wr_way *way, struct wr_ask *ask, wr_time deadline)
{
    struct wr_retry *retry = way->self;
    count(&retry->questions);
    purse_pay(&retry->purse);
    for (uint32_t tries = 1;; tries++) {
        wr_time limit = retry->conf.try_max ? wr_after(retry->conf.try_max) : WR_NEVER;
        wr_err err = wr_way_ask(way->inner, ask, limit < deadline ? limit : deadline);
        if (!err || !may_help(retry, ask, err, tries))
            return err;
        wr_time then = wr_after(pause(retry, tries));
        if (then >= deadline || then >= wr_scope_deadline()) {
            count(&retry->too_late);
            return err;
        }
        if (!may_spend(retry)) {
            count(&retry->over_budget);
            return err;
        }
        count(&retry->again);
        wr_counter_add(retry->counted, 1);
        wr_err ended = wr_sleep(then);
        if (ended)
            return ended;
    }
}

struct wr_retry_stat wr_retry_stat(const struct wr_retry *retry)
{
    return (struct wr_retry_stat){
        .questions = atomic_load(&retry->questions), .again = atomic_load(&retry->again),
        .over_budget = atomic_load(&retry->over_budget),
        .too_late = atomic_load(&retry->too_late),
    };
}
