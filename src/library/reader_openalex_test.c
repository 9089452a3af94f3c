/* reader_openalex_test.c - tests of reader_openalex.c. */
#include "testing/reader_rig.h"

TEST_PLAIN(a_work_of_openalex_is_read_and_its_authors_may_not_be_all)
{
    struct reader_rig rig;
    reader_rig_read(&rig, &reader_openalex,
        "{\"id\":\"https://openalex.org/W42\",\"doi\":\"https://doi.org/10.1000/ABC\","
        "\"display_name\":\"A thing\",\"publication_year\":2011,\"type\":\"book-chapter\","
        "\"authorships\":[{\"author\":{\"display_name\":\"Ada van Code\"}}],"
        "\"primary_location\":{\"source\":{\"display_name\":\"Things\"}},"
        "\"is_retracted\":true}\n"
        "{\"id\":\"https://openalex.org/W43\",\"doi\":null,\"title\":\"Other\","
        "\"primary_location\":null,\"is_retracted\":false}\n");
    CHECK_OK(rig.err);
    CHECK_STR("[paper] 2011 \"A thing\" van Code, Ada | Things doi=10.1000/abc id=W42 "
              "retraction=retracted partial\n[?] 0 \"Other\" id=W43 partial\n", rig.seen.at);
    CHECK_STR("", rig.faults.at);
    reader_rig_close(&rig);
}
