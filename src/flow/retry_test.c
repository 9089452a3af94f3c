#include <weir/retry.h>

#include <weir/scope.h>

#include "testing/ask_rig.h"
#include "testing/test.h"

static struct wr_retry *retry_with(struct wr_retry_conf conf)
{
    struct wr_retry *retry = NULL;
    conf.name = "test";
    CHECK_OK(wr_retry_new(&retry, &conf));
    return retry;
}

TEST(what_may_pass_is_asked_again_after_a_pause_of_50_to_100_ms)
{
    struct wr_retry *retry = retry_with((struct wr_retry_conf){ .floor = 10 });
    struct outsider outsider = { .script = { WR_IO } };
    struct wr_ask ask = { .safe = true };
    wr_time begun = wr_now();
    CHECK_OK(wr_way_ask(WR_RETRIED(retry, OUTSIDER(&outsider)), &ask, wr_after(WR_S(10))));
    CHECK(wr_now() - begun >= WR_MS(50) && wr_now() - begun <= WR_MS(100));
    CHECK_EQ(2, outsider.asked);
    CHECK_EQ(2, ask.tries);
    wr_ask_done(&ask);
    wr_retry_free(retry);
}

TEST(each_further_pause_is_drawn_from_twice_as_long_up_to_the_cap)
{
    struct wr_retry *retry = retry_with((struct wr_retry_conf){
        .floor = 10, .tries_max = 5, .pause_min = WR_MS(100), .pause_max = WR_MS(100),
        .pause_cap = WR_MS(300) });
    struct outsider outsider = { .always = WR_IO };
    struct wr_ask ask = { .safe = true };
    wr_time begun = wr_now();
    CHECK_ERR(WR_IO, wr_way_ask(WR_RETRIED(retry, OUTSIDER(&outsider)), &ask,
                             wr_after(WR_S(10))));
    CHECK_EQ(5, outsider.asked);
    CHECK_EQ(WR_MS(100 + 200 + 300 + 300), wr_now() - begun);
    wr_retry_free(retry);
}

static uint32_t asked_for(struct wr_retry *retry, wr_err always, bool safe)
{
    struct outsider outsider = { .always = always };
    struct wr_ask ask = { .safe = safe };
    CHECK_ERR(always, wr_way_ask(WR_RETRIED(retry, OUTSIDER(&outsider)), &ask,
                              wr_after(WR_S(10))));
    return outsider.asked;
}

TEST(only_safe_questions_and_only_errors_that_may_pass_are_tried_again)
{
    struct wr_retry *retry = retry_with((struct wr_retry_conf){ .floor = 100 });
    CHECK_EQ(3, asked_for(retry, WR_IO, true));
    CHECK_EQ(3, asked_for(retry, WR_SHED, true));
    CHECK_EQ(1, asked_for(retry, WR_IO, false));
    CHECK_EQ(1, asked_for(retry, WR_NOTFOUND, true));
    CHECK_EQ(1, asked_for(retry, WR_INVALID, true));
    CHECK_EQ(1, asked_for(retry, WR_OPENCIRCUIT, true));
    CHECK_EQ(1, asked_for(retry, WR_BUSY, true));
    CHECK_EQ(1, asked_for(retry, WR_CANCELED, true));
    wr_retry_free(retry);
}

TEST(a_pause_that_would_end_after_the_deadline_is_not_begun)
{
    struct wr_retry *retry = retry_with((struct wr_retry_conf){ .floor = 10 });
    struct outsider outsider = { .always = WR_IO };
    struct wr_ask ask = { .safe = true };
    wr_time begun = wr_now();
    CHECK_ERR(WR_IO, wr_way_ask(WR_RETRIED(retry, OUTSIDER(&outsider)), &ask,
                             wr_after(WR_MS(50))));
    CHECK_EQ(begun, wr_now());
    CHECK_EQ(1, wr_retry_stat(retry).too_late);
    wr_retry_free(retry);
}

TEST(the_deadline_of_the_scope_counts_like_that_of_the_call)
{
    struct wr_retry *retry = retry_with((struct wr_retry_conf){ .floor = 10 });
    struct outsider outsider = { .always = WR_IO };
    struct wr_ask ask = { .safe = true };
    struct wr_scope *scope;
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "short", .deadline = wr_after(WR_MS(40)) }));
    wr_scope_enter(scope);
    CHECK_ERR(WR_IO, wr_way_ask(WR_RETRIED(retry, OUTSIDER(&outsider)), &ask, WR_NEVER));
    wr_scope_leave(scope);
    CHECK_OK(wr_scope_close(scope));
    CHECK_EQ(1, outsider.asked);
    wr_retry_free(retry);
}

TEST(a_try_is_cut_off_after_try_max_and_the_next_one_has_its_own_time)
{
    struct wr_retry *retry = retry_with((struct wr_retry_conf){
        .floor = 10, .try_max = WR_MS(200), .pause_min = WR_MS(50), .pause_max = WR_MS(50) });
    struct outsider outsider = { .takes = WR_S(1) };
    struct wr_ask ask = { .safe = true };
    wr_time begun = wr_now();
    CHECK_ERR(WR_TIMEOUT, wr_way_ask(WR_RETRIED(retry, OUTSIDER(&outsider)), &ask,
                                  wr_after(WR_S(10))));
    CHECK_EQ(WR_MS(200 + 50 + 200 + 100 + 200), wr_now() - begun);
    wr_retry_free(retry);
}

/* Every fifth question pays for a new try; one in a second is free. */
TEST(when_everything_fails_a_fifth_more_is_sent_than_was_asked)
{
    struct wr_retry *retry = retry_with((struct wr_retry_conf){ .floor = 1 });
    struct outsider outsider = { .always = WR_IO };
    for (int i = 0; i < 1000; i++) {
        struct wr_ask ask = { .safe = true };
        CHECK_ERR(WR_IO, wr_way_ask(WR_RETRIED(retry, OUTSIDER(&outsider)), &ask,
                                 wr_after(WR_S(10))));
    }
    struct wr_retry_stat stat = wr_retry_stat(retry);
    CHECK_EQ(1000, stat.questions);
    CHECK_EQ(outsider.asked, 1000 + stat.again);
    CHECK(stat.again >= 200 && stat.again <= 200 + 25);
    CHECK(stat.over_budget > 500);
    wr_retry_free(retry);
}

TEST(good_times_save_up_no_more_than_the_budgets_maximum)
{
    struct wr_retry *retry = retry_with((struct wr_retry_conf){
        .floor = 1, .budget_max = 10, .budget_permille = 1000, .tries_max = 100,
        .pause_min = 1, .pause_max = 1, .pause_cap = 1 });
    struct outsider good = { 0 }, bad = { .always = WR_IO };
    struct wr_ask ask = { .safe = true };
    for (int i = 0; i < 100; i++)
        CHECK_OK(wr_way_ask(WR_RETRIED(retry, OUTSIDER(&good)), &ask, wr_after(WR_S(1))));
    CHECK_ERR(WR_IO, wr_way_ask(WR_RETRIED(retry, OUTSIDER(&bad)), &ask, wr_after(WR_S(1))));
    CHECK_EQ(1 + 10 + 1, bad.asked);        /* the first, those saved up, the free one */
    wr_retry_free(retry);
}

static wr_err cancel_soon(void *scope)
{
    wr_err err = wr_sleep(wr_after(WR_MS(10)));
    wr_scope_cancel(scope);
    return err;
}

TEST(a_cancel_ends_the_pause)
{
    struct wr_retry *retry = retry_with((struct wr_retry_conf){ .floor = 10 });
    struct outsider outsider = { .always = WR_IO };
    struct wr_ask ask = { .safe = true };
    struct wr_scope *scope;
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "canceled", .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(scope, "canceler", cancel_soon, scope));
    wr_scope_enter(scope);
    wr_time begun = wr_now();
    CHECK_ERR(WR_CANCELED, wr_way_ask(WR_RETRIED(retry, OUTSIDER(&outsider)), &ask, WR_NEVER));
    CHECK_EQ(WR_MS(10), wr_now() - begun);
    wr_scope_leave(scope);
    CHECK_OK(wr_scope_close(scope));
    wr_retry_free(retry);
}

TEST_PANICS(a_retry_without_a_name_is_a_panic, "a name is required")
{
    struct wr_retry *retry;
    CHECK_OK(wr_retry_new(&retry, &(struct wr_retry_conf){ 0 }));
}
