/* choice_test.c - what is said of a reference. */
#include <string.h>

#include "biblio/author.h"
#include "biblio/judge.h"
#include "testing/test.h"

#define TITLE "Parsing Danish with deep structured models"
#define AUTHORS "Ada Lovelace and Charles Babbage"
#define YEAR_NOW 2026

static struct wr_arena arena = WR_ARENA(1 << 20);
static struct bib_reference reference;
static struct bib_record records[4];
static struct bib_verdict verdict;

static struct bib_work work(const char *title, const char *authors, int year, const char *venue)
{
    struct bib_work ret = { .title = title, .year = year, .venue = venue };
    bib_author_list(&ret, authors, &arena);
    return ret;
}

static void start(void)
{
    wr_arena_free(&arena);
    reference = (struct bib_reference){ .work = work(TITLE, AUTHORS, 2019, "ICML") };
    memset(records, 0, sizeof(records));
    for (size_t i = 0; i < 4; i++) {
        static const char *const ids[] = { "a", "b", "c", "d" };
        records[i] = (struct bib_record){ .work = reference.work, .source = "test",
                                          .id = ids[i] };
    }
}

static enum bib_outcome decide(size_t count)
{
    CHECK_OK(bib_decide(&reference, records, count, YEAR_NOW, &verdict, &arena));
    return verdict.outcome;
}

static bool flagged(enum bib_flag flag)
{
    return verdict.flags >> flag & 1;
}

TEST_PLAIN(a_work_cited_rightly_is_verified)
{
    start();
    CHECK_EQ(BIB_VERIFIED, decide(1));
    CHECK_EQ(0, verdict.mismatch_count);
    CHECK_EQ(1, verdict.evidence_count);
    CHECK(verdict.evidence[0] == &records[0]);
    CHECK_EQ(1000, verdict.similarity);
    CHECK_EQ(0, verdict.flags);
}

TEST_PLAIN(every_mistake_is_shown_with_both_sides)
{
    start();
    reference.work.year = 2012;
    reference.work.venue = "Nature";
    reference.work.author_count = 1;
    CHECK_EQ(BIB_MISMATCH, decide(1));
    REQUIRE(verdict.mismatch_count == 3);
    CHECK_EQ(BIB_FIELD_AUTHORS, verdict.mismatches[0].field);
    CHECK_STR("Ada Lovelace", verdict.mismatches[0].cited);
    CHECK_STR("Ada Lovelace, Charles Babbage", verdict.mismatches[0].found);
    CHECK_STR("2012", verdict.mismatches[1].cited);
    CHECK_STR("2019", verdict.mismatches[1].found);
    CHECK_STR("Nature", verdict.mismatches[2].cited);
}

TEST_PLAIN(a_work_nobody_has_is_not_found_and_firm_if_there_was_a_title)
{
    start();
    CHECK_EQ(BIB_NOT_FOUND, decide(0));
    CHECK(verdict.firm);
    records[0].work.title = "Growing tulips in cold climates";
    CHECK_EQ(BIB_NOT_FOUND, decide(1));
    CHECK_EQ(0, verdict.evidence_count);
    reference.work.title = "Zcash";
    CHECK_EQ(BIB_NOT_FOUND, decide(1));
    CHECK(!verdict.firm);
}

TEST_PLAIN(a_match_after_a_mismatch_is_verified)
{
    start();
    records[0].work = work(TITLE, "Xavier Costa", 2001, "Nature");
    CHECK_EQ(BIB_MISMATCH, decide(1));
    CHECK_EQ(BIB_VERIFIED, decide(2));
    CHECK(verdict.evidence[0] == &records[1]);
}

/* Defect 15 of the original: such records would let any year pass. */
TEST_PLAIN(a_record_without_a_year_is_no_proof_of_one)
{
    start();
    reference.work.year = 2012;
    records[0].work.year = 0;
    CHECK_EQ(BIB_MISMATCH, decide(2));
    REQUIRE(verdict.mismatch_count == 1);
    CHECK_EQ(BIB_FIELD_YEAR, verdict.mismatches[0].field);
    CHECK(verdict.evidence[0] == &records[1]);
    records[1].work.year = 0;
    CHECK_EQ(BIB_VERIFIED, decide(2));              /* nobody says that it is wrong */
}

TEST_PLAIN(a_page_with_the_title_is_no_proof_of_the_authors)
{
    start();
    records[0].work = work(TITLE, "Xavier Costa", 2019, NULL);
    records[1].work = (struct bib_work){ .title = TITLE, .kind = BIB_WEB };
    CHECK_EQ(BIB_MISMATCH, decide(2));
    CHECK_EQ(BIB_FIELD_AUTHORS, verdict.mismatches[0].field);
}

/* Defect 3 of the original: who checks a whole list was not always heard. */
TEST_PLAIN(a_list_that_may_lack_authors_is_no_proof_of_one_that_a_whole_list_lacks)
{
    start();
    reference.work = work(TITLE, AUTHORS " and Otto Phantom", 2019, "ICML");
    records[0].authors_partial = true;
    CHECK_EQ(BIB_VERIFIED, decide(1));
    CHECK_EQ(BIB_MISMATCH, decide(2));
    CHECK_EQ(BIB_FIELD_AUTHORS, verdict.mismatches[0].field);
    records[2].work = reference.work;
    CHECK_EQ(BIB_VERIFIED, decide(3));              /* somebody knows of him */
}

TEST_PLAIN(another_version_of_a_work_does_not_speak_for_the_one_that_is_cited)
{
    start();
    records[0].work.year = 2023;
    records[0].work.venue = "Nature";
    records[1].work.venue = NULL;
    CHECK_EQ(BIB_VERIFIED, decide(2));
    CHECK(verdict.evidence[0] == &records[1]);
}

TEST_PLAIN(the_order_of_candidates_makes_no_difference)
{
    start();
    records[0].work.year = 2018;
    records[1].work.venue = "CVPR";
    records[2].work = work("Growing tulips", "Xavier Costa", 2019, NULL);
    records[3].work.doi = "10.1109/2";
    const char *first = NULL;
    for (size_t turn = 0; turn < 4; turn++) {
        struct bib_record last = records[3];
        memmove(&records[1], &records[0], 3 * sizeof(records[0]));
        records[0] = last;
        CHECK_EQ(BIB_VERIFIED, decide(4));
        CHECK_STR(first ? first : verdict.evidence[0]->id, verdict.evidence[0]->id);
        first = verdict.evidence[0]->id;
        CHECK_EQ(3, verdict.evidence_count);
    }
    CHECK_STR("d", first);
}

TEST_PLAIN(a_doi_that_belongs_to_another_work_is_foreign)
{
    start();
    reference.work.doi = records[1].work.doi = "10.1109/2";
    records[1].work.title = "Growing tulips in cold climates";
    bib_author_list(&records[1].work, "Xavier Costa", &arena);
    CHECK_EQ(BIB_MISMATCH, decide(2));
    CHECK(flagged(BIB_FLAG_FOREIGN_IDENTIFIER));
    REQUIRE(verdict.mismatch_count == 1);
    CHECK_EQ(BIB_FIELD_DOI, verdict.mismatches[0].field);
    CHECK_STR("Growing tulips in cold climates", verdict.mismatches[0].found);
    records[0].work.title = "Something else entirely here";
    CHECK_EQ(BIB_NOT_FOUND, decide(2));
    CHECK(flagged(BIB_FLAG_FOREIGN_IDENTIFIER));
    CHECK(bib_verdict_detects(&verdict));
}

TEST_PLAIN(a_real_doi_with_an_invented_title_by_its_authors_is_a_mismatch)
{
    start();
    reference.work.doi = records[0].work.doi = "10.1109/2";
    reference.work.title = "Growing tulips in cold climates";
    CHECK_EQ(BIB_MISMATCH, decide(1));
    CHECK_EQ(BIB_FIELD_TITLE, verdict.mismatches[0].field);
}

TEST_PLAIN(the_future_and_placeholders_are_flagged)
{
    start();
    reference.work.year = YEAR_NOW + 2;
    bib_author_list(&reference.work, "John Doe", &arena);
    decide(1);
    CHECK(flagged(BIB_FLAG_FUTURE_DATE));
    CHECK(flagged(BIB_FLAG_PLACEHOLDER_AUTHORS));
    reference.work.year = YEAR_NOW + 1;
    decide(1);
    CHECK(!flagged(BIB_FLAG_FUTURE_DATE));
}

TEST_PLAIN(anonymous_authors_leave_the_title_to_verify)
{
    start();
    bib_author_list(&reference.work, "Anonymous", &arena);
    CHECK_EQ(BIB_VERIFIED, decide(1));
    CHECK(flagged(BIB_FLAG_PLACEHOLDER_AUTHORS));
}

TEST_PLAIN(a_retraction_known_to_any_record_is_flagged)
{
    start();
    records[1].retraction = "10.1000/notice";
    CHECK_EQ(BIB_VERIFIED, decide(2));
    CHECK(flagged(BIB_FLAG_RETRACTED));
    CHECK_EQ(BIB_VERIFIED, decide(1));
    CHECK(!flagged(BIB_FLAG_RETRACTED));
}

TEST_PLAIN(a_preprint_of_a_published_paper_is_verified_and_flagged)
{
    start();
    reference.work.venue = "arXiv preprint arXiv:1801.00001";
    reference.work.year = 2018;
    CHECK_EQ(BIB_VERIFIED, decide(1));
    CHECK(flagged(BIB_FLAG_PREPRINT_OF_PUBLISHED));
}

TEST_PLAIN(a_truncated_reference_may_lack_authors)
{
    start();
    reference.truncated = true;
    reference.work.author_count = 1;
    CHECK_EQ(BIB_VERIFIED, decide(1));
    CHECK(flagged(BIB_FLAG_TRUNCATED));
}

TEST_PLAIN(authors_that_nobody_names_are_flagged)
{
    start();
    records[0].work.author_count = 0;
    CHECK_EQ(BIB_VERIFIED, decide(1));
    CHECK(flagged(BIB_FLAG_AUTHORS_UNJUDGED));
}

TEST_PLAIN(an_impossible_number_of_arxiv_is_a_mismatch)
{
    start();
    reference.work.arxiv_id = "1913.00001";
    CHECK_EQ(BIB_MISMATCH, decide(1));
    CHECK_EQ(BIB_FIELD_ARXIV_ID, verdict.mismatches[0].field);
}

TEST_PLAIN(a_full_arena_is_said)
{
    start();
    struct wr_arena none = WR_ARENA(8);
    CHECK_ERR(WR_NOMEM, bib_decide(&reference, records, 1, YEAR_NOW, &verdict, &none));
    CHECK_EQ(BIB_NOT_FOUND, verdict.outcome);
}
