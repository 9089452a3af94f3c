#include "testing/source_rig.h"

TEST_PLAIN(pubmed_is_searched_and_then_asked_for_what_was_found)
{
    CHECK_STR("https://eutils.ncbi.nlm.nih.gov/entrez/eutils/esearch.fcgi?db=pubmed&term="
              "Quiet%5BTitle%5D%20AND%20Rivers%5BTitle%5D%20AND%20Deep%5BTitle%5D"
              "&retmode=json&retmax=10",
              asked(&source_pubmed, SOURCE_BY_TITLE, "Quiet Rivers Deep"));
    pose(&source_pubmed, SOURCE_BY_DOI, "10.1000/x", NULL);
    CHECK_STR("https://eutils.ncbi.nlm.nih.gov/entrez/eutils/esearch.fcgi?db=pubmed&term="
              "10.1000/x%5Bdoi%5D&retmode=json&retmax=10", asked_of(&rig_reading));
    CHECK_OK(take(200, "{\"esearchresult\":{\"count\":\"2\",\"idlist\":[\"12\",7,\"x\","
                       "\"345\"]}}"));
    CHECK_STR("12,345", rig_reading.next);
    rig_reading.step = 1;
    CHECK_STR("https://eutils.ncbi.nlm.nih.gov/entrez/eutils/esummary.fcgi?db=pubmed&id=12,345"
              "&retmode=json", asked_of(&rig_reading));
    CHECK_OK(take(
        200,
        "{\"result\":{\"uids\":[\"12\",\"345\"],\"12\":{\"uid\":\"12\",\"title\":\"Quiet "
        "Rivers.\","
        "\"authors\":[{\"name\":\"van Doe JQ\"},{\"name\":\"Plato\"}],\"pubdate\":\"2020 Jan "
        "3\","
        "\"source\":\"W\",\"fulljournalname\":\"Water\",\"volume\":\"9\",\"pages\":\"1-2\","
        "\"articleids\":[{\"idtype\":\"pubmed\",\"value\":\"12\"},"
        "{\"idtype\":\"doi\",\"value\":\"10.1000/X\"}],"
        "\"pubtype\":[\"Journal Article\",\"Retracted Publication\"]},"
        "\"345\":{\"uid\":\"345\",\"error\":\"cannot get document summary\"}}}"));
    CHECK_EQ(1, rig_reading.count);
    char buf[300];
    struct wr_text text = WR_TEXT(buf);
    tell_record(&text, &rig_reading.records[0]);
    CHECK_STR("Quiet Rivers | van Doe, JQ; Plato | 2020 | Water | 9 | 1-2 | 10.1000/x | - "
              "| 12 | "
              "retracted: retracted", buf);
}

TEST_PLAIN(a_search_of_pubmed_that_finds_nothing_is_the_end)
{
    CHECK_STR("NotFound: ", told(&source_pubmed, SOURCE_BY_TITLE, "x",
                                 "{\"esearchresult\":{\"count\":\"0\",\"idlist\":[]}}"));
    CHECK(!rig_reading.next);
    CHECK_STR("Io: PubMed: sent no list of articles",
              told(&source_pubmed, SOURCE_BY_TITLE, "x",
                   "{\"esearchresult\":{\"ERROR\":\"Search Backend failed\",\"idlist\":[]}}"));
}
