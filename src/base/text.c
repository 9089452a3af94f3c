/* text.c - bounded text, and the three ways to escape it. */
#include "base/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/panic.h>

#include "base/forget.h"

struct wr_text wr_text_over(char *buf, size_t cap)
{
    WR_ASSERT(cap > 0);
    buf[0] = '\0';
    return (struct wr_text){ .at = buf, .cap = cap };
}

void wr_text_rewind(struct wr_text *text, size_t len)
{
    WR_ASSERT(len <= text->len);
    text->cut = 0;
    if (len == text->len)
        return;
    text->len = len;
    text->at[len] = '\0';
}

static char nothing[1];         /* a text without memory; shared, so never written to */

struct wr_text wr_text_heap(size_t max)
{
    WR_ASSERT(max > 0);
    return (struct wr_text){ .at = nothing, .cap = 1, .max = max };
}

void wr_text_free(struct wr_text *text)
{
    if (text->at != nothing)
        wr_forget_free(text->at);
    *text = (struct wr_text){ .at = nothing, .cap = 1 };
}

#define HEAP_FIRST 256

static void grow(struct wr_text *text, size_t need)
{
    size_t cap = text->cap < HEAP_FIRST / 2 ? HEAP_FIRST : text->cap * 2;
    if (cap < text->len + need + 1)
        cap = text->len + need + 1;
    if (cap > text->max)
        cap = text->max;
    char *more = wr_forget_realloc(text->at == nothing ? NULL : text->at, cap);
    if (!more)
        return;
    more[text->len] = '\0';
    text->at = more;
    text->cap = cap;
}

/* How much can be added, when so much should be. */
static size_t room(struct wr_text *text, size_t need)
{
    if (text->cut)
        return 0;
    if (text->cap - text->len - 1 < need && text->cap < text->max)
        grow(text, need);
    return text->cap - text->len - 1;
}

static void put(struct wr_text *text, const char *bytes, size_t len)
{
    if (len == 0)
        return;
    memcpy(text->at + text->len, bytes, len);
    text->len += len;
    text->at[text->len] = '\0';
}

/* All of it or nothing, with `spare` bytes left over for what must follow. */
static void put_whole(struct wr_text *text, const char *bytes, size_t len, size_t spare)
{
    if (len + spare <= room(text, len + spare))
        put(text, bytes, len);
    else
        text->cut += len;
}

/* As many bytes as there is room for, with `spare` left over. */
static void put_most(struct wr_text *text, const char *bytes, size_t len, size_t spare)
{
    size_t fits = room(text, len + spare);
    fits = fits > spare ? fits - spare : 0;
    if (len < fits)
        fits = len;
    put(text, bytes, fits);
    text->cut += len - fits;
}

void wr_text_bytes(struct wr_text *text, const char *bytes, size_t len)
{
    put_most(text, bytes, len, 0);
}

void wr_text_format(struct wr_text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    wr_text_vformat(text, format, args);
    va_end(args);
}

void wr_text_vformat(struct wr_text *text, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    size_t fits = room(text, 1);
    int meant = vsnprintf(text->at + text->len, fits ? fits + 1 : 0, format, args);
    WR_ASSERT(meant >= 0);
    if ((size_t)meant > fits && text->cap < text->max) {
        fits = room(text, (size_t)meant);
        vsnprintf(text->at + text->len, fits + 1, format, again);
    }
    va_end(again);
    if ((size_t)meant < fits)
        fits = (size_t)meant;
    text->len += fits;
    text->cut += (size_t)meant - fits;
}

/* ---- numbers ---- */

#define DIGITS_MAX 20           /* of a uint64_t */

/* Write the digits so that they end at `end`; where they begin. */
static char *digits_before(char *end, uint64_t value)
{
    do
        *--end = (char)('0' + value % 10);
    while (value /= 10);
    return end;
}

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

void wr_text_u64(struct wr_text *text, uint64_t value)
{
    char buf[DIGITS_MAX], *end = buf + sizeof(buf);
    char *begin = digits_before(end, value);
    put_whole(text, begin, (size_t)(end - begin), 0);
}

void wr_text_i64(struct wr_text *text, int64_t value)
{
    wr_text_decimal(text, value, 0);
}

void wr_text_decimal(struct wr_text *text, int64_t value, unsigned digits)
{
    WR_ASSERT(digits <= 18);
    uint64_t whole = magnitude(value), unit = 1;
    for (unsigned i = 0; i < digits; i++)
        unit *= 10;
    uint64_t rest = whole % unit;
    whole /= unit;

    char buf[2 * DIGITS_MAX + 2], *end = buf + sizeof(buf), *begin = end;
    if (rest > 0) {
        char *fraction = end - digits;
        memset(fraction, '0', digits);
        digits_before(end, rest);
        begin = fraction;
        *--begin = '.';
        while (end[-1] == '0')
            end--;
    }
    begin = digits_before(begin, whole);
    if (value < 0)
        *--begin = '-';
    put_whole(text, begin, (size_t)(end - begin), 0);
}

/* ---- the calendar ---- */

#define NS_PER_S 1000000000
#define S_PER_DAY 86400

static bool is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int days_in_year(int year)
{
    return is_leap(year) ? 366 : 365;
}

static int days_in_month(int year, int month)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    return days[month] + (month == 1 && is_leap(year));
}

/* Counting years is fast enough: a wall clock of 64 bits of nanoseconds never
 * gets further than 293 years from 1970. */
void wr_text_rfc3339(struct wr_text *text, struct wr_wall wall)
{
    int64_t in_day = wall.ns % ((int64_t)S_PER_DAY * NS_PER_S);
    int days = (int)(wall.ns / ((int64_t)S_PER_DAY * NS_PER_S));
    if (in_day < 0) {
        in_day += (int64_t)S_PER_DAY * NS_PER_S;
        days--;
    }
    int year = 1970, month = 0;
    while (days < 0)
        days += days_in_year(--year);
    while (days >= days_in_year(year))
        days -= days_in_year(year++);
    while (days >= days_in_month(year, month))
        days -= days_in_month(year, month++);

    char buf[96];
    int second = (int)(in_day / NS_PER_S), us = (int)(in_day % NS_PER_S / 1000);
    int len = snprintf(buf, sizeof(buf), "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ", year, month + 1,
                       days + 1, second / 3600, second / 60 % 60, second % 60, us);
    put_whole(text, buf, (size_t)len, 0);
}

/* ---- escaping ---- */

#define REPLACEMENT "\xef\xbf\xbd"      /* U+FFFD */
#define EVERY_BYTE(byte) (UINT64_C(0x0101010101010101) * (unsigned char)(byte))

/* The length of the UTF-8 sequence at `s`; 0 when there is no valid one: too
 * short, too long for its value, a surrogate, or above U+10FFFF. */
static size_t sequence(const unsigned char *s, size_t len)
{
    if (s[0] < 0x80)
        return 1;
    size_t want = s[0] >= 0xc2 && s[0] < 0xe0 ? 2
        : s[0] >= 0xe0 && s[0] < 0xf0         ? 3
        : s[0] >= 0xf0 && s[0] < 0xf5         ? 4
                                              : 0;
    if (want == 0 || want > len)
        return 0;
    for (size_t i = 1; i < want; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool surrogate = s[0] == 0xed && s[1] >= 0xa0;
    bool beyond = s[0] == 0xf4 && s[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : want;
}

/* One character of the input as it is written, and how much input it was. */
struct unit {
    char out[8];
    size_t out_len, in_len;
};

typedef struct unit (*escape_fn)(const unsigned char *s, size_t len);

static struct unit unit_of(const char *out, size_t out_len, size_t in_len)
{
    struct unit unit = { .out_len = out_len, .in_len = in_len };
    memcpy(unit.out, out, out_len);
    return unit;
}

static struct unit plain(const unsigned char *s, size_t len)
{
    size_t valid = sequence(s, len);
    return valid ? unit_of((const char *)s, valid, valid) : unit_of(REPLACEMENT, 3, 1);
}

/* The code of a control character at `s`, else 0x100. */
static unsigned control(const unsigned char *s, size_t len)
{
    if (s[0] < 0x20 || s[0] == 0x7f)
        return s[0];
    if (s[0] == 0xc2 && len > 1 && s[1] >= 0x80 && s[1] < 0xa0)
        return s[1];
    return 0x100;
}

static struct unit json(const unsigned char *s, size_t len)
{
    switch (s[0]) {
    case '"': return unit_of("\\\"", 2, 1);
    case '\\': return unit_of("\\\\", 2, 1);
    case '\n': return unit_of("\\n", 2, 1);
    case '\r': return unit_of("\\r", 2, 1);
    case '\t': return unit_of("\\t", 2, 1);
    }
    unsigned code = control(s, len);
    if (code == 0x100)
        return plain(s, len);
    char out[8];
    snprintf(out, sizeof(out), "\\u%04x", code);
    return unit_of(out, 6, code < 0x80 ? 1 : 2);
}

static struct unit label(const unsigned char *s, size_t len)
{
    switch (s[0]) {
    case '"': return unit_of("\\\"", 2, 1);
    case '\\': return unit_of("\\\\", 2, 1);
    case '\n': return unit_of("\\n", 2, 1);
    }
    return plain(s, len);
}

/* A bit in each byte of the result whose byte in the word is zero; above the lowest of these
 * there may be others. */
static uint64_t zeros(uint64_t word)
{
    return (word - EVERY_BYTE(1)) & ~word & EVERY_BYTE(0x80);
}

/* Whether all eight characters are written as they are: no control character, no DEL, nothing
 * above it, no quote and no backslash. */
static bool all_usual(const unsigned char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof(word));
    uint64_t above = word | (word + EVERY_BYTE(1));         /* 0x7f and all beyond it */
    uint64_t below = (word - EVERY_BYTE(0x20)) & ~word;
    return !(((above | below) & EVERY_BYTE(0x80)) | zeros(word ^ EVERY_BYTE('"'))
             | zeros(word ^ EVERY_BYTE('\\')));
}

/* How many characters from here on all escapers write as they are: most of most texts. */
static size_t usual(const unsigned char *at, const unsigned char *end)
{
    const unsigned char *from = at;
    while (end - at >= 8 && all_usual(at))
        at += 8;
    while (at < end && *at >= 0x20 && *at < 0x7f && *at != '"' && *at != '\\')
        at++;
    return (size_t)(at - from);
}

static void escape(struct wr_text *text, const char *bytes, size_t len, escape_fn fn,
                   size_t spare)
{
    const unsigned char *at = (const unsigned char *)bytes, *end = at + len;
    while (at < end) {
        size_t run = usual(at, end);
        if (run) {
            put_most(text, (const char *)at, run, spare);
            at += run;
            continue;
        }
        struct unit unit = fn(at, (size_t)(end - at));
        put_whole(text, unit.out, unit.out_len, spare);
        at += unit.in_len;
    }
}

void wr_text_json(struct wr_text *text, const char *bytes, size_t len)
{
    const unsigned char *at = (const unsigned char *)bytes;
    if (usual(at, at + len) == len && room(text, len + 2) >= len + 2) {
        char *to = text->at + text->len;
        to[0] = '"';
        memcpy(to + 1, bytes, len);
        memcpy(to + 1 + len, "\"", 2);
        text->len += len + 2;
        return;
    }
    put_whole(text, "\"", 1, 1);
    bool opened = text->cut == 0;
    escape(text, bytes, len, json, 1);
    if (opened)
        put(text, "\"", 1);
    else
        text->cut++;
}

void wr_text_plain(struct wr_text *text, const char *bytes, size_t len)
{
    escape(text, bytes, len, plain, 0);
}

static bool is_bare(const char *bytes, size_t len)
{
    const unsigned char *at = (const unsigned char *)bytes, *end = at + len;
    while (at < end) {
        size_t valid = sequence(at, (size_t)(end - at));
        if (valid == 0 || *at == ' ' || *at == '=' || *at == '"' || *at == '\\'
            || control(at, (size_t)(end - at)) != 0x100)
            return false;
        at += valid;
    }
    return len > 0;
}

void wr_text_logfmt(struct wr_text *text, const char *bytes, size_t len)
{
    if (is_bare(bytes, len))
        wr_text_plain(text, bytes, len);
    else
        wr_text_json(text, bytes, len);
}

void wr_text_label(struct wr_text *text, const char *bytes, size_t len)
{
    escape(text, bytes, len, label, 0);
}
