#include "source/answer.h"

#include <string.h>

#include "testing/test.h"

static const struct bib_name names[] = { { "Doe", "Jane" }, { "The Group", NULL } };
static const char *const urls[] = { "https://a.example/1", "https://a.example/2" };
static const struct bib_record sample[] = {
    { .work = { .kind = BIB_PAPER, .year = 2024, .title = "Quiet Rivers", .venue = "Water",
                .authors = names, .author_count = 2, .et_al = true, .volume = "1",
                .pages = "2-3", .doi = "10.1000/x", .arxiv_id = "2403.00108", .urls = urls,
                .url_count = 2 },
      .source = "CrossRef", .id = "10.1000/x", .authors_partial = true, .retraction = "r" },
    { .work = { .title = "" }, .source = "DBLP" },
};

static struct wr_bytes *packed(void)
{
    struct wr_bytes *bytes = NULL;
    CHECK_OK(answer_pack(&bytes, sample, 2));
    return bytes;
}

TEST_PLAIN(what_was_packed_comes_out_equal)
{
    struct wr_arena arena = WR_ARENA(10000);
    struct wr_bytes *bytes = packed();
    struct bib_record *records;
    size_t count = 0;
    REQUIRE_OK(answer_unpack(bytes, &arena, &records, &count));
    REQUIRE(count == 2);
    const struct bib_work *work = &records[0].work;
    CHECK_STR("Quiet Rivers", work->title);
    CHECK_STR("Water", work->venue);
    CHECK_STR("1", work->volume);
    CHECK_STR("2-3", work->pages);
    CHECK_STR("10.1000/x", work->doi);
    CHECK_STR("2403.00108", work->arxiv_id);
    CHECK_EQ(2024, work->year);
    CHECK_EQ(BIB_PAPER, work->kind);
    CHECK(work->et_al && records[0].authors_partial);
    CHECK_EQ(2, work->author_count);
    CHECK_STR("Jane", work->authors[0].given);
    CHECK_STR("The Group", work->authors[1].family);
    CHECK(!work->authors[1].given);
    CHECK_EQ(2, work->url_count);
    CHECK_STR("https://a.example/2", work->urls[1]);
    CHECK_STR("CrossRef", records[0].source);
    CHECK_STR("10.1000/x", records[0].id);
    CHECK_STR("r", records[0].retraction);
    CHECK_STR("", records[1].work.title);
    CHECK(!records[1].work.venue && !records[1].id && !records[1].work.et_al);
    CHECK_EQ(0, records[1].work.author_count);
    wr_arena_free(&arena);
    wr_bytes_unref(bytes);
}

TEST_PLAIN(an_answer_that_was_cut_is_refused_wherever_it_ends)
{
    struct wr_bytes *bytes = packed(), *cut;
    for (size_t len = 0; len < bytes->len; len++) {
        struct wr_arena arena = WR_ARENA(10000);
        struct bib_record *records;
        size_t count;
        REQUIRE_OK(wr_bytes_copy(&cut, bytes->data, len));
        CHECK_ERR(WR_INVALID, answer_unpack(cut, &arena, &records, &count));
        wr_bytes_unref(cut);
        wr_arena_free(&arena);
    }
    wr_bytes_unref(bytes);
}

TEST_PLAIN(a_damaged_answer_is_read_or_refused_and_nothing_else)
{
    struct wr_bytes *bytes = packed();
    for (size_t i = 0; i < bytes->len; i++)
        for (int bit = 0; bit < 8; bit++) {
            struct wr_arena arena = WR_ARENA(100000);
            struct bib_record *records;
            size_t count;
            bytes->data[i] ^= (unsigned char)(1 << bit);
            (void)!answer_unpack(bytes, &arena, &records, &count);
            bytes->data[i] ^= (unsigned char)(1 << bit);
            wr_arena_free(&arena);
        }
    wr_bytes_unref(bytes);
}

TEST_PLAIN(a_text_that_does_not_end_where_it_should_is_refused)
{
    struct wr_arena arena = WR_ARENA(10000);
    struct wr_bytes *bytes = packed();
    struct bib_record *records;
    size_t count;
    unsigned char *title = memmem(bytes->data, bytes->len, "Quiet Rivers", 13);
    REQUIRE(title);
    title[12] = 'x';
    CHECK_ERR(WR_INVALID, answer_unpack(bytes, &arena, &records, &count));
    wr_bytes_unref(bytes);
    wr_arena_free(&arena);
}

TEST_PLAIN(an_answer_of_another_version_is_refused)
{
    struct wr_arena arena = WR_ARENA(10000);
    struct wr_bytes *bytes = packed();
    struct bib_record *records;
    size_t count;
    bytes->data[0]++;
    CHECK_ERR(WR_INVALID, answer_unpack(bytes, &arena, &records, &count));
    wr_bytes_unref(bytes);
}

TEST_PLAIN(a_full_arena_is_said)
{
    struct wr_arena arena = WR_ARENA(100);
    struct wr_bytes *bytes = packed();
    struct bib_record *records;
    size_t count;
    CHECK_ERR(WR_NOMEM, answer_unpack(bytes, &arena, &records, &count));
    wr_arena_free(&arena);
    wr_bytes_unref(bytes);
}
