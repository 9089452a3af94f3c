/* latex_test.c - TeX read as plain text. */
#include "biblio/latex.h"

#include <stdlib.h>
#include <string.h>

#include "testing/test.h"

#define ARENA_SIZE ((size_t)1 << 20)

static bool reads(const char *tex, const char *want)
{
    struct wr_arena arena = WR_ARENA(ARENA_SIZE);
    bool held = CHECK_STR(want, bib_latex(&arena, tex, strlen(tex)));
    wr_arena_free(&arena);
    return held;
}

TEST_PLAIN(an_accent_is_read_in_every_form_it_is_written_in)
{
    reads("M\\\"{u}ller M{\\\"u}ller M\\\"uller M{\\\"{u}}ller", "Müller Müller Müller Müller");
    reads("\\v{c} \\v c {\\v c} \\'{\\i} \\'\\i {\\'\\i}", "č č č í íí");
    reads("Fran\\c{c}ois Fran\\c cois Erd{\\H o}s \\k{a} \\d{s} \\u{g} \\r{a}",
          "François François Erdős ą ṣ ğ å");
    reads("\\' e \\`a \\^o \\~n \\=o \\.z", "é à ô ñ ō ż");
}

TEST_PLAIN(two_accents_meet_on_one_letter)
{
    reads("Nguy\\~{\\^e}n, H\\`{\\^o}", "Nguyễn, Hồ");
}

TEST_PLAIN(letters_of_other_languages_are_read)
{
    reads("Stra\\ss e Stra{\\ss}e \\O rsted \\L{}ukasz \\aa \\AE{} Bj\\o rn {\\i}",
          "Straße Straße Ørsted Łukasz åÆ Bjørn ı");
}

TEST_PLAIN(an_accent_over_nothing_is_the_sign_itself)
{
    reads("/\\~{}home \\^{}", "/~home ^");
    reads("\\'{} x \\\"", "x");
}

TEST_PLAIN(emphasis_goes_and_its_text_stays)
{
    reads("\\textit{In vivo} \\emph{a} {\\em b} {\\bf c} \\textsc{D} \\unknown{e}",
          "In vivo a b c D e");
}

TEST_PLAIN(protecting_braces_go)
{
    reads("{The} {{DNA}} of {P}ython", "The DNA of Python");
}

TEST_PLAIN(escaped_signs_are_themselves)
{
    reads("A \\& B 100\\% \\$5 \\#1 a\\_b \\{x\\}", "A & B 100% $5 #1 a_b {x}");
}

TEST_PLAIN(quotes_and_dashes_are_set)
{
    reads("``a'' `b' 1--2 c---d it's", "“a” ‘b' 1–2 c—d it's");
    reads("\\enquote{a \\emph{b} c}.", "“a b c”.");
}

TEST_PLAIN(spaces_of_all_kinds_are_one_space)
{
    reads("  a~b\\ c\\,d \n\t e\\\\f  ", "a b c d e f");
}

TEST_PLAIN(mathematics_is_what_can_be_read_in_a_line)
{
    reads("$k$-means, $O(n \\log n)$, $\\alpha_2 \\leq x^{2}$, H$_2$O, $\\frac{1}{2}$",
          "k-means, O(n log n), α2 ≤ x2, H2O, 1/2");
    reads("\\(\\ell_1\\) $\\mathcal{O}$ $\\mathrm{CO}_2$", "ℓ1 O CO2");
}

TEST_PLAIN(a_lone_dollar_is_money)
{
    reads("The $5 book", "The $5 book");
}

TEST_PLAIN(what_says_nothing_to_a_reader_goes_with_its_argument)
{
    reads("a\\label{x} b\\cite[p. 3]{y} \\href{http://x.y/z}{c} \\textcolor{red}{d}",
          "a b c d");
    reads("\\bibinfo {author} {\\bibfnamefont {A.} \\bibnamefont {B}}", "A. B");
    reads("\\texorpdfstring{$\\pi$}{pi}", "pi");
}

TEST_PLAIN(lengths_go_with_the_command_that_has_them)
{
    reads("a.\\hskip 1em plus 0.5em minus 0.4em\\relax In b\\penalty0 c", "a. In b c");
    reads("\\hskip 3 in words", "in words");
}

TEST_PLAIN(addresses_are_taken_as_they_stand)
{
    reads("see \\url{http://a.b/~c_d%20e--f$} now", "see http://a.b/~c_d%20e--f$ now");
    reads("\\url|http://a.b/_c| d", "http://a.b/_c d");
    reads("\\path{a\\_b}", "a_b");
}

TEST_PLAIN(a_line_that_was_broken_in_a_word_is_joined)
{
    reads("inter%\n  national", "international");
}

TEST_PLAIN(what_exports_of_other_formats_leave_behind_is_read)
{
    reads("R&amp;D R\\&amp;D a & b &lt;x&gt; it&#39;s &other;",
          "R&D R&D a & b <x> it's &other;");
    reads("<i>In vivo</i> H<sub>2</sub>O, a < b", "In vivo H2O, a < b");
}

TEST_PLAIN(utf_8_passes_and_what_is_none_is_marked)
{
    reads("Gödel 日本 \xff x\xc3", "Gödel 日本 \uFFFD x\uFFFD");
    reads("e\u0301\x01\x7f", "é");
}

TEST_PLAIN(literal_text_loses_its_escapes_only)
{
    struct wr_arena arena = WR_ARENA(ARENA_SIZE);
    static const char tex[] = "10.1000/{abc}\\_d--e\\textasciitilde{}f\n  \\string_"
                              "\\textunderscore g";
    CHECK_STR("10.1000/abc_d--e~f__g", bib_latex_literal(&arena, tex, strlen(tex)));
    CHECK_STR("http://a/~b", bib_latex_literal(&arena, "http://a/$\\sim$b", 16));
    wr_arena_free(&arena);
}

TEST_PLAIN(unfinished_tex_is_read_as_far_as_it_goes)
{
    static const char *const odd[] = {
        "\\", "{\\", "\\url", "\\url{", "\\url|x", "\\cite[", "\\'", "$", "$$", "}}}", "\\frac",
        "\\frac{", "\\hskip 1", "\\enquote{{{", "\\href{a", "\\\"\\\"\\\"\\\"\\\"u",
    };
    struct wr_arena arena = WR_ARENA(ARENA_SIZE);
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
        CHECK(bib_latex(&arena, odd[i], strlen(odd[i])));
    wr_arena_free(&arena);
}

TEST_PLAIN(a_million_braces_need_no_stack_and_little_time)
{
    static char braces[1 << 20];
    size_t len = sizeof(braces);
    memset(braces, '{', len);
    struct wr_arena arena = WR_ARENA(ARENA_SIZE);
    CHECK_STR("", bib_latex(&arena, braces, len));
    CHECK_EQ(0, bib_latex_group_end(braces, braces + len) - (braces + len));
    wr_arena_free(&arena);
}

TEST_PLAIN(a_full_arena_is_said)
{
    struct wr_arena arena = WR_ARENA(4);
    CHECK(!bib_latex(&arena, "longer", 6));
    CHECK(!bib_latex_literal(&arena, "longer", 6));
    wr_arena_free(&arena);
}
