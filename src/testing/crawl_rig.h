/* crawl_rig.h - a crawl over a site of strangers (stranger_rig.h), for its tests.
 *
 *     BEGIN(FREE, { "/a", .body = "hello" });
 *     CHECK_OK(get("/a"));
 *     CHECK_STR("fetched", outcome());
 *     end();
 */
#ifndef WR_TESTING_CRAWL_RIG_H
#define WR_TESTING_CRAWL_RIG_H

#include "crawl/crawl.h"
#include "testing/metric_rig.h"
#include "testing/stranger_rig.h"

RIG_STRANGER struct crawl *crawl;
RIG_STRANGER struct stranger stranger;
RIG_STRANGER struct crawl_page page;

RIG_STRANGER void begin(struct crawl_conf conf, const struct stranger_page *pages, size_t count)
{
    stranger = (struct stranger){ 0 };
    memcpy(stranger.pages, pages, count * sizeof(*pages));
    stranger_open(&stranger);
    conf.fetch = (struct wr_fetch_conf)STRANGER_FETCH;
    CHECK_OK(crawl_open(&crawl, &conf));
}
#define BEGIN(conf_, ...) do { const struct stranger_page pages_[] = { __VA_ARGS__ }; \
    begin(conf_, pages_, sizeof(pages_) / sizeof(pages_[0])); } while (0)

/* Turns seven seconds apart, and none at all. */
#define STEADY \
    (struct crawl_conf) \
    { \
        .domain = {.interval = WR_S(5), .jitter_min = WR_S(2), .jitter_max = WR_S(2) } \
    }
#define FREE \
    (struct crawl_conf) \
    { \
        .mailto = "us@example.org" \
    }

RIG_STRANGER void end(void)
{
    crawl_page_free(&page);
    crawl_close(crawl);
    stranger_close(&stranger);
}

RIG_STRANGER wr_err get_as(struct crawl_ask ask, const char *host, const char *path)
{
    ask.url = *path == '/' ? stranger_url(&stranger, host, path) : path;
    crawl_page_free(&page);
    return crawl_get(crawl, &ask, &page, wr_after(WR_S(600)));
}

RIG_STRANGER wr_err get_from(const char *host, const char *path)
{
    return get_as((struct crawl_ask){ 0 }, host, path);
}

RIG_STRANGER wr_err get(const char *path)
{
    return get_from("a.test", path);
}

RIG_STRANGER const char *outcome(void)
{
    return crawl_outcome_name(page.outcome);
}

/* "Location: http://b.test:PORT/path", for a row of the table. */
RIG_STRANGER void send_on(size_t row, const char *host, const char *path)
{
    static char texts[4][200];
    static unsigned next;
    char *text = texts[next++ % 4];
    snprintf(text, sizeof(texts[0]), "Location: %s\r\n", stranger_url(&stranger, host, path));
    stranger.pages[row].headers = text;
    stranger.pages[row].status = 302;
}

RIG_STRANGER char *name_at(const char *host)
{
    static char text[60];
    snprintf(text, sizeof(text), "%s:%u", host, wr_listener_addr(stranger.listener)->port);
    return text;
}

#endif
