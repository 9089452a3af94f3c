/* paper.h - a document while its references are checked, and afterwards.
 *
 *     struct check_paper *paper;
 *     err = check_paper_new(&paper, &(struct check_paper_conf){
 *         .file = "refs.bib", .references = references });
 *     err = check_engine_check(engine, paper, deadline);
 *     ...check_paper_report(paper)
 *     check_paper_unref(paper);
 *
 * A paper has what was extracted from a document, takes findings from any fiber, and has a
 * report when it has ended: when all findings are in, or earlier, when somebody ends it.
 * References that nobody has looked at by then are inconclusive, and what is found out about
 * them later is not taken.  The report does not change any more.
 *
 * It is held by whoever made it and by each inquiry that is under way; everything in it goes
 * with the last of them.
 */
#ifndef WR_CHECK_PAPER_H
#define WR_CHECK_PAPER_H

#include <weir/err.h>
#include <weir/time.h>

#include "svc/check/report.h"

struct check_paper;

enum check_event_kind { CHECK_EVENT_BEGUN, CHECK_EVENT_DONE };

/* Something has happened to a reference. */
struct check_event {
    enum check_event_kind kind;
    size_t index;
    const struct bib_reference *reference;
    size_t done, total;             /* of the paper's references */
    const struct check_finding *finding;    /* of DONE: as in the report */
};

/* Zero is the default of everything.  All that it points to is copied. */
struct check_paper_conf {
    const char *file, *note;
    struct bib_references references;
    size_t memory_max;              /* for the references and what is found; 1 GiB */
    const struct check_library *libraries;
    size_t library_count;
    bool unjudged;
    /* Called for each event, from any fiber, in the order of the counts; must not wait.  May be
     * NULL. */
    void (*event)(void *arg, const struct check_event *event);
    void *arg;
};

/* Errors: NOMEM. */
wr_err check_paper_new(struct check_paper **ret, const struct check_paper_conf *conf);

struct check_paper *check_paper_ref(struct check_paper *paper);
void check_paper_unref(struct check_paper *paper);          /* NULL is allowed */

const char *check_paper_file(const struct check_paper *paper);
size_t check_paper_count(const struct check_paper *paper);
const struct bib_reference *check_paper_reference(const struct check_paper *paper,
                                                  size_t index);

/* Somebody looks at it now. */
void check_paper_begin(struct check_paper *paper, size_t index);

/* What was found out about a reference: copied.  Once for each; after the end nothing. */
void check_paper_put(struct check_paper *paper, size_t index,
                     const struct check_finding *finding);

/* Whether it has ended: nobody need look any further. */
bool check_paper_ended(const struct check_paper *paper);

/* End it now.  Twice is fine. */
void check_paper_end(struct check_paper *paper);

/* Wait for its end.  Errors: TIMEOUT, CANCELED. */
wr_err check_paper_wait(struct check_paper *paper, wr_time deadline);

/* After its end. */
const struct check_report *check_paper_report(const struct check_paper *paper);

#endif
