/* fetch_test.c - the contract of the client in simulation: any schedule, bytes in any
 * segments, virtual time; and what is left of it in bad weather. */
#include <weir/sim.h>

#include "testing/test.h"

static wr_err run_body(void *arg)
{
    void (**body)(void) = arg;
    (*body)();
    return WR_OK;
}

static void simulate(void (*body)(void))
{
    for (enum wr_sim_scheduler how = WR_SIM_RANDOM; how <= WR_SIM_FIFO; how++) {
        struct wr_sim_result result;
        CHECK_OK(wr_sim_run(&result, &(struct wr_sim_conf){
            .name = "fetch", .scheduler = how, .seed = 1, .seeds = 2,
            .steps_max = 10000000 }, run_body, &body));
    }
}

#define CONTRACT(name) \
    static void name##_body(void); \
    TEST_PLAIN(name) { simulate(name##_body); } \
    static void name##_body(void)
#define PLAIN false             /* libcurl is not asked there anyway */
#define SLACK WR_MS(50)
#include "testing/fetch_contract.h"

/* ---- bad weather ---- */

/* Whatever happens to the network, a request ends by its deadline, with an answer that
 * is whole or with an error that is listed, and leaves nothing behind. */
static wr_err ask_in_bad_weather(void *arg)
{
    (void)arg;
    WITH_SITE(CONF(.redirects = WR_REDIRECT_ORIGIN));
    for (int i = 0; i < 12; i++) {
        static const char *const paths[] = { "/hello", "/down/2", "/bytes/30000",
                                             "/packed/20000" };
        struct wr_fetch_reply reply;
        wr_time deadline = wr_after(WR_S(3));
        wr_err err = wr_fetch(client, &(struct wr_fetch_request){
            .url = url_of(&site, paths[i % 4]) }, &reply, deadline);
        WR_ASSERT(wr_now() <= deadline + WR_S(1));
        WR_ASSERT(!err || err == WR_TIMEOUT || err == WR_IO);
        WR_ASSERT(!err || strlen(reply.why) > 10);
        size_t want = i % 4 == 0 ? 5 : i % 4 == 1 ? 7 : i % 4 == 2 ? 30000 : 20000;
        WR_ASSERT(err || (reply.status == 200 && reply.body_len == want));
        wr_fetch_reply_free(&reply);
    }
    WR_ASSERT(wr_fetch_client_stat(client).requests == 0);
    DONE();
    return WR_OK;
}

TEST_PLAIN(in_bad_weather_a_request_ends_in_time_and_whole_or_not_at_all)
{
    struct wr_sim_result result;
    CHECK_OK(wr_sim_run(&result, &(struct wr_sim_conf){
        .name = "fetch-weather", .seed = 1, .seeds = (uint64_t)test_rounds(100),
        .faults = WR_SIM_NET | WR_SIM_LATE, .steps_max = 10000000 }, ask_in_bad_weather,
        NULL));
    CHECK(result.faults > 0);
}

/* ---- https, which is a plain stream here ---- */

static wr_err step_down(void *arg)
{
    (void)arg;
    WITH_SITE(CONF(.redirects = WR_REDIRECT_ANY));
    struct wr_fetch_client *careless = client_with((struct wr_fetch_conf){
        .redirects = WR_REDIRECT_ANY, .redirect_to_http = true });
    char secure[300];
    unsigned port = wr_listener_addr(site.listener)->port;
    snprintf(secure, sizeof(secure), "https://127.0.0.1:%u/go/302?to=%s", port,
             url_of(&site, "/hello"));
    contains(get(client, secure), "redirects from https to http, to http://127.0.0.1:");
    CHECK_STR("200 hello", get(careless, secure));
    snprintf(secure, sizeof(secure), "https://127.0.0.1:%u/go/302?to=/hello", port);
    CHECK_STR("200 hello", get(client, secure));
    wr_fetch_client_close(careless, WR_NOW);
    DONE();
    return WR_OK;
}

TEST_PLAIN(a_redirect_does_not_lead_from_https_to_http_unless_it_may)
{
    struct wr_sim_result result;
    CHECK_OK(wr_sim_run(&result, &(struct wr_sim_conf){ .name = "step-down", .seed = 1 },
                        step_down, NULL));
}
