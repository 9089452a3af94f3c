#include "testing/source_rig.h"

TEST_PLAIN(openalex_is_searched_only_with_a_key)
{
    CHECK_EQ(SOURCE_DOI, source_openalex.keyless);
    CHECK_STR("https://api.openalex.org/works?filter=title.search:Quiet%20Rivers%20Deep&"
              "per_page=5&"
              "select=id,doi,title,publication_year,type,authorships,primary_location,biblio,"
              "is_retracted", asked(&source_openalex, SOURCE_BY_TITLE, "Quiet Rivers Deep"));
    CHECK_STR("https://api.openalex.org/works/doi:10.1000/x?select=id,doi,title,"
              "publication_year,"
              "type,authorships,primary_location,biblio,is_retracted",
              asked(&source_openalex, SOURCE_BY_DOI, "10.1000/x"));
}

#define WORK \
    "{\"id\":\"https://openalex.org/W1\",\"doi\":\"https://doi.org/10.1000/Q\"," \
    "\"title\":\"Quiet Rivers\",\"publication_year\":2021,\"type\":\"article\"," \
    "\"authorships\":[{\"author\":{\"display_name\":\"Jane Doe\"}}," \
    "{\"author\":{\"display_name\":null},\"raw_author_name\":\"Roe, Richard\"}]," \
    "\"primary_location\":{\"landing_page_url\":\"http://arxiv.org/abs/2101.00001\"," \
    "\"source\":{\"display_name\":\"Water\"}}," \
    "\"biblio\":{\"volume\":\"4\",\"first_page\":\"7\",\"last_page\":\"9\"},\"is_retracted\":" \
    "true}"
#define RECORD "Quiet Rivers | Doe, Jane; Roe, Richard | 2021 | Water | 4 | 7-9 | 10.1000/" \
    "q | " \
    "2101.00001 | https://openalex.org/W1 | retracted: retracted"

TEST_PLAIN(works_of_openalex_become_records)
{
    CHECK_STR(RECORD, told(&source_openalex, SOURCE_BY_TITLE, "x",
                           "{\"meta\":{\"count\":1},\"results\":[" WORK "]}"));
    CHECK(rig_reading.records[0].authors_partial);
    CHECK_STR(RECORD, told(&source_openalex, SOURCE_BY_DOI, "10.1000/q", WORK));
}

TEST_PLAIN(a_work_of_openalex_without_anything_but_a_title_is_one)
{
    CHECK_STR("T |  | 0 | - | - | - | - | - | -",
              told(&source_openalex, SOURCE_BY_TITLE, "x",
                   "{\"results\":[{\"title\":null,\"display_name\":\"T\","
                   "\"primary_location\":null,\"biblio\":null,\"authorships\":[]}]}"));
}
