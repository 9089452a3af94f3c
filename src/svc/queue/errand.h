/* errand.h - one target while it is looked at: what it asks for, and what came of it so far.
 *
 *     struct errand errand;
 *     err = errand_begin(&errand, explorer, work);
 *     if (!err)
 *         err = errand_visit(&errand, url, "manual", 0);
 *     return errand_end(&errand, err);
 *
 * That one page cannot be had is no failure of the errand: it is listed.  That the task's
 * budget is used up, or the time of the errand, ends it with what it has.
 */
#ifndef WR_QUEUE_ERRAND_H
#define WR_QUEUE_ERRAND_H

#include <jansson.h>

#include "svc/queue/explorer_int.h"
#include "svc/queue/harvest.h"
#include "svc/queue/queue_work.h"

#define ERRAND_WITHIN WR_S(285)         /* of QUEUE_WITHIN: the rest is for writing it down */
#define ERRAND_PAGE_WITHIN WR_S(120)
#define ERRAND_PATIENCE WR_S(2)         /* for a turn of a domain: a slot is held meanwhile */
#define ERRAND_ERRORS_MAX 50
#define ERRAND_WHY_MAX 520              /* what a job's error has place for, and a code */
#define ERRAND_SOURCES_MAX 3            /* more of them satisfy no better */
#define ERRAND_SATISFIES 800            /* of a thousand */
#define ERRAND_DULL 100                 /* of a thousand: less is next to nothing new, */
#define ERRAND_DULL_MAX 2               /* ... and after so many pages it is enough */

struct errand {
    struct explorer *explorer;
    struct queue_work *work;
    json_t *input;
    const json_t *target, *options;     /* objects; options may be NULL */
    char *hypothesis;
    wr_time until;
    bool spent, late;                   /* the budget of the task, the time */
    bool put_off;                       /* it is begun again when its page has a turn */
    unsigned awaited;
    size_t visited, queued, pages, fragments, claims, cited, papers;
    struct novelty *novelty;            /* of pages that are found, not asked for; else NULL */
    unsigned dull;                      /* pages in a row that say next to nothing new */
    const char *failed_with;            /* the code, where all has failed; NULL: the last one */
    bool primary;                       /* a page is from those whose own word it is */
    size_t source_count;                /* of pages, by their domains: as many as count */
    char sources[ERRAND_SOURCES_MAX][256];
    char page[STORE_EVIDENCE_ID];       /* the last that was kept */
    size_t error_count, listed;         /* troubles; those and notes, as rows */
    struct wr_text errors;              /* rows of JSON */
    char last_code[32], last_why[400];
    char all_why[ERRAND_WHY_MAX];       /* all of them in a sentence, as far as they fit */
};

/* Errors: INVALID (no input that can be read), NOTFOUND (the task has gone), BUSY (its time is
 * used up), of the store; errand_end must follow in any case. */
wr_err errand_begin(struct errand *errand, struct explorer *explorer, struct queue_work *work);

/* One of the target, or of the options; NULL: it is not there. */
const char *errand_text(const struct errand *errand, const char *key);
int64_t errand_number(const struct errand *errand, const char *key, int64_t otherwise);

/* Why it is looked at ("manual" unless the target says), and the page whose link led to it, or
 * NULL. */
const char *errand_reason(const struct errand *errand);
const char *errand_source(const struct errand *errand);

/* Whether an option lists this word; all do, where there is no such option. */
bool errand_wants(const struct errand *errand, const char *option, const char *word);

/* Fetch and keep a page.  If its domain has no turn soon, nobody waits for it: the errand of
 * that page alone is put off, and that of others goes on without it, and queues it as a target.
 * Errors: BUSY (the budget is used up), TIMEOUT (the errand's time is), CANCELED; of the store.
 * That there is no page is none. */
wr_err errand_visit(struct errand *errand, const char *url, const char *reason, unsigned depth);

/* Something else that did not work, with its word and a sentence. */
void errand_trouble(struct errand *errand, const char *about, const char *code,
                    const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Something that was not tried, and why: listed, but nothing has failed by it. */
void errand_note(struct errand *errand, const char *about, const char *code, const char *text);

/* Ask for a person. */
void errand_await(struct errand *errand, const char *url, const char *domain,
                  const char *type);

/* Write what came of it, and what follows.  With nothing got and something that went wrong, it
 * has failed. */
wr_err errand_end(struct errand *errand, wr_err err);

#endif
