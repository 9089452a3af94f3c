/* reader_retractionwatch_test.c - tests of reader_retractionwatch.c. */
#include "testing/reader_rig.h"

#define NAMES "\xef\xbb\xbfRecord ID,Title,Subject,Journal,Author,RetractionDate," \
              "RetractionDOI,OriginalPaperDate,OriginalPaperDOI,RetractionNature\r\n"

TEST_PLAIN(retractions_are_kept_and_other_notices_are_not)
{
    struct reader_rig rig;
    reader_rig_read(&rig, &reader_retractionwatch, NAMES
        "1,\"Cold, \"\"hot\"\" fusion\",S,J. Heat,Ada Code;Bob Burr,1/2/2003 0:00,10.1000/N,"
        "3/4/1999 0:00,10.1000/P,Retraction\r\n"
        "2,Fine,S,J,A,1/1/2003,10.1000/c,1/1/2001,10.1000/f,Correction\r\n"
        "3,Gone,S,,\"Itor, Ed\",5/6/2007 0:00,unavailable,1/1/2001 0:00,Unavailable,"
        "retraction\r\n");
    CHECK_OK(rig.err);
    CHECK_STR("[?] 1999 \"Cold, \"hot\" fusion\" Code, Ada; Burr, Bob | J. Heat "
              "doi=10.1000/p id=1 retraction=10.1000/n\n"
              "[?] 2001 \"Gone\" Itor, Ed id=3 retraction=5/6/2007 0:00\n", rig.seen.at);
    CHECK_STR("", rig.faults.at);
    reader_rig_close(&rig);
}

TEST_PLAIN(a_row_that_does_not_say_what_was_noticed_is_a_fault_with_its_line)
{
    struct reader_rig rig;
    reader_rig_read(&rig, &reader_retractionwatch, NAMES "1,\"a\nb\"\n2\n");
    CHECK_OK(rig.err);
    CHECK_STR("2: the row does not say what was noticed\n"
              "4: the row does not say what was noticed\n", rig.faults.at);
    reader_rig_close(&rig);
}

TEST_PLAIN(a_table_of_something_else_is_refused)
{
    struct reader_rig rig;
    reader_rig_read(&rig, &reader_retractionwatch, "a,b,c\n1,2,3\n");
    CHECK_ERR(WR_INVALID, rig.err);
    CHECK(strstr(rig.faults.at, "1: this is not the Retraction Watch database") != NULL);
    reader_rig_close(&rig);
}
