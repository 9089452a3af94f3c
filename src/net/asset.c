/* asset.c - see asset.h. */
#include "net/asset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <weir/file.h>

#include "net/date.h"
#include "net/etag.h"

#define FILE_PATH_MAX 1024

struct entry {
    struct asset asset;
    char tag[ETAG_TEXT];
};

struct assets {
    int64_t modified;
    size_t count;
    struct entry entries[];         /* sorted by path */
};

const char *asset_type(const char *name)
{
    static const struct { const char *ending, *type; } types[] = {
        { ".html", "text/html; charset=utf-8" },
        { ".css", "text/css; charset=utf-8" },
        { ".js", "text/javascript; charset=utf-8" },
        { ".mjs", "text/javascript; charset=utf-8" },
        { ".json", "application/json" },
        { ".txt", "text/plain; charset=utf-8" },
        { ".md", "text/markdown; charset=utf-8" },
        { ".svg", "image/svg+xml" },
        { ".png", "image/png" },
        { ".jpg", "image/jpeg" },
        { ".ico", "image/x-icon" },
        { ".woff2", "font/woff2" },
        { ".pdf", "application/pdf" },
        { ".wasm", "application/wasm" },
    };
    const char *ending = strrchr(name, '.');
    for (size_t i = 0; ending && i < sizeof(types) / sizeof(types[0]); i++)
        if (strcasecmp(ending, types[i].ending) == 0)
            return types[i].type;
    return "application/octet-stream";
}

/* ---- answering ---- */

static wr_err answer(struct wr_call *call, const struct asset *asset, const struct etag_of *of)
{
    char text[100];
    struct etag_part part;
    unsigned status = etag_judge(call, of);
    wr_call_reply_header(call, "ETag", of->tag);
    wr_call_reply_header(call, "Cache-Control", asset->cache ? asset->cache : "no-cache");
    wr_call_reply_header(call, "Accept-Ranges", "bytes");
    if (of->modified)
        wr_call_reply_header(call, "Last-Modified", date_print(of->modified, text));
    if (status == 412) {
        wr_call_status(call, 412);
        return wr_call_fail(call, WR_INVALID, "it is not what the condition says it is");
    }
    if (status == 304) {
        wr_call_status(call, 304);
        return WR_OK;
    }
    status = etag_range(call, of, &part);
    if (status == 416) {
        snprintf(text, sizeof(text), "bytes */%llu", (unsigned long long)of->size);
        wr_call_reply_header(call, "Content-Range", text);
        wr_call_status(call, 416);
        return wr_call_fail(call, WR_INVALID, "it has %llu bytes, and none of those",
                            (unsigned long long)of->size);
    }
    if (status == 206) {
        snprintf(text, sizeof(text), "bytes %llu-%llu/%llu", (unsigned long long)part.from,
                 (unsigned long long)(part.from + part.len - 1), (unsigned long long)of->size);
        wr_call_reply_header(call, "Content-Range", text);
    }
    wr_call_status(call, status);
    wr_call_type(call, asset->type ? asset->type : asset_type(asset->path));
    wr_call_write(call, (const char *)asset->bytes + part.from, part.len);
    return WR_OK;
}

/* ---- a table ---- */

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->asset.path, ((const struct entry *)b)->asset.path);
}

wr_err assets_new(struct assets **ret, const struct asset *table, size_t count,
                  int64_t modified)
{
    struct assets *assets = calloc(1, sizeof(*assets) + count * sizeof(assets->entries[0]));
    if (!assets)
        return WR_NOMEM;
    assets->modified = modified;
    assets->count = count;
    for (size_t i = 0; i < count; i++) {
        assets->entries[i].asset = table[i];
        etag_print(table[i].bytes, table[i].size, assets->entries[i].tag);
    }
    qsort(assets->entries, count, sizeof(assets->entries[0]), by_path);
    for (size_t i = 1; i < count; i++)
        if (by_path(&assets->entries[i - 1], &assets->entries[i]) == 0)
            wr_panic("asset \"%s\": there are two of it", assets->entries[i].asset.path);
    *ret = assets;
    return WR_OK;
}

void assets_free(struct assets *assets)
{
    free(assets);
}

wr_err assets_serve(struct wr_call *call)
{
    const struct assets *assets = wr_call_arg(call);
    struct entry wanted = { .asset = { .path = wr_call_path(call) } };
    const struct entry *entry = bsearch(&wanted, assets->entries, assets->count,
                                        sizeof(wanted), by_path);
    if (!entry)
        return WR_NOTFOUND;
    return answer(call, &entry->asset,
                  &(struct etag_of){ .tag = entry->tag, .modified = assets->modified,
                                     .size = entry->asset.size });
}

/* ---- a folder ---- */

static bool good_name(const char *name)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                  "0123456789._-";
    return name[0] && name[0] != '.' && name[strspn(name, letters)] == '\0';
}

wr_err asset_file_serve(struct wr_call *call)
{
    const char *folder = wr_call_arg(call), *name = wr_call_param(call, "name");
    char path[FILE_PATH_MAX], tag[ETAG_TEXT], *bytes;
    struct wr_file_info info;
    size_t len;
    if (!good_name(name)
        || snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
        return WR_NOTFOUND;
    wr_err err = wr_file_look(&info, path, WR_NEVER);
    if (!err)
        err = wr_file_read(&bytes, &len, path, ASSET_FILE_MAX, WR_NEVER);
    if (err == WR_INVALID)
        return WR_NOTFOUND;
    if (err)
        return err;
    err = answer(call, &(struct asset){ .path = name, .bytes = bytes },
                 &(struct etag_of){ .tag = etag_print(bytes, len, tag), .size = len,
                                    .modified = info.changed.ns / WR_S(1) });
    free(bytes);
    return err;
}
