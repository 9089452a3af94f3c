/* tls_stream.c - a stream that is encrypted: see tls.h.
 *
 * One fiber may read while another writes.  What OpenSSL wants sent while it reads
 * (the answer to a key update) waits for the next write, and is bounded.
 */
#include <stdlib.h>
#include <string.h>

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>

#include "net/tls.h"

#define IN_MAX ((size_t)17 * 1024)      /* a record and what surrounds it */
#define OUT_MAX ((size_t)128 * 1024)
#define WRITE_MAX ((size_t)48 * 1024)   /* bytes in clear between two writes below */
#define GATHER_MAX ((size_t)4 * 1024)   /* small pieces become one record */

/* ---- what OpenSSL reads and writes ---- */

static int bio_read(BIO *bio, char *to, size_t size, size_t *ret)
{
    struct tls_stream *self = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (self->in_len == 0) {
        BIO_set_retry_read(bio);
        return 0;
    }
    *ret = size < self->in_len ? size : self->in_len;
    memcpy(to, self->in + self->in_at, *ret);
    self->in_at += *ret;
    self->in_len -= *ret;
    return 1;
}

static bool grow_out(struct tls_stream *self, size_t need)
{
    size_t cap = self->out_cap ? self->out_cap : 1024;
    while (cap < need)
        cap *= 2;
    char *bytes = realloc(self->out, cap);
    if (!bytes)
        return false;
    self->out = bytes;
    self->out_cap = cap;
    return true;
}

static int bio_write(BIO *bio, const char *bytes, size_t len, size_t *ret)
{
    struct tls_stream *self = BIO_get_data(bio);
    size_t need = self->out_len + len;
    BIO_clear_retry_flags(bio);
    if (need > OUT_MAX || (need > self->out_cap && !grow_out(self, need)))
        return 0;
    memcpy(self->out + self->out_len, bytes, len);
    self->out_len = need;
    *ret = len;
    return 1;
}

static long bio_ctrl(BIO *bio, int what, long number, void *arg)
{
    (void)bio, (void)number, (void)arg;
    return what == BIO_CTRL_FLUSH;
}

static BIO_METHOD *method;

static void make_method(void)
{
    method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "weir");
    if (!method)
        return;
    BIO_meth_set_read_ex(method, bio_read);
    BIO_meth_set_write_ex(method, bio_write);
    BIO_meth_set_ctrl(method, bio_ctrl);
}

static bool attach(struct tls_stream *self)
{
    static CRYPTO_ONCE once = CRYPTO_ONCE_STATIC_INIT;
    if (!CRYPTO_THREAD_run_once(&once, make_method) || !method)
        return false;
    BIO *bio = BIO_new(method);
    if (!bio)
        return false;
    BIO_set_data(bio, self);
    BIO_set_init(bio, 1);
    SSL_set_bio(self->ssl, bio, bio);
    return true;
}

/* ---- between OpenSSL and the stream below ---- */

/* What a call of OpenSSL came to: OK; BUSY, it wants to be fed; CLOSED, the peer has
 * said goodbye; IO. */
static wr_err result(struct tls_stream *self, int returned)
{
    if (returned > 0)
        return WR_OK;
    int error = SSL_get_error(self->ssl, returned);
    ERR_clear_error();
    return error == SSL_ERROR_WANT_READ     ? WR_BUSY
        : error == SSL_ERROR_ZERO_RETURN    ? WR_CLOSED
                                            : WR_IO;
}

static void release_in(struct tls_stream *self)
{
    if (self->in_len > 0)
        return;
    free(self->in);
    self->in = NULL;
}

/* More to read for OpenSSL, which has read all there was.  Errors: as of a stream;
 * BROKENPIPE: the end came without a goodbye. */
static wr_err feed(struct tls_stream *self, wr_time deadline, const char *place)
{
    if (self->ended)
        return WR_BROKENPIPE;
    if (!self->in && !(self->in = malloc(IN_MAX)))
        return WR_NOMEM;
    size_t size = 0;
    wr_err err = (wr_stream_read)(self->below, &size, self->in, IN_MAX, deadline, place);
    if (err)
        return err;
    self->in_at = 0;
    self->in_len = size;
    self->ended = size == 0;
    return self->ended ? WR_BROKENPIPE : WR_OK;
}

/* Send what there is.  The buffer is taken away first: while this waits, the reader
 * may leave something for the next time. */
static wr_err flush(struct tls_stream *self, wr_time deadline, const char *place)
{
    if (self->out_len == 0)
        return WR_OK;
    char *bytes = self->out;
    size_t len = self->out_len, cap = self->out_cap, size;
    self->out = NULL;
    self->out_len = self->out_cap = 0;
    wr_err err = (wr_stream_write)(self->below, &size, &(struct wr_piece){ bytes, len }, 1,
                                   deadline, place);
    if (self->out) {
        free(bytes);
    } else {
        self->out = bytes;
        self->out_cap = cap;
    }
    return err;
}

/* ---- the calls of a stream ---- */

static struct tls_stream *of(struct wr_stream *stream)
{
    return (struct tls_stream *)stream;
}

/* Waits for something that a reader will see; records that are not for it are
 * followed up here.  An idle stream keeps no buffers. */
static wr_err tls_await(struct wr_stream *stream, wr_time deadline, const char *place)
{
    struct tls_stream *self = of(stream);
    for (;;) {
        char byte;
        ERR_clear_error();
        wr_err err = result(self, SSL_peek(self->ssl, &byte, 1));
        if (err != WR_BUSY)
            return WR_OK;
        release_in(self);
        if (self->out_len == 0) {
            free(self->out);
            self->out = NULL;
            self->out_cap = 0;
        }
        err = self->below->ops->await(self->below, deadline, place);
        if (err)
            return err;
        err = feed(self, deadline, place);
        if (err)
            return err == WR_TIMEOUT || err == WR_CANCELED ? err : WR_OK;
    }
}

static wr_err tls_read(struct wr_stream *stream, size_t *ret, void *buf, size_t size,
                       wr_time deadline, const char *place)
{
    struct tls_stream *self = of(stream);
    *ret = 0;
    for (;;) {
        ERR_clear_error();
        wr_err err = result(self, SSL_read_ex(self->ssl, buf, size, ret));
        if (err != WR_BUSY)
            return err == WR_CLOSED ? WR_OK : err;
        err = feed(self, deadline, place);
        if (err)
            return err;
    }
}

static wr_err write_some(struct tls_stream *self, size_t *ret, const char *bytes, size_t len,
                         wr_time deadline, const char *place)
{
    while (len > 0) {
        size_t part = len < WRITE_MAX ? len : WRITE_MAX, done;
        ERR_clear_error();
        wr_err err = result(self, SSL_write_ex(self->ssl, bytes, part, &done));
        if (err)
            return err == WR_CLOSED ? WR_BROKENPIPE : WR_IO;
        err = flush(self, deadline, place);
        if (err)
            return err;
        bytes += done;
        len -= done;
        *ret += done;
    }
    return WR_OK;
}

static wr_err tls_write(struct wr_stream *stream, size_t *ret, const struct wr_piece *pieces,
                        size_t count, wr_time deadline, const char *place)
{
    struct tls_stream *self = of(stream);
    char gathered[GATHER_MAX];
    wr_err err = WR_OK;
    *ret = 0;
    for (size_t i = 0; i < count && !err;) {
        size_t len = 0, first = i;
        for (; i < count && pieces[i].len <= sizeof(gathered) - len; i++) {
            if (pieces[i].len)
                memcpy(gathered + len, pieces[i].at, pieces[i].len);
            len += pieces[i].len;
        }
        if (i > first)
            err = write_some(self, ret, gathered, len, deadline, place);
        else {
            err = write_some(self, ret, pieces[i].at, pieces[i].len, deadline, place);
            i++;
        }
    }
    return err;
}

static void tls_shut(struct wr_stream *stream)
{
    struct tls_stream *self = of(stream);
    ERR_clear_error();
    (void)SSL_shutdown(self->ssl);
    ERR_clear_error();
    (void)!flush(self, WR_NOW, WR_HERE);
    wr_stream_shut(self->below);
}

static void tls_close(struct wr_stream *stream, const char *place)
{
    struct tls_stream *self = of(stream);
    struct wr_stream *below = self->below;
    ERR_clear_error();
    if (!(SSL_get_shutdown(self->ssl) & SSL_SENT_SHUTDOWN))
        (void)SSL_shutdown(self->ssl);
    ERR_clear_error();
    (void)!flush(self, WR_NOW, place);
    tls_stream_free(self);
    below->ops->close(below, place);
}

/* With something at hand it does not depend on what is below. */
static struct wr_case tls_readable(struct wr_stream *stream)
{
    struct tls_stream *self = of(stream);
    if (self->in_len > 0 || self->ended || SSL_has_pending(self->ssl))
        return (struct wr_case)WR_CASE_ONCE(self->ready, NULL);
    return self->below->ops->readable(self->below);
}

static wr_err tls_process(const struct wr_stream *stream, uint32_t *ret_uid, int32_t *ret_pid)
{
    const struct wr_stream *below = ((const struct tls_stream *)stream)->below;
    return below->ops->process(below, ret_uid, ret_pid);
}

static const struct stream_ops tls_ops = {
    .await = tls_await, .read = tls_read, .write = tls_write, .shut = tls_shut,
    .close = tls_close, .readable = tls_readable, .process = tls_process,
};

/* ---- making ---- */

wr_err tls_stream_new(struct tls_stream **ret, SSL *ssl, struct wr_stream *below)
{
    struct tls_stream *self = calloc(1, sizeof(*self));
    if (!self) {
        SSL_free(ssl);
        return WR_NOMEM;
    }
    self->stream = (struct wr_stream){ &tls_ops, below->peer, below->local };
    self->below = below;
    self->ssl = ssl;
    wr_err err = attach(self) ? wr_once_new(&self->ready, "tls.ready", 0) : WR_NOMEM;
    if (err) {
        tls_stream_free(self);
        return err;
    }
    (void)!wr_once_set(self->ready, NULL);
    *ret = self;
    return WR_OK;
}

void tls_stream_free(struct tls_stream *self)
{
    if (!self)
        return;
    SSL_free(self->ssl);
    wr_once_free(self->ready);
    free(self->in);
    free(self->out);
    free(self);
}

wr_err tls_stream_shake(struct tls_stream *self, wr_time deadline)
{
    for (;;) {
        ERR_clear_error();
        wr_err err = result(self, SSL_do_handshake(self->ssl));
        wr_err sent = flush(self, err && err != WR_BUSY ? WR_NOW : deadline, WR_HERE);
        if (err != WR_BUSY)
            return err == WR_CLOSED ? WR_IO : err ? err : sent;
        if (!sent)
            sent = feed(self, deadline, WR_HERE);
        if (sent)
            return sent;
    }
}

const struct tls_stream *tls_stream_of(const struct wr_stream *stream)
{
    return stream->ops == &tls_ops ? (const struct tls_stream *)stream : NULL;
}
