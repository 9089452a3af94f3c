/* bibitem_test.c - items of the common styles. */
#include "extract/bibitem.h"

#include <string.h>

#include "testing/test.h"

static struct wr_arena arena = WR_ARENA((size_t)64 << 20);

static const struct bib_reference *item(const char *text)
{
    static struct bib_references references;
    static const struct bib_reference none;
    struct extract_item one = { text, text + strlen(text), 3, 5 };
    wr_arena_free(&arena);
    if (!CHECK_OK(extract_items(&one, 1, &arena, &references)) || !CHECK(references.count == 1))
        return &none;
    return references.at;
}

TEST_PLAIN(an_item_of_the_acm_is_read_by_its_names)
{
    const struct bib_reference *ref = item(
        "\\bibitem[Diffie and Hellman(1976)]\n        {DH76}\n"
        "\\bibfield{author}{\\bibinfo{person}{Whitfield Diffie} {and}\n"
        "  \\bibinfo{person}{Martin~E. Hellman}.} \\bibinfo{year}{1976}\\natexlab{}.\n"
        "\\newblock \\showarticletitle{New Directions in Cryptography}.\n"
        "\\newblock \\bibinfo{journal}{{\\em IEEE Trans. Inf. Theory}} \\bibinfo{volume}{22},\n"
        "  \\bibinfo{number}{6} (\\bibinfo{year}{1976}), \\bibinfo{pages}{644--654}.\n"
        "\\newblock \\urldef\\tempurl\\url{https://doi.org/10.1109/TIT.1976.1055638}\n"
        "\\showDOI{\\tempurl}\n");
    CHECK_STR("DH76", ref->key);
    CHECK_STR("New Directions in Cryptography", ref->work.title);
    REQUIRE(ref->work.author_count == 2);
    CHECK_STR("Hellman", ref->work.authors[1].family);
    CHECK_STR("Martin E.", ref->work.authors[1].given);
    CHECK_EQ(1976, ref->work.year);
    CHECK_STR("IEEE Trans. Inf. Theory", ref->work.venue);
    CHECK_STR("22", ref->work.volume);
    CHECK_STR("644–654", ref->work.pages);
    CHECK_STR("10.1109/tit.1976.1055638", ref->work.doi);
    CHECK_EQ(BIB_ARTICLE, ref->work.kind);
    CHECK_EQ(3, ref->line);
    CHECK_EQ(5, ref->line_end);
    CHECK(strncmp(ref->raw, "Whitfield Diffie and Martin E. Hellman. 1976.", 45) == 0);
}

TEST_PLAIN(an_item_of_revtex_is_read_by_its_names)
{
    const struct bib_reference *ref = item(
        "\\bibitem [{\\citenamefont {Bell}(1964)}]{Bell64}\\BibitemOpen\n"
        "\\bibfield {author} {\\bibinfo {author} {\\bibfnamefont {J.~S.}\\ \\bibnamefont "
        "{Bell}}, }"
        "\\bibfield {title} {\\bibinfo {title} {On the {Einstein} {Podolsky} {Rosen} "
        "paradox}, }"
        "\\href {https://doi.org/10.1103/PhysicsPhysiqueFizika.1.195} {\\bibfield {journal} "
        "{\\bibinfo {journal} {Physics Physique Fizika}\\ }\\textbf {\\bibinfo {volume} "
        "{1}},\\ "
        "\\bibinfo {pages} {195} (\\bibinfo {year} {1964})}\\BibitemShut {NoStop}");
    CHECK_STR("On the Einstein Podolsky Rosen paradox", ref->work.title);
    REQUIRE(ref->work.author_count == 1);
    CHECK_STR("Bell", ref->work.authors[0].family);
    CHECK_STR("J. S.", ref->work.authors[0].given);
    CHECK_STR("10.1103/physicsphysiquefizika.1.195", ref->work.doi);
    CHECK_STR("Physics Physique Fizika", ref->work.venue);
    CHECK_EQ(1964, ref->work.year);
}

TEST_PLAIN(editors_are_no_authors)
{
    const struct bib_reference *ref = item(
        "\\bibitem{x} \\bibfield{author}{\\bibinfo{person}{Ann Lee}.} \\bibinfo{title}{T t}. "
        "\\bibfield{editor}{\\bibinfo{person}{Bo Li}} (Ed.).");
    REQUIRE(ref->work.author_count == 1);
    CHECK_STR("Lee", ref->work.authors[0].family);
}

TEST_PLAIN(newblock_tells_where_the_title_of_a_plain_item_is)
{
    const struct bib_reference *ref = item(
        "\\bibitem{Knu84}\nDonald~E. Knuth.\n\\newblock Literate programming.\n"
        "\\newblock {\\em The Computer Journal}, 27(2):97--111, 1984.\n");
    CHECK_STR("Literate programming", ref->work.title);
    CHECK_STR("Donald E. Knuth. Literate programming. The Computer Journal, 27(2):97–111, "
              "1984.",
              ref->raw);
}

TEST_PLAIN(a_book_has_its_title_in_italics)
{
    CHECK_STR(
        "The Art of Computer Programming",
        item("\\bibitem{K}\nD.~E. Knuth.\n\\newblock {\\em The Art of Computer Programming}, "
             "volume~1.\n"
             "\\newblock Addison-Wesley, 1968.")
            ->work.title);
    CHECK_STR("Graph Theory",
              item("\\bibitem{D}\nR. Diestel.\n\\newblock \\emph{Graph Theory}. Springer, "
                   "2005.")
                  ->work.title);
}

TEST_PLAIN(an_item_without_a_key_or_an_end_is_read)
{
    CHECK(!item("\\bibitem Some text.")->key);
    CHECK_STR("Some text.", item("\\bibitem Some text.")->raw);
    CHECK_STR("", item("\\bibitem")->raw);
    CHECK(item("\\bibitem[x{]{k} \\bibinfo{title}{T")->raw);
}
