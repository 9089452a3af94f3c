/* people.h - a list of authors as a reference writes it, cut into names.
 *
 *     extract_people(&work, "Smith, J. K., van Dam, A. & Lee, B.", len, &arena);
 *         work.authors: "Smith" "J. K.", "van Dam" "A.", "Lee" "B."
 *
 * A comma may stand between two people or between the two halves of one; which of the two
 * follows from the others in the list.  "et al.", "and others", three dots and their like set
 * et_al and are no name.
 */
#ifndef WR_EXTRACT_PEOPLE_H
#define WR_EXTRACT_PEOPLE_H

#include <stddef.h>

#include "base/arena.h"
#include "biblio/work.h"

/* Set authors, author_count and et_al of a work.  At most BIB_AUTHORS_MAX are read; what is
 * left out sets et_al.  When the arena is full there are none. */
void extract_people(struct bib_work *ret, const char *text, size_t len, struct wr_arena *arena);

#endif
