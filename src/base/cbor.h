/* cbor.h - CBOR in its one deterministic form (RFC 8949 section 4.2.1), for things
 * that are hashed: unsigned and negative integers, bytes, text, arrays, maps, true,
 * false and null.
 *
 * Of any value there is one encoding: integers and lengths in their shortest form,
 * lengths given beforehand, keys of a map sorted by their bytes and none twice.  The
 * reader takes nothing else.  Text must be UTF-8.  Floats and tags are refused.
 *
 *     struct wr_cbor cbor = wr_cbor_over(bytes, size);
 *     if (wr_cbor_map(&cbor, &pairs) && pairs == 2 && wr_cbor_key(&cbor, "t")
 *         && wr_cbor_text(&cbor, &name) ...
 *
 * The first thing that does not fit sets `bad`; from then on every call fails.
 */
#ifndef WR_BASE_CBOR_H
#define WR_BASE_CBOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WR_CBOR_DEPTH_MAX 8

struct wr_cbor_span { const unsigned char *at; size_t len; };

/* ---- reading ---- */

struct wr_cbor {
    const unsigned char *at, *end;
    bool bad;
};

struct wr_cbor wr_cbor_over(const void *bytes, size_t size);

/* The next item, if it is of this kind: whether it was. */
bool wr_cbor_uint(struct wr_cbor *cbor, uint64_t *ret);
bool wr_cbor_bool(struct wr_cbor *cbor, bool *ret);
bool wr_cbor_text(struct wr_cbor *cbor, struct wr_cbor_span *ret);
bool wr_cbor_bytes(struct wr_cbor *cbor, struct wr_cbor_span *ret);

/* The head of an array or a map: how many items, or pairs, follow.  A caller that
 * reads the keys of a map reads them in order: wr_cbor_key. */
bool wr_cbor_array(struct wr_cbor *cbor, size_t *ret);
bool wr_cbor_map(struct wr_cbor *cbor, size_t *ret);

/* The next item is this text. */
bool wr_cbor_key(struct wr_cbor *cbor, const char *key);

/* Whether the next item is of this major type (0 integer, 2 bytes, 3 text, 4 array,
 * 5 map, 7 true, false, null), without reading it. */
bool wr_cbor_is(const struct wr_cbor *cbor, unsigned major);

/* Any item with all that is in it, at most WR_CBOR_DEPTH_MAX deep: its bytes. */
bool wr_cbor_any(struct wr_cbor *cbor, struct wr_cbor_span *ret);

/* Whether all was read, and nothing was bad. */
bool wr_cbor_done(const struct wr_cbor *cbor);

/* ---- writing: what does not fit sets `cut` ---- */

struct wr_cbor_out {
    unsigned char *at;
    size_t len, cap;
    bool cut;
};

void wr_cbor_put_uint(struct wr_cbor_out *out, uint64_t value);
void wr_cbor_put_bool(struct wr_cbor_out *out, bool value);
void wr_cbor_put_text(struct wr_cbor_out *out, const char *text, size_t len);
void wr_cbor_put_bytes(struct wr_cbor_out *out, const void *bytes, size_t len);
void wr_cbor_put_array(struct wr_cbor_out *out, size_t count);
void wr_cbor_put_map(struct wr_cbor_out *out, size_t count);

/* A text that is a literal; and what is encoded already. */
void wr_cbor_put_key(struct wr_cbor_out *out, const char *key);
void wr_cbor_put_raw(struct wr_cbor_out *out, struct wr_cbor_span span);

#endif
