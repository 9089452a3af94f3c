/* field.h - what each token of a reference is part of: an author, the title, the year, ...
 *
 *     struct extract_chain chain;
 *     extract_field_chain(&chain);                          the model that is built in
 *     extract_field_label(&chain, tokens, count, ret);
 *
 * Signs between two fields are OTHER; signs inside one belong to it.  A title is that of the
 * work itself.  Where a work is part of another one, the other one's title is BOOK; a
 * periodical is JOURNAL.
 *
 * The labels are in the model: a new one, or another order, means to train again (docs/design
 * says how).
 */
#ifndef WR_EXTRACT_FIELD_H
#define WR_EXTRACT_FIELD_H

#include <stddef.h>
#include <stdint.h>

#include "extract/chain.h"
#include "extract/tokens.h"

enum extract_field {
    EXTRACT_OTHER, EXTRACT_AUTHOR, EXTRACT_EDITOR, EXTRACT_TITLE, EXTRACT_BOOK,
    EXTRACT_JOURNAL, EXTRACT_DATE, EXTRACT_VOLUME, EXTRACT_ISSUE, EXTRACT_PAGES,
    EXTRACT_PUBLISHER, EXTRACT_PLACE, EXTRACT_IDENTIFIER, EXTRACT_WEB, EXTRACT_NOTE,
    EXTRACT_INSTITUTION,
    EXTRACT_FIELDS
};

/* "author", "title": the names in the training data. */
extern const char *const extract_field_names[EXTRACT_FIELDS];

#define EXTRACT_FIELD_CLASSES 20

/* Of what surrounds a token; computed once for all of them. */
struct extract_place {
    uint8_t quote, bracket, year, sentence, nth, left, lead;
    uint32_t piece, piece_before, piece_after;
    uint32_t run;
};

/* As extract_tokens, with the spaces around signs as they are written: some files have them on
 * the wrong side (" ,Phys .Rev .D57 ,10( 1998 )"). */
size_t extract_field_tokens(struct extract_token *ret, size_t max, const char *text,
                            size_t len);

/* The marks around what is quoted first, double or single ones.  False: nothing is. */
bool extract_field_quoted(const struct extract_token *tokens, size_t count, size_t *ret_from,
                          size_t *ret_to);

/* Whether names are written "Smith JK, Yao W", with bare initials. */
bool extract_field_bare(const struct extract_token *tokens, size_t count);

/* The places of `count` tokens. */
void extract_field_places(struct extract_place *ret, const struct extract_token *tokens,
                          size_t count);

/* What the chain sees at token i; returns the class of the step to it. */
uint8_t extract_field_features(struct extract_features *ret, const struct extract_token *tokens,
                               const struct extract_place *places, size_t count, size_t i);

/* The model that is built in. */
void extract_field_chain(struct extract_chain *ret);

/* One enum extract_field for each token.  Errors: NOMEM. */
wr_err extract_field_label(const struct extract_chain *chain,
                           const struct extract_token *tokens, size_t count, uint8_t *ret);

#endif
