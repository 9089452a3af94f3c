/* engine.h - everything that can be asked about references, and those who ask.
 *
 *     err = check_engine_open(&engine, &(struct check_engine_conf){
 *         .libraries = libraries, .library_count = 2, .sources = sources });
 *     ...
 *     err = check_engine_check(engine, paper, deadline);       (any number at a time)
 *     ...
 *     check_engine_close(engine);
 *
 * Tasks and queues, as `weir topology` shows them:
 *
 *   check.jobs          references that wait for a coordinator: four for each of those
 *   check.settled       references about which all that were asked have reported
 *   check.coordinator   looks into libraries, recalls what sources have said before, asks
 *                       sources, judges
 *
 * and a drainer for each remote source (source/drainer.h).
 *
 * A coordinator never waits for an answer.  What a reference needs next is decided when a
 * coordinator has it: first libraries, then what is remembered of every source before any of
 * them is asked, then the sources whose answer is not remembered, then those that failed once
 * more, then one after the other those who know pages.  A work that is verified is asked no
 * further, but for what is no search: where its identifiers lead, and whether it was retracted.
 *
 * Of all references only `in_flight` are under way at a time.  So a reference's time, which
 * begins when it is taken up, is not spent in a queue before a slow source.
 */
#ifndef WR_CHECK_ENGINE_H
#define WR_CHECK_ENGINE_H

#include <weir/err.h>
#include <weir/time.h>

#include "library/library.h"
#include "source/sources.h"
#include "svc/check/paper.h"

#define CHECK_IN_FLIGHT_MAX 4096

struct check_engine;

/* Zero is the default of everything.  What is pointed to must outlive the engine. */
struct check_engine_conf {
    struct library *const *libraries;
    size_t library_count;
    struct sources *sources;        /* NULL: offline */
    unsigned coordinators;          /* 4 */
    unsigned in_flight;             /* 32 */
    wr_time within;                 /* for each reference, from when it is taken up; 120 s */
    int year;                       /* which it is; 0: by the calendar */
};

/* In the caller's scope, who must close it before his task returns.
 * Errors: NOMEM, BUSY, CANCELED, TIMEOUT. */
wr_err check_engine_open(struct check_engine **ret, const struct check_engine_conf *conf);

/* Nothing may be being checked any more.  Of papers that were ended early sources may still
 * have something under way, which is given up: the memory goes when they have reported it.
 * NULL is allowed. */
void check_engine_close(struct check_engine *engine);

/* Check all references of a paper, and wait until it has ended.  With an error it was ended
 * early, and has a report all the same.  Errors: TIMEOUT, CANCELED. */
wr_err check_engine_check(struct check_engine *engine, struct check_paper *paper,
                          wr_time deadline);

#endif
