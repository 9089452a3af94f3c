/* labelled.h - a reference cut into tokens, and the field of each.
 *
 *     struct extract_span title = extract_run(it, EXTRACT_TITLE, 0);
 *     extract_words_in(it, title), extract_is(it, title.to, "in")
 *
 * The labels are those that the chain gave (field.h); whoever knows better where it is misled
 * writes others over them.  Nothing here allocates, and all of it belongs to the caller.
 */
#ifndef WR_EXTRACT_LABELLED_H
#define WR_EXTRACT_LABELLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "extract/field.h"
#include "extract/tokens.h"

struct extract_labelled {
    const char *text;
    struct extract_token *tokens;
    uint8_t *labels;            /* an enum extract_field for each token */
    size_t count;
    struct wr_arena *arena;     /* for what is copied out of the text */
};

/* Tokens [from, to). */
struct extract_span { size_t from, to; };

/* The next run of a label at or behind `from`; empty when there is none. */
struct extract_span extract_run(const struct extract_labelled *it, enum extract_field label,
                                size_t from);

unsigned extract_words_in(const struct extract_labelled *it, struct extract_span span);

/* Without the signs around it, but for those that belong to it: "?", "(...)". */
struct extract_span extract_trim(const struct extract_labelled *it, struct extract_span span);

/* Whether token i is this word, in any case and with any accents; there may be none. */
bool extract_is(const struct extract_labelled *it, size_t i, const char *word);

void extract_relabel(const struct extract_labelled *it, struct extract_span span,
                     enum extract_field label);

static inline bool extract_is_content(const struct extract_token *token)
{
    return extract_is_word(token) || extract_is_number(token);
}

#endif
