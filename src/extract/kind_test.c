/* kind_test.c - files are known by what is in them. */
#include "extract/kind.h"

#include <string.h>

#include "testing/pack_rig.h"
#include "testing/test.h"

static enum extract_kind text_kind(const char *text, const char *name)
{
    return extract_text_kind(text, strlen(text), name);
}

TEST_PLAIN(bytes_tell_pdf_archives_and_xml)
{
    static const struct rig_file word = { "word/document.xml", "x", 1 }, other = { "a", "x",
                                                                                   1 };
    CHECK_EQ(EXTRACT_PDF, extract_kind_of("junk\n%PDF-1.7", 13));
    CHECK_EQ(EXTRACT_TEI, extract_kind_of(" <?xml?><TEI>", 13));
    CHECK_EQ(EXTRACT_TEI, extract_kind_of("\xef\xbb\xbf<TEI>", 8));
    CHECK_EQ(EXTRACT_TEXT, extract_kind_of("the <TEI> format", 16));
    CHECK_EQ(EXTRACT_TEXT, extract_kind_of("", 0));
    size_t size = rig_pack("zip", &word, 1);
    CHECK_EQ(EXTRACT_DOCX, extract_kind_of(rig_packed, size));
    size = rig_pack("zip", &other, 1);
    CHECK_EQ(EXTRACT_ARCHIVE, extract_kind_of(rig_packed, size));
    size = rig_pack("tar.gz", &other, 1);
    CHECK_EQ(EXTRACT_ARCHIVE, extract_kind_of(rig_packed, size));
}

TEST_PLAIN(text_is_known_by_its_commands_and_then_by_its_name)
{
    CHECK_EQ(EXTRACT_BIBTEX, text_kind("hello\n  @Article{k, a = {b}}", "-"));
    CHECK_EQ(EXTRACT_BIBTEX, text_kind("% nothing yet", "refs.BIB"));
    CHECK_EQ(EXTRACT_BIBTEX, text_kind("@misc{k, note = {a \\bibitem}}", "a.bib"));
    CHECK_EQ(EXTRACT_TEX, text_kind("\\bibitem{a} b", "-"));
    CHECK_EQ(EXTRACT_TEX, text_kind("\\documentclass{x}\n@misc{k, a={b}}", "a.tex"));
    CHECK_EQ(EXTRACT_TEX, text_kind("\\entry{a}{b}\\endentry", "-"));
    CHECK_EQ(EXTRACT_TEX, text_kind("nothing", "a.tex"));
    CHECK_EQ(EXTRACT_TEXT, text_kind("References\n[1] A. B. C = d", "a.txt"));
    CHECK_EQ(EXTRACT_TEXT, text_kind("write to a\n@example.org = me", "-"));
    CHECK_EQ(EXTRACT_TEXT, text_kind("@misc{ no fields", "-"));
}

TEST_PLAIN(some_names_are_wanted_in_an_archive)
{
    CHECK(extract_kind_wanted("a/b.PDF") && extract_kind_wanted("x.tar.gz")
          && extract_kind_wanted("x.tei.xml"));
    CHECK(!extract_kind_wanted("fig.png") && !extract_kind_wanted("bib"));
    CHECK(!extract_kind_wanted(""));
    CHECK(extract_kind_typeset("main.bbl") && !extract_kind_typeset("fig1.pdf"));
}
