/* once_model.c - one value, for whoever waits. */
#include <weir/once.h>

#include "seam.h"

static struct wr_once *once;
static wr_err result[MODEL_THREADS_MAX];
static int value[MODEL_THREADS_MAX];

static void open_once(void)
{
    seam_open();
    MODEL_OK(wr_once_new(&once, "model.once", sizeof(int)));
}

static int told[MODEL_THREADS_MAX];         /* what a setter did before */

static void set(void)
{
    seam_enter();
    told[model_self()] = 1;
    int mine = 100 + model_self();
    result[model_self()] = wr_once_set(once, &mine);
}

static void wait_for_it(void)
{
    seam_enter();
    result[model_self()] = wr_once_wait(once, &value[model_self()], WR_NEVER);
}

static void wait_a_while(void)
{
    seam_enter();
    result[model_self()] = wr_once_wait(once, &value[model_self()], wr_after(WR_MS(5)));
}

static void look(void)
{
    seam_enter();
    if (!wr_once_done(once))
        return;
    MODEL_CHECK(told[0] == 1);
    MODEL_OK(wr_once_wait(once, &value[model_self()], WR_NOW));
}

static void close_once(void)
{
    seam_enter();
    wr_once_close(once);
}

static void one_set_all_saw_it(void)
{
    MODEL_CHECK((result[0] == WR_OK) + (result[1] == WR_OK) == 1);
    MODEL_CHECK((result[0] == WR_EXISTS) + (result[1] == WR_EXISTS) == 1);
    MODEL_OK(result[2]);
    MODEL_CHECK(value[2] == (result[0] == WR_OK ? 100 : 101));
    wr_once_free(once);
}

MODEL(once_two_setters, .setup = open_once, .thread = { set, set, wait_for_it },
      .finish = one_set_all_saw_it, .locks_wait = true, .stale_max = 1);

static void both_saw_100(void)
{
    MODEL_OK(result[0]);
    MODEL_CHECK(result[1] == WR_OK && value[1] == 100);
    MODEL_CHECK(result[2] == WR_OK && value[2] == 100);
    MODEL_CHECK(value[3] == 0 || value[3] == 100);
    wr_once_free(once);
}

MODEL(once_two_waiters, .setup = open_once, .thread = { set, wait_for_it, wait_for_it, look },
      .finish = both_saw_100, .locks_wait = true, .stale_max = 1);

static void value_or_closed(void)
{
    MODEL_CHECK(result[0] == WR_OK || result[0] == WR_CLOSED);
    MODEL_CHECK(result[1] == result[0] && (result[1] != WR_OK || value[1] == 100));
    wr_once_free(once);
}

MODEL(once_set_against_close, .setup = open_once, .thread = { set, wait_for_it, close_once },
      .finish = value_or_closed, .locks_wait = true, .stale_max = 1);

static void value_or_timeout(void)
{
    MODEL_OK(result[0]);
    MODEL_CHECK(result[1] == WR_TIMEOUT || (result[1] == WR_OK && value[1] == 100));
    wr_once_free(once);
}

MODEL(once_deadline_against_set, .setup = open_once, .thread = { set, wait_a_while },
      .finish = value_or_timeout, .stale_max = 2);
