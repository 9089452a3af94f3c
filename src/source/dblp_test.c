#include "testing/source_rig.h"

TEST_PLAIN(dblp_is_asked_by_words)
{
    CHECK_STR("https://dblp.org/search/publ/api?q=Quiet%20Rivers%20Deep&format=json&h=10",
              asked(&source_dblp, SOURCE_BY_TITLE, "Quiet Rivers: Deep."));
}

#define HITS(hits) "{\"result\":{\"hits\":{\"@total\":\"1\",\"hit\":[" hits "]}}}"

TEST_PLAIN(hits_of_dblp_become_records)
{
    CHECK_STR("Quiet Rivers | Doe, Jane; Berg, Jan Q. | 2017 | J. Water | 18 | 25:1-25:5 | "
              "10.1000/q | - | journals/jw/DoeB17",
              told(&source_dblp, SOURCE_BY_TITLE, "quiet",
                   HITS("{\"info\":{\"authors\":{\"author\":[{\"@pid\":\"1/2\",\"text\":\"Jane "
                        "Doe 0001\"},"
                        "\"Jan Q. Berg\"]},\"title\":\"Quiet Rivers.\",\"venue\":\"J. Water\","
                        "\"volume\":\"18\",\"pages\":\"25:1-25:5\",\"year\":\"2017\","
                        "\"type\":\"Journal Articles\",\"key\":\"journals/jw/DoeB17\","
                        "\"doi\":\"10.1000/Q\"}}")));
    CHECK(rig_reading.records[0].authors_partial);
}

TEST_PLAIN(one_author_of_dblp_is_no_list_and_none_is_fine)
{
    CHECK_STR("A | Doe, Jane | 0 | - | - | - | - | - | -\n"
              "B |  | 0 | - | - | - | - | - | -",
              told(&source_dblp, SOURCE_BY_TITLE, "a",
                   HITS("{\"info\":{\"authors\":{\"author\":{\"text\":\"Jane "
                        "Doe\"}},\"title\":\"A.\"}},"
                        "{\"info\":{\"title\":\"B.\"}}")));
}

TEST_PLAIN(a_volume_of_corr_names_a_paper_of_arxiv)
{
    CHECK_STR("A |  | 0 | CoRR | abs/2403.00108 | - | - | 2403.00108 | -",
              told(&source_dblp, SOURCE_BY_TITLE, "a",
                   HITS("{\"info\":{\"title\":\"A.\",\"venue\":\"CoRR\",\"volume\":\"abs/"
                        "2403.00108\"}}")));
}

TEST_PLAIN(no_hits_have_no_list)
{
    CHECK_STR("NotFound: ", told(&source_dblp, SOURCE_BY_TITLE, "a",
              "{\"result\":{\"hits\":{\"@total\":\"0\",\"@sent\":\"0\"}}}"));
    CHECK_STR("Io: DBLP: sent JSON without a result in it",
              told(&source_dblp, SOURCE_BY_TITLE, "a",
                   "{\"result\":{\"hits\":{\"@total\":\"3\"}}}"));
}
