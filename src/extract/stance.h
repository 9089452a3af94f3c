/* stance.h - whether a text speaks for a statement or against it, as far as words tell.
 *
 *     struct extract_stance stance = extract_stance(text, len, "Prices rose by 5 percent.");
 *     ... extract_stance_name(stance.relation): "supports"
 *
 * The method is called "lexical", and no more than that.  Of the text the sentence is taken
 * that shares most words with the statement.  With less than half of them it is neutral.  Else
 * it supports the statement, unless one of the two says "not" and the other does not, or a word
 * stands where the other has its opposite (rise and fall), or both have numbers, and none in
 * common: then it refutes it.  Two such conflicts at once say nothing.
 *
 * The confidence grows with the words that are shared and never goes over EXTRACT_STANCE_SURE,
 * for or against: who needs more asks a model.
 *
 * It computes: a fiber calls it through wr_offload.  Nothing allocates, any bytes may come in.
 */
#ifndef WR_EXTRACT_STANCE_H
#define WR_EXTRACT_STANCE_H

#include <stddef.h>

#define EXTRACT_STANCE_METHOD "lexical"
#define EXTRACT_STANCE_SURE 850     /* thousandths */
#define EXTRACT_STANCE_SEEN 500     /* sentences of a text that are looked at */

enum extract_relation { EXTRACT_SUPPORTS, EXTRACT_REFUTES, EXTRACT_NEUTRAL };

struct extract_stance {
    enum extract_relation relation;
    unsigned confidence;            /* thousandths */
};

struct extract_stance extract_stance(const char *premise, size_t len, const char *hypothesis);

/* "supports", "refutes", "neutral" */
const char *extract_stance_name(enum extract_relation relation);

#endif
