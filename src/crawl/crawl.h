/* crawl.h - pages of strangers, fetched as a polite visitor does.
 *
 *     struct crawl *crawl;
 *     err = crawl_open(&crawl, &(struct crawl_conf){
 *         .mailto = "me@example.org", .domain.interval = WR_S(5) });
 *     ...
 *     struct crawl_page page;
 *     err = crawl_get(crawl, &(struct crawl_ask){ .url = url, .accept_pdf = true }, &page,
 *                     wr_after(WR_S(120)));
 *     if (err)                 ...page.why is a sentence, page.outcome says which kind of thing
 *     else if (page.challenge) ...a person is wanted
 *     else if (page.bytes)     ...page.media, page.charset
 *     else                     ...page.status is 404 or the like
 *     crawl_page_free(&page);
 *     ...
 *     crawl_close(crawl);
 *
 * Each request, and that is each redirect and each retry, passes all of this:
 *
 *   - only http and https, no user or password, no way from https back to http;
 *   - no internal address, whatever a name says (fetch.h);
 *   - not a domain that is on the caller's list;
 *   - what robots.txt allows (permit.h);
 *   - one at a time in a domain, in its turn, within its day's budget, and not while it is left
 *     alone (domain.h); `at_once` in all;
 *   - bounded in time, size, kind, and in how much it grows when it is unpacked (visit.h).
 *
 * No answer, 429 and 5xx are tried again, with a pause that doubles, within the deadline and a
 * budget that all share (retry.h).
 *
 * A page that shows nothing without its scripts can be rendered (crawl_render): what was
 * fetched, or kept, is given to a browser that has no network (browser.h), and what its scripts
 * ask for passes all of the above but for the wait for a turn.
 *
 * A domain that is left alone since it wants a person is not asked again: the next who come get
 * the same challenge, until somebody says that it was solved (crawl_release).
 *
 * What was fetched is kept in the memory that the caller has for it, and not asked for again
 * for `ttl`; afterwards only if it has changed, as far as the site can tell.
 */
#ifndef WR_CRAWL_CRAWL_H
#define WR_CRAWL_CRAWL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/bytes.h>
#include <weir/err.h>
#include <weir/fetch.h>
#include <weir/time.h>

#include "crawl/browser.h"
#include "crawl/challenge.h"
#include "crawl/domain.h"
#include "crawl/media.h"

#define CRAWL_WHY 440

struct crawl;

enum crawl_outcome {
    CRAWL_FETCHED,
    CRAWL_UNCHANGED,                /* it is as it was kept */
    CRAWL_REMEMBERED,               /* nobody was asked */
    CRAWL_CHALLENGED,               /* a person is wanted: page.challenge */
    CRAWL_STATUS,                   /* an answer without a page: page.status */
    /* with an error: */
    CRAWL_INVALID,                  /* no URL that is fetched */
    CRAWL_LISTED,                   /* the domain is on the caller's list */
    CRAWL_ROBOTS,                   /* robots.txt forbids it */
    CRAWL_ROBOTS_UNREACHABLE,       /* ... cannot be had, for now */
    CRAWL_COOLING,                  /* the domain is left alone for a while */
    CRAWL_SPENT,                    /* the domain's turns of today are taken */
    CRAWL_LATER,                    /* ... has no turn within the caller's patience: retry_in;
                                     * url is where it leads to, if it was sent on */
    CRAWL_HELD,                     /* the caller did not let it go out (BUSY), or could not
                                     * say whether it may: the error is his */
    CRAWL_REFUSED,                  /* too large, of another kind, an internal address, ... */
    CRAWL_LATE,                     /* the deadline passed */
    CRAWL_CANCELED,
    CRAWL_FAILED,                   /* no answer */
    CRAWL_OUTCOMES,
};

/* A page; also as it is kept.  Texts are on the heap. */
struct crawl_page {
    enum crawl_outcome outcome;
    char *url;                      /* where it came from in the end */
    unsigned status;                /* 0: there was no answer */
    enum media_kind media;
    char charset[MEDIA_CHARSET_MAX];
    struct wr_bytes *bytes;         /* NULL: none */
    char *etag, *last_modified;     /* or NULL */
    struct wr_wall fetched_at;
    enum challenge challenge;
    unsigned redirects;
    bool rendered;                  /* its scripts have run; it is UTF-8 then */
    bool unkept;                    /* the caller said that he keeps it, and is to */
    wr_time retry_in;               /* COOLING, LATER: after how long to ask again */
    wr_time challenged;             /* how long ago it was, if it was not asked again since */
    char why[CRAWL_WHY];            /* after an error, or if it could not be rendered: a
                                     * sentence */
};

/* Where pages are kept.  Both may wait. */
struct crawl_memory {
    /* Fill in url, status, media, charset, bytes, etag, last_modified, fetched_at and rendered
     * of what was kept for this URL; they are the crawl's from then on.  Errors: NOTFOUND;
     * others are taken for it, and counted. */
    wr_err (*recall)(void *self, const char *url, struct crawl_page *ret, wr_time deadline);
    /* Keep a page; it stays the caller's.  Errors are counted. */
    wr_err (*keep)(void *self, const char *url, const struct crawl_page *page,
                   wr_time deadline);
    void *self;
};

/* Zero is the default of everything.  Nothing pointed to is copied: it must outlive the
 * crawl. */
struct crawl_conf {
    const char *mailto;             /* whom to write to about us, in the User-Agent */
    struct wr_fetch_conf fetch;     /* ca_file, proxy, allow, hosts, internal, plain, http2 */
    struct domain_conf domain;
    bool to_http;                   /* redirects may go from https to http */
    unsigned at_once;               /* requests in all; 4 */
    size_t body_max, pdf_max;       /* bytes; 4 and 32 MiB */
    wr_time timeout;                /* of one request; 30 s */
    unsigned redirects_max;         /* 5 */
    unsigned tries_max;             /* of each request; 4 */
    wr_time ttl;                    /* 7 days */
    wr_time robots_ttl;             /* 24 h */
    const struct crawl_memory *memory;                      /* or NULL */
    /* Whether to go there.  Errors: DENIED, not; others: it is not known, and nobody goes. */
    wr_err (*listed)(void *arg, const char *host);
    void *listed_arg;
    struct browser_conf browser;    /* without a path there is none; load is the crawl's */
};

struct crawl_ask {
    const char *url;
    const char *cookie;             /* for the domain of this URL alone; or NULL */
    bool accept_pdf;
    bool renew;                     /* ask, even if what is kept is not yet old */
    wr_time patience;               /* for the turn of its domain, and of others that it leads
                                     * to; 0: until the deadline */
    wr_err (*go)(void *arg, wr_time deadline);  /* or NULL: asked once, before a request goes
                                     * out; with an error none does, and it is returned */
    void *go_arg;
    bool keeps;                     /* the caller keeps it, with what he makes of it: where the
                                     * memory would have it by this very URL, page.unkept is
                                     * set instead */
};

/* In the scope of the calling fiber, which must close it before its task returns.
 * Errors: those of wr_fetch_client_new. */
wr_err crawl_open(struct crawl **ret, const struct crawl_conf *conf);

/* Nobody may be inside.  NULL is allowed. */
void crawl_close(struct crawl *crawl);

/* Fetch a page.  *ret is set in any case, and given back with crawl_page_free.
 * Errors: INVALID, DENIED, UNSUPPORTED, OPENCIRCUIT (the domain is left alone), BUSY (its turns
 * of today are taken; it has none soon; there is no room for another domain), TIMEOUT,
 * CANCELED, NOTFOUND (the name has no address), IO, NOMEM; outcome and why say more. */
wr_err crawl_get(struct crawl *crawl, const struct crawl_ask *ask, struct crawl_page *ret,
                 wr_time deadline);
void crawl_page_free(struct crawl_page *page);

/* Let the scripts of a page run that crawl_get has given: it is what they made of it then, and
 * kept as that.  `ask` is what it was asked for with.  After an error it is as it was, and
 * page->why is a sentence.
 * Errors: NOTFOUND (there is no browser, or no page of HTML); those of browser_render. */
wr_err crawl_render(struct crawl *crawl, const struct crawl_ask *ask, struct crawl_page *page,
                    wr_time deadline);

/* Whoever keeps pages himself could not: it is counted as a failure of the memory. */
void crawl_forgot(struct crawl *crawl);

/* Whether there is one, though perhaps not where it was said. */
bool crawl_has_browser(const struct crawl *crawl);

/* How long to stay away from a domain that has no turn soon ("example.org",
 * "example.org:8080"): domain_put_off. */
wr_time crawl_put_off(struct crawl *crawl, const char *domain);

/* How a domain stands; and that it need not be left alone any more, as somebody has solved what
 * it asked. */
struct domain_stat crawl_domain(struct crawl *crawl, const char *domain);
void crawl_release(struct crawl *crawl, const char *domain);

/* "fetched", "robots": as metrics and people have it. */
const char *crawl_outcome_name(enum crawl_outcome outcome);

#endif
