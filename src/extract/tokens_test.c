#include "extract/tokens.h"

#include <string.h>

#include "testing/test.h"

static struct extract_token tokens[64];

static size_t cut(const char *text)
{
    return extract_tokens(tokens, 64, text, strlen(text));
}

static void check_cut(const char *text, const char *want)
{
    char got[256] = "";
    size_t count = cut(text), len = 0;
    for (size_t i = 0; i < count; i++) {
        if (i)
            got[len++] = '|';
        memcpy(got + len, text + tokens[i].at, tokens[i].len);
        len += tokens[i].len;
    }
    got[len] = '\0';
    CHECK_STR(want, got);
}

TEST_PLAIN(words_numbers_and_signs_are_tokens)
{
    check_cut("W.-M. Yao, 2006a", "W|.|-|M|.|Yao|,|2006|a");
    check_cut("  B461\n(3) ", "B|461|(|3|)");
    check_cut("", "");
}

TEST_PLAIN(an_apostrophe_between_letters_that_have_a_case_is_inside_the_word)
{
    check_cut("Hesiod’s d'or 'as' O'Brien", "Hesiod’s|d'or|'|as|'|O'Brien");
    check_cut("'陰陽'小", "'|陰陽|'|小");
}

TEST_PLAIN(a_word_has_one_hash_in_any_case_and_with_any_accent)
{
    uint32_t want = extract_word("muller", 6);
    CHECK_EQ(1, cut("Müller"));
    CHECK_EQ(want, tokens[0].word);
    CHECK_EQ(1, cut("MÜLLER"));
    CHECK_EQ(want, tokens[0].word);
    CHECK_EQ(1, cut("Mu\xcc\x88ller"));
    CHECK_EQ(want, tokens[0].word);
    CHECK(want != extract_word("miller", 6));
}

TEST_PLAIN(shapes_tell_names_initials_and_words_apart)
{
    CHECK_EQ(9, cut("word Word W WORD wOrd 漢字 1999 12 123456"));
    CHECK_EQ(EXTRACT_LOWER, tokens[0].shape);
    CHECK_EQ(EXTRACT_CAPITAL, tokens[1].shape);
    CHECK_EQ(EXTRACT_INITIAL, tokens[2].shape);
    CHECK_EQ(EXTRACT_CAPS, tokens[3].shape);
    CHECK_EQ(EXTRACT_MIXED, tokens[4].shape);
    CHECK_EQ(EXTRACT_LETTERS, tokens[5].shape);
    CHECK_EQ(EXTRACT_YEAR, tokens[6].shape);
    CHECK_EQ(1999, tokens[6].number);
    CHECK_EQ(EXTRACT_DIGITS_2, tokens[7].shape);
    CHECK_EQ(EXTRACT_DIGITS_MANY, tokens[8].shape);
}

TEST_PLAIN(signs_that_are_written_in_several_ways_have_one_shape)
{
    CHECK_EQ(5, cut("–“’，。"));
    CHECK_EQ('-', tokens[0].shape);
    CHECK_EQ('"', tokens[1].shape);
    CHECK_EQ('\'', tokens[2].shape);
    CHECK_EQ(',', tokens[3].shape);
    CHECK_EQ('.', tokens[4].shape);
    CHECK_EQ(2, cut("［Ｊ"));
    CHECK_EQ('[', tokens[0].shape);
    CHECK_EQ(EXTRACT_INITIAL, tokens[1].shape);
}

TEST_PLAIN(spaces_and_line_ends_are_known_of_the_token_behind_them)
{
    CHECK_EQ(4, cut("a b\nc,"));
    CHECK(tokens[0].space && tokens[0].line);
    CHECK(tokens[1].space && !tokens[1].line);
    CHECK(tokens[2].space && tokens[2].line);
    CHECK(!tokens[3].space && !tokens[3].line);
}

TEST_PLAIN(any_bytes_are_tokens_that_lie_in_the_text)
{
    char text[256];
    for (int i = 0; i < 256; i++)
        text[i] = (char)(255 - i);
    struct extract_token all[256];
    size_t count = extract_tokens(all, 256, text, sizeof(text)), end = 0;
    CHECK(count > 100);
    for (size_t i = 0; i < count; i++) {
        CHECK(all[i].at >= end && all[i].len > 0);
        end = all[i].at + all[i].len;
    }
    CHECK(end <= sizeof(text));
}

TEST_PLAIN(no_more_tokens_are_cut_than_there_is_room_for)
{
    CHECK_EQ(2, extract_tokens(tokens, 2, "a b c d", 7));
}
