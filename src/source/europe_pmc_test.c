#include "testing/source_rig.h"

TEST_PLAIN(europe_pmc_is_asked_by_title_and_doi)
{
    CHECK_STR("https://www.ebi.ac.uk/europepmc/webservices/rest/"
              "search?query=Quiet%20Rivers%20Deep&format=json&pageSize=15",
              asked(&source_europe_pmc, SOURCE_BY_TITLE, "\"Quiet Rivers\": (Deep)"));
    CHECK_STR("https://www.ebi.ac.uk/europepmc/webservices/rest/"
              "search?query=DOI:%2210.1000/x%22&format=json&pageSize=15",
              asked(&source_europe_pmc, SOURCE_BY_DOI, "10.1000/x"));
}

TEST_PLAIN(articles_of_europe_pmc_become_records)
{
    CHECK_STR("Quiet Rivers | Walker, IS; van Doe, JA; WHO Group | 2023 | Water | 14 | 1-9 | "
              "10.1000/q | - | 36419237 | retracted: retracted",
              told(&source_europe_pmc, SOURCE_BY_TITLE, "x",
                   "{\"hitCount\":1,\"resultList\":{\"result\":[{\"id\":\"36419237\","
                   "\"title\":\"Quiet Rivers.\",\"authorString\":\"Walker IS, van Doe JA, WHO "
                   "Group.\","
                   "\"journalTitle\":\"Water\",\"journalVolume\":\"14\",\"pageInfo\":\"1-9\","
                   "\"pubYear\":\"2023\",\"doi\":\"10.1000/q\","
                   "\"pubType\":\"retracted publication; journal article\"}]}}"));
}

TEST_PLAIN(europe_pmc_says_that_it_knows_none)
{
    CHECK_STR("NotFound: ", told(&source_europe_pmc, SOURCE_BY_TITLE, "x",
                                 "{\"hitCount\":0,\"resultList\":{\"result\":[]}}"));
}
