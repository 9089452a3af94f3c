/* memory.c - out of memory: every request in turn is refused, and each time somebody
 * says NOMEM, nothing is lost and nothing else happens. */
#include <stdio.h>
#include <unistd.h>

#include <weir/bcast.h>
#include <weir/cell.h>
#include <weir/chan.h>
#include <weir/fd.h>
#include <weir/offload.h>
#include <weir/once.h>
#include <weir/run.h>
#include <weir/scope.h>
#include <weir/secret.h>
#include <weir/sem.h>
#include <weir/signal.h>
#include <weir/sup.h>
#include <weir/watch.h>

#include "shortage.h"
#include "testing/settle.h"
#include "testing/test.h"

#define REQUESTS_MAX 1000       /* no program here asks more often than that */

/* ---- one constructor at a time ---- */

static wr_err use_chan(void)
{
    struct wr_chan *ch;
    wr_err err = wr_chan_new(&ch, &(struct wr_chan_conf){
        .name = "chan", .item_size = 8, .cap = 100, .policy = WR_WAIT });
    if (!err)
        wr_chan_free(ch);
    return err;
}

static wr_err use_watch(void)
{
    struct wr_watch *watch;
    struct wr_watch_writer writer;
    int value = 0;
    wr_err err = wr_watch_new(&watch, &writer, &(struct wr_watch_conf){
        .name = "watch", .size = sizeof(value), .initial = &value });
    if (!err)
        wr_watch_free(watch);
    return err;
}

static wr_err use_bcast(void)
{
    struct wr_bcast *bcast;
    wr_err err = wr_bcast_new(&bcast, &(struct wr_bcast_conf){
        .name = "bcast", .item_size = 8, .cap = 100 });
    if (!err)
        wr_bcast_free(bcast);
    return err;
}

static wr_err use_once(void)
{
    struct wr_once *once;
    wr_err err = wr_once_new(&once, "once", 100);
    if (!err)
        wr_once_free(once);
    return err;
}

static wr_err use_sem(void)
{
    struct wr_sem *sem;
    struct wr_gate *gate;
    wr_err err = wr_sem_new(&sem, "sem", 3);
    if (err)
        return err;
    err = wr_gate_new(&gate, "gate");
    if (!err)
        wr_gate_free(gate);
    wr_sem_free(sem);
    return err;
}

static wr_err use_cell(void)
{
    struct wr_cell *cell;
    struct wr_cell_writer writer;
    int value = 1;
    wr_err err = wr_cell_new(&cell, &writer, &(struct wr_cell_conf){
        .name = "cell", .size = sizeof(value), .initial = &value });
    if (err)
        return err;
    value = 2;
    err = wr_cell_set(&writer, &value);
    const int *snapshot = wr_cell_get(cell);
    CHECK_EQ(err ? 1 : 2, *snapshot);           /* all or nothing */
    wr_cell_put(cell, snapshot);
    wr_cell_free(cell);
    return err;
}

static wr_err use_secret(void)
{
    char bytes[] = "secret";
    struct wr_secret *secret;
    wr_err err = wr_secret_new(&secret, bytes, sizeof(bytes));
    if (!err)
        wr_secret_unref(secret);
    return err;
}

static wr_err use_fd(void)
{
    int ends[2];
    struct wr_fd *fd;
    REQUIRE(pipe(ends) == 0, WR_NOFILE);
    wr_err err = wr_fd_open(&fd, ends[0]);
    if (!err)
        wr_fd_close(fd);
    else
        CHECK_EQ(0, close(ends[0]));            /* it is still ours */
    close(ends[1]);
    return err;
}

static wr_err note_that_it_ran(void *arg)
{
    *(bool *)arg = true;
    return WR_OK;
}

/* On an error the task does not run and the scope knows nothing of it. */
static wr_err use_scope(void)
{
    struct wr_scope *scope;
    bool ran = false;
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "scope",
                                                               .deadline = WR_NEVER });
    if (err)
        return err;
    err = wr_scope_go(scope, "weather.task", note_that_it_ran, &ran);
    CHECK_EQ(!err, wr_scope_live(scope));
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_EQ(!err, ran);
    CHECK_OK(wr_scope_close(scope));
    return err;
}

static wr_err idle_child(void *arg, struct wr_once *drain)
{
    (void)arg;
    return wr_once_wait(drain, NULL, WR_NEVER);
}

static wr_err use_sup(void)
{
    static const struct wr_child children[] = {
        { .name = "weather.a", .run = idle_child, .restart = WR_RESTART_NEVER },
        { .name = "weather.b", .run = idle_child, .restart = WR_RESTART_NEVER },
    };
    struct wr_sup *sup;
    wr_err err = wr_sup_new(&sup, &(struct wr_sup_conf){
        .name = "weather", .children = children, .count = 2, .quiet = true });
    if (!err)
        wr_sup_free(sup);
    return err;
}

static wr_err use_signal(void)
{
    static const int numbers[] = { 10, 12 };
    struct wr_signal *signals;
    wr_err err = wr_signal_open(&signals, numbers, 2);
    if (!err)
        wr_signal_close(signals);
    return err;
}

static const struct { const char *name; wr_err (*use)(void); } constructors[] = {
    { "chan", use_chan },   { "watch", use_watch },   { "bcast", use_bcast },
    { "once", use_once },   { "sem", use_sem },       { "cell", use_cell },
    { "fd", use_fd },       { "scope", use_scope },   { "sup", use_sup },
    { "signal", use_signal }, { "secret", use_secret },
};

/* Refuse the first request it makes, then the second, until it makes no more. */
static int refuse_each(const char *name, wr_err (*use)(void))
{
    int round = 0;
    for (; round < REQUESTS_MAX; round++) {
        long before = shortage_out(OF_MEMORY);
        shortage_begin(OF_MEMORY, round, 1);
        wr_err err = use();
        bool refused = shortage_end(OF_MEMORY) > 0;
        if (err != WR_NOMEM && (refused || err != WR_OK))
            printf("# %s, request %d: %s\n", name, round, wr_err_name(err));
        if (!refused) {
            CHECK_OK(err);
            break;
        }
        CHECK_ERR(WR_NOMEM, err);
        CHECK_EQ(before, shortage_out(OF_MEMORY));
    }
    return round;
}

TEST(every_constructor_says_nomem_whichever_of_its_requests_is_refused)
{
    for (size_t i = 0; i < sizeof(constructors) / sizeof(*constructors); i++) {
        CHECK_OK(constructors[i].use());        /* what is kept for the next one, is kept now */
        settle();
        int requests = refuse_each(constructors[i].name, constructors[i].use);
        CHECK(requests > 0 || constructors[i].use == use_fd);
        CHECK_OK(constructors[i].use());        /* and afterwards all is as before */
    }
}

/* ---- a whole run ---- */

static void small_call(void *arg)
{
    *(int *)arg += 1;
}

/* Uses a bit of everything and passes on the first thing that fails. */
static wr_err use_everything(void *arg)
{
    (void)arg;
    for (size_t i = 0; i < sizeof(constructors) / sizeof(*constructors); i++) {
        wr_err err = constructors[i].use();
        if (err)
            return err;
    }
    int calls = 0;
    wr_err err = wr_offload(small_call, &calls, WR_NEVER);
    CHECK_EQ(!err, calls);
    return err;
}

static int refuse_in_runs(enum shortage kind, const struct wr_run_conf *conf, long refusals)
{
    CHECK_OK(wr_run(conf, use_everything, NULL));
    int round = 0;
    for (; round < REQUESTS_MAX; round++) {
        long blocks = shortage_out(OF_MEMORY), mappings = shortage_out(OF_MAPPINGS);
        shortage_begin(kind, round, refusals);
        wr_err err = wr_run(conf, use_everything, NULL);
        if (shortage_end(kind) == 0) {
            CHECK_OK(err);
            break;
        }
        /* Some requests are only for comfort; without them it works all the same. */
        CHECK(err == WR_NOMEM || err == WR_OK);
        CHECK_EQ(blocks, shortage_out(OF_MEMORY));
        CHECK_EQ(mappings, shortage_out(OF_MAPPINGS));
    }
    CHECK(round > 0 && round < REQUESTS_MAX);
    return round;
}

TEST_PLAIN(a_run_in_which_any_one_request_is_refused_ends_in_order_and_leaves_nothing)
{
    for (unsigned workers = 1; workers <= 3; workers += 2) {
        struct wr_run_conf jumping = { .workers = workers, .virtual_clock = true };
        struct wr_run_conf real = { .workers = workers };
        refuse_in_runs(OF_MEMORY, &jumping, 1);
        refuse_in_runs(OF_MEMORY, &real, 1);
    }
}

TEST_PLAIN(a_run_without_memory_from_some_moment_on_ends_in_order_too)
{
    for (unsigned workers = 1; workers <= 3; workers += 2) {
        struct wr_run_conf conf = { .workers = workers, .virtual_clock = true };
        refuse_in_runs(OF_MEMORY, &conf, FOR_GOOD);
    }
}

TEST_PLAIN(a_run_that_gets_no_threads_does_not_start_or_its_calls_are_refused)
{
    struct wr_run_conf conf = { .workers = 3 };
    int requests = refuse_in_runs(OF_THREADS, &conf, 1);
    CHECK_EQ(4, requests);          /* two workers, the monitor, one for the call */
    refuse_in_runs(OF_THREADS, &conf, FOR_GOOD);
}

TEST_PLAIN(a_run_without_room_for_a_single_stack_does_not_start)
{
    struct wr_run_conf conf = { .workers = 2 };
    shortage_begin(OF_MAPPINGS, 0, FOR_GOOD);
    CHECK_ERR(WR_NOMEM, wr_run(&conf, use_everything, NULL));
    CHECK(shortage_end(OF_MAPPINGS) > 0);
    CHECK_OK(wr_run(&conf, use_everything, NULL));
}

/* ---- offload ---- */

static wr_err call_without_threads(void *arg)
{
    int calls = 0;
    (void)arg;
    shortage_begin(OF_THREADS, 0, FOR_GOOD);
    CHECK_ERR(WR_NOMEM, wr_offload(small_call, &calls, WR_NEVER));
    CHECK_ERR(WR_NOMEM, wr_offload(small_call, &calls, wr_after(WR_S(1))));
    CHECK_EQ(2, shortage_end(OF_THREADS));
    CHECK_EQ(0, calls);
    CHECK_OK(wr_offload(small_call, &calls, WR_NEVER));
    shortage_begin(OF_THREADS, 0, FOR_GOOD);
    CHECK_OK(wr_offload(small_call, &calls, WR_NEVER));     /* the one there is will do */
    shortage_end(OF_THREADS);
    CHECK_EQ(2, calls);
    return WR_OK;
}

TEST_PLAIN(a_call_for_which_no_thread_can_be_started_is_refused_with_nomem)
{
    CHECK_OK(wr_run(&(struct wr_run_conf){ .workers = 1, .virtual_clock = true },
                    call_without_threads, NULL));
    CHECK_OK(wr_run(&(struct wr_run_conf){ .workers = 2 }, call_without_threads, NULL));
}
