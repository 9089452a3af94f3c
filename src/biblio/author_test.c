/* author_test.c - how names are read. */
#include "biblio/author.h"

#include <string.h>

#include "testing/test.h"

static struct wr_arena arena = WR_ARENA(1 << 20);

static bool is(const char *text, const char *given, const char *family)
{
    struct bib_name name;
    if (!bib_author_parse(&name, text, strlen(text), &arena))
        return CHECK_STR(text, "not a name");
    bool held = CHECK_STR(family, name.family);
    if (!given)
        return CHECK(!name.given) && held;
    return CHECK_STR(given, name.given ? name.given : "(none)") && held;
}

TEST_PLAIN(names_are_read_in_both_orders)
{
    is("Ada Lovelace", "Ada", "Lovelace");
    is("Lovelace, Ada", "Ada", "Lovelace");
    is("Lovelace A", "A", "Lovelace");
    is("Lovelace AK", "AK", "Lovelace");
    is("LI J", "J", "LI");
    is("A. K. Lovelace", "A. K.", "Lovelace");
    is("MA Mohammad", "MA", "Mohammad");
    wr_arena_free(&arena);
}

TEST_PLAIN(particles_belong_to_the_family)
{
    is("Jan van der Berg", "Jan", "van der Berg");
    is("van der Berg, Jan Q.", "Jan Q.", "van der Berg");
    is("Ludwig von Beethoven", "Ludwig", "von Beethoven");
    is("de Rijke", NULL, "de Rijke");
    wr_arena_free(&arena);
}

TEST_PLAIN(numbers_of_dblp_and_suffixes_are_left_out)
{
    is("Wenbo Guo 0001", "Wenbo", "Guo");
    is("King, Jr., Martin Luther", "Martin Luther", "King");
    is("King, Martin Luther, Jr.", "Martin Luther", "King");
    is("Martin Luther King Jr.", "Martin Luther", "King");
    is("Smith, III", NULL, "Smith");
    wr_arena_free(&arena);
}

TEST_PLAIN(groups_and_people_with_one_name_have_a_family_only)
{
    is("OpenAI", NULL, "OpenAI");
    is("NLLB Team", NULL, "NLLB Team");
    is("World Health Organization", NULL, "World Health Organization");
    is("The BigScience Workshop", NULL, "The BigScience Workshop");
    is("Plato", NULL, "Plato");
    wr_arena_free(&arena);
}

TEST_PLAIN(what_has_no_letter_is_no_name)
{
    struct bib_name name;
    CHECK(!bib_author_parse(&name, "", 0, &arena));
    CHECK(!bib_author_parse(&name, "---", 3, &arena));
    CHECK(!bib_author_parse(&name, ", 0001", 6, &arena));
    wr_arena_free(&arena);
}

TEST_PLAIN(a_list_is_parted_by_and_and_by_semicolons)
{
    struct bib_work work = { 0 };
    bib_author_list(&work, "Ada Lovelace and Babbage, Charles AND\nB. Anderson", &arena);
    CHECK_EQ(3, work.author_count);
    CHECK(!work.et_al);
    CHECK_STR("Babbage", work.authors[1].family);
    CHECK_STR("Anderson", work.authors[2].family);
    bib_author_list(&work, "Smith, J.; Jones, K.", &arena);
    CHECK_EQ(2, work.author_count);
    CHECK_STR("K.", work.authors[1].given);
    wr_arena_free(&arena);
}

TEST_PLAIN(an_entity_does_not_part_names)
{
    struct bib_work work = { 0 };
    bib_author_list(&work, "Ken&apos;ichi Kumatani; Ada Lovelace", &arena);
    CHECK_EQ(2, work.author_count);
    CHECK_STR("Kumatani", work.authors[0].family);
    wr_arena_free(&arena);
}

TEST_PLAIN(others_and_et_al_say_that_there_are_more)
{
    struct bib_work work = { 0 };
    bib_author_list(&work, "Ada Lovelace and others", &arena);
    CHECK_EQ(1, work.author_count);
    CHECK(work.et_al);
    bib_author_list(&work, "Ada Lovelace et al.", &arena);
    CHECK_EQ(1, work.author_count);
    CHECK(work.et_al);
    CHECK_STR("Lovelace", work.authors[0].family);
    bib_author_list(&work, "", &arena);
    CHECK_EQ(0, work.author_count);
    wr_arena_free(&arena);
}

TEST_PLAIN(placeholders_are_nobody)
{
    CHECK(bib_author_is_placeholder(&(struct bib_name){ "Anonymous", NULL }));
    CHECK(bib_author_is_placeholder(&(struct bib_name){ "Doe", "John" }));
    CHECK(bib_author_is_placeholder(&(struct bib_name){ "Author", "First" }));
    CHECK(bib_author_is_placeholder(&(struct bib_name){ "---", NULL }));
    CHECK(!bib_author_is_placeholder(&(struct bib_name){ "Smith", "John" }));
    CHECK(!bib_author_is_placeholder(&(struct bib_name){ "李明", NULL }));
}
