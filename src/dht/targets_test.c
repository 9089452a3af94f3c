#include "dht/targets.h"

#include <stdio.h>
#include <string.h>

#include <weir/scope.h>
#include <weir/task.h>

#include "testing/test.h"

/* The order as digits. */
static const char *order(struct targets *targets, const struct wr_breakers *breakers)
{
    static char text[TARGETS_MAX + 1];
    uint32_t list[TARGETS_MAX], count = targets_order(targets, breakers, list);
    for (uint32_t i = 0; i < count; i++)
        text[i] = (char)('0' + list[i]);
    text[count] = '\0';
    return text;
}

TEST(until_somebody_has_answered_they_are_asked_in_their_order)
{
    struct targets targets;
    targets_init(&targets, 5);
    CHECK_STR("01234", order(&targets, NULL));
    CHECK_STR("01234", order(&targets, NULL));
}

TEST(who_answered_first_is_asked_first_and_the_others_in_turn)
{
    struct targets targets;
    targets_init(&targets, 4);
    targets_note(&targets, 2, TARGET_FIRST);
    CHECK_STR("2013", order(&targets, NULL));
    CHECK_STR("2130", order(&targets, NULL));
    CHECK_STR("2301", order(&targets, NULL));
    CHECK_STR("2301", order(&targets, NULL));
    CHECK_STR("2013", order(&targets, NULL));
    targets_note(&targets, 1, TARGET_ANSWERED);
    CHECK_STR("2130", order(&targets, NULL));
    targets_note(&targets, 0, TARGET_FIRST);
    CHECK_STR("0231", order(&targets, NULL));
}

TEST(who_failed_is_asked_last_until_he_answers)
{
    struct targets targets;
    targets_init(&targets, 4);
    targets_note(&targets, 0, TARGET_FIRST);
    targets_note(&targets, 0, TARGET_FAILED);
    targets_note(&targets, 2, TARGET_FAILED);
    CHECK_STR("1302", order(&targets, NULL));
    targets_note(&targets, 2, TARGET_ANSWERED);
    CHECK_STR("1230", order(&targets, NULL));
    targets_note(&targets, 0, TARGET_ANSWERED);
    CHECK_STR("0231", order(&targets, NULL));
}

TEST(when_all_failed_all_are_asked)
{
    struct targets targets;
    targets_init(&targets, 3);
    for (uint32_t i = 0; i < 3; i++)
        targets_note(&targets, i, TARGET_FAILED);
    CHECK_STR("012", order(&targets, NULL));
}

TEST(whose_breaker_is_open_is_not_asked_and_half_open_is_last)
{
    struct targets targets;
    struct wr_breakers *breakers;
    struct wr_scope *scope;
    REQUIRE_OK(wr_breakers_new(&breakers, &(struct wr_breakers_conf){
        .name = "test", .targets = 3, .cooldown = WR_S(10) }));
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "test", .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(scope, "test.janitor", wr_breakers_run, breakers));
    targets_init(&targets, 3);
    targets_note(&targets, 0, TARGET_FIRST);
    for (int i = 0; i < 5; i++) {
        uint32_t pass;
        CHECK_OK(wr_breaker_enter(breakers, 0, &pass));
        wr_breaker_leave(breakers, 0, pass, WR_VERDICT_BAD);
    }
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    CHECK_STR("12", order(&targets, breakers));
    CHECK_OK(wr_sleep(wr_after(WR_S(10))));
    CHECK_STR("120", order(&targets, breakers));
    wr_scope_cancel(scope);
    CHECK_OK(wr_scope_close(scope));
    wr_breakers_free(breakers);
}

TEST(from_each_number_on_another_is_first)
{
    struct targets targets;
    uint32_t list[TARGETS_MAX];
    targets_init(&targets, 3);
    targets_note(&targets, 2, TARGET_FIRST);
    targets_note(&targets, 1, TARGET_FAILED);
    for (uint32_t i = 0; i < 6; i++) {
        CHECK_EQ(3, targets_from(&targets, NULL, i, list));
        CHECK_EQ(1, list[2]);
        CHECK_EQ(i % 3 == 0 ? 0 : 2, list[0]);
    }
}

TEST(when_one_last_answered_is_known)
{
    struct targets targets;
    targets_init(&targets, 2);
    CHECK_EQ(0, targets.heard[1]);
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    targets_note(&targets, 1, TARGET_ANSWERED);
    CHECK_EQ(wr_now(), targets.heard[1]);
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    targets_note(&targets, 1, TARGET_FAILED);
    CHECK_EQ(wr_now() - WR_S(1), targets.heard[1]);
}
