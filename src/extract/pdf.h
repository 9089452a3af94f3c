/* pdf.h - the lines of a PDF, with where they stand.
 *
 * The text is taken out by pdftotext, a program of its own (Debian: poppler-utils), which runs
 * in a jail (rt/program.h): it gets the bytes and gives lines, and there is nothing else it
 * could do.  Of a long document two of them read a half each.
 */
#ifndef WR_EXTRACT_PDF_H
#define WR_EXTRACT_PDF_H

#include <stddef.h>

#include <weir/err.h>
#include <weir/time.h>

#include "base/arena.h"
#include "extract/layout.h"
#include "extract/refusal.h"

#define EXTRACT_PDFTOTEXT "/usr/bin/pdftotext"

/* Read the lines into the arena.  `program` stands in for pdftotext; NULL: it itself.  After an
 * error `why` says what is wrong and what can be done.
 * Errors: INVALID (no PDF, damaged or with a password), UNSUPPORTED (pdftotext is not there),
 * DENIED (no jail can be made), TIMEOUT, CANCELED, NOMEM, BUSY, NOFILE, IO. */
wr_err extract_pdf(const char *bytes, size_t size, const char *program, wr_time deadline,
                   struct wr_arena *arena, struct extract_lines *ret, char why[EXTRACT_WHY]);

#endif
