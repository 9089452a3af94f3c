/* tls.h - the inside of TLS: a stream over a stream (tls_stream.c), made by a
 * handshake (tls.c).
 *
 * OpenSSL never touches the network: it reads what was fed to it and leaves what is
 * to be sent, so no call of it waits, and none is interrupted by another fiber.
 */
#ifndef WR_NET_TLS_H
#define WR_NET_TLS_H

#include <openssl/ssl.h>

#include <weir/once.h>
#include <weir/tls.h>

#include "rt/net_int.h"

#define TLS_PROTOCOL_MAX 16

struct tls_stream {
    struct wr_stream stream;
    struct wr_stream *below;
    SSL *ssl;
    struct wr_once *ready;          /* always set: a case that happens at once */
    char protocol[TLS_PROTOCOL_MAX];
    bool ended;                     /* below has come to its end */
    char *in;                       /* read from below, not yet by OpenSSL; NULL when idle */
    size_t in_at, in_len;
    char *out;                      /* to be written below */
    size_t out_len, out_cap;
};

/* What OpenSSL gives back is wiped, in a process that forgets (forget.h).  To be called
 * before it has done anything; false: it has. */
bool tls_forget(void);

/* Whether both have the same certificate, and the same ones that vouch for it. */
bool tls_same_certs(struct wr_tls *one, struct wr_tls *other);

/* From when until when its certificate is good, in seconds since 1970; it must have one. */
void tls_cert_span(struct wr_tls *tls, int64_t *ret_from, int64_t *ret_until);

/* A stream over `below`, before its handshake; takes `ssl` over, also on an error.
 * Errors: NOMEM. */
wr_err tls_stream_new(struct tls_stream **ret, SSL *ssl, struct wr_stream *below);

/* Errors: as wr_tls_accept. */
wr_err tls_stream_shake(struct tls_stream *self, wr_time deadline);

/* Let go of it, and not of what is below. */
void tls_stream_free(struct tls_stream *self);

/* It, if this stream is one; else NULL. */
const struct tls_stream *tls_stream_of(const struct wr_stream *stream);

#endif
