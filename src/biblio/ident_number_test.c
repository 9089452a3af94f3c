/* ident_number_test.c - PubMed, ISBN, RFC, ePrint, ACL Anthology. */
#include <string.h>

#include "biblio/ident_int.h"
#include "testing/test.h"

static char buf[IDENT_NAME_MAX];

static const char *by(size_t (*match)(struct rest, struct wr_text *), const char *text)
{
    struct wr_text out = WR_TEXT(buf);
    struct rest rest = { text, strlen(text) };
    return match(rest, &out) ? buf : NULL;
}

TEST_PLAIN(numbers_of_pubmed_stand_behind_their_word_or_in_an_address)
{
    CHECK_STR("31452104", by(ident_match_pmid, "PMID: 31452104"));
    CHECK_STR("31452104", by(ident_match_pmid, "pubmed.ncbi.nlm.nih.gov/31452104/"));
    CHECK_STR("pmc6993921", by(ident_match_pmc, "PMC6993921"));
    CHECK(!by(ident_match_pmid, "PMID: none"));
}

TEST_PLAIN(an_isbn_with_a_wrong_check_digit_is_none)
{
    CHECK_STR("9780262033848", by(ident_match_isbn, "ISBN 978-0-262-03384-8"));
    CHECK_STR("0306406152", by(ident_match_isbn, "ISBN-10: 0-306-40615-2."));
    CHECK_STR("080442957x", by(ident_match_isbn, "ISBN 0-8044-2957-X"));
    CHECK(!by(ident_match_isbn, "ISBN 978-0-262-03384-7"));
}

TEST_PLAIN(an_rfc_is_known_by_its_number)
{
    CHECK_STR("8446", by(ident_match_rfc, "RFC 8446"));
    CHECK_STR("793", by(ident_match_rfc, "rfc0793"));
    CHECK(!by(ident_match_rfc, "RFC 123456"));
    CHECK(!by(ident_match_rfc, "RFCs"));
}

TEST_PLAIN(an_eprint_is_known_by_year_and_number)
{
    CHECK_STR("2019/123", by(ident_match_eprint, "ePrint Archive, Report 2019/123"));
    CHECK_STR("2019/1234", by(ident_match_eprint, "eprint.iacr.org/2019/1234.pdf"));
    CHECK(!by(ident_match_eprint, "ePrint 2019"));
}

TEST_PLAIN(a_paper_of_the_anthology_is_known_by_its_address)
{
    CHECK_STR("p19-1001", by(ident_match_acl, "aclanthology.org/P19-1001.pdf"));
    CHECK_STR("2020.acl-main.1", by(ident_match_acl, "aclanthology.org/2020.acl-main.1/"));
    CHECK_STR("n18-2012", by(ident_match_acl, "aclweb.org/anthology/N18-2012"));
    CHECK(!by(ident_match_acl, "aclanthology.org/events/"));
}
