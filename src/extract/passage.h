/* passage.h - paragraphs of a text that came line by line: of a PDF, or of a plain file.
 *
 *     struct extract_page page;
 *     err = extract_passages(&page, &lines, &arena);
 *     ...page.main, page.paragraphs
 *
 * A passage ends with its block, where the file has some, else with an empty line.  One that
 * breaks off in the middle of a sentence, as at the end of a column, goes on in the next.  A
 * word that is parted at the end of a line is one word again.
 *
 * Short ones are in `main` alone, as with pages (html.h).  It computes: a fiber calls it
 * through wr_offload.
 */
#ifndef WR_EXTRACT_PASSAGE_H
#define WR_EXTRACT_PASSAGE_H

#include "extract/html.h"
#include "extract/layout.h"

#define EXTRACT_PASSAGE_MAIN ((size_t)16 << 20)     /* bytes; what comes after is left out */

/* Everything in *ret lies in the arena.  Errors: NOMEM (also: the arena is full). */
wr_err extract_passages(struct extract_page *ret, const struct extract_lines *lines,
                        struct wr_arena *arena);

#endif
