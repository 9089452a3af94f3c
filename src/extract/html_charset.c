/* html_charset.c - the encoding that a page states, before it can be read in that. */
#include <string.h>
#include <strings.h>

#include "extract/html_meta.h"

#define SEEN 4096                   /* bytes in which it is looked for */

/* <meta charset=x> and <meta http-equiv=content-type content="text/html; charset=x">. */
bool html_charset(char ret[HTML_CHARSET_MAX], const char *bytes, size_t size)
{
    const char *end = bytes + (size < SEEN ? size : SEEN);
    for (const char *at = bytes; (at = memchr(at, '<', (size_t)(end - at))); at++) {
        if (end - at < 6 || strncasecmp(at, "<meta", 5) != 0)
            continue;
        const char *close = memchr(at, '>', (size_t)(end - at));
        for (const char *c = at + 5; close && c + 8 < close; c++) {
            if (strncasecmp(c, "charset=", 8) != 0)
                continue;
            c += 8;
            c += *c == '"' || *c == '\'';
            size_t len = 0;
            while (c + len < close && !strchr(" \t\r\n\"'/;>", c[len]))
                len++;
            if (len == 0 || len >= HTML_CHARSET_MAX)
                return false;
            memcpy(ret, c, len);
            ret[len] = '\0';
            return true;
        }
    }
    return false;
}
