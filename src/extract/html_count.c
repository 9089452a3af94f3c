/* html_count.c - how much a text says, in whatever script. */
#include "extract/html_main.h"

static bool is_space(unsigned char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

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
    static const uint16_t stops[] = {
        0x0589, 0x060c, 0x061b, 0x061f, 0x06d4,     /* Armenian, Arabic */
        0x0964, 0x0965, 0x1362, 0x1363, 0x17d4,     /* Hindi, Amharic, Khmer */
        0x2026, 0x3001, 0x3002,                     /* Chinese, Japanese */
        0xff01, 0xff0c, 0xff0e, 0xff1a, 0xff1b, 0xff1f,
    };
    if (code < stops[0] || (code > 0x3002 && code < 0xff01))
        return false;               /* most letters of most texts */
    for (size_t i = 0; i < sizeof(stops) / sizeof(stops[0]); i++)
        if (stops[i] == code)
            return true;
    return false;
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

void html_count_add(struct html_count *count, const char *text, size_t len)
{
    for (size_t i = 0; i < len;) {
        unsigned char c = (unsigned char)text[i];
        if (is_space(c)) {
            size_t from = i;
            while (i < len && is_space((unsigned char)text[i]))
                i++;
            count->length += from > 0 && i < len;
            continue;
        }
        if (c < 0x80) {
            bool last = i + 1 == len || is_space((unsigned char)text[i + 1]);
            count->stops += last && (c == '.' || c == ',' || c == ';' || c == '!' || c == '?');
            count->length++;
            i++;
            continue;
        }
        uint32_t code;
        i += decode(text + i, len - i, &code);
        count->stops += is_stop(code);
        count->length += is_wide(code) ? 2 : 1;
    }
}
