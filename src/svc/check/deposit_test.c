/* deposit_test.c - lists of references as Crossref has them. */
#include "svc/check/deposit.h"

#include <string.h>

#include "testing/test.h"

static struct wr_arena arena = { .max = 1 << 20 };
static struct extract_documents documents;
static char why[DEPOSIT_WHY];

#define WORK(items) "{\"status\":\"ok\",\"message\":{\"DOI\":\"10.1000/x\"" items "}}"

static wr_err read_json(const char *json)
{
    wr_arena_free(&arena);
    return deposit_read("doi:10.1000/x", json, strlen(json), &arena, &documents, why,
                        wr_after(WR_S(10)));
}

/* The first reference of a list. */
static const struct bib_reference *first(const char *json)
{
    static const struct bib_reference none;
    REQUIRE_OK(read_json(json), &none);
    REQUIRE(documents.count == 1 && documents.at[0].references.count > 0, &none);
    return &documents.at[0].references.at[0];
}

TEST(fields_of_a_list_become_those_of_a_reference)
{
    const struct bib_reference *one = first(WORK(
        ",\"reference\":[{\"key\":\"ref1\",\"DOI\":\"10.1000/ENGINE\",\"author\":\"Lovelace\","
        "\"year\":\"1843\",\"article-title\":\"Notes on the Engine.\",\"volume\":\"3\","
        "\"journal-title\":\"Scientific Memoirs\",\"first-page\":\"666\"}]"));
    CHECK_STR("doi:10.1000/x", documents.at[0].name);
    CHECK_EQ(1, one->number);
    CHECK_STR("Notes on the Engine", one->work.title);
    CHECK_STR("Scientific Memoirs", one->work.venue);
    CHECK_STR("10.1000/engine", one->work.doi);
    CHECK_STR("3", one->work.volume);
    CHECK_STR("666", one->work.pages);
    CHECK_EQ(1843, one->work.year);
    CHECK_EQ(BIB_ARTICLE, one->work.kind);
    REQUIRE(one->work.author_count == 1);
    CHECK_STR("Lovelace", one->work.authors[0].family);
    CHECK(one->work.et_al);                     /* of authors only the first is there */
    CHECK_STR("Lovelace. Notes on the Engine. Scientific Memoirs. 3. 666. 1843", one->raw);
    CHECK(!one->skip);
}

TEST(a_reference_that_was_printed_is_read_like_text)
{
    const struct bib_reference *one = first(WORK(
        ",\"reference\":[{\"key\":\"r\",\"unstructured\":\"A. Lovelace and C. Babbage. Notes "
        "on the analytical engine of Mr. Babbage. Scientific Memoirs, 3:666-731, 1843.\"}]"));
    REQUIRE(one->work.title);
    CHECK(strstr(one->work.title, "analytical engine"));
    CHECK_EQ(2, one->work.author_count);
    CHECK(!one->work.et_al);
    CHECK_EQ(1843, one->work.year);
    CHECK(strncmp(one->raw, "A. Lovelace", 11) == 0);
}

TEST(fields_take_the_place_of_what_was_printed)
{
    const struct bib_reference *one = first(WORK(
        ",\"reference\":[{\"unstructured\":\"Somebody, something, 1900.\",\"year\":\"1843\","
        "\"volume-title\":\"The Book\",\"DOI\":\"10.1000/b\"}]"));
    CHECK_STR("The Book", one->work.title);
    CHECK_EQ(1843, one->work.year);
    CHECK_STR("10.1000/b", one->work.doi);
}

TEST(an_item_with_nothing_to_look_for_is_skipped_and_keeps_its_place)
{
    (void)first(WORK(",\"reference\":[{\"key\":\"a\",\"year\":\"1999\"},"
                     "{\"key\":\"b\",\"DOI\":\"10.1000/b\"},7]"));
    const struct bib_references *list = &documents.at[0].references;
    REQUIRE(list->count == 3);
    CHECK(list->at[0].skip && !list->at[1].skip && list->at[2].skip);
    CHECK_EQ(2, list->at[1].number);
}

TEST(a_work_without_a_list_is_said_to_have_none)
{
    CHECK_ERR(WR_NOTFOUND, read_json(WORK("")));
    CHECK(strstr(why, "publisher") && strstr(why, "give the file"));
    CHECK_ERR(WR_NOTFOUND, read_json(WORK(",\"reference\":[]")));
}

TEST(what_is_no_record_is_no_answer)
{
    CHECK_ERR(WR_IO, read_json("<html>"));
    CHECK_ERR(WR_IO, read_json("{\"message\":[]}"));
    CHECK_ERR(WR_IO, read_json(""));
    wr_arena_free(&arena);
}
