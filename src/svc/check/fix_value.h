/* fix_value.h - what a field of BibTeX says, and how to make it say something else.
 *
 * For fix.c alone: it decides what is replaced and where.
 */
#ifndef WR_CHECK_FIX_VALUE_H
#define WR_CHECK_FIX_VALUE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "biblio/bibtex.h"
#include "biblio/verdict.h"
#include "biblio/work.h"

/* The field of the entry in which this was cited, and which says so still; else NULL. */
const struct bibtex_field *check_fix_field(struct wr_arena *arena, enum bib_field kind,
                                           const struct bibtex_entry *entry,
                                           const struct bib_work *cited);

/* The value, with the delimiters of the old one, that says what was found; NULL: nothing was
 * found, it cannot be written so that it reads the same, or the arena is full. */
const char *check_fix_value(struct wr_arena *arena, enum bib_field kind,
                            const struct bib_work *found, const char *old, size_t old_len);

#endif
