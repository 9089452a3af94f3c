/* tls.c - certificates, what is allowed, handshakes: see tls.h. */
#include "net/tls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/pem.h>

#include <weir/lock.h>
#include <weir/metric.h>

#include "base/forget.h"
#include "net/iostat.h"

#define SUITES "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
#define GROUPS "X25519:P-256"
#define PQ_GROUP "X25519MLKEM768"
#define PROTOCOLS_MAX 64

static struct wr_metric failures = {
    .name = "tls_handshake_failures_total",
    .help = "Handshakes of clients that came to nothing.",
    .type = WR_COUNTER,
};

/* What a handshake goes by; counted by OpenSSL, so that it outlives its change. */
struct wr_tls {
    struct wr_mutex lock;
    SSL_CTX *context;
};

/* ---- forgetting ---- */

static void *take(size_t size, const char *file, int line)
{
    (void)file, (void)line;
    return malloc(size);
}

static void *take_more(void *memory, size_t size, const char *file, int line)
{
    (void)file, (void)line;
    return wr_forget_realloc(memory, size);
}

static void give(void *memory, const char *file, int line)
{
    (void)file, (void)line;
    wr_forget_free(memory);
}

bool tls_forget(void)
{
    return CRYPTO_set_mem_functions(take, take_more, give) == 1;
}

/* ---- protocols ---- */

/* "h2,http/1.1" as the wire has it: each behind its length. */
static size_t wire_of(unsigned char *to, const char *names)
{
    size_t len = 0;
    while (*names) {
        size_t size = strcspn(names, ",");
        if (size == 0 || size >= TLS_PROTOCOL_MAX || len + size + 1 > PROTOCOLS_MAX)
            return 0;
        to[len++] = (unsigned char)size;
        memcpy(to + len, names, size);
        len += size;
        names += size + (names[size] == ',');
    }
    return len;
}

/* Ours are in the context's own data: see keep_protocols. */
static int choose_protocol(SSL *ssl, const unsigned char **ret, unsigned char *ret_len,
                           const unsigned char *theirs, unsigned len, void *arg)
{
    const unsigned char *ours = arg;
    unsigned char *chosen;
    (void)ssl;
    if (SSL_select_next_proto(&chosen, ret_len, ours + 1, ours[0], theirs, len)
        != OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *ret = chosen;
    return SSL_TLSEXT_ERR_OK;
}

static void free_protocols(void *parent, void *bytes, CRYPTO_EX_DATA *data, int index,
                           long number, void *arg)
{
    (void)parent, (void)data, (void)index, (void)number, (void)arg;
    OPENSSL_free(bytes);
}

static int protocols_index = -1;

static void make_index(void)
{
    protocols_index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, free_protocols);
}

static bool keep_protocols(SSL_CTX *context, const char *names)
{
    static CRYPTO_ONCE once = CRYPTO_ONCE_STATIC_INIT;
    unsigned char *wire = OPENSSL_zalloc(PROTOCOLS_MAX + 1);
    if (!wire || !CRYPTO_THREAD_run_once(&once, make_index) || protocols_index < 0
        || !SSL_CTX_set_ex_data(context, protocols_index, wire)) {
        OPENSSL_free(wire);
        return false;
    }
    wire[0] = (unsigned char)wire_of(wire + 1, names);
    SSL_CTX_set_alpn_select_cb(context, choose_protocol, wire);
    return wire[0] > 0 && SSL_CTX_set_alpn_protos(context, wire + 1, wire[0]) == 0;
}

/* ---- certificates ---- */

/* A key that wants a password gets none, instead of a question on the terminal. */
static int no_password(char *to, int size, int writing, void *arg)
{
    (void)to, (void)size, (void)writing, (void)arg;
    return -1;
}

static const char *read_key(SSL_CTX *context, const struct wr_secret *key)
{
    BIO *bio = BIO_new_mem_buf(wr_secret_bytes(key), (int)wr_secret_size(key));
    EVP_PKEY *read = bio ? PEM_read_bio_PrivateKey(bio, NULL, no_password, NULL) : NULL;
    const char *wrong = !read ? "the key is not a private key in PEM without a password"
        : SSL_CTX_use_PrivateKey(context, read) != 1
              || SSL_CTX_check_private_key(context) != 1
        ? "the key does not belong to the certificate"
        : NULL;
    EVP_PKEY_free(read);
    BIO_free(bio);
    return wrong;
}

/* The first is ours, the others vouch for it. */
static const char *read_cert(SSL_CTX *context, const char *pem, size_t len)
{
    BIO *bio = BIO_new_mem_buf(pem, (int)len);
    const char *wrong = NULL;
    size_t count = 0;
    X509 *cert;
    while (bio && !wrong && (cert = PEM_read_bio_X509(bio, NULL, no_password, NULL))) {
        if ((count == 0 ? SSL_CTX_use_certificate(context, cert)
                        : SSL_CTX_add1_chain_cert(context, cert)) != 1)
            wrong = "the certificate is not allowed: is its key too short?";
        X509_free(cert);
        count++;
    }
    BIO_free(bio);
    return wrong ? wrong : count ? NULL : "there is no certificate in PEM where one should be";
}

static const char *read_trust(SSL_CTX *context, const char *pem, size_t len)
{
    BIO *bio = BIO_new_mem_buf(pem, (int)len);
    X509_STORE *store = SSL_CTX_get_cert_store(context);
    size_t count = 0;
    X509 *cert;
    while (bio && (cert = PEM_read_bio_X509(bio, NULL, no_password, NULL))) {
        count += X509_STORE_add_cert(store, cert) == 1 && SSL_CTX_add_client_CA(context, cert);
        X509_free(cert);
    }
    BIO_free(bio);
    return count ? NULL : "there is no certificate in PEM among those to trust";
}

/* ---- contexts ---- */

bool wr_tls_pq_available(void)
{
    SSL_CTX *context = SSL_CTX_new(TLS_method());
    bool has = context && SSL_CTX_set1_groups_list(context, PQ_GROUP) == 1;
    SSL_CTX_free(context);
    ERR_clear_error();
    return has;
}

static bool set_rules(SSL_CTX *context, const struct wr_tls_conf *conf)
{
    static const unsigned char name[] = "weir";
    const char *groups = conf->pq == WR_PQ_OFF ? GROUPS
        : conf->pq == WR_PQ_HYBRID             ? PQ_GROUP ":" GROUPS
                                               : PQ_GROUP;
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    if (wr_forgets())
        SSL_CTX_set_options(context, SSL_OP_CLEANSE_PLAINTEXT);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_max_early_data(context, 0);
    return SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) == 1
        && SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) == 1
        && SSL_CTX_set_ciphersuites(context, SUITES) == 1
        && SSL_CTX_set1_groups_list(context, groups) == 1
        && SSL_CTX_set_num_tickets(context, 1) == 1
        && SSL_CTX_set_session_id_context(context, name, sizeof(name) - 1) == 1
        && keep_protocols(context, conf->protocols ? conf->protocols : "h2,http/1.1");
}

static const char *fill(SSL_CTX *context, const struct wr_tls_conf *conf)
{
    const char *wrong = NULL;
    if (!set_rules(context, conf))
        return "the TLS library does not know what is to be allowed";
    if (conf->cert && !conf->key)
        return "a certificate needs its key";
    if (conf->cert)
        wrong = read_cert(context, conf->cert, conf->cert_len);
    if (conf->cert && !wrong)
        wrong = read_key(context, conf->key);
    if (conf->trust && !wrong)
        wrong = read_trust(context, conf->trust, conf->trust_len);
    return wrong;
}

static wr_err make_context(SSL_CTX **ret, const struct wr_tls_conf *conf, char *why,
                           size_t size)
{
    if (conf->pq != WR_PQ_OFF && !wr_tls_pq_available()) {
        snprintf(why, size, "%s does not have " PQ_GROUP ": use a newer one, or set pq off",
                 OpenSSL_version(OPENSSL_VERSION));
        return WR_UNSUPPORTED;
    }
    SSL_CTX *context = SSL_CTX_new(TLS_method());
    if (!context) {
        snprintf(why, size, "no memory for TLS");
        return WR_NOMEM;
    }
    const char *wrong = fill(context, conf);
    ERR_clear_error();
    if (!wrong) {
        *ret = context;
        return WR_OK;
    }
    snprintf(why, size, "%s", wrong);
    SSL_CTX_free(context);
    return WR_INVALID;
}

wr_err wr_tls_new(struct wr_tls **ret, const struct wr_tls_conf *conf, char *why, size_t size)
{
    SSL_CTX *context = NULL;
    wr_err err = make_context(&context, conf, why, size);
    if (err)
        return err;
    struct wr_tls *tls = calloc(1, sizeof(*tls));
    if (!tls) {
        SSL_CTX_free(context);
        snprintf(why, size, "no memory for TLS");
        return WR_NOMEM;
    }
    tls->lock = (struct wr_mutex)WR_MUTEX("tls.context", 900);
    tls->context = context;
    wr_metric_declare(&failures);
    *ret = tls;
    return WR_OK;
}

void wr_tls_become(struct wr_tls *tls, struct wr_tls *other)
{
    wr_mutex_lock(&tls->lock);
    SSL_CTX *old = tls->context;
    tls->context = other->context;
    wr_mutex_unlock(&tls->lock);
    other->context = old;
    wr_tls_free(other);
}

void wr_tls_free(struct wr_tls *tls)
{
    if (!tls)
        return;
    wr_mutex_fini(&tls->lock);
    SSL_CTX_free(tls->context);
    free(tls);
}

/* ---- looking at what is there ---- */

/* That of this moment, with a reference of its own. */
static SSL_CTX *context_of(struct wr_tls *tls)
{
    wr_mutex_lock(&tls->lock);
    SSL_CTX *context = tls->context;
    SSL_CTX_up_ref(context);
    wr_mutex_unlock(&tls->lock);
    return context;
}

static bool same_certs(SSL_CTX *one, SSL_CTX *other)
{
    STACK_OF(X509) *a = NULL, *b = NULL;
    X509 *first = SSL_CTX_get0_certificate(one), *second = SSL_CTX_get0_certificate(other);
    SSL_CTX_get0_chain_certs(one, &a);
    SSL_CTX_get0_chain_certs(other, &b);
    bool same = first && second && X509_cmp(first, second) == 0
        && sk_X509_num(a) == sk_X509_num(b);
    for (int i = 0; same && i < sk_X509_num(a); i++)
        same = X509_cmp(sk_X509_value(a, i), sk_X509_value(b, i)) == 0;
    return same;
}

bool tls_same_certs(struct wr_tls *one, struct wr_tls *other)
{
    SSL_CTX *first = context_of(one), *second = context_of(other);
    bool same = same_certs(first, second);
    SSL_CTX_free(first);
    SSL_CTX_free(second);
    return same;
}

static int64_t seconds_of(const ASN1_TIME *time)
{
    ASN1_TIME *epoch = ASN1_TIME_new();
    int days = 0, seconds = 0;
    bool good = epoch && ASN1_TIME_set(epoch, 0)
        && ASN1_TIME_diff(&days, &seconds, epoch, time);
    ASN1_TIME_free(epoch);
    return good ? (int64_t)days * 86400 + seconds : 0;
}

void tls_cert_span(struct wr_tls *tls, int64_t *ret_from, int64_t *ret_until)
{
    SSL_CTX *context = context_of(tls);
    const X509 *cert = SSL_CTX_get0_certificate(context);
    *ret_from = seconds_of(X509_get0_notBefore(cert));
    *ret_until = seconds_of(X509_get0_notAfter(cert));
    SSL_CTX_free(context);
}

/* ---- handshakes ---- */

static SSL *ssl_new(struct wr_tls *tls)
{
    SSL_CTX *context = context_of(tls);
    SSL *ssl = SSL_new(context);
    SSL_CTX_free(context);
    return ssl;
}

static wr_err shake(struct wr_stream **stream, SSL *ssl, wr_time deadline)
{
    struct tls_stream *made = NULL;
    wr_err err = tls_stream_new(&made, ssl, *stream);
    if (!err)
        err = tls_stream_shake(made, deadline);
    if (err) {
        tls_stream_free(made);
        return err;
    }
    const unsigned char *protocol;
    unsigned len;
    SSL_get0_alpn_selected(ssl, &protocol, &len);
    snprintf(made->protocol, sizeof(made->protocol), "%.*s", (int)len, (const char *)protocol);
    *stream = &made->stream;
    return WR_OK;
}

wr_err wr_tls_accept(struct wr_tls *tls, struct wr_stream **stream, wr_time deadline)
{
    SSL *ssl = ssl_new(tls);
    if (!ssl)
        return WR_NOMEM;
    SSL_set_accept_state(ssl);
    if (sk_X509_NAME_num(SSL_get_client_CA_list(ssl)) > 0)
        SSL_set_verify(ssl, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    wr_err err = shake(stream, ssl, deadline);
    if (err)
        wr_counter_add(wr_metric_counter(&failures), 1);
    if (err == WR_TIMEOUT)
        iostat_timeout(IOSTAT_HANDSHAKE);
    return err;
}

/* Only names are told to the server; addresses are compared all the same. */
static bool expect_host(SSL *ssl, const char *host)
{
    if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1)
        return true;
    return SSL_set1_host(ssl, host) == 1 && SSL_set_tlsext_host_name(ssl, host) == 1;
}

wr_err wr_tls_connect(struct wr_tls *tls, struct wr_stream **stream, const char *host,
                      wr_time deadline)
{
    SSL *ssl = ssl_new(tls);
    if (!ssl || !expect_host(ssl, host)) {
        SSL_free(ssl);
        return WR_NOMEM;
    }
    SSL_set_connect_state(ssl);
    SSL_set_verify(ssl, SSL_VERIFY_PEER, NULL);
    return shake(stream, ssl, deadline);
}

const char *wr_tls_protocol(const struct wr_stream *stream)
{
    const struct tls_stream *tls = tls_stream_of(stream);
    return tls ? tls->protocol : "";
}
