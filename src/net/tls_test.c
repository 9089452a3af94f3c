/* tls_test.c - handshakes: who is let in, and how certificates change. */
#include "net/tls.h"

#include <stdio.h>

#include "testing/http_rig.h"
#include "testing/tls_rig.h"

/* Two ends of a connection on loopback, and the handshake of each. */
struct pair {
    struct identity own, other;
    struct wr_tls *server, *client;
    struct wr_stream *accepted, *dialed;
    wr_err server_err, client_err;
};

static wr_err shake_server(void *arg)
{
    struct pair *pair = arg;
    pair->server_err = wr_tls_accept(pair->server, &pair->accepted, wr_after(WR_S(2)));
    return WR_OK;
}

static void link_up(struct pair *pair)
{
    struct wr_addr addr;
    struct wr_listener *listener;
    struct wr_conn conn;
    CHECK_OK(wr_addr_parse(&addr, "127.0.0.1:0"));
    REQUIRE_OK(wr_listen(&listener, &addr));
    CHECK_OK(wr_connect(&pair->dialed, wr_listener_addr(listener), WR_NEVER));
    CHECK_OK(wr_accept(listener, &conn, WR_NEVER));
    CHECK_OK(wr_stream_open(&pair->accepted, &conn));
    wr_listener_close(listener);
}

static void shake(struct pair *pair, const char *host)
{
    struct wr_scope *scope;
    link_up(pair);
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test.shake",
                                                             .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(scope, "test.server", shake_server, pair));
    pair->client_err = wr_tls_connect(pair->client, &pair->dialed, host, wr_after(WR_S(2)));
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_OK(wr_scope_close(scope));
}

static void hang_up(struct pair *pair)
{
    wr_stream_close(pair->dialed);
    wr_stream_close(pair->accepted);
}

static void part(struct pair *pair)
{
    hang_up(pair);
    wr_tls_free(pair->server);
    wr_tls_free(pair->client);
}

static void make_pair(struct pair *pair, const char *ours, const char *theirs)
{
    make_identity(&pair->own, "first");
    pair->server = make_tls(&pair->own, NULL, ours);
    pair->client = make_tls(NULL, &pair->own, theirs);
}

TEST(both_agree_on_the_first_protocol_of_the_server_that_the_client_knows)
{
    struct pair pair = { 0 };
    make_pair(&pair, NULL, "http/1.1,h2");
    CHECK_STR("", wr_tls_protocol((link_up(&pair), pair.dialed)));
    hang_up(&pair);
    shake(&pair, "localhost");
    CHECK_OK(pair.server_err);
    CHECK_OK(pair.client_err);
    CHECK_STR("h2", wr_tls_protocol(pair.accepted));
    CHECK_STR("h2", wr_tls_protocol(pair.dialed));
    part(&pair);
}

TEST(a_client_that_speaks_other_protocols_only_is_refused)
{
    struct pair pair = { 0 };
    make_pair(&pair, NULL, "smtp");
    shake(&pair, "localhost");
    CHECK_ERR(WR_IO, pair.server_err);
    CHECK_ERR(WR_IO, pair.client_err);
    part(&pair);
}

TEST(a_client_believes_no_stranger_and_no_other_name)
{
    struct pair pair = { 0 };
    make_pair(&pair, NULL, NULL);
    shake(&pair, "127.0.0.1");
    CHECK_OK(pair.client_err);
    hang_up(&pair);
    shake(&pair, "example.org");
    CHECK_ERR(WR_IO, pair.client_err);
    hang_up(&pair);
    wr_tls_free(pair.client);
    make_identity(&pair.other, "other");
    pair.client = make_tls(NULL, &pair.other, NULL);
    shake(&pair, "localhost");
    CHECK_ERR(WR_IO, pair.client_err);
    part(&pair);
}

TEST(a_server_that_trusts_some_takes_no_others)
{
    struct pair pair = { 0 };
    make_identity(&pair.own, "server");
    make_identity(&pair.other, "client");
    pair.server = make_tls(&pair.own, &pair.other, NULL);
    pair.client = make_tls(NULL, &pair.own, NULL);
    shake(&pair, "localhost");
    CHECK_ERR(WR_IO, pair.server_err);
    hang_up(&pair);
    wr_tls_free(pair.client);
    pair.client = make_tls(&pair.other, &pair.own, NULL);
    shake(&pair, "localhost");
    CHECK_OK(pair.server_err);
    CHECK_OK(pair.client_err);
    part(&pair);
}

static wr_err shake_old(int version)
{
    struct pair pair = { 0 };
    struct tls_stream *made;
    make_pair(&pair, NULL, NULL);
    link_up(&pair);
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_max_proto_version(context, version);
    SSL *ssl = SSL_new(context);
    SSL_set_connect_state(ssl);
    struct wr_scope *scope;
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test.shake",
                                                             .deadline = WR_NEVER }), WR_OK);
    CHECK_OK(wr_scope_go(scope, "test.server", shake_server, &pair));
    CHECK_OK(tls_stream_new(&made, ssl, pair.dialed));
    wr_err err = tls_stream_shake(made, WR_NEVER);
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_OK(wr_scope_close(scope));
    CHECK_EQ(err != WR_OK, pair.server_err != WR_OK);
    tls_stream_free(made);
    SSL_CTX_free(context);
    part(&pair);
    return err;
}

TEST(what_is_older_than_tls_1_3_is_refused)
{
    CHECK_OK(shake_old(TLS1_3_VERSION));
    CHECK_ERR(WR_IO, shake_old(TLS1_2_VERSION));
}

/* ---- certificates ---- */

static const char *name_of(const struct wr_stream *stream)
{
    static char name[50];
    X509 *cert = SSL_get1_peer_certificate(tls_stream_of(stream)->ssl);
    X509_NAME_get_text_by_NID(X509_get_subject_name(cert), NID_commonName, name, sizeof(name));
    X509_free(cert);
    return name;
}

TEST(a_new_certificate_is_for_new_connections_and_old_ones_go_on)
{
    struct pair pair = { 0 }, later = { 0 };
    char why[200], bytes[10];
    size_t size;
    make_pair(&pair, NULL, NULL);
    shake(&pair, "localhost");
    CHECK_STR("first", name_of(pair.dialed));

    make_identity(&later.own, "second");
    struct wr_secret *key = secret_of(later.own.key);
    struct wr_tls *second = NULL;
    REQUIRE_OK(wr_tls_new(&second, &(struct wr_tls_conf){
        .cert = later.own.cert, .cert_len = strlen(later.own.cert), .key = key },
        why, sizeof(why)));
    wr_tls_become(pair.server, second);
    wr_secret_unref(key);
    later.server = pair.server;
    later.client = make_tls(NULL, &later.own, NULL);
    shake(&later, "localhost");
    CHECK_OK(later.client_err);
    CHECK_STR("second", name_of(later.dialed));

    say(pair.dialed, "still");
    CHECK_OK(wr_stream_read(pair.accepted, &size, bytes, sizeof(bytes), WR_NEVER));
    CHECK_EQ(5, size);
    hang_up(&later);
    wr_tls_free(later.client);
    part(&pair);
}

static wr_err refused(const struct wr_tls_conf *conf, const char *want)
{
    struct wr_tls *tls = NULL;
    char why[200] = "";
    wr_err err = wr_tls_new(&tls, conf, why, sizeof(why));
    CHECK(strstr(why, want) != NULL);
    CHECK(tls == NULL);
    wr_secret_unref(conf->key);
    return err;
}

TEST(a_bad_certificate_or_key_is_refused_with_the_reason)
{
    struct identity one, two;
    make_identity(&one, "one");
    make_identity(&two, "two");
    struct wr_tls_conf conf = { .cert = one.cert, .cert_len = strlen(one.cert) };
    CHECK_ERR(WR_INVALID, refused(&conf, "needs its key"));
    conf.key = secret_of(two.key);
    CHECK_ERR(WR_INVALID, refused(&conf, "does not belong to the certificate"));
    conf.key = secret_of("-----BEGIN PRIVATE KEY-----\nxyz\n-----END PRIVATE KEY-----\n");
    CHECK_ERR(WR_INVALID, refused(&conf, "not a private key"));
    conf.key = secret_of(one.key);
    conf.cert = "nothing";
    conf.cert_len = 7;
    CHECK_ERR(WR_INVALID, refused(&conf, "no certificate"));
}

TEST(pq_is_had_or_refused_with_the_reason_and_never_pretended)
{
    struct identity own;
    make_identity(&own, "own");
    struct wr_tls_conf conf = { .cert = own.cert, .cert_len = strlen(own.cert),
                                .key = secret_of(own.key), .pq = WR_PQ_HYBRID };
    if (!wr_tls_pq_available()) {
        CHECK_ERR(WR_UNSUPPORTED, refused(&conf, "does not have X25519MLKEM768"));
        return;
    }
    struct wr_tls *tls = NULL;
    char why[200];
    CHECK_OK(wr_tls_new(&tls, &conf, why, sizeof(why)));
    wr_secret_unref(conf.key);
    wr_tls_free(tls);
}

/* ---- a server over it ---- */

TEST(a_server_answers_over_tls_as_it_does_in_clear)
{
    struct site site;
    struct pair pair = { 0 };
    make_pair(&pair, "http/1.1", "http/1.1");
    open_site(&site, 1, (struct wr_http_conf){ .tls = pair.server });
    struct wr_stream *stream = dial(&site);
    REQUIRE_OK(wr_tls_connect(pair.client, &stream, "localhost", WR_NEVER));
    for (int i = 0; i < 3; i++) {
        say(stream, GET("/hello/tls"));
        CHECK_STR("200 hello, tls", hear(stream));
    }
    say(stream, "POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                "Content-Length: 4\r\n\r\nbody");
    CHECK_STR("200 body", hear(stream));
    CHECK_STR("closed", hear(stream));
    wr_stream_close(stream);
    close_site(&site);
    wr_tls_free(pair.server);
    wr_tls_free(pair.client);
}

TEST(a_handshake_that_is_not_done_after_two_seconds_is_dropped)
{
    struct site site;
    struct pair pair = { 0 };
    make_pair(&pair, NULL, NULL);
    open_site(&site, 0, (struct wr_http_conf){ .tls = pair.server });
    static const char *const begun[] = { "", "\x16\x03\x01\x02" };
    for (int i = 0; i < 2; i++) {
        struct wr_stream *stream = dial(&site);
        wr_time before = wr_now();
        say(stream, begun[i]);
        CHECK_STR("closed", hear(stream));
        CHECK_EQ(WR_S(2), wr_now() - before);
        settle();
        CHECK_EQ(0, wr_http_connections(site.http));
        wr_stream_close(stream);
    }
    close_site(&site);
    wr_tls_free(pair.server);
    wr_tls_free(pair.client);
}

TEST(who_speaks_in_clear_to_tls_is_sent_away)
{
    struct site site;
    struct pair pair = { 0 };
    make_pair(&pair, NULL, NULL);
    open_site(&site, 0, (struct wr_http_conf){ .tls = pair.server });
    struct wr_stream *stream = dial(&site);
    say(stream, GET("/healthz"));
    wr_time before = wr_now();
    CHECK_STR("closed", hear(stream));
    CHECK_EQ(0, wr_now() - before);
    wr_stream_close(stream);
    close_site(&site);
    wr_tls_free(pair.server);
    wr_tls_free(pair.client);
}
