/* sentence.c - where sentences end. */
#include "extract/sentence.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include <utf8proc.h>

#define WORD_MAX 12

/* Words that a full stop shortens, in small letters and in the order of strcmp. */
static const char *const shortened[] = {
    "abb", "al",  "approx", "art",  "aug",  "bzw", "ca",  "cf",  "ch",   "co",  "corp", "dec",
    "dept", "dr", "e.g",    "ed",   "eds",  "eq",  "eqs", "esp", "est",  "feb", "fig",  "figs",
    "gen", "gov", "i.e",    "inc",  "jan",  "jr",  "jul", "jun", "lt",   "ltd", "mr",   "mrs",
    "ms",  "mt",  "no",     "nos",  "nov",  "nr",  "oct", "op",  "p",    "pp",  "prof", "ref",
    "refs", "rev", "sec",   "sen",  "sept", "sr",  "st",  "univ", "vol", "vols", "vs",  "z.b",
};

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static utf8proc_int32_t code_at(const char *text, size_t len, size_t *ret_used)
{
    utf8proc_int32_t code = 0;
    utf8proc_ssize_t used = utf8proc_iterate((const utf8proc_uint8_t *)text,
                                             (utf8proc_ssize_t)len, &code);
    *ret_used = used > 0 ? (size_t)used : 1;
    return used > 0 ? code : 0;
}

/* A stop that needs no white space behind it. */
static bool is_full_stop(utf8proc_int32_t code)
{
    static const uint16_t stops[] = { 0x0589, 0x061f, 0x06d4, 0x0964, 0x0965, 0x104b, 0x1362,
                                      0x17d4, 0x3002, 0xff01, 0xff0e, 0xff1f, 0xff61 };
    for (size_t i = 0; i < sizeof(stops) / sizeof(stops[0]); i++)
        if (stops[i] == code)
            return true;
    return false;
}

static bool is_closing(utf8proc_int32_t code)
{
    utf8proc_category_t category = utf8proc_category(code);
    return code == '"' || code == '\'' || category == UTF8PROC_CATEGORY_PE
        || category == UTF8PROC_CATEGORY_PF;
}

/* Whether the word that ends here is one that goes on behind its full stop. */
static bool is_shortened(const char *text, size_t from, size_t stop)
{
    char word[WORD_MAX];
    size_t start = stop;
    while (start > from && !is_space(text[start - 1]) && !strchr("([\"'", text[start - 1]))
        start--;
    size_t len = stop - start;
    if (len == 1 && ((text[start] >= 'A' && text[start] <= 'Z')
                     || (text[start] >= '0' && text[start] <= '9' && start == from)))
        return true;
    if (len >= sizeof(word))
        return false;
    memcpy(word, text + start, len);
    word[len] = '\0';
    size_t low = 0, high = sizeof(shortened) / sizeof(shortened[0]);
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcasecmp(word, shortened[middle]);
        if (order == 0)
            return true;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}

/* Behind further stops and what they close. */
static size_t close_at(const char *text, size_t len, size_t at)
{
    size_t used;
    for (; at < len; at += used) {
        utf8proc_int32_t code = code_at(text + at, len - at, &used);
        if (code != '.' && code != '!' && code != '?' && !is_full_stop(code)
            && !is_closing(code))
            break;
    }
    return at;
}

static bool goes_on(const char *text, size_t len, size_t at)
{
    size_t used;
    while (at < len && is_space(text[at]) && text[at] != '\n')
        at++;
    if (at == len || text[at] == '\n')
        return false;
    utf8proc_int32_t code = code_at(text + at, len - at, &used);
    return utf8proc_islower(code) || code == ',' || code == ';';
}

/* Whether a character that begins with this byte can be a stop or a line end: most are neither,
 * and are not looked at any closer. */
static bool may_stop(unsigned char c)
{
    if (c < 0x80)
        return c == '\n' || c == '.' || c == '!' || c == '?';
    return c == 0xd6 || c == 0xd8 || c == 0xdb || (c >= 0xe0 && c <= 0xe3) || c == 0xef;
}

/* Where the sentence from `from` on ends. */
static size_t end_of(const char *text, size_t len, size_t from)
{
    size_t used;
    for (size_t at = from; at < len; at += used) {
        used = 1;
        if (!may_stop((unsigned char)text[at]))
            continue;
        utf8proc_int32_t code = code_at(text + at, len - at, &used);
        if (code == '\n')
            return at;
        bool full = is_full_stop(code), latin = code == '.' || code == '!' || code == '?'
            || code == 0x2026;
        if (!full && !latin)
            continue;
        size_t behind = close_at(text, len, at + used);
        bool alone = behind == at + used;
        if (full)
            return behind;
        if ((behind == len || is_space(text[behind])) && !goes_on(text, len, behind)
            && !(code == '.' && alone && behind < len && is_shortened(text, from, at)))
            return behind;
        used = behind - at;
    }
    return len;
}

bool extract_sentence_next(struct extract_sentence *ret, const char *text, size_t len,
                           size_t *at)
{
    size_t from = *at;
    while (from < len && is_space(text[from]))
        from++;
    if (from >= len) {
        *at = len;
        return false;
    }
    size_t end = end_of(text, len, from);
    *at = end;
    while (end > from && is_space(text[end - 1]))
        end--;
    *ret = (struct extract_sentence){ from, end - from };
    return true;
}
