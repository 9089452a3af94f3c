/* watch_model.c - the latest value: never torn, and the last one always seen. */
#include <weir/watch.h>

#include "seam.h"

struct pair { int one, two; };

static struct wr_watch *watch;
static struct wr_watch_writer writer;
static struct wr_scope *scope;
static wr_err result[MODEL_THREADS_MAX];

static void open_watch(void)
{
    seam_open();
    MODEL_OK(wr_watch_new(&watch, &writer, &(struct wr_watch_conf){
        .name = "model.watch", .size = sizeof(struct pair),
        .initial = &(struct pair){ 1, 1 } }));
}

static void free_watch(void)
{
    wr_watch_free(watch);
}

static void set_2_3_close(void)
{
    seam_enter();
    wr_watch_set(&writer, (&(struct pair){ 2, 2 }));
    wr_watch_set(&writer, (&(struct pair){ 3, 3 }));
    wr_watch_close(&writer);
}

/* Each wait brings a newer value; before CLOSED comes the last. */
static void read_to_the_end(void)
{
    seam_enter();
    struct wr_watch_reader reader = wr_watch_reader(watch);
    struct pair pair = { 0 };
    int last = 0;
    wr_err err;
    while ((err = wr_watch_wait(&reader, &pair, WR_NEVER)) == WR_OK) {
        MODEL_CHECK(pair.one == pair.two && pair.one > last);
        last = pair.one;
    }
    MODEL_CHECK(err == WR_CLOSED && last == 3);
}

MODEL(watch_swap, .setup = open_watch, .thread = { set_2_3_close, read_to_the_end },
      .finish = free_watch, .stale_max = 1, .locks_wait = true);
MODEL(watch_swap_two_readers, .setup = open_watch,
      .thread = { set_2_3_close, read_to_the_end, read_to_the_end }, .finish = free_watch,
      .locks_wait = true);

static void get_twice(void)
{
    seam_enter();
    struct pair first, second;
    uint64_t was = wr_watch_get(watch, &first), is = wr_watch_get(watch, &second);
    MODEL_CHECK(first.one == first.two && second.one == second.two);
    MODEL_CHECK(is >= was && second.one >= first.one);
}

MODEL(watch_get_against_set, .setup = open_watch, .thread = { set_2_3_close, get_twice },
      .finish = free_watch);

/* ---- a wait that gives up: the value is not lost for the next one ---- */

static void open_in_scope(void)
{
    open_watch();
    MODEL_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .deadline = WR_NEVER }));
    wr_scope_enter(scope);
}

static void wait_for_2(wr_time deadline)
{
    seam_enter();
    struct wr_watch_reader reader = wr_watch_reader(watch);
    struct pair pair;
    MODEL_CHECK(wr_watch_wait(&reader, &pair, WR_NOW) == WR_OK);
    wr_err err = pair.one == 2 ? WR_OK : wr_watch_wait(&reader, &pair, deadline);
    MODEL_CHECK(err != WR_OK || pair.one == 2);
    result[model_self()] = err;
}

static void wait_a_while(void)
{
    wait_for_2(wr_after(WR_MS(5)));
}

static void wait_on(void)
{
    wait_for_2(WR_NEVER);
}

static void set_2(void)
{
    seam_enter();
    wr_watch_set(&writer, (&(struct pair){ 2, 2 }));
}

static void cancel(void)
{
    seam_enter();
    wr_scope_cancel(scope);
}

static void ok_or_timeout(void)
{
    MODEL_CHECK(result[0] == WR_OK || result[0] == WR_TIMEOUT);
    struct pair pair;
    MODEL_CHECK(wr_watch_get(watch, &pair) == 2 && pair.one == 2);
    free_watch();
}

static void ok_or_canceled(void)
{
    wr_scope_leave(scope);
    MODEL_OK(wr_scope_close(scope));
    MODEL_CHECK(result[0] == WR_OK || result[0] == WR_CANCELED);
    free_watch();
}

MODEL(watch_deadline_against_set, .setup = open_watch, .thread = { wait_a_while, set_2 },
      .finish = ok_or_timeout, .stale_max = 1);
MODEL(watch_cancel_against_set, .setup = open_in_scope, .thread = { wait_on, set_2, cancel },
      .finish = ok_or_canceled, .stale_max = 1, .locks_wait = true);
