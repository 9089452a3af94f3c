/* asset_test.c - embedded content and files, over HTTP. */
#include "net/asset.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "testing/http_rig.h"

static const struct asset table_of_assets[] = {
    { .path = "/", .bytes = "<p>start", .size = 8, .type = "text/html; charset=utf-8" },
    { .path = "/app/main.js", .bytes = "0123456789", .size = 10 },
    { .path = "/app/logo.svg", .bytes = "<svg/>", .size = 6, .cache = "max-age=3600" },
    { .path = "/app/empty.txt", .bytes = "", .size = 0 },
};

static struct assets *assets;
static struct site site;
static char folder[] = "/tmp/weir-asset-XXXXXX";
static struct wr_route routes[] = {
    { .method = "GET", .path = "/", .handler = assets_serve },
    { .method = "GET", .path = "/app/{name}", .handler = assets_serve },
    { .method = "GET", .path = "/files/{name}", .handler = asset_file_serve, .arg = folder },
};

static void open_assets(void)
{
    CHECK_OK(assets_new(&assets, table_of_assets, 4, 784111777));
    routes[0].arg = routes[1].arg = assets;
    open_site_of(&site, 1, (struct wr_http_conf){ .routes = routes, .count = 3 });
}

static void close_assets(void)
{
    close_site(&site);
    assets_free(assets);
}

static bool said(const char *header)
{
    return strstr(answer_head, header) != NULL;
}

TEST(assets_come_with_their_type_tag_date_and_rule_for_caches)
{
    open_assets();
    CHECK_STR("200 <p>start", ask(&site, GET("/")));
    CHECK(said("\r\nContent-Type: text/html; charset=utf-8\r\n"));
    CHECK(said("\r\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT"));
    CHECK(said("\r\nCache-Control: no-cache"));
    CHECK(said("\r\nETag: \""));
    CHECK(said("\r\nAccept-Ranges: bytes"));
    CHECK(said("\r\nX-Content-Type-Options: nosniff"));
    CHECK_STR("200 0123456789", ask(&site, GET("/app/main.js")));
    CHECK(said("\r\nContent-Type: text/javascript; charset=utf-8\r\n"));
    CHECK_STR("200 <svg/>", ask(&site, GET("/app/logo.svg")));
    CHECK(said("\r\nContent-Type: image/svg+xml\r\n"));
    CHECK(said("\r\nCache-Control: max-age=3600"));
    CHECK_STR("200", ask(&site, GET("/app/empty.txt")));
    close_assets();
}

TEST(a_second_visit_costs_no_body)
{
    open_assets();
    char tag[100], request[300];
    CHECK_STR("200 <p>start", ask(&site, GET("/")));
    sscanf(strstr(answer_head, "ETag: "), "ETag: %99[^\r]", tag);
    snprintf(request, sizeof(request), "GET / HTTP/1.1\r\nHost: a\r\nIf-None-Match: %s\r\n\r\n",
             tag);
    CHECK_STR("304", ask(&site, request));
    CHECK(said(tag) && said("\r\nCache-Control: no-cache") && !said("Content-Length"));
    CHECK(strncmp(ask(&site, "GET / HTTP/1.1\r\nHost: a\r\nIf-Match: \"else\"\r\n\r\n"),
                  "412 ", 4) == 0);
    close_assets();
}

TEST(a_part_is_206_and_says_which)
{
    open_assets();
    CHECK_STR("206 234", ask(&site, "GET /app/main.js HTTP/1.1\r\nHost: a\r\n"
                                    "Range: bytes=2-4\r\n\r\n"));
    CHECK(said("\r\nContent-Range: bytes 2-4/10"));
    CHECK_STR("206 789", ask(&site, "GET /app/main.js HTTP/1.1\r\nHost: a\r\n"
                                    "Range: bytes=-3\r\n\r\n"));
    CHECK(said("\r\nContent-Range: bytes 7-9/10"));
    CHECK(strncmp(ask(&site, "GET /app/main.js HTTP/1.1\r\nHost: a\r\n"
                             "Range: bytes=10-\r\n\r\n"), "416 ", 4) == 0);
    CHECK(said("\r\nContent-Range: bytes */10"));
    CHECK_STR("200 0123456789", ask(&site, "GET /app/main.js HTTP/1.1\r\nHost: a\r\n"
                                           "Range: bytes=0-1,3-4\r\n\r\n"));
    close_assets();
}

TEST(a_head_request_has_the_same_head)
{
    open_assets();
    struct wr_stream *stream = dial(&site);
    say(stream, "HEAD /app/main.js HTTP/1.1\r\nHost: a\r\nRange: bytes=0-1\r\n\r\n");
    CHECK_STR("200", hear_of(stream, false));
    CHECK(said("\r\nContent-Length: 10\r\n") && said("\r\nETag: \""));
    wr_stream_close(stream);
    close_assets();
}

TEST(nothing_but_the_table_can_be_had)
{
    open_assets();
    CHECK(strncmp(ask(&site, GET("/app/other.js")), "404 ", 4) == 0);
    CHECK(strncmp(ask(&site, GET("/app/..")), "404 ", 4) == 0);
    CHECK(strncmp(ask(&site, GET("/app/%2e%2e%2fmain.js")), "404 ", 4) == 0);
    CHECK(strncmp(ask(&site, GET("/app/MAIN.JS")), "404 ", 4) == 0);
    close_assets();
}

static void put_file(const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    CHECK_EQ((long long)strlen(text), write(fd, text, strlen(text)));
    close(fd);
}

TEST(files_of_a_folder_are_had_by_their_name_and_nothing_else_is)
{
    char path[300];
    strncpy(folder + strlen(folder) - 6, "XXXXXX", 7);
    REQUIRE(mkdtemp(folder));
    put_file("a.txt", "first");
    put_file(".hidden", "no");
    put_file("b c", "no");
    snprintf(path, sizeof(path), "%s/below", folder);
    CHECK_EQ(0, mkdir(path, 0700));
    open_assets();
    CHECK_STR("200 first", ask(&site, GET("/files/a.txt")));
    CHECK(said("\r\nContent-Type: text/plain; charset=utf-8\r\n"));
    CHECK(said("\r\nLast-Modified: "));
    put_file("a.txt", "second");
    CHECK_STR("200 second", ask(&site, GET("/files/a.txt")));
    static const char *const wrong[] = {
        GET("/files/b.txt"), GET("/files/.hidden"), GET("/files/.."), GET("/files/%2e%2e"),
        GET("/files/below"), GET("/files/b%20c"), GET("/files/..%2f..%2fetc%2fpasswd"),
        GET("/files/a.txt%2f"), GET("/files/"), GET("/files/below/../a.txt"),
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        if (!CHECK(strncmp(ask(&site, wrong[i]), "404 ", 4) == 0))
            CHECK_STR("404", wrong[i]);
    close_assets();
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof(path), "%s/%s", folder,
                 (const char *[]){ "a.txt", ".hidden", "b c", "below" }[i]);
        CHECK_EQ(0, remove(path));
    }
    CHECK_EQ(0, rmdir(folder));
}

TEST_PANICS(two_assets_of_one_path_are_refused, "there are two of it")
{
    static const struct asset twice[] = { { .path = "/a", .bytes = "" },
                                          { .path = "/a", .bytes = "" } };
    (void)!assets_new(&assets, twice, 2, 0);
}
