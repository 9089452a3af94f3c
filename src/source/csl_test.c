#include "testing/source_rig.h"

#define ONE(members) "{\"DOI\":\"10.1000/a\",\"title\":\"T\"," members "}"

static const char *one(const char *item)
{
    return told(&source_doi, SOURCE_BY_DOI, "10.1000/a", item);
}

TEST_PLAIN(defect_6_a_retraction_is_read_on_the_article_that_was_retracted)
{
    CHECK_STR("T |  | 0 | - | - | - | 10.1000/a | - | 10.1000/a | retracted: 10.1000/notice",
              one(ONE("\"updated-by\":[{\"type\":\"correction\",\"DOI\":\"10.1000/erratum\"},"
                      "{\"type\":\"retraction\",\"DOI\":\"10.1000/NOTICE\"}]")));
    CHECK_STR("T |  | 0 | - | - | - | 10.1000/a | - | 10.1000/a",
              one(ONE("\"update-to\":[{\"type\":\"retraction\",\"DOI\":\"10.1000/victim\"}]")));
    CHECK_STR("T |  | 0 | - | - | - | 10.1000/a | - | 10.1000/a",
              one(ONE("\"updated-by\":[{\"type\":\"correction\",\"DOI\":\"10.1000/e\"}]")));
}

TEST_PLAIN(a_retraction_may_be_a_relation)
{
    CHECK_STR("T |  | 0 | - | - | - | 10.1000/a | - | 10.1000/a | retracted: 10.1000/n",
              one(ONE("\"relation\":{\"is-retracted-by\":[{\"id\":\"10.1000/n\"}]}")));
}

TEST_PLAIN(a_review_is_not_the_work_that_it_reviews)
{
    CHECK_STR("Io: DOI: sent a record without a title", one(ONE("\"type\":\"peer-review\"")));
    CHECK_STR("Io: DOI: sent a record without a title",
              one(ONE("\"relation\":{\"is-review-of\":[{\"id\":\"10.1000/book\"}]}")));
}

TEST_PLAIN(a_short_title_in_a_journal_is_an_article_like_any)
{
    CHECK_STR("T |  | 0 | Review of Things | - | - | 10.1000/a | - | 10.1000/a",
              one(ONE("\"type\":\"journal-article\",\"container-title\":\"Review of "
                      "Things\"")));
}

TEST_PLAIN(a_subtitle_joins_the_title_once)
{
    CHECK_STR("Why? Because |  | 0 | - | - | - | - | - | -",
              one("{\"title\":[\"Why?\"],\"subtitle\":[\"Because\"]}"));
    CHECK_STR("Why: Because |  | 0 | - | - | - | - | - | -",
              one("{\"title\":[\"Why: Because\"],\"subtitle\":[\"Because\"]}"));
}

TEST_PLAIN(the_day_in_print_is_the_year_of_a_work)
{
    CHECK_STR("T |  | 2012 | - | - | - | 10.1000/a | - | 10.1000/a",
              one(ONE("\"published-print\":{\"date-parts\":[[2012,1]]},"
                      "\"issued\":{\"date-parts\":[[2011,12,30]]}")));
    CHECK_STR("T |  | 0 | - | - | - | 10.1000/a | - | 10.1000/a",
              one(ONE("\"issued\":{\"date-parts\":[[null]]}")));
}

TEST_PLAIN(a_doi_of_arxiv_names_its_paper)
{
    CHECK_STR("T |  | 0 | arXiv | - | - | 10.48550/arxiv.2403.00108 | 2403.00108 | "
              "10.48550/arxiv.2403.00108",
              one("{\"DOI\":\"10.48550/arXiv.2403.00108\",\"title\":\"T\","
                  "\"publisher\":\"arXiv\"}"));
}

TEST_PLAIN(a_book_without_authors_has_its_editors)
{
    CHECK_STR("T | Doe, J. | 0 | P | - | - | 10.1000/a | - | 10.1000/a",
              one(ONE("\"type\":\"book\",\"publisher\":\"P\","
                      "\"editor\":[{\"family\":\"Doe\",\"given\":\"J.\"}]")));
    CHECK_EQ(BIB_BOOK, rig_reading.records[0].work.kind);
}

TEST_PLAIN(a_publisher_is_the_venue_of_a_book_and_not_of_an_article)
{
    CHECK_STR("T |  | 0 | P | - | - | 10.1000/a | - | 10.1000/a",
              one(ONE("\"type\":\"report\",\"publisher\":\"P\"")));
    CHECK_STR("T |  | 0 | - | - | - | 10.1000/a | - | 10.1000/a",
              one(ONE("\"type\":\"journal-article\",\"publisher\":\"P\"")));
}
