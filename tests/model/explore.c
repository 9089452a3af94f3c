/* explore.c - the search: every order of operations that can make a difference.
 *
 * A run is a sequence of steps; before each, some thread is chosen.  nodes[]
 * holds the choices of the present run; the next run repeats them up to the
 * last one that has an alternative left, and takes that.
 *
 * Two orders that differ only in operations that commute are the same to the
 * program.  Which alternatives are needed follows from the races of the runs
 * seen so far (dynamic partial order reduction with source sets, Abdulla and
 * others, 2014): for two operations that conflict, next to one another in the
 * order of conflicts, some thread that can begin the reversed order must be
 * tried before the first of them.  Sleep sets keep a thread out of the
 * alternatives while nothing has happened that conflicts with its next
 * operation, because that order was seen from the node where it went to sleep.
 *
 * With a bound on preemptions neither is sound, so there all orders within
 * the bound are run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "explore_int.h"

#define RELEASES_MAX 64         /* times that spinners go on although nothing changed */
#define WHERE_MAX 5             /* callers named where a thread is stuck */
#define STREAK_MAX 400          /* steps of one thread, then others go on free of charge */

struct node {
    unsigned enabled, backtrack, sleep;     /* sets of threads */
    unsigned chosen, choice, choices;
    int preempts;                           /* before and at this node */
    unsigned streak;                        /* steps in a row of the chosen thread */
    struct op op;
};

struct settings settings;
struct event events[STEPS_MAX];
unsigned event_count;
uint32_t run_stamp;
struct outcome outcome;

static struct node nodes[STEPS_MAX];
static unsigned replay_depth;
static bool starting;
static unsigned releases;
static jmp_buf give_up;

_Noreturn void model_fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(outcome.failure, sizeof(outcome.failure), format, args);
    va_end(args);
    _longjmp(give_up, 1);
}

static bool conflicts(const struct touch *touch, unsigned count, const struct event *event)
{
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < event->touch_count; k++)
            if (touch[i].addr == event->touch[k].addr
                && (touch[i].write || event->touch[k].write))
                return true;
    return false;
}

/* Who sleeps at a new node: those of the node before whose next operation
 * commutes with the one just done. */
static unsigned still_asleep(unsigned depth)
{
    if (depth == 0 || !settings.reduce)
        return 0;
    unsigned asleep = 0;
    for (unsigned id = 1; id < thread_count; id++) {
        struct touch touch[TOUCH_MAX];
        unsigned count = 0;
        if (!(nodes[depth - 1].sleep & BIT(id)))
            continue;
        memory_touches(&threads[id], touch, &count);
        if (!conflicts(touch, count, &events[depth - 1]))
            asleep |= BIT(id);
    }
    return asleep;
}

static unsigned enabled_set(void)
{
    unsigned set = 0;
    for (unsigned id = 1; id < thread_count; id++)
        if (threads[id].live && memory_enabled(&threads[id]))
            set |= BIT(id);
    return set;
}

static bool release_spinners(void)
{
    bool any = false;
    if (!settings.model->spin_ends || releases++ > RELEASES_MAX)
        return false;
    for (unsigned id = 1; id < thread_count; id++)
        if (threads[id].live && threads[id].op.kind == OP_RELAX)
            any = threads[id].released = true;
    return any;
}

static _Noreturn void fail_stuck(void)
{
    char text[sizeof(outcome.failure)] = "", where[256];
    size_t len = 0;
    for (unsigned id = 1; id < thread_count && len < sizeof(text); id++) {
        const struct thread *thread = &threads[id];
        if (!thread->live)
            continue;
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s thread %u %s at",
                                len ? "," : "", id - 1,
                                thread->op.kind == OP_RELAX ? "spins" : "waits");
        unsigned ups = thread->depth < WHERE_MAX ? thread->depth : WHERE_MAX;
        for (unsigned up = 0; up < ups && len < sizeof(text); up++) {
            report_pc(up ? thread->calls[thread->depth - up] : thread->op.pc, where,
                      sizeof(where));
            len += (size_t)snprintf(text + len, sizeof(text) - len, "%s %s", up ? " <" : "",
                                    where);
        }
    }
    model_fail("deadlock:%s", text);
}

static void open_node(struct node *node, unsigned depth)
{
    unsigned previous = depth ? nodes[depth - 1].chosen : 0;
    bool could_go_on = previous && (node->enabled & BIT(previous));
    int spent = depth ? nodes[depth - 1].preempts : 0;
    bool tired = depth && nodes[depth - 1].streak >= STREAK_MAX;
    node->sleep = still_asleep(depth);
    node->choice = 0;
    node->choices = 1;
    unsigned open = node->enabled & ~node->sleep;
    if (!settings.reduce && settings.preempt_max >= 0 && could_go_on) {
        if (tired && open != BIT(previous))
            open &= ~BIT(previous);
        else if (spent >= settings.preempt_max)
            open = BIT(previous);
    }
    if (!open) {
        outcome.redundant_run = true;
        _longjmp(give_up, 1);
    }
    node->chosen = open & BIT(previous) ? previous : (unsigned)__builtin_ctz(open);
    node->backtrack = settings.reduce ? BIT(node->chosen) : open;
}

/* A thread that could go on was held up: unless it has gone on long enough, for
 * two that wait for one another without saying so must both get a turn. */
static void count_preemption(struct node *node, unsigned depth, unsigned enabled)
{
    static const struct node before_all;
    const struct node *last = depth ? &nodes[depth - 1] : &before_all;
    bool switched = node->chosen != last->chosen;
    bool held_up = switched && (enabled & BIT(last->chosen)) && last->streak < STREAK_MAX;
    node->preempts = last->preempts + held_up;
    node->streak = switched ? 1 : last->streak + 1;
}

/* The thread that makes the next step; 0 when all have ended. */
static unsigned choose(void)
{
    unsigned depth = event_count, live = 0;
    for (unsigned id = 1; id < thread_count; id++)
        live |= threads[id].live ? BIT(id) : 0;
    if (!live)
        return 0;
    if (depth == STEPS_MAX)
        model_fail("more than %d operations: it does not end", STEPS_MAX);

    struct node *node = &nodes[depth];
    unsigned enabled = enabled_set();
    if (!enabled && release_spinners())
        enabled = enabled_set();
    if (!enabled)
        fail_stuck();
    if (depth >= replay_depth) {
        node->enabled = enabled;
        open_node(node, depth);
    } else if (!(enabled & BIT(node->chosen))) {
        model_fail("the model does not repeat: thread %u cannot go on", node->chosen - 1);
    }
    const struct op *op = &threads[node->chosen].op;
    if (depth + 1 < replay_depth && node->op.kind
        && (node->op.kind != op->kind || node->op.addr != op->addr))
        model_fail("the model does not repeat: thread %u does something else",
                   node->chosen - 1);
    node->op = *op;
    count_preemption(node, depth, enabled);
    return node->chosen;
}

void run_step(const struct op *op)
{
    threads[self].op = *op;
    if (self == 0)
        return;
    unsigned next = starting ? 0 : choose();
    if (next != self)
        thread_switch(next);
}

void run_thread_ended(void)
{
    threads[self].live = false;
    thread_switch(starting ? 0 : choose());
}

unsigned run_choice(unsigned count)
{
    if (self == 0)
        return 0;
    struct node *node = &nodes[event_count];
    node->choices = count;
    return node->choice;
}

struct event *run_event(void)
{
    static struct event scratch;
    struct event *event = self ? &events[event_count] : &scratch;
    const struct thread *thread = &threads[self];
    *event = (struct event){ .op = thread->op, .thread = self };
    if (thread->depth > 1 && thread->depth <= CALLS_MAX)
        event->caller = thread->calls[thread->depth - 1];
    return event;
}

static bool comes_before(const struct event *a, const struct clock *after)
{
    return a->nth <= after->at[a->thread];
}

/* The reversed order of events[at] and `late` must be begun at the node of
 * the first: by one of the threads whose next operation there, among those
 * that do not come after events[at], comes after no other. */
static void ask_reversal(unsigned at, const struct event *late)
{
    const struct event *first[THREADS] = { 0 };
    for (unsigned k = at + 1; k < event_count; k++)
        if (!first[events[k].thread] && !comes_before(&events[at], &events[k].after))
            first[events[k].thread] = &events[k];
    if (!first[late->thread])
        first[late->thread] = late;

    unsigned initials = 0;
    for (unsigned q = 1; q < thread_count; q++) {
        bool initial = first[q] != NULL;
        for (unsigned r = 1; r < thread_count && initial; r++)
            if (r != q && first[r] && comes_before(first[r], &first[q]->after))
                initial = false;
        initials |= initial ? BIT(q) : 0;
    }
    struct node *node = &nodes[at];
    unsigned can = initials & node->enabled;
    if ((initials & node->backtrack) || !can)
        return;
    unsigned asleep = can & node->sleep;
    node->backtrack |= BIT(__builtin_ctz(asleep ? asleep : can));
}

/* Earlier events in direct conflict with this one, by place. */
static unsigned rivals(struct event *event, unsigned *ret)
{
    unsigned count = 0;
    for (unsigned i = 0; i < event->touch_count; i++) {
        const struct place *place = place_at(event->touch[i].addr);
        event->older[i] = place->last_write;
        if (place->last_write >= 0)
            ret[count++] = (unsigned)place->last_write;
        for (unsigned id = 1; id < thread_count && event->touch[i].write; id++)
            if (place->last_read[id] >= 0)
                ret[count++] = (unsigned)place->last_read[id];
    }
    return count;
}

static int older_write(const struct event *event, uintptr_t addr)
{
    for (unsigned i = 0; i < event->touch_count; i++)
        if (event->touch[i].addr == addr)
            return event->older[i];
    return -1;
}

/* An operation that waited, for a lock or a change, cannot come just before
 * the write that let it go.  But it could have come before an earlier one,
 * which took away what it waited for. */
static void find_earlier_chance(const struct event *event, const struct clock *before)
{
    for (unsigned i = 0; i < event->touch_count; i++) {
        int at = event->older[i];
        while (at >= 0 && !comes_before(&events[at], before)
               && !memory_enabled_at(event, i, events[at].before))
            at = older_write(&events[at], event->touch[i].addr);
        if (at >= 0 && at != event->older[i] && !comes_before(&events[at], before))
            ask_reversal((unsigned)at, event);
    }
}

static void find_races(const struct event *event, const struct clock *before,
                       const unsigned *rival, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const struct event *early = &events[rival[i]];
        bool direct = early->thread != event->thread && !comes_before(early, before);
        for (unsigned k = 0; k < count && direct; k++)
            if (rival[k] != rival[i] && comes_before(early, &events[rival[k]].after))
                direct = false;
        if (direct)
            ask_reversal(rival[i], event);
    }
    find_earlier_chance(event, before);
}

static void note_touches(const struct event *event)
{
    for (unsigned i = 0; i < event->touch_count; i++) {
        struct place *place = place_at(event->touch[i].addr);
        if (event->touch[i].write) {
            place->last_write = (int)event_count;
            for (unsigned id = 0; id < THREADS; id++)
                place->last_read[id] = -1;
        } else {
            place->last_read[event->thread] = (int)event_count;
        }
    }
}

void run_done(struct event *event)
{
    if (event->thread == 0)
        return;
    struct thread *thread = &threads[event->thread];
    unsigned rival[TOUCH_MAX * (THREADS + 1)];
    event->nth = ++thread->events;
    if (settings.reduce) {
        struct clock before = thread->order;
        unsigned count = rivals(event, rival);
        for (unsigned i = 0; i < count; i++)
            clock_join(&thread->order, &events[rival[i]].after);
        thread->order.at[event->thread] = event->nth;
        event->after = thread->order;
        if (event_count + 1 >= replay_depth)
            find_races(event, &before, rival, count);
        note_touches(event);
    }
    event_count++;
}

static void solo(void (*fn)(void))
{
    if (fn)
        fn();
}

/* Setup, threads, finish.  Everything between is thread switches. */
static void run_body(void)
{
    const struct model *model = settings.model;
    solo(model->setup);
    starting = true;
    for (unsigned id = 1; id < thread_count; id++) {
        struct clock own = threads[id].hb;
        threads[id].hb = threads[0].hb;
        threads[id].hb.at[id] = own.at[id];
        threads[id].live = true;
    }
    threads[0].hb.at[0]++;
    for (unsigned id = 1; id < thread_count; id++)
        thread_switch(id);
    starting = false;
    unsigned first = choose();
    if (first)
        thread_switch(first);
    for (unsigned id = 1; id < thread_count; id++)
        clock_join(&threads[0].hb, &threads[id].hb);
    solo(model->finish);
    heap_check_leaks();
}

void run_once(void)
{
    run_stamp++;
    shadow_restore();
    heap_reset();
    memory_reset();
    threads_reset(settings.model);
    event_count = releases = 0;
    starting = false;
    outcome.redundant_run = false;
    outcome.failure[0] = '\0';
    running = true;
    if (_setjmp(give_up) == 0)
        run_body();
    running = false;
    thread_home();
    if (event_count > outcome.depth_max)
        outcome.depth_max = event_count;
    if (outcome.redundant_run)
        outcome.redundant++;
    else
        outcome.schedules++;
}

/* The next order: the deepest node with an alternative.  False: all seen. */
static bool advance(void)
{
    for (unsigned depth = event_count; depth-- > 0;) {
        struct node *node = &nodes[depth];
        if (node->choice + 1 < node->choices) {
            node->choice++;
            replay_depth = depth + 1;
            return true;
        }
        node->sleep |= BIT(node->chosen);
        unsigned open = node->backtrack & node->enabled & ~node->sleep;
        if (open) {
            node->chosen = (unsigned)__builtin_ctz(open);
            node->choice = 0;
            node->choices = 1;
            replay_depth = depth + 1;
            return true;
        }
    }
    return false;
}

bool explore(bool (*enough)(void))
{
    outcome = (struct outcome){ 0 };
    replay_depth = 0;
    do {
        run_once();
        if (outcome.failure[0])
            return true;
        if (enough && enough())
            return false;
    } while (advance());
    outcome.complete = true;
    return true;
}

unsigned run_order(unsigned depth, unsigned *ret_choice)
{
    *ret_choice = nodes[depth].choice;
    return nodes[depth].chosen;
}

void replay(const struct step *steps, unsigned count)
{
    outcome = (struct outcome){ 0 };
    for (unsigned i = 0; i < count; i++)
        nodes[i] =
            (struct node){ .chosen = steps[i].thread, .choice = steps[i].choice, .choices = 1 };
    replay_depth = count;
    run_once();
}
