/* index_test.c - tests of index.c, by what is found in what it makes. */
#include "library/library_int.h"
#include "testing/library_rig.h"

static size_t find(const struct library_rig *rig, const char *title, struct bib_record *ret,
                   size_t max, struct wr_arena *arena)
{
    return library_find(rig->lib, &(struct bib_work){ .title = title }, arena, ret, max);
}

TEST(every_record_of_many_is_found_by_its_title_and_its_doi)
{
    struct library_rig rig;
    struct bib_record found[2];
    char title[80], doi[40];
    library_rig_open(&rig);
    for (unsigned i = 0; i < 3000; i++) {
        snprintf(title, sizeof(title), "Number %u is %u in hexadecimals", i * 7919, i);
        snprintf(doi, sizeof(doi), "10.5/%u", i);
        rig_add(&rig, &(struct bib_record){ .work = { .title = title, .doi = doi } });
    }
    rig_finish(&rig);
    for (unsigned i = 0; i < 3000; i += 7) {
        struct wr_arena arena = WR_ARENA(1 << 16);
        snprintf(title, sizeof(title), "Number %u is %u in hexadecimals", i * 7919, i);
        snprintf(doi, sizeof(doi), "10.5/%u", i);
        CHECK(find(&rig, title, found, 1, &arena) == 1);
        CHECK_STR(title, found[0].work.title);
        CHECK(library_find(rig.lib, &(struct bib_work){ .doi = doi }, &arena, found, 2) == 1);
        CHECK_STR(title, found[0].work.title);
        wr_arena_free(&arena);
    }
    library_rig_close(&rig);
}

TEST(a_word_that_many_titles_have_is_no_key_and_a_title_that_many_have_is)
{
    struct library_rig rig;
    static struct bib_record found[400];
    struct wr_arena arena = WR_ARENA(1 << 20);
    library_rig_open(&rig);
    for (unsigned i = 0; i < 300; i++)
        rig_add_title(&rig, "Preface");
    rig_add_title(&rig, "Zymurgy");
    rig_finish(&rig);
    CHECK_EQ(300, find(&rig, "preface", found, 400, &arena));
    CHECK_EQ(0, find(&rig, "Our preface, by all of us together", found, 400, &arena));
    CHECK_EQ(1, find(&rig, "Zymurgie", found, 400, &arena));
    /* three hundred titles; and one title, its word and its two segments */
    CHECK_EQ(304 * 4, rig.lib->header.sections[FORMAT_POSTINGS].size);
    wr_arena_free(&arena);
    library_rig_close(&rig);
}

TEST(a_word_twice_in_a_title_counts_once)
{
    struct library_rig rig;
    struct bib_record found[4];
    struct wr_arena arena = WR_ARENA(1 << 16);
    library_rig_open(&rig);
    rig_add_title(&rig, "Buffalo buffalo Buffalo buffalo buffalo buffalo Buffalo buffalo");
    rig_finish(&rig);
    CHECK_EQ(1, find(&rig, "Buffalo buffalo Buffalo buffalo buffalo buffalo Buffalo", found, 4,
                     &arena));
    wr_arena_free(&arena);
    library_rig_close(&rig);
}
