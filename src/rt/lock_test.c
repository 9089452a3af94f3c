#include <weir/lock.h>

#include <stdatomic.h>
#include <string.h>

#include <weir/offload.h>
#include <weir/run.h>
#include <weir/scope.h>

#include "base/world.h"
#include "rt/topo_int.h"
#include "testing/settle.h"
#include "testing/test.h"

/* Real time: these locks stop threads, not fibers. */
static void spin_for(wr_time span)
{
    wr_time until = wr_world_os.mono() + span;
    while (wr_world_os.mono() < until)
        ;
}

static const struct wr_run_conf four_real_workers = { .workers = 4 };

/* ---- mutex ---- */

struct counted {
    struct wr_mutex mutex;
    long count, count_again;            /* plain: only the lock keeps them whole */
    atomic_int inside;
};

static wr_err add_a_thousand(void *arg)
{
    struct counted *counted = arg;
    for (int i = 0; i < 1000; i++) {
        wr_mutex_lock(&counted->mutex);
        counted->count++;
        counted->count_again++;
        wr_mutex_unlock(&counted->mutex);
        if (i % 100 == 0)
            CHECK_OK(wr_yield());
    }
    return WR_OK;
}

static wr_err add_in_sixteen_tasks(void *arg)
{
    struct wr_scope *scope = scope_open();
    for (int i = 0; i < 16; i++)
        CHECK_OK(wr_scope_go(scope, "test.adder", add_a_thousand, arg));
    scope_done(scope);
    return WR_OK;
}

TEST_PLAIN(a_mutex_lets_one_in_at_a_time)
{
    struct counted counted = { .mutex = WR_MUTEX("count", 1) };
    CHECK_OK(wr_run(&four_real_workers, add_in_sixteen_tasks, &counted));
    CHECK_EQ(16000, counted.count);
    CHECK_EQ(16000, counted.count_again);
    wr_mutex_fini(&counted.mutex);
}

static void hold_a_while(void *arg)
{
    struct counted *counted = arg;
    wr_mutex_lock(&counted->mutex);
    atomic_store(&counted->inside, 1);
    wr_time give_up = wr_world_os.mono() + WR_S(20);
    while (counted->mutex.info.contended == 0 && wr_world_os.mono() < give_up)
        wr_os_relax(255);
    spin_for(WR_MS(5));         /* long enough that it does not spin any more but sleeps */
    counted->count = 1;
    wr_mutex_unlock(&counted->mutex);
}

static wr_err contend(void *arg)
{
    struct counted *counted = arg;
    while (!atomic_load(&counted->inside))
        ;
    wr_mutex_lock(&counted->mutex);
    CHECK_EQ(1, counted->count);
    wr_mutex_unlock(&counted->mutex);
    return WR_OK;
}

static wr_err contend_with_a_thread(void *arg)
{
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_scope_go(scope, "test.contender", contend, arg));
    CHECK_OK(wr_offload(hold_a_while, arg, WR_NEVER));
    scope_done(scope);
    return WR_OK;
}

TEST_PLAIN(who_finds_it_taken_waits_and_is_counted)
{
    struct counted counted = { .mutex = WR_MUTEX("contended", 1) };
    CHECK_OK(wr_run(&(struct wr_run_conf){ .workers = 1 }, contend_with_a_thread, &counted));
    CHECK_EQ(1, counted.mutex.info.contended);
    wr_mutex_fini(&counted.mutex);
}

TEST_PLAIN(a_plain_thread_may_use_it_too)
{
    static struct wr_mutex mutex = WR_MUTEX("plain", 1);
    wr_mutex_lock(&mutex);
    wr_mutex_unlock(&mutex);
    CHECK_EQ(0, mutex.info.contended);
}

/* ---- rwlock ---- */

struct shared {
    struct wr_rwlock lock;
    long a, b;
    atomic_int readers;
};

static wr_err read_or_write(void *arg)
{
    struct shared *shared = arg;
    for (int i = 0; i < 400; i++) {
        if (i % 8 == 0) {
            wr_rwlock_write(&shared->lock);
            CHECK_EQ(0, shared->readers);
            shared->a++;
            shared->b++;
            wr_rwlock_write_done(&shared->lock);
        } else {
            wr_rwlock_read(&shared->lock);
            atomic_fetch_add(&shared->readers, 1);
            CHECK_EQ(shared->a, shared->b);
            atomic_fetch_sub(&shared->readers, 1);
            wr_rwlock_read_done(&shared->lock);
        }
    }
    return WR_OK;
}

static wr_err read_and_write_in_eight_tasks(void *arg)
{
    struct wr_scope *scope = scope_open();
    for (int i = 0; i < 8; i++)
        CHECK_OK(wr_scope_go(scope, "test.reader", read_or_write, arg));
    scope_done(scope);
    return WR_OK;
}

TEST_PLAIN(a_writer_is_alone_and_readers_never_see_half_a_write)
{
    struct shared shared = { .lock = WR_RWLOCK("shared", 1) };
    CHECK_OK(wr_run(&four_real_workers, read_and_write_in_eight_tasks, &shared));
    CHECK_EQ(8 * 50, shared.a);
    CHECK_EQ(8 * 50, shared.b);
    wr_rwlock_fini(&shared.lock);
}

static void read_with_the_other(void *arg)
{
    struct shared *shared = arg;
    wr_rwlock_read(&shared->lock);
    atomic_fetch_add(&shared->readers, 1);
    while (atomic_load(&shared->readers) < 2)
        ;
    wr_rwlock_read_done(&shared->lock);
}

static wr_err read_on_a_thread(void *arg)
{
    return wr_offload(read_with_the_other, arg, WR_NEVER);
}

TEST(readers_are_inside_together)
{
    struct shared shared = { .lock = WR_RWLOCK("shared", 1) };
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_scope_go(scope, "test.reader", read_on_a_thread, &shared));
    CHECK_OK(wr_scope_go(scope, "test.reader", read_on_a_thread, &shared));
    scope_done(scope);          /* each stays inside until it has met the other */
    CHECK_EQ(2, shared.readers);
    wr_rwlock_fini(&shared.lock);
}

struct queueing { struct wr_rwlock lock; atomic_int stage; int order[2], at; };

static void write_second(void *arg)
{
    struct queueing *queueing = arg;
    while (atomic_load(&queueing->stage) != 1)
        ;
    wr_rwlock_write(&queueing->lock);
    queueing->order[queueing->at++] = 'w';
    wr_rwlock_write_done(&queueing->lock);
}

static void read_third(void *arg)
{
    struct queueing *queueing = arg;
    while (atomic_load_explicit(&queueing->lock.wanted, memory_order_relaxed) == 0)
        ;
    atomic_store(&queueing->stage, 2);
    wr_rwlock_read(&queueing->lock);
    queueing->order[queueing->at++] = 'r';
    wr_rwlock_read_done(&queueing->lock);
}

static wr_err write_on_a_thread(void *arg)
{
    return wr_offload(write_second, arg, WR_NEVER);
}

static wr_err read_late_on_a_thread(void *arg)
{
    return wr_offload(read_third, arg, WR_NEVER);
}

static void read_first(struct queueing *queueing)
{
    wr_rwlock_read(&queueing->lock);
    atomic_store(&queueing->stage, 1);
    while (atomic_load(&queueing->stage) != 2)
        ;
    spin_for(WR_MS(2));         /* the late reader has come and would get in at once */
    wr_rwlock_read_done(&queueing->lock);
}

static void read_first_on_a_thread(void *arg)
{
    read_first(arg);
}

TEST(a_waiting_writer_goes_before_readers_that_come_later)
{
    struct queueing queueing = { .lock = WR_RWLOCK("queue", 1) };
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_scope_go(scope, "test.writer", write_on_a_thread, &queueing));
    CHECK_OK(wr_scope_go(scope, "test.reader", read_late_on_a_thread, &queueing));
    CHECK_OK(wr_offload(read_first_on_a_thread, &queueing, WR_NEVER));
    scope_done(scope);
    CHECK_EQ('w', queueing.order[0]);
    CHECK_EQ('r', queueing.order[1]);
    wr_rwlock_fini(&queueing.lock);
}

struct sleeper { struct wr_rwlock lock; struct os_thread thread; atomic_bool inside; };

/* Until the other is seen asleep, not spinning: only then is the lock released. */
static void hold_until_it_sleeps(struct sleeper *sleeper)
{
    bool asleep = false;
    wr_time give_up = wr_world_os.mono() + WR_S(20);
    atomic_store(&sleeper->inside, true);
    while (!asleep && wr_world_os.mono() < give_up)
        asleep = sleeper->lock.info.contended && wr_os_thread_blocked(&sleeper->thread);
    CHECK(asleep);
}

static void read_until_it_sleeps(void *arg)
{
    struct sleeper *sleeper = arg;
    wr_rwlock_read(&sleeper->lock);
    hold_until_it_sleeps(sleeper);
    wr_rwlock_read_done(&sleeper->lock);
}

static void write_until_it_sleeps(void *arg)
{
    struct sleeper *sleeper = arg;
    wr_rwlock_write(&sleeper->lock);
    hold_until_it_sleeps(sleeper);
    wr_rwlock_write_done(&sleeper->lock);
}

static wr_err then_write(void *arg)
{
    struct sleeper *sleeper = arg;
    while (!atomic_load(&sleeper->inside))
        ;
    wr_os_thread_self(&sleeper->thread);
    wr_rwlock_write(&sleeper->lock);
    wr_rwlock_write_done(&sleeper->lock);
    return WR_OK;
}

static wr_err then_read(void *arg)
{
    struct sleeper *sleeper = arg;
    while (!atomic_load(&sleeper->inside))
        ;
    wr_os_thread_self(&sleeper->thread);
    wr_rwlock_read(&sleeper->lock);
    wr_rwlock_read_done(&sleeper->lock);
    return WR_OK;
}

static wr_err wait_for_a_reader(void *arg)
{
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_scope_go(scope, "test.writer", then_write, arg));
    CHECK_OK(wr_offload(read_until_it_sleeps, arg, WR_NEVER));
    scope_done(scope);
    return WR_OK;
}

static wr_err wait_for_a_writer(void *arg)
{
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_scope_go(scope, "test.reader", then_read, arg));
    CHECK_OK(wr_offload(write_until_it_sleeps, arg, WR_NEVER));
    scope_done(scope);
    return WR_OK;
}

TEST_PLAIN(who_waits_long_for_a_rwlock_sleeps_and_is_woken)
{
    static const wr_task_fn ways[] = { wait_for_a_reader, wait_for_a_writer };
    for (int i = 0; i < 2; i++) {
        struct sleeper sleeper = { .lock = WR_RWLOCK("sleeper", 1) };
        CHECK_OK(wr_run(&(struct wr_run_conf){ .workers = 1 }, ways[i], &sleeper));
        CHECK_EQ(1, sleeper.lock.info.contended);
        wr_rwlock_fini(&sleeper.lock);      /* nothing of it is left in the word */
    }
}

/* ---- ranks ---- */

TEST(locks_are_taken_in_ascending_rank_and_released_in_any_order)
{
    struct wr_mutex a = WR_MUTEX("a", 1), b = WR_MUTEX("b", 2), c = WR_MUTEX("c", 3);
    wr_mutex_lock(&a);
    wr_mutex_lock(&b);
    wr_mutex_unlock(&a);
    wr_mutex_lock(&c);
    wr_mutex_unlock(&b);
    wr_mutex_unlock(&c);
    wr_mutex_lock(&a);
    wr_mutex_unlock(&a);
    wr_mutex_fini(&a);
    wr_mutex_fini(&b);
    wr_mutex_fini(&c);
}

TEST(eight_locks_may_be_held_at_once)
{
    struct wr_mutex locks[8];
    for (uint32_t i = 0; i < 8; i++) {
        locks[i] = (struct wr_mutex)WR_MUTEX("one of eight", i);
        wr_mutex_lock(&locks[i]);
    }
    for (uint32_t i = 0; i < 8; i++) {
        wr_mutex_unlock(&locks[i]);
        wr_mutex_fini(&locks[i]);
    }
}

/* ---- what is known of a lock ---- */

struct search { const char *name; int found; };

static void compare(void *arg, const struct wr_lock_info *info)
{
    struct search *search = arg;
    search->found += strcmp(info->name, search->name) == 0;
}

static int known(const char *name)
{
    struct search search = { .name = name };
    wr_lock_each(compare, &search);
    return search.found;
}

TEST(a_lock_is_known_from_its_first_use_to_its_end)
{
    struct wr_mutex first = WR_MUTEX("test.first", 1), second = WR_MUTEX("test.second", 2);
    struct wr_rwlock third = WR_RWLOCK("test.third", 3);
    CHECK_EQ(0, known("test.first"));
    for (int i = 0; i < 2; i++) {
        wr_mutex_lock(&first);
        wr_mutex_lock(&second);
        wr_rwlock_read(&third);
        wr_rwlock_read_done(&third);
        wr_mutex_unlock(&second);
        wr_mutex_unlock(&first);
    }
    CHECK_EQ(1, known("test.first"));
    CHECK_EQ(1, known("test.second"));
    CHECK_EQ(1, known("test.third"));
    wr_mutex_fini(&second);             /* from the middle of the list */
    CHECK_EQ(0, known("test.second"));
    CHECK_EQ(1, known("test.first"));
    wr_mutex_fini(&first);
    wr_rwlock_fini(&third);
    CHECK_EQ(0, known("test.third"));
    wr_mutex_fini(&first);              /* forgetting what is not known is fine */
}

struct visits { atomic_int looks, guests; };

/* Both go on until the other has done its share: so they do it at the same time. */
static void look_often(void *arg)
{
    struct visits *visits = arg;
    int enough = test_rounds(300000);
    while (visits->looks < enough || visits->guests < enough)
        if (CHECK_EQ(1, known("test.host")))
            visits->looks++;
        else
            visits->looks = enough;
}

static wr_err look_on_a_thread(void *arg)
{
    return wr_offload(look_often, arg, WR_NEVER);
}

static wr_err come_and_go(void *arg)
{
    struct wr_scope *scope = scope_open();
    struct visits *visits = arg;
    int enough = test_rounds(300000);
    CHECK_OK(wr_scope_go(scope, "test.looker", look_on_a_thread, arg));
    CHECK_OK(wr_yield());
    for (; visits->looks < enough || visits->guests < enough; visits->guests++) {
        struct wr_mutex guest = WR_MUTEX("test.guest", 1);
        wr_mutex_lock(&guest);
        wr_mutex_unlock(&guest);
        wr_mutex_fini(&guest);
    }
    scope_done(scope);
    return WR_OK;
}

TEST_PLAIN(the_known_locks_can_be_looked_at_while_others_come_and_go)
{
    struct wr_mutex host = WR_MUTEX("test.host", 1);
    struct visits visits = { 0 };
    wr_mutex_lock(&host);
    wr_mutex_unlock(&host);
    CHECK_OK(wr_run(&(struct wr_run_conf){ .workers = 1 }, come_and_go, &visits));
    CHECK_EQ(0, known("test.guest"));
    wr_mutex_fini(&host);
}

TEST(holding_a_lock_for_more_than_a_millisecond_is_counted_with_its_place)
{
    enum { SHORT = 50 };
    const char *place;
    struct wr_mutex mutex = WR_MUTEX("test.held", 1);
    for (int i = 0; i < SHORT; i++) {
        wr_mutex_lock(&mutex);
        wr_mutex_unlock(&mutex);
    }
    uint64_t before = mutex.info.held_long;     /* the machine may have taken a pause itself */
    CHECK(before < SHORT);
    wr_mutex_lock(&mutex), place = WR_HERE;
    spin_for(WR_MS(5));
    wr_mutex_unlock(&mutex);
    CHECK_EQ(before + 1, mutex.info.held_long);
    CHECK_STR(place, mutex.info.held_long_place);
    wr_mutex_fini(&mutex);
}
