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
#define ERRAND_ERRORS_MAX 50
#define ERRAND_WHY_MAX 520              /* what a job's error has place for, and a code */
#define ERRAND_SOURCES_MAX 3            /* more of them satisfy no better */

struct errand {
    struct explorer *explorer;
    struct queue_work *work;
    json_t *input;
    const json_t *target, *options;     /* objects; options may be NULL */
    char *hypothesis;
    wr_time until;
    bool spent, late;                   /* the budget of the task, the time */
    unsigned awaited;
    size_t visited, pages, fragments, claims, cited, papers;
    bool primary;                       /* a page is from those whose own word it is */
    size_t source_count;                /* of pages, by their domains: as many as count */
    char sources[ERRAND_SOURCES_MAX][256];
    char page[STORE_EVIDENCE_ID];       /* the last that was kept */
    size_t error_count;
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

/* Whether an option lists this word; all do, where there is no such option. */
bool errand_wants(const struct errand *errand, const char *option, const char *word);

/* Fetch and keep a page.  Errors: BUSY (the budget is used up), TIMEOUT (the errand's time is),
 * CANCELED; of the store.  That there is no page is none. */
wr_err errand_visit(struct errand *errand, const char *url, const char *reason, unsigned depth);

/* Something else that did not work, with its word and a sentence. */
void errand_trouble(struct errand *errand, const char *about, const char *code,
                    const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Ask for a person. */
void errand_await(struct errand *errand, const char *url, const char *domain,
                  const char *type);

/* Write what came of it, and what follows.  With nothing got and something that went wrong, it
 * has failed. */
wr_err errand_end(struct errand *errand, wr_err err);

#endif
