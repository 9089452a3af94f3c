/* html_meta_test.c - what a page states about itself. */
#include "extract/html_meta.h"

#include "testing/page_rig.h"

TEST_PLAIN(title_language_description_and_address_are_read)
{
    struct page_rig rig;
    page_open(&rig, "<html lang=pt-BR><title> A\n&amp; B </title><meta name=Description "
              "content=' What it\n is '><link rel='alternate' href=/no><link rel=canonical "
              "href='/page'><p>x");
    CHECK_STR("A & B", rig.page.title);
    CHECK_STR("pt-BR", rig.page.language);
    CHECK_STR("What it is", rig.page.description);
    CHECK_STR("https://example.org/page", rig.page.canonical);
    page_close(&rig);
}

TEST_PLAIN(what_is_not_stated_is_null)
{
    struct page_rig rig;
    page_open(&rig, "<p>x");
    CHECK(!rig.page.title && !rig.page.language && !rig.page.description);
    CHECK(!rig.page.canonical && !rig.page.published && !rig.page.citation.doi);
    CHECK(!rig.page.citation.title && !rig.page.citation.pdf_url);
    CHECK_EQ(0, rig.page.citation.author_count);
    CHECK(!rig.page.noindex && !rig.page.nofollow);
    page_close(&rig);
}

TEST_PLAIN(words_for_other_sites_stand_in_for_those_of_the_page)
{
    struct page_rig rig;
    page_open(&rig, "<meta property='og:title' content=T><meta property='og:url' "
              "content='https://x.example/y'><meta property='og:description' content=D>");
    CHECK_STR("T", rig.page.title);
    CHECK_STR("https://x.example/y", rig.page.canonical);
    CHECK_STR("D", rig.page.description);
    page_close(&rig);
}

static void published(const char *page, const char *want)
{
    struct page_rig rig;
    page_open(&rig, page);
    CHECK_STR(want, rig.page.published);
    page_close(&rig);
}

TEST_PLAIN(the_day_of_publication_is_found_wherever_it_is_stated)
{
    published("<meta property='article:published_time' content='2020-01-02T03:04'>",
              "2020-01-02");
    published("<meta name=citation_publication_date content='2020/01/02'>", "2020-01-02");
    published("<meta name=date content=soon><meta name=dc.date content=2019>", "2019");
    published("<p>a<time itemprop=datePublished datetime=2018-05-06>May</time>", "2018-05-06");
    published("<script type='application/ld+json'>{\"datePublished\":\"2017-08-09\"}</script>",
              "2017-08-09");
}

TEST_PLAIN(robots_are_told_what_not_to_do)
{
    struct page_rig rig;
    page_open(&rig, "<meta name=robots content='noindex, follow'>");
    CHECK(rig.page.noindex && !rig.page.nofollow);
    page_close(&rig);
    page_open(&rig, "<meta name=ROBOTS content=NONE>");
    CHECK(rig.page.noindex && rig.page.nofollow);
    page_close(&rig);
}

TEST_PLAIN(a_citation_is_read)
{
    struct page_rig rig;
    page_open(&rig, "<meta name=citation_title content='On Bridges'><meta name=citation_author "
              "content='Ada A'><meta name=citation_author content='Bo B'><meta "
              "name=citation_doi content='doi:10.5555/12345'><meta name=citation_pdf_url "
              "content='/a.pdf'>");
    CHECK_STR("On Bridges", rig.page.citation.title);
    CHECK_STR("10.5555/12345", rig.page.citation.doi);
    CHECK_STR("https://example.org/a.pdf", rig.page.citation.pdf_url);
    REQUIRE(rig.page.citation.author_count == 2);
    CHECK_STR("Ada A", rig.page.citation.authors[0]);
    CHECK_STR("Bo B", rig.page.citation.authors[1]);
    page_close(&rig);
}

TEST_PLAIN(an_identifier_that_is_no_doi_is_none)
{
    struct page_rig rig;
    page_open(&rig, "<meta name=dc.identifier content='urn:isbn:10.1'>");
    CHECK(!rig.page.citation.doi);
    page_close(&rig);
}
