/* author_match_test.c - who is meant by two names, and by two lists. */
#include <string.h>

#include "biblio/author.h"
#include "testing/test.h"

static struct wr_arena arena = WR_ARENA(1 << 20);

static enum bib_name_match compare(const char *a, const char *b)
{
    struct bib_name x = { 0 }, y = { 0 };
    bib_author_parse(&x, a, strlen(a), &arena);
    bib_author_parse(&y, b, strlen(b), &arena);
    enum bib_name_match match = bib_author_compare(&x, &y);
    wr_arena_free(&arena);
    return match;
}

#define SAME(a, b) CHECK_EQ(BIB_NAME_SAME, compare(a, b))
#define COMPATIBLE(a, b) CHECK_EQ(BIB_NAME_COMPATIBLE, compare(a, b))
#define SLIP(a, b) CHECK_EQ(BIB_NAME_SLIP, compare(a, b))
#define DIFFERENT(a, b) CHECK_EQ(BIB_NAME_DIFFERENT, compare(a, b))

static bool agree(const char *cited, const char *found, bool partial)
{
    struct bib_work a = { 0 }, b = { 0 };
    bib_author_list(&a, cited, &arena);
    bib_author_list(&b, found, &arena);
    bool agreed = bib_author_agree(&a, &b, partial);
    wr_arena_free(&arena);
    return agreed;
}

TEST_PLAIN(accents_numbers_and_order_make_no_difference)
{
    SAME("Müßig", "Mussig");
    SAME("Wenbo Guo 0001", "Wenbo Guo");
    SAME("Ekparinya Parinya", "Parinya Ekparinya");
    SAME("Yan-Bo Lin", "Yanbo Lin");
    SAME("Łukasz Kaiser", "Lukasz Kaiser");
}

TEST_PLAIN(initials_and_missing_middle_names_are_compatible)
{
    COMPATIBLE("J. Smith", "John Smith");
    COMPATIBLE("Smith JK", "John K. Smith");
    COMPATIBLE("David Woodruff", "David P. Woodruff");
    COMPATIBLE("J.-C. Gagnon-Audet", "Jean-Christophe Gagnon-Audet");
    COMPATIBLE("Y. Lin", "Yan-Bo Lin");
    COMPATIBLE("Smith", "John Smith");
    COMPATIBLE("D. Smith", "J. David Smith");
}

TEST_PLAIN(a_suffix_kept_with_the_surname_tells_nobody_apart)
{
    struct bib_name cited = { .family = "Daumé", .given = "H." };
    struct bib_name found = { .family = "Daumé III", .given = "Hal" };
    CHECK_EQ(BIB_NAME_COMPATIBLE, bib_author_compare(&cited, &found));
}

TEST_PLAIN(words_that_fit_in_their_order_mean_the_same_wherever_the_surname_begins)
{
    struct bib_name cited = { .family = "R", .given = "P. K" };
    struct bib_name found = { .family = "K R", .given = "Prajwal" };
    CHECK_EQ(BIB_NAME_COMPATIBLE, bib_author_compare(&cited, &found));
    struct bib_name other = { .family = "K S", .given = "Prajwal" };
    CHECK_EQ(BIB_NAME_DIFFERENT, bib_author_compare(&cited, &other));
}

TEST_PLAIN(a_letter_for_each_given_name_fits_in_any_case)
{
    struct bib_name cited = { .family = "Huang", .given = "Sc" };
    struct bib_name found = { .family = "Huang", .given = "Sieh-chuen" };
    CHECK_EQ(BIB_NAME_COMPATIBLE, bib_author_compare(&cited, &found));
}

TEST_PLAIN(short_forms_and_transliterations_are_compatible)
{
    COMPATIBLE("Bob Smith", "Robert Smith");
    COMPATIBLE("Hans Mueller", "Hans Müller");
    COMPATIBLE("Maaten, Laurens", "van der Maaten, Laurens");
}

TEST_PLAIN(a_wrong_letter_is_a_slip)
{
    SLIP("John Smtih", "John Smith");
    SLIP("J. Andersen", "John Anderson");
    SLIP("K. Smith", "John Smith");
    SLIP("Xiaoming Lu", "Xiaoming Li");
}

TEST_PLAIN(another_given_or_family_name_is_another_person)
{
    DIFFERENT("Rui Xiong", "Ruoxuan Xiong");
    DIFFERENT("John Smith", "Jane Smith");
    DIFFERENT("John Smith", "John Jones");
    DIFFERENT("Xin Li", "Wei Lu");
    DIFFERENT("Wei Li", "Li Fang");
}

TEST_PLAIN(one_shared_author_is_not_enough)
{
    CHECK(!agree("Ada Lovelace and Xavier Costa", "Ada Lovelace and Charles Babbage", false));
    CHECK(!agree("Ada Lovelace", "Ada Lovelace and Charles Babbage", false));
    CHECK(agree("Ada Lovelace and others", "Ada Lovelace and Charles Babbage", false));
}

TEST_PLAIN(an_organisation_among_the_authors_excuses_nobody)
{
    CHECK(!agree("Google and Xavier Costa", "Ada Lovelace and Charles Babbage", false));
    CHECK(!agree("Xavier Costa", "Google and Ada Lovelace", false));
}

TEST_PLAIN(a_phantom_author_is_a_mismatch_where_the_list_is_complete)
{
    const char *two = "Ada Lovelace and Charles Babbage";
    const char *three = "Ada Lovelace and Charles Babbage and Xavier Costa";
    CHECK(!agree(three, two, false));
    CHECK(agree(three, two, true));
}

TEST_PLAIN(many_phantoms_are_a_mismatch_everywhere)
{
    CHECK(!agree("A Abel and B Baker and C Cole and D Dean and E Earl and F Ford and G Gray "
                 "and H Hale and I Irons and J Jones",
                 "A Abel and B Baker and C Cole and D Dean and E Earl", true));
}

TEST_PLAIN(the_order_of_authors_is_part_of_the_citation)
{
    const char *both = "Ada Lovelace and Charles Babbage";
    CHECK(!agree("Charles Babbage and Ada Lovelace", both, false));
    CHECK(!agree("Charles Babbage and others", both, false));
    CHECK(!agree("A Abel and C Cole and B Baker", "A Abel and B Baker and C Cole", false));
}

TEST_PLAIN(one_slip_in_a_short_list_is_forgiven_two_are_not)
{
    const char *both = "Ada Lovelace and Charles Babbage";
    CHECK(agree("Ada Lovelacr and Charles Babbage", both, false));
    CHECK(!agree("Ada Lovelacr and Charles Babbagr", both, false));
}

TEST_PLAIN(an_empty_list_agrees_with_none)
{
    CHECK(!agree("", "Ada Lovelace", false));
    CHECK(!agree("Ada Lovelace", "", false));
}

TEST_PLAIN(names_that_were_cut_in_other_places_are_the_same_people)
{
    CHECK(agree("Q. Nguyen and C. and T. Phan and T.", "Chau Q. Nguyen and Tuoi T. Phan",
                false));
    CHECK(!agree("Q. Nguyen and C. and T. Pham and T.", "Chau Q. Nguyen and Tuoi T. Phan",
                 false));
    CHECK(!agree("Q. Nguyen and C. and T. Phan and X.", "Chau Q. Nguyen and Tuoi T. Phan",
                 false));
    CHECK(!agree("Q. Nguyen and C.", "Chau Q. Nguyen and Tuoi T. Phan", false));
    CHECK(!agree("Q. Nguyen and C. and Grace Hopper", "Chau Q. Nguyen", false));
}
