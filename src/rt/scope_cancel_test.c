/* scope_cancel_test.c - what a cancel reaches, and what it leaves alone. */
#include <weir/scope.h>

#include <stdatomic.h>
#include <unistd.h>

#include <weir/chan.h>
#include <weir/fd.h>
#include <weir/offload.h>
#include <weir/once.h>
#include <weir/select.h>
#include <weir/sem.h>
#include <weir/watch.h>

#include "testing/test.h"

static struct wr_scope *make(const char *name)
{
    struct wr_scope *scope = NULL;
    CHECK_OK(wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = name, .deadline = WR_NEVER }));
    return scope;
}

/* ---- reach ---- */

struct nested { struct wr_once *canceled; wr_err seen, told; };

static wr_err tell_when_canceled(void *arg)
{
    struct nested *nested = arg;
    nested->seen = wr_sleep(WR_NEVER);
    CHECK_OK(wr_once_set(nested->canceled, NULL));
    return nested->seen;
}

/* Stays under a shield itself: only the cancel can end the task further below. */
static wr_err nest(void *arg)
{
    struct nested *nested = arg;
    struct wr_scope *scope = make("nested"), *shield = NULL;
    CHECK_OK(wr_scope_go(scope, "test.sleeper", tell_when_canceled, nested));
    CHECK_OK(wr_scope_new(&shield, &(struct wr_scope_conf){
        .name = "shield", .deadline = wr_after(WR_S(1)), .shield = true }));
    wr_scope_enter(shield);
    nested->told = wr_once_wait(nested->canceled, NULL, WR_NEVER);
    wr_scope_leave(shield);
    CHECK_OK(wr_scope_close(shield));
    CHECK_OK(wr_scope_close(scope));
    return WR_CANCELED;
}

TEST(cancel_reaches_scopes_below_the_scope)
{
    struct nested nested = { 0 };
    CHECK_OK(wr_once_new(&nested.canceled, "canceled", 0));
    struct wr_scope *scope = make("top");
    CHECK_OK(wr_scope_go(scope, "test.nest", nest, &nested));
    CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    wr_time start = wr_now();
    wr_scope_cancel(scope);
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_EQ(start, wr_now());
    CHECK_ERR(WR_CANCELED, nested.seen);
    CHECK_OK(nested.told);
    CHECK_OK(wr_scope_close(scope));
    wr_once_free(nested.canceled);
}

/* Computes through the cancel: counts, and only then looks. */
static wr_err does_not_wait(void *arg)
{
    atomic_int *stage = arg;
    atomic_store(stage, 1);
    while (atomic_load(stage) == 1)
        ;
    CHECK_ERR(WR_CANCELED, wr_scope_check());
    atomic_store(stage, 3);
    return WR_OK;
}

struct steady { struct wr_scope *scope; atomic_int stage; };

static void cancel_meanwhile(void *arg)
{
    struct steady *steady = arg;
    while (atomic_load(&steady->stage) == 0)
        ;
    wr_scope_cancel(steady->scope);
    atomic_store(&steady->stage, 2);
}

TEST(a_task_that_does_not_wait_is_not_disturbed_by_a_cancel)
{
    struct steady steady = { .scope = make("steady") };
    CHECK_OK(wr_scope_go(steady.scope, "test.steady", does_not_wait, &steady.stage));
    CHECK_OK(wr_offload(cancel_meanwhile, &steady, WR_NEVER));
    CHECK_OK(wr_scope_close(steady.scope));
    CHECK_EQ(3, steady.stage);
}

TEST(canceling_twice_is_fine)
{
    struct wr_scope *scope = make("twice");
    wr_scope_cancel(scope);
    wr_scope_cancel(scope);
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_OK(wr_scope_close(scope));
}

/* ---- waits ---- */

static void never_called(void *arg)
{
    *(bool *)arg = true;
}

struct things {
    struct wr_chan *empty, *full;
    struct wr_once *once;
    struct wr_sem *sem;
    struct wr_fd *fd;
    struct wr_watch_reader reader;
    struct wr_scope *busy;
};

static void check_waits_are_over(struct things *things)
{
    int item = 0;
    size_t which, size;
    bool called = false;
    char byte;
    struct wr_case cases[] = { WR_CASE_RECV(things->empty, &item),
                               WR_CASE_ONCE(things->once, NULL) };
    wr_time start = wr_now(), later = wr_after(WR_S(9));
    CHECK_ERR(WR_CANCELED, wr_scope_check());
    CHECK_ERR(WR_CANCELED, wr_yield());
    CHECK_ERR(WR_CANCELED, wr_sleep(later));
    CHECK_ERR(WR_CANCELED, wr_chan_recv(things->empty, &item, later));
    CHECK_ERR(WR_CANCELED, wr_chan_send(things->full, &item, later));
    CHECK_ERR(WR_CANCELED, wr_once_wait(things->once, NULL, later));
    CHECK_ERR(WR_CANCELED, wr_sem_acquire(things->sem, later));
    CHECK_ERR(WR_CANCELED, wr_watch_wait(&things->reader, &item, later));
    CHECK_ERR(WR_CANCELED, wr_select(&which, cases, 2, later));
    CHECK_ERR(WR_CANCELED, wr_fd_wait(things->fd, WR_READABLE, later));
    CHECK_ERR(WR_CANCELED, wr_fd_read(things->fd, &size, &byte, 1, later));
    CHECK_ERR(WR_CANCELED, wr_offload(never_called, &called, later));
    CHECK_ERR(WR_CANCELED, wr_scope_join(things->busy, later));
    CHECK(!called);
    CHECK_EQ(0, wr_now() - start);
}

static void check_now_still_works(struct things *things)
{
    int item = 0;
    size_t which, size;
    char byte;
    CHECK_OK(wr_chan_recv(things->full, &item, WR_NOW));
    CHECK_EQ(7, item);
    CHECK_OK(wr_chan_send(things->full, &item, WR_NOW));
    CHECK_ERR(WR_BUSY, wr_chan_send(things->full, &item, WR_NOW));
    CHECK_ERR(WR_TIMEOUT, wr_chan_recv(things->empty, &item, WR_NOW));
    CHECK_ERR(WR_BUSY, wr_sem_acquire(things->sem, WR_NOW));
    CHECK_ERR(WR_TIMEOUT, wr_once_wait(things->once, NULL, WR_NOW));
    struct wr_case cases[] = { WR_CASE_RECV(things->full, &item) };
    CHECK_OK(wr_select(&which, cases, 1, WR_NOW));
    CHECK_ERR(WR_TIMEOUT, wr_fd_read(things->fd, &size, &byte, 1, WR_NOW));
    CHECK_ERR(WR_TIMEOUT, wr_scope_join(things->busy, WR_NOW));
}

static wr_err make_things(struct things *things, int pipe_end)
{
    struct wr_watch *watch;
    struct wr_watch_writer writer;
    int seven = 7;
    struct wr_chan_conf conf = { .name = "test", .item_size = sizeof(int), .cap = 1,
                                 .policy = WR_WAIT };
    REQUIRE_OK(wr_chan_new(&things->empty, &conf), WR_NOMEM);
    REQUIRE_OK(wr_chan_new(&things->full, &conf), WR_NOMEM);
    REQUIRE_OK(wr_chan_send(things->full, &seven, WR_NOW), WR_NOMEM);
    REQUIRE_OK(wr_once_new(&things->once, "test", 0), WR_NOMEM);
    REQUIRE_OK(wr_sem_new(&things->sem, "test", 1), WR_NOMEM);
    REQUIRE_OK(wr_sem_acquire(things->sem, WR_NOW), WR_NOMEM);
    REQUIRE_OK(wr_watch_new(&watch, &writer, &(struct wr_watch_conf){
        .name = "test", .size = sizeof(int), .initial = &seven }), WR_NOMEM);
    things->reader = wr_watch_reader(watch);
    REQUIRE_OK(wr_watch_wait(&things->reader, &seven, WR_NOW), WR_NOMEM);
    return wr_fd_open(&things->fd, pipe_end);
}

static void free_things(struct things *things)
{
    wr_chan_free(things->empty);
    wr_chan_free(things->full);
    wr_once_free(things->once);
    wr_sem_free(things->sem);
    wr_watch_free(things->reader.watch);
    wr_fd_close(things->fd);
}

static wr_err hold_out(void *arg)
{
    (void)arg;
    struct wr_scope *shield = NULL;
    CHECK_OK(wr_scope_new(&shield, &(struct wr_scope_conf){
        .name = "shield", .deadline = wr_after(WR_MS(5)), .shield = true }));
    wr_scope_enter(shield);
    CHECK_ERR(WR_TIMEOUT, wr_sleep(WR_NEVER));
    wr_scope_leave(shield);
    return wr_scope_close(shield);
}

TEST(in_a_canceled_scope_every_wait_returns_at_once_and_every_now_still_works)
{
    int ends[2];
    struct things things;
    REQUIRE(pipe(ends) == 0);
    struct wr_scope *scope = make("canceled");
    wr_scope_enter(scope);
    things.busy = make("busy");
    REQUIRE_OK(make_things(&things, ends[0]));
    CHECK_OK(wr_scope_go(things.busy, "test.holds", hold_out, NULL));
    CHECK_OK(wr_yield());
    wr_scope_cancel(scope);
    check_waits_are_over(&things);
    check_now_still_works(&things);
    CHECK_OK(wr_scope_close(things.busy));
    wr_scope_leave(scope);
    CHECK_OK(wr_scope_close(scope));
    free_things(&things);
    close(ends[1]);
}
