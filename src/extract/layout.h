/* layout.h - what pdftotext -bbox-layout writes, as lines with where they stand.
 *
 *     struct extract_lines lines = { 0 };
 *     err = extract_layout(xhtml, len, 0, &arena, &lines);
 *
 * It is read line by line as that program writes it, a tag and its numbers on each; what is
 * not such a line is passed over, so any bytes may come in.  Words are joined by a space; a
 * word that is parted at the end of a line stays so.
 */
#ifndef WR_EXTRACT_LAYOUT_H
#define WR_EXTRACT_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>

#include "base/arena.h"
#include "extract/line.h"

#define EXTRACT_LINES_MAX 2000000

/* Lines that are gathered; they lie in the arena. */
struct extract_lines {
    struct extract_line *at;
    size_t count, room;
};

/* Add one; beyond EXTRACT_LINES_MAX it is left out.  Errors: NOMEM. */
wr_err extract_lines_add(struct extract_lines *lines, struct wr_arena *arena,
                         const struct extract_line *line);

/* Add the lines of a plain text, without layout; a form feed begins a page.  The text must
 * stay.  Errors: NOMEM. */
wr_err extract_lines_split(struct extract_lines *lines, struct wr_arena *arena,
                           const char *text, size_t len);

/* Add those of a layout, of which `pages` went before.  Errors: NOMEM. */
wr_err extract_layout(const char *xhtml, size_t len, uint32_t pages, struct wr_arena *arena,
                      struct extract_lines *lines);

#endif
