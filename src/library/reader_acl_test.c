/* reader_acl_test.c - tests of reader_acl.c. */
#include "testing/reader_rig.h"

#define VOLUME "<?xml version='1.0' encoding='UTF-8'?>\n<collection id=\"2020.toy\">\n" \
    "<volume id=\"main\"><meta><booktitle>Proceedings of the Toy Workshop</booktitle>" \
    "<editor><first>Ed</first><last>Itor</last></editor><year>2020</year>" \
    "<url hash=\"1\">2020.toy-main</url><doi>10.18653/v1/2020.toy-main</doi></meta>\n" \
    "<frontmatter><url>2020.toy-main.0</url></frontmatter>\n"
#define PAPER \
    "<paper id=\"1\"><title><fixed-case>BERT</fixed-case> is  a <i>toy</i></title>" \
    "<author id=\"x\"><first>Ada</first><last>van der Code</last>" \
    "<affiliation>No <last>Where</last></affiliation>" \
    "<variant script=\"hani\"><first>F</first><last>L</last></variant></author>" \
    "<author><last>Mononym</last></author><abstract>Long <b>and</b> " \
    "<title>x</title></abstract>" \
    "<url hash=\"2\">2020.toy-main.1</url><doi>10.18653/V1/2020.toy-main.1</doi></paper>\n"
#define END "</volume></collection>"
#define SEEN_VOLUME "[book] 2020 \"Proceedings of the Toy Workshop\" Itor, Ed " \
    "doi=10.18653/v1/2020.toy-main id=2020.toy-main\n"
#define SEEN_PAPER "[paper] 2020 \"BERT is a toy\" van der Code, Ada; Mononym | " \
    "Proceedings of the Toy Workshop doi=10.18653/v1/2020.toy-main.1 id=2020.toy-main.1\n"

TEST_PLAIN(papers_and_volumes_of_the_anthology_are_read)
{
    struct reader_rig rig;
    reader_rig_read(&rig, &reader_acl, VOLUME PAPER END);
    CHECK_OK(rig.err);
    CHECK_STR(SEEN_VOLUME SEEN_PAPER, rig.seen.at);
    CHECK_STR("", rig.faults.at);
    reader_rig_close(&rig);
}

TEST_PLAIN(a_journal_is_the_venue_and_a_paper_without_an_address_has_an_id)
{
    struct reader_rig rig;
    reader_rig_read(&rig, &reader_acl, "<collection id=\"J99\"><volume id=\"2\"><meta>"
        "<booktitle>CL, Volume 9</booktitle><year>1999</year>"
        "<journal-title>Computational Toys</journal-title></meta>"
        "<paper id=\"7\"><title>T</title><retracted date=\"2001\">by the author</retracted>"
        "</paper></volume><event id=\"e\"><meta><title>An event</title></meta></event>"
        "</collection>");
    CHECK_OK(rig.err);
    CHECK_STR("[article] 1999 \"T\" | Computational Toys id=J99-2.7 retraction=by the author\n",
              rig.seen.at);
    reader_rig_close(&rig);
}

TEST_PLAIN(a_file_of_the_anthology_that_is_broken_is_read_up_to_there)
{
    struct reader_rig rig;
    reader_rig_read(&rig, &reader_acl, VOLUME PAPER "<paper id=\"2\"></wrong>");
    CHECK_OK(rig.err);
    CHECK_STR(SEEN_VOLUME SEEN_PAPER, rig.seen.at);
    CHECK_STR("6: mismatched tag\n", rig.faults.at);
    reader_rig_close(&rig);
}

TEST_PLAIN(what_is_not_of_the_anthology_is_refused_and_named)
{
    struct reader_rig rig;
    reader_rig_read(&rig, &reader_acl, "<dblp></dblp>");
    CHECK_ERR(WR_INVALID, rig.err);
    CHECK_STR("1: this is no file of the ACL Anthology: it begins with <dblp>, not with "
              "<collection>\n", rig.faults.at);
    reader_rig_close(&rig);
}
