/* html_count.c - how much a text says, in whatever script. */
#include "extract/html_main.h"

/* Signs that are syllables or words, and as wide as two letters. */
static bool is_wide(uint32_t code)
{
    return (code >= 0x1100 && code < 0x1200) || (code >= 0x2e80 && code < 0xa4d0)
        || (code >= 0xac00 && code < 0xd7b0) || (code >= 0xf900 && code < 0xfb00)
        || (code >= 0xff00 && code < 0xff61) || (code >= 0x20000 && code < 0x40000);
}

/* Stops of scripts other than the Latin one. */
static bool is_stop(uint32_t code)
{
    switch (code >> 8) {
    case 0x05: return code == 0x0589;                                       /* Armenian */
    case 0x06: return code == 0x060c || code == 0x061b || code == 0x061f || code == 0x06d4;
    case 0x09: return code == 0x0964 || code == 0x0965;                     /* Hindi */
    case 0x13: return code == 0x1362 || code == 0x1363;                     /* Amharic */
    case 0x17: return code == 0x17d4;                                       /* Khmer */
    case 0x20: return code == 0x2026;
    case 0x30: return code == 0x3001 || code == 0x3002;                     /* Chinese */
    case 0xff:
        return code == 0xff01 || code == 0xff0c || code == 0xff0e || code == 0xff1a
            || code == 0xff1b || code == 0xff1f;
    default: return false;
    }
}

static size_t decode(const char *text, size_t len, uint32_t *ret)
{
    unsigned char c = (unsigned char)text[0];
    size_t want = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
    if (want > len)
        want = len;
    uint32_t code = want == 1 ? c : c & (0x7fu >> want);
    for (size_t i = 1; i < want; i++)
        code = code << 6 | ((unsigned char)text[i] & 0x3f);
    *ret = code;
    return want;
}

/* What a byte of a text is; everything else of ASCII is a letter. */
enum { LETTER, SPACE, STOP, MANY };
static const unsigned char kinds[256] = {
    ['\t'] = SPACE, ['\n'] = SPACE, ['\v'] = SPACE, ['\f'] = SPACE, ['\r'] = SPACE,
    [' '] = SPACE, ['.'] = STOP, [','] = STOP, [';'] = STOP, ['!'] = STOP, ['?'] = STOP,
    [0x80 ... 0xff] = MANY,
};

void html_count_add(struct html_count *count, const char *text, size_t len)
{
    const unsigned char *at = (const unsigned char *)text, *end = at + len;
    uint32_t length = 0, stops = 0, code;
    while (at < end) {
        const unsigned char *from = at;
        switch (kinds[*at]) {
        case SPACE:
            while (at < end && kinds[*at] == SPACE)
                at++;
            length += from > (const unsigned char *)text && at < end;
            break;
        case MANY:
            at += decode((const char *)at, (size_t)(end - at), &code);
            stops += is_stop(code);
            length += is_wide(code) ? 2 : 1;
            break;
        default:
            while (at < end && kinds[*at] != SPACE && kinds[*at] != MANY)
                at++;
            length += (uint32_t)(at - from);
            stops += kinds[at[-1]] == STOP && (at == end || kinds[*at] == SPACE);
        }
    }
    count->length += length;
    count->stops += stops;
}
