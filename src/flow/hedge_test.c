#include <weir/hedge.h>

#include <weir/breaker.h>
#include <weir/limiter.h>
#include <weir/scope.h>
#include <weir/task.h>

#include "base/rand.h"
#include "testing/ask_rig.h"
#include "testing/test.h"

static const uint32_t five[] = { 0, 1, 2, 3, 4 };

static struct wr_hedge *hedge_with(struct wr_hedge_conf conf)
{
    struct wr_hedge *hedge = NULL;
    conf.name = "test";
    CHECK_OK(wr_hedge_new(&hedge, &conf));
    return hedge;
}

/* The seed's: three at once, two more after 150 ms. */
static struct wr_hedge *seed_hedge(void)
{
    return hedge_with((struct wr_hedge_conf){
        .alpha = 3, .beta = 2, .quantile_permille = 1000, .budget_permille = 2000 });
}

static wr_err ask_five(struct wr_hedge *hedge, struct outsider *outsider, struct wr_ask *ask,
                       wr_time deadline)
{
    *ask = (struct wr_ask){ .safe = true, .targets = five, .target_count = 5 };
    return wr_way_ask(WR_HEDGED(hedge, OUTSIDER(outsider)), ask, deadline);
}

TEST(the_first_of_the_first_wave_wins_and_the_others_are_canceled)
{
    struct wr_hedge *hedge = seed_hedge();
    struct outsider outsider = { .takes_of = { WR_MS(50), WR_MS(20), WR_MS(90) } };
    struct wr_ask ask;
    wr_time begun = wr_now();
    CHECK_OK(ask_five(hedge, &outsider, &ask, wr_after(WR_MS(1200))));
    CHECK_EQ(WR_MS(20), wr_now() - begun);
    CHECK_EQ(1, ask.target);
    CHECK_STR("answer", ask_text(&ask));
    CHECK_EQ(3, outsider.asked);
    CHECK_EQ(3, outsider.ended);
    CHECK_EQ(2, outsider.canceled);
    CHECK_EQ(3, ask.tries);
    CHECK_EQ(0, wr_hedge_stat(hedge).extra);
    wr_ask_done(&ask);
    wr_hedge_free(hedge);
}

TEST(when_none_answers_in_time_others_are_asked_and_one_of_them_wins)
{
    struct wr_hedge *hedge = seed_hedge();
    struct outsider outsider = { .takes = WR_MS(30),
                                 .takes_of = { WR_S(9), WR_S(9), WR_S(9) } };
    struct wr_ask ask;
    wr_time begun = wr_now();
    CHECK_OK(ask_five(hedge, &outsider, &ask, wr_after(WR_MS(1200))));
    CHECK_EQ(WR_MS(150 + 30), wr_now() - begun);
    CHECK(ask.target == 3 || ask.target == 4);
    CHECK_EQ(5, outsider.asked);
    CHECK_EQ(5, outsider.ended);
    struct wr_hedge_stat stat = wr_hedge_stat(hedge);
    CHECK_EQ(2, stat.extra);
    CHECK_EQ(1, stat.win);
    CHECK_EQ(0, stat.lose + stat.tie);
    wr_ask_done(&ask);
    wr_hedge_free(hedge);
}

TEST(extra_legs_that_come_in_second_are_a_loss)
{
    struct wr_hedge *hedge = seed_hedge();
    struct outsider outsider = { .takes = WR_S(1),
                                 .takes_of = { WR_MS(160), WR_S(9), WR_S(9) } };
    struct wr_ask ask;
    CHECK_OK(ask_five(hedge, &outsider, &ask, wr_after(WR_MS(1200))));
    CHECK_EQ(0, ask.target);
    CHECK_EQ(1, wr_hedge_stat(hedge).lose);
    wr_ask_done(&ask);
    wr_hedge_free(hedge);
}

TEST(when_the_whole_first_wave_fails_others_are_asked_at_once_and_for_nothing)
{
    struct wr_hedge *hedge = hedge_with((struct wr_hedge_conf){
        .alpha = 3, .beta = 2, .quantile_permille = 1000, .budget_permille = 1 });
    struct outsider outsider = { .takes = WR_MS(10), .always_of = { WR_IO, WR_IO, WR_IO } };
    struct wr_ask ask;
    for (int i = 0; i < 10; i++) {
        wr_time begun = wr_now();
        CHECK_OK(ask_five(hedge, &outsider, &ask, wr_after(WR_MS(1200))));
        CHECK_EQ(WR_MS(20), wr_now() - begun);
        wr_ask_done(&ask);
    }
    CHECK_EQ(20, wr_hedge_stat(hedge).extra);
    CHECK_EQ(0, wr_hedge_stat(hedge).over_budget);
    wr_hedge_free(hedge);
}

TEST(a_wave_that_fails_is_replaced_although_no_delay_would_end_in_time)
{
    struct wr_hedge *hedge = seed_hedge();
    struct outsider outsider = { .takes = WR_MS(10), .always_of = { WR_IO, WR_IO, WR_IO } };
    struct wr_ask ask;
    CHECK_OK(ask_five(hedge, &outsider, &ask, wr_after(WR_MS(140))));
    CHECK_EQ(5, outsider.asked);
    wr_ask_done(&ask);
    wr_hedge_free(hedge);
}

TEST(a_limiter_around_a_hedge_hears_how_long_the_others_want_to_be_left_alone)
{
    struct wr_limiter *limiter;
    struct wr_hedge *hedge = hedge_with((struct wr_hedge_conf){ .alpha = 2, .beta = 1 });
    struct outsider outsider = { .script = { WR_IO, WR_BUSY, WR_BUSY },
                                 .retry_after = WR_S(30) };
    struct wr_ask ask = { .safe = true, .targets = five, .target_count = 3 };
    CHECK_OK(wr_limiter_new(&limiter, &(struct wr_limiter_conf){
        .name = "test", .interval = WR_MS(100), .guard = 1 }));
    wr_time begun = wr_now();
    CHECK_OK(wr_way_ask(WR_LIMITED(limiter, WR_HEDGED(hedge, OUTSIDER(&outsider))), &ask,
                        wr_after(WR_S(300))));
    CHECK_EQ(WR_S(30), wr_now() - begun);
    wr_ask_done(&ask);
    wr_limiter_free(limiter);
    wr_hedge_free(hedge);
}

TEST(the_deadline_ends_it_to_the_nanosecond_and_nobody_is_left)
{
    struct wr_hedge *hedge = seed_hedge();
    struct outsider outsider = { .takes = WR_S(9) };
    struct wr_ask ask;
    wr_time begun = wr_now();
    CHECK_ERR(WR_TIMEOUT, ask_five(hedge, &outsider, &ask, wr_after(WR_MS(1200))));
    CHECK_EQ(WR_MS(1200), wr_now() - begun);
    CHECK_EQ(outsider.asked, outsider.ended);
    CHECK(ask.answer == NULL);
    wr_hedge_free(hedge);
}

struct canceled_call { struct wr_hedge *hedge; struct outsider *outsider; wr_err err; };

static wr_err ask_in_task(void *arg)
{
    struct canceled_call *call = arg;
    struct wr_ask ask;
    call->err = ask_five(call->hedge, call->outsider, &ask, wr_after(WR_S(5)));
    return WR_OK;
}

TEST(a_cancel_from_above_ends_all_legs)
{
    struct wr_hedge *hedge = seed_hedge();
    struct outsider outsider = { .takes = WR_S(9) };
    struct canceled_call call = { hedge, &outsider, WR_OK };
    struct wr_scope *scope;
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "caller", .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(scope, "caller", ask_in_task, &call));
    CHECK_OK(wr_sleep(wr_after(WR_MS(500))));
    CHECK_OK(wr_scope_close(scope));
    CHECK_ERR(WR_CANCELED, call.err);
    CHECK_EQ(5, outsider.asked);
    CHECK_EQ(5, outsider.ended);
    wr_hedge_free(hedge);
}

TEST(a_quorum_of_two_waits_for_two)
{
    struct wr_hedge *hedge = hedge_with((struct wr_hedge_conf){
        .alpha = 3, .beta = 2, .quorum = 2, .quantile_permille = 1000,
        .budget_permille = 2000 });
    struct outsider outsider = { .takes_of = { WR_MS(50), WR_MS(20), WR_MS(90) } };
    struct wr_ask ask;
    wr_time begun = wr_now();
    CHECK_OK(ask_five(hedge, &outsider, &ask, wr_after(WR_MS(1200))));
    CHECK_EQ(WR_MS(50), wr_now() - begun);
    CHECK_EQ(1, ask.target);
    wr_ask_done(&ask);
    wr_hedge_free(hedge);
}

static bool is_full(const struct wr_ask *ask, const struct wr_bytes *answer)
{
    (void)ask;
    return answer->len > 0;
}

static wr_err join(struct wr_bytes **ret, struct wr_bytes *const *answers, uint32_t count)
{
    wr_err err = wr_bytes_new(ret, count);
    for (uint32_t i = 0; i < count && !err; i++)
        (*ret)->data[i] = answers[i]->data[0];
    return err;
}

TEST(answers_that_do_not_satisfy_do_not_count_and_all_of_them_are_nothing)
{
    struct wr_hedge *hedge = hedge_with((struct wr_hedge_conf){
        .alpha = 3, .beta = 2, .satisfies = is_full, .quantile_permille = 1000,
        .budget_permille = 2000 });
    struct outsider outsider = { .takes = WR_MS(10), .text = "" };
    struct wr_ask ask;
    wr_time begun = wr_now();
    CHECK_ERR(WR_NOTFOUND, ask_five(hedge, &outsider, &ask, wr_after(WR_MS(1200))));
    CHECK_EQ(5, outsider.asked);
    CHECK_EQ(WR_MS(20), wr_now() - begun);
    wr_hedge_free(hedge);
}

TEST(the_answers_of_a_quorum_are_merged)
{
    struct wr_hedge *hedge = hedge_with((struct wr_hedge_conf){
        .alpha = 2, .beta = 1, .quorum = 2, .merge = join });
    struct outsider outsider = { .takes = WR_MS(10), .text = "x" };
    struct wr_ask ask;
    CHECK_OK(ask_five(hedge, &outsider, &ask, wr_after(WR_MS(1200))));
    CHECK_STR("xx", ask_text(&ask));
    wr_ask_done(&ask);
    wr_hedge_free(hedge);
}

TEST(what_is_not_safe_or_has_one_target_goes_to_one)
{
    struct wr_hedge *hedge = seed_hedge();
    struct outsider outsider = { .takes = WR_S(1) };
    struct wr_ask unsafe = { .targets = five + 2, .target_count = 3 };
    struct wr_ask single = { .targets = five + 1, .target_count = 1, .safe = true };
    CHECK_OK(wr_way_ask(WR_HEDGED(hedge, OUTSIDER(&outsider)), &unsafe, wr_after(WR_S(9))));
    CHECK_OK(wr_way_ask(WR_HEDGED(hedge, OUTSIDER(&outsider)), &single, wr_after(WR_S(9))));
    CHECK_EQ(2, outsider.asked);
    CHECK_EQ(2, unsafe.target);
    CHECK_EQ(1, single.target);
    wr_ask_done(&unsafe);
    wr_ask_done(&single);
    wr_hedge_free(hedge);
}

TEST(no_quorum_has_the_first_error_and_open_breakers_have_their_own)
{
    struct wr_hedge *hedge = seed_hedge();
    struct wr_ask ask;
    struct outsider mixed = { .always_of = { WR_NOTFOUND, WR_IO, WR_TIMEOUT, WR_IO, WR_IO } };
    CHECK_ERR(WR_IO, ask_five(hedge, &mixed, &ask, wr_after(WR_S(1))));
    struct outsider none = { .always = WR_NOTFOUND };
    CHECK_ERR(WR_NOTFOUND, ask_five(hedge, &none, &ask, wr_after(WR_S(1))));
    struct outsider open = { .always = WR_OPENCIRCUIT };
    CHECK_ERR(WR_OPENCIRCUIT, ask_five(hedge, &open, &ask, wr_after(WR_S(1))));
    wr_hedge_free(hedge);
}

/* ---- when to ask another, and how often ---- */

TEST(extra_legs_stay_within_the_budget_when_everything_is_slow)
{
    struct wr_hedge *hedge = hedge_with((struct wr_hedge_conf){ .quantile_permille = 1000 });
    struct outsider outsider = { .takes = WR_MS(300) };
    struct wr_ask ask;
    for (int i = 0; i < 1000; i++) {
        CHECK_OK(ask_five(hedge, &outsider, &ask, wr_after(WR_S(2))));
        wr_ask_done(&ask);
    }
    struct wr_hedge_stat stat = wr_hedge_stat(hedge);
    CHECK(stat.extra >= 20 && stat.extra <= 21);
    CHECK_EQ(1000 + stat.extra, stat.legs);
    CHECK_EQ(1000 - stat.extra, stat.over_budget);
    wr_hedge_free(hedge);
}

TEST(at_the_longest_delay_extra_legs_are_free_if_so_wished)
{
    struct wr_hedge *hedge = hedge_with((struct wr_hedge_conf){
        .alpha = 3, .beta = 2, .quantile_permille = 1000, .budget_permille = 1,
        .late_free = true });
    struct outsider outsider = { .takes = WR_MS(30),
                                 .takes_of = { WR_S(9), WR_S(9), WR_S(9) } };
    struct wr_ask ask;
    for (int i = 0; i < 50; i++) {
        wr_time begun = wr_now();
        CHECK_OK(ask_five(hedge, &outsider, &ask, wr_after(WR_MS(1200))));
        CHECK_EQ(WR_MS(150 + 30), wr_now() - begun);
        wr_ask_done(&ask);
    }
    CHECK_EQ(100, wr_hedge_stat(hedge).extra);
    CHECK_EQ(0, wr_hedge_stat(hedge).over_budget);
    wr_hedge_free(hedge);
}

TEST(with_jitter_each_call_asks_others_a_little_sooner_and_never_later)
{
    struct wr_hedge *hedge = hedge_with((struct wr_hedge_conf){
        .alpha = 3, .beta = 2, .quantile_permille = 1000, .budget_permille = 1,
        .late_free = true, .jitter_permille = 50 });
    struct outsider outsider = { .takes = WR_MS(30),
                                 .takes_of = { WR_S(9), WR_S(9), WR_S(9) } };
    struct wr_ask ask;
    wr_time least = WR_S(9), most = 0;
    for (int i = 0; i < 200; i++) {
        wr_time begun = wr_now();
        CHECK_OK(ask_five(hedge, &outsider, &ask, wr_after(WR_MS(1200))));
        wr_time after = wr_now() - begun - WR_MS(30);
        CHECK(after >= WR_MS(150) * 95 / 100 && after <= WR_MS(150));
        least = after < least ? after : least;
        most = after > most ? after : most;
        wr_ask_done(&ask);
    }
    CHECK(most - least > WR_MS(5));
    CHECK_EQ(400, wr_hedge_stat(hedge).extra);      /* free, though before the longest delay */
    wr_hedge_free(hedge);
}

/* So many calls of 10 ms each, and its delay is that. */
static void settle(struct wr_hedge *hedge, struct outsider *outsider)
{
    struct wr_ask ask;
    outsider->takes = WR_MS(10);
    for (int i = 0; i < 2000; i++) {
        CHECK_OK(ask_five(hedge, outsider, &ask, wr_after(WR_S(2))));
        wr_ask_done(&ask);
    }
    CHECK(wr_hedge_stat(hedge).delay <= WR_MS(12));
}

TEST(before_the_longest_delay_they_are_within_the_budget_and_then_free)
{
    struct wr_hedge *hedge = hedge_with((struct wr_hedge_conf){
        .alpha = 3, .beta = 2, .budget_permille = 1, .late_free = true });
    struct outsider outsider = { .takes = WR_MS(10) };
    struct wr_ask ask;
    unsigned early = 0, late = 0;
    settle(hedge, &outsider);
    for (int i = 0; i < 3; i++)
        outsider.takes_of[i] = WR_S(9);
    for (int i = 0; i < 8; i++) {
        wr_time begun = wr_now();
        CHECK_OK(ask_five(hedge, &outsider, &ask, wr_after(WR_MS(1200))));
        wr_time took = wr_now() - begun;
        early += took <= WR_MS(12 + 10);
        late += took == WR_MS(150 + 10);
        wr_ask_done(&ask);
    }
    CHECK_EQ(2, early);             /* what the calls so far had paid in, and the first two */
    CHECK_EQ(6, late);
    CHECK_EQ(16, wr_hedge_stat(hedge).extra);
    CHECK_EQ(6, wr_hedge_stat(hedge).over_budget);
    wr_hedge_free(hedge);
}

TEST(at_the_longest_delay_nobody_is_asked_in_addition_to_whom_the_budget_paid_for)
{
    struct wr_hedge *hedge = hedge_with((struct wr_hedge_conf){
        .alpha = 3, .beta = 2, .budget_permille = 2000, .late_free = true });
    struct outsider outsider = { .takes = WR_MS(10) };
    struct wr_ask ask;
    settle(hedge, &outsider);
    outsider.takes = WR_S(9);
    outsider.asked = 0;
    CHECK_ERR(WR_TIMEOUT, ask_five(hedge, &outsider, &ask, wr_after(WR_MS(1200))));
    CHECK_EQ(5, outsider.asked);
    wr_hedge_free(hedge);
}

TEST(when_all_fail_after_the_budget_was_empty_others_are_asked_for_nothing)
{
    struct wr_hedge *hedge = hedge_with((struct wr_hedge_conf){
        .alpha = 1, .beta = 1, .quantile_permille = 1000, .budget_permille = 1 });
    struct outsider outsider = { .takes = WR_MS(300), .always_of = { WR_IO } };
    struct wr_ask ask;
    for (int i = 0; i < 5; i++) {
        CHECK_OK(ask_five(hedge, &outsider, &ask, wr_after(WR_MS(1200))));
        CHECK_EQ(1, ask.target);
        wr_ask_done(&ask);
    }
    CHECK_EQ(5, wr_hedge_stat(hedge).extra);
    wr_hedge_free(hedge);
}

TEST(the_delay_follows_what_answers_take_and_is_never_above_its_maximum)
{
    struct wr_hedge *hedge = hedge_with((struct wr_hedge_conf){ 0 });
    struct outsider outsider = { .takes = WR_MS(10) };
    struct wr_ask ask;
    CHECK_EQ(WR_MS(150), wr_hedge_stat(hedge).delay);
    for (int i = 0; i < 200; i++) {
        CHECK_OK(ask_five(hedge, &outsider, &ask, wr_after(WR_S(2))));
        wr_ask_done(&ask);
    }
    wr_time delay = wr_hedge_stat(hedge).delay;
    CHECK(delay >= WR_MS(10) && delay <= WR_MS(12));
    outsider.takes = WR_S(1);
    for (int i = 0; i < 200; i++) {
        CHECK_OK(ask_five(hedge, &outsider, &ask, wr_after(WR_S(2))));
        wr_ask_done(&ask);
    }
    CHECK_EQ(WR_MS(150), wr_hedge_stat(hedge).delay);
    wr_hedge_free(hedge);
}

/* One call of a hundred takes a second, the others 5 ms. */
static wr_err tail_ask(const struct wr_way *way, struct wr_ask *ask, wr_time deadline)
{
    struct wr_rand_shared *rand = way->self;
    bool slow = wr_rand_draw(rand, 0, 99) == 0;
    wr_err err = wr_sleep(wr_after(slow ? WR_S(1) : WR_MS(5)));
    (void)deadline;
    return err ? err : wr_bytes_copy(&ask->answer, "x", 1);
}

TEST(a_tail_is_cut_at_less_than_two_percent_of_extra_legs)
{
    struct wr_hedge *hedge = hedge_with((struct wr_hedge_conf){ 0 });
    struct wr_rand_shared rand = { 1 };
    unsigned slow = 0, calls = (unsigned)test_rounds(20000), learning = 500;
    for (unsigned i = 0; i < learning + calls; i++) {
        struct wr_ask ask = { .safe = true, .targets = five, .target_count = 2 };
        wr_time begun = wr_now();
        CHECK_OK(wr_way_ask(WR_HEDGED(hedge, WR_WAY(tail_ask, &rand)), &ask,
                         wr_after(WR_S(5))));
        slow += i >= learning && wr_now() - begun > WR_MS(50);
        wr_ask_done(&ask);
    }
    struct wr_hedge_stat stat = wr_hedge_stat(hedge);
    CHECK(slow <= calls / 1000 + 1);                /* p99.9 is below 50 ms */
    CHECK(stat.extra * 1000 <= (uint64_t)(learning + calls) * 20 + 1000);
    wr_hedge_free(hedge);
}

TEST_PANICS(more_legs_than_there_may_be_is_a_panic, "alpha 12, beta 8")
{
    CHECK(hedge_with((struct wr_hedge_conf){ .alpha = 12, .beta = 8 }));
}
