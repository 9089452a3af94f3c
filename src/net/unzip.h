/* unzip.h - a body back from gzip, deflate or zstd, piece by piece, within limits.
 *
 *     while (len > 0 || more) {
 *         err = unzip_step(&unzip, &bytes, &len, out, sizeof(out), &got);
 *         ...
 *     }
 *
 * A few bytes can stand for gigabytes.  So what comes out is counted against what
 * went in while it comes out: more than `ratio` bytes for one, or more than `max` in
 * all, and the decoder refuses.  The first 64 KiB are not held against the ratio: a
 * short text of one letter is no attack.  A decoder holds 64 KiB, of zstd at most
 * 8 MiB, whatever the frame asks for.
 */
#ifndef WR_NET_UNZIP_H
#define WR_NET_UNZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>

#define UNZIP_RATIO_MAX 10
#define UNZIP_FREE 65536

enum unzip_coding { UNZIP_IDENTITY = 0, UNZIP_GZIP, UNZIP_ZSTD };

struct unzip {
    enum unzip_coding coding;
    uint64_t in, out;               /* bytes so far */
    uint64_t max;
    unsigned ratio;
    void *state;                    /* the library's */
    bool whole;                     /* a member or frame ended, and none was begun */
    const char *why;                /* after an error: what is wrong, as a clause */
};

/* What a Content-Encoding names: gzip (with deflate, which looks alike), zstd, or
 * identity.  Errors: UNSUPPORTED. */
wr_err unzip_coding(enum unzip_coding *ret, const char *value, size_t len);

/* Errors: NOMEM. */
wr_err unzip_open(struct unzip *unzip, enum unzip_coding coding, uint64_t max, unsigned ratio);
void unzip_close(struct unzip *unzip);

/* Decode from *bytes, which moves on, into out; *ret is how much.  Less than `size`
 * says that it needs more bytes.
 * Errors: DENIED (above a limit), INVALID (not what the coding says). */
wr_err unzip_step(struct unzip *unzip, const char **bytes, size_t *len, char *out, size_t size,
                  size_t *ret);

/* No more will come: whether it is whole.  Errors: INVALID. */
wr_err unzip_end(struct unzip *unzip);

#endif
