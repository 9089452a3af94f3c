/* evidence_rig.h - small evidence for tests: pages with fragments and claims.
 *
 *     rig_page(store, &(struct rig_page){ .url = "http://a.test/1", .task = "t",
 *         .fragments = { "the moon is far", "the sun is hot" }, .claims = { "moon far" } });
 *
 * The domain is the url's; the i-th claim is from the i-th fragment.
 */
#ifndef WR_TESTING_EVIDENCE_RIG_H
#define WR_TESTING_EVIDENCE_RIG_H

#include <string.h>

#include "store/webpage.h"
#include "testing/store_rig.h"

#define SOON wr_after(WR_S(5))
#define RIG_PARTS_MAX 8

struct rig_page {
    const char *url, *task, *title, *work, *source;
    const char *fragments[RIG_PARTS_MAX], *claims[RIG_PARTS_MAX];
    unsigned depth;
};

/* The host of a url, until the next call. */
static inline const char *rig_domain(const char *url)
{
    static char domain[64];
    const char *at = strstr(url, "//");
    at = at ? at + 2 : url;
    snprintf(domain, sizeof(domain), "%.*s", (int)strcspn(at, "/"), at);
    return domain;
}

/* How many fragments are new. */
static inline size_t rig_page(struct store *store, const struct rig_page *page)
{
    struct store_fragment_new fragments[RIG_PARTS_MAX];
    struct store_claim_new claims[RIG_PARTS_MAX];
    struct store_page_put put = { 0 };
    size_t fragment_count = 0, claim_count = 0;
    for (; fragment_count < RIG_PARTS_MAX && page->fragments[fragment_count]; fragment_count++)
        fragments[fragment_count] = (struct store_fragment_new){
            .type = "paragraph", .text = page->fragments[fragment_count],
            .position = (unsigned)fragment_count };
    for (; claim_count < RIG_PARTS_MAX && page->claims[claim_count]; claim_count++)
        claims[claim_count] = (struct store_claim_new){
            .fragment = claim_count, .text = page->claims[claim_count], .type = "fact",
            .confidence = 0.5 };
    CHECK_OK(store_page_put(store, &(struct store_page_new){
        .page = { .url = page->url, .domain = rig_domain(page->url), .title = page->title,
                  .canonical_id = page->work, .http_status = 200 },
        .task = page->task, .reason = "serp", .depth = page->depth,
        .source_page = page->source, .fragments = fragments, .fragment_count = fragment_count,
        .claims = claims, .claim_count = claim_count }, &put, SOON));
    return put.fragments_new;
}

/* The ids that such a page's parts have; until the fourth call from now. */
static inline const char *rig_fragment_id(const char *url, const char *text)
{
    static char ids[4][STORE_EVIDENCE_ID];
    static unsigned turn;
    char page[STORE_EVIDENCE_ID];
    return store_fragment_id(ids[turn++ % 4], store_page_id(page, url), text);
}

static inline const char *rig_claim_id(const char *task, const char *url, const char *fragment,
                                       const char *text)
{
    static char ids[4][STORE_EVIDENCE_ID];
    static unsigned turn;
    return store_claim_id(ids[turn++ % 4], task, rig_fragment_id(url, fragment), text);
}

#endif
