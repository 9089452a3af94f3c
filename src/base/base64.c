/* base64.c - six bits a character. */
#include "base/base64.h"

#include <stdint.h>

static char letter(unsigned value)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    return letters[value & 63];
}

size_t wr_base64_print(char *buf, const void *bytes, size_t size)
{
    const unsigned char *from = bytes;
    size_t len = 0;
    unsigned bits = 0, held = 0;
    for (size_t i = 0; i < size; i++) {
        bits = bits << 8 | from[i];
        for (held += 8; held >= 6; held -= 6)
            buf[len++] = letter(bits >> (held - 6));
    }
    if (held > 0)
        buf[len++] = letter(bits << (6 - held));
    buf[len] = '\0';
    return len;
}

static int value_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '-' ? 62 : c == '_' ? 63 : -1;
}

wr_err wr_base64_parse(size_t *ret, void *buf, size_t cap, const char *text, size_t len)
{
    unsigned char *to = buf;
    size_t size = 0;
    unsigned bits = 0, held = 0;
    if (len % 4 == 1)
        return WR_INVALID;
    if (len / 4 * 3 + len % 4 * 3 / 4 > cap)
        return WR_NOMEM;
    for (size_t i = 0; i < len; i++) {
        int value = value_of(text[i]);
        if (value < 0)
            return WR_INVALID;
        bits = bits << 6 | (unsigned)value;
        held += 6;
        if (held >= 8) {
            held -= 8;
            to[size++] = (unsigned char)(bits >> held);
        }
    }
    if (bits & ((1u << held) - 1))
        return WR_INVALID;
    *ret = size;
    return WR_OK;
}
