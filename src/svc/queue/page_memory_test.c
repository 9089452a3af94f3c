#include "svc/queue/page_memory.h"

#include <string.h>

#include "store/blob.h"
#include "store/webpage.h"
#include "testing/store_rig.h"

#define SOON wr_after(WR_S(5))
#define URL "http://a.test/1"

static char *copy(const char *text)
{
    return text ? strdup(text) : NULL;
}

/* A page that was fetched from there. */
static struct crawl_page fetched(const char *from, const char *text)
{
    struct crawl_page page = { .outcome = CRAWL_FETCHED, .status = 200, .media = MEDIA_HTML };
    page.url = copy(from);
    page.etag = copy("\"1\"");
    page.last_modified = copy("yesterday");
    snprintf(page.charset, sizeof(page.charset), "windows-1252");
    CHECK_OK(wr_bytes_copy(&page.bytes, text, strlen(text)));
    return page;
}

static void keep(struct store *store, const char *url, struct crawl_page page)
{
    struct crawl_memory memory = page_memory(store);
    CHECK_OK(memory.keep(memory.self, url, &page, SOON));
    crawl_page_free(&page);
}

static wr_err recall(struct store *store, const char *url, struct crawl_page *ret)
{
    struct crawl_memory memory = page_memory(store);
    *ret = (struct crawl_page){ 0 };
    return memory.recall(memory.self, url, ret, SOON);
}

STORE_TEST(what_is_kept_is_recalled_as_it_was)
{
    struct crawl_page page;
    CHECK_ERR(WR_NOTFOUND, recall(store, URL, &page));
    keep(store, URL, fetched("http://b.test/2", "some text"));
    CHECK_OK(recall(store, URL, &page));
    CHECK_STR("http://b.test/2", page.url);             /* where it was in the end */
    CHECK_EQ(200, page.status);
    CHECK_EQ(MEDIA_HTML, page.media);
    CHECK_STR("windows-1252", page.charset);
    CHECK_STR("\"1\"", page.etag);
    CHECK_STR("yesterday", page.last_modified);
    CHECK_EQ(9, page.bytes->len);
    CHECK(memcmp("some text", page.bytes->data, 9) == 0);
    CHECK_EQ(rig_wall().ns / WR_S(1), page.fetched_at.ns / WR_S(1));
    CHECK(!page.rendered);
    crawl_page_free(&page);
    CHECK_ERR(WR_NOTFOUND, recall(store, "http://b.test/2", &page));
}

STORE_TEST(a_mark_that_is_too_long_is_not_kept)
{
    static char long_one[300];
    struct crawl_page page = fetched(URL, "some text");
    memset(long_one, 'x', sizeof(long_one) - 1);
    free(page.etag);
    page.etag = copy(long_one);
    keep(store, URL, page);
    CHECK_OK(recall(store, URL, &page));
    CHECK(!page.etag);
    CHECK_STR("yesterday", page.last_modified);
    crawl_page_free(&page);
}

STORE_TEST(it_is_known_whether_its_scripts_had_run)
{
    struct crawl_page page;
    keep(store, URL, fetched(URL, "<script>"));
    struct crawl_page shown = fetched(URL, "<p>some text");
    shown.rendered = true;
    keep(store, URL, shown);
    CHECK_OK(recall(store, URL, &page));
    CHECK(page.rendered);
    CHECK(memcmp("<p>some text", page.bytes->data, page.bytes->len) == 0);
    crawl_page_free(&page);
    keep(store, URL, fetched(URL, "<script>"));
    CHECK_OK(recall(store, URL, &page));
    CHECK(!page.rendered);
    crawl_page_free(&page);
}

STORE_TEST(of_each_media_it_is_known_which_it_was)
{
    static const enum media_kind all[] = { MEDIA_HTML, MEDIA_XHTML, MEDIA_PLAIN, MEDIA_PDF };
    struct crawl_page page;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        struct crawl_page one = fetched(URL, "text");
        one.media = all[i];
        one.charset[0] = '\0';
        keep(store, URL, one);
        CHECK_OK(recall(store, URL, &page));
        CHECK_EQ(all[i], page.media);
        CHECK_STR("", page.charset);
        crawl_page_free(&page);
    }
}

STORE_TEST(equal_pages_are_one_blob)
{
    struct store_page_known one, other;
    char *bytes;
    size_t len;
    keep(store, URL, fetched(URL, "the same"));
    keep(store, "http://b.test/", fetched("http://b.test/", "the same"));
    CHECK_OK(store_page_get(store, URL, NULL, &one, SOON));
    CHECK_OK(store_page_get(store, "http://b.test/", NULL, &other, SOON));
    CHECK_STR(one.page.content_hash, other.page.content_hash);
    CHECK_EQ(8, one.page.content_length);
    CHECK_STR("b.test", other.page.domain);
    CHECK_OK(store_blob_get(store, one.page.content_hash, &bytes, &len, SOON));
    CHECK_STR("the same", bytes);
    free(bytes);
    store_page_free(&one);
    store_page_free(&other);
}

STORE_TEST(what_was_only_heard_of_is_not_recalled)
{
    struct crawl_page page;
    struct store_cited cited = { .url = URL, .domain = "a.test" };
    char id[STORE_EVIDENCE_ID];
    uint64_t new;
    keep(store, "http://b.test/", fetched("http://b.test/", "x"));
    store_page_id(id, "http://b.test/");
    CHECK_OK(store_page_cite(store, id, "page", &cited, 1, &new, SOON));
    CHECK_ERR(WR_NOTFOUND, recall(store, URL, &page));
    CHECK(!page.bytes);
}

STORE_TEST(a_page_without_bytes_or_whose_bytes_have_gone_is_not_there)
{
    struct crawl_page page, none = { .status = 200, .media = MEDIA_HTML };
    struct store_page_put put;
    none.url = copy(URL);
    keep(store, URL, none);
    CHECK_ERR(WR_NOTFOUND, recall(store, URL, &page));
    CHECK_OK(store_page_put(store,
                            &(struct store_page_new){
                                .page = { .url = URL,
                                          .domain = "a.test",
                                          .http_status = 200,
                                          .content_hash = "b3:"
                                                          "000000000000000000000000000000000000"
                                                          "0000000000000000000000000000" } },
                            &put, SOON));
    CHECK(recall(store, URL, &page) != WR_OK);
    CHECK(!page.bytes);
}

TEST_PLAIN(a_domain_is_the_host_of_an_address_and_its_port)
{
    static const char *const rows[][2] = {
        { "http://A.Test/x", "a.test" }, { "https://a.test:8080?q", "a.test:8080" },
        { "http://a.test#x", "a.test" }, { "http://[::1]:80/", "[::1]:80" },
        { "mailto:x@a.test", "" }, { "", "" }, { "http:///x", "" } };
    char domain[PAGE_DOMAIN_MAX], url[600] = "http://";
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        page_domain(rows[i][0], domain);
        CHECK_STR(rows[i][1], domain);
    }
    memset(url + 7, 'a', 500);
    page_domain(url, domain);
    CHECK_STR("", domain);
}
