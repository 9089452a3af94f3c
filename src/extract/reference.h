/* reference.h - one reference as it is printed, and what it cites.
 *
 *     struct bib_reference reference;
 *     extract_reference(raw, len, &arena, &reference);
 *         reference.work.title: "Deep Residual Learning for Image Recognition"
 *
 * A label in front ("[12]", "3.") becomes the number and is no part of `raw`.  Fields are found
 * by a chain that has learned from labelled references (field.h), identifiers by their form
 * (biblio/ident.h).  What is not found is absent; nothing is made up.
 *
 * Any bytes may come in.  What is beyond EXTRACT_REFERENCE_MAX is not read, and `truncated`
 * says so.  About 4 KB of the stack are used; the rest is on the heap and given back.
 */
#ifndef WR_EXTRACT_REFERENCE_H
#define WR_EXTRACT_REFERENCE_H

#include <stddef.h>

#include <weir/err.h>

#include "base/arena.h"
#include "biblio/work.h"
#include "extract/chain.h"

#define EXTRACT_REFERENCE_MAX 8192

/* Read one.  `skip` is set where there is nothing to look for.  Errors: NOMEM (or the arena
 * is full). */
wr_err extract_reference(const char *raw, size_t len, struct wr_arena *arena,
                         struct bib_reference *ret);

/* The same with another model than the one that is built in: for evaluations. */
wr_err extract_reference_by(const struct extract_chain *chain, const char *raw, size_t len,
                            struct wr_arena *arena, struct bib_reference *ret);

/* How many bytes of a text are a label and what is behind it; 0: there is none.  Its number,
 * if it has one. */
size_t extract_reference_label(const char *text, size_t len, uint32_t *ret_number);

#endif
