/* harvest.h - a page of somebody's: fetched, read, and what it says kept.
 *
 *     struct harvest got;
 *     err = harvest_page(&(struct harvest_ask){ .crawl = crawl, .store = store, .url = url,
 *         .task = task, .hypothesis = hypothesis, .reason = "manual" }, &got, deadline);
 *     if (got.challenge)
 *         ...a person is wanted
 *     ...got.page, got.fragments, got.claims, got.cited; after an error got.code and got.why
 *
 * An address may be written in any way (address.h); the page has one row.  A page whose claims
 * the task has already is left as it is.  One that was fetched for another
 * task, and not long ago, is read again from what was kept.  One that is written by scripts is
 * read when they have run (crawl_render), where there is a browser; else got.why says why not.
 */
#ifndef WR_QUEUE_HARVEST_H
#define WR_QUEUE_HARVEST_H

#include <stdbool.h>
#include <stddef.h>

#include <weir/err.h>
#include <weir/time.h>

#include "crawl/address.h"
#include "crawl/crawl.h"
#include "store/evidence.h"
#include "store/store.h"
#include "svc/queue/novelty.h"
#include "svc/queue/queue_work.h"

#define HARVEST_CLAIMS_MAX 5            /* of one page */
#define HARVEST_CITED_MAX 10            /* links of one page that are kept, */
#define HARVEST_DEPTH_MAX 2             /* ... if it is less deep than this */

struct harvest_ask {
    struct crawl *crawl;
    struct store *store;
    const char *url, *task, *hypothesis;
    const char *reason;                 /* why it is read: "serp", "manual", ... */
    const char *source_page;            /* whose link led here, or NULL */
    unsigned depth;
    const char *pdftotext;              /* NULL: the system's */
    wr_time patience;                   /* for its domain's turn; 0: until the deadline */
    struct novelty *novelty;            /* what was read before; or NULL */
    struct queue_work *work;            /* for which it is read: it takes the browser's slot
                                         * while scripts run, and a page that is asked for is
                                         * one of its task's; NULL: nobody's */
};

enum harvest_state {
    HARVEST_DONE,
    HARVEST_KNOWN,                      /* the task has it already */
    HARVEST_EMPTY,                      /* there is no page, or nothing to read on it */
    HARVEST_AWAITS,                     /* a person is wanted: `challenge` */
    HARVEST_LATER,                      /* its domain has no turn soon */
};

struct harvest {
    enum harvest_state state;
    char page[STORE_EVIDENCE_ID];       /* empty: there is none */
    size_t fragments, claims, cited;    /* that are new, for this task */
    bool fetched;                       /* somebody was asked for it */
    bool needs_scripts;                 /* it says next to nothing without, and they did not
                                         * run: `why` */
    bool rendered;                      /* they did */
    int novelty;                        /* of what it says, as novelty_add has it; -1: nobody
                                         * knows */
    enum challenge challenge;
    wr_time challenged;                 /* how long ago it was, if it was not asked since */
    char leads_to[ADDRESS_MAX + 1];     /* LATER: it was sent on to there; or empty */
    bool unpaid;                        /* BUSY: the pages of the task are used up */
    char domain[256];
    const char *code;                   /* "TIMEOUT", "ROBOTS", ...; NULL: none */
    char why[CRAWL_WHY];
};

/* Errors: those of crawl_get, with code and why; of the store. */
wr_err harvest_page(const struct harvest_ask *ask, struct harvest *ret, wr_time deadline);

#endif
