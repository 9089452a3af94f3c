/* lock_rule_test.c - the rules of locks, broken on purpose: waiting with one held,
 * taking them out of order, releasing what is not held. */
#include <weir/lock.h>

#include <unistd.h>

#include <weir/chan.h>
#include <weir/fd.h>
#include <weir/offload.h>
#include <weir/once.h>
#include <weir/scope.h>
#include <weir/select.h>
#include <weir/sem.h>
#include <weir/watch.h>

#include "testing/settle.h"
#include "testing/test.h"

static struct wr_mutex mutex = WR_MUTEX("test.mutex", 10);
static struct wr_mutex lower = WR_MUTEX("test.lower", 5);
static struct wr_rwlock rwlock = WR_RWLOCK("test.rwlock", 20);

/* Apart from the waits, so that the static check does not see what is done here. */
static void take(void)
{
    wr_mutex_lock(&mutex);
}

static void give(void)
{
    wr_mutex_unlock(&mutex);
}

/* ---- waiting with a lock held ---- */

#define HOLDS \
    " while it holds lock \"test\\.mutex\", taken at src/rt/lock_rule_test\\.c:[0-9]+; " \
    "release it first, or use a gate.*the process ends, because lock \"test\\.mutex\" is held"
#define WAITS(on) \
    "panic at src/rt/lock_rule_test\\.c:[0-9]+: task main#[0-9]+ may wait on " on HOLDS

TEST_DIES(sleeping_with_a_lock_names_both_places, WAITS("sleep"))
{
    take();
    (void)!wr_sleep(wr_after(1));
}

TEST_DIES(yielding_with_a_lock_names_both_places, WAITS("yield"))
{
    take();
    (void)!wr_yield();
}

static struct wr_chan *channel(const char *name)
{
    struct wr_chan *ch = NULL;
    CHECK_OK(wr_chan_new(&ch, &(struct wr_chan_conf){
        .name = name, .item_size = sizeof(int), .cap = 1, .policy = WR_WAIT }));
    return ch;
}

TEST_DIES(receiving_with_a_lock_names_both_places_and_the_channel, WAITS("test\\.jobs"))
{
    int item;
    struct wr_chan *ch = channel("test.jobs");
    take();
    (void)!wr_chan_recv(ch, &item, WR_NEVER);
}

TEST_DIES(sending_with_a_lock_names_both_places_and_the_channel, WAITS("test\\.jobs"))
{
    int item = 0;
    struct wr_chan *ch = channel("test.jobs");
    CHECK_OK(wr_chan_send(ch, &item, WR_NOW));
    take();
    (void)!wr_chan_send(ch, &item, wr_after(WR_S(1)));
}

TEST_DIES(a_semaphore_with_a_lock_names_both_places, WAITS("test\\.slots"))
{
    struct wr_sem *sem;
    CHECK_OK(wr_sem_new(&sem, "test.slots", 1));
    CHECK_OK(wr_sem_acquire(sem, WR_NOW));
    take();
    (void)!wr_sem_acquire(sem, WR_NEVER);
}

TEST_DIES(a_gate_with_a_lock_names_both_places, WAITS("test\\.gate"))
{
    struct wr_gate *gate;
    CHECK_OK(wr_gate_new(&gate, "test.gate"));
    CHECK_OK(wr_gate_enter(gate, WR_NOW));
    take();
    (void)!wr_gate_enter(gate, WR_NEVER);
}

TEST_DIES(a_once_with_a_lock_names_both_places, WAITS("test\\.event"))
{
    struct wr_once *once;
    CHECK_OK(wr_once_new(&once, "test.event", 0));
    take();
    (void)!wr_once_wait(once, NULL, WR_NEVER);
}

TEST_DIES(a_watch_with_a_lock_names_both_places, WAITS("test\\.watch"))
{
    struct wr_watch *watch;
    struct wr_watch_writer writer;
    int value = 1;
    CHECK_OK(wr_watch_new(&watch, &writer, &(struct wr_watch_conf){
        .name = "test.watch", .size = sizeof(int), .initial = &value }));
    struct wr_watch_reader reader = wr_watch_reader(watch);
    CHECK_OK(wr_watch_wait(&reader, &value, WR_NOW));
    take();
    (void)!wr_watch_wait(&reader, &value, WR_NEVER);
}

TEST_DIES(a_select_with_a_lock_names_both_places, WAITS("select"))
{
    int item;
    size_t which;
    struct wr_case cases[] = { WR_CASE_RECV(channel("test.jobs"), &item) };
    take();
    (void)!wr_select(&which, cases, 1, WR_NEVER);
}

static void nothing(void *arg)
{
    (void)arg;
}

TEST_DIES(an_offload_with_a_lock_names_both_places, WAITS("offload"))
{
    take();
    (void)!wr_offload(nothing, NULL, WR_NEVER);
}

TEST_DIES(reading_a_descriptor_with_a_lock_names_both_places, WAITS("readable fd"))
{
    int ends[2];
    struct wr_fd *fd;
    char byte;
    size_t size;
    REQUIRE(pipe(ends) == 0);
    CHECK_OK(wr_fd_open(&fd, ends[0]));
    take();
    (void)!wr_fd_read(fd, &size, &byte, 1, WR_NEVER);
}

static wr_err sleep_on(void *arg)
{
    (void)arg;
    return wr_sleep(WR_NEVER);
}

TEST_DIES(joining_with_a_lock_names_both_places_and_the_scope, WAITS("test\\.scope"))
{
    struct wr_scope *scope = scope_open();
    go(scope, sleep_on, NULL);
    take();
    (void)!wr_scope_join(scope, WR_NEVER);
}

TEST_DIES(closing_a_scope_with_a_lock_names_both_places_and_the_scope, WAITS("test\\.scope"))
{
    struct wr_scope *scope = scope_open();
    go(scope, sleep_on, NULL);
    take();
    (void)!wr_scope_close(scope);
}

TEST_DIES(a_reader_may_not_wait_either,
          "may wait on sleep while it holds lock \"test\\.rwlock\", taken at "
          "src/rt/lock_rule_test\\.c:[0-9]+")
{
    wr_rwlock_read(&rwlock);
    (void)!sleep_on(NULL);
}

TEST(calls_that_do_not_wait_are_allowed_with_a_lock_held)
{
    int item = 1;
    struct wr_chan *ch = channel("test.jobs");
    take();
    CHECK_OK(wr_chan_send(ch, &item, WR_NOW));
    CHECK_OK(wr_chan_recv(ch, &item, WR_NOW));
    CHECK_ERR(WR_TIMEOUT, wr_chan_recv(ch, &item, WR_NOW));
    CHECK_OK(wr_scope_check());
    give();
    settle();
    wr_chan_free(ch);
}

/* ---- order ---- */

TEST_DIES(taking_a_lower_rank_names_both_locks_ranks_and_places,
          "panic at src/rt/lock_rule_test\\.c:[0-9]+: lock order: \"test\\.lower\" "
          "\\(rank 5\\) is taken while \"test\\.mutex\" \\(rank 10\\) is held since "
          "src/rt/lock_rule_test\\.c:[0-9]+; take the lower rank first")
{
    take();
    wr_mutex_lock(&lower);
}

TEST_DIES(taking_an_equal_rank_is_out_of_order_too,
          "lock order: \"test\\.mutex\" \\(rank 10\\) is taken while \"test\\.mutex\"")
{
    take();
    take();
}

TEST_DIES(a_writer_is_in_the_order_like_a_mutex,
          "lock order: \"test\\.mutex\" \\(rank 10\\) is taken while \"test\\.rwlock\" "
          "\\(rank 20\\)")
{
    wr_rwlock_write(&rwlock);
    take();
}

TEST_DIES(a_read_lock_is_not_taken_twice,
          "lock order: \"test\\.rwlock\" \\(rank 20\\) is taken while \"test\\.rwlock\"")
{
    wr_rwlock_read(&rwlock);
    wr_rwlock_read(&rwlock);
}

TEST_DIES(after_a_release_out_of_order_the_highest_rank_still_counts,
          "lock order: \"test\\.mutex\" \\(rank 10\\) is taken while \"test\\.rwlock\" "
          "\\(rank 20\\)")
{
    wr_mutex_lock(&lower);
    wr_rwlock_read(&rwlock);
    wr_mutex_unlock(&lower);
    take();
}

TEST_DIES_PLAIN(the_order_holds_for_plain_threads_too, "lock order: \"test\\.lower\"")
{
    take();
    wr_mutex_lock(&lower);
}

TEST_DIES(a_ninth_lock_at_once_is_too_many, "more than 8 locks held at once")
{
    static struct wr_mutex locks[9];
    for (uint32_t i = 0; i < 9; i++) {
        locks[i] = (struct wr_mutex)WR_MUTEX("one of nine", i);
        wr_mutex_lock(&locks[i]);
    }
}

/* ---- releasing and forgetting ---- */

TEST_PANICS(releasing_what_one_does_not_hold_names_the_lock_and_the_task,
            "panic at src/rt/lock_rule_test\\.c:[0-9]+: "
            "lock \"test\\.mutex\" is released by main#[0-9]+, which does not hold it")
{
    give();
}

static wr_err release_anothers(void *arg)
{
    (void)arg;
    wr_mutex_unlock(&mutex);
    return WR_OK;
}

static void take_on_a_thread(void *arg)
{
    (void)arg;
    take();
}

TEST_PANICS(a_lock_is_released_by_who_took_it,
            "panic at src/rt/lock_rule_test\\.c:[0-9]+: "
            "lock \"test\\.mutex\" is released by test\\.thief#[0-9]+, which does not hold it")
{
    CHECK_OK(wr_offload(take_on_a_thread, NULL, WR_NEVER));       /* held by that thread */
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_scope_go(scope, "test.thief", release_anothers, NULL));
    CHECK_ERR(WR_PANIC, wr_scope_join(scope, WR_NEVER));
    CHECK_ERR(WR_PANIC, wr_scope_close(scope));
    wr_panic("as claimed");
}

#define OTHERWISE(released, taken) \
    "panic at src/rt/lock_rule_test\\.c:[0-9]+: lock \"test\\.rwlock\" is released by " \
    "a " released ", but was taken by a " taken " at src/rt/lock_rule_test\\.c:[0-9]+"

TEST_DIES(what_a_writer_took_is_not_released_by_a_reader, OTHERWISE("reader", "writer"))
{
    wr_rwlock_write(&rwlock);
    wr_rwlock_read_done(&rwlock);
}

TEST_DIES(what_a_reader_took_is_not_released_by_a_writer, OTHERWISE("writer", "reader"))
{
    wr_rwlock_read(&rwlock);
    wr_rwlock_write_done(&rwlock);
}

TEST_DIES(a_lock_that_goes_while_it_is_held_is_named,
          "panic at src/rt/lock_rule_test\\.c:[0-9]+: "
          "lock \"test\\.mutex\" goes while it is held")
{
    take();
    wr_mutex_fini(&mutex);
}

TEST_DIES(a_rwlock_that_goes_while_it_is_held_is_named,
          "panic at src/rt/lock_rule_test\\.c:[0-9]+: "
          "lock \"test\\.rwlock\" goes while it is held")
{
    wr_rwlock_read(&rwlock);
    wr_rwlock_fini(&rwlock);
}
