/* unzip.c - see unzip.h. */
#include "net/unzip.h"

#include <stdlib.h>
#include <strings.h>

#include <zlib.h>
#include <zstd.h>

#include "base/forget.h"

#define EITHER_HEADER (15 + 32)     /* the full window; gzip or zlib by their first bytes */
#define ZSTD_WINDOW_LOG 23          /* 8 MiB: what RFC 8878 asks a decoder to have */
#define STEP_MAX (1u << 30)         /* zlib counts in unsigned int */

wr_err unzip_coding(enum unzip_coding *ret, const char *value, size_t len)
{
    static const struct { const char *name; size_t len; enum unzip_coding coding; } names[] = {
        { "identity", 8, UNZIP_IDENTITY }, { "gzip", 4, UNZIP_GZIP },
        { "x-gzip", 6, UNZIP_GZIP },       { "deflate", 7, UNZIP_GZIP },
        { "zstd", 4, UNZIP_ZSTD },
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (len == names[i].len && strncasecmp(value, names[i].name, len) == 0) {
            *ret = names[i].coding;
            return WR_OK;
        }
    return WR_UNSUPPORTED;
}

/* Its window holds what a body said. */
static void *take(void *arg, unsigned count, unsigned size)
{
    (void)arg;
    return calloc(count, size);
}

static void give(void *arg, void *memory)
{
    (void)arg;
    wr_forget_free(memory);
}

static void *gzip_open(void)
{
    z_stream *zlib = calloc(1, sizeof(*zlib));
    if (zlib) {
        zlib->zalloc = take;
        zlib->zfree = give;
    }
    if (zlib && inflateInit2(zlib, EITHER_HEADER) != Z_OK) {
        free(zlib);
        return NULL;
    }
    return zlib;
}

static void *zstd_open(void)
{
    ZSTD_DCtx *zstd = ZSTD_createDCtx();
    if (zstd)
        ZSTD_DCtx_setParameter(zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG);
    return zstd;
}

wr_err unzip_open(struct unzip *unzip, enum unzip_coding coding, uint64_t max, unsigned ratio)
{
    *unzip = (struct unzip){ .coding = coding, .max = max, .ratio = ratio, .whole = true };
    if (coding == UNZIP_IDENTITY)
        return WR_OK;
    unzip->state = coding == UNZIP_GZIP ? gzip_open() : zstd_open();
    return unzip->state ? WR_OK : WR_NOMEM;
}

void unzip_close(struct unzip *unzip)
{
    if (unzip->state && unzip->coding == UNZIP_GZIP) {
        inflateEnd(unzip->state);
        free(unzip->state);
    } else if (unzip->state) {
        ZSTD_freeDCtx(unzip->state);
    }
    unzip->state = NULL;
}

static wr_err refuse(struct unzip *unzip, wr_err err, const char *why)
{
    unzip->why = why;
    return err;
}

static void copy(const char **bytes, size_t *len, char *out, size_t size, size_t *ret)
{
    *ret = *len < size ? *len : size;
    __builtin_memcpy(out, *bytes, *ret);
    *bytes += *ret;
    *len -= *ret;
}

/* One member may follow another, and the whole is what all of them hold. */
static wr_err gzip_step(struct unzip *unzip, const char **bytes, size_t *len, char *out,
                        size_t size, size_t *ret)
{
    z_stream *zlib = unzip->state;
    zlib->next_out = (Bytef *)out;
    zlib->avail_out = (uInt)size;
    for (;;) {
        zlib->next_in = (z_const Bytef *)*bytes;
        zlib->avail_in = (uInt)(*len < STEP_MAX ? *len : STEP_MAX);
        if (unzip->whole && zlib->avail_in > 0) {
            inflateReset(zlib);
            unzip->whole = false;
        }
        int result = inflate(zlib, Z_NO_FLUSH);
        *len -= (size_t)((const char *)zlib->next_in - *bytes);
        *bytes = (const char *)zlib->next_in;
        *ret = size - zlib->avail_out;
        if (result == Z_MEM_ERROR)
            return refuse(unzip, WR_NOMEM, "there is no memory to decode it");
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
            return refuse(unzip, WR_INVALID, "it is not valid gzip");
        unzip->whole |= result == Z_STREAM_END;
        if (result != Z_STREAM_END || *len == 0 || zlib->avail_out == 0)
            return WR_OK;
    }
}

static wr_err zstd_step(struct unzip *unzip, const char **bytes, size_t *len, char *out,
                        size_t size, size_t *ret)
{
    ZSTD_inBuffer from = { *bytes, *len, 0 };
    ZSTD_outBuffer to = { out, size, 0 };
    if (unzip->whole && *len == 0)
        return WR_OK;               /* another frame would seem to have begun */
    do {
        size_t result = ZSTD_decompressStream(unzip->state, &to, &from);
        if (ZSTD_isError(result))
            return refuse(unzip, WR_INVALID, "it is not valid zstd");
        unzip->whole = result == 0;
    } while (from.pos < from.size && to.pos < to.size);
    *bytes += from.pos;
    *len -= from.pos;
    *ret = to.pos;
    return WR_OK;
}

wr_err unzip_step(struct unzip *unzip, const char **bytes, size_t *len, char *out, size_t size,
                  size_t *ret)
{
    size_t before = *len;
    wr_err err = WR_OK;
    *ret = 0;
    if (size > STEP_MAX)
        size = STEP_MAX;
    if (unzip->coding == UNZIP_IDENTITY)
        copy(bytes, len, out, size, ret);
    else if (unzip->coding == UNZIP_GZIP)
        err = gzip_step(unzip, bytes, len, out, size, ret);
    else
        err = zstd_step(unzip, bytes, len, out, size, ret);
    if (err)
        return err;
    unzip->in += before - *len;
    unzip->out += *ret;
    if (unzip->out > unzip->max)
        return refuse(unzip, WR_DENIED, "it is larger than is taken");
    if (unzip->out > UNZIP_FREE && unzip->out / unzip->ratio > unzip->in)
        return refuse(unzip, WR_DENIED, "it grows too much in decoding");
    return WR_OK;
}

wr_err unzip_end(struct unzip *unzip)
{
    return unzip->whole && (unzip->in > 0 || unzip->coding == UNZIP_IDENTITY)
        ? WR_OK : refuse(unzip, WR_INVALID, "it breaks off");
}
