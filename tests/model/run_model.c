/* run_model.c - the whole runtime: workers that sleep and are woken, tasks that
 * are stolen, scopes that end, time that jumps.
 *
 * With one worker and a thread beside it every order is run.  With two workers
 * the number of preemptions is bounded: two idle workers can take one task from
 * one another without end, so there is no last order.  They mostly run under the
 * virtual clock, where an idle worker takes what it finds at once.
 */
#include <weir/chan.h>
#include <weir/once.h>
#include <weir/run.h>
#include <weir/select.h>

#include "driver.h"

static struct wr_chan *ch;
static struct wr_once *once;
static int got;
static wr_err result[3];

static void open_all(void)
{
    MODEL_OK(wr_chan_new(&ch, &(struct wr_chan_conf){
        .name = "model.chan", .item_size = sizeof(int), .cap = 2, .policy = WR_WAIT }));
    MODEL_OK(wr_once_new(&once, "model.once", 0));
}

static void free_all(void)
{
    wr_chan_free(ch);
    wr_once_free(once);
}

static void run_conf(struct wr_run_conf conf, wr_task_fn fn)
{
    conf.stack_size = 64 * 1024;
    wr_err err = wr_run(&conf, fn, NULL);
    if (err)
        model_fail("the run ended with %s; %s", wr_err_name(err), driver_complaint());
}

static void run(unsigned workers, bool virtual_clock, wr_task_fn fn)
{
    run_conf((struct wr_run_conf){ .workers = workers, .virtual_clock = virtual_clock }, fn);
}

static wr_err nothing(void *arg)
{
    (void)arg;
    return WR_OK;
}

/* ---- a thread beside one worker: the inbox against going to sleep ---- */

/* The threads beside begin when there is a run, and it lasts until they are done:
 * wr_rt is made before and taken down after. */
static char begun[3], done[3];

static void run_begins(void)
{
    for (int i = 1; i < 3; i++)
        model_post(&begun[i]);
}

static void run_ends(int beside)
{
    for (int i = 1; i <= beside; i++)
        model_wait(&done[i]);
}

static void beside_begins(void)
{
    model_wait(&begun[model_self()]);
}

static void beside_ends(void)
{
    model_post(&done[model_self()]);
}

static wr_err recv_two(void *arg)
{
    (void)arg;
    run_begins();
    int value;
    for (int i = 0; i < 2; i++) {
        MODEL_OK(wr_chan_recv(ch, &value, WR_NEVER));
        got += value;
    }
    run_ends(2);
    return WR_OK;
}

static wr_err recv_one(void *arg)
{
    (void)arg;
    return wr_chan_recv(ch, &got, WR_NEVER);
}

static wr_err begin_recv_one(void *arg)
{
    run_begins();
    wr_err err = recv_one(arg);
    run_ends(1);
    return err;
}

static void worker_recv_one(void)
{
    run(1, false, begin_recv_one);
}

static void worker_recv_two(void)
{
    run(1, false, recv_two);
}

static void send_1(void)
{
    beside_begins();
    MODEL_OK(wr_chan_send(ch, &(int){ 1 }, WR_NOW));
    beside_ends();
}

static void send_2(void)
{
    beside_begins();
    MODEL_OK(wr_chan_send(ch, &(int){ 2 }, WR_NOW));
    beside_ends();
}

static void got_1(void)
{
    MODEL_CHECK(got == 1);
    free_all();
}

static void got_3(void)
{
    MODEL_CHECK(got == 3);
    free_all();
}

MODEL(inbox_against_sleep, .setup = open_all, .thread = { worker_recv_one, send_1 },
      .finish = got_1, .stale_max = 2, .locks_wait = true);
MODEL(inbox_two_wakers, .setup = open_all,
      .thread = { worker_recv_two, send_1, send_2 }, .finish = got_3,
      .locks_wait = true);

/* The run ends with what the thread beside brings, while that is still at it. */
static wr_err recv_one_and_go(void *arg)
{
    run_begins();
    return recv_one(arg);
}

static void worker_recv_one_and_go(void)
{
    run(1, false, recv_one_and_go);
}

MODEL(inbox_against_the_end, .setup = open_all, .thread = { worker_recv_one_and_go, send_1 },
      .finish = got_1, .stale_max = 1, .locks_wait = true);

/* Two fibers of one worker, woken by one thread with one call. */
static wr_err wait_once(void *arg)
{
    (void)arg;
    return wr_once_wait(once, NULL, WR_NEVER);
}

static wr_err two_wait_once(void *arg)
{
    (void)arg;
    run_begins();
    struct wr_scope *scope;
    MODEL_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .deadline = WR_NEVER }));
    MODEL_OK(wr_scope_go(scope, "model.waiter", wait_once, NULL));
    MODEL_OK(wait_once(NULL));
    MODEL_OK(wr_scope_join(scope, WR_NEVER));
    run_ends(1);
    return wr_scope_close(scope);
}

static void worker_two_wait_once(void)
{
    run(1, false, two_wait_once);
}

static void set_once(void)
{
    beside_begins();
    MODEL_OK(wr_once_set(once, NULL));
    beside_ends();
}

MODEL(inbox_two_fibers, .setup = open_all, .thread = { worker_two_wait_once, set_once },
      .finish = free_all, .stale_max = 1, .locks_wait = true);

/* ---- one worker alone ---- */

/* No more tasks than were granted: the rest is refused, and may come later. */
static wr_err more_than_granted(void *arg)
{
    (void)arg;
    struct wr_scope *scope;
    unsigned busy = 0;
    MODEL_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .deadline = WR_NEVER }));
    for (int i = 0; i < 4; i++) {
        wr_err err = wr_scope_go(scope, "model.nothing", nothing, NULL);
        MODEL_CHECK(err == WR_OK || err == WR_BUSY);
        busy += err == WR_BUSY;
    }
    MODEL_CHECK(busy > 0 && busy < 4);
    MODEL_OK(wr_scope_join(scope, WR_NEVER));
    MODEL_OK(wr_scope_go(scope, "model.nothing", nothing, NULL));
    return wr_scope_close(scope);
}

static void run_more_than_granted(void)
{
    struct wr_run_conf conf = { .workers = 1, .stack_size = 64 * 1024, .tasks_max = 3 };
    MODEL_OK(wr_run(&conf, more_than_granted, NULL));
}

MODEL(one_worker_few_tasks, .thread = { run_more_than_granted });

/* A timer among other cases, and one that nobody waits for. */
static wr_err tick(void *arg)
{
    (void)arg;
    struct wr_timer first = { 0 }, second = { 0 };
    int value;
    size_t which;
    struct wr_case cases[] = { WR_CASE_RECV(ch, &value), WR_CASE_TIMER(&first) };
    wr_time start = wr_now();
    wr_timer_set(&first, wr_after(WR_MS(2)));
    wr_timer_set(&second, wr_after(WR_MS(1)));
    MODEL_OK(wr_select(&which, cases, 2, WR_NEVER));
    MODEL_CHECK(which == 1 && wr_now() - start == WR_MS(2) && wr_timer_due(&second));
    wr_timer_clear(&first);
    wr_timer_clear(&second);
    return WR_OK;
}

static void run_tick(void)
{
    run(1, true, tick);
}

MODEL(one_worker_timers, .setup = open_all, .thread = { run_tick }, .finish = free_all);

/* A panic ends its task and cancels the sibling; the run goes on. */
static wr_err broken(void *arg)
{
    (void)arg;
    wr_panic("on purpose");
}

static wr_err panic_beside(void *arg)
{
    (void)arg;
    struct wr_scope *scope;
    MODEL_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .deadline = WR_NEVER }));
    MODEL_OK(wr_scope_go(scope, "model.waits", recv_one, NULL));
    MODEL_OK(wr_scope_go(scope, "model.broken", broken, NULL));
    MODEL_CHECK(wr_scope_join(scope, WR_NEVER) == WR_PANIC);
    MODEL_CHECK(wr_scope_close(scope) == WR_PANIC);
    return WR_OK;
}

static void run_panic(void)
{
    run(1, false, panic_beside);
}

MODEL(one_worker_panic, .setup = open_all, .thread = { run_panic }, .finish = free_all);

/* ---- two workers ---- */

static void run_nothing(void)
{
    run(2, false, nothing);
}

static void run_nothing_virtual(void)
{
    run(2, true, nothing);
}

MODEL(workers_start_and_stop, .thread = { run_nothing, driver_thread }, .locks_wait = true,
      .preempt_max = 2, .full = true, .full_preempt_max = 3);
MODEL(workers_start_and_stop_virtual, .thread = { run_nothing_virtual, driver_thread },
      .locks_wait = true, .preempt_max = 2, .full = true, .full_preempt_max = 3);

static wr_err send_one(void *arg)
{
    (void)arg;
    return wr_chan_send(ch, &(int){ 1 }, WR_NEVER);
}

/* Runs fn beside the caller; what the scope says at its end. */
static wr_err beside(wr_task_fn fn, wr_task_fn mine, struct wr_scope_conf conf,
                     wr_err *ret_mine)
{
    struct wr_scope *scope;
    MODEL_OK(wr_scope_new(&scope, &conf));
    MODEL_OK(wr_scope_go(scope, "model.beside", fn, NULL));
    wr_scope_enter(scope);
    *ret_mine = mine(NULL);
    wr_scope_leave(scope);
    wr_err joined = wr_scope_join(scope, WR_NEVER);
    wr_err closed = wr_scope_close(scope);
    MODEL_CHECK(joined == closed);
    return closed;
}

static wr_err hand_over(void *arg)
{
    (void)arg;
    wr_err mine;
    MODEL_OK(beside(send_one, recv_one, (struct wr_scope_conf){ .deadline = WR_NEVER }, &mine));
    MODEL_OK(mine);
    return WR_OK;
}

static void run_hand_over(void)
{
    run(2, true, hand_over);
}

MODEL(workers_hand_over, .setup = open_all, .thread = { run_hand_over, driver_thread },
      .finish = got_1, .locks_wait = true, .preempt_max = 2);

/* The first error cancels the sibling, which waits, is about to, or has not
 * begun; the join returns after both, with that error. */
static wr_err fail(void *arg)
{
    (void)arg;
    return WR_INVALID;
}

static wr_err recv_canceled(void *arg)
{
    result[0] = recv_one(arg);
    return result[0];
}

static wr_err fail_beside(void *arg)
{
    (void)arg;
    struct wr_scope *scope;
    MODEL_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .deadline = WR_NEVER }));
    MODEL_OK(wr_scope_go(scope, "model.waits", recv_canceled, NULL));
    MODEL_OK(wr_scope_go(scope, "model.fails", fail, NULL));
    result[1] = wr_scope_join(scope, WR_NEVER);
    result[2] = wr_scope_close(scope);
    return WR_OK;
}

static void run_fail_beside(void)
{
    run(2, true, fail_beside);
}

static void first_error_won(void)
{
    MODEL_CHECK(result[0] == WR_CANCELED);
    MODEL_CHECK(result[1] == WR_INVALID && result[2] == WR_INVALID);
    free_all();
}

MODEL(workers_error_cancels_sibling, .setup = open_all,
      .thread = { run_fail_beside, driver_thread }, .finish = first_error_won,
      .locks_wait = true, .preempt_max = 2);

/* A close without a join: it cancels, waits, and frees the scope. */
static wr_err close_at_once(void *arg)
{
    (void)arg;
    struct wr_scope *scope;
    MODEL_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .deadline = WR_NEVER }));
    MODEL_OK(wr_scope_go(scope, "model.waits", recv_canceled, NULL));
    result[2] = wr_scope_close(scope);
    return WR_OK;
}

static void run_close_at_once(void)
{
    run(2, true, close_at_once);
}

static void canceled(void)
{
    MODEL_CHECK(result[0] == WR_CANCELED && result[2] == WR_OK);   /* it obeyed */
    free_all();
}

MODEL(workers_close_cancels, .setup = open_all, .thread = { run_close_at_once, driver_thread },
      .finish = canceled, .locks_wait = true, .preempt_max = 2);

/* Enough tasks that the other worker is woken to take some. */
static _Atomic int many;

static wr_err count_one(void *arg)
{
    (void)arg;
    atomic_fetch_add_explicit(&many, 1, memory_order_relaxed);
    return WR_OK;
}

static wr_err spawn_many(void *arg)
{
    (void)arg;
    struct wr_scope *scope;
    MODEL_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .deadline = WR_NEVER }));
    for (int i = 0; i < 10; i++)
        MODEL_OK(wr_scope_go(scope, "model.count", count_one, NULL));
    MODEL_OK(wr_scope_join(scope, WR_NEVER));
    MODEL_CHECK(atomic_load(&many) == 10);
    return wr_scope_close(scope);
}

static void run_spawn_many(void)
{
    run(2, false, spawn_many);
}

MODEL(workers_share_tasks, .thread = { run_spawn_many, driver_thread }, .locks_wait = true,
      .preempt_max = 1, .full = true, .full_preempt_max = 2);

/* ---- the virtual clock on two workers ---- */

static wr_time woke[2];

static wr_err sleep_7(void *arg)
{
    (void)arg;
    MODEL_OK(wr_sleep(wr_after(WR_MS(7))));
    woke[0] = wr_now();
    return WR_OK;
}

static wr_err sleep_5(void *arg)
{
    (void)arg;
    MODEL_OK(wr_sleep(wr_after(WR_MS(5))));
    woke[1] = wr_now();
    return WR_OK;
}

static wr_err sleep_both(void *arg)
{
    (void)arg;
    wr_time start = wr_now();
    wr_err mine;
    MODEL_OK(beside(sleep_7, sleep_5, (struct wr_scope_conf){ .deadline = WR_NEVER }, &mine));
    MODEL_OK(mine);
    MODEL_CHECK(woke[0] - start == WR_MS(7) && woke[1] - start == WR_MS(5));
    MODEL_CHECK(wr_now() - start == WR_MS(7));
    return WR_OK;
}

static void run_sleep_both(void)
{
    run(2, true, sleep_both);
}

MODEL(workers_virtual_time, .thread = { run_sleep_both, driver_thread }, .locks_wait = true,
      .preempt_max = 2);

/* The deadline of a scope ends the waits below it, on whichever worker. */
static wr_err recv_until(void *arg)
{
    result[1] = recv_one(arg);
    return WR_OK;
}

static wr_err deadline_passes(void *arg)
{
    (void)arg;
    wr_time start = wr_now();
    struct wr_scope_conf conf = { .deadline = wr_after(WR_MS(3)) };
    MODEL_OK(beside(recv_until, recv_one, conf, &result[0]));
    MODEL_CHECK(wr_now() - start == WR_MS(3));
    MODEL_CHECK(result[0] == WR_TIMEOUT && result[1] == WR_TIMEOUT);
    return WR_OK;
}

static void run_deadline_passes(void)
{
    run(2, true, deadline_passes);
}

MODEL(workers_scope_deadline, .setup = open_all,
      .thread = { run_deadline_passes, driver_thread }, .finish = free_all, .locks_wait = true,
      .preempt_max = 2);

/* ---- one worker and the control worker: a queue against going to sleep ---- */

static struct wr_scope *above;

static wr_err count_on_control(void *arg)
{
    MODEL_CHECK(wr_worker_self->control);
    return count_one(arg);
}

static wr_err count_on_other(void *arg)
{
    MODEL_CHECK(!wr_worker_self->control);
    return count_one(arg);
}

static wr_err send_up(void *arg)
{
    MODEL_OK(wr_scope_go(above, "model.up", count_on_other, NULL));
    return count_on_control(arg);
}

/* Start fn there and await it; its worker sleeps, is about to, or has just begun. */
static wr_err in_control(wr_task_fn fn)
{
    struct wr_scope *scope;
    MODEL_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .deadline = WR_NEVER,
                                                           .control = true }));
    MODEL_OK(wr_scope_go(scope, "model.control", fn, NULL));
    MODEL_OK(wr_scope_join(scope, WR_NEVER));
    return wr_scope_close(scope);
}

static wr_err send_down(void *arg)
{
    (void)arg;
    MODEL_OK(in_control(count_on_control));
    MODEL_CHECK(atomic_load(&many) == 1);
    return WR_OK;
}

static wr_err send_down_and_up(void *arg)
{
    (void)arg;
    MODEL_OK(wr_scope_new(&above, &(struct wr_scope_conf){ .deadline = WR_NEVER }));
    wr_scope_enter(above);
    MODEL_OK(in_control(send_up));
    wr_scope_leave(above);
    MODEL_OK(wr_scope_join(above, WR_NEVER));
    MODEL_CHECK(atomic_load(&many) == 2);
    return wr_scope_close(above);
}

static void run_send_down(void)
{
    run_conf((struct wr_run_conf){ .workers = 1, .control = true }, send_down);
}

static void run_send_down_and_up(void)
{
    run_conf((struct wr_run_conf){ .workers = 1, .control = true }, send_down_and_up);
}

MODEL(control_task, .thread = { run_send_down, driver_thread }, .locks_wait = true,
      .stale_max = 1);
MODEL(control_task_and_back, .thread = { run_send_down_and_up, driver_thread },
      .locks_wait = true);
