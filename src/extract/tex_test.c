/* tex_test.c - where bibliographies are in TeX. */
#include "extract/tex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testing/test.h"

static struct wr_arena arena = WR_ARENA((size_t)64 << 20);
static struct extract_tex tex;

static size_t read_tex(const char *text)
{
    wr_arena_free(&arena);
    CHECK_OK(extract_tex(text, strlen(text), &arena, &tex));
    return tex.references.count;
}

static const struct bib_reference *ref(size_t i)
{
    static const struct bib_reference none;
    return i < tex.references.count ? &tex.references.at[i] : &none;
}

TEST_PLAIN(items_of_every_bibliography_are_found_with_their_lines)
{
    REQUIRE(read_tex("\\documentclass{article}\n\\begin{thebibliography}{9}\n"
                     "\\bibitem{a} A. Smith. First thing.\n\\bibitem[B(99)]{b}\nB. Jones.\n"
                     "Second.\n\n\\end{thebibliography} not this\n\\bibitem{no} none\n"
                     "\\begin{thebibliography}{9} \\bibitem{c} C \\end{thebibliography}") == 3);
    CHECK_STR("a", ref(0)->key);
    CHECK_STR("A. Smith. First thing.", ref(0)->raw);
    CHECK_EQ(3, ref(0)->line);
    CHECK_EQ(3, ref(0)->line_end);
    CHECK_STR("B. Jones. Second.", ref(1)->raw);
    CHECK_EQ(4, ref(1)->line);
    CHECK_EQ(6, ref(1)->line_end);
    CHECK_STR("c", ref(2)->key);
    CHECK_EQ(3, ref(2)->number);
}

TEST_PLAIN(a_list_without_an_environment_is_read)
{
    CHECK_EQ(2, read_tex("\\bibitem{a} A.\n\\bibitem{b} B.\n\\bibitemsep"));
}

TEST_PLAIN(comments_are_no_text_and_keep_their_lines)
{
    REQUIRE(read_tex("% \\bibitem{no} x\n\\bibitem{a} 100\\% of inter%\n   national % note\n"
                     "\\url{http://a.b/%20c} end\n\\bibitem{b} B") == 2);
    CHECK_STR("100% of international http://a.b/%20c end", ref(0)->raw);
    CHECK_EQ(2, ref(0)->line);
    CHECK_EQ(4, ref(0)->line_end);
    CHECK_EQ(5, ref(1)->line);
}

TEST_PLAIN(files_with_the_bibliography_are_named)
{
    CHECK_EQ(0, read_tex("\\bibliography{refs, more}\n"));
    CHECK_STR("refs,more", tex.elsewhere);
    CHECK_EQ(0, read_tex("\\addbibresource[x=y]{refs.bib}"));
    CHECK_STR("refs.bib", tex.elsewhere);
    CHECK_EQ(0, read_tex("% \\bibliography{refs}\n\\bibliographystyle{plain}"));
    CHECK(!tex.elsewhere);
}

TEST_PLAIN(commands_are_found_as_whole_words)
{
    static const char text[] = "\\namex \\name";
    CHECK(extract_tex_find(text, text + strlen(text), "\\name") == text + 7);
    CHECK(!extract_tex_find(text, text + 6, "\\name"));
}

TEST_PLAIN(an_argument_is_what_its_braces_hold)
{
    static const char text[] = " \n{a{b}\\}c} d";
    struct extract_argument argument;
    REQUIRE(extract_tex_argument(text, text + strlen(text), &argument));
    CHECK_EQ(7, argument.len);
    CHECK(memcmp(argument.at, "a{b}\\}c", 7) == 0);
    CHECK_STR(" d", argument.behind);
    CHECK(!extract_tex_argument("x{a}", text, &argument));
    CHECK(!extract_tex_argument(text, text + 6, &argument));
    CHECK(argument.behind == text + 6);
}

TEST_PLAIN(there_is_an_end_to_items)
{
    static char text[(size_t)(EXTRACT_ITEMS_MAX + 5) * 12 + 1];
    for (size_t i = 0; i + 12 < sizeof(text); i += 12)
        memcpy(text + i, "\\bibitem{a}x", 13);
    CHECK_EQ(EXTRACT_ITEMS_MAX, read_tex(text));
    CHECK(tex.cut);
}

TEST_PLAIN(a_megabyte_of_any_command_is_read_in_linear_time)
{
    static const char *const signs[] = { "\\url{", "\\bibitem{", "\\entry{a}{",
                                         "\\entry\\field{", "%",
                                         "\\endentry\\entry{a}{b}\\name{a}{{", "\\bibinfo{" };
    static char text[1 << 20];
    size_t size = sizeof(text);
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
        size_t len = strlen(signs[i]);
        for (size_t at = 0; at < size; at++)
            text[at] = signs[i][at % len];
        struct wr_arena big = WR_ARENA((size_t)512 << 20);
        CHECK_OK(extract_tex(text, size, &big, &tex));
        wr_arena_free(&big);
    }
}
