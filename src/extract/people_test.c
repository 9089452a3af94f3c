#include "extract/people.h"

#include <stdio.h>
#include <string.h>

#include "testing/test.h"

static bool et_al;

/* The list must be these names, "family/given" with a bar between two. */
static void check_people(const char *text, const char *want)
{
    struct wr_arena arena = WR_ARENA(1 << 16);
    struct bib_work work = { 0 };
    char got[1024] = "";
    size_t len = 0;
    extract_people(&work, text, strlen(text), &arena);
    for (uint32_t i = 0; i < work.author_count; i++) {
        const struct bib_name *name = &work.authors[i];
        int more = snprintf(got + len, sizeof(got) - len, "%s%s/%s", i ? "|" : "",
                            name->family, name->given ? name->given : "");
        len += (size_t)more;
    }
    et_al = work.et_al;
    CHECK_STR(want, got);
    wr_arena_free(&arena);
}

TEST_PLAIN(a_comma_stands_between_people_who_have_their_initials_first)
{
    check_people("K. He, X. Zhang, and J. Sun", "He/K.|Zhang/X.|Sun/J.");
    check_people("C. K. CHANG et E. ROSE", "CHANG/C. K.|ROSE/E.");
}

TEST_PLAIN(a_comma_stands_inside_a_name_whose_initials_are_last)
{
    check_people("Smith, J. K., van Dam, A. & Lee, B.", "Smith/J. K.|van Dam/A.|Lee/B.");
    check_people("Silver, D.; Huang, A.; and Wu, C. J.", "Silver/D.|Huang/A.|Wu/C. J.");
}

TEST_PLAIN(initials_without_dots_are_initials)
{
    check_people("Watson JD, Crick FH", "Watson/JD|Crick/FH");
    check_people("Creutzig T and Ridout D J", "Creutzig/T|Ridout/D J");
}

TEST_PLAIN(full_names_are_taken_as_they_are_written)
{
    check_people("Diego Ongaro and John Ousterhout", "Ongaro/Diego|Ousterhout/John");
    check_people("Haraway, Donna, and Mark Poster", "Haraway/Donna|Poster/Mark");
    check_people("Granovetter, Mark S.", "Granovetter/Mark S.");
    check_people("Smith, John and Doe, Jane", "Smith/John|Doe/Jane");
}

TEST_PLAIN(surnames_alone_are_people)
{
    check_people("Smith, Jones and Brown", "Smith/|Jones/|Brown/");
}

TEST_PLAIN(et_al_in_all_its_forms_is_no_name)
{
    check_people("Brown, T. B., Mann, B., et al.", "Brown/T. B.|Mann/B.");
    CHECK(et_al);
    check_people("A. Vaswani and others", "Vaswani/A.");
    CHECK(et_al);
    check_people("王伟, 李娜, 等", "王伟/|李娜/");
    CHECK(et_al);
    check_people("K. He", "He/K.");
    CHECK(!et_al);
}

TEST_PLAIN(an_institution_is_one_name)
{
    check_people("World Health Organization", "World Health Organization/");
    check_people("LHCb collaboration, R. Aaij", "Aaij/R.");
    check_people("G. S. Huang (CLEO Collaboration)", "Huang/G. S.");
}

TEST_PLAIN(where_the_surname_comes_first_by_custom_it_is_the_first)
{
    check_people("山岸 喬, 李娜", "山岸/喬|李娜/");
    check_people("박중호.변상해", "박중호/|변상해/");
}

TEST_PLAIN(a_name_without_a_space_behind_its_initial_is_read)
{
    check_people("Y. Shimizu, K.Ueno", "Shimizu/Y.|Ueno/K.");
}

TEST_PLAIN(small_words_inside_a_surname_are_of_it)
{
    check_people("Al-Onaizan, Y., & Papineni, K.", "Al-Onaizan/Y.|Papineni/K.");
    check_people("Montes-y-Gómez M, Rosso P", "Montes-y-Gómez/M|Rosso/P");
    check_people("Hang Le, Juan Pino and Bin Sun", "Le/Hang|Pino/Juan|Sun/Bin");
    check_people("Younes M, AL-Smadi M", "Younes/M|AL-Smadi/M");
}

TEST_PLAIN(a_small_initial_is_an_initial)
{
    check_people("Hwang, S. w., & Yeo, J.", "Hwang/S. w|Yeo/J.");
    check_people("Chu YY, Huang Sc, Shao HL", "Chu/YY|Huang/Sc|Shao/HL");
}

TEST_PLAIN(a_surname_of_letters_has_no_full_stops)
{
    check_people("Murugan, S., S, K., K P, B.", "Murugan/S.|S/K.|K P/B.");
    check_people("Bago P, K A, Ma MD", "Bago/P|K/A|Ma/MD");
}

TEST_PLAIN(a_name_of_one_word_may_come_first)
{
    check_people("Abhishek, Ashish Anand, and Amit Awekar",
                 "Abhishek/|Anand/Ashish|Awekar/Amit");
}

TEST_PLAIN(a_list_of_nothing_has_nobody_in_it)
{
    check_people("", "");
    check_people(" ,;. & 12 ", "");
}

TEST_PLAIN(an_arena_that_is_full_yields_nobody)
{
    struct wr_arena arena = WR_ARENA(8);
    struct bib_work work = { 0 };
    extract_people(&work, "K. He, X. Zhang", 15, &arena);
    CHECK_EQ(0, work.author_count);
    CHECK(arena.full);
    wr_arena_free(&arena);
}
