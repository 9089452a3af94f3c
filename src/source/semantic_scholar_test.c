#include "testing/source_rig.h"

#define FIELDS "fields=title,authors,year,venue,journal,externalIds,publicationTypes,url"

TEST_PLAIN(semantic_scholar_is_asked_by_title_doi_and_arxiv_id)
{
    CHECK_STR("https://api.semanticscholar.org/graph/v1/paper/"
              "search?query=Quiet%20Rivers%20Deep"
              "&limit=10&" FIELDS,
              asked(&source_semantic_scholar, SOURCE_BY_TITLE, "Quiet Rivers, Deep"));
    CHECK_STR("https://api.semanticscholar.org/graph/v1/paper/DOI:10.1000/x?" FIELDS,
              asked(&source_semantic_scholar, SOURCE_BY_DOI, "10.1000/x"));
    CHECK_STR("https://api.semanticscholar.org/graph/v1/paper/ARXIV:2403.00108?" FIELDS,
              asked(&source_semantic_scholar, SOURCE_BY_ARXIV, "2403.00108"));
}

#define PAPER "{\"paperId\":\"26bc\",\"title\":\"Quiet Rivers\",\"venue\":\"\",\"year\":2016," \
    "\"journal\":{\"name\":\"J. Water\",\"volume\":\"3\",\"pages\":\"1-9\"}," \
    "\"publicationTypes\":[\"JournalArticle\",\"Conference\"]," \
    "\"externalIds\":{\"DOI\":\"10.1000/Q\",\"ArXiv\":\"1603.02754\"}," \
    "\"authors\":[{\"authorId\":null,\"name\":\"Jane Doe\"},{\"name\":null}]}"
#define RECORD "Quiet Rivers | Doe, Jane | 2016 | J. Water | 3 | 1-9 | 10.1000/q | " \
    "1603.02754 | 26bc"

TEST_PLAIN(papers_of_semantic_scholar_become_records)
{
    CHECK_STR(RECORD, told(&source_semantic_scholar, SOURCE_BY_TITLE, "x",
                           "{\"total\":1,\"offset\":0,\"data\":[" PAPER "]}"));
    CHECK_EQ(BIB_PAPER, rig_reading.records[0].work.kind);
    CHECK_STR(RECORD, told(&source_semantic_scholar, SOURCE_BY_DOI, "10.1000/q", PAPER));
}

TEST_PLAIN(no_papers_of_semantic_scholar_have_no_list)
{
    CHECK_STR("NotFound: ", told(&source_semantic_scholar, SOURCE_BY_TITLE, "x",
                                 "{\"total\":0,\"offset\":0}"));
    CHECK_STR("Io: Semantic Scholar: sent JSON without a result in it",
              told(&source_semantic_scholar, SOURCE_BY_TITLE, "x",
                   "{\"message\":\"Too Many Requests\",\"code\":\"429\"}"));
}
