#include "extract/people.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "biblio/author.h"
#include "extract/field.h"
#include "extract/tokens.h"

#define TOKENS_MAX 4096
#define NAME_MAX_BYTES 256

/* Between two names, and never part of one. */
static const char *const conjunctions[] = { "and", "und", "et", "y", "e", "och", "og", "en",
                                            "и", "with", "avec", "mit" };
/* They say that there are more. */
static const char *const others[] = { "al", "alii", "others", "colleagues", "coworkers", "др" };
/* The same behind a name, without a space. */
static const char *const endings[] = { "等", "ほか", "他", "외" };
/* They belong to the name before and tell nobody apart. */
static const char *const suffixes[] = { "jr", "sr", "ii", "iii", "iv", "junior", "phd", "md" };
/* Not a person: the name is one whole. */
static const char *const bodies[] = {
    "collaboration", "group", "team", "consortium", "committee", "organization", "organisation",
    "institute", "university", "association", "society", "foundation", "agency", "ministry",
    "department", "council", "commission", "inc", "ltd", "corporation", "corp", "company",
    "office", "bureau", "bank", "nations", "network", "force", "investigators", "project",
    "initiative", "center", "centre", "laboratory", "microsystems", "press", "news", "union",
};
/* Before the name, and not of it. */
static const char *const roles[] = { "by", "eds", "ed", "editor", "editors", "hrsg", "in" };

#define IN(list, token) in(list, sizeof(list) / sizeof(*(list)), token)

static bool in(const char *const *list, size_t count, const struct extract_token *token)
{
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(list[i]);
        if (len == token->len && token->word == extract_word(list[i], len))
            return true;
    }
    return false;
}

/* One stretch between separators. */
struct chunk {
    size_t from, to;            /* tokens */
    unsigned words, initials;   /* words of two letters and more; initials, also "JK" */
    bool initial_last;
    bool dotted;                /* a full stop is in it */
    bool first_of_group;        /* "and", ";" or the beginning is before it */
    bool body;
    bool family_first;          /* Chinese, Japanese, Korean: 山岸 喬 */
};

struct list {
    const char *text;
    struct extract_token *tokens;
    size_t count;
    struct chunk *chunks;
    size_t chunk_count;
    bool et_al;
    bool bare;                  /* initials have no full stops: "Smith JK, Yao W" */
};

/* The "w" of "S. w." and "S.-w.". */
static bool is_small_initial(const struct list *list, size_t i)
{
    const struct extract_token *token = &list->tokens[i];
    return token->shape == EXTRACT_LOWER && token->len == 1 && i > 0 && i + 1 < list->count
        && (list->tokens[i - 1].shape == '.' || list->tokens[i - 1].shape == '-')
        && list->tokens[i + 1].shape == '.' && !list->tokens[i + 1].space;
}

/* The "MD" of "Ma MD, Sun J": it stands right behind the first word of a name. */
static bool is_given_in(const struct list *list, size_t i)
{
    return i > 0 && list->tokens[i].word == extract_word("md", 2)
        && list->tokens[i - 1].shape == EXTRACT_CAPITAL
        && (i == 1 || list->tokens[i - 2].shape == ',');
}

/* "JK" behind "Smith": letters of given names without dots. */
static bool is_initials(const struct list *list, size_t i)
{
    const struct extract_token *token = &list->tokens[i];
    if (token->shape == EXTRACT_INITIAL || is_small_initial(list, i))
        return true;
    bool joined = i + 1 < list->count && list->tokens[i + 1].shape == '-'
        && !list->tokens[i + 1].space;
    return token->shape == EXTRACT_CAPS && token->len <= 3 && !joined
        && (!IN(suffixes, token) || is_given_in(list, i));
}

static bool is_particle(const struct extract_token *token)
{
    static const char *const particles[] = { "van", "von", "de", "der", "den", "la", "le", "di",
                                             "da", "dos", "del", "du", "ter", "ten", "el", "al",
                                             "bin", "ben", "zu", "zur", "af", "av" };
    return token->shape != EXTRACT_INITIAL && IN(particles, token);
}

/* Whether it is one here: "Bin Sun" and "Hang Le" have none, "Al-Matham" is a word. */
static bool joins_next(const struct list *list, size_t i, size_t from, size_t to)
{
    const struct extract_token *token = &list->tokens[i];
    bool inside = i > from && i + 1 < to && list->tokens[i + 1].shape != '-';
    return is_particle(token) && (token->shape == EXTRACT_LOWER || inside);
}

static void chunk_end(struct list *list, size_t from, size_t to, bool first)
{
    struct chunk chunk = { .from = from, .to = to, .first_of_group = first };
    bool hyphen = false, caps_only = true, joined = false;
    for (size_t i = from; i < to; i++) {
        const struct extract_token *token = &list->tokens[i];
        chunk.dotted = chunk.dotted || token->shape == '.';
        caps_only = caps_only && (!extract_is_word(token) || token->shape == EXTRACT_CAPS
                                  || token->shape == EXTRACT_INITIAL);
    }
    for (size_t i = from; i < to; i++) {
        const struct extract_token *token = &list->tokens[i];
        bool suffix = IN(suffixes, token) && i > from && !is_given_in(list, i);
        if (extract_is_word(token) && !suffix) {
            /* In "JOHN LEE" the second is a name all the same. */
            bool initial = token->shape == EXTRACT_INITIAL || is_small_initial(list, i)
                || (is_initials(list, i) && (!caps_only || to == from + 1));
            if (initial)
                chunk.initials++;
            else if (!hyphen && !joins_next(list, i, from, to))
                chunk.words++;
            else
                joined = true;
            chunk.initial_last = initial;
            chunk.family_first = chunk.family_first || token->shape == EXTRACT_LETTERS;
            chunk.body = chunk.body || IN(bodies, token);
        }
        hyphen = token->shape == '-' || (token->shape == '\'' && !token->space);
    }
    if (joined && chunk.words == 0)
        chunk.words = 1;        /* "Al-Onaizan", "De", "Al-khdour N" */
    if (chunk.words || chunk.initials)
        list->chunks[list->chunk_count++] = chunk;
}

/* "..." and "…" */
static bool is_ellipsis(const struct list *list, size_t i)
{
    const char *at = list->text + list->tokens[i].at;
    if (list->tokens[i].len == 3 && memcmp(at, "…", 3) == 0)
        return true;
    return i + 2 < list->count && list->tokens[i].shape == '.'
        && list->tokens[i + 1].shape == '.' && list->tokens[i + 2].shape == '.';
}

/* The "y" of "Montes-y-Gómez". */
static bool is_hyphenated(const struct list *list, size_t i)
{
    return i > 0 && list->tokens[i - 1].shape == '-' && !list->tokens[i].space
        && !list->tokens[i - 1].space;
}

enum cut { NO_CUT, COMMA, BETWEEN, MORE };

/* What a token does to the list; "et" is a conjunction unless "al" follows. */
static enum cut cut_at(const struct list *list, size_t i)
{
    const struct extract_token *token = &list->tokens[i];
    if (is_ellipsis(list, i))
        return MORE;
    switch (token->shape) {
    case ',':
    case ':':
    case '(':
    case ')':
    case '[':
    case ']':
    case '"': return COMMA;
    case ';':
    case '&':
    case '/':
    case '+': return BETWEEN;
    case '.':
        /* 김철수.이영희 */
        return i > 0 && i + 1 < list->count && list->tokens[i - 1].shape == EXTRACT_LETTERS
            && list->tokens[i + 1].shape == EXTRACT_LETTERS ? COMMA : NO_CUT;
    case '-':
        return token->space && i + 1 < list->count && list->tokens[i + 1].space ? BETWEEN
                                                                                : NO_CUT;
    default: break;
    }
    if (!extract_is_word(token) || token->shape == EXTRACT_INITIAL
        || is_small_initial(list, i) || is_hyphenated(list, i))
        return NO_CUT;
    bool dotted = i + 1 < list->count && list->tokens[i + 1].shape == '.';
    if (IN(others, token) && (token->shape == EXTRACT_LOWER || token->shape == EXTRACT_LETTERS)
        && (i == 0 || list->tokens[i - 1].word == extract_word("et", 2) || dotted
            || i + 1 == list->count || list->tokens[i + 1].shape == ','
            || token->word != extract_word("al", 2)))
        return MORE;
    bool lower = token->shape == EXTRACT_LOWER || token->shape == EXTRACT_CAPS;
    return lower && IN(conjunctions, token) ? BETWEEN : NO_CUT;
}

static void cut_chunks(struct list *list)
{
    size_t from = 0;
    bool first = true;
    int round = 0;
    for (size_t i = 0; i <= list->count; i++) {
        enum cut cut = i == list->count ? BETWEEN : cut_at(list, i);
        if (cut == NO_CUT)
            continue;
        /* "(CLEO Collaboration)" behind the names is not one of them. */
        if (!round || list->chunk_count == 0)
            chunk_end(list, from, i, first);
        if (i < list->count && list->tokens[i].shape == '(')
            round = 1;
        else if (i < list->count && list->tokens[i].shape == ')')
            round = 0;
        if (cut == MORE)
            list->et_al = true;
        first = cut == BETWEEN || (first && from == i);
        from = i + 1;
    }
}

/* Whether a chunk is given names alone: "J. K.", "JK"; behind a surname also "John A.". */
static bool is_given(const struct list *list, const struct chunk *chunk,
                     const struct chunk *before)
{
    if (chunk->first_of_group || chunk->body)
        return false;
    if (chunk->words == 0)
        return true;
    return chunk->initial_last && before->initials == 0 && before->words == 1
        && chunk->words == 1 && !list->bare;
}

/* Whether "Smith, John" are one: nobody in the list has initials, and either there are only
 * these two, or full names follow, or every group has two halves. */
static bool halves(const struct list *list, size_t at)
{
    const struct chunk *chunks = list->chunks;
    size_t count = list->chunk_count, groups = 0, pairs = 0;
    if (at + 1 >= count || chunks[at + 1].first_of_group || chunks[at].words != 1
        || chunks[at].family_first || chunks[at + 1].body
        || chunks[at].initials || chunks[at + 1].initials || chunks[at + 1].words > 2)
        return false;
    bool pair = at + 2 == count || chunks[at + 2].first_of_group;
    for (size_t i = 0; i < count; i++) {
        if (!chunks[i].first_of_group && i > 0)
            continue;
        groups++;
        pairs += i + 1 < count && !chunks[i + 1].first_of_group
            && (i + 2 == count || chunks[i + 2].first_of_group);
    }
    if (pair && groups == pairs)
        return true;
    /* "Abhishek, Ashish Anand, and Amit Awekar": a name of one word among whole ones. */
    for (size_t i = 2; at == 0 && chunks[1].words == 1 && i < count; i++) {
        if (chunks[i].words + chunks[i].initials > 1)
            return true;
    }
    return false;
}

/* "S, V. J.", "K P, S.": a surname of letters, which have no full stops. */
static bool is_letter_name(const struct list *list, size_t at)
{
    const struct chunk *chunk = &list->chunks[at];
    if (at + 1 >= list->chunk_count || chunk->words)
        return false;
    for (size_t i = chunk->from; i < chunk->to; i++) {
        if (list->tokens[i].shape == '.')
            return false;
    }
    const struct chunk *next = &list->chunks[at + 1];
    return !next->first_of_group && next->words == 0 && next->to > next->from
        && list->tokens[next->to - 1].shape == '.';
}

/* Where the initials at the end of "Smith J K" begin; elsewhere the end. */
static size_t initials_from(const struct list *list, const struct chunk *chunk)
{
    size_t at = chunk->to;
    /* "Huang Sc" among "Chu YY, Shao HL" */
    bool small = list->bare && chunk->to == chunk->from + 2 && chunk->words == 2
        && list->tokens[chunk->to - 1].shape == EXTRACT_CAPITAL
        && list->tokens[chunk->to - 1].len == 2;
    if (small)
        return chunk->to - 1;
    /* "K A" among "Bago P, Castilho S" */
    if (list->bare && chunk->words == 0 && chunk->initials > 1 && !chunk->dotted)
        return chunk->from + 1;
    if (!chunk->initial_last || chunk->words == 0
        || list->tokens[chunk->from].shape == EXTRACT_INITIAL)
        return chunk->to;
    while (at > chunk->from + 1
           && (!extract_is_word(&list->tokens[at - 1]) || is_initials(list, at - 1)))
        at--;
    while (at < chunk->to && !extract_is_word(&list->tokens[at]))
        at++;
    return at;
}

/* The text of a chunk without what is around the name. */
static void add_text(struct wr_text *name, const struct list *list, const struct chunk *chunk)
{
    size_t from = chunk->from, to = chunk->to;
    size_t comma = name->len ? to : initials_from(list, chunk);
    while (from < to && list->tokens[from].shape != EXTRACT_INITIAL
           && (!extract_is_word(&list->tokens[from])
               || (from + 1 < to && IN(roles, &list->tokens[from]))))
        from++;
    while (to > from && !extract_is_word(&list->tokens[to - 1])
           && list->tokens[to - 1].shape != '.')
        to--;
    while (to > from + 1 && list->tokens[to - 1].shape == '.'
           && list->tokens[to - 2].shape != EXTRACT_INITIAL)
        to--;
    for (size_t i = from; i < to; i++) {
        const struct extract_token *token = &list->tokens[i];
        if (extract_is_number(token))
            continue;
        bool sign = !extract_is_word(token);
        bool behind_dot = i > from && list->tokens[i - 1].shape == '.';
        if (i > from && i == comma)
            wr_text_str(name, ", ");
        else if (i > from && !sign && (token->space || behind_dot))
            wr_text_str(name, " ");
        wr_text_bytes(name, list->text + token->at, token->len);
    }
}

static bool read_name(struct bib_name *ret, const struct list *list, size_t *at,
                      struct wr_arena *arena)
{
    char buf[NAME_MAX_BYTES];
    struct wr_text name = WR_TEXT(buf);
    const struct chunk *chunk = &list->chunks[*at];
    add_text(&name, list, chunk);
    *at += 1;
    char *space = chunk->family_first && !chunk->body ? strchr(name.at, ' ') : NULL;
    if (space) {
        ret->family = wr_arena_copy(arena, name.at, (size_t)(space - name.at));
        ret->given = wr_arena_str(arena, space + 1);
        return ret->family && ret->given;
    }
    if (chunk->body || chunk->family_first) {
        ret->family = wr_arena_copy(arena, name.at, name.len);
        ret->given = NULL;
        return ret->family && name.len;
    }
    bool given = is_letter_name(list, *at - 1)
        || (*at < list->chunk_count && chunk->initials == 0
            && is_given(list, &list->chunks[*at], chunk));
    if (given || halves(list, *at - 1)) {
        wr_text_str(&name, ", ");
        add_text(&name, list, &list->chunks[*at]);
        *at += 1;
    }
    return bib_author_parse(ret, name.at, name.len, arena);
}

static void read_names(struct bib_work *ret, const struct list *list, struct wr_arena *arena)
{
    size_t room = list->chunk_count < BIB_AUTHORS_MAX ? list->chunk_count : BIB_AUTHORS_MAX;
    struct bib_name *names = wr_arena_alloc(arena, (room + 1) * sizeof(*names));
    uint32_t count = 0;
    size_t at = 0;
    if (!names)
        return;
    bool persons = false;
    for (size_t i = 0; i < list->chunk_count; i++)
        persons = persons || !list->chunks[i].body;
    while (at < list->chunk_count && count < room) {
        /* "LHCb collaboration, R. Aaij et al.": whom they write for is not one of them. */
        if (persons && list->chunks[at].body)
            at++;
        else
            count += read_name(&names[count], list, &at, arena);
    }
    ret->authors = names;
    ret->author_count = count;
    ret->et_al = list->et_al || at < list->chunk_count;
}

/* How much is left of the text before one of the endings. */
static size_t without_ending(const char *text, size_t whole)
{
    size_t len = whole;
    while (len > 0 && strchr(" .,;:", text[len - 1]))
        len--;
    for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
        size_t end = strlen(endings[i]);
        if (len > end && memcmp(text + len - end, endings[i], end) == 0)
            return len - end;
    }
    return whole;
}

void extract_people(struct bib_work *ret, const char *text, size_t len, struct wr_arena *arena)
{
    struct list list = { .text = text };
    list.tokens = malloc(TOKENS_MAX * sizeof(*list.tokens));
    list.chunks = calloc(TOKENS_MAX + 2, sizeof(*list.chunks));
    if (list.tokens && list.chunks) {
        size_t names = without_ending(text, len);
        list.et_al = names < len;
        list.count = extract_tokens(list.tokens, TOKENS_MAX, text, names);
        cut_chunks(&list);
        list.bare = extract_field_bare(list.tokens, list.count);
        read_names(ret, &list, arena);
    } else {
        arena->full = true;
    }
    free(list.tokens);
    free(list.chunks);
}
