#include "crawl/visit.h"

#include "testing/stranger_rig.h"

static struct wr_fetch_client *client;
static struct stranger stranger;

static void begin(const struct stranger_page *pages, size_t count)
{
    static const struct wr_fetch_conf conf = STRANGER_FETCH;
    stranger = (struct stranger){ 0 };
    memcpy(stranger.pages, pages, count * sizeof(*pages));
    stranger_open(&stranger);
    CHECK_OK(wr_fetch_client_new(&client, &conf));
}
#define BEGIN(...) do { const struct stranger_page pages_[] = { __VA_ARGS__ }; \
    begin(pages_, sizeof(pages_) / sizeof(pages_[0])); } while (0)

static void end(void)
{
    wr_fetch_client_close(client, WR_NOW);
    stranger_close(&stranger);
}

static struct visit to(const char *path)
{
    return (struct visit){ .client = client, .url = stranger_url(&stranger, "a.test", path),
                           .body_max = 5000, .pdf_max = 20000 };
}

TEST(a_page_is_taken_with_all_that_is_said_of_it)
{
    BEGIN({ "/a", .headers = "Content-Type: text/html; charset=Latin1\r\nETag: \"7\"\r\n"
                             "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n",
            .body = "<p>hello</p>" });
    struct visit visit = to("/a");
    CHECK_OK(visit_run(&visit, wr_after(WR_S(10))));
    CHECK_EQ(200, visit.status);
    CHECK_EQ(MEDIA_HTML, visit.media.kind);
    CHECK_STR("latin1", visit.media.charset);
    CHECK_STR("<p>hello</p>", (char *)visit.bytes->data);
    CHECK_STR("\"7\"", visit.new_etag);
    CHECK_STR("Sun, 06 Nov 1994 08:49:37 GMT", visit.new_last_modified);
    CHECK_EQ(CHALLENGE_NONE, visit.challenge);
    CHECK(strstr(stranger.heads[0], "text/html, application/xhtml+xml, application/pdf;q=0.9"));
    visit_free(&visit);
    end();
}

TEST(what_is_known_is_said)
{
    BEGIN({ "/a", .status = 304 });
    struct visit visit = to("/a");
    visit.etag = "\"7\"";
    visit.last_modified = "Sun, 06 Nov 1994 08:49:37 GMT";
    visit.cookie = "who=me";
    visit.pdf_max = 0;
    CHECK_OK(visit_run(&visit, wr_after(WR_S(10))));
    CHECK_EQ(304, visit.status);
    CHECK(!visit.bytes);
    CHECK(strstr(stranger.heads[0], "If-None-Match: \"7\"\r\n"));
    CHECK(strstr(stranger.heads[0], "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n"));
    CHECK(strstr(stranger.heads[0], "Cookie: who=me\r\n"));
    CHECK(!strstr(stranger.heads[0], "pdf"));
    visit_free(&visit);
    end();
}

TEST(a_redirect_is_told_and_not_followed)
{
    BEGIN({ "/a", .status = 301, .headers = "Location: /b\r\n", .body = "over there" });
    struct visit visit = to("/a");
    CHECK_OK(visit_run(&visit, wr_after(WR_S(10))));
    CHECK_STR("/b", visit.location);
    CHECK(!visit.bytes);
    CHECK_STR("/a", stranger_paths(&stranger));
    visit_free(&visit);
    end();
}

TEST(other_kinds_are_not_taken)
{
    BEGIN({ "/png", .headers = "Content-Type: image/png\r\n", .body = "x" },
          { "/zero", .headers = "", .body = "\x89PNG\0\0", .body_len = 6 },
          { "/pdf", .headers = "Content-Type: application/pdf\r\n", .body = "%PDF-1.4" });
    struct visit visit = to("/png");
    CHECK_ERR(WR_UNSUPPORTED, visit_run(&visit, wr_after(WR_S(10))));
    CHECK_STR("it is image/png, and only text/html, application/xhtml+xml, text/plain and "
              "application/pdf are read", visit.why);
    visit_free(&visit);
    visit = to("/zero");
    CHECK_ERR(WR_UNSUPPORTED, visit_run(&visit, wr_after(WR_S(10))));
    visit_free(&visit);
    visit = to("/pdf");
    visit.pdf_max = 0;
    CHECK_ERR(WR_UNSUPPORTED, visit_run(&visit, wr_after(WR_S(10))));
    CHECK_STR("it is a PDF, and none was wanted", visit.why);
    visit_free(&visit);
    visit = to("/png");
    visit.any_kind = true;
    CHECK_OK(visit_run(&visit, wr_after(WR_S(10))));
    visit_free(&visit);
    end();
}

TEST(without_a_type_the_bytes_tell)
{
    BEGIN({ "/a", .headers = "", .body = "<!doctype html><p>x" },
          { "/b", .headers = "Content-Type: application/octet-stream\r\n",
            .body = "%PDF-1.7" });
    struct visit visit = to("/a");
    CHECK_OK(visit_run(&visit, wr_after(WR_S(10))));
    CHECK_EQ(MEDIA_HTML, visit.media.kind);
    visit_free(&visit);
    visit = to("/b");
    CHECK_OK(visit_run(&visit, wr_after(WR_S(10))));
    CHECK_EQ(MEDIA_PDF, visit.media.kind);
    visit_free(&visit);
    end();
}

TEST(a_page_may_be_so_large_and_a_pdf_larger)
{
    static char large[20002] = "%PDF-";
    memset(large + 5, 'x', sizeof(large) - 6);
    BEGIN({ "/full", .body = large + 5, .body_len = 5000 },
          { "/over", .body = large + 5, .body_len = 5001 },
          { "/pdf", .body = large, .body_len = 20000 },
          { "/huge", .headers = "Content-Type: application/pdf\r\n", .body = large,
            .body_len = 20001 });
    struct visit visit = to("/full");
    CHECK_OK(visit_run(&visit, wr_after(WR_S(10))));
    CHECK_EQ(5000, visit.bytes->len);
    visit_free(&visit);
    visit = to("/over");
    CHECK_ERR(WR_DENIED, visit_run(&visit, wr_after(WR_S(10))));
    CHECK_STR("it is larger than the 5000 bytes that are read of text/html", visit.why);
    CHECK(!visit.bytes);
    visit_free(&visit);
    visit = to("/pdf");
    CHECK_OK(visit_run(&visit, wr_after(WR_S(10))));
    CHECK_EQ(20000, visit.bytes->len);
    CHECK_EQ('x', visit.bytes->data[19999]);
    visit_free(&visit);
    visit = to("/huge");
    CHECK_ERR(WR_DENIED, visit_run(&visit, wr_after(WR_S(10))));
    CHECK_STR("it is larger than the 20000 bytes that are read of application/pdf", visit.why);
    visit_free(&visit);
    end();
}

TEST(a_refusal_is_looked_at_for_what_it_wants)
{
    BEGIN({ "/a", .status = 403, .body = "<div class=\"h-captcha\"></div>" },
          { "/b", .status = 429, .headers = "Retry-After: 9\r\n", .body = "slower" },
          { "/c", .body = "<div class=\"g-recaptcha\"></div>" },
          { "/d", .status = 404, .body = "<div class=\"g-recaptcha\"></div>" });
    struct visit visit = to("/a");
    CHECK_OK(visit_run(&visit, wr_after(WR_S(10))));
    CHECK_EQ(CHALLENGE_HCAPTCHA, visit.challenge);
    CHECK(!visit.bytes);
    visit_free(&visit);
    visit = to("/b");
    CHECK_OK(visit_run(&visit, wr_after(WR_S(10))));
    CHECK_EQ(CHALLENGE_NONE, visit.challenge);
    CHECK_EQ(WR_S(9), visit.retry_after);
    visit_free(&visit);
    visit = to("/c");
    CHECK_OK(visit_run(&visit, wr_after(WR_S(10))));
    CHECK_EQ(CHALLENGE_RECAPTCHA, visit.challenge);
    visit_free(&visit);
    visit = to("/d");
    CHECK_OK(visit_run(&visit, wr_after(WR_S(10))));
    CHECK_EQ(CHALLENGE_NONE, visit.challenge);
    CHECK(!visit.bytes);
    visit_free(&visit);
    end();
}

TEST(what_is_broken_off_or_internal_is_an_error_with_a_sentence)
{
    BEGIN({ "/a", .body = "half of this", .short_of = true });
    struct visit visit = to("/a");
    CHECK_ERR(WR_IO, visit_run(&visit, wr_after(WR_S(10))));
    CHECK(strstr(visit.why, "its body could not be read: "));
    visit_free(&visit);
    visit = to("/a");
    visit.url = "http://inside.test/";
    CHECK_ERR(WR_DENIED, visit_run(&visit, wr_after(WR_S(10))));
    CHECK(strstr(visit.why, "10.0.0.1"));
    visit_free(&visit);
    end();
}
