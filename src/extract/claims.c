/* claims.c - which sentences are claims, of what sort, and how near to a hypothesis. */
#include "extract/claims.h"

#include <stdlib.h>
#include <string.h>

#include "base/forget.h"
#include "extract/sentence.h"
#include "extract/words.h"

#define FEWEST_WORDS 4
#define REMARK 60                   /* bytes of a sentence that is more than that */
#define PARAGRAPH 400
#define SHARED_WORTH 850            /* thousandths, if all words are shared */
#define NUMBER_WORTH 100
#define LENGTH_WORTH 50

/* What every site says: phrases as extract_words_say knows them. */
static const char *const boilerplate[] = {
    "all rights reserved", "click here", "cookie policy", "cookies", "follow us", "log in",
    "newsletter", "privacy policy", "read more", "share this", "sign in", "sign up",
    "subscribe", "terms of service", "terms of use", "your browser", "your email",
};

static const char *const predicts[] = {
    "will", "shall", "is expected to", "are expected to", "is likely to", "are likely to",
    "is going to", "are going to", "forecast", "forecasts", "predict", "predicts", "projected",
    "is set to", "by the end of the decade", "будет", "будут", "wird", "werden",
};

static const char *const opines[] = {
    "i think", "we think", "i believe", "we believe", "in my opinion", "in our view", "should",
    "ought", "arguably", "unfortunately", "hopefully", "seems", "seem", "best", "worst",
    "beautiful", "terrible", "wonderful", "deserves", "must",
};

static const char *const doubts[] = {
    "may", "might", "could", "perhaps", "possibly", "probably", "allegedly", "reportedly",
    "suggests", "suggest", "appears", "appear",
};

static const char *const depends[] = { "this", "that", "these", "those", "it", "they", "he",
                                       "she", "such" };

/* Scripts without spaces are looked at letter by letter. */
static const char *const predicts_signs[] = { "将会", "預計", "预计", "だろう", "予想される" };
static const char *const opines_signs[] = { "认为", "認為", "应该", "應該", "と思う", "べきだ" };

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static bool says(const struct extract_words *words, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (extract_words_say(words, list[i]))
            return true;
    return false;
}

static bool has(const char *text, size_t len, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (memmem(text, len, list[i], strlen(list[i])))
            return true;
    return false;
}

/* ---- what is a claim ---- */

static bool ends_with(const char *text, size_t len, const char *end)
{
    size_t size = strlen(end);
    return len >= size && memcmp(text + len - size, end, size) == 0;
}

/* A stop at its end, but no question. */
static bool is_statement(const char *text, size_t len)
{
    static const char *const stops[] = { ".", "!", "。", "！", "।", "۔", "။", "።", "៕" };
    static const char *const closing[] = { "\"", "'", ")", "]", "”", "’", "»", "」", "』", "）" };
    for (size_t i = 0; i < COUNT(closing); i++)
        if (ends_with(text, len, closing[i])) {
            len -= strlen(closing[i]);
            break;
        }
    if (ends_with(text, len, "..."))
        return false;
    for (size_t i = 0; i < COUNT(stops); i++)
        if (ends_with(text, len, stops[i]))
            return true;
    return false;
}

static bool is_claim(const char *text, size_t len, const struct extract_words *words)
{
    return len >= EXTRACT_CLAIM_SHORTEST && len <= EXTRACT_CLAIM_LONGEST
        && is_statement(text, len) && words->all >= FEWEST_WORDS
        && !memmem(text, len, " | ", 3) && !memmem(text, len, "©", 2)
        && !says(words, boilerplate, COUNT(boilerplate));
}

/* ---- of what sort, and how good ---- */

static enum extract_claim_type type_of(const char *text, size_t len,
                                       const struct extract_words *words)
{
    if (says(words, opines, COUNT(opines)) || has(text, len, opines_signs, COUNT(opines_signs)))
        return EXTRACT_OPINION;
    if (says(words, predicts, COUNT(predicts))
        || has(text, len, predicts_signs, COUNT(predicts_signs)))
        return EXTRACT_PREDICTION;
    return EXTRACT_FACT;
}

static bool has_number(const struct extract_words *words)
{
    for (uint32_t i = 0; i < words->count; i++)
        if (words->at[i].number)
            return true;
    return false;
}

/* A large letter behind a space. */
static bool has_name(const char *text, size_t len)
{
    for (size_t i = 1; i < len; i++)
        if (text[i - 1] == ' ' && text[i] >= 'A' && text[i] <= 'Z'
            && i + 1 < len && text[i + 1] >= 'a' && text[i + 1] <= 'z')
            return true;
    return false;
}

static bool begins_in_its_place(const struct extract_words *words)
{
    const char *first = words->folded + 1;
    size_t len = strcspn(first, " ");
    for (size_t i = 0; i < COUNT(depends); i++)
        if (len == strlen(depends[i]) && memcmp(first, depends[i], len) == 0)
            return true;
    return false;
}

static unsigned confidence_of(const char *text, size_t len, const struct extract_words *words,
                              enum extract_claim_type type)
{
    int sure = type == EXTRACT_FACT ? 600 : type == EXTRACT_PREDICTION ? 400 : 300;
    sure += has_number(words) ? 150 : 0;
    sure += has_name(text, len) ? 100 : 0;
    sure -= says(words, doubts, COUNT(doubts)) ? 200 : 0;
    sure -= begins_in_its_place(words) ? 100 : 0;
    return (unsigned)(sure > 0 ? sure : 0);
}

static unsigned relevance_of(size_t len, const struct extract_words *words,
                             const struct extract_words *hypothesis)
{
    unsigned shared = extract_words_shared(hypothesis, words);
    if (shared == 0)
        return 0;
    return shared * SHARED_WORTH / 1000 + (has_number(words) ? NUMBER_WORTH : 0)
        + (len >= REMARK && len <= PARAGRAPH ? LENGTH_WORTH : 0);
}

/* ---- all of them ---- */

struct candidate {
    struct extract_claim claim;
    uint64_t form;                  /* the same for the same words */
};

static int by_form(const void *a, const void *b)
{
    const struct candidate *one = a, *other = b;
    if (one->form != other->form)
        return one->form < other->form ? -1 : 1;
    return one->claim.offset < other->claim.offset ? -1 : 1;
}

static int by_rank(const void *a, const void *b)
{
    const struct extract_claim *one = &((const struct candidate *)a)->claim;
    const struct extract_claim *other = &((const struct candidate *)b)->claim;
    if (one->relevance != other->relevance)
        return one->relevance > other->relevance ? -1 : 1;
    if (one->relevance == 0 && one->confidence != other->confidence)
        return one->confidence > other->confidence ? -1 : 1;
    return one->offset < other->offset ? -1 : one->offset > other->offset;
}

static uint64_t form_of(const char *folded)
{
    uint64_t form = 0xcbf29ce484222325;
    for (; *folded; folded++)
        form = (form ^ (unsigned char)*folded) * 0x100000001b3;
    return form;
}

/* Of those that say the same only the first stays. */
static size_t drop_repeated(struct candidate *all, size_t count)
{
    size_t kept = 0;
    qsort(all, count, sizeof(all[0]), by_form);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || all[kept - 1].form != all[i].form)
            all[kept++] = all[i];
    return kept;
}

static size_t find_all(struct candidate *all, const char *text, size_t len,
                       const struct extract_words *hypothesis)
{
    struct extract_sentence sentence;
    struct extract_words words;
    size_t count = 0, seen = 0;
    for (size_t at = 0; seen < EXTRACT_CLAIMS_SEEN
         && extract_sentence_next(&sentence, text, len, &at); seen++) {
        const char *from = text + sentence.at;
        if (sentence.len < EXTRACT_CLAIM_SHORTEST || sentence.len > EXTRACT_CLAIM_LONGEST)
            continue;
        extract_words(&words, from, sentence.len);
        if (!is_claim(from, sentence.len, &words))
            continue;
        unsigned relevance = relevance_of(sentence.len, &words, hypothesis);
        if (relevance == 0 && hypothesis->count > 0)
            continue;
        enum extract_claim_type type = type_of(from, sentence.len, &words);
        all[count++] = (struct candidate){
            .claim = { .len = sentence.len, .offset = sentence.at, .type = type,
                       .relevance = relevance,
                       .confidence = confidence_of(from, sentence.len, &words, type) },
            .form = form_of(words.folded) };
    }
    return count;
}

wr_err extract_claims(struct extract_claims *ret, const char *text, size_t len,
                      const char *hypothesis, size_t max, struct wr_arena *arena)
{
    struct extract_words wanted;
    struct candidate *all = calloc(EXTRACT_CLAIMS_SEEN, sizeof(*all));
    *ret = (struct extract_claims){ 0 };
    if (!all)
        return WR_NOMEM;
    extract_words(&wanted, hypothesis ? hypothesis : "", hypothesis ? strlen(hypothesis) : 0);
    size_t count = drop_repeated(all, find_all(all, text, len, &wanted));
    qsort(all, count, sizeof(all[0]), by_rank);
    count = count < max ? count : max;
    ret->at = wr_arena_alloc(arena, (count + 1) * sizeof(ret->at[0]));
    for (size_t i = 0; ret->at && i < count; i++) {
        ret->at[i] = all[i].claim;
        ret->at[i].text = wr_arena_copy(arena, text + all[i].claim.offset, all[i].claim.len);
        ret->count++;
    }
    wr_forget_free(all);
    return arena->full ? WR_NOMEM : WR_OK;
}

const char *extract_claim_type_name(enum extract_claim_type type)
{
    static const char *const names[] = { "fact", "opinion", "prediction" };
    return names[type];
}
