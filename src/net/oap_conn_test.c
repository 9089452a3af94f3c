#include <malloc.h>

#include "testing/oap_rig.h"

/* ---- hello ---- */

TEST(a_connection_begins_with_hello)
{
    struct site site;
    struct peer peer;
    open_site(&site, 0, 0, (struct wr_oap_conf){ 0 });
    dial(&site, &peer);
    say(&peer, 0, 42, "{\"ua\":\"sdk/0.1\"}");
    CHECK_STR("200 2 0 42 {\"max_frame\":1048576,\"max_inflight\":64,\"flags_supported\":255,"
              "\"versions\":[1],\"transports\":[\"tcp\"]}", hear(&peer));
    say(&peer, ECHO, 43, "hello");
    CHECK_STR("200 26 7 43 hello", hear(&peer));
    leave(&site, &peer);
}

TEST(anything_before_hello_ends_the_connection)
{
    struct site site;
    struct peer peer;
    open_site(&site, 0, 0, (struct wr_oap_conf){ 0 });
    dial(&site, &peer);
    say(&peer, ECHO, 9, "hello");
    CHECK_STR("400 18 7 9 {\"error\":{\"code\":\"bad_hello\",\"message\":\"the first frame is "
              "not a HELLO that can be read\",\"retryable\":false,\"corr_id\":\"9\"}}",
              hear(&peer));
    CHECK_STR("closed", hear(&peer));
    hang_up(&peer);
    dial(&site, &peer);
    say(&peer, 0, 9, "{}");
    CHECK_BEGINS("400 18 0 9 {\"error\":{\"code\":\"bad_hello\"", hear(&peer));
    CHECK_STR("closed", hear(&peer));
    leave(&site, &peer);
}

TEST(smaller_frames_that_were_agreed_are_kept_to_both_ways)
{
    struct site site;
    struct peer peer;
    char text[1200];
    open_site(&site, 0, 0, (struct wr_oap_conf){ 0 });
    dial(&site, &peer);
    say(&peer, 0, 1, "{\"ua\":null,\"max_frame\":1024}");
    CHECK_BEGINS("200 2 0 1 {\"max_frame\":1024,", hear(&peer));
    say(&peer, LARGE, 2, "1000");
    CHECK_BEGINS("200 10 20 2 llll", hear(&peer));     /* START */
    CHECK_STR("200 18 20 2 llllllllllllll", hear(&peer));    /* END: 1000 - 986 */
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    say(&peer, ECHO, 3, text);
    CHECK_BEGINS("413 18 7 3 {\"error\":{\"code\":\"frame_oversize\"", hear(&peer));
    CHECK_STR("closed", hear(&peer));
    leave(&site, &peer);
}

/* ---- requests ---- */

TEST(many_requests_are_answered_as_they_are_ready)
{
    struct site site;
    struct peer peer;
    meet(&site, &peer, 2, 8, (struct wr_oap_conf){ 0 });
    say(&peer, GATED, 1, "");
    say(&peer, ECHO, 2, "second");
    CHECK_STR("200 26 7 2 second", hear(&peer));
    CHECK_OK(wr_once_set(gate, NULL));
    CHECK_STR("200 26 16 1 through", hear(&peer));
    leave(&site, &peer);
}

/* The whole conversation, a byte at a time. */
TEST(a_client_that_sends_bytes_one_by_one_is_understood)
{
    struct site site;
    struct peer peer;
    unsigned char bytes[500];
    size_t len = encode(bytes, OAP_REQ, 0, 1, "", "{\"ua\":null}");
    len += encode(bytes + len, OAP_REQ, ECHO, 2, "", "drop by drop");
    len += encode(bytes + len, OAP_REQ | OAP_START, ECHO, 3, "cap", "in ");
    len += encode(bytes + len, OAP_REQ | OAP_END, ECHO, 3, "", "two");
    open_site(&site, 1, 8, (struct wr_oap_conf){ 0 });
    dial(&site, &peer);
    for (size_t i = 0; i < len; i++) {
        say_bytes(&peer, bytes + i, 1);
        settle();
    }
    CHECK_BEGINS("200 2 0 1 {", hear(&peer));
    CHECK_STR("200 26 7 2 drop by drop", hear(&peer));
    CHECK_STR("200 26 7 3 in two", hear(&peer));
    leave(&site, &peer);
}

TEST(a_large_answer_goes_out_in_chunks)
{
    struct site site;
    struct peer peer;
    meet(&site, &peer, 1, 8, (struct wr_oap_conf){ 0 });
    say(&peer, LARGE, 5, "150000");
    CHECK_STR("200 10 20 5 (65536)", hear(&peer));
    CHECK_STR("200 2 20 5 (65536)", hear(&peer));
    CHECK_STR("200 18 20 5 (18928)", hear(&peer));
    say(&peer, LARGE, 6, "0");
    CHECK_STR("200 26 20 6 ", hear(&peer));
    say(&peer, LARGE, 7, "65536");
    CHECK_STR("200 26 20 7 (65536)", hear(&peer));
    leave(&site, &peer);
}

TEST(chunks_may_be_smaller)
{
    struct site site;
    struct peer peer;
    open_site(&site, 1, 8, (struct wr_oap_conf){ .chunk_max = 20000 });
    greet(&site, &peer);
    say(&peer, LARGE, 5, "30000");
    CHECK_STR("200 10 20 5 (20000)", hear(&peer));
    CHECK_STR("200 18 20 5 (10000)", hear(&peer));
    hang_up(&peer);
    close_site(&site);
}

TEST(requests_in_many_frames_may_be_mixed)
{
    struct site site;
    struct peer peer;
    meet(&site, &peer, 1, 8, (struct wr_oap_conf){ 0 });
    say_as(&peer, OAP_REQ | OAP_START, ECHO, 1, "", "a");
    say_as(&peer, OAP_REQ | OAP_START, ECHO, 2, "", "x");
    say_as(&peer, OAP_REQ | OAP_ACK_REQ, ECHO, 1, "", "b");
    CHECK_STR("206 2 7 1 ", hear(&peer));
    say_as(&peer, OAP_REQ | OAP_END, ECHO, 2, "", "y");
    CHECK_STR("200 26 7 2 xy", hear(&peer));
    say_as(&peer, OAP_REQ | OAP_END, ECHO, 1, "", "c");
    CHECK_STR("200 26 7 1 abc", hear(&peer));
    leave(&site, &peer);
}

TEST(an_unknown_verb_is_answered_and_the_connection_goes_on)
{
    struct site site;
    struct peer peer;
    meet(&site, &peer, 1, 8, (struct wr_oap_conf){ 0 });
    say(&peer, 999, 4, "");
    CHECK_BEGINS("404 18 999 4 {\"error\":{\"code\":\"NotImplemented\"", hear(&peer));
    say_as(&peer, OAP_REQ | OAP_START, 999, 5, "", "many");
    CHECK_BEGINS("404 18 999 5 ", hear(&peer));
    say_as(&peer, OAP_REQ, 999, 5, "", "frames");
    say_as(&peer, OAP_REQ | OAP_END, 999, 5, "", "of it");
    say(&peer, ECHO, 6, "next");
    CHECK_STR("200 26 7 6 next", hear(&peer));
    leave(&site, &peer);
}

TEST(an_error_of_a_handler_is_answered_with_its_sentence)
{
    struct site site;
    struct peer peer;
    meet(&site, &peer, 1, 8, (struct wr_oap_conf){ 0 });
    say(&peer, CONFLICT, 4, "");
    CHECK_STR("400 18 18 4 {\"error\":{\"code\":\"Exists\",\"message\":\"there is a "
              "\\\"thing\\\" already\",\"retryable\":false,\"corr_id\":\"4\"}}", hear(&peer));
    leave(&site, &peer);
}

/* ---- what cannot be right ---- */

static const char *after_hello(const void *bytes, size_t len)
{
    static char said[600];
    struct site site;
    struct peer peer;
    meet(&site, &peer, 1, 8, (struct wr_oap_conf){ 0 });
    say_bytes(&peer, bytes, len);
    snprintf(said, sizeof(said), "%s", hear(&peer));
    CHECK_STR("closed", hear(&peer));
    leave(&site, &peer);
    return said;
}

TEST(garbage_is_refused_and_the_connection_closed)
{
    CHECK_BEGINS("413 18 ", after_hello("GET / HTTP/1.1\r\nHost: example.org\r\n\r\n....", 41));
    unsigned char bytes[100];
    size_t len = encode(bytes, OAP_REQ, ECHO, 7, "", "");
    bytes[5] = 2;
    CHECK_BEGINS("400 18 7 7 {\"error\":{\"code\":\"bad_version\"", after_hello(bytes, len));
    bytes[5] = 1;
    bytes[6] = 1;
    CHECK_BEGINS("400 18 7 7 {\"error\":{\"code\":\"bad_flags\"", after_hello(bytes, len));
    bytes[6] = 0;
    bytes[29] = 1;
    CHECK_BEGINS("400 18 7 7 {\"error\":{\"code\":\"cap_on_non_start\"",
                 after_hello(bytes, len));
    bytes[29] = 0;
    bytes[3] = 1;
    CHECK_BEGINS("400 18 7 7 {\"error\":{\"code\":\"header_malformed\"",
                 after_hello(bytes, len));
}

TEST(what_is_no_request_is_refused_and_the_connection_closed)
{
    static const unsigned flags[] = {
        OAP_RESP, OAP_EVENT, 0, OAP_REQ | OAP_RESP, OAP_START, OAP_REQ | OAP_END,
    };
    unsigned char bytes[100];
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        size_t len = encode(bytes, flags[i], ECHO, 7, "", "");
        CHECK_BEGINS("400 18 7 7 {\"error\":{\"code\":\"unknown_envelope\"",
                     after_hello(bytes, len));
    }
    size_t len = encode(bytes, OAP_REQ, ECHO, 7, "", "");
    bytes[9] = 200;                     /* a code in a request */
    CHECK_BEGINS("400 18 7 7 {\"error\":{\"code\":\"unknown_envelope\"",
                 after_hello(bytes, len));
}

TEST(a_number_that_is_in_use_is_refused)
{
    struct site site;
    struct peer peer;
    meet(&site, &peer, 1, 8, (struct wr_oap_conf){ 0 });
    say(&peer, GATED, 1, "");
    say(&peer, ECHO, 1, "");
    CHECK_BEGINS("400 18 7 1 {\"error\":{\"code\":\"unknown_envelope\"", hear(&peer));
    CHECK_STR("closed", hear(&peer));
    leave(&site, &peer);
}

TEST(an_oversize_head_is_answered_without_memory_for_its_body)
{
    struct site site;
    struct peer peer;
    unsigned char bytes[100];
    size_t len = encode(bytes, OAP_REQ, ECHO, 7, "", "");
    memset(bytes, 0x7f, 4);
    meet(&site, &peer, 1, 8, (struct wr_oap_conf){ 0 });
    size_t before = mallinfo2().uordblks;
    say_bytes(&peer, bytes, len);
    CHECK_BEGINS("413 18 7 7 {\"error\":{\"code\":\"frame_oversize\"", hear(&peer));
    CHECK(mallinfo2().uordblks < before + (512 << 10));
    CHECK_STR("closed", hear(&peer));
    leave(&site, &peer);
}

TEST(a_payload_above_the_verbs_limit_is_refused_and_the_connection_goes_on)
{
    struct site site;
    struct peer peer;
    char text[102];
    memset(text, 'x', 101);
    text[101] = '\0';
    meet(&site, &peer, 1, 8, (struct wr_oap_conf){ 0 });
    say(&peer, SMALL, 1, text);
    CHECK_BEGINS("413 18 21 1 {", hear(&peer));
    say_as(&peer, OAP_REQ | OAP_START, SMALL, 2, "", text + 51);
    say_as(&peer, OAP_REQ, SMALL, 2, "", text + 50);
    CHECK_BEGINS("413 18 21 2 {", hear(&peer));
    say_as(&peer, OAP_REQ | OAP_END, SMALL, 2, "", text + 51);
    say(&peer, SMALL, 3, text + 1);
    CHECK_BEGINS("200 26 21 3 xxx", hear(&peer));
    leave(&site, &peer);
}

TEST(a_compressed_payload_is_inflated_and_one_that_is_not_is_refused)
{
    static const unsigned char zipped[] = {     /* "abc" */
        0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x03, 0x19, 0x00, 0x00, 0x61, 0x62, 0x63,
    };
    struct site site;
    struct peer peer;
    unsigned char bytes[100];
    meet(&site, &peer, 1, 8, (struct wr_oap_conf){ 0 });
    struct oap_frame frame = { .flags = OAP_REQ | OAP_COMP, .proto = ECHO, .corr = 1,
                               .payload_len = sizeof(zipped) };
    oap_encode(bytes, &frame);
    memcpy(bytes + OAP_HEAD, zipped, sizeof(zipped));
    say_bytes(&peer, bytes, OAP_HEAD + sizeof(zipped));
    CHECK_STR("200 26 7 1 abc", hear(&peer));
    say_as(&peer, OAP_REQ | OAP_COMP, ECHO, 2, "", "plain");
    CHECK_BEGINS("400 18 7 2 {", hear(&peer));
    say(&peer, ECHO, 3, "next");
    CHECK_STR("200 26 7 3 next", hear(&peer));
    leave(&site, &peer);
}

/* ---- limits ---- */

TEST(more_requests_than_were_agreed_are_refused)
{
    struct site site;
    struct peer peer;
    meet(&site, &peer, 1, 8, (struct wr_oap_conf){ .inflight_max = 2 });
    say(&peer, GATED, 1, "");
    say(&peer, GATED, 2, "");
    say(&peer, PING, 3, "");
    CHECK_BEGINS("429 18 1 3 {\"error\":{\"code\":\"credit_violation\"", hear(&peer));
    CHECK_OK(wr_once_set(gate, NULL));
    CHECK_STR("200 26 16 1 through", hear(&peer));
    CHECK_STR("200 26 16 2 through", hear(&peer));
    say(&peer, ECHO, 4, "again");
    CHECK_STR("200 26 7 4 again", hear(&peer));
    leave(&site, &peer);
}

TEST(a_full_queue_is_answered_at_once_and_priority_passes_it)
{
    struct site site;
    struct peer peer;
    meet(&site, &peer, 1, 1, (struct wr_oap_conf){ 0 });
    say(&peer, GATED, 1, "");
    settle();
    say(&peer, GATED, 2, "");
    settle();
    wr_time before = wr_now();
    say(&peer, ECHO, 3, "");
    CHECK_BEGINS("429 18 7 3 {\"error\":{\"code\":\"Busy\"", hear(&peer));
    say(&peer, PING, 4, "pong");
    CHECK_STR("200 26 1 4 pong", hear(&peer));
    CHECK_EQ(0, wr_now() - before);
    leave(&site, &peer);
}

TEST(a_tenant_has_so_many_requests_on_all_its_connections)
{
    struct site site;
    struct peer a, b;
    unsigned char bytes[100];
    open_site(&site, 1, 8, (struct wr_oap_conf){ .tenant_max = 2 });
    greet(&site, &a);
    greet(&site, &b);
    say(&a, GATED, 1, "");
    say(&a, GATED, 2, "");
    settle();
    say(&b, PING, 3, "");
    CHECK_BEGINS("429 18 1 3 {\"error\":{\"code\":\"Busy\",\"message\":\"the tenant has",
                 hear(&b));
    size_t len = encode(bytes, OAP_REQ, PING, 4, "", "other");
    bytes[12] = 1;                      /* another tenant */
    say_bytes(&b, bytes, len);
    CHECK_STR("200 26 1 4 other", hear(&b));
    CHECK_OK(wr_once_set(gate, NULL));
    CHECK_STR("200 26 16 1 through", hear(&a));
    CHECK_STR("200 26 16 2 through", hear(&a));
    say(&b, PING, 5, "free");
    CHECK_STR("200 26 1 5 free", hear(&b));
    hang_up(&a);
    hang_up(&b);
    close_site(&site);
}

/* Five requests of 1 MiB each wait: no more than 4 MiB and what was just read is taken. */
TEST(a_connection_whose_requests_hold_too_much_is_not_read)
{
    struct site site;
    struct peer peer;
    static char text[1000001];
    memset(text, 'x', sizeof(text) - 1);
    meet(&site, &peer, 1, 8, (struct wr_oap_conf){ 0 });
    for (uint64_t corr = 1; corr <= 5; corr++)
        say(&peer, GATED, corr, text);
    settle();
    unsigned char head[OAP_HEAD];
    encode(head, OAP_REQ, PING, 6, "", "");
    say_bytes(&peer, head, OAP_HEAD);
    settle();
    CHECK_OK(wr_once_set(gate, NULL));
    CHECK_STR("200 26 16 1 through", hear(&peer));      /* and not PING first */
    leave(&site, &peer);
}

TEST(requests_that_are_collected_hold_at_most_four_megabytes)
{
    struct site site;
    struct peer peer;
    static char text[1000001];
    memset(text, 'x', sizeof(text) - 1);
    meet(&site, &peer, 1, 8, (struct wr_oap_conf){ 0 });
    for (uint64_t corr = 1; corr <= 5; corr++)
        say_as(&peer, OAP_REQ | OAP_START, ECHO, corr, "", text);
    CHECK_BEGINS("429 18 7 5 {\"error\":{\"code\":\"Busy\"", hear(&peer));
    leave(&site, &peer);
}

/* ---- who may ---- */

static wr_err judge(void *arg, struct wr_oap_call *call, const void *cap, size_t len)
{
    (void)arg;
    if (wr_oap_verb_of(call)->priority)
        return WR_OK;
    if (len == 0)
        return wr_oap_fail(call, WR_INVALID, "there is no token");
    return memcmp(cap, "good", 4) == 0 ? WR_OK : wr_oap_fail(call, WR_DENIED, "not with this");
}

TEST(the_capability_is_judged_before_anything_is_queued)
{
    struct site site;
    struct peer peer;
    meet(&site, &peer, 1, 1, (struct wr_oap_conf){ .auth = judge });
    say_as(&peer, OAP_REQ | OAP_START | OAP_END, GATED, 1, "good", "");
    settle();
    say_as(&peer, OAP_REQ | OAP_START | OAP_END, GATED, 2, "good", "");
    settle();                           /* the queue is full now */
    say(&peer, ECHO, 3, "");
    CHECK_BEGINS("401 18 7 3 {\"error\":{\"code\":\"Invalid\",\"message\":\"there is no "
                 "token\"", hear(&peer));
    say_as(&peer, OAP_REQ | OAP_START, ECHO, 4, "evil", "");
    CHECK_BEGINS("403 18 7 4 {\"error\":{\"code\":\"Denied\",\"message\":\"not with this\"",
                 hear(&peer));
    say_as(&peer, OAP_REQ | OAP_END, ECHO, 4, "", "");
    say(&peer, PING, 5, "");
    CHECK_BEGINS("200 26 1 5 ", hear(&peer));
    leave(&site, &peer);
}

/* ---- time ---- */

TEST(a_worker_that_does_not_listen_is_left_behind_at_the_deadline)
{
    struct site site;
    struct peer peer;
    meet(&site, &peer, 2, 8, (struct wr_oap_conf){ 0 });
    wr_time before = wr_now();
    say(&peer, STUBBORN, 1, "");
    CHECK_BEGINS("503 18 17 1 {\"error\":{\"code\":\"Timeout\"", hear(&peer));
    CHECK_EQ(WR_S(2), wr_now() - before);
    CHECK_OK(wr_once_set(gate, NULL));  /* it answers nobody now */
    settle();
    say(&peer, ECHO, 2, "next");
    CHECK_STR("200 26 7 2 next", hear(&peer));
    leave(&site, &peer);
}

TEST(a_handler_that_waits_too_long_is_ended_at_three_quarters_of_the_deadline)
{
    struct site site;
    struct peer peer;
    meet(&site, &peer, 1, 8, (struct wr_oap_conf){ 0 });
    wr_time before = wr_now();
    say(&peer, GATED, 1, "");
    CHECK_BEGINS("503 18 16 1 {\"error\":{\"code\":\"Timeout\"", hear(&peer));
    CHECK_EQ(WR_S(50) * 3 / 4, wr_now() - before);
    leave(&site, &peer);
}

TEST(half_a_frame_is_waited_for_so_long)
{
    struct site site;
    struct peer peer;
    unsigned char bytes[100];
    size_t len = encode(bytes, OAP_REQ, ECHO, 7, "", "hello");
    meet(&site, &peer, 1, 8, (struct wr_oap_conf){ .read_within = WR_S(3) });
    wr_time before = wr_now();
    say_bytes(&peer, bytes, len - 1);
    CHECK_BEGINS("400 18 7 7 {\"error\":{\"code\":\"truncated\"", hear(&peer));
    CHECK_EQ(WR_S(3), wr_now() - before);
    CHECK_STR("closed", hear(&peer));
    leave(&site, &peer);
}

TEST(a_request_that_never_ends_is_answered_at_its_deadline)
{
    struct site site;
    struct peer peer;
    meet(&site, &peer, 1, 8, (struct wr_oap_conf){ 0 });
    wr_time before = wr_now();
    say_as(&peer, OAP_REQ | OAP_START, ECHO, 1, "", "begun");
    CHECK_BEGINS("503 18 7 1 {\"error\":{\"code\":\"Timeout\"", hear(&peer));
    CHECK_EQ(WR_S(2), wr_now() - before);
    leave(&site, &peer);
}

TEST(who_does_not_say_hello_is_hung_up_on)
{
    struct site site;
    struct peer peer;
    open_site(&site, 1, 8, (struct wr_oap_conf){ 0 });
    dial(&site, &peer);
    wr_time before = wr_now();
    CHECK_STR("closed", hear(&peer));
    CHECK_EQ(WR_S(2), wr_now() - before);
    leave(&site, &peer);
}

TEST(an_idle_connection_is_closed_without_a_word)
{
    struct site site;
    struct peer peer;
    meet(&site, &peer, 1, 8, (struct wr_oap_conf){ .idle_max = WR_S(7) });
    say(&peer, ECHO, 1, "a");
    CHECK_STR("200 26 7 1 a", hear(&peer));
    wr_time before = wr_now();
    CHECK_STR("closed", hear(&peer));
    CHECK_EQ(WR_S(7), wr_now() - before);
    leave(&site, &peer);
}

TEST(an_end_inside_a_frame_is_said_and_one_between_them_is_not)
{
    struct site site;
    struct peer peer;
    unsigned char bytes[100];
    size_t len = encode(bytes, OAP_REQ, ECHO, 7, "", "hello");
    meet(&site, &peer, 1, 8, (struct wr_oap_conf){ 0 });
    say_bytes(&peer, bytes, len - 1);
    wr_stream_shut(peer.stream);
    CHECK_BEGINS("400 18 7 7 {\"error\":{\"code\":\"truncated\"", hear(&peer));
    hang_up(&peer);
    greet(&site, &peer);
    wr_stream_shut(peer.stream);
    CHECK_STR("closed", hear(&peer));
    leave(&site, &peer);
}

TEST(who_sends_no_more_still_gets_the_answers)
{
    struct site site;
    struct peer peer;
    meet(&site, &peer, 1, 8, (struct wr_oap_conf){ 0 });
    say(&peer, GATED, 1, "");
    wr_stream_shut(peer.stream);
    settle();
    CHECK_OK(wr_once_set(gate, NULL));
    CHECK_STR("200 26 16 1 through", hear(&peer));
    CHECK_STR("closed", hear(&peer));
    leave(&site, &peer);
}
