/* gather.h - one question, many sources, one result.
 *
 *     struct wr_gather *gather;
 *     err = wr_gather_new(&gather, &(struct wr_gather_conf){
 *         .name = "reference", .sources = n, .size = sizeof(struct finding),
 *         .settles = is_verified });
 *     for (each source)
 *         if (it is in the cache)
 *             wr_gather_report(gather, i, WR_OK, &finding);    (before anybody is asked)
 *         else
 *             ...send { wr_gather_ref(gather), i } to that source's queue
 *     err = wr_gather_wait(gather, deadline);
 *     ...wr_gather_result(gather, i, &finding)
 *     wr_gather_unref(gather);
 *
 * and at a source, for each that comes out of its queue:
 *
 *     if (wr_gather_settled(gather))
 *         wr_gather_report(gather, i, WR_CANCELED, NULL);      (skipped)
 *     else
 *         ...ask, and report what came
 *     wr_gather_unref(gather);
 *
 * Each source reports once: an answer, an error, or that it did not ask.  An answer for which
 * `settles` is true settles the question: sources that have not asked yet need not.  Answers
 * that come afterwards are recorded all the same.  The last report ends the gathering: exactly
 * one report is the last, whatever their order; it runs `finish`, if there is one, in the
 * fiber that reports, and then the waiters go on.
 *
 * Who waits may give up: reports then still go somewhere, and the memory goes with the last
 * reference.  Results may be looked at any time; once the wait returned WR_OK they are final.
 */
#ifndef WEIR_GATHER_H
#define WEIR_GATHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>
#include <weir/panic.h>
#include <weir/time.h>

struct wr_gather;

struct wr_gather_conf {
    const char *name;               /* required: a literal */
    uint32_t sources;               /* required, up to 256 */
    size_t size;                    /* of a source's answer, which is copied; may be 0 */
    bool (*settles)(const void *answer);    /* may be NULL: nothing does */
    /* By the last reporter, before the waiters go on; may wait.  May be NULL. */
    void (*finish)(struct wr_gather *gather, void *arg);
    void *arg;
};

/* Held once.  Errors: NOMEM. */
wr_err wr_gather_new(struct wr_gather **ret, const struct wr_gather_conf *conf WR_AT);
#define wr_gather_new(...) wr_gather_new(__VA_ARGS__, WR_HERE)

/* Hold it once more, for a source: returns it.  And once less: NULL is allowed. */
struct wr_gather *wr_gather_ref(struct wr_gather *gather);
void wr_gather_unref(struct wr_gather *gather);

/* A source has done its part.  A second report of the same source is a panic.  With an
 * error the answer may be NULL. */
void wr_gather_report(struct wr_gather *gather, uint32_t source, wr_err err,
                      const void *answer WR_AT);
#define wr_gather_report(...) wr_gather_report(__VA_ARGS__, WR_HERE)

/* Whether the question is settled: who has not asked need not. */
bool wr_gather_settled(const struct wr_gather *gather);

/* What a source reported, and its answer in *ret (may be NULL) if that is WR_OK.
 * Errors: BUSY (it has not reported); else what it reported. */
wr_err wr_gather_result(const struct wr_gather *gather, uint32_t source, void *ret);

/* Wait until all have reported and `finish` has returned.  Errors: TIMEOUT, CANCELED. */
wr_err wr_gather_wait(struct wr_gather *gather, wr_time deadline WR_AT);
#define wr_gather_wait(gather, deadline) wr_gather_wait(gather, deadline, WR_HERE)

#endif
