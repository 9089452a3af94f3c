/* offload_model.c - a call on the pool against its deadline and a cancel: it is
 * taken back, or waited for to its end, and never both. */
#include <weir/offload.h>

#include "rt/offload_int.h"
#include "seam.h"

static struct wr_scope *scope;
static int calls;
static wr_err result;

static void open_scope(void)
{
    seam_open();
    wr_rt.conf.offload_threads_max = 1;
    wr_rt.conf.offload_queue_max = 1;
    MODEL_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .deadline = WR_NEVER }));
    wr_scope_enter(scope);
}

static void count_call(void *arg)
{
    ++*(int *)arg;
}

static void call_until(wr_time deadline)
{
    seam_enter();
    result = wr_offload(count_call, &calls, deadline);
    int seen = calls;               /* the call is over, or will never be */
    wr_offload_stop();
    seam_no_thread();
    MODEL_CHECK(calls == seen);
}

static void call_for_a_while(void)
{
    call_until(wr_after(WR_MS(10)));
}

static void call(void)
{
    call_until(WR_NEVER);
}

static void cancel(void)
{
    seam_enter();
    wr_scope_cancel(scope);
}

static void called_or_taken_back(void)
{
    MODEL_CHECK(result == WR_OK || result == WR_TIMEOUT || result == WR_CANCELED);
    MODEL_CHECK(calls == (result == WR_OK));
    wr_scope_leave(scope);
    MODEL_OK(wr_scope_close(scope));
}

MODEL(offload_against_deadline, .setup = open_scope,
      .thread = { call_for_a_while, seam_be_thread }, .finish = called_or_taken_back,
      .stale_max = 1, .locks_wait = true);
MODEL(offload_against_cancel, .setup = open_scope, .thread = { call, seam_be_thread, cancel },
      .finish = called_or_taken_back, .preempt_max = 3, .locks_wait = true);
MODEL(offload_against_deadline_and_cancel, .setup = open_scope,
      .thread = { call_for_a_while, seam_be_thread, cancel }, .finish = called_or_taken_back,
      .preempt_max = 3, .locks_wait = true);
