/* venue.c - names of venues, taken apart and compared.
 *
 * A name is cut at its commas and brackets into segments: "Proc. of the 37th Int. Conf. on
 * Machine Learning (ICML), Vienna" has three.  Of each the words that tell it from others are
 * kept, and what it is known as is looked up in the table. */
#include "biblio/venue.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "biblio/fold.h"
#include "biblio/ratio.h"
#include "biblio/venue_table.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define TEXT_MAX 512
#define WORDS_MAX 20            /* of a segment */
#define SEGMENTS_MAX 6
#define KNOWN_MAX 6

struct word {
    const char *at;
    size_t len;
};

struct segment {
    struct word words[WORDS_MAX];       /* without numbers */
    struct word content[WORDS_MAX];     /* without what stands in every name */
    size_t count, content_count;
};

struct venue {
    char text[TEXT_MAX];
    struct segment segments[SEGMENTS_MAX];
    size_t count;               /* of the segments with content; the first names the venue */
    size_t known[KNOWN_MAX];    /* places in the table */
    size_t known_count;
    unsigned flags;             /* of all that is known */
    bool meeting;               /* it calls itself a conference */
    bool workshop, findings;
};

/* Sorted, for bsearch. */
static const char *const noise[] = {
    "a", "acm", "an", "and", "ann", "annu", "annual", "at", "conf", "conference",
    "conferences", "congress", "cvf", "demonstrations", "edition", "eighteenth", "eighth",
    "eleventh", "fifteenth", "fifth", "fiftieth", "fifty", "first", "for", "fortieth", "forty",
    "fourteenth", "fourth", "ieee", "ifip", "in", "int", "internat", "international", "intl",
    "ist", "long", "main", "meeting", "nineteenth", "ninth", "no", "number", "of", "official",
    "on", "page", "pages", "paper", "papers", "pp", "proc", "proceedings", "procs", "s",
    "second", "seventeenth", "seventh", "short", "sixteenth", "sixth", "sixtieth", "sixty",
    "symp", "sympos", "symposium", "technical", "tenth", "the", "third", "thirteenth",
    "thirtieth", "thirty", "to", "track", "twelfth", "twentieth", "twenty", "u", "us", "usa",
    "vol", "volume",
};

static const char *const meeting_words[] = {
    "conf", "conference", "congress", "meeting", "proc", "proceedings", "symp", "symposium",
};

/* Beside an acronym these name a part of the same event. */
static const char *const tracks[] = {
    "abstracts", "benchmarks", "companion", "consortium", "datasets", "demonstration",
    "doctoral", "extended", "formerly", "industry", "poster", "posters", "student", "system",
    "tutorial", "tutorials",
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

static bool equal(struct word a, const char *b, size_t len)
{
    return a.len == len && memcmp(a.at, b, len) == 0;
}

/* "2019", "38th", "21" */
static bool is_number(struct word word)
{
    size_t i = 0;
    while (i < word.len && isdigit((unsigned char)word.at[i]))
        i++;
    return i > 0 && (i == word.len || (i + 2 == word.len && word.at[i] != 'd'));
}

/* "cvpr2019" */
static size_t without_year(struct word word)
{
    size_t len = word.len;
    while (len > 0 && isdigit((unsigned char)word.at[len - 1]))
        len--;
    return len >= 2 ? len : word.len;
}

static void add_word(struct venue *venue, struct segment *segment, struct word word)
{
    if (is_number(word) || segment->count == WORDS_MAX)
        return;
    word.len = without_year(word);
    if ((word.len >= 6 && memcmp(word.at, "worksh", 6) == 0) || equal(word, "wksp", 4)) {
        /* Students present their research at one that is part of the conference. */
        size_t last = segment->count;
        venue->workshop = last == 0 || !equal(segment->words[last - 1], "research", 8);
        return;
    }
    if (equal(word, "findings", 8)) {
        venue->findings = true;
        return;
    }
    segment->words[segment->count++] = word;
    venue->meeting = venue->meeting || IS_IN(word, meeting_words);
    if (!IS_IN(word, noise))
        segment->content[segment->content_count++] = word;
}

/* ---- comparing words and rows of them */

/* "Mach" for "Machine", "Natl" for "National", and a slip. */
static bool stands_for(struct word a, struct word b)
{
    struct word few = a.len <= b.len ? a : b, many = a.len <= b.len ? b : a;
    if (memcmp(few.at, many.at, few.len) == 0)
        return few.len > 0;
    if (few.len >= 5 && bib_slips(few.at, few.len, many.at, many.len, 1) <= 1)
        return true;
    if (few.len < 3 || few.at[0] != many.at[0] ||
        few.at[few.len - 1] != many.at[many.len - 1])
        return false;
    size_t at = 0;
    for (size_t i = 0; i < many.len && at < few.len; i++)
        at += many.at[i] == few.at[at];
    return at == few.len && few.len * 4 >= many.len;
}

static bool rows_agree(const struct word *a, size_t a_count, const struct word *b,
                       size_t b_count)
{
    if (a_count != b_count || a_count == 0)
        return false;
    for (size_t i = 0; i < a_count; i++)
        if (!stands_for(a[i], b[i]))
            return false;
    return true;
}

/* "SOUPS" for "Symposium On Usable Privacy and Security": each word gives none, one or more
 * of its first letters; only words that stand in every name may give none. */
static bool spells(const char *letters, size_t len, const struct word *words, size_t count,
                   unsigned skips)
{
    if (len == 0) {
        for (size_t i = 0; i < count; i++)
            if (!IS_IN(words[i], noise))
                return skips > 0 && i + 1 == count;
        return true;
    }
    if (count == 0)
        return false;
    for (size_t take = 1; take <= 3 && take <= len && take <= words->len; take++) {
        if (memcmp(letters, words->at, take) != 0)
            break;
        if (spells(letters + take, len - take, words + 1, count - 1, skips))
            return true;
    }
    bool free = IS_IN(*words, noise);
    return (free || skips > 0) &&
           spells(letters, len, words + 1, count - 1, skips - (free ? 0 : 1));
}

static bool is_acronym_of(const struct segment *few, const struct segment *many)
{
    if (few->content_count != 1 || many->content_count < 2 || many->count > 12)
        return false;
    struct word letters = few->content[0];
    return letters.len >= 3 && letters.len <= 9 &&
           spells(letters.at, letters.len, many->words, many->count, 1);
}

/* ---- the table */

static void add_known(struct venue *venue, size_t entry)
{
    venue->flags |= venue_table[entry].flags;
    if (venue_table[entry].flags & VENUE_WORKSHOP)
        venue->workshop = false;        /* as it always is one, it need not be said */
    for (size_t i = 0; i < venue->known_count; i++)
        if (venue->known[i] == entry)
            return;
    if (venue->known_count < KNOWN_MAX)
        venue->known[venue->known_count++] = entry;
}

/* What follows in a list with "|" between its members; NULL: nothing. */
static const char *next_name(const char *name)
{
    const char *bar = strchr(name, '|');
    return bar ? bar + 1 : NULL;
}

static bool has_acronym(const char *acronyms, struct word word)
{
    for (const char *at = acronyms; at; at = next_name(at))
        if (at[0] == word.at[0] && strncmp(at, word.at, word.len) == 0 &&
            (at[word.len] == '|' || at[word.len] == '\0'))
            return true;
    return false;
}

static bool has_name(const char *names, const struct segment *segment)
{
    for (const char *at = names; at; at = next_name(at)) {
        if (at[0] != segment->content[0].at[0])
            continue;
        struct word words[WORDS_MAX];
        size_t count = 0;
        for (const char *c = at; *c && *c != '|' && count < WORDS_MAX; count++) {
            words[count] = (struct word){ c, strcspn(c, " |") };
            c += words[count].len + (c[words[count].len] == ' ');
        }
        if (rows_agree(words, count, segment->content, segment->content_count))
            return true;
    }
    return false;
}

static size_t entry_of(struct word acronym)
{
    size_t e = 0;
    while (e < venue_table_count && !has_acronym(venue_table[e].acronyms, acronym))
        e++;
    return e;
}

/* "EMNLP-IJCNLP System Demonstrations" names two. */
static bool look_up_acronyms(struct venue *venue, const struct segment *segment)
{
    size_t entries[WORDS_MAX], count = 0;
    for (size_t w = 0; w < segment->content_count; w++) {
        size_t e = entry_of(segment->content[w]);
        if (e < venue_table_count)
            entries[count++] = e;
        else if (count == 0 || !IS_IN(segment->content[w], tracks))
            return false;
    }
    for (size_t i = 0; i < count; i++)
        add_known(venue, entries[i]);
    return count > 0;
}

/* A name that a conference and a journal have in common is the conference's when it is
 * called one. */
static bool look_up_name(struct venue *venue, const struct segment *segment, bool meeting)
{
    size_t found = venue_table_count;
    for (size_t e = 0; e < venue_table_count; e++) {
        if (!has_name(venue_table[e].names, segment))
            continue;
        bool fits = !(venue_table[e].flags & (meeting ? VENUE_JOURNAL : VENUE_MEETING));
        if (found == venue_table_count || fits)
            found = e;
        if (fits)
            break;
    }
    if (found < venue_table_count)
        add_known(venue, found);
    return found < venue_table_count;
}

/* "Human Language Technology Conference of the NAACL": a name, and whose it is. */
static void look_up_both(struct venue *venue, const struct segment *segment, bool meeting)
{
    struct segment name = { .count = 0 };
    for (size_t w = 0; w < segment->content_count; w++) {
        struct word word = segment->content[w];
        if (word.len < 3 || entry_of(word) == venue_table_count)
            name.content[name.content_count++] = word;
    }
    if (name.content_count > 1 && name.content_count < segment->content_count)
        look_up_name(venue, &name, meeting);
}

/* ---- taking apart */

static bool cuts(const char *raw, size_t at)
{
    if (strchr(",():;=@/[]", raw[at]))
        return true;
    if (raw[at] == '-' && at > 0 && raw[at - 1] == ' ' && raw[at + 1] == ' ')
        return true;
    return strncmp(raw + at, " and the ", 9) == 0 || strncmp(raw + at, " at the ", 8) == 0 ||
           strncmp(raw + at, "–", 3) == 0;
}

static void add_segment(struct venue *venue, struct wr_text *text, const char *raw, size_t len)
{
    struct segment *segment = &venue->segments[venue->count];
    size_t start = text->len;
    segment->count = segment->content_count = 0;
    bool before = venue->meeting;
    venue->meeting = false;
    bib_fold_words(text, raw, len);
    for (const char *at = text->at + start; *at;) {
        size_t size = strcspn(at, " ");
        add_word(venue, segment, (struct word){ at, size });
        at += size + (at[size] == ' ');
    }
    wr_text_bytes(text, "", 1);         /* the next one begins behind a zero */
    bool meeting = venue->meeting;
    venue->meeting = before || meeting;
    if (segment->content_count == 0)
        return;
    if (!look_up_acronyms(venue, segment) && !look_up_name(venue, segment, meeting))
        look_up_both(venue, segment, meeting);
    venue->count++;
}

static void take_apart(struct venue *ret, const char *raw)
{
    struct wr_text text = WR_TEXT(ret->text);
    ret->count = ret->known_count = 0;
    ret->flags = 0;
    ret->meeting = ret->workshop = ret->findings = false;
    size_t start = 0, at = 0;
    for (; raw[at] && at < TEXT_MAX && ret->count < SEGMENTS_MAX; at++) {
        if (!cuts(raw, at))
            continue;
        add_segment(ret, &text, raw + start, at - start);
        start = at + 1;
    }
    if (ret->count < SEGMENTS_MAX)
        add_segment(ret, &text, raw + start, at - start);
}

bool bib_venue_is_preprint(const char *venue)
{
    static const char *const servers[] = {
        "arxiv", "biorxiv", "chemrxiv", "corr", "eprint", "medrxiv", "preprint", "preprints",
        "psyarxiv", "ssrn", "techrxiv",
    };
    char buf[TEXT_MAX];
    struct wr_text text = WR_TEXT(buf);
    bib_fold_words(&text, venue, strlen(venue));
    for (const char *at = buf; *at;) {
        size_t len = strcspn(at, " ");
        struct word word = { at, len };
        if (IS_IN(word, servers))
            return true;
        at += len + (at[len] == ' ');
    }
    return strcmp(buf, "research square") == 0;
}

bool bib_venue_lacks_dois(const char *venue)
{
    struct venue parts;
    take_apart(&parts, venue);
    return parts.known_count == 1 && (parts.flags & VENUE_NO_DOI) && !parts.workshop;
}

/* ---- comparing */

static bool share_known(const struct venue *a, const struct venue *b)
{
    for (size_t i = 0; i < a->known_count; i++)
        for (size_t j = 0; j < b->known_count; j++)
            if (a->known[i] == b->known[j] && venue_table[a->known[i]].flags != VENUE_SERIES)
                return true;
    return false;
}

static bool is_known(const struct venue *venue)
{
    return (venue->flags & ~(unsigned)VENUE_SERIES) != 0;
}

/* The segment that names one of them against every segment of the other. */
static bool any_segment(const struct venue *a, const struct venue *b,
                        bool (*same)(const struct segment *, const struct segment *))
{
    for (size_t j = 0; j < b->count; j++)
        if (same(&a->segments[0], &b->segments[j]))
            return true;
    for (size_t i = 1; i < a->count; i++)
        if (same(&a->segments[i], &b->segments[0]))
            return true;
    return false;
}

/* An acronym in both: whether it is called a workshop does not matter. */
static bool segments_equal(const struct segment *a, const struct segment *b)
{
    return a->content_count == 1 && b->content_count == 1 && a->content[0].len >= 3 &&
           equal(a->content[0], b->content[0].at, b->content[0].len);
}

static bool segments_agree(const struct segment *a, const struct segment *b)
{
    return rows_agree(a->content, a->content_count, b->content, b->content_count);
}

/* Initials that the table knows mean what it says, whatever else they spell. */
static bool one_spells(const struct venue *a, const struct venue *b)
{
    return (!is_known(a) && any_segment(a, b, is_acronym_of)) ||
           (!is_known(b) && any_segment(b, a, is_acronym_of));
}

/* How many words of the first segment of `a` stand in that of `b`. */
static size_t words_in(const struct venue *a, const struct venue *b)
{
    const struct segment *x = &a->segments[0], *y = &b->segments[0];
    size_t shared = 0;
    for (size_t i = 0; i < x->content_count; i++)
        for (size_t j = 0; j < y->content_count; j++)
            if (stands_for(x->content[i], y->content[j])) {
                shared++;
                break;
            }
    return shared;
}

/* "Machine" and "Mach" of one may both stand for one word of the other: the most of both ways
 * round is the same both ways round. */
static size_t shared_words(const struct venue *a, const struct venue *b)
{
    size_t there = words_in(a, b), back = words_in(b, a);
    return there > back ? there : back;
}

static bool is_lone_acronym(const struct venue *venue)
{
    const struct segment *first = &venue->segments[0];
    return first->content_count == 1 && first->content[0].len <= 8;
}

static enum bib_venue_match not_the_same(const struct venue *a, const struct venue *b)
{
    bool a_known = is_known(a), b_known = is_known(b);
    if (a_known && b_known)
        return BIB_VENUE_DIFFERENT;
    if ((!a_known && (a->flags & VENUE_SERIES)) || (!b_known && (b->flags & VENUE_SERIES)))
        return BIB_VENUE_UNSURE;
    size_t a_count = a->segments[0].content_count, b_count = b->segments[0].content_count;
    if (a_known != b_known) {
        const struct venue *other = a_known ? b : a, *known = a_known ? a : b;
        size_t count = a_known ? b_count : a_count;
        return count > 1 && words_in(other, known) == count ? BIB_VENUE_UNSURE
                                                                : BIB_VENUE_DIFFERENT;
    }
    if (is_lone_acronym(a) || is_lone_acronym(b))
        return a_count == 1 && b_count == 1 ? BIB_VENUE_DIFFERENT : BIB_VENUE_UNSURE;
    size_t few = a_count < b_count ? a_count : b_count;
    return shared_words(a, b) * 2 >= few ? BIB_VENUE_UNSURE : BIB_VENUE_DIFFERENT;
}

enum bib_venue_match bib_venue_compare(const char *a, const char *b)
{
    struct venue x, y;
    if (strcmp(a, b) == 0)
        return BIB_VENUE_SAME;
    take_apart(&x, a);
    take_apart(&y, b);
    if (x.count == 0 || y.count == 0)
        return BIB_VENUE_UNSURE;
    bool same_kind = x.workshop == y.workshop && x.findings == y.findings;
    if (same_kind && (share_known(&x, &y) || any_segment(&x, &y, segments_agree)))
        return BIB_VENUE_SAME;
    if (one_spells(&x, &y))
        return BIB_VENUE_SAME;
    if (!is_known(&x) && !is_known(&y) && any_segment(&x, &y, segments_equal))
        return BIB_VENUE_SAME;
    if (!same_kind && any_segment(&x, &y, segments_agree))
        return BIB_VENUE_DIFFERENT;
    return not_the_same(&x, &y);
}
