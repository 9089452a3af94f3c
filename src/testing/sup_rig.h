/* sup_rig.h - for the tests of the supervisor: children that do as their part
 * says, what they did and when, and a supervisor in a task of its own. */
#ifndef WR_TESTING_SUP_RIG_H
#define WR_TESTING_SUP_RIG_H

#include <stdatomic.h>
#include <string.h>

#include <weir/scope.h>
#include <weir/sup.h>
#include <weir/task.h>

#include "testing/test.h"

/* ---- what happened, in order ---- */

#define TRACE_MAX 64

static struct {
    _Atomic int count;
    struct { char who, what; wr_time at; } rows[TRACE_MAX];
    wr_time zero;
} trace;

static inline void trace_open(void)
{
    trace.count = 0;
    trace.zero = wr_now();
}

static inline void note(char who, char what)
{
    int at = atomic_fetch_add(&trace.count, 1);
    if (CHECK(at < TRACE_MAX)) {
        trace.rows[at].who = who;
        trace.rows[at].what = what;
        trace.rows[at].at = wr_now() - trace.zero;
    }
}

/* The trace of one letter, as "abc". */
static inline const char *order_of(char what)
{
    static char text[TRACE_MAX + 1];
    int len = 0;
    for (int i = 0; i < trace.count && i < TRACE_MAX; i++)
        if (trace.rows[i].what == what)
            text[len++] = trace.rows[i].who;
    text[len] = '\0';
    return text;
}

static inline wr_time moment(char who, char what)
{
    for (int i = 0; i < trace.count && i < TRACE_MAX; i++)
        if (trace.rows[i].who == who && trace.rows[i].what == what)
            return trace.rows[i].at;
    return -1;
}

/* ---- children that do as their part says ---- */

struct part {
    char who;
    wr_time drain_takes;        /* from being told to being gone */
    bool deaf;                  /* it does not look at its drain event */
    wr_time slow_to_die;        /* from its cancel to being gone, in a shield */
    wr_time fails_at;           /* from its begin; 0: never */
    wr_time fails_told;         /* it fails this long after being told; 0: never */
    struct wr_sup **stops;      /* it stops this supervisor as soon as it begins */
    struct wr_watch *phase;     /* noted when it is told */
    enum wr_phase phase_when_told;
    _Atomic int begun;
};

static inline wr_err die_slowly(const struct part *part)
{
    struct wr_scope *shield;
    wr_err err = wr_scope_new(&shield, &(struct wr_scope_conf){
        .name = "shield", .deadline = wr_after(WR_S(100)), .shield = true });
    if (err)
        return err;
    wr_scope_enter(shield);
    CHECK_OK(wr_sleep(wr_after(part->slow_to_die)));
    wr_scope_leave(shield);
    return wr_scope_close(shield);
}

static inline wr_err live(struct part *part, struct wr_once *drain)
{
    if (part->deaf)
        return wr_sleep(WR_NEVER);
    wr_time end = part->fails_at ? wr_after(part->fails_at) : WR_NEVER;
    wr_err err = wr_once_wait(drain, NULL, end);
    if (err)
        return err;
    note(part->who, 't');
    if (part->phase)
        wr_watch_get(part->phase, &part->phase_when_told);
    err = wr_sleep(wr_after(part->fails_told ? part->fails_told : part->drain_takes));
    return !err && part->fails_told ? WR_IO : err;
}

static inline wr_err play(void *arg, struct wr_once *drain)
{
    struct part *part = arg;
    note(part->who, 'b');
    atomic_fetch_add(&part->begun, 1);
    if (part->stops)
        wr_sup_stop(*part->stops);
    wr_err err = live(part, drain);
    if (err == WR_CANCELED) {
        note(part->who, 'c');
        if (part->slow_to_die)
            CHECK_OK(die_slowly(part));
    }
    note(part->who, 'g');
    return err;
}

/* ---- a supervisor in a task of its own ---- */

struct rig {
    struct wr_sup *sup;
    struct wr_scope *scope;
    wr_err result;
    wr_time ended;
};

static inline wr_err run_sup(void *arg)
{
    struct rig *rig = arg;
    rig->result = wr_sup_run(rig->sup);
    rig->ended = wr_now();
    return WR_OK;
}

static inline void rig_make(struct rig *rig, struct wr_sup_conf conf)
{
    conf.name = "test";
    conf.quiet = true;
    *rig = (struct rig){ 0 };
    CHECK_OK(wr_sup_new(&rig->sup, &conf));
}

static inline void rig_start(struct rig *rig)
{
    CHECK_OK(wr_scope_new(&rig->scope, &(struct wr_scope_conf){ .name = "test",
                                                                .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(rig->scope, "test.sup", run_sup, rig));
    CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    trace.zero = wr_now();
}

/* Wait for the end; how long it took since the trace's zero. */
static inline wr_time rig_end(struct rig *rig, wr_err want)
{
    CHECK_OK(wr_scope_join(rig->scope, WR_NEVER));
    CHECK_ERR(want, rig->result);
    CHECK_OK(wr_scope_close(rig->scope));
    for (size_t i = 0; i < 3; i++)
        CHECK_EQ(WR_CHILD_STOPPED, wr_sup_stat(rig->sup, i).state);
    wr_sup_free(rig->sup);
    return rig->ended - trace.zero;
}

static inline wr_time rig_stop(struct rig *rig, wr_err want)
{
    wr_sup_stop(rig->sup);
    return rig_end(rig, want);
}

/* Three children, a, b and c, in groups of their own. */
static struct part a, b, c;

#define CHILD(name_, group_) \
    { #name_, play, &name_, WR_RESTART_ALWAYS, .group = group_ }

static inline void three(struct rig *rig, struct wr_sup_conf conf)
{
    static const struct wr_child children[] = { CHILD(a, 0), CHILD(b, 1), CHILD(c, 2) };
    conf.children = children;
    conf.count = 3;
    a.who = 'a', b.who = 'b', c.who = 'c';
    trace_open();
    rig_make(rig, conf);
}

#endif
