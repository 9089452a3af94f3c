/* cbor.c - one encoding for one value. */
#include "base/cbor.h"

#include <string.h>

enum major { UINT = 0, NEGATIVE = 1, BYTES = 2, TEXT = 3, ARRAY = 4, MAP = 5, SIMPLE = 7 };
enum { FALSE_VALUE = 20, TRUE_VALUE = 21, NULL_VALUE = 22 };

/* ---- reading ---- */

struct wr_cbor wr_cbor_over(const void *bytes, size_t size)
{
    return (struct wr_cbor){ .at = bytes, .end = (const unsigned char *)bytes + size };
}

static bool fail(struct wr_cbor *cbor)
{
    cbor->bad = true;
    return false;
}

/* Type and number of the next item; the shortest form of it only. */
static bool head(struct wr_cbor *cbor, unsigned *major, uint64_t *value)
{
    if (cbor->bad || cbor->at == cbor->end)
        return fail(cbor);
    unsigned low = *cbor->at & 31;
    *major = *cbor->at++ >> 5;
    *value = low;
    if (low < 24)
        return true;
    if (low > 27 || *major == SIMPLE)
        return fail(cbor);
    size_t size = (size_t)1 << (low - 24);
    if ((size_t)(cbor->end - cbor->at) < size)
        return fail(cbor);
    *value = 0;
    for (size_t i = 0; i < size; i++)
        *value = *value << 8 | *cbor->at++;
    uint64_t shorter_max = size == 1 ? 23 : ((uint64_t)1 << size * 4) - 1;
    return *value > shorter_max || fail(cbor);
}

static bool head_of(struct wr_cbor *cbor, enum major want, uint64_t *value)
{
    unsigned major;
    return head(cbor, &major, value) && (major == want || fail(cbor));
}

bool wr_cbor_uint(struct wr_cbor *cbor, uint64_t *ret)
{
    return head_of(cbor, UINT, ret);
}

bool wr_cbor_bool(struct wr_cbor *cbor, bool *ret)
{
    uint64_t value;
    if (!head_of(cbor, SIMPLE, &value))
        return false;
    if (value != TRUE_VALUE && value != FALSE_VALUE)
        return fail(cbor);
    *ret = value == TRUE_VALUE;
    return true;
}

/* As RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF. */
static bool is_utf8(const unsigned char *at, size_t len)
{
    for (size_t i = 0; i < len;) {
        unsigned char first = at[i++];
        if (first < 0x80)
            continue;
        unsigned more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
        if (first < 0xc2 || first > 0xf4 || len - i < more)
            return false;
        unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
        unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
        for (; more > 0; more--, low = 0x80, high = 0xbf)
            if (at[i] < low || at[i++] > high)
                return false;
    }
    return true;
}

static bool string(struct wr_cbor *cbor, enum major major, struct wr_cbor_span *ret)
{
    uint64_t len;
    if (!head_of(cbor, major, &len))
        return false;
    if (len > (size_t)(cbor->end - cbor->at) || (major == TEXT && !is_utf8(cbor->at, len)))
        return fail(cbor);
    *ret = (struct wr_cbor_span){ cbor->at, len };
    cbor->at += len;
    return true;
}

bool wr_cbor_text(struct wr_cbor *cbor, struct wr_cbor_span *ret)
{
    return string(cbor, TEXT, ret);
}

bool wr_cbor_bytes(struct wr_cbor *cbor, struct wr_cbor_span *ret)
{
    return string(cbor, BYTES, ret);
}

/* Each item takes a byte at least: a larger count cannot be true. */
static bool count_of(struct wr_cbor *cbor, enum major major, size_t *ret)
{
    uint64_t count;
    if (!head_of(cbor, major, &count))
        return false;
    if (count > (size_t)(cbor->end - cbor->at))
        return fail(cbor);
    *ret = count;
    return true;
}

bool wr_cbor_array(struct wr_cbor *cbor, size_t *ret)
{
    return count_of(cbor, ARRAY, ret);
}

bool wr_cbor_map(struct wr_cbor *cbor, size_t *ret)
{
    return count_of(cbor, MAP, ret);
}

bool wr_cbor_key(struct wr_cbor *cbor, const char *key)
{
    struct wr_cbor_span text;
    if (!wr_cbor_text(cbor, &text))
        return false;
    return (text.len == strlen(key) && memcmp(text.at, key, text.len) == 0) || fail(cbor);
}

bool wr_cbor_is(const struct wr_cbor *cbor, unsigned major)
{
    return !cbor->bad && cbor->at < cbor->end && *cbor->at >> 5 == major;
}

static bool sorted(struct wr_cbor_span a, struct wr_cbor_span b)
{
    size_t len = a.len < b.len ? a.len : b.len;
    int order = memcmp(a.at, b.at, len);
    return order < 0 || (order == 0 && a.len < b.len);
}

static bool any(struct wr_cbor *cbor, struct wr_cbor_span *ret, unsigned depth);

static bool pairs(struct wr_cbor *cbor, unsigned depth)
{
    struct wr_cbor_span key = { 0 }, last, value;
    size_t count;
    if (!wr_cbor_map(cbor, &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        last = key;
        if (!any(cbor, &key, depth) || !any(cbor, &value, depth))
            return false;
        if (i > 0 && !sorted(last, key))
            return fail(cbor);
    }
    return true;
}

static bool items(struct wr_cbor *cbor, unsigned depth)
{
    struct wr_cbor_span item;
    size_t count;
    if (!wr_cbor_array(cbor, &count))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!any(cbor, &item, depth))
            return false;
    return true;
}

static bool any(struct wr_cbor *cbor, struct wr_cbor_span *ret, unsigned depth)
{
    const unsigned char *begin = cbor->at;
    struct wr_cbor_span span;
    unsigned major;
    uint64_t value;
    bool fine;
    if (depth == 0)
        return fail(cbor);
    if (wr_cbor_is(cbor, BYTES) || wr_cbor_is(cbor, TEXT))
        fine = string(cbor, *cbor->at >> 5, &span);
    else if (wr_cbor_is(cbor, ARRAY))
        fine = items(cbor, depth - 1);
    else if (wr_cbor_is(cbor, MAP))
        fine = pairs(cbor, depth - 1);
    else
        fine = head(cbor, &major, &value)
            && (major <= NEGATIVE
                || (major == SIMPLE && value >= FALSE_VALUE && value <= NULL_VALUE)
                || fail(cbor));
    *ret = (struct wr_cbor_span){ begin, (size_t)(cbor->at - begin) };
    return fine;
}

bool wr_cbor_any(struct wr_cbor *cbor, struct wr_cbor_span *ret)
{
    return any(cbor, ret, WR_CBOR_DEPTH_MAX);
}

bool wr_cbor_done(const struct wr_cbor *cbor)
{
    return !cbor->bad && cbor->at == cbor->end;
}

/* ---- writing ---- */

void wr_cbor_put_raw(struct wr_cbor_out *out, struct wr_cbor_span span)
{
    if (out->cut || span.len > out->cap - out->len) {
        out->cut = true;
        return;
    }
    if (span.len > 0)
        memcpy(out->at + out->len, span.at, span.len);
    out->len += span.len;
}

static void put_head(struct wr_cbor_out *out, enum major major, uint64_t value)
{
    unsigned char bytes[9];
    unsigned low = value < 24 ? (unsigned)value : 24;
    size_t size = value < 24 ? 0 : 1;
    for (; size > 0 && size < 8 && value >> 8 * size; size *= 2)
        low++;
    bytes[0] = (unsigned char)(major << 5 | low);
    for (size_t i = size; i > 0; i--, value >>= 8)
        bytes[i] = (unsigned char)value;
    wr_cbor_put_raw(out, (struct wr_cbor_span){ bytes, 1 + size });
}

void wr_cbor_put_uint(struct wr_cbor_out *out, uint64_t value)
{
    put_head(out, UINT, value);
}

void wr_cbor_put_bool(struct wr_cbor_out *out, bool value)
{
    put_head(out, SIMPLE, value ? TRUE_VALUE : FALSE_VALUE);
}

void wr_cbor_put_text(struct wr_cbor_out *out, const char *text, size_t len)
{
    put_head(out, TEXT, len);
    wr_cbor_put_raw(out, (struct wr_cbor_span){ (const unsigned char *)text, len });
}

void wr_cbor_put_bytes(struct wr_cbor_out *out, const void *bytes, size_t len)
{
    put_head(out, BYTES, len);
    wr_cbor_put_raw(out, (struct wr_cbor_span){ bytes, len });
}

void wr_cbor_put_array(struct wr_cbor_out *out, size_t count)
{
    put_head(out, ARRAY, count);
}

void wr_cbor_put_map(struct wr_cbor_out *out, size_t count)
{
    put_head(out, MAP, count);
}

void wr_cbor_put_key(struct wr_cbor_out *out, const char *key)
{
    wr_cbor_put_text(out, key, strlen(key));
}
