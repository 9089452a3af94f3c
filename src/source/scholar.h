/* scholar.h - papers, as who does research needs them: with abstract, links and counts.
 *
 *     struct wr_arena arena = WR_ARENA(4 << 20);
 *     struct scholar_found found;
 *     struct scholar_ask ask = { .sources = sources, .api = SCHOLAR_OPENALEX,
 *                                .text = "sleep and memory", .limit = 10, .arena = &arena };
 *     err = scholar_search(&found, &ask, deadline);
 *     if (err) ...found.why
 *     else     ...found.papers[0 .. found.count)
 *
 *     ask.text = found.papers[0].id;                       ("DOI:10.1000/x" would do too)
 *     err = scholar_cited(&found, &ask, deadline);         what that paper cites
 *     err = scholar_citing(&found, &ask, deadline);        ... and who cites it
 *
 * Two catalogues have abstracts: Semantic Scholar and OpenAlex.  They are the same sources that
 * references are checked against, so requests go through the same drainers (drainer.h): limit,
 * breaker, key and the number of requests under way are those of the node, whoever asks.  The
 * caller's fiber waits.
 *
 * An error says nothing of the works: the other catalogue may be asked instead.
 *
 *   NOTFOUND     there is no such paper.  A search or a list that is empty is no error
 *   INVALID      the text is no query, or no id of that catalogue; nothing was sent, or the
 *                catalogue did not understand
 *   UNSUPPORTED  the catalogue is switched off, or gives strangers no searches and there is no
 *                key; nothing was sent
 *   TIMEOUT      no answer in time, or no turn before the deadline
 *   BUSY         it said twice that we ask too often
 *   OPENCIRCUIT  it has failed too often of late to be asked
 *   IO, DENIED, SHED, NOMEM, CANCELED, NOFILE, CLOSED     as in source.h and fetch.h
 */
#ifndef WR_SOURCE_SCHOLAR_H
#define WR_SOURCE_SCHOLAR_H

#include "source/sources.h"

#define SCHOLAR_LIMIT_MAX 100           /* papers of one answer */
#define SCHOLAR_AUTHORS_MAX 100         /* of one paper; what comes after is left out */
#define SCHOLAR_QUERY_MAX 500           /* bytes */

enum scholar_api { SCHOLAR_SEMANTIC_SCHOLAR, SCHOLAR_OPENALEX, SCHOLAR_APIS };

/* "semantic_scholar", "openalex"; and back, SCHOLAR_APIS: it is none of these. */
const char *scholar_api_name(enum scholar_api api);
enum scholar_api scholar_api_find(const char *name);

/* What is not known is NULL, 0, or -1 for a count. */
struct scholar_paper {
    enum scholar_api api;               /* who says so */
    const char *id;                     /* his own: forty hex digits, "W2741809807" */
    const char *title;                  /* never NULL */
    const char *abstract;
    int year;
    const char *const *authors;         /* "Ada Lovelace" */
    uint32_t author_count;
    const char *venue;
    const char *doi, *arxiv, *pmid;     /* bare, in lower case */
    int64_t citations, references;      /* how many: by others, and of others */
    const char *pdf;                    /* an address where everybody may read it */
};

struct scholar_found {
    struct scholar_paper *papers;       /* these and their texts lie in the arena */
    size_t count;
    char why[SOURCE_WHY_MAX];           /* after an error: a sentence */
};

/* `text` is a query, or for the other calls an id: "DOI:10.1000/x", "PMID:31452104",
 * "PMCID:PMC6993921", "ARXIV:2403.00108" in any case, or the catalogue's own. */
struct scholar_ask {
    struct sources *sources;
    enum scholar_api api;
    const char *text;
    size_t limit;                       /* 1 to SCHOLAR_LIMIT_MAX; 0: 10 */
    struct wr_arena *arena;
};

wr_err scholar_search(struct scholar_found *ret, const struct scholar_ask *ask,
                      wr_time deadline);

/* One paper: ret->count is 1. */
wr_err scholar_look(struct scholar_found *ret, const struct scholar_ask *ask,
                    wr_time deadline);

/* Papers that it cites, and papers that cite it. */
wr_err scholar_cited(struct scholar_found *ret, const struct scholar_ask *ask,
                     wr_time deadline);
wr_err scholar_citing(struct scholar_found *ret, const struct scholar_ask *ask,
                      wr_time deadline);

#endif
