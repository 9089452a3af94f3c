/* sched_control_test.c - the control worker: it answers while the others are kept, runs
 * its own tasks and no others, and shares everything but tasks. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <weir/chan.h>
#include <weir/fd.h>
#include <weir/once.h>
#include <weir/run.h>
#include <weir/scope.h>
#include <weir/sup.h>
#include <weir/topo.h>
#include <weir/watch.h>

#include "base/world.h"
#include "rt/rt_int.h"
#include "testing/settle.h"
#include "testing/test.h"

#define PATIENCE WR_S(20)

static wr_time real_now(void)
{
    return wr_world_os.mono();
}

static bool on_control(void)
{
    return wr_worker_self->control;
}

static wr_err run_with(wr_task_fn fn, void *arg)
{
    return wr_run(&(struct wr_run_conf){ .control = true }, fn, arg);
}

static struct wr_scope *control_open(void)
{
    struct wr_scope *scope = NULL;
    CHECK_OK(wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "test.control", .deadline = WR_NEVER, .control = true }));
    return scope;
}

/* ---- it answers ---- */

#define QUESTIONS 20

struct rig {
    int ask[2], answer[2];      /* pipes */
    pthread_t thread;
    atomic_bool asked_all, stop;
    atomic_int computing;
    wr_time took[QUESTIONS];
};

/* From outside, as a monitoring system would. */
static void *ask_all(void *arg)
{
    struct rig *rig = arg;
    char byte = 'q';
    for (int i = 0; i < QUESTIONS; i++) {
        wr_time start = real_now();
        if (write(rig->ask[1], &byte, 1) != 1 || read(rig->answer[0], &byte, 1) != 1)
            abort();
        rig->took[i] = real_now() - start;
    }
    atomic_store(&rig->asked_all, true);
    return NULL;
}

static wr_err answer_all(void *arg)
{
    struct rig *rig = arg;
    struct wr_fd *in;
    char byte;
    size_t len;
    REQUIRE_OK(wr_fd_open(&in, rig->ask[0]), WR_IO);
    for (int i = 0; i < QUESTIONS; i++) {
        CHECK_OK(wr_fd_read(in, &len, &byte, 1, WR_NEVER));
        CHECK(write(rig->answer[1], &byte, 1) == 1);
    }
    wr_fd_close(in);
    return WR_OK;
}

/* Keeps its worker until all is answered, and for 200 ms at least. */
static wr_err keep_busy(void *arg)
{
    struct rig *rig = arg;
    wr_time start = real_now();
    atomic_fetch_add(&rig->computing, 1);
    while (!rig->asked_all || real_now() < start + WR_MS(200))
        if (real_now() > start + PATIENCE)
            break;
    CHECK(rig->asked_all);
    return WR_OK;
}

static wr_err saturate(void *arg)
{
    struct rig *rig = arg;
    struct wr_scope *control = control_open(), *busy = scope_open();
    int workers = (int)wr_rt.pool;
    CHECK_OK(wr_scope_go(control, "test.answer", answer_all, rig));
    for (int i = 1; i < workers; i++)
        CHECK_OK(wr_scope_go(busy, "test.busy", keep_busy, rig));
    wr_time give_up = real_now() + PATIENCE;
    while (rig->computing < workers - 1 && real_now() < give_up)
        ;                       /* this one is kept already */
    REQUIRE(pthread_create(&rig->thread, NULL, ask_all, rig) == 0, WR_IO);
    (void)!keep_busy(rig);
    scope_done(busy);
    scope_done(control);
    pthread_join(rig->thread, NULL);
    return WR_OK;
}

static int by_time(const void *a, const void *b)
{
    wr_time x = *(const wr_time *)a, y = *(const wr_time *)b;
    return (x > y) - (x < y);
}

TEST_PLAIN(a_control_task_answers_while_every_other_worker_computes)
{
    struct rig rig = { 0 };
    REQUIRE(pipe(rig.ask) == 0 && pipe(rig.answer) == 0);
    CHECK_OK(run_with(saturate, &rig));
    qsort(rig.took, QUESTIONS, sizeof(rig.took[0]), by_time);
    printf("# answers: median %lld us, worst %lld us\n",
           (long long)(rig.took[QUESTIONS / 2] / WR_US(1)),
           (long long)(rig.took[QUESTIONS - 1] / WR_US(1)));
    if (test_rounds(100) == 100)
        CHECK(rig.took[QUESTIONS / 2] < WR_MS(20));     /* usually far below one */
    close(rig.ask[1]);
    close(rig.answer[0]);
    close(rig.answer[1]);
}

/* ---- who runs where ---- */

struct places { atomic_int control, others; };

static void note(struct places *places)
{
    atomic_fetch_add(on_control() ? &places->control : &places->others, 1);
}

static wr_err note_place(void *arg)
{
    note(arg);
    return WR_OK;
}

static wr_err note_and_wait(void *arg)
{
    note(arg);
    CHECK_OK(wr_sleep(wr_after(WR_US(100))));
    note(arg);
    return WR_OK;
}

#define TASKS 500

static wr_err start_below(void *arg)
{
    struct wr_scope *below = scope_open();      /* says nothing of control: it inherits it */
    note(arg);
    for (int i = 0; i < TASKS; i++)
        CHECK_OK(wr_scope_go(below, "test.below", note_and_wait, arg));
    scope_done(below);
    return WR_OK;
}

static wr_err spawn_in_control(void *arg)
{
    struct wr_scope *scope = control_open();
    for (int i = 0; i < TASKS; i++)
        CHECK_OK(wr_scope_go(scope, "test.far", note_and_wait, arg));
    CHECK_OK(wr_scope_go(scope, "test.above", start_below, arg));
    scope_done(scope);
    return WR_OK;
}

TEST_PLAIN(tasks_of_a_control_scope_and_those_below_run_on_the_control_worker_only)
{
    struct places places = { 0 };
    CHECK_OK(run_with(spawn_in_control, &places));
    CHECK_EQ(4 * TASKS + 1, places.control);
    CHECK_EQ(0, places.others);
}

static wr_err compute_a_little(void *arg)
{
    for (wr_time until = real_now() + WR_US(20); real_now() < until;)
        ;
    return note_and_wait(arg);
}

static wr_err spawn_in_others(void *arg)
{
    struct wr_scope *scope = scope_open();
    for (int i = 0; i < TASKS; i++)
        CHECK_OK(wr_scope_go(scope, "test.other", compute_a_little, arg));
    scope_done(scope);
    return WR_OK;
}

TEST_PLAIN(the_control_worker_runs_no_other_tasks_however_many_wait)
{
    struct places places = { 0 };
    CHECK_OK(run_with(spawn_in_others, &places));
    CHECK_EQ(0, places.control);
    CHECK_EQ(2 * TASKS, places.others);
}

struct crossing { struct wr_scope *above; struct places up, down; };

static wr_err start_above(void *arg)
{
    struct crossing *crossing = arg;
    note(&crossing->down);
    for (int i = 0; i < TASKS; i++) {
        CHECK_OK(wr_scope_go(crossing->above, "test.up", note_place, &crossing->up));
        if (i % 50 == 0)                /* by then the others sleep */
            CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    }
    return WR_OK;
}

static wr_err go_down_and_up(void *arg)
{
    struct crossing *crossing = arg;
    crossing->above = scope_open();
    wr_scope_enter(crossing->above);
    struct wr_scope *control = control_open();
    CHECK_OK(wr_scope_go(control, "test.down", start_above, crossing));
    scope_done(control);
    wr_scope_leave(crossing->above);
    scope_done(crossing->above);
    return WR_OK;
}

TEST_PLAIN(what_a_control_task_starts_in_a_scope_above_runs_on_the_other_workers)
{
    struct crossing crossing = { 0 };
    CHECK_OK(run_with(go_down_and_up, &crossing));
    CHECK_EQ(1, crossing.down.control);
    CHECK_EQ(TASKS, crossing.up.others);
    CHECK_EQ(0, crossing.up.control);
}

/* ---- where there is none ---- */

static wr_err spawn_without(void *arg)
{
    CHECK(wr_rt.control == NULL);
    return spawn_in_control(arg);
}

TEST_PLAIN(without_a_control_worker_the_tasks_of_control_scopes_run_like_others)
{
    struct places places = { 0 };
    CHECK_OK(wr_run(&(struct wr_run_conf){ 0 }, spawn_without, &places));
    CHECK_EQ(4 * TASKS + 1, places.others);
}

TEST_PLAIN(under_the_virtual_clock_there_is_no_control_worker)
{
    struct places places = { 0 };
    CHECK_OK(wr_run(&(struct wr_run_conf){ .control = true, .virtual_clock = true },
                    spawn_without, &places));
    CHECK_EQ(4 * TASKS + 1, places.others);
}

static wr_err count_workers(void *arg)
{
    *(unsigned *)arg = wr_rt.count;
    return WR_OK;
}

TEST_PLAIN(with_the_control_worker_there_are_at_most_64)
{
    unsigned count = 0;
    CHECK_OK(wr_run(&(struct wr_run_conf){ .workers = 100, .control = true }, count_workers,
                    &count));
    CHECK_EQ(64, count);
}

/* ---- what is shared ---- */

#define ROUNDS 2000

struct talk { struct wr_chan *there, *back; struct wr_watch *watch; struct wr_once *once; };

static wr_err echo(void *arg)
{
    struct talk *talk = arg;
    int value;
    CHECK(on_control());
    while (!wr_chan_recv(talk->there, &value, WR_NEVER))
        CHECK_OK(wr_chan_send(talk->back, &value, WR_NEVER));
    return WR_OK;
}

static wr_err watch_to_the_end(void *arg)
{
    struct talk *talk = arg;
    struct wr_watch_reader reader = wr_watch_reader(talk->watch);
    int value = 0;
    CHECK(on_control());
    while (value < ROUNDS)
        CHECK_OK(wr_watch_wait(&reader, &value, WR_NEVER));
    return wr_once_set(talk->once, &value);
}

static wr_err talk_across(void *arg)
{
    struct talk *talk = arg;
    struct wr_watch_writer writer;
    struct wr_chan_conf conf = { .name = "test.there", .item_size = sizeof(int), .cap = 4,
                                 .policy = WR_WAIT };
    REQUIRE_OK(wr_chan_new(&talk->there, &conf), WR_NOMEM);
    REQUIRE_OK(wr_chan_new(&talk->back, &conf), WR_NOMEM);
    REQUIRE_OK(wr_once_new(&talk->once, "test.once", sizeof(int)), WR_NOMEM);
    REQUIRE_OK(wr_watch_new(&talk->watch, &writer, &(struct wr_watch_conf){
        .name = "test.watch", .size = sizeof(int), .initial = &(int){ 0 } }), WR_NOMEM);
    struct wr_scope *scope = control_open();
    CHECK_OK(wr_scope_go(scope, "test.echo", echo, talk));
    CHECK_OK(wr_scope_go(scope, "test.watch", watch_to_the_end, talk));
    int value = 0;
    for (int i = 1; i <= ROUNDS; i++) {
        CHECK_OK(wr_chan_send(talk->there, &i, WR_NEVER));
        CHECK_OK(wr_chan_recv(talk->back, &value, WR_NEVER));
        CHECK_EQ(i, value);
        wr_watch_set(&writer, &i);
    }
    CHECK_OK(wr_once_wait(talk->once, &value, WR_NEVER));
    CHECK_EQ(ROUNDS, value);
    wr_chan_close(talk->there);
    scope_done(scope);
    wr_chan_free(talk->there);
    wr_chan_free(talk->back);
    wr_watch_close(&writer);
    wr_watch_free(talk->watch);
    wr_once_free(talk->once);
    return WR_OK;
}

TEST_PLAIN(channels_watches_and_events_reach_across)
{
    struct talk talk = { 0 };
    CHECK_OK(run_with(talk_across, &talk));
}

/* ---- deadlines, cancels, panics ---- */

static wr_err wait_until_ended(void *arg)
{
    wr_err ended = wr_sleep(WR_NEVER);
    *(wr_time *)arg = ended == WR_TIMEOUT ? real_now() : 0;
    return WR_OK;
}

/* The scope's own timer is on the worker that made it, which is kept. */
static wr_err deadline_of_a_kept_owner(void *arg)
{
    wr_time deadline = wr_after(WR_MS(20)), woke = 0;
    (void)arg;
    struct wr_scope *scope;
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "test.control", .deadline = deadline, .control = true }), WR_NOMEM);
    CHECK_OK(wr_scope_go(scope, "test.timed", wait_until_ended, &woke));
    wr_time give_up = real_now() + PATIENCE;
    while (wr_scope_live(scope) && real_now() < give_up)
        ;
    CHECK(wr_scope_live(scope) == 0 && woke >= deadline);
    CHECK_OK(wr_scope_close(scope));
    return WR_OK;
}

TEST_PLAIN(a_control_scope_ends_in_time_though_the_worker_of_its_owner_is_kept)
{
    CHECK_OK(run_with(deadline_of_a_kept_owner, NULL));
}

static wr_err wait_for_cancel(void *arg)
{
    CHECK_ERR(WR_CANCELED, wr_sleep(WR_NEVER));
    note(arg);
    return WR_CANCELED;
}

static wr_err close_with_waiting(void *arg)
{
    for (int i = 0; i < 50; i++) {
        struct wr_scope *scope = control_open();
        CHECK_OK(wr_scope_go(scope, "test.waits", wait_for_cancel, arg));
        if (i % 2)
            CHECK_OK(wr_sleep(wr_after(WR_US(200))));
        CHECK_OK(wr_scope_close(scope));
    }
    return WR_OK;
}

TEST_PLAIN(closing_a_control_scope_cancels_and_awaits_its_tasks)
{
    struct places places = { 0 };
    CHECK_OK(run_with(close_with_waiting, &places));
    CHECK_EQ(50, places.control);
}

static wr_err broken(void *arg)
{
    (void)arg;
    wr_panic("as claimed");
}

static wr_err go_broken(void *arg)
{
    (void)arg;
    struct wr_scope *scope = control_open();
    CHECK_OK(wr_scope_go(scope, "test.broken", broken, NULL));
    CHECK_ERR(WR_PANIC, wr_scope_join(scope, WR_NEVER));
    CHECK_ERR(WR_PANIC, wr_scope_close(scope));
    wr_panic("outside");
}

TEST_DIES_PLAIN(a_panic_on_the_control_worker_ends_the_task_and_says_where,
                "in task test\\.broken#[0-9]+, started at [^ ]+, "
                "on the control worker: the task ends\n(.*\n)*.*outside")
{
    (void)!run_with(go_broken, NULL);
    abort();
}

static wr_err dump_one(void *arg)
{
    (void)arg;
    wr_time woke;
    struct wr_scope *scope = control_open();
    CHECK_OK(wr_scope_go(scope, "test.dumped", wait_until_ended, &woke));
    CHECK_OK(wr_sleep(wr_after(WR_MS(20))));
    wr_run_dump();
    return wr_scope_close(scope);
}

TEST_DIES_PLAIN(a_dump_names_the_control_worker,
                "the control worker  test\\.dumped#[0-9]+ +waits on sleep at "
                "src/rt/sched_control_test\\.c:")
{
    (void)!run_with(dump_one, NULL);
    abort();
}

/* ---- the map, supervision, rest ---- */

static wr_err draw(void *arg)
{
    static char map[64 * 1024];
    struct places places = { 0 };
    size_t len;
    (void)arg;
    struct wr_scope *scope = control_open(), *other = scope_open();
    for (int i = 0; i < 3; i++)
        CHECK_OK(wr_scope_go(scope, "test.drawn", note_place, &places));
    for (int i = 0; i < 2; i++)
        CHECK_OK(wr_scope_go(other, "test.drawn", note_place, &places));
    scope_done(other);
    scope_done(scope);
    CHECK_OK(wr_topo_write(&len, map, sizeof(map), WR_TOPO_TEXT));
    const char *row = strstr(map, "\ntest.drawn ");
    unsigned long long alive, started = 0, panicked, stalls, control = 0;
    REQUIRE(row && sscanf(row, " test.drawn %llu %llu %llu %llu %llu", &alive, &started,
                          &panicked, &stalls, &control) == 5, WR_IO);
    CHECK_EQ(5, started);
    CHECK_EQ(3, control);
    CHECK_OK(wr_topo_write(&len, map, sizeof(map), WR_TOPO_MARKDOWN));
    CHECK(strstr(map, "| `test.drawn`, on the control worker |\n"));
    return WR_OK;
}

TEST_PLAIN(the_map_tells_how_many_tasks_of_a_kind_were_for_the_control_worker)
{
    CHECK_OK(run_with(draw, NULL));
}

static wr_err child(void *arg, struct wr_once *drain)
{
    note(arg);
    return wr_once_wait(drain, NULL, WR_NEVER);
}

static wr_err stop_soon(void *arg)
{
    CHECK_OK(wr_sleep(wr_after(WR_MS(10))));
    wr_sup_stop(arg);
    return WR_OK;
}

static wr_err supervise(void *arg)
{
    struct places *places = arg;
    const struct wr_child children[] = {
        { "test.health", child, &places[0], WR_RESTART_ALWAYS, .control = true },
        { "test.worker", child, &places[1], WR_RESTART_ALWAYS, .group = 1 },
    };
    struct wr_sup *sup;
    REQUIRE_OK(wr_sup_new(&sup, &(struct wr_sup_conf){
        .name = "test", .children = children, .count = 2, .quiet = true }), WR_NOMEM);
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_scope_go(scope, "test.stop", stop_soon, sup));
    CHECK_OK(wr_sup_run(sup));
    scope_done(scope);
    wr_sup_free(sup);
    return WR_OK;
}

TEST_PLAIN(a_supervised_child_runs_there_when_its_row_says_so)
{
    struct places places[2] = { 0 };
    CHECK_OK(run_with(supervise, places));
    CHECK_EQ(1, places[0].control);
    CHECK_EQ(1, places[1].others);
}

static wr_time used(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return WR_S(ts.tv_sec) + ts.tv_nsec;
}

static wr_err rest(void *arg)
{
    wr_time *spent = arg, woke;
    struct wr_scope *scope = control_open();
    for (int i = 0; i < 20; i++)
        CHECK_OK(wr_scope_go(scope, "test.rests", wait_until_ended, &woke));
    CHECK_OK(wr_sleep(wr_after(WR_MS(50))));        /* settle down first */
    wr_time before = used();
    CHECK_OK(wr_sleep(wr_after(WR_MS(300))));
    *spent = used() - before;
    return wr_scope_close(scope);
}

TEST_PLAIN(a_control_worker_with_nothing_to_do_uses_next_to_no_processor)
{
    wr_time spent = WR_S(1);
    CHECK_OK(run_with(rest, &spent));
    CHECK(spent < WR_MS(30));           /* a tenth; the bench has the real figure */
}
