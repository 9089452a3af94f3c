/* tei_test.c - references in TEI. */
#include "extract/tei.h"

#include <string.h>

#include "testing/test.h"

static struct wr_arena arena = WR_ARENA((size_t)64 << 20);
static struct bib_references references;

static wr_err read_tei(const char *text, uint32_t *line)
{
    wr_arena_free(&arena);
    return extract_tei(text, strlen(text), &arena, &references, line);
}

static const char sample[] =
    "<?xml version=\"1.0\"?><TEI xmlns=\"http://www.tei-c.org/ns/1.0\"><teiHeader><biblStruct>"
    "<analytic><title level=\"a\">The paper itself</title></analytic></biblStruct></teiHeader>"
    "<text><back><listBibl>\n<biblStruct xml:id=\"b0\">\n<analytic>\n"
    "<title level=\"a\" type=\"main\">Attention is\n   all you need</title>\n"
    "<author><persName><forename type=\"first\">Ashish</forename><forename>X</forename>"
    "<surname>Vaswani</surname></persName></author>\n"
    "<author><persName><surname>Shazeer</surname></persName></author>\n"
    "<idno type=\"DOI\">10.5555/3295222</idno><idno type=\"arXiv\">arXiv:1706.03762v5</idno>"
    "<ptr target=\"https://example.org/paper\"/></analytic>\n"
    "<monogr><title level=\"m\">Advances in Neural Information Processing "
    "Systems</title><imprint>"
    "<biblScope unit=\"volume\">30</biblScope><biblScope unit=\"page\" from=\"5998\" "
    "to=\"6008\"/>"
    "<date type=\"published\" when=\"2017-12-04\">2017</date></imprint></monogr>"
    "<note type=\"raw_reference\">Vaswani et al., Attention is all you need, 2017.</note>"
    "</biblStruct>\n<biblStruct><monogr><title level=\"m\">Graph "
    "Theory</title><author><persName>"
    "<surname>Diestel</surname></persName></author><imprint><publisher>Springer</publisher>"
    "<date when=\"2005\"/></imprint></monogr></biblStruct>"
    "<biblStruct><monogr><title level=\"j\">Nature</title></monogr></biblStruct>"
    "</listBibl></back></text></TEI>";

TEST_PLAIN(a_structured_reference_is_read_by_its_names)
{
    uint32_t line;
    CHECK_OK(read_tei(sample, &line));
    REQUIRE(references.count == 3);
    const struct bib_reference *ref = &references.at[0];
    CHECK_STR("b0", ref->key);
    CHECK_STR("Attention is all you need", ref->work.title);
    CHECK_STR("Advances in Neural Information Processing Systems", ref->work.venue);
    REQUIRE(ref->work.author_count == 2);
    CHECK_STR("Vaswani", ref->work.authors[0].family);
    CHECK_STR("Ashish X", ref->work.authors[0].given);
    CHECK_STR("Shazeer", ref->work.authors[1].family);
    CHECK(!ref->work.authors[1].given);
    CHECK_EQ(2017, ref->work.year);
    CHECK_STR("30", ref->work.volume);
    CHECK_STR("5998–6008", ref->work.pages);
    CHECK_STR("10.5555/3295222", ref->work.doi);
    CHECK_STR("1706.03762", ref->work.arxiv_id);
    REQUIRE(ref->work.url_count == 1);
    CHECK_STR("https://example.org/paper", ref->work.urls[0]);
    CHECK_STR("Vaswani et al., Attention is all you need, 2017.", ref->raw);
    CHECK_EQ(BIB_PAPER, ref->work.kind);
}

TEST_PLAIN(a_book_has_its_title_in_the_monograph)
{
    uint32_t line;
    CHECK_OK(read_tei(sample, &line));
    REQUIRE(references.count == 3);
    const struct bib_reference *ref = &references.at[1];
    CHECK_STR("Graph Theory", ref->work.title);
    CHECK_STR("Springer", ref->work.venue);
    CHECK_EQ(BIB_BOOK, ref->work.kind);
    CHECK_EQ(2005, ref->work.year);
    CHECK_STR("Diestel. Graph Theory. Springer, 2005", ref->raw);
    CHECK_STR("it has neither a title nor an identifier", references.at[2].skip);
}

TEST_PLAIN(the_text_of_a_bibl_is_read)
{
    uint32_t line;
    CHECK_OK(read_tei("<TEI><listBibl><bibl><author>K. Gödel</author>. <title>On it</title>, "
                      "<date>1931</date>.</bibl></listBibl></TEI>", &line));
    REQUIRE(references.count == 1);
    CHECK_STR("K. Gödel. On it, 1931.", references.at[0].raw);
}

TEST_PLAIN(what_comes_before_a_mistake_is_kept)
{
    uint32_t line;
    CHECK_ERR(WR_INVALID, read_tei("<TEI><bibl>A. One. Two.</bibl>\n<bibl>", &line));
    CHECK_EQ(2, line);
    CHECK_EQ(1, references.count);
}
