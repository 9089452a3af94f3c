/* index_desk_test.c - what the routes of the index have in common. */
#include "svc/index/index_desk.h"

#include "testing/http_rig.h"

static struct index_desk desk;
static const char *const flats[] = { "/body", "/fail", "/closed", NULL };

static wr_err number(struct wr_call *call)
{
    wr_call_print(call, "%zu", index_desk_number(call, "n", 2, 50, 10));
    return WR_OK;
}

static wr_err body(struct wr_call *call)
{
    static const char *const names[] = { "a", "b", NULL };
    json_t *json;
    wr_err err = index_desk_body(call, names, &json);
    if (err)
        return err;
    wr_call_print(call, "%zu", json_object_size(json));
    json_decref(json);
    return WR_OK;
}

static wr_err fail(struct wr_call *call)
{
    const char *word = wr_call_param(call, "word");
    wr_err err = strcmp(word, "io") == 0 ? WR_IO
                 : strcmp(word, "damaged") == 0 ? WR_QUARANTINE : WR_NOTFOUND;
    return index_desk_fail(call, err, strcmp(word, "why") == 0 ? "because" : NULL);
}

static wr_err closed(struct wr_call *call)
{
    struct index_desk *ret;
    return index_desk_of(call, &ret);
}

static const struct wr_route routes[] = {
    { .method = "GET", .path = "/n", .handler = number },
    { .method = "POST", .path = "/body", .handler = body },
    { .method = "GET", .path = "/fail/{word}", .handler = fail },
    { .method = "GET", .path = "/closed", .handler = closed, .arg = &desk },
};

static void open_desk(struct site *site)
{
    open_site_of(site, 0, (struct wr_http_conf){
        .routes = routes, .count = sizeof(routes) / sizeof(*routes), .flats = flats });
}

TEST(a_number_is_clamped_and_what_is_none_is_the_preset)
{
    struct site site;
    open_desk(&site);
    CHECK_STR("200 10", ask(&site, GET("/n")));
    CHECK_STR("200 7", ask(&site, GET("/n?n=7")));
    CHECK_STR("200 2", ask(&site, GET("/n?n=0")));
    CHECK_STR("200 50", ask(&site, GET("/n?n=51")));
    CHECK_STR("200 50", ask(&site, GET("/n?n=99999999999999999999999")));
    CHECK_STR("200 10", ask(&site, GET("/n?n=-1")));
    CHECK_STR("200 10", ask(&site, GET("/n?n=7x")));
    CHECK_STR("200 10", ask(&site, GET("/n?n=")));
    close_site(&site);
}

static const char *post(struct site *site, const char *type, const char *text)
{
    static char request[300];
    snprintf(request, sizeof(request), "POST /body HTTP/1.1\r\nHost: a\r\n%sContent-Length: "
             "%zu\r\n\r\n%s", type, strlen(text), text);
    return ask(site, request);
}

TEST(a_body_is_an_object_of_known_members)
{
    struct site site;
    open_desk(&site);
    CHECK_STR("200 1", post(&site, "", "{\"a\":1}"));
    CHECK_STR("200 2", post(&site, "Content-Type: Application/JSON; charset=utf-8\r\n",
                            "{\"a\":1,\"b\":2}"));
    CHECK(strstr(post(&site, "", "{\"a\":1,\"c\":2}"), "400 {\"code\":\"bad_request\""));
    CHECK(strstr(post(&site, "", "{\"a\":1,\"a\":2}"), "400 "));
    CHECK(strstr(post(&site, "", "[]"), "400 "));
    CHECK(strstr(post(&site, "", ""), "400 "));
    CHECK(strstr(post(&site, "Content-Type: application/jsonx\r\n", "{}"), "415 "));
    close_site(&site);
}

TEST(errors_have_the_status_of_the_index)
{
    struct site site;
    open_desk(&site);
    CHECK(strstr(ask(&site, GET("/fail/io")), "503 {\"code\":\"upstream_unready\""));
    CHECK(strstr(ask(&site, GET("/fail/damaged")), "500 {\"code\":\"internal\""));
    CHECK(strstr(ask(&site, GET("/fail/why")), "404 {\"code\":\"not_found\",\"message\":"
                                               "\"because\""));
    CHECK(strstr(ask(&site, GET("/closed")), "501 {\"code\":\"unsupported\""));
    close_site(&site);
}
