/* sem_model.c - units: never more out than there are, nobody forgotten. */
#include <weir/sem.h>

#include "seam.h"

static struct wr_sem *sem;
static struct wr_gate *gate;
static struct wr_scope *scope;
static int inside;                      /* guarded by the gate alone */
static _Atomic int out;
static wr_err result[MODEL_THREADS_MAX];

static void open_sem(void)
{
    seam_open();
    MODEL_OK(wr_sem_new(&sem, "model.sem", 2));
}

static void all_back(void)
{
    struct wr_sem_stat stat = wr_sem_stat(sem);
    MODEL_CHECK(stat.taken == 0 && stat.units == 2);
    MODEL_CHECK(atomic_load(&out) == 0);
    wr_sem_free(sem);
}

static void use(int units, wr_time deadline)
{
    seam_enter();
    wr_err err = wr_sem_acquire_many(sem, (size_t)units, deadline);
    result[model_self()] = err;
    if (err)
        return;
    int before = atomic_fetch_add_explicit(&out, units, memory_order_relaxed);
    MODEL_CHECK(before + units <= 2);
    atomic_fetch_sub_explicit(&out, units, memory_order_relaxed);
    wr_sem_release_many(sem, (size_t)units);
}

static void use_1(void)
{
    use(1, WR_NEVER);
}

static void use_2(void)
{
    use(2, WR_NEVER);
}

static void use_1_now(void)
{
    use(1, WR_NOW);
}

static void use_2_for_a_while(void)
{
    use(2, wr_after(WR_MS(5)));
}

static void all_served(void)
{
    MODEL_OK(result[0]);
    MODEL_OK(result[1]);
    MODEL_OK(result[2]);
    all_back();
}

MODEL(sem_one_two_one, .setup = open_sem, .thread = { use_1, use_2, use_1 },
      .finish = all_served, .locks_wait = true);
MODEL(sem_two_and_two, .setup = open_sem, .thread = { use_2, use_2 }, .finish = all_back);

/* One that gives up must let those behind it pass. */
static void hold_1(void)
{
    open_sem();
    MODEL_OK(wr_sem_try_acquire_many(sem, 1));
}

static void held_1_back(void)
{
    MODEL_OK(result[1]);
    wr_sem_release_many(sem, 1);
    all_back();
}

MODEL(sem_deadline_lets_others_pass, .setup = hold_1, .thread = { use_2_for_a_while, use_1 },
      .finish = held_1_back, .stale_max = 1);

static void hold_1_in_scope(void)
{
    hold_1();
    MODEL_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .deadline = WR_NEVER }));
    wr_scope_enter(scope);
}

static void cancel(void)
{
    seam_enter();
    wr_scope_cancel(scope);
}

static void scope_done(void)
{
    wr_scope_leave(scope);
    MODEL_OK(wr_scope_close(scope));
    MODEL_CHECK(result[0] == WR_CANCELED);
    held_1_back();
}

MODEL(sem_cancel_lets_others_pass, .setup = hold_1_in_scope, .thread = { use_2, use_1, cancel },
      .finish = scope_done, .locks_wait = true, .stale_max = 1);

static void busy_or_served(void)
{
    MODEL_CHECK(result[2] == WR_OK || result[2] == WR_BUSY);
    all_back();
}

MODEL(sem_try_against_waiters, .setup = open_sem, .thread = { use_2, use_2, use_1_now },
      .finish = busy_or_served, .locks_wait = true);

/* ---- the gate: what it guards needs nothing else ---- */

static void open_gate(void)
{
    seam_open();
    MODEL_OK(wr_gate_new(&gate, "model.gate"));
}

static void pass(void)
{
    seam_enter();
    MODEL_OK(wr_gate_enter(gate, WR_NEVER));
    inside++;
    wr_gate_leave(gate);
}

static void three_passed(void)
{
    MODEL_CHECK(inside == 3);
    wr_gate_free(gate);
}

MODEL(gate_excludes, .setup = open_gate, .thread = { pass, pass, pass }, .finish = three_passed,
      .locks_wait = true);
