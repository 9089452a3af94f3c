/* judge_test.c - a record beside what is cited. */
#include "biblio/judge.h"

#include <string.h>

#include "biblio/author.h"
#include "testing/test.h"

static struct wr_arena arena = WR_ARENA(1 << 20);

static struct bib_work work(const char *title, const char *authors, int year, const char *venue)
{
    struct bib_work ret = { .title = title, .year = year, .venue = venue };
    bib_author_list(&ret, authors, &arena);
    return ret;
}

#define TITLE "Parsing Danish with deep structured models"
#define AUTHORS "Ada Lovelace and Charles Babbage"

static struct bib_work cited, found;

static void start(void)
{
    wr_arena_free(&arena);
    cited = work(TITLE, AUTHORS, 2019, "ICML");
    found = cited;
}

static struct bib_comparison judge(void)
{
    struct bib_record record = { .work = found, .source = "test", .id = "1" };
    return bib_judge(&cited, &record);
}

#define FIELD(name) judge().fields[BIB_FIELD_##name]

TEST_PLAIN(what_both_say_agrees)
{
    start();
    struct bib_comparison all = judge();
    CHECK_EQ(BIB_AGREES, all.fields[BIB_FIELD_TITLE]);
    CHECK_EQ(BIB_AGREES, all.fields[BIB_FIELD_AUTHORS]);
    CHECK_EQ(BIB_AGREES, all.fields[BIB_FIELD_YEAR]);
    CHECK_EQ(BIB_AGREES, all.fields[BIB_FIELD_VENUE]);
    CHECK_EQ(BIB_UNSAID, all.fields[BIB_FIELD_DOI]);
    CHECK_EQ(BIB_UNSAID, all.fields[BIB_FIELD_ARXIV_ID]);
    CHECK_EQ(1000, all.alike);
    CHECK(all.meant);
}

TEST_PLAIN(a_letter_that_makes_another_word_is_a_slip_only_where_all_else_agrees)
{
    start();
    cited.title = "Parsing Danish with keep structured models";
    CHECK_EQ(BIB_AGREES, FIELD(TITLE));
    cited.year = 2018;
    CHECK_EQ(BIB_DIFFERS, FIELD(TITLE));
    start();
    cited.title = "Parsing Danish with fast structured models";
    CHECK_EQ(BIB_DIFFERS, FIELD(TITLE));
}

TEST_PLAIN(what_one_side_does_not_say_is_no_mistake)
{
    start();
    cited = (struct bib_work){ .title = TITLE };
    CHECK_EQ(BIB_UNSAID, FIELD(AUTHORS));
    CHECK_EQ(BIB_UNSAID, FIELD(YEAR));
    CHECK_EQ(BIB_UNSAID, FIELD(VENUE));
    CHECK(judge().meant);
}

TEST_PLAIN(year_and_venue_are_checked)
{
    start();
    cited.year = 2020;
    cited.venue = "CVPR";
    CHECK_EQ(BIB_DIFFERS, FIELD(YEAR));
    CHECK_EQ(BIB_DIFFERS, FIELD(VENUE));
}

TEST_PLAIN(another_doi_of_the_same_paper_differs)
{
    start();
    cited.doi = "10.1145/1";
    found.doi = "10.1109/2";
    CHECK_EQ(BIB_DIFFERS, FIELD(DOI));
}

TEST_PLAIN(a_doi_that_nobody_knows_is_not_fake_by_itself)
{
    start();
    cited.venue = found.venue = "CVPR";
    cited.doi = "10.47281/bed.57189";
    CHECK_EQ(BIB_UNSAID, FIELD(DOI));
}

TEST_PLAIN(a_doi_for_a_venue_that_gives_none_differs)
{
    start();
    cited.doi = "10.47281/bed.57189";
    CHECK_EQ(BIB_DIFFERS, FIELD(DOI));
    cited.doi = "10.5555/3045118";
    CHECK_EQ(BIB_UNSAID, FIELD(DOI));
    cited.doi = "10.48550/arxiv.1901.00001";
    CHECK_EQ(BIB_UNSAID, FIELD(DOI));
}

TEST_PLAIN(a_preprint_and_its_paper_may_have_two_dois_and_years)
{
    start();
    cited.venue = "arXiv";
    cited.year = 2018;
    cited.doi = "10.48550/arxiv.1801.00001";
    found.doi = "10.1109/2";
    struct bib_comparison all = judge();
    CHECK_EQ(BIB_UNSAID, all.fields[BIB_FIELD_DOI]);
    CHECK_EQ(BIB_UNSAID, all.fields[BIB_FIELD_YEAR]);
    CHECK_EQ(BIB_UNSAID, all.fields[BIB_FIELD_VENUE]);
    CHECK(all.preprint);
    cited.year = 2010;
    CHECK_EQ(BIB_DIFFERS, FIELD(YEAR));
}

TEST_PLAIN(a_preprint_cited_by_its_doi_did_not_appear_at_a_venue_nobody_knows_of)
{
    start();
    found = work(TITLE, AUTHORS, 2019, NULL);
    found.doi = cited.doi = "10.48550/arxiv.1901.00001";
    CHECK_EQ(BIB_DIFFERS, FIELD(VENUE));
    cited.doi = NULL;
    CHECK_EQ(BIB_UNSAID, FIELD(VENUE));
}

TEST_PLAIN(numbers_of_arxiv_are_compared_wherever_they_stand)
{
    start();
    cited.arxiv_id = "1901.00001";
    found.doi = "10.48550/arxiv.1901.00001";
    CHECK_EQ(BIB_AGREES, FIELD(ARXIV_ID));
    CHECK(judge().identified);
    cited.arxiv_id = "1901.00002";
    CHECK_EQ(BIB_DIFFERS, FIELD(ARXIV_ID));
}

TEST_PLAIN(placeholders_leave_the_authors_unjudged)
{
    start();
    cited = work(TITLE, "Anonymous", 2019, NULL);
    CHECK_EQ(BIB_UNSAID, FIELD(AUTHORS));
    CHECK(judge().meant);
}

TEST_PLAIN(a_record_without_authors_leaves_them_unjudged)
{
    start();
    found.author_count = 0;
    CHECK_EQ(BIB_UNSAID, FIELD(AUTHORS));
    CHECK(judge().unjudged);
}

TEST_PLAIN(a_lone_institution_is_unjudged_but_excuses_no_others)
{
    start();
    cited = work(TITLE, "OpenAI", 2019, NULL);
    CHECK(judge().unjudged);
    cited = work(TITLE, "OpenAI and Xavier Costa", 2019, NULL);
    CHECK_EQ(BIB_DIFFERS, FIELD(AUTHORS));
}

TEST_PLAIN(a_title_without_its_subtitle_needs_the_authors)
{
    start();
    found.title = "Parsing Danish: models with deep structure";
    cited.title = "Parsing Danish";
    CHECK_EQ(BIB_AGREES, FIELD(TITLE));
    found.author_count = 1;
    CHECK_EQ(BIB_DIFFERS, FIELD(TITLE));
    CHECK(!judge().meant);
}

TEST_PLAIN(a_near_title_is_meant_if_the_authors_are_these)
{
    start();
    found.title = "Parsing Danish with fast structured models";
    CHECK(judge().meant);
    CHECK_EQ(BIB_DIFFERS, FIELD(TITLE));
    cited = work(TITLE, "Xavier Costa", 2019, "ICML");
    CHECK(!judge().meant);
}

TEST_PLAIN(an_identifier_alone_finds_a_work_without_a_title)
{
    start();
    cited = (struct bib_work){ .doi = "10.1109/2" };
    found.doi = "10.1109/2";
    CHECK(judge().meant);
    cited.title = "Growing tulips in cold climates";
    CHECK(!judge().meant);
    CHECK(judge().identified);
}

TEST_PLAIN(that_a_page_is_there_speaks_for_a_page_and_not_for_a_paper)
{
    static const char *const urls[] = { "https://a.example/x" };
    start();
    cited = (struct bib_work){ .kind = BIB_WEB, .title = TITLE, .urls = urls, .url_count = 1 };
    found = (struct bib_work){ .kind = BIB_WEB, .urls = urls, .url_count = 1 };
    CHECK(judge().page && judge().meant);
    cited.kind = BIB_ARTICLE;
    CHECK(!judge().meant);
    cited.kind = BIB_WEB;
    cited.doi = "10.1145/1";
    CHECK(!judge().meant);
    cited.doi = NULL;
    found.urls = (const char *const[]){ "https://a.example/y" };
    CHECK(!judge().meant);
}
