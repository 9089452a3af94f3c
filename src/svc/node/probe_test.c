/* probe_test.c - clients, pages that take their time, and exact figures. */
#include "svc/node/probe.h"

#include <weir/task.h>

#include "testing/http_rig.h"

/* ---- a plane whose pages take 10 ms, and one that fails ---- */

static wr_err in_time(struct wr_call *call)
{
    wr_err err = wr_sleep(wr_after(WR_MS(10)));
    wr_call_print(call, "there");
    return err;
}

/* Every fiftieth is slow, when a test wants that. */
static _Atomic unsigned turn;
static _Atomic bool sometimes_slow;

static wr_err mostly_in_time(struct wr_call *call)
{
    bool slow = atomic_load(&sometimes_slow) && atomic_fetch_add(&turn, 1) % 50 == 0;
    wr_err err = wr_sleep(wr_after(slow ? WR_MS(90) : WR_MS(10)));
    wr_call_print(call, "there");
    return err;
}

static wr_err broken(struct wr_call *call)
{
    (void)call;
    wr_err err = wr_sleep(wr_after(WR_MS(10)));
    return err ? err : WR_IO;
}

static const struct wr_route plane[] = {
    { .method = "GET", .path = "/healthz", .handler = in_time },
    { .method = "GET", .path = "/readyz", .handler = in_time },
    { .method = "GET", .path = "/version", .handler = broken },
    { .method = "GET", .path = "/metrics", .handler = mostly_in_time },
};

static void open_plane(struct site *site)
{
    atomic_store(&turn, 1);
    atomic_store(&sometimes_slow, false);
    open_site_of(site, 0, (struct wr_http_conf){ .routes = plane, .count = 4 });
}

static wr_err measure(struct site *site, struct probe_conf conf, struct probe_result *ret)
{
    struct probe *probe = NULL;
    conf.addr = *wr_listener_addr(site->listener);
    REQUIRE_OK(probe_new(&probe, &conf), WR_NOMEM);
    wr_err err = probe_run(probe, ret);
    CHECK_EQ(1000, probe_progress(probe));
    probe_free(probe);
    return err;
}

static uint64_t requests_of(const struct probe_result *result)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < PROBE_PAGES; i++)
        sum += result->rows[i].requests;
    return sum;
}

TEST(each_client_asks_for_the_next_page_when_it_has_the_last)
{
    struct site site;
    struct probe_result result = { 0 };
    open_plane(&site);
    CHECK_OK(measure(&site, (struct probe_conf){ .duration = WR_S(1), .clients = 4,
                                                 .samples_max = 399 }, &result));
    CHECK_EQ(399, requests_of(&result));
    CHECK_EQ(WR_S(1), result.took);         /* 4 clients, 10 ms each */
    CHECK_EQ(4, result.clients);
    close_site(&site);
}

TEST(it_ends_when_its_time_is_over)
{
    struct site site;
    struct probe_result result = { 0 };
    open_plane(&site);
    CHECK_OK(measure(&site, (struct probe_conf){ .duration = WR_MS(95), .clients = 3 },
                     &result));
    CHECK_EQ(30, requests_of(&result));     /* the tenth of each began in time */
    CHECK_EQ(WR_MS(100), result.took);
    close_site(&site);
}

TEST(percentiles_are_exact)
{
    struct site site;
    struct probe_result result = { 0 };
    open_plane(&site);
    atomic_store(&sometimes_slow, true);
    CHECK_OK(measure(&site, (struct probe_conf){ .duration = WR_S(20), .clients = 2,
                                                 .samples_max = 1500 }, &result));
    const struct probe_row *metrics = &result.rows[3];
    CHECK_STR("/metrics", metrics->page);
    CHECK(metrics->requests > 200);
    CHECK_EQ(WR_MS(10), metrics->p50);
    CHECK_EQ(WR_MS(10), metrics->p95);
    CHECK_EQ(WR_MS(90), metrics->p99);      /* two of a hundred */
    CHECK_EQ(WR_MS(10), result.rows[0].p99);
    close_site(&site);
}

TEST(answers_that_say_no_are_errors_of_their_page_alone)
{
    struct site site;
    struct probe_result result = { 0 };
    open_plane(&site);
    CHECK_OK(measure(&site, (struct probe_conf){ .duration = WR_S(1), .clients = 2,
                                                 .samples_max = 100 }, &result));
    CHECK(result.rows[2].requests > 0);
    CHECK_EQ(result.rows[2].requests, result.rows[2].errors);
    for (size_t i = 0; i < PROBE_PAGES; i++)
        if (i != 2)
            CHECK_EQ(0, result.rows[i].errors);
    close_site(&site);
}

/* Every second one, at once: without that they would take the half of the percentiles. */
static wr_err limited(struct wr_call *call)
{
    if (atomic_fetch_add(&turn, 1) % 2)
        return wr_call_fail(call, WR_BUSY, "too many");
    return in_time(call);
}

static const struct wr_route limited_plane[] = {
    { .method = "GET", .path = "/healthz", .handler = limited },
    { .method = "GET", .path = "/readyz", .handler = limited },
    { .method = "GET", .path = "/version", .handler = limited },
    { .method = "GET", .path = "/metrics", .handler = limited },
};

TEST(answers_of_429_are_refused_and_neither_errors_nor_in_the_percentiles)
{
    struct site site;
    struct probe_result result = { 0 };
    uint64_t refused = 0;
    atomic_store(&turn, 0);
    open_site_of(&site, 0, (struct wr_http_conf){ .routes = limited_plane, .count = 4 });
    CHECK_OK(measure(&site, (struct probe_conf){ .duration = WR_S(9), .clients = 1,
                                                 .samples_max = 201 }, &result));
    for (size_t i = 0; i < PROBE_PAGES; i++) {
        CHECK_EQ(0, result.rows[i].errors);
        CHECK_EQ(WR_MS(10), result.rows[i].p50);
        refused += result.rows[i].refused;
    }
    CHECK_EQ(101, refused);                 /* the first was to see who is there */
    CHECK_EQ(100, requests_of(&result));
    close_site(&site);
}

TEST(a_seed_decides_how_often_each_page_is_asked_for)
{
    struct site site;
    struct probe_result first = { 0 }, again = { 0 }, other = { 0 };
    struct probe_conf conf = { .duration = WR_S(9), .clients = 1, .samples_max = 200 };
    open_plane(&site);
    CHECK_OK(measure(&site, conf, &first));
    CHECK_OK(measure(&site, conf, &again));
    conf.seed = 7;
    CHECK_OK(measure(&site, conf, &other));
    bool differs = false;
    for (size_t i = 0; i < PROBE_PAGES; i++) {
        CHECK_EQ(first.rows[i].requests, again.rows[i].requests);
        differs |= first.rows[i].requests != other.rows[i].requests;
    }
    CHECK(differs);
    close_site(&site);
}

TEST(nobody_there_is_told_at_once)
{
    struct site site;
    struct probe *probe = NULL;
    struct probe_result result = { 0 };
    open_plane(&site);
    struct probe_conf conf = { .addr = *wr_listener_addr(site.listener), .duration = WR_S(1),
                               .clients = 1 };
    close_site(&site);
    REQUIRE_OK(probe_new(&probe, &conf));
    CHECK_ERR(WR_IO, probe_run(probe, &result));
    CHECK(strstr(result.why, "127.0.0.1") && !strstr(result.why, "TLS"));
    CHECK_EQ(0, probe_progress(probe));
    probe_free(probe);
}

/* What a port of TLS does with a request in clear. */
static wr_err hang_up(void *arg)
{
    struct wr_listener *listener = arg;
    struct wr_conn conn;
    struct wr_stream *stream;
    char said[1000];
    size_t size;
    wr_err err;
    while (!(err = wr_accept(listener, &conn, WR_NEVER))
           && !(err = wr_stream_open(&stream, &conn))) {
        (void)!wr_stream_read(stream, &size, said, sizeof(said), wr_after(WR_S(1)));
        wr_stream_close(stream);
    }
    return err;
}

TEST(who_is_there_and_does_not_speak_http_in_clear_is_told_apart)
{
    struct probe *probe = NULL;
    struct probe_result result = { 0 };
    struct wr_listener *listener = NULL;
    struct wr_scope *scope = NULL;
    struct probe_conf conf = { .duration = WR_S(1), .clients = 1 };
    CHECK_OK(wr_addr_parse(&conf.addr, "127.0.0.1:0"));
    REQUIRE_OK(wr_listen(&listener, &conf.addr));
    conf.addr = *wr_listener_addr(listener);
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test.port",
                                                             .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(scope, "test.hang_up", hang_up, listener));
    REQUIRE_OK(probe_new(&probe, &conf));
    CHECK_ERR(WR_IO, probe_run(probe, &result));
    CHECK(strstr(result.why, " (this asks by HTTP in clear only, not over TLS)"));
    probe_free(probe);
    wr_scope_cancel(scope);
    (void)!wr_scope_close(scope);
    wr_listener_close(listener);
}

TEST(who_listens_on_any_address_is_asked_on_loopback)
{
    struct site site;
    struct probe *probe = NULL;
    struct probe_result result = { 0 };
    open_plane(&site);
    struct probe_conf conf = { .duration = WR_S(1), .clients = 1, .samples_max = 1 };
    CHECK_OK(wr_addr_parse(&conf.addr, "0.0.0.0:1"));
    conf.addr.port = wr_listener_addr(site.listener)->port;
    REQUIRE_OK(probe_new(&probe, &conf));
    CHECK_OK(probe_run(probe, &result));
    CHECK_EQ(1, requests_of(&result));
    probe_free(probe);
    close_site(&site);
}

TEST(the_members_are_those_of_the_contract)
{
    struct wr_text text = wr_text_heap(10000);
    struct wr_json json = wr_json_to(&text);
    struct probe_result result = { .took = WR_MS(1500), .clients = 8 };
    for (size_t i = 0; i < PROBE_PAGES; i++)
        result.rows[i] = (struct probe_row){ .page = "/p", .requests = 30, .errors = i,
                                             .refused = 1, .p50 = WR_US(1500), .p95 = WR_MS(2),
                                             .p99 = WR_MS(3) };
    wr_json_object(&json, NULL);
    probe_write(&json, &result);
    wr_json_end(&json);
    CHECK(strstr(text.at, "{\"suite\":\"admin_plane\",\"concurrency\":8,\"tookMs\":1500,"
                          "\"requests\":120,\"errors\":6,\"refused\":4,\"rps\":80,"
                          "\"endpoints\":["));
    CHECK(strstr(text.at, "{\"endpoint\":\"/p\",\"requests\":30,\"errors\":3,"
                          "\"refused\":1,\"rps\":20,"
                          "\"p50Ms\":1.5,\"p95Ms\":2,\"p99Ms\":3}]}"));
    wr_text_free(&text);
}

TEST_PANICS(a_probe_out_of_its_limits_is_a_panic, "a probe of .* 65 clients")
{
    struct probe *probe;
    (void)!probe_new(&probe, &(struct probe_conf){ .duration = WR_S(1), .clients = 65 });
}
