/* certs.c - certificate and key out of files: see certs.h. */
#include "svc/node/certs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/file.h>

#define PEM_MAX ((size_t)1 << 20)
#define READ_WITHIN WR_S(5)
#define WHY_MAX 200

struct pem { char *text; size_t len; };

static wr_err read_pem(struct pem *ret, const struct wr_conf *conf, const char *key, char *why,
                       size_t size)
{
    const char *path = wr_conf_text(conf, key);
    wr_err err = wr_file_read(&ret->text, &ret->len, path, PEM_MAX, wr_after(READ_WITHIN));
    if (err)
        snprintf(why, size, "%s = \"%s\" cannot be read: %s", key, path, wr_err_text(err));
    return err;
}

wr_err certs_load(struct wr_tls **ret, const struct wr_conf *conf, char *why, size_t size)
{
    struct pem cert = { 0 }, key = { 0 };
    struct wr_secret *secret = NULL;
    char wrong[WHY_MAX];
    if (!wr_conf_bool(conf, "tls.enabled"))
        return WR_OK;
    wr_err err = read_pem(&cert, conf, "tls.cert_path", why, size);
    if (!err)
        err = read_pem(&key, conf, "tls.key_path", why, size);
    if (!err)
        err = wr_secret_new(&secret, key.text, key.len);
    if (!err) {
        bool hybrid = strcmp(wr_conf_text(conf, "security.pq_mode"), "hybrid") == 0;
        struct wr_tls_conf made = { .cert = cert.text, .cert_len = cert.len, .key = secret,
                                    .protocols = "h2,http/1.1",
                                    .pq = hybrid ? WR_PQ_HYBRID : WR_PQ_OFF };
        err = wr_tls_new(ret, &made, wrong, sizeof(wrong));
        if (err)
            snprintf(why, size, "tls.cert_path = \"%s\", tls.key_path = \"%s\": %s",
                     wr_conf_text(conf, "tls.cert_path"), wr_conf_text(conf, "tls.key_path"),
                     wrong);
    }
    wr_secret_unref(secret);
    free(cert.text);
    free(key.text);
    return err;
}
