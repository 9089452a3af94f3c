/* address.c - see address.h. */
#include "crawl/address.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <idn2.h>

#include "base/text.h"
#include "net/fetch_url.h"

#define HOST_MAX 255
#define ALNUM "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

/* An address in its parts, before it is judged. */
struct pasted {
    const char *scheme;
    const char *host, *port, *rest;     /* where they begin; each ends where the next does */
    size_t len;                         /* of all but the fragment and the blanks after it */
};

static wr_err refuse(const char **ret_why, const char *why)
{
    *ret_why = why;
    return WR_INVALID;
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* ---- taking it apart ---- */

static wr_err split(struct pasted *ret, const char *text, const char **ret_why)
{
    while (is_blank(*text))
        text++;
    size_t len = strcspn(text, "#"), head = strncasecmp(text, "http://", 7) == 0    ? 7
                                            : strncasecmp(text, "https://", 8) == 0 ? 8
                                                                                    : 0;
    while (len > 0 && is_blank(text[len - 1]))
        len--;
    if (head == 0)
        return refuse(ret_why, "it does not begin with http:// or https://");
    if (len <= head || strchr("/?", text[head]))
        return refuse(ret_why, "it has no host");
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            return refuse(ret_why, "it has a line break, a tab or another character that is "
                                   "none");
    *ret = (struct pasted){ .scheme = head == 7 ? "http" : "https", .len = len,
                            .host = text + head };
    ret->rest = ret->host + strcspn(ret->host, "/?");
    if (ret->rest > text + len)
        ret->rest = text + len;
    ret->len = (size_t)(text + len - ret->rest);
    ret->port = ret->rest;
    for (const char *at = ret->rest; at > ret->host && at[-1] != ']'; at--)
        if (at[-1] == ':')
            ret->port = at - 1;
    return WR_OK;
}

/* ---- putting it together ---- */

/* A name that is not ASCII, as the resolver has it.  What comes out of it is looked at again:
 * among the letters that are made plain are some that would begin a port or a path.  (The
 * library's own rules against these leave them out without a word.) */
static wr_err write_name(struct wr_text *text, const char *host, size_t len,
                         const char **ret_why)
{
    static const char wrong[] = "its host is no name that can be looked up";
    char name[HOST_MAX + 1];
    char *plain = NULL;
    if (len > HOST_MAX)
        return refuse(ret_why, wrong);
    snprintf(name, sizeof(name), "%.*s", (int)len, host);
    int code = idn2_lookup_u8((const uint8_t *)name, (uint8_t **)&plain,
                              IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
    if (code == IDN2_MALLOC) {
        *ret_why = "there is no memory";
        return WR_NOMEM;
    }
    bool good = code == IDN2_OK && strspn(plain, ALNUM "-._") == strlen(plain);
    if (good)
        wr_text_str(text, plain);
    idn2_free(plain);
    return good ? WR_OK : refuse(ret_why, wrong);
}

static wr_err write_host(struct wr_text *text, const struct pasted *pasted,
                         const char **ret_why)
{
    size_t len = (size_t)(pasted->port - pasted->host);
    bool plain = true;
    for (size_t i = 0; i < len; i++)
        plain &= (unsigned char)pasted->host[i] < 0x80;
    wr_err err = WR_OK;
    if (memchr(pasted->host, '@', (size_t)(pasted->rest - pasted->host)))
        return refuse(ret_why, "it carries a user or password, which is kept for nobody");
    if (strcspn(pasted->host, "\\ %") < len)
        return refuse(ret_why, "its host is neither a name nor an address");
    if (plain)
        wr_text_bytes(text, pasted->host, len);
    else
        err = write_name(text, pasted->host, len, ret_why);
    wr_text_bytes(text, pasted->port, (size_t)(pasted->rest - pasted->port));
    return err;
}

static int hex(char c)
{
    const char *digits = "0123456789abcdef";
    const char *at = c ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* Characters that mean the same with and without a percent sign are written without, all
 * others that no address may have with one. */
static void write_rest(struct wr_text *text, const struct pasted *pasted)
{
    if (pasted->len == 0 || pasted->rest[0] == '?')
        wr_text_str(text, "/");
    for (size_t i = 0; i < pasted->len; i++) {
        const char *at = pasted->rest + i;
        bool coded = *at == '%' && i + 2 < pasted->len && hex(at[1]) >= 0 && hex(at[2]) >= 0;
        int c = coded ? hex(at[1]) * 16 + hex(at[2]) : (unsigned char)*at;
        bool free = c && strchr(ALNUM "-._~", c);
        if (coded ? free : c > ' ' && c < 0x7f && !strchr("%\"<>\\^`{|}", c))
            wr_text_format(text, "%c", c);
        else
            wr_text_format(text, "%%%02X", c);
        i += coded ? 2 : 0;
    }
}

static wr_err put_together(char *ret, const struct pasted *pasted, const char **ret_why)
{
    struct wr_text text = wr_text_over(ret, ADDRESS_MAX + 1);
    wr_text_format(&text, "%s://", pasted->scheme);
    wr_err err = write_host(&text, pasted, ret_why);
    if (err)
        return err;
    write_rest(&text, pasted);
    return text.cut ? refuse(ret_why, "it is longer than 4096 bytes, as it must be encoded")
                    : WR_OK;
}

wr_err address_read(char ret[ADDRESS_MAX + 1], const char *text, const char **ret_why)
{
    struct pasted pasted;
    struct fetch_url url;
    wr_err err = split(&pasted, text, ret_why);
    if (!err)
        err = put_together(ret, &pasted, ret_why);
    if (!err)
        err = fetch_url_parse(&url, ret, NULL, ret_why);
    if (err)
        return err;
    size_t len = strlen(url.text);
    if (len <= ADDRESS_MAX)
        memcpy(ret, url.text, len + 1);
    else
        err = refuse(ret_why, "it is longer than 4096 bytes, as it must be encoded");
    fetch_url_free(&url);
    return err;
}
