#include "flow/flight.h"

#include <weir/scope.h>
#include <weir/task.h>

#include "testing/settle.h"
#include "testing/test.h"

static struct flights *flights;

struct passenger {
    const char *key;
    wr_time asks_for;               /* if it leads */
    wr_time gives_up;               /* if it does not */
    bool panics;
    bool led;
    wr_err waited, outcome;
    struct wr_bytes *answer;
};

static wr_err board(void *arg)
{
    struct passenger *passenger = arg;
    struct flight *flight;
    REQUIRE_OK(flight_board(flights, passenger->key, 1, &flight, &passenger->led), WR_NOMEM);
    if (!passenger->led) {
        passenger->waited = flight_wait(flight, &passenger->outcome, &passenger->answer,
                                        wr_after(passenger->gives_up));
        return WR_OK;
    }
    wr_err err = wr_sleep(wr_after(passenger->asks_for));
    if (passenger->panics)
        wr_panic("on purpose");
    if (!err)
        err = wr_bytes_copy(&passenger->answer, "found", 5);
    flight_land(flight, err, passenger->answer);
    return WR_OK;
}

/* All of them, each a millisecond after the one before. */
static void fly(struct passenger *passengers, int count)
{
    struct wr_scope *scope;
    REQUIRE_OK(flights_new(&flights, "test"));
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "passengers", .deadline = WR_NEVER, .independent = true }));
    for (int i = 0; i < count; i++) {
        CHECK_OK(wr_scope_go(scope, "passenger", board, &passengers[i]));
        CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    }
    (void)!wr_scope_join(scope, WR_NEVER);
    (void)!wr_scope_close(scope);
    flights_free(flights);
}

static void arrive(struct passenger *passengers, int count)
{
    for (int i = 0; i < count; i++)
        wr_bytes_unref(passengers[i].answer);
}

TEST(one_goes_and_all_who_came_meanwhile_have_its_answer)
{
    struct passenger all[4];
    for (int i = 0; i < 4; i++)
        all[i] = (struct passenger){ "k", .asks_for = WR_S(1), .gives_up = WR_S(9) };
    fly(all, 4);
    CHECK(all[0].led);
    for (int i = 1; i < 4; i++) {
        CHECK(!all[i].led);
        CHECK_OK(all[i].waited);
        CHECK_OK(all[i].outcome);
        CHECK(all[i].answer == all[0].answer);
    }
    arrive(all, 4);
}

TEST(another_key_is_another_flight_and_so_is_one_after_the_landing)
{
    struct passenger all[] = {
        { "a", .asks_for = WR_US(1500), .gives_up = WR_S(9) },
        { "b", .asks_for = WR_US(1500), .gives_up = WR_S(9) },
        { "a", .asks_for = WR_MS(1), .gives_up = WR_S(9) },
    };
    fly(all, 3);
    CHECK(all[0].led && all[1].led && all[2].led);
    arrive(all, 3);
}

TEST(who_gives_up_leaves_and_the_others_go_on)
{
    struct passenger all[] = {
        { "k", .asks_for = WR_S(1) },
        { "k", .gives_up = WR_MS(10) },
        { "k", .gives_up = WR_S(9) },
    };
    fly(all, 3);
    CHECK_ERR(WR_TIMEOUT, all[1].waited);
    CHECK_OK(all[2].waited);
    CHECK(all[2].answer != NULL);
    arrive(all, 3);
}

TEST(a_leader_that_panics_lands_all_the_same)
{
    struct passenger all[] = {
        { "k", .asks_for = WR_S(1), .panics = true },
        { "k", .gives_up = WR_S(9) },
    };
    fly(all, 2);
    CHECK_OK(all[1].waited);
    CHECK_ERR(WR_PANIC, all[1].outcome);
    CHECK(all[1].answer == NULL);
}

/* ---- handed over ---- */

static struct flight *handed;

static wr_err take_and_land(void *arg)
{
    bool *panics = arg;
    CHECK_OK(wr_sleep(wr_after(WR_MS(5))));
    flight_take(handed);
    if (*panics)
        wr_panic("on purpose");
    flight_land(handed, WR_NOTFOUND, NULL);
    return WR_OK;
}

/* What the one who has handed it over learns, and when. */
static wr_err hand_over(bool panics, wr_time gives_up)
{
    wr_err outcome = WR_OK;
    struct wr_bytes *answer = NULL;
    struct wr_scope *scope;
    bool leads;
    REQUIRE_OK(flights_new(&flights, "test"), WR_NOMEM);
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "pilots", .deadline = WR_NEVER, .independent = true }), WR_NOMEM);
    CHECK_OK(flight_board(flights, "k", 1, &handed, &leads));
    CHECK(leads);
    flight_hand(handed);
    CHECK_OK(wr_scope_go(scope, "pilot", take_and_land, &panics));
    wr_err err = flight_wait(handed, &outcome, &answer, wr_after(gives_up));
    CHECK(!answer);
    (void)!wr_scope_join(scope, WR_NEVER);
    (void)!wr_scope_close(scope);
    flights_free(flights);
    return err ? err : outcome;
}

TEST(who_hands_a_flight_over_waits_like_the_others)
{
    wr_time began = wr_now();
    CHECK_ERR(WR_NOTFOUND, hand_over(false, WR_S(1)));
    CHECK_EQ(WR_MS(5), wr_now() - began);
}

TEST(who_hands_a_flight_over_may_leave_before_it_lands)
{
    CHECK_ERR(WR_TIMEOUT, hand_over(false, WR_MS(1)));
}

TEST(who_has_taken_a_flight_lands_it_by_a_panic_too)
{
    CHECK_ERR(WR_PANIC, hand_over(true, WR_S(1)));
}
