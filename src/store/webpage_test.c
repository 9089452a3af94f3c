#include "store/webpage.h"

#include "store/claim.h"
#include "store/edge.h"
#include "store/fragment.h"
#include "testing/evidence_rig.h"

#define URL "http://a.test/moon"

static const struct rig_page moon = {
    .url = URL, .task = "t", .title = "The moon",
    .fragments = { "The moon is far.", "The moon is round." },
    .claims = { "It is far", "It is round" } };

STORE_TEST(a_page_is_there_with_its_fragments_claims_and_origins)
{
    struct store_fragments fragments;
    struct store_claims claims;
    struct store_edges edges;
    char page[STORE_EVIDENCE_ID];
    CHECK_EQ(2, rig_page(store, &moon));
    CHECK_OK(store_fragment_list(store, store_page_id(page, URL), 10, &fragments, SOON));
    CHECK_EQ(2, fragments.count);
    CHECK_STR("The moon is far.", store_fragment_at(&fragments, 0).text);
    CHECK_STR("The moon is round.", store_fragment_at(&fragments, 1).text);
    CHECK_STR(URL, store_fragment_at(&fragments, 0).url);
    CHECK_OK(store_claim_list(store, &(struct store_claim_query){ .task = "t", .max = 10 },
                              &claims, SOON));
    CHECK_EQ(2, claims.count);
    struct store_claim claim = store_claim_at(&claims, 1);
    CHECK_STR("It is round", claim.text);
    CHECK_STR("fact", claim.type);
    CHECK(claim.confidence == 0.5);
    CHECK_OK(store_edge_list(store, claim.id, 10, &edges, SOON));
    CHECK_EQ(1, edges.count);
    CHECK_EQ(STORE_ORIGIN, store_edge_at(&edges, 0).relation);
    CHECK_STR(store_fragment_at(&fragments, 1).id, store_edge_at(&edges, 0).fragment);
    CHECK_STR("a.test", store_edge_at(&edges, 0).domain);
    store_edges_free(&edges);
    store_claims_free(&claims);
    store_fragments_free(&fragments);
}

STORE_TEST(a_page_that_is_put_again_adds_what_is_new)
{
    struct store_evidence count;
    CHECK_EQ(2, rig_page(store, &moon));
    CHECK_EQ(0, rig_page(store, &moon));
    CHECK_EQ(1, rig_page(store, &(struct rig_page){ .url = URL, .task = "t",
        .fragments = { "The moon is far.", "The moon is cold." } }));
    CHECK_OK(store_evidence_count(store, "t", &count, SOON));
    CHECK_EQ(1, count.pages);
    CHECK_EQ(3, count.fragments);
    CHECK_EQ(2, count.claims);
}

STORE_TEST(another_task_has_claims_of_its_own_from_the_same_page)
{
    struct store_evidence count;
    struct rig_page again = moon;
    again.task = "u";
    rig_page(store, &moon);
    CHECK_EQ(0, rig_page(store, &again));
    CHECK_OK(store_evidence_count(store, "u", &count, SOON));
    CHECK_EQ(1, count.pages);
    CHECK_EQ(2, count.fragments);
    CHECK_EQ(2, count.claims);
}

STORE_TEST(a_text_that_a_page_has_twice_is_one_fragment)
{
    CHECK_EQ(1, rig_page(store, &(struct rig_page){ .url = URL, .task = "t",
        .fragments = { "again", "again" }, .claims = { "a", "b" } }));
}

STORE_TEST(what_is_known_of_a_page_stays_until_something_else_is_known)
{
    struct store_page_known known;
    struct store_page_put put;
    CHECK_ERR(WR_NOTFOUND, store_page_get(store, URL, "t", &known, SOON));
    CHECK_OK(store_page_put(store, &(struct store_page_new){ .page = {
        .url = URL, .domain = "a.test", .title = "Old", .http_status = 200,
        .content_length = 7, .error = "it broke", .etag = "\"1\"" } }, &put, SOON));
    CHECK_OK(store_page_put(store, &(struct store_page_new){ .page = {
        .url = URL, .domain = "a.test", .title = "New" } }, &put, SOON));
    CHECK_OK(store_page_get(store, URL, "t", &known, SOON));
    CHECK_STR(put.id, known.id);
    CHECK_STR("New", known.page.title);
    CHECK_STR("\"1\"", known.page.etag);
    CHECK_EQ(200, known.page.http_status);
    CHECK_EQ(7, known.page.content_length);
    CHECK(!known.page.error);
    CHECK(!known.page.language);
    CHECK(!known.claimed);
    CHECK_EQ(rig_wall().ns / WR_MS(1), known.fetched_at.ns / WR_MS(1));
    store_page_free(&known);
}

STORE_TEST(the_marks_of_a_copy_go_with_it)
{
    struct store_page_known known;
    struct store_page_put put;
    CHECK_OK(store_page_put(store, &(struct store_page_new){ .page = {
        .url = URL, .domain = "a.test", .http_status = 200, .content_hash = "old",
        .etag = "\"1\"", .last_modified = "Mon" } }, &put, SOON));
    CHECK_OK(store_page_put(store, &(struct store_page_new){ .page = {
        .url = URL, .domain = "a.test", .http_status = 200, .content_hash = "new",
        .last_modified = "Tue" } }, &put, SOON));
    CHECK_OK(store_page_get(store, URL, "t", &known, SOON));
    CHECK(!known.page.etag);
    CHECK_STR("Tue", known.page.last_modified);
    store_page_free(&known);
}

STORE_TEST(a_page_that_is_read_again_was_fetched_when_it_was)
{
    struct store_page_known known;
    struct store_page_put put;
    struct store_page_new page = { .page = { .url = URL, .domain = "a.test",
                                             .http_status = 200 } };
    CHECK_OK(store_page_put(store, &page, &put, SOON));
    CHECK_OK(store_page_get(store, URL, NULL, &known, SOON));
    int64_t first = known.fetched_at.ns;
    store_page_free(&known);
    pass(WR_S(1));
    page.page.http_status = 0;
    CHECK_OK(store_page_put(store, &page, &put, SOON));
    CHECK_OK(store_page_get(store, URL, NULL, &known, SOON));
    CHECK_EQ(first, known.fetched_at.ns);
    store_page_free(&known);
    page.page.http_status = 200;
    CHECK_OK(store_page_put(store, &page, &put, SOON));
    CHECK_OK(store_page_get(store, URL, NULL, &known, SOON));
    CHECK(known.fetched_at.ns > first);
    store_page_free(&known);
}

STORE_TEST(whether_a_task_has_claims_from_a_page_is_known)
{
    struct store_page_known known;
    rig_page(store, &moon);
    CHECK_OK(store_page_get(store, URL, "t", &known, SOON));
    CHECK(known.claimed);
    store_page_free(&known);
    CHECK_OK(store_page_get(store, URL, "u", &known, SOON));
    CHECK(!known.claimed);
    store_page_free(&known);
    CHECK_OK(store_page_get(store, URL, NULL, &known, SOON));
    CHECK(!known.claimed);
    store_page_free(&known);
}

STORE_TEST(a_cited_page_is_there_unread_and_does_not_take_the_place_of_a_read_one)
{
    struct store_page_known known;
    uint64_t new;
    char page[STORE_EVIDENCE_ID];
    struct store_cited cited[] = {
        { .url = "http://b.test/1", .domain = "b.test", .title = "Sun", .context = "see" },
        { .url = "http://a.test/2", .domain = "a.test", .title = "other" } };
    rig_page(store, &moon);
    rig_page(store, &(struct rig_page){ .url = "http://a.test/2", .title = "Read" });
    store_page_id(page, URL);
    CHECK_OK(store_page_cite(store, page, "openalex", cited, 2, &new, SOON));
    CHECK_EQ(2, new);
    CHECK_OK(store_page_cite(store, page, "openalex", cited, 2, &new, SOON));
    CHECK_EQ(0, new);
    CHECK_OK(store_page_get(store, "http://b.test/1", NULL, &known, SOON));
    CHECK_STR("Sun", known.page.title);
    CHECK_EQ(0, known.fetched_at.ns);
    store_page_free(&known);
    CHECK_OK(store_page_get(store, "http://a.test/2", NULL, &known, SOON));
    CHECK_STR("Read", known.page.title);
    CHECK(known.fetched_at.ns > 0);
    store_page_free(&known);
}

STORE_TEST(a_page_is_put_with_whom_it_cites)
{
    struct store_page_known known;
    struct store_page_put put;
    struct store_cited cited[] = {
        { .url = "http://b.test/1", .domain = "b.test", .title = "Sun", .context = "see" },
        { .url = URL, .domain = "a.test", .title = "itself" } };
    struct store_page_new page = {
        .page = { .url = URL, .domain = "a.test", .title = "The moon" },
        .fragments = &(struct store_fragment_new){ .text = "The moon is far." },
        .fragment_count = 1, .cited = cited, .cited_count = 2 };
    CHECK_OK(store_page_put(store, &page, &put, SOON));
    CHECK_EQ(1, put.fragments_new);
    CHECK_EQ(2, put.cited_new);
    CHECK_OK(store_page_put(store, &page, &put, SOON));
    CHECK_EQ(0, put.fragments_new);
    CHECK_EQ(0, put.cited_new);
    page.fragment_count = 0;
    cited[0].url = "http://b.test/2";
    CHECK_OK(store_page_put(store, &page, &put, SOON));
    CHECK_EQ(0, put.fragments_new);
    CHECK_EQ(1, put.cited_new);
    CHECK_OK(store_page_get(store, "http://b.test/1", NULL, &known, SOON));
    CHECK_STR("Sun", known.page.title);
    CHECK_EQ(0, known.fetched_at.ns);
    store_page_free(&known);
    CHECK_OK(store_page_get(store, URL, NULL, &known, SOON));
    CHECK_STR("The moon", known.page.title);
    store_page_free(&known);
}

STORE_TEST(a_known_page_joins_another_task_once)
{
    char page[STORE_EVIDENCE_ID];
    struct store_evidence count;
    store_page_id(page, URL);
    CHECK_ERR(WR_NOTFOUND, store_page_join(store, page, "u", "manual", 0, NULL, SOON));
    rig_page(store, &moon);
    CHECK_OK(store_page_join(store, page, "u", "manual", 1, page, SOON));
    CHECK_ERR(WR_EXISTS, store_page_join(store, page, "u", "serp", 0, NULL, SOON));
    CHECK_OK(store_evidence_count(store, "u", &count, SOON));
    CHECK_EQ(1, count.pages);
    CHECK_EQ(0, count.claims);
}

STORE_TEST(any_bytes_can_be_a_text)
{
    struct store_fragments fragments;
    char page[STORE_EVIDENCE_ID];
    rig_page(store, &(struct rig_page){ .url = URL,
        .fragments = { "a\xff\x01 \"quote\" \\ \x7f \xf0\x9f\x8c\x99 ?1 $1" } });
    CHECK_OK(store_fragment_list(store, store_page_id(page, URL), 10, &fragments, SOON));
    CHECK_STR("a\xef\xbf\xbd\x01 \"quote\" \\ \x7f \xf0\x9f\x8c\x99 ?1 $1",
              store_fragment_at(&fragments, 0).text);
    store_fragments_free(&fragments);
}

STORE_TEST(what_is_too_long_or_too_much_is_refused)
{
    static char url[STORE_PAGE_URL_MAX + 2];
    static struct store_fragment_new fragments[STORE_PAGE_FRAGMENTS_MAX + 1];
    struct store_page_put put;
    uint64_t new;
    memset(url, 'x', STORE_PAGE_URL_MAX);
    url[STORE_PAGE_URL_MAX] = '\0';
    CHECK_OK(store_page_put(store, &(struct store_page_new){
        .page = { .url = url, .domain = "d" } }, &put, SOON));
    url[STORE_PAGE_URL_MAX] = 'x';
    CHECK_ERR(WR_INVALID, store_page_put(store, &(struct store_page_new){
        .page = { .url = url, .domain = "d" } }, &put, SOON));
    CHECK_ERR(WR_INVALID, store_page_cite(store, "p", "s", &(struct store_cited){
        .url = url, .domain = "d" }, 1, &new, SOON));
    CHECK_ERR(WR_INVALID, store_page_put(store, &(struct store_page_new){
        .page = { .url = "u", .domain = "d" }, .cited_count = 1,
        .cited = &(struct store_cited){ .url = url, .domain = "d" } }, &put, SOON));
    CHECK_ERR(WR_INVALID, store_page_put(store, &(struct store_page_new){
        .page = { .url = "u", .domain = "d" }, .fragments = fragments,
        .fragment_count = STORE_PAGE_FRAGMENTS_MAX + 1 }, &put, SOON));
}

STORE_TEST(a_page_of_the_largest_size_is_put)
{
    static struct store_fragment_new fragments[STORE_PAGE_FRAGMENTS_MAX];
    static char texts[STORE_PAGE_FRAGMENTS_MAX][2000];
    struct store_page_put put;
    for (int i = 0; i < STORE_PAGE_FRAGMENTS_MAX; i++) {
        memset(texts[i], 'a' + i % 26, sizeof(texts[i]) - 1);
        snprintf(texts[i], 8, "%d ", i);
        texts[i][strlen(texts[i])] = 'b';
        fragments[i] = (struct store_fragment_new){ .text = texts[i], .position = (unsigned)i };
    }
    CHECK_OK(store_page_put(store, &(struct store_page_new){
        .page = { .url = "u", .domain = "d" }, .fragments = fragments,
        .fragment_count = STORE_PAGE_FRAGMENTS_MAX }, &put, wr_after(WR_S(30))));
    CHECK_EQ(STORE_PAGE_FRAGMENTS_MAX, put.fragments_new);
}
