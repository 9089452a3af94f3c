/* title.c - two titles side by side, word by word. */
#include "biblio/title.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "biblio/fold.h"
#include "biblio/ratio.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define SLIPS_MAX 3             /* of a careless typist, in a title */
#define PREFIX_SPARE 4          /* words more than the other's that may stand for them */
#define WORDS_MAX 48            /* of one title; what follows is not compared */

struct word {
    const char *at;
    size_t len;
    uint64_t letters;           /* a bit for each that occurs */
};

struct title {
    const char *raw;
    char text[BIB_FOLD_MAX];
    struct word words[WORDS_MAX];
    size_t count;
};

/* ---- tables; sorted, for bsearch */

/* Words that carry no subject.  One of them in place of another makes another title. */
static const char *const function_words[] = {
    "a", "about", "across", "against", "an", "and", "are", "as", "at", "be", "between",
    "beyond", "by", "can", "do", "does", "for", "from", "how", "in", "into", "is", "it", "its",
    "not", "of", "on", "or", "our", "over", "per", "than", "that", "the", "their", "this",
    "through", "to", "toward", "towards", "under", "using", "versus", "via", "vs", "we",
    "what", "when", "where", "which", "who", "why", "with", "within", "without", "you", "your",
};

static const char *const articles[] = {
    "a", "an", "and", "the",
};

/* Words that are one slip away from another of these: here a slip is another word. */
static const char *const confusable[] = {
    "act", "acts", "advanced", "advances", "affect", "affective", "affects", "ai", "aligned",
    "aligner", "amr", "article", "articles", "asr", "attention", "back", "bank", "bart",
    "base", "based", "bases", "basic", "basis", "batch", "bayes", "bert", "best", "better",
    "bias", "biased", "biases", "big", "bit", "black", "bot", "box", "brain", "bridging",
    "build", "built", "case", "cases", "casual", "causal", "cause", "chart", "chat", "classes",
    "clause", "clauses", "clues", "cnn", "cnns", "coarse", "code", "content", "contents",
    "context", "contexts", "core", "cost", "count", "course", "court", "cross", "cues", "data",
    "date", "deduction", "deep", "deletion", "dense", "detection", "dnn", "dnns", "effect",
    "effective", "effects", "emerging", "emotion", "encode", "encoder", "face", "fact",
    "facts", "fake", "fast", "few", "fill", "find", "fine", "fixed", "flow", "fly", "form",
    "formal", "format", "forms", "forums", "free", "full", "game", "games", "gan", "gans",
    "gap", "gate", "gaze", "gcn", "gene", "generic", "genetic", "genre", "gnn", "gnns", "gold",
    "good", "grained", "hard", "hate", "head", "humor", "hypotheses", "hypothesis", "identify",
    "identity", "ie", "image", "induction", "intention", "ir", "joint", "keep", "knn", "last",
    "late", "latent", "law", "learned", "learner", "left", "less", "letter", "life", "light",
    "like", "line", "link", "list", "live", "llm", "llms", "lm", "lmm", "lms", "local", "log",
    "logs", "long", "loop", "loss", "lost", "low", "lower", "make", "making", "map", "marker",
    "market", "mask", "masking", "match", "math", "merging", "mining", "mixed", "mixing", "ml",
    "modal", "mode", "model", "moral", "more", "most", "motion", "mt", "name", "named",
    "names", "natural", "near", "net", "nets", "neural", "neutral", "new", "news", "next",
    "nlg", "nli", "nlp", "nlu", "nmt", "node", "noise", "noisy", "norm", "norms", "note",
    "optical", "optimal", "oral", "pair", "parse", "parser", "part", "particle", "particles",
    "party", "past", "patent", "path", "patient", "perception", "perceptron", "person",
    "persona", "personal", "phase", "phrase", "pilot", "pivot", "plan", "play", "point",
    "post", "power", "preference", "preferences", "preposition", "proposition", "qa", "rag",
    "rank", "rare", "rate", "raw", "read", "real", "reduction", "reference", "references",
    "refining", "rnn", "rnns", "role", "roles", "rule", "rules", "rumor", "safe", "same",
    "sample", "schema", "scheme", "scope", "score", "seed", "sense", "set", "sets", "shape",
    "share", "shared", "short", "shot", "side", "simple", "size", "slot", "smart", "smt",
    "sound", "sparse", "spatial", "special", "speed", "stable", "stack", "stage", "star",
    "start", "state", "states", "status", "step", "stock", "stop", "string", "strong",
    "structure", "structured", "structures", "svm", "table", "tag", "tail", "talk", "task",
    "team", "tense", "term", "test", "tests", "text", "texts", "three", "time", "tone", "tool",
    "top", "topic", "toxic", "tracing", "tracking", "train", "trained", "tree", "true", "tune",
    "two", "type", "typed", "types", "ud", "use", "used", "user", "users", "uses", "verb",
    "wide", "word", "words", "work", "works", "world", "worlds",
};

/* What is put before a title or behind it by those who publish it. */
static const char *const decorations[] = {
    "extended abstract", "student abstract", "invited paper", "invited talk", "keynote",
    "brief announcement", "short paper", "full version", "extended version", "position paper",
    "work in progress", "poster", "demo paper", "system demonstration", "abstract",
};

static const char *const part_words[] = {
    "chapter", "episode", "no", "number", "part", "season", "vol", "volume",
};

/* Before a word these turn its meaning. */
static const char *const turning_prefixes[] = {
    "a", "anti", "counter", "de", "dis", "im", "in", "ir", "mis", "non", "re", "semi", "un",
};

static int order(const void *key, const void *member)
{
    const struct word *word = key;
    const char *other = *(const char *const *)member;
    int by = strncmp(word->at, other, word->len);
    return by ? by : -(other[word->len] != '\0');
}

#define IS_IN(word, table) \
    (bsearch(&(word), table, COUNT(table), sizeof((table)[0]), order) != NULL)

/* ---- words */

static void split(struct title *ret, const char *raw)
{
    struct wr_text text = WR_TEXT(ret->text);
    ret->raw = raw;
    ret->count = 0;
    bib_fold_words(&text, raw, strlen(raw));
    for (const char *at = ret->text; *at && ret->count < WORDS_MAX;) {
        size_t len = strcspn(at, " ");
        struct word *word = &ret->words[ret->count++];
        *word = (struct word){ at, len, 0 };
        for (size_t i = 0; i < len; i++)
            word->letters |= 1ull << (at[i] & 63);
        at += len + (at[len] == ' ');
    }
}

unsigned bib_title_words(const char *title)
{
    struct title split_title;
    split(&split_title, title);
    return (unsigned)split_title.count;
}

static bool equal(struct word a, struct word b)
{
    return a.len == b.len && memcmp(a.at, b.at, a.len) == 0;
}

static bool begins(const struct word *words, size_t count, const char *phrase, size_t *used)
{
    size_t i = 0;
    for (; *phrase; i++) {
        size_t len = strcspn(phrase, " ");
        if (i == count || !equal(words[i], (struct word){ .at = phrase, .len = len }))
            return false;
        phrase += len + (phrase[len] == ' ');
    }
    *used = i;
    return true;
}

/* Leave out decorations at both ends, unless nothing else is there. */
static void undress(struct title *title)
{
    bool before = strchr(title->raw, ':') != NULL, behind = strpbrk(title->raw, "([") != NULL;
    for (size_t d = 0; d < COUNT(decorations) && (before || behind); d++) {
        size_t used = 0;
        if (before && begins(title->words, title->count, decorations[d], &used) &&
            used + 2 < title->count) {
            memmove(title->words, title->words + used,
                    (title->count - used) * sizeof(title->words[0]));
            title->count -= used;
        }
        for (size_t size = 1; behind && size <= 3 && size + 2 < title->count; size++)
            if (begins(title->words + title->count - size, size, decorations[d], &used) &&
                used == size)
                title->count -= size;
    }
}

static bool is_roman(struct word word)
{
    for (size_t i = 0; i < word.len; i++)
        if (!strchr("ivx", word.at[i]))
            return false;
    return word.len > 0 && word.len <= 5;
}

static size_t digits_of(struct word word, char *ret, size_t max)
{
    size_t count = 0;
    for (size_t i = 0; i < word.len && count < max; i++)
        if (isdigit((unsigned char)word.at[i]))
            ret[count++] = word.at[i];
    return count;
}

/* Whether the numbers in them forbid that one is a slip for the other.  In a number every
 * digit counts; but one that is longer or shorter than a year, or has a letter in it, was
 * meant to be the other. */
static int by_digit(const void *a, const void *b)
{
    return *(const char *)a - *(const char *)b;
}

/* "2203" for "2023": two digits of a year changed their places. */
static bool is_year_turned(const char *a, const char *b, size_t len)
{
    char x[4], y[4];
    if (len != sizeof(x))
        return false;
    memcpy(x, a, len);
    memcpy(y, b, len);
    qsort(x, len, 1, by_digit);
    qsort(y, len, 1, by_digit);
    return memcmp(x, y, len) == 0;
}

static bool numbers_differ(struct word a, struct word b, bool freely)
{
    char x[24], y[24];
    size_t x_len = digits_of(a, x, sizeof(x)), y_len = digits_of(b, y, sizeof(y));
    if (is_roman(a) && is_roman(b))
        return true;
    if (x_len == 0 && y_len == 0)
        return false;
    if (x_len == y_len)
        return memcmp(x, y, x_len) != 0 && !(freely && is_year_turned(x, y, x_len));
    bool whole = x_len == a.len && y_len == b.len;
    return whole && x_len < 4 && y_len < 4;
}

/* No plural ends with two of them: "fairnes" is a slip for "fairness". */
static bool is_plural(struct word one, struct word many)
{
    return many.len > one.len && one.len >= 3 && !IS_IN(one, function_words) &&
           memcmp(one.at, many.at, one.len) == 0 &&
           ((many.len == one.len + 1 && many.at[one.len] == 's' &&
             one.at[one.len - 1] != 's') ||
            (many.len == one.len + 2 && memcmp(many.at + one.len, "es", 2) == 0));
}

static bool is_turned(struct word base, struct word turned, bool freely)
{
    for (size_t i = 0; i < COUNT(turning_prefixes); i++) {
        size_t len = strlen(turning_prefixes[i]);
        if (freely && len == 1)
            continue;           /* "nalysis" */
        if (turned.len == base.len + len && base.len >= 5 + (len == 1) &&
            memcmp(turned.at, turning_prefixes[i], len) == 0 &&
            memcmp(turned.at + len, base.at, base.len) == 0)
            return true;
    }
    return false;
}

/* How many slips make one word of the other; NONE: they are two words. */
#define NONE 9u

static unsigned slips_allowed(size_t least, size_t most)
{
    return least < 3 || most < 5 ? 1 : least < 12 ? 2 : 3;
}

/* "d" for "de": a letter was lost, and what is left is no word. */
static bool is_rest(struct word letter, struct word word)
{
    return letter.len == 1 && word.len == 2 && memchr(word.at, letter.at[0], 2);
}

/* `freely`: also where a slip has made another word of it, for whoever knows from elsewhere
 * that the work is this one. */
static unsigned slips_between(struct word a, struct word b, bool freely)
{
    size_t least = a.len < b.len ? a.len : b.len, most = a.len < b.len ? b.len : a.len;
    bool function = IS_IN(a, function_words), other = IS_IN(b, function_words);
    /* A word without content does not become one with content, so it was mistyped. */
    unsigned max = function != other   ? 2
                   : !freely           ? slips_allowed(least, most)
                   : most > 6 && least > 3 && a.at[0] == b.at[0] ? 3
                   : most > 2          ? 2
                                       : 1;
    unsigned slips = bib_slips(a.at, a.len, b.at, b.len, max);
    if (slips > max || numbers_differ(a, b, freely) || is_turned(a, b, freely) ||
        is_turned(b, a, freely))
        return NONE;
    if (freely && most > 1)
        return slips;
    char digit[1];
    bool letter = least < 2 && !digits_of(a, digit, 1) && !digits_of(b, digit, 1) &&
                  !is_rest(a, b) && !is_rest(b, a);
    if ((function && other) || (letter && !function && !other))
        return NONE;
    return IS_IN(a, confusable) && IS_IN(b, confusable) ? NONE : slips;
}

/* Side by side, without the space. */
static struct word put_together(char *buf, size_t size, const struct word *two)
{
    struct word both = { .at = buf, .len = two[0].len + two[1].len };
    if (both.len > size)
        return (struct word){ .at = "" };
    memcpy(buf, two[0].at, two[0].len);
    memcpy(buf + two[0].len, two[1].at, two[1].len);
    return both;
}

/* Two words that the other title writes as one. */
static unsigned slips_joined(struct word one, const struct word *two)
{
    char buf[64], digit[1];
    struct word both = put_together(buf, sizeof(buf), two);
    if (both.len + 2 < one.len || one.len + 2 < both.len)
        return NONE;
    unsigned max = both.len < 4 ? 0 : both.len < 8 ? 1 : 2;
    unsigned slips = bib_slips(both.at, both.len, one.at, one.len, max);
    if (slips > max)
        return NONE;
    /* Letters were lost: not if they were a word, or a number, of their own. */
    size_t least = two[0].len < two[1].len ? two[0].len : two[1].len;
    bool number = digits_of(two[0], digit, 1) || digits_of(two[1], digit, 1);
    bool lost = one.len < both.len && (both.len - one.len >= least || number);
    return slips > 0 && lost ? NONE : slips;
}

/* Two words for two others, with the space in another place, which is a slip. */
static unsigned slips_moved(const struct word *a, const struct word *b, bool freely)
{
    char x[64], y[64];
    if (equal(a[0], b[0]) || equal(a[1], b[1]) || a[0].len == b[0].len ||
        a[0].len + 2 < b[0].len || b[0].len + 2 < a[0].len)
        return NONE;
    struct word left = put_together(x, sizeof(x), a), right = put_together(y, sizeof(y), b);
    unsigned max = freely ? 2 : 1;
    unsigned slips = bib_slips(left.at, left.len, right.at, right.len, max);
    return slips == 0 || (slips <= max && left.len >= 7) ? slips + 1 : NONE;
}

/* ---- side by side */

/* What a difference costs.  Slips can be told from changes, and a plural from other slips, by
 * the sum alone. */
enum { ARTICLE = 1, SLIP = 100, PLURAL = 120, CHANGE = 10000, NEVER = 1 << 28 };

struct table {
    const struct title *a, *b;
    bool freely;
    int cost[WORDS_MAX + 1][WORDS_MAX + 1];
};

/* A lone letter inside a title was struck by accident; at its ends it may be a name. */
static int skip(const struct title *title, size_t at)
{
    struct word word = title->words[at];
    if (IS_IN(word, articles))
        return ARTICLE;
    bool inside = at > 0 && at + 1 < title->count;
    return word.len == 1 && inside && isalpha((unsigned char)word.at[0]) ? SLIP : CHANGE;
}

static int cost_of(unsigned slips)
{
    return slips == NONE ? CHANGE : (int)slips * SLIP;
}

static int exchange(struct word a, struct word b, bool freely)
{
    if (equal(a, b))
        return 0;
    /* A slip changes two letters of the set at most, and nearly all pairs end here. */
    if (__builtin_popcountll(a.letters ^ b.letters) > 6)
        return CHANGE;
    if (!freely && (is_plural(a, b) || is_plural(b, a)))
        return PLURAL;
    return cost_of(slips_between(a, b, freely));
}

static void take_less(int *best, int cost)
{
    *best = cost < *best ? cost : *best;
}

static int cell(const struct table *table, size_t from, size_t i, size_t j)
{
    const struct word *a = table->a->words, *b = table->b->words;
    int best = NEVER;
    size_t left = i - from, up = j - from;
    if (left > 0 && up > 0)
        take_less(&best, table->cost[i - 1][j - 1] +
                             exchange(a[i - 1], b[j - 1], table->freely));
    if (best == 0)
        return 0;
    if (left > 0)
        take_less(&best, table->cost[i - 1][j] + skip(table->a, i - 1));
    if (up > 0)
        take_less(&best, table->cost[i][j - 1] + skip(table->b, j - 1));
    const struct word *a2 = a + i - 2, *b2 = b + j - 2;
    if (left > 1 && up > 0)
        take_less(&best, table->cost[i - 2][j - 1] + cost_of(slips_joined(b[j - 1], a2)));
    if (left > 0 && up > 1)
        take_less(&best, table->cost[i - 1][j - 2] + cost_of(slips_joined(a[i - 1], b2)));
    if (left > 1 && up > 1)
        take_less(&best, table->cost[i - 2][j - 2] +
                             cost_of(slips_moved(a2, b2, table->freely)));
    return best;
}

/* One more than the slips of a typist, as a moved space counts twice. */
static bool tolerable(int cost, const struct title *title, size_t words)
{
    int slips = cost / SLIP, letters = 0;
    for (size_t i = 0; i < words; i++)
        letters += (int)title->words[i].len;
    bool one_plural = slips == 1 && cost % SLIP >= PLURAL - SLIP;
    return cost < CHANGE && slips <= SLIPS_MAX + 1 && slips * 10 <= letters + 15 && !one_plural;
}

/* ---- subtitles */

/* Whether a part ends in the raw title behind its first `count` words.  A question or an
 * exclamation is no main title: what follows it says what the work is about. */
static bool part_ends(const struct title *title, size_t count)
{
    const char *raw = title->raw;
    for (size_t at = 1; raw[at]; at++) {
        bool dash = (raw[at] == '-' && raw[at - 1] == ' ' && raw[at + 1] == ' ') ||
                    strncmp(raw + at, "–", 3) == 0 || strncmp(raw + at, "—", 3) == 0;
        bool stop = raw[at] == '.' && (raw[at + 1] == ' ' || raw[at + 1] == '\0');
        if (!dash && !stop && !strchr(":;([", raw[at]))
            continue;
        char buf[BIB_FOLD_MAX];
        struct wr_text text = WR_TEXT(buf);
        size_t words = 0;
        bib_fold_words(&text, raw, at);
        for (const char *c = buf; *c; words++)
            c += strcspn(c, " ") + (c[strcspn(c, " ")] == ' ');
        if (words >= count)
            return words == count;
    }
    return false;
}

/* "Part II" is another work, not a subtitle. */
static bool is_part(const struct title *title, size_t from)
{
    struct word word = title->words[from];
    char digits[4];
    if (IS_IN(word, part_words) && from + 1 < title->count)
        word = title->words[from + 1];
    return is_roman(word) || digits_of(word, digits, sizeof(digits)) == word.len;
}

static bool only_function_words(const struct title *title, size_t from)
{
    for (size_t i = from; i < title->count; i++)
        if (!IS_IN(title->words[i], function_words))
            return false;
    return true;
}

/* The longer title begins with the whole shorter one: `used` words of it. */
static enum bib_title_match compare_beginning(const struct title *longer, size_t used)
{
    if (only_function_words(longer, used))
        return BIB_TITLE_SAME;
    if (used < 2 || is_part(longer, used) || !part_ends(longer, used))
        return BIB_TITLE_DIFFERENT;
    return BIB_TITLE_SHORTENED;
}

/* What is left of both when the same words were taken from their ends. */
static int cost_between(struct table *table, size_t from, size_t n, size_t m)
{
    for (size_t i = from; i <= n; i++)
        for (size_t j = from; j <= m; j++)
            table->cost[i][j] = i == from && j == from ? 0 : cell(table, from, i, j);
    return table->cost[n][m];
}

static enum bib_title_match compare_words(struct table *table)
{
    const struct title *a = table->a, *b = table->b;
    size_t n = a->count, m = b->count, from = 0;
    while (from < n && from < m && equal(a->words[from], b->words[from]))
        from++;
    while (n > from && m > from && equal(a->words[n - 1], b->words[m - 1])) {
        n--;
        m--;
    }
    if (tolerable(cost_between(table, from, n, m), a, a->count))
        return BIB_TITLE_SAME;
    if (a->count == b->count)
        return BIB_TITLE_DIFFERENT;
    bool turn = a->count > b->count;
    const struct title *few = turn ? b : a, *many = turn ? a : b;
    n = few->count;
    m = n + PREFIX_SPARE < many->count ? n + PREFIX_SPARE : many->count - 1;
    table->a = few;
    table->b = many;
    cost_between(table, from, n, m);
    enum bib_title_match best = BIB_TITLE_DIFFERENT;
    for (size_t j = from; j <= m && best != BIB_TITLE_SAME; j++)
        if (j > 0 && tolerable(table->cost[n][j], few, n)) {
            enum bib_title_match match = compare_beginning(many, j);
            best = match < best ? match : best;
        }
    return best;
}

/* Whether the letters in common leave room for it: every slip costs one of them, and so do
 * those of a few articles. */
static bool may_be_same(const struct title *a, const struct title *b, unsigned alike)
{
    size_t x = strlen(a->text), y = strlen(b->text), least = x < y ? x : y;
    size_t spare = 3 * (SLIPS_MAX + 1) + 8u;
    return alike * (x + y) / 2000 + spare >= least;
}

/* How many words of one are not in the other. */
static size_t words_apart(const struct title *a, const struct title *b)
{
    size_t apart = 0;
    for (size_t i = 0; i < a->count; i++) {
        size_t j = 0;
        while (j < b->count && !equal(a->words[i], b->words[j]))
            j++;
        apart += j == b->count;
    }
    return apart;
}

/* A byte for each letter; that of another script is made of all of its own, so that one letter
 * is one slip in any script. */
static size_t letters_of(const struct title *title, char *ret, bool digits)
{
    size_t len = 0;
    for (const char *c = title->text; *c; c++) {
        unsigned char byte = (unsigned char)*c;
        if ((byte & 0xc0) == 0x80 && len > 0 && !digits)
            ret[len - 1] = (char)(0x80 | ((unsigned char)ret[len - 1] * 7 ^ byte));
        else if (byte != ' ' && (!digits || isdigit(byte)))
            ret[len++] = *c;
    }
    return len;
}

/* Whether all letters in a row are the same but for a few, and so are all digits: spaces were
 * lost or moved.  One word for one other is left to those who compare words. */
static bool runs_alike(const struct title *a, const struct title *b)
{
    char x[BIB_FOLD_MAX], y[BIB_FOLD_MAX];
    size_t x_len = letters_of(a, x, true), y_len = letters_of(b, y, true);
    if (x_len != y_len || memcmp(x, y, x_len) != 0)
        return false;
    bool ascii = true;
    for (const char *c = a->text; *c; c++)
        ascii = ascii && (unsigned char)*c < 0x80;
    if (ascii && words_apart(a, b) < 2 && words_apart(b, a) < 2)
        return false;
    x_len = letters_of(a, x, false);
    y_len = letters_of(b, y, false);
    return x_len >= (ascii ? 20 : 8) && bib_slips(x, x_len, y, y_len, SLIPS_MAX) <= SLIPS_MAX;
}

static bool is_slipped(struct table *table, const struct title *a, const struct title *b)
{
    table->a = a;
    table->b = b;
    table->freely = true;
    return tolerable(cost_between(table, 0, a->count, b->count), a, a->count) ||
           runs_alike(a, b);
}

enum bib_title_match bib_title_compare(const char *a, const char *b, unsigned *alike)
{
    struct title x, y;
    bool swap = strcmp(a, b) > 0;           /* which of them is first must make no difference */
    split(&x, swap ? b : a);
    split(&y, swap ? a : b);
    *alike = bib_ratio(x.text, strlen(x.text), y.text, strlen(y.text));
    if (x.count == 0 || y.count == 0) {
        *alike = 0;
        return BIB_TITLE_DIFFERENT;
    }
    if (*alike == 1000)
        return BIB_TITLE_SAME;
    undress(&x);
    undress(&y);
    if (!may_be_same(&x, &y, *alike))
        return BIB_TITLE_DIFFERENT;
    struct table table;         /* filled before it is read */
    table.a = &x;
    table.b = &y;
    table.freely = false;
    enum bib_title_match match = compare_words(&table);
    return match == BIB_TITLE_DIFFERENT && is_slipped(&table, &x, &y) ? BIB_TITLE_SLIPPED
                                                                      : match;
}
