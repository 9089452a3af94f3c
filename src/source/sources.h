/* sources.h - all sources of a node, for everybody in it.
 *
 *     struct sources_conf conf = { .mailto = mailto, .cache = cache };
 *     conf.settings[i] = ...                       (i as in source_drivers)
 *     err = sources_new(&sources, &conf);
 *     ...
 *     err = sources_run(sources, drain);           (in a task that is supervised)
 *     ...
 *     for (size_t i = 0; i < SOURCES_MAX; i++)
 *         if ((drainer = sources_drainer(sources, i)))
 *             ...                                  (drainer.h)
 *     sources_free(sources, wr_after(WR_S(2)));
 *
 * or sources_open and sources_close, which have the task along.
 *
 * Services hold pointers to the sources and to their drainers, which are there from beginning
 * to end.  What runs is a task for each drainer, supervised by itself: one that breaks down is
 * run again, and neither the others nor those who have asked something are the worse for it.
 *
 * They share a client, which says who we are ("weir/0.1.0 (+mailto:me@example.org)") and
 * refuses internal addresses, and breakers with their janitor.  The last places are those of
 * the fallbacks, which are there only if they are wanted.  Pages have a client of their own,
 * because strangers choose their addresses: what is allowed for a source is not for them.
 */
#ifndef WR_SOURCE_SOURCES_H
#define WR_SOURCE_SOURCES_H

#include <weir/once.h>

#include "source/drainer.h"

#define SOURCES_ALIVE SOURCE_COUNT
#define SOURCES_WAYBACK (SOURCE_COUNT + 1)
#define SOURCES_WEB_SEARCH (SOURCE_COUNT + 2)
#define SOURCES_MAX (SOURCE_COUNT + SOURCE_FALLBACKS)

struct sources;

struct sources_setting {
    bool off;
    bool on;                            /* of a fallback, which is off unless it is set */
    const char *base;                   /* the driver's */
    struct wr_secret *key;
    wr_time interval, timeout;          /* the driver's */
};

/* Zero is the default of everything.  What it points to must outlive the sources. */
struct sources_conf {
    struct sources_setting settings[SOURCES_MAX];
    const char *mailto;
    struct wr_cache *cache;
    const struct wr_limiter_share *share;
    const char *ca_file, *proxy;
    const struct wr_fetch_range *allow; /* internal addresses that are allowed: a search engine
                                         * or a mirror of our own */
    size_t allow_count;
    const struct wr_fetch_range *allow_pages;       /* ... and for pages: for tests */
    size_t allow_pages_count;
    bool plain;                         /* no TLS: for tests */
};

/* Which driver is at that place. */
const struct source_driver *sources_driver(size_t place);

/* Make all that are not off; what they are fetched with lives in the scope of the caller, who
 * must free them before his task returns.  A web search without a base is off.
 * Errors: INVALID (the proxy); NOMEM, NOFILE, BUSY, CANCELED, TIMEOUT. */
wr_err sources_new(struct sources **ret, const struct sources_conf *conf);

/* Let all drainers ask, until `drain` is set: then they take no more, and what is queued or
 * under way is reported as CANCELED before this returns.  One at a time.  After an error it may
 * be run again, and goes on with what is queued.
 * Errors: NOMEM, BUSY, CANCELED, TIMEOUT. */
wr_err sources_run(struct sources *sources, struct wr_once *drain);

/* Report what is queued as CANCELED, and close the clients by the deadline.  They must not be
 * running.  NULL is allowed. */
void sources_free(struct sources *sources, wr_time deadline);

/* The same with a task for it, in a scope below the caller's, who must close them before his
 * task returns.  NULL is allowed. */
wr_err sources_open(struct sources **ret, const struct sources_conf *conf);
void sources_close(struct sources *sources, wr_time deadline);

/* The drainer at that place; NULL: it is off. */
struct drainer *sources_drainer(const struct sources *sources, size_t place);

/* ... or that of a driver. */
struct drainer *sources_find(const struct sources *sources, const struct source_driver *driver);

#endif
