#include "testing/oap_rig.h"
#include "testing/tls_rig.h"

static struct wr_oap_client *connect_to(struct site *site)
{
    struct wr_oap_client *client = NULL;
    CHECK_OK(wr_oap_connect(&client, &(struct wr_oap_server){
        .addr = wr_listener_addr(site->listener), .ua = "test/1" }, wr_after(WR_S(5))));
    return client;
}

static const char *ask(struct wr_oap_client *client, uint16_t id, const char *payload,
                       size_t max)
{
    static char said[600];
    struct wr_oap_answer answer;
    wr_err err = wr_oap_ask(client, &(struct wr_oap_request){
        .id = id, .payload = payload, .payload_len = strlen(payload) }, max, &answer,
        wr_after(WR_S(5)));
    if (err)
        return wr_err_name(err);
    snprintf(said, sizeof(said), "%u %s", answer.code, answer.payload);
    CHECK_EQ(strlen(answer.payload), answer.len);
    free(answer.payload);
    return said;
}

TEST(a_client_asks_one_thing_after_the_other)
{
    struct site site;
    open_site(&site, 1, 8, (struct wr_oap_conf){ 0 });
    struct wr_oap_client *client = connect_to(&site);
    CHECK_STR("200 one", ask(client, ECHO, "one", 100));
    CHECK_STR("200 ", ask(client, ECHO, "", 100));
    CHECK_BEGINS("404 {\"error\":", ask(client, 999, "", 1000));
    CHECK_STR("200 three", ask(client, ECHO, "three", 5));
    wr_oap_close(client);
    close_site(&site);
}

TEST(a_client_over_tls_asks_the_same_and_only_whom_it_means)
{
    struct site site;
    struct identity identity;
    struct wr_oap_client *client = NULL;
    make_identity(&identity, "server");
    struct wr_tls *ours = make_tls(&identity, NULL, NULL);
    struct wr_tls *theirs = make_tls(NULL, &identity, NULL);
    open_site(&site, 1, 8, (struct wr_oap_conf){ .tls = ours });
    struct wr_oap_server server = { .addr = wr_listener_addr(site.listener), .tls = theirs,
                                    .host = "elsewhere" };
    CHECK_ERR(WR_IO, wr_oap_connect(&client, &server, wr_after(WR_S(5))));
    server.host = "localhost";
    REQUIRE_OK(wr_oap_connect(&client, &server, wr_after(WR_S(5))));
    CHECK_STR("200 sealed", ask(client, ECHO, "sealed", 100));
    wr_oap_close(client);
    close_site(&site);
    wr_tls_free(theirs);
    wr_tls_free(ours);
}

TEST(what_is_larger_than_a_frame_goes_both_ways_in_many)
{
    struct site site;
    static char text[900001];
    struct wr_oap_answer answer;
    for (size_t i = 0; i < sizeof(text) - 1; i++)
        text[i] = (char)('a' + i % 26);
    open_site(&site, 1, 8, (struct wr_oap_conf){ .frame_max = 2000 });
    struct wr_oap_client *client = connect_to(&site);
    REQUIRE_OK(wr_oap_ask(client, &(struct wr_oap_request){
        .id = ECHO, .cap = "cap", .cap_len = 3, .payload = text,
        .payload_len = sizeof(text) - 1 }, 1 << 20, &answer, wr_after(WR_S(5))));
    CHECK_EQ(200, answer.code);
    CHECK_EQ(sizeof(text) - 1, answer.len);
    CHECK(strcmp(text, answer.payload) == 0);
    free(answer.payload);
    wr_oap_close(client);
    close_site(&site);
}

TEST(an_answer_that_is_too_large_or_too_late_is_an_error)
{
    struct site site;
    open_site(&site, 2, 8, (struct wr_oap_conf){ 0 });
    struct wr_oap_client *client = connect_to(&site);
    CHECK_STR("Invalid", ask(client, LARGE, "101", 100));
    wr_oap_close(client);
    client = connect_to(&site);
    wr_time before = wr_now();
    CHECK_STR("Timeout", ask(client, GATED, "", 100));
    CHECK_EQ(WR_S(5), wr_now() - before);
    wr_oap_close(client);
    close_site(&site);
}

struct taken { size_t bytes, calls, enough; };

static wr_err take(void *arg, const void *bytes, size_t len)
{
    struct taken *taken = arg;
    CHECK(len > 0 && ((const char *)bytes)[0] == 'l');
    taken->bytes += len;
    taken->calls++;
    return taken->enough && taken->bytes >= taken->enough ? WR_QUARANTINE : WR_OK;
}

static wr_err ask_parts(struct wr_oap_client *client, uint16_t id, const char *payload,
                        struct taken *taken, struct wr_oap_answer *ret)
{
    return wr_oap_ask_parts(client, &(struct wr_oap_request){
        .id = id, .payload = payload, .payload_len = strlen(payload) },
        &(struct wr_oap_taker){ .take = take, .arg = taken }, ret, wr_after(WR_S(5)));
}

TEST(an_answer_is_taken_as_it_comes_and_nothing_is_kept_of_it)
{
    struct site site;
    struct taken taken = { 0 };
    struct wr_oap_answer answer = { 0 };
    open_site(&site, 1, 8, (struct wr_oap_conf){ 0 });
    struct wr_oap_client *client = connect_to(&site);
    CHECK_OK(ask_parts(client, PARTS, "1000000", &taken, &answer));
    CHECK_EQ(200, answer.code);
    CHECK_EQ(0, answer.len);
    CHECK_EQ(1000000, taken.bytes);
    CHECK(taken.calls >= 1000000 / OAP_CHUNK);
    free(answer.payload);
    CHECK_STR("200 more", ask(client, ECHO, "more", 100));
    wr_oap_close(client);
    close_site(&site);
}

TEST(who_refuses_is_heard_and_nothing_is_taken_of_it)
{
    struct site site;
    struct taken taken = { 0 };
    struct wr_oap_answer answer = { 0 };
    open_site(&site, 1, 8, (struct wr_oap_conf){ 0 });
    struct wr_oap_client *client = connect_to(&site);
    CHECK_OK(ask_parts(client, CONFLICT, "", &taken, &answer));
    CHECK_EQ(400, answer.code);
    CHECK(strstr(answer.payload, "there is a"));
    CHECK_EQ(0, taken.calls);
    free(answer.payload);
    wr_oap_close(client);
    close_site(&site);
}

TEST(a_part_that_does_not_come_soon_is_not_waited_for)
{
    struct site site;
    struct taken taken = { 0 };
    struct wr_oap_answer answer = { 0 };
    open_site(&site, 1, 8, (struct wr_oap_conf){ 0 });
    struct wr_oap_client *client = connect_to(&site);
    wr_time before = wr_now();
    CHECK_ERR(WR_TIMEOUT, wr_oap_ask_parts(client, &(struct wr_oap_request){ .id = GATED },
                                           &(struct wr_oap_taker){ take, &taken, WR_MS(300) },
                                           &answer, wr_after(WR_S(5))));
    CHECK_EQ(WR_MS(300), wr_now() - before);
    wr_oap_close(client);
    close_site(&site);
}

TEST(who_has_enough_of_an_answer_ends_it)
{
    struct site site;
    struct taken taken = { .enough = 1 };
    struct wr_oap_answer answer = { 0 };
    open_site(&site, 1, 8, (struct wr_oap_conf){ 0 });
    struct wr_oap_client *client = connect_to(&site);
    CHECK_ERR(WR_QUARANTINE, ask_parts(client, PARTS, "1000000", &taken, &answer));
    CHECK_EQ(1, taken.calls);
    wr_oap_close(client);
    close_site(&site);
}

TEST(a_request_that_is_refused_halfway_is_heard)
{
    struct site site;
    static char text[1 << 20];
    memset(text, 'x', sizeof(text) - 1);
    open_site(&site, 1, 8, (struct wr_oap_conf){ 0 });
    struct wr_oap_client *client = connect_to(&site);
    CHECK_BEGINS("413 {\"error\":", ask(client, SMALL, text, 1000));
    CHECK_STR("200 next", ask(client, ECHO, "next", 100));
    wr_oap_close(client);
    close_site(&site);
}

/* A peer that says something else, or nothing. */
struct stranger { struct wr_listener *listener; const char *text; size_t len; };

static wr_err be_strange(void *arg)
{
    struct stranger *self = arg;
    struct wr_conn conn;
    struct wr_stream *stream;
    size_t size;
    char bytes[200];
    wr_err err = wr_accept(self->listener, &conn, wr_after(WR_S(5)));
    if (!err)
        err = wr_stream_open(&stream, &conn);
    if (err)
        return err;
    CHECK_OK(wr_stream_read(stream, &size, bytes, sizeof(bytes), wr_after(WR_S(5))));
    if (self->len)
        CHECK_OK(wr_stream_write(stream, &size, &(struct wr_piece){ self->text, self->len }, 1,
                                 wr_after(WR_S(5))));
    wr_stream_close(stream);
    return WR_OK;
}

TEST(a_peer_that_does_not_speak_oap_is_no_connection)
{
    static const char http[] = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
    struct stranger strangers[] = { { .text = http, .len = sizeof(http) - 1 }, { .len = 0 } };
    for (size_t i = 0; i < 2; i++) {
        struct wr_addr addr;
        struct wr_scope *scope;
        struct wr_oap_client *client = NULL;
        CHECK_OK(wr_addr_parse(&addr, "127.0.0.1:0"));
        REQUIRE_OK(wr_listen(&strangers[i].listener, &addr));
        CHECK_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test.stranger",
                                                               .deadline = WR_NEVER }));
        CHECK_OK(wr_scope_go(scope, "test.stranger", be_strange, &strangers[i]));
        CHECK_ERR(i == 0 ? WR_INVALID : WR_CLOSED,
                  wr_oap_connect(&client, &(struct wr_oap_server){
                      .addr = wr_listener_addr(strangers[i].listener) }, wr_after(WR_S(5))));
        CHECK_OK(wr_scope_join(scope, WR_NEVER));
        CHECK_OK(wr_scope_close(scope));
        wr_listener_close(strangers[i].listener);
    }
}
