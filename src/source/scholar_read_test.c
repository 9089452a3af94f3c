#include "source/scholar_read.h"

#include <stdio.h>

#include "testing/test.h"

#define S2_ID "649def34f8be52c8b66281af98ae884c09aef38b"

static struct wr_arena arena = { .max = 4 << 20 };
static struct scholar_found found;
static struct source_question question;
static struct source_reading reading;

static wr_err read_status(const struct source_driver *driver, enum scholar_shape shape,
                          unsigned status, const char *bytes)
{
    wr_arena_free(&arena);
    found = (struct scholar_found){ 0 };
    question = (struct source_question){
        .by = shape == SCHOLAR_LIST ? SOURCE_BY_TITLE : SOURCE_BY_DOI, .text = "10.1/x" };
    reading = (struct source_reading){ .driver = driver, .arena = &arena,
                                       .question = &question };
    return scholar_read(&found, &reading, shape, &(struct source_reply){
        .status = status, .bytes = bytes, .len = strlen(bytes) });
}

static wr_err read_it(const struct source_driver *driver, enum scholar_shape shape,
                      const char *bytes)
{
    return read_status(driver, shape, 200, bytes);
}

/* As its published schema has it. */
#define S2_PAPER(id, title) \
    "{\"paperId\":\"" id "\",\"title\":\"" title \
    "\",\"abstract\":\"Rivers are <i>quiet</i>.\"," \
    "\"venue\":\"Rivers\",\"year\":2021,\"citationCount\":12,\"referenceCount\":34," \
    "\"isOpenAccess\":true,\"openAccessPdf\":{\"url\":\"https://a.example/r.pdf\"," \
    "\"status\":\"GREEN\"},\"externalIds\":{\"DOI\":\"10.1000/" \
    "RIVER\",\"ArXiv\":\"2403.00108\"," \
    "\"PubMed\":\"31452104\",\"CorpusId\":5},\"authors\":[{\"authorId\":\"1\",\"name\":" \
    "\"Ada Lovelace\"},{\"authorId\":null,\"name\":\"Grace Hopper\"}]}"

TEST_PLAIN(a_paper_of_semantic_scholar_is_read_with_all_it_has)
{
    CHECK_OK(read_it(&source_semantic_scholar, SCHOLAR_ONE, S2_PAPER(S2_ID, "Quiet Rivers.")));
    REQUIRE(found.count == 1);
    const struct scholar_paper *paper = &found.papers[0];
    CHECK_EQ(SCHOLAR_SEMANTIC_SCHOLAR, paper->api);
    CHECK_STR(S2_ID, paper->id);
    CHECK_STR("Quiet Rivers", paper->title);
    CHECK_STR("Rivers are quiet.", paper->abstract);
    CHECK_STR("Rivers", paper->venue);
    CHECK_EQ(2021, paper->year);
    CHECK_EQ(12, paper->citations);
    CHECK_EQ(34, paper->references);
    CHECK_STR("https://a.example/r.pdf", paper->pdf);
    CHECK_STR("10.1000/river", paper->doi);
    CHECK_STR("2403.00108", paper->arxiv);
    CHECK_STR("31452104", paper->pmid);
    REQUIRE(paper->author_count == 2);
    CHECK_STR("Ada Lovelace", paper->authors[0]);
    CHECK_STR("Grace Hopper", paper->authors[1]);
}

#define WORK_OPEN \
    "{\"id\":\"https://openalex.org/W2741809807\",\"title\":\"Quiet Rivers\"," \
    "\"doi\":\"https://doi.org/10.1000/RIVER\",\"publication_year\":2021," \
    "\"ids\":{\"openalex\":\"https://openalex.org/W2741809807\"," \
    "\"pmid\":\"https://pubmed.ncbi.nlm.nih.gov/31452104\"},\"cited_by_count\":12," \
    "\"referenced_works_count\":34,\"open_access\":{\"is_oa\":true,\"oa_url\":" \
    "\"https://a.example/oa\"},\"primary_location\":{\"landing_page_url\":" \
    "\"https://arxiv.org/abs/2403.00108\",\"pdf_url\":null,\"source\":{\"display_name\":" \
    "\"Rivers\"}},\"authorships\":[{\"author\":{\"display_name\":\"Ada Lovelace\"}}]"
#define WORK(more) WORK_OPEN more "}"

TEST_PLAIN(a_work_of_openalex_is_read_with_all_it_has)
{
    CHECK_OK(read_it(&source_openalex, SCHOLAR_ONE, WORK(",\"abstract_inverted_index\":"
                     "{\"are\":[1],\"Rivers\":[0,3],\"quiet;\":[2],\"flow.\":[4]}")));
    REQUIRE(found.count == 1);
    const struct scholar_paper *paper = &found.papers[0];
    CHECK_EQ(SCHOLAR_OPENALEX, paper->api);
    CHECK_STR("W2741809807", paper->id);
    CHECK_STR("Quiet Rivers", paper->title);
    CHECK_STR("Rivers are quiet; Rivers flow.", paper->abstract);
    CHECK_STR("Rivers", paper->venue);
    CHECK_EQ(2021, paper->year);
    CHECK_EQ(12, paper->citations);
    CHECK_EQ(34, paper->references);
    CHECK_STR("https://a.example/oa", paper->pdf);
    CHECK_STR("10.1000/river", paper->doi);
    CHECK_STR("2403.00108", paper->arxiv);
    CHECK_STR("31452104", paper->pmid);
    REQUIRE(paper->author_count == 1);
    CHECK_STR("Ada Lovelace", paper->authors[0]);
}

TEST_PLAIN(positions_that_cannot_be_are_passed_over)
{
    static const struct { const char *index, *abstract; } cases[] = {
        { "{}", NULL },
        { "null", NULL },
        { "[1,2]", NULL },
        { "{\"a\":[-1],\"b\":[4096],\"c\":[9223372036854775807]}", NULL },
        { "{\"a\":[1.5],\"b\":\"0\",\"c\":{},\"d\":[null],\"e\":[[0]]}", NULL },
        { "{\"last\":[4095],\"first\":[0]}", "first last" },
        { "{\"one\":[7],\"two\":[7]}", "one" },             /* whoever came first has it */
        { "{\"<b>x</b>\":[0],\"&amp;\":[1]}", "x &" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char text[2000];
        snprintf(text, sizeof(text), WORK(",\"abstract_inverted_index\":%s"), cases[i].index);
        CHECK_OK(read_it(&source_openalex, SCHOLAR_ONE, text));
        REQUIRE(found.count == 1);
        const char *abstract = found.papers[0].abstract;
        if (cases[i].abstract)
            CHECK_STR(cases[i].abstract, abstract);
        else
            CHECK(!abstract);
    }
}

TEST_PLAIN(an_abstract_that_is_too_long_is_cut)
{
    struct wr_text text = wr_text_heap(1 << 20);
    wr_text_str(&text, "{\"id\":\"https://openalex.org/W1\",\"title\":\"x\","
                       "\"abstract_inverted_index\":{\"");
    for (int i = 0; i < 100; i++)
        wr_text_str(&text, "word");
    wr_text_str(&text, "\":[0");
    for (int i = 1; i < 4000; i++)
        wr_text_format(&text, ",%d", i);
    wr_text_str(&text, "]}}");
    CHECK_OK(read_it(&source_openalex, SCHOLAR_ONE, text.at));
    REQUIRE(found.count == 1);
    CHECK(strlen(found.papers[0].abstract) <= 8192 && strlen(found.papers[0].abstract) > 7000);
    wr_text_free(&text);
}

TEST_PLAIN(links_hold_the_paper_they_lead_to)
{
    CHECK_OK(read_it(&source_semantic_scholar, SCHOLAR_CITED,
                     "{\"offset\":0,\"data\":[{\"citedPaper\":" S2_PAPER(S2_ID, "One") "},"
                     "{\"citedPaper\":{\"paperId\":null,\"title\":\"Nobody knows it\"}},"
                     "{\"citingPaper\":" S2_PAPER(S2_ID, "Two") "}]}"));
    CHECK_EQ(1, found.count);
    CHECK_OK(read_it(&source_semantic_scholar, SCHOLAR_CITING,
                     "{\"data\":[{\"citingPaper\":" S2_PAPER(S2_ID, "Two") "}]}"));
    REQUIRE(found.count == 1);
    CHECK_STR("Two", found.papers[0].title);
    CHECK_OK(read_it(&source_semantic_scholar, SCHOLAR_CITED, "{\"data\":null}"));
    CHECK_EQ(0, found.count);                       /* its publisher does not tell */
}

TEST_PLAIN(of_what_a_work_cites_there_are_ids_first)
{
    CHECK_OK(read_it(&source_openalex, SCHOLAR_IDS,
                     "{\"id\":\"https://openalex.org/W1\",\"referenced_works\":["
                     "\"https://openalex.org/W22\",\"https://openalex.org/A3\",7,\"W4\"]}"));
    REQUIRE(found.count == 3);
    CHECK_STR("W1", found.papers[0].id);
    CHECK_STR("W22", found.papers[1].id);
    CHECK_STR("W4", found.papers[2].id);
    CHECK_ERR(WR_IO, read_it(&source_openalex, SCHOLAR_IDS, "{\"referenced_works\":[]}"));
}

TEST_PLAIN(a_search_that_finds_nothing_is_no_error)
{
    CHECK_OK(read_it(&source_openalex, SCHOLAR_LIST,
                     "{\"meta\":{\"count\":0},\"results\":[]}"));
    CHECK_EQ(0, found.count);
    CHECK_OK(read_it(&source_semantic_scholar, SCHOLAR_LIST, "{\"total\":0,\"offset\":0}"));
    CHECK_EQ(0, found.count);
}

TEST_PLAIN(what_is_no_answer_is_an_error_and_finds_nothing)
{
    static const struct { const char *bytes; enum scholar_shape shape; } cases[] = {
        { "", SCHOLAR_LIST },
        { "<html>sorry</html>", SCHOLAR_LIST },
        { "{\"results\":{}}", SCHOLAR_LIST },
        { "{\"error\":\"quota\"}", SCHOLAR_LIST },
        { "[]", SCHOLAR_LIST },
        { "{\"results\":[", SCHOLAR_LIST },
        { "{}", SCHOLAR_ONE },
        { "{\"id\":\"https://openalex.org/W1\"}", SCHOLAR_ONE },
        { "{\"title\":\"x\",\"id\":\"https://evil.example/?\"}", SCHOLAR_ONE },
        { "null", SCHOLAR_ONE },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        CHECK_ERR(WR_IO, read_it(&source_openalex, cases[i].shape, cases[i].bytes));
        CHECK(strncmp(reading.why, "OpenAlex: sent ", 15) == 0);
        CHECK_EQ(0, found.count);
    }
}

TEST_PLAIN(a_status_says_what_became_of_the_question)
{
    CHECK_ERR(WR_NOTFOUND, read_status(&source_openalex, SCHOLAR_ONE, 404, "{}"));
    CHECK_ERR(WR_IO, read_status(&source_openalex, SCHOLAR_LIST, 404, "{}"));
    CHECK_ERR(WR_DENIED, read_status(&source_openalex, SCHOLAR_LIST, 403, "{}"));
    CHECK_ERR(WR_BUSY, read_status(&source_semantic_scholar, SCHOLAR_LIST, 429, "{}"));
    CHECK_ERR(WR_INVALID, read_status(&source_semantic_scholar, SCHOLAR_ONE, 400, "{}"));
    CHECK_ERR(WR_IO, read_status(&source_semantic_scholar, SCHOLAR_ONE, 500, "{}"));
}

TEST_PLAIN(there_are_never_more_papers_or_authors_than_there_may_be)
{
    struct wr_text text = wr_text_heap(4 << 20);
    wr_text_str(&text, "{\"results\":[");
    for (int i = 0; i < 150; i++)
        wr_text_format(&text, "%s{\"id\":\"https://openalex.org/W%d\",\"title\":\"x\"}",
                       i ? "," : "", i + 1);
    wr_text_str(&text, "]}");
    CHECK_OK(read_it(&source_openalex, SCHOLAR_LIST, text.at));
    CHECK_EQ(SCHOLAR_LIMIT_MAX, found.count);
    wr_text_rewind(&text, 0);
    wr_text_str(&text, "{\"id\":\"https://openalex.org/W1\",\"title\":\"x\",\"authorships\":[");
    for (int i = 0; i < 300; i++)
        wr_text_format(&text, "%s{\"author\":{\"display_name\":\"A %d\"}}", i ? "," : "", i);
    wr_text_str(&text, "]}");
    CHECK_OK(read_it(&source_openalex, SCHOLAR_ONE, text.at));
    CHECK_EQ(SCHOLAR_AUTHORS_MAX, found.papers[0].author_count);
    wr_text_free(&text);
}

TEST_PLAIN(an_answer_for_which_there_is_no_room_is_refused_whole)
{
    arena.max = 2000;
    CHECK_ERR(WR_NOMEM, read_it(&source_openalex, SCHOLAR_ONE, WORK("")));
    CHECK_EQ(0, found.count);
    arena.max = 4 << 20;
}
