/* author_match.c - whether two names, or two lists of them, mean the same people. */
#include <ctype.h>
#include <string.h>

#include "biblio/author.h"
#include "biblio/fold.h"
#include "biblio/ratio.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define PART_MAX 96             /* bytes of a folded part of a name */
#define WORDS_MAX 12

/* A part of a name, folded: its words, and its letters without the spaces. */
struct part {
    char text[PART_MAX], letters[PART_MAX];
    const char *words[WORDS_MAX];
    size_t lens[WORDS_MAX], count, len;
    bool capitals;              /* written in capitals alone: "JK" is J. K. */
};

struct spelled { struct part family, given; };

static void fold_part(struct part *ret, const char *text)
{
    struct wr_text words = WR_TEXT(ret->text);
    ret->count = ret->len = 0;
    ret->capitals = text != NULL;
    if (text) {
        bib_fold_words(&words, text, strlen(text));
        for (const char *c = text; *c && ret->capitals; c++)
            ret->capitals = isupper((unsigned char)*c) || *c == '.' || *c == ' ' || *c == '-' ||
                            (unsigned char)*c >= 0x80;
    }
    for (char *at = ret->text; *at;) {
        size_t len = strcspn(at, " ");
        if (ret->count < WORDS_MAX) {
            ret->words[ret->count] = at;
            ret->lens[ret->count++] = len;
        }
        memcpy(ret->letters + ret->len, at, len);
        ret->len += len;
        at += len + (at[len] == ' ');
    }
    ret->letters[ret->len] = '\0';
}

/* "Daumé III" is "Daumé": some records keep a suffix with the surname, and it tells nobody
 * apart whose surname is the same. */
static void drop_suffix(struct part *family)
{
    static const char *const suffixes[] = { "jr", "sr", "ii", "iii", "iv", "2nd", "3rd" };
    size_t last = family->count - 1;
    if (family->count < 2 || family->count == WORDS_MAX)
        return;
    for (size_t i = 0; i < COUNT(suffixes); i++)
        if (family->lens[last] == strlen(suffixes[i]) &&
            memcmp(family->words[last], suffixes[i], family->lens[last]) == 0) {
            family->count = last;
            family->len -= family->lens[last];
            family->letters[family->len] = '\0';
            return;
        }
}

static void spell(struct spelled *ret, const struct bib_name *name)
{
    fold_part(&ret->family, name->family);
    fold_part(&ret->given, name->given);
    drop_suffix(&ret->family);
}

static bool equal(const char *a, size_t a_len, const char *b, size_t b_len)
{
    return a_len == b_len && memcmp(a, b, a_len) == 0;
}

static bool same_letters(const struct part *a, const struct part *b)
{
    return equal(a->letters, a->len, b->letters, b->len);
}

/* Short forms of given names; the long form follows. */
static const char *const short_forms[][2] = {
    { "abe", "abraham" }, { "al", "albert" }, { "alex", "alexander" }, { "alex", "alexandra" },
    { "alex", "alexandre" }, { "alex", "alexey" }, { "andy", "andrew" }, { "art", "arthur" },
    { "ben", "benjamin" }, { "bernie", "bernard" }, { "beth", "elizabeth" },
    { "bill", "william" }, { "bob", "robert" }, { "cathy", "catherine" },
    { "charlie", "charles" }, { "chris", "christian" }, { "chris", "christopher" },
    { "chuck", "charles" }, { "dan", "daniel" }, { "danny", "daniel" }, { "dave", "david" },
    { "deb", "deborah" }, { "dick", "richard" }, { "don", "donald" }, { "doug", "douglas" },
    { "ed", "edward" }, { "eddie", "edward" }, { "fred", "frederick" }, { "gabe", "gabriel" },
    { "geoff", "geoffrey" }, { "greg", "gregory" }, { "hank", "henry" }, { "harry", "harold" },
    { "jake", "jacob" }, { "jeff", "jeffrey" }, { "jen", "jennifer" },
    { "jenny", "jennifer" }, { "jerry", "gerald" }, { "jim", "james" }, { "jimmy", "james" },
    { "joe", "joseph" }, { "jon", "jonathan" }, { "josh", "joshua" }, { "kate", "katherine" },
    { "kathy", "katherine" }, { "ken", "kenneth" }, { "larry", "lawrence" },
    { "liz", "elizabeth" }, { "matt", "matthew" }, { "max", "maximilian" },
    { "mike", "michael" }, { "mitch", "mitchell" }, { "nate", "nathaniel" },
    { "nick", "nicholas" }, { "nick", "nicolas" }, { "pam", "pamela" }, { "pat", "patrick" },
    { "pete", "peter" }, { "phil", "philip" }, { "phil", "phillip" }, { "ray", "raymond" },
    { "rich", "richard" }, { "rick", "richard" }, { "rob", "robert" }, { "ron", "ronald" },
    { "russ", "russell" }, { "sam", "samuel" }, { "sandy", "alexander" }, { "serge", "sergey" },
    { "stan", "stanley" }, { "steve", "stephen" }, { "steve", "steven" }, { "sue", "susan" },
    { "ted", "edward" }, { "ted", "theodore" }, { "tim", "timothy" }, { "tom", "thomas" },
    { "tony", "anthony" }, { "vic", "victor" }, { "vince", "vincent" }, { "walt", "walter" },
    { "will", "william" }, { "zach", "zachary" }, { "zack", "zachary" },
};

static bool is_short_form(const char *a, size_t a_len, const char *b, size_t b_len)
{
    for (size_t i = 0; i < COUNT(short_forms); i++)
        if (a[0] == short_forms[i][0][0] &&
            equal(a, a_len, short_forms[i][0], strlen(short_forms[i][0])) &&
            equal(b, b_len, short_forms[i][1], strlen(short_forms[i][1])))
            return true;
    return false;
}

static bool words_fit(const struct part *a, size_t i, const struct part *b, size_t j)
{
    const char *x = a->words[i], *y = b->words[j];
    size_t x_len = a->lens[i], y_len = b->lens[j];
    if (x_len == 1 || y_len == 1)
        return x[0] == y[0];
    return equal(x, x_len, y, y_len) || is_short_form(x, x_len, y, y_len) ||
           is_short_form(y, y_len, x, x_len);
}

/* "JK" for "John K.": the letters begin the words, in their order. */
static bool initials_fit(const struct part *initials, const struct part *full)
{
    size_t at = 0;
    for (size_t i = 0; i < full->count && at < initials->len; i++)
        at += full->words[i][0] == initials->letters[at];
    return at == initials->len || (at > 0 && full->count == 1);
}

/* Every word of the shorter stands for one of the longer, in their order. */
static bool givens_fit(const struct part *a, const struct part *b)
{
    if (a->count == 0 || b->count == 0 || same_letters(a, b))
        return true;
    const struct part *few = a->count <= b->count ? a : b, *many = few == a ? b : a;
    size_t at = 0;
    for (size_t j = 0; j < many->count && at < few->count; j++)
        at += words_fit(few, at, many, j);
    if (at == few->count)
        return true;
    /* "Sc" for "Sieh-chuen": a letter for each word. */
    bool each = (few->count == 1 && few->len == many->count && few->len > 1);
    if (each && initials_fit(few, many))
        return true;
    return (a->capitals && a->count == 1 && a->len <= 3 && initials_fit(a, b)) ||
           (b->capitals && b->count == 1 && b->len <= 3 && initials_fit(b, a));
}

/* "Muller" is written for "Mueller", and the other way round. */
static size_t without_umlauts(char *ret, const struct part *part)
{
    size_t len = 0;
    for (size_t i = 0; i < part->len; i++) {
        char c = part->letters[i];
        ret[len++] = c;
        if ((c == 'a' || c == 'o' || c == 'u') && part->letters[i + 1] == 'e')
            i++;
    }
    return len;
}

/* "Gagnon-Audet" and "Audet", "van der Maaten" and "Maaten". */
static bool is_end_of(const struct part *part, const struct part *whole)
{
    if (part->count == 0 || part->count >= whole->count || part->len < 3)
        return false;
    size_t skip = whole->count - part->count;
    for (size_t i = 0; i < part->count; i++)
        if (!equal(part->words[i], part->lens[i], whole->words[skip + i],
                   whole->lens[skip + i]))
            return false;
    return true;
}

static bool families_fit(const struct part *a, const struct part *b)
{
    if (same_letters(a, b) || is_end_of(a, b) || is_end_of(b, a))
        return true;
    char x[PART_MAX], y[PART_MAX];
    size_t x_len = without_umlauts(x, a), y_len = without_umlauts(y, b);
    return equal(x, x_len, y, y_len);
}

/* The same words in any order: "Ekparinya Parinya". */
static bool same_words(const struct spelled *a, const struct spelled *b)
{
    const struct part *parts[2][2] = { { &a->given, &a->family }, { &b->given, &b->family } };
    if (a->given.len + a->family.len != b->given.len + b->family.len ||
        a->given.count + a->family.count != b->given.count + b->family.count)
        return false;
    unsigned taken = 0;
    for (size_t p = 0; p < 2; p++)
        for (size_t i = 0; i < parts[0][p]->count; i++) {
            size_t bit = 0;
            bool found = false;
            for (size_t q = 0; q < 2 && !found; q++)
                for (size_t j = 0; j < parts[1][q]->count && !found; j++, bit++)
                    if (!(taken >> bit & 1) &&
                        equal(parts[0][p]->words[i], parts[0][p]->lens[i],
                              parts[1][q]->words[j], parts[1][q]->lens[j])) {
                        taken |= 1u << bit;
                        found = true;
                    }
            if (!found)
                return false;
        }
    return true;
}

/* "P. K R" for "Prajwal K R": which of the words are the surname is not said.  All of them
 * fit in their order, and they are enough to mean somebody. */
static bool words_in_order(const struct spelled *a, const struct spelled *b)
{
    const struct part *x[2] = { &a->given, &a->family }, *y[2] = { &b->given, &b->family };
    size_t count = x[0]->count + x[1]->count;
    if (count < 3 || count != y[0]->count + y[1]->count)
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t p = i >= x[0]->count, q = i >= y[0]->count;
        if (!words_fit(x[p], i - p * x[0]->count, y[q], i - q * y[0]->count))
            return false;
    }
    return true;
}

/* "Wang Wei" is written for "Wei Wang"; each part must be a name, not an initial. */
static bool turned(const struct spelled *a, const struct spelled *b)
{
    return a->given.len > 1 && b->given.len > 1 && same_letters(&a->given, &b->family) &&
           givens_fit(&a->family, &b->given);
}

static unsigned part_slips(const struct part *a, const struct part *b)
{
    return bib_slips(a->letters, a->len, b->letters, b->len, 2);
}

/* Wrong by so little that it is the typist's doing. */
static bool is_slip(const struct spelled *a, const struct spelled *b)
{
    size_t family = a->family.len < b->family.len ? a->family.len : b->family.len;
    size_t given = a->given.len < b->given.len ? a->given.len : b->given.len;
    unsigned families = part_slips(&a->family, &b->family);
    unsigned givens = part_slips(&a->given, &b->given);
    bool fit = givens_fit(&a->given, &b->given);
    if (fit && families <= (family >= 9 ? 2 : 1) && family >= 4)
        return true;
    if (families == 0 && (given == 1 || (givens == 1 && given >= 4) ||
                          (givens == 2 && given >= 9)))
        return true;
    return families + givens <= (family + given >= 14 ? 2 : 1) && family + given >= 7;
}

enum bib_name_match bib_author_compare(const struct bib_name *a, const struct bib_name *b)
{
    /* Most names that agree are the same bytes. */
    if (a->given && b->given && a->family[0] && strcmp(a->family, b->family) == 0 &&
        strcmp(a->given, b->given) == 0)
        return BIB_NAME_SAME;
    struct spelled x, y;
    spell(&x, a);
    spell(&y, b);
    bool family = same_letters(&x.family, &y.family);
    if ((family && same_letters(&x.given, &y.given)) || same_words(&x, &y))
        return x.family.len + x.given.len ? BIB_NAME_SAME : BIB_NAME_DIFFERENT;
    if ((family || families_fit(&x.family, &y.family)) && givens_fit(&x.given, &y.given))
        return BIB_NAME_COMPATIBLE;
    if (turned(&x, &y) || turned(&y, &x) || words_in_order(&x, &y))
        return BIB_NAME_COMPATIBLE;
    return is_slip(&x, &y) ? BIB_NAME_SLIP : BIB_NAME_DIFFERENT;
}

/* ---- lists */

#define LOST_MAX 8      /* after so many phantoms the rest is not looked for */

struct matching {
    const struct bib_work *found;
    uint32_t count;             /* of the found ones that are looked at */
    uint32_t next;              /* where the next one is expected */
    uint64_t taken[BIB_AUTHORS_MAX / 64];
};

static bool is_taken(const struct matching *matching, uint32_t j)
{
    return matching->taken[j / 64] >> j % 64 & 1;
}

/* The one that is meant: the expected one, else any other; a slip only where expected. */
static bool find_name(struct matching *matching, const struct bib_name *name, uint32_t *at,
                      bool *slip)
{
    bool near = false;
    *slip = false;
    for (uint32_t i = 0; i < matching->count; i++) {
        uint32_t j = (matching->next + i) % matching->count;    /* at the end, from the start */
        if (is_taken(matching, j))
            continue;
        enum bib_name_match match = bib_author_compare(name, &matching->found->authors[j]);
        if (match <= BIB_NAME_COMPATIBLE) {
            *at = j;
            return true;
        }
        near = near || (j == matching->next && match == BIB_NAME_SLIP);
    }
    *slip = near;
    *at = matching->next;
    return near;
}

struct bib_authors_match bib_author_match(const struct bib_work *cited,
                                          const struct bib_work *found)
{
    struct matching matching = { .found = found, .count = found->author_count };
    if (matching.count > BIB_AUTHORS_MAX)
        matching.count = BIB_AUTHORS_MAX;
    uint32_t count = cited->author_count < BIB_AUTHORS_MAX ? cited->author_count
                                                           : BIB_AUTHORS_MAX;
    struct bib_authors_match ret = { .ordered = true };
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = 0;
        bool slip = false;
        if (ret.phantoms >= LOST_MAX || matching.count == 0 ||
            !find_name(&matching, &cited->authors[i], &at, &slip)) {
            ret.phantoms++;
            continue;
        }
        ret.ordered = ret.ordered && at >= matching.next && (i > 0 || at == 0);
        ret.slips += slip;
        ret.matched++;
        matching.taken[at / 64] |= 1ull << at % 64;
        matching.next = at + 1;
    }
    ret.missing = matching.count - ret.matched;
    return ret;
}

/* ---- lists whose names were cut in other places */

#define ROW_MAX 2048            /* bytes of all names; longer lists are not tried */

/* A name that is no more than letters: "Q. Nguyen, C." was cut at its comma, and is one. */
static bool is_letters(const struct bib_name *name)
{
    struct part family;
    bool one = false;
    fold_part(&family, name->family);
    for (size_t i = 0; i < family.count; i++)
        one = one || family.lens[i] == 1;
    return one || family.len < 3;
}

static void add_words(struct wr_text *row, const char *name)
{
    wr_text_str(row, " ");
    if (name)
        bib_fold_words(row, name, strlen(name));
}

/* Take the first word out of a row that is this one, or begins with this letter. */
static bool take_word(char *row, const char *word, size_t len)
{
    for (char *at = row; *(at += strspn(at, " "));) {
        size_t size = strcspn(at, " ");
        if (memcmp(at, word, len < size ? len : size) == 0 && (size == len || len == 1)) {
            memset(at, ' ', size);
            return true;
        }
        at += size;
    }
    return false;
}

/* A word that is cited is one of the given names, or their initials in a row. */
static bool take_given(char *givens, const char *word, size_t len)
{
    if (take_word(givens, word, len))
        return true;
    for (size_t i = 0; i < len; i++)
        if (len > 3 || !take_word(givens, word + i, 1))
            return false;
    return true;
}

/* Whether they are the same words, whichever name each belongs to: every surname is cited, and
 * what else is cited is given names and initials. */
static bool same_row(const struct bib_work *cited, const struct bib_work *found)
{
    char cited_row[ROW_MAX], families[ROW_MAX], givens[ROW_MAX];
    struct wr_text all = WR_TEXT(cited_row), family = WR_TEXT(families);
    struct wr_text given = WR_TEXT(givens);
    for (uint32_t i = 0; i < cited->author_count; i++) {
        add_words(&all, cited->authors[i].family);
        add_words(&all, cited->authors[i].given);
    }
    for (uint32_t i = 0; i < found->author_count; i++) {
        add_words(&family, found->authors[i].family);
        add_words(&given, found->authors[i].given);
    }
    if (all.cut || family.cut || given.cut)
        return false;
    for (const char *at = families; *(at += strspn(at, " "));) {
        size_t len = strcspn(at, " ");
        if (!take_word(cited_row, at, len))
            return false;
        at += len;
    }
    for (const char *at = cited_row; *(at += strspn(at, " "));) {
        size_t len = strcspn(at, " ");
        if (!take_given(givens, at, len))
            return false;
        at += len;
    }
    return true;
}

static bool cut_otherwise(const struct bib_work *cited, const struct bib_work *found)
{
    bool odd = false;
    for (uint32_t i = 0; i < cited->author_count && !odd; i++)
        odd = is_letters(&cited->authors[i]);
    return odd && !cited->et_al && !found->et_al && found->author_count > 0 &&
           same_row(cited, found);
}

bool bib_author_agree(const struct bib_work *cited, const struct bib_work *found, bool partial)
{
    struct bib_authors_match match = bib_author_match(cited, found);
    if ((match.phantoms > 0 || match.missing > 0 || !match.ordered) &&
        cut_otherwise(cited, found))
        return true;
    if (!match.ordered || match.slips > 1 + match.matched / 4)
        return false;
    if (match.missing > 0 && !cited->et_al)
        return false;
    if (match.phantoms == 0)
        return match.matched > 0;
    if (found->et_al && match.missing == 0)
        return true;
    return partial && match.matched > 0 &&
           (match.phantoms < 3 || match.phantoms * 4 <= cited->author_count);
}
