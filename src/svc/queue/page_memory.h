/* page_memory.h - pages that were fetched, kept in the store for who fetches them again.
 *
 *     struct crawl_memory memory = page_memory(store);
 *     err = crawl_open(&crawl, &(struct crawl_conf){ .memory = &memory });
 *
 * The bytes of a page are a blob under their content id, and the page's row says which.  So
 * equal pages are kept once, and what a claim was drawn from can be looked at later.
 */
#ifndef WR_QUEUE_PAGE_MEMORY_H
#define WR_QUEUE_PAGE_MEMORY_H

#include "base/hash.h"
#include "crawl/crawl.h"
#include "store/webpage.h"

#define PAGE_DOMAIN_MAX 256

struct crawl_memory page_memory(struct store *store);

/* What a page's row says of its bytes, for who keeps it with more than that: the bytes are a
 * blob then, and *ret has final_url, fetch_method, http_status, content_type, content_hash,
 * content_length, etag and last_modified; its texts are the page's and the buffer's.
 * Errors: those of store_blob_put; then *ret is as it was. */
struct page_bytes { char cid[WR_CID_TEXT], type[MEDIA_CHARSET_MAX + 40]; };
wr_err page_bytes_keep(struct store *store, const struct crawl_page *page,
                       struct page_bytes *buf, struct store_page *ret, wr_time deadline);

/* Keep it alone, by its URL. */
wr_err page_keep(struct store *store, const char *url, const struct crawl_page *page,
                 wr_time deadline);

/* The domain of a URL: its host, and the port if one is said.  Empty: there is none. */
void page_domain(const char *url, char ret[PAGE_DOMAIN_MAX]);

#endif
