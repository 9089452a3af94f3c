/* docx_test.c - paragraphs of Word. */
#include "extract/docx.h"

#include <string.h>

#include "testing/test.h"

static struct wr_arena arena = WR_ARENA((size_t)16 << 20);
static struct extract_lines lines;

static wr_err read_docx(const char *body)
{
    wr_arena_free(&arena);
    lines = (struct extract_lines){ 0 };
    return extract_docx(body, strlen(body), &arena, &lines);
}

static bool is(size_t i, const char *want)
{
    return i < lines.count && lines.at[i].len == strlen(want)
        && memcmp(lines.at[i].text, want, strlen(want)) == 0;
}

#define BEGIN "<w:document xmlns:w='u'><w:body>"
#define END "</w:body></w:document>"
#define LISTED "<w:p><w:pPr><w:numPr><w:ilvl w:val='0'/><w:numId w:val='3'/></w:numPr></w:pPr>"

TEST_PLAIN(a_paragraph_is_a_line)
{
    CHECK_OK(read_docx(BEGIN "<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t>One "
                             "</w:t></w:r>"
                       "<w:r><w:t>line</w:t><w:tab/><w:t>more</w:t></w:r></w:p><w:p/>"
                       "<w:p><w:r><w:t>a</w:t><w:br/><w:t>b</w:t></w:r></w:p>" END));
    REQUIRE(lines.count == 4);
    CHECK(is(0, "One line more") && is(1, "") && is(2, "a") && is(3, "b"));
    CHECK_EQ(4, lines.at[3].number);
}

TEST_PLAIN(what_a_reader_does_not_see_is_no_text)
{
    CHECK_OK(read_docx(BEGIN "<w:p><w:r><w:instrText>ADDIN "
                             "ZOTERO</w:instrText></w:r><w:del><w:r>"
                       "<w:delText>gone</w:delText></w:r></w:del><w:r><w:t>seen</w:t></w:r>"
                       "</w:p>"
                       END));
    REQUIRE(lines.count == 1);
    CHECK(is(0, "seen"));
}

TEST_PLAIN(numbers_that_word_writes_are_written_but_not_of_headings)
{
    CHECK_OK(read_docx(BEGIN "<w:p><w:pPr><w:pStyle w:val='Heading1'/><w:numPr><w:numId "
                             "w:val='3'/>"
                       "</w:numPr></w:pPr><w:r><w:t>References and other matters of the "
                       "text</w:t>"
                       "</w:r></w:p>" LISTED
                       "<w:r><w:t>Gödel, K.: Über unentscheidbare Sätze "
                       "(1931)</w:t></w:r></w:p>"
                       LISTED "<w:r><w:t>short</w:t></w:r></w:p>" LISTED
                       "<w:r><w:t>Turing, A.: On computable numbers "
                       "(1936)</w:t></w:r></w:p>" END));
    REQUIRE(lines.count == 4);
    CHECK(is(0, "References and other matters of the text"));
    CHECK(is(1, "[1] Gödel, K.: Über unentscheidbare Sätze (1931)"));
    CHECK(is(2, "short"));
    CHECK(is(3, "[2] Turing, A.: On computable numbers (1936)"));
}

TEST_PLAIN(a_damaged_document_is_refused)
{
    CHECK_ERR(WR_INVALID, read_docx(BEGIN "<w:p>"));
}

TEST_PLAIN(three_files_of_the_archive_are_wanted)
{
    CHECK(extract_docx_wanted("word/document.xml") && extract_docx_wanted("word/footnotes.xml")
          && extract_docx_wanted("word/endnotes.xml"));
    CHECK(!extract_docx_wanted("word/styles.xml"));
}
