/* proxy.c - requests out, lines in.
 *
 * OpenDHT writes base64 with the other alphabet and with padding; base64.h reads the one
 * without.  So texts are turned from one into the other, letter by letter, and what is not as
 * OpenDHT has it is not turned.
 */
#include "dht/proxy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/base64.h"
#include "base/forget.h"
#include "net/fetch_url.h"
#include "net/json_in.h"

#define TEXT_MAX ((PROXY_VALUE_MAX + 2) / 3 * 4)
#define PATH_MAX_ 64                    /* "/key/<40 digits>/listen" */
#define BODY_MAX (TEXT_MAX + 64)
#define CHUNK 4096
#define REPLY_MAX ((size_t)8 * 1024)    /* of a put or a ping */

/* ---- addresses ---- */

wr_err proxy_url_read(char *buf, const char *text, const char **ret_why)
{
    struct fetch_url url;
    wr_err err = fetch_url_parse(&url, text, NULL, ret_why);
    if (err)
        return err;
    size_t len = strlen(url.text) - strlen(url.target);
    if (strcmp(url.target, "/") != 0) {
        *ret_why = "it has a path or a query, which the address of a proxy has not";
        err = WR_INVALID;
    } else if (len > PROXY_URL_MAX) {
        *ret_why = "it is longer than 255 bytes";
        err = WR_INVALID;
    } else {
        memcpy(buf, url.text, len);
        buf[len] = '\0';
    }
    fetch_url_free(&url);
    return err;
}

static void print_url(char *buf, size_t size, const struct proxy *proxy,
                      const unsigned char key[PROXY_KEY], const char *tail)
{
    int len = snprintf(buf, size, "%s/key/", proxy->url);
    for (unsigned i = 0; i < PROXY_KEY; i++)
        len += snprintf(buf + len, size - (size_t)len, "%02x", key[i]);
    snprintf(buf + len, size - (size_t)len, "%s", tail);
}

/* ---- base64 as OpenDHT has it ---- */

/* text is changed.  Errors: INVALID, NOMEM (more than there may be). */
static wr_err read_base64(size_t *ret, unsigned char buf[PROXY_VALUE_MAX], char *text,
                          size_t len)
{
    if (len % 4 != 0)
        return WR_INVALID;
    for (unsigned i = 0; i < 2 && len > 0 && text[len - 1] == '='; i++)
        len--;
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '-' || text[i] == '_')
            return WR_INVALID;
        if (text[i] == '+')
            text[i] = '-';
        else if (text[i] == '/')
            text[i] = '_';
    }
    return wr_base64_parse(ret, buf, PROXY_VALUE_MAX, text, len);
}

static void print_base64(char text[TEXT_MAX + 1], const void *bytes, size_t len)
{
    size_t size = wr_base64_print(text, bytes, len);
    for (size_t i = 0; i < size; i++)
        if (text[i] == '-')
            text[i] = '+';
        else if (text[i] == '_')
            text[i] = '/';
    while (size % 4 != 0)
        text[size++] = '=';
    text[size] = '\0';
}

/* ---- lines ---- */

/* A whole line.  The bytes are those of jansson's copy, which is ours to change. */
static wr_err take_line(struct proxy_lines *lines)
{
    struct proxy_reading *reading = lines->reading;
    unsigned char value[PROXY_VALUE_MAX];
    size_t len = 0;
    lines->lines++;
    if (lines->is_over)
        return lines->line[0] == '{' ? reading->take(reading, PROXY_OVERSIZED, NULL, 0)
                                     : WR_IO;
    json_t *root = json_in_object(lines->line, lines->len);
    if (!root)
        return WR_IO;
    const json_t *data = json_object_get(root, "data");
    wr_err err = WR_INVALID;
    if (json_is_string(data))
        err = read_base64(&len, value, (char *)(uintptr_t)json_string_value(data),
                          json_string_length(data));
    json_decref(root);
    enum proxy_line line = !err ? PROXY_VALUE : err == WR_NOMEM ? PROXY_OVERSIZED : PROXY_OTHER;
    return reading->take(reading, line, err ? NULL : value, err ? 0 : len);
}

static wr_err end_line(struct proxy_lines *lines)
{
    wr_err err = lines->len > 0 ? take_line(lines) : WR_OK;
    lines->len = 0;
    lines->is_over = false;
    return err;
}

wr_err proxy_lines_add(struct proxy_lines *lines, const char *bytes, size_t len, bool *ret_full)
{
    wr_err err = WR_OK;
    *ret_full = false;
    for (size_t i = 0; i < len && !err; i++) {
        lines->bytes++;
        if (bytes[i] == '\n')
            err = end_line(lines);
        else if (lines->len < PROXY_LINE_MAX)
            lines->line[lines->len++] = bytes[i];
        else
            lines->is_over = true;
        if (!lines->endless
            && (lines->lines == PROXY_LINES_MAX || lines->bytes == PROXY_BYTES_MAX)) {
            *ret_full = true;
            return err;
        }
    }
    return err;
}

wr_err proxy_lines_end(struct proxy_lines *lines)
{
    return end_line(lines);
}

/* ---- requests ---- */

static wr_err judge_status(unsigned status)
{
    return status == 200 ? WR_OK : status == 429 ? WR_BUSY : WR_IO;
}

/* What is not said by a proxy, or cannot be taken, is all the same to who asked. */
static wr_err judge(wr_err err)
{
    switch (err) {
    case WR_OK:
    case WR_TIMEOUT:
    case WR_CANCELED:
    case WR_BUSY:
    case WR_CLOSED:
    case WR_NOMEM:
    case WR_NOFILE: return err;
    default: return WR_IO;
    }
}

static wr_err read_lines(struct wr_fetch *fetch, struct proxy_lines *lines, wr_time deadline)
{
    struct proxy_reading *reading = lines->reading;
    char chunk[CHUNK];
    for (bool is_full = false; !is_full;) {
        bool is_enough = reading->enough < deadline;
        size_t len;
        wr_err err = wr_fetch_read(fetch, &len, chunk, sizeof(chunk),
                                   is_enough ? reading->enough : deadline);
        if (err == WR_TIMEOUT && is_enough && wr_now() >= reading->enough)
            return WR_OK;
        if (err)
            return judge(err);
        if (len == 0)
            return proxy_lines_end(lines);
        err = proxy_lines_add(lines, chunk, len, &is_full);
        if (err)
            return err;
    }
    reading->cut = true;
    return WR_OK;
}

static wr_err ask_lines(const struct proxy *proxy, const char *url, struct proxy_lines *lines,
                        wr_time deadline)
{
    struct wr_fetch *fetch;
    struct wr_fetch_reply head;
    wr_err err = judge(wr_fetch_open(&fetch, proxy->client, &(struct wr_fetch_request){
        .url = url, .body_max = lines->endless ? SIZE_MAX : 2 * PROXY_BYTES_MAX }, &head,
        deadline));
    if (!err) {
        err = judge_status(head.status);
        err = err ? err : read_lines(fetch, lines, deadline);
        wr_fetch_close(fetch);
    }
    wr_fetch_reply_free(&head);
    return err;
}

static wr_err ask_for_lines(const struct proxy *proxy, const unsigned char key[PROXY_KEY],
                            const char *tail, struct proxy_reading *reading, wr_time deadline)
{
    char url[PROXY_URL_MAX + PATH_MAX_];
    struct proxy_lines *lines = calloc(1, sizeof(*lines));
    if (!lines)
        return WR_NOMEM;
    lines->reading = reading;
    lines->endless = tail[0] != '\0';
    print_url(url, sizeof(url), proxy, key, tail);
    wr_err err = ask_lines(proxy, url, lines, deadline);
    wr_forget_free(lines);
    return err;
}

wr_err proxy_get(const struct proxy *proxy, const unsigned char key[PROXY_KEY],
                 struct proxy_reading *reading, wr_time deadline)
{
    return ask_for_lines(proxy, key, "", reading, deadline);
}

wr_err proxy_listen(const struct proxy *proxy, const unsigned char key[PROXY_KEY],
                    struct proxy_reading *reading, wr_time deadline)
{
    wr_err err = ask_for_lines(proxy, key, "/listen", reading, deadline);
    return err ? err : WR_IO;           /* nobody ends it but us */
}

wr_err proxy_put(const struct proxy *proxy, const unsigned char key[PROXY_KEY], uint64_t id,
                 const void *bytes, size_t len, wr_time deadline)
{
    char url[PROXY_URL_MAX + PATH_MAX_], text[TEXT_MAX + 1], body[BODY_MAX];
    struct wr_fetch_reply reply;
    WR_ASSERT(len <= PROXY_VALUE_MAX && id != 0);
    print_url(url, sizeof(url), proxy, key, "");
    print_base64(text, bytes, len);
    int size = snprintf(body, sizeof(body), "{\"data\":\"%s\",\"id\":\"%" PRIu64 "\"}", text,
                        id);
    wr_err err = judge(wr_fetch(proxy->client, &(struct wr_fetch_request){
        .url = url, .body = body, .body_len = (size_t)size, .body_max = REPLY_MAX }, &reply,
        deadline));
    if (!err) {
        err = judge_status(reply.status);
        if (reply.status == 502 && strstr(reply.body, "\"Put failed\""))
            err = WR_DEGRADED;
    }
    wr_fetch_reply_free(&reply);
    return err;
}

wr_err proxy_nodes_read(uint64_t *ret, const char *bytes, size_t len)
{
    json_t *root = json_in_object(bytes, len);
    const json_t *four = json_object_get(json_object_get(root, "ipv4"), "good");
    const json_t *six = json_object_get(json_object_get(root, "ipv6"), "good");
    bool is_one = json_is_integer(four) && json_integer_value(four) >= 0;
    if (is_one) {
        *ret = (uint64_t)json_integer_value(four);
        if (json_is_integer(six) && json_integer_value(six) > 0)
            *ret += (uint64_t)json_integer_value(six);
    }
    json_decref(root);
    return is_one ? WR_OK : WR_IO;
}

wr_err proxy_ping(const struct proxy *proxy, uint64_t *ret, wr_time deadline)
{
    char url[PROXY_URL_MAX + 2];
    struct wr_fetch_reply reply;
    snprintf(url, sizeof(url), "%s/", proxy->url);
    wr_err err = judge(wr_fetch(proxy->client, &(struct wr_fetch_request){
        .url = url, .body_max = REPLY_MAX }, &reply, deadline));
    err = err ? err : judge_status(reply.status);
    err = err ? err : proxy_nodes_read(ret, reply.body, reply.body_len);
    wr_fetch_reply_free(&reply);
    return err;
}
