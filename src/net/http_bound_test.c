/* http_bound_test.c - bounds that a route leaves to its server, and that can change while
 * it serves. */
#include "testing/http_rig.h"

static wr_err take_all(struct wr_call *call)
{
    size_t len;
    (void)wr_call_body(call, &len);
    wr_call_print(call, "%zu", len);
    return WR_OK;
}

static wr_err tell_bounds(struct wr_call *call)
{
    wr_call_print(call, "%lld", (long long)((wr_call_deadline(call) - wr_call_began(call))
                                            / WR_MS(1)));
    return WR_OK;
}

/* Kept beyond its call, as those do who answer before they are done. */
static wr_err sum_up(struct wr_call *call)
{
    struct wr_body body;
    uint64_t sum = 0;
    wr_err err = wr_call_take_body(call, &body);
    if (err)
        return err;
    for (size_t i = 0; i < body.len; i++)
        sum += (unsigned char)body.at[i] * (i % 251);
    wr_call_print(call, "%zu %llu %s", body.len, (unsigned long long)sum,
                  body.map.at ? "file" : "memory");
    wr_body_free(&body);
    return err;
}

static const struct wr_route own[] = {
    { .method = "POST", .path = "/usual", .handler = take_all },
    { .method = "POST", .path = "/large", .handler = take_all, .body_max = WR_BODY_LARGE },
    { .method = "POST", .path = "/own", .handler = take_all, .body_max = 7 },
    { .method = "POST", .path = "/file", .handler = sum_up, .body_max = 3 << 20, .spool = true,
      .class = WR_ROUTE_LONG, .body_within = WR_S(60) },
    { .method = "GET", .path = "/none", .handler = take_all, .body_max = WR_BODY_LARGE },
    { .method = "GET", .path = "/sleepy", .handler = sleepy },
    { .method = "GET", .path = "/brief", .handler = sleepy, .deadline = WR_MS(100) },
    { .method = "GET", .path = "/when", .handler = tell_bounds },
    { .method = "GET", .path = "/whenever", .handler = tell_bounds, .class = WR_ROUTE_LONG },
};
#define OWN .routes = own, .count = sizeof(own) / sizeof(*own)

static char text[6 << 20];

/* The status for a body of so many bytes; and when it is only announced: one that is too
 * large is refused by that. */
static long announced(struct site *site, const char *method, const char *path, size_t size)
{
    snprintf(text, 200, "%s %s HTTP/1.1\r\nHost: a\r\nContent-Length: %zu\r\n\r\n", method,
             path, size);
    return strtol(ask(site, text), NULL, 10);
}

static long posted(struct site *site, const char *path, size_t size)
{
    int head = snprintf(text, 200, "POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: %zu\r\n\r\n",
                        path, size);
    memset(text + head, 'x', size);
    text[(size_t)head + size] = '\0';
    return strtol(ask(site, text), NULL, 10);
}

TEST(a_body_may_be_as_large_as_its_route_says_or_else_the_server)
{
    struct site site;
    open_site_of(&site, 0, (struct wr_http_conf){ OWN, .body_max = 20, .body_large = 40 });
    CHECK_EQ(200, posted(&site, "/usual", 20));
    CHECK_EQ(413, announced(&site, "POST", "/usual", 21));
    CHECK_EQ(200, posted(&site, "/large", 40));
    CHECK_EQ(413, announced(&site, "POST", "/large", 41));
    CHECK_EQ(200, posted(&site, "/own", 7));
    CHECK_EQ(413, announced(&site, "POST", "/own", 8));
    CHECK_EQ(413, announced(&site, "GET", "/none", 1));
    close_site(&site);
}

TEST(without_a_word_they_are_1_and_4_MiB)
{
    struct site site;
    open_site_of(&site, 0, (struct wr_http_conf){ OWN });
    CHECK_EQ(200, posted(&site, "/usual", 1 << 20));
    CHECK_EQ(413, announced(&site, "POST", "/usual", (1 << 20) + 1));
    CHECK_EQ(200, posted(&site, "/large", 4 << 20));
    CHECK_EQ(413, announced(&site, "POST", "/large", (4 << 20) + 1));
    close_site(&site);
}

TEST(what_a_route_left_to_its_server_can_change_and_its_own_bounds_stay)
{
    struct site site;
    open_site_of(&site, 0, (struct wr_http_conf){ OWN });
    wr_http_tune(site.http, &(struct wr_http_conf){ .body_max = 30, .body_large = 50,
                                                    .deadline = WR_S(4) });
    CHECK_EQ(413, announced(&site, "POST", "/usual", 31));
    CHECK_EQ(200, posted(&site, "/large", 50));
    CHECK_EQ(413, announced(&site, "POST", "/large", 51));
    CHECK_EQ(200, posted(&site, "/own", 7));
    wr_time before = wr_now();
    CHECK_EQ(504, strtol(ask(&site, GET("/sleepy")), NULL, 10));
    CHECK_EQ(WR_S(3), wr_now() - before);       /* the handler's part of it */
    before = wr_now();
    CHECK_EQ(504, strtol(ask(&site, GET("/brief")), NULL, 10));
    CHECK_EQ(WR_MS(75), wr_now() - before);
    CHECK_STR("200 4000", ask(&site, GET("/when")));
    CHECK_STR("200 300000", ask(&site, GET("/whenever")));
    close_site(&site);
}

/* ---- large bodies ---- */

/* The answer to so many bytes for /file, which are told by their sum. */
static const char *filed(struct site *site, size_t size, uint64_t *ret_sum)
{
    int head = snprintf(text, 200, "POST /file HTTP/1.1\r\nHost: a\r\n"
                        "Content-Length: %zu\r\n\r\n", size);
    *ret_sum = 0;
    for (size_t i = 0; i < size; i++) {
        text[(size_t)head + i] = (char)('a' + i % 26);
        *ret_sum += (uint64_t)('a' + i % 26) * (i % 251);
    }
    text[(size_t)head + size] = '\0';
    return ask(site, text);
}

static void check_filed(struct site *site, size_t size, const char *where)
{
    char want[100];
    uint64_t sum;
    const char *said = filed(site, size, &sum);
    snprintf(want, sizeof(want), "200 %zu %llu %s", size, (unsigned long long)sum, where);
    CHECK_STR(want, said);
}

TEST(a_large_body_comes_by_way_of_a_file_and_is_what_was_sent)
{
    char folder[] = "/tmp/weir-body-XXXXXX";
    struct site site;
    REQUIRE(mkdtemp(folder));
    open_site_of(&site, 0, (struct wr_http_conf){ OWN, .spool = folder });
    check_filed(&site, 10, "memory");
    check_filed(&site, 100000, "memory");
    check_filed(&site, 3 << 20, "file");
    CHECK_EQ(413, announced(&site, "POST", "/file", (3 << 20) + 1));
    close_site(&site);
    CHECK_OK(wr_file_remove_dir(folder, wr_after(WR_S(1))));        /* nothing is left */
}

TEST(without_a_folder_a_large_body_comes_to_memory)
{
    struct site site;
    open_site_of(&site, 0, (struct wr_http_conf){ OWN });
    check_filed(&site, 3 << 20, "memory");
    close_site(&site);
}

TEST(a_large_body_that_the_disk_does_not_take_is_503)
{
    struct site site;
    uint64_t sum;
    open_site_of(&site, 0, (struct wr_http_conf){ OWN, .spool = "/nonexistent" });
    CHECK_EQ(503, strtol(filed(&site, 1 << 20, &sum), NULL, 10));
    close_site(&site);
}

TEST(of_large_bodies_sixteen_come_at_once_and_any_number_one_after_the_other)
{
    static const char begun[] =
        "POST /file HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\n\r\n";
    char folder[] = "/tmp/weir-body-XXXXXX";
    struct wr_stream *streams[16];
    struct site site;
    REQUIRE(mkdtemp(folder));
    open_site_of(&site, 0, (struct wr_http_conf){ OWN, .spool = folder });
    for (int i = 0; i < 20; i++)
        check_filed(&site, 1 << 20, "file");
    for (int i = 0; i < 16; i++) {
        streams[i] = dial(&site);
        say(streams[i], begun);
    }
    settle();
    CHECK_EQ(429, announced(&site, "POST", "/file", 300000));
    check_filed(&site, 9, "memory");                /* small ones come in all the same */
    wr_stream_close(streams[0]);
    settle();
    check_filed(&site, 300000, "file");
    for (int i = 1; i < 16; i++)
        wr_stream_close(streams[i]);
    close_site(&site);
    CHECK_OK(wr_file_remove_dir(folder, wr_after(WR_S(1))));
}
