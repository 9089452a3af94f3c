#include "extract/reference.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "extract/clean.h"
#include "extract/field.h"
#include "extract/identifier.h"
#include "extract/people.h"

#define YEAR_MIN 1500
#define YEAR_MAX 2099

struct parse {
    const char *text;
    struct extract_token *tokens;
    uint8_t *labels;
    size_t count;
    struct wr_arena *arena;
};

/* Tokens [from, to). */
struct span { size_t from, to; };

/* The next run of a label at or behind `from`; empty when there is none. */
static struct span run(const struct parse *parse, enum extract_field label, size_t from)
{
    struct span span = { from, from };
    while (span.from < parse->count && parse->labels[span.from] != label)
        span.from++;
    span.to = span.from;
    while (span.to < parse->count && parse->labels[span.to] == label)
        span.to++;
    return span;
}

static unsigned words_in(const struct parse *parse, struct span span)
{
    unsigned words = 0;
    for (size_t i = span.from; i < span.to; i++)
        words += extract_is_word(&parse->tokens[i]);
    return words;
}

static bool is_content(const struct extract_token *token)
{
    return extract_is_word(token) || extract_is_number(token);
}

static bool has_open(const struct parse *parse, struct span span, char open)
{
    for (size_t i = span.from; i < span.to; i++) {
        if (parse->tokens[i].shape == (uint8_t)open)
            return true;
    }
    return false;
}

/* Without the signs around it, but for those that belong to it: "?", "(...)". */
static struct span trim(const struct parse *parse, struct span span)
{
    while (span.from < span.to && !is_content(&parse->tokens[span.from])
           && !(parse->tokens[span.from].shape == '(' && has_open(parse, span, ')')))
        span.from++;
    while (span.to > span.from && !is_content(&parse->tokens[span.to - 1])) {
        uint8_t last = parse->tokens[span.to - 1].shape;
        struct span before = { span.from, span.to - 1 };
        if (last == '?' || last == '!' || (last == ')' && has_open(parse, before, '('))
            || last == '+' || last == '*' || last == '%')
            break;
        span.to--;
    }
    return span;
}

static const char *copy(const struct parse *parse, struct span span)
{
    if (span.from >= span.to)
        return NULL;
    const struct extract_token *first = &parse->tokens[span.from];
    const struct extract_token *last = &parse->tokens[span.to - 1];
    return wr_arena_copy(parse->arena, parse->text + first->at,
                         last->at + last->len - first->at);
}

static const char *field(const struct parse *parse, enum extract_field label)
{
    struct span span = trim(parse, run(parse, label, 0));
    return span.to > span.from ? copy(parse, span) : NULL;
}

static bool is_word(const struct parse *parse, size_t i, const char *word)
{
    size_t len = strlen(word);
    return i < parse->count && parse->tokens[i].len == len
        && parse->tokens[i].word == extract_word(word, len);
}

/* "[J]", "[EB/OL]": what kind of work it is, in the Chinese standard. */
static bool is_type_mark(const struct parse *parse, size_t i)
{
    return i + 2 < parse->count && parse->tokens[i].shape == '['
        && (parse->tokens[i + 1].shape == EXTRACT_INITIAL
            || (parse->tokens[i + 1].shape == EXTRACT_CAPS && parse->tokens[i + 1].len == 2))
        && (parse->tokens[i + 2].shape == ']' || parse->tokens[i + 2].shape == '/');
}

/* A title stops where a mark of its kind stands. */
static struct span cut_title(const struct parse *parse, struct span span)
{
    for (size_t i = span.from + 1; i < span.to; i++) {
        if (is_type_mark(parse, i))
            return (struct span){ span.from, i };
    }
    return span;
}

/* What is quoted, if it is long enough for a title. */
static struct span quoted(const struct parse *parse)
{
    struct span span = { 0, 0 };
    for (size_t i = 0; i < parse->count; i++) {
        if (parse->tokens[i].shape != '"')
            continue;
        if (span.from == 0) {
            span.from = i + 1;
        } else {
            span.to = i;
            return words_in(parse, span) >= 2 ? span : (struct span){ 0, 0 };
        }
    }
    return (struct span){ 0, 0 };
}

/* "(LIGO Collaboration)" is whom the authors write for. */
static bool is_collaboration(const struct parse *parse, struct span span)
{
    while (span.to > span.from && !is_content(&parse->tokens[span.to - 1]))
        span.to--;
    return span.to > span.from && is_word(parse, span.to - 1, "collaboration");
}

/* What stands before a title. */
static bool is_opening(uint8_t label)
{
    return label == EXTRACT_AUTHOR || label == EXTRACT_DATE;
}

/* A name of something else between the authors and the title is part of the title: the chain
 * was misled by its commas. */
static size_t title_from(const struct parse *parse, size_t from)
{
    const uint8_t *labels = parse->labels;
    size_t at = from;
    while (at > 0 && (labels[at - 1] == EXTRACT_BOOK || labels[at - 1] == EXTRACT_NOTE
                      || labels[at - 1] == EXTRACT_JOURNAL))
        at--;
    return at > 0 && is_opening(labels[at - 1]) ? at : from;
}

/* "In Search of ...", "GPT-4 Technical Report": a word that leads to a book, or a kind of
 * work, is part of the title where nothing stands between the two. */
static struct span widen_title(const struct parse *parse, struct span span)
{
    size_t from = span.from = title_from(parse, span.from);
    if (from > 1 && parse->labels[from - 1] == EXTRACT_OTHER && is_word(parse, from - 1, "in")
        && parse->tokens[from - 1].shape == EXTRACT_CAPITAL
        && is_opening(parse->labels[from - 2]))
        span.from = from - 1;
    if (span.to < parse->count && parse->labels[span.to] == EXTRACT_NOTE
        && is_content(&parse->tokens[span.to - 1])) {
        while (span.to < parse->count && parse->labels[span.to] == EXTRACT_NOTE
               && is_content(&parse->tokens[span.to]))
            span.to++;
    }
    return span;
}

/* The first run that says something.  Where the chain saw none, the book is the work itself,
 * or else what is quoted. */
static struct span title_span(const struct parse *parse, bool *ret_is_book)
{
    *ret_is_book = false;
    for (struct span span = run(parse, EXTRACT_TITLE, 0); span.to > span.from;
         span = run(parse, EXTRACT_TITLE, span.to)) {
        if (words_in(parse, span) > 0 && !is_collaboration(parse, span))
            return trim(parse, cut_title(parse, widen_title(parse, span)));
    }
    struct span span = trim(parse, quoted(parse));
    if (span.to > span.from)
        return span;
    *ret_is_book = true;
    return trim(parse, cut_title(parse, run(parse, EXTRACT_BOOK, 0)));
}

/* --- year */

static bool is_visit(const struct parse *parse, size_t i)
{
    return is_word(parse, i, "accessed") || is_word(parse, i, "retrieved")
        || is_word(parse, i, "visited") || is_word(parse, i, "access")
        || is_word(parse, i, "abgerufen") || is_word(parse, i, "consulté");
}

/* Whether somebody looked at a page on that date. */
static bool of_visit(const struct parse *parse, size_t i)
{
    for (size_t back = 1; back <= 6 && back <= i; back++) {
        if (is_visit(parse, i - back))
            return true;
    }
    return false;
}

/* A year at token i, also one that a scanner tore ("1 999"); else 0. */
static int year_at(const struct parse *parse, size_t i)
{
    const struct extract_token *token = &parse->tokens[i];
    if (token->shape == EXTRACT_YEAR)
        return token->number;
    if (token->shape < EXTRACT_DIGITS_1 || token->shape > EXTRACT_DIGITS_3)
        return 0;
    unsigned value = 0, digits = 0;
    for (; i < parse->count && digits < 4; i++) {
        unsigned more = (unsigned)(parse->tokens[i].shape - EXTRACT_DIGITS_1) + 1;
        if (parse->tokens[i].shape < EXTRACT_DIGITS_1 || more > 3)
            break;
        for (unsigned k = 0; k < more; k++)
            value *= 10;
        value += parse->tokens[i].number;
        digits += more;
    }
    return digits == 4 && value >= YEAR_MIN && value <= YEAR_MAX ? (int)value : 0;
}

static int find_year(const struct parse *parse)
{
    int visit = 0, elsewhere = 0;
    for (size_t i = 0; i < parse->count; i++) {
        uint8_t label = parse->labels[i];
        if (label != EXTRACT_DATE)
            continue;
        int year = year_at(parse, i);
        if (year && !of_visit(parse, i))
            return year;
        visit = visit ? visit : year;
    }
    for (size_t i = 0; i < parse->count; i++) {
        uint8_t label = parse->labels[i];
        bool inside = label == EXTRACT_IDENTIFIER || label == EXTRACT_WEB
            || label == EXTRACT_PAGES || label == EXTRACT_TITLE;
        if (parse->tokens[i].shape == EXTRACT_YEAR && !inside && !of_visit(parse, i))
            elsewhere = parse->tokens[i].number;
    }
    return elsewhere ? elsewhere : visit;
}

/* --- the rest */

static void find_authors(const struct parse *parse, struct bib_work *work)
{
    struct span span = run(parse, EXTRACT_AUTHOR, 0);
    while (span.to > span.from && words_in(parse, span) == 0)
        span = run(parse, EXTRACT_AUTHOR, span.to);
    bool editors = span.to == span.from;
    /* Names from the beginning on are of one list, whatever the chain took the first for. */
    size_t first_name = span.from;
    while (first_name > 0 && parse->labels[first_name - 1] == EXTRACT_EDITOR)
        first_name--;
    if (first_name == 0)
        span.from = 0;
    if (editors)
        span = run(parse, EXTRACT_EDITOR, 0);
    /* Editors of the book are nobody's authors; those of the work itself stand before it. */
    if (editors && run(parse, EXTRACT_TITLE, 0).from < span.from)
        return;
    if (span.to > span.from) {
        const struct extract_token *first = &parse->tokens[span.from];
        const struct extract_token *last = &parse->tokens[span.to - 1];
        extract_people(work, parse->text + first->at, last->at + last->len - first->at,
                       parse->arena);
    }
}

static bool has_any(const struct parse *parse, const char *const *words)
{
    for (size_t i = 0; i < parse->count; i++) {
        for (const char *const *word = words; *word; word++) {
            if (parse->labels[i] != EXTRACT_TITLE && parse->labels[i] != EXTRACT_AUTHOR
                && is_word(parse, i, *word))
                return true;
        }
    }
    return false;
}

static enum bib_kind find_kind(const struct parse *parse, const struct bib_work *work)
{
    static const char *const thesis[] = { "thesis", "dissertation", "thèse", "diplomarbeit",
                                          "phd", "habilitation", NULL };
    static const char *const report[] = { "report", "rfc", "rep", "memo", "whitepaper",
                                          "standard", "patent", NULL };
    size_t journal_at = run(parse, EXTRACT_JOURNAL, 0).from;
    size_t book_at = run(parse, EXTRACT_BOOK, 0).from;
    bool book = book_at < parse->count, journal = journal_at < parse->count
        && !(book && book_at < journal_at);
    if (has_any(parse, thesis))
        return BIB_THESIS;
    if (work->arxiv_id && !book
        && (!journal || !work->volume || has_any(parse, (const char *const[]){ "corr", NULL })))
        return BIB_PREPRINT;
    if (journal)
        return BIB_ARTICLE;
    if (book)
        return BIB_PAPER;
    if (has_any(parse, report))
        return BIB_REPORT;
    if (run(parse, EXTRACT_PUBLISHER, 0).from < parse->count)
        return BIB_BOOK;
    return work->url_count ? BIB_WEB : BIB_UNKNOWN;
}

/* "K. Tamvakis Singularity-free solutions": where nothing stands between the names and the
 * title, a surname belongs to its initials. */
static void repair_names(const struct parse *parse)
{
    struct span span = run(parse, EXTRACT_AUTHOR, 0);
    if (span.to >= parse->count || span.to < span.from + 2
        || parse->tokens[span.from].shape != EXTRACT_INITIAL)
        return;
    size_t last = span.to - 1;
    while (last > span.from && parse->tokens[last].shape == '.')
        last--;
    if (parse->tokens[last].shape != EXTRACT_INITIAL)
        return;
    for (size_t at = span.to; at < parse->count; at++) {
        uint8_t shape = parse->tokens[at].shape;
        bool joined = at > span.to && parse->tokens[at - 1].shape == '-';
        if (shape == EXTRACT_INITIAL || shape == '.' || (shape == '-' && at > span.to)) {
            parse->labels[at] = EXTRACT_AUTHOR;
            continue;
        }
        if (extract_is_word(&parse->tokens[at])
            && (joined || parse->labels[at - 1] == EXTRACT_AUTHOR))
            parse->labels[at] = EXTRACT_AUTHOR;
        if (at + 1 >= parse->count || parse->tokens[at + 1].shape != '-'
            || parse->tokens[at + 1].space)
            return;
    }
}

static bool names_editors(const struct parse *parse, struct span span)
{
    for (size_t i = span.from; i < span.to + 3 && i < parse->count; i++) {
        if (is_word(parse, i, "eds") || is_word(parse, i, "ed") || is_word(parse, i, "editors")
            || is_word(parse, i, "editor") || is_word(parse, i, "hrsg"))
            return true;
    }
    return false;
}

static void relabel(const struct parse *parse, struct span span, enum extract_field label)
{
    for (size_t i = span.from; i < span.to; i++)
        parse->labels[i] = (uint8_t)label;
}

/* "1994. Types, Subtypes, and Behavior": capital words and commas look like names.  What
 * stands right behind authors and year is the title, unless it is said to be editors; and so
 * is the rest of it, up to the journal. */
static void repair_title(const struct parse *parse)
{
    size_t at = 0;
    while (at < parse->count && is_opening(parse->labels[at]))
        at++;
    if (at == 0 || at == parse->count || parse->labels[at] != EXTRACT_EDITOR)
        return;
    struct span span = run(parse, EXTRACT_EDITOR, at);
    if (names_editors(parse, span))
        return;
    relabel(parse, span, EXTRACT_TITLE);
    struct span book = run(parse, EXTRACT_BOOK, span.to);
    if (book.from == span.to && book.to < parse->count
        && parse->labels[book.to] == EXTRACT_JOURNAL)
        relabel(parse, book, EXTRACT_TITLE);
}

/* The journal or the book.  The chain may waver between the two within one name. */
static const char *venue(const struct parse *parse, bool is_book)
{
    struct span span = run(parse, EXTRACT_JOURNAL, 0), book = run(parse, EXTRACT_BOOK, 0);
    if (!is_book && book.from < book.to && span.from == span.to)
        span = book;
    else if (!is_book && book.from < book.to && book.to == span.from)
        span.from = book.from;
    span = trim(parse, span);
    return span.to > span.from ? copy(parse, span) : NULL;
}

static void find_fields(const struct parse *parse, struct bib_work *work)
{
    repair_names(parse);
    repair_title(parse);
    bool is_book;
    struct span title = title_span(parse, &is_book);
    if (words_in(parse, title) > 0)
        work->title = copy(parse, title);
    find_authors(parse, work);
    work->year = find_year(parse);
    work->venue = venue(parse, is_book);
    work->volume = field(parse, EXTRACT_VOLUME);
    work->pages = field(parse, EXTRACT_PAGES);
    work->kind = find_kind(parse, work);
    if (!work->venue && (work->kind == BIB_BOOK || is_book))
        work->venue = field(parse, EXTRACT_PUBLISHER);
}

static wr_err parse_text(const struct extract_chain *chain, const char *text, size_t len,
                         struct wr_arena *arena, struct bib_work *work)
{
    struct parse parse = { .text = text, .arena = arena };
    parse.tokens = malloc((len + 1) * sizeof(*parse.tokens));
    parse.labels = malloc(len + 1);
    wr_err err = parse.tokens && parse.labels ? WR_OK : WR_NOMEM;
    if (!err) {
        parse.count = extract_tokens(parse.tokens, len, text, len);
        err = extract_field_label(chain, parse.tokens, parse.count, parse.labels);
    }
    if (!err)
        find_fields(&parse, work);
    free(parse.tokens);
    free(parse.labels);
    return err;
}

/* --- label */

size_t extract_reference_label(const char *text, size_t len, uint32_t *ret_number)
{
    size_t at = 0, digits;
    uint32_t number = 0;
    *ret_number = 0;
    while (at < len && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n'))
        at++;
    bool square = at < len && text[at] == '[', round = at < len && text[at] == '(';
    at += square || round;
    while (at < len && text[at] == ' ')
        at++;
    for (digits = 0; at < len && digits < 5 && text[at] >= '0' && text[at] <= '9'; digits++)
        number = number * 10 + (uint32_t)(text[at++] - '0');
    while (at < len && text[at] == ' ' && (square || round))
        at++;
    if (digits == 0 || digits > 4) {
        /* "[ABC+20]", "[Smith, 2001]": letters have no number. */
        const char *end = square ? memchr(text, ']', len < 40 ? len : 40) : NULL;
        at = end && end - text > 1 ? (size_t)(end - text) : len;
        number = 0;
    }
    char close = (char)(square ? ']' : round ? ')' : '.');
    if (at >= len || (text[at] != close && !(close == '.' && text[at] == ')')))
        return 0;
    at++;
    /* "1.5 million" is no label, "1.Smith" is. */
    if (close == '.' && (digits > 3 || at >= len || (text[at] >= '0' && text[at] <= '9')))
        return 0;
    if (round && digits > 3)
        return 0;
    while (at < len && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n'
                        || (square && text[at] == '.')))
        at++;
    *ret_number = number;
    return at < len ? at : 0;
}

wr_err extract_reference_by(const struct extract_chain *chain, const char *raw, size_t len,
                            struct wr_arena *arena, struct bib_reference *ret)
{
    struct bib_reference reference = { 0 };
    if (len > EXTRACT_REFERENCE_MAX) {
        len = EXTRACT_REFERENCE_MAX;
        while (len > 0 && ((unsigned char)raw[len] & 0xc0) == 0x80)
            len--;
        reference.truncated = true;
    }
    size_t label = extract_reference_label(raw, len, &reference.number);
    struct wr_text text = wr_text_heap((len - label) * 3 + 1);
    extract_collapse(&text, raw + label, len - label);
    reference.raw = text.at ? wr_arena_copy(arena, text.at, text.len) : NULL;
    wr_text_rewind(&text, 0);
    extract_clean(&text, raw + label, len - label);
    extract_identifiers(&reference.work, raw + label, len - label, arena);
    wr_err err = parse_text(chain, text.at, text.len, arena, &reference.work);
    bool cut = text.cut > 0;
    wr_text_free(&text);
    if (err || arena->full || cut)
        return err ? err : WR_NOMEM;
    const struct bib_work *work = &reference.work;
    if (!work->title && !work->doi && !work->arxiv_id)
        reference.skip = "it has no title and no identifier";
    *ret = reference;
    return WR_OK;
}

wr_err extract_reference(const char *raw, size_t len, struct wr_arena *arena,
                         struct bib_reference *ret)
{
    struct extract_chain chain;
    extract_field_chain(&chain);
    return extract_reference_by(&chain, raw, len, arena, ret);
}
