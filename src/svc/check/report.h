/* report.h - what was found out about the references of a document.
 *
 *     struct wr_text page = wr_text_heap(CHECK_PAGE_MAX);
 *     check_write_html(&page, reports, count);
 *     if (page.cut) ...                                (it is no whole page)
 *     wr_text_free(&page);
 *
 * A report is made by the engine (check.h) and written by one of the writers below, which read
 * it and nothing else: two runs with the same input and the same libraries give the same bytes.
 *
 * What is in a report came from strangers, so a writer takes any bytes and escapes them for
 * its form.  In the forms that people read, control characters and those that turn the
 * direction of writing are replaced too (glyph.h).  What does not fit the text is cut, and
 * text.cut says so.  Nothing else can fail.
 */
#ifndef WR_CHECK_REPORT_H
#define WR_CHECK_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "biblio/verdict.h"
#include "biblio/work.h"

/* Of the JSON; it grows when a field changes its meaning or goes, not when one is added. */
#define CHECK_JSON_VERSION 1

/* Room for what can be said of 100,000 references in any form. */
#define CHECK_PAGE_MAX ((size_t)1 << 30)

/* A record that a verdict stands on. */
struct check_evidence {
    const char *source;             /* "ACL Anthology", "CrossRef", "Web Search" */
    const char *id;                 /* its name there: a DOI, a key, an address */
    const char *version;            /* of a library; NULL: a remote source */
    const char *url;                /* where a person can look at it; or NULL */
    const char *retraction;         /* the notice; or NULL */
    int64_t asked_ms;               /* when a remote source said so, since 1970; 0: a library */
    uint16_t similarity;            /* of the titles, in thousandths; 0: not compared */
    const struct bib_work *work;    /* what it says; or NULL */
};

enum check_answer {
    CHECK_FOUND, CHECK_UNKNOWN, CHECK_FAILED, CHECK_NOT_ASKED,
    CHECK_ANSWER_COUNT,
};

/* What became of a question to one source. */
struct check_asked {
    const char *source;
    enum check_answer answer;
    const char *why;                /* of one that failed or was not asked: a sentence */
};

/* One reference and what is said of it. */
struct check_finding {
    const struct bib_reference *reference;
    struct bib_verdict verdict;
    const struct check_evidence *evidence;      /* the best first */
    size_t evidence_count;
    const struct check_asked *asked;    /* remote sources, in the order of their table */
    size_t asked_count;
    const char *reason;             /* of SKIPPED and INCONCLUSIVE: a sentence; or NULL */
    uint32_t duplicate_of;          /* the number of the earlier reference; 0: none */
};

/* A library that was looked into. */
struct check_library { const char *name, *kind, *version; uint64_t records; };

struct check_report {
    const char *file;               /* as it was given; in an archive "papers.zip/a.bib" */
    const char *note;               /* what was odd about it; or NULL */
    struct check_finding *findings; /* in the order of the document */
    size_t count;
    const struct check_library *libraries;
    size_t library_count;
    bool unjudged;                  /* extracted only: there are no verdicts */
    bool cut_short;                 /* ended early: findings without verdict are INCONCLUSIVE */
};

struct check_summary {
    uint32_t total;
    uint32_t outcomes[BIB_OUTCOME_COUNT];
    uint32_t flags[BIB_FLAG_COUNT];
    uint32_t detected;              /* bib_verdict_detects */
    uint32_t attention;             /* detected or retracted: somebody should look at it */
    uint32_t noted;                 /* of the others: verified, with something to know */
};

struct check_summary check_summarise(const struct check_report *report);

/* The contract of docs/check.md: one report is an object, several are an array of them. */
void check_write_json(struct wr_text *ret, const struct check_report *const *reports,
                      size_t count);

/* What matters first, in the order of the document; the sum last. */
struct check_text_options {
    bool color;
    bool verbose;               /* also what is verified, and who was asked */
};
void check_write_text(struct wr_text *ret, const struct check_report *const *reports,
                      size_t count, const struct check_text_options *options);

/* RFC 4180: a row and a line for each reference. */
void check_write_csv(struct wr_text *ret, const struct check_report *const *reports,
                     size_t count);

/* GitHub's kind. */
void check_write_markdown(struct wr_text *ret, const struct check_report *const *reports,
                          size_t count);

/* One page that loads nothing and runs nothing. */
void check_write_html(struct wr_text *ret, const struct check_report *const *reports,
                      size_t count);

/* SARIF 2.1.0; files are named as given, but never by an absolute path. */
void check_write_sarif(struct wr_text *ret, const struct check_report *const *reports,
                       size_t count);

#endif
