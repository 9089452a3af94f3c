/* drainer.c - see drainer.h.
 *
 * As many askers as the source takes requests at once share the queue.  Turns are in the
 * limiter, so how many askers there are decides only how much of a slow source's time is used.
 */
#include "source/drainer.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <weir/chan.h>
#include <weir/lock.h>
#include <weir/metric.h>
#include <weir/scope.h>
#include <weir/sem.h>
#include <weir/task.h>

#include "base/hash.h"
#include "biblio/fold.h"
#include "biblio/ratio.h"
#include "source/answer.h"
#include "source/asking.h"

#define AT_ONCE 2
#define ARENA_MAX (2u << 20)        /* of what is read out of one answer */
#define GUARD_PART 20               /* of an interval: what the times of the way may differ */
#define ALIKE_PERMILLE 700          /* titles that are worth a look */
#define LOCK_RANK 400
#define KEY_VERSION 1               /* of what is remembered */

/* What a question came to. */
enum outcome { FOUND, NOTHING, FAILED, REFUSED, SKIPPED, OUTCOMES };

static const char *const outcome_names[OUTCOMES] = {
    [FOUND] = "found", [NOTHING] = "nothing", [FAILED] = "failed", [REFUSED] = "refused",
    [SKIPPED] = "skipped",
};

static struct wr_metric questions = {
    .name = "source_questions_total", .help = "What questions to a source came to.",
    .type = WR_COUNTER, .labels = { "source", "outcome" }, .series_max = 128,
};

struct drainer {
    struct drainer_conf conf;
    struct wr_scope *scope;         /* of the task, if it was opened with one, */
    struct wr_once *over;           /* ... which is never set: that task is canceled */
    struct wr_chan *queue;
    struct wr_limiter *limiter;
    struct wr_gate *turn;           /* one asker at a time waits for the next turn */
    struct wr_sem *places;          /* requests that may be under way */
    _Atomic size_t asking;
    _Atomic uint64_t requests, remembered, outcomes[OUTCOMES];
    struct wr_counter *counted[OUTCOMES];
    struct wr_mutex lock;           /* of the two below */
    wr_err last_err;
    char last_why[SOURCE_WHY_MAX];
};

/* ---- keys ---- */

struct key { char bytes[96 + WR_HASH_SIZE]; size_t len; };

/* Titles that say the same are one question; an identifier is itself, and beside it the title
 * that it is compared with. */
static struct key key_of(const struct source_driver *driver,
                         const struct source_question *question)
{
    struct key key;
    char buf[BIB_FOLD_MAX];
    struct wr_hash_state state;
    struct wr_text head = wr_text_over(key.bytes, sizeof(key.bytes) - WR_HASH_SIZE);
    const char *title = question->by == SOURCE_BY_TITLE ? question->text : question->title;
    wr_hash_begin(&state);
    if (question->by != SOURCE_BY_TITLE)
        wr_hash_add(&state, question->text, strlen(question->text) + 1);
    if (title) {
        struct wr_text folded = WR_TEXT(buf);
        bib_fold(&folded, title, strlen(title));
        wr_hash_add(&state, folded.at, folded.len);
    }
    wr_text_format(&head, "%d %s %s ", KEY_VERSION, driver->slug, source_by_name(question->by));
    struct wr_hash hash = wr_hash_end(&state);
    memcpy(key.bytes + head.len, hash.bytes, WR_HASH_SIZE);
    key.len = head.len + WR_HASH_SIZE;
    return key;
}

/* ---- who is with the source ---- */

/* One of those who may ask it at the same time, whoever they are; his place is free again also
 * if he breaks down there. */
struct visit {
    struct drainer *drainer;
    uint32_t pass;
    struct wr_cleanup cleanup;
};

static void note_failure(struct drainer *drainer, wr_err err, const char *why)
{
    wr_mutex_lock(&drainer->lock);
    drainer->last_err = err;
    struct wr_text text = WR_TEXT(drainer->last_why);
    wr_text_str(&text, why);
    wr_mutex_unlock(&drainer->lock);
}

static void give_back(const struct visit *visit, enum wr_verdict verdict)
{
    const struct drainer_conf *conf = &visit->drainer->conf;
    if (conf->breakers)
        wr_breaker_leave(conf->breakers, conf->target, visit->pass, verdict);
    wr_sem_release(visit->drainer->places);
}

static void break_off(void *arg)
{
    give_back(arg, WR_VERDICT_NONE);
}

static wr_err enter(struct visit *visit, struct drainer *drainer, wr_time deadline)
{
    const struct drainer_conf *conf = &drainer->conf;
    *visit = (struct visit){ .drainer = drainer, .cleanup = { .fn = break_off, .arg = visit } };
    wr_err err = wr_sem_acquire(drainer->places, deadline);
    if (err)
        return err;
    if (conf->breakers)
        err = wr_breaker_enter(conf->breakers, conf->target, &visit->pass);
    if (err) {
        wr_sem_release(drainer->places);
        note_failure(drainer, err, "it failed too often and is left alone for a while");
        return err;
    }
    wr_cleanup_push(&visit->cleanup);
    return WR_OK;
}

static void leave(struct visit *visit, enum wr_verdict verdict)
{
    wr_cleanup_pop(&visit->cleanup);
    give_back(visit, verdict);
}

/* ---- asking ---- */

struct task {
    struct drainer *drainer;
    const struct drainer_job *job;
    struct asking asking;
    bool asked;
};

static bool is_unwanted(const void *arg)
{
    const struct task *task = arg;
    const struct drainer_job *job = task->job;
    return (!job->question.always && wr_gather_settled(job->gather))
           || (job->unwanted && job->unwanted(job->about));
}

/* Whether a title is the one that was asked for, or nearly, or one is the beginning of the
 * other: the rest is for who judges. */
static bool is_alike(const char *asked, const char *found)
{
    char one[BIB_FOLD_MAX], other[BIB_FOLD_MAX];
    struct wr_text a = WR_TEXT(one), b = WR_TEXT(other);
    bib_fold(&a, asked, strlen(asked));
    bib_fold(&b, found, strlen(found));
    size_t least = a.len < b.len ? a.len : b.len;
    return (least >= 8 && memcmp(one, other, least) == 0)
           || bib_ratio(one, a.len, other, b.len) >= ALIKE_PERMILLE;
}

static wr_err keep_alike(struct source_reading *reading)
{
    size_t kept = 0;
    if (reading->question->by != SOURCE_BY_TITLE || reading->driver->selects)
        return WR_OK;
    for (size_t i = 0; i < reading->count; i++)
        if (is_alike(reading->question->text, reading->records[i].work.title))
            reading->records[kept++] = reading->records[i];
    reading->count = kept;
    return kept ? WR_OK : WR_NOTFOUND;
}

static wr_err ask_and_pack(struct task *task, struct wr_ask *ask, wr_time deadline)
{
    struct wr_arena arena = WR_ARENA(ARENA_MAX);
    struct source_reading reading = { .driver = task->asking.driver, .arena = &arena,
                                      .question = &task->job->question };
    wr_err err = asking_run(&task->asking, &reading, deadline);
    if (!err)
        err = keep_alike(&reading);
    if (!err)
        err = answer_pack(&ask->answer, reading.records, reading.count);
    if (err && err != WR_NOTFOUND && err != WR_CANCELED)
        note_failure(task->drainer, err, reading.why);
    wr_arena_free(&arena);
    return err;
}

/* The innermost way: nothing is remembered, so the source is asked, if it may be. */
static wr_err ask_source(const struct wr_way *way, struct wr_ask *ask, wr_time deadline)
{
    struct task *task = way->self;
    struct visit visit;
    task->asked = true;
    wr_err err = enter(&visit, task->drainer, deadline);
    if (err)
        return err;
    err = ask_and_pack(task, ask, deadline);
    /* That we ask too often is no fault of the source. */
    leave(&visit, err == WR_BUSY || task->asking.requests == 0 ? WR_VERDICT_NONE
                                                               : wr_ask_verdict(err));
    return err;
}

static wr_err nobody(const struct wr_way *way, struct wr_ask *ask, wr_time deadline)
{
    (void)way;
    (void)ask;
    (void)deadline;
    return WR_OPENCIRCUIT;
}

wr_err drainer_recall(struct drainer *drainer, const struct source_question *question,
                      struct wr_bytes **ret, wr_time deadline)
{
    if (!drainer->conf.cache)
        return WR_OPENCIRCUIT;
    struct key key = key_of(drainer->conf.driver, question);
    struct wr_ask ask = { .key = key.bytes, .key_len = key.len };
    const struct wr_way *way = WR_CACHED(drainer->conf.cache, WR_WAY(nobody, NULL));
    wr_err err = wr_way_ask(way, &ask, deadline);
    if (!err)
        *ret = ask.answer;
    return err;
}

/* ---- jobs ---- */

static void report(const struct drainer_job *job, wr_err err,
                   const struct drainer_answer *answer)
{
    wr_gather_report(job->gather, job->slot, err, answer);
    wr_gather_unref(job->gather);
}

static enum outcome outcome_of(wr_err err)
{
    switch (err) {
    case WR_OK: return FOUND;
    case WR_NOTFOUND: return NOTHING;
    case WR_CANCELED: return SKIPPED;
    case WR_BUSY: return REFUSED;
    default: return FAILED;
    }
}

static void count(struct drainer *drainer, const struct task *task, wr_err err)
{
    enum outcome outcome = outcome_of(err);
    atomic_fetch_add_explicit(&drainer->outcomes[outcome], 1, memory_order_relaxed);
    wr_counter_add(drainer->counted[outcome], 1);
    atomic_fetch_add_explicit(&drainer->requests, task->asking.requests, memory_order_relaxed);
    if (!task->asked && (outcome == FOUND || outcome == NOTHING))
        atomic_fetch_add_explicit(&drainer->remembered, 1, memory_order_relaxed);
}

static wr_err answer_job(struct task *task, struct wr_ask *ask)
{
    struct drainer *drainer = task->drainer;
    const struct drainer_job *job = task->job;
    if (is_unwanted(task))
        return WR_CANCELED;
    if (wr_now() >= job->deadline) {
        note_failure(drainer, WR_TIMEOUT, "jobs wait longer for it than their deadlines allow");
        return WR_TIMEOUT;
    }
    struct key key = key_of(drainer->conf.driver, &job->question);
    const struct wr_way *way = WR_WAY(ask_source, task);
    ask->key = key.bytes;
    ask->key_len = key.len;
    ask->safe = true;
    return drainer->conf.cache ? wr_way_ask(WR_CACHED(drainer->conf.cache, way), ask,
                                            job->deadline)
                               : wr_way_ask(way, ask, job->deadline);
}

static struct asking asking_of(const struct drainer *drainer, wr_time timeout)
{
    const struct drainer_conf *conf = &drainer->conf;
    return (struct asking){
        .driver = conf->driver, .base = conf->base, .mailto = conf->mailto, .key = conf->key,
        .client = conf->client, .limiter = drainer->limiter, .turn = drainer->turn,
        .timeout = timeout ? timeout : conf->timeout };
}

/* One who asks, and the job he is at: it is reported even if he breaks down over it. */
struct asker {
    struct drainer *drainer;
    struct drainer_job job;
    bool busy;
};

static void begin(struct asker *asker)
{
    asker->busy = true;
    atomic_fetch_add_explicit(&asker->drainer->asking, 1, memory_order_relaxed);
}

static void done(struct asker *asker)
{
    asker->busy = false;
    atomic_fetch_sub_explicit(&asker->drainer->asking, 1, memory_order_relaxed);
}

static void break_down(void *arg)
{
    struct asker *asker = arg;
    if (!asker->busy)
        return;
    done(asker);
    note_failure(asker->drainer, WR_PANIC, "we broke down over a question to it");
    report(&asker->job, WR_PANIC, NULL);
}

static void do_job(struct asker *asker)
{
    struct drainer *drainer = asker->drainer;
    const struct drainer_job *job = &asker->job;
    struct task task = { .drainer = drainer, .job = job,
                         .asking = asking_of(drainer, job->timeout) };
    struct wr_ask ask = { 0 };
    task.asking.unwanted = is_unwanted;
    task.asking.about = &task;
    begin(asker);
    wr_err err = answer_job(&task, &ask);
    done(asker);
    count(drainer, &task, err);
    report(job, err, &(struct drainer_answer){
        .about = job->about, .records = ask.answer, .took = task.asking.took,
        .remembered = !task.asked });
}

static wr_err run_asker(void *arg)
{
    struct asker asker = { .drainer = arg };
    struct wr_cleanup cleanup = { .fn = break_down, .arg = &asker };
    wr_err err;
    wr_cleanup_push(&cleanup);
    while (!(err = wr_chan_recv(asker.drainer->queue, &asker.job, WR_NEVER)))
        do_job(&asker);
    wr_cleanup_pop(&cleanup);
    return err == WR_CLOSED ? WR_OK : err;
}

wr_err drainer_ask(struct drainer *drainer, const struct drainer_job *job, wr_time deadline)
{
    WR_ASSERT(job->gather && job->question.text);
    return wr_chan_send(drainer->queue, job, deadline);
}

wr_err drainer_fetch(struct drainer *drainer, const char *path, size_t body_max,
                     wr_time timeout, struct wr_fetch_reply *ret, wr_time deadline)
{
    struct asking asking = asking_of(drainer, timeout);
    struct visit visit;
    *ret = (struct wr_fetch_reply){ 0 };
    wr_err err = enter(&visit, drainer, deadline);
    if (err)
        return err;
    err = asking_fetch(&asking, path, body_max, ret, deadline);
    leave(&visit, asking.requests == 0 ? WR_VERDICT_NONE
                  : !err && ret->status >= 500 ? WR_VERDICT_BAD : wr_ask_verdict(err));
    atomic_fetch_add_explicit(&drainer->requests, asking.requests, memory_order_relaxed);
    if (err && err != WR_CANCELED)
        note_failure(drainer, err, ret->why[0] ? ret->why : wr_err_text(err));
    return err;
}

/* ---- life ---- */

static wr_time interval_of(const struct drainer *drainer)
{
    const struct source_driver *driver = drainer->conf.driver;
    if (drainer->conf.interval)
        return drainer->conf.interval;
    return drainer_keyed(drainer) && driver->interval_keyed ? driver->interval_keyed
                                                            : driver->interval;
}

static unsigned askers_of(const struct drainer *drainer)
{
    const struct source_driver *driver = drainer->conf.driver;
    if (drainer_keyed(drainer) && driver->at_once_keyed)
        return driver->at_once_keyed;
    return driver->at_once ? driver->at_once : AT_ONCE;
}

static wr_err make(struct drainer *drainer)
{
    const struct drainer_conf *conf = &drainer->conf;
    for (int i = 0; i < OUTCOMES; i++)
        drainer->counted[i] = wr_metric_counter(&questions, conf->driver->slug,
                                                outcome_names[i]);
    wr_err err = wr_chan_new(&drainer->queue, &(struct wr_chan_conf){
        .name = conf->driver->queue, .item_size = sizeof(struct drainer_job),
        .cap = DRAINER_QUEUE, .policy = WR_WAIT });
    if (!err)
        err = wr_limiter_new(&drainer->limiter, &(struct wr_limiter_conf){
            .name = conf->driver->slug, .interval = interval_of(drainer),
            .guard = interval_of(drainer) / GUARD_PART,
            .pause = conf->driver->pause, .share = conf->share });
    if (!err)
        err = wr_gate_new(&drainer->turn, conf->driver->queue);
    if (!err)
        err = wr_sem_new(&drainer->places, "source.places", askers_of(drainer));
    return err;
}

wr_err drainer_new(struct drainer **ret, const struct drainer_conf *conf)
{
    WR_ASSERT(conf->driver && conf->client);
    struct drainer *drainer = calloc(1, sizeof(*drainer));
    if (!drainer)
        return WR_NOMEM;
    drainer->conf = *conf;
    drainer->lock = (struct wr_mutex)WR_MUTEX("source.drainer", LOCK_RANK);
    wr_err err = make(drainer);
    if (err)
        drainer_free(drainer);
    else
        *ret = drainer;
    return err;
}

wr_err drainer_run(void *arg, struct wr_once *drain)
{
    struct drainer *drainer = arg;
    struct wr_scope *askers;
    wr_err err = wr_scope_new(&askers, &(struct wr_scope_conf){ .name = "source.askers",
                                                                .deadline = WR_NEVER });
    if (err)
        return err;
    for (unsigned i = 0; i < askers_of(drainer) && !err; i++)
        err = wr_scope_go(askers, "source.asker", run_asker, drainer);
    if (!err) {
        wr_scope_enter(askers);         /* it ends also when one of them breaks down */
        err = wr_once_wait(drain, NULL, WR_NEVER);
        wr_scope_leave(askers);
    }
    wr_scope_cancel(askers);
    wr_err ended = wr_scope_close(askers);
    return ended ? ended : err;
}

void drainer_stop(struct drainer *drainer)
{
    struct drainer_job job;
    wr_chan_close(drainer->queue);
    while (!wr_chan_recv(drainer->queue, &job, WR_NOW))
        report(&job, WR_CANCELED, NULL);
}

void drainer_free(struct drainer *drainer)
{
    if (!drainer)
        return;
    if (drainer->queue)
        drainer_stop(drainer);
    wr_chan_free(drainer->queue);
    wr_limiter_free(drainer->limiter);
    if (drainer->turn)
        wr_gate_free(drainer->turn);
    wr_sem_free(drainer->places);
    wr_mutex_fini(&drainer->lock);
    free(drainer);
}

static wr_err run_opened(void *arg)
{
    struct drainer *drainer = arg;
    return drainer_run(drainer, drainer->over);
}

wr_err drainer_open(struct drainer **ret, const struct drainer_conf *conf)
{
    struct drainer *drainer;
    wr_err err = drainer_new(&drainer, conf);
    if (err)
        return err;
    err = wr_once_new(&drainer->over, "source.over", 0);
    if (!err)
        err = wr_scope_new(&drainer->scope, &(struct wr_scope_conf){
            .name = "source.drainer", .deadline = WR_NEVER });
    if (!err)
        err = wr_scope_go(drainer->scope, "source.drainer", run_opened, drainer);
    if (err)
        drainer_close(drainer);
    else
        *ret = drainer;
    return err;
}

void drainer_close(struct drainer *drainer)
{
    if (!drainer)
        return;
    struct wr_once *over = drainer->over;
    wr_chan_close(drainer->queue);
    if (drainer->scope)
        wr_scope_cancel(drainer->scope);
    (void)!wr_scope_close(drainer->scope);
    drainer_free(drainer);
    wr_once_free(over);
}

const struct source_driver *drainer_driver(const struct drainer *drainer)
{
    return drainer->conf.driver;
}

bool drainer_keyed(const struct drainer *drainer)
{
    return drainer->conf.key || (drainer->conf.driver->polite && drainer->conf.mailto);
}

bool drainer_takes(const struct drainer *drainer, uint32_t by)
{
    const struct source_driver *driver = drainer->conf.driver;
    bool known = drainer_keyed(drainer) || drainer->conf.base;
    return ((known ? driver->asks : driver->keyless) & by) == by;
}

struct drainer_stat drainer_stat(struct drainer *drainer)
{
    struct wr_limiter_stat limiter = wr_limiter_stat(drainer->limiter);
    wr_time now = wr_now();
    struct drainer_stat stat = {
        .queued = wr_chan_stat(drainer->queue).len, .asking = atomic_load(&drainer->asking),
        .requests = atomic_load(&drainer->requests),
        .found = atomic_load(&drainer->outcomes[FOUND]),
        .nothing = atomic_load(&drainer->outcomes[NOTHING]),
        .failed = atomic_load(&drainer->outcomes[FAILED]),
        .refused = atomic_load(&drainer->outcomes[REFUSED]),
        .skipped = atomic_load(&drainer->outcomes[SKIPPED]),
        .remembered = atomic_load(&drainer->remembered), .factor = limiter.factor,
        .turn_in = limiter.next > now ? limiter.next - now : 0,
    };
    wr_mutex_lock(&drainer->lock);
    stat.last_err = drainer->last_err;
    memcpy(stat.last_why, drainer->last_why, sizeof(stat.last_why));
    wr_mutex_unlock(&drainer->lock);
    return stat;
}
