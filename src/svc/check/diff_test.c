/* diff_test.c - which words are marked. */
#include <string.h>

#include "base/text.h"
#include "svc/check/diff.h"
#include "testing/test.h"

static void show(struct wr_text *out, const struct check_words *words)
{
    for (size_t i = 0; i < words->count; i++) {
        const struct check_word *word = &words->at[i];
        wr_text_format(out, word->differs ? "[%.*s]" : "%.*s", (int)word->len, word->at);
        wr_text_str(out, i + 1 < words->count ? " " : "");
    }
}

/* Both sides, with what differs in brackets. */
static const char *shown(const char *cited, const char *found)
{
    static char buf[512];
    struct wr_text out = WR_TEXT(buf);
    struct wr_arena arena = WR_ARENA(CHECK_DIFF_ARENA);
    struct check_diff diff = check_diff(&arena, cited, found);
    show(&out, &diff.cited);
    wr_text_str(&out, " / ");
    show(&out, &diff.found);
    wr_arena_free(&arena);
    return out.at;
}

TEST_PLAIN(diff_marks_a_word_that_was_changed)
{
    CHECK_STR("Notes on the [Motor] again / Notes on the [Engine] again",
              shown("Notes on the Motor again", "Notes on the Engine again"));
}

TEST_PLAIN(diff_marks_what_was_left_out_and_what_was_added)
{
    CHECK_STR("a b d [e] f / a b [c] d f", shown("a b d e f", "a b c d f"));
}

TEST_PLAIN(diff_finds_the_longest_common_part)
{
    CHECK_STR("[x] a b c [y] / a [z] b c [x]", shown("x a b c y", "a z b c x"));
}

TEST_PLAIN(diff_marks_no_difference_of_case_accents_and_punctuation)
{
    CHECK_STR("GÖDEL, Escher: Bach / Godel Escher Bach",
              shown("GÖDEL, Escher: Bach", "Godel Escher Bach"));
}

TEST_PLAIN(diff_takes_each_sign_of_chinese_for_a_word)
{
    CHECK_STR("深 度 [学] 习 / 深 度 [练] 习", shown("深度学习", "深度练习"));
}

TEST_PLAIN(diff_marks_all_where_there_is_nothing_on_the_other_side)
{
    CHECK_STR("[a] [b] / ", shown("a b", NULL));
    CHECK_STR(" / ", shown("", "  "));
}

TEST_PLAIN(diff_of_more_words_than_it_compares_marks_what_is_between_the_ends)
{
    static char cited[4096], found[4096];
    struct wr_text a = WR_TEXT(cited), b = WR_TEXT(found);
    for (int i = 0; i < CHECK_DIFF_WORDS + 1; i++) {
        wr_text_format(&a, "a%d ", i);
        wr_text_format(&b, i == 0 ? "a%d " : "b%d ", i);
    }
    struct wr_arena arena = WR_ARENA(CHECK_DIFF_ARENA);
    struct check_diff diff = check_diff(&arena, cited, found);
    CHECK_EQ(CHECK_DIFF_WORDS + 1, diff.cited.count);
    CHECK(!diff.cited.at[0].differs);
    CHECK(diff.cited.at[2].differs);
    wr_arena_free(&arena);
}

TEST_PLAIN(diff_without_memory_has_no_words)
{
    struct wr_arena arena = WR_ARENA(64);
    struct check_diff diff = check_diff(&arena, "a b c", "a b d");
    CHECK_EQ(0, diff.cited.count + diff.found.count);
    wr_arena_free(&arena);
}

TEST_PLAIN(diff_takes_any_bytes)
{
    struct wr_arena arena = WR_ARENA(CHECK_DIFF_ARENA);
    struct check_diff diff = check_diff(&arena, "\xff\xfe \xe2\x80", "\xe2\x80\xae \x01");
    CHECK_EQ(2, diff.cited.count);
    CHECK_EQ(2, diff.found.count);
    wr_arena_free(&arena);
}
