/* section.h - which lines of a document are its bibliographies.
 *
 *     struct extract_sections sections;
 *     extract_sections(&sections, lines, count, &arena);
 *     for each of sections.at: lines [from, to)
 *
 * A bibliography begins behind a heading ("References", "7 BIBLIOGRAPHY", "R EFERENCES",
 * "Literaturverzeichnis", "参考文献") and ends before the next thing of another kind: an
 * appendix, acknowledgements, a chapter that has one of its own later.  A document may have
 * several.  One without any heading that looks like a bibliography all through is one.
 *
 * Numbers of pages and running heads are inside a section; extract_section_noise tells them.
 */
#ifndef WR_EXTRACT_SECTION_H
#define WR_EXTRACT_SECTION_H

#include <stdbool.h>
#include <stddef.h>

#include <weir/err.h>

#include "base/arena.h"
#include "extract/line.h"

/* More bibliographies than these are not looked for. */
#define EXTRACT_SECTIONS_MAX 256

struct extract_section { size_t from, to; };

struct extract_sections {
    struct extract_section *at;
    size_t count;
};

/* Errors: NOMEM (or the arena is full). */
wr_err extract_sections(struct extract_sections *ret, const struct extract_line *lines,
                        size_t count, struct wr_arena *arena);

/* Whether a line is the heading of a bibliography. */
bool extract_section_heads(const struct extract_line *line);

/* Whether line `at` of all is the number of its page, or a head or foot that other pages have
 * too, in the same place if it is known where lines stand.  Where pages are not known, nothing
 * is: a line of digits may end a reference. */
bool extract_section_noise(const struct extract_line *lines, size_t count, size_t at);

#endif
