/* intake_test.c - the documents that were handed in: those that wait, and the reports. */
#include "svc/check/intake.h"

#include <weir/task.h>

#include "testing/store_rig.h"

static struct check_panel none;         /* nothing is looked for: the tests end them early */

static struct dossier *hand_in(struct intake *intake, size_t len, wr_err want)
{
    static char text[1001];
    snprintf(text, sizeof(text), "%-1000s", "@article{a, title={Some title of a work}}");
    struct wr_body body = { .at = text, .len = len };
    struct dossier *dossier = NULL;
    CHECK_EQ(want, intake_take(intake, &(struct dossier_conf){ .name = "a.bib",
                                                               .body = &body }, &dossier));
    return dossier;
}

/* The next one that waits, worked on and ended; the caller has it. */
static void work_one(struct intake *intake)
{
    struct dossier *dossier;
    REQUIRE_OK(wr_chan_recv(intake_waiting(intake), &dossier, WR_NOW));
    dossier_stop(dossier);
    dossier_work(dossier, &none, wr_after(WR_S(60)));
    CHECK_EQ(DOSSIER_DONE, dossier_view(dossier).state);
    intake_ended(intake, dossier, wr_after(WR_S(1)));
    dossier_unref(dossier);
}

static bool is_there(struct intake *intake, const char *id)
{
    struct dossier *dossier = NULL;
    wr_err err = intake_find(intake, id, &dossier, wr_after(WR_S(1)));
    CHECK(err == WR_OK || err == WR_NOTFOUND);
    dossier_unref(dossier);
    return !err;
}

TEST(one_too_many_waits_is_busy_until_one_was_taken)
{
    struct intake *intake;
    REQUIRE_OK(intake_new(&intake, &(struct intake_conf){ .waiting_max = 2 }));
    dossier_unref(hand_in(intake, 50, WR_OK));
    dossier_unref(hand_in(intake, 50, WR_OK));
    CHECK(!hand_in(intake, 50, WR_BUSY));
    work_one(intake);
    dossier_unref(hand_in(intake, 50, WR_OK));
    intake_free(intake);
}

TEST(too_many_bytes_are_busy_until_some_have_ended)
{
    struct intake *intake;
    REQUIRE_OK(intake_new(&intake, &(struct intake_conf){ .waiting_bytes_max = 1000 }));
    dossier_unref(hand_in(intake, 600, WR_OK));
    CHECK(!hand_in(intake, 401, WR_BUSY));
    dossier_unref(hand_in(intake, 400, WR_OK));
    work_one(intake);
    dossier_unref(hand_in(intake, 600, WR_OK));
    intake_free(intake);
}

TEST(the_oldest_report_goes_for_a_new_document_and_what_waits_stays)
{
    struct intake *intake;
    REQUIRE_OK(intake_new(&intake, &(struct intake_conf){ .kept_max = 2 }));
    struct dossier *first = hand_in(intake, 50, WR_OK), *second = hand_in(intake, 50, WR_OK);
    CHECK(!hand_in(intake, 50, WR_BUSY));           /* nothing has ended */
    work_one(intake);
    struct dossier *third = hand_in(intake, 50, WR_OK);
    CHECK(!is_there(intake, dossier_id(first)));
    CHECK(is_there(intake, dossier_id(second)));
    CHECK(is_there(intake, dossier_id(third)));
    dossier_unref(first);
    dossier_unref(second);
    dossier_unref(third);
    intake_free(intake);
}

TEST(reports_that_are_more_than_their_bytes_go_the_oldest_first)
{
    struct intake *intake;
    REQUIRE_OK(intake_new(&intake, &(struct intake_conf){ 0 }));
    struct dossier *first = hand_in(intake, 50, WR_OK), *second = hand_in(intake, 50, WR_OK);
    work_one(intake);
    work_one(intake);
    size_t bytes = dossier_view(first).bytes;
    intake_tune(intake, &(struct intake_conf){ .bytes_max = bytes + bytes / 2 });
    CHECK(!is_there(intake, dossier_id(first)));
    CHECK(is_there(intake, dossier_id(second)));
    dossier_unref(first);
    dossier_unref(second);
    intake_free(intake);
}

TEST(a_report_is_kept_for_its_time_and_no_longer)
{
    struct intake *intake;
    REQUIRE_OK(intake_new(&intake, &(struct intake_conf){ .ttl = WR_S(100) }));
    struct dossier *dossier = hand_in(intake, 50, WR_OK);
    CHECK_OK(wr_sleep(wr_after(WR_S(500))));        /* while it waits it stays */
    work_one(intake);
    CHECK_OK(wr_sleep(wr_after(WR_S(99))));
    CHECK(is_there(intake, dossier_id(dossier)));
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    CHECK(!is_there(intake, dossier_id(dossier)));
    dossier_unref(dossier);
    intake_free(intake);
}

TEST(what_is_withdrawn_is_gone_and_not_worked_on)
{
    struct intake *intake;
    struct dossier *waiting;
    REQUIRE_OK(intake_new(&intake, &(struct intake_conf){ .waiting_bytes_max = 100 }));
    struct dossier *dossier = hand_in(intake, 100, WR_OK);
    CHECK_OK(intake_drop(intake, dossier_id(dossier), wr_after(WR_S(1))));
    CHECK(!is_there(intake, dossier_id(dossier)));
    CHECK_ERR(WR_NOTFOUND, intake_drop(intake, dossier_id(dossier), wr_after(WR_S(1))));
    CHECK_EQ(DOSSIER_FAILED, dossier_view(dossier).state);
    REQUIRE_OK(wr_chan_recv(intake_waiting(intake), &waiting, WR_NOW));
    dossier_work(waiting, &none, wr_after(WR_S(60)));
    intake_ended(intake, waiting, wr_after(WR_S(1)));
    CHECK_EQ(DOSSIER_FAILED, dossier_view(waiting).state);
    dossier_unref(waiting);
    dossier_unref(hand_in(intake, 100, WR_OK));      /* its bytes are free again */
    dossier_unref(dossier);
    intake_free(intake);
}

STORE_TEST(a_report_in_the_store_outlives_the_process_until_its_time_is_over)
{
    struct intake *intake, *next;
    struct dossier *found;
    const struct intake_conf conf = { .ttl = WR_S(100), .store = store };
    REQUIRE_OK(intake_new(&intake, &conf));
    struct dossier *dossier = hand_in(intake, 50, WR_OK);
    struct dossier *other = hand_in(intake, 50, WR_OK);
    work_one(intake);
    work_one(intake);
    intake_free(intake);
    REQUIRE_OK(intake_new(&next, &conf));
    REQUIRE_OK(intake_find(next, dossier_id(dossier), &found, wr_after(WR_S(5))));
    CHECK_STR(dossier_form(dossier, 0)->at, dossier_form(found, 0)->at);
    dossier_unref(found);
    CHECK_OK(intake_drop(next, dossier_id(other), wr_after(WR_S(5))));
    CHECK(!is_there(next, dossier_id(other)));
    if (!rig_server) {                      /* whose clock is not that of this process */
        pass(WR_S(101));
        CHECK(!is_there(next, dossier_id(dossier)));
    }
    dossier_unref(dossier);
    dossier_unref(other);
    intake_free(next);
}
