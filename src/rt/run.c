/* run.c - starting the runtime, and leaving nothing of it behind. */
#include <weir/run.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/metric.h"
#include "base/world.h"
#include "rt/monitor.h"
#include "rt/offload_int.h"
#include "rt/sanitize.h"
#include "rt/scope_int.h"

#define TASKS_MAX ((size_t)4 * 1000 * 1000)
#define TASKS_MOST ((size_t)1 << 40)        /* more than memory has room for anywhere */
#define STACK_SIZE_MIN ((size_t)16 * 1024)
#define STACK_SIZE_MAX ((size_t)64 * 1024 * 1024)
#define OFFLOAD_THREADS_MAX 16
#define OFFLOAD_QUEUE_MAX 1024
#if defined(ASAN) || defined(TSAN)
#define STACK_SIZE ((size_t)512 * 1024)
#else
#define STACK_SIZE ((size_t)64 * 1024)
#endif

struct rt wr_rt;
_Atomic unsigned wr_rt_outside;

/* ---- the virtual clock ---- */

static wr_time virtual_mono(void)
{
    return atomic_load(&wr_rt.now);
}

static int64_t virtual_wall(void)
{
    wr_time now = virtual_mono();
    return wr_rt.hooks ? wr_rt.hooks->wall(now) : wr_rt.wall_offset + now;
}

static struct wr_world virtual_world;

static void clock_open(void)
{
    if (!wr_rt.conf.virtual_clock)
        return;
    /* An even second, far from zero, so that "a minute ago" is a moment too. */
    atomic_store(&wr_rt.now, WR_S(1000));
    wr_rt.wall_offset = WR_S(1800000000);
    virtual_world = *wr_world;
    virtual_world.mono = virtual_mono;
    virtual_world.wall = virtual_wall;
    wr_world = &virtual_world;
}

static const struct wr_world *outer_world;

/* ---- faults ---- */

static void on_fault(int signal, void *address)
{
    char line[300];
    struct fiber *fiber = fiber_self();
    const char *name = fiber ? wr_fiber_name(fiber) : "thread";
    int len;
    if (fiber && fiber->started && wr_stack_of_guard(address) == fiber->stack)
        len =
            snprintf(line, sizeof(line),
                     "weir: stack overflow in task %s, started at %s: it outgrew its %zu KiB; "
                     "raise stack_size, or put large buffers elsewhere\n",
                     name, fiber->task.kind->place, fiber->stack_size / 1024);
    else
        len = snprintf(line, sizeof(line), "weir: signal %d at address %p in task %s\n", signal,
                       address, name);
    wr_world->complain(line, (size_t)len < sizeof(line) ? (size_t)len : sizeof(line) - 1);
}

static void on_fork(void)
{
    if (wr_rt.workers)
        wr_fiber_forked();
}

/* ---- workers ---- */

static void worker_main(void *arg)
{
    struct worker *w = arg;
    void *fault_stack;
    wr_worker_self = w;
    wr_metric_thread_enter();
    wr_os_fault_stack_open(&fault_stack);
    wr_fiber_sched_init(w);
    wr_sched_loop(w);
    wr_os_fault_stack_close(fault_stack);
    wr_metric_thread_leave();
    wr_worker_self = NULL;
}

static void free_scopes(struct fiber *fiber)
{
    while (fiber->scopes) {
        struct wr_scope *scope = fiber->scopes;
        fiber->scopes = scope->owner_below;
        free(scope);
    }
}

/* Fibers that have not ended: only a simulation that was abandoned leaves any.
 * Some wait or have waited; others were only ever made to give way. */
static void free_abandoned(struct worker *w)
{
    for (int class = 0; class < 2; class++)
        for (struct fiber *fiber = w->ready[class].head, *next; fiber; fiber = next) {
            next = fiber->next;
            if (!fiber->all_link) {
                free_scopes(fiber);
                wr_fiber_fini(fiber);
            }
        }
    while (w->all) {
        free_scopes(w->all);
        wr_fiber_fini(w->all);
    }
}

/* All stacks go together afterwards, with their pool. */
static void worker_close(struct worker *w)
{
    while (w->spare) {
        struct fiber *fiber = w->spare;
        w->spare = fiber->next;
        wr_fiber_fini(fiber);
    }
    free_abandoned(w);
    wr_os_poll_close(&w->poll);
}

static void stop_all(void)
{
    atomic_store(&wr_rt.stopping, true);
    for (unsigned i = 0; i < wr_rt.count; i++)
        wr_os_poll_kick(&wr_rt.workers[i].poll);
}

/* ---- the first task ---- */

struct first { wr_task_fn fn; void *arg; wr_err err; };

static struct wr_kind main_kind = { .name = "main" };       /* its place is who called */

static wr_err run_first(void *arg)
{
    struct first *first = arg;
    first->err = WR_PANIC;      /* stands when fn does not return, or leaves something open */
    wr_err err = first->fn(first->arg);
    if (!wr_fiber_left_over(fiber_self()))
        first->err = err;
    return err;
}

/* Ends the run when the first task is gone, however it went. */
static wr_err run_root(void *arg)
{
    struct first *first = arg;
    struct wr_scope *scope;
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "run",
                                                               .deadline = WR_NEVER });
    if (!err) {
        err = wr_scope_go_kind(scope, &main_kind, run_first, first);
        if (!err)
            (void)!wr_scope_join(scope, WR_NEVER);
        (void)!wr_scope_close(scope);
    }
    if (err)
        first->err = err;
    stop_all();
    return WR_OK;
}

static void complain_threads(const char *env)
{
    char line[120];
    snprintf(line, sizeof(line),
             "weir: WEIR_THREADS is \"%.32s\", not a number: one worker per core\n", env);
    wr_world->complain(line, strlen(line));
}

static unsigned worker_count(const struct wr_run_conf *conf)
{
    unsigned count = conf->workers;
    const char *env = wr_world->env("WEIR_THREADS");
    if (count == 0 && env) {
        char *end;
        unsigned long number = strtoul(env, &end, 10);
        if (*env < '0' || *env > '9' || *end)
            complain_threads(env);
        else
            count = number < WORKERS_MAX ? (unsigned)number : WORKERS_MAX;
    }
    if (count == 0)
        count = wr_rt.cores;
    unsigned most = conf->control ? WORKERS_MAX - 1 : WORKERS_MAX;
    return count < most ? count : most;
}

static wr_err open_workers(void)
{
    wr_rt.workers = aligned_alloc(CACHE_LINE, wr_rt.count * sizeof(*wr_rt.workers));
    if (!wr_rt.workers)
        return WR_NOMEM;
    memset(wr_rt.workers, 0, wr_rt.count * sizeof(*wr_rt.workers));
    wr_rt.control = wr_rt.count > wr_rt.pool ? &wr_rt.workers[wr_rt.pool] : NULL;
    for (unsigned i = 0; i < wr_rt.count; i++) {
        struct worker *w = &wr_rt.workers[i];
        w->id = i;
        w->control = i == wr_rt.pool;
        w->shares = i < wr_rt.pool && wr_rt.pool > 1;
        snprintf(w->name, sizeof(w->name), w->control ? "the control worker" : "worker %u", i);
        wr_rand_seed_from_world(&w->rand);
        wr_err err = wr_os_poll_open(&w->poll);
        if (err) {
            while (i-- > 0)
                wr_os_poll_close(&wr_rt.workers[i].poll);
            return err;
        }
    }
    return WR_OK;
}

/* Later on tasks wait for a stack; without a single one nothing would ever run. */
static wr_err first_stack(void)
{
    struct stack stack;
    wr_err err = wr_stack_get(&stack);
    if (!err)
        wr_stack_put(stack.slab, stack.low);
    return err;
}

static void configure(const struct wr_run_conf *conf, const struct rt_hooks *hooks,
                      const char *place)
{
    wr_rt = (struct rt){ .conf = *conf, .hooks = hooks, .cores = wr_os_cores() };
    struct wr_run_conf *c = &wr_rt.conf;
    c->virtual_clock |= hooks != NULL;
    wr_rt.pool = hooks ? 1 : worker_count(conf);
    wr_rt.count = wr_rt.pool + (c->control && !c->virtual_clock);
    if (c->stack_size == 0)
        c->stack_size = STACK_SIZE;
    if (c->stack_size < STACK_SIZE_MIN || c->stack_size > STACK_SIZE_MAX)
        wr_panic_at(place, "a stack of %zu bytes: %zu to %zu are allowed", c->stack_size,
                    STACK_SIZE_MIN, STACK_SIZE_MAX);
    if (c->tasks_max == 0)
        c->tasks_max = TASKS_MAX;
    if (c->tasks_max > TASKS_MOST)
        c->tasks_max = TASKS_MOST;
    if (c->offload_threads_max == 0)
        c->offload_threads_max = OFFLOAD_THREADS_MAX;
    if (c->offload_queue_max == 0)
        c->offload_queue_max = OFFLOAD_QUEUE_MAX;
    atomic_store(&wr_rt.tickets, c->tasks_max + 2);     /* ours: root and main */
}

/* The root task is queued by hand: no task exists yet that could start it. */
static wr_err queue_root(struct worker *w, struct wr_scope *root, struct first *first)
{
    static struct wr_kind root_kind = WR_KIND("root");
    wr_kind_know(&root_kind);
    wr_scope_init_root(root);
    wr_rt.root = root;
    atomic_store(&root->live, 1);
    count_shard(&root_kind.count[0].spawned, wr_rt.count);
    if (!wr_ticket_take(w))
        return WR_NOMEM;
    return wr_fresh_push(w, 0, &(struct task){
        .fn = run_root, .arg = first, .scope = root, .kind = &root_kind,
        .id = ++w->ids * wr_rt.count });
}

/* The calling thread is worker 0.  Nothing runs before everything is there. */
static wr_err run_workers(struct first *first)
{
    struct wr_scope root;
    unsigned started = 1;
    wr_err err = WR_OK;
    struct worker *w = &wr_rt.workers[0];
    wr_os_thread_self(&w->thread);
    for (; started < wr_rt.count && !err; started += !err) {
        char name[16];
        struct worker *other = &wr_rt.workers[started];
        snprintf(name, sizeof(name), other->control ? "weir-control" : "weir-%u", started);
        err = wr_os_thread_start(&other->thread, name, worker_main, other);
    }
    if (!err && !wr_rt.conf.virtual_clock)
        err = wr_monitor_start();
    if (!err)
        err = queue_root(w, &root, first);
    if (err)
        stop_all();
    worker_main(w);
    wr_monitor_stop();
    for (unsigned i = 1; i < started; i++)
        wr_os_thread_join(&wr_rt.workers[i].thread);
    wr_rt.root = NULL;
    return err;
}

static wr_err run(const struct wr_run_conf *conf, const struct rt_hooks *hooks,
                  struct first first, const char *place)
{
    static _Atomic bool running, prepared;
    wr_fork_check(place, "wr_run");
    if (atomic_exchange(&running, true))
        wr_panic_at(place, "wr_run inside wr_run: one run at a time per process");
    outer_world = wr_world;
    configure(conf, hooks, place);
    main_kind.place = place;
    if (!atomic_exchange(&prepared, true)) {
        wr_os_at_fork(on_fork);
        wr_os_faults(on_fault);
        wr_os_no_sigpipe();
        wr_rt_metrics();
    }
    wr_fiber_panics();
    wr_stack_pool_open(wr_rt.conf.stack_size);
    clock_open();
    wr_err err = first_stack();
    if (!err)
        err = open_workers();
    if (!err) {
        err = run_workers(&first);
        wr_offload_stop();
        while (atomic_load(&wr_rt_outside))     /* a thread that just woke our last fiber */
            wr_os_relax(0);
        for (unsigned i = 0; i < wr_rt.count; i++)
            worker_close(&wr_rt.workers[i]);
    }
    wr_fd_table_free();
    if (wr_rt.workers)
        wr_fresh_close();
    wr_stack_pool_close();
    free(wr_rt.workers);
    free(wr_rt.candidates);
    wr_rt.candidates = NULL;
    wr_rt.workers = NULL;
    wr_rt.count = 0;
    wr_world = outer_world;
    atomic_store(&running, false);
    return err ? err : first.err;
}

wr_err (wr_run)(const struct wr_run_conf *conf, wr_task_fn fn, void *arg, const char *place)
{
    return run(conf, NULL, (struct first){ .fn = fn, .arg = arg, .err = WR_NOMEM }, place);
}

wr_err wr_run_hooked(const struct wr_run_conf *conf, const struct rt_hooks *hooks,
                     wr_task_fn fn, void *arg)
{
    return run(conf, hooks, (struct first){ .fn = fn, .arg = arg, .err = WR_NOMEM }, WR_HERE);
}

void wr_run_cancel(void)
{
    wr_scope_end(wr_rt.root, WR_CANCELED);
}

void wr_run_abandon(void)
{
    atomic_store(&wr_rt.stopping, true);
}

/* ---- the dump ---- */

/* Rows are copied under the locks of the scopes and printed after: standard error
 * may be slow, and whoever begins to wait in a scope needs its lock. */
#define DUMP_ROWS 4096
#define DUMP_ROWS_STARVED 32

struct dump_row {
    const struct wr_kind *kind;
    uint64_t id;
    const char *what, *place;
    const struct worker *worker;
    bool waits;
};

struct dump { struct dump_row *rows; size_t count, cap, left_out; };

/* What a fiber writes down for itself as it begins to wait is a moment old at
 * worst.  Only in_scope and what the task is are guarded. */
static void note_fiber(struct dump *dump, const struct fiber *fiber)
{
    if (dump->count == dump->cap) {
        dump->left_out++;
        return;
    }
    dump->rows[dump->count++] = (struct dump_row){
        .kind = fiber->task.kind, .id = fiber->task.id, .worker = fiber->home,
        .waits = (atomic_load(&fiber->word) & WAIT_STATE) == WAIT_ARMED,
        .what = atomic_load_explicit(&fiber->what, memory_order_relaxed),
        .place = atomic_load_explicit(&fiber->place, memory_order_relaxed),
    };
}

/* A fiber that is listed under a scope cannot end, nor a scope that is listed
 * under another, while the lock of that is held: so those on the way down are
 * kept.  No recursion: there may be many levels, and the stack is a fiber's. */
static void note_scopes(struct dump *dump, struct wr_scope *top)
{
    struct wr_scope *at = top;
    spin_lock(&at->lock);
    while (at) {
        for (const struct fiber *fiber = at->fibers; fiber; fiber = fiber->scope_next)
            note_fiber(dump, fiber);
        struct wr_scope *next = at->children;
        while (!next && at) {
            struct wr_scope *above = at == top ? NULL : at->parent;
            next = above ? at->next : NULL;
            spin_unlock(&at->lock);
            at = above;
        }
        if (next)
            spin_lock(&next->lock);
        at = next;
    }
}

static void complain(const char *format, ...)
{
    char line[300];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    wr_world->complain(line, (size_t)len < sizeof(line) ? (size_t)len : sizeof(line) - 1);
}

/* What it waited on last may be gone; where is in the program's text. */
static void print_row(const struct dump_row *row)
{
    char name[48];
    snprintf(name, sizeof(name), "%s#%llu", row->kind->name, (unsigned long long)row->id);
    complain("weir:   %s  %-28s %s%s at %s\n", row->worker->name, name,
             row->waits ? "waits on " : "runs, waited last",
             row->waits && row->what ? row->what : "", row->place ? row->place : "-");
}

void wr_run_dump(void)
{
    if (!wr_rt.root)
        return;
    struct dump_row few[DUMP_ROWS_STARVED];
    struct dump_row *many = malloc(DUMP_ROWS * sizeof(*many));
    struct dump dump = { .rows = many ? many : few,
                         .cap = many ? DUMP_ROWS : DUMP_ROWS_STARVED };
    note_scopes(&dump, wr_rt.root);
    note_scopes(&dump, &wr_scope_nowhere);
    for (size_t i = 0; i < dump.count; i++)
        print_row(&dump.rows[i]);
    if (dump.left_out)
        complain("weir:   and %zu more\n", dump.left_out);
    free(many);
}
