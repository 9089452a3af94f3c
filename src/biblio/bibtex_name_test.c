/* bibtex_name_test.c - author fields. */
#include "biblio/bibtex_name.h"

#include <stdio.h>
#include <string.h>

#include "testing/test.h"

/* "family|given; family|given; ..." */
static bool reads(const char *tex, const char *want)
{
    static char got[4096];
    struct wr_arena arena = WR_ARENA((size_t)1 << 20);
    struct bib_work work = { 0 };
    bibtex_names(&arena, tex, strlen(tex), &work);
    size_t len = 0;
    got[0] = '\0';
    for (uint32_t i = 0; i < work.author_count; i++)
        len += (size_t)snprintf(got + len, sizeof(got) - len, "%s%s|%s", i ? "; " : "",
                                work.authors[i].family,
                                work.authors[i].given ? work.authors[i].given : "");
    if (work.et_al)
        snprintf(got + len, sizeof(got) - len, "...");
    bool held = CHECK_STR(want, got);
    wr_arena_free(&arena);
    return held;
}

TEST_PLAIN(names_come_in_both_orders)
{
    reads("Donald E. Knuth and Lamport, Leslie", "Knuth|Donald E.; Lamport|Leslie");
}

TEST_PLAIN(small_words_belong_to_the_family)
{
    reads("Ludwig van Beethoven and de la Vall{\\'e}e Poussin, Charles and Guido van der Berg",
          "van Beethoven|Ludwig; de la Vallée Poussin|Charles; van der Berg|Guido");
}

TEST_PLAIN(suffixes_and_numbers_of_namesakes_are_left_out)
{
    reads("King, Jr., Martin Luther and Sammy Davis Jr. and Ford, Henry, III and Wei Wang 0001",
          "King|Martin Luther; Davis|Sammy; Ford|Henry; Wang|Wei");
}

TEST_PLAIN(braces_keep_an_institution_together)
{
    reads("{Barnes and Noble, Inc.} and {World Health Organization} and {\\'E}mile Zola",
          "Barnes and Noble, Inc.|; World Health Organization|; Zola|Émile");
}

TEST_PLAIN(others_say_that_there_are_more)
{
    reads("Smith, John and others", "Smith|John...");
    reads("John Smith and et al.", "Smith|John...");
    reads("Smith, J., et al.", "Smith|J....");
}

TEST_PLAIN(an_accent_with_a_tilde_is_no_space)
{
    reads("Jos\\'e Nu\\~nez and Mu{\\~n}oz, A.~B.", "Nuñez|José; Muñoz|A. B.");
}

TEST_PLAIN(and_counts_as_a_word_only)
{
    reads("Sandra Anderson\n  and\tAndy Land AND Bo Li", "Anderson|Sandra; Land|Andy; Li|Bo");
}

TEST_PLAIN(lists_with_commas_or_semicolons_are_understood)
{
    reads("A. Smith, B. Jones, C. Brown", "Smith|A.; Jones|B.; Brown|C.");
    reads("Smith, John; Jones, Bo", "Smith|John; Jones|Bo");
    reads("Smith, John, Jones, Bo", "Smith|John; Jones|Bo");
    reads("Ann Smith, Bo Jones, Cy Brown, Di Green", "Smith|Ann; Jones|Bo; Brown|Cy; Green|Di");
}

TEST_PLAIN(the_names_of_biblatex_by_keys_are_read)
{
    reads("family=Beethoven, given=Ludwig, prefix=van", "van Beethoven|Ludwig");
}

TEST_PLAIN(one_name_is_a_family)
{
    reads("Plato and  and {Madonna}", "Plato|; Madonna|");
    reads("", "");
    reads(" , ", "");
    reads("and", "and|");
}

TEST_PLAIN(there_is_an_end_to_names)
{
    static char many[BIBTEX_NAMES_MAX * 6 + 64];
    size_t len = 0;
    for (int i = 0; i < BIBTEX_NAMES_MAX + 5; i++)
        len += (size_t)snprintf(many + len, sizeof(many) - len, "A and ");
    struct wr_arena arena = WR_ARENA((size_t)4 << 20);
    struct bib_work work = { 0 };
    bibtex_names(&arena, many, len, &work);
    CHECK_EQ(BIBTEX_NAMES_MAX, work.author_count);
    CHECK(work.et_al);
    wr_arena_free(&arena);
}
