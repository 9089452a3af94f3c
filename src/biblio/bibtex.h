/* bibtex.h - a .bib file: entries, fields, and where each of them stands.
 *
 *     struct bibtex_file file;
 *     wr_err err = bibtex_parse(text, len, &arena, &file);
 *     for (size_t i = 0; i < file.count; i++)
 *         print(bibtex_field(&file.entries[i], "title")->value);
 *
 * BibTeX and BibLaTeX: @string, parts joined by #, braces or parentheses around an entry,
 * braces or quotes around a value, numbers, @comment, @preamble.  Names of types and fields are
 * in lower case; values are TeX still (latex.h), with their macros replaced and their outer
 * delimiters gone.  Of a field that is given twice the first counts, as for BibTeX.
 *
 * Files that people keep are broken somewhere.  A fault is remembered with its line and what
 * can be read is read: an entry that is not closed ends where the next one begins at the start
 * of a line, a comma that is missing is passed over.
 *
 * Any bytes may come in.  The work is linear in the length; what is more than the limits below
 * is left out, with a fault that says so.  Everything lies in the arena, names and values
 * are copies.
 */
#ifndef WR_BIBLIO_BIBTEX_H
#define WR_BIBLIO_BIBTEX_H

#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>

#include "base/arena.h"
#include "biblio/work.h"

#define BIBTEX_ENTRIES_MAX 100000
#define BIBTEX_FIELDS_MAX 200       /* of one entry */
#define BIBTEX_MACROS_MAX 10000
#define BIBTEX_VALUE_MAX 65536      /* bytes, with macros replaced */
#define BIBTEX_FAULTS_MAX 100       /* that are remembered */

/* From and to where in the file, and on which lines (from 1). */
struct bibtex_span {
    size_t begin, end;
    uint32_t line, line_end;
};

struct bibtex_field {
    const char *name, *value;
    size_t len;                     /* of the value */
    struct bibtex_span at;          /* of the value as written, with delimiters and all parts */
};

struct bibtex_entry {
    const char *type;
    const char *key;                /* NULL: it has none */
    const struct bibtex_field *fields;
    size_t field_count;
    struct bibtex_span at;          /* from the @ to the closing brace */
};

struct bibtex_fault {
    uint32_t line;
    const char *what;
};

struct bibtex_file {
    struct bibtex_entry *entries;   /* as they stand; @string and the like are none */
    size_t count;
    struct bibtex_fault *faults;
    size_t fault_count;             /* also of those that are not remembered */
};

/* Errors: NOMEM (also: the arena is full). */
wr_err bibtex_parse(const char *text, size_t len, struct wr_arena *arena,
                    struct bibtex_file *ret);

/* NULL: it has no such field.  The name is in lower case. */
const struct bibtex_field *bibtex_field(const struct bibtex_entry *entry, const char *name);

/* The references of a file, in its order (bibtex_work.c): TeX is read, names are parted, what
 * an entry takes over by crossref is there, identifiers are found wherever people put them
 * (doi, eprint, journal, url, howpublished, note).  Errors: NOMEM. */
wr_err bibtex_references(const char *text, const struct bibtex_file *file,
                         struct wr_arena *arena, struct bib_references *ret);

#endif
