/* tei.h - references in TEI, as GROBID writes it.
 *
 * Every biblStruct outside of the header is one (the header has the document itself), with its
 * fields by name; of a bibl, which is text with or without marks in it, the text is read.
 */
#ifndef WR_EXTRACT_TEI_H
#define WR_EXTRACT_TEI_H

#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>

#include "base/arena.h"
#include "biblio/work.h"

#define EXTRACT_TEI_MAX 20000       /* references that are read */

/* Errors: INVALID (not well formed: *ret_line says where, and *ret has what came before),
 * NOMEM. */
wr_err extract_tei(const char *bytes, size_t size, struct wr_arena *arena,
                   struct bib_references *ret, uint32_t *ret_line);

#endif
