#include <weir/ask.h>

#include "testing/ask_rig.h"
#include "testing/test.h"

TEST(a_call_leaves_its_answer_in_the_ask)
{
    struct outsider outsider = { .text = "forty-two" };
    struct wr_ask ask = { 0 };
    CHECK_OK(wr_way_ask(OUTSIDER(&outsider), &ask, wr_after(WR_S(1))));
    CHECK_STR("forty-two", ask_text(&ask));
    CHECK_EQ(1, ask.tries);
    wr_ask_done(&ask);
    CHECK(ask.answer == NULL);
}

TEST(an_answer_from_before_is_let_go_when_the_ask_is_asked_again)
{
    struct outsider outsider = { .script = { WR_OK, WR_IO } };
    struct wr_ask ask = { 0 };
    CHECK_OK(wr_way_ask(OUTSIDER(&outsider), &ask, wr_after(WR_S(1))));
    CHECK_ERR(WR_IO, wr_way_ask(OUTSIDER(&outsider), &ask, wr_after(WR_S(1))));
    CHECK(ask.answer == NULL);
    CHECK_EQ(2, ask.tries);
}

static wr_err answer_and_fail(const struct wr_way *way, struct wr_ask *ask, wr_time deadline)
{
    (void)way;
    (void)deadline;
    wr_err err = wr_bytes_copy(&ask->answer, "half", 4);
    return err ? err : WR_IO;
}

TEST(with_an_error_there_is_no_answer)
{
    struct wr_ask ask = { 0 };
    CHECK_ERR(WR_IO, wr_way_ask(WR_WAY(answer_and_fail, NULL), &ask, WR_NEVER));
    CHECK(ask.answer == NULL);
}

TEST_PLAIN(an_error_of_the_way_is_bad_an_answer_is_good_and_a_refusal_says_nothing)
{
    CHECK_EQ(WR_VERDICT_GOOD, wr_ask_verdict(WR_OK));
    CHECK_EQ(WR_VERDICT_GOOD, wr_ask_verdict(WR_NOTFOUND));
    CHECK_EQ(WR_VERDICT_GOOD, wr_ask_verdict(WR_INVALID));
    CHECK_EQ(WR_VERDICT_BAD, wr_ask_verdict(WR_TIMEOUT));
    CHECK_EQ(WR_VERDICT_BAD, wr_ask_verdict(WR_IO));
    CHECK_EQ(WR_VERDICT_BAD, wr_ask_verdict(WR_SHED));
    CHECK_EQ(WR_VERDICT_NONE, wr_ask_verdict(WR_CANCELED));
    CHECK_EQ(WR_VERDICT_NONE, wr_ask_verdict(WR_BUSY));
    CHECK_EQ(WR_VERDICT_NONE, wr_ask_verdict(WR_OPENCIRCUIT));
}
