/* href.c - addresses in their parts, put together by RFC 3986, 5.2. */
#include "extract/href.h"

#include <string.h>
#include <strings.h>

#include "base/text.h"

struct parts {
    const char *scheme, *host, *path, *query;       /* at NULL: there is none */
    size_t scheme_len, host_len, path_len, query_len;
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c);
}

/* Without white space around it, line ends in it and what is behind "#"; false: too long. */
static bool tidy(char ret[EXTRACT_HREF_MAX], const char *href)
{
    size_t len = 0;
    bool query = false;
    while (*href && (unsigned char)*href <= ' ')
        href++;
    for (; *href && *href != '#'; href++) {
        if (*href == '\t' || *href == '\n' || *href == '\r')
            continue;
        if (len == EXTRACT_HREF_MAX - 1)
            return false;
        query |= *href == '?';
        ret[len++] = (char)(*href == '\\' && !query ? '/' : *href);
    }
    while (len > 0 && (unsigned char)ret[len - 1] <= ' ')
        len--;
    ret[len] = '\0';
    return true;
}

static struct parts split(const char *text)
{
    struct parts ret = { 0 };
    const char *at = text;
    size_t scheme = 0;
    while (is_letter(at[scheme]) || (scheme > 0 && is_digit(at[scheme]))
           || (scheme > 0 && at[scheme] && strchr("+-.", at[scheme])))
        scheme++;
    if (scheme > 0 && at[scheme] == ':') {
        ret.scheme = at;
        ret.scheme_len = scheme;
        at += scheme + 1;
    }
    if (at[0] == '/' && at[1] == '/') {
        ret.host = at + 2;
        ret.host_len = strcspn(ret.host, "/?");
        at = ret.host + ret.host_len;
    }
    ret.path = at;
    ret.path_len = strcspn(at, "?");
    at += ret.path_len;
    if (*at == '?') {
        ret.query = at + 1;
        ret.query_len = strlen(at + 1);
    }
    return ret;
}

static bool is_scheme(const struct parts *parts, const char *name)
{
    size_t len = strlen(name);
    if (!parts->scheme || parts->scheme_len != len)
        return false;
    for (size_t i = 0; i < len; i++)
        if (lower(parts->scheme[i]) != name[i])
            return false;
    return true;
}

static void put_host(struct wr_text *ret, const struct parts *parts, bool tls)
{
    const char *port = tls ? ":443" : ":80";
    size_t len = parts->host_len, port_len = strlen(port);
    if (len > port_len && memcmp(parts->host + len - port_len, port, port_len) == 0)
        len -= port_len;
    else if (len > 0 && parts->host[len - 1] == ':')
        len--;
    for (size_t i = 0; i < len; i++) {
        char c = lower(parts->host[i]);
        wr_text_bytes(ret, &c, 1);
    }
}

static bool is_host(const struct parts *parts)
{
    if (parts->host_len == 0 || parts->host[0] == ':')
        return false;
    for (size_t i = 0; i < parts->host_len; i++) {
        unsigned char c = (unsigned char)parts->host[i];
        if (c <= ' ' || c == 0x7f || strchr("@<>\"^`{|}%\\", c))
            return false;
    }
    return true;
}

static void put_escaped(struct wr_text *ret, const char *at, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)at[i];
        if (c <= ' ' || c >= 0x7f || strchr("\"<>`{}|^", c))
            wr_text_format(ret, "%%%02X", c);
        else
            wr_text_bytes(ret, at + i, 1);
    }
}

/* Segment by segment: "." is nothing, ".." takes the last one back. */
static void put_path(struct wr_text *ret, const char *path, size_t len)
{
    size_t root = ret->len;
    for (size_t at = 0; at < len;) {
        at += path[at] == '/';
        const char *slash = memchr(path + at, '/', len - at);
        size_t segment = slash ? (size_t)(slash - path) - at : len - at;
        bool last = !slash;
        if (segment == 2 && path[at] == '.' && path[at + 1] == '.') {
            size_t back = ret->len;
            while (back > root && ret->at[back - 1] != '/')
                back--;
            wr_text_rewind(ret, back > root ? back - 1 : root);
            if (last)
                wr_text_str(ret, "/");
        } else if (segment == 1 && path[at] == '.') {
            if (last)
                wr_text_str(ret, "/");
        } else {
            wr_text_str(ret, "/");
            put_escaped(ret, path + at, segment);
        }
        at += segment;
        if (last)
            break;
    }
    if (ret->len == root)
        wr_text_str(ret, "/");
}

/* The path of a relative address: beside the last segment of the base. */
static void put_merged(struct wr_text *ret, const struct parts *base, const struct parts *link)
{
    char merged[2 * EXTRACT_HREF_MAX];
    struct wr_text path = WR_TEXT(merged);
    size_t keep = base->path_len;
    while (keep > 0 && base->path[keep - 1] != '/')
        keep--;
    if (keep == 0)
        wr_text_str(&path, "/");
    wr_text_bytes(&path, base->path, keep);
    wr_text_bytes(&path, link->path, link->path_len);
    put_path(ret, merged, path.len);
}

bool extract_href(char ret[EXTRACT_HREF_MAX], const char *base, const char *href)
{
    char link_text[EXTRACT_HREF_MAX], base_text[EXTRACT_HREF_MAX];
    struct wr_text out = wr_text_over(ret, EXTRACT_HREF_MAX);
    if (!tidy(link_text, href) || !tidy(base_text, base ? base : ""))
        return false;
    struct parts link = split(link_text), under = split(base_text);
    /* "https:c" with the scheme of the base is an old way to write "c". */
    if (link.scheme && !link.host && base && under.scheme_len == link.scheme_len
        && strncasecmp(link.scheme, under.scheme, link.scheme_len) == 0)
        link.scheme = NULL;
    const struct parts *from = link.scheme ? &link : &under;
    const struct parts *at = link.host ? &link : &under;
    bool tls = is_scheme(from, "https");
    if ((!tls && !is_scheme(from, "http")) || (link.scheme && !link.host) || !is_host(at))
        return false;
    wr_text_str(&out, tls ? "https://" : "http://");
    put_host(&out, at, tls);
    const struct parts *query = &link;
    if (link.host || link.path[0] == '/') {
        put_path(&out, link.path, link.path_len);
    } else if (link.path_len > 0) {
        put_merged(&out, &under, &link);
    } else {
        put_path(&out, under.path, under.path_len);
        query = link.query ? &link : &under;
    }
    if (query->query) {
        wr_text_str(&out, "?");
        put_escaped(&out, query->query, query->query_len);
    }
    return out.cut == 0;
}
