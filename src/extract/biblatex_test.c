/* biblatex_test.c - the .bbl of BibLaTeX, as it is written now and as it was. */
#include <string.h>

#include "extract/tex.h"
#include "testing/test.h"

static struct wr_arena arena = WR_ARENA((size_t)64 << 20);
static struct extract_tex tex;

static const struct bib_reference *entry(const char *text)
{
    static const struct bib_reference none;
    wr_arena_free(&arena);
    CHECK_OK(extract_tex(text, strlen(text), &arena, &tex));
    return CHECK(tex.references.count > 0) ? tex.references.at : &none;
}

static const char new_style[] =
    "\\refsection{0}\n  \\datalist[entry]{nty/global//global/global}\n"
    "    \\entry{godel31}{article}{}\n      \\name{author}{2}{}{%\n"
    "        {{hash=1}{%\n           family={Gödel},\n           familyi={G\\bibinitperiod},\n"
    "           given={Kurt},\n           giveni={K\\bibinitperiod}}}%\n"
    "        {{hash=2}{%\n           family={Berg},\n           given={Jan\\bibnamedelima "
    "A.},\n"
    "           prefix={van\\bibnamedelima den}}}%\n      }\n"
    "      \\strng{namehash}{x}\n      \\field{journaltitle}{Monatshefte für Mathematik}\n"
    "      \\field{title}{Über formal unentscheidbare Sätze}\n      \\field{year}{1931}\n"
    "      \\field{volume}{38}\n      \\verb{doi}\n      \\verb 10.1007/BF01700692\n"
    "      \\endverb\n    \\endentry\n"
    "    \\entry{two}{book}{}\n      \\true{moreauthor}\n      \\name{author}{1}{}{%\n"
    "        {{}{%\n           family={Lee},\n           given={Ann}}}%\n      }\n"
    "      \\list{publisher}{1}{%\n        {Springer}%\n      }\n      \\field{title}{Second}\n"
    "    \\endentry\n  \\enddatalist\n  \\datalist{x}\n    \\entry{two}{book}{}\n"
    "      \\field{title}{Second}\n    \\endentry\n";

TEST_PLAIN(an_entry_of_biblatex_is_read_by_its_names)
{
    const struct bib_reference *ref = entry(new_style);
    CHECK_STR("godel31", ref->key);
    CHECK_STR("Über formal unentscheidbare Sätze", ref->work.title);
    CHECK_STR("Monatshefte für Mathematik", ref->work.venue);
    CHECK_EQ(1931, ref->work.year);
    CHECK_STR("10.1007/bf01700692", ref->work.doi);
    REQUIRE(ref->work.author_count == 2);
    CHECK_STR("Gödel", ref->work.authors[0].family);
    CHECK_STR("Kurt", ref->work.authors[0].given);
    CHECK_EQ(3, ref->line);
    CHECK_EQ(23, ref->line_end);
}

TEST_PLAIN(an_entry_that_stands_in_two_lists_is_one)
{
    entry(new_style);
    REQUIRE(tex.references.count == 2);
    const struct bib_work *book = &tex.references.at[1].work;
    CHECK_STR("Springer", book->venue);
    CHECK_EQ(1, book->author_count);
    CHECK(book->et_al);
    CHECK_EQ(BIB_BOOK, book->kind);
}

TEST_PLAIN(names_of_the_old_form_are_read)
{
    const struct bib_reference *ref = entry(
        "\\entry{k}{article}{}\n\\name{author}{1}{}{%\n"
        "{{uniquename=0}{Knuth}{K\\bibinitperiod}{Donald\\bibnamedelima E.}{D.}{}{}{}{}}%\n}\n"
        "\\field{title}{T}\n\\endentry");
    REQUIRE(ref->work.author_count == 1);
    CHECK_STR("Knuth", ref->work.authors[0].family);
}
