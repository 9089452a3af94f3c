#include <weir/breaker.h>

#include <weir/scope.h>
#include <weir/task.h>

#include "testing/ask_rig.h"
#include "testing/metric_rig.h"
#include "testing/test.h"

/* Breakers with their janitor at work. */
struct rig {
    struct wr_breakers *breakers;
    struct wr_scope *scope;
};

static void rig_open(struct rig *rig, struct wr_breakers_conf conf)
{
    conf.name = "test";
    conf.targets = conf.targets ? conf.targets : 2;
    CHECK_OK(wr_breakers_new(&rig->breakers, &conf));
    CHECK_OK(wr_scope_new(&rig->scope, &(struct wr_scope_conf){
        .name = "janitor", .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(rig->scope, "janitor", wr_breakers_run, rig->breakers));
    CHECK_OK(wr_sleep(wr_after(WR_MS(1))));     /* ahead of the janitor from now on */
}

static void rig_close(struct rig *rig)
{
    CHECK_OK(wr_scope_close(rig->scope));
    wr_breakers_free(rig->breakers);
}

static wr_err enter_leave(struct rig *rig, uint32_t target, enum wr_verdict verdict)
{
    uint32_t pass;
    wr_err err = wr_breaker_enter(rig->breakers, target, &pass);
    if (!err)
        wr_breaker_leave(rig->breakers, target, pass, verdict);
    return err;
}

static void many(struct rig *rig, unsigned good, unsigned bad)
{
    for (unsigned i = 0; i < good; i++)
        CHECK_OK(enter_leave(rig, 0, WR_VERDICT_GOOD));
    for (unsigned i = 0; i < bad; i++)
        CHECK_OK(enter_leave(rig, 0, WR_VERDICT_BAD));
}

static enum wr_breaker_state state(struct rig *rig)
{
    return wr_breaker_stat(rig->breakers, 0).state;
}

static void pass_time(wr_time span)
{
    CHECK_OK(wr_sleep(wr_after(span)));
}

TEST(it_opens_when_more_than_the_threshold_is_bad_and_not_at_it)
{
    struct rig rig;
    rig_open(&rig, (struct wr_breakers_conf){ 0 });
    many(&rig, 5, 5);
    pass_time(WR_MS(100));
    CHECK_EQ(WR_BREAKER_CLOSED, state(&rig));
    many(&rig, 0, 1);
    pass_time(WR_MS(100));
    CHECK_EQ(WR_BREAKER_OPEN, state(&rig));
    CHECK_EQ(1, wr_breaker_stat(rig.breakers, 0).opened);
    rig_close(&rig);
}

TEST(a_few_samples_do_not_open_it)
{
    struct rig rig;
    rig_open(&rig, (struct wr_breakers_conf){ 0 });
    many(&rig, 0, 4);
    pass_time(WR_S(1));
    CHECK_EQ(WR_BREAKER_CLOSED, state(&rig));
    many(&rig, 0, 1);
    pass_time(WR_MS(100));
    CHECK_EQ(WR_BREAKER_OPEN, state(&rig));
    rig_close(&rig);
}

TEST(what_is_older_than_the_window_does_not_count)
{
    struct rig rig;
    rig_open(&rig, (struct wr_breakers_conf){ 0 });
    many(&rig, 0, 4);
    pass_time(WR_S(29));
    CHECK_EQ(4, wr_breaker_stat(rig.breakers, 0).bad);
    pass_time(WR_S(2));
    CHECK_EQ(0, wr_breaker_stat(rig.breakers, 0).bad);
    many(&rig, 0, 4);
    pass_time(WR_S(1));
    CHECK_EQ(WR_BREAKER_CLOSED, state(&rig));
    rig_close(&rig);
}

static void trip(struct rig *rig)
{
    many(rig, 0, 5);
    pass_time(WR_MS(100));
    CHECK_EQ(WR_BREAKER_OPEN, state(rig));
}

TEST(open_it_refuses_for_the_cooldown_and_lets_three_probes_in_then)
{
    struct rig rig;
    rig_open(&rig, (struct wr_breakers_conf){ 0 });
    trip(&rig);
    uint32_t pass[3], another;
    CHECK_ERR(WR_OPENCIRCUIT, wr_breaker_enter(rig.breakers, 0, &another));
    pass_time(WR_S(10) - WR_MS(100));
    CHECK_ERR(WR_OPENCIRCUIT, wr_breaker_enter(rig.breakers, 0, &another));
    pass_time(WR_MS(100));
    CHECK_EQ(WR_BREAKER_HALF_OPEN, state(&rig));
    for (int i = 0; i < 3; i++)
        CHECK_OK(wr_breaker_enter(rig.breakers, 0, &pass[i]));
    CHECK_ERR(WR_OPENCIRCUIT, wr_breaker_enter(rig.breakers, 0, &another));
    CHECK_EQ(3, wr_breaker_stat(rig.breakers, 0).refused);
    for (int i = 0; i < 3; i++)
        wr_breaker_leave(rig.breakers, 0, pass[i], WR_VERDICT_GOOD);
    pass_time(WR_MS(100));
    CHECK_EQ(WR_BREAKER_CLOSED, state(&rig));
    rig_close(&rig);
}

/* To half open, and so many good and bad probes. */
static enum wr_breaker_state after_probes(struct rig *rig, unsigned good, unsigned bad)
{
    trip(rig);
    pass_time(WR_S(10));
    CHECK_EQ(WR_BREAKER_HALF_OPEN, state(rig));
    many(rig, good, bad);
    pass_time(WR_MS(100));
    return state(rig);
}

TEST(probes_that_are_bad_open_it_again_and_good_ones_close_it_with_an_empty_window)
{
    struct rig rig;
    rig_open(&rig, (struct wr_breakers_conf){ 0 });
    CHECK_EQ(WR_BREAKER_OPEN, after_probes(&rig, 1, 2));
    pass_time(WR_S(10));
    many(&rig, 2, 1);
    pass_time(WR_MS(100));
    CHECK_EQ(WR_BREAKER_CLOSED, state(&rig));
    CHECK_EQ(0, wr_breaker_stat(rig.breakers, 0).bad);
    CHECK_EQ(2, wr_breaker_stat(rig.breakers, 0).opened);
    rig_close(&rig);
}

TEST(a_probe_without_a_verdict_gives_its_place_to_another)
{
    struct rig rig;
    rig_open(&rig, (struct wr_breakers_conf){ .probes = 1 });
    trip(&rig);
    pass_time(WR_S(10));
    for (int i = 0; i < 5; i++)
        CHECK_OK(enter_leave(&rig, 0, WR_VERDICT_NONE));
    CHECK_OK(enter_leave(&rig, 0, WR_VERDICT_GOOD));
    CHECK_ERR(WR_OPENCIRCUIT, enter_leave(&rig, 0, WR_VERDICT_GOOD));
    pass_time(WR_MS(100));
    CHECK_EQ(WR_BREAKER_CLOSED, state(&rig));
    rig_close(&rig);
}

TEST(a_probe_that_does_not_end_counts_as_bad_after_the_cooldown)
{
    struct rig rig;
    rig_open(&rig, (struct wr_breakers_conf){ .probes = 1 });
    trip(&rig);
    pass_time(WR_S(10));
    uint32_t pass;
    CHECK_OK(wr_breaker_enter(rig.breakers, 0, &pass));
    pass_time(WR_S(10) - WR_MS(100));
    CHECK_EQ(WR_BREAKER_HALF_OPEN, state(&rig));
    pass_time(WR_MS(100));
    CHECK_EQ(WR_BREAKER_OPEN, state(&rig));
    wr_breaker_leave(rig.breakers, 0, pass, WR_VERDICT_GOOD);
    rig_close(&rig);
}

TEST(half_open_it_waits_for_a_probe_as_long_as_nobody_asks)
{
    struct rig rig;
    rig_open(&rig, (struct wr_breakers_conf){ .probes = 1 });
    trip(&rig);
    pass_time(WR_S(3600));
    CHECK_EQ(WR_BREAKER_HALF_OPEN, state(&rig));
    CHECK_OK(enter_leave(&rig, 0, WR_VERDICT_GOOD));
    pass_time(WR_MS(100));
    CHECK_EQ(WR_BREAKER_CLOSED, state(&rig));
    rig_close(&rig);
}

TEST(an_outcome_from_before_a_change_of_state_counts_for_nothing)
{
    struct rig rig;
    rig_open(&rig, (struct wr_breakers_conf){ .probes = 1 });
    uint32_t late[5];
    for (int i = 0; i < 5; i++)
        CHECK_OK(wr_breaker_enter(rig.breakers, 0, &late[i]));
    trip(&rig);
    pass_time(WR_S(10));
    CHECK_EQ(WR_BREAKER_HALF_OPEN, state(&rig));
    for (int i = 0; i < 4; i++)
        wr_breaker_leave(rig.breakers, 0, late[i], WR_VERDICT_BAD);
    wr_breaker_leave(rig.breakers, 0, late[4], WR_VERDICT_NONE);
    pass_time(WR_MS(100));
    CHECK_EQ(WR_BREAKER_HALF_OPEN, state(&rig));
    CHECK_OK(enter_leave(&rig, 0, WR_VERDICT_GOOD));
    CHECK_ERR(WR_OPENCIRCUIT, enter_leave(&rig, 0, WR_VERDICT_GOOD));
    rig_close(&rig);
}

TEST(other_bounds_are_in_force_from_the_next_look_on)
{
    struct rig rig;
    rig_open(&rig, (struct wr_breakers_conf){ 0 });
    many(&rig, 2, 2);
    wr_breakers_set(rig.breakers, &(struct wr_breakers_conf){
        .samples_min = 4, .trip_permille = 400, .cooldown = WR_S(1), .probes = 1 });
    CHECK_EQ(WR_BREAKER_CLOSED, state(&rig));
    pass_time(WR_MS(100));
    CHECK_EQ(WR_BREAKER_OPEN, state(&rig));
    pass_time(WR_S(1));
    CHECK_EQ(WR_BREAKER_HALF_OPEN, state(&rig));
    wr_breakers_set(rig.breakers, &(struct wr_breakers_conf){ 0 });
    pass_time(WR_MS(100));
    CHECK_OK(enter_leave(&rig, 0, WR_VERDICT_GOOD));
    CHECK_ERR(WR_OPENCIRCUIT, enter_leave(&rig, 0, WR_VERDICT_GOOD));
    pass_time(WR_MS(100));
    CHECK_EQ(WR_BREAKER_CLOSED, state(&rig));
    many(&rig, 2, 2);
    pass_time(WR_MS(100));
    CHECK_EQ(WR_BREAKER_CLOSED, state(&rig));
    rig_close(&rig);
}

TEST(each_target_has_its_own)
{
    struct rig rig;
    rig_open(&rig, (struct wr_breakers_conf){ .targets = 3 });
    trip(&rig);
    CHECK_OK(enter_leave(&rig, 1, WR_VERDICT_GOOD));
    CHECK_OK(enter_leave(&rig, 2, WR_VERDICT_GOOD));
    CHECK_ERR(WR_OPENCIRCUIT, enter_leave(&rig, 0, WR_VERDICT_GOOD));
    rig_close(&rig);
}

TEST(as_a_wrapper_it_spares_who_does_not_answer)
{
    struct rig rig;
    rig_open(&rig, (struct wr_breakers_conf){ 0 });
    struct outsider outsider = { .always = WR_IO };
    const struct wr_way *way = WR_GUARDED(rig.breakers, OUTSIDER(&outsider));
    struct wr_ask ask = { 0 };
    for (int i = 0; i < 5; i++)
        CHECK_ERR(WR_IO, wr_way_ask(way, &ask, wr_after(WR_S(1))));
    pass_time(WR_MS(100));
    CHECK_ERR(WR_OPENCIRCUIT, wr_way_ask(way, &ask, wr_after(WR_S(1))));
    CHECK_EQ(5, outsider.asked);
    rig_close(&rig);
}

TEST(answers_that_there_is_nothing_and_refusals_do_not_open_it)
{
    struct rig rig;
    rig_open(&rig, (struct wr_breakers_conf){ 0 });
    struct outsider none = { .always = WR_NOTFOUND }, busy = { .always = WR_BUSY };
    struct wr_ask ask = { 0 };
    for (int i = 0; i < 20; i++) {
        CHECK_ERR(WR_NOTFOUND, wr_way_ask(WR_GUARDED(rig.breakers, OUTSIDER(&none)), &ask,
                                       wr_after(WR_S(1))));
        CHECK_ERR(WR_BUSY, wr_way_ask(WR_GUARDED(rig.breakers, OUTSIDER(&busy)), &ask,
                                   wr_after(WR_S(1))));
    }
    pass_time(WR_MS(100));
    CHECK_EQ(WR_BREAKER_CLOSED, state(&rig));
    CHECK_EQ(20, wr_breaker_stat(rig.breakers, 0).good);
    rig_close(&rig);
}

TEST_PANICS(a_second_janitor_is_a_panic, "have a janitor already")
{
    struct rig rig;
    rig_open(&rig, (struct wr_breakers_conf){ 0 });
    CHECK_OK(wr_breakers_run(rig.breakers));
}
