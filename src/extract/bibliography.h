/* bibliography.h - the references of a document, from its lines.
 *
 *     struct extract_bibliography_conf conf = { 0 };
 *     struct bib_references references;
 *     extract_bibliography(lines, count, &conf, &arena, &references);
 *
 * Sections are found (section.h), cut into references (segment.h), and the fields of each are
 * read (reference.h).  A reference has the number it is printed with, else its place; and the
 * lines of the file where it stands.  A dash in place of authors stands for those of the
 * reference before.
 *
 * Any bytes may come in.  At most EXTRACT_SEGMENTS_MAX references are read; where there are
 * more, the last one is marked as truncated.
 */
#ifndef WR_EXTRACT_BIBLIOGRAPHY_H
#define WR_EXTRACT_BIBLIOGRAPHY_H

#include <stdbool.h>
#include <stddef.h>

#include <weir/err.h>

#include "base/arena.h"
#include "biblio/work.h"
#include "extract/chain.h"
#include "extract/line.h"

struct extract_bibliography_conf {
    bool one_per_line;          /* each line that is not empty is one reference */
    const struct extract_chain *boundaries;     /* NULL: the one that is built in */
};

/* Everything lies in the arena; a document without a bibliography has no references.
 * Errors: NOMEM (or the arena is full). */
wr_err extract_bibliography(const struct extract_line *lines, size_t count,
                            const struct extract_bibliography_conf *conf,
                            struct wr_arena *arena, struct bib_references *ret);

#endif
