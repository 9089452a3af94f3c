/* author.c - reading names. */
#include "biblio/author.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "biblio/fold.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define TOKENS_MAX 16
#define NAME_MAX 256                /* bytes of one name worth reading */

/* A word of a name, in the text of it. */
struct token {
    const char *at;
    size_t len;
};

static bool is_one_of(struct token token, const char *const *list, size_t count)
{
    while (token.len > 0 && token.at[token.len - 1] == '.')
        token.len--;
    for (size_t i = 0; i < count && token.len > 0; i++)
        if ((token.at[0] | 32) == (list[i][0] | 32) && strlen(list[i]) == token.len &&
            strncasecmp(list[i], token.at, token.len) == 0)
            return true;
    return false;
}

static const char *const suffixes[] = { "jr", "sr", "ii", "iii", "iv", "2nd", "3rd" };

static const char *const particles[] = {
    "van", "von", "der", "den", "de", "del", "della", "dell", "delle", "di", "da", "das",
    "do", "dos", "du", "des", "la", "le", "las", "los", "lo", "al", "el", "bin", "ben", "ibn",
    "ter", "ten", "te", "zu", "zum", "zur", "af", "av", "vom", "vander", "vanden", "y", "e",
    "'t", "st", "san", "d'", "dal", "dalla", "degli", "mac",
};

static bool is_particle(struct token token)
{
    bool small = token.len > 0 && (islower((unsigned char)token.at[0]) || token.at[0] == '\'');
    return small && is_one_of(token, particles, COUNT(particles));
}

/* The number by which DBLP tells namesakes apart. */
static bool is_number(struct token token)
{
    for (size_t i = 0; i < token.len; i++)
        if (!isdigit((unsigned char)token.at[i]))
            return false;
    return token.len == 4;
}

/* "J.", "J.-P.", "JQ", "J": capitals alone, no more than three. */
static bool is_initials(struct token token)
{
    size_t capitals = 0;
    for (size_t i = 0; i < token.len; i++) {
        unsigned char c = (unsigned char)token.at[i];
        if (isupper(c))
            capitals++;
        else if (c != '.' && c != '-')
            return false;
    }
    return capitals > 0 && capitals <= 3;
}

static bool has_letter(struct token token)
{
    for (size_t i = 0; i < token.len; i++)
        if (isalpha((unsigned char)token.at[i]) || (unsigned char)token.at[i] >= 0x80)
            return true;
    return false;
}

static size_t split(struct token *ret, const char *text, size_t len)
{
    size_t count = 0;
    for (size_t at = 0; at < len && count < TOKENS_MAX;) {
        if (isspace((unsigned char)text[at]) || text[at] == '~') {
            at++;
            continue;
        }
        size_t end = at;
        while (end < len && !isspace((unsigned char)text[end]) && text[end] != '~')
            end++;
        ret[count++] = (struct token){ text + at, end - at };
        at = end;
    }
    return count;
}

static const char *join(struct wr_arena *arena, const struct token *tokens, size_t count)
{
    char buf[NAME_MAX + TOKENS_MAX];
    struct wr_text text = WR_TEXT(buf);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            wr_text_str(&text, " ");
        wr_text_bytes(&text, tokens[i].at, tokens[i].len);
    }
    while (text.len > 0 && strchr(",;", text.at[text.len - 1]))
        wr_text_rewind(&text, text.len - 1);
    return text.len ? wr_arena_copy(arena, text.at, text.len) : NULL;
}

/* Take suffixes and numbers from the end; those in a part of their own leave nothing. */
static size_t without_tail(const struct token *tokens, size_t count)
{
    while (count > 0 && (is_number(tokens[count - 1]) ||
                         is_one_of(tokens[count - 1], suffixes, COUNT(suffixes))))
        count--;
    return count;
}

static const char *const group_words[] = {
    "team", "group", "consortium", "collaboration", "organization", "organisation",
    "institute", "university", "committee", "commission", "inc", "ltd", "llc", "gmbh",
    "corporation", "company", "research", "lab", "labs", "laboratory", "foundation",
    "association", "agency", "department", "ministry", "council", "society", "authors",
    "contributors", "project", "community", "office", "bureau", "bank", "center", "centre",
    "network", "alliance", "initiative", "union", "government", "administration", "academy",
    "investigators", "developers", "press", "openai", "google", "deepmind", "meta", "microsoft",
    "anthropic", "nist", "ieee", "acm", "who", "unesco", "oecd", "nasa", "ibm", "nvidia",
    "apple", "amazon", "facebook", "huggingface", "w3c", "ietf", "iso", "itu", "etsi",
};

static bool is_group(const struct token *tokens, size_t count)
{
    if (count > 1 && is_one_of(tokens[0], (const char *const[]){ "the" }, 1))
        return true;
    for (size_t i = count > 1 ? 1 : 0; i < count; i++)
        if (is_one_of(tokens[i], group_words, COUNT(group_words)))
            return true;
    return false;
}

/* "Jan van der Berg", "Berg JQ", "Koch S von". */
static void read_straight(struct bib_name *ret, const struct token *tokens, size_t count,
                          struct wr_arena *arena)
{
    size_t family = count - 1;          /* where it begins */
    if (count == 1 || is_group(tokens, count)) {
        *ret = (struct bib_name){ .family = join(arena, tokens, count) };
        return;
    }
    struct token last = tokens[count - 1];
    bool turned = is_initials(last) && !memchr(last.at, '.', last.len) &&
                  (!is_initials(tokens[0]) || (last.len == 1 && tokens[0].len > 1 &&
                                               !memchr(tokens[0].at, '.', tokens[0].len)));
    if (turned) {
        *ret = (struct bib_name){ .family = join(arena, tokens, count - 1),
                                  .given = join(arena, &tokens[count - 1], 1) };
        return;
    }
    for (size_t i = 1; i + 1 < count; i++)
        if (is_particle(tokens[i])) {
            family = i;
            break;
        }
    if (is_particle(tokens[0]))
        family = 0;
    *ret = (struct bib_name){ .family = join(arena, tokens + family, count - family),
                              .given = family ? join(arena, tokens, family) : NULL };
}

bool bib_author_parse(struct bib_name *ret, const char *text, size_t len,
                      struct wr_arena *arena)
{
    struct token tokens[TOKENS_MAX], given[TOKENS_MAX];
    len = len < NAME_MAX ? len : NAME_MAX;
    *ret = (struct bib_name){ 0 };
    if (!has_letter((struct token){ text, len }))
        return false;
    const char *comma = memchr(text, ',', len);
    if (!comma) {
        size_t count = without_tail(tokens, split(tokens, text, len));
        if (count == 0)
            return false;
        read_straight(ret, tokens, count, arena);
        return ret->family != NULL;
    }
    /* "Berg, Jan", "Berg, Jr., Jan", "Berg, Jan, Jr.", "Berg, Jr." */
    size_t family = without_tail(tokens, split(tokens, text, (size_t)(comma - text)));
    const char *rest = comma + 1, *end = text + len;
    size_t count = 0;
    while (rest < end && count == 0) {
        const char *next = memchr(rest, ',', (size_t)(end - rest));
        size_t part = (size_t)((next ? next : end) - rest);
        count = without_tail(given, split(given, rest, part));
        rest += part + 1;
    }
    if (family == 0)
        return false;
    if (count == 0) {
        read_straight(ret, tokens, family, arena);
        return ret->family != NULL;
    }
    *ret = (struct bib_name){ .family = join(arena, tokens, family),
                              .given = join(arena, given, count) };
    return ret->family != NULL;
}

static const char *const more_words[] = { "others", "et al", "al", "et alii", "u. a" };

static bool is_more(const char *text, size_t len)
{
    while (len > 0 && isspace((unsigned char)text[0])) {
        text++;
        len--;
    }
    while (len > 0 && (isspace((unsigned char)text[len - 1]) || text[len - 1] == ','))
        len--;
    return is_one_of((struct token){ text, len }, more_words, COUNT(more_words));
}

/* "Ken&apos;ichi" is one name. */
static bool ends_entity(const char *text, size_t at)
{
    size_t start = at;
    while (start > 0 && at - start < 8 &&
           (isalnum((unsigned char)text[start - 1]) || text[start - 1] == '#'))
        start--;
    return start > 0 && at - start >= 2 && text[start - 1] == '&';
}

/* Where the name ends that begins at `text`, and how long what parts it from the next is. */
static size_t name_end(const char *text, size_t *gap)
{
    for (size_t i = 0; text[i]; i++) {
        if (text[i] == ';' && !ends_entity(text, i)) {
            *gap = 1;
            return i;
        }
        if (isspace((unsigned char)text[i]) && strncasecmp(text + i + 1, "and", 3) == 0 &&
            isspace((unsigned char)text[i + 4])) {
            *gap = 5;
            return i;
        }
    }
    *gap = 0;
    return strlen(text);
}

static void add_name(struct bib_work *ret, struct bib_name *names, const char *text,
                     size_t len, struct wr_arena *arena)
{
    /* "A. Smith et al." */
    if (len > 6 && is_more(text + len - 6, 6)) {
        ret->et_al = true;
        len -= 6;
    } else if (len > 7 && is_more(text + len - 7, 7)) {
        ret->et_al = true;
        len -= 7;
    }
    if (ret->author_count == BIB_AUTHORS_MAX)
        ret->et_al = true;
    else if (bib_author_parse(&names[ret->author_count], text, len, arena))
        ret->author_count++;
}

void bib_author_list(struct bib_work *ret, const char *text, struct wr_arena *arena)
{
    size_t count = 1, gap = 0;
    for (const char *at = text; *at; count++) {
        at += name_end(at, &gap);
        at += gap;
    }
    count = count < BIB_AUTHORS_MAX ? count : BIB_AUTHORS_MAX;
    struct bib_name *names = wr_arena_alloc(arena, count * sizeof(*names));
    ret->author_count = 0;
    ret->et_al = false;
    for (const char *at = text; *at && names;) {
        size_t len = name_end(at, &gap);
        if (is_more(at, len))
            ret->et_al = true;
        else
            add_name(ret, names, at, len, arena);
        at += len + gap;
    }
    ret->authors = ret->author_count ? names : NULL;
}

/* ---- who is meant */

bool bib_author_is_group(const struct bib_name *name)
{
    struct token tokens[TOKENS_MAX];
    size_t count = name->given ? 0 : split(tokens, name->family, strlen(name->family));
    return count > 0 && is_group(tokens, count);
}

/* As folded words, given name first. */
static const char *const placeholders[] = {
    "anonymous", "anon", "unknown", "na", "n a", "none", "nobody", "author", "authors",
    "anonymous author", "anonymous authors", "unknown author", "unknown authors",
    "first author", "second author", "third author", "author one", "author two",
    "author three", "author name", "author a", "author b", "a author", "b author", "c author",
    "john doe", "jane doe", "j doe", "firstname lastname", "first last", "first name",
    "last name", "your name", "name surname", "test author", "lorem ipsum", "tbd", "tba",
    "todo", "foo bar", "various", "various authors",
};

bool bib_author_is_placeholder(const struct bib_name *name)
{
    char buf[NAME_MAX];
    struct wr_text words = WR_TEXT(buf);
    if (name->given) {
        bib_fold_words(&words, name->given, strlen(name->given));
        wr_text_str(&words, " ");
    }
    bib_fold_words(&words, name->family, strlen(name->family));
    if (words.len == 0)
        return true;                /* dashes */
    for (size_t i = 0; i < COUNT(placeholders); i++)
        if (strcmp(placeholders[i], buf) == 0)
            return true;
    return false;
}
