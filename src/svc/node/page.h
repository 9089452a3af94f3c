/* page.h - an answer that is one JSON object.
 *
 *     struct page page;
 *     page_begin(&page);
 *     wr_json_str(&page.json, "status", "fine");
 *     return page_end(&page, call);
 */
#ifndef WR_NODE_PAGE_H
#define WR_NODE_PAGE_H

#include <weir/http.h>
#include <weir/sup.h>

#include "base/json.h"

#define PAGE_MAX ((size_t)64 << 10)

struct page { struct wr_text text; struct wr_json json; };

void page_begin(struct page *page);

/* It is the body of the answer now, and its memory is given back.  Errors: NOMEM, also
 * for more than PAGE_MAX bytes. */
wr_err page_end(struct page *page, struct wr_call *call);

/* The calendar's moment, as RFC 3339 writes it. */
void page_moment(struct page *page, const char *key, struct wr_wall at);

/* What operators call it: healthy, degraded or down. */
const char *page_health(enum wr_health health);

#endif
