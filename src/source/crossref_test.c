#include "testing/source_rig.h"

TEST_PLAIN(crossref_is_asked_by_words_of_a_title_and_by_doi)
{
    CHECK_STR("https://api.crossref.org/works?query.title=Quiet%20Rivers%20Deep%20Water%20"
              "Study%20Seven&rows=5",
              asked(&source_crossref, SOURCE_BY_TITLE,
                    "Quiet Rivers of the Deep: A Water Study in Seven Parts"));
    CHECK_STR("https://api.crossref.org/works/10.1000/a%28b%29c%3Bd",
              asked(&source_crossref, SOURCE_BY_DOI, "10.1000/a(b)c;d"));
}

TEST_PLAIN(crossref_items_become_records)
{
    CHECK_STR(
        "Quiet Rivers: A Study | Doe, Jane Q.; Roe, R.; The River Group | 2019 | Journal of "
        "Water | 7 | 12-34 | 10.1000/abc | - | 10.1000/abc",
        told(
            &source_crossref, SOURCE_BY_TITLE, "Quiet Rivers",
            "{\"status\":\"ok\",\"message\":{\"total-results\":1,\"items\":[{\"DOI\":\"10.1000/"
            "ABC\","
            "\"type\":\"journal-article\",\"title\":[\"Quiet <i>Rivers</i>\"],"
            "\"subtitle\":[\"A Study\"],\"author\":[{\"given\":\"Jane Q.\",\"family\":\"Doe\"},"
            "{\"given\":\"R.\",\"family\":\"Roe\"},{\"name\":\"The River Group\"}],"
            "\"issued\":{\"date-parts\":[[2019,3,1]]},\"container-title\":[\"Journal of "
            "Water\"],"
            "\"volume\":\"7\",\"page\":\"12-34\"}]}}"));
}

TEST_PLAIN(one_work_of_crossref_is_an_object)
{
    CHECK_STR("Quiet Rivers | Doe, Jane | 2020 | - | - | - | 10.1000/abc | - | 10.1000/abc",
              told(&source_crossref, SOURCE_BY_DOI, "10.1000/abc",
        "{\"message\":{\"DOI\":\"10.1000/abc\",\"title\":[\"Quiet Rivers\"],"
        "\"author\":[{\"given\":\"Jane\",\"family\":\"Doe\"}],"
        "\"issued\":{\"date-parts\":[[2020]]}}}"));
}

TEST_PLAIN(crossref_says_that_it_knows_none)
{
    CHECK_STR("NotFound: ", told(&source_crossref, SOURCE_BY_TITLE, "x",
              "{\"message\":{\"total-results\":0,\"items\":[]}}"));
    pose(&source_crossref, SOURCE_BY_DOI, "10.1000/none", NULL);
    CHECK_ERR(WR_NOTFOUND, take(404, "Resource not found."));
}
