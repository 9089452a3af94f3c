/* fold.c - letters and digits, whatever they were dressed in. */
#include "biblio/fold.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <utf8proc.h>

struct fold {
    struct wr_text *out;
    size_t start;           /* of the form, in `out` */
    bool words;
    bool gap;               /* a separator came since the last letter */
};

/* What a sign of ASCII is: itself in lower case, GAP between words, or nothing: an
 * apostrophe, and what TeX and mathematics put inside words ({B}ERT, L_2, x^2). */
enum { NOTHING = 0, GAP = 1 };

static const unsigned char ascii[128] = {
    ['\t'] = GAP, ['\n'] = GAP, ['\v'] = GAP, ['\f'] = GAP, ['\r'] = GAP, [' '] = GAP,
    ['!'] = GAP, ['"'] = GAP, ['#'] = GAP, ['%'] = GAP, ['&'] = GAP, ['('] = GAP,
    [')'] = GAP, ['*'] = GAP, ['+'] = GAP, [','] = GAP, ['-'] = GAP, ['.'] = GAP,
    ['/'] = GAP, [':'] = GAP, [';'] = GAP, ['<'] = GAP, ['='] = GAP, ['>'] = GAP,
    ['?'] = GAP, ['@'] = GAP, ['['] = GAP, [']'] = GAP, ['|'] = GAP, ['~'] = GAP,
    ['0'] = '0', '1', '2', '3', '4', '5', '6', '7', '8', '9',
    ['A'] = 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm',
    'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z',
    ['a'] = 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm',
    'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z',
};

/* What has a name, and letters that do not decompose; sorted by code. */
static const struct named { uint16_t code; char name[12]; } named[] = {
    { 0x00AC, "not" }, { 0x00B1, "pm" }, { 0x00D7, "times" }, { 0x00E6, "ae" },
    { 0x00F0, "d" }, { 0x00F7, "div" }, { 0x00F8, "o" }, { 0x00FE, "th" },
    { 0x0111, "d" }, { 0x0127, "h" }, { 0x0131, "i" }, { 0x0142, "l" }, { 0x014B, "n" },
    { 0x0153, "oe" }, { 0x0167, "t" }, { 0x0180, "b" }, { 0x01DD, "e" }, { 0x0259, "e" },
    { 0x0268, "i" },
    { 0x03B1, "alpha" }, { 0x03B2, "beta" }, { 0x03B3, "gamma" }, { 0x03B4, "delta" },
    { 0x03B5, "epsilon" }, { 0x03B6, "zeta" }, { 0x03B7, "eta" }, { 0x03B8, "theta" },
    { 0x03B9, "iota" }, { 0x03BA, "kappa" }, { 0x03BB, "lambda" }, { 0x03BC, "mu" },
    { 0x03BD, "nu" }, { 0x03BE, "xi" }, { 0x03BF, "omicron" }, { 0x03C0, "pi" },
    { 0x03C1, "rho" }, { 0x03C2, "sigma" }, { 0x03C3, "sigma" }, { 0x03C4, "tau" },
    { 0x03C5, "upsilon" }, { 0x03C6, "phi" }, { 0x03C7, "chi" }, { 0x03C8, "psi" },
    { 0x03C9, "omega" },
    { 0x2190, "from" }, { 0x2192, "to" }, { 0x2194, "iff" }, { 0x21D0, "impliedby" },
    { 0x21D2, "implies" }, { 0x21D4, "iff" }, { 0x2202, "partial" }, { 0x2207, "nabla" },
    { 0x2208, "in" }, { 0x2209, "notin" }, { 0x220F, "prod" }, { 0x2211, "sum" },
    { 0x221A, "sqrt" }, { 0x221E, "infinity" }, { 0x2227, "and" }, { 0x2228, "or" },
    { 0x2229, "cap" }, { 0x222A, "cup" }, { 0x222B, "int" }, { 0x2260, "neq" },
    { 0x2264, "leq" }, { 0x2265, "geq" }, { 0x2282, "subset" }, { 0x2283, "supset" },
};

/* Marks that are no part of the letter: accents, Hebrew points, Arabic vowels.  The marks of
 * other scripts are vowels and stay. */
static const struct range { uint32_t first, last; } accents[] = {
    { 0x0300, 0x036F }, { 0x0591, 0x05C7 }, { 0x064B, 0x065F }, { 0x0670, 0x0670 },
    { 0x1AB0, 0x1AFF }, { 0x1DC0, 0x1DFF }, { 0x20D0, 0x20FF }, { 0xFE00, 0xFE0F },
    { 0xFE20, 0xFE2F },
};

/* Scripts written without spaces, sign by sign. */
static const struct range signs[] = {
    { 0x2E80, 0x2FDF }, { 0x3005, 0x3007 }, { 0x3040, 0x3098 }, { 0x309B, 0x30FF },
    { 0x31F0, 0x31FF }, { 0x3400, 0x4DBF }, { 0x4E00, 0x9FFF }, { 0xF900, 0xFAFF },
    { 0x20000, 0x3FFFF },
};

/* An accent that stands beside its letter in the text of a PDF, often with a space before
 * it.  The first three are also quotes, so they join only what they touch. */
static const uint16_t beside[] = { '`', 0x00B4, 0x00AF, 0x00A8, 0x00B8, 0x02C6, 0x02C7,
                                   0x02D8, 0x02D9, 0x02DA, 0x02DB, 0x02DC, 0x02DD };
#define BESIDE_QUOTES 3

/* Signs inside words that separate nothing: apostrophes, primes, what cannot be seen. */
static const uint16_t silent[] = { 0x00AD, 0x02BC, 0x2018, 0x2019, 0x200B, 0x200C, 0x200D,
                                   0x2032, 0x2033, 0x2060, 0xFEFF };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool within(uint32_t code, const struct range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    return false;
}

static size_t place(uint32_t code, const uint16_t *codes, size_t count)
{
    size_t i = 0;
    while (i < count && codes[i] != code)
        i++;
    return i;
}

static const char *name_of(uint32_t code)
{
    size_t low = 0, high = COUNT(named);
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (named[middle].code < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low < COUNT(named) && named[low].code == code ? named[low].name : NULL;
}

static void put(struct fold *fold, const char *bytes, size_t len)
{
    struct wr_text *out = fold->out;
    if (fold->gap && fold->words && out->len > fold->start)
        wr_text_bytes(out, " ", 1);
    fold->gap = false;
    if (len == 1 && !out->cut && out->len + 1 < out->cap) {
        out->at[out->len++] = bytes[0];
        out->at[out->len] = '\0';
        return;
    }
    wr_text_bytes(out, bytes, len);
}

static void fold_ascii(struct fold *fold, unsigned char c)
{
    unsigned char what = ascii[c];
    if (what == GAP)
        fold->gap = true;
    else if (what != NOTHING)
        put(fold, (const char *)&what, 1);
}

/* A mark that hangs on the sign before it (the two strokes of Japanese) belongs to its word. */
static bool hangs(int32_t code)
{
    return code == 0x3099 || code == 0x309A;
}

/* One code of what a character decomposes to. */
static void fold_part(struct fold *fold, int32_t code)
{
    uint32_t u = (uint32_t)code;
    if (u < 0x80) {
        fold_ascii(fold, (unsigned char)u);
        return;
    }
    const char *name = name_of(u);
    if (name) {
        put(fold, name, strlen(name));
        return;
    }
    if (within(u, accents, COUNT(accents)) || place(u, silent, COUNT(silent)) < COUNT(silent))
        return;
    utf8proc_category_t category = utf8proc_category(code);
    bool letter = category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NO;
    if (!letter) {
        fold->gap = true;
        return;
    }
    bool sign = within(u, signs, COUNT(signs));
    if (sign)
        fold->gap = true;
    if (hangs(code))
        fold->gap = false;
    uint8_t bytes[4];
    put(fold, (const char *)bytes, (size_t)utf8proc_encode_char(code, bytes));
    if (sign)
        fold->gap = true;
}

#define PARTS 32        /* the longest decomposition has 18 */

static void fold_code(struct fold *fold, int32_t code)
{
    if (code < 0x80 && code != '`') {
        fold_ascii(fold, (unsigned char)code);
        return;
    }
    size_t accent = place((uint32_t)code, beside, COUNT(beside));
    if (accent < COUNT(beside)) {
        if (accent >= BESIDE_QUOTES)
            fold->gap = false;
        return;
    }
    int32_t parts[PARTS];
    int class = 0;
    utf8proc_option_t how = UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD;
    utf8proc_ssize_t count = utf8proc_decompose_char(code, parts, PARTS, how, &class);
    for (utf8proc_ssize_t i = 0; i < count && i < PARTS; i++)
        fold_part(fold, parts[i]);
}

/* How many bytes an entity at `text` has, and what it means: a code, or 0 for a sign that
 * only separates.  Names of Greek letters and of mathematics need no entry: without & and ;
 * they are what the letter becomes. */
static const struct entity { const char *name; int32_t code; } entities[] = {
    { "amp", '&' }, { "lt", '<' }, { "gt", '>' }, { "quot", '"' }, { "apos", '\'' },
    { "nbsp", ' ' }, { "ndash", '-' }, { "mdash", '-' }, { "lsquo", '\'' },
    { "rsquo", '\'' }, { "ldquo", '"' }, { "rdquo", '"' }, { "hellip", '.' },
    { "szlig", 0xDF }, { "aelig", 0xE6 }, { "oelig", 0x153 },
};

static const char *const entity_accents[] = {
    "acute", "grave", "uml", "circ", "tilde", "cedil", "ring", "slash", "caron", "breve",
    "macr", "ogon", "dot", "dblac", "strok",
};

#define ENTITY_MAX 10

static unsigned digit_of(char c)
{
    unsigned u = (unsigned char)c, lower = u | 32;
    if (u >= '0' && u <= '9')
        return u - '0';
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 99;
}

static size_t entity_number(const char *text, size_t end, int32_t *code)
{
    unsigned base = 10;
    size_t at = 2;
    if (at < end && (text[at] == 'x' || text[at] == 'X')) {
        base = 16;
        at++;
    }
    int32_t value = 0;
    size_t digits = at;
    for (; at < end; at++) {
        unsigned digit = digit_of(text[at]);
        if (digit >= base)
            return 0;
        value = value * (int32_t)base + (int32_t)digit;
        if (value > 0x10FFFF)
            return 0;
    }
    *code = value;
    return at > digits ? end + 1 : 0;
}

static size_t entity(const char *text, size_t len, int32_t *code)
{
    size_t end = 1;
    while (end < len && end < ENTITY_MAX && text[end] != ';')
        end++;
    if (end >= len || text[end] != ';')
        return 0;
    if (text[1] == '#')
        return entity_number(text, end, code);
    for (size_t i = 0; i < COUNT(entities); i++) {
        const char *name = entities[i].name;
        if (strlen(name) == end - 1 && strncasecmp(name, text + 1, end - 1) == 0) {
            *code = entities[i].code;
            return end + 1;
        }
    }
    for (size_t i = 0; i < COUNT(entity_accents); i++) {
        const char *name = entity_accents[i];
        if (strlen(name) == end - 2 && strncasecmp(name, text + 2, end - 2) == 0) {
            *code = (unsigned char)text[1];
            return *code < 0x80 ? end + 1 : 0;
        }
    }
    return 0;
}

/* Tags that stand in titles of public data sets; "mml:" and "jats:" begin many. */
static const char *const tags[] = { "i", "b", "u", "em", "strong", "sub", "sup", "tt", "sc",
                                    "scp", "span", "br", "p", "italic", "bold", "inf" };

#define TAG_MAX 200

static size_t tag(const char *text, size_t len)
{
    size_t at = len > 1 && text[1] == '/' ? 2 : 1, name = at;
    while (at < len && at < name + 8 && (text[at] | 32) >= 'a' && (text[at] | 32) <= 'z')
        at++;
    size_t name_len = at - name;
    bool known = at < len && text[at] == ':' &&
                 ((name_len == 3 && memcmp(text + name, "mml", 3) == 0) ||
                  (name_len == 4 && memcmp(text + name, "jats", 4) == 0));
    for (size_t i = 0; i < COUNT(tags) && !known; i++)
        known = strlen(tags[i]) == name_len &&
                strncasecmp(tags[i], text + name, name_len) == 0 && at < len &&
                (text[at] == '>' || text[at] == '/' || text[at] == ' ');
    if (!known)
        return 0;
    while (at < len && at < TAG_MAX && text[at] != '>' && text[at] != '<')
        at++;
    return at < len && text[at] == '>' ? at + 1 : 0;
}

/* One character, entity or tag; returns how many bytes it had. */
static size_t fold_next(struct fold *fold, const char *text, size_t len)
{
    unsigned char c = (unsigned char)text[0];
    int32_t code = 0;
    size_t used = 0;
    if (c < 0x80) {
        if (c == '&' && (used = entity(text, len, &code)) > 0) {
            fold_code(fold, code);
            return used;
        }
        if (c == '<' && (used = tag(text, len)) > 0)
            return used;
        if (c == '\\' && len > 1 && (unsigned char)text[1] < 0x80 && ascii[(int)text[1]] == GAP)
            return 2;       /* \"u: an accent of TeX */
        fold_code(fold, c);
        return 1;
    }
    utf8proc_ssize_t size = utf8proc_iterate((const uint8_t *)text,
                                             (utf8proc_ssize_t)(len < 4 ? len : 4), &code);
    if (size <= 0)
        return 1;
    fold_code(fold, code);
    return (size_t)size;
}

static void fold_all(struct fold *fold, const char *text, size_t len)
{
    struct wr_text *out = fold->out;
    for (size_t at = 0; at < len && !out->cut;) {
        unsigned char c = (unsigned char)text[at];
        /* Nearly all of it is letters of ASCII that follow one another. */
        if (c < 0x80 && ascii[c] > GAP && !fold->gap && out->len + 1 < out->cap) {
            out->at[out->len++] = (char)ascii[c];
            out->at[out->len] = '\0';
            at++;
            continue;
        }
        at += fold_next(fold, text + at, len - at);
    }
}

void bib_fold(struct wr_text *ret, const char *text, size_t len)
{
    struct fold fold = { .out = ret, .start = ret->len };
    fold_all(&fold, text, len);
}

void bib_fold_words(struct wr_text *ret, const char *text, size_t len)
{
    struct fold fold = { .out = ret, .start = ret->len, .words = true };
    fold_all(&fold, text, len);
}
