/* work_test.c - copies of works. */
#include <string.h>

#include "biblio/work.h"
#include "testing/test.h"

TEST_PLAIN(a_copy_of_a_work_stands_by_itself)
{
    struct wr_arena arena = WR_ARENA(1 << 16);
    char title[] = "On Computable Numbers", family[] = "Turing";
    char doi[] = "10.1112/plms/s2-42.1.230", url[] = "https://example.org/";
    struct bib_name author = { family, NULL };
    const char *urls[] = { url };
    const struct bib_work work = { .kind = BIB_ARTICLE, .year = 1936, .title = title,
                                   .authors = &author, .author_count = 1, .et_al = true,
                                   .doi = doi, .urls = urls, .url_count = 1 };
    const struct bib_work *copy = bib_work_copy(&arena, &work);
    REQUIRE(copy);
    title[0] = family[0] = doi[0] = url[0] = '?';
    CHECK_STR("On Computable Numbers", copy->title);
    CHECK_STR("Turing", copy->authors[0].family);
    CHECK(!copy->authors[0].given);
    CHECK_STR("10.1112/plms/s2-42.1.230", copy->doi);
    CHECK_STR("https://example.org/", copy->urls[0]);
    CHECK(!copy->venue && copy->et_al && copy->year == 1936 && copy->kind == BIB_ARTICLE);
    wr_arena_free(&arena);
}

TEST_PLAIN(half_a_copy_is_none)
{
    const struct bib_work work = { .title = "A title that does not fit",
                                   .venue = "Nor a venue" };
    for (size_t max = 0; max < sizeof(work) + 30; max++) {
        struct wr_arena arena = WR_ARENA(max);
        CHECK(!bib_work_copy(&arena, &work));
        wr_arena_free(&arena);
    }
}

TEST_PLAIN(a_copy_of_references_stands_by_itself)
{
    struct wr_arena arena = WR_ARENA(4096), small = WR_ARENA(64);
    char key[] = "turing1936", raw[] = "A. Turing.";
    struct bib_reference references[2] = {
        { .work.title = "On Computable Numbers", .key = key, .raw = raw, .number = 3 },
        { .skip = "it has no title", .line = 7 } };
    struct bib_references copy, all = { references, 2 };
    REQUIRE_OK(bib_references_copy(&copy, &arena, &all));
    memset(key, 'x', sizeof(key));
    memset(raw, 'x', sizeof(raw));
    CHECK_EQ(2, copy.count);
    CHECK_STR("turing1936", copy.at[0].key);
    CHECK_STR("A. Turing.", copy.at[0].raw);
    CHECK_STR("On Computable Numbers", copy.at[0].work.title);
    CHECK_STR("it has no title", copy.at[1].skip);
    CHECK(copy.at[0].number == 3 && copy.at[1].line == 7 && !copy.at[1].key);
    CHECK_ERR(WR_NOMEM, bib_references_copy(&copy, &small, &all));
    wr_arena_free(&arena);
    wr_arena_free(&small);
}
