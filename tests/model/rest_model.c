/* rest_model.c - what the other models pass by: no memory, nothing to free, calls
 * that do not wait, scopes that have ended, the kinds of case a select can have. */
#include <weir/bcast.h>
#include <weir/cell.h>
#include <weir/chan.h>
#include <weir/once.h>
#include <weir/select.h>
#include <weir/sem.h>
#include <weir/watch.h>

#include "seam.h"

static void open_seam(void)
{
    seam_open();
}

/* ---- no memory: nothing is made, nothing is kept ---- */

static const struct wr_chan_conf chan_conf = {
    .name = "model.chan", .item_size = 8, .cap = 2, .policy = WR_WAIT
};
static const struct wr_watch_conf watch_conf = {
    .name = "model.watch", .size = sizeof(int), .initial = &(const int){ 1 }
};
static const struct wr_bcast_conf bcast_conf = {
    .name = "model.bus", .item_size = sizeof(int), .cap = 2
};
static const struct wr_cell_conf cell_conf = {
    .name = "model.cell", .size = sizeof(int), .initial = &(const int){ 1 }
};

static void starve_all(void)
{
    seam_enter();
    struct wr_chan *ch;
    struct wr_watch *watch;
    struct wr_watch_writer watch_writer;
    struct wr_bcast *bcast;
    struct wr_cell *cell;
    struct wr_cell_writer writer;
    struct wr_once *once;
    struct wr_sem *sem;
    struct wr_gate *gate;
    struct wr_scope *scope;
    unsigned after = model_choose(2);   /* some need two */
    model_starve(0);
    MODEL_CHECK(wr_chan_new(&ch, &chan_conf) == WR_NOMEM);
    model_starve(0);
    MODEL_CHECK(wr_watch_new(&watch, &watch_writer, &watch_conf) == WR_NOMEM);
    model_starve(0);
    MODEL_CHECK(wr_bcast_new(&bcast, &bcast_conf) == WR_NOMEM);
    model_starve(0);
    MODEL_CHECK(wr_once_new(&once, "model.once", 4) == WR_NOMEM);
    model_starve(0);
    MODEL_CHECK(wr_sem_new(&sem, "model.sem", 1) == WR_NOMEM);
    model_starve(0);
    MODEL_CHECK(wr_scope_new(&scope, &(struct wr_scope_conf){ .deadline = WR_NEVER })
                == WR_NOMEM);
    model_starve(after);
    MODEL_CHECK(wr_gate_new(&gate, "model.gate") == WR_NOMEM);
    model_starve(after);
    MODEL_CHECK(wr_cell_new(&cell, &writer, &cell_conf) == WR_NOMEM);
    MODEL_OK(wr_cell_new(&cell, &writer, &cell_conf));
    model_starve(0);
    MODEL_CHECK(wr_cell_set(&writer, (&(int){ 2 })) == WR_NOMEM);
    MODEL_OK(wr_cell_set(&writer, (&(int){ 3 })));
    const int *value = wr_cell_get(cell);
    MODEL_CHECK(*value == 3);
    wr_cell_put(cell, value);
    wr_cell_free(cell);
}

MODEL(no_memory, .setup = open_seam, .thread = { starve_all }, .schedules = 2);

static void free_nothing(void)
{
    seam_enter();
    wr_chan_free(NULL);
    wr_watch_free(NULL);
    wr_bcast_free(NULL);
    wr_cell_free(NULL);
    wr_once_free(NULL);
    wr_sem_free(NULL);
    wr_gate_free(NULL);
}

static void too_large(void)
{
    seam_enter();
    struct wr_chan *ch;
    struct wr_bcast *bcast;
    static const size_t sizes[][2] = { { SIZE_MAX / 2, 8 }, { 8, SIZE_MAX / 2 },
                                       { UINT32_MAX, UINT32_MAX } };
    for (int i = 0; i < 3; i++) {
        struct wr_chan_conf conf = chan_conf;
        conf.cap = sizes[i][0];
        conf.item_size = sizes[i][1];
        model_starve(0);                /* should it get that far */
        MODEL_CHECK(wr_chan_new(&ch, &conf) == WR_NOMEM);
        struct wr_bcast_conf wide = bcast_conf;
        wide.cap = sizes[i][0];
        wide.item_size = sizes[i][1];
        model_starve(0);
        MODEL_CHECK(wr_bcast_new(&bcast, &wide) == WR_NOMEM);
    }
    struct wr_once *once;
    struct wr_watch *watch;
    struct wr_watch_writer watch_writer;
    struct wr_watch_conf tall = watch_conf;
    tall.size = SIZE_MAX - 8;
    MODEL_CHECK(wr_once_new(&once, "model.once", SIZE_MAX - 8) == WR_NOMEM);
    MODEL_CHECK(wr_watch_new(&watch, &watch_writer, &tall) == WR_NOMEM);
    struct wr_cell *cell;
    struct wr_cell_writer writer;
    struct wr_cell_conf deep = cell_conf;
    deep.size = SIZE_MAX - 8;
    MODEL_CHECK(wr_cell_new(&cell, &writer, &deep) == WR_NOMEM);
}

MODEL(nothing_to_free, .setup = open_seam, .thread = { free_nothing });
MODEL(larger_than_memory, .setup = open_seam, .thread = { too_large });

/* ---- an ended scope: waits return at once, WR_NOW still works ---- */

static void wait_in_ended_scope(void)
{
    seam_enter();
    struct wr_chan *ch;
    struct wr_watch *watch;
    struct wr_watch_writer writer;
    struct wr_bcast *bcast;
    struct wr_once *once;
    struct wr_sem *sem;
    MODEL_OK(wr_chan_new(&ch, &chan_conf));
    MODEL_OK(wr_watch_new(&watch, &writer, &watch_conf));
    MODEL_OK(wr_bcast_new(&bcast, &bcast_conf));
    MODEL_OK(wr_once_new(&once, "model.once", 0));
    MODEL_OK(wr_sem_new(&sem, "model.sem", 1));
    struct wr_watch_reader reader = wr_watch_reader(watch);
    struct wr_bcast_reader listener = wr_bcast_reader(bcast);
    int64_t item = 1;
    int value;
    size_t which;
    struct wr_case cases[] = { WR_CASE_RECV(ch, &item) };
    wr_scope_end(&seam_root, WR_TIMEOUT);
    MODEL_CHECK(wr_chan_send(ch, &item, WR_NEVER) == WR_TIMEOUT);
    MODEL_CHECK(wr_chan_recv(ch, &item, WR_NEVER) == WR_TIMEOUT);
    MODEL_CHECK(wr_watch_wait(&reader, &value, WR_NEVER) == WR_TIMEOUT);
    MODEL_CHECK(wr_bcast_recv(&listener, &value, WR_NEVER) == WR_TIMEOUT);
    MODEL_CHECK(wr_once_wait(once, NULL, WR_NEVER) == WR_TIMEOUT);
    MODEL_CHECK(wr_sem_acquire(sem, WR_NEVER) == WR_TIMEOUT);
    MODEL_CHECK(wr_select(&which, cases, 1, WR_NEVER) == WR_TIMEOUT);
    MODEL_CHECK(wr_select(&which, cases, 1, WR_NOW) == WR_TIMEOUT);
    MODEL_OK(wr_chan_send(ch, &item, WR_NOW));
    MODEL_OK(wr_chan_send(ch, &item, WR_NOW));
    MODEL_OK(wr_select(&which, cases, 1, WR_NOW));
    MODEL_OK(wr_watch_wait(&reader, &value, WR_NOW));
    MODEL_CHECK(wr_watch_wait(&reader, &value, WR_NOW) == WR_TIMEOUT);
    MODEL_CHECK(wr_bcast_recv(&listener, &value, WR_NOW) == WR_TIMEOUT);
    MODEL_OK(wr_sem_acquire(sem, WR_NOW));
    wr_sem_release(sem);
    wr_chan_free(ch);           /* with a value inside, which is dropped */
    wr_watch_free(watch);
    wr_bcast_free(bcast);
    wr_once_free(once);
    wr_sem_free(sem);
}

MODEL(ended_scope, .setup = open_seam, .thread = { wait_in_ended_scope });

/* ---- the one writer of a watch ---- */

static struct wr_watch *the_watch;
static struct wr_watch_writer the_writer, moved;

static void open_watch(void)
{
    seam_open();
    MODEL_OK(wr_watch_new(&the_watch, &the_writer, &watch_conf));
}

static void move_and_close(void)
{
    seam_enter();
    moved = wr_watch_move(&the_writer);
    wr_watch_close(&the_writer);            /* empty: nothing happens */
    wr_watch_set(&moved, &(int){ 2 });
    wr_watch_close(&moved);
}

static void read_2_then_closed(void)
{
    seam_enter();
    struct wr_watch_reader reader = wr_watch_reader(the_watch);
    int value;
    wr_err err;
    while ((err = wr_watch_wait(&reader, &value, WR_NEVER)) == WR_OK)
        continue;
    MODEL_CHECK(err == WR_CLOSED && value == 2);
}

static void free_watch(void)
{
    wr_watch_free(the_watch);
}

MODEL(watch_writer_moves, .setup = open_watch, .thread = { move_and_close, read_2_then_closed },
      .finish = free_watch);

/* ---- waiting on both sides of a channel at once ---- */

static struct wr_chan *ch;
static int64_t got[3];
static wr_err result[MODEL_THREADS_MAX];

static uint64_t tens(const void *item)
{
    return (uint64_t)(*(const int64_t *)item / 10);
}

static void open_chan(enum wr_chan_policy policy, size_t cap)
{
    struct wr_chan_conf conf = chan_conf;
    conf.policy = policy;
    conf.cap = cap;
    conf.key = policy == WR_COALESCE ? tens : NULL;
    seam_open();
    MODEL_OK(wr_chan_new(&ch, &conf));
}

static void send(int64_t value, wr_time deadline)
{
    seam_enter();
    result[model_self()] = wr_chan_send(ch, &value, deadline);
}

static void recv(int64_t *ret)
{
    seam_enter();
    MODEL_OK(wr_chan_recv(ch, ret, WR_NEVER));
}

/* Three keys, one slot: two senders with equal keys wait; the first to enter is
 * replaced by the other where it stands. */
static void fill_coalesce(void)
{
    open_chan(WR_COALESCE, 1);
    MODEL_OK(wr_chan_send(ch, &(int64_t){ 5 }, WR_NOW));
}

static void send_11(void)
{
    send(11, WR_NEVER);
}

static void send_12(void)
{
    send(12, WR_NEVER);
}

static void send_12_for_a_while(void)
{
    send(12, wr_after(WR_MS(5)));
}

static void recv_two(void)
{
    recv(&got[0]);
    recv(&got[1]);
}

static void first_5_then_one_of_two(void)
{
    MODEL_OK(result[0]);
    MODEL_CHECK(result[1] == WR_OK || result[1] == WR_TIMEOUT);
    int64_t left = 0;
    bool more = wr_chan_recv(ch, &left, WR_NOW) == WR_OK;
    MODEL_CHECK(got[0] == 5 && (got[1] == 11 || got[1] == 12));
    MODEL_CHECK(!more || (left != got[1] && (left == 11 || left == 12)));
    wr_chan_free(ch);
}

MODEL(chan_coalesce_waiting_senders, .setup = fill_coalesce,
      .thread = { send_11, send_12, recv_two }, .finish = first_5_then_one_of_two,
      .locks_wait = true);
MODEL(chan_coalesce_one_gives_up, .setup = fill_coalesce,
      .thread = { send_11, send_12_for_a_while, recv_two }, .finish = first_5_then_one_of_two,
      .locks_wait = true);

/* Retry once: the second attempt finds room, or gives up for good. */
static void fill_retry(void)
{
    open_chan(WR_RETRY_ONCE, 1);
    MODEL_OK(wr_chan_send(ch, &(int64_t){ 5 }, WR_NOW));
}

static void recv_first(void)
{
    recv(&got[0]);
}

static void tried_twice(void)
{
    MODEL_CHECK(result[0] == WR_OK || result[0] == WR_BUSY);
    MODEL_CHECK(wr_chan_stat(ch).dropped == (result[0] == WR_BUSY));
    MODEL_CHECK(wr_chan_recv(ch, &got[1], WR_NOW) == (result[0] ? WR_TIMEOUT : WR_OK));
    wr_chan_free(ch);
}

MODEL(chan_retry_once, .setup = fill_retry, .thread = { send_11, recv_first },
      .finish = tried_twice, .stale_max = 1);

static void send_11_until_tomorrow(void)
{
    send(11, wr_after(WR_US(1)));       /* too soon for a second attempt */
    send(11, WR_NOW);
}

static void refused(void)
{
    MODEL_CHECK(result[0] == WR_BUSY);
    wr_chan_free(ch);
}

MODEL(chan_retry_too_late, .setup = fill_retry, .thread = { send_11_until_tomorrow },
      .finish = refused);

/* ---- more than fits: the ring goes round ---- */

static void open_two(void)
{
    open_chan(WR_WAIT, 2);
}

static void open_two_dropping(void)
{
    open_chan(WR_DROP_OLDEST, 2);
}

static void send_three(void)
{
    for (int64_t i = 1; i <= 3; i++) {
        send(i, WR_NEVER);
        MODEL_OK(result[model_self()]);
    }
}

static void recv_three(void)
{
    for (int i = 0; i < 3; i++) {
        recv(&got[i]);
        MODEL_CHECK(got[i] == i + 1);
    }
}

static void free_chan(void)
{
    wr_chan_free(ch);
}

MODEL(chan_ring_goes_round, .setup = open_two, .thread = { send_three, recv_three },
      .finish = free_chan);

static void last_two_left(void)
{
    MODEL_OK(wr_chan_recv(ch, &got[0], WR_NOW));
    MODEL_OK(wr_chan_recv(ch, &got[1], WR_NOW));
    MODEL_CHECK(got[0] == 2 && got[1] == 3 && wr_chan_stat(ch).dropped == 1);
    wr_chan_free(ch);
}

MODEL(chan_drops_go_round, .setup = open_two_dropping, .thread = { send_three },
      .finish = last_two_left);

/* ---- a select on what is closed, full, or of another policy ---- */

static void select_everything(void)
{
    seam_enter();
    int64_t item = 21, other = 31;
    size_t which;
    struct wr_case cases[] = { WR_CASE_SEND(ch, &item), WR_CASE_RECV(ch, &other) };
    MODEL_OK(wr_select(&which, cases, 2, WR_NOW));          /* room, or the policy says */
    MODEL_CHECK(which == 0);
    item = 22;
    MODEL_OK(wr_select(&which, cases, 2, WR_NOW));          /* full now, or an equal key */
    item = 41;
    wr_err err = wr_select(&which, cases, 1, WR_NOW);       /* another key */
    MODEL_CHECK(err == WR_OK || err == WR_TIMEOUT);
    wr_chan_close(ch);
    MODEL_OK(wr_select(&which, cases, 2, WR_NOW));
    MODEL_CHECK(which == 0 && cases[0].err == WR_CLOSED);
    while (cases[1].err != WR_CLOSED) {
        MODEL_OK(wr_select(&which, cases + 1, 1, WR_NEVER));
        MODEL_CHECK(which == 0);
    }
}

static void open_any_policy(void)
{
    open_chan(WR_WAIT, 1);
}

static void select_any_policy(void)
{
    seam_enter();
    wr_chan_free(ch);
    open_chan((enum wr_chan_policy)(WR_WAIT + (int)model_choose(5)), 1);
    select_everything();
}

MODEL(select_every_policy, .setup = open_any_policy, .thread = { select_any_policy },
      .finish = free_chan, .schedules = 5);

/* Closed while a select waits on both sides of two channels. */
static void select_until_closed(void)
{
    seam_enter();
    int64_t item = 0;
    size_t which;
    struct wr_case cases[] = { WR_CASE_RECV(ch, &item) };
    MODEL_OK(wr_select(&which, cases, 1, WR_NEVER));
    MODEL_CHECK(cases[0].err == WR_CLOSED || (cases[0].err == WR_OK && item == 11));
    result[0] = cases[0].err;
}

static void send_11_now_and_close(void)
{
    send(11, WR_NOW);
    wr_chan_close(ch);
}

MODEL(select_against_close, .setup = open_two,
      .thread = { select_until_closed, send_11_now_and_close }, .finish = free_chan);

/* ---- a broadcast that ends while somebody is behind ---- */

static struct wr_bcast *bcast;

static void open_bcast(void)
{
    seam_open();
    MODEL_OK(wr_bcast_new(&bcast, &bcast_conf));
}

static void listen(void)
{
    seam_enter();
    struct wr_bcast_reader reader = wr_bcast_reader(bcast);
    int value;
    wr_err err;
    do
        err = wr_bcast_recv(&reader, &value, WR_NEVER);
    while (err == WR_OK || err == WR_LAGGED);
    MODEL_CHECK(err == WR_CLOSED);
}

static void tell_three_and_close(void)
{
    seam_enter();
    for (int i = 0; i < 3; i++)
        MODEL_OK(wr_bcast_send(bcast, &i));
    wr_bcast_close(bcast);
    wr_bcast_close(bcast);
}

static void free_bcast(void)
{
    wr_bcast_free(bcast);
}

MODEL(bcast_newcomer, .setup = open_bcast, .thread = { listen, tell_three_and_close },
      .finish = free_bcast, .locks_wait = true);

/* ---- a once with a value nobody wants ---- */

static struct wr_once *once;

static void open_once(void)
{
    seam_open();
    MODEL_OK(wr_once_new(&once, "model.once", sizeof(int)));
}

static void set_and_close(void)
{
    seam_enter();
    MODEL_OK(wr_once_set(once, &(int){ 3 }));
    wr_once_close(once);
    MODEL_CHECK(wr_once_set(once, &(int){ 4 }) == WR_EXISTS);
}

static void only_wait(void)
{
    seam_enter();
    MODEL_OK(wr_once_wait(once, NULL, WR_NEVER));
    MODEL_CHECK(wr_once_done(once));
}

static void free_once(void)
{
    wr_once_free(once);
}

MODEL(once_as_an_event, .setup = open_once, .thread = { set_and_close, only_wait },
      .finish = free_once);
