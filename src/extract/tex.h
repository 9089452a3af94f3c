/* tex.h - bibliographies in TeX: thebibliography in a .tex, and a .bbl of any style.
 *
 *     struct extract_tex tex;
 *     err = extract_tex(text, len, &arena, &tex);
 *     ... tex.references, or tex.elsewhere: "refs.bib, more.bib"
 *
 * Three kinds of entry are understood: what BibLaTeX writes (\entry, \field, \name), items in
 * which every field has its name (\bibinfo, as of the ACM and REVTeX styles), and plain
 * \bibitem, whose text is read as TeX and then like any other reference, with \newblock to tell
 * where the title is.
 */
#ifndef WR_EXTRACT_TEX_H
#define WR_EXTRACT_TEX_H

#include <stdbool.h>
#include <stddef.h>

#include <weir/err.h>

#include "base/arena.h"
#include "biblio/bibtex.h"
#include "biblio/work.h"

#define EXTRACT_ITEMS_MAX 20000     /* entries of one file that are read */

struct extract_tex {
    struct bib_references references;
    const char *elsewhere;          /* the .bib files it names, joined by commas; or NULL */
    bool cut;                       /* there are more than EXTRACT_ITEMS_MAX */
};

/* The text is UTF-8 or any bytes; everything found lies in the arena.
 * Errors: NOMEM (also: the arena is full). */
wr_err extract_tex(const char *text, size_t len, struct wr_arena *arena,
                   struct extract_tex *ret);

/* What a .bbl of BibLaTeX has (biblatex.c), as entries of BibTeX; *ret_cut: there are more than
 * can be read.  `text` has no comments any more, `original` has them, and its lines are
 * counted.  Errors: NOMEM. */
wr_err extract_biblatex(const char *text, const char *original, size_t len,
                        struct wr_arena *arena, struct bibtex_file *ret, bool *ret_cut);

/* The next command \name that is followed by no letter, or NULL. */
const char *extract_tex_find(const char *at, const char *end, const char *name);

/* The argument in braces at `at`, behind spaces and comments: what is inside, and what is
 * behind it.  False: there is none; if it is not closed, behind it is the end. */
struct extract_argument { const char *at; size_t len; const char *behind; };
bool extract_tex_argument(const char *at, const char *end, struct extract_argument *ret);

#endif
