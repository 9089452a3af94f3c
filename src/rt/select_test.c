/* Every kind of case: which one happens, with what result, and that the others
 * have no effect. */
#include <weir/select.h>

#include <string.h>
#include <unistd.h>

#include <weir/offload.h>

#include "testing/settle.h"
#include "testing/test.h"

/* ---- one of each kind ---- */

enum kind { RECV, SEND, WATCH, BCAST, ONCE, SEM, TIMER, FD, KINDS };

struct zoo {
    struct wr_chan *in, *out;           /* empty, to receive from; full, to send to */
    struct wr_watch *watch;
    struct wr_watch_writer writer;
    struct wr_watch_reader watch_reader;
    struct wr_bcast *bcast;
    struct wr_bcast_reader bcast_reader;
    struct wr_once *once;
    struct wr_sem *sem;                 /* both units taken */
    struct wr_timer timer;
    struct wr_fd *fd;
    int other_end;
    int got[KINDS], offer;
    enum kind poked;                    /* by the task that makes one case possible */
};

#define VALUE 42

static struct wr_chan *make_chan(size_t cap, enum wr_chan_policy policy)
{
    struct wr_chan *ch = NULL;
    CHECK_OK(wr_chan_new(&ch, &(struct wr_chan_conf){ .name = "test.select", .policy = policy,
                                                      .item_size = sizeof(int), .cap = cap }));
    return ch;
}

/* Nothing is possible yet. */
static void zoo_open(struct zoo *zoo)
{
    int ends[2], zero = 0;
    size_t n;
    *zoo = (struct zoo){ .offer = VALUE };
    zoo->in = make_chan(1, WR_WAIT);
    zoo->out = make_chan(1, WR_WAIT);
    CHECK_OK(wr_chan_send(zoo->out, &zero, WR_NOW));
    CHECK_OK(wr_watch_new(&zoo->watch, &zoo->writer, &(struct wr_watch_conf){
        .name = "test.select", .size = sizeof(int), .initial = &zero }));
    zoo->watch_reader = wr_watch_reader(zoo->watch);
    CHECK_OK(wr_watch_wait(&zoo->watch_reader, &zero, WR_NOW));
    CHECK_OK(wr_bcast_new(&zoo->bcast, &(struct wr_bcast_conf){
        .name = "test.select", .item_size = sizeof(int), .cap = 2 }));
    zoo->bcast_reader = wr_bcast_reader(zoo->bcast);
    CHECK_OK(wr_once_new(&zoo->once, "test.select", sizeof(int)));
    CHECK_OK(wr_sem_new(&zoo->sem, "test.select", 2));
    CHECK_OK(wr_sem_acquire_many(zoo->sem, 2, WR_NOW));
    CHECK(pipe(ends) == 0);
    zoo->other_end = ends[1];
    CHECK_OK(wr_fd_open(&zoo->fd, ends[0]));
    CHECK_ERR(WR_TIMEOUT, wr_fd_read(zoo->fd, &n, &zero, 1, WR_NOW));
}

/* Every free panics if a waiter was left behind. */
static void zoo_close(struct zoo *zoo)
{
    wr_chan_free(zoo->in);
    wr_chan_free(zoo->out);
    wr_watch_close(&zoo->writer);
    wr_watch_free(zoo->watch);
    wr_bcast_free(zoo->bcast);
    wr_once_free(zoo->once);
    wr_sem_free(zoo->sem);
    wr_timer_clear(&zoo->timer);
    wr_fd_close(zoo->fd);
    close(zoo->other_end);
}

static struct wr_case case_of(struct zoo *zoo, enum kind kind)
{
    switch (kind) {
    case RECV: return (struct wr_case)WR_CASE_RECV(zoo->in, &zoo->got[RECV]);
    case SEND: return (struct wr_case)WR_CASE_SEND(zoo->out, &zoo->offer);
    case WATCH: return (struct wr_case)WR_CASE_WATCH(&zoo->watch_reader, &zoo->got[WATCH]);
    case BCAST: return (struct wr_case)WR_CASE_BCAST(&zoo->bcast_reader, &zoo->got[BCAST]);
    case ONCE: return (struct wr_case)WR_CASE_ONCE(zoo->once, &zoo->got[ONCE]);
    case SEM: return (struct wr_case)WR_CASE_SEM(zoo->sem, 1);
    case TIMER: return (struct wr_case)WR_CASE_TIMER(&zoo->timer);
    default: return (struct wr_case)WR_CASE_FD(zoo->fd, WR_READABLE);
    }
}

/* Make one kind of case possible; a timer belongs to the fiber that waits. */
static void poke(struct zoo *zoo, enum kind kind)
{
    int value = VALUE;
    switch (kind) {
    case RECV: CHECK_OK(wr_chan_send(zoo->in, &value, WR_NOW)); break;
    case SEND: CHECK_OK(wr_chan_recv(zoo->out, &value, WR_NOW)); break;
    case WATCH: wr_watch_set(&zoo->writer, &value); break;
    case BCAST: CHECK_OK(wr_bcast_send(zoo->bcast, &value)); break;
    case ONCE: CHECK_OK(wr_once_set(zoo->once, &value)); break;
    case SEM: wr_sem_release(zoo->sem); break;
    case FD: CHECK(write(zoo->other_end, "x", 1) == 1); break;
    default: break;
    }
}

static wr_err poke_later(void *arg)
{
    struct zoo *zoo = arg;
    CHECK_OK(wr_sleep(wr_after(WR_US(5))));
    poke(zoo, zoo->poked);
    return WR_OK;
}

/* The case of this kind has happened: its effect is there. */
static void check_happened(struct zoo *zoo, enum kind kind)
{
    int value = 0;
    if (kind == RECV || kind == WATCH || kind == BCAST || kind == ONCE)
        CHECK_EQ(VALUE, zoo->got[kind]);
    if (kind == SEND) {
        CHECK_OK(wr_chan_recv(zoo->out, &value, WR_NOW));
        CHECK_EQ(VALUE, value);
    }
    if (kind == SEM)
        CHECK_EQ(2, wr_sem_stat(zoo->sem).taken);
    if (kind == TIMER)
        CHECK(wr_timer_due(&zoo->timer));
    if (kind == FD)
        CHECK_OK(wr_fd_wait(zoo->fd, WR_READABLE, WR_NOW));
}

/* No waiter is left: what comes now finds nobody and stays where it is put. */
static void check_nobody_waits(struct zoo *zoo)
{
    int value;
    while (wr_chan_recv(zoo->in, &value, WR_NOW) == WR_OK)
        ;
    CHECK_OK(wr_chan_send(zoo->in, &(int){ 1 }, WR_NOW));
    CHECK_EQ(1, wr_chan_stat(zoo->in).len);
    while (wr_chan_recv(zoo->out, &value, WR_NOW) == WR_OK)
        ;
    CHECK_OK(wr_chan_send(zoo->out, &(int){ 1 }, WR_NOW));
    CHECK_OK(wr_chan_recv(zoo->out, &value, WR_NOW));
    CHECK_EQ(0, wr_chan_stat(zoo->out).len);
    wr_sem_release_many(zoo->sem, wr_sem_stat(zoo->sem).taken);
    CHECK_EQ(0, wr_sem_stat(zoo->sem).taken);
}

static void check_untouched(struct zoo *zoo, enum kind except)
{
    for (int kind = 0; kind < KINDS; kind++)
        if (kind != (int)except)
            CHECK_EQ(0, zoo->got[kind]);
    if (except != SEND)
        CHECK_EQ(1, wr_chan_stat(zoo->out).sent);
    if (except != RECV)
        CHECK_EQ(0, wr_chan_stat(zoo->in).received);
    if (except != WATCH)
        CHECK_EQ(1, zoo->watch_reader.seen);
    if (except != BCAST)
        CHECK_EQ(1, zoo->bcast_reader.next);
}

static size_t all_cases(struct zoo *zoo, struct wr_case *cases, size_t first)
{
    for (size_t i = 0; i < KINDS; i++)
        cases[i] = case_of(zoo, (enum kind)((first + i) % KINDS));
    return KINDS;
}

TEST(a_case_of_each_kind_that_can_happen_happens_at_once)
{
    for (int kind = 0; kind < KINDS; kind++) {
        struct zoo zoo;
        zoo_open(&zoo);
        wr_timer_set(&zoo.timer, kind == TIMER ? wr_now() : wr_after(WR_S(1)));
        poke(&zoo, (enum kind)kind);
        wr_time start = wr_now();
        struct wr_case only = case_of(&zoo, (enum kind)kind);
        size_t which = 99;
        if (kind == FD)         /* its readiness arrives through the poll of its worker */
            CHECK_OK(wr_fd_wait(zoo.fd, WR_READABLE, wr_after(WR_S(1))));
        CHECK_OK(wr_select(&which, &only, 1, WR_NOW));
        CHECK_EQ(0, which);
        CHECK_OK(only.err);
        CHECK_EQ(start, wr_now());
        check_happened(&zoo, (enum kind)kind);
        zoo_close(&zoo);
    }
}

TEST(among_all_kinds_the_one_that_becomes_possible_ends_the_wait_and_the_others_have_no_effect)
{
    for (int kind = 0; kind < KINDS; kind++) {
        struct zoo zoo;
        struct wr_case cases[KINDS];
        size_t which = 99, count;
        struct wr_scope *scope = scope_open();
        zoo_open(&zoo);
        zoo.poked = (enum kind)kind;
        wr_time start = wr_now();
        wr_timer_set(&zoo.timer, start + (kind == TIMER ? WR_US(5) : WR_S(1)));
        if (kind != TIMER)
            CHECK_OK(wr_scope_go(scope, "test.poke", poke_later, &zoo));
        count = all_cases(&zoo, cases, 0);
        CHECK_OK(wr_select(&which, cases, count, WR_NEVER));
        CHECK_EQ(kind, which);
        CHECK_OK(cases[kind].err);
        CHECK_EQ(WR_US(5), wr_now() - start);
        check_untouched(&zoo, (enum kind)kind);
        check_happened(&zoo, (enum kind)kind);
        check_nobody_waits(&zoo);
        scope_done(scope);
        zoo_close(&zoo);
    }
}

TEST(when_several_can_happen_the_first_in_the_list_does_and_no_other)
{
    for (size_t first = 0; first < KINDS; first++) {
        struct zoo zoo;
        struct wr_case cases[KINDS];
        size_t which = 99, count;
        zoo_open(&zoo);
        wr_timer_set(&zoo.timer, wr_now());
        for (int kind = 0; kind < KINDS; kind++)
            poke(&zoo, (enum kind)kind);
        CHECK_OK(wr_fd_wait(zoo.fd, WR_READABLE, wr_after(WR_S(1))));
        count = all_cases(&zoo, cases, first);
        CHECK_OK(wr_select(&which, cases, count, WR_NEVER));
        CHECK_EQ(0, which);
        check_untouched(&zoo, (enum kind)first);
        CHECK_EQ(first == SEM ? 2 : 1, wr_sem_stat(zoo.sem).taken);
        CHECK_EQ(first == RECV ? 0 : 1, wr_chan_stat(zoo.in).len);
        CHECK_EQ(first == SEND ? 1 : 0, wr_chan_stat(zoo.out).len);
        check_happened(&zoo, (enum kind)first);
        zoo_close(&zoo);
    }
}

TEST(a_select_over_all_kinds_gives_up_exactly_at_the_deadline_and_leaves_no_trace)
{
    struct zoo zoo;
    struct wr_case cases[KINDS];
    size_t which = 99, count;
    zoo_open(&zoo);
    wr_timer_set(&zoo.timer, wr_after(WR_S(1)));
    wr_time start = wr_now();
    count = all_cases(&zoo, cases, 0);
    CHECK_ERR(WR_TIMEOUT, wr_select(&which, cases, count, WR_NOW));
    CHECK_EQ(start, wr_now());
    CHECK_ERR(WR_TIMEOUT, wr_select(&which, cases, count, start + WR_MS(3)));
    CHECK_EQ(WR_MS(3), wr_now() - start);
    CHECK_EQ(99, which);
    check_untouched(&zoo, KINDS);
    CHECK_EQ(0, wr_chan_stat(zoo.out).refused);
    CHECK_EQ(2, wr_sem_stat(zoo.sem).taken);
    check_nobody_waits(&zoo);
    zoo_close(&zoo);
}

struct call { struct zoo *zoo; wr_err err; wr_time ended; };

static wr_err select_task(void *arg)
{
    struct call *call = arg;
    struct wr_case cases[KINDS];
    size_t which, count = all_cases(call->zoo, cases, 0);
    call->err = wr_select(&which, cases, count, WR_NEVER);
    call->ended = wr_now();
    return WR_OK;
}

TEST(a_cancel_ends_a_select_over_all_kinds_and_leaves_no_trace)
{
    struct zoo zoo;
    struct wr_scope *scope = scope_open();
    struct call call = { .zoo = &zoo };
    zoo_open(&zoo);
    go(scope, select_task, &call);
    wr_time canceled = wr_now();
    wr_scope_cancel(scope);
    scope_done(scope);
    CHECK_ERR(WR_CANCELED, call.err);
    CHECK_EQ(canceled, call.ended);
    check_untouched(&zoo, KINDS);
    check_nobody_waits(&zoo);
    zoo_close(&zoo);
}

TEST(a_select_that_was_served_returns_ok_though_it_is_canceled_before_it_runs)
{
    static const enum kind kinds[] = { RECV, SEND, WATCH, BCAST, ONCE, SEM };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        struct zoo zoo;
        struct wr_scope *scope = scope_open();
        struct call call = { .zoo = &zoo };
        zoo_open(&zoo);
        go(scope, select_task, &call);
        poke(&zoo, kinds[i]);
        wr_scope_cancel(scope);
        scope_done(scope);
        CHECK_OK(call.err);
        check_happened(&zoo, kinds[i]);
        zoo_close(&zoo);
    }
}

TEST(in_a_canceled_scope_a_select_with_wr_now_still_works)
{
    struct zoo zoo;
    struct wr_scope *scope = scope_open();
    size_t which;
    zoo_open(&zoo);
    poke(&zoo, RECV);
    struct wr_case only = case_of(&zoo, RECV);
    wr_scope_enter(scope);
    wr_scope_cancel(scope);
    CHECK_ERR(WR_CANCELED, wr_select(&which, &only, 1, WR_NEVER));
    CHECK_OK(wr_select(&which, &only, 1, WR_NOW));
    check_happened(&zoo, RECV);
    wr_scope_leave(scope);
    CHECK_OK(wr_scope_close(scope));
    zoo_close(&zoo);
}

TEST(the_deadline_of_the_scope_ends_a_select)
{
    struct zoo zoo;
    struct wr_scope *scope;
    size_t which;
    zoo_open(&zoo);
    wr_time start = wr_now();
    struct wr_case only = case_of(&zoo, RECV);
    CHECK_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .deadline = start + WR_MS(2) }));
    wr_scope_enter(scope);
    CHECK_ERR(WR_TIMEOUT, wr_select(&which, &only, 1, WR_NEVER));
    CHECK_EQ(WR_MS(2), wr_now() - start);
    wr_scope_leave(scope);
    CHECK_OK(wr_scope_close(scope));
    zoo_close(&zoo);
}

static void select_outside(void *arg)
{
    struct zoo *zoo = arg;
    struct wr_case cases[] = { case_of(zoo, ONCE), case_of(zoo, RECV) };
    size_t which;
    CHECK_ERR(WR_TIMEOUT, wr_select(&which, cases, 2, WR_NOW));
    poke(zoo, RECV);
    CHECK_OK(wr_select(&which, cases, 2, WR_NOW));
    CHECK_EQ(1, which);
}

TEST(a_thread_outside_the_runtime_may_select_with_wr_now)
{
    struct zoo zoo;
    zoo_open(&zoo);
    CHECK_OK(wr_offload(select_outside, &zoo, WR_NEVER));
    check_happened(&zoo, RECV);
    zoo_close(&zoo);
}

static void select_and_wait_outside(void *arg)
{
    struct zoo *zoo = arg;
    struct wr_case only = case_of(zoo, RECV);
    size_t which;
    CHECK_OK(wr_select(&which, &only, 1, WR_NEVER));
}

TEST_DIES(a_thread_outside_the_runtime_may_not_wait_in_a_select,
          "panic at src/rt/select_test.c:[0-9]+: .*may wait, outside a task")
{
    struct zoo zoo;
    zoo_open(&zoo);
    CHECK_OK(wr_offload(select_and_wait_outside, &zoo, WR_NEVER));
}
