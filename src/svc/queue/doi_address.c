/* doi_address.c - see doi_address.h. */
#include "svc/queue/doi_address.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "source/reading.h"

bool doi_is(const char *text)
{
    size_t digits = strncmp(text, "10.", 3) == 0 ? strspn(text + 3, "0123456789") : 0;
    if (digits < 4 || text[3 + digits] != '/' || !text[4 + digits] || strlen(text) > DOI_MAX)
        return false;
    for (const char *at = text + 4 + digits; *at; at++)
        if (isspace((unsigned char)*at) || iscntrl((unsigned char)*at))
            return false;
    return true;
}

/* Decoded, in lower case; false: it is too long, or has characters that a DOI has not. */
static bool decode(char ret[DOI_MAX + 1], const char *at, size_t len)
{
    size_t count = 0;
    for (size_t i = 0; i < len; i++) {
        char c = at[i];
        if (c == '%' && i + 2 < len && isxdigit((unsigned char)at[i + 1])
            && isxdigit((unsigned char)at[i + 2])) {
            c = (char)strtoul((char[]){ at[i + 1], at[i + 2], '\0' }, NULL, 16);
            i += 2;
        }
        if (count == DOI_MAX || c <= ' ' || c == 0x7f)
            return false;
        ret[count++] = (char)tolower((unsigned char)c);
    }
    ret[count] = '\0';
    return true;
}

static bool resolve(const char *address, char ret[DOI_MAX + 1])
{
    static const char *const resolvers[] = { "doi.org/", "dx.doi.org/", "www.doi.org/" };
    const char *at = strstr(address, "://");
    for (size_t i = 0; at && i < sizeof(resolvers) / sizeof(resolvers[0]); i++) {
        size_t len = strlen(resolvers[i]);
        if (strncasecmp(at + 3, resolvers[i], len) != 0)
            continue;
        const char *name = at + 3 + len;
        name += strncasecmp(name, "doi:", 4) == 0 ? 4 : 0;
        return decode(ret, name, strcspn(name, "?#")) && doi_is(ret);
    }
    return false;
}

const char *doi_of_resolver(const char *address, char ret[DOI_MAX + 1])
{
    return resolve(address, ret) ? ret : NULL;
}

const char *doi_in_address(const char *address, char ret[DOI_MAX + 1])
{
    static const char *const forms[] = { "/full", "/abstract", "/pdf", "/epdf", ".pdf", "/" };
    if (resolve(address, ret))
        return ret;
    for (const char *at = address; (at = strstr(at, "10.")); at++) {
        size_t digits = strspn(at + 3, "0123456789"), slash = at[3 + digits] == '/' ? 1 : 3;
        if (at == address || !strchr("/=:", at[-1]) || digits < 4
            || (slash == 3 && strncasecmp(at + 3 + digits, "%2f", 3) != 0))
            continue;
        if (!decode(ret, at, strcspn(at, "?#& ")))
            return NULL;
        for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
            size_t form = strlen(forms[i]), len = strlen(ret);
            if (len > digits + 4 + form && strcmp(ret + len - form, forms[i]) == 0)
                ret[len - form] = '\0';
        }
        return doi_is(ret) ? ret : NULL;
    }
    return NULL;
}

/* Any character may be in a DOI. */
wr_err doi_address(char ret[ADDRESS_MAX + 1], const char *doi)
{
    char url[3 * DOI_MAX + 40];
    struct wr_text text = WR_TEXT(url);
    const char *why;
    wr_text_str(&text, "https://doi.org/");
    for (const char *at = doi; *at; at++)
        request_escape(&text, (char[]){ (char)tolower((unsigned char)*at), '\0' }, "/:;()");
    return text.cut ? WR_INVALID : address_read(ret, url, &why);
}
