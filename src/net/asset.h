/* asset.h - content that does not change while the program runs, and files of a folder.
 *
 *     static const struct asset table[] = {
 *         { .path = "/", .bytes = start, .size = sizeof(start) - 1, .type = "text/html" },
 *     };
 *     err = assets_new(&assets, table, 1, built_at);
 *     ... { .method = "GET", .path = "/", .handler = assets_serve, .arg = assets },
 *
 * Both answer conditions, ranges and HEAD (etag.h).  An asset is looked up in its table
 * by the whole path, and a file by one name without a slash: there is no path to leave
 * the place by.
 */
#ifndef WR_NET_ASSET_H
#define WR_NET_ASSET_H

#include <stddef.h>
#include <stdint.h>

#include <weir/http.h>

#define ASSET_FILE_MAX ((size_t)16 << 20)

struct asset {
    const char *path;           /* of the request, whole */
    const void *bytes;
    size_t size;
    const char *type;           /* NULL: by the ending of the path */
    const char *cache;          /* Cache-Control; NULL: "no-cache", which is: ask each time */
};

struct assets;

/* The table and its bytes must outlive it.  `modified` is a second since 1970, 0 when it
 * is not known.  Two assets of one path are a panic.  Errors: NOMEM. */
wr_err assets_new(struct assets **ret, const struct asset *table, size_t count,
                  int64_t modified);

/* NULL is allowed. */
void assets_free(struct assets *assets);

/* Handler: the arg of the route is the assets.  404 for a path that is not in the table. */
wr_err assets_serve(struct wr_call *call);

/* Handler: the arg of the route is the folder, its path has {name}.  Files of at most
 * ASSET_FILE_MAX bytes; 404 for what is not a regular file, and for a name that begins with
 * a dot or has other characters than letters, digits, dots, dashes and underscores. */
wr_err asset_file_serve(struct wr_call *call);

/* The type for a name, by its ending: "text/css; charset=utf-8". */
const char *asset_type(const char *name);

#endif
