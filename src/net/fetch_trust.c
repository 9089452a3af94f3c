/* fetch_trust.c - see fetch_trust.h. */
#include "net/fetch_trust.h"

#include <stdlib.h>

#include <curl/curl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <weir/offload.h>
#include <weir/sem.h>

#include "net/fetch.h"

struct fetch_trust {
    const char *file;
    struct wr_gate *gate;           /* one reads */
    _Atomic(X509_STORE *) store;    /* NULL until they are read */
};

wr_err fetch_trust_new(struct fetch_trust **ret, const char *file)
{
    struct fetch_trust *trust = calloc(1, sizeof(*trust));
    wr_err err = trust ? wr_gate_new(&trust->gate, "fetch.trust") : WR_NOMEM;
    if (err) {
        free(trust);
        return err;
    }
    trust->file = file ? file : curl_version_info(CURLVERSION_NOW)->cainfo;
    *ret = trust;
    return WR_OK;
}

void fetch_trust_free(struct fetch_trust *trust)
{
    if (!trust)
        return;
    X509_STORE_free(atomic_load(&trust->store));
    wr_gate_free(trust->gate);
    free(trust);
}

/* Blocks. */
static void load(void *arg)
{
    struct fetch_trust *trust = arg;
    X509_STORE *store = X509_STORE_new();
    if (store && trust->file && X509_STORE_load_file(store, trust->file) == 1)
        atomic_store(&trust->store, store);
    else
        X509_STORE_free(store);
    ERR_clear_error();
}

wr_err fetch_trust_ready(struct fetch_trust *trust, char *why, wr_time deadline)
{
    if (atomic_load(&trust->store))
        return WR_OK;
    wr_err err = wr_gate_enter(trust->gate, deadline);
    if (err)
        return err;
    if (!atomic_load(&trust->store))
        err = wr_offload(load, trust, deadline);
    if (!err && !atomic_load(&trust->store))
        err = fetch_why(why, WR_IO, "the certificates to trust cannot be read from %.150s",
                        trust->file ? trust->file : "the system: it has none");
    wr_gate_leave(trust->gate);
    return err;
}

void fetch_trust_give(struct fetch_trust *trust, void *ssl_ctx)
{
    SSL_CTX_set1_cert_store(ssl_ctx, atomic_load(&trust->store));
}
