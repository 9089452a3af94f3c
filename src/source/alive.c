/* alive.c - see alive.h. */
#include "source/alive.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

enum spelling { AS_WRITTEN, HYPHENS, WITHOUT, SPELLINGS };

static const char *spell(const char *url, enum spelling spelling, struct wr_arena *arena)
{
    if (spelling == AS_WRITTEN)
        return url;
    if (!strchr(url, '_'))
        return NULL;
    char *copy = wr_arena_str(arena, url), *to = copy;
    if (!copy)
        return NULL;
    for (const char *from = copy; *from; from++)
        if (*from != '_')
            *to++ = *from;
        else if (spelling == HYPHENS)
            *to++ = '-';
    *to = '\0';
    return copy;
}

static wr_err status_of(struct wr_fetch_client *client, const char *url, const char *method,
                        unsigned *ret, wr_time deadline)
{
    struct wr_fetch *fetch = NULL;
    struct wr_fetch_reply head;
    wr_time timeout = wr_after(ALIVE_TIMEOUT);
    wr_err err = wr_fetch_open(&fetch, client, &(struct wr_fetch_request){
        .url = url, .method = method }, &head, timeout < deadline ? timeout : deadline);
    *ret = head.status;
    if (!err)
        wr_fetch_close(fetch);
    wr_fetch_reply_free(&head);
    return err;
}

static bool is_there(unsigned status)
{
    return (status >= 200 && status < 400) || status == 401 || status == 403;
}

/* OK: there; NOTFOUND: it says itself that it is not; any other: nobody knows. */
static wr_err look(struct wr_fetch_client *client, const char *url, wr_time deadline)
{
    unsigned status;
    wr_err err = status_of(client, url, "HEAD", &status, deadline);
    if (!err && is_there(status))
        return WR_OK;
    if (err == WR_DENIED || err == WR_CANCELED || err == WR_INVALID)
        return err;
    err = status_of(client, url, "GET", &status, deadline);
    if (err)
        return err == WR_NOTFOUND ? WR_IO : err;    /* no address of its name, at present */
    if (is_there(status))
        return WR_OK;
    return status == 404 || status == 410 ? WR_NOTFOUND : WR_IO;
}

static bool is_of_the_web(const char *url)
{
    return strncasecmp(url, "http://", 7) == 0 || strncasecmp(url, "https://", 8) == 0;
}

wr_err alive_find(struct wr_fetch_client *client, const char *const *urls, size_t count,
                  struct wr_arena *arena, const char **ret, wr_time deadline)
{
    wr_err worst = WR_INVALID;
    count = count < ALIVE_URLS_MAX ? count : ALIVE_URLS_MAX;
    for (size_t i = 0; i < count; i++)
        for (enum spelling spelling = AS_WRITTEN; spelling < SPELLINGS; spelling++) {
            const char *url = is_of_the_web(urls[i]) ? spell(urls[i], spelling, arena) : NULL;
            if (!url)
                continue;
            wr_err err = look(client, url, deadline);
            if (!err) {
                *ret = url;
                return arena->full ? WR_NOMEM : WR_OK;
            }
            if (err == WR_CANCELED)
                return err;
            if (worst == WR_INVALID || worst == WR_NOTFOUND)
                worst = err;
        }
    return arena->full ? WR_NOMEM : worst;
}
