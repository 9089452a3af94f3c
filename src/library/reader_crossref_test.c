/* reader_crossref_test.c - tests of reader_crossref.c. */
#include "testing/reader_rig.h"

static void reads(const char *text, const char *seen)
{
    struct reader_rig rig;
    reader_rig_read(&rig, &reader_crossref, text);
    CHECK_OK(rig.err);
    CHECK_STR(seen, rig.seen.at);
    CHECK_STR("", rig.faults.at);
    reader_rig_close(&rig);
}

TEST_PLAIN(a_work_of_crossref_is_read)
{
    reads("{\"DOI\":\"10.1145/ABC\",\"type\":\"journal-article\",\"title\":[\"Big  thing\"],"
          "\"subtitle\":[\"A small one\"],\"container-title\":[\"J. Things\"],"
          "\"author\":[{\"given\":\"Ada\",\"family\":\"Code\"},{\"name\":\"The Team\"},"
          "{\"given\":\"Only\"}],\"issued\":{\"date-parts\":[[2019,3]]}}",
          "[article] 2019 \"Big thing: A small one\" Code, Ada; The Team; Only | J. Things "
          "doi=10.1145/abc id=10.1145/abc\n");
}

TEST_PLAIN(a_subtitle_that_is_in_the_title_already_is_not_said_twice)
{
    reads("{\"DOI\":\"10.1000/a\",\"title\":[\"X: why\"],\"subtitle\":[\"why\"]}",
          "[?] 0 \"X: why\" doi=10.1000/a id=10.1000/a\n");
}

TEST_PLAIN(a_notice_on_the_article_itself_is_its_retraction)
{
    reads("{\"DOI\":\"10.1000/a\",\"title\":[\"X\"],\"updated-by\":["
          "{\"type\":\"correction\",\"DOI\":\"10.1000/c\"},"
          "{\"type\":\"retraction\",\"DOI\":\"10.1000/r\"}]}",
          "[?] 0 \"X\" doi=10.1000/a id=10.1000/a retraction=10.1000/r\n");
    reads("{\"DOI\":\"10.1000/r\",\"title\":[\"Retraction of X\"],\"update-to\":["
          "{\"type\":\"retraction\",\"DOI\":\"10.1000/a\"}]}",
          "[?] 0 \"Retraction of X\" doi=10.1000/r id=10.1000/r\n");
}

TEST_PLAIN(journals_figures_and_reviews_are_no_works)
{
    reads("{\"DOI\":\"10.1000/a\",\"type\":\"journal\",\"title\":[\"J\"]}\n"
          "{\"DOI\":\"10.1000/b\",\"type\":\"component\"}\n"
          "{\"DOI\":\"10.1000/c\",\"type\":\"peer-review\",\"title\":[\"Review of X\"]}\n", "");
}

TEST_PLAIN(a_book_without_authors_has_its_editors_and_its_publisher)
{
    reads("{\"DOI\":\"10.1000/b\",\"type\":\"edited-book\",\"title\":[\"B\"],"
          "\"publisher\":\"P\",\"editor\":[{\"given\":\"Ed\",\"family\":\"Itor\"}]}",
          "[book] 0 \"B\" Itor, Ed | P doi=10.1000/b id=10.1000/b\n");
}
