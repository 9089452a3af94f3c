/* charset.c - text of whatever encoding, as UTF-8. */
#include "extract/charset.h"

#include <errno.h>
#include <iconv.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <utf8proc.h>

#define SAMPLE 4096                 /* bytes that are looked at */
#define HIGH_BITS 0x8080808080808080u   /* none of eight bytes of ASCII has one */

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
    const unsigned char *c = (const unsigned char *)at;
    utf8proc_int32_t code;
    /* Most of what is not ASCII, without a call. */
    if (left >= 3 && c[0] >= 0xe1 && c[0] <= 0xec && (c[1] & 0xc0) == 0x80
        && (c[2] & 0xc0) == 0x80)
        return 3;
    if (left >= 2 && c[0] >= 0xc2 && c[0] <= 0xdf && (c[1] & 0xc0) == 0x80)
        return 2;
    utf8proc_ssize_t used = utf8proc_iterate((const utf8proc_uint8_t *)at,
                                             (utf8proc_ssize_t)left, &code);
    return used > 0 ? (size_t)used : 0;
}

struct seen {
    size_t good, bad;               /* characters of several bytes, and bytes that are none */
};

static struct seen look(const char *bytes, size_t size)
{
    struct seen seen = { 0 };
    for (size_t i = 0; i < size;) {
        uint64_t eight;
        while (i + sizeof(eight) <= size
               && (memcpy(&eight, bytes + i, sizeof(eight)), (eight & HIGH_BITS) == 0))
            i += sizeof(eight);
        if (i == size)
            break;
        if ((unsigned char)bytes[i] < 0x80) {
            i++;
            continue;
        }
        size_t len = length_at(bytes + i, size - i);
        seen.good += len > 1;
        seen.bad += len == 0;
        i += len ? len : 1;
    }
    return seen;
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

static size_t from_utf8(char *to, const char *bytes, size_t size, bool whole)
{
    size_t len = 0;
    if (whole) {
        memcpy(to, bytes, size);
        return size;
    }
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
    struct seen seen = wide ? (struct seen){ 0 } : look(bytes + mark, size - mark);
    bool utf8 = !wide && (mark == 3 || seen.bad == 0 || seen.good > seen.bad);
    bool whole = utf8 && seen.bad == 0;
    if (size > SIZE_MAX / 4)
        return WR_NOMEM;
    char *text = malloc(whole ? size + 1 : 3 * size + 1);
    if (!text)
        return WR_NOMEM;
    size_t len = wide ? from_wide(text, at + mark, size - mark, wide < 0)
        : utf8        ? from_utf8(text, bytes + mark, size - mark, whole)
                      : from_latin(text, at, size);
    text[len] = '\0';
    char *fitting = realloc(text, len + 1);
    *ret = (struct extract_text){ fitting ? fitting : text, len,
                                  wide ? "UTF-16" : utf8 ? "UTF-8" : "Latin-1" };
    return WR_OK;
}

/* ---- as somebody says ---- */

/* Names that pages use, and those of iconv, which knows many more: old ones that few people
 * have ever looked at, and that no page needs. */
static const struct {
    const char *label, *name;
} labels[] = {
    { "big5", "BIG5" },                 { "big5-hkscs", "BIG5-HKSCS" },
    { "cp1251", "CP1251" },             { "cp932", "CP932" },
    { "euc-jp", "EUC-JP" },             { "euc-kr", "UHC" },
    { "gb18030", "GB18030" },           { "gb2312", "GB18030" },
    { "gbk", "GB18030" },               { "iso-2022-jp", "ISO-2022-JP" },
    { "iso-8859-10", "ISO-8859-10" },   { "iso-8859-13", "ISO-8859-13" },
    { "iso-8859-14", "ISO-8859-14" },   { "iso-8859-15", "ISO-8859-15" },
    { "iso-8859-16", "ISO-8859-16" },   { "iso-8859-2", "ISO-8859-2" },
    { "iso-8859-3", "ISO-8859-3" },     { "iso-8859-4", "ISO-8859-4" },
    { "iso-8859-5", "ISO-8859-5" },     { "iso-8859-6", "ISO-8859-6" },
    { "iso-8859-7", "ISO-8859-7" },     { "iso-8859-8", "ISO-8859-8" },
    { "iso-8859-9", "CP1254" },         { "koi8-r", "KOI8-R" },
    { "koi8-u", "KOI8-U" },             { "ks_c_5601-1987", "UHC" },
    { "macintosh", "MACINTOSH" },       { "shift-jis", "CP932" },
    { "shift_jis", "CP932" },           { "sjis", "CP932" },
    { "tis-620", "CP874" },             { "utf-16be", "UTF-16BE" },
    { "utf-16le", "UTF-16LE" },         { "windows-1250", "CP1250" },
    { "windows-1251", "CP1251" },       { "windows-1253", "CP1253" },
    { "windows-1254", "CP1254" },       { "windows-1255", "CP1255" },
    { "windows-1256", "CP1256" },       { "windows-1257", "CP1257" },
    { "windows-1258", "CP1258" },       { "windows-31j", "CP932" },
    { "windows-874", "CP874" },         { "windows-949", "UHC" },
};

static const char *name_of(const char *label)
{
    for (size_t i = 0; label && i < sizeof(labels) / sizeof(labels[0]); i++)
        if (strcasecmp(label, labels[i].label) == 0)
            return labels[i].name;
    return NULL;
}

static bool has_mark(const unsigned char *at, size_t size)
{
    return (size >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
        || (size >= 2 && at[0] == 0xff && at[1] == 0xfe)
        || (size >= 2 && at[0] == 0xfe && at[1] == 0xff);
}

/* All of it into room that is enough: no byte of these encodings is more than three. */
static size_t convert(iconv_t with, char *to, size_t room, const char *bytes, size_t size)
{
    char *in = (char *)bytes, *out = to;
    while (size > 0 && room > 3
           && iconv(with, &in, &size, &out, &room) == (size_t)-1 && errno != E2BIG) {
        size_t put_len = size > 0 ? put(out, 0xfffd) : 0;
        out += put_len;
        room -= put_len;
        in += size > 0;
        size -= size > 0;
    }
    return (size_t)(out - to);
}

wr_err extract_charset_as(const char *bytes, size_t size, const char *label,
                          struct extract_text *ret)
{
    const char *name = name_of(label);
    if (!name || has_mark((const unsigned char *)bytes, size))
        return extract_charset(bytes, size, ret);
    struct seen seen = look(bytes, size);
    if (seen.good > 0 && seen.bad == 0)
        return extract_charset(bytes, size, ret);
    iconv_t with = iconv_open("UTF-8", name);
    if (with == (iconv_t)-1)
        return extract_charset(bytes, size, ret);
    size_t room = size > SIZE_MAX / 4 ? 0 : 3 * size + 16;
    char *text = room > 0 ? malloc(room + 1) : NULL;
    if (!text) {
        iconv_close(with);
        return WR_NOMEM;
    }
    size_t len = convert(with, text, room, bytes, size);
    iconv_close(with);
    text[len] = '\0';
    char *fitting = realloc(text, len + 1);
    *ret = (struct extract_text){ fitting ? fitting : text, len, name };
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
