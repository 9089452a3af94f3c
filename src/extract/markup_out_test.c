/* markup_out_test.c - signs for texts and attributes. */
#include "extract/markup_out.h"

#include <string.h>

#include "testing/test.h"

static struct extract_markup fresh(void)
{
    return (struct extract_markup){ .text = wr_text_heap(1 << 20),
                                    .values = wr_text_heap(1 << 20) };
}

TEST_PLAIN(a_sign_is_read_as_it_was_written)
{
    struct extract_markup markup = fresh();
    uint32_t sign;
    for (int i = 0; i < 70000; i++)
        markup_put_text(&markup, "a piece", 7);
    CHECK_EQ(70000 * 4, markup.text.len);
    for (uint32_t i = 0; i < 70000; i++) {
        REQUIRE(extract_markup_sign(markup.text.at + 4 * (size_t)i, &sign) == 4);
        REQUIRE(sign == i);
    }
    CHECK(markup_put_end(&markup));
    extract_markup_free(&markup);
}

TEST_PLAIN(what_is_no_sign_is_none)
{
    uint32_t sign;
    CHECK_EQ(0, extract_markup_sign("abcd", &sign));
    CHECK_EQ(0, extract_markup_sign("\xf0\x9f\x98\x80", &sign));
    CHECK_EQ(0, extract_markup_sign("\xf3\x80", &sign));
    CHECK_EQ(0, extract_markup_sign("\xf3", &sign));
}

TEST_PLAIN(white_space_alone_is_one_character)
{
    struct extract_markup markup = fresh();
    markup_put_text(&markup, "   \n\t  ", 7);
    markup_put_text(&markup, "     ", 5);
    CHECK_STR("\n ", markup.text.at);
    extract_markup_free(&markup);
}

TEST_PLAIN(more_texts_than_there_are_signs_are_handed_on_as_they_are)
{
    struct extract_markup markup = fresh();
    for (uint32_t i = 0; i <= MARKUP_SIGNS; i++)
        markup_put_text(&markup, "a piece", 7);
    CHECK_EQ(MARKUP_SIGNS, markup.piece_count);
    CHECK_STR("a piece", markup.text.at + 4 * (size_t)MARKUP_SIGNS);
    extract_markup_free(&markup);
}

TEST_PLAIN(names_that_are_wanted_have_no_twins)
{
    for (size_t i = 0; i < MARKUP_WANTED; i++)
        for (size_t j = 0; j < i; j++)
            CHECK(strcmp(markup_wanted[i], markup_wanted[j]) != 0);
}
