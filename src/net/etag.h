/* etag.h - has it changed, and which part is wanted: conditional requests and ranges.
 *
 *     struct etag_of of = { .tag = "\"5f3a...\"", .modified = second, .size = size };
 *     switch (etag_judge(call, &of)) ...      (0, 304, 412)
 *     etag_range(call, &of, &part)            (200, 206, 416)
 *
 * As RFC 9110 has it: If-Match before If-Unmodified-Since, If-None-Match before
 * If-Modified-Since, and a header that cannot be read is as if it were not there.
 */
#ifndef WR_NET_ETAG_H
#define WR_NET_ETAG_H

#include <stddef.h>
#include <stdint.h>

#include <weir/http.h>

#define ETAG_TEXT 35            /* 32 hex digits in quotes, and a zero byte */

struct etag_of {
    const char *tag;            /* strong, with its quotes */
    int64_t modified;           /* second since 1970; 0 when it is not known */
    uint64_t size;
};

struct etag_part { uint64_t from, len; };

/* The tag of these bytes, from their BLAKE3; buf has ETAG_TEXT bytes.  Returns buf. */
const char *etag_print(const void *bytes, size_t size, char *buf);

/* What the conditions of a request come to: 0 (answer it), 304 or 412. */
unsigned etag_judge(const struct wr_call *call, const struct etag_of *of);

/* Which part of the whole a GET wants: 206 with *ret, 416 (there is no such part), or
 * 200 with all of it: no range, several ranges, one that cannot be read, or one of what
 * it no longer is (If-Range). */
unsigned etag_range(const struct wr_call *call, const struct etag_of *of,
                    struct etag_part *ret);

#endif
