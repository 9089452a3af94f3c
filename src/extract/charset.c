/* charset.c - text of whatever encoding, as UTF-8. */
#include "extract/charset.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#define SAMPLE 4096                 /* bytes that are looked at */

/* What 0x80 to 0x9f are in 1252; 0: nothing. */
static const uint16_t windows[32] = {
    0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017d, 0,      0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178,
};

static size_t put(char *at, uint32_t code)
{
    return (size_t)utf8proc_encode_char((utf8proc_int32_t)code, (utf8proc_uint8_t *)at);
}

/* How many bytes the character at `at` has; 0: it is none. */
static size_t length_at(const char *at, size_t left)
{
    utf8proc_int32_t code;
    utf8proc_ssize_t used = utf8proc_iterate((const utf8proc_uint8_t *)at,
                                             (utf8proc_ssize_t)left, &code);
    return used > 0 ? (size_t)used : 0;
}

static bool is_utf8(const char *bytes, size_t size)
{
    size_t good = 0, bad = 0;
    for (size_t i = 0; i < size;) {
        size_t len = (unsigned char)bytes[i] < 0x80 ? 1 : length_at(bytes + i, size - i);
        good += len > 1;
        bad += len == 0;
        i += len ? len : 1;
    }
    return bad == 0 || good > bad;
}

/* 1: the high bytes are zero and come second; -1: they come first; 0: neither. */
static int looks_wide(const char *bytes, size_t size)
{
    size_t zeros[2] = { 0, 0 }, seen = (size < SAMPLE ? size : SAMPLE) & ~(size_t)1;
    for (size_t i = 0; i < seen; i++)
        zeros[i % 2] += bytes[i] == '\0';
    if (seen < 4)
        return 0;
    return zeros[1] > seen * 2 / 5 && zeros[0] <= seen / 20   ? 1
        : zeros[0] > seen * 2 / 5 && zeros[1] <= seen / 20 ? -1
                                                          : 0;
}

static size_t from_wide(char *to, const unsigned char *bytes, size_t size, bool big)
{
    size_t len = 0;
    for (size_t i = 0; i + 1 < size; i += 2) {
        uint32_t code = big ? (uint32_t)bytes[i] << 8 | bytes[i + 1]
                            : (uint32_t)bytes[i + 1] << 8 | bytes[i];
        if (code >= 0xd800 && code < 0xdc00 && i + 3 < size) {
            uint32_t low = big ? (uint32_t)bytes[i + 2] << 8 | bytes[i + 3]
                               : (uint32_t)bytes[i + 3] << 8 | bytes[i + 2];
            if (low >= 0xdc00 && low < 0xe000) {
                code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                i += 2;
            }
        }
        len += put(to + len, code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
    }
    return len;
}

static size_t from_latin(char *to, const unsigned char *bytes, size_t size)
{
    size_t len = 0;
    for (size_t i = 0; i < size; i++) {
        uint32_t code = bytes[i];
        if (code >= 0x80 && code < 0xa0)
            code = windows[code - 0x80] ? windows[code - 0x80] : 0xfffd;
        len += put(to + len, code);
    }
    return len;
}

static size_t from_utf8(char *to, const char *bytes, size_t size)
{
    size_t len = 0;
    for (size_t i = 0, used; i < size; i += used ? used : 1) {
        used = length_at(bytes + i, size - i);
        if (used)
            memcpy(to + len, bytes + i, used);
        len += used ? used : put(to + len, 0xfffd);
    }
    return len;
}

wr_err extract_charset(const char *bytes, size_t size, struct extract_text *ret)
{
    const unsigned char *at = (const unsigned char *)bytes;
    int wide = size >= 2 && at[0] == 0xff && at[1] == 0xfe ? 1
        : size >= 2 && at[0] == 0xfe && at[1] == 0xff      ? -1
                                                           : 0;
    size_t mark = wide ? 2 : 0;
    if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
        mark = 3;
    else if (!wide)
        wide = looks_wide(bytes, size);
    bool utf8 = !wide && (mark == 3 || is_utf8(bytes, size));
    if (size > SIZE_MAX / 4)
        return WR_NOMEM;
    char *text = malloc(3 * size + 1);
    if (!text)
        return WR_NOMEM;
    size_t len = wide ? from_wide(text, at + mark, size - mark, wide < 0)
        : utf8        ? from_utf8(text, bytes + mark, size - mark)
                      : from_latin(text, at, size);
    text[len] = '\0';
    char *fitting = realloc(text, len + 1);
    *ret = (struct extract_text){ fitting ? fitting : text, len,
                                  wide ? "UTF-16" : utf8 ? "UTF-8" : "Latin-1" };
    return WR_OK;
}

bool extract_is_text(const struct extract_text *text)
{
    size_t seen = text->len < SAMPLE ? text->len : SAMPLE, odd = 0;
    for (size_t i = 0; i < seen; i++) {
        unsigned char c = (unsigned char)text->at[i];
        odd += c < 0x20 && !(c >= '\t' && c <= '\r');
    }
    return odd * 50 <= seen;
}
