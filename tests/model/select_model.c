/* select_model.c - exactly one case happens, the others have no effect. */
#include <weir/select.h>

#include "seam.h"

static struct wr_chan *a, *b;
static struct wr_once *stop;
static struct wr_sem *sem;
static struct wr_scope *scope;
static int item[2];
static size_t which;
static wr_err result[MODEL_THREADS_MAX], taken;

static struct wr_chan *chan(const char *name)
{
    struct wr_chan *ch;
    MODEL_OK(wr_chan_new(&ch, &(struct wr_chan_conf){
        .name = name, .item_size = sizeof(int), .cap = 1, .policy = WR_WAIT }));
    return ch;
}

static void open_all(void)
{
    seam_open();
    a = chan("model.a");
    b = chan("model.b");
    MODEL_OK(wr_once_new(&stop, "model.stop", 0));
    MODEL_OK(wr_sem_new(&sem, "model.sem", 1));
}

static void open_in_scope(void)
{
    open_all();
    MODEL_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .deadline = WR_NEVER }));
    wr_scope_enter(scope);
}

static void free_all(void)
{
    wr_chan_free(a);
    wr_chan_free(b);
    wr_once_free(stop);
    wr_sem_free(sem);
}

static void scope_done(void)
{
    wr_scope_leave(scope);
    MODEL_OK(wr_scope_close(scope));
}

static void recv_either(wr_time deadline)
{
    seam_enter();
    struct wr_case cases[] = { WR_CASE_RECV(a, &item[0]), WR_CASE_RECV(b, &item[1]) };
    result[0] = wr_select(&which, cases, 2, deadline);
    if (result[0] == WR_OK)
        taken = cases[which].err;
}

static void recv_any(void)
{
    recv_either(WR_NEVER);
}

static void recv_a_while(void)
{
    recv_either(wr_after(WR_MS(5)));
}

static void send_a(void)
{
    seam_enter();
    result[model_self()] = wr_chan_send(a, &(int){ 10 }, WR_NOW);
}

static void send_b(void)
{
    seam_enter();
    result[model_self()] = wr_chan_send(b, &(int){ 20 }, WR_NOW);
}

/* What was not taken is still there. */
static void one_taken_one_left(void)
{
    int left[2] = { 0, 0 };
    bool in_a = wr_chan_recv(a, &left[0], WR_NOW) == WR_OK;
    bool in_b = wr_chan_recv(b, &left[1], WR_NOW) == WR_OK;
    MODEL_OK(result[1]);
    MODEL_OK(result[2]);
    if (result[0] == WR_OK) {
        MODEL_OK(taken);
        MODEL_CHECK(in_a == (which != 0) && in_b == (which != 1));
        MODEL_CHECK(item[which] == (which == 0 ? 10 : 20) && item[1 - which] == 0);
    } else {
        MODEL_CHECK(in_a && in_b && item[0] == 0 && item[1] == 0);
    }
    free_all();
}

MODEL(select_two_senders, .setup = open_all, .thread = { recv_any, send_a, send_b },
      .finish = one_taken_one_left, .locks_wait = true, .stale_max = 1);
MODEL(select_two_senders_spinning, .setup = open_all, .thread = { recv_any, send_a, send_b },
      .finish = one_taken_one_left);

static void timeout_or_one(void)
{
    MODEL_CHECK(result[0] == WR_OK || result[0] == WR_TIMEOUT);
    one_taken_one_left();
}

MODEL(select_deadline_against_senders, .setup = open_all,
      .thread = { recv_a_while, send_a, send_b }, .finish = timeout_or_one, .locks_wait = true,
      .stale_max = 1);

static void cancel(void)
{
    seam_enter();
    wr_scope_cancel(scope);
}

static void canceled_or_one(void)
{
    scope_done();
    MODEL_CHECK(result[0] == WR_OK || result[0] == WR_CANCELED);
    one_taken_one_left();
}

MODEL(select_cancel_against_senders, .setup = open_in_scope,
      .thread = { recv_any, send_a, send_b, cancel }, .finish = canceled_or_one,
      .locks_wait = true);

/* ---- two selects at once: each value reaches one of them ---- */

static size_t pick[2];
static int value[2][2];

static void recv_own(int me)
{
    seam_enter();
    struct wr_case cases[] = { WR_CASE_RECV(a, &value[me][0]), WR_CASE_RECV(b, &value[me][1]) };
    MODEL_OK(wr_select(&pick[me], cases, 2, WR_NEVER));
    MODEL_OK(cases[pick[me]].err);
}

static void select_0(void)
{
    recv_own(0);
}

static void select_1(void)
{
    recv_own(1);
}

static void send_both(void)
{
    seam_enter();
    MODEL_OK(wr_chan_send(a, &(int){ 10 }, WR_NEVER));
    MODEL_OK(wr_chan_send(b, &(int){ 20 }, WR_NEVER));
}

static void one_each(void)
{
    MODEL_CHECK(pick[0] != pick[1]);
    MODEL_CHECK(value[0][pick[0]] + value[1][pick[1]] == 30);
    free_all();
}

MODEL(select_against_select, .setup = open_all, .thread = { select_0, select_1, send_both },
      .finish = one_each, .locks_wait = true);

/* ---- cases of other kinds ---- */

/* Sends to a full channel, or learns that it should stop. */
static void fill_a(void)
{
    open_all();
    MODEL_OK(wr_chan_send(a, &(int){ 1 }, WR_NOW));
}

static void stop_or_send(void)
{
    seam_enter();
    item[0] = 2;
    struct wr_case cases[] = { WR_CASE_ONCE(stop, NULL), WR_CASE_SEND(a, &item[0]) };
    MODEL_OK(wr_select(&which, cases, 2, WR_NEVER));
    MODEL_OK(cases[which].err);
}

static void set_stop(void)
{
    seam_enter();
    MODEL_OK(wr_once_set(stop, NULL));
}

static void recv_a(void)
{
    seam_enter();
    MODEL_OK(wr_chan_recv(a, &item[1], WR_NEVER));
}

static void stopped_or_sent(void)
{
    int left = 0;
    bool there = wr_chan_recv(a, &left, WR_NOW) == WR_OK;
    MODEL_CHECK(item[1] == 1 && there == (which == 1) && (!there || left == 2));
    free_all();
}

MODEL(select_stop_against_room, .setup = fill_a, .thread = { stop_or_send, set_stop, recv_a },
      .finish = stopped_or_sent, .locks_wait = true, .stale_max = 1);

/* A unit of a semaphore, or a moment: the unit is not lost in between. */
static void take_sem(void)
{
    open_all();
    MODEL_OK(wr_sem_acquire(sem, WR_NOW));
}

static void sem_or_tick(void)
{
    seam_enter();
    struct wr_timer tick = { 0 };
    wr_timer_set(&tick, wr_after(WR_MS(1)));
    struct wr_case cases[] = { WR_CASE_SEM(sem, 1), WR_CASE_TIMER(&tick) };
    MODEL_OK(wr_select(&which, cases, 2, WR_NEVER));
    MODEL_OK(cases[which].err);
    if (which == 0)
        wr_sem_release(sem);
    wr_timer_clear(&tick);
}

static void release_sem(void)
{
    seam_enter();
    wr_sem_release(sem);
}

static void take_and_release(void)
{
    seam_enter();
    MODEL_OK(wr_sem_acquire(sem, WR_NEVER));
    wr_sem_release(sem);
}

static void unit_is_back(void)
{
    MODEL_CHECK(wr_sem_stat(sem).taken == 0);
    free_all();
}

MODEL(select_timer_against_unit, .setup = take_sem,
      .thread = { sem_or_tick, release_sem, take_and_release }, .finish = unit_is_back,
      .locks_wait = true, .stale_max = 1);

/* A watch and a broadcast, whose values are read after the wake. */
static struct wr_watch *watch;
static struct wr_watch_writer writer;
static struct wr_watch_reader watch_reader;
static struct wr_bcast *bcast;
static struct wr_bcast_reader bcast_reader;

static void open_news(void)
{
    open_all();
    MODEL_OK(wr_watch_new(&watch, &writer, &(struct wr_watch_conf){
        .name = "model.watch", .size = sizeof(int), .initial = &(int){ 1 } }));
    MODEL_OK(wr_bcast_new(&bcast, &(struct wr_bcast_conf){
        .name = "model.bus", .item_size = sizeof(int), .cap = 1 }));
    watch_reader = wr_watch_reader(watch);
    bcast_reader = wr_bcast_reader(bcast);
    MODEL_OK(wr_watch_wait(&watch_reader, &item[0], WR_NOW));
}

static void wait_for_news(void)
{
    seam_enter();
    struct wr_case cases[] = { WR_CASE_WATCH(&watch_reader, &item[0]),
                               WR_CASE_BCAST(&bcast_reader, &item[1]) };
    MODEL_OK(wr_select(&which, cases, 2, WR_NEVER));
    taken = cases[which].err;
}

static void set_watch(void)
{
    seam_enter();
    wr_watch_set(&writer, &(int){ 2 });
}

static void send_news(void)
{
    seam_enter();
    MODEL_OK(wr_bcast_send(bcast, &(int){ 7 }));
    MODEL_OK(wr_bcast_send(bcast, &(int){ 8 }));
}

static void news_came(void)
{
    if (which == 0)
        MODEL_CHECK(taken == WR_OK && item[0] == 2);
    else
        MODEL_CHECK(taken == WR_LAGGED || (taken == WR_OK && (item[1] == 7 || item[1] == 8)));
    wr_watch_free(watch);
    wr_bcast_free(bcast);
    free_all();
}

MODEL(select_watch_and_bcast, .setup = open_news,
      .thread = { wait_for_news, set_watch, send_news }, .finish = news_came,
      .locks_wait = true);
