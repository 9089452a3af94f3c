/* docx.h - the paragraphs of a Word document, as lines.
 *
 * A paragraph is a line.  Where Word numbers it the number is written before it, as a reader
 * sees it, but for headings.  Footnotes and endnotes are lines of their own.
 */
#ifndef WR_EXTRACT_DOCX_H
#define WR_EXTRACT_DOCX_H

#include <stdbool.h>
#include <stddef.h>

#include <weir/err.h>

#include "base/arena.h"
#include "extract/layout.h"

#define EXTRACT_DOCX_BODY "word/document.xml"
#define EXTRACT_DOCX_FOOTNOTES "word/footnotes.xml"
#define EXTRACT_DOCX_ENDNOTES "word/endnotes.xml"

/* Whether a file of the archive is one of these. */
bool extract_docx_wanted(const char *name);

/* Add the paragraphs of one of them.  Errors: INVALID (not well formed), NOMEM. */
wr_err extract_docx(const char *xml, size_t size, struct wr_arena *arena,
                    struct extract_lines *lines);

#endif
