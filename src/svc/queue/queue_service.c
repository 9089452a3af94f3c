/* queue_service.c - see queue_service.h. */
#include "svc/queue/queue_service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/log.h>
#include <weir/scope.h>
#include <weir/select.h>
#include <weir/task.h>
#include <weir/timer.h>

#include "svc/queue/meaning.h"
#include "svc/queue/queue_janitor.h"
#include "svc/queue/queue_keys.h"
#include "svc/queue/queue_meter.h"
#include "svc/queue/queue_route.h"

#define COUNT_EVERY WR_S(5)
#define OWN_LEASE WR_S(365 * 24 * 3600)

struct queue_service {
    struct wr_conf *conf;
    struct queue_desk desk;
    struct queue_janitor janitor;
    bool works;                         /* or takes jobs that others do */
    struct queue_handler handlers[QUEUE_KINDS];
    struct explorer *explorer;          /* or NULL */
    struct meaning meaning;
    struct node_service row;
    struct wr_child child;
    struct wr_route routes[QUEUE_ROUTES];
};

/* ---- the task ---- */

/* What is open, for the metrics; a count that is not had is the next one's. */
static wr_err keep_count(void *arg)
{
    struct queue_service *self = arg;
    struct store_counts *counts = calloc(1, sizeof(*counts));
    wr_err err = counts ? WR_OK : WR_NOMEM;
    while (!err) {
        if (!store_task_depth(queue_store(self->desk.queue), counts, wr_after(COUNT_EVERY)))
            queue_meter_depth(counts);
        err = wr_sleep(wr_after(COUNT_EVERY));
    }
    free(counts);
    return err == WR_CANCELED ? WR_OK : err;
}

static wr_err do_jobs(struct queue_service *self, struct wr_once *drain, wr_time moment)
{
    if (!self->works)
        return wr_once_wait(drain, NULL, WR_NEVER);
    wr_err err = self->explorer ? explorer_start(self->explorer) : WR_OK;
    if (err)
        return err;
    err = queue_run(self->desk.queue, drain, moment);
    if (self->explorer)
        explorer_stop(self->explorer);
    return err;
}

static wr_err run(void *arg, struct wr_once *drain)
{
    struct queue_service *self = arg;
    struct wr_scope *janitor;
    if (!self->desk.queue)
        return wr_once_wait(drain, NULL, WR_NEVER);
    wr_err err = wr_scope_new(&janitor, &(struct wr_scope_conf){ .name = "queue.janitor",
                                                                 .deadline = WR_NEVER });
    if (err)
        return err;
    err = wr_scope_go(janitor, "queue.janitor", queue_janitor_run, &self->janitor);
    if (!err)
        err = wr_scope_go(janitor, "queue.counter", keep_count, self);
    if (!err)
        err = meaning_start(&self->meaning, janitor);
    /* Half of what a child has in a drain; the rest is for jobs to be queued again. */
    wr_time moment = wr_conf_duration(self->conf, "drain_deadline") / 5 * 2;
    if (!err)
        err = do_jobs(self, drain, moment);
    queue_hush(self->desk.queue);
    wr_scope_cancel(janitor);
    (void)!wr_scope_close(janitor);
    return err;
}

/* ---- opening and closing ---- */

static void tune(struct queue_service *self, const struct wr_conf *conf)
{
    atomic_store(&self->desk.pages_max, wr_conf_int(conf, "queue.pages_max"));
    atomic_store(&self->desk.seconds_max, wr_conf_int(conf, "queue.seconds_max"));
    queue_janitor_tune(&self->janitor, conf);
}

static void close_all(void *arg)
{
    struct queue_service *self = arg;
    queue_free(self->desk.queue);
    meaning_close(&self->meaning);
    wr_conf_unref(self->conf);
    self->desk.queue = NULL;
    self->conf = NULL;
}

static void pardon(void *arg, const char *domain)
{
    explorer_pardon(arg, domain);
}

/* A file is ours alone: nobody takes over what we do, and so no clock that is set ahead, and no
 * sleep of the machine, is to end a lease.  What a process that died has left is found when the
 * next one opens the file. */
static wr_time lease_of(const struct wr_conf *conf, const struct store *store)
{
    return store && !store_is_shared(store) ? OWN_LEASE : wr_conf_duration(conf, "queue.lease");
}

static wr_err open_all(void *arg, const struct wr_conf *conf, struct store *store, char *why)
{
    struct queue_service *self = arg;
    struct queue_conf queue = { .store = store, .handlers = self->handlers,
                                .fair = wr_conf_bool(conf, "queue.fair"),
                                .lease = lease_of(conf, store) };
    self->conf = wr_conf_ref((struct wr_conf *)(uintptr_t)conf);
    self->works = wr_conf_bool(conf, "queue.work");
    tune(self, conf);
    if (!store)
        return WR_OK;
    queue_keys_limits(conf, queue.limits);
    struct meaning_conf models = meaning_conf_of(self->conf);
    wr_err err = meaning_open(&self->meaning, &models);
    if (err) {
        snprintf(why, NODE_WHY_MAX, "queue: its models cannot be asked: %s", wr_err_text(err));
        close_all(self);
        return err;
    }
    self->desk.meaning = &self->meaning;
    if (self->explorer) {
        explorer_set(self->explorer, self->conf, store, &self->meaning);
        explorer_handlers(self->explorer, self->handlers);
        queue.helped = pardon;
        queue.helped_arg = self->explorer;
    }
    err = queue_new(&self->desk.queue, &queue);
    self->janitor.queue = self->desk.queue;
    if (err) {
        snprintf(why, NODE_WHY_MAX, "queue: %s", wr_err_text(err));
        close_all(self);
    }
    return err;
}

static void reload(void *arg, const struct wr_conf *conf)
{
    struct queue_service *self = arg;
    unsigned limits[QUEUE_SLOTS];
    tune(self, conf);
    queue_keys_limits(conf, limits);
    if (self->desk.queue)
        queue_tune(self->desk.queue, limits, wr_conf_bool(conf, "queue.fair"));
}

static enum wr_health probe(void *arg, char *why)
{
    struct queue_service *self = arg;
    if (!self->desk.queue || !self->works || queue_runs(self->desk.queue))
        return WR_HEALTH_READY;
    snprintf(why, 100, "nobody does jobs");
    return WR_HEALTH_UNREADY;
}

/* ---- the row ---- */

wr_err queue_service_new(struct queue_service **ret, const struct queue_handler *handlers,
                         struct explorer *explorer)
{
    struct queue_service *self = calloc(1, sizeof(*self));
    if (!self)
        return WR_NOMEM;
    self->explorer = explorer;
    if (handlers)
        memcpy(self->handlers, handlers, sizeof(self->handlers));
    queue_routes(self->routes, &self->desk);
    self->child = (struct wr_child){ .name = "queue.service", .run = run, .arg = self,
                                     .restart = WR_RESTART_ALWAYS };
    self->row = (struct node_service){
        .name = "queue", .routes = self->routes, .route_count = QUEUE_ROUTES, .open = open_all,
        .close = close_all, .reload = reload, .probe = probe, .arg = self,
        .children = &self->child, .child_count = 1 };
    *ret = self;
    return WR_OK;
}

const struct node_service *queue_service_row(const struct queue_service *service)
{
    return &service->row;
}

struct queue_desk *queue_service_desk(struct queue_service *service)
{
    return &service->desk;
}

void queue_service_free(struct queue_service *service)
{
    free(service);
}
