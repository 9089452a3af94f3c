/* stance.c - shared words, "not", opposites and numbers. */
#include "extract/stance.h"

#include <stdint.h>
#include <string.h>

#include "extract/sentence.h"
#include "extract/words.h"

#define HALF 500                    /* thousandths of the words, to be about the same */
#define MOST 650                    /* and to be about the same number */

static const char *const negations[] = {
    "not", "no", "never", "neither", "nor", "none", "nobody", "nothing", "without", "cannot",
    "cant", "dont", "doesnt", "didnt", "isnt", "arent", "wasnt", "werent", "wont", "wouldnt",
    "couldnt", "shouldnt", "hasnt", "havent", "hadnt", "fails to", "failed to", "false that",
    "nicht", "kein", "keine", "keinen", "ne", "pas", "jamais", "nunca", "jamas", "не", "нет",
    "никогда", "ليس", "لا", "لم", "לא", "אין",
};
static const char *const negating_signs[] = { "不", "没", "沒", "非", "ない", "ません" };

static const char *const opposites[][2] = {
    { "increase", "decrease" }, { "increase", "reduce" },    { "increase", "decline" },
    { "rise", "fall" },         { "rose", "fell" },          { "grow", "shrink" },
    { "grew", "shrank" },       { "higher", "lower" },       { "high", "low" },
    { "better", "worse" },      { "improve", "worsen" },     { "appear", "vanish" },
    { "safe", "dangerous" },    { "safe", "unsafe" },        { "safe", "harmful" },
    { "effective", "ineffective" }, { "cause", "prevent" },  { "true", "false" },
    { "support", "contradict" }, { "confirm", "refute" },    { "win", "lose" },
    { "won", "lost" },          { "accept", "reject" },      { "allow", "forbid" },
    { "allow", "ban" },         { "possible", "impossible" }, { "legal", "illegal" },
    { "present", "absent" },    { "strong", "weak" },        { "fast", "slow" },
    { "early", "late" },        { "hot", "cold" },           { "healthy", "unhealthy" },
    { "beneficial", "harmful" }, { "open", "close" },        { "larger", "smaller" },
    { "longer", "shorter" },    { "older", "younger" },      { "cheaper", "dearer" },
    { "gain", "loss" },         { "success", "failure" },    { "likely", "unlikely" },
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* One side: a sentence and its words. */
struct side {
    const char *text;
    size_t len;
    struct extract_words words;
};

static unsigned negations_in(const struct side *side)
{
    unsigned count = 0;
    for (size_t i = 0; i < COUNT(negations); i++)
        count += extract_words_say(&side->words, negations[i]);
    for (size_t i = 0; i < COUNT(negating_signs); i++)
        count += memmem(side->text, side->len, negating_signs[i], strlen(negating_signs[i]))
            != NULL;
    return count;
}

/* A word of one that stands in the other as its opposite, and not as itself. */
static unsigned opposites_in(const struct side *one, const struct side *other)
{
    unsigned count = 0;
    for (size_t i = 0; i < COUNT(opposites); i++)
        for (int way = 0; way < 2; way++) {
            uint32_t here = extract_word_key(opposites[i][way]);
            uint32_t there = extract_word_key(opposites[i][1 - way]);
            count += extract_words_have(&one->words, here)
                && extract_words_have(&other->words, there)
                && !extract_words_have(&one->words, there)
                && !extract_words_have(&other->words, here);
        }
    return count;
}

/* Both have numbers, and none in common. */
static bool numbers_differ(const struct side *one, const struct side *other)
{
    bool any = false, theirs = false;
    for (uint32_t i = 0; i < one->words.count; i++) {
        any |= one->words.at[i].number;
        if (one->words.at[i].number && extract_words_have(&other->words, one->words.at[i].key))
            return false;
    }
    for (uint32_t i = 0; i < other->words.count; i++)
        theirs |= other->words.at[i].number;
    return any && theirs;
}

/* Thousandths of the words of the statement that the sentence has, or has the opposite of. */
static unsigned shared(const struct side *of, const struct side *in)
{
    if (of->words.count == 0)
        return 0;
    unsigned all = extract_words_shared(&of->words, &in->words)
        + opposites_in(of, in) * 1000 / of->words.count;
    return all < 1000 ? all : 1000;
}

/* The sentence that shares most. */
static unsigned nearest(struct side *ret, const struct side *to, const char *text, size_t len)
{
    struct extract_sentence sentence;
    struct side side;
    unsigned most = 0, seen = 0;
    for (size_t at = 0; seen < EXTRACT_STANCE_SEEN
         && extract_sentence_next(&sentence, text, len, &at); seen++) {
        side.text = text + sentence.at;
        side.len = sentence.len;
        extract_words(&side.words, side.text, side.len);
        unsigned have = shared(to, &side);
        if (have > most) {
            most = have;
            *ret = side;
        }
    }
    return most;
}

static struct extract_stance with(enum extract_relation relation, unsigned confidence)
{
    return (struct extract_stance){
        relation, confidence < EXTRACT_STANCE_SURE ? confidence : EXTRACT_STANCE_SURE };
}

struct extract_stance extract_stance(const char *premise, size_t len, const char *hypothesis)
{
    struct side statement = { .text = hypothesis, .len = strlen(hypothesis) }, sentence;
    extract_words(&statement.words, hypothesis, statement.len);
    unsigned have = nearest(&sentence, &statement, premise, len);
    if (have < HALF)
        return with(EXTRACT_NEUTRAL, 1000 - have);
    bool denied = negations_in(&statement) % 2 != negations_in(&sentence) % 2;
    bool opposed = opposites_in(&statement, &sentence) % 2 == 1;
    bool other_number = numbers_differ(&statement, &sentence);
    bool against = denied != opposed;
    if (other_number && (against || have < MOST))
        return with(EXTRACT_NEUTRAL, HALF);
    return with(against || other_number ? EXTRACT_REFUTES : EXTRACT_SUPPORTS, have * 9 / 10);
}

const char *extract_stance_name(enum extract_relation relation)
{
    static const char *const names[] = { "supports", "refutes", "neutral" };
    return names[relation];
}
