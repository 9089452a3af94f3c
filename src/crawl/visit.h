/* visit.h - one request to a stranger, and as much of the answer as is wanted.
 *
 *     struct visit visit = { .client = client, .url = url, .body_max = 4 << 20 };
 *     err = visit_run(&visit, deadline);
 *     if (err)                  ...visit.why
 *     else if (visit.location)  ...it is elsewhere
 *     else if (visit.bytes)     ...visit.media, visit.challenge
 *     visit_free(&visit);
 *
 * Redirects are not followed.  Of an answer of 200 the body is taken if its kind is one that is
 * read here (media.h) and it is not too large; of a refusal only what tells whether somebody is
 * wanted (challenge.h).
 */
#ifndef WR_CRAWL_VISIT_H
#define WR_CRAWL_VISIT_H

#include <stdbool.h>
#include <stddef.h>

#include <weir/bytes.h>
#include <weir/err.h>
#include <weir/fetch.h>
#include <weir/time.h>

#include "crawl/challenge.h"
#include "crawl/media.h"

#define VISIT_WHY 300

struct visit {
    struct wr_fetch_client *client;     /* that follows no redirects */
    const char *url;
    const char *etag, *last_modified;   /* of what is known; or NULL */
    const char *cookie;                 /* or NULL */
    const char *accept;                 /* NULL: pages, texts, and PDF if it may be */
    size_t body_max;                    /* bytes, decoded */
    size_t pdf_max;                     /* ... of a PDF; 0: none is taken */
    bool any_kind;                      /* take what it is, as the browser needs it */
    /* what came */
    unsigned status;                    /* 0: nothing */
    struct media media;
    struct wr_bytes *bytes;
    char *type;                         /* Content-Type as it came; or NULL, as those below */
    char *location, *new_etag, *new_last_modified;
    wr_time retry_after;                /* 0: it did not say */
    enum challenge challenge;
    char why[VISIT_WHY];                /* after an error: a sentence */
};

/* Errors: those of wr_fetch; DENIED (too large), UNSUPPORTED (of a kind that is not read). */
wr_err visit_run(struct visit *visit, wr_time deadline);

/* Give back what came.  Twice is fine. */
void visit_free(struct visit *visit);

/* Read a body up to `max` bytes; *ret_more: there was more.  *ret is the caller's. */
wr_err visit_read(struct wr_bytes **ret, bool *ret_more, struct wr_fetch *fetch, size_t max,
                  wr_time deadline);

#endif
