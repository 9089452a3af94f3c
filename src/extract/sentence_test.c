/* sentence_test.c - a text cut into sentences. */
#include "extract/sentence.h"

#include <string.h>

#include "base/text.h"
#include "testing/test.h"

/* Sentences with "|" between them. */
static void splits(const char *text, const char *want)
{
    char buf[1024];
    struct wr_text out = WR_TEXT(buf);
    struct extract_sentence sentence;
    for (size_t at = 0; extract_sentence_next(&sentence, text, strlen(text), &at);) {
        wr_text_str(&out, out.len ? "|" : "");
        wr_text_bytes(&out, text + sentence.at, sentence.len);
    }
    CHECK_STR(want, buf);
}

TEST_PLAIN(a_stop_before_white_space_ends_a_sentence)
{
    splits("One. Two! Three? Four", "One.|Two!|Three?|Four");
    splits("  One.   Two.  ", "One.|Two.");
    splits("", "");
    splits("   ", "");
}

TEST_PLAIN(a_line_end_always_does)
{
    splits("One\nTwo\n\nThree", "One|Two|Three");
}

TEST_PLAIN(numbers_and_addresses_go_on)
{
    splits("It is 3.14 at example.org today. Yes.", "It is 3.14 at example.org today.|Yes.");
}

TEST_PLAIN(abbreviations_and_first_letters_of_names_go_on)
{
    splits("Dr. Smith et al. Proved it. No.", "Dr. Smith et al. Proved it.|No.");
    splits("See Fig. 3 by J. Doe. Then go.", "See Fig. 3 by J. Doe.|Then go.");
    splits("Some of it, e.g. Paris, is old. Yes.", "Some of it, e.g. Paris, is old.|Yes.");
    splits("It ended... and went on. Yes.", "It ended... and went on.|Yes.");
    splits("1. First point. Then.", "1. First point.|Then.");
}

TEST_PLAIN(what_closes_belongs_to_the_sentence)
{
    splits("He said \"No.\" She left.", "He said \"No.\"|She left.");
    splits("(It was so.) He left.", "(It was so.)|He left.");
    splits("“Yes!” he said.", "“Yes!” he said.");
}

TEST_PLAIN(other_scripts_have_their_own_stops)
{
    splits("今日は雨です。明日は晴れます。", "今日は雨です。|明日は晴れます。");
    splits("「はい。」と言った。", "「はい。」|と言った。");
    splits("هل تعلم؟ نعم. لا", "هل تعلم؟|نعم.|لا");
    splits("यह सच है। वह झूठ है।", "यह सच है।|वह झूठ है।");
    splits("Это правда. Это нет.", "Это правда.|Это нет.");
}

TEST_PLAIN(bytes_that_are_no_text_are_letters)
{
    splits("\xff\xfe. A\xe3", "\xff\xfe.|A\xe3");
}
