/* sup.c - all the children: started in order, kept alive, stopped in order.
 *
 * One fiber and a small loop: what is due, who is next, then wait for a note of
 * a child, an order to stop, or the next moment at which something is due.
 * What an event does to a child is the table in child.c.
 */
#include <weir/sup.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/select.h>

#include "rt/sup_int.h"

#define MS(span) ((double)(span) / (double)WR_MS(1))        /* for people */
#define DRAIN_WITHIN_MAX WR_S(5)
#define RESTARTS_MAX_MAX 100
#define EVENTS_KEPT 256
#define NOTES_PER_CHILD 2       /* that it has begun, and that it has ended */

const char *wr_sup_state_name(enum wr_child_state state)
{
    static const char *const names[] = {
        [WR_CHILD_NEW] = "new",           [WR_CHILD_STARTING] = "starting",
        [WR_CHILD_RUNNING] = "running",   [WR_CHILD_BACKOFF] = "backoff",
        [WR_CHILD_DOWN] = "down",         [WR_CHILD_DRAINING] = "draining",
        [WR_CHILD_ABORTING] = "aborting", [WR_CHILD_STOPPED] = "stopped",
    };
    return names[state];
}

const char *wr_sup_phase_name(enum wr_phase phase)
{
    static const char *const names[] = {
        [WR_PHASE_RUNNING] = "running",   [WR_PHASE_DRAINING] = "draining",
        [WR_PHASE_ABORTING] = "aborting", [WR_PHASE_STOPPED] = "stopped",
    };
    return names[phase];
}

/* ---- making and freeing ---- */

#define DEFAULT(field, value) do { if ((field) == 0) (field) = (value); } while (0)

static void fill_in(struct wr_sup_conf *conf)
{
    DEFAULT(conf->drain_within, WR_S(3));
    DEFAULT(conf->backoff_min, WR_MS(100));
    DEFAULT(conf->backoff_max, WR_MS(500));
    DEFAULT(conf->backoff_cap, WR_S(5));
    DEFAULT(conf->restarts_max, 5);
    DEFAULT(conf->restarts_within, WR_S(60));
}

static void check_children(const struct wr_sup_conf *conf, const char *place)
{
    for (size_t i = 0; i < conf->count; i++) {
        const struct wr_child *child = &conf->children[i];
        const char *name = child->name ? child->name : "?";
        if (!child->name || !child->run)
            wr_panic_at(place, "supervisor \"%s\": child %zu (\"%s\") needs a name and a run",
                        conf->name, i, name);
        if (child->restart < WR_RESTART_ALWAYS || child->restart > WR_RESTART_NEVER)
            wr_panic_at(place, "supervisor \"%s\": say when child \"%s\" is started again",
                        conf->name, name);
        if (i > 0 && child->group < child[-1].group)
            wr_panic_at(place, "supervisor \"%s\": child \"%s\" of group %u is listed after "
                               "\"%s\" of group %u; groups ascend",
                        conf->name, name, child->group, child[-1].name, child[-1].group);
        if (child->stop_within < 0)
            wr_panic_at(place, "supervisor \"%s\": child \"%s\" has a stop_within of %.10g ms; "
                               "negative ones are not allowed",
                        conf->name, name, MS(child->stop_within));
    }
}

static void check(const struct wr_sup_conf *conf, const char *place)
{
    const char *name = conf->name ? conf->name : "?";
    if (!conf->name || strlen(conf->name) > SUP_NAME_MAX || !conf->children || !conf->count)
        wr_panic_at(place, "supervisor \"%s\": a name of at most %d bytes and children are "
                           "required; it has %zu children", name, SUP_NAME_MAX,
                    conf->children ? conf->count : 0);
    if (conf->drain_within < 0 || conf->drain_within > DRAIN_WITHIN_MAX)
        wr_panic_at(place, "supervisor \"%s\": drain_within is %.10g ms; 0 to %g are allowed",
                    name, MS(conf->drain_within), MS(DRAIN_WITHIN_MAX));
    if (conf->backoff_min < 0 || conf->backoff_max < conf->backoff_min
        || conf->backoff_cap < conf->backoff_max)
        wr_panic_at(place, "supervisor \"%s\": 0 <= backoff_min <= backoff_max <= backoff_cap "
                           "does not hold: they are %.10g, %.10g and %.10g ms", name,
                    MS(conf->backoff_min), MS(conf->backoff_max), MS(conf->backoff_cap));
    if (conf->restarts_max > RESTARTS_MAX_MAX)
        wr_panic_at(place, "supervisor \"%s\": restarts_max is %u; at most %d are remembered",
                    name, conf->restarts_max, RESTARTS_MAX_MAX);
    if (conf->restarts_within < 0)
        wr_panic_at(place, "supervisor \"%s\": restarts_within is %.10g ms; negative ones are "
                           "not allowed", name, MS(conf->restarts_within));
    check_children(conf, place);
}

static wr_err open_channels(struct wr_sup *sup)
{
    snprintf(sup->name, sizeof(sup->name), "%s", sup->conf.name);
    snprintf(sup->notes_name, sizeof(sup->notes_name), "%s.notes", sup->name);
    snprintf(sup->phase_name, sizeof(sup->phase_name), "%s.phase", sup->name);
    snprintf(sup->events_name, sizeof(sup->events_name), "%s.events", sup->name);
    wr_err err = wr_chan_new(&sup->notes, &(struct wr_chan_conf){
        .name = sup->notes_name, .item_size = sizeof(struct child_note),
        .cap = NOTES_PER_CHILD * sup->conf.count, .policy = WR_REJECT });
    if (!err)
        err = wr_watch_new(&sup->phase_watch, &sup->phase_writer, &(struct wr_watch_conf){
            .name = sup->phase_name, .size = sizeof(sup->phase), .initial = &sup->phase });
    if (!err)
        err = wr_bcast_new(&sup->events, &(struct wr_bcast_conf){
            .name = sup->events_name, .item_size = sizeof(struct wr_child_stat),
            .cap = EVENTS_KEPT });
    if (!err)
        err = wr_once_new(&sup->stop, "sup.stop", 0);
    if (!err)
        err = wr_once_new(&sup->abort, "sup.abort", 0);
    return err;
}

wr_err (wr_sup_new)(struct wr_sup **ret, const struct wr_sup_conf *given, const char *place)
{
    struct wr_sup_conf conf = *given;
    fill_in(&conf);
    check(&conf, place);
    struct wr_sup *sup = calloc(1, sizeof(*sup) + conf.count * sizeof(*sup->children));
    if (!sup)
        return WR_NOMEM;
    sup->conf = conf;
    sup->phase = WR_PHASE_RUNNING;
    sup->recent = calloc(conf.count * conf.restarts_max, sizeof(*sup->recent));
    wr_err err = sup->recent ? open_channels(sup) : WR_NOMEM;
    for (size_t i = 0; i < conf.count && !err; i++)
        err = wr_child_init(&sup->children[i], sup, i, place);
    if (err) {
        wr_sup_free(sup);
        return err;
    }
    *ret = sup;
    return WR_OK;
}

void (wr_sup_free)(struct wr_sup *sup, const char *place)
{
    if (!sup)
        return;
    if (sup->ran && sup->phase != WR_PHASE_STOPPED)
        wr_panic_at(place, "supervisor \"%s\" is freed while it runs; stop it first",
                    sup->name);
    (wr_watch_free)(sup->phase_watch, place);   /* these two may refuse: before the rest */
    sup->phase_watch = NULL;
    (wr_bcast_free)(sup->events, place);
    sup->events = NULL;
    for (size_t i = 0; i < sup->conf.count; i++)
        wr_child_fini(&sup->children[i]);
    wr_once_free(sup->abort);
    wr_once_free(sup->stop);
    wr_chan_free(sup->notes);
    free(sup->recent);
    free(sup);
}

/* ---- phases ---- */

static void enter(struct wr_sup *sup, enum wr_phase phase)
{
    if (sup->phase == phase)
        return;
    sup->phase = phase;
    wr_watch_set(&sup->phase_writer, &phase);
    if (!sup->conf.quiet)
        wr_log(WR_INFO, "sup.phase", WR_F_STR("service", sup->name),
               WR_F_STR("phase", wr_sup_phase_name(phase)));
}

/* The phase first, so that nobody is told to finish while the world still
 * reads "running".  Who does not run has nothing to finish. */
static void begin_drain(struct wr_sup *sup)
{
    enter(sup, WR_PHASE_DRAINING);
    sup->drain_at = wr_after(sup->conf.drain_within);
    sup->group_low = sup->group_high = sup->conf.count;
    for (size_t i = sup->conf.count; i-- > 0;) {
        enum wr_child_state state = sup->children[i].stat.state;
        if (state == WR_CHILD_NEW || state == WR_CHILD_BACKOFF || state == WR_CHILD_DOWN)
            wr_child_step(sup, &sup->children[i], CHILD_DRAIN);
    }
}

static void begin_abort(struct wr_sup *sup)
{
    enter(sup, WR_PHASE_ABORTING);
    for (size_t i = sup->group_low; i < sup->group_high; i++)
        wr_child_step(sup, &sup->children[i], CHILD_ABORT);
}

static bool group_gone(const struct wr_sup *sup)
{
    for (size_t i = sup->group_low; i < sup->group_high; i++)
        if (sup->children[i].stat.state != WR_CHILD_STOPPED)
            return false;
    return true;
}

/* Go on to the next group when one is gone; true when there is none left. */
static bool stop_groups(struct wr_sup *sup)
{
    enum child_event event = sup->phase == WR_PHASE_ABORTING ? CHILD_ABORT : CHILD_DRAIN;
    while (group_gone(sup)) {
        if (sup->group_low == 0)
            return true;
        sup->group_high = sup->group_low;
        unsigned group = sup->children[sup->group_high - 1].spec->group;
        while (sup->group_low > 0 && sup->children[sup->group_low - 1].spec->group == group)
            sup->group_low--;
        for (size_t i = sup->group_low; i < sup->group_high; i++)
            wr_child_step(sup, &sup->children[i], event);
    }
    return false;
}

/* One after the other: the next when the last has begun, or cannot. */
static void start_in_order(struct wr_sup *sup)
{
    for (; sup->starting < sup->conf.count; sup->starting++) {
        struct child *child = &sup->children[sup->starting];
        if (child->stat.state == WR_CHILD_NEW)
            wr_child_step(sup, child, CHILD_START);
        if (child->stat.state == WR_CHILD_STARTING)
            return;
    }
}

/* ---- the loop ---- */

static void take(struct wr_sup *sup, const struct child_note *note)
{
    struct child *child = &sup->children[note->child];
    if (note->begun) {
        wr_child_step(sup, child, CHILD_BEGUN);
        return;
    }
    child->stat.err = note->err;
    wr_child_step(sup, child, wr_child_end(child, note->err));
}

static void take_all(struct wr_sup *sup)
{
    struct child_note note;
    while (wr_chan_recv(sup->notes, &note, WR_NOW) == WR_OK)
        take(sup, &note);
}

static void fire_due(struct wr_sup *sup)
{
    wr_time now = wr_now();
    if (sup->phase == WR_PHASE_RUNNING && wr_once_done(sup->stop))
        begin_drain(sup);
    if (sup->phase == WR_PHASE_DRAINING && (sup->drain_at <= now || wr_once_done(sup->abort)))
        begin_abort(sup);
    for (size_t i = 0; i < sup->conf.count; i++)
        if (sup->children[i].stat.next <= now)
            wr_child_step(sup, &sup->children[i], CHILD_TIMER);
}

static wr_time next_due(const struct wr_sup *sup)
{
    wr_time next = sup->phase == WR_PHASE_DRAINING ? sup->drain_at : WR_NEVER;
    for (size_t i = 0; i < sup->conf.count; i++)
        if (sup->children[i].stat.next < next)
            next = sup->children[i].stat.next;
    return next;
}

/* Notes come first: a child that ends at the very moment at which it would be
 * aborted has ended. */
static wr_err await(struct wr_sup *sup, const char *place)
{
    struct child_note note;
    struct wr_case cases[] = {
        WR_CASE_RECV(sup->notes, &note),
        WR_CASE_ONCE(sup->phase == WR_PHASE_RUNNING ? sup->stop : sup->abort, NULL),
    };
    size_t which, count = sup->phase == WR_PHASE_ABORTING ? 1 : 2;
    wr_err err = (wr_select)(&which, cases, count, next_due(sup), place);
    if (err)
        return err == WR_TIMEOUT ? wr_scope_check() : err;
    if (which == 0)
        take(sup, &note);
    take_all(sup);
    return WR_OK;
}

static wr_err supervise(struct wr_sup *sup, const char *place)
{
    for (;;) {
        fire_due(sup);
        if (sup->phase == WR_PHASE_RUNNING)
            start_in_order(sup);
        else if (stop_groups(sup))
            return WR_OK;
        wr_err err = await(sup, place);
        if (err)
            return err;
    }
}

/* After an orderly stop there is nothing left to abort.  Otherwise the scope
 * above has ended, and every child with it. */
static void finish(struct wr_sup *sup)
{
    for (size_t i = sup->conf.count; i-- > 0;)
        if (sup->children[i].stat.state != WR_CHILD_STOPPED) {
            enter(sup, WR_PHASE_ABORTING);
            wr_child_step(sup, &sup->children[i], CHILD_ABORT);
        }
    (void)!wr_scope_close(sup->scope);
    take_all(sup);
    enter(sup, WR_PHASE_STOPPED);
    wr_watch_close(&sup->phase_writer);
    wr_bcast_close(sup->events);
}

wr_err (wr_sup_run)(struct wr_sup *sup, const char *place)
{
    if (sup->ran)
        wr_panic_at(place, "supervisor \"%s\" is run twice", sup->name);
    sup->ran = true;
    wr_err err = wr_scope_new(&sup->scope, &(struct wr_scope_conf){ .name = sup->name,
                                                                    .deadline = WR_NEVER });
    if (!err)
        err = supervise(sup, place);
    finish(sup);
    return err ? err : sup->aborted ? WR_TIMEOUT : WR_OK;
}

void wr_sup_stop(struct wr_sup *sup)
{
    if (wr_once_set(sup->stop, NULL) != WR_OK)
        (void)!wr_once_set(sup->abort, NULL);
}

struct wr_watch *wr_sup_phase(struct wr_sup *sup)
{
    return sup->phase_watch;
}

struct wr_bcast *wr_sup_events(struct wr_sup *sup)
{
    return sup->events;
}

struct wr_child_stat (wr_sup_stat)(struct wr_sup *sup, size_t index, const char *place)
{
    if (index >= sup->conf.count)
        wr_panic_at(place, "supervisor \"%s\" has %zu children, not %zu", sup->name,
                    sup->conf.count, index + 1);
    struct child *child = &sup->children[index];
    spin_lock(&child->lock);
    struct wr_child_stat stat = child->shown;
    spin_unlock(&child->lock);
    return stat;
}
