/* page_memory.c - see page_memory.h. */
#include "svc/queue/page_memory.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/blob.h"

static const char *const types[] = {
    [MEDIA_UNKNOWN] = "", [MEDIA_OTHER] = "application/octet-stream",
    [MEDIA_HTML] = "text/html", [MEDIA_XHTML] = "application/xhtml+xml",
    [MEDIA_PLAIN] = "text/plain", [MEDIA_PDF] = "application/pdf",
};

void page_domain(const char *url, char ret[PAGE_DOMAIN_MAX])
{
    const char *host = strstr(url, "://");
    host = host ? host + 3 : "";
    size_t len = strcspn(host, "/?#");
    len = len < PAGE_DOMAIN_MAX ? len : 0;
    for (size_t i = 0; i < len; i++)
        ret[i] = (char)tolower((unsigned char)host[i]);
    ret[len] = '\0';
}

static char *copy(const char *text)
{
    return text ? strdup(text) : NULL;
}

/* The bytes of what is known. */
static wr_err fill(struct store *store, const struct store_page *known, struct crawl_page *ret,
                   wr_time deadline)
{
    char *bytes;
    size_t len;
    if (!known->content_hash)
        return WR_NOTFOUND;
    wr_err err = store_blob_get(store, known->content_hash, &bytes, &len, deadline);
    if (err)
        return err;
    struct media media = media_read(known->content_type);
    ret->media = media.kind;
    memcpy(ret->charset, media.charset, sizeof(ret->charset));
    err = wr_bytes_copy(&ret->bytes, bytes, len);
    free(bytes);
    ret->url = strdup(known->final_url ? known->final_url : known->url);
    ret->etag = copy(known->etag);
    ret->last_modified = copy(known->last_modified);
    ret->status = (unsigned)known->http_status;
    ret->rendered = known->fetch_method && strcmp(known->fetch_method, "browser") == 0;
    return err ? err : ret->url ? WR_OK : WR_NOMEM;
}

static wr_err recall(void *self, const char *url, struct crawl_page *ret, wr_time deadline)
{
    struct store_page_known known;
    wr_err err = store_page_get(self, url, NULL, &known, deadline);
    if (err)
        return err;
    err = known.fetched_at.ns ? fill(self, &known.page, ret, deadline) : WR_NOTFOUND;
    ret->fetched_at = known.fetched_at;
    store_page_free(&known);
    return err;
}

/* What is longer than a row may say is not said. */
static const char *short_enough(const char *text, size_t max)
{
    return text && strlen(text) <= max ? text : NULL;
}

wr_err page_bytes_keep(struct store *store, const struct crawl_page *page,
                       struct page_bytes *buf, struct store_page *ret, wr_time deadline)
{
    wr_err err = store_blob_put(store, page->bytes->data, page->bytes->len, buf->cid, deadline);
    if (err)
        return err;
    snprintf(buf->type, sizeof(buf->type), "%s%s%s", types[page->media],
             page->charset[0] ? "; charset=" : "", page->charset);
    ret->final_url = short_enough(page->url, STORE_PAGE_URL_MAX);
    ret->fetch_method = page->rendered ? "browser" : "http";
    ret->http_status = (int)page->status;
    ret->content_type = buf->type;
    ret->content_hash = buf->cid;
    ret->content_length = (int64_t)page->bytes->len;
    ret->etag = short_enough(page->etag, STORE_PAGE_WORD_MAX);
    ret->last_modified = short_enough(page->last_modified, STORE_PAGE_WORD_MAX);
    return WR_OK;
}

wr_err page_keep(struct store *store, const char *url, const struct crawl_page *page,
                 wr_time deadline)
{
    char domain[PAGE_DOMAIN_MAX];
    struct page_bytes buf;
    struct store_page_put put;
    struct store_page_new new = { .page = { .url = url, .domain = domain } };
    page_domain(url, domain);
    wr_err err = page_bytes_keep(store, page, &buf, &new.page, deadline);
    return err ? err : store_page_put(store, &new, &put, deadline);
}

static wr_err keep(void *self, const char *url, const struct crawl_page *page, wr_time deadline)
{
    return page->bytes ? page_keep(self, url, page, deadline) : WR_OK;
}

struct crawl_memory page_memory(struct store *store)
{
    return (struct crawl_memory){ .recall = recall, .keep = keep, .self = store };
}
