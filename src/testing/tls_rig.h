/* tls_rig.h - certificates made on the spot, for the tests of what is encrypted. */
#ifndef WR_TESTING_TLS_RIG_H
#define WR_TESTING_TLS_RIG_H

#include <stdlib.h>
#include <string.h>

#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <weir/tls.h>

#include "testing/test.h"

struct identity { char cert[2000], key[1000]; };

static void to_text(BIO *bio, char *to, size_t size)
{
    int len = BIO_read(bio, to, (int)size - 1);
    to[len > 0 ? len : 0] = '\0';
    BIO_free(bio);
}

/* A certificate that vouches for itself, for "localhost" and 127.0.0.1. */
static void make_identity(struct identity *ret, const char *name)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *cert = X509_new();
    ASN1_INTEGER_set(X509_get_serialNumber(cert), 1);
    X509_set_version(cert, 2);
    X509_gmtime_adj(X509_getm_notBefore(cert), -3600);
    X509_gmtime_adj(X509_getm_notAfter(cert), 3600L * 24 * 365);
    X509_set_pubkey(cert, key);
    X509_NAME *subject = X509_get_subject_name(cert);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (const unsigned char *)name, -1,
                               -1, 0);
    X509_set_issuer_name(cert, subject);
    X509_EXTENSION *names = X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name,
                                                "DNS:localhost,IP:127.0.0.1");
    X509_add_ext(cert, names, -1);
    X509_EXTENSION_free(names);
    X509_sign(cert, key, EVP_sha256());
    BIO *bio = BIO_new(BIO_s_mem());
    PEM_write_bio_X509(bio, cert);
    to_text(bio, ret->cert, sizeof(ret->cert));
    bio = BIO_new(BIO_s_mem());
    PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL);
    to_text(bio, ret->key, sizeof(ret->key));
    X509_free(cert);
    EVP_PKEY_free(key);
}

static struct wr_secret *secret_of(const char *text)
{
    struct wr_secret *secret = NULL;
    char *copy = strdup(text);
    CHECK_OK(wr_secret_new(&secret, copy, strlen(copy)));
    free(copy);
    return secret;
}

/* The context of who has an identity and whom it trusts; either may be NULL. */
static struct wr_tls *make_tls(const struct identity *own, const struct identity *trusted,
                               const char *protocols)
{
    struct wr_tls *tls = NULL;
    char why[200] = "";
    struct wr_tls_conf conf = { .protocols = protocols };
    if (own) {
        conf.cert = own->cert;
        conf.cert_len = strlen(own->cert);
        conf.key = secret_of(own->key);
    }
    if (trusted) {
        conf.trust = trusted->cert;
        conf.trust_len = strlen(trusted->cert);
    }
    CHECK_OK(wr_tls_new(&tls, &conf, why, sizeof(why)));
    CHECK_STR("", why);
    wr_secret_unref(conf.key);
    return tls;
}

#endif
