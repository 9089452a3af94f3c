/* verdict_test.c - the words that people build on, literally. */
#include "biblio/verdict.h"
#include "testing/test.h"

TEST_PLAIN(verdict_has_the_words_of_the_contract)
{
    CHECK_STR("verified", bib_outcome_word(BIB_VERIFIED));
    CHECK_STR("mismatch", bib_outcome_word(BIB_MISMATCH));
    CHECK_STR("not_found", bib_outcome_word(BIB_NOT_FOUND));
    CHECK_STR("inconclusive", bib_outcome_word(BIB_INCONCLUSIVE));
    CHECK_STR("skipped", bib_outcome_word(BIB_SKIPPED));
    CHECK_STR("title", bib_field_word(BIB_FIELD_TITLE));
    CHECK_STR("arxiv_id", bib_field_word(BIB_FIELD_ARXIV_ID));
    CHECK_EQ(6, BIB_FIELD_COUNT);
    CHECK_STR("retracted", bib_flag_word(BIB_FLAG_RETRACTED));
    CHECK_STR("foreign_identifier", bib_flag_word(BIB_FLAG_FOREIGN_IDENTIFIER));
    CHECK_STR("truncated", bib_flag_word(BIB_FLAG_TRUNCATED));
    CHECK_EQ(8, BIB_FLAG_COUNT);
}

TEST_PLAIN(verdict_detects_what_somebody_should_look_at)
{
    struct bib_verdict verdict = { .outcome = BIB_VERIFIED };
    CHECK(!bib_verdict_detects(&verdict));
    verdict.flags = BIB_FLAG(DUPLICATE) | BIB_FLAG(PREPRINT_OF_PUBLISHED) | BIB_FLAG(TRUNCATED)
        | BIB_FLAG(AUTHORS_UNJUDGED) | BIB_FLAG(RETRACTED);
    CHECK(!bib_verdict_detects(&verdict));
    verdict.flags = BIB_FLAG(FUTURE_DATE);
    CHECK(bib_verdict_detects(&verdict));
    verdict.flags = BIB_FLAG(PLACEHOLDER_AUTHORS);
    CHECK(bib_verdict_detects(&verdict));
    verdict.flags = BIB_FLAG(FOREIGN_IDENTIFIER);
    CHECK(bib_verdict_detects(&verdict));
    verdict.flags = 0;
    verdict.outcome = BIB_INCONCLUSIVE;
    CHECK(!bib_verdict_detects(&verdict));
    verdict.outcome = BIB_NOT_FOUND;
    CHECK(bib_verdict_detects(&verdict));
    verdict.outcome = BIB_MISMATCH;
    CHECK(bib_verdict_detects(&verdict));
}
