/* Several nodes, one budget; counted where the questions arrive. */
#include "store/budget_share.h"

#include <stdlib.h>

#include <weir/lock.h>
#include <weir/scope.h>
#include <weir/task.h>

#include "base/rand.h"
#include "store/store_int.h"
#include "testing/settle.h"
#include "testing/store_rig.h"

#define NODES 3
#define ASKERS 2                    /* of each node */
#define QUESTIONS 8                 /* of each asker */
#define ARRIVALS_MAX 1000

/* The far end, the ways there and to the store. */
struct world {
    struct wr_mutex lock;
    struct wr_rand rand;
    struct store *real;
    wr_time interval, way, way_differs, store_takes;
    unsigned refuse_one_in;
    wr_time arrivals[ARRIVALS_MAX];
    unsigned count, refused;
};

static wr_time draw(struct world *world, wr_time max)
{
    wr_mutex_lock(&world->lock);
    wr_time drawn = wr_rand_span(&world->rand, 0, max);
    wr_mutex_unlock(&world->lock);
    return drawn;
}

/* The store is some way off: to it and back. */
static wr_err far_store(void *engine, struct store_act *act, wr_time deadline,
                        const char *place)
{
    struct world *world = engine;
    wr_err err = wr_sleep(wr_after(draw(world, world->store_takes)));
    if (!err)
        err = world->real->engine->act(world->real->state, act, deadline, place);
    wr_err back = wr_sleep(wr_after(draw(world, world->store_takes)));
    return err ? err : back;
}

static const struct store_engine far_engine = { .act = far_store };

static wr_err receive(const struct wr_way *way, struct wr_ask *ask, wr_time deadline)
{
    struct world *world = way->self;
    (void)deadline;
    wr_err err = wr_sleep(wr_after(world->way + draw(world, world->way_differs)));
    if (err)
        return err;
    wr_mutex_lock(&world->lock);
    WR_ASSERT(world->count < ARRIVALS_MAX);
    world->arrivals[world->count++] = wr_now();
    unsigned one_in = world->refuse_one_in;
    bool refuse = one_in && wr_rand_below(&world->rand, one_in) == 0;
    world->refused += refuse;
    wr_mutex_unlock(&world->lock);
    ask->retry_after = 5 * world->interval;
    return refuse ? WR_BUSY : WR_OK;
}

struct node {
    struct world *world;
    struct store store;
    struct budget_share share;
    struct wr_limiter *limiter;
};

static wr_err ask_some(void *arg)
{
    struct node *node = arg;
    struct world *world = node->world;
    const struct wr_way *way = WR_LIMITED(node->limiter, WR_WAY(receive, world));
    for (int i = 0; i < QUESTIONS; i++) {
        struct wr_ask ask = { 0 };
        if (draw(world, 3) == 0)
            CHECK_OK(wr_sleep(wr_after(draw(world, 20 * world->interval))));
        wr_err err = wr_way_ask(way, &ask, wr_after(WR_S(30)));
        CHECK(err == WR_OK || err == WR_BUSY || err == WR_TIMEOUT);
        wr_ask_done(&ask);
    }
    return WR_OK;
}

static void node_open(struct node *node, struct world *world)
{
    *node = (struct node){ .world = world, .store = { .engine = &far_engine, .state = world } };
    budget_share_init(&node->share, &node->store);
    CHECK_OK(wr_limiter_new(&node->limiter, &(struct wr_limiter_conf){
        .name = "test", .interval = world->interval, .share = &node->share.limiter,
        .guard = world->way_differs ? world->way_differs : 1 }));
}

static int by_time(const void *a, const void *b)
{
    wr_time one = *(const wr_time *)a, other = *(const wr_time *)b;
    return (one > other) - (one < other);
}

/* Whether no two arrived closer together than the interval. */
static bool kept(struct world *world)
{
    qsort(world->arrivals, world->count, sizeof(world->arrivals[0]), by_time);
    for (unsigned i = 1; i < world->count; i++)
        if (world->arrivals[i] - world->arrivals[i - 1] < world->interval)
            return false;
    return true;
}

static bool one_schedule(struct store *store, uint64_t seed, unsigned *arrived, uint64_t *late)
{
    static struct world world;
    static struct node nodes[NODES];
    world = (struct world){ .lock = WR_MUTEX("world", 1), .real = store };
    wr_rand_seed(&world.rand, seed);
    world.interval = WR_MS(wr_rand_span(&world.rand, 1, 100));
    world.way = wr_rand_span(&world.rand, 0, 3 * world.interval);
    world.way_differs = wr_rand_span(&world.rand, 0, world.interval / 4);
    world.store_takes = WR_MS(wr_rand_span(&world.rand, 0, 20));
    world.refuse_one_in = (unsigned)wr_rand_span(&world.rand, 0, 3) * 8;
    struct wr_scope *scope = scope_open();
    for (int i = 0; i < NODES; i++) {
        node_open(&nodes[i], &world);
        for (int k = 0; k < ASKERS; k++)
            CHECK_OK(wr_scope_go(scope, "test.asker", ask_some, &nodes[i]));
    }
    scope_done(scope);
    for (int i = 0; i < NODES; i++) {
        *late += atomic_load(&nodes[i].share.late);
        wr_limiter_free(nodes[i].limiter);
    }
    *arrived += world.count;
    wr_mutex_fini(&world.lock);
    CHECK_OK(wr_sleep(wr_after(WR_S(3600))));       /* the budget is free again */
    return kept(&world);
}

TEST(several_nodes_together_never_exceed_their_budget_as_the_receiver_counts)
{
    struct store_rig rig = { .url = "sqlite:" };
    REQUIRE_OK(rig_open(&rig));
    unsigned arrived = 0;
    uint64_t late = 0;
    int schedules = test_rounds(3000);
    for (int seed = 1; seed <= schedules; seed++)
        if (!one_schedule(rig.store, (uint64_t)seed, &arrived, &late)) {
            CHECK_EQ(0, seed);
            break;
        }
    CHECK(arrived > (unsigned)schedules * 40);
    CHECK(late > 0);                                /* calls that took too long were seen */
    rig_shut(&rig);
}

/* ---- on every engine ---- */

struct counted { struct store *real; int acts; bool gone; };

static wr_err count_act(void *engine, struct store_act *act, wr_time deadline,
                        const char *place)
{
    struct counted *counted = engine;
    counted->acts++;
    return counted->gone ? WR_IO
                         : counted->real->engine->act(counted->real->state, act, deadline,
                                                      place);
}

static const struct store_engine counting = { .act = count_act };

static struct wr_limiter *limiter_on(struct budget_share *share, wr_time interval)
{
    struct wr_limiter *limiter = NULL;
    CHECK_OK(wr_limiter_new(&limiter, &(struct wr_limiter_conf){
        .name = "test", .interval = interval, .share = &share->limiter }));
    return limiter;
}

LOCAL_TEST(turns_are_taken_by_the_batch)
{
    struct counted counted = { .real = store };
    struct store between = { .engine = &counting, .state = &counted };
    struct budget_share share;
    budget_share_init(&share, &between);
    struct wr_limiter *limiter = limiter_on(&share, WR_MS(10));
    wr_time begun = wr_now();
    for (int i = 0; i < 200; i++)
        CHECK_OK(wr_limiter_acquire(limiter, wr_after(WR_S(10))));
    CHECK(counted.acts <= 20);
    wr_time took = wr_now() - begun;
    CHECK(took >= 199 * WR_MS(10) && took <= 200 * WR_MS(11));      /* a tenth is spared */
    wr_limiter_free(limiter);
}

LOCAL_TEST(a_refusal_of_one_node_makes_the_other_pause)
{
    struct budget_share shares[2];
    struct wr_limiter *limiters[2];
    for (int i = 0; i < 2; i++) {
        budget_share_init(&shares[i], store);
        limiters[i] = limiter_on(&shares[i], WR_MS(100));
        CHECK_OK(wr_limiter_acquire(limiters[i], wr_after(WR_S(10))));
    }
    wr_time refused = wr_now();
    wr_limiter_refused(limiters[0], refused, WR_S(60));
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));          /* what the other had is over */
    CHECK_OK(wr_limiter_acquire(limiters[1], wr_after(WR_S(100))));
    CHECK(wr_now() - refused >= WR_S(60) && wr_now() - refused <= WR_S(61));
    for (int i = 0; i < 2; i++)
        wr_limiter_free(limiters[i]);
}

LOCAL_TEST(without_the_store_there_is_no_turn_and_with_it_there_is_again)
{
    struct counted counted = { .real = store };
    struct store between = { .engine = &counting, .state = &counted };
    struct budget_share share;
    budget_share_init(&share, &between);
    struct wr_limiter *limiter = limiter_on(&share, WR_MS(10));
    CHECK_OK(wr_limiter_acquire(limiter, wr_after(WR_S(1))));
    counted.gone = true;
    wr_time begun = wr_now();
    CHECK_ERR(WR_IO, wr_limiter_acquire(limiter, wr_after(WR_S(1))));
    CHECK_EQ(begun, wr_now());
    counted.gone = false;
    CHECK_OK(wr_limiter_acquire(limiter, wr_after(WR_S(1))));
    wr_limiter_free(limiter);
}
