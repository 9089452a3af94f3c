/* reader_dblp_test.c - tests of reader_dblp.c. */
#include "testing/reader_rig.h"

#define BEGIN "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n" \
              "<!DOCTYPE dblp SYSTEM \"dblp.dtd\">\n<dblp>\n"
#define ONE \
    "<article key=\"journals/x/A1\" mdate=\"2020-01-01\"><author>J&uuml;rgen Ames</author>" \
    "<author orcid=\"1\">Wei Burr 0002</author><title>On <i>n</i><sub>2</sub> &amp; all." \
    "</title><journal>J. X</journal><volume>3</volume><year>1999</year>" \
    "<ee>https://doi.org/10.1000/ABC</ee></article>\n"
#define TWO "<article key=\"journals/corr/abs-2001-00001\"><author>Ada Code</author>" \
            "<title>Why?</title><journal>CoRR</journal><volume>abs/2001.00001</volume>" \
            "<year>2020</year></article>\n"
#define THREE "<proceedings key=\"conf/y\"><editor>Ed Itor</editor><title>Proc. Y</title>" \
              "<publisher>Press</publisher><year>2001</year></proceedings>\n"
#define SEEN_ONE "[article] 1999 \"On n2 & all\" Ames, J\u00fcrgen; Burr, Wei | J. X " \
                 "doi=10.1000/abc id=journals/x/A1 partial\n"
#define SEEN_TWO "[preprint] 2020 \"Why?\" Code, Ada | CoRR arxiv=2001.00001 " \
                 "id=journals/corr/abs-2001-00001 partial\n"
#define SEEN_THREE "[book] 2001 \"Proc. Y\" Itor, Ed | Press id=conf/y partial\n"

TEST_PLAIN(records_of_dblp_are_read_with_their_entities_and_without_the_dtd)
{
    struct reader_rig rig;
    reader_rig_read(&rig, &reader_dblp, BEGIN ONE "<www key=\"homepages/1\"><author>X</author>"
                    "<title>Home Page</title></www>\n" TWO THREE "</dblp>\n");
    CHECK_OK(rig.err);
    CHECK_STR(SEEN_ONE SEEN_TWO SEEN_THREE, rig.seen.at);
    CHECK_STR("", rig.faults.at);
    reader_rig_close(&rig);
}

TEST_PLAIN(reading_of_dblp_goes_on_behind_any_record)
{
    struct reader_rig rig;
    const char whole[] = BEGIN ONE TWO THREE "</dblp>\n";
    reader_rig_open(&rig);
    reader_rig_feed(&rig, &reader_dblp, whole, strlen(BEGIN ONE) + 20);     /* it is cut off */
    CHECK_ERR(WR_INVALID, rig.err);
    CHECK_STR(SEEN_ONE, rig.seen.at);
    CHECK_EQ(strlen(BEGIN ONE) - 1, rig.safe);
    rig.from = rig.safe;
    reader_rig_feed(&rig, &reader_dblp, whole, strlen(whole));
    CHECK_OK(rig.err);
    CHECK_STR(SEEN_ONE SEEN_TWO SEEN_THREE, rig.seen.at);
    reader_rig_close(&rig);
}

TEST_PLAIN(what_is_not_dblp_is_refused_and_named)
{
    struct reader_rig rig;
    reader_rig_read(&rig, &reader_dblp, "<collection id=\"x\"><volume/></collection>");
    CHECK_ERR(WR_INVALID, rig.err);
    CHECK_STR("1: this is not dblp.xml: it begins with <collection>, not with <dblp>\n",
              rig.faults.at);
    reader_rig_close(&rig);
    reader_rig_read(&rig, &reader_dblp, "{\"title\": 1}");
    CHECK_ERR(WR_INVALID, rig.err);
    reader_rig_close(&rig);
}

TEST_PLAIN(a_record_of_dblp_without_a_title_is_a_fault_with_its_line)
{
    struct reader_rig rig;
    reader_rig_read(&rig, &reader_dblp, BEGIN "<book key=\"b\"><year>1</year></book>\n" TWO
                    "</dblp>");
    CHECK_OK(rig.err);
    CHECK_STR(SEEN_TWO, rig.seen.at);
    CHECK_STR("4: it has no title and no identifier, or is too long\n", rig.faults.at);
    reader_rig_close(&rig);
}
