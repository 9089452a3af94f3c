/* bibtex_name.c - the names in an author field: parted while they are TeX, since braces decide
 * what belongs together, and read afterwards. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <utf8proc.h>

#include "biblio/bibtex_name.h"
#include "biblio/latex.h"

struct span { const char *at; size_t len; };

#define PARTS_MAX 256               /* commas and words of one name */

/* A tilde is a space, unless it is the accent. */
static bool is_space(const char *begin, const char *at)
{
    return *at == ' ' || (*at >= '\t' && *at <= '\r')
        || (*at == '~' && (at == begin || at[-1] != '\\'));
}

static struct span trimmed(const char *at, const char *end)
{
    while (at < end && is_space(at, at))
        at++;
    while (at < end && is_space(at, end - 1))
        end--;
    return (struct span){ at, (size_t)(end - at) };
}

static bool is_word(struct span span, const char *word)
{
    return span.len == strlen(word) && strncasecmp(span.at, word, span.len) == 0;
}

static bool is_one_of(struct span span, const char *const *words)
{
    for (; *words; words++)
        if (is_word(span, *words))
            return true;
    return false;
}

static bool is_suffix(struct span span)
{
    static const char *const suffixes[] = { "jr", "jr.", "sr", "sr.", "ii", "iii", "iv", NULL };
    return is_one_of(span, suffixes);
}

/* The next piece of a text up to a sign outside of braces; *rest is what follows.  A space
 * stands for all of them. */
static struct span next_piece(struct span *rest, char sign)
{
    size_t depth = 0;
    const char *at = rest->at, *end = rest->at + rest->len;
    for (; at < end; at++) {
        if (*at == '{')
            depth++;
        else if (*at == '}' && depth > 0)
            depth--;
        else if (depth == 0 && (*at == sign || (sign == ' ' && is_space(rest->at, at))))
            break;
    }
    struct span piece = trimmed(rest->at, at);
    const char *behind = at < end ? at + 1 : end;
    *rest = (struct span){ behind, (size_t)(end - behind) };
    return piece;
}

/* All pieces that are not empty, at most `max`. */
static size_t pieces(struct span text, char sign, struct span *ret, size_t max)
{
    size_t count = 0;
    while (text.len > 0 && count < max) {
        struct span piece = next_piece(&text, sign);
        if (piece.len > 0)
            ret[count++] = piece;
    }
    return count;
}

static size_t word_count(struct span text)
{
    struct span some[3];
    return pieces(text, ' ', some, 3);
}

/* ---- one name ---- */

struct list {
    struct wr_arena *arena;
    struct bib_name *names;
    size_t count, room;
    bool more;
};

static const char *read_tex(struct list *list, struct span span)
{
    const char *text = span.len ? bib_latex(list->arena, span.at, span.len) : NULL;
    return text && *text ? text : NULL;
}

static void add(struct list *list, struct span family, struct span given)
{
    if (list->count == BIBTEX_NAMES_MAX) {
        list->more = true;
        return;
    }
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 8;
        void *more = wr_arena_grow(list->arena, list->names, list->count, room,
                                   sizeof(list->names[0]));
        if (!more)
            return;
        list->names = more;
        list->room = room;
    }
    struct bib_name name = { read_tex(list, family), read_tex(list, given) };
    if (!name.family) {
        name.family = name.given;
        name.given = NULL;
    }
    if (name.family)
        list->names[list->count++] = name;
}

/* Of a word in braces nothing is known; of an accented letter TeX must be read first. */
static bool begins_small(struct list *list, struct span word)
{
    if (word.at[0] == '{' && (word.len < 2 || word.at[1] != '\\'))
        return false;
    const char *text = read_tex(list, word);
    utf8proc_int32_t code = 0;
    return text && utf8proc_iterate((const utf8proc_uint8_t *)text, -1, &code) > 0
        && utf8proc_category(code) == UTF8PROC_CATEGORY_LL;
}

static struct span from_to(struct span first, struct span last)
{
    return (struct span){ first.at, (size_t)(last.at + last.len - first.at) };
}

/* Numbers with which DBLP tells namesakes apart. */
static bool is_number(struct span word)
{
    size_t digits = 0;
    while (digits < word.len && word.at[digits] >= '0' && word.at[digits] <= '9')
        digits++;
    return word.len == 4 && digits == 4;
}

/* "Ludwig van Beethoven": the family begins with the first small word, else it is the last. */
static void add_in_order(struct list *list, struct span text)
{
    struct span words[PARTS_MAX];
    size_t count = pieces(text, ' ', words, PARTS_MAX);
    while (count > 1 && (is_number(words[count - 1])
                         || (count > 2 && is_suffix(words[count - 1]))))
        count--;
    if (count == 0)
        return;
    size_t family = count - 1;
    for (size_t i = 0; i < count - 1; i++) {
        if (begins_small(list, words[i])) {
            family = i;
            break;
        }
    }
    struct span given = { 0 };
    if (family > 0)
        given = from_to(words[0], words[family - 1]);
    add(list, from_to(words[family], words[count - 1]), given);
}

/* "family=Beethoven, given=Ludwig, prefix=van" */
static bool add_by_keys(struct list *list, const struct span *parts, size_t count)
{
    struct span family = { 0 }, given = { 0 }, prefix = { 0 };
    for (size_t i = 0; i < count; i++) {
        const char *equal = memchr(parts[i].at, '=', parts[i].len);
        if (!equal)
            return false;
        struct span key = trimmed(parts[i].at, equal);
        struct span value = trimmed(equal + 1, parts[i].at + parts[i].len);
        if (is_word(key, "family"))
            family = value;
        else if (is_word(key, "given"))
            given = value;
        else if (is_word(key, "prefix"))
            prefix = value;
    }
    size_t before = list->count;
    add(list, family, given);
    const char *particle = list->count > before ? read_tex(list, prefix) : NULL;
    if (!particle)
        return list->count > before;
    struct bib_name *name = &list->names[before];
    size_t size = strlen(particle) + strlen(name->family) + 2;
    char *joined = wr_arena_alloc(list->arena, size);
    if (joined) {
        snprintf(joined, size, "%s %s", particle, name->family);
        name->family = joined;
    }
    return true;
}

static bool is_initial(struct span word)
{
    return word.len == 2 && word.at[1] == '.';
}

/* "A. Smith, B. Jones, C. Brown" */
static bool is_list_in_order(const struct span *parts, size_t count)
{
    struct span rest = parts[0];
    if (is_initial(next_piece(&rest, ' ')) && word_count(parts[0]) > 1)
        return true;
    for (size_t i = 0; i < count; i++)
        if (word_count(parts[i]) < 2)
            return false;
    return count > 3;
}

static void add_name(struct list *list, struct span text)
{
    static const char *const others[] = { "others", "et al", "et al.", "et. al.", "{others}",
                                          "...", "\\ldots", "\\dots", NULL };
    struct span parts[PARTS_MAX];
    if (is_one_of(text, others)) {
        list->more = true;
        return;
    }
    size_t count = pieces(text, ',', parts, PARTS_MAX);
    while (count > 0 && is_one_of(parts[count - 1], others)) {
        list->more = true;
        count--;
    }
    while (count > 1 && is_suffix(parts[count - 1]))
        count--;
    if (count == 0)
        return;
    if (memchr(text.at, '=', text.len) && add_by_keys(list, parts, count))
        return;
    if (count == 1) {
        add_in_order(list, parts[0]);
    } else if (is_list_in_order(parts, count)) {
        for (size_t i = 0; i < count; i++)
            add_in_order(list, parts[i]);
    } else if (count > 3 && count % 2 == 0) {
        for (size_t i = 0; i < count; i += 2)
            add(list, parts[i], parts[i + 1]);
    } else {
        add(list, parts[0], parts[count - 1]);
    }
}

/* ---- all of them ---- */

/* The next name before " and "; *rest is what follows. */
static struct span next_name(struct span *rest)
{
    size_t depth = 0;
    for (size_t i = 0; i < rest->len; i++) {
        char c = rest->at[i];
        if (c == '{')
            depth++;
        else if (c == '}' && depth > 0)
            depth--;
        const char *at = rest->at + i;
        bool word = depth == 0 && is_space(rest->at, at) && rest->len - i > 4
            && strncasecmp(at + 1, "and", 3) == 0 && is_space(at, at + 4);
        if (word || (depth == 0 && c == ';')) {
            struct span name = trimmed(rest->at, rest->at + i);
            size_t passed = i + (word ? 4 : 1);
            *rest = (struct span){ rest->at + passed, rest->len - passed };
            return name;
        }
    }
    struct span name = trimmed(rest->at, rest->at + rest->len);
    rest->len = 0;
    return name;
}

void bibtex_names(struct wr_arena *arena, const char *tex, size_t len, struct bib_work *work)
{
    struct list list = { .arena = arena };
    struct span rest = { tex, len };
    while (rest.len > 0 && !arena->full) {
        struct span name = next_name(&rest);
        if (name.len > 0)
            add_name(&list, name);
    }
    work->authors = list.names;
    work->author_count = (uint32_t)list.count;
    work->et_al = list.more;
}
