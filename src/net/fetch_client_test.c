/* fetch_client_test.c - a client as such: how it is made, and that nothing of it stays. */
#include <dirent.h>

#include <weir/run.h>

#include "testing/fetch_rig.h"

static size_t descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    size_t count = 0;
    REQUIRE(dir, 0);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

TEST_PANICS(a_client_needs_a_name, "a fetch client needs a name")
{
    struct wr_fetch_client *client;
    (void)!wr_fetch_client_new(&client, &(struct wr_fetch_conf){ 0 });
}

TEST_PANICS(a_range_has_no_more_bits_than_an_address,
            "range 0 of fetch client test has 33 bits, or is no address")
{
    struct wr_fetch_client *client;
    struct wr_fetch_range range = { .ip = { .kind = WR_ADDR_IP4 }, .bits = 33 };
    (void)!wr_fetch_client_new(&client, &(struct wr_fetch_conf){
        .name = "test", .allow = &range, .allow_count = 1 });
}

TEST(a_proxy_that_is_no_address_is_refused)
{
    struct wr_fetch_client *client;
    CHECK_ERR(WR_INVALID, wr_fetch_client_new(&client, &(struct wr_fetch_conf){
        .name = "test", .proxy = "10.0.0.1:3128" }));
    CHECK_ERR(WR_INVALID, wr_fetch_client_new(&client, &(struct wr_fetch_conf){
        .name = "test", .proxy = "https://10.0.0.1:3128" }));
    wr_fetch_client_close(NULL, WR_NOW);
}

/* ---- many at once, by libcurl and the real clock ---- */

#define MANY 1000

struct crowd {
    struct wr_fetch_client *client;
    char url[100];
    wr_time deadline;
    _Atomic int by[WR_ERR_COUNT];
    _Atomic int64_t latest;
};

static wr_err ask_once(void *arg)
{
    struct crowd *crowd = arg;
    struct wr_fetch_reply reply;
    wr_err err = wr_fetch(crowd->client, &(struct wr_fetch_request){ .url = crowd->url },
                          &reply, crowd->deadline);
    atomic_fetch_add(&crowd->by[err], 1);
    int64_t now = wr_now(), latest = atomic_load(&crowd->latest);
    while (now > latest && !atomic_compare_exchange_weak(&crowd->latest, &latest, now))
        continue;
    wr_fetch_reply_free(&reply);
    return WR_OK;
}

static void gather(struct crowd *crowd, struct wr_scope *scope, int count)
{
    memset((void *)crowd->by, 0, sizeof(crowd->by));
    for (int i = 0; i < count; i++)
        CHECK_OK(wr_scope_go(scope, "test.asker", ask_once, crowd));
}

static void until_connected(struct site *site, size_t count)
{
    wr_time until = wr_after(WR_S(20));
    while (wr_http_connections(site->http) != count && wr_now() < until)
        CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    CHECK_EQ(count, wr_http_connections(site->http));
}

static wr_err many(void *arg)
{
    int count = test_rounds(MANY);
    struct site site;
    struct crowd crowd = { .deadline = WR_NEVER };
    (void)arg;
    open_fetch_site(&site, (struct wr_http_conf){ 0 });
    size_t before = descriptors();
    CHECK_OK(wr_fetch_client_new(&crowd.client, &(struct wr_fetch_conf){
        .name = "test", .internal = true, .host_connections_max = MANY,
        .idle_max = WR_S(60) }));
    struct wr_scope *scope = scope_open();

    snprintf(crowd.url, sizeof(crowd.url), "%s", url_of(&site, "/hello"));
    wr_time since = wr_now();
    gather(&crowd, scope, count);
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_EQ(count, crowd.by[WR_OK]);
    printf("# %d requests at once: %lld us\n", count, (long long)(wr_now() - since) / 1000);

    snprintf(crowd.url, sizeof(crowd.url), "%s", url_of(&site, "/hold"));
    crowd.deadline = wr_after(WR_S(2));
    gather(&crowd, scope, count);
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_EQ(count, crowd.by[WR_TIMEOUT]);
    printf("# %d deadlines: the last %lld us late\n", count,
           (long long)(crowd.latest - crowd.deadline) / 1000);
    until_connected(&site, 0);

    crowd.deadline = WR_NEVER;
    gather(&crowd, scope, count);
    until_connected(&site, (size_t)count);
    since = wr_now();
    wr_scope_cancel(scope);
    CHECK_OK(wr_scope_close(scope));
    printf("# %d canceled: %lld us\n", count, (long long)(wr_now() - since) / 1000);
    CHECK_EQ(count, crowd.by[WR_CANCELED]);
    CHECK_EQ(0, wr_fetch_client_stat(crowd.client).requests);
    until_connected(&site, 0);
    wr_fetch_client_close(crowd.client, WR_NOW);
    CHECK_EQ(before, descriptors());
    close_site(&site);
    return WR_OK;
}

TEST_PLAIN(a_thousand_requests_end_well_in_time_or_canceled_and_leave_nothing)
{
    CHECK_OK(wr_run(&(struct wr_run_conf){ 0 }, many, NULL));
}
