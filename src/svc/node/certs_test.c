/* certs_test.c - certificates out of files, renewed while the node runs. */
#include "svc/node/certs.h"

#include <unistd.h>

#include <weir/file.h>
#include <weir/task.h>

#include "testing/node_rig.h"
#include "testing/tls_rig.h"

static char folder[64], cert_path[80], key_path[80];

static void write_identity(const struct identity *identity)
{
    CHECK_OK(wr_file_write_atomic(cert_path, identity->cert, strlen(identity->cert), 0600,
                                  WR_NEVER));
    CHECK_OK(wr_file_write_atomic(key_path, identity->key, strlen(identity->key), 0600,
                                  WR_NEVER));
}

static void make_folder(const struct identity *identity)
{
    snprintf(folder, sizeof(folder), "/tmp/weir-certs-XXXXXX");
    REQUIRE(mkdtemp(folder));
    snprintf(cert_path, sizeof(cert_path), "%s/cert.pem", folder);
    snprintf(key_path, sizeof(key_path), "%s/key.pem", folder);
    write_identity(identity);
}

static void remove_folder(void)
{
    unlink(cert_path);
    unlink(key_path);
    rmdir(folder);
}

/* Whether a client that trusts this identity gets an answer over TLS. */
static bool answers(struct rig *rig, const struct identity *trusted)
{
    static struct answer answer;
    struct wr_tls *tls = make_tls(NULL, trusted, "http/1.1");
    struct wr_stream *stream = rig_dial(rig);
    wr_err err = wr_tls_connect(tls, &stream, "localhost", wr_after(WR_S(2)));
    if (!err) {
        rig_say(stream, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
        CHECK_EQ(200, rig_hear(stream, &answer));
    }
    wr_stream_close(stream);
    wr_tls_free(tls);
    return !err;
}

TEST(a_node_speaks_tls_and_a_reload_renews_its_certificate)
{
    struct rig rig;
    struct identity first, second;
    make_identity(&first, "first");
    make_identity(&second, "second");
    make_folder(&first);
    rig_begin(&rig, (const char *const[]){ "--tls", "--tls-cert", cert_path, "--tls-key",
                                           key_path, NULL });
    CHECK(answers(&rig, &first));
    CHECK(!answers(&rig, &second));
    write_identity(&second);
    node_reload(rig.node);
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    CHECK(answers(&rig, &second));
    CHECK(!answers(&rig, &first));
    CHECK_OK(rig_end(&rig));
    remove_folder();
}

TEST(a_key_of_another_certificate_is_one_sentence_and_nothing_started)
{
    struct rig rig;
    struct identity first, second;
    make_identity(&first, "first");
    make_identity(&second, "second");
    memcpy(first.key, second.key, sizeof(first.key));
    make_folder(&first);
    rig_open(&rig, (const char *const[]){ "--tls", "--tls-cert", cert_path, "--tls-key",
                                          key_path, NULL });
    CHECK_OK(wr_once_wait(rig.over, NULL, wr_after(WR_S(5))));
    CHECK(strlen(rig.start.why) > 0);
    CHECK_ERR(WR_INVALID, rig_end(&rig));
    remove_folder();
}
