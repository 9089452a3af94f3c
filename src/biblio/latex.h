/* latex.h - TeX, as bibliographies have it, read as plain text.
 *
 *     const char *title = bib_latex(&arena, "{\\\"U}ber $k$-means", 19);      "Über k-means"
 *
 * Accents become letters in all their forms (\"{u} {\"u} \"u \v{c} \c c \'{\i}), commands that
 * stand for a character become it, quotes and dashes are set, spaces collapse, and braces go.
 * Of mathematics what can be read in a line is kept: $\alpha_2 \leq 3$ is "α2 ≤ 3".  A
 * command that is not known goes and its argument stays; of those that are known to say
 * nothing to a reader (\label, \vspace, the address in \href) the arguments go too.
 *
 * It is no TeX: macros are not expanded, and nothing can go wrong.  Any bytes may come in, what
 * comes out is UTF-8 in its composed form without control characters.  A byte that is no
 * UTF-8 is U+FFFD.  The work is linear in the length.
 */
#ifndef WR_BIBLIO_LATEX_H
#define WR_BIBLIO_LATEX_H

#include <stddef.h>

#include "base/arena.h"

/* The text, in the arena; NULL: the arena is full, or there is no memory. */
char *bib_latex(struct wr_arena *arena, const char *tex, size_t len);

/* The same for what TeX takes literally, the argument of \url and the field doi: only spaces,
 * braces and escapes (\_ \% \& \#, \textasciitilde) are taken out.  NULL: as above. */
char *bib_latex_literal(struct wr_arena *arena, const char *tex, size_t len);

/* Behind the group that begins at `at` with a brace: behind the brace that closes it, or
 * `end` if there is none.  A brace after a backslash counts not. */
const char *bib_latex_group_end(const char *at, const char *end);

#endif
