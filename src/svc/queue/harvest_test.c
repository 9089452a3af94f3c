#include "svc/queue/harvest.h"

#include "store/blob.h"
#include "store/claim.h"
#include "store/fragment.h"
#include "store/task.h"
#include "store/sql_read.h"
#include "store/webpage.h"
#include "svc/queue/page_memory.h"
#include "testing/store_rig.h"
#include "testing/stranger_rig.h"

#define SOON wr_after(WR_S(600))
#define HTML .headers = "Content-Type: text/html\r\n"

static const char article[] =
    "<title>On tides</title><body><nav><a href=/x>Home</a></nav><article><h1>On tides</h1>"
    "<p>The tides of the sea are caused by the gravity of the moon and of the sun, in 1687 "
    "explained by Newton.</p>"
    "<p>Spring tides occur when moon and sun stand in one line with the earth, as "
    "<a href=\"https://other.example/tides\">others have described</a> at great length.</p>"
    "</article></body>";

static struct crawl *crawl;
static struct crawl_memory memory;
static struct stranger stranger;
static struct harvest got;

static void begin(struct store *store, const struct stranger_page *pages, size_t count)
{
    stranger = (struct stranger){ 0 };
    memcpy(stranger.pages, pages, count * sizeof(*pages));
    stranger_open(&stranger);
    memory = page_memory(store);
    CHECK_OK(crawl_open(&crawl, &(struct crawl_conf){
        .fetch = STRANGER_FETCH, .memory = &memory }));
    CHECK_OK(store_task_add(store, &(struct store_task_new){
        .id = "task_1", .hypothesis = "The moon causes the tides", .pages_max = 9,
        .seconds_max = 99 }, SOON));
}
#define BEGIN(store, ...) do { const struct stranger_page pages_[] = { __VA_ARGS__ }; \
    begin(store, pages_, sizeof(pages_) / sizeof(pages_[0])); } while (0)

static void end(void)
{
    crawl_close(crawl);
    stranger_close(&stranger);
}

static wr_err harvest(struct store *store, const char *task, const char *path)
{
    return harvest_page(&(struct harvest_ask){
        .crawl = crawl, .store = store, .url = stranger_url(&stranger, "a.test", path),
        .task = task, .hypothesis = "The moon causes the tides", .reason = "manual" }, &got,
        SOON);
}

LOCAL_TEST(a_page_is_read_and_kept_with_fragments_claims_and_what_it_cites)
{
    struct store_fragments fragments;
    struct store_claims claims;
    BEGIN(store, { "/a", HTML, .body = article });
    CHECK_OK(harvest(store, "task_1", "/a"));
    CHECK_EQ(HARVEST_DONE, got.state);
    CHECK(got.fetched);
    CHECK_EQ(2, got.fragments);
    CHECK(got.claims >= 1);
    CHECK_EQ(1, got.cited);
    CHECK_OK(store_fragment_list(store, got.page, 10, &fragments, SOON));
    CHECK_EQ(2, fragments.count);
    CHECK(strstr(store_fragment_at(&fragments, 0).text, "gravity of the moon"));
    CHECK_STR("On tides", store_fragment_at(&fragments, 0).heading);
    store_fragments_free(&fragments);
    CHECK_OK(store_claim_list(store, &(struct store_claim_query){ .task = "task_1", .max = 10 },
                              &claims, SOON));
    CHECK_EQ(got.claims, claims.count);
    CHECK(strstr(store_claim_at(&claims, 0).text, "moon"));
    store_claims_free(&claims);
    end();
}

LOCAL_TEST(the_bytes_of_a_page_are_a_blob)
{
    struct store_page_known known;
    char *bytes;
    size_t len;
    BEGIN(store, { "/a", HTML, .body = article });
    CHECK_OK(harvest(store, "task_1", "/a"));
    CHECK_OK(store_page_get(store, stranger_url(&stranger, "a.test", "/a"), "task_1", &known,
                            SOON));
    CHECK_STR("On tides", known.page.title);
    CHECK(known.claimed);
    CHECK_OK(store_blob_get(store, known.page.content_hash, &bytes, &len, SOON));
    CHECK_STR(article, bytes);
    free(bytes);
    store_page_free(&known);
    end();
}

/* How many rows there are of pages whose url is like this. */
static int64_t rows_like(struct store *store, const char *url)
{
    struct store_answer answer;
    struct store_why why;
    char sql[200];
    snprintf(sql, sizeof(sql), "select count(*) from pages where url like '%s'", url);
    if (!CHECK_OK(store_select(store, &(struct store_ask){ .sql = sql, .rows_max = 1,
            .time_max = WR_S(2), .steps_max = 100000 }, &answer, &why, SOON)))
        return -1;
    int64_t count = store_int(&answer.rows, 0, 0);
    store_answer_free(&answer);
    return count;
}

LOCAL_TEST(a_page_has_one_row_however_its_address_is_written)
{
    BEGIN(store, { "/k%C3%B6ln", HTML, .body = article });
    CHECK_OK(harvest(store, "task_1", "/x/../köln#top"));
    CHECK_EQ(HARVEST_DONE, got.state);
    CHECK_OK(harvest(store, "task_1", "/k%c3%b6ln"));
    CHECK_EQ(HARVEST_KNOWN, got.state);
    CHECK_EQ(1, rows_like(store, "%/k%C3%B6ln"));
    CHECK_EQ(1, rows_like(store, "%a.test%"));
    CHECK_STR("/robots.txt /k%C3%B6ln", stranger_paths(&stranger));
    end();
}

LOCAL_TEST(what_is_cited_has_the_address_that_it_will_be_kept_by)
{
    BEGIN(
        store,
        { "/a", HTML,
          .body =
              "<title>On tides</title><article><h1>On tides</h1><p>The tides of the sea are "
              "caused by "
              "the gravity of the moon, as <a href=\"HTTPS://Other.example:443#x\">some</a> "
              "and "
              "<a href=\"https://dx.doi.org/10.1000/A%3Cb\">others</a> have said at great "
              "length in "
              "the past, and as <a href=\"http://k\303\266ln.example/\">more</a> will say.</p>"
              "</article>" });
    CHECK_OK(harvest(store, "task_1", "/a"));
    CHECK_EQ(3, got.cited);
    CHECK_EQ(1, rows_like(store, "https://other.example/"));
    CHECK_EQ(1, rows_like(store, "https://doi.org/10.1000/a%3Cb"));
    CHECK_EQ(1, rows_like(store, "http://xn--kln-sna.example/"));
    end();
}

LOCAL_TEST(a_page_that_the_task_has_is_left_as_it_is)
{
    BEGIN(store, { "/a", HTML, .body = article });
    CHECK_OK(harvest(store, "task_1", "/a"));
    size_t asked = stranger.asked;
    CHECK_OK(harvest(store, "task_1", "/a"));
    CHECK_EQ(HARVEST_KNOWN, got.state);
    CHECK(got.page[0]);
    CHECK_EQ(asked, stranger.asked);
    end();
}

LOCAL_TEST(another_task_reads_it_from_what_was_kept)
{
    BEGIN(store, { "/a", HTML, .body = article });
    CHECK_OK(store_task_add(store, &(struct store_task_new){
        .id = "task_2", .hypothesis = "h", .pages_max = 9, .seconds_max = 9 }, SOON));
    CHECK_OK(harvest(store, "task_1", "/a"));
    size_t asked = stranger.asked;
    CHECK_OK(harvest(store, "task_2", "/a"));
    CHECK_EQ(HARVEST_DONE, got.state);
    CHECK(!got.fetched);
    CHECK_EQ(0, got.fragments);                 /* they are everybody's */
    CHECK(got.claims >= 1);                     /* and claims are a task's */
    CHECK_EQ(asked, stranger.asked);
    end();
}

LOCAL_TEST(what_is_longer_than_a_row_has_room_for_is_cut)
{
    static char page[16 << 10], words[3000], language[300];
    struct store_page_known known;
    memset(words, 'w', sizeof(words) - 1);
    memset(language, 'x', sizeof(language) - 1);
    snprintf(page, sizeof(page), "<html lang=%s><title>%s</title><body><article><p>The tides "
             "of the sea are caused by the gravity of the moon.</p><p>"
             "<a href=\"https://b.example/\">%s</a> is where more is said of the tides and of "
             "the moon.</p></article>", language, words, words);
    BEGIN(store, { "/a", HTML, .body = page });
    CHECK_OK(harvest(store, "task_1", "/a"));
    CHECK_EQ(HARVEST_DONE, got.state);
    CHECK_EQ(1, got.cited);
    CHECK_OK(store_page_get(store, stranger_url(&stranger, "a.test", "/a"), NULL, &known,
                            SOON));
    CHECK_EQ(STORE_PAGE_TITLE_MAX, strlen(known.page.title));
    store_page_free(&known);
    end();
}

LOCAL_TEST(a_page_that_cannot_be_read_is_kept_all_the_same)
{
    struct store_page_known known;
    BEGIN(store, { "/a", .headers = "Content-Type: application/pdf\r\n",
                   .body = "%PDF-1.4 x" });
    CHECK(harvest_page(&(struct harvest_ask){
        .crawl = crawl, .store = store, .url = stranger_url(&stranger, "a.test", "/a"),
        .task = "task_1", .hypothesis = "h", .pdftotext = "/nowhere/pdftotext" }, &got, SOON));
    CHECK_OK(store_page_get(store, stranger_url(&stranger, "a.test", "/a"), NULL, &known,
                            SOON));
    CHECK(known.page.content_hash);
    CHECK_STR("application/pdf", known.page.content_type);
    store_page_free(&known);
    end();
}

LOCAL_TEST(a_plain_text_is_read_by_its_paragraphs)
{
    BEGIN(store, { "/a.txt", .headers = "Content-Type: text/plain\r\n", .body =
                   "The moon causes the\ntides of the sea.\n\n"
                   "The sun helps it in that too.\n" });
    CHECK_OK(harvest(store, "task_1", "/a.txt"));
    CHECK_EQ(HARVEST_DONE, got.state);
    CHECK_EQ(2, got.fragments);
    end();
}

LOCAL_TEST(a_page_without_text_or_without_a_page_is_empty)
{
    BEGIN(store, { "/empty", HTML, .body = "<p>" }, { "/gone", .status = 404 });
    CHECK_OK(harvest(store, "task_1", "/empty"));
    CHECK_EQ(HARVEST_EMPTY, got.state);
    CHECK_OK(harvest(store, "task_1", "/gone"));
    CHECK_EQ(HARVEST_EMPTY, got.state);
    CHECK_STR("HTTP_STATUS", got.code);
    CHECK_STR("it was answered with 404", got.why);
    end();
}

#define APP "<div id=root></div><noscript>You need to enable JavaScript to run this app." \
    "</noscript><script src=/app.js></script>"

LOCAL_TEST(a_page_of_scripts_that_cannot_run_says_nothing_and_why)
{
    BEGIN(store, { "/app", HTML, .body = APP });
    CHECK_OK(harvest(store, "task_1", "/app"));
    CHECK_EQ(HARVEST_EMPTY, got.state);
    CHECK(got.needs_scripts);
    CHECK(!got.rendered);
    CHECK_EQ(0, got.fragments);
    CHECK_STR("its scripts could not run: no browser is configured (queue.browser.command)",
              got.why);
    end();
}

LOCAL_TEST(the_little_that_a_page_says_without_its_scripts_is_kept)
{
    BEGIN(store, { "/app", HTML, .body = "<div id=root></div><p>The moon causes the tides of "
                                         "the sea.</p><script src=/app.js></script>" });
    CHECK_OK(harvest(store, "task_1", "/app"));
    CHECK_EQ(HARVEST_DONE, got.state);
    CHECK(got.needs_scripts && got.why[0]);
    CHECK_EQ(1, got.fragments);
    end();
}

LOCAL_TEST(what_scripts_have_shown_before_is_read_without_them)
{
    struct crawl_page shown = { .outcome = CRAWL_FETCHED, .status = 200, .media = MEDIA_HTML,
                                .rendered = true };
    BEGIN(store, { "/app", HTML, .body = APP });
    const char *url = stranger_url(&stranger, "a.test", "/app");
    shown.url = (char *)(uintptr_t)url;
    CHECK_OK(wr_bytes_copy(&shown.bytes, article, strlen(article)));
    CHECK_OK(memory.keep(memory.self, url, &shown, SOON));
    wr_bytes_unref(shown.bytes);
    CHECK_OK(harvest(store, "task_1", "/app"));
    CHECK_EQ(HARVEST_DONE, got.state);
    CHECK(got.rendered && !got.needs_scripts);
    CHECK_EQ(2, got.fragments);
    CHECK_EQ(0, stranger.asked);
    end();
}

LOCAL_TEST(a_page_that_wants_a_person_says_so)
{
    BEGIN(store, { "/c", HTML, .status = 403, .body =
                   "<title>Just a moment</title><div class=\"g-recaptcha\" data-sitekey=x>" });
    CHECK_OK(harvest(store, "task_1", "/c"));
    CHECK_EQ(HARVEST_AWAITS, got.state);
    CHECK_EQ(CHALLENGE_RECAPTCHA, got.challenge);
    end();
}

LOCAL_TEST(what_robots_may_not_see_is_an_error_with_its_word)
{
    BEGIN(store, { "/robots.txt", .headers = "Content-Type: text/plain\r\n",
                   .body = "User-agent: *\nDisallow: /private\n" },
          { "/private/a", HTML, .body = article });
    CHECK(harvest(store, "task_1", "/private/a") != WR_OK);
    CHECK_STR("ROBOTS_DENIED", got.code);
    CHECK(got.why[0]);
    end();
}
