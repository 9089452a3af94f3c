/* ident_doi_test.c - where a DOI ends. */
#include <string.h>

#include "biblio/ident.h"
#include "biblio/ident_int.h"
#include "testing/test.h"

static char buf[IDENT_NAME_MAX];

static const char *doi(const char *text)
{
    struct wr_text out = WR_TEXT(buf);
    struct rest rest = { text, strlen(text) };
    return ident_match_doi(rest, &out, false, false) ? buf : NULL;
}

static const char *in_address(const char *text)
{
    struct wr_text out = WR_TEXT(buf);
    struct rest rest = { text, strlen(text) };
    return ident_match_doi(rest, &out, false, true) ? buf : NULL;
}

TEST_PLAIN(a_doi_with_brackets_is_kept_whole)
{
    CHECK_STR("10.1016/0021-9681(87)90171-8", doi("10.1016/0021-9681(87)90171-8"));
    CHECK_STR("10.1016/0021-9681(87)90171-8", doi("10.1016/0021-9681(87)90171-8)."));
}

TEST_PLAIN(stops_at_the_end_belong_to_the_sentence)
{
    CHECK_STR("10.1000/abc", doi("10.1000/ABC., 2019"));
    CHECK_STR("10.1000/abc", doi("10.1000/abc];"));
}

TEST_PLAIN(a_doi_goes_on_behind_a_broken_line)
{
    CHECK_STR("10.1109/cvpr.2019.00528", doi("10.1109/CVPR.\n2019.00528."));
    CHECK_STR("10.1145/3133956.3134012", doi("10.1145/3133956.\n3134012"));
    CHECK_STR("10.1145/31339563", doi("10.1145/3133956\n3, 2"));
    CHECK_STR("10.1007/978-3-319", doi("10.1007/978-\n3-319"));
    CHECK_STR("10.1145/3133956", doi("10.1145/ 3133956"));
}

TEST_PLAIN(a_year_or_the_next_entry_behind_a_broken_line_is_no_part_of_it)
{
    CHECK_STR("10.1145/3133956", doi("10.1145/3133956.\n2019."));
    CHECK_STR("10.1145/3133956", doi("10.1145/3133956\n2019"));
    CHECK_STR("10.1145/3133956", doi("10.1145/3133956\n12. Smith"));
    CHECK_STR("10.1145/3133956", doi("10.1145/3133956\nSmith"));
}

TEST_PLAIN(an_old_doi_with_angle_brackets_is_kept_whole)
{
    CHECK_STR("10.1002/(sici)1097-0258(19980815/30)17:15/16<1661::aid-sim968>3.0.co;2-2",
              doi("10.1002/(SICI)1097-0258(19980815/30)17:15/16<1661::AID-SIM968>3.0.CO;2-2"));
    CHECK_STR("10.1000/a", doi("10.1000/a<b>"));
}

TEST_PLAIN(escapes_of_tex_and_of_addresses_are_undone)
{
    CHECK_STR("10.1007/978-3-319-46493-0_38", doi("10.1007/978-3-319-46493-0\\_38"));
    CHECK_STR("10.1016/0021(87)9", in_address("10.1016%2F0021%2887%299?via=ihub"));
}

TEST_PLAIN(what_has_no_registrant_or_no_suffix_is_no_doi)
{
    CHECK(!doi("10.12/abc"));
    CHECK(!doi("10.1234567890/abc"));
    CHECK(!doi("10.1145/"));
    CHECK(!doi("10.1145/..."));
}

TEST_PLAIN(a_doi_of_arxiv_has_no_version)
{
    CHECK_STR("10.48550/arxiv.2602.12271", doi("10.48550/arXiv.2602.12271v1"));
    CHECK_STR("2602.12271", bib_ident_doi_arxiv(buf));
    CHECK_STR("10.1000/paperv2", doi("10.1000/paperv2"));
    CHECK(!bib_ident_doi_arxiv(buf));
}
