/* caveat.h - what single caveats say: read, judged, written.  For token.c. */
#ifndef WR_BASE_CAVEAT_H
#define WR_BASE_CAVEAT_H

#include "base/token.h"

const char *caveat_word(enum wr_caveat_kind kind);

/* Read the next one.  One of a known kind must have the value of its kind. */
bool caveat_read(struct wr_caveat *ret, struct wr_cbor *cbor);

/* The number of an EXP or NBF; the numbers of a RATE. */
uint64_t caveat_number(const struct wr_caveat *caveat);
struct wr_token_rate caveat_rate(const struct wr_caveat *caveat);

/* Whether it is a list of scopes, and whether that has this one. */
bool caveat_scopes(const struct wr_caveat *caveat, struct wr_cbor_span *ret);
bool caveat_lists(struct wr_cbor_span list, struct wr_cbor_span text);

/* Why the request is denied; NULL when this caveat has nothing against it.  Those
 * about time have not: a token out of its time is none. */
const char *caveat_judge(const struct wr_caveat *caveat, const struct wr_token_ask *ask);

/* The same for the scope of a token. */
const char *caveat_judge_scope(const struct wr_token *token, const struct wr_token_ask *ask);

void caveat_write(struct wr_cbor_out *out, const struct wr_caveat_conf *conf);

#endif
