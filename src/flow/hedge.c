/* hedge.c - legs in a scope: started in two waves, ended together.
 *
 * The caller waits for its scope, and for nothing else: until all legs of the first wave have
 * ended, or until the delay is over, and once more until delay_max if extra legs are free then;
 * then until all legs have ended.  The leg that completes the quorum cancels the scope, so that
 * the others end.
 */
#include <weir/hedge.h>

#include <stdatomic.h>
#include <stdlib.h>

#include <weir/metric.h>
#include <weir/scope.h>
#include <weir/task.h>

#include "base/rand.h"
#include "flow/delay.h"
#include "flow/purse.h"

#define SAVED_MAX 10                /* extra legs that can be saved up, for each beta */
#define SAMPLES_MIN 100             /* below this nothing is known about the delay */

struct wr_hedge {
    struct wr_hedge_conf conf;
    struct delay delay;
    struct purse purse;
    struct wr_rand_shared rand;
    struct wr_counter *win_counted, *lose_counted, *tie_counted;
    _Atomic uint64_t calls, legs, extra, win, lose, tie, over_budget;
};

static struct wr_metric hedged = {
    .name = "hedged_calls_total", .help = "Calls that asked more than the first ones.",
    .type = WR_COUNTER, .labels = { "call", "result" }, .series_max = 3 * 32,
};

struct leg {
    struct round *round;
    struct wr_ask ask;
    wr_err err;
    wr_time took;
    bool extra;
    bool satisfies;
    uint32_t order;                 /* among those that satisfy */
};

/* One call with its legs; on the stack of who called. */
struct round {
    struct wr_hedge *hedge;
    const struct wr_way *inner;
    const struct wr_ask *ask;
    struct wr_scope *scope;
    wr_time deadline;
    uint32_t quorum;
    _Atomic uint32_t satisfied;
    uint32_t leg_count;
    struct leg legs[WR_HEDGE_LEGS_MAX];
};

static void count(_Atomic uint64_t *counter, uint64_t n)
{
    atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

/* ---- a leg ---- */

static wr_err run_leg(void *arg)
{
    struct leg *leg = arg;
    struct round *round = leg->round;
    const struct wr_hedge_conf *conf = &round->hedge->conf;
    wr_time begun = wr_now();
    leg->err = wr_way_ask(round->inner, &leg->ask, round->deadline);
    leg->took = wr_now() - begun;
    leg->satisfies = !leg->err
                     && (!conf->satisfies || conf->satisfies(&leg->ask, leg->ask.answer));
    if (leg->satisfies) {
        leg->order = atomic_fetch_add_explicit(&round->satisfied, 1, memory_order_acq_rel);
        if (leg->order + 1 == round->quorum)
            wr_scope_cancel(round->scope);
    }
    return WR_OK;
}

static wr_err start_leg(struct round *round, bool extra)
{
    struct leg *leg = &round->legs[round->leg_count];
    *leg = (struct leg){ .round = round, .ask = *round->ask, .err = WR_CANCELED,
                         .extra = extra };
    leg->ask.target = round->ask->targets[round->leg_count];
    leg->ask.answer = NULL;
    leg->ask.tries = 0;
    wr_err err = wr_scope_go(round->scope, "hedge.leg", run_leg, leg);
    round->leg_count += !err;
    return err;
}

/* ---- the waves ---- */

static wr_time delay_of(const struct wr_hedge *hedge)
{
    const struct wr_hedge_conf *conf = &hedge->conf;
    if (conf->quantile_permille >= 1000
        || atomic_load_explicit(&hedge->delay.total, memory_order_relaxed) < SAMPLES_MIN)
        return conf->delay_max;
    wr_time delay = delay_quantile(&hedge->delay, conf->quantile_permille);
    return delay < conf->delay_max ? delay : conf->delay_max;
}

/* A little sooner than that. */
static wr_time draw(struct wr_hedge *hedge, wr_time delay)
{
    uint32_t jitter = hedge->conf.jitter_permille;
    return jitter ? delay - wr_rand_draw(&hedge->rand, 0, delay / 1000 * jitter) : delay;
}

static wr_err first_wave(struct round *round)
{
    wr_err err = WR_OK;
    uint32_t alpha = round->hedge->conf.alpha;
    while (!err && round->leg_count < alpha && round->leg_count < round->ask->target_count)
        err = start_leg(round, false);
    return round->leg_count ? WR_OK : err;
}

/* Whether nobody has to be asked any more, or there is nobody left who may be. */
static bool is_settled(const struct round *round)
{
    const struct wr_hedge_conf *conf = &round->hedge->conf;
    return atomic_load_explicit(&round->satisfied, memory_order_acquire) >= round->quorum
           || round->leg_count >= conf->alpha + conf->beta
           || round->leg_count >= round->ask->target_count;
}

/* Extra legs, as many as are free or can be paid for. */
static void second_wave(struct round *round, bool is_free)
{
    struct wr_hedge *hedge = round->hedge;
    uint32_t before = round->leg_count;
    bool paid = true;
    while (paid && !is_settled(round)) {
        paid = is_free || purse_spend(&hedge->purse);
        if (paid && start_leg(round, true))
            break;
    }
    count(&hedge->extra, round->leg_count - before);
    if (!paid && round->leg_count == before)
        count(&hedge->over_budget, 1);
}

/* Wait for the legs until `moment`; if that was not enough, send more.  In place of legs that
 * have all failed they cost nothing. */
static void run_until(struct round *round, wr_time moment, bool is_free)
{
    if (is_settled(round))
        return;
    bool in_time = moment < round->deadline;
    wr_err err = wr_scope_join(round->scope, in_time ? moment : round->deadline);
    if (!err || (err == WR_TIMEOUT && in_time))
        second_wave(round, !err || is_free);
}

/* WR_OK: all legs have ended.  Errors: CANCELED, TIMEOUT: the caller's. */
static wr_err run_waves(struct round *round)
{
    const struct wr_hedge_conf *conf = &round->hedge->conf;
    wr_time begun = wr_now(), delay = delay_of(round->hedge);
    wr_err err = first_wave(round);
    if (err)
        return err;
    wr_time drawn = draw(round->hedge, delay);
    run_until(round, begun + drawn, conf->late_free && delay >= conf->delay_max);
    if (conf->late_free)
        run_until(round, begun + draw(round->hedge, conf->delay_max), true);
    run_until(round, round->deadline, false);
    return wr_scope_join(round->scope, round->deadline);
}

/* ---- the outcome ---- */

static void account(struct round *round)
{
    struct wr_hedge *hedge = round->hedge;
    bool first_extra = false, any_extra = false, any_first = false, sent_extra = false;
    for (uint32_t i = 0; i < round->leg_count; i++) {
        const struct leg *leg = &round->legs[i];
        sent_extra |= leg->extra;
        if (leg->satisfies) {
            any_extra |= leg->extra;
            any_first |= !leg->extra;
            first_extra |= leg->extra && leg->order < round->quorum;
        }
        /* One that was cut off took at least that long. */
        if (!leg->err || leg->err == WR_CANCELED || leg->err == WR_TIMEOUT)
            delay_note(&hedge->delay, leg->took);
    }
    count(&hedge->calls, 1);
    count(&hedge->legs, round->leg_count);
    if (!sent_extra || !(any_extra || any_first))
        return;
    bool tie = any_extra && any_first && round->satisfied > round->quorum;
    count(tie ? &hedge->tie : first_extra ? &hedge->win : &hedge->lose, 1);
    wr_counter_add(tie ? hedge->tie_counted
                       : first_extra ? hedge->win_counted : hedge->lose_counted, 1);
}

static wr_err take_answer(struct round *round, struct wr_ask *ask)
{
    struct wr_bytes *answers[WR_HEDGE_LEGS_MAX];
    uint32_t found = 0;
    for (uint32_t i = 0; i < round->leg_count; i++) {
        struct leg *leg = &round->legs[i];
        if (leg->satisfies && leg->order == 0) {
            ask->target = leg->ask.target;
            ask->answer = wr_bytes_ref(leg->ask.answer);
        }
        if (leg->satisfies)
            answers[found++] = leg->ask.answer;
    }
    if (!round->hedge->conf.merge)
        return WR_OK;
    wr_ask_done(ask);
    return round->hedge->conf.merge(&ask->answer, answers, found);
}

/* Why there was no quorum.  Whoever wants to be left alone is heard before the others: a
 * limiter around us slows down. */
static wr_err failure(const struct round *round, wr_err ended, struct wr_ask *ask)
{
    wr_err first = WR_OK;
    bool nothing = true, refused = true;
    for (uint32_t i = 0; i < round->leg_count; i++) {
        const struct leg *leg = &round->legs[i];
        wr_err err = leg->err;
        nothing &= !err || err == WR_NOTFOUND;
        refused &= err == WR_OPENCIRCUIT;
        bool tells = err && err != WR_NOTFOUND && err != WR_OPENCIRCUIT;
        if (tells && (!first || err == WR_BUSY))
            first = err;
        if (err == WR_BUSY && leg->ask.retry_after > ask->retry_after)
            ask->retry_after = leg->ask.retry_after;
    }
    if (ended)
        return ended;
    return nothing ? WR_NOTFOUND : refused || !first ? WR_OPENCIRCUIT : first;
}

static wr_err ask_many(const struct wr_way *way, struct wr_ask *ask, wr_time deadline)
{
    struct wr_hedge *hedge = way->self;
    struct round round = { .hedge = hedge, .inner = way->inner, .ask = ask,
                           .deadline = deadline, .quorum = hedge->conf.quorum };
    wr_err err = wr_scope_new(&round.scope, &(struct wr_scope_conf){
        .name = hedge->conf.name, .deadline = deadline });
    if (err)
        return err;
    purse_pay(&hedge->purse);
    wr_err ended = run_waves(&round);
    err = wr_scope_close(round.scope);
    account(&round);
    uint32_t satisfied = atomic_load_explicit(&round.satisfied, memory_order_acquire);
    if (satisfied >= round.quorum)
        err = take_answer(&round, ask);
    else
        err = err ? err : failure(&round, ended, ask);
    for (uint32_t i = 0; i < round.leg_count; i++) {
        ask->tries += round.legs[i].ask.tries;
        wr_ask_done(&round.legs[i].ask);
    }
    return err;
}

wr_err wr_hedge_ask(const struct wr_way *way, struct wr_ask *ask, wr_time deadline)
{
    if (ask->safe && ask->target_count > 1)
        return ask_many(way, ask, deadline);
    if (ask->target_count > 0)
        ask->target = ask->targets[0];
    return wr_way_ask(way->inner, ask, deadline);
}

/* ---- life ---- */

static struct wr_counter *counter_of(const struct wr_hedge_conf *conf, const char *result)
{
    return conf->metric ? wr_metric_counter(conf->metric, result)
                        : wr_metric_counter(&hedged, conf->name, result);
}

wr_err (wr_hedge_new)(struct wr_hedge **ret, const struct wr_hedge_conf *conf,
                      const char *place)
{
    struct wr_hedge *hedge = calloc(1, sizeof(*hedge));
    if (!hedge)
        return WR_NOMEM;
    struct wr_hedge_conf *own = &hedge->conf;
    *own = *conf;
    own->alpha = conf->alpha ? conf->alpha : 1;
    own->beta = conf->beta ? conf->beta : 1;
    own->quorum = conf->quorum ? conf->quorum : 1;
    own->delay_max = conf->delay_max ? conf->delay_max : WR_MS(150);
    own->quantile_permille = conf->quantile_permille ? conf->quantile_permille : 990;
    own->budget_permille = conf->budget_permille ? conf->budget_permille : 20;
    if (own->jitter_permille)
        wr_rand_share_from_world(&hedge->rand);
    if (!conf->name || own->alpha + own->beta > WR_HEDGE_LEGS_MAX || own->quorum > own->alpha
        || own->jitter_permille > 1000)
        wr_panic_at(place, "hedge \"%s\" with alpha %u, beta %u, quorum %u, jitter %u: a name, "
                    "alpha + beta <= %d, quorum <= alpha and jitter <= 1000 are required",
                    conf->name ? conf->name : "", own->alpha, own->beta, own->quorum,
                    own->jitter_permille, WR_HEDGE_LEGS_MAX);
    purse_init(&hedge->purse, own->budget_permille, own->beta * SAVED_MAX, own->beta);
    hedge->win_counted = counter_of(conf, "win");
    hedge->lose_counted = counter_of(conf, "lose");
    hedge->tie_counted = counter_of(conf, "tie");
    *ret = hedge;
    return WR_OK;
}

void wr_hedge_free(struct wr_hedge *hedge)
{
    free(hedge);
}

struct wr_hedge_stat wr_hedge_stat(const struct wr_hedge *hedge)
{
    return (struct wr_hedge_stat){
        .calls = atomic_load(&hedge->calls), .legs = atomic_load(&hedge->legs),
        .extra = atomic_load(&hedge->extra), .win = atomic_load(&hedge->win),
        .lose = atomic_load(&hedge->lose), .tie = atomic_load(&hedge->tie),
        .over_budget = atomic_load(&hedge->over_budget), .delay = delay_of(hedge),
    };
}
