/* breaker.h - leave alone who does not answer.
 *
 *     err = wr_breakers_new(&breakers, &(struct wr_breakers_conf){
 *         .name = "dht", .targets = 5 });
 *     err = wr_scope_go(scope, "dht.breakers", wr_breakers_run, breakers);
 *     ...
 *     err = wr_breaker_enter(breakers, target, &pass);     (OPENCIRCUIT: not now)
 *     if (!err) {
 *         err = ...ask
 *         wr_breaker_leave(breakers, target, pass, wr_ask_verdict(err));
 *     }
 *
 * or WR_GUARDED(breakers, call), with the ask's target.
 *
 * Each target has a breaker with three states:
 *
 *   closed      all may ask.  When, of those that ended within the last `window`, more than
 *               `trip` were bad, and they were `samples_min` at least, it opens.
 *   open        nobody may ask, for `cooldown`.
 *   half open   `probes` may ask.  When they have all ended, and no more than `trip` of them
 *               were bad, it closes with an empty window; else it opens again.  A probe that
 *               ends without a verdict gives its place to another; one that does not end
 *               within `cooldown` counts as bad.
 *
 * The window and the state have one writer: the janitor, which is the task wr_breakers_run.
 * Who asks reads the state (one load) and posts how it went (one addition); the janitor
 * looks every `tick`, so that a change of state comes at most so late.  The window moves by
 * a thirtieth of itself at a time.
 */
#ifndef WEIR_BREAKER_H
#define WEIR_BREAKER_H

#include <stdint.h>

#include <weir/ask.h>
#include <weir/err.h>
#include <weir/panic.h>
#include <weir/time.h>

struct wr_breakers;

enum wr_breaker_state { WR_BREAKER_CLOSED, WR_BREAKER_OPEN, WR_BREAKER_HALF_OPEN };

/* Zero is the default of everything but the name and the targets. */
struct wr_breakers_conf {
    const char *name;               /* required: a literal; targets are "name.0", ... */
    uint32_t targets;               /* required */
    const char *const *names;       /* of the targets, for metrics: 64 of them, then "other" */
    wr_time window;                 /* 30 s */
    uint32_t trip_permille;         /* 500; 1000 never opens */
    uint32_t samples_min;           /* 5 */
    wr_time cooldown;               /* 10 s */
    uint32_t probes;                /* 3 */
    wr_time tick;                   /* 100 ms */
};

struct wr_breaker_stat {
    enum wr_breaker_state state;
    uint64_t good, bad;             /* in the window */
    uint64_t opened, refused;       /* since the start */
};

/* Errors: NOMEM. */
wr_err wr_breakers_new(struct wr_breakers **ret, const struct wr_breakers_conf *conf WR_AT);
#define wr_breakers_new(...) wr_breakers_new(__VA_ARGS__, WR_HERE)

/* Other bounds from its next look on: window, trip_permille, samples_min, cooldown and probes,
 * where zero is the default again; nothing else of `conf` counts.  A target that is half open
 * keeps the probes that it has.  Any fiber. */
void wr_breakers_set(struct wr_breakers *breakers, const struct wr_breakers_conf *conf);

/* Nobody may be inside, and the janitor must have ended.  NULL is allowed. */
void wr_breakers_free(struct wr_breakers *breakers);

/* The janitor, as a task: until it is canceled.  One at a time; a second is a panic. */
wr_err wr_breakers_run(void *breakers);

/* May this target be asked?  With WR_OK each pass must be given back once.
 * Errors: OPENCIRCUIT. */
wr_err wr_breaker_enter(struct wr_breakers *breakers, uint32_t target, uint32_t *ret_pass);
void wr_breaker_leave(struct wr_breakers *breakers, uint32_t target, uint32_t pass,
                      enum wr_verdict verdict);

/* The state and the counts of one target. */
struct wr_breaker_stat wr_breaker_stat(const struct wr_breakers *breakers, uint32_t target);

/* As a wrapper.  Errors: OPENCIRCUIT; those of the inner call. */
wr_err wr_breaker_ask(const struct wr_way *way, struct wr_ask *ask, wr_time deadline);
#define WR_GUARDED(breakers, inner_) \
    (&(const struct wr_way){ .ask = wr_breaker_ask, .self = (breakers), .inner = (inner_) })

#endif
