#include "extract/clean.h"

#include <stdbool.h>

#include <utf8proc.h>

#define REPLACEMENT 0xfffd

/* Parts of words that keep the hyphen they were broken at: "self-\nattention". */
static const char *const prefixes[] = {
    "self", "non", "multi", "cross", "semi", "pre", "post", "co", "anti", "meta", "well",
    "high", "low", "real", "large", "long", "short", "full", "half", "quasi", "two", "three",
    "one", "zero", "few", "in", "end", "open",
};
static const char *const endings[] = {
    "based", "aware", "driven", "free", "like", "level", "time", "scale", "order", "supervised",
    "to", "of", "in", "end", "shot", "term", "wise", "specific", "oriented", "dimensional",
    "linear", "hop", "and",
};

static const struct { int32_t code; const char *letters; } ligatures[] = {
    { 0xfb00, "ff" }, { 0xfb01, "fi" }, { 0xfb02, "fl" }, { 0xfb03, "ffi" }, { 0xfb04, "ffl" },
    { 0xfb05, "st" }, { 0xfb06, "st" },
};

/* An accent that stands alone, and the one that stands on a letter. */
static const struct { int32_t alone, on; } accents[] = {
    { 0x00a8, 0x0308 }, { 0x00b4, 0x0301 }, { 0x02dc, 0x0303 }, { 0x02c7, 0x030c },
    { 0x00b8, 0x0327 }, { 0x02c6, 0x0302 }, { 0x02d8, 0x0306 }, { 0x02da, 0x030a },
    { 0x02dd, 0x030b },
};

static int32_t next(const char *text, size_t len, size_t *used)
{
    utf8proc_int32_t code = 0;
    utf8proc_ssize_t bytes = utf8proc_iterate((const utf8proc_uint8_t *)text,
                                              (utf8proc_ssize_t)len, &code);
    *used = bytes > 0 ? (size_t)bytes : 1;
    return bytes > 0 ? code : REPLACEMENT;
}

static void put(struct wr_text *ret, int32_t code)
{
    utf8proc_uint8_t bytes[4];
    utf8proc_ssize_t count = utf8proc_encode_char(code, bytes);
    wr_text_bytes(ret, (const char *)bytes, (size_t)count);
}

static bool is_letter(int32_t code)
{
    utf8proc_category_t category = utf8proc_category(code);
    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

static bool is_space(int32_t code)
{
    utf8proc_category_t category = utf8proc_category(code);
    return (category >= UTF8PROC_CATEGORY_ZS && category <= UTF8PROC_CATEGORY_CF
            && code != 0x00ad) || code == 0x7f;
}

static bool listed(const char *const *list, size_t count, const char *word, size_t len)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(list[i]) == len && memcmp(list[i], word, len) == 0)
            return true;
    }
    return false;
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

/* Whether the hyphen at the end of `ret` was put there by whoever broke the line before
 * `rest`.  Both halves are in lower case, but for a capital at the beginning. */
static bool was_hyphenated(const struct wr_text *ret, const char *rest, size_t len)
{
    size_t end = ret->len - 1, from = end, to = 0;
    while (from > 0 && is_lower(ret->at[from - 1]))
        from--;
    while (to < len && is_lower(rest[to]))
        to++;
    bool letter_before = end > from
        || (from > 0 && ((unsigned char)ret->at[from - 1] >= 0x80
                         || (ret->at[from - 1] >= 'A' && ret->at[from - 1] <= 'Z')));
    if (!letter_before || to == 0)
        return false;
    return !listed(prefixes, sizeof(prefixes) / sizeof(*prefixes), ret->at + from, end - from)
        && !listed(endings, sizeof(endings) / sizeof(*endings), rest, to);
}

static int32_t composed(int32_t letter, int32_t accent)
{
    utf8proc_int32_t pair[2] = { letter == 0x131 ? 'i' : letter, accent };
    utf8proc_ssize_t count = utf8proc_normalize_utf32(pair, 2, UTF8PROC_COMPOSE
                                                      | UTF8PROC_STABLE);
    return count == 1 ? pair[0] : letter;
}

/* "Ko ¨rner": the accent of the letter before it. */
static bool accent_before(struct wr_text *ret, int32_t on)
{
    size_t len = ret->len;
    if (len > 1 && ret->at[len - 1] == ' ')
        len--;
    if (len == 0 || !is_letter(ret->at[len - 1]))
        return false;
    int32_t letter = (unsigned char)ret->at[len - 1], both = composed(letter, on);
    if (both == letter)
        return false;
    wr_text_rewind(ret, len - 1);
    put(ret, both);
    return true;
}

/* Add a letter with the accent before it; returns how much of the text was taken, or 0. */
static size_t accent(struct wr_text *ret, int32_t code, const char *rest, size_t len)
{
    size_t used = 0;
    for (size_t i = 0; len > 0 && i < sizeof(accents) / sizeof(*accents); i++) {
        if (code != accents[i].alone)
            continue;
        int32_t letter = next(rest, len, &used);
        if (letter == ' ' && len > 1) {
            size_t more = 0;
            letter = next(rest + 1, len - 1, &more);
            used = more + 1;
        }
        int32_t both = is_letter(letter) ? composed(letter, accents[i].on) : letter;
        if (!is_letter(letter))
            return 0;
        if (both == letter) {
            if (!accent_before(ret, accents[i].on))
                return 0;
            put(ret, letter);
            return used;
        }
        /* "Ko ¨rner" has its space from the accent. */
        if (ret->len > 1 && ret->at[ret->len - 1] == ' '
            && is_lower(ret->at[ret->len - 2]) && utf8proc_islower(letter))
            wr_text_rewind(ret, ret->len - 1);
        put(ret, both);
        return used;
    }
    return 0;
}

static bool ligature(struct wr_text *ret, int32_t code)
{
    for (size_t i = 0; i < sizeof(ligatures) / sizeof(*ligatures); i++) {
        if (code == ligatures[i].code) {
            wr_text_str(ret, ligatures[i].letters);
            return true;
        }
    }
    return false;
}

/* Behind white space that has a line end in it. */
static void join_lines(struct wr_text *ret, size_t start, const char *rest, size_t len)
{
    bool hyphen = ret->len > start + 1 && ret->at[ret->len - 1] == '-'
        && ret->at[ret->len - 2] != ' ' && ret->at[ret->len - 2] != '-';
    if (!hyphen)
        wr_text_str(ret, " ");
    else if (was_hyphenated(ret, rest, len))
        wr_text_rewind(ret, ret->len - 1);
}

static void walk(struct wr_text *ret, const char *text, size_t len, bool repair)
{
    size_t start = ret->len;
    for (size_t at = 0, used; at < len && ret->cut == 0; at += used) {
        int32_t code = next(text + at, len - at, &used);
        if (is_space(code)) {
            bool broken = false;
            while (at < len && is_space(next(text + at, len - at, &used))) {
                broken = broken || text[at] == '\n';
                at += used;
            }
            used = 0;
            if (ret->len == start || at >= len)
                continue;
            if (broken && repair)
                join_lines(ret, start, text + at, len - at);
            else
                wr_text_str(ret, " ");
        } else if (code == 0x00ad && repair) {
            continue;
        } else if (!repair || !ligature(ret, code)) {
            size_t taken = repair ? accent(ret, code, text + at + used, len - at - used) : 0;
            if (!taken)
                put(ret, code);
            used += taken;
        }
    }
}

void extract_clean(struct wr_text *ret, const char *text, size_t len)
{
    walk(ret, text, len, true);
}

void extract_collapse(struct wr_text *ret, const char *text, size_t len)
{
    walk(ret, text, len, false);
}
