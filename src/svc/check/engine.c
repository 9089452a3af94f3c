/* engine.c - coordinators, and the queues between them and who has papers. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <weir/chan.h>
#include <weir/panic.h>
#include <weir/scope.h>
#include <weir/select.h>
#include <weir/sem.h>

#include "svc/check/engine.h"
#include "svc/check/inquiry.h"

#define COORDINATORS 4
#define JOBS_EACH 4                 /* of check.jobs, for each coordinator */
#define IN_FLIGHT 32
#define WITHIN WR_S(120)
#define AGE WR_S(100ll * 365 * 24 * 3600)   /* longer than any node runs */

struct job { struct check_paper *paper; size_t index; };

struct check_engine {
    atomic_size_t holders;          /* its owner, and each inquiry */
    struct inquiry_desk desk;
    struct drainer *drainers[SOURCES_MAX];
    wr_time within;
    unsigned in_flight;
    struct wr_sem *room;            /* for references under way */
    struct wr_chan *jobs;           /* of struct job */
    struct wr_chan *settled;        /* of struct inquiry *; never full, as there are not more */
    struct wr_scope *scope;         /* of the coordinators */
};

static void drop_job(void *item)
{
    check_paper_unref(((struct job *)item)->paper);
}

static void unref(struct check_engine *engine)
{
    if (atomic_fetch_sub_explicit(&engine->holders, 1, memory_order_acq_rel) != 1)
        return;
    wr_chan_free(engine->settled);
    wr_chan_free(engine->jobs);
    wr_sem_free(engine->room);
    free(engine);
}

static void put_away(struct check_engine *engine, struct inquiry *inquiry)
{
    inquiry_free(inquiry);
    wr_sem_release(engine->room);
}

static void done(struct check_engine *engine, struct inquiry *inquiry)
{
    put_away(engine, inquiry);
    unref(engine);
}

static void settled(void *arg, struct inquiry *inquiry)
{
    struct check_engine *engine = arg;
    wr_err err = wr_chan_send(engine->settled, &inquiry, WR_NOW);
    WR_ASSERT(!err || err == WR_CLOSED);
    if (err)
        done(engine, inquiry);      /* nobody goes on with it: its paper has ended */
}

/* ---- coordinators ---- */

static void begin(struct check_engine *engine, struct job *job)
{
    struct inquiry *inquiry = NULL;
    bool through = check_paper_ended(job->paper);
    atomic_fetch_add_explicit(&engine->holders, 1, memory_order_relaxed);
    if (!through && inquiry_new(&inquiry, &engine->desk, job->paper, job->index,
                                wr_after(engine->within)) != WR_OK) {
        through = true;
        check_paper_put(job->paper, job->index, &(struct check_finding){
            .verdict.outcome = BIB_INCONCLUSIVE, .reason = "there was no memory for it" });
    }
    check_paper_unref(job->paper);
    if (through || inquiry_begin(inquiry))
        done(engine, inquiry);
}

static wr_err coordinate(void *arg)
{
    struct check_engine *engine = arg;
    for (;;) {
        struct inquiry *inquiry;
        struct job job;
        size_t which;
        struct wr_case cases[] = { WR_CASE_RECV(engine->settled, &inquiry),
                                   WR_CASE_RECV(engine->jobs, &job) };
        wr_err err = wr_select(&which, cases, 2, WR_NEVER);
        if (err || cases[which].err)
            return err;
        if (which)
            begin(engine, &job);
        else if (inquiry_go_on(inquiry))
            done(engine, inquiry);
    }
}

/* ---- the engine ---- */

static int this_year(void)
{
    char buf[40];
    struct wr_text text = WR_TEXT(buf);
    wr_text_rfc3339(&text, wr_wall());
    return (int)strtol(buf, NULL, 10);
}

static void find_drainers(struct check_engine *engine, const struct sources *sources)
{
    size_t count = 0;
    for (size_t i = 0; sources && i < SOURCES_MAX; i++) {
        struct drainer *drainer = sources_drainer(sources, i);
        if (drainer)
            engine->drainers[count++] = drainer;
        if (i + 1 == SOURCE_COUNT)
            engine->desk.drainer_count = count;
    }
    engine->desk.drainers = engine->drainers;
    engine->desk.fallbacks = engine->drainers + engine->desk.drainer_count;
    engine->desk.fallback_count = count - engine->desk.drainer_count;
}

static wr_err start(struct check_engine *engine, unsigned coordinators)
{
    wr_err err = wr_sem_new(&engine->room, "check.in_flight", engine->in_flight);
    if (!err)
        err = wr_chan_new(&engine->jobs, &(struct wr_chan_conf){
            .name = "check.jobs", .item_size = sizeof(struct job),
            .cap = (size_t)JOBS_EACH * coordinators, .policy = WR_WAIT, .drop = drop_job });
    if (!err)
        err = wr_chan_new(&engine->settled, &(struct wr_chan_conf){
            .name = "check.settled", .item_size = sizeof(struct inquiry *),
            .cap = engine->in_flight, .policy = WR_REJECT });
    /* What is to be checked goes on until its deadline, whatever becomes of who has asked:
     * only the engine itself ends its coordinators. */
    if (!err)
        err = wr_scope_new(&engine->scope, &(struct wr_scope_conf){
            .name = "check.coordinators", .deadline = wr_after(AGE), .shield = true });
    for (unsigned i = 0; i < coordinators && !err; i++)
        err = wr_scope_go(engine->scope, "check.coordinator", coordinate, engine);
    return err;
}

wr_err check_engine_open(struct check_engine **ret, const struct check_engine_conf *conf)
{
    struct check_engine *engine = calloc(1, sizeof(*engine));
    if (!engine)
        return WR_NOMEM;
    atomic_init(&engine->holders, 1);
    engine->desk = (struct inquiry_desk){
        .libraries = conf->libraries, .library_count = conf->library_count,
        .year = conf->year ? conf->year : this_year(), .settled = settled, .arg = engine };
    find_drainers(engine, conf->sources);
    engine->within = conf->within ? conf->within : WITHIN;
    engine->in_flight = conf->in_flight ? conf->in_flight : IN_FLIGHT;
    WR_ASSERT(engine->in_flight <= CHECK_IN_FLIGHT_MAX);
    wr_err err = start(engine, conf->coordinators ? conf->coordinators : COORDINATORS);
    if (err) {
        check_engine_close(engine);
        return err;
    }
    *ret = engine;
    return WR_OK;
}

void check_engine_close(struct check_engine *engine)
{
    struct inquiry *inquiry;
    if (!engine)
        return;
    if (engine->scope) {
        wr_chan_close(engine->jobs);
        wr_chan_close(engine->settled);
        wr_scope_cancel(engine->scope);
        (void)!wr_scope_close(engine->scope);
        while (!wr_chan_recv(engine->settled, &inquiry, WR_NOW)) {
            put_away(engine, inquiry);
            /* never the last share, which is the engine's own and is given up below */
            atomic_fetch_sub_explicit(&engine->holders, 1, memory_order_acq_rel);
        }
    }
    unref(engine);
}

static wr_err feed(struct check_engine *engine, struct check_paper *paper, wr_time deadline)
{
    wr_err err = WR_OK;
    for (size_t i = 0; i < check_paper_count(paper) && !err && !check_paper_ended(paper); i++) {
        struct job job = { check_paper_ref(paper), i };
        err = wr_sem_acquire(engine->room, deadline);
        if (!err) {
            err = wr_chan_send(engine->jobs, &job, deadline);
            if (err)
                wr_sem_release(engine->room);
        }
        if (err)
            check_paper_unref(paper);
    }
    return err;
}

wr_err check_engine_check(struct check_engine *engine, struct check_paper *paper,
                          wr_time deadline)
{
    wr_err err = feed(engine, paper, deadline);
    if (!err)
        err = check_paper_wait(paper, deadline);
    check_paper_end(paper);
    return err;
}
