/* tls.h - TLS 1.3 over any stream.
 *
 *     struct wr_tls *tls;
 *     char why[200];
 *     err = wr_tls_new(&tls, &(struct wr_tls_conf){ .cert = cert, .cert_len = cert_len,
 *                                                   .key = key }, why, sizeof(why));
 *     ...
 *     wr_http_new(&server, &(struct wr_http_conf){ ..., .tls = tls });
 *
 * A handshake turns a stream into another stream, which is read and written like
 * any: what runs over TCP runs over TLS unchanged.  TLS 1.3 and nothing older, three
 * suites (AES-128-GCM, AES-256-GCM, ChaCha20-Poly1305), two groups (X25519, P-256);
 * no early data, no compression, no renegotiation.
 *
 * A handshake needs less than 32 KiB of stack (measured with OpenSSL 3.0), so that the
 * stacks of run.h are large enough.
 *
 * The certificate can be changed while connections live: new ones get the new one,
 * old ones go on as they are.
 */
#ifndef WEIR_TLS_H
#define WEIR_TLS_H

#include <stdbool.h>
#include <stddef.h>

#include <weir/err.h>
#include <weir/secret.h>
#include <weir/stream.h>
#include <weir/time.h>

struct wr_tls;

/* Key exchange that a quantum computer does not break: X25519MLKEM768. */
enum wr_pq {
    WR_PQ_OFF = 0,
    WR_PQ_HYBRID,               /* where the peer can, else without */
    WR_PQ_ONLY,                 /* who cannot is refused */
};

struct wr_tls_conf {
    /* A certificate with those that vouch for it, in PEM, and its key; a client
     * needs none.  The key of the secret stays the caller's. */
    const char *cert;
    size_t cert_len;
    struct wr_secret *key;
    /* Whom to believe, in PEM.  A server that has it takes only clients with a
     * certificate of these; a client must have it. */
    const char *trust;
    size_t trust_len;
    /* What is spoken above, in the order of preference; "h2,http/1.1".  A peer that
     * names others only is refused, one that names none is not. */
    const char *protocols;
    enum wr_pq pq;
};

/* Whether the library at hand has X25519MLKEM768.  Probed, not assumed. */
bool wr_tls_pq_available(void);

/* On an error `why` says what is wrong, in a sentence for people.
 * Errors: INVALID (a certificate or key that cannot be read, or that do not belong
 * together), UNSUPPORTED (pq that cannot be had), NOMEM. */
wr_err wr_tls_new(struct wr_tls **ret, const struct wr_tls_conf *conf, char *why, size_t size);

/* Change to what another one is, which is freed, for the handshakes that begin from now on:
 * what can fail has been done when the other was made. */
void wr_tls_become(struct wr_tls *tls, struct wr_tls *other);

/* Nobody may be shaking hands with it; streams may live on.  NULL is allowed. */
void wr_tls_free(struct wr_tls *tls);

/* Shake hands as the server: *stream becomes the stream that is encrypted, and
 * closing it closes both.  On an error *stream is as it was, and good for closing only.
 * Errors: TIMEOUT, CANCELED, BROKENPIPE, NOMEM, IO (the peer speaks no TLS, or none that
 * is allowed, or is not trusted). */
wr_err wr_tls_accept(struct wr_tls *tls, struct wr_stream **stream, wr_time deadline);

/* ... as the client, who expects a certificate for this host.  Errors: as accept. */
wr_err wr_tls_connect(struct wr_tls *tls, struct wr_stream **stream, const char *host,
                      wr_time deadline);

/* What was agreed to be spoken: "h2"; "" when nothing was, or on a stream that is not
 * encrypted. */
const char *wr_tls_protocol(const struct wr_stream *stream);

#endif
