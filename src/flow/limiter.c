/* limiter.c - turns in the order of arrival, slower after each refusal.
 *
 * `next` is the moment up to which turns are given away (the theoretical arrival time of the
 * generic cell rate algorithm): a turn is had by moving it one step on, and then waited for.
 * `refusal` says when the last refusal was and how slow it made us.  It changes with each
 * refusal, so whoever finds another one after its wait has a turn of the time before, which
 * is void: it takes a new one.  A refusal sets `next` before it sets `refusal`; a turn that
 * was taken in between is one of the void ones.
 */
#include <weir/limiter.h>

#include <stdatomic.h>
#include <stdlib.h>

#include <weir/metric.h>
#include <weir/scope.h>
#include <weir/sem.h>
#include <weir/task.h>

#define FACTOR_MAX 128
#define TELL_WITHIN WR_S(1)
#define LOG_BITS 3                          /* of a refusal: log2 of the factor */
#define LOG_MASK (((uint64_t)1 << LOG_BITS) - 1)

/* Turns of a share that are ours.  One fiber at a time fetches and takes them. */
struct batch {
    struct wr_gate *gate;
    wr_time next, each;
    uint32_t left, size;
    bool whole;                             /* none of it was lost */
};

struct wr_limiter {
    struct wr_limiter_conf conf;
    struct batch batch;
    _Atomic wr_time next;
    _Atomic wr_time blocked_until;          /* what the other side asked for */
    _Atomic uint64_t refusal;               /* its time, with log2 of the factor below it */
    struct wr_counter *turns_counted, *refusals_counted;
    _Atomic uint64_t turns, refusals, timeouts, lost;
};

static struct wr_metric turns = {
    .name = "limiter_turns_total", .help = "Questions that a limiter let pass.",
    .type = WR_COUNTER, .labels = { "source" }, .series_max = 64,
};
static struct wr_metric refusals = {
    .name = "limiter_refusals_total", .help = "Times that a source said we ask too often.",
    .type = WR_COUNTER, .labels = { "source" }, .series_max = 64,
};

static void check(const struct wr_limiter_conf *conf, const char *place)
{
    if (!conf->name || conf->interval <= 0)
        wr_panic_at(place, "limiter \"%s\": a name and an interval are required",
                    conf->name ? conf->name : "");
    uint32_t factor = conf->factor_max;
    if (factor > FACTOR_MAX || (factor & (factor - 1)) != 0)
        wr_panic_at(place, "limiter \"%s\": factor_max is %u; a power of two up to %d is "
                    "allowed", conf->name, factor, FACTOR_MAX);
}

wr_err (wr_limiter_new)(struct wr_limiter **ret, const struct wr_limiter_conf *conf,
                        const char *place)
{
    check(conf, place);
    struct wr_limiter *limiter = calloc(1, sizeof(*limiter));
    if (!limiter)
        return WR_NOMEM;
    struct wr_limiter_conf *own = &limiter->conf;
    *own = *conf;
    own->burst = conf->burst ? conf->burst : 1;
    own->guard = conf->guard ? conf->guard : conf->interval / 50;
    own->factor_max = conf->factor_max ? conf->factor_max : 16;
    own->recovery = conf->recovery ? conf->recovery : WR_S(30);
    own->pause = conf->pause ? conf->pause : WR_S(2);
    own->pause_max = conf->pause_max ? conf->pause_max : WR_S(3600);
    wr_err err = conf->share ? wr_gate_new(&limiter->batch.gate, conf->name) : WR_OK;
    if (err) {
        free(limiter);
        return err;
    }
    limiter->turns_counted = wr_metric_counter(&turns, conf->name);
    limiter->refusals_counted = wr_metric_counter(&refusals, conf->name);
    *ret = limiter;
    return WR_OK;
}

void wr_limiter_free(struct wr_limiter *limiter)
{
    if (!limiter)
        return;
    if (limiter->batch.gate)
        wr_gate_free(limiter->batch.gate);
    free(limiter);
}

/* ---- how slow ---- */

static wr_time refused_at(uint64_t refusal)
{
    return (wr_time)(refusal & ~LOG_MASK);
}

/* log2 of the factor that is left of a refusal. */
static unsigned slowness(const struct wr_limiter *limiter, uint64_t refusal, wr_time now)
{
    unsigned log = (unsigned)(refusal & LOG_MASK);
    if (log == 0)
        return 0;
    wr_time recovered = (now - refused_at(refusal)) / limiter->conf.recovery;
    return recovered < log ? log - (unsigned)recovered : 0;
}

static wr_time step(const struct wr_limiter *limiter, uint64_t refusal, wr_time now)
{
    return (limiter->conf.interval << slowness(limiter, refusal, now)) + limiter->conf.guard;
}

/* ---- turns ---- */

static wr_time later(wr_time a, wr_time b)
{
    return a > b ? a : b;
}

/* The turn that comes after `next`: burst - 1 steps before the end of what is given away. */
static wr_time turn_after(const struct wr_limiter *limiter, wr_time next, wr_time each,
                          wr_time now)
{
    wr_time blocked = atomic_load_explicit(&limiter->blocked_until, memory_order_relaxed);
    return later(later(now, blocked), next - each * (limiter->conf.burst - 1));
}

/* Take the next turn if it comes by the deadline.  Errors: TIMEOUT. */
static wr_err take(struct wr_limiter *limiter, uint64_t refusal, wr_time now,
                   wr_time deadline, wr_time *ret)
{
    wr_time each = step(limiter, refusal, now);
    wr_time next = atomic_load_explicit(&limiter->next, memory_order_relaxed);
    do {
        *ret = turn_after(limiter, next, each, now);
        if (*ret > now && *ret > deadline)
            return WR_TIMEOUT;
    } while (!atomic_compare_exchange_weak_explicit(&limiter->next, &next,
                                                    later(next, *ret) + each,
                                                    memory_order_acq_rel,
                                                    memory_order_relaxed));
    return WR_OK;
}

/* ---- turns of a share ---- */

#define BATCH_MAX 100
#define BATCHES_IN_A_SECOND 5

/* How late a turn of a batch may be used.  It is between two turns, besides the guard: so what
 * was used late and what comes after it are as far apart as any two. */
static wr_time lateness(const struct wr_limiter *limiter)
{
    return limiter->conf.guard / 2;
}

/* Turns whose moment is over are nobody's. */
static void lose_old(struct wr_limiter *limiter, wr_time now)
{
    struct batch *batch = &limiter->batch;
    while (batch->left && now > batch->next + lateness(limiter)) {
        batch->next += batch->each;
        batch->left--;
        batch->whole = false;
        atomic_fetch_add_explicit(&limiter->lost, 1, memory_order_relaxed);
    }
}

static wr_err fetch_batch(struct wr_limiter *limiter, wr_time each, wr_time deadline)
{
    struct batch *batch = &limiter->batch;
    const struct wr_limiter_share *share = limiter->conf.share;
    wr_time most = WR_S(1) / BATCHES_IN_A_SECOND / each;
    uint32_t size = batch->whole ? batch->size * 2 : 1;
    size = size > BATCH_MAX ? BATCH_MAX : size;
    size = size > most ? (uint32_t)most : size;
    batch->size = size ? size : 1;
    batch->each = each;
    wr_err err = share->take(share->self, limiter->conf.name, each, batch->size, &batch->next,
                             deadline);
    batch->left = err ? 0 : batch->size;
    batch->whole = !err;
    return err;
}

/* As take, with the gate held.  A turn that comes too late stays in the batch. */
static wr_err take_from_batch(struct wr_limiter *limiter, uint64_t refusal, wr_time deadline,
                              wr_time *ret)
{
    struct batch *batch = &limiter->batch;
    wr_time each = step(limiter, refusal, wr_now()) + lateness(limiter);
    if (batch->each != each) {
        batch->left = 0;                    /* of a time when it was faster, or slower */
        batch->whole = false;
    }
    lose_old(limiter, wr_now());
    wr_err err = batch->left ? WR_OK : fetch_batch(limiter, each, deadline);
    if (err)
        return err;
    if (batch->next > deadline)
        return WR_TIMEOUT;
    *ret = later(batch->next, wr_now());
    batch->next += each;
    batch->left--;
    return WR_OK;
}

static wr_err take_shared(struct wr_limiter *limiter, uint64_t refusal, wr_time deadline,
                          wr_time *ret)
{
    wr_err err = wr_gate_enter(limiter->batch.gate, deadline);
    if (err)
        return err;
    err = take_from_batch(limiter, refusal, deadline, ret);
    wr_gate_leave(limiter->batch.gate);
    return err;
}

/* ---- one or the other ---- */

wr_err (wr_limiter_acquire)(struct wr_limiter *limiter, wr_time deadline, const char *place)
{
    wr_time latest = WR_NOW;
    if (deadline != WR_NOW) {
        latest = wr_scope_deadline();
        latest = deadline < latest ? deadline : latest;
    }
    for (;;) {
        uint64_t refusal = atomic_load_explicit(&limiter->refusal, memory_order_acquire);
        wr_time now = wr_now(), turn;
        wr_err err = limiter->conf.share ? take_shared(limiter, refusal, latest, &turn)
                                         : take(limiter, refusal, now, latest, &turn);
        if (err == WR_TIMEOUT) {
            atomic_fetch_add_explicit(&limiter->timeouts, 1, memory_order_relaxed);
            return deadline == WR_NOW ? WR_BUSY : WR_TIMEOUT;
        }
        if (!err && turn > now)
            err = (wr_sleep)(turn, place);
        if (err)
            return err;
        if (atomic_load_explicit(&limiter->refusal, memory_order_acquire) == refusal
            && atomic_load_explicit(&limiter->blocked_until, memory_order_relaxed) <= turn)
            break;
    }
    atomic_fetch_add_explicit(&limiter->turns, 1, memory_order_relaxed);
    wr_counter_add(limiter->turns_counted, 1);
    return WR_OK;
}

/* ---- refusals ---- */

static unsigned log_of(uint32_t power)
{
    return (unsigned)__builtin_ctz(power);
}

/* A question that was under way at the last refusal knew nothing of it: it slows us down no
 * further. */
static uint64_t after_refusal(const struct wr_limiter *limiter, uint64_t refusal,
                              wr_time asked, wr_time now)
{
    unsigned log = slowness(limiter, refusal, now);
    if (refusal == 0 || asked > refused_at(refusal) + (wr_time)LOG_MASK)
        log += log < log_of(limiter->conf.factor_max);
    /* It rises with each, or two at one moment would look like one, and a turn that was taken
     * between them like one that is still good. */
    uint64_t at = (uint64_t)now & ~LOG_MASK, least = (refusal | LOG_MASK) + 1;
    return (refusal && at < least ? least : at) | log;
}

static wr_time block(struct wr_limiter *limiter, wr_time until)
{
    wr_time before = atomic_load_explicit(&limiter->blocked_until, memory_order_relaxed);
    while (before < until
           && !atomic_compare_exchange_weak_explicit(&limiter->blocked_until, &before, until,
                                                     memory_order_relaxed,
                                                     memory_order_relaxed))
        ;
    return later(before, until);
}

void wr_limiter_refused(struct wr_limiter *limiter, wr_time asked, wr_time wait)
{
    const struct wr_limiter_conf *conf = &limiter->conf;
    wr_time now = wr_now();
    uint64_t before = atomic_load_explicit(&limiter->refusal, memory_order_acquire), then;
    do {
        then = after_refusal(limiter, before, asked, now);
        wr_time each = step(limiter, then, now);
        wr_time pause = wait > 0 ? wait : conf->pause;
        wr_time until = now + later(pause < conf->pause_max ? pause : conf->pause_max, each);
        /* No burst afterwards: the bucket is empty when the pause is over. */
        atomic_store_explicit(&limiter->next, block(limiter, until) + each * (conf->burst - 1),
                              memory_order_release);
    } while (!atomic_compare_exchange_weak_explicit(&limiter->refusal, &before, then,
                                                    memory_order_acq_rel,
                                                    memory_order_acquire));
    atomic_fetch_add_explicit(&limiter->refusals, 1, memory_order_relaxed);
    wr_counter_add(limiter->refusals_counted, 1);
    const struct wr_limiter_share *share = conf->share;
    wr_time left = atomic_load(&limiter->blocked_until) - now;
    if (share)          /* an error: the others will be refused themselves */
        (void)!share->pause(share->self, conf->name, left, wr_after(TELL_WITHIN));
}

struct wr_limiter_stat wr_limiter_stat(const struct wr_limiter *limiter)
{
    wr_time now = wr_now();
    uint64_t refusal = atomic_load_explicit(&limiter->refusal, memory_order_acquire);
    wr_time next = atomic_load_explicit(&limiter->next, memory_order_relaxed);
    return (struct wr_limiter_stat){
        .factor = 1u << slowness(limiter, refusal, now),
        .next = turn_after(limiter, next, step(limiter, refusal, now), now),
        .turns = atomic_load(&limiter->turns), .refusals = atomic_load(&limiter->refusals),
        .timeouts = atomic_load(&limiter->timeouts), .lost = atomic_load(&limiter->lost),
    };
}

wr_err wr_limiter_ask(const struct wr_way *way, struct wr_ask *ask, wr_time deadline)
{
    struct wr_limiter *limiter = way->self;
    for (bool refused = false;; refused = true) {
        wr_err err = wr_limiter_acquire(limiter, deadline);
        if (err)
            return refused && err == WR_TIMEOUT ? WR_BUSY : err;
        wr_time asked = wr_now();
        err = wr_way_ask(way->inner, ask, deadline);
        if (err != WR_BUSY)
            return err;
        wr_limiter_refused(limiter, asked, ask->retry_after);
        if (refused)
            return WR_BUSY;
    }
}
