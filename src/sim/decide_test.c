#include "sim/sim_int.h"
#include "testing/test.h"

/* Three fibers and two new tasks that could run, numbered from 10. */
static const struct rt_candidate five[] = {
    { .id = 10, .kind = "a" }, { .id = 11, .kind = "b" }, { .id = 12, .kind = "c" },
    { .id = 13, .kind = "d", .fresh = true }, { .id = 14, .kind = "e", .fresh = true },
};

static size_t task(struct decider *d)
{
    bool preempted;
    return wr_decide_task(d, five, 5, &preempted);
}

/* After a point, not after a wait. */
static size_t task_at_point(struct decider *d, bool *ret_preempted)
{
    d->gave_way = true;
    return wr_decide_task(d, five, 5, ret_preempted);
}

TEST_PLAIN(without_deviations_a_task_goes_on_after_a_point)
{
    struct decider d = { 0 };
    struct wr_sim_conf conf = { .name = "t" };
    bool preempted;
    wr_decide_begin(&d, &conf, 1, &(struct deviations){ 0 });
    size_t first = task(&d);
    for (int i = 0; i < 20; i++) {
        CHECK_EQ(first, task_at_point(&d, &preempted));
        CHECK(!preempted);
    }
    CHECK_EQ(0, d.made.len);
    wr_decide_close(&d);
}

TEST_PLAIN(without_deviations_fibers_and_new_tasks_take_turns)
{
    struct decider d = { 0 };
    struct wr_sim_conf conf = { .name = "t" };
    wr_decide_begin(&d, &conf, 1, &(struct deviations){ 0 });
    for (int i = 0; i < 4; i++) {
        CHECK_EQ(0, task(&d));
        CHECK_EQ(3, task(&d));
    }
    wr_decide_close(&d);
}

TEST_PLAIN(a_replay_decides_as_its_plan_says_and_notes_the_same_deviations)
{
    struct decider d = { 0 };
    struct wr_sim_conf conf = { .name = "t" };
    /* After d has run for the first time, c; after c for the first time, e. */
    struct deviation list[] = { { (uint64_t)13 << 32, 12 }, { (uint64_t)12 << 32, 14 } };
    wr_decide_begin(&d, &conf, 1, &(struct deviations){ .list = list, .len = 2 });
    static const size_t want[] = { 0, 3, 2, 4, 0, 3, 0 };
    for (size_t i = 0; i < 7; i++)
        CHECK_EQ(want[i], task(&d));
    CHECK_EQ(2, d.made.len);
    for (size_t i = 0; i < 2; i++)
        CHECK(d.made.list[i].key == list[i].key && d.made.list[i].value == list[i].value);
    wr_decide_close(&d);
}

TEST_PLAIN(a_planned_task_that_cannot_run_is_passed_over)
{
    struct decider d = { 0 };
    struct wr_sim_conf conf = { .name = "t" };
    struct deviation list[] = { { 0, 77 } };
    wr_decide_begin(&d, &conf, 1, &(struct deviations){ .list = list, .len = 1 });
    CHECK_EQ(0, task(&d));
    CHECK_EQ(0, d.made.len);
    wr_decide_close(&d);
}

/* What a seed made up, replayed from its deviations, is the same. */
static void check_replay(enum wr_sim_scheduler scheduler)
{
    struct decider d = { 0 }, again = { 0 };
    struct wr_sim_conf conf = { .name = "t", .scheduler = scheduler, .depth = 5 };
    size_t chosen[300];
    bool preempted;
    wr_decide_begin(&d, &conf, 99, NULL);
    for (int i = 0; i < 300; i++)
        chosen[i] = i % 3 ? task_at_point(&d, &preempted) : task(&d);
    CHECK(d.made.len > 0);
    wr_decide_begin(&again, &conf, 99, &d.made);
    int same = 0;
    for (int i = 0; i < 300; i++)
        same += chosen[i] == (i % 3 ? task_at_point(&again, &preempted) : task(&again));
    CHECK_EQ(300, same);
    CHECK_EQ(d.made.len, again.made.len);
    wr_decide_close(&d);
    wr_decide_close(&again);
}

TEST_PLAIN(a_random_run_is_replayed_from_its_deviations)
{
    check_replay(WR_SIM_RANDOM);
}

TEST_PLAIN(a_run_by_priorities_is_replayed_from_its_deviations)
{
    check_replay(WR_SIM_PCT);
}

TEST_PLAIN(random_reaches_every_candidate_and_sometimes_preempts)
{
    struct decider d = { 0 };
    struct wr_sim_conf conf = { .name = "t" };
    int waited[5] = { 0 }, preemptions = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        wr_decide_begin(&d, &conf, seed, NULL);
        for (int i = 0; i < 50; i++) {
            bool preempted;
            waited[task(&d)]++;
            (void)task_at_point(&d, &preempted);
            preemptions += preempted;
        }
    }
    for (int i = 0; i < 5; i++)
        CHECK(waited[i] > 2000 / 5 / 2);
    CHECK(preemptions > 100 && preemptions < 1000);
    wr_decide_close(&d);
}

TEST_PLAIN(by_priorities_the_same_task_runs_until_a_change_point)
{
    struct decider d = { 0 };
    struct wr_sim_conf conf = { .name = "t", .scheduler = WR_SIM_PCT, .depth = 4 };
    for (uint64_t seed = 0; seed < 20; seed++) {
        bool preempted;
        wr_decide_begin(&d, &conf, seed, NULL);
        size_t last = task(&d);
        int changes = 0;
        for (int i = 0; i < 20000; i++) {
            size_t now = task_at_point(&d, &preempted);
            changes += now != last;
            last = now;
        }
        CHECK(changes <= 3);
        CHECK(changes >= 1);
    }
    wr_decide_close(&d);
}

TEST_PLAIN(by_priorities_one_that_yields_lets_all_others_run_first)
{
    struct decider d = { 0 };
    struct wr_sim_conf conf = { .name = "t", .scheduler = WR_SIM_PCT, .depth = 1 };
    wr_decide_begin(&d, &conf, 3, NULL);
    unsigned ran = 0;
    for (int i = 0; i < 5; i++)         /* each is still there: it has yielded */
        ran |= 1u << task(&d);
    CHECK_EQ(31, ran);
    wr_decide_close(&d);
}

TEST_PLAIN(faults_come_once_in_so_many_times)
{
    struct decider d = { 0 };
    struct wr_sim_conf conf = { .name = "t" };
    int fired[4] = { 0 };
    wr_decide_begin(&d, &conf, 1, NULL);
    for (int i = 0; i < 30000; i++)
        fired[wr_decide_fault(&d, 3, 10)]++;
    CHECK(fired[0] > 26500 && fired[0] < 27500);
    for (int kind = 1; kind <= 3; kind++)
        CHECK(fired[kind] > 800 && fired[kind] < 1200);
    CHECK_EQ(0, wr_decide_fault(&d, 0, 1));
    wr_decide_close(&d);
}

TEST_PLAIN(a_replay_has_only_the_faults_of_its_plan)
{
    struct decider d = { 0 };
    struct wr_sim_conf conf = { .name = "t" };
    struct deviation list[] = { { (uint64_t)CHOOSE_FAULT << 63 | 7, 2 } };
    wr_decide_begin(&d, &conf, 1, &(struct deviations){ .list = list, .len = 1 });
    for (int i = 0; i < 100; i++)
        CHECK_EQ(i == 7 ? 2 : 0, wr_decide_fault(&d, 2, 1));
    wr_decide_close(&d);
}

TEST_PLAIN(a_task_draws_the_same_numbers_in_every_schedule)
{
    struct decider d = { 0 };
    struct wr_sim_conf conf = { .name = "t" };
    uint64_t drawn[2][2];
    wr_decide_begin(&d, &conf, 8, NULL);
    for (int i = 0; i < 2; i++)
        for (uint64_t id = 0; id < 2; id++)
            drawn[id][i] = wr_decide_draw(&d, 70 + id);
    wr_decide_begin(&d, &conf, 8, NULL);
    for (uint64_t id = 2; id-- > 0;)
        for (int i = 0; i < 2; i++)
            CHECK(wr_decide_draw(&d, 70 + id) == drawn[id][i]);
    CHECK(drawn[0][0] != drawn[0][1] && drawn[0][0] != drawn[1][0]);
    wr_decide_begin(&d, &conf, 9, NULL);
    CHECK(wr_decide_draw(&d, 70) != drawn[0][0]);
    wr_decide_close(&d);
}

TEST_PLAIN(a_seed_picks_some_of_the_faults_and_never_none)
{
    struct decider d = { 0 };
    struct wr_sim_conf conf = { .name = "t",
                                .faults = WR_SIM_SLOW | WR_SIM_LATE | WR_SIM_WALL };
    unsigned either = 0, all = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        wr_decide_begin(&d, &conf, seed, NULL);
        CHECK(d.faults != 0 && (d.faults & ~conf.faults) == 0);
        either |= d.faults;
        all += d.faults == conf.faults;
    }
    CHECK_EQ(conf.faults, either);
    CHECK(all < 60);
    wr_decide_close(&d);
}
