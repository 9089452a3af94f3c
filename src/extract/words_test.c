/* words_test.c - the words of a sentence that say what it is about. */
#include "extract/words.h"

#include <string.h>

#include "testing/test.h"

static unsigned shared(const char *of, const char *in)
{
    struct extract_words one, other;
    extract_words(&one, of, strlen(of));
    extract_words(&other, in, strlen(in));
    return extract_words_shared(&one, &other);
}

TEST_PLAIN(words_of_every_sentence_and_repeated_ones_are_left_out)
{
    struct extract_words words;
    extract_words(&words, "The price of the seeds is the price.", 36);
    CHECK_EQ(2, words.count);
    CHECK_EQ(8, words.all);
    CHECK(words.at[0].key == extract_word_key("price"));
    CHECK(words.at[1].key == extract_word_key("seed"));
    CHECK_STR(" the price of the seeds is the price ", words.folded);
}

TEST_PLAIN(case_accents_and_endings_make_no_difference)
{
    CHECK_EQ(1000, shared("Café prices increased", "the price of a CAFE increases"));
    CHECK_EQ(1000, shared("studies", "a study studied"));
    CHECK_EQ(1000, shared("increasing", "increase"));
    CHECK_EQ(0, shared("glass", "glad"));
}

TEST_PLAIN(shared_words_are_counted_from_one_side)
{
    CHECK_EQ(500, shared("stone bridge", "bridge over a river near the town"));
    CHECK_EQ(0, shared("", "bridge"));
    CHECK_EQ(0, shared("bridge", ""));
    CHECK_EQ(0, shared("the", "the"));
}

TEST_PLAIN(two_signs_in_a_row_are_a_word)
{
    CHECK_EQ(1000, shared("石桥", "一座石桥。"));
    CHECK_EQ(0, shared("石桥", "桥石"));
}

TEST_PLAIN(numbers_are_known)
{
    struct extract_words words;
    extract_words(&words, "In 1998 b2b", 11);
    REQUIRE(words.count == 2);
    CHECK(words.at[0].number);
    CHECK(!words.at[1].number);
}

TEST_PLAIN(a_phrase_is_of_whole_words)
{
    struct extract_words words;
    extract_words(&words, "All rights reserved", 19);
    CHECK(extract_words_say(&words, "all rights"));
    CHECK(extract_words_say(&words, "reserved"));
    CHECK(!extract_words_say(&words, "right"));
    CHECK(!extract_words_say(&words, "served"));
}

TEST_PLAIN(a_very_long_sentence_is_known_by_its_beginning)
{
    char text[8192];
    struct extract_words words;
    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = (char)(i % 4 == 3 ? ' ' : 'a' + (int)(i / 4 % 26) * (i % 4 != 1));
    extract_words(&words, text, sizeof(text));
    CHECK(words.count <= EXTRACT_WORDS_MAX);
    CHECK(strlen(words.folded) < EXTRACT_WORDS_TEXT);
}
