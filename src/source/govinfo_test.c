#include "testing/source_rig.h"

TEST_PLAIN(govinfo_is_asked_with_a_body)
{
    CHECK_STR("https://api.govinfo.gov/search {\"query\":\"NIST SP \\\"800\\\"\","
              "\"pageSize\":10,"
              "\"offsetMark\":\"*\",\"sorts\":[{\"field\":\"relevancy\","
              "\"sortOrder\":\"DESC\"}]}",
              asked(&source_govinfo, SOURCE_BY_TITLE, "NIST SP \"800\""));
}

TEST_PLAIN(govinfo_is_asked_about_papers_of_a_government_and_with_a_key_only)
{
    struct source_question questions[SOURCE_QUESTIONS_MAX];
    struct bib_work ours = { .title = "NIST SP 800-63: Digital Identity" },
                    other = { .title = "Quiet Rivers" };
    CHECK_EQ(1, source_questions(&source_govinfo, true, &ours, &rig_arena, questions));
    CHECK_EQ(0, source_questions(&source_govinfo, false, &ours, &rig_arena, questions));
    CHECK_EQ(0, source_questions(&source_govinfo, true, &other, &rig_arena, questions));
}

TEST_PLAIN(results_of_govinfo_become_records)
{
    CHECK_STR("Quiet Act | Congress | 1998 | PLAW | - | - | - | - | PLAW-1",
              told(&source_govinfo, SOURCE_BY_TITLE, "x",
        "{\"count\":1,\"results\":[{\"title\":\"Quiet Act\",\"packageId\":\"PLAW-1\","
        "\"collectionCode\":\"PLAW\",\"dateIssued\":\"1998-10-28\","
        "\"governmentAuthor\":[\"Congress\"],\"resultLink\":\"https://x.example/1\"}]}"));
}
