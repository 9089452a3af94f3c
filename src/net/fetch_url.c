/* fetch_url.c - see fetch_url.h. */
#include "net/fetch_url.h"

#include <stdlib.h>
#include <string.h>

#include <curl/curl.h>

static wr_err refuse(const char **ret_why, const char *why)
{
    *ret_why = why;
    return WR_INVALID;
}

static wr_err refused_as(CURLUcode code, const char **ret_why)
{
    switch (code) {
    case CURLUE_OUT_OF_MEMORY: *ret_why = "there is no memory"; return WR_NOMEM;
    case CURLUE_USER_NOT_ALLOWED:
        return refuse(ret_why, "it carries a user or password; put them into a header");
    case CURLUE_BAD_PORT_NUMBER: return refuse(ret_why, "its port is not one of 0 to 65535");
    case CURLUE_UNSUPPORTED_SCHEME:
    case CURLUE_BAD_SCHEME:
        return refuse(ret_why, "it does not begin with http:// or https://");
    case CURLUE_NO_HOST:
    case CURLUE_BAD_HOSTNAME:
    case CURLUE_BAD_IPV6: return refuse(ret_why, "its host is neither a name nor an address");
    default: return refuse(ret_why, "it is no URL");
    }
}

static void lower(char *at, const char *end)
{
    for (; at < end; at++)
        if (*at >= 'A' && *at <= 'Z')
            *at = (char)(*at - 'A' + 'a');
}

static wr_err take_scheme(struct fetch_url *url, CURLU *parsed, const char **ret_why)
{
    char *part = NULL;
    CURLUcode code = curl_url_get(parsed, CURLUPART_SCHEME, &part, 0);
    if (code)
        return refused_as(code, ret_why);
    url->tls = strcmp(part, "https") == 0;
    bool http = url->tls || strcmp(part, "http") == 0;
    curl_free(part);
    if (!http)
        return refused_as(CURLUE_BAD_SCHEME, ret_why);
    if (curl_url_get(parsed, CURLUPART_ZONEID, &part, 0) != CURLUE_NO_ZONEID) {
        curl_free(part);
        return refuse(ret_why, "its address names an interface");
    }
    return WR_OK;
}

/* The parts, out of a parsed one. */
static wr_err take(struct fetch_url *url, CURLU *parsed, const char **ret_why)
{
    char *part = NULL;
    wr_err err = take_scheme(url, parsed, ret_why);
    if (err)
        return err;
    CURLUcode code = curl_url_set(parsed, CURLUPART_FRAGMENT, NULL, 0);
    if (!code)
        code = curl_url_get(parsed, CURLUPART_URL, &url->text, CURLU_NO_DEFAULT_PORT);
    if (!code)
        code = curl_url_get(parsed, CURLUPART_HOST, &url->host, 0);
    if (!code)
        code = curl_url_get(parsed, CURLUPART_PORT, &part, CURLU_DEFAULT_PORT);
    if (code)
        return refused_as(code, ret_why);
    url->port = (uint16_t)strtoul(part, NULL, 10);
    curl_free(part);
    if (strlen(url->text) > FETCH_URL_MAX)
        return refuse(ret_why, "it is longer than 8192 bytes");
    char *authority = strstr(url->text, "://") + 3, *target = strchr(authority, '/');
    if (!target)
        return refuse(ret_why, "it is no URL");
    url->target = target;
    lower(authority, target);
    lower(url->host, url->host + strlen(url->host));
    for (const char *c = url->text; *c; c++)
        if ((unsigned char)*c <= ' ' || (unsigned char)*c >= 127)
            return refuse(ret_why, "it has characters that must be encoded: %20 for a space, "
                                   "xn-- for names that are not ASCII");
    return WR_OK;
}

/* An address in brackets loses them. */
static wr_err judge_host(struct fetch_url *url, const char **ret_why)
{
    size_t len = strlen(url->host);
    if (url->host[0] == '[') {
        memmove(url->host, url->host + 1, len - 2);
        url->host[len - 2] = '\0';
    }
    if (len == 0 || len > 255)
        return refuse(ret_why, "its host is neither a name nor an address");
    if (wr_addr_parse_ip(&url->ip, url->host, url->port))
        url->ip = (struct wr_addr){ 0 };
    return WR_OK;
}

wr_err fetch_url_parse(struct fetch_url *ret, const char *text, const struct fetch_url *base,
                       const char **ret_why)
{
    struct fetch_url url = { 0 };
    if (strlen(text) > FETCH_URL_MAX)
        return refuse(ret_why, "it is longer than 8192 bytes");
    CURLU *parsed = curl_url();
    CURLUcode code = parsed ? CURLUE_OK : CURLUE_OUT_OF_MEMORY;
    if (!code && base)
        code = curl_url_set(parsed, CURLUPART_URL, base->text, 0);
    unsigned flags = CURLU_DISALLOW_USER;
    if (base)
        flags |= CURLU_URLENCODE | CURLU_ALLOW_SPACE;   /* servers are careless with Location */
    if (!code)
        code = curl_url_set(parsed, CURLUPART_URL, text, flags);
    wr_err err = code ? refused_as(code, ret_why) : take(&url, parsed, ret_why);
    curl_url_cleanup(parsed);
    if (!err)
        err = judge_host(&url, ret_why);
    if (err)
        fetch_url_free(&url);
    else
        *ret = url;
    return err;
}

void fetch_url_free(struct fetch_url *url)
{
    curl_free(url->text);
    curl_free(url->host);
    *url = (struct fetch_url){ 0 };
}

const char *fetch_url_authority(const struct fetch_url *url, size_t *ret_len)
{
    const char *begin = url->text + (url->tls ? 8 : 7);
    *ret_len = (size_t)(url->target - begin);
    return begin;
}

bool fetch_url_same_origin(const struct fetch_url *a, const struct fetch_url *b)
{
    return a->tls == b->tls && a->port == b->port && strcmp(a->host, b->host) == 0;
}
