/* robots.c - see robots.h. */
#include "crawl/robots.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

#define PATTERN_MAX 8192            /* as long as a URL may be */
#define PATTERNS_MAX ((size_t)3 * ROBOTS_MAX)        /* each byte may become three */

struct rule {
    uint32_t at;                    /* in the patterns */
    uint16_t len;
    bool allow;
    bool whole;                     /* the pattern ended in "$" */
};

struct robots {
    struct wr_text patterns;
    struct rule *rules;             /* the longest first, of the same length Allow first */
    size_t count, cap;
    wr_time delay;
};

/* ---- one way to write a path ---- */

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool is_unreserved(unsigned char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
           || (c && strchr("-._~", c));
}

static void add_encoded(struct wr_text *text, unsigned char c)
{
    static const char digits[] = "0123456789ABCDEF";
    wr_text_bytes(text, (char[]){ '%', digits[c >> 4], digits[c & 15] }, 3);
}

/* What has no meaning of its own is as it is, all else is encoded if it must or was.  A star
 * in a path is a letter, in a pattern it is not. */
static void add_path(struct wr_text *text, const char *bytes, size_t len, bool pattern)
{
    size_t begin = text->len;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)bytes[i];
        int high = c == '%' && i + 2 < len ? digit(bytes[i + 1]) : -1;
        int low = high >= 0 ? digit(bytes[i + 2]) : -1;
        if (low >= 0) {
            c = (unsigned char)(high << 4 | low);
            i += 2;
            if (is_unreserved(c))
                wr_text_bytes(text, (char *)&c, 1);
            else
                add_encoded(text, c);
        } else if (c <= ' ' || c >= 127 || c == '$' || (c == '*' && !pattern)) {
            add_encoded(text, c);
        } else if (c != '*' || text->len == begin || text->at[text->len - 1] != '*') {
            wr_text_bytes(text, (char *)&c, 1);     /* one star of several */
        }
    }
}

/* ---- the file ---- */

struct line { const char *key; size_t key_len; const char *value; size_t value_len; };

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static void trim(const char **at, size_t *len)
{
    while (*len > 0 && is_blank(**at))
        ++*at, --*len;
    while (*len > 0 && is_blank((*at)[*len - 1]))
        --*len;
}

/* The next line that has a key and a value, without its comment. */
static bool next_line(const char **at, const char *end, struct line *ret)
{
    while (*at < end) {
        const char *from = *at;
        while (*at < end && **at != '\n' && **at != '\r')
            ++*at;
        size_t len = (size_t)(*at - from);
        if (*at < end)
            ++*at;
        const char *comment = memchr(from, '#', len);
        if (comment)
            len = (size_t)(comment - from);
        const char *colon = memchr(from, ':', len);
        if (!colon)
            continue;
        *ret = (struct line){ .key = from, .key_len = (size_t)(colon - from),
                              .value = colon + 1,
                              .value_len = (size_t)(from + len - colon - 1) };
        trim(&ret->key, &ret->key_len);
        trim(&ret->value, &ret->value_len);
        return true;
    }
    return false;
}

static bool is_key(const struct line *line, const char *name)
{
    return line->key_len == strlen(name) && strncasecmp(line->key, name, line->key_len) == 0;
}

/* "Weir/1.0 (like a river)" names weir. */
static bool names(const struct line *line, const char *token)
{
    size_t len = 0;
    if (*token == '*')
        return line->value_len > 0 && line->value[0] == '*'
               && (line->value_len == 1 || is_blank(line->value[1]));
    while (len < line->value_len
           && (line->value[len] == '-' || line->value[len] == '_'
               || ((line->value[len] | 0x20) >= 'a' && (line->value[len] | 0x20) <= 'z')))
        len++;
    return len == strlen(token) && strncasecmp(line->value, token, len) == 0;
}

static wr_time read_delay(const struct line *line)
{
    wr_time span = 0, part = WR_S(1);
    bool fraction = false;
    for (size_t i = 0; i < line->value_len; i++) {
        char c = line->value[i];
        if (c == '.' && !fraction) {
            fraction = true;
        } else if (c < '0' || c > '9') {
            return 0;
        } else if (fraction) {
            part /= 10;
            span += (c - '0') * part;
        } else {
            span = span * 10 + WR_S(c - '0');
        }
        if (span > ROBOTS_DELAY_MAX)
            return ROBOTS_DELAY_MAX;
    }
    return span;
}

static wr_err add_rule(struct robots *robots, const struct line *line, bool allow)
{
    size_t begin = robots->patterns.len;
    bool whole = line->value_len > 0 && line->value[line->value_len - 1] == '$';
    add_path(&robots->patterns, line->value, line->value_len - whole, true);
    if (robots->patterns.cut)
        return WR_NOMEM;
    size_t len = robots->patterns.len - begin;
    if (len == 0 || len > PATTERN_MAX) {    /* "Disallow:" forbids nothing */
        wr_text_rewind(&robots->patterns, begin);
        return WR_OK;
    }
    if (robots->count == robots->cap) {
        size_t cap = robots->cap ? robots->cap * 2 : 16;
        struct rule *rules = realloc(robots->rules, cap * sizeof(*rules));
        if (!rules)
            return WR_NOMEM;
        robots->rules = rules;
        robots->cap = cap;
    }
    robots->rules[robots->count++] = (struct rule){
        .at = (uint32_t)begin, .len = (uint16_t)len, .allow = allow, .whole = whole };
    return WR_OK;
}

/* Take what is said to `token`; *ret_named: it was mentioned. */
static wr_err take_groups(struct robots *robots, const char *bytes, size_t len,
                          const char *token, bool *ret_named)
{
    const char *at = bytes;
    struct line line;
    bool ours = false, head = false;
    wr_err err = WR_OK;
    *ret_named = false;
    while (!err && next_line(&at, bytes + len, &line)) {
        bool allow = is_key(&line, "allow");
        bool delay = is_key(&line, "crawl-delay");
        if (is_key(&line, "user-agent")) {
            ours = names(&line, token) || (head && ours);
            head = true;
            *ret_named |= ours;
        } else if (allow || delay || is_key(&line, "disallow")) {
            head = false;
            if (ours && !delay)
                err = add_rule(robots, &line, allow);
            wr_time span = ours && delay ? read_delay(&line) : 0;
            if (span > robots->delay)
                robots->delay = span;
        }
    }
    return err;
}

static int by_weight(const void *a, const void *b)
{
    const struct rule *one = a, *other = b;
    int lengths = (other->len + other->whole) - (one->len + one->whole);
    return lengths ? lengths : other->allow - one->allow;
}

wr_err robots_parse(struct robots **ret, const char *bytes, size_t len, const char *token)
{
    bool named;
    struct robots *robots = calloc(1, sizeof(*robots));
    if (!robots)
        return WR_NOMEM;
    robots->patterns = wr_text_heap(PATTERNS_MAX);
    if (len > ROBOTS_MAX)
        len = ROBOTS_MAX;
    if (len >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) {
        bytes += 3;
        len -= 3;
    }
    wr_err err = take_groups(robots, bytes, len, token, &named);
    if (!err && !named)
        err = take_groups(robots, bytes, len, "*", &named);
    if (err) {
        robots_free(robots);
        return err;
    }
    if (robots->count > 0)
        qsort(robots->rules, robots->count, sizeof(*robots->rules), by_weight);
    *ret = robots;
    return WR_OK;
}

void robots_free(struct robots *robots)
{
    if (!robots)
        return;
    wr_text_free(&robots->patterns);
    free(robots->rules);
    free(robots);
}

/* ---- asking it ---- */

/* Pieces between stars are looked for from left to right; the first is where the path begins,
 * and the last of a whole pattern where it ends.  To take the leftmost each time is enough. */
static bool matches(const char *pattern, const struct rule *rule, const char *path, size_t len)
{
    const char *at = path, *end = path + len, *last = pattern + rule->len;
    for (const char *piece = pattern;; piece++) {
        const char *star = memchr(piece, '*', (size_t)(last - piece));
        size_t size = (size_t)((star ? star : last) - piece), left = (size_t)(end - at);
        if (size > left)
            return false;
        if (piece == pattern) {
            if (memcmp(at, piece, size) != 0 || (!star && rule->whole && size != left))
                return false;
        } else if (!star && rule->whole) {
            return memcmp(end - size, piece, size) == 0;
        } else {
            at = size ? memmem(at, left, piece, size) : at;
            if (!at)
                return false;
        }
        if (!star)
            return true;
        at += size;
        piece = star;
    }
}

bool robots_allow(const struct robots *robots, const char *target)
{
    bool allowed = true, found = false;
    if (robots->count == 0 || strcmp(target, "/robots.txt") == 0)
        return true;
    struct wr_text path = wr_text_heap((size_t)3 * PATTERN_MAX + 1);
    add_path(&path, target, strlen(target), false);
    if (path.cut)
        allowed = false;            /* longer than any URL, or there is no memory to know */
    for (size_t i = 0; i < robots->count && allowed && !found; i++) {
        const struct rule *rule = &robots->rules[i];
        found = matches(robots->patterns.at + rule->at, rule, path.at, path.len);
        if (found)
            allowed = rule->allow;
    }
    wr_text_free(&path);
    return allowed;
}

size_t robots_effort(const struct robots *robots, size_t target_len)
{
    return robots->count * target_len + robots->patterns.len;
}

wr_time robots_delay(const struct robots *robots)
{
    return robots->delay;
}

size_t robots_size(const struct robots *robots)
{
    return sizeof(*robots) + robots->patterns.cap + robots->cap * sizeof(*robots->rules);
}
