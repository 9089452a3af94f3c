#include "net/oap_server.h"

#include "testing/metric_rig.h"
#include "testing/oap_rig.h"
#include "testing/tls_rig.h"

/* ---- the end ---- */

TEST(a_drain_answers_what_is_in_flight_and_refuses_what_comes)
{
    struct site site;
    struct peer peer;
    meet(&site, &peer, 1, 8, (struct wr_oap_conf){ 0 });
    say(&peer, GATED, 1, "");
    settle();
    wr_oap_drain(site.oap);
    settle();
    say(&peer, ECHO, 2, "");
    CHECK_BEGINS("503 18 7 2 {\"error\":{\"code\":\"Draining\"", hear(&peer));
    say(&peer, PING, 3, "alive");
    CHECK_STR("200 26 1 3 alive", hear(&peer));
    CHECK_OK(wr_once_set(gate, NULL));
    CHECK_STR("200 26 16 1 through", hear(&peer));
    CHECK_STR("closed", hear(&peer));
    leave(&site, &peer);
}

TEST(a_drain_closes_a_connection_with_nothing_in_flight_at_once)
{
    struct site site;
    struct peer idle, silent;
    open_site(&site, 1, 8, (struct wr_oap_conf){ 0 });
    greet(&site, &idle);
    dial(&site, &silent);
    settle();
    wr_time before = wr_now();
    wr_oap_drain(site.oap);
    CHECK_STR("closed", hear(&idle));
    CHECK_STR("closed", hear(&silent));
    CHECK_EQ(0, wr_now() - before);
    hang_up(&idle);
    hang_up(&silent);
    close_site(&site);
}

TEST(a_connection_that_comes_in_a_drain_gets_one_answer)
{
    struct site site;
    struct peer peer;
    open_site(&site, 1, 8, (struct wr_oap_conf){ 0 });
    wr_oap_drain(site.oap);
    greet(&site, &peer);
    say(&peer, PING, 1, "ready?");
    CHECK_STR("200 26 1 1 ready?", hear(&peer));
    CHECK_STR("closed", hear(&peer));
    hang_up(&peer);
    greet(&site, &peer);
    say(&peer, ECHO, 1, "");
    CHECK_BEGINS("503 18 7 1 ", hear(&peer));
    CHECK_STR("closed", hear(&peer));
    leave(&site, &peer);
}

TEST(half_a_frame_is_waited_for_in_a_drain)
{
    struct site site;
    struct peer peer;
    unsigned char bytes[100];
    size_t len = encode(bytes, OAP_REQ, ECHO, 7, "", "hello");
    meet(&site, &peer, 1, 8, (struct wr_oap_conf){ 0 });
    say_bytes(&peer, bytes, 10);
    settle();
    wr_oap_drain(site.oap);
    settle();
    say_bytes(&peer, bytes + 10, len - 10);
    CHECK_BEGINS("503 18 7 7 ", hear(&peer));
    CHECK_STR("closed", hear(&peer));
    leave(&site, &peer);
}

/* ---- connections ---- */

TEST(as_many_connections_are_taken_as_may)
{
    struct site site;
    struct peer a, b, c;
    open_site(&site, 1, 8, (struct wr_oap_conf){ .connections_max = 2 });
    greet(&site, &a);
    greet(&site, &b);
    dial_in_vain(&site, &c);
    CHECK_STR("closed", hear(&c));
    CHECK_EQ(2, wr_oap_connections(site.oap));
    hang_up(&a);
    hang_up(&c);
    settle();
    greet(&site, &a);
    hang_up(&a);
    hang_up(&b);
    close_site(&site);
}

TEST(an_address_has_no_more_connections_than_it_may_and_that_may_change)
{
    struct site site;
    struct peer a, b;
    open_site(&site, 1, 8, (struct wr_oap_conf){ .ip_connections = 1 });
    greet(&site, &a);
    dial_in_vain(&site, &b);
    CHECK_STR("closed", hear(&b));
    hang_up(&b);
    wr_oap_tune(site.oap, &(struct wr_oap_conf){ .ip_connections = 2 });
    greet(&site, &b);
    hang_up(&a);
    hang_up(&b);
    close_site(&site);
}

TEST(requests_beyond_the_rate_of_their_address_are_429_with_the_time_to_wait)
{
    struct site site;
    struct peer a, b;
    open_site(&site, 1, 8, (struct wr_oap_conf){ .ip_requests = wr_rate_of(1, WR_S(10), 2),
                                                 .ip_control = wr_rate_of(1, WR_S(1), 2) });
    greet(&site, &a);
    greet(&site, &b);
    say(&a, ECHO, 1, "one");
    CHECK_STR("200 26 7 1 one", hear(&a));
    say(&b, ECHO, 2, "two");
    CHECK_STR("200 26 7 2 two", hear(&b));
    wr_time before = wr_now();
    say(&b, ECHO, 3, "three");
    const char *no = hear(&b);
    CHECK(strncmp(no, "429 ", 4) == 0);
    CHECK(strstr(no, "\"retryable\":true") && strstr(no, "come again in 10000 ms"));
    say(&a, PING, 4, "");                       /* that is paid otherwise */
    CHECK(strncmp(hear(&a), "200 ", 4) == 0);
    say(&a, PING, 5, "");
    CHECK(strncmp(hear(&a), "200 ", 4) == 0);
    say(&a, PING, 6, "");
    CHECK(strncmp(hear(&a), "429 ", 4) == 0);
    CHECK_OK(wr_sleep(before + WR_S(10)));
    say(&a, ECHO, 7, "four");
    CHECK_STR("200 26 7 7 four", hear(&a));
    hang_up(&a);
    hang_up(&b);
    close_site(&site);
}

TEST(bounds_change_while_it_serves)
{
    struct site site;
    struct peer peer;
    open_site(&site, 1, 8, (struct wr_oap_conf){ .tenant_max = 1 });
    wr_oap_tune(site.oap, &(struct wr_oap_conf){ .idle_max = WR_S(10) });
    greet(&site, &peer);
    say(&peer, GATED, 1, "");
    say(&peer, GATED, 2, "");               /* as many as by default, now */
    settle();
    CHECK_OK(wr_once_set(gate, NULL));
    CHECK_STR("200 26 16 1 through", hear(&peer));
    CHECK_STR("200 26 16 2 through", hear(&peer));
    wr_time before = wr_now();
    CHECK_STR("closed", hear(&peer));
    CHECK_EQ(WR_S(10), wr_now() - before);
    hang_up(&peer);
    close_site(&site);
}

TEST(a_peer_that_goes_away_takes_nobody_with_it)
{
    struct site site;
    struct peer gone, stays;
    open_site(&site, 2, 8, (struct wr_oap_conf){ 0 });
    greet(&site, &gone);
    greet(&site, &stays);
    say(&gone, GATED, 1, "");
    say_as(&gone, OAP_REQ | OAP_START, ECHO, 2, "", "begun");
    say(&gone, STUBBORN, 3, "");
    settle();
    hang_up(&gone);
    settle();
    CHECK_OK(wr_once_set(gate, NULL));
    say(&stays, ECHO, 1, "still here");
    CHECK_STR("200 26 7 1 still here", hear(&stays));
    hang_up(&stays);
    close_site(&site);
}

TEST(a_server_that_ends_leaves_its_workers_answers_to_nobody)
{
    struct site site;
    struct peer peer;
    meet(&site, &peer, 2, 8, (struct wr_oap_conf){ 0 });
    say(&peer, STUBBORN, 1, "");
    say(&peer, GATED, 2, "");
    say(&peer, ECHO, 3, "queued");
    settle();
    close_site(&site);
    hang_up(&peer);
}

TEST(a_panic_of_a_worker_is_answered)
{
    struct site site;
    struct peer peer;
    meet(&site, &peer, 2, 8, (struct wr_oap_conf){ 0 });
    say(&peer, PANIC, 1, "");
    CHECK_BEGINS("500 18 19 1 {\"error\":{\"code\":\"Panic\"", hear(&peer));
    say(&peer, ECHO, 2, "the other worker");
    CHECK_STR("200 26 7 2 the other worker", hear(&peer));
    leave(&site, &peer);
}

TEST(without_workers_a_panic_ends_its_connection_alone)
{
    struct site site;
    struct peer a, b;
    open_site(&site, 0, 0, (struct wr_oap_conf){ 0 });
    greet(&site, &a);
    greet(&site, &b);
    say(&a, PANIC, 1, "");
    CHECK_STR("closed", hear(&a));
    say(&b, ECHO, 2, "alive");
    CHECK_STR("200 26 7 2 alive", hear(&b));
    hang_up(&a);
    hang_up(&b);
    close_site(&site);
}

/* ---- encrypted ---- */

TEST(the_same_is_served_over_tls_and_hello_says_so)
{
    struct site site;
    struct peer peer;
    struct identity identity;
    make_identity(&identity, "server");
    struct wr_tls *ours = make_tls(&identity, NULL, NULL);
    struct wr_tls *theirs = make_tls(NULL, &identity, NULL);
    static char text[300001];
    memset(text, 'x', sizeof(text) - 1);
    open_site(&site, 1, 8, (struct wr_oap_conf){ .tls = ours });
    dial(&site, &peer);
    REQUIRE_OK(wr_tls_connect(theirs, &peer.stream, "localhost", wr_after(WR_S(5))));
    say(&peer, 0, 1, "{\"ua\":null}");
    CHECK_STR("200 2 0 1 {\"max_frame\":1048576,\"max_inflight\":64,\"flags_supported\":255,"
              "\"versions\":[1],\"transports\":[\"tcp+tls\"]}", hear(&peer));
    say(&peer, ECHO, 2, "sealed");
    CHECK_STR("200 26 7 2 sealed", hear(&peer));
    say(&peer, ECHO, 3, text);
    CHECK_STR("200 10 7 3 (65536)", hear(&peer));
    for (int i = 0; i < 3; i++)
        CHECK_STR("200 2 7 3 (65536)", hear(&peer));
    CHECK_STR("200 18 7 3 (37856)", hear(&peer));
    leave(&site, &peer);
    wr_tls_free(ours);
    wr_tls_free(theirs);
}

TEST(who_does_not_shake_hands_is_hung_up_on)
{
    struct site site;
    struct peer peer;
    struct identity identity;
    make_identity(&identity, "server");
    struct wr_tls *ours = make_tls(&identity, NULL, NULL);
    open_site(&site, 1, 8, (struct wr_oap_conf){ .tls = ours });
    dial(&site, &peer);
    wr_time before = wr_now();
    CHECK_STR("closed", hear(&peer));
    CHECK_EQ(WR_S(2), wr_now() - before);
    leave(&site, &peer);
    wr_tls_free(ours);
}

/* ---- what is counted ---- */

TEST(refusals_and_answers_are_counted_by_the_names_that_were_agreed)
{
    struct site site;
    struct peer peer;
    meet(&site, &peer, 1, 1, (struct wr_oap_conf){ 0 });
    say(&peer, ECHO, 1, "");
    CHECK_BEGINS("200 ", hear(&peer));
    say(&peer, GATED, 2, "");
    settle();
    say(&peer, GATED, 3, "");
    settle();
    say(&peer, ECHO, 4, "");
    CHECK_BEGINS("429 ", hear(&peer));
    say(&peer, 999, 5, "");
    CHECK_BEGINS("404 ", hear(&peer));
    say_as(&peer, OAP_RESP, ECHO, 6, "", "");
    CHECK_BEGINS("400 ", hear(&peer));
    CHECK(metric_value("oap_rejects_total{reason=\"missing_obj\"}") > 0);
    CHECK(metric_value("oap_rejects_total{reason=\"unknown_envelope\"}") > 0);
    CHECK(metric_value("busy_rejections_total{endpoint=\"ECHO\",svc=\"oap\"}") > 0);
    CHECK(metric_value("request_latency_seconds_count{endpoint=\"ECHO\",method=\"OAP\","
                       "svc=\"oap\"}") > 0);
    leave(&site, &peer);
}

TEST(a_server_has_finished_when_no_worker_has_a_call_of_it)
{
    struct site site;
    struct peer peer;
    open_site(&site, 1, 4, (struct wr_oap_conf){ 0 });
    greet(&site, &peer);
    say(&peer, STUBBORN, 1, "");
    settle();
    hang_up(&peer);
    CHECK_ERR(WR_TIMEOUT, wr_oap_finish(site.oap, wr_after(WR_S(10))));
    CHECK_EQ(0, wr_oap_connections(site.oap));
    CHECK_OK(wr_once_set(gate, NULL));
    CHECK_OK(wr_oap_finish(site.oap, wr_after(WR_S(1))));
    close_site(&site);
}

/* ---- a table that contradicts itself ---- */

TEST_PANICS(two_verbs_of_one_number_are_a_panic, "id != ")
{
    static const struct wr_oap_verb twice[] = {
        { .id = 5, .name = "A", .handler = echo }, { .id = 5, .name = "B", .handler = echo },
    };
    struct wr_oap *oap;
    (void)!wr_oap_new(&oap, &(struct wr_oap_conf){ .verbs = twice, .count = 2 });
}

TEST_PANICS(a_verb_with_the_number_of_hello_is_a_panic, "WR_OAP_HELLO")
{
    static const struct wr_oap_verb hello[] = { { .name = "A", .handler = echo } };
    struct wr_oap *oap;
    (void)!wr_oap_new(&oap, &(struct wr_oap_conf){ .verbs = hello, .count = 1 });
}
