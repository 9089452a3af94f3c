#include "testing/source_rig.h"

#define MODS(inside) "<?xml version=\"1.0\"?><modsCollection xmlns=\"http://www.loc.gov/" \
    "mods/v3\">" \
    "<mods ID=\"x\">" inside "</mods></modsCollection>"
#define PERSON(given, family, role) "<name type=\"personal\"><namePart type=\"given\">" given \
    "</namePart><namePart type=\"family\">" family "</namePart><role><roleTerm>" role \
    "</roleTerm></role></name>"

TEST_PLAIN(a_paper_of_the_anthology_is_asked_for_by_id)
{
    CHECK_STR("https://aclanthology.org/2020.acl-main.1.xml",
              asked(&source_acl, SOURCE_BY_ACL, "2020.acl-main.1"));
    CHECK_STR("https://aclanthology.org/P18-1001.xml",
              asked(&source_acl, SOURCE_BY_ACL, "p18-1001"));
}

TEST_PLAIN(a_paper_of_the_anthology_becomes_a_record)
{
    CHECK_STR(
        "Quiet Words | Doe, Jane; Roe, R. | 2020 | Proceedings of Rivers | - | - | "
        "10.18653/v1/2020.acl-main.1 | - | 2020.acl-main.1",
        told(&source_acl, SOURCE_BY_ACL, "2020.acl-main.1",
             MODS("<titleInfo><title>Quiet Words</title></titleInfo>" PERSON("Jane", "Doe",
                                                                             "author")
                      PERSON(
                          "R.", "Roe",
                          "author") "<originInfo><dateIssued>2020-07</dateIssued></originInfo>"
                                    "<relatedItem type=\"host\"><titleInfo><title>Proceedings "
                                    "of Rivers</title></titleInfo>" PERSON(
                                        "Ed", "Itor",
                                        "editor") "<originInfo><dateIssued>1900</dateIssued></"
                                                  "originInfo></relatedItem>"
                                                  "<identifier "
                                                  "type=\"citekey\">doe-2020</identifier>"
                                                  "<identifier "
                                                  "type=\"doi\">10.18653/v1/2020.acl-main.1</"
                                                  "identifier>")));
}

TEST_PLAIN(a_page_of_the_anthology_is_no_record)
{
    CHECK_STR("Io: ACL Anthology: sent no record of a paper",
              told(&source_acl, SOURCE_BY_ACL, "x", "<html><title>404</title></html>"));
    CHECK_STR("Io: ACL Anthology: sent no record of a paper",
              told(&source_acl, SOURCE_BY_ACL, "x", MODS("")));
}
