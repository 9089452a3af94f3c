/* ident_arxiv_test.c - both forms of arXiv's numbers. */
#include <string.h>

#include "biblio/ident.h"
#include "biblio/ident_int.h"
#include "testing/test.h"

static char buf[IDENT_NAME_MAX];

static const char *arxiv(const char *text)
{
    struct wr_text out = WR_TEXT(buf);
    struct rest rest = { text, strlen(text) };
    return ident_match_arxiv(rest, &out) ? buf : NULL;
}

TEST_PLAIN(every_marker_of_arxiv_is_known)
{
    CHECK_STR("2403.00108", arxiv("arXiv:2403.00108v1"));
    CHECK_STR("2403.00108", arxiv("ArXiv preprint 2403.00108"));
    CHECK_STR("2403.00108", arxiv("arxiv.org/abs/2403.00108"));
    CHECK_STR("2403.00108", arxiv("arxiv.org/pdf/2403.00108v2.pdf"));
    CHECK_STR("1706.03762", arxiv("CoRR, abs/1706.03762"));
    CHECK_STR("1706.03762", arxiv("abs/1706.03762"));
    CHECK(!arxiv("2403.00108"));
}

TEST_PLAIN(an_old_number_loses_its_subject_class_and_needs_no_marker)
{
    CHECK_STR("math/0309136", arxiv("math.GT/0309136"));
    CHECK_STR("hep-th/9711200", arxiv("hep-th/9711200v3"));
    CHECK_STR("math-ph/0309136", arxiv("arXiv:math-ph/0309136"));
    CHECK(!arxiv("cs/education"));
}

TEST_PLAIN(a_number_goes_on_behind_a_broken_line)
{
    CHECK_STR("2412.02349", arxiv("arXiv:2412.02\n349"));
    CHECK_STR("2412.02349", arxiv("arXiv:2412.\n02349"));
    CHECK_STR("0704.0001", arxiv("arXiv:0704.0001\n5"));
    CHECK_STR("1801.0123", arxiv("arXiv:1801.0123\n2018"));
}

TEST_PLAIN(a_number_arxiv_cannot_have_given_is_known)
{
    CHECK(bib_ident_arxiv_possible("2403.00108", 2026, 11));
    CHECK(bib_ident_arxiv_possible("0704.0001", 2026, 11));
    CHECK(bib_ident_arxiv_possible("hep-th/9711200", 2026, 11));
    CHECK(!bib_ident_arxiv_possible("2413.00108", 2026, 11));
    CHECK(!bib_ident_arxiv_possible("2400.00108", 2026, 11));
    CHECK(!bib_ident_arxiv_possible("2612.00108", 2026, 11));
    CHECK(!bib_ident_arxiv_possible("0703.0001", 2026, 11));
    CHECK(!bib_ident_arxiv_possible("2403.0010", 2026, 11));
    CHECK(!bib_ident_arxiv_possible("hep-th/0801200", 2026, 11));
    CHECK(!bib_ident_arxiv_possible("", 2026, 11));
}
