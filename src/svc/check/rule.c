/* rule.c - the rules, as a table. */
#include "svc/check/rule.h"

#define OUTCOME(name) [BIB_##name]
#define FIELD(name)   [BIB_OUTCOME_COUNT + BIB_FIELD_##name]
#define FLAG(name)    [BIB_OUTCOME_COUNT + BIB_FIELD_COUNT + BIB_FLAG_##name]

const struct check_rule check_rules[CHECK_RULE_COUNT] = {
    OUTCOME(VERIFIED) = {
        "verified", "verified", "The work exists, as cited.", "There is nothing to do.",
        CHECK_FINE,
    },
    OUTCOME(MISMATCH) = {
        "mismatch", "not as cited", "A work like this exists, but not as it is cited here.",
        "Compare what is cited with what was found, and correct the reference.", CHECK_WARNING,
    },
    OUTCOME(NOT_FOUND) = {
        "not_found", "not found", "Everybody was asked, and nobody knows this work.",
        "Look the work up by hand. This is a reason to look, not a proof that it does not "
        "exist: it may be too new, too old, unpublished, or written down in another way.",
        CHECK_ERROR,
    },
    OUTCOME(INCONCLUSIVE) = {
        "inconclusive", "undecided",
        "Somebody who might know this work could not be asked.",
        "Run the check again later, or give it a library that covers the work.", CHECK_NOTE,
    },
    OUTCOME(SKIPPED) = {
        "skipped", "skipped", "There is nothing in this reference to look for.",
        "Look at it by hand if it matters.", CHECK_FINE,
    },
    FIELD(TITLE) = {
        "mismatch/title", "title differs", "The title is not that of the work that was found.",
        "Correct the title, or find out which work is meant.", CHECK_ERROR,
    },
    FIELD(AUTHORS) = {
        "mismatch/authors", "authors differ",
        "The authors are not those of the work that was found.",
        "Correct the authors; where some are left out on purpose, write \"et al.\" or \"and "
        "others\".",
        CHECK_ERROR,
    },
    FIELD(YEAR) = {
        "mismatch/year", "year differs", "The work that was found is of another year.",
        "Correct the year, or cite the edition that is meant.", CHECK_WARNING,
    },
    FIELD(VENUE) = {
        "mismatch/venue", "venue differs", "The work that was found appeared elsewhere.",
        "Correct the journal or conference.", CHECK_WARNING,
    },
    FIELD(DOI) = {
        "mismatch/doi", "DOI differs", "The DOI is not that of the work that was found.",
        "Follow both DOIs, and keep the one that leads to the work.", CHECK_ERROR,
    },
    FIELD(ARXIV_ID) = {
        "mismatch/arxiv_id", "arXiv id differs",
        "The arXiv id is not that of the work that was found.",
        "Follow both, and keep the one that leads to the work.", CHECK_ERROR,
    },
    FLAG(RETRACTED) = {
        "retracted", "retracted", "The work was retracted.",
        "Read the notice, and decide whether the work can still be cited; if so, say that it "
        "was retracted.",
        CHECK_ERROR,
    },
    FLAG(DUPLICATE) = {
        "duplicate", "duplicate", "The same work stands in this list already.",
        "Keep one of the two.", CHECK_NOTE,
    },
    FLAG(FUTURE_DATE) = {
        "future_date", "future date", "The year has not come yet.", "Correct the year.",
        CHECK_ERROR,
    },
    FLAG(PLACEHOLDER_AUTHORS) = {
        "placeholder_authors", "placeholder authors",
        "The authors look like a template that nobody filled in.", "Enter the authors.",
        CHECK_ERROR,
    },
    FLAG(FOREIGN_IDENTIFIER) = {
        "foreign_identifier", "identifier of another work",
        "The DOI or arXiv id belongs to another work.",
        "Follow it and see which work is meant, then correct the one or the other.",
        CHECK_ERROR,
    },
    FLAG(AUTHORS_UNJUDGED) = {
        "authors_unjudged", "authors not compared",
        "The work was found by somebody who names no authors.",
        "Compare the authors by hand.", CHECK_NOTE,
    },
    FLAG(PREPRINT_OF_PUBLISHED) = {
        "preprint_of_published", "published since",
        "A preprint is cited, and the work has been published.",
        "Cite the published version if that is the one you rely on.", CHECK_NOTE,
    },
    FLAG(TRUNCATED) = {
        "truncated", "incomplete", "The reference could not be read to its end.",
        "Compare with the document what was read of it.", CHECK_NOTE,
    },
};

enum check_level check_level(const struct bib_verdict *verdict)
{
    enum check_level level = check_outcome_rule(verdict->outcome)->level;
    bool differs = verdict->outcome == BIB_MISMATCH;
    for (size_t i = 0; differs && i < verdict->mismatch_count; i++) {
        enum check_level one = check_field_rule(verdict->mismatches[i].field)->level;
        level = one > level ? one : level;
    }
    for (unsigned flag = 0; flag < BIB_FLAG_COUNT; flag++) {
        enum check_level one = check_flag_rule((enum bib_flag)flag)->level;
        if (verdict->flags >> flag & 1 && one > level)
            level = one;
    }
    return level;
}
