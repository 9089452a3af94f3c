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

#include "crawl/crawl.h"
#include "store/store.h"

#define PAGE_DOMAIN_MAX 256

struct crawl_memory page_memory(struct store *store);

/* The domain of a URL: its host, and the port if one is said.  Empty: there is none. */
void page_domain(const char *url, char ret[PAGE_DOMAIN_MAX]);

#endif
