/* ident_test.c - what is found in a text, where, and as what. */
#include "biblio/ident.h"

#include <string.h>

#include "testing/test.h"

static struct wr_arena arena = WR_ARENA(1 << 20);
static struct bib_ident all[BIB_IDENT_MAX];

static size_t find(const char *text)
{
    return bib_ident_find(all, BIB_IDENT_MAX, text, strlen(text), &arena);
}

TEST_PLAIN(identifiers_come_in_the_order_of_the_text_with_their_places)
{
    const char *text = "A. B. Title. arXiv:2403.00108v2, doi:10.1145/3658644.3691333.";
    REQUIRE(find(text) == 2);
    CHECK_EQ(BIB_ARXIV, all[0].kind);
    CHECK_STR("2403.00108", all[0].value);
    CHECK_EQ(13, all[0].at);
    CHECK_EQ(strlen("arXiv:2403.00108v2"), all[0].len);
    CHECK_EQ(BIB_DOI, all[1].kind);
    CHECK_STR("10.1145/3658644.3691333", all[1].value);
    CHECK_EQ(strlen("doi:10.1145/3658644.3691333"), all[1].len);
    wr_arena_free(&arena);
}

TEST_PLAIN(an_address_that_leads_to_an_identifier_is_that_identifier)
{
    REQUIRE(find("https://doi.org/10.1109/CVPR.2019.00528") == 1);
    CHECK_EQ(BIB_DOI, all[0].kind);
    REQUIRE(find("See https://arxiv.org/pdf/2403.00108v1.pdf.") == 1);
    CHECK_EQ(BIB_ARXIV, all[0].kind);
    CHECK_STR("2403.00108", all[0].value);
    CHECK_EQ(4, all[0].at);
    wr_arena_free(&arena);
}

TEST_PLAIN(an_address_of_a_publisher_is_followed_by_the_doi_in_it)
{
    REQUIRE(find("https://dl.acm.org/doi/abs/10.1145/3133956.3134012/full") == 2);
    CHECK_EQ(BIB_URL, all[0].kind);
    CHECK_STR("10.1145/3133956.3134012", all[1].value);
    CHECK_EQ(all[0].len, all[1].len);
    wr_arena_free(&arena);
}

TEST_PLAIN(what_follows_a_doi_in_an_address_stays_where_no_doi_would_be_left)
{
    REQUIRE(find("www.h10.10.111077.1/epdf") == 2);
    CHECK_STR("10.111077.1/epdf", all[1].value);
    REQUIRE(find("www.example.org/10.12345/.pdf") == 2);
    CHECK_STR("10.12345/.pdf", all[1].value);
    wr_arena_free(&arena);
}

TEST_PLAIN(a_doi_may_be_glued_to_its_marker_but_not_to_a_number)
{
    REQUIRE(find("DOI10.1000/xyz") == 1);
    CHECK_EQ(0, find("210.1000/xyz"));
    CHECK_EQ(0, find("pages 10.1 to 10.2"));
    wr_arena_free(&arena);
}

TEST_PLAIN(a_field_may_hold_an_identifier_in_any_dress)
{
    CHECK_STR("10.1609/aaai.v35i5.16550", bib_ident_doi(&arena, "10.1609/AAAI.V35I5.16550"));
    CHECK_STR("10.1000/x", bib_ident_doi(&arena, "http://dx.doi.org/10.1000/X"));
    CHECK(!bib_ident_doi(&arena, "forthcoming"));
    CHECK_STR("2403.00108", bib_ident_arxiv(&arena, "2403.00108v3"));
    CHECK_STR("2403.00108", bib_ident_arxiv(&arena, "arXiv preprint arXiv:2403.00108"));
    CHECK_STR("2403.00108", bib_ident_arxiv(&arena, "https://arxiv.org/abs/2403.00108"));
    CHECK_STR("2602.12271", bib_ident_arxiv(&arena, "10.48550/arXiv.2602.12271v1"));
    CHECK(!bib_ident_arxiv(&arena, "ICML 2020"));
    wr_arena_free(&arena);
}

TEST_PLAIN(no_more_than_asked_for_are_found)
{
    CHECK_EQ(2, bib_ident_find(all, 2, "RFC 1 RFC 2 RFC 3", 17, &arena));
    wr_arena_free(&arena);
}

TEST_PLAIN(a_full_arena_ends_the_search_without_harm)
{
    struct wr_arena none = WR_ARENA(0);
    CHECK_EQ(0, bib_ident_find(all, BIB_IDENT_MAX, "doi:10.1000/x RFC 1", 19, &none));
    CHECK(none.full);
}
