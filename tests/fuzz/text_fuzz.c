/* text_fuzz.c - whatever goes into an escaper can be read back.
 *
 * For any bytes and any size of buffer: the JSON string, the logfmt value and
 * the label value parse by the strict readers below; what they read is the
 * input (with bytes that are not UTF-8 replaced) when nothing was cut, else a
 * beginning of it; and a cut is recorded exactly when there was one.
 *
 *     clang -std=gnu2x -D_GNU_SOURCE -g -O1 -fsanitize=fuzzer,address,undefined \
 *         -fno-sanitize-recover=all -Iinclude -Isrc tests/fuzz/text_fuzz.c src/base/text.c \
 *         src/base/panic.c src/base/os.c -o text_fuzz && ./text_fuzz -max_len=512
 *
 * The first byte of an input is the size of the small buffer.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <weir/panic.h>

#include "base/text.h"

#define INPUT_MAX 4096
#define OUTPUT_MAX (6 * INPUT_MAX + 3)          /* \u00xx is the longest escape */

struct bytes {
    unsigned char at[3 * INPUT_MAX];
    size_t len;
};

static void append(struct bytes *bytes, uint32_t code)
{
    unsigned char *at = bytes->at + bytes->len;
    if (code < 0x80) {
        at[0] = (unsigned char)code;
        bytes->len += 1;
    } else if (code < 0x800) {
        at[0] = (unsigned char)(0xc0 | code >> 6);
        at[1] = (unsigned char)(0x80 | (code & 0x3f));
        bytes->len += 2;
    } else if (code < 0x10000) {
        at[0] = (unsigned char)(0xe0 | code >> 12);
        at[1] = (unsigned char)(0x80 | (code >> 6 & 0x3f));
        at[2] = (unsigned char)(0x80 | (code & 0x3f));
        bytes->len += 3;
    } else {
        at[0] = (unsigned char)(0xf0 | code >> 18);
        at[1] = (unsigned char)(0x80 | (code >> 12 & 0x3f));
        at[2] = (unsigned char)(0x80 | (code >> 6 & 0x3f));
        at[3] = (unsigned char)(0x80 | (code & 0x3f));
        bytes->len += 4;
    }
}

/* Decode one code point by computing it and asking whether it had to be
 * written this way; -1 when the byte at `s` begins none. */
static int32_t decode(const unsigned char *s, size_t len, size_t *used)
{
    static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 };
    int more = s[0] < 0x80      ? 0
        : (s[0] & 0xe0) == 0xc0 ? 1
        : (s[0] & 0xf0) == 0xe0 ? 2
        : (s[0] & 0xf8) == 0xf0 ? 3
                                : -1;
    if (more < 0 || (size_t)more >= len)
        return -1;
    uint32_t code = more == 0 ? s[0] : s[0] & (0x3fu >> more);
    for (int i = 1; i <= more; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return -1;
        code = code << 6 | (s[i] & 0x3f);
    }
    if (code < least[more] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return -1;
    *used = (size_t)more + 1;
    return (int32_t)code;
}

/* What a reader must get back. */
static void expected(struct bytes *ret, const unsigned char *data, size_t size)
{
    ret->len = 0;
    for (size_t i = 0, used; i < size; i += used) {
        int32_t code = decode(data + i, size - i, &used);
        if (code < 0)
            used = 1;
        append(ret, code < 0 ? 0xfffd : (uint32_t)code);
    }
}

/* The character after a backslash; moves `i` behind it. */
static uint32_t escaped(const struct wr_text *text, size_t *i, const char *allowed)
{
    char letter = text->at[(*i)++];
    WR_ASSERT(letter && strchr(allowed, letter));
    if (letter == 'u') {
        char hex[5] = { 0 };
        memcpy(hex, text->at + *i, 4);
        WR_ASSERT(strspn(hex, "0123456789abcdef") == 4);
        *i += 4;
        return (uint32_t)strtoul(hex, NULL, 16);
    }
    return letter == 'n' ? '\n'
        : letter == 'r'  ? '\r'
        : letter == 't'  ? '\t'
                         : (uint32_t)letter;
}

/* Read text[from .. to) back. */
static void read_back(struct bytes *ret, const struct wr_text *text, size_t from, size_t to,
                      const char *escapes, bool controls)
{
    ret->len = 0;
    for (size_t i = from; i < to;) {
        if (text->at[i] == '\\' && escapes) {
            i++;
            append(ret, escaped(text, &i, escapes));
            WR_ASSERT(i <= to);
            continue;
        }
        size_t used;
        int32_t code = decode((const unsigned char *)text->at + i, to - i, &used);
        WR_ASSERT(code >= 0);
        WR_ASSERT(code != '"' && code != '\n');
        WR_ASSERT(controls || (code >= 0x20 && !(code >= 0x7f && code < 0xa0)));
        append(ret, (uint32_t)code);
        i += used;
    }
}

#define JSON_ESCAPES "\"\\nrtu"

static void read_json(struct bytes *ret, const struct wr_text *text)
{
    WR_ASSERT(text->len >= 2 && text->at[0] == '"' && text->at[text->len - 1] == '"');
    read_back(ret, text, 1, text->len - 1, JSON_ESCAPES, false);
}

static void read_logfmt(struct bytes *ret, const struct wr_text *text)
{
    WR_ASSERT(text->len > 0);
    if (text->at[0] == '"') {
        read_json(ret, text);
        return;
    }
    WR_ASSERT(!memchr(text->at, ' ', text->len) && !memchr(text->at, '=', text->len));
    read_back(ret, text, 0, text->len, NULL, false);
}

static void read_label(struct bytes *ret, const struct wr_text *text)
{
    read_back(ret, text, 0, text->len, "\\\"n", true);
}

static const struct dialect {
    void (*write)(struct wr_text *text, const char *bytes, size_t len);
    void (*read)(struct bytes *ret, const struct wr_text *text);
    size_t shortest;                    /* output below this is no value at all */
} dialects[] = {
    { wr_text_json, read_json, 2 },
    { wr_text_logfmt, read_logfmt, 1 },
    { wr_text_label, read_label, 0 },
};

static void check(const struct dialect *dialect, size_t cap, const unsigned char *data,
                  size_t size, const struct bytes *want)
{
    static char buf[OUTPUT_MAX];
    static struct bytes got;
    memset(buf, '#', cap);
    struct wr_text text = wr_text_over(buf, cap);
    dialect->write(&text, (const char *)data, size);

    WR_ASSERT(text.len < cap && buf[text.len] == '\0');
    if (cap == sizeof(buf))
        WR_ASSERT(text.cut == 0);
    if (text.len < dialect->shortest) {
        WR_ASSERT(text.len == 0 && text.cut > 0);
        return;
    }
    dialect->read(&got, &text);
    WR_ASSERT(got.len <= want->len && memcmp(got.at, want->at, got.len) == 0);
    WR_ASSERT((got.len < want->len) == (text.cut > 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct bytes want;
    if (size == 0 || size > INPUT_MAX)
        return -1;
    size_t small = (size_t)data[0] + 1;
    data++;
    size--;
    expected(&want, data, size);
    for (size_t i = 0; i < sizeof(dialects) / sizeof(dialects[0]); i++) {
        check(&dialects[i], OUTPUT_MAX, data, size, &want);
        check(&dialects[i], small, data, size, &want);
    }
    return 0;
}
