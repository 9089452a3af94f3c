/* judgement_test.c - what follows from what is known about one reference. */
#include <string.h>

#include "library/sample.h"
#include "source/answer.h"
#include "svc/check/judgement.h"
#include "testing/library_rig.h"
#include "testing/test.h"

static const struct bib_name lovelace = { "Lovelace", "Ada" };
static const struct bib_reference notes = {
    .work = { .title = "Notes on the Analytical Engine", .authors = &lovelace,
              .author_count = 1, .year = 1843 }, .number = 1 };

static struct wr_bytes *packed(const char *source, int year)
{
    struct bib_record record = { .work = notes.work, .source = source, .id = "10.1000/notes" };
    struct wr_bytes *bytes = NULL;
    record.work.year = year;
    CHECK_OK(answer_pack(&bytes, &record, 1));
    return bytes;
}

static enum bib_outcome outcome_of(struct judgement *judgement)
{
    judgement_decide(judgement, 2026);
    return judgement->finding.verdict.outcome;
}

TEST_PLAIN(a_work_is_not_found_when_all_have_answered)
{
    struct judgement judgement;
    judgement_begin(&judgement, &notes);
    judgement_hear(&judgement, &(struct judgement_answer){ .source = "DBLP", .search = true,
                                                           .err = WR_NOTFOUND });
    CHECK_EQ(BIB_NOT_FOUND, outcome_of(&judgement));
    CHECK_EQ(1, judgement.finding.asked_count);
    judgement_free(&judgement);
}

/* Defect 5 of the original: a timeout is no "does not exist". */
TEST_PLAIN(a_source_that_could_not_be_asked_makes_it_inconclusive)
{
    struct judgement judgement;
    judgement_begin(&judgement, &notes);
    judgement_hear(&judgement, &(struct judgement_answer){ .source = "DBLP", .search = true,
                                                           .err = WR_NOTFOUND });
    judgement_hear(&judgement, &(struct judgement_answer){ .source = "arXiv", .search = true,
                                                           .err = WR_TIMEOUT });
    CHECK_EQ(BIB_INCONCLUSIVE, outcome_of(&judgement));
    CHECK_STR("could not be asked: arXiv (it did not answer in time)",
              judgement.finding.reason);
    judgement_free(&judgement);
}

/* Defect 5 again: where it leads may well be the work. */
TEST_PLAIN(an_identifier_that_could_not_be_followed_makes_it_inconclusive)
{
    struct judgement judgement;
    judgement_begin(&judgement, &notes);
    judgement_hear(&judgement, &(struct judgement_answer){ .source = "DBLP", .search = true,
                                                           .err = WR_NOTFOUND });
    judgement_hear(&judgement, &(struct judgement_answer){ .source = "DOI",
                                                           .err = WR_TIMEOUT });
    CHECK_EQ(BIB_INCONCLUSIVE, outcome_of(&judgement));
    judgement_free(&judgement);
}

TEST_PLAIN(who_was_not_asked_though_nobody_has_it_has_not_said_that_it_is_not_there)
{
    struct judgement judgement;
    judgement_begin(&judgement, &notes);
    judgement_hear(&judgement, &(struct judgement_answer){ .source = "DBLP", .search = true,
                                                           .err = WR_NOTFOUND });
    judgement_hear(&judgement, &(struct judgement_answer){ .source = "arXiv", .search = true,
                                                           .err = WR_CANCELED });
    CHECK_EQ(BIB_INCONCLUSIVE, outcome_of(&judgement));
    CHECK_STR("could not be asked: arXiv (the check was ended before)",
              judgement.finding.reason);
    judgement_free(&judgement);
}

TEST_PLAIN(a_source_that_did_not_answer_twice_is_named_once)
{
    struct judgement judgement;
    judgement_begin(&judgement, &notes);
    for (int i = 0; i < 2; i++)
        judgement_hear(&judgement, &(struct judgement_answer){
            .source = "CrossRef", .search = true, .err = WR_BUSY });
    CHECK_EQ(BIB_INCONCLUSIVE, outcome_of(&judgement));
    CHECK_STR("could not be asked: CrossRef (it said that it was asked too often)",
              judgement.finding.reason);
    judgement_free(&judgement);
}

TEST_PLAIN(a_source_that_has_it_is_enough)
{
    struct judgement judgement;
    struct wr_bytes *bytes = packed("CrossRef", 1843);
    judgement_begin(&judgement, &notes);
    judgement_hear(&judgement, &(struct judgement_answer){ .source = "arXiv", .search = true,
                                                           .err = WR_TIMEOUT });
    judgement_hear(&judgement, &(struct judgement_answer){ .source = "CrossRef", .search = true,
                                                           .records = bytes });
    CHECK_EQ(BIB_VERIFIED, outcome_of(&judgement));
    CHECK_STR("CrossRef", judgement.finding.evidence[0].source);
    judgement_free(&judgement);
    wr_bytes_unref(bytes);
}

TEST_PLAIN(the_order_of_answers_makes_no_difference)
{
    struct wr_bytes *right = packed("CrossRef", 1843), *wrong = packed("DBLP", 1844);
    for (int turn = 0; turn < 2; turn++) {
        struct judgement judgement;
        judgement_begin(&judgement, &notes);
        for (int i = 0; i < 2; i++)
            judgement_hear(&judgement, &(struct judgement_answer){
                .source = i == turn ? "CrossRef" : "DBLP", .search = true,
                .records = i == turn ? right : wrong });
        CHECK_EQ(BIB_VERIFIED, outcome_of(&judgement));
        CHECK_STR("CrossRef", judgement.finding.evidence[0].source);
        judgement_free(&judgement);
    }
    wr_bytes_unref(right);
    wr_bytes_unref(wrong);
}

TEST_PLAIN(bytes_that_are_no_answer_are_a_failure)
{
    struct judgement judgement;
    struct wr_bytes *bytes;
    REQUIRE_OK(wr_bytes_copy(&bytes, "rubbish", 7));
    judgement_begin(&judgement, &notes);
    judgement_hear(&judgement, &(struct judgement_answer){ .source = "CrossRef", .search = true,
                                                           .records = bytes });
    CHECK_EQ(BIB_INCONCLUSIVE, outcome_of(&judgement));
    CHECK_EQ(CHECK_FAILED, judgement.finding.asked[0].answer);
    judgement_free(&judgement);
    wr_bytes_unref(bytes);
}

TEST_PLAIN(the_sample_alone_proves_nothing)
{
    struct judgement judgement;
    struct library *sample;
    struct library_why why;
    REQUIRE_OK(library_open_sample(&sample, &why));
    judgement_begin(&judgement, &notes);
    judgement_look(&judgement, sample);
    CHECK_EQ(BIB_INCONCLUSIVE, outcome_of(&judgement));
    CHECK(strstr(judgement.finding.reason, "only the built-in sample"));
    judgement_free(&judgement);
    library_close(sample);
}

/* Defect 4 of the original: what a library has is asked no further, but this is. */
TEST_PLAIN(a_retraction_is_seen_though_the_work_is_verified)
{
    struct library_rig works, notices;
    struct judgement judgement;
    struct bib_reference reference = notes;
    reference.work.doi = "10.1000/notes";
    struct bib_record record = { .work = reference.work, .id = "n1" };
    library_rig_open(&works);
    rig_add(&works, &record);
    rig_finish(&works);
    record.retraction = "10.1000/notice";
    library_rig_open(&notices);
    rig_add(&notices, &record);
    rig_finish(&notices);
    judgement_begin(&judgement, &reference);
    judgement_look(&judgement, works.lib);
    judgement_look(&judgement, notices.lib);
    CHECK_EQ(BIB_VERIFIED, outcome_of(&judgement));
    CHECK(judgement.finding.verdict.flags & BIB_FLAG(RETRACTED));
    bool shown = false;
    for (size_t i = 0; i < judgement.finding.evidence_count; i++)
        shown |= judgement.finding.evidence[i].retraction
            && strcmp(judgement.finding.evidence[i].retraction, "10.1000/notice") == 0;
    CHECK(shown);
    judgement_free(&judgement);
    library_rig_close(&notices);
    library_rig_close(&works);
}

TEST_PLAIN(a_retraction_of_the_cited_doi_is_seen_whatever_the_notice_calls_the_work)
{
    struct library_rig works, notices;
    struct judgement judgement;
    struct bib_reference reference = notes;
    reference.work.doi = "10.1000/notes";
    struct bib_record record = { .work = reference.work, .id = "n1" };
    library_rig_open(&works);
    rig_add(&works, &record);
    rig_finish(&works);
    record = (struct bib_record){ .retraction = "10.1000/notice", .work = {
        .title = "Withdrawn at the wish of its author", .doi = "10.1000/notes" } };
    library_rig_open(&notices);
    rig_add(&notices, &record);
    rig_finish(&notices);
    judgement_begin(&judgement, &reference);
    judgement_look(&judgement, works.lib);
    judgement_look(&judgement, notices.lib);
    CHECK_EQ(BIB_VERIFIED, outcome_of(&judgement));
    CHECK_EQ(BIB_FLAG(RETRACTED), judgement.finding.verdict.flags);
    judgement_free(&judgement);
    library_rig_close(&notices);
    library_rig_close(&works);
}
