/* fix.h - a .bib file with what is wrong in it put right.
 *
 *     struct wr_text fixed = wr_text_heap(CHECK_PAGE_MAX);
 *     struct check_fixed count;
 *     wr_err err = check_fix(&fixed, report, bib, len, &count);
 *
 * Only values that were found to differ are replaced, each in its place and between the
 * delimiters it had; every other byte stays as it was.  Above an entry that was changed a line
 * says what stood there before, outside of the entry, where BibTeX reads nothing:
 *
 *     % weir: year was 1844; now as in Memoirs m1
 *
 * A value is replaced only if all of this holds: the reference is a mismatch; it is sure which
 * work is meant, because the title is nearly the same and the authors agree, or because its
 * own DOI or arXiv id leads to the record and one of the two does; the entry says what the
 * report says is cited (so a report of another file changes nothing); and what is written
 * reads as what was found.  What is not there is not added, and nothing is done about works
 * that were not found.
 */
#ifndef WR_CHECK_FIX_H
#define WR_CHECK_FIX_H

#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>

#include "svc/check/report.h"

#define CHECK_FIX_ARENA ((size_t)1 << 30)   /* for all that is read of the file */
#define CHECK_FIX_ALIKE 900                 /* thousandths: the titles are nearly the same */
#define CHECK_FIX_RELATED 700               /* the same work, if its identifier says so too */

struct check_fixed {
    uint32_t entries, fields;       /* that were changed */
    uint32_t left;                  /* fields that differ and were left as they are */
};

/* Errors: NOMEM (also: the file is too large, or the text was cut). */
wr_err check_fix(struct wr_text *ret, const struct check_report *report, const char *bib,
                 size_t len, struct check_fixed *fixed);

#endif
