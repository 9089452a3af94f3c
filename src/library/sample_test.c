/* sample_test.c - tests of sample.c, and of what is in sample.bib. */
#include "library/sample.h"

#include <string.h>

#include "testing/test.h"

TEST_PLAIN(the_built_in_library_knows_what_everybody_cites)
{
    struct library *lib = NULL;
    struct library_why why = { "" };
    struct wr_arena arena = WR_ARENA(1 << 20);
    struct bib_record found[4];
    REQUIRE_OK(library_open_sample(&lib, &why));
    CHECK(library_info(lib).records >= 400);
    CHECK_STR("sample", library_info(lib).name);
    CHECK_EQ(1, library_find(lib, &(struct bib_work){ .title = "Attention is all you need" },
                             &arena, found, 4));
    CHECK_EQ(8, found[0].work.author_count);
    CHECK_STR("Kaiser", found[0].work.authors[6].family);
    CHECK_STR("1706.03762", found[0].work.arxiv_id);
    CHECK_EQ(1, library_find(lib, &(struct bib_work){ .doi = "10.1145/359545.359563" }, &arena,
                             found, 4));
    CHECK_STR("Lamport", found[0].work.authors[0].family);
    wr_arena_free(&arena);
    library_close(lib);
}

TEST_PLAIN(every_work_of_the_built_in_library_has_a_title_authors_and_a_year_or_is_a_book)
{
    struct library *lib = NULL;
    struct library_why why = { "" };
    REQUIRE_OK(library_open_sample(&lib, &why));
    for (uint64_t i = 0; i < library_info(lib).records; i++) {
        struct wr_arena arena = WR_ARENA(1 << 16);
        struct bib_record record;
        REQUIRE_OK(library_record(lib, i, &arena, &record));
        REQUIRE(record.work.title);
        CHECK(record.work.author_count > 0);
        int year = record.work.year;
        CHECK(record.work.kind == BIB_BOOK ? year == 0 : year > 1900 && year < 2030);
        CHECK(!strpbrk(record.work.title, "{}\\$"));
        wr_arena_free(&arena);
    }
    library_close(lib);
}

TEST_PLAIN(the_built_in_library_is_the_same_every_time)
{
    struct library *one = NULL, *other = NULL;
    struct library_why why = { "" };
    REQUIRE_OK(library_open_sample(&one, &why));
    REQUIRE_OK(library_open_sample(&other, &why));
    CHECK_STR(library_info(one).version, library_info(other).version);
    library_close(one);
    library_close(other);
}
