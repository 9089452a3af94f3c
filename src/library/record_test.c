/* record_test.c - tests of record.c. */
#include "library/record.h"

#include <stdlib.h>
#include <string.h>

#include "testing/test.h"

static char long_text[5000];

static struct bib_record sample(void)
{
    static const struct bib_name names[] = { { "Hopper", "Grace" }, { "ENIAC", NULL } };
    return (struct bib_record){ .id = "k", .work = { .kind = BIB_PAPER, .year = 1952,
        .title = "The education of a computer", .venue = "ACM", .authors = names,
        .author_count = 2, .doi = "10.1145/609784.609818" } };
}

static bool read_back(const struct wr_text *text, struct wr_arena *arena,
                      struct bib_record *ret, uint32_t *venue)
{
    struct record_cursor cursor;
    struct record_head head;
    const unsigned char *at = (const unsigned char *)text->at;
    return record_open(&cursor, at, at + text->len) && record_read_head(&cursor, &head)
        && record_read_rest(&cursor, &head, arena, ret, venue);
}

TEST_PLAIN(a_record_comes_back_as_it_was)
{
    struct wr_text text = wr_text_heap(RECORD_MAX);
    struct wr_arena arena = WR_ARENA(4096);
    struct bib_record record = sample(), back = { 0 };
    uint32_t venue = 0;
    CHECK_OK(record_write(&text, &record, RECORD_NO_VENUE));
    REQUIRE(read_back(&text, &arena, &back, &venue));
    CHECK_EQ(RECORD_NO_VENUE, venue);
    CHECK_STR("ACM", back.work.venue);
    CHECK_STR(record.work.title, back.work.title);
    CHECK_STR(record.work.doi, back.work.doi);
    CHECK(!back.work.arxiv_id && !back.retraction && !back.work.et_al && !back.authors_partial);
    CHECK_EQ(2, back.work.author_count);
    if (back.work.authors)
        CHECK_STR("ENIAC", back.work.authors[1].family);
    wr_text_rewind(&text, 0);
    CHECK_OK(record_write(&text, &record, 77));
    REQUIRE(read_back(&text, &arena, &back, &venue));
    CHECK_EQ(77, venue);
    CHECK(!back.work.venue);
    wr_arena_free(&arena);
    wr_text_free(&text);
}

TEST_PLAIN(what_has_no_name_or_is_too_long_is_not_kept)
{
    struct wr_text text = wr_text_heap(RECORD_MAX);
    memset(long_text, 'x', sizeof(long_text) - 1);
    struct bib_record record = { .id = "only an id" };
    CHECK_ERR(WR_INVALID, record_write(&text, &record, RECORD_NO_VENUE));
    record.work.title = "";
    CHECK_ERR(WR_INVALID, record_write(&text, &record, RECORD_NO_VENUE));
    record.work.title = long_text;
    CHECK_ERR(WR_INVALID, record_write(&text, &record, RECORD_NO_VENUE));
    CHECK_EQ(0, text.len);
    record = sample();
    record.work.author_count = RECORD_AUTHORS_MAX + 1;
    CHECK(!record_can_be_kept(&record));
    wr_text_free(&text);
}

TEST_PLAIN(a_record_that_is_too_long_as_a_whole_leaves_nothing_behind)
{
    struct wr_text text = wr_text_heap((size_t)2 * RECORD_MAX);
    static struct bib_name names[100];
    memset(long_text, 'x', sizeof(long_text));
    long_text[3000] = '\0';
    for (size_t i = 0; i < 100; i++)
        names[i].family = long_text;
    struct bib_record record = {
        .work = { .title = "t", .authors = names, .author_count = 100 } };
    CHECK_ERR(WR_INVALID, record_write(&text, &record, RECORD_NO_VENUE));
    CHECK_EQ(0, text.len);
    wr_text_free(&text);
}

TEST_PLAIN(bytes_that_are_cut_or_changed_never_lead_outside)
{
    struct wr_text text = wr_text_heap(RECORD_MAX);
    struct bib_record record = sample(), back;
    uint32_t venue;
    CHECK_OK(record_write(&text, &record, RECORD_NO_VENUE));
    size_t whole = text.len;
    for (size_t len = 0; len < whole; len++) {
        struct wr_arena arena = WR_ARENA(4096);
        unsigned char *part = malloc(len + 1);      /* so that a sanitizer sees its end */
        memcpy(part, text.at, len);
        struct wr_text cut = { .at = (char *)part, .len = len };
        CHECK(!read_back(&cut, &arena, &back, &venue));
        free(part);
        wr_arena_free(&arena);
    }
    for (size_t i = 0; i < whole; i++)
        for (int value = 0; value < 256; value += 17) {
            struct wr_arena arena = WR_ARENA(1 << 16);
            unsigned char *other = malloc(whole);
            memcpy(other, text.at, whole);
            other[i] = (unsigned char)value;
            struct wr_text changed = { .at = (char *)other, .len = whole };
            if (read_back(&changed, &arena, &back, &venue) && back.work.title)
                CHECK(strlen(back.work.title) <= whole);
            free(other);
            wr_arena_free(&arena);
        }
    wr_text_free(&text);
}

TEST_PLAIN(a_text_longer_than_what_is_left_is_none)
{
    static const unsigned char bytes[] = { 3, 'a', 'b', 4, 'c' };
    struct record_cursor cursor = { .at = bytes, .end = bytes + sizeof(bytes) };
    struct record_text text = record_text(&cursor);
    CHECK(text.len == 2 && text.at[1] == 'b' && !cursor.bad);
    text = record_text(&cursor);
    CHECK(!text.at && cursor.bad && cursor.at == cursor.end);
}
