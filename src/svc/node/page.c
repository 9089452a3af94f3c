/* page.c - see page.h. */
#include "svc/node/page.h"

void page_begin(struct page *page)
{
    page->text = wr_text_heap(PAGE_MAX);
    page->json = wr_json_to(&page->text);
    wr_json_object(&page->json, NULL);
}

wr_err page_end(struct page *page, struct wr_call *call)
{
    wr_json_end(&page->json);
    wr_err err = page->text.cut ? WR_NOMEM : WR_OK;
    wr_call_type(call, "application/json");
    wr_call_write(call, page->text.at, page->text.len);
    wr_text_free(&page->text);
    return err;
}

void page_moment(struct page *page, const char *key, struct wr_wall at)
{
    char room[40];
    struct wr_text text = WR_TEXT(room);
    wr_text_rfc3339(&text, at);
    wr_json_str(&page->json, key, text.at);
}

const char *page_health(enum wr_health health)
{
    return health == WR_HEALTH_READY      ? "healthy"
           : health == WR_HEALTH_DEGRADED ? "degraded"
                                          : "down";
}
