#include "store/resource.h"

#include "testing/evidence_rig.h"

static struct store_resource_claim claim(struct store *store, const char *worker)
{
    struct store_resource_claim ret;
    CHECK_OK(store_resource_claim(store, &(struct store_resource){
        .type = "doi", .value = "10.1/a", .task = "t", .worker = worker }, WR_S(10), &ret,
        SOON));
    return ret;
}

static wr_err done(struct store *store, const char *worker, const char *page)
{
    return store_resource_done(store, "doi", "10.1/a", worker, page, SOON);
}

STORE_TEST(one_worker_at_a_time_has_it)
{
    CHECK(claim(store, "a").mine);
    CHECK(claim(store, "a").mine);
    CHECK(!claim(store, "b").mine);
    CHECK(!claim(store, "b").completed);
    CHECK_ERR(WR_NOTFOUND, done(store, "b", "page_1"));
}

STORE_TEST(what_is_completed_stays_so_and_says_which_page_it_is)
{
    CHECK(claim(store, "a").mine);
    CHECK_OK(done(store, "a", "page_1"));
    pass(WR_S(100));
    CHECK(!claim(store, "b").mine);
    CHECK(claim(store, "a").completed);
    CHECK_STR("page_1", claim(store, "b").page);
    CHECK_ERR(WR_NOTFOUND, done(store, "a", "page_2"));
}

STORE_TEST(what_has_failed_is_the_next_ones)
{
    CHECK(claim(store, "a").mine);
    CHECK_OK(done(store, "a", NULL));
    CHECK(claim(store, "b").mine);
    CHECK_STR("", claim(store, "b").page);
    CHECK(!claim(store, "a").mine);
}

STORE_TEST(who_does_not_finish_in_time_loses_it)
{
    CHECK(claim(store, "a").mine);
    pass(WR_S(10) - WR_MS(1));
    CHECK(!claim(store, "b").mine);
    pass(WR_MS(1));
    CHECK(claim(store, "b").mine);
    CHECK_ERR(WR_NOTFOUND, done(store, "a", "page_1"));
    CHECK_OK(done(store, "b", "page_1"));
}

STORE_TEST(a_value_that_is_too_long_is_refused)
{
    static char value[STORE_RESOURCE_VALUE_MAX + 2];
    struct store_resource_claim ret;
    struct store_resource resource = { .type = "url", .value = value, .worker = "a" };
    memset(value, 'x', STORE_RESOURCE_VALUE_MAX);
    value[STORE_RESOURCE_VALUE_MAX] = '\0';
    CHECK_OK(store_resource_claim(store, &resource, WR_S(1), &ret, SOON));
    CHECK(ret.mine);
    value[STORE_RESOURCE_VALUE_MAX] = 'x';
    CHECK_ERR(WR_INVALID, store_resource_claim(store, &resource, WR_S(1), &ret, SOON));
}
