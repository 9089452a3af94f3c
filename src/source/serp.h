/* serp.h - a search of the web, by engines that would rather be left alone.
 *
 *     err = serp_new(&serp, &(struct serp_conf){ .sources = sources, .cache = cache });
 *     ...
 *     struct serp_found found;
 *     err = serp_search(&found, serp, &(struct serp_ask){
 *         .query = "sleep and memory", .page = 1, .arena = &arena }, deadline);
 *     ...found.results[0 .. found.count), found.troubles, found.why
 *     serp_free(serp);
 *
 * One SearxNG is asked, which also looks for works that nobody knows (`check.searxng`), by way
 * of its drainer; it asks the engines.  Each engine has a policy here: so much time from one
 * answer to the next query, so many on a day, and one at a time.  A query goes to those that
 * may be asked at the moment, and waits only while none of them may.  When none is named those
 * are asked that mind least, and the others only if none of these may be.
 *
 *   engine        seconds between   on a day   asked unless others are named
 *   duckduckgo                  2                yes
 *   mojeek                      4                yes
 *   brave                      10         50     yes
 *   ecosia                      3
 *   startpage                   5
 *   google                     20         10
 *   bing                       20         10
 *
 * An engine that fails twice in a row, by wanting a CAPTCHA, refusing, or not answering, is
 * left alone for half an hour; if it then fails again, for an hour, and then for two at a time.
 * Once somebody has solved the CAPTCHA it may be asked again (serp_pardon).  That the SearxNG
 * itself fails says nothing of the engines.
 *
 * What was found without any trouble is remembered for SERP_TTL, under the query without case,
 * accents and punctuation, the engines that were named, and the page.
 */
#ifndef WR_SOURCE_SERP_H
#define WR_SOURCE_SERP_H

#include "source/sources.h"

#define SERP_RESULTS_MAX 100            /* of one page; what comes after is left out */
#define SERP_QUERY_MAX 500              /* bytes */
#define SERP_PAGES_MAX 2
#define SERP_TTL WR_S(24 * 3600)        /* for the conf of the cache */

enum serp_engine {
    SERP_DUCKDUCKGO, SERP_MOJEEK, SERP_GOOGLE, SERP_BRAVE, SERP_ECOSIA, SERP_STARTPAGE,
    SERP_BING,
    SERP_ENGINES,
};
#define SERP_BIT(engine) (1u << (engine))

/* "duckduckgo", ...; and back, SERP_ENGINES: it is none of these. */
const char *serp_engine_name(enum serp_engine engine);
enum serp_engine serp_engine_find(const char *name);

/* Where a person sees what this engine finds for a query, and what it asks of him: written
 * after what is in *ret. */
void serp_engine_page(struct wr_text *ret, enum serp_engine engine, const char *query);

/* Engines that are asked when none is named. */
#define SERP_PREFERRED \
    (SERP_BIT(SERP_DUCKDUCKGO) | SERP_BIT(SERP_MOJEEK) | SERP_BIT(SERP_BRAVE))

/* Why an engine did not answer. */
enum serp_kind { SERP_CAPTCHA, SERP_BLOCKED, SERP_TIMEOUT, SERP_OTHER, SERP_KINDS };

/* "captcha", "blocked", "timeout", "other" */
const char *serp_kind_name(enum serp_kind kind);

struct serp_result {
    const char *url;                    /* http or https; never NULL, nor twice */
    const char *title;                  /* never NULL */
    const char *snippet, *date;         /* or NULL */
    const char *engine;                 /* who found it first, by the name that SearxNG has */
    uint32_t engines;                   /* SERP_BITs of all who did */
    uint32_t rank;                      /* on its page, from 1 */
};

struct serp_trouble {
    enum serp_engine engine;
    enum serp_kind kind;
    const char *text;                   /* in the words of SearxNG */
};

struct serp_found {
    struct serp_result *results;        /* these and all texts lie in the arena */
    size_t count;
    struct serp_trouble troubles[SERP_ENGINES];
    size_t trouble_count;
    uint32_t asked;                     /* SERP_BITs; none: it was remembered */
    char why[SOURCE_WHY_MAX];           /* after an error: a sentence */
};

struct serp_ask {
    const char *query;
    uint32_t engines;                   /* SERP_BITs; 0: see above */
    unsigned page;                      /* 1 to SERP_PAGES_MAX; 0: 1 */
    struct wr_arena *arena;
};

/* What it points to must outlive it.  A cache that is given needs its janitor (cache.h). */
struct serp_conf {
    struct sources *sources;
    struct wr_cache *cache;             /* or NULL */
};

/* How an engine is. */
struct serp_stat {
    uint64_t asked, failed;
    unsigned today;                     /* queries since midnight, UTC */
    wr_time next;                       /* when it may be asked; now, if that is past */
    bool alone;                         /* it failed and is left alone until then, */
    enum serp_kind last;                /* ... because of that */
};

struct serp;

/* Errors: NOMEM. */
wr_err serp_new(struct serp **ret, const struct serp_conf *conf);

/* Nobody may be searching.  NULL is allowed. */
void serp_free(struct serp *serp);

/* Search.  That engines have troubles is no error, even if all have: then nothing was found.
 * Errors: INVALID (no query, too long, no such page), UNSUPPORTED (no SearxNG is configured),
 * OPENCIRCUIT (all engines are left alone, or had their day, beyond the deadline; or the
 * SearxNG is), TIMEOUT (no turn or no answer in time); those of drainer_fetch and reading.h. */
wr_err serp_search(struct serp_found *ret, struct serp *serp, const struct serp_ask *ask,
                   wr_time deadline);

/* An engine may be asked again: somebody has seen to what was wrong. */
void serp_pardon(struct serp *serp, enum serp_engine engine);

struct serp_stat serp_stat(struct serp *serp, enum serp_engine engine);

#endif
