/* running.c - see running.h. */
#include "svc/queue/running.h"

#include <stdlib.h>
#include <string.h>

#include <weir/lock.h>

#define LOCK_RANK 682

/* Something to wait for; rung under the lock. */
struct bell {
    uint64_t rung;
    struct wr_watch_writer writer;
    struct wr_watch *watch;
};

struct running {
    struct wr_mutex lock;               /* of all below */
    struct queue_work *first;           /* the newest */
    size_t count;
    struct bell ended, doubted;         /* one of them has, is */
    size_t awaiting;                    /* those who want to know that one has ended */
};

static wr_err make_bell(struct bell *bell, const char *name)
{
    return wr_watch_new(&bell->watch, &bell->writer, &(struct wr_watch_conf){
        .name = name, .size = sizeof(bell->rung), .initial = &bell->rung });
}

static void free_bell(struct bell *bell)
{
    if (!bell->watch)
        return;
    wr_watch_close(&bell->writer);
    wr_watch_free(bell->watch);
}

static void ring(struct bell *bell)
{
    bell->rung++;
    wr_watch_set(&bell->writer, &bell->rung);
}

wr_err running_new(struct running **ret)
{
    struct running *running = calloc(1, sizeof(*running));
    if (!running)
        return WR_NOMEM;
    running->lock = (struct wr_mutex)WR_MUTEX("queue.running", LOCK_RANK);
    wr_err err = make_bell(&running->ended, "queue.ended");
    if (!err)
        err = make_bell(&running->doubted, "queue.doubted");
    if (err) {
        running_free(running);
        return err;
    }
    *ret = running;
    return WR_OK;
}

void running_free(struct running *running)
{
    if (!running)
        return;
    free_bell(&running->ended);
    free_bell(&running->doubted);
    wr_mutex_fini(&running->lock);
    free(running);
}

/* ---- one of them ---- */

void running_enter(struct running *running, struct queue_work *work)
{
    wr_mutex_lock(&running->lock);
    work->next = running->first;
    running->first = work;
    running->count++;
    wr_mutex_unlock(&running->lock);
}

void running_leave(struct running *running, struct queue_work *work)
{
    wr_mutex_lock(&running->lock);
    struct queue_work **at = &running->first;
    while (*at != work)
        at = &(*at)->next;
    *at = work->next;
    running->count--;
    if (running->awaiting)
        ring(&running->ended);
    wr_mutex_unlock(&running->lock);
}

bool running_begin(struct running *running, struct queue_work *work, struct wr_scope *scope)
{
    wr_mutex_lock(&running->lock);
    bool ours = work->fate == WORK_OURS;
    if (ours)
        work->scope = scope;
    wr_mutex_unlock(&running->lock);
    return ours;
}

void running_rest(struct running *running, struct queue_work *work)
{
    wr_mutex_lock(&running->lock);
    work->scope = NULL;
    wr_mutex_unlock(&running->lock);
}

enum work_fate running_fate(struct running *running, struct queue_work *work,
                            wr_time *ret_until)
{
    wr_mutex_lock(&running->lock);
    enum work_fate fate = work->fate;
    *ret_until = work->lease_until;
    wr_mutex_unlock(&running->lock);
    return fate;
}

void running_renew(struct running *running, struct queue_work *work, wr_time until)
{
    wr_mutex_lock(&running->lock);
    work->lease_until = until;
    wr_mutex_unlock(&running->lock);
}

/* The lock is held. */
static void end_one(struct queue_work *work, enum work_fate fate)
{
    if (work->fate == WORK_OURS)
        work->fate = fate;
    if (work->scope)
        wr_scope_cancel(work->scope);
}

void running_lose(struct running *running, struct queue_work *work)
{
    wr_mutex_lock(&running->lock);
    end_one(work, WORK_LOST);
    wr_mutex_unlock(&running->lock);
}

/* ---- those of a task ---- */

static bool is_of(const struct queue_work *work, const char *task, const char *kind)
{
    return (!task || strcmp(work->task, task) == 0)
           && (!kind || (work->kind && strcmp(work->kind->name, kind) == 0));
}

size_t running_end(struct running *running, const char *task, const char *kind,
                   enum work_fate fate)
{
    size_t count = 0;
    wr_mutex_lock(&running->lock);
    for (struct queue_work *work = running->first; work; work = work->next)
        if (is_of(work, task, kind)) {
            end_one(work, fate);
            count++;
        }
    wr_mutex_unlock(&running->lock);
    return count;
}

/* The lock is held. */
static bool any_of(const struct running *running, const char *task, const char *kind)
{
    for (const struct queue_work *work = running->first; work; work = work->next)
        if (is_of(work, task, kind))
            return true;
    return false;
}

wr_err running_await(struct running *running, const char *task, const char *kind,
                     wr_time deadline)
{
    struct wr_watch_reader reader = wr_watch_reader(running->ended.watch);
    uint64_t rung;
    wr_err err = WR_OK;
    while (!err) {
        wr_mutex_lock(&running->lock);
        bool any = any_of(running, task, kind);
        running->awaiting += any;
        wr_mutex_unlock(&running->lock);
        if (!any)
            break;
        err = wr_watch_wait(&reader, &rung, deadline);
        wr_mutex_lock(&running->lock);
        running->awaiting--;
        wr_mutex_unlock(&running->lock);
    }
    return err;
}

void running_doubt(struct running *running, const char *task)
{
    bool any = false;
    wr_mutex_lock(&running->lock);
    for (struct queue_work *work = running->first; work; work = work->next)
        if (is_of(work, task, NULL))
            work->doubted = any = true;
    if (any)
        ring(&running->doubted);
    wr_mutex_unlock(&running->lock);
}

struct wr_watch_reader running_doubts(struct running *running)
{
    return wr_watch_reader(running->doubted.watch);
}

/* ---- all of them ---- */

struct queue_work **running_pick(struct running *running, bool all, size_t *ret)
{
    size_t count = 0;
    wr_mutex_lock(&running->lock);
    struct queue_work **works = calloc(running->count + 1, sizeof(struct queue_work *));
    for (struct queue_work *work = works ? running->first : NULL; work; work = work->next)
        if (work->fate == WORK_OURS && (all || work->doubted)) {
            work->doubted = false;
            works[count++] = work_ref(work);
        }
    wr_mutex_unlock(&running->lock);
    *ret = count;
    return works;
}

struct queue_work *running_bury(struct running *running)
{
    wr_mutex_lock(&running->lock);
    struct queue_work *work = running->first;
    if (work) {
        running->first = work->next;
        running->count--;
        work->scope = NULL;
    }
    wr_mutex_unlock(&running->lock);
    return work;
}
