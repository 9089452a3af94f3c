#include "store/match.h"

#include "testing/test.h"

static const char *match(const char *sentence)
{
    static char buf[STORE_MATCH_MAX];
    struct wr_text text = WR_TEXT(buf);
    CHECK(store_match(&text, sentence, 0));
    CHECK_EQ(0, text.cut);
    return buf;
}

TEST_PLAIN(words_that_say_something_are_asked_for)
{
    CHECK_STR("\"moon\" OR \"far\" OR \"away\"", match("The moon is far, far away."));
}

TEST_PLAIN(who_wants_few_words_gets_the_longest_in_their_order)
{
    char buf[STORE_MATCH_MAX];
    struct wr_text text = WR_TEXT(buf);
    CHECK(store_match(&text, "A red moon rises behind old clouds", 3));
    CHECK_STR("\"rises\" OR \"behind\" OR \"clouds\"", buf);
}

TEST_PLAIN(nothing_in_a_sentence_is_an_operator)
{
    CHECK_STR("\"NEAR\" OR \"col\" OR \"drop\"", match("NEAR(\"col\": -drop*) ^"));
}

TEST_PLAIN(a_sentence_of_common_words_is_asked_for_as_it_is)
{
    CHECK_STR("\"To\" OR \"be\" OR \"or\" OR \"not\"", match("To be or not to be"));
}

TEST_PLAIN(a_short_number_and_other_letters_say_something)
{
    CHECK_STR("\"42\" OR \"\xc3\xa9t\xc3\xa9\"", match("42 in \xc3\xa9t\xc3\xa9"));
}

TEST_PLAIN(a_sentence_without_words_asks_nothing)
{
    char buf[8];
    struct wr_text text = WR_TEXT(buf);
    CHECK(!store_match(&text, " ... !?", 3));
    CHECK_STR("", text.at);
}

TEST_PLAIN(many_and_long_words_still_fit)
{
    static char sentence[STORE_MATCH_WORDS_MAX * 2 * (STORE_MATCH_WORD_MAX + 2)];
    struct wr_text text = WR_TEXT(sentence);
    for (int i = 0; i < STORE_MATCH_WORDS_MAX + 5; i++)
        wr_text_format(&text, "%0*d ", STORE_MATCH_WORD_MAX, i);
    for (int i = 0; i < STORE_MATCH_WORD_MAX + 1; i++)
        wr_text_str(&text, "x");
    const char *all = match(sentence);
    CHECK_EQ(STORE_MATCH_WORDS_MAX * (STORE_MATCH_WORD_MAX + 6) - 4, strlen(all));
    CHECK(!strchr(all, 'x'));
}
