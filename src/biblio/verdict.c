/* verdict.c - the words of a verdict. */
#include <weir/panic.h>

#include "biblio/verdict.h"

#define X(name, word) word,

const char *bib_outcome_word(enum bib_outcome outcome)
{
    static const char *const words[] = { BIB_OUTCOMES(X) };
    WR_ASSERT(outcome < BIB_OUTCOME_COUNT);
    return words[outcome];
}

const char *bib_field_word(enum bib_field field)
{
    static const char *const words[] = { BIB_FIELDS(X) };
    WR_ASSERT(field < BIB_FIELD_COUNT);
    return words[field];
}

const char *bib_flag_word(enum bib_flag flag)
{
    static const char *const words[] = { BIB_FLAGS(X) };
    WR_ASSERT(flag < BIB_FLAG_COUNT);
    return words[flag];
}

#undef X

bool bib_verdict_detects(const struct bib_verdict *verdict)
{
    uint32_t flags = BIB_FLAG(FUTURE_DATE) | BIB_FLAG(PLACEHOLDER_AUTHORS)
        | BIB_FLAG(FOREIGN_IDENTIFIER);
    return verdict->outcome == BIB_MISMATCH || verdict->outcome == BIB_NOT_FOUND
        || (verdict->flags & flags);
}
