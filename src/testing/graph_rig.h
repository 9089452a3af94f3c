/* graph_rig.h - a small graph in a store, for tests of what is linked to what.
 *
 *     graph_point(store, "site", "weir.example", CID_OF("1"));
 *     graph_page(store, "http://a.test/", "A", CID_OF("2"));
 *     graph_cite(store, "http://a.test/", "http://b.test/");
 *     ...graph_page_id("http://a.test/")
 */
#ifndef WR_TESTING_GRAPH_RIG_H
#define WR_TESTING_GRAPH_RIG_H

#include "store/pointer.h"
#include "store/webpage.h"
#include "testing/test.h"

#define GRAPH_SOON wr_after(WR_S(5))

#ifndef CID_OF
/* "b3:" and 64 times this. */
#define CID_OF(digit) "b3:" DIGITS16(digit) DIGITS16(digit) DIGITS16(digit) DIGITS16(digit)
#define DIGITS16(d) d d d d d d d d d d d d d d d d
#endif

/* That this is the manifest of a name of the space. */
static inline void graph_point(struct store *store, const char *space, const char *name,
                               const char *cid)
{
    char value[200];
    int64_t version;
    snprintf(value, sizeof(value), "{\"manifest_cid\":\"%s\",\"updated_at_ms\":1,"
             "\"version\":1}", cid);
    CHECK_OK(store_pointer_put(store, space, name, value, STORE_POINTER_ANY, &version,
                               GRAPH_SOON));
}

/* A page with these bytes, or NULL. */
static inline void graph_page(struct store *store, const char *url, const char *title,
                              const char *cid)
{
    struct store_page_put put;
    CHECK_OK(store_page_put(store, &(struct store_page_new){
        .page = { .url = url, .domain = "a.test", .title = title, .content_hash = cid,
                  .http_status = 200 } }, &put, GRAPH_SOON));
}

/* The id of a page, until the fourth call from now. */
static inline const char *graph_page_id(const char *url)
{
    static char ids[4][STORE_EVIDENCE_ID];
    static unsigned turn;
    return store_page_id(ids[turn++ % 4], url);
}

/* The one that is cited is a page then, too. */
static inline void graph_cite(struct store *store, const char *from, const char *to)
{
    uint64_t new;
    CHECK_OK(store_page_cite(store, graph_page_id(from), "test", &(struct store_cited){
        .url = to, .domain = "b.test", .title = "cited" }, 1, &new, GRAPH_SOON));
}

#endif
