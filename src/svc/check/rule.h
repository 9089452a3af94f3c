/* rule.h - what can be said of a reference, in words for people.
 *
 * Everything a verdict can consist of is a rule: an outcome, a field that is not as cited, a
 * flag.  A rule has a name, says what it means and what to do, and how much it weighs.
 *
 * The words are careful: a work that nobody knows is a reason to look, not a proof that
 * somebody made it up.
 */
#ifndef WR_CHECK_RULE_H
#define WR_CHECK_RULE_H

#include <stddef.h>

#include "biblio/verdict.h"

enum check_level {
    CHECK_FINE,
    CHECK_NOTE,             /* good to know */
    CHECK_WARNING,          /* somebody should look at it: a detail is not as cited */
    CHECK_ERROR,            /* the same: it may not exist, or should not be relied on */
};

struct check_rule {
    const char *id;         /* "mismatch/year", the same in every release */
    const char *name;       /* "year differs" */
    const char *what;       /* a sentence */
    const char *help;       /* what to do about it: a sentence */
    enum check_level level;
};

/* All of them: outcomes, then fields, then flags, each in the order of verdict.h. */
#define CHECK_RULE_COUNT (BIB_OUTCOME_COUNT + BIB_FIELD_COUNT + BIB_FLAG_COUNT)
extern const struct check_rule check_rules[CHECK_RULE_COUNT];

static inline const struct check_rule *check_outcome_rule(enum bib_outcome outcome)
{
    return &check_rules[outcome];
}

static inline const struct check_rule *check_field_rule(enum bib_field field)
{
    return &check_rules[BIB_OUTCOME_COUNT + (unsigned)field];
}

static inline const struct check_rule *check_flag_rule(enum bib_flag flag)
{
    return &check_rules[BIB_OUTCOME_COUNT + BIB_FIELD_COUNT + (unsigned)flag];
}

/* The weight of a verdict is that of the heaviest rule in it.  It is WARNING or more exactly
 * for what bib_verdict_detects and for what was retracted. */
enum check_level check_level(const struct bib_verdict *verdict);

#endif
