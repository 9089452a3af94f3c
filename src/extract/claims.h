/* claims.h - sentences of a text that state something that can be checked.
 *
 *     struct extract_claims claims;
 *     err = extract_claims(&claims, page.main, page.main_len, "Bridges are getting longer", 5,
 *                          &arena);
 *     ... claims.at[0].text, claims.at[0].relevance
 *
 * The method is called "lexical", and no more than that: it compares words and looks for cues,
 * and understands nothing.  Left out are questions, pieces of less than EXTRACT_CLAIM_SHORTEST
 * or more than EXTRACT_CLAIM_LONGEST bytes, what ends without a stop (headings, rows, menus),
 * what every site says (cookies, rights, newsletters), and repetitions.
 *
 * relevance   how many of the words of the hypothesis the sentence has; a number in it, and a
 *             length that is neither a remark nor a paragraph, add to that; 0: none of them,
 *             and then it is left out
 * confidence  that it states something: a number or a name adds, doubt and words that only mean
 *             something in their place ("this", "it") take away
 *
 * It computes: a fiber calls it through wr_offload.
 */
#ifndef WR_EXTRACT_CLAIMS_H
#define WR_EXTRACT_CLAIMS_H

#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>

#include "base/arena.h"

#define EXTRACT_CLAIMS_METHOD "lexical"
#define EXTRACT_CLAIM_SHORTEST 40   /* bytes */
#define EXTRACT_CLAIM_LONGEST 1000
#define EXTRACT_CLAIMS_SEEN 4000    /* sentences of a text that are looked at */

enum extract_claim_type { EXTRACT_FACT, EXTRACT_OPINION, EXTRACT_PREDICTION };

struct extract_claim {
    const char *text;               /* with a zero byte, in the arena */
    size_t len;
    size_t offset;                  /* in the text */
    enum extract_claim_type type;
    unsigned relevance;             /* thousandths */
    unsigned confidence;
};

struct extract_claims {
    struct extract_claim *at;       /* the most relevant first, then as they stand */
    size_t count;
};

/* At most `max` of them.  A hypothesis of no words, or NULL: every claim is as relevant as any
 * other (0), and the surest come first.  Errors: NOMEM (also: the arena is full). */
wr_err extract_claims(struct extract_claims *ret, const char *text, size_t len,
                      const char *hypothesis, size_t max, struct wr_arena *arena);

/* "fact", "opinion", "prediction" */
const char *extract_claim_type_name(enum extract_claim_type type);

#endif
