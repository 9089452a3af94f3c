/* stance_test.c - whether a text speaks for a statement or against it. */
#include "extract/stance.h"

#include <string.h>

#include "testing/test.h"

static struct extract_stance stance(const char *premise, const char *hypothesis)
{
    return extract_stance(premise, strlen(premise), hypothesis);
}

static void is(const char *premise, const char *hypothesis, enum extract_relation relation)
{
    struct extract_stance it = stance(premise, hypothesis);
    CHECK_STR(extract_stance_name(relation), extract_stance_name(it.relation));
    CHECK(it.confidence <= EXTRACT_STANCE_SURE);
}

TEST_PLAIN(the_same_in_other_words_of_the_same_sort_supports)
{
    is("Coffee increases blood pressure.", "Coffee increases blood pressure.",
       EXTRACT_SUPPORTS);
    is("A study found that drinking coffee increased the blood pressure of adults.",
       "Coffee increases blood pressure.", EXTRACT_SUPPORTS);
}

TEST_PLAIN(not_on_one_side_refutes_and_on_both_supports)
{
    is("Coffee does not increase blood pressure.", "Coffee increases blood pressure.",
       EXTRACT_REFUTES);
    is("Coffee increases blood pressure.", "Coffee doesn't increase blood pressure.",
       EXTRACT_REFUTES);
    is("Coffee never increases blood pressure.", "Coffee does not increase blood pressure.",
       EXTRACT_SUPPORTS);
}

TEST_PLAIN(an_opposite_refutes_and_a_denied_one_supports)
{
    is("Coffee decreases blood pressure.", "Coffee increases blood pressure.",
       EXTRACT_REFUTES);
    is("The vaccine is unsafe for children.", "The vaccine is safe for children.",
       EXTRACT_REFUTES);
    is("Coffee does not decrease blood pressure.", "Coffee increases blood pressure.",
       EXTRACT_SUPPORTS);
}

TEST_PLAIN(another_number_refutes_and_the_same_supports)
{
    is("The bridge was built in 1887 of stone.", "The bridge was built in 1901 of stone.",
       EXTRACT_REFUTES);
    is("The bridge was built in 1901 of grey stone.", "The bridge was built in 1901 of stone.",
       EXTRACT_SUPPORTS);
}

TEST_PLAIN(two_conflicts_at_once_say_nothing)
{
    is("The bridge was not built in 1887 of stone.", "The bridge was built in 1901 of stone.",
       EXTRACT_NEUTRAL);
}

TEST_PLAIN(something_else_is_neutral)
{
    is("The mayor opened a school for children.", "Coffee increases blood pressure.",
       EXTRACT_NEUTRAL);
    is("", "Coffee increases blood pressure.", EXTRACT_NEUTRAL);
    is("Coffee increases blood pressure.", "", EXTRACT_NEUTRAL);
}

TEST_PLAIN(the_nearest_sentence_of_a_text_decides)
{
    is("The coffee was not cold. The mayor did not come. Coffee increases blood pressure.",
       "Coffee increases blood pressure.", EXTRACT_SUPPORTS);
}

TEST_PLAIN(other_languages_deny_too)
{
    is("Кофе не повышает давление крови.", "Кофе повышает давление крови.", EXTRACT_REFUTES);
    is("咖啡不会增加血压。", "咖啡会增加血压。", EXTRACT_REFUTES);
    is("咖啡会增加血压。", "咖啡会增加血压。", EXTRACT_SUPPORTS);
}

TEST_PLAIN(confidence_grows_with_what_is_shared_and_is_the_same_both_ways)
{
    struct extract_stance all = stance("Coffee increases blood pressure.",
                                       "Coffee increases blood pressure.");
    struct extract_stance some = stance("Tea increases blood pressure.",
                                        "Coffee increases blood pressure.");
    struct extract_stance against = stance("Tea does not increase blood pressure.",
                                           "Coffee increases blood pressure.");
    CHECK_EQ(EXTRACT_STANCE_SURE, all.confidence);
    CHECK_EQ(675, some.confidence);
    CHECK_EQ(EXTRACT_REFUTES, against.relation);
    CHECK_EQ(some.confidence, against.confidence);
    CHECK_EQ(EXTRACT_STANCE_SURE, stance("School.", "Coffee increases pressure.").confidence);
}

TEST_PLAIN(every_relation_has_a_name)
{
    CHECK_STR("supports", extract_stance_name(EXTRACT_SUPPORTS));
    CHECK_STR("refutes", extract_stance_name(EXTRACT_REFUTES));
    CHECK_STR("neutral", extract_stance_name(EXTRACT_NEUTRAL));
}
