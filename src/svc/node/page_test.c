/* page_test.c - an object goes out whole, or not at all. */
#include "svc/node/page.h"

#include "testing/http_rig.h"

static wr_err small(struct wr_call *call)
{
    struct page page;
    page_begin(&page);
    page_moment(&page, "at", (struct wr_wall){ WR_S(86400) + WR_MS(250) });
    wr_json_u64(&page.json, "n", 7);
    return page_end(&page, call);
}

static wr_err large(struct wr_call *call)
{
    struct page page;
    page_begin(&page);
    for (int i = 0; i < 20000; i++) {
        wr_json_array(&page.json, "ten bytes or so");
        wr_json_end(&page.json);
    }
    return page_end(&page, call);
}

static const struct wr_route pages[] = {
    { .method = "GET", .path = "/small", .handler = small },
    { .method = "GET", .path = "/large", .handler = large },
};

TEST(a_page_is_one_object_of_json)
{
    struct site site;
    open_site_of(&site, 0, (struct wr_http_conf){ .routes = pages, .count = 2 });
    CHECK_STR("200 {\"at\":\"1970-01-02T00:00:00.250000Z\",\"n\":7}",
              ask(&site, GET("/small")));
    CHECK(strstr(answer_head, "\r\nContent-Type: application/json\r\n"));
    close_site(&site);
}

TEST(a_page_that_is_too_large_is_an_error_and_not_half_a_page)
{
    struct site site;
    open_site_of(&site, 0, (struct wr_http_conf){ .routes = pages, .count = 2 });
    CHECK(strncmp(ask(&site, GET("/large")), "503 {\"error\":", 13) == 0);
    close_site(&site);
}
