#include "store/publication.h"

#include "testing/evidence_rig.h"

static const struct store_verb look = {
    .name = "test.works",
    .sqlite = { "select w.title, w.year, w.citation_count, w.is_open_access, w.source_api,"
                " (select count(*) from work_identifiers n"
                "  where n.canonical_id = w.canonical_id), w.doi"
                " from works w where w.canonical_id = ?1" },
};
static const struct store_verb names = {
    .name = "test.authors",
    .sqlite = { "select name, orcid from work_authors where canonical_id = ?1"
                " order by position" },
};

static struct store_rows ask(struct store *store, const struct store_verb *verb, const char *id)
{
    struct store_rows rows;
    CHECK_OK(store_do(store, verb, STORE_VALUES(STORE_TEXT(id)), &rows, SOON));
    return rows;
}

static const struct store_author three[] = { { .name = "A" }, { .name = "B", .orcid = "0" },
                                             { .name = "C" } };

static struct store_work work(void)
{
    return (struct store_work){ .doi = "10.1/a", .provider = "openalex", .provider_id = "W1",
        .title = "Tea", .year = 2020, .citations = 7, .references = -1, .open_access = true,
        .authors = three, .author_count = 3 };
}

STORE_TEST(a_work_is_kept_with_its_authors_in_their_order)
{
    char id[STORE_EVIDENCE_ID];
    struct store_work tea = work();
    CHECK_OK(store_work_put(store, &tea, id, SOON));
    struct store_rows rows = ask(store, &look, id);
    CHECK_EQ(1, rows.count);
    CHECK_STR("Tea", store_text(&rows, 0, 0));
    CHECK_EQ(2020, store_int(&rows, 0, 1));
    CHECK_EQ(7, store_int(&rows, 0, 2));
    CHECK_EQ(1, store_int(&rows, 0, 3));
    CHECK_STR("10.1/a", store_text(&rows, 0, 6));
    store_rows_free(&rows);
    rows = ask(store, &names, id);
    CHECK_EQ(3, rows.count);
    CHECK_STR("B", store_text(&rows, 1, 0));
    CHECK_STR("0", store_text(&rows, 1, 1));
    store_rows_free(&rows);
}

STORE_TEST(another_catalogue_adds_to_the_work_with_the_same_doi)
{
    char first[STORE_EVIDENCE_ID], second[STORE_EVIDENCE_ID];
    struct store_work tea = work();
    CHECK_OK(store_work_put(store, &tea, first, SOON));
    CHECK_OK(store_work_put(store, &(struct store_work){ .doi = "10.1/a",
        .provider = "semantic_scholar", .provider_id = "S1", .citations = 9, .references = 3,
        .authors = three, .author_count = 1 }, second, SOON));
    CHECK_STR(first, second);
    struct store_rows rows = ask(store, &look, first);
    CHECK_STR("Tea", store_text(&rows, 0, 0));
    CHECK_EQ(9, store_int(&rows, 0, 2));
    CHECK_STR("semantic_scholar", store_text(&rows, 0, 4));
    CHECK_EQ(2, store_int(&rows, 0, 5));
    store_rows_free(&rows);
    rows = ask(store, &names, first);
    CHECK_EQ(1, rows.count);
    store_rows_free(&rows);
}

STORE_TEST(a_work_without_authors_leaves_those_that_are_known)
{
    char id[STORE_EVIDENCE_ID];
    struct store_work tea = work();
    CHECK_OK(store_work_put(store, &tea, id, SOON));
    tea.author_count = 0;
    CHECK_OK(store_work_put(store, &tea, id, SOON));
    struct store_rows rows = ask(store, &names, id);
    CHECK_EQ(3, rows.count);
    store_rows_free(&rows);
}

STORE_TEST(without_a_doi_a_work_is_known_by_its_catalogue)
{
    char first[STORE_EVIDENCE_ID], second[STORE_EVIDENCE_ID];
    struct store_work tea = work();
    tea.doi = NULL;
    CHECK_OK(store_work_put(store, &tea, first, SOON));
    tea.provider = "semantic_scholar";
    CHECK_OK(store_work_put(store, &tea, second, SOON));
    CHECK(strcmp(first, second) != 0);
}

STORE_TEST(too_many_authors_are_refused)
{
    char id[STORE_EVIDENCE_ID];
    struct store_work tea = work();
    tea.author_count = STORE_WORK_AUTHORS_MAX + 1;
    CHECK_ERR(WR_INVALID, store_work_put(store, &tea, id, SOON));
}
