/* fetch_trust_test.c - who is believed over TLS. */
#include <stdio.h>
#include <unistd.h>

#include <weir/run.h>

#include "testing/fetch_rig.h"
#include "testing/tls_rig.h"

static struct identity good, bad;

static const char *write_file(const struct identity *identity)
{
    static char path[100];
    snprintf(path, sizeof(path), "fetch_trust_test.%d.pem", (int)getpid());
    FILE *file = fopen(path, "w");
    fputs(identity->cert, file);
    fclose(file);
    return path;
}

static const char *secure(const struct site *site, const char *host)
{
    static char text[200];
    snprintf(text, sizeof(text), "https://%s:%u/hello", host,
             wr_listener_addr(site->listener)->port);
    return text;
}

static struct wr_fetch_client *trusting(const char *ca_file)
{
    struct wr_fetch_client *client = NULL;
    static const struct wr_fetch_host hosts[] = {
        { "other.example", { .kind = WR_ADDR_IP4, .ip = { 127, 0, 0, 1 } } } };
    CHECK_OK(wr_fetch_client_new(&client, &(struct wr_fetch_conf){
        .name = "test", .internal = true, .ca_file = ca_file, .hosts = hosts,
        .host_count = 1 }));
    return client;
}

static wr_err trust(void *arg)
{
    struct site site;
    (void)arg;
    make_identity(&good, "good");
    make_identity(&bad, "bad");
    struct wr_tls *tls = make_tls(&good, NULL, NULL);
    open_fetch_site(&site, (struct wr_http_conf){ .tls = tls, .handshake_within = WR_S(60) });
    struct wr_fetch_client *client = trusting(write_file(&good));
    CHECK_STR("200 hello", get(client, secure(&site, "localhost")));
    CHECK_STR("200 hello", get(client, secure(&site, "127.0.0.1")));
    contains(get(client, secure(&site, "other.example")), "Io: https://other.example:");
    wr_fetch_client_close(client, WR_NOW);
    client = trusting(write_file(&bad));
    contains(get(client, secure(&site, "localhost")), "certificate");
    wr_fetch_client_close(client, WR_NOW);
    client = trusting(NULL);
    contains(get(client, secure(&site, "localhost")), "certificate");
    wr_fetch_client_close(client, WR_NOW);
    client = trusting("nowhere.pem");
    CHECK_STR("Io: the certificates to trust cannot be read from nowhere.pem",
              get(client, secure(&site, "localhost")));
    wr_fetch_client_close(client, WR_NOW);
    close_site(&site);
    wr_tls_free(tls);
    unlink(write_file(&good));
    return WR_OK;
}

struct asking { struct wr_fetch_client *client; const char *url; _Atomic int answered; };

static wr_err ask_once(void *arg)
{
    struct asking *asking = arg;
    struct wr_fetch_reply reply;
    wr_err err = wr_fetch(asking->client, &(struct wr_fetch_request){ .url = asking->url },
                          &reply, wr_after(WR_S(60)));
    if (!err && reply.status == 200 && strcmp(reply.body, "hello") == 0)
        atomic_fetch_add(&asking->answered, 1);
    wr_fetch_reply_free(&reply);
    return err;
}

/* Streams of one connection, however many ask. */
static wr_err share(void *arg)
{
    struct site site;
    (void)arg;
    make_identity(&good, "good");
    struct wr_tls *tls = make_tls(&good, NULL, NULL);
    open_fetch_site(&site, (struct wr_http_conf){ .tls = tls, .handshake_within = WR_S(60) });
    struct asking asking = { .url = secure(&site, "localhost") };
    CHECK_OK(wr_fetch_client_new(&asking.client, &(struct wr_fetch_conf){
        .name = "test", .internal = true, .ca_file = write_file(&good), .http2 = true,
        .host_connections_max = 1 }));
    struct wr_scope *scope = scope_open();
    for (int i = 0; i < 50; i++)
        CHECK_OK(wr_scope_go(scope, "test.asker", ask_once, &asking));
    scope_done(scope);
    CHECK_EQ(50, asking.answered);
    CHECK_EQ(1, wr_fetch_client_stat(asking.client).connects);
    wr_fetch_client_close(asking.client, WR_NOW);
    close_site(&site);
    wr_tls_free(tls);
    unlink(write_file(&good));
    return WR_OK;
}

TEST_PLAIN(by_http_2_many_requests_share_a_connection)
{
    CHECK_OK(wr_run(&(struct wr_run_conf){ 0 }, share, NULL));
}

TEST_PLAIN(only_who_has_a_certificate_that_is_trusted_for_his_name_is_believed)
{
    CHECK_OK(wr_run(&(struct wr_run_conf){ 0 }, trust, NULL));
}
