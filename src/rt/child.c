/* child.c - one child: its run, its restarts, and the table that decides.
 *
 * For each run of a child there is a keeper: a task that makes a scope, runs
 * the child in it, waits for the scope to be empty and says how it went.  It is
 * apart from the child because a child may panic, and apart from the supervisor
 * because a fiber closes its scopes in the order of their making and children
 * end in any order.
 *
 * Only the supervisor's fiber changes a child's state, so that needs no lock.
 * What others see is a copy (`shown`); what a keeper and the supervisor share
 * is the scope, which must not be canceled once it was closed.
 */
#include <stdlib.h>
#include <string.h>

#include <weir/chan.h>

#include "base/retries.h"
#include "rt/scope_int.h"
#include "rt/sup_int.h"

#define SERVICES_MAX 256
#define LOG_SPAN WR_S(1)

static struct wr_metric restarts_total = {
    .name = "service_restarts_total", .help = "Times a supervised child was started again.",
    .type = WR_COUNTER, .labels = { "service" }, .series_max = SERVICES_MAX,
};

/* ---- the kinds of the children's tasks ---- */

/* A kind is on the map for ever, a supervisor is not.  So kinds are made once
 * per name and kept; their number is that of the names in the program. */
static struct wr_kind *kind_of(const char *name, const char *place)
{
    static struct spin lock;
    static struct named { struct named *next; struct wr_kind kind; char name[]; } *kinds;
    spin_lock(&lock);
    struct named *named = kinds;
    while (named && strcmp(named->name, name) != 0)
        named = named->next;
    if (!named) {
        size_t size = strlen(name) + 1;
        named = aligned_alloc(_Alignof(struct named),
                              (sizeof(*named) + size + _Alignof(struct named) - 1)
                                  & ~(_Alignof(struct named) - 1));
        if (named) {
            *named = (struct named){ .next = kinds, .kind = { .place = place } };
            memcpy(named->name, name, size);
            named->kind.name = named->name;
            kinds = named;
        }
    }
    spin_unlock(&lock);
    return named ? &named->kind : NULL;
}

/* ---- making ---- */

wr_err wr_child_init(struct child *child, struct wr_sup *sup, size_t index, const char *place)
{
    const struct wr_child *spec = &sup->conf.children[index];
    child->spec = spec;
    child->sup = sup;
    child->recent = sup->recent + index * sup->conf.restarts_max;
    child->restarted = wr_metric_counter(&restarts_total, spec->name);
    child->stat = (struct wr_child_stat){ .index = index, .name = spec->name,
                                          .group = spec->group, .next = WR_NEVER,
                                          .since = wr_now() };
    child->shown = child->stat;
    child->kind = kind_of(spec->name, place);
    return child->kind ? wr_once_new(&child->drain, spec->name, 0) : WR_NOMEM;
}

void wr_child_fini(struct child *child)
{
    wr_once_free(child->drain);
}

/* ---- a run of a child ---- */

static void post(struct child *child, bool begun, wr_err err)
{
    struct wr_sup *sup = child->sup;
    struct child_note note = { .child = child->stat.index, .begun = begun, .err = err };
    wr_err sent = wr_chan_send(sup->notes, &note, WR_NOW);
    RT_ASSERT(sent == WR_OK);       /* there is room for both notes of every child */
}

static wr_err run_child(void *arg)
{
    struct child *child = arg;
    post(child, true, WR_OK);
    return child->spec->run(child->spec->arg, child->drain);
}

/* Whether it was canceled before there was a scope to cancel. */
static bool expose(struct child *child, struct wr_scope *scope)
{
    spin_lock(&child->lock);
    child->scope = scope;
    bool canceled = child->canceled;
    spin_unlock(&child->lock);
    return canceled;
}

static wr_err keep(void *arg)
{
    struct child *child = arg;
    struct wr_scope *scope;
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = child->spec->name, .deadline = WR_NEVER, .control = child->spec->control });
    if (!err) {
        if (expose(child, scope))
            wr_scope_cancel(scope);
        err = wr_scope_go_kind(scope, child->kind, run_child, child);
        if (!err)
            (void)!wr_scope_join(scope, WR_NEVER);  /* cut short: close does the rest */
        expose(child, NULL);
        wr_err result = wr_scope_close(scope);
        err = err ? err : result;
    }
    post(child, false, err);
    return WR_OK;
}

static void cancel(struct child *child)
{
    spin_lock(&child->lock);
    child->canceled = true;
    if (child->scope)           /* not wr_scope_cancel: a simulation may give way there */
        wr_scope_end(child->scope, WR_CANCELED);
    spin_unlock(&child->lock);
}

/* ---- how often, and how long to wait ---- */

/* Note that it is to be started again now; how many such moments are in the
 * period that ends now, without this one. */
static unsigned count_recent(struct wr_sup *sup, struct child *child, wr_time now)
{
    unsigned count = 0, cap = sup->conf.restarts_max;
    for (unsigned i = 0; i < child->recent_len; i++)
        count += now - child->recent[i] < sup->conf.restarts_within;
    child->recent[child->recent_at] = now;
    child->recent_at = (child->recent_at + 1) % cap;
    if (child->recent_len < cap)
        child->recent_len++;
    return count;
}

/* At the cap there is still jitter, from half of it, so that children that
 * failed together do not come back together for ever. */
static wr_time backoff(const struct wr_sup_conf *conf, unsigned doublings)
{
    wr_time min = conf->backoff_min, max = conf->backoff_max, max_cap = conf->backoff_cap;
    wr_time min_cap = max_cap / 2 > min ? max_cap / 2 : min;
    for (; doublings > 0 && (min < min_cap || max < max_cap); doublings--) {
        min = min < min_cap / 2 ? min * 2 : min_cap;
        max = max < max_cap / 2 ? max * 2 : max_cap;
    }
    return wr_jitter(min, max);
}

/* ---- actions: what is done, and the state after it ---- */

typedef enum wr_child_state action(struct wr_sup *sup, struct child *child);

static enum wr_child_state same(struct wr_sup *sup, struct child *child)
{
    (void)sup;
    return child->stat.state;
}

static enum wr_child_state leave(struct wr_sup *sup, struct child *child)
{
    (void)sup;
    (void)child;
    return WR_CHILD_STOPPED;
}

static enum wr_child_state rest(struct wr_sup *sup, struct child *child)
{
    (void)sup;
    (void)child;
    return WR_CHILD_DOWN;
}

static enum wr_child_state again(struct wr_sup *sup, struct child *child)
{
    if (sup->phase != WR_PHASE_RUNNING)
        return leave(sup, child);
    wr_time now = wr_now();
    unsigned recent = count_recent(sup, child, now);
    if (recent == sup->conf.restarts_max)
        child->stat.degraded = true;
    if (child->stat.degraded && sup->conf.give_up)
        return rest(sup, child);
    child->stat.next = now + backoff(&sup->conf, child->stat.degraded ? UINT32_MAX : recent);
    return WR_CHILD_BACKOFF;
}

static enum wr_child_state start(struct wr_sup *sup, struct child *child)
{
    static struct wr_kind kind = WR_KIND("sup.keeper");
    wr_err err = wr_scope_go_kind(sup->scope, &kind, keep, child);
    if (!err)
        return WR_CHILD_STARTING;
    child->stat.err = err;
    return again(sup, child);
}

static enum wr_child_state restart(struct wr_sup *sup, struct child *child)
{
    child->stat.restarts++;
    wr_counter_add(child->restarted, 1);
    wr_counter_add(wr_retries_of("restart"), 1);
    return start(sup, child);
}

static enum wr_child_state begin(struct wr_sup *sup, struct child *child)
{
    if (child->stat.degraded)
        child->stat.next = wr_now() + sup->conf.restarts_within;
    return WR_CHILD_RUNNING;
}

static enum wr_child_state heal(struct wr_sup *sup, struct child *child)
{
    (void)sup;
    child->stat.degraded = false;
    return WR_CHILD_RUNNING;
}

static enum wr_child_state tell(struct wr_sup *sup, struct child *child)
{
    wr_time within = child->spec->stop_within, until = wr_after(within);
    child->stat.next = within && until < sup->drain_at ? until : sup->drain_at;
    (void)!wr_once_set(child->drain, NULL);
    return WR_CHILD_DRAINING;
}

static enum wr_child_state cut(struct wr_sup *sup, struct child *child)
{
    child->stat.aborted = true;
    sup->aborted++;
    atomic_fetch_add_explicit(&child->kind->aborted, 1, memory_order_relaxed);
    cancel(child);
    return WR_CHILD_ABORTING;
}

/* ---- the table ---- */

/* No action: cannot happen. */
static action *const table[][CHILD_EVENT_COUNT] = {
    /*                    START  BEGUN  DONE   FAILED TIMER    DRAIN  ABORT */
    [WR_CHILD_NEW]      = { start, NULL,  NULL,  NULL,  NULL,    leave, leave },
    [WR_CHILD_STARTING] = { NULL,  begin, rest,  again, NULL,    tell,  cut   },
    [WR_CHILD_RUNNING]  = { NULL,  NULL,  rest,  again, heal,    tell,  cut   },
    [WR_CHILD_BACKOFF]  = { NULL,  NULL,  NULL,  NULL,  restart, leave, leave },
    [WR_CHILD_DOWN]     = { NULL,  NULL,  NULL,  NULL,  NULL,    leave, leave },
    [WR_CHILD_DRAINING] = { NULL,  same,  leave, leave, cut,     NULL,  cut   },
    [WR_CHILD_ABORTING] = { NULL,  same,  leave, leave, NULL,    NULL,  same  },
    [WR_CHILD_STOPPED]  = { NULL,  NULL,  NULL,  NULL,  NULL,    same,  same  },
};

static enum wr_health health(const struct wr_child_stat *stat)
{
    switch (stat->state) {
    case WR_CHILD_RUNNING: return stat->degraded ? WR_HEALTH_DEGRADED : WR_HEALTH_READY;
    case WR_CHILD_STARTING:
    case WR_CHILD_BACKOFF: return stat->degraded ? WR_HEALTH_DEGRADED : WR_HEALTH_UNREADY;
    case WR_CHILD_DOWN:
        return stat->err || stat->degraded ? WR_HEALTH_UNREADY : WR_HEALTH_READY;
    default: return WR_HEALTH_UNREADY;
    }
}

static void log_change(struct wr_sup *sup, struct child *child, bool was_degraded)
{
    const struct wr_child_stat *stat = &child->stat;
    const char *name = stat->name;
    if (stat->degraded && !was_degraded)
        wr_log(WR_ERROR, stat->state == WR_CHILD_DOWN ? "sup.gave_up" : "sup.degraded",
               WR_F_STR("service", name), WR_F_ERR(stat->err),
               WR_F_U64("restarts", stat->restarts));
    else if (stat->state == WR_CHILD_BACKOFF)
        wr_log_limited(&child->log_limit, LOG_SPAN, WR_WARN, "sup.failed",
                       WR_F_STR("service", name), WR_F_ERR(stat->err),
                       WR_F_U64("restarts", stat->restarts),
                       WR_F_MS("again_in_ms", stat->next - stat->since));
    else if (was_degraded && !stat->degraded)
        wr_log(WR_INFO, "sup.recovered", WR_F_STR("service", name));
    else if (stat->state == WR_CHILD_ABORTING)
        wr_log(WR_WARN, "sup.aborted", WR_F_STR("service", name),
               WR_F_STR("phase", wr_sup_phase_name(sup->phase)));
}

void wr_child_step(struct wr_sup *sup, struct child *child, enum child_event event)
{
    enum wr_child_state before = child->stat.state;
    bool was_degraded = child->stat.degraded;
    action *act = table[before][event];
    RT_ASSERT(act != NULL);
    if (act == same)
        return;
    child->stat.next = WR_NEVER;        /* unless the action waits for something else now */
    child->stat.state = act(sup, child);
    if (child->stat.state != before)
        child->stat.since = wr_now();
    child->stat.health = health(&child->stat);
    spin_lock(&child->lock);
    child->shown = child->stat;
    spin_unlock(&child->lock);
    (void)!wr_bcast_send(sup->events, &child->stat);
    if (!sup->conf.quiet)
        log_change(sup, child, was_degraded);
}

enum child_event wr_child_end(const struct child *child, wr_err err)
{
    enum wr_restart policy = child->spec->restart;
    bool again_wanted = policy == WR_RESTART_ALWAYS || (policy == WR_RESTART_ON_ERROR && err);
    return again_wanted ? CHILD_FAILED : CHILD_DONE;
}
