#include "net/route.h"

#include <stdio.h>
#include <string.h>

#include "testing/test.h"

static wr_err answer(struct wr_call *call)
{
    (void)call;
    return WR_OK;
}

#define ROUTE(method_, path_) { .method = method_, .path = path_, .handler = answer }

static const struct wr_route table[] = {
    ROUTE("GET", "/"),
    ROUTE("GET", "/healthz"),
    ROUTE("GET", "/epochs/{id}"),
    ROUTE("POST", "/epochs/{id}/compute"),
    ROUTE("GET", "/epochs/latest"),
    ROUTE("DELETE", "/epochs/{id}"),
    ROUTE("GET", "/a/{x}/b/{y}"),
    ROUTE("GET", "/dir/"),
};

/* The index of the route and its parameters: "2 x=.." ; "404"; "405". */
static const char *find(const char *method, const char *path)
{
    static char buf[200];
    char own[100];
    struct routes *routes;
    struct params params = { 0 };
    REQUIRE_OK(routes_new(&routes, table, sizeof(table) / sizeof(table[0]), WR_HERE), "");
    snprintf(own, sizeof(own), "%s", path);
    struct found found = routes_find(routes, method, own, &params);
    if (!found.route) {
        snprintf(buf, sizeof(buf), "%s", found.path_known ? "405" : "404");
    } else {
        CHECK(found.route == &table[found.index]);
        int len = snprintf(buf, sizeof(buf), "%zu", found.index);
        for (size_t i = 0; i < PARAMS_MAX && params.value[i]; i++)
            len += snprintf(buf + len, sizeof(buf) - (size_t)len, " %s", params.value[i]);
    }
    routes_free(routes);
    return buf;
}

TEST_PLAIN(a_path_finds_its_route)
{
    CHECK_STR("0", find("GET", "/"));
    CHECK_STR("1", find("GET", "/healthz"));
    CHECK_STR("7", find("GET", "/dir/"));
}

TEST_PLAIN(head_is_answered_where_get_is)
{
    CHECK_STR("1", find("HEAD", "/healthz"));
    CHECK_STR("405", find("HEAD", "/epochs/7/compute"));
}

TEST_PLAIN(parameters_are_cut_out_of_the_path)
{
    CHECK_STR("2 7", find("GET", "/epochs/7"));
    CHECK_STR("3 2026-01", find("POST", "/epochs/2026-01/compute"));
    CHECK_STR("5 x", find("DELETE", "/epochs/x"));
    CHECK_STR("6 one two", find("GET", "/a/one/b/two"));
}

TEST_PLAIN(a_route_without_parameters_goes_before_one_with)
{
    CHECK_STR("4", find("GET", "/epochs/latest"));
    CHECK_STR("5 latest", find("DELETE", "/epochs/latest"));
}

TEST_PLAIN(what_is_not_there_is_told_from_what_is_there_for_another_method)
{
    CHECK_STR("404", find("GET", "/nothing"));
    CHECK_STR("404", find("GET", "/healthz/"));
    CHECK_STR("404", find("GET", "/dir"));
    CHECK_STR("404", find("GET", "/epochs/"));
    CHECK_STR("404", find("GET", "/epochs//compute"));
    CHECK_STR("404", find("GET", "/a/one/b"));
    CHECK_STR("404", find("GET", "/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s"));
    CHECK_STR("405", find("POST", "/healthz"));
    CHECK_STR("405", find("PUT", "/epochs/7"));
}

TEST_PLAIN(a_parameter_is_had_by_its_name)
{
    struct params params = { .value = { "one", "two" } };
    CHECK_STR("one", route_param(&table[6], &params, "x"));
    CHECK_STR("two", route_param(&table[6], &params, "y"));
    CHECK(route_param(&table[6], &params, "z") == NULL);
    CHECK(route_param(&table[6], &params, "") == NULL);
    CHECK(route_param(&table[1], &params, "x") == NULL);
}

TEST_PLAIN(the_methods_of_a_path_are_listed)
{
    char path[] = "/epochs/7", other[] = "/nothing", buf[100];
    struct routes *routes;
    REQUIRE_OK(routes_new(&routes, table, sizeof(table) / sizeof(table[0]), WR_HERE));
    routes_allowed(routes, path, buf, sizeof(buf));
    CHECK_STR("GET, HEAD, DELETE", buf);
    routes_allowed(routes, other, buf, sizeof(buf));
    CHECK_STR("", buf);
    routes_free(routes);
}

TEST_PLAIN(an_empty_table_knows_no_path)
{
    char path[] = "/";
    struct routes *routes;
    struct params params;
    REQUIRE_OK(routes_new(&routes, NULL, 0, WR_HERE));
    CHECK(!routes_find(routes, "GET", path, &params).path_known);
    routes_free(routes);
}

static void make(const struct wr_route *wrong, size_t count)
{
    struct routes *routes;
    (void)!routes_new(&routes, wrong, count, WR_HERE);
}

TEST_DIES_PLAIN(the_same_pattern_twice_is_a_panic, "\"GET /x/\\{b\\}\" is in the table twice")
{
    make((struct wr_route[]){ ROUTE("GET", "/x/{a}"), ROUTE("GET", "/x/{b}") }, 2);
}

TEST_DIES_PLAIN(a_route_without_a_handler_is_a_panic, "\"GET /x\": a method, a path from /")
{
    make((struct wr_route[]){ { .method = "GET", .path = "/x" } }, 1);
}

TEST_DIES_PLAIN(a_path_that_does_not_begin_at_the_root_is_a_panic, "\"GET x\": a method")
{
    make((struct wr_route[]){ ROUTE("GET", "x") }, 1);
}

TEST_DIES_PLAIN(too_many_parameters_are_a_panic, "at most 16 segments and 4 parameters")
{
    make((struct wr_route[]){ ROUTE("GET", "/{a}/{b}/{c}/{d}/{e}") }, 1);
}
