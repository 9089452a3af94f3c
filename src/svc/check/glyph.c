/* glyph.c - text of strangers, as it may be shown to people. */
#include <string.h>

#include <utf8proc.h>

#include "svc/check/glyph.h"

static bool is_space(int32_t code)
{
    return (code >= '\t' && code <= '\r') || code == 0x85 || code == 0x2028 || code == 0x2029;
}

static bool is_unfit(int32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0)     /* controls */
        || (code >= 0x202a && code <= 0x202e)               /* embeddings, overrides */
        || (code >= 0x2066 && code <= 0x2069)               /* isolates */
        || (code >= 0xe0000 && code < 0xe0080)              /* tags: text nobody sees */
        || code == 0xfeff || (code & 0xfffe) == 0xfffe;     /* byte order, no characters */
}

struct check_glyph check_glyph_next(const char **at)
{
    static const char space[] = " ", replacement[] = "\xef\xbf\xbd";
    const char *begin = *at;
    utf8proc_int32_t code;
    utf8proc_ssize_t len = utf8proc_iterate((const utf8proc_uint8_t *)begin,
                                            (utf8proc_ssize_t)strnlen(begin, 4), &code);
    *at += len > 0 ? len : 1;
    if (len > 0 && is_space(code))
        return (struct check_glyph){ space, 1, ' ' };
    if (len <= 0 || is_unfit(code))
        return (struct check_glyph){ replacement, 3, 0xfffd };
    return (struct check_glyph){ begin, (size_t)len, code };
}

void check_glyphs(struct wr_text *ret, const char *text)
{
    while (text && *text) {
        struct check_glyph glyph = check_glyph_next(&text);
        wr_text_bytes(ret, glyph.bytes, glyph.len);
    }
}
