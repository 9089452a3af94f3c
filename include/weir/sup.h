/* sup.h - supervision: keep a list of children alive, and stop them in order.
 *
 * Children are data:
 *
 *     static const struct wr_child children[] = {
 *         { "metrics", serve_metrics, &node, WR_RESTART_ALWAYS, .group = 0 },
 *         { "worker",  work,          &node, WR_RESTART_ALWAYS, .group = 1 },
 *         { "ingress", take_requests, &node, WR_RESTART_ALWAYS, .group = 2,
 *           .stop_within = WR_S(1) },
 *     };
 *
 * They are started in the order of the list, each when the one before it has
 * begun.  A child that fails is started again after a pause: returning an error
 * is failing, and so is a panic, which ends the child and nothing else.  The
 * pause is drawn between backoff_min and backoff_max, from twice that the next
 * time, and so on up to backoff_cap; it is short again when the child has not
 * failed for restarts_within.
 *
 * A child that was to be started again more than restarts_max times within
 * restarts_within is degraded.  It is still started again, with the longest
 * pause, and is no longer degraded once it has run for restarts_within.  Under
 * give_up it stays down instead.
 *
 * Stopping is a protocol.  wr_sup_stop turns the phase from Running to
 * Draining, before anybody is told anything and so that everybody can see it;
 * from then on nothing is started any more.  Then the groups are told to finish,
 * the highest first, all children of a group at once, and the next group when
 * the last of them is gone: what is listed first (the metrics) leaves last.
 * A child is told by its drain event:
 *
 *     static wr_err work(void *arg, struct wr_once *drain)
 *     {
 *         struct job job;
 *         struct wr_case cases[] = { WR_CASE_RECV(jobs, &job), WR_CASE_ONCE(drain, NULL) };
 *         size_t which;
 *         wr_err err;
 *         while (!(err = wr_select(&which, cases, 2, WR_NEVER)) && which == 0)
 *             handle(&job);           // drain is listed last: the queue is emptied first
 *         return err;
 *     }
 *
 * One that is not gone after its stop_within, or when drain_within is over for
 * all, is aborted: its scope is canceled, so that each of its waits returns
 * WR_CANCELED, and it is awaited.  Aborted children are counted and logged.
 * When drain_within is over, and when wr_sup_stop is called again, the phase
 * turns to Aborting: all groups that are left are aborted, still in their order.
 *
 * A child runs as a task in a scope of its own.  Tasks it starts there
 * (wr_scope_self) belong to it: it is gone when they are.
 */
#ifndef WEIR_SUP_H
#define WEIR_SUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/bcast.h>
#include <weir/err.h>
#include <weir/once.h>
#include <weir/panic.h>
#include <weir/time.h>
#include <weir/watch.h>

struct wr_sup;

/* What a child runs.  `drain` is set when it should finish what it has and return. */
typedef wr_err (*wr_child_fn)(void *arg, struct wr_once *drain);

enum wr_restart {
    WR_RESTART_ALWAYS = 1,  /* whatever it returned; zero is no policy: it must be said */
    WR_RESTART_ON_ERROR,    /* WR_OK means that it is done */
    WR_RESTART_NEVER,
};

struct wr_child {
    const char *name;       /* required; also the kind of its task.  Several may share one */
    wr_child_fn run;        /* required */
    void *arg;
    enum wr_restart restart;    /* required */
    unsigned group;         /* ascending in the list; the highest is stopped first */
    wr_time stop_within;    /* from its drain event to its abort; 0: what is left for all */
    bool control;           /* it runs in a control scope (scope.h) */
};

/* Everything but name and children has a default: zero. */
struct wr_sup_conf {
    const char *name;               /* required, at most 32 bytes; "node" */
    const struct wr_child *children;    /* required; must stay, with what it points to */
    size_t count;                   /* required */
    wr_time drain_within;           /* for all groups together: 3 s; at most 5 s */
    wr_time backoff_min;            /* 100 ms */
    wr_time backoff_max;            /* 500 ms */
    wr_time backoff_cap;            /* 5 s */
    unsigned restarts_max;          /* 5; at most 100 */
    wr_time restarts_within;        /* 60 s */
    bool give_up;                   /* restarted too often: it stays down */
    bool quiet;                     /* write no log lines */
};

enum wr_phase {
    WR_PHASE_RUNNING = 1,
    WR_PHASE_DRAINING,
    WR_PHASE_ABORTING,
    WR_PHASE_STOPPED,
};

enum wr_child_state {
    WR_CHILD_NEW,           /* its turn has not come */
    WR_CHILD_STARTING,      /* its task is made and has not begun */
    WR_CHILD_RUNNING,
    WR_CHILD_BACKOFF,       /* failed; it is started again at `next` */
    WR_CHILD_DOWN,          /* done, or given up */
    WR_CHILD_DRAINING,      /* told to finish; it is aborted at `next` */
    WR_CHILD_ABORTING,      /* canceled, and awaited */
    WR_CHILD_STOPPED,       /* gone */
};

/* What others may expect of a child: the values of readyz_state{service}. */
enum wr_health {
    WR_HEALTH_UNREADY = 0,  /* not running, or about to leave */
    WR_HEALTH_DEGRADED = 1, /* restarted too often lately */
    WR_HEALTH_READY = 2,    /* running, or done */
};

struct wr_child_stat {
    size_t index;           /* in the list */
    const char *name;
    unsigned group;
    enum wr_child_state state;
    enum wr_health health;
    bool degraded;
    bool aborted;
    wr_err err;             /* what its last run ended with; WR_OK before the first end */
    uint64_t restarts;
    wr_time since;          /* it is in this state */
    wr_time next;           /* when the supervisor will act by itself; else WR_NEVER */
};

/* Make a supervisor; nothing is started yet.  A missing or contradictory conf
 * is a panic.  The kinds of the children's tasks are kept, by their names, for
 * the life of the process.  Errors: NOMEM. */
wr_err wr_sup_new(struct wr_sup **ret, const struct wr_sup_conf *conf WR_AT);
#define wr_sup_new(ret, ...) wr_sup_new(ret, __VA_ARGS__, WR_HERE)

/* Start the children and supervise them, in the calling fiber, until they have
 * been stopped.  Once per supervisor.  When the caller's own scope ends,
 * everything below it is canceled at once, in no order; it is awaited all the
 * same, and every child that was running counts as aborted.
 * Errors: TIMEOUT (stopped, but children had to be aborted; or the caller's
 * scope timed out), CANCELED, NOMEM (nothing was started). */
wr_err wr_sup_run(struct wr_sup *sup WR_AT);
#define wr_sup_run(sup) wr_sup_run(sup, WR_HERE)

/* Begin to drain; called again: abort.  Does not wait.  Any fiber and any
 * thread may call it, also before wr_sup_run, which then starts nothing. */
void wr_sup_stop(struct wr_sup *sup);

/* It must not be running, and no fiber may wait on its phase or its events.
 * NULL is allowed. */
void wr_sup_free(struct wr_sup *sup WR_AT);
#define wr_sup_free(sup) wr_sup_free(sup, WR_HERE)

/* The phase, an enum wr_phase.  Closed after Stopped. */
struct wr_watch *wr_sup_phase(struct wr_sup *sup);

/* Every change of a child's state, as the struct wr_child_stat after it, in
 * the order in which they happened; the last 256 are kept.  Closed after the
 * last child is gone. */
struct wr_bcast *wr_sup_events(struct wr_sup *sup);

/* What the child at this place in the list is doing.  Any thread. */
struct wr_child_stat wr_sup_stat(struct wr_sup *sup, size_t child WR_AT);
#define wr_sup_stat(sup, child) wr_sup_stat(sup, child, WR_HERE)

/* "running", "backoff"; "draining" */
const char *wr_sup_state_name(enum wr_child_state state);
const char *wr_sup_phase_name(enum wr_phase phase);

#endif
