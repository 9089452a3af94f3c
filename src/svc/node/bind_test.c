/* bind_test.c - what listens where, and how that changes while the node runs. */
#include <unistd.h>

#include <weir/file.h>
#include <weir/task.h>

#include "svc/node/node_int.h"
#include "testing/node_rig.h"
#include "testing/tls_rig.h"

#define GET(path) "GET " path " HTTP/1.1\r\nHost: localhost\r\n\r\n"
#define HOME "http_addr = \"127.0.0.1:0\"\n"
#define AWAY "http_addr = \"127.0.0.2:0\"\n"

static struct answer answer;
static char folder[64], path[80];

static void write_file(const char *name, const char *text)
{
    char full[120];
    snprintf(full, sizeof(full), "%s/%s", folder, name);
    CHECK_OK(wr_file_write_atomic(full, text, strlen(text), 0600, WR_NEVER));
}

static void begin(struct rig *rig, const char *text)
{
    snprintf(folder, sizeof(folder), "/tmp/weir-bind-XXXXXX");
    CHECK(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/weir.toml", folder);
    write_file("weir.toml", text);
    rig_by_file = true;
    rig_begin(rig, (const char *const[]){ "--config", path, NULL });
}

static void end(struct rig *rig)
{
    static const char *const names[] = { "weir.toml", "cert.pem", "key.pem" };
    char full[120];
    CHECK_OK(rig_end(rig));
    rig_by_file = false;
    for (size_t i = 0; i < 3; i++) {
        snprintf(full, sizeof(full), "%s/%s", folder, names[i]);
        unlink(full);
    }
    CHECK_EQ(0, rmdir(folder));     /* sockets are gone too */
}

/* Write it and have it read; what it wants has been done, or not. */
static void reload(struct rig *rig, const char *text)
{
    write_file("weir.toml", text);
    node_reload(rig->node);
    CHECK_OK(wr_sleep(wr_after(WR_MS(300))));
}

static uint64_t version(struct rig *rig)
{
    const struct settings *settings = settings_get(rig->node);
    uint64_t found = settings->version;
    settings_put(rig->node, settings);
    return found;
}

static struct wr_addr addr_of(struct rig *rig, enum way way)
{
    struct wr_addr addr = { 0 };
    if (!inlet_addr(rig->node->inlets[way], &addr))
        addr.kind = WR_ADDR_NONE;
    return addr;
}

/* The status of an answer from there; 0: nobody takes us in. */
static int ask_at(const struct wr_addr *addr, const char *request)
{
    struct wr_stream *stream = NULL;
    answer.status = 0;
    if (addr->kind == WR_ADDR_NONE || wr_connect(&stream, addr, wr_after(WR_S(1))))
        return 0;
    rig_say(stream, request);
    rig_hear(stream, &answer);
    wr_stream_close(stream);
    return answer.status;
}

static struct wr_stream *dial_at(const struct wr_addr *addr)
{
    struct wr_stream *stream = NULL;
    CHECK_OK(wr_connect(&stream, addr, wr_after(WR_S(1))));
    return stream;
}

/* ---- another address ---- */

TEST(http_moves_to_another_address_and_the_old_one_is_given_up)
{
    struct rig rig;
    begin(&rig, HOME);
    struct wr_addr was = addr_of(&rig, WAY_HTTP);
    reload(&rig, AWAY);
    struct wr_addr is = addr_of(&rig, WAY_HTTP);
    CHECK(!wr_addr_equal(&was, &is));
    CHECK_EQ(200, ask_at(&is, GET("/v1/hello")));
    CHECK_EQ(0, ask_at(&was, GET("/v1/hello")));
    CHECK(version(&rig) > 1);
    end(&rig);
}

TEST(what_was_asked_at_the_old_address_is_answered)
{
    struct rig rig;
    begin(&rig, HOME);
    struct wr_stream *busy = rig_dial(&rig), *poll = rig_dial(&rig);
    rig_say(busy, GET("/api/v1/debug/sleep?ms=1400"));
    rig_say(poll, GET("/api/v1/debug/wait"));
    settle();
    wr_time before = wr_now();
    reload(&rig, AWAY);
    CHECK_EQ(200, rig_hear(poll, &answer));         /* at once, as in a drain */
    CHECK(wr_now() - before < WR_S(1));
    CHECK_EQ(200, rig_hear(busy, &answer));
    CHECK(strstr(answer.head, "Connection: close"));
    CHECK_EQ(0, rig_hear(busy, &answer));
    wr_stream_close(busy);
    wr_stream_close(poll);
    end(&rig);
}

TEST(a_connection_to_the_old_address_has_time_for_one_more_call)
{
    struct rig rig;
    begin(&rig, HOME);
    struct wr_stream *idle = rig_dial(&rig), *silent = rig_dial(&rig);
    rig_say(idle, GET("/v1/hello"));
    CHECK_EQ(200, rig_hear(idle, &answer));
    wr_time before = wr_now();
    reload(&rig, AWAY);
    rig_say(idle, GET("/v1/hello"));
    CHECK_EQ(200, rig_hear(idle, &answer));
    CHECK(strstr(answer.head, "Connection: close"));
    CHECK_EQ(0, rig_hear(silent, &answer));         /* at the drain deadline, of 3 s */
    CHECK(wr_now() - before > WR_S(2) && wr_now() - before < WR_MS(3200));
    wr_stream_close(idle);
    wr_stream_close(silent);
    end(&rig);
}

TEST(a_call_that_begins_late_at_the_old_address_is_still_answered)
{
    struct rig rig;
    begin(&rig, HOME);
    struct wr_stream *late = rig_dial(&rig);
    settle();
    reload(&rig, AWAY);
    CHECK_OK(wr_sleep(wr_after(WR_MS(1500))));
    rig_say(late, GET("/api/v1/debug/sleep?ms=900"));
    CHECK_EQ(200, rig_hear(late, &answer));
    wr_stream_close(late);
    end(&rig);
}

TEST(a_drain_answers_what_an_old_front_was_asked)
{
    struct rig rig;
    begin(&rig, HOME);
    struct wr_stream *busy = rig_dial(&rig);
    rig_say(busy, GET("/api/v1/debug/sleep?ms=1000"));
    settle();
    reload(&rig, AWAY);
    rig_stop(&rig);
    CHECK_EQ(200, rig_hear(busy, &answer));
    wr_stream_close(busy);
    end(&rig);
}

TEST(readiness_and_answers_go_on_while_addresses_move)
{
    struct rig rig;
    begin(&rig, HOME "metrics_addr = \"127.0.0.3:0\"\n");
    struct wr_addr control = addr_of(&rig, WAY_METRICS);
    for (int i = 0; i < 6; i++) {
        write_file("weir.toml", i % 2 ? HOME "metrics_addr = \"127.0.0.3:0\"\n"
                                      : AWAY "metrics_addr = \"127.0.0.3:0\"\n");
        node_reload(rig.node);
        for (int looks = 0; looks < 100; looks++) {
            struct wr_addr http = addr_of(&rig, WAY_HTTP);
            CHECK_EQ(200, ask_at(&control, GET("/readyz")));
            CHECK_EQ(200, ask_at(&http, GET("/v1/hello")));
            CHECK_OK(wr_sleep(wr_after(WR_MS(3))));
        }
    }
    CHECK_OK(wr_sleep(wr_after(WR_S(10))));         /* more moves than can be on the way */
    struct wr_addr http = addr_of(&rig, WAY_HTTP);
    CHECK_EQ(1, http.ip[3]);
    end(&rig);
}

TEST(an_address_that_others_reach_wants_a_token_from_then_on)
{
    static char *const env[] = { "WEIR_ADMIN_TOKEN=secret", NULL };
    struct rig rig;
    rig_env = env;
    begin(&rig, HOME);
    rig_env = NULL;
    CHECK_EQ(200, rig_get(&rig, "/v1/hello", &answer));
    reload(&rig, "http_addr = \"0.0.0.0:0\"\n");
    struct wr_addr http = addr_of(&rig, WAY_HTTP);
    CHECK_EQ(401, ask_at(&http, GET("/v1/hello")));
    CHECK_EQ(200, ask_at(&http, "GET /v1/hello HTTP/1.1\r\nHost: localhost\r\n"
                                "Authorization: Bearer secret\r\n\r\n"));
    reload(&rig, HOME);
    http = addr_of(&rig, WAY_HTTP);
    CHECK_EQ(200, ask_at(&http, GET("/v1/hello")));
    end(&rig);
}

TEST(a_change_that_comes_while_another_is_made_is_not_lost)
{
    struct rig rig;
    struct wr_conf_report report = { 0 };
    struct wr_conf *next = NULL;
    begin(&rig, HOME);
    rig.source.text = AWAY;
    node_reload(rig.node);
    while (version(&rig) == 1)
        CHECK_OK(wr_yield());
    rig.source.text = AWAY "idle_timeout = \"77s\"\n";     /* it has not moved yet */
    CHECK_OK(wr_conf_load(&next, &rig.source, &report));
    CHECK_OK(wr_chan_send(rig.node->updates, &next, WR_NOW));
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    const struct settings *settings = settings_get(rig.node);
    CHECK_EQ(3, settings->version);
    CHECK_EQ(WR_S(77), wr_conf_duration(settings->conf, "idle_timeout"));
    settings_put(rig.node, settings);
    rig.source.text = NULL;
    end(&rig);
}

/* ---- what cannot be had ---- */

TEST(one_address_that_is_taken_refuses_the_whole)
{
    struct rig rig;
    char text[400], taken[WR_ADDR_TEXT_MAX];
    struct wr_listener *other = NULL;
    struct wr_addr addr;
    CHECK_OK(wr_addr_parse(&addr, "127.0.0.9:0"));
    REQUIRE_OK(wr_listen(&other, &addr));
    begin(&rig, HOME "idle_timeout = \"10s\"\n");
    struct wr_addr was = addr_of(&rig, WAY_HTTP);
    snprintf(text, sizeof(text), AWAY "idle_timeout = \"20s\"\nmetrics_addr = \"%s\"\n",
             wr_addr_print(wr_listener_addr(other), taken));
    reload(&rig, text);
    struct wr_addr is = addr_of(&rig, WAY_HTTP);
    CHECK(wr_addr_equal(&was, &is));
    CHECK_EQ(1, version(&rig));
    CHECK_EQ(200, ask_at(&was, GET("/api/v1/config")));
    CHECK(strstr(answer.body, "\"idle_timeout\":{\"value\":\"10s\""));
    CHECK_EQ(200, ask_at(&was, GET("/metrics")));
    CHECK(strstr(answer.body, "\nconfig_reloads_total{result=\"refused\"} "));
    wr_listener_close(other);
    reload(&rig, text);                             /* now it can be had */
    struct wr_addr control = addr_of(&rig, WAY_METRICS);
    CHECK_EQ(200, ask_at(&control, GET("/healthz")));
    CHECK(version(&rig) > 1);
    end(&rig);
}

/* The sentence that such a file is refused with. */
static const char *refusal(struct rig *rig, const char *text)
{
    static char *const later[] = { "WEIR_ADMIN_TOKEN=secret", NULL };    /* unknown to it */
    static char why[NODE_WHY_MAX];
    struct wr_conf_source source = rig->source;
    struct wr_conf_report report = { 0 };
    struct binding binding;
    struct wr_conf *conf = NULL;
    source.text = text;
    source.env = later;
    why[0] = '\0';
    CHECK_OK(wr_conf_load(&conf, &source, &report));
    wr_conf_report_free(&report);
    const struct settings *settings = settings_get(rig->node);
    if (CHECK(bind_open(&binding, rig->node, conf, settings->conf, why)) == 0)
        bind_drop(&binding);
    settings_put(rig->node, settings);
    wr_conf_unref(conf);
    return why;
}

TEST(a_refusal_names_the_key_the_address_and_what_to_do)
{
    struct rig rig;
    char text[200], wanted[300];
    begin(&rig, HOME);
    struct wr_addr own = addr_of(&rig, WAY_HTTP);
    snprintf(text, sizeof(text), "http_addr = \"127.0.0.1:%u\"\n", own.port);
    snprintf(wanted, sizeof(wanted), "%s:1: http_addr: cannot listen on 127.0.0.1:%u: this "
             "node has that port, at 127.0.0.1:%u, until the new address is there; choose "
             "another port, or restart the node", path, own.port, own.port);
    CHECK_STR(wanted, refusal(&rig, text));
    CHECK(strstr(refusal(&rig, "http_addr = \"192.0.2.1:0\""),
                 "nobody could show a token: make a key "));
    CHECK(strstr(refusal(&rig, HOME "metrics_addr = \"192.0.2.1:9\""),
                 ":2: metrics_addr: cannot listen on 192.0.2.1:9: this machine does not have "
                 "that address; choose one that it has"));
    CHECK_EQ(200, ask_at(&own, GET("/v1/hello")));
    end(&rig);
}

/* ---- other ways in ---- */

TEST(the_control_plane_gets_an_address_of_its_own_and_loses_it)
{
    struct rig rig;
    begin(&rig, HOME);
    CHECK_EQ(WR_ADDR_NONE, addr_of(&rig, WAY_METRICS).kind);
    reload(&rig, HOME "metrics_addr = \"127.0.0.3:0\"\n");
    struct wr_addr control = addr_of(&rig, WAY_METRICS);
    CHECK_EQ(200, ask_at(&control, GET("/metrics")));
    reload(&rig, HOME);
    CHECK_EQ(0, ask_at(&control, GET("/metrics")));
    CHECK_EQ(200, rig_get(&rig, "/v1/hello", &answer));
    end(&rig);
}

/* Whether somebody who comes there is let in. */
static bool lets_in(const struct wr_addr *addr)
{
    struct wr_stream *stream = NULL;
    static const char text[] = GET("/v1/hello");
    size_t size;
    bool in = !wr_connect(&stream, addr, wr_after(WR_S(1)))
        && !wr_stream_write(stream, &size, &(struct wr_piece){ text, strlen(text) }, 1,
                            wr_after(WR_S(1)))
        && rig_hear(stream, &answer) == 200;
    wr_stream_close(stream);
    return in;
}

#define FEW "max_conns = 2\nmetrics_addr = \"127.0.0.3:0\"\noap_addr = \"127.0.0.1:0\"\n"

TEST(one_bound_of_connections_holds_for_all_ways_in_but_the_control_address)
{
    struct rig rig;
    struct wr_oap_client *framed = NULL, *more = NULL;
    begin(&rig, HOME FEW);
    struct wr_addr http = addr_of(&rig, WAY_HTTP), control = addr_of(&rig, WAY_METRICS);
    struct wr_addr oap = addr_of(&rig, WAY_OAP);
    CHECK(lets_in(&http) && lets_in(&control));
    CHECK_OK(wr_oap_connect(&framed, &(struct wr_oap_server){ .addr = &oap },
                            wr_after(WR_S(1))));
    struct wr_stream *old = dial_at(&http);
    rig_say(old, GET("/v1/hello"));
    CHECK_EQ(200, rig_hear(old, &answer));
    CHECK(!lets_in(&http));
    CHECK(lets_in(&control));                   /* which has a bound of its own */
    CHECK(wr_oap_connect(&more, &(struct wr_oap_server){ .addr = &oap }, wr_after(WR_S(1))));
    reload(&rig, AWAY FEW);
    http = addr_of(&rig, WAY_HTTP);
    CHECK(!lets_in(&http));                     /* the old one is still seen off */
    rig_say(old, GET("/v1/hello"));
    CHECK_EQ(200, rig_hear(old, &answer));
    wr_stream_close(old);
    settle();
    CHECK(lets_in(&http));
    wr_oap_close(framed);
    end(&rig);
}

TEST(the_control_address_takes_64_connections_and_32_of_one_address)
{
    struct rig rig;
    struct wr_stream *streams[32];
    begin(&rig, HOME FEW);
    struct wr_addr control = addr_of(&rig, WAY_METRICS);
    for (int i = 0; i < 32; i++) {
        streams[i] = dial_at(&control);
        rig_say(streams[i], GET("/healthz"));
        CHECK_EQ(200, rig_hear(streams[i], &answer));
    }
    CHECK(!lets_in(&control));
    struct wr_addr http = addr_of(&rig, WAY_HTTP);
    CHECK(lets_in(&http));
    for (int i = 0; i < 32; i++)
        wr_stream_close(streams[i]);
    settle();
    CHECK(lets_in(&control));
    end(&rig);
}

TEST(oap_begins_is_part_of_readiness_and_ends)
{
    struct rig rig;
    struct wr_oap_client *client = NULL;
    begin(&rig, HOME);
    CHECK_EQ(200, rig_get(&rig, "/readyz", &answer));
    CHECK(!strstr(answer.body, "overlay"));
    reload(&rig, HOME "oap_addr = \"127.0.0.1:0\"\n");
    CHECK_EQ(200, rig_get(&rig, "/readyz", &answer));
    CHECK(strstr(answer.body, "\"overlay\":\"ok\""));
    struct wr_addr oap = addr_of(&rig, WAY_OAP);
    struct wr_oap_server server = { .addr = &oap };
    CHECK_OK(wr_oap_connect(&client, &server, wr_after(WR_S(1))));
    wr_oap_close(client);
    reload(&rig, HOME);
    CHECK_ERR(WR_IO, wr_oap_connect(&client, &server, wr_after(WR_S(1))));
    CHECK_EQ(200, rig_get(&rig, "/readyz", &answer));
    CHECK(!strstr(answer.body, "overlay"));
    end(&rig);
}

TEST(the_unix_socket_moves_and_leaves_nothing_behind)
{
    struct rig rig;
    char one[200], two[200];
    begin(&rig, HOME);
    snprintf(one, sizeof(one), HOME "uds.path = \"%s/one\"\n", folder);
    snprintf(two, sizeof(two), HOME "uds.path = \"%s/two\"\n", folder);
    reload(&rig, one);
    struct wr_addr first = addr_of(&rig, WAY_LOCAL);
    CHECK_EQ(200, ask_at(&first, GET("/v1/hello")));
    reload(&rig, two);
    struct wr_addr second = addr_of(&rig, WAY_LOCAL);
    CHECK_EQ(200, ask_at(&second, GET("/v1/hello")));
    CHECK_EQ(0, ask_at(&first, GET("/v1/hello")));
    CHECK_EQ(-1, access(first.path, F_OK));
    reload(&rig, HOME);
    CHECK_EQ(-1, access(second.path, F_OK));
    end(&rig);
}

TEST(another_list_of_users_is_in_force_on_the_same_socket)
{
    struct rig rig;
    char text[200];
    begin(&rig, HOME);
    snprintf(text, sizeof(text), HOME "uds.path = \"%s/one\"\n", folder);
    reload(&rig, text);
    struct wr_addr local = addr_of(&rig, WAY_LOCAL);
    struct wr_stream *stream = dial_at(&local);
    CHECK_OK(wr_sleep(wr_after(WR_MS(10))));
    snprintf(text, sizeof(text), HOME "uds.path = \"%s/one\"\nuds.allow_uids = [77]\n", folder);
    reload(&rig, text);
    CHECK_EQ(0, access(local.path, F_OK));
    CHECK_EQ(200, ask_at(&local, GET("/v1/hello")));
    rig_say(stream, GET("/v1/hello"));              /* of the old server */
    CHECK_EQ(200, rig_hear(stream, &answer));
    CHECK(strstr(answer.head, "Connection: close"));
    wr_stream_close(stream);
    end(&rig);
}

/* ---- what is behind an address ---- */

static bool answers_over_tls(const struct wr_addr *addr, const struct identity *trusted)
{
    struct wr_tls *tls = make_tls(NULL, trusted, "http/1.1");
    struct wr_stream *stream = dial_at(addr);
    wr_err err = wr_tls_connect(tls, &stream, "localhost", wr_after(WR_S(2)));
    if (!err) {
        rig_say(stream, GET("/v1/hello"));
        CHECK_EQ(200, rig_hear(stream, &answer));
    }
    wr_stream_close(stream);
    wr_tls_free(tls);
    return !err;
}

static const char *tls_on(const char *key)
{
    static char text[400];
    snprintf(text, sizeof(text), HOME "tls.enabled = true\ntls.cert_path = \"%s/cert.pem\"\n"
             "tls.key_path = \"%s/%s\"\n", folder, folder, key);
    return text;
}

TEST(tls_goes_on_and_off_on_the_same_port)
{
    struct rig rig;
    struct identity identity;
    make_identity(&identity, "node");
    begin(&rig, HOME);
    write_file("cert.pem", identity.cert);
    write_file("key.pem", identity.key);
    struct wr_addr http = addr_of(&rig, WAY_HTTP);
    struct wr_stream *clear = dial_at(&http);
    rig_say(clear, GET("/api/v1/debug/sleep?ms=1000"));
    settle();
    reload(&rig, tls_on("key.pem"));
    struct wr_addr same = addr_of(&rig, WAY_HTTP);
    CHECK(wr_addr_equal(&http, &same));
    CHECK(answers_over_tls(&http, &identity));
    CHECK_EQ(0, ask_at(&http, GET("/v1/hello")));
    CHECK_EQ(200, rig_hear(clear, &answer));        /* it came in clear */
    wr_stream_close(clear);
    reload(&rig, HOME);
    CHECK_EQ(200, ask_at(&http, GET("/v1/hello")));
    CHECK(!answers_over_tls(&http, &identity));
    end(&rig);
}

TEST(a_wrong_key_refuses_the_whole_and_the_old_certificate_stays)
{
    struct rig rig;
    struct identity first, second;
    make_identity(&first, "first");
    make_identity(&second, "second");
    begin(&rig, HOME);
    write_file("cert.pem", first.cert);
    write_file("key.pem", second.key);
    struct wr_addr http = addr_of(&rig, WAY_HTTP);
    reload(&rig, tls_on("key.pem"));
    CHECK_EQ(1, version(&rig));
    CHECK_EQ(200, ask_at(&http, GET("/v1/hello")));
    write_file("key.pem", first.key);
    reload(&rig, tls_on("key.pem"));
    CHECK(answers_over_tls(&http, &first));
    write_file("key.pem", second.key);
    uint64_t before = version(&rig);
    reload(&rig, tls_on("key.pem"));
    CHECK_EQ(before, version(&rig));
    CHECK(answers_over_tls(&http, &first));
    end(&rig);
}

TEST(a_new_certificate_in_the_same_file_is_a_new_version_and_the_same_one_is_not)
{
    struct rig rig;
    struct identity first, second;
    make_identity(&first, "first");
    make_identity(&second, "second");
    begin(&rig, HOME);
    write_file("cert.pem", first.cert);
    write_file("key.pem", first.key);
    struct wr_addr http = addr_of(&rig, WAY_HTTP);
    reload(&rig, tls_on("key.pem"));
    uint64_t before = version(&rig);
    reload(&rig, tls_on("key.pem"));
    CHECK_EQ(before, version(&rig));
    write_file("cert.pem", second.cert);
    write_file("key.pem", second.key);
    reload(&rig, tls_on("key.pem"));
    CHECK_EQ(before + 1, version(&rig));
    CHECK(answers_over_tls(&http, &second));
    end(&rig);
}

static wr_err quick(struct wr_call *call)
{
    wr_call_print(call, "quick");
    return WR_OK;
}

TEST(a_service_is_switched_off_and_on)
{
    static const struct wr_route routes[] = { { .method = "GET", .path = "/t/quick",
                                                .handler = quick } };
    static const struct node_service service = { .name = "test", .routes = routes,
                                                 .route_count = 1 };
    static const char *const names[] = { "test", "other", NULL };
    struct rig rig;
    rig_service = &service;
    rig_services = names;
    begin(&rig, HOME);
    struct wr_addr http = addr_of(&rig, WAY_HTTP);
    CHECK_EQ(200, ask_at(&http, GET("/t/quick")));
    reload(&rig, HOME "services.enable = [\"other\"]\n");
    CHECK_EQ(404, ask_at(&http, GET("/t/quick")));
    CHECK_EQ(200, ask_at(&http, GET("/v1/hello")));
    reload(&rig, HOME "services.enable = [\"tset\"]\n");      /* refused: as it was */
    CHECK_EQ(404, ask_at(&http, GET("/t/quick")));
    CHECK_EQ(200, rig_get(&rig, "/api/v1/config", &answer));
    CHECK(strstr(answer.body, "\"services.enable\":{\"value\":[\"other\"],"));
    reload(&rig, HOME "services.enable = [\"svc-test\"]\n");
    CHECK_EQ(200, ask_at(&http, GET("/t/quick")));
    end(&rig);
    rig_services = NULL;
}

/* ---- the rest ---- */

TEST(what_needs_a_restart_is_not_said_to_be_in_force)
{
    struct rig rig;
    begin(&rig, HOME "workers.count = 2\n");
    reload(&rig, HOME "workers.count = 3\nidle_timeout = \"33s\"\n");
    CHECK_EQ(200, rig_get(&rig, "/api/v1/config", &answer));
    CHECK(strstr(answer.body, "\"workers.count\":{\"value\":\"2\","));
    CHECK(strstr(answer.body, "\"idle_timeout\":{\"value\":\"33s\","));
    end(&rig);
}
