/* scheduler.c - see scheduler.h. */
#include "svc/queue/scheduler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/chan.h>
#include <weir/log.h>
#include <weir/scope.h>
#include <weir/select.h>
#include <weir/task.h>
#include <weir/timer.h>
#include <weir/watch.h>

#include "store/auth.h"
#include "svc/queue/queue_meter.h"
#include "svc/queue/running.h"

#define STORE_WITHIN WR_S(5)            /* for one thing to be written */
#define PAUSE_MIN WR_MS(50)             /* while the store cannot be used */
#define PAUSE_MAX WR_S(1)
#define LOOK_EVERY WR_S(30)             /* for leases and people, at the latest */
#define AUTH_WITHIN WR_S(3 * 3600)
#define AWAY WR_S(5)                    /* a store that has failed may be back after that */
#define DUES_MAX 64

struct scheduler {
    struct scheduler_conf conf;
    atomic_bool fair, runs;
    atomic_uint stops;                  /* how often jobs were interrupted */
    struct wr_scope *jobs;
    struct running *running;
    struct wr_chan *dues;               /* of jobs that were put off, for the lookout */
};

/* One who claims. */
struct claimer { struct scheduler *self; enum queue_slot slot; };

wr_err scheduler_new(struct scheduler **ret, const struct scheduler_conf *conf)
{
    struct scheduler *self = calloc(1, sizeof(*self));
    if (!self)
        return WR_NOMEM;
    self->conf = *conf;
    atomic_init(&self->fair, conf->fair);
    wr_err err = running_new(&self->running);
    if (!err)
        err = wr_chan_new(&self->dues, &(struct wr_chan_conf){
            .name = "queue.put_off", .item_size = sizeof(wr_time), .cap = DUES_MAX,
            .policy = WR_REJECT });
    if (err) {
        scheduler_free(self);
        return err;
    }
    *ret = self;
    return WR_OK;
}

void scheduler_free(struct scheduler *self)
{
    if (!self)
        return;
    wr_chan_free(self->dues);
    running_free(self->running);
    free(self);
}

bool scheduler_runs(const struct scheduler *self)
{
    return atomic_load(&self->runs);
}

void scheduler_tune(struct scheduler *self, bool fair)
{
    atomic_store(&self->fair, fair);
}

void scheduler_announce(struct scheduler *self, const char *task)
{
    news_ring(self->conf.news, task);
    store_tell(self->conf.store, task);
}

static void announce(void *arg, const char *task)
{
    scheduler_announce(arg, task);
}

size_t scheduler_interrupt(struct scheduler *self, const char *task, const char *kind)
{
    atomic_fetch_add(&self->stops, 1);
    return running_end(self->running, task, kind, WORK_STOPPED);
}

wr_err scheduler_await(struct scheduler *self, const char *task, const char *kind,
                       wr_time deadline)
{
    return running_await(self->running, task, kind, deadline);
}

void scheduler_doubt(struct scheduler *self, const char *task)
{
    running_doubt(self->running, task);
}

/* ---- one job ---- */

static wr_err call_handler(void *arg)
{
    struct queue_work *work = arg;
    struct scheduler *self = work->news_arg;
    const struct queue_handler *handler = &self->conf.handlers[work->kind - queue_kinds];
    work->returned = handler->run(handler->arg, work);
    work->ended = true;
    return WR_OK;
}

static bool can_do(const struct scheduler *self, const struct queue_work *work)
{
    return work->kind && self->conf.handlers[work->kind - queue_kinds].run;
}

static wr_time time_of(const struct scheduler *self, const struct queue_work *work)
{
    wr_time within = self->conf.handlers[work->kind - queue_kinds].within;
    return within ? within : QUEUE_WITHIN;
}

/* Who has time left was told by the store that it took too long: it lets nobody wait for
 * others for ever. */
static bool is_of_store(const struct queue_work *work, wr_time until)
{
    return work->returned == WR_TIMEOUT && !work->error[0] && wr_now() < until;
}

static wr_err run_handler(struct scheduler *self, struct queue_work *work)
{
    struct wr_scope *scope;
    if (!can_do(self, work))
        return queue_work_fail(work, WR_UNSUPPORTED, "PIPELINE_ERROR",
                               "nobody does jobs of this kind here");
    wr_time until = wr_after(time_of(self, work));
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "queue.work",
                                                               .deadline = until });
    if (err)
        return err;
    err = !running_begin(self->running, work, scope) ? WR_CANCELED
          : wr_scope_go(scope, "queue.handler", call_handler, work);
    if (!err)
        err = wr_scope_join(scope, WR_NEVER);
    running_rest(self->running, work);
    wr_err closed = wr_scope_close(scope);
    if (work->ended)
        return is_of_store(work, until) ? WR_IO : work->returned;
    return err ? err : closed ? closed : WR_CANCELED;
}

static const char *error_of(struct queue_work *work, wr_err err)
{
    if (work->error[0])
        return work->error;
    (void)!(err == WR_TIMEOUT
                ? queue_work_fail(work, err, "PIPELINE_TIMEOUT", "it took too long")
            : err == WR_PANIC
                ? queue_work_fail(work, err, "INTERNAL_ERROR", "it broke down; the log of the "
                                  "node says where")
            : err == WR_IO
                ? queue_work_fail(work, err, "PIPELINE_ERROR", "the store could not be used, "
                                  "and not when it was tried again; the log of the node says "
                                  "why")
                : queue_work_fail(work, err, "PIPELINE_ERROR", "%s", wr_err_text(err)));
    return work->error;
}

/* Put it off.  Who looks out is told, if there is room; else it is found at the next look. */
static wr_err put_off(struct scheduler *self, const struct queue_work *work, wr_time by,
                      bool counted)
{
    wr_time due = wr_after(by + WR_MS(1));
    wr_err err = store_job_put_off(work->store, work->id, work->attempt, by, counted,
                                   wr_after(STORE_WITHIN));
    if (!err)
        (void)!wr_chan_send(self->dues, &due, WR_NOW);
    return err;
}

/* What it has said goes into the store as a whole, or it has failed. */
static wr_err check_size(struct queue_work *work)
{
    const char *what = work->output.cut    ? "its result"
                       : work->rows.cut    ? "what is to follow on it"
                       : work->awaited.cut ? "what it wants of a person"
                                           : NULL;
    return !what ? WR_OK : queue_work_fail(work, WR_INVALID, "PIPELINE_ERROR", "%s is larger "
                                           "than it may be (%zu bytes)", what, WORK_ROWS_MAX);
}

/* What came of it, as the store is told; NOTFOUND: it is not ours any more. */
static wr_err write_end(struct scheduler *self, struct queue_work *work, wr_err err,
                        bool drained, const char *awaited, const char *next)
{
    wr_time deadline = wr_after(STORE_WITHIN);
    if (err && drained)
        return store_job_requeue(work->store, work->id, work->attempt, false, deadline);
    if (!err && work->later)
        return put_off(self, work, work->later, false);
    if (err == WR_IO && !work->error[0]) {
        wr_err wrote = put_off(self, work, AWAY, true);
        work->later = wrote ? 0 : AWAY;
        if (wrote != WR_NOTFOUND)       /* else it was the last attempt */
            return wrote;
    }
    if (!err && awaited)
        return store_auth_park(work->store, work->id, work->attempt, awaited, AUTH_WITHIN,
                               deadline);
    return store_job_finish(work->store, work->id, work->attempt, &(struct store_job_end){
        .state = err ? STORE_JOB_FAILED : STORE_JOB_COMPLETED,
        .output = !err && work->output.len ? work->output.at : NULL,
        .error = err ? error_of(work, err) : NULL,
        .next = err ? NULL : next, .slots = queue_slot_names }, deadline);
}

static void count(const struct queue_work *work, wr_err err, bool ours, wr_time took)
{
    queue_meter_ended(work->kind, !ours               ? "interrupted"
                                  : work->later       ? "put_off"
                                  : err               ? "failed"
                                  : work->awaited.len ? "awaiting_auth"
                                                      : "completed", took);
}

/* Who stops a task cancels its jobs and then ends those that run.  One that was claimed
 * between the two was queued after the stop, and is not meant: it goes back. */
static void give_back(struct queue_work *work)
{
    (void)!store_job_requeue(work->store, work->id, work->attempt, false,
                             wr_after(STORE_WITHIN));
}

/* As long as it is ours it is tried again: a store that cannot write now may be able to soon.
 * What it refuses for good is not what we say then.  It is counted as what was written, before
 * anybody is told.
 * False: it could not be written, and is not ours any more. */
static bool conclude(struct scheduler *self, struct queue_work *work, wr_err err, wr_time took)
{
    const char *awaited = work_awaited(work), *next = work_next(work);
    wr_time pause = PAUSE_MIN, until;
    enum work_fate fate;
    err = err ? err : check_size(work);
    for (bool refused = false;;) {
        fate = running_fate(self->running, work, &until);
        if (fate == WORK_STOPPED)
            give_back(work);
        if (fate == WORK_STOPPED || fate == WORK_LOST || wr_now() >= until)
            break;
        wr_err wrote = write_end(self, work, err, fate == WORK_DRAINED, awaited, next);
        if (wrote == WR_INVALID && !refused) {
            err = queue_work_fail(work, wrote, "INTERNAL_ERROR", "the store refuses what it "
                                  "came to");
            refused = true;
            continue;
        }
        if (!wrote) {
            count(work, err, fate == WORK_OURS, took);
            scheduler_announce(self, work->task);
            return true;
        }
        if (wrote == WR_NOTFOUND || wr_sleep(wr_after(pause)))
            break;
        pause = pause * 2 < PAUSE_MAX ? pause * 2 : PAUSE_MAX;
    }
    count(work, err, false, took);
    return fate == WORK_STOPPED;
}

/* One that is over, or another's, is not touched by this. */
static void release(struct scheduler *self, const char *id, uint32_t attempt)
{
    (void)!store_job_release(self->conf.store, id, attempt, wr_after(STORE_WITHIN));
}

static wr_err do_job(void *arg)
{
    struct queue_work *work = arg;
    struct scheduler *self = work->news_arg;
    enum queue_slot slot = work->slot;
    wr_time began = wr_now();
    wr_err err = run_handler(self, work);
    queue_work_give(work);
    if (!conclude(self, work, err, wr_now() - began))
        release(self, work->id, work->attempt);
    running_leave(self->running, work);
    work_unref(work);
    slots_give(self->conf.slots, slot, 1);
    return WR_OK;
}

/* ---- claiming ---- */

static wr_err start(struct scheduler *self, enum queue_slot slot, const struct store_job *job,
                    wr_time lease_until, unsigned stops)
{
    struct queue_work *work;
    wr_err err = work_new(&work, self->conf.store, job);
    if (err)
        return err;
    work->news = announce;
    work->news_arg = self;
    work->slot = slot;
    work->slots = self->conf.slots;
    work->lease_until = lease_until;
    running_enter(self->running, work);
    if (atomic_load(&self->stops) != stops)     /* a stop that has not seen it here may have */
        running_doubt(self->running, work->task);   /* canceled it: that is asked for */
    err = wr_scope_go(self->jobs, "queue.job", do_job, work);
    if (err) {
        running_leave(self->running, work);
        work_unref(work);
    }
    return err;
}

/* Claim up to `room` and start them; the rest of the room is given back.  *ret is how many were
 * claimed. */
static wr_err claim(struct claimer *claimer, size_t room, size_t *ret)
{
    struct scheduler *self = claimer->self;
    struct store_jobs jobs;
    size_t started = 0;
    unsigned stops = atomic_load(&self->stops);
    wr_err err = store_job_claim(self->conf.store, &(struct store_job_claim){
        .slot = queue_slot_names[claimer->slot], .max = room, .lease = self->conf.lease,
        .fair = atomic_load(&self->fair) }, &jobs, wr_after(STORE_WITHIN));
    for (size_t i = 0; !err && i < jobs.count; i++) {
        const struct store_job *job = &jobs.jobs[i];
        scheduler_announce(self, job->task);
        queue_meter_claimed(job);
        if (start(self, claimer->slot, job, jobs.lease_until, stops) == WR_OK)
            started++;
        else
            release(self, job->id, job->attempt);
    }
    *ret = jobs.count;
    store_jobs_free(&jobs);
    slots_give(self->conf.slots, claimer->slot, room - started);
    return err;
}

static wr_err claim_on(void *arg)
{
    struct claimer *claimer = arg;
    struct scheduler *self = claimer->self;
    uint64_t seen = 0;
    size_t room = 0, claimed = 0;
    wr_time pause = PAUSE_MIN;
    wr_err err = WR_OK;
    while (!err) {
        if (claimed == room)                /* there may be more */
            claimed = 0;
        else
            err = store_job_wait(self->conf.store, queue_slot_names[claimer->slot], &seen,
                                 WR_NEVER);
        if (!err)
            err = slots_take(self->conf.slots, claimer->slot, STORE_JOB_CLAIM_MAX, &room,
                             WR_NEVER);
        if (err)
            break;
        wr_err failed = claim(claimer, room, &claimed);
        if (failed) {
            err = wr_sleep(wr_after(pause));
            pause = pause * 2 < PAUSE_MAX ? pause * 2 : PAUSE_MAX;
            claimed = room;                 /* try again */
        } else {
            pause = PAUSE_MIN;
        }
    }
    return err;
}

/* ---- leases ---- */

/* A store may be a server whose clock goes differently: it is ours no more before that says
 * so. */
static void renew(struct scheduler *self, struct queue_work *const *works, size_t count)
{
    struct store_job_held held[STORE_JOB_BEAT_MAX];
    wr_time until = wr_after(self->conf.lease), was;
    for (size_t i = 0; i < count; i++)
        held[i] = (struct store_job_held){ works[i]->id, works[i]->attempt, false };
    wr_err err = store_job_beat(self->conf.store, held, count, self->conf.lease,
                                wr_after(STORE_WITHIN));
    for (size_t i = 0; i < count; i++) {
        (void)running_fate(self->running, works[i], &was);
        if (held[i].ours)
            running_renew(self->running, works[i], until);
        else if (!err || wr_now() > was - self->conf.lease / 4)
            running_lose(self->running, works[i]);
    }
}

static void renew_some(struct scheduler *self, bool all)
{
    size_t count;
    struct queue_work **works = running_pick(self->running, all, &count);
    for (size_t i = 0; i < count; i += STORE_JOB_BEAT_MAX)
        renew(self, works + i, count - i < STORE_JOB_BEAT_MAX ? count - i
                                                             : STORE_JOB_BEAT_MAX);
    for (size_t i = 0; i < count; i++)
        work_unref(works[i]);
    free(works);
}

static wr_err keep_leases(void *arg)
{
    struct scheduler *self = arg;
    struct wr_watch_reader reader = running_doubts(self->running);
    struct wr_timer tick = { 0 };
    uint64_t rung;
    struct wr_case cases[] = { WR_CASE_TIMER(&tick), WR_CASE_WATCH(&reader, &rung) };
    size_t which = 0;
    wr_err err = WR_OK;
    while (!err) {
        if (which == 0)
            wr_timer_set(&tick, wr_after(self->conf.lease / 3));
        err = wr_select(&which, cases, 2, WR_NEVER);
        if (!err)
            renew_some(self, which == 0);
    }
    wr_timer_clear(&tick);
    return err;
}

/* ---- what others have left ---- */

static wr_err take_back(struct scheduler *self, wr_time *ret_next)
{
    struct store_jobs jobs;
    size_t count;
    wr_err err;
    do {
        err = store_job_expire(self->conf.store, &jobs, ret_next, wr_after(STORE_WITHIN));
        for (size_t i = 0; !err && i < jobs.count; i++)
            scheduler_announce(self, jobs.jobs[i].task);
        count = jobs.count;
        store_jobs_free(&jobs);
    } while (!err && count == STORE_JOB_CLAIM_MAX);
    return err;
}

static wr_err give_up_on_people(struct scheduler *self)
{
    struct store_auths auths;
    wr_err err = store_auth_resolve(self->conf.store, NULL, STORE_AUTH_EXPIRED,
                                    queue_slot_names, &auths, wr_after(STORE_WITHIN));
    for (size_t i = 0; !err && i < auths.count; i++)
        scheduler_announce(self, auths.auths[i].task);
    store_auths_free(&auths);
    return err;
}

static wr_err look_after(void *arg)
{
    struct scheduler *self = arg;
    /* What another claims after a look is not in it: it is found a lease later. */
    wr_time every = self->conf.lease < LOOK_EVERY ? self->conf.lease : LOOK_EVERY;
    wr_err err = WR_OK;
    while (!err) {
        wr_time next = every, due;
        if (take_back(self, &next) || give_up_on_people(self))
            next = PAUSE_MAX;
        wr_time at = wr_after(next < every ? next + WR_MS(1) : every);
        while ((err = wr_chan_recv(self->dues, &due, at)) == WR_OK)
            at = due < at ? due : at;
        if (err == WR_TIMEOUT)
            err = WR_OK;
    }
    return err;
}

/* ---- the whole ---- */

static bool does_any(const struct scheduler *self, enum queue_slot slot)
{
    for (size_t i = 0; i < QUEUE_KINDS; i++)
        if (queue_kinds[i].slot == slot && self->conf.handlers[i].run)
            return true;
    return false;
}

/* What is left of a run that broke down is not ours any more. */
static void forget_all(struct scheduler *self)
{
    for (struct queue_work *work; (work = running_bury(self->running));) {
        queue_work_give(work);
        slots_give(self->conf.slots, work->slot, 1);
        work_unref(work);
    }
}

static wr_err start_claimers(struct scheduler *self, struct wr_scope *scope,
                             struct claimer claimers[QUEUE_SLOTS])
{
    wr_err err = WR_OK;
    for (unsigned i = 0; !err && i < QUEUE_SLOTS; i++) {
        claimers[i] = (struct claimer){ self, (enum queue_slot)i };
        if (does_any(self, (enum queue_slot)i))
            err = wr_scope_go(scope, "queue.claimer", claim_on, &claimers[i]);
    }
    return err;
}

/* Until the drain.  We wait inside of the scope: one who breaks down cancels it, and so ends
 * us, too. */
static wr_err claim_until(struct scheduler *self, struct wr_once *drain)
{
    struct claimer claimers[QUEUE_SLOTS];
    struct wr_case cases[] = { WR_CASE_ONCE(drain, NULL) };
    struct wr_scope *claiming;
    size_t which;
    wr_err err = wr_scope_new(&claiming, &(struct wr_scope_conf){
        .name = "queue.claiming", .deadline = WR_NEVER });
    if (err)
        return err;
    err = start_claimers(self, claiming, claimers);
    atomic_store(&self->runs, !err);
    wr_scope_enter(claiming);
    if (!err)
        err = wr_select(&which, cases, 1, WR_NEVER);
    wr_scope_leave(claiming);
    atomic_store(&self->runs, false);
    wr_err closed = wr_scope_close(claiming);
    return closed ? closed : err;
}

/* Leases are kept until the last job has ended. */
static wr_err work_until(struct scheduler *self, struct wr_once *drain, wr_time moment)
{
    struct wr_scope *keeping;
    wr_err err = wr_scope_new(&keeping, &(struct wr_scope_conf){
        .name = "queue.keeping", .deadline = WR_NEVER });
    if (err)
        return err;
    err = wr_scope_go(keeping, "queue.leases", keep_leases, self);
    if (!err)
        err = wr_scope_go(keeping, "queue.lookout", look_after, self);
    wr_scope_enter(keeping);
    if (!err)
        err = claim_until(self, drain);
    wr_scope_leave(keeping);
    if (!err && wr_scope_join(self->jobs, wr_after(moment)) != WR_OK) {
        running_end(self->running, NULL, NULL, WORK_DRAINED);
        err = wr_scope_join(self->jobs, WR_NEVER);
    }
    wr_err closed = wr_scope_close(keeping);
    return closed ? closed : err;
}

wr_err scheduler_run(struct scheduler *self, struct wr_once *drain, wr_time moment)
{
    forget_all(self);
    wr_err err = store_job_disown(self->conf.store, wr_after(STORE_WITHIN));
    if (!err)
        err = wr_scope_new(&self->jobs, &(struct wr_scope_conf){
            .name = "queue.jobs", .deadline = WR_NEVER, .independent = true });
    if (err)
        return err;
    /* Those who start jobs are below it. */
    wr_scope_enter(self->jobs);
    err = work_until(self, drain, moment);
    wr_scope_leave(self->jobs);
    wr_err closed = wr_scope_close(self->jobs);
    self->jobs = NULL;
    return err ? err : closed;
}
