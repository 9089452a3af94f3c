/* document_test.c - any file, by the one door. */
#include "extract/document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/run.h>

#include "testing/pack_rig.h"
#include "testing/test.h"

static struct wr_arena arena = WR_ARENA(EXTRACT_ARENA_MAX);
static struct extract_documents documents;
static char why[EXTRACT_WHY];

static wr_err read_with(const char *name, const char *bytes, size_t size, bool one_per_line)
{
    wr_arena_free(&arena);
    return extract_document(name, bytes, size,
                            &(struct extract_conf){ .deadline = WR_NEVER,
                                                    .one_per_line = one_per_line },
                            &arena, &documents, why);
}

static wr_err read_text(const char *name, const char *text)
{
    return read_with(name, text, strlen(text), false);
}

static const struct extract_document *first(void)
{
    static const struct extract_document none;
    return documents.count ? &documents.at[0] : &none;
}

static const char bib[] = "@misc{a, title={Title of A}}\n@misc{b, title={Title of B}}\n";

TEST(a_bib_file_has_its_references)
{
    CHECK_OK(read_text("refs.bib", bib));
    CHECK_EQ(1, documents.count);
    CHECK_STR("refs.bib", first()->name);
    CHECK_STR("BibTeX", first()->kind);
    REQUIRE(first()->references.count == 2);
    CHECK_STR("b", first()->references.at[1].key);
    CHECK_EQ(2, first()->references.at[1].line);
    CHECK(!first()->note);
}

TEST(the_faults_of_a_bib_file_are_told)
{
    CHECK_OK(read_text("refs.bib", "@misc{a, title={A} year=1}\n@misc{b, title={B\n"));
    CHECK_EQ(2, first()->fault_count);
    CHECK_STR("line 1: a comma is missing before this field; and 1 more of its sort",
              first()->note);
}

TEST(a_bbl_and_a_tex_are_read)
{
    CHECK_OK(read_text("a.bbl", "\\begin{thebibliography}{1}\n\\bibitem{x} A. B. Some thing."
                       "\n\\end{thebibliography}"));
    CHECK_STR("TeX", first()->kind);
    CHECK_EQ(1, first()->references.count);
    CHECK_OK(read_text("a.tex", "\\documentclass{a}\\bibliography{refs}"));
    CHECK_EQ(0, first()->references.count);
    CHECK_STR("its bibliography is in another file (refs): check the .bib or the .bbl",
              first()->note);
}

TEST(lines_can_be_references)
{
    static const char text[] = "A. Smith, First thing, 1999.\n\n@misc{x, y={B. Jones}}\n";
    CHECK_OK(read_with("a.txt", text, strlen(text), true));
    CHECK_STR("plain text", first()->kind);
    CHECK_EQ(2, first()->references.count);
}

TEST(tei_is_read_and_its_mistakes_are_told)
{
    CHECK_OK(read_text("a.xml", "<TEI><bibl>A. Smith. First thing. 1999.</bibl></TEI>"));
    CHECK_STR("TEI", first()->kind);
    CHECK_EQ(1, first()->references.count);
    CHECK_ERR(WR_INVALID, read_text("a.xml", "<TEI>\n<bibl>"));
    CHECK_STR("a.xml: the XML is not well formed at line 2", why);
}

TEST(latin_1_is_said)
{
    CHECK_OK(read_text("refs.bib", "@misc{a, title={G\xf6" "del}}"));
    CHECK_STR("it is not UTF-8 and was read as Latin-1", first()->note);
    REQUIRE(first()->references.count == 1);
    CHECK_STR("Gödel", first()->references.at[0].work.title);
}

TEST(what_is_no_document_is_refused_with_what_would_be_one)
{
    static const char image[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\1\0";
    CHECK_ERR(WR_INVALID, read_with("a.png", image, sizeof(image), false));
    CHECK_STR("a.png: it is no kind of file that can be read: PDF, BibTeX, TeX, Word (.docx), "
              "TEI, plain text, or zip and tar.gz with these", why);
    CHECK_OK(read_text("empty.txt", ""));
    CHECK_STR("no references were found in it", first()->note);
}

TEST(a_word_document_is_read_and_its_notes_where_it_has_no_list)
{
    static const char body[] = "<w:document xmlns:w='u'><w:p><w:r><w:t>Only "
                               "prose.</w:t></w:r></w:p>"
                               "</w:document>";
    static const char notes[] = "<w:footnotes xmlns:w='u'><w:p><w:r><w:t>Gödel, K.: Über "
                                "formal "
                                "unentscheidbare Sätze. Monatshefte 38, 173–198 "
                                "(1931)</w:t></w:r>"
                                "</w:p></w:footnotes>";
    struct rig_file files[] = { { "word/document.xml", body, strlen(body) },
                                { "word/footnotes.xml", notes, strlen(notes) } };
    CHECK_OK(read_with("a.docx", rig_packed, rig_pack("zip", files, 2), false));
    CHECK_STR("Word", first()->kind);
    CHECK_EQ(1, first()->references.count);
    CHECK_STR("it has no list of references: its notes were read", first()->note);
}

TEST(an_archive_has_a_document_for_each_file_with_references)
{
    static const char tex[] = "\\documentclass{a} no bibliography";
    struct rig_file files[] = { { "src/refs.bib", bib, strlen(bib) },
                                { "src/main.tex", tex, strlen(tex) },
                                { "src/fig.png", "x", 1 },
                                { "src/bad.xml", "<TEI>", 5 } };
    CHECK_OK(read_with("p.zip", rig_packed, rig_pack("zip", files, 4), false));
    REQUIRE(documents.count == 2);
    CHECK_STR("p.zip/src/refs.bib", documents.at[0].name);
    CHECK_EQ(2, documents.at[0].references.count);
    CHECK_STR("p.zip/src/bad.xml", documents.at[1].name);
    CHECK_EQ(WR_INVALID, documents.at[1].err);
    CHECK_STR("p.zip/src/bad.xml: the XML is not well formed at line 1", documents.at[1].note);
}

TEST(an_archive_with_nothing_of_use_is_refused)
{
    struct rig_file file = { "fig.png", "x", 1 };
    CHECK_ERR(WR_INVALID, read_with("p.zip", rig_packed, rig_pack("zip", &file, 1), false));
    CHECK_STR("p.zip: there is no file in it that has references", why);
}

TEST(a_compressed_file_is_read_by_its_name_without_the_ending)
{
    struct rig_file file = { "x", bib, strlen(bib) };
    CHECK_OK(read_with("refs.bib.gz", rig_packed, rig_pack("gz", &file, 1), false));
    CHECK_STR("refs.bib", first()->name);
    CHECK_EQ(2, first()->references.count);
}

TEST(an_archive_in_an_archive_is_opened_and_one_in_that_is_not)
{
    static char inner[65536], middle[65536];
    struct rig_file file = { "refs.bib", bib, strlen(bib) };
    size_t size = rig_pack("zip", &file, 1);
    memcpy(inner, rig_packed, size);
    struct rig_file once = { "inner.zip", inner, size };
    size = rig_pack("zip", &once, 1);
    memcpy(middle, rig_packed, size);
    CHECK_OK(read_with("p.zip", middle, size, false));
    CHECK_STR("p.zip/inner.zip/refs.bib", first()->name);
    CHECK_EQ(2, first()->references.count);
    struct rig_file twice = { "middle.zip", middle, size };
    size = rig_pack("zip", &twice, 1);
    CHECK_OK(read_with("p.zip", rig_packed, size, false));
    REQUIRE(documents.count == 1);
    CHECK_EQ(WR_DENIED, first()->err);
}

TEST(a_document_that_does_not_fit_its_arena_is_no_memory)
{
    struct wr_arena small = WR_ARENA(2000);
    CHECK_ERR(WR_NOMEM, extract_document("refs.bib", bib, strlen(bib),
                                         &(struct extract_conf){ .deadline = WR_NEVER }, &small,
                                         &documents, why));
    CHECK_STR("refs.bib: it needs more memory than it gets", why);
    wr_arena_free(&small);
}

/* ---- with pdftotext ---- */

static const char pdf[] = "%PDF-1.4\nnothing";

static wr_err ask_pdf(void *arg)
{
    (void)arg;
    CHECK_ERR(WR_UNSUPPORTED, extract_document("a.pdf", pdf, strlen(pdf),
                                               &(struct extract_conf){
                                                   .deadline = wr_after(WR_S(30)),
                                                   .pdftotext = "/none/pdftotext" },
                                               &arena, &documents, why));
    return WR_OK;
}

TEST_PLAIN(a_pdf_without_its_reader_is_refused_by_name)
{
    wr_arena_free(&arena);
    CHECK_OK(wr_run(&(struct wr_run_conf){ 0 }, ask_pdf, NULL));
    CHECK(strstr(why, "a.pdf: PDF is read by pdftotext, which is not installed"));
}
