/* page_rig.h - a page read from a string, for tests of what is in it.
 *
 *     struct page_rig rig;
 *     page_open(&rig, "<p>Some text that is long enough.");
 *     CHECK_STR("Some text that is long enough.", rig.page.main);
 *     page_close(&rig);
 */
#ifndef WR_TESTING_PAGE_RIG_H
#define WR_TESTING_PAGE_RIG_H

#include <string.h>

#include "extract/html.h"
#include "testing/test.h"

#define PAGE_URL "https://example.org/dir/page?q=1"

struct page_rig {
    struct wr_arena arena;
    struct extract_page page;
};

static inline void page_open_bytes(struct page_rig *rig, const char *bytes, size_t size,
                                   const char *charset)
{
    rig->arena = WR_ARENA(EXTRACT_HTML_ARENA);
    CHECK_OK(extract_html(&rig->page, bytes, size,
                          &(struct extract_html_conf){ .url = PAGE_URL, .charset = charset },
                          &rig->arena));
}

static inline void page_open(struct page_rig *rig, const char *html)
{
    page_open_bytes(rig, html, strlen(html), NULL);
}

static inline void page_close(struct page_rig *rig)
{
    wr_arena_free(&rig->arena);
}

/* The main text of a page is this. */
static inline void page_says(const char *html, const char *main)
{
    struct page_rig rig;
    page_open(&rig, html);
    CHECK_STR(main, rig.page.main);
    page_close(&rig);
}

/* Prose, worth most of any page in these tests. */
#define PROSE \
    "It was found that the old bridge, which had four arches, could not carry the weight of " \
    "the new trains, so the council asked for another one. Nobody had expected that answer."

#endif
