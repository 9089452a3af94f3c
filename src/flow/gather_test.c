#include <weir/gather.h>

#include <weir/scope.h>
#include <weir/task.h>

#include "testing/test.h"

struct finding { int number; bool verified; };

static bool is_verified(const void *answer)
{
    return ((const struct finding *)answer)->verified;
}

static void count_finish(struct wr_gather *gather, void *arg)
{
    (void)gather;
    atomic_fetch_add((_Atomic int *)arg, 1);
}

static struct wr_gather *gather_of(uint32_t sources, _Atomic int *finished)
{
    struct wr_gather *gather = NULL;
    CHECK_OK(wr_gather_new(&gather, &(struct wr_gather_conf){
        .name = "test", .sources = sources, .size = sizeof(struct finding),
        .settles = is_verified, .finish = finished ? count_finish : NULL, .arg = finished }));
    return gather;
}

TEST(the_last_report_ends_it)
{
    _Atomic int finished = 0;
    struct wr_gather *gather = gather_of(3, &finished);
    struct finding finding = { .number = 7 };
    wr_gather_report(gather, 1, WR_OK, &finding);
    wr_gather_report(gather, 0, WR_IO, NULL);
    CHECK_ERR(WR_TIMEOUT, wr_gather_wait(gather, WR_NOW));
    CHECK_EQ(0, finished);
    wr_gather_report(gather, 2, WR_CANCELED, NULL);
    CHECK_OK(wr_gather_wait(gather, WR_NOW));
    CHECK_EQ(1, finished);
    wr_gather_unref(gather);
}

TEST(each_source_has_its_own_result)
{
    struct wr_gather *gather = gather_of(3, NULL);
    struct finding got = { 0 };
    CHECK_ERR(WR_BUSY, wr_gather_result(gather, 0, &got));
    wr_gather_report(gather, 0, WR_OK, &(struct finding){ .number = 10 });
    wr_gather_report(gather, 2, WR_TIMEOUT, NULL);
    CHECK_OK(wr_gather_result(gather, 0, &got));
    CHECK_EQ(10, got.number);
    CHECK_ERR(WR_BUSY, wr_gather_result(gather, 1, &got));
    CHECK_ERR(WR_TIMEOUT, wr_gather_result(gather, 2, NULL));
    wr_gather_unref(gather);
}

TEST(an_answer_that_settles_it_tells_the_others_and_theirs_are_recorded_all_the_same)
{
    struct wr_gather *gather = gather_of(2, NULL);
    struct finding got;
    CHECK(!wr_gather_settled(gather));
    wr_gather_report(gather, 0, WR_OK, &(struct finding){ .number = 1, .verified = true });
    CHECK(wr_gather_settled(gather));
    wr_gather_report(gather, 1, WR_OK, &(struct finding){ .number = 2 });
    CHECK(wr_gather_settled(gather));
    CHECK_OK(wr_gather_result(gather, 1, &got));
    CHECK_EQ(2, got.number);
    wr_gather_unref(gather);
}

TEST(an_answer_that_does_not_settle_it_lets_the_others_go_on)
{
    struct wr_gather *gather = gather_of(2, NULL);
    wr_gather_report(gather, 0, WR_OK, &(struct finding){ .number = 1 });
    CHECK(!wr_gather_settled(gather));
    wr_gather_unref(gather);
}

struct reporter {
    struct wr_gather *gather;
    uint32_t source;
    wr_time when;
};

static wr_err report_later(void *arg)
{
    struct reporter *reporter = arg;
    wr_err err = wr_sleep(reporter->when);
    wr_gather_report(reporter->gather, reporter->source, err, &(struct finding){
        .number = (int)reporter->source });
    wr_gather_unref(reporter->gather);
    return err;
}

TEST(who_gives_up_waiting_leaves_a_place_for_the_reports)
{
    struct wr_gather *gather = gather_of(1, NULL);
    struct wr_scope *scope;
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "sources", .deadline = WR_NEVER }));
    struct reporter reporter = { wr_gather_ref(gather), 0, wr_after(WR_S(10)) };
    CHECK_OK(wr_scope_go(scope, "source", report_later, &reporter));
    CHECK_ERR(WR_TIMEOUT, wr_gather_wait(gather, wr_after(WR_S(1))));
    wr_gather_unref(gather);
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_OK(wr_scope_close(scope));
}

/* Every order of three reports, at different moments and at the same one. */
TEST(it_is_finished_exactly_once_in_every_order_of_three_sources)
{
    static const wr_time whens[][3] = {
        { 1, 2, 3 }, { 1, 3, 2 }, { 2, 1, 3 }, { 2, 3, 1 }, { 3, 1, 2 }, { 3, 2, 1 },
        { 1, 1, 2 }, { 1, 2, 1 }, { 2, 1, 1 }, { 1, 2, 2 }, { 2, 1, 2 }, { 2, 2, 1 },
        { 1, 1, 1 },
    };
    for (size_t i = 0; i < sizeof(whens) / sizeof(whens[0]); i++) {
        _Atomic int finished = 0;
        struct wr_gather *gather = gather_of(3, &finished);
        struct reporter reporters[3];
        struct wr_scope *scope;
        REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){
            .name = "sources", .deadline = WR_NEVER }));
        for (uint32_t k = 0; k < 3; k++) {
            reporters[k] = (struct reporter){ wr_gather_ref(gather), k,
                                              wr_after(WR_MS(whens[i][k])) };
            CHECK_OK(wr_scope_go(scope, "source", report_later, &reporters[k]));
        }
        CHECK_OK(wr_gather_wait(gather, WR_NEVER));
        CHECK_EQ(1, finished);
        for (uint32_t k = 0; k < 3; k++) {
            struct finding got = { 0 };
            CHECK_OK(wr_gather_result(gather, k, &got));
            CHECK_EQ(k, got.number);
        }
        CHECK_OK(wr_scope_join(scope, WR_NEVER));
        CHECK_OK(wr_scope_close(scope));
        wr_gather_unref(gather);
    }
}

TEST_PANICS(a_second_report_of_a_source_is_a_panic, "source 1 has reported before")
{
    struct wr_gather *gather = gather_of(3, NULL);
    wr_gather_report(gather, 1, WR_IO, NULL);
    wr_gather_report(gather, 1, WR_IO, NULL);
}

TEST_PANICS(a_source_that_is_not_there_cannot_report, "has no source 3, only 3")
{
    struct wr_gather *gather = gather_of(3, NULL);
    wr_gather_report(gather, 3, WR_IO, NULL);
}
