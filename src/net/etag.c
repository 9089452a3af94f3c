/* etag.c - see etag.h. */
#include "net/etag.h"

#include <stdbool.h>
#include <string.h>

#include "base/hash.h"
#include "base/world.h"
#include "net/date.h"

const char *etag_print(const void *bytes, size_t size, char *buf)
{
    char hex[WR_HASH_TEXT];
    struct wr_hash hash = wr_hash_of(bytes, size);
    wr_hash_print(&hash, hex);
    buf[0] = '"';
    memcpy(buf + 1, hex, ETAG_TEXT - 3);
    buf[ETAG_TEXT - 2] = '"';
    buf[ETAG_TEXT - 1] = '\0';
    return buf;
}

/* ---- conditions ---- */

/* Whether a tag is in a list of them; `*` is every tag.  A weak one is like the strong
 * one only where that is enough. */
static bool listed(const char *list, const char *tag, bool weak)
{
    size_t len = strlen(tag);
    for (const char *at = list; *at;) {
        at += strspn(at, " \t,");
        if (*at == '*')
            return true;
        bool is_weak = strncmp(at, "W/", 2) == 0;
        at += is_weak ? 2 : 0;
        const char *end = *at == '"' ? strchr(at + 1, '"') : NULL;
        if (!end)
            return false;
        size_t size = (size_t)(end + 1 - at);
        if ((weak || !is_weak) && size == len && memcmp(at, tag, len) == 0)
            return true;
        at = end + 1;
    }
    return false;
}

static bool read_date(const char *text, int64_t *ret)
{
    return text && !date_parse(ret, text, wr_world->wall() / WR_S(1));
}

static bool only_reads(const struct wr_call *call)
{
    const char *method = wr_call_method(call);
    return strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
}

unsigned etag_judge(const struct wr_call *call, const struct etag_of *of)
{
    const char *match = wr_call_header(call, "if-match");
    const char *none = wr_call_header(call, "if-none-match");
    int64_t date;
    if (match) {
        if (!listed(match, of->tag, false))
            return 412;
    } else if (of->modified && read_date(wr_call_header(call, "if-unmodified-since"), &date)) {
        if (of->modified > date)
            return 412;
    }
    if (none)
        return !listed(none, of->tag, true) ? 0 : only_reads(call) ? 304 : 412;
    if (of->modified && only_reads(call)
        && read_date(wr_call_header(call, "if-modified-since"), &date)
        && of->modified <= date)
        return 304;
    return 0;
}

/* ---- ranges ---- */

static bool still_is(const char *if_range, const struct etag_of *of)
{
    int64_t date;
    if (!if_range)
        return true;
    if (if_range[0] == '"')
        return strcmp(if_range, of->tag) == 0;
    return of->modified && read_date(if_range, &date) && date == of->modified;
}

/* Digits; false without any.  Too many are as good as the largest. */
static bool number(const char **at, uint64_t *ret)
{
    const char *start = *at;
    for (*ret = 0; **at >= '0' && **at <= '9'; ++*at) {
        uint64_t digit = (uint64_t)(**at - '0');
        *ret = *ret > (UINT64_MAX - digit) / 10 ? UINT64_MAX : *ret * 10 + digit;
    }
    return *at > start;
}

unsigned etag_range(const struct wr_call *call, const struct etag_of *of,
                    struct etag_part *ret)
{
    const char *at = wr_call_header(call, "range");
    uint64_t first, last;
    *ret = (struct etag_part){ 0, of->size };
    if (!at || strncmp(at, "bytes=", 6) != 0 || strcmp(wr_call_method(call), "GET") != 0
        || !still_is(wr_call_header(call, "if-range"), of))
        return 200;
    at += 6;
    bool suffix = !number(&at, &first);
    if (*at++ != '-')
        return 200;
    bool bounded = number(&at, &last);
    if (*at || (suffix && !bounded) || (!suffix && bounded && last < first))
        return 200;
    if (suffix) {
        uint64_t len = last < of->size ? last : of->size;
        *ret = (struct etag_part){ of->size - len, len };
        return len ? 206 : 416;
    }
    if (first >= of->size)
        return 416;
    uint64_t len = bounded && last - first < of->size - first ? last - first + 1
                                                              : of->size - first;
    *ret = (struct etag_part){ first, len };
    return 206;
}
