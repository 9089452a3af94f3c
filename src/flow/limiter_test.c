#include <weir/limiter.h>

#include <stdlib.h>

#include <weir/lock.h>
#include <weir/scope.h>
#include <weir/task.h>

#include "base/rand.h"
#include "testing/ask_rig.h"
#include "testing/test.h"

static struct wr_limiter *limiter_with(struct wr_limiter_conf conf)
{
    struct wr_limiter *limiter = NULL;
    conf.name = "test";
    CHECK_OK(wr_limiter_new(&limiter, &conf));
    return limiter;
}

/* Guards that make the arithmetic of a test readable: one nanosecond is none. */
#define EXACT .guard = 1

TEST(turns_are_an_interval_apart)
{
    struct wr_limiter *limiter = limiter_with((struct wr_limiter_conf){
        .interval = WR_S(1), .guard = WR_MS(20) });
    wr_time begun = wr_now();
    for (int i = 0; i < 10; i++) {
        CHECK_OK(wr_limiter_acquire(limiter, WR_NEVER));
        CHECK_EQ(i * WR_MS(1020), wr_now() - begun);
    }
    CHECK_EQ(10, wr_limiter_stat(limiter).turns);
    wr_limiter_free(limiter);
}

TEST(after_a_pause_one_turn_is_there_and_no_more_without_a_burst)
{
    struct wr_limiter *limiter = limiter_with((struct wr_limiter_conf){
        .interval = WR_S(1), EXACT });
    CHECK_OK(wr_sleep(wr_after(WR_S(100))));
    CHECK_OK(wr_limiter_acquire(limiter, WR_NOW));
    CHECK_ERR(WR_BUSY, wr_limiter_acquire(limiter, WR_NOW));
    wr_limiter_free(limiter);
}

TEST(a_burst_is_had_at_once_and_the_long_run_is_the_same)
{
    struct wr_limiter *limiter = limiter_with((struct wr_limiter_conf){
        .interval = WR_MS(100), .burst = 5, EXACT });
    CHECK_OK(wr_sleep(wr_after(WR_S(100))));
    wr_time begun = wr_now();
    for (int i = 0; i < 5; i++)
        CHECK_OK(wr_limiter_acquire(limiter, WR_NOW));
    for (int i = 1; i <= 20; i++) {
        CHECK_OK(wr_limiter_acquire(limiter, WR_NEVER));
        CHECK_EQ(i * (WR_MS(100) + 1), wr_now() - begun);
    }
    wr_limiter_free(limiter);
}

TEST(a_turn_that_comes_too_late_is_refused_at_once_and_stays_free)
{
    struct wr_limiter *limiter = limiter_with((struct wr_limiter_conf){
        .interval = WR_S(1), EXACT });
    wr_time begun = wr_now();
    CHECK_OK(wr_limiter_acquire(limiter, WR_NEVER));
    for (int i = 0; i < 5; i++)
        CHECK_ERR(WR_TIMEOUT, wr_limiter_acquire(limiter, wr_after(WR_MS(999))));
    CHECK_EQ(begun, wr_now());
    CHECK_OK(wr_limiter_acquire(limiter, wr_after(WR_S(1) + 1)));
    CHECK_EQ(WR_S(1) + 1, wr_now() - begun);
    CHECK_EQ(5, wr_limiter_stat(limiter).timeouts);
    wr_limiter_free(limiter);
}

TEST(refusals_slow_down_by_2_4_8_16_and_no_more)
{
    struct wr_limiter *limiter = limiter_with((struct wr_limiter_conf){
        .interval = WR_MS(100), .pause = 1, EXACT });
    static const uint32_t factors[] = { 2, 4, 8, 16, 16, 16 };
    for (unsigned i = 0; i < 6; i++) {
        CHECK_OK(wr_limiter_acquire(limiter, WR_NEVER));
        wr_limiter_refused(limiter, wr_now(), 0);
        CHECK_EQ(factors[i], wr_limiter_stat(limiter).factor);
        wr_time begun = wr_now();
        CHECK_OK(wr_limiter_acquire(limiter, WR_NEVER));
        CHECK_EQ(factors[i] * WR_MS(100) + 1, wr_now() - begun);
    }
    wr_limiter_free(limiter);
}

TEST(each_half_minute_without_a_refusal_takes_one_doubling_back)
{
    struct wr_limiter *limiter = limiter_with((struct wr_limiter_conf){
        .interval = WR_MS(1), EXACT });
    for (int i = 0; i < 4; i++) {
        CHECK_OK(wr_limiter_acquire(limiter, WR_NEVER));
        wr_limiter_refused(limiter, wr_now(), WR_MS(1));
    }
    wr_time refused = wr_now();
    static const uint32_t factors[] = { 16, 8, 4, 2, 1, 1 };
    for (int i = 0; i < 6; i++) {
        CHECK_OK(wr_sleep(refused + i * WR_S(30) + WR_S(29)));
        CHECK_EQ(factors[i], wr_limiter_stat(limiter).factor);
    }
    wr_limiter_free(limiter);
}

TEST(nobody_asks_before_the_time_that_was_asked_for_is_over)
{
    struct wr_limiter *limiter = limiter_with((struct wr_limiter_conf){
        .interval = WR_MS(100), .burst = 10, EXACT });
    CHECK_OK(wr_limiter_acquire(limiter, WR_NEVER));
    wr_time begun = wr_now();
    wr_limiter_refused(limiter, begun, WR_S(7));
    CHECK_ERR(WR_TIMEOUT, wr_limiter_acquire(limiter, wr_after(WR_S(7) - 1)));
    CHECK_OK(wr_limiter_acquire(limiter, WR_NEVER));
    CHECK_EQ(WR_S(7), wr_now() - begun);
    CHECK_OK(wr_limiter_acquire(limiter, WR_NEVER));        /* and no burst then */
    CHECK_EQ(WR_S(7) + WR_MS(200) + 1, wr_now() - begun);
    wr_limiter_free(limiter);
}

TEST(a_pause_longer_than_an_hour_is_taken_for_an_hour)
{
    struct wr_limiter *limiter = limiter_with((struct wr_limiter_conf){
        .interval = WR_MS(100), EXACT });
    wr_time begun = wr_now();
    wr_limiter_refused(limiter, begun, WR_S(1000000));
    CHECK_OK(wr_limiter_acquire(limiter, WR_NEVER));
    CHECK_EQ(WR_S(3600), wr_now() - begun);
    wr_limiter_free(limiter);
}

TEST(refusals_of_questions_that_were_under_way_count_as_the_first)
{
    struct wr_limiter *limiter = limiter_with((struct wr_limiter_conf){
        .interval = WR_MS(10), .burst = 5, EXACT });
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    wr_time asked = wr_now();
    for (int i = 0; i < 5; i++)
        CHECK_OK(wr_limiter_acquire(limiter, WR_NOW));
    for (int i = 0; i < 5; i++) {
        CHECK_OK(wr_sleep(wr_after(WR_MS(3))));
        wr_limiter_refused(limiter, asked, 0);
    }
    CHECK_EQ(2, wr_limiter_stat(limiter).factor);
    CHECK_EQ(5, wr_limiter_stat(limiter).refusals);
    wr_limiter_free(limiter);
}

struct waiting { struct wr_limiter *limiter; wr_time had; };

static wr_err wait_for_turn(void *arg)
{
    struct waiting *waiting = arg;
    wr_err err = wr_limiter_acquire(waiting->limiter, WR_NEVER);
    waiting->had = wr_now();
    return err;
}

TEST(who_waits_for_a_turn_when_a_refusal_comes_waits_for_a_later_one)
{
    struct wr_limiter *limiter = limiter_with((struct wr_limiter_conf){
        .interval = WR_S(1), EXACT });
    struct waiting waiting[3];
    struct wr_scope *scope;
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "waiting", .deadline = WR_NEVER }));
    CHECK_OK(wr_limiter_acquire(limiter, WR_NEVER));
    wr_time begun = wr_now();
    for (int i = 0; i < 3; i++) {
        waiting[i] = (struct waiting){ .limiter = limiter };
        CHECK_OK(wr_scope_go(scope, "waiting", wait_for_turn, &waiting[i]));
    }
    CHECK_OK(wr_sleep(wr_after(WR_MS(500))));
    wr_limiter_refused(limiter, begun, WR_S(5));
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_OK(wr_scope_close(scope));
    wr_time each = WR_S(2) + 1, first = WR_MS(5500);
    for (wr_time i = 0; i < 3; i++) {
        int found = 0;
        for (int k = 0; k < 3; k++)
            found += waiting[k].had - begun == first + i * each;
        CHECK_EQ(1, found);
    }
    wr_limiter_free(limiter);
}

/* ---- as a wrapper ---- */

TEST(a_refused_question_is_asked_once_more_when_it_is_welcome_again)
{
    struct wr_limiter *limiter = limiter_with((struct wr_limiter_conf){
        .interval = WR_MS(100), EXACT });
    struct outsider outsider = { .script = { WR_BUSY }, .retry_after = WR_S(3) };
    struct wr_ask ask = { 0 };
    wr_time begun = wr_now();
    CHECK_OK(wr_way_ask(WR_LIMITED(limiter, OUTSIDER(&outsider)), &ask, wr_after(WR_S(60))));
    CHECK_EQ(WR_S(3), wr_now() - begun);
    CHECK_EQ(2, outsider.asked);
    wr_ask_done(&ask);
    wr_limiter_free(limiter);
}

TEST(refused_twice_is_busy_and_so_is_once_without_time_left)
{
    struct wr_limiter *limiter = limiter_with((struct wr_limiter_conf){
        .interval = WR_MS(100), EXACT });
    struct outsider outsider = { .always = WR_BUSY, .retry_after = WR_S(1) };
    struct wr_ask ask = { 0 };
    CHECK_ERR(WR_BUSY, wr_way_ask(WR_LIMITED(limiter, OUTSIDER(&outsider)), &ask,
                               wr_after(WR_S(60))));
    CHECK_EQ(2, outsider.asked);
    CHECK_OK(wr_sleep(wr_after(WR_S(10))));
    wr_time begun = wr_now();
    CHECK_ERR(WR_BUSY, wr_way_ask(WR_LIMITED(limiter, OUTSIDER(&outsider)), &ask,
                               wr_after(WR_MS(900))));
    CHECK_EQ(3, outsider.asked);
    CHECK_EQ(begun, wr_now());
    wr_limiter_free(limiter);
}

TEST(other_errors_pass_through_and_slow_nothing_down)
{
    struct wr_limiter *limiter = limiter_with((struct wr_limiter_conf){
        .interval = WR_MS(100), EXACT });
    struct outsider outsider = { .always = WR_IO };
    struct wr_ask ask = { 0 };
    CHECK_ERR(WR_IO, wr_way_ask(WR_LIMITED(limiter, OUTSIDER(&outsider)), &ask,
                             wr_after(WR_S(60))));
    CHECK_EQ(1, outsider.asked);
    CHECK_EQ(1, wr_limiter_stat(limiter).factor);
    wr_limiter_free(limiter);
}

TEST_PANICS(a_limiter_without_an_interval_is_a_panic, "an interval are required")
{
    struct wr_limiter *limiter;
    CHECK_OK(wr_limiter_new(&limiter, &(struct wr_limiter_conf){ .name = "none" }));
}

TEST_PANICS(a_factor_that_is_no_power_of_two_is_a_panic, "factor_max is 12")
{
    CHECK(limiter_with((struct wr_limiter_conf){ .interval = 1, .factor_max = 12 }));
}

static int by_time(const void *a, const void *b)
{
    wr_time one = *(const wr_time *)a, other = *(const wr_time *)b;
    return (one > other) - (one < other);
}

/* ---- a share ---- */

/* A budget that two limiters draw from. */
struct budget {
    struct wr_mutex lock;
    wr_time free_at;
    uint32_t takes, turns, pauses;
    wr_err err;
};

static wr_err budget_take(void *self, const char *name, wr_time interval, uint32_t count,
                          wr_time *ret_from, wr_time deadline)
{
    struct budget *budget = self;
    (void)deadline;
    CHECK_STR("test", name);
    wr_err err = wr_sleep(wr_after(WR_US(100)));
    if (err || budget->err)
        return err ? err : budget->err;
    wr_mutex_lock(&budget->lock);
    wr_time now = wr_now();
    *ret_from = budget->free_at > now ? budget->free_at : now;
    budget->free_at = *ret_from + interval * count;
    budget->takes++;
    budget->turns += count;
    wr_mutex_unlock(&budget->lock);
    return WR_OK;
}

static wr_err budget_pause(void *self, const char *name, wr_time span, wr_time deadline)
{
    struct budget *budget = self;
    (void)name;
    (void)deadline;
    wr_mutex_lock(&budget->lock);
    wr_time until = wr_now() + span;
    budget->free_at = until > budget->free_at ? until : budget->free_at;
    budget->pauses++;
    wr_mutex_unlock(&budget->lock);
    return WR_OK;
}

struct drawer {
    struct wr_limiter *limiter;
    wr_time had[100];
};

static wr_err draw_hundred(void *arg)
{
    struct drawer *drawer = arg;
    for (int i = 0; i < 100; i++) {
        wr_err err = wr_limiter_acquire(drawer->limiter, WR_NEVER);
        if (err)
            return err;
        drawer->had[i] = wr_now();
    }
    return WR_OK;
}

TEST(two_that_share_keep_to_one_limit_and_ask_for_turns_by_the_batch)
{
    struct budget budget = { .lock = WR_MUTEX("budget", 1) };
    struct wr_limiter_share share = { budget_take, budget_pause, &budget };
    struct drawer drawers[2];
    struct wr_scope *scope;
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "drawers", .deadline = WR_NEVER }));
    for (int i = 0; i < 2; i++) {
        drawers[i].limiter = limiter_with((struct wr_limiter_conf){
            .interval = WR_MS(10), .guard = WR_US(500), .share = &share });
        CHECK_OK(wr_scope_go(scope, "drawer", draw_hundred, &drawers[i]));
    }
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_OK(wr_scope_close(scope));
    wr_time had[200];
    for (int i = 0; i < 100; i++) {
        had[i] = drawers[0].had[i];
        had[100 + i] = drawers[1].had[i];
    }
    qsort(had, 200, sizeof(had[0]), by_time);
    for (int i = 1; i < 200; i++)
        CHECK(had[i] - had[i - 1] >= WR_MS(10));
    CHECK(budget.takes < 50);
    CHECK(budget.turns < 240);
    wr_limiter_free(drawers[0].limiter);
    wr_limiter_free(drawers[1].limiter);
    wr_mutex_fini(&budget.lock);
}

TEST(a_turn_of_a_share_that_is_not_used_in_its_time_is_lost_and_batches_are_small_again)
{
    struct budget budget = { .lock = WR_MUTEX("budget", 1) };
    struct wr_limiter_share share = { budget_take, budget_pause, &budget };
    struct wr_limiter *limiter = limiter_with((struct wr_limiter_conf){
        .interval = WR_MS(10), EXACT, .share = &share });
    for (int i = 0; i < 8; i++)                     /* batches of 1, 2, 4, and one of 8 */
        CHECK_OK(wr_limiter_acquire(limiter, WR_NEVER));
    CHECK_EQ(15, budget.turns);
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    wr_time begun = wr_now();
    CHECK_OK(wr_limiter_acquire(limiter, WR_NEVER));
    CHECK_EQ(WR_US(100), wr_now() - begun);         /* a new turn, not an old one at once */
    CHECK_EQ(7, wr_limiter_stat(limiter).lost);
    CHECK_EQ(16, budget.turns);
    wr_limiter_free(limiter);
    wr_mutex_fini(&budget.lock);
}

TEST(a_refusal_is_told_to_those_who_share_and_an_error_of_the_share_is_the_askers)
{
    struct budget budget = { .lock = WR_MUTEX("budget", 1) };
    struct wr_limiter_share share = { budget_take, budget_pause, &budget };
    struct wr_limiter *one = limiter_with((struct wr_limiter_conf){
        .interval = WR_MS(10), EXACT, .share = &share });
    struct wr_limiter *other = limiter_with((struct wr_limiter_conf){
        .interval = WR_MS(10), EXACT, .share = &share });
    CHECK_OK(wr_limiter_acquire(one, WR_NEVER));
    wr_time begun = wr_now();
    wr_limiter_refused(one, begun, WR_S(3));
    CHECK_EQ(1, budget.pauses);
    CHECK_OK(wr_limiter_acquire(other, WR_NEVER));
    CHECK(wr_now() - begun >= WR_S(3));
    budget.err = WR_IO;
    CHECK_OK(wr_sleep(wr_after(WR_S(10))));
    CHECK_ERR(WR_IO, wr_limiter_acquire(other, WR_NEVER));
    wr_limiter_free(one);
    wr_limiter_free(other);
    wr_mutex_fini(&budget.lock);
}

/* ---- what the other side counts ---- */

#define ARRIVALS_MAX 256

/* The far end: it notes when questions arrive, and refuses some. */
struct receiver {
    struct wr_mutex lock;
    struct wr_rand rand;
    wr_time interval, way, way_differs;
    uint32_t burst;
    wr_time arrivals[ARRIVALS_MAX];
    unsigned count;
    wr_time quiet_from, quiet_until;    /* as we know it: nobody may be sent in between */
    unsigned too_early;
    unsigned refuse_one_in;
    wr_time grid;                       /* a coarse one makes things happen at one moment */
};

static wr_time draw(struct receiver *far, wr_time max)
{
    wr_mutex_lock(&far->lock);
    wr_time drawn = wr_rand_span(&far->rand, 0, max);
    wr_mutex_unlock(&far->lock);
    return drawn - drawn % far->grid;
}

static void note_sent(struct receiver *far, wr_time sent)
{
    wr_mutex_lock(&far->lock);
    far->too_early += sent > far->quiet_from && sent < far->quiet_until;
    wr_mutex_unlock(&far->lock);
}

/* Whether it is refused. */
static bool note_arrived(struct receiver *far)
{
    wr_mutex_lock(&far->lock);
    if (far->count < ARRIVALS_MAX)
        far->arrivals[far->count++] = wr_now();
    bool refuse = far->refuse_one_in && wr_rand_below(&far->rand, far->refuse_one_in) == 0;
    wr_mutex_unlock(&far->lock);
    return refuse;
}

static void note_refused(struct receiver *far, wr_time now, wr_time quiet)
{
    wr_mutex_lock(&far->lock);
    if (now + quiet > far->quiet_until) {
        far->quiet_from = now;
        far->quiet_until = now + quiet;
    }
    wr_mutex_unlock(&far->lock);
}

static wr_err receive(const struct wr_way *way, struct wr_ask *ask, wr_time deadline)
{
    struct receiver *far = way->self;
    wr_time sent = wr_now();
    note_sent(far, sent);
    wr_err err = wr_sleep(sent + far->way + draw(far, far->way_differs));
    if (err)
        return err;
    bool refuse = note_arrived(far);
    err = wr_sleep(wr_after(draw(far, far->way)));
    if (err || !refuse)
        return wr_now() > deadline ? WR_TIMEOUT : err;
    ask->retry_after = 1 + draw(far, 4 * far->interval);
    note_refused(far, wr_now(), ask->retry_after);
    return WR_BUSY;
}

struct asker {
    struct wr_limiter *limiter;
    struct receiver *far;
    wr_time begins, gives_up;
};

static wr_err ask_some(void *arg)
{
    struct asker *asker = arg;
    wr_err err = wr_sleep(asker->begins);
    struct wr_ask ask = { 0 };
    const struct wr_way *way = WR_LIMITED(asker->limiter, WR_WAY(receive, asker->far));
    for (int i = 0; i < 4 && !err; i++)
        (void)!wr_way_ask(way, &ask, wr_now() + asker->gives_up);
    return err;
}

/* In no span, from any arrival to any later one, more than a burst and one for each whole
 * interval. */
static bool kept(struct receiver *far)
{
    qsort(far->arrivals, far->count, sizeof(far->arrivals[0]), by_time);
    for (unsigned i = 0; i < far->count; i++)
        for (unsigned k = i; k < far->count; k++) {
            wr_time span = far->arrivals[k] - far->arrivals[i];
            if ((wr_time)(k - i + 1) > (wr_time)far->burst + span / far->interval)
                return false;
        }
    return true;
}

static bool one_schedule(uint64_t seed, unsigned *arrived)
{
    struct receiver far = { .lock = WR_MUTEX("far", 1) };
    wr_rand_seed(&far.rand, seed);
    far.interval = WR_MS(wr_rand_span(&far.rand, 1, 2000));
    far.burst = (uint32_t)wr_rand_span(&far.rand, 1, 5);
    far.way = wr_rand_span(&far.rand, 1, far.interval);
    far.way_differs = wr_rand_span(&far.rand, 0, far.interval / 10);
    far.refuse_one_in = (unsigned)wr_rand_below(&far.rand, 8);
    far.grid = wr_rand_below(&far.rand, 2) ? far.interval / 2 : 1;
    struct wr_limiter *limiter = limiter_with((struct wr_limiter_conf){
        .interval = far.interval, .burst = far.burst,
        .guard = far.way_differs ? far.way_differs : 1 });
    struct asker askers[6];
    struct wr_scope *scope;
    if (!limiter || !CHECK_OK(wr_scope_new(&scope, &(struct wr_scope_conf){
                        .name = "askers", .deadline = WR_NEVER })))
        return false;
    for (int i = 0; i < 6; i++) {
        askers[i] = (struct asker){ .limiter = limiter, .far = &far,
            .begins = wr_after(wr_rand_span(&far.rand, 0, 6 * far.interval)),
            .gives_up = wr_rand_span(&far.rand, far.interval, 40 * far.interval) };
        CHECK_OK(wr_scope_go(scope, "asker", ask_some, &askers[i]));
    }
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_OK(wr_scope_close(scope));
    wr_limiter_free(limiter);
    wr_mutex_fini(&far.lock);
    *arrived += far.count;
    return kept(&far) && far.too_early == 0;
}

struct refused { struct wr_limiter *limiter; wr_time at, again; };

static wr_err refuse_then_take(void *arg)
{
    struct refused *refused = arg;
    wr_err err = wr_sleep(refused->at);
    wr_limiter_refused(refused->limiter, refused->at - WR_S(5), WR_S(10));
    if (!err)
        err = wr_limiter_acquire(refused->limiter, WR_NEVER);
    refused->again = wr_now();
    return err;
}

TEST(two_that_are_refused_at_one_moment_do_not_have_one_turn)
{
    struct wr_scope *scope;
    struct wr_limiter *limiter = limiter_with((struct wr_limiter_conf){
        .interval = WR_S(1), EXACT });
    struct refused both[2];
    CHECK_OK(wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "refused", .deadline = WR_NEVER }));
    for (int i = 0; i < 2; i++) {
        both[i] = (struct refused){ limiter, wr_now() + WR_S(5), 0 };
        CHECK_OK(wr_scope_go(scope, "refused", refuse_then_take, &both[i]));
    }
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_OK(wr_scope_close(scope));
    wr_time apart = both[1].again - both[0].again;
    CHECK(apart >= WR_S(1) || apart <= -WR_S(1));
    wr_limiter_free(limiter);
}

TEST(the_far_end_never_counts_more_than_it_allows_whatever_the_schedule)
{
    unsigned arrived = 0;
    int schedules = test_rounds(10000);
    for (int seed = 1; seed <= schedules; seed++)
        if (!one_schedule((uint64_t)seed, &arrived)) {
            CHECK_EQ(0, seed);
            break;
        }
    CHECK(arrived > (unsigned)schedules * 10);
}
