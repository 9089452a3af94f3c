/* key.c - keys of titles and identifiers. */
#include "library/key.h"

#include <stdbool.h>
#include <string.h>

#include "biblio/fold.h"

#define FOLD_MAX 512            /* bytes of a title that count */
#define WORDS_MAX 32

/* ---- hashing ---- */

#define BASE UINT64_C(0x9e3779b97f4a7c15)

/* Every bit of the result depends on every bit of what goes in. */
static uint64_t mix(uint64_t x)
{
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* A polynomial: that of a part follows from those of two beginnings. */
static uint64_t hash_of(const char *text, size_t len)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < len; i++)
        hash = hash * BASE + (unsigned char)text[i] + 1;
    return hash;
}

static void add(struct key_list *keys, enum key_kind kind, uint64_t hash)
{
    if (keys->count == KEYS_MAX)
        return;
    uint64_t mixed = mix(hash + (uint64_t)kind * UINT64_C(0xd6e8feb86659fd93)) >> 24;
    keys->at[keys->count++] = (mixed & ~(uint64_t)KEY_KIND_MASK) | kind;
}

/* ---- segments ---- */

/* As many parts as there can be without their becoming too short to tell titles apart. */
static size_t segments_of(size_t len)
{
    static const struct { size_t len, parts; } table[] = {
        { 4, 1 }, { 10, 2 }, { 15, 3 }, { 21, 4 }, { 28, 5 }, { 100, 6 }, { SIZE_MAX, 8 } };
    size_t i = 0;
    while (len >= table[i].len)
        i++;
    return table[i].parts;
}

/* Hashes of all beginnings of a text, and powers of the base. */
struct prefixes {
    size_t len;
    uint64_t hash[FOLD_MAX + 1], power[FOLD_MAX + 1];
};

static void measure(struct prefixes *ret, const char *text, size_t len)
{
    ret->len = len;
    ret->hash[0] = 0;
    ret->power[0] = 1;
    for (size_t i = 0; i < len; i++) {
        ret->hash[i + 1] = ret->hash[i] * BASE + (unsigned char)text[i] + 1;
        ret->power[i + 1] = ret->power[i] * BASE;
    }
}

static void add_segment(struct key_list *keys, const struct prefixes *text, size_t from,
                        size_t size, size_t whole, size_t part)
{
    uint64_t hash = text->hash[from + size] - text->hash[from] * text->power[size];
    add(keys, KEY_SEGMENT, hash + mix(whole << 4 | part));
}

/* Where part `part` may be found in the question, when it belongs to a title of `whole`
 * bytes: `before` places were inserted (or, below 0, lost) in front of it and the rest of the
 * difference in length behind it, by KEY_SHIFT typos at most. */
static void add_places(struct key_list *keys, const struct prefixes *text, size_t whole,
                       size_t part)
{
    size_t parts = segments_of(whole);
    size_t from = part * whole / parts, size = (part + 1) * whole / parts - from;
    int grown = (int)text->len - (int)whole;
    for (int before = -KEY_SHIFT; before <= KEY_SHIFT; before++) {
        int behind = grown - before;
        int typos = (before < 0 ? -before : before) + (behind < 0 ? -behind : behind);
        int at = (int)from + before;
        bool edge = (part == 0 && before != 0) || (part == parts - 1 && behind != 0);
        if (typos > KEY_SHIFT || edge || at < 0 || (size_t)at + size > text->len)
            continue;
        add_segment(keys, text, (size_t)at, size, whole, part);
    }
}

/* ---- words ---- */

/* What stands in so many titles that it says nothing about one. */
static bool is_empty_word(const char *word, size_t len)
{
    static const char *const words[] = {
        "a", "an", "and", "are", "as", "at", "be", "by", "can", "de", "der", "des", "die", "do",
        "does", "du", "el", "en", "et", "for", "from", "how", "in", "into", "is", "it", "its",
        "la", "le", "les", "not", "of", "on", "or", "over", "s", "that", "the", "their", "to",
        "toward", "towards", "und", "using", "via", "we", "what", "with", "without", "your" };
    size_t low = 0, high = sizeof(words) / sizeof(*words);
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strncmp(word, words[middle], len);
        if (order == 0 && words[middle][len] == '\0')
            return true;
        if (order > 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* The hashes of the words that say something; of all of them when those are fewer than 3. */
static size_t words_of(const char *text, uint64_t *ret)
{
    for (int pass = 0;; pass++) {
        size_t count = 0;
        for (const char *at = text; *at && count < WORDS_MAX;) {
            size_t len = strcspn(at, " ");
            if (len > 0 && (pass > 0 || !is_empty_word(at, len)))
                ret[count++] = hash_of(at, len);
            at += len + (at[len] == ' ');
        }
        if (count >= 3 || pass > 0)
            return count;
    }
}

static void add_words(struct key_list *keys, const struct bib_work *work)
{
    char buf[FOLD_MAX];
    uint64_t words[WORDS_MAX];
    struct wr_text text = WR_TEXT(buf);
    bib_fold_words(&text, work->title, strlen(work->title));
    size_t count = words_of(text.at, words);
    for (size_t i = 0; i < count; i++)
        add(keys, KEY_WORD, words[i]);
    for (size_t gap = 1; gap <= (count <= 6 ? 2 : 1); gap++)
        for (size_t i = 0; i + gap < count; i++)
            add(keys, KEY_PAIR, words[i] + words[i + gap]);     /* in either order */
}

/* ---- what a work has ---- */

/* Where the subtitle begins; 0: there is none. */
static size_t main_len(const char *title)
{
    static const char *const marks[] = { ": ", " - ", " \u2013 ", " \u2014 ", "? ", "! ",
                                         ". ", "\u2014", "\uff1a" };
    size_t least = 0;
    for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
        const char *at = strstr(title, marks[i]);
        if (at && at > title && (least == 0 || (size_t)(at - title) < least))
            least = (size_t)(at - title);
    }
    return least;
}

/* The hash of the title before its subtitle; false: it has none worth a key. */
static bool main_hash(uint64_t *ret, const struct bib_work *work)
{
    char buf[FOLD_MAX];
    struct wr_text text = WR_TEXT(buf);
    bib_fold(&text, work->title, main_len(work->title));
    *ret = hash_of(text.at, text.len);
    return text.len >= 3;
}

static void add_identifiers(struct key_list *keys, const struct bib_work *work)
{
    if (work->doi)
        add(keys, KEY_DOI, hash_of(work->doi, strlen(work->doi)));
    if (work->arxiv_id)
        add(keys, KEY_ARXIV, hash_of(work->arxiv_id, strlen(work->arxiv_id)));
}

/* The folded title, measured; false: nothing is left of it. */
static bool measure_title(struct prefixes *ret, const struct bib_work *work)
{
    char buf[FOLD_MAX];
    struct wr_text text = WR_TEXT(buf);
    if (work->title)
        bib_fold(&text, work->title, strlen(work->title));
    measure(ret, text.at, text.len);
    return text.len > 0;
}

void key_of_work(struct key_list *ret, const struct bib_work *work)
{
    struct prefixes text;
    uint64_t hash;
    ret->count = 0;
    add_identifiers(ret, work);
    if (!measure_title(&text, work))
        return;
    add(ret, KEY_TITLE, text.hash[text.len]);
    if (main_hash(&hash, work))
        add(ret, KEY_MAIN, hash);
    size_t parts = segments_of(text.len);
    for (size_t part = 0; part < parts; part++) {
        size_t from = part * text.len / parts, end = (part + 1) * text.len / parts;
        add_segment(ret, &text, from, end - from, text.len, part);
    }
    add_words(ret, work);
}

void key_of_question(struct key_list *ret, const struct bib_work *work)
{
    struct prefixes text;
    uint64_t hash;
    ret->count = 0;
    add_identifiers(ret, work);
    if (!measure_title(&text, work))
        return;
    add(ret, KEY_TITLE, text.hash[text.len]);
    add(ret, KEY_MAIN, text.hash[text.len]);        /* cited without its subtitle */
    if (main_hash(&hash, work)) {
        add(ret, KEY_TITLE, hash);                  /* known without it */
        add(ret, KEY_MAIN, hash);                   /* known with another */
    }
    size_t least = text.len > KEY_SHIFT ? text.len - KEY_SHIFT : 1;
    for (size_t whole = least; whole <= text.len + KEY_SHIFT; whole++)
        for (size_t part = 0; part < segments_of(whole); part++)
            add_places(ret, &text, whole, part);
    add_words(ret, work);
}
