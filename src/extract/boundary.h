/* boundary.h - where in the lines of a bibliography a reference begins.
 *
 *     struct extract_boundary_text text;
 *     extract_boundary_read(&text, lines, count);
 *     extract_boundary_label(&chain, &text, ret);           one label for each token
 *     extract_boundary_free(&text);
 *
 * A token BEGINS a reference, CONTINUES it, or is OUTSIDE: headings, page numbers, footnotes.
 * A reference may begin in the middle of a line ("...; F. J. Gilman, Phys. Rev. D ...").
 *
 * What is known of a line besides its words: whether it is indented, against the others of the
 * text; how it ends; whether it has a number that is the next in order.
 */
#ifndef WR_EXTRACT_BOUNDARY_H
#define WR_EXTRACT_BOUNDARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>

#include "extract/chain.h"
#include "extract/line.h"
#include "extract/tokens.h"

enum extract_boundary {
    EXTRACT_OUTSIDE, EXTRACT_BEGINS, EXTRACT_CONTINUES,
    EXTRACT_BOUNDARIES
};

extern const char *const extract_boundary_names[EXTRACT_BOUNDARIES];

#define EXTRACT_BOUNDARY_CLASSES 6

/* Lines and tokens of a bibliography that are read; the rest is not. */
#define EXTRACT_BOUNDARY_LINES 200000
#define EXTRACT_BOUNDARY_TOKENS 4000000
#define EXTRACT_BOUNDARY_BYTES (32u << 20)

struct extract_boundary_line {
    size_t token;               /* its first; one line may have none */
    uint32_t number;            /* of a label in front of it, "[12]" or "12." or "12"; else 0 */
    uint8_t form;               /* of that label: its sign */
    uint8_t indent;             /* 0: all are alike; 1: at the margin; 2: indented */
    uint8_t width;              /* 0 to 4: how long it is, against the longest */
    bool in_order;              /* the number is the next one of the form that the text has */
};

struct extract_boundary_text {
    char *text;                 /* the lines, with a line end behind each */
    size_t len;
    struct extract_token *tokens;
    uint32_t *line_of;          /* of each token: which of `lines` */
    size_t count;
    struct extract_boundary_line *lines;
    size_t line_count;
    uint8_t form;               /* the labels that the text has; 0: none */
    uint32_t start;             /* how its lines mostly begin */
};

/* `line_count` may be less than `count`: see the limits.  Errors: NOMEM.  Free it in either
 * case. */
wr_err extract_boundary_read(struct extract_boundary_text *ret,
                             const struct extract_line *lines, size_t count);
void extract_boundary_free(struct extract_boundary_text *text);

/* What the chain sees at token i; returns the class of the step to it. */
uint8_t extract_boundary_features(struct extract_features *ret,
                                  const struct extract_boundary_text *text, size_t i);

/* The model that is built in. */
void extract_boundary_chain(struct extract_chain *ret);

/* One enum extract_boundary for each token.  Errors: NOMEM. */
wr_err extract_boundary_label(const struct extract_chain *chain,
                              const struct extract_boundary_text *text, uint8_t *ret);

#endif
