/* cite.h - a work, and what was done about it, in a line that people read.
 *
 * What is written here are the bytes as they came: the form they go into escapes them.
 */
#ifndef WR_CHECK_CITE_H
#define WR_CHECK_CITE_H

#include "svc/check/report.h"

/* "Jan van der Berg" */
void check_cite_name(struct wr_text *ret, const struct bib_name *name);

/* "Ada Lovelace, Alan Turing, et al.": all of them, up to `max`; then "and 7 more". */
void check_cite_authors(struct wr_text *ret, const struct bib_work *work, uint32_t max);

/* "Ada Lovelace: Notes on the Engine. Scientific Memoirs, 1843." */
void check_cite_work(struct wr_text *ret, const struct bib_work *work);

/* "ACL Anthology P19-1001, version 2026-01, title 98.7 % alike" */
void check_cite_evidence(struct wr_text *ret, const struct check_evidence *evidence);

/* How a reference is called: its title, else what stands there, else "(nothing)". */
const char *check_cite_title(const struct bib_reference *reference);

/* "found", "unknown", "failed", "not asked". */
const char *check_cite_answer(enum check_answer answer);

#endif
