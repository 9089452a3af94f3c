#include "extract/clean.h"

#include "testing/test.h"

static void check_clean(const char *text, const char *want)
{
    char buf[256];
    struct wr_text got = WR_TEXT(buf);
    extract_clean(&got, text, strlen(text));
    CHECK_STR(want, buf);
}

TEST_PLAIN(white_space_is_one_space_and_none_at_the_ends)
{
    check_clean("  a\t b \n c  ", "a b c");
    check_clean("a\xc2\xa0" "b\x01" "c", "a b c");
}

TEST_PLAIN(a_word_that_was_broken_at_a_line_end_is_whole_again)
{
    check_clean("quan-\ntised inertia", "quantised inertia");
    check_clean("Trans-\n  formers", "Transformers");
}

TEST_PLAIN(a_hyphen_that_belongs_to_the_word_stays)
{
    check_clean("self-\nattention", "self-attention");
    check_clean("graph-\nbased", "graph-based");
    check_clean("Jean-\nPierre", "Jean-Pierre");
    check_clean("pp. 12-\n15", "pp. 12-15");
    check_clean("a well-known one", "a well-known one");
}

TEST_PLAIN(ligatures_are_letters)
{
    check_clean("e\xef\xac\x83" "cient \xef\xac\x81rst", "efficient first");
}

TEST_PLAIN(an_accent_beside_its_letter_is_put_on_it)
{
    check_clean("Ko \xc2\xa8rner", "Körner");
    check_clean("M\xc2\xa8uller", "Müller");
    check_clean("Schr \xc2\xa8odinger", "Schrödinger");
}

TEST_PLAIN(what_is_not_utf8_is_replaced)
{
    check_clean("a\xff" "b", "a\xef\xbf\xbd" "b");
}

TEST_PLAIN(to_collapse_is_not_to_repair)
{
    char buf[64];
    struct wr_text got = WR_TEXT(buf);
    extract_collapse(&got, "quan-\ntised  \xef\xac\x81", 17);
    CHECK_STR("quan- tised \xef\xac\x81", buf);
}
