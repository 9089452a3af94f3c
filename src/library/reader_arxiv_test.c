/* reader_arxiv_test.c - tests of reader_arxiv.c. */
#include "testing/reader_rig.h"

TEST_PLAIN(a_record_of_arxiv_is_read)
{
    struct reader_rig rig;
    reader_rig_read(&rig, &reader_arxiv,
        "{\"id\":\"0704.0001\",\"title\":\"Long title\\n  in two lines\",\"doi\":\"10.1000/X\","
        "\"authors_parsed\":[[\"Bal\\\\'azs\",\"C.\",\"\"],[\"Team\",\"\",\"\"]],"
        "\"versions\":[{\"version\":\"v1\",\"created\":\"Mon, 2 Apr 2007 19:18:42 GMT\"}],"
        "\"update_date\":\"2008-11-26\"}\n"
        "{\"id\":\"math/0309136\",\"title\":\"Old\",\"update_date\":\"2009-01-01\"}\n");
    CHECK_OK(rig.err);
    CHECK_STR("[preprint] 2007 \"Long title in two lines\" Bal\u00e1zs, C.; Team | arXiv "
              "doi=10.1000/x arxiv=0704.0001 id=0704.0001\n"
              "[preprint] 2009 \"Old\" | arXiv arxiv=math/0309136 id=math/0309136\n",
              rig.seen.at);
    CHECK_STR("", rig.faults.at);
    reader_rig_close(&rig);
}
