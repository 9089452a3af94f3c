/* source.h - who else can be asked about a work, and how.
 *
 * A source is a public catalogue of works: Crossref, arXiv, DBLP and so on.  What there is to
 * know of one is a row (struct source_driver) in a file of its own: its address, its limits,
 * what it can be asked by, how a request is written and how an answer is read.
 *
 *     struct source_question questions[SOURCE_QUESTIONS_MAX];
 *     size_t count = source_questions(&source_crossref, keyed, &work, &arena, questions);
 *
 *     struct source_reading reading = { .driver = &source_crossref, .arena = &arena,
 *                                       .question = &questions[0] };
 *     struct source_request request = ...          (source_request_write)
 *     err = source_read(&reading, &(struct source_reply){ .status = 200, ... });
 *     ...reading.records[0 .. reading.count)
 *
 * Whoever asks for real has a drainer for it (drainer.h), which keeps the limits.
 *
 * A source answers with records, or says that it knows none.  Everything else is an error and
 * says nothing of the work: a page where an answer should be, a list that breaks off, a number
 * where a name should be, an apology with the status 200.
 */
#ifndef WR_SOURCE_SOURCE_H
#define WR_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>
#include <weir/time.h>

#include "base/arena.h"
#include "base/text.h"
#include "biblio/work.h"

struct asking;
struct json_t;

#define SOURCE_QUESTIONS_MAX 4
#define SOURCE_URLS_MAX 3           /* addresses of one work that are asked about */
#define SOURCE_RECORDS_MAX 20       /* of one answer; what comes after is left out */
#define SOURCE_AUTHORS_MAX 500      /* of one record; then it says et_al */
#define SOURCE_URL_MAX 2048
#define SOURCE_BODY_MAX (4u << 20)  /* of an answer */
#define SOURCE_WHY_MAX 200

/* What a question goes by. */
enum source_by {
    SOURCE_BY_TITLE,
    SOURCE_BY_DOI,
    SOURCE_BY_ARXIV,                /* "2403.00108" */
    SOURCE_BY_RFC,                  /* "9110" */
    SOURCE_BY_EPRINT,               /* "2023/1234" */
    SOURCE_BY_ACL,                  /* "2020.acl-main.1", "P18-1001" */
    SOURCE_BY_FORUM,                /* of OpenReview: "nspzrcvzcB" */
    SOURCE_BY_URL,
    SOURCE_BY_COUNT,
};
#define SOURCE_BIT(by) (1u << (by))
#define SOURCE_TITLE SOURCE_BIT(SOURCE_BY_TITLE)
#define SOURCE_DOI SOURCE_BIT(SOURCE_BY_DOI)
#define SOURCE_ARXIV SOURCE_BIT(SOURCE_BY_ARXIV)
#define SOURCE_RFC SOURCE_BIT(SOURCE_BY_RFC)
#define SOURCE_EPRINT SOURCE_BIT(SOURCE_BY_EPRINT)
#define SOURCE_ACL SOURCE_BIT(SOURCE_BY_ACL)
#define SOURCE_FORUM SOURCE_BIT(SOURCE_BY_FORUM)
#define SOURCE_URL SOURCE_BIT(SOURCE_BY_URL)

/* "title", "doi", ...: for people, and for keys of caches. */
const char *source_by_name(enum source_by by);

struct source_question {
    enum source_by by;
    const char *text;               /* the title or the identifier */
    const char *title;              /* the work's, where by is an identifier; may be NULL */
    bool always;                    /* to be asked even if the work is found elsewhere: where an
                                     * identifier leads, and whether it was retracted, are
                                     * verdicts and not a search */
};

/* What is sent.  The texts belong to whoever made it. */
struct source_request {
    struct wr_text url;
    struct wr_text body;            /* not empty: it is a POST of JSON */
    const char *accept;             /* or NULL */
};

struct source_reply {
    unsigned status;
    bool redirected;                /* it comes from elsewhere than was asked */
    const char *bytes;
    size_t len;
};

/* An answer while it is read.  Records and their texts lie in the arena. */
struct source_reading {
    const struct source_driver *driver;
    const struct source_question *question;
    struct wr_arena *arena;
    struct bib_record *records;
    size_t count;
    unsigned step;                  /* which request of the question this is, from 0 */
    const char *next;               /* what the next step needs; NULL: there is none */
    char why[SOURCE_WHY_MAX];       /* after an error: a sentence */
};

/* Both names of a driver. */
#define SOURCE_SLUG(slug_) .slug = (slug_), .queue = "source." slug_

struct source_driver {
    const char *name;               /* "Semantic Scholar": in reports */
    const char *slug;               /* "semantic_scholar": in configuration and keys, */
    const char *queue;              /* ... and "source.semantic_scholar" on the map */
    const char *base;               /* "https://api.semanticscholar.org"; NULL: must be given */
    uint32_t asks;                  /* SOURCE_BITs: what it can be asked by, */
    uint32_t keyless;               /* ... also without a key */
    uint32_t always;                /* ... whatever others have said */
    const char *key_header;         /* how a key is given: in a header, */
    const char *key_parameter;      /* ... or in the query */
    const char *key_env;            /* where one may be found */
    bool polite;                    /* an address to write to counts as a key */
    wr_time interval;               /* between two requests, as published */
    wr_time interval_keyed;
    unsigned at_once;               /* requests under way at a time, as published; 2 */
    unsigned at_once_keyed;         /* ... with a key; the same */
    wr_time timeout;                /* of one request */
    wr_time pause;                  /* after a refusal that does not say how long */
    bool refuses_503;               /* a 503 means that we ask too often */
    bool complete;                  /* its lists of authors have all of them */
    bool selects;                   /* its records are chosen by title when they are read */
    bool recorded;                  /* read against recorded answers; else only against such as
                                     * its published schema describes */

    /* Where the items are in JSON, members joined by dots; "" is all of it.  Who is asked by an
     * identifier and answers with one object has it at `single`. */
    const char *list, *single;
    const char *total;              /* a count: where it is 0 there need be no list */

    /* Whether such a work may be there at all; NULL: any may. */
    bool (*has)(const struct bib_work *work);

    /* Write path and query behind the base. */
    void (*request)(const struct source_reading *reading, struct source_request *ret);

    /* Read one item of JSON; false: it is none to be looked at. */
    bool (*item)(struct source_reading *reading, const struct json_t *item,
                 struct bib_record *ret);

    /* Read an answer that is no list of items.  Instead of the above. */
    wr_err (*read)(struct source_reading *reading, const struct source_reply *reply);

    /* Ask where there is no one to write a request to.  Instead of all of these; the errors
     * are those of asking_run. */
    wr_err (*ask)(struct asking *asking, struct source_reading *reading, wr_time deadline);
};

extern const struct source_driver source_acl, source_arxiv, source_crossref, source_dblp,
    source_doi, source_eprint, source_europe_pmc, source_govinfo, source_open_library,
    source_openalex, source_openreview, source_pubmed, source_rfc_editor,
    source_semantic_scholar;

#define SOURCE_COUNT 14

/* All of them, in the order in which they are shown. */
extern const struct source_driver *const source_drivers[SOURCE_COUNT];

#define SOURCE_FALLBACKS 3

/* Who is asked when none of them knows a work, one after the other: what they have are pages,
 * and a page tells nothing of authors.  First the page itself, if the work is one
 * (bib_work_is_page).  The web search has no address but the one that is configured. */
extern const struct source_driver source_alive, source_wayback, source_web_search;
extern const struct source_driver *const source_fallbacks[SOURCE_FALLBACKS];

/* By name or slug, in any case; NULL: there is none. */
const struct source_driver *source_find(const char *name);

/* What a source can be asked about a work, the best question first; how many.  What is not
 * literally in the work lies in the arena. */
size_t source_questions(const struct source_driver *driver, bool keyed,
                        const struct bib_work *work, struct wr_arena *arena,
                        struct source_question *ret);

/* Write the request of the reading's step.  `base` takes the place of the driver's, if it is
 * not NULL.  Errors: INVALID (the question is too long, or there is no base). */
wr_err source_request_write(const struct source_reading *reading, const char *base,
                            struct source_request *ret);

/* Read an answer: records are added to the reading.  Must not run on a fiber where bytes are
 * many: it computes.
 * Errors: NOTFOUND (the source knows none), BUSY (it was asked too often), IO (no answer that
 * can be read, or it failed), DENIED (it does not let us in), INVALID (it does not understand
 * us), UNSUPPORTED (it is there, but there is nothing to read), NOMEM. */
wr_err source_read(struct source_reading *reading, const struct source_reply *reply);

#endif
