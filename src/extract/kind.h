/* kind.h - what kind of file it is, by what is in it. */
#ifndef WR_EXTRACT_KIND_H
#define WR_EXTRACT_KIND_H

#include <stdbool.h>
#include <stddef.h>

enum extract_kind {
    EXTRACT_TEXT,
    EXTRACT_PDF,
    EXTRACT_BIBTEX,
    EXTRACT_TEX,
    EXTRACT_TEI,
    EXTRACT_DOCX,
    EXTRACT_ARCHIVE,
};

/* Of bytes: PDF, Word, archives and XML have their marks; anything else is text. */
enum extract_kind extract_kind_of(const char *bytes, size_t size);

/* Of text, in UTF-8: by its first commands, else by how the name ends. */
enum extract_kind extract_text_kind(const char *text, size_t len, const char *name);

/* "BibTeX" */
const char *extract_kind_name(enum extract_kind kind);

/* Whether a file of this name may have references in it. */
bool extract_kind_wanted(const char *name);

/* ... in what a paper was typeset from: pictures are PDF there. */
bool extract_kind_typeset(const char *name);

#endif
