/* webpage.h - pages that were read, with what was found in them.
 *
 *     struct store_page_new page = {
 *         .page = { .url = url, .domain = domain, .http_status = 200, .content_hash = cid },
 *         .task = task, .reason = "serp",
 *         .fragments = fragments, .fragment_count = 50,
 *         .claims = claims, .claim_count = 3 };
 *     struct store_page_put put;
 *     err = store_page_put(store, &page, &put, deadline);
 *     ...put.id, put.fragments_new
 *
 * All of it is there afterwards, or nothing.  Each claim has an edge `origin` from its
 * fragment.  Ids are made of the content (evidence.h), so it can be done again: what is
 * there stays as it is, and fragments of an older state of the page stay too.  Of
 * the page's own columns those that are given replace what there was; NULL and 0 leave it, but
 * etag and last_modified are those of the content_hash, if there is one.
 * With an http_status it was fetched now; without one, when it was before.
 *
 * A page that another one cites and nobody has fetched is there with url, domain and title
 * alone, and no fetched_at (store_page_cite).
 *
 * Texts are UTF-8; a byte that is not becomes U+FFFD.  INVALID is returned for what is longer
 * than the bounds below, before anything is written.
 */
#ifndef WR_STORE_WEBPAGE_H
#define WR_STORE_WEBPAGE_H

#include <stdbool.h>

#include "store/evidence.h"
#include "store/verb.h"

#define STORE_PAGE_URL_MAX 4096
#define STORE_PAGE_WORD_MAX 255     /* domain, types, hashes, language, etag, reason, ids */
#define STORE_PAGE_TITLE_MAX 2048   /* title, error */
#define STORE_PAGE_FRAGMENTS_MAX 512
#define STORE_PAGE_CLAIMS_MAX 128
#define STORE_PAGE_CITED_MAX 256
#define STORE_PAGE_BYTES_MAX (4 << 20)      /* all that is put at once, as JSON */

/* What is known of a page.  url and domain are required. */
struct store_page {
    const char *url, *final_url, *domain;
    const char *page_type, *fetch_method;
    int http_status;                /* 0: none */
    const char *content_type, *content_hash;        /* hash: of the blob (blob.h) */
    int64_t content_length;
    const char *title, *canonical_id, *language;    /* canonical_id: of the work */
    const char *etag, *last_modified;
    const char *error;              /* NULL takes back an older one */
    const char *cause;              /* what it was done for */
};

struct store_fragment_new {
    const char *type;               /* paragraph, heading, abstract, ... */
    const char *text;               /* required */
    const char *heading, *hierarchy;        /* the latter as JSON */
    unsigned position;
    unsigned begin, end;            /* where in the main text, in bytes */
};

struct store_claim_new {
    size_t fragment;                /* the one that it is from, by its place in `fragments` */
    const char *text;               /* required */
    const char *type;               /* fact, opinion, prediction */
    double confidence;              /* 0..1; -1: nobody has said */
};

/* A page that another one cites. */
struct store_cited { const char *url, *domain, *title, *context; };

struct store_page_new {
    struct store_page page;
    const char *task, *reason;      /* NULL: of no task; then there are no claims */
    unsigned depth;
    const char *source_page;        /* whose link led here, or NULL */
    const struct store_fragment_new *fragments;
    size_t fragment_count;
    const struct store_claim_new *claims;
    size_t claim_count;
    const struct store_cited *cited;        /* by links of its own: as store_page_cite does,
                                             * with the source "page" */
    size_t cited_count;
};

struct store_page_put {
    char id[STORE_EVIDENCE_ID];
    uint64_t fragments_new, cited_new;      /* that were not there before */
};

wr_err store_page_put(struct store *store, const struct store_page_new *page,
                      struct store_page_put *ret, wr_time deadline);

/* The ids that store_page_put gives.  ret has STORE_EVIDENCE_ID bytes.  Return ret. */
const char *store_page_id(char *ret, const char *url);
const char *store_fragment_id(char *ret, const char *page, const char *text);
const char *store_claim_id(char *ret, const char *task, const char *fragment,
                           const char *text);

/* Pages that a page cites: an edge `cites` to each, and a page where there is none yet.  *ret
 * is how many edges are new. */
wr_err store_page_cite(struct store *store, const char *page, const char *source,
                       const struct store_cited *cited, size_t count, uint64_t *ret,
                       wr_time deadline);

/* A page that is there is a task's too.  Errors: EXISTS (it was), NOTFOUND (no such page). */
wr_err store_page_join(struct store *store, const char *page, const char *task,
                       const char *reason, unsigned depth, const char *source_page,
                       wr_time deadline);

/* One that is known.  Texts are the result's. */
struct store_page_known {
    const char *id;
    struct store_page page;
    struct wr_wall fetched_at;      /* 0: it never was */
    bool claimed;                   /* the task has claims from it */
    struct store_rows rows;
};

/* By its url.  `task` is whose claims are looked for; NULL: nobody's.  Errors: NOTFOUND. */
wr_err store_page_get(struct store *store, const char *url, const char *task,
                      struct store_page_known *ret, wr_time deadline);
void store_page_free(struct store_page_known *page);

#endif
