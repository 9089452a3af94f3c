/* rule_test.c - every rule is there, under the name that people filter by. */
#include <string.h>

#include "svc/check/rule.h"
#include "testing/test.h"

TEST_PLAIN(rule_is_written_for_everything_a_verdict_can_say)
{
    for (size_t i = 0; i < CHECK_RULE_COUNT; i++) {
        const struct check_rule *rule = &check_rules[i];
        REQUIRE(rule->id && rule->name && rule->what && rule->help);
        CHECK(rule->what[strlen(rule->what) - 1] == '.');
        CHECK(rule->help[strlen(rule->help) - 1] == '.');
        for (size_t j = 0; j < i; j++)
            CHECK(strcmp(check_rules[j].id, rule->id) != 0);
    }
}

TEST_PLAIN(rule_is_called_by_the_word_of_the_contract)
{
    for (unsigned i = 0; i < BIB_OUTCOME_COUNT; i++)
        CHECK_STR(bib_outcome_word((enum bib_outcome)i),
                  check_outcome_rule((enum bib_outcome)i)->id);
    for (unsigned i = 0; i < BIB_FLAG_COUNT; i++)
        CHECK_STR(bib_flag_word((enum bib_flag)i), check_flag_rule((enum bib_flag)i)->id);
    for (unsigned i = 0; i < BIB_FIELD_COUNT; i++) {
        const char *id = check_field_rule((enum bib_field)i)->id;
        REQUIRE(strncmp(id, "mismatch/", 9) == 0);
        CHECK_STR(bib_field_word((enum bib_field)i), id + 9);
    }
}

/* Every outcome with every set of flags. */
TEST_PLAIN(rule_weighs_a_warning_exactly_where_somebody_should_look)
{
    for (unsigned outcome = 0; outcome < BIB_OUTCOME_COUNT; outcome++) {
        for (uint32_t flags = 0; flags < 1u << BIB_FLAG_COUNT; flags++) {
            struct bib_verdict verdict = { .outcome = (enum bib_outcome)outcome,
                                           .flags = flags };
            bool want = bib_verdict_detects(&verdict) || flags & BIB_FLAG(RETRACTED);
            CHECK_EQ(want, check_level(&verdict) >= CHECK_WARNING);
        }
    }
}

TEST_PLAIN(rule_weighs_wrong_authors_more_than_a_wrong_year)
{
    struct bib_mismatch mismatch = { .field = BIB_FIELD_YEAR };
    struct bib_verdict verdict = { .outcome = BIB_MISMATCH, .mismatches = &mismatch,
                                   .mismatch_count = 1 };
    CHECK_EQ(CHECK_WARNING, check_level(&verdict));
    mismatch.field = BIB_FIELD_AUTHORS;
    CHECK_EQ(CHECK_ERROR, check_level(&verdict));
}

TEST_PLAIN(rule_takes_what_is_undecided_for_a_note)
{
    CHECK_EQ(CHECK_NOTE, check_level(&(struct bib_verdict){ .outcome = BIB_INCONCLUSIVE }));
    CHECK_EQ(CHECK_FINE, check_level(&(struct bib_verdict){ .outcome = BIB_SKIPPED }));
}
