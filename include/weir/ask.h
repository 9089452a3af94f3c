/* ask.h - one question to somebody outside, and what is wrapped around it.
 *
 * Whoever is asked may be slow, down, or tired of us.  What helps is always the same:
 * remember the answer, ask again, keep to the limit, leave the dead alone, ask another.
 * Each is a way to ask that is wrapped around another, so they nest as one would say it:
 *
 *     const struct wr_way *lookup =
 *         WR_CACHED(cache,
 *             WR_RETRIED(retry,
 *                 WR_LIMITED(limiter,
 *                     WR_GUARDED(breakers, WR_WAY(ask_crossref, client)))));
 *
 *     struct wr_ask ask = { .question = &title, .key = key, .key_len = len, .safe = true };
 *     err = wr_way_ask(lookup, &ask, wr_after(WR_S(10)));
 *     if (!err)
 *         ...ask.answer
 *     wr_ask_done(&ask);
 *
 * The innermost is a function of the user's:
 *
 *     static wr_err ask_crossref(const struct wr_way *way, struct wr_ask *ask,
 *                                wr_time deadline)
 *
 * It leaves the answer in ask->answer with WR_OK.  What its errors mean to the wrappers:
 *
 *   NOTFOUND     an answer: there is nothing.  It may be remembered.
 *   BUSY         the other side refused because we ask too often (429); ask->retry_after
 *                is how long it wants to be left alone, 0 if it did not say.  The limiter
 *                slows down.
 *   TIMEOUT, IO, BROKENPIPE, CLOSED, SHED, DRAINING, DEGRADED, PANIC, NOFILE, NOMEM
 *                it did not work: the breaker counts it as bad.  Those for which
 *                wr_err_retryable is true may be tried again.
 *   CANCELED, OPENCIRCUIT
 *                say nothing about who was to be asked.
 *   any other    an answer that will not change (INVALID, DENIED, ...): good, as far as
 *                the breaker goes, and not tried again.
 *
 * A wrapper takes no memory of its own: it is three words that live as long as the block
 * they are written in, or for ever at file level.  What it points to (the limiter, the
 * cache) is made once and shared by any number of calls at once.
 */
#ifndef WEIR_ASK_H
#define WEIR_ASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/bytes.h>
#include <weir/err.h>
#include <weir/panic.h>
#include <weir/time.h>

/* A question and, afterwards, its answer. */
struct wr_ask {
    const void *question;       /* what the innermost function understands */
    const void *key;            /* everything that the answer depends on, as bytes; */
    size_t key_len;             /* ... without any nothing is remembered nor shared */
    uint32_t target;            /* which of several is asked: see hedge.h and breaker.h */
    const uint32_t *targets;    /* those a hedge may choose from, best first */
    uint32_t target_count;
    bool safe;                  /* asking twice does no more than asking once: only such a
                                 * question is tried again, hedged or shared */
    struct wr_bytes *answer;    /* held by the ask; NULL for none */
    wr_time retry_after;        /* with BUSY */
    uint32_t tries;             /* times that somebody outside was asked for it */
};

struct wr_way {
    wr_err (*ask)(const struct wr_way *way, struct wr_ask *ask, wr_time deadline);
    void *self;                 /* whatever the function needs */
    const struct wr_way *inner;
};

/* The innermost: the user's function, and what it needs. */
#define WR_WAY(function, self_) \
    (&(const struct wr_way){ .ask = (function), .self = (self_) })

/* Ask.  An answer that the ask had before is let go.  Every wait below is bounded by the
 * deadline.  Errors: those of the innermost and of the wrappers, see there. */
wr_err wr_way_ask(const struct wr_way *way, struct wr_ask *ask, wr_time deadline);

/* Let the answer go.  The rest of the ask stays, and may be asked again. */
void wr_ask_done(struct wr_ask *ask);

/* What an error of a way says about who was asked. */
enum wr_verdict { WR_VERDICT_GOOD, WR_VERDICT_BAD, WR_VERDICT_NONE };
enum wr_verdict wr_ask_verdict(wr_err err);

#endif
