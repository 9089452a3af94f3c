/* reader_test.c - tests of reader.c. */
#include "library/reader.h"

#include <string.h>

#include "testing/test.h"

TEST_PLAIN(every_kind_is_found_by_its_name)
{
    CHECK(reader_find("acl") == &reader_acl);
    CHECK(reader_find("retractionwatch") == &reader_retractionwatch);
    CHECK(!reader_find("ac"));
    CHECK(!reader_find(""));
    for (size_t i = 0; reader_kinds[i]; i++)
        CHECK(strlen(reader_kinds[i]->kind) < 24 && reader_kinds[i]->reads);
}

TEST_PLAIN(white_space_is_one_space_inside_and_none_at_the_ends)
{
    struct wr_arena arena = WR_ARENA(4096);
    CHECK_STR("a b c", reader_clean(&arena, " \ta\n  b\r\nc \n", 13));
    CHECK_STR("a", reader_clean(&arena, "a", 1));
    CHECK(!reader_clean(&arena, " \n", 2));
    CHECK(!reader_clean(&arena, "", 0));
    wr_arena_free(&arena);
}

TEST_PLAIN(a_year_has_four_digits)
{
    CHECK_EQ(2007, reader_year("Mon, 2 Apr 2007 19:18:42 GMT"));
    CHECK_EQ(1999, reader_year("1999"));
    CHECK_EQ(2001, reader_year("20011 12 2001"));
    CHECK_EQ(0, reader_year("0999 3000 99"));
    CHECK_EQ(0, reader_year(""));
    CHECK_EQ(0, reader_year(NULL));
}

TEST_PLAIN(names_grow_in_their_order)
{
    struct wr_arena arena = WR_ARENA(1 << 16);
    struct reader_names names = { 0 };
    for (int i = 0; i < 50; i++)
        reader_add_name(&names, &arena, i % 2 ? "Ada Code" : "Burr, Bob");
    reader_add_parted(&names, &arena, NULL, " Only ");
    reader_add_parted(&names, &arena, "", NULL);
    reader_add_name(&names, &arena, NULL);
    CHECK_EQ(51, names.count);
    CHECK_STR("Burr", names.at[48].family);
    CHECK_STR("Ada", names.at[49].given);
    CHECK_STR("Only", names.at[50].family);
    CHECK(!names.at[50].given);
    wr_arena_free(&arena);
}
