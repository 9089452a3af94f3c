#include "extract/reference.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "extract/clean.h"
#include "extract/field.h"
#include "extract/identifier.h"
#include "extract/labelled.h"
#include "extract/people.h"
#include "extract/title_run.h"

#define YEAR_MIN 1500
#define YEAR_MAX 2099

static const char *copy(const struct extract_labelled *it, struct extract_span span)
{
    if (span.from >= span.to)
        return NULL;
    const struct extract_token *first = &it->tokens[span.from];
    const struct extract_token *last = &it->tokens[span.to - 1];
    return wr_arena_copy(it->arena, it->text + first->at,
                         last->at + last->len - first->at);
}

static const char *field(const struct extract_labelled *it, enum extract_field label)
{
    struct extract_span span = extract_trim(it, extract_run(it, label, 0));
    return span.to > span.from ? copy(it, span) : NULL;
}

/* --- year */

static bool is_visit(const struct extract_labelled *it, size_t i)
{
    return extract_is(it, i, "accessed") || extract_is(it, i, "retrieved")
        || extract_is(it, i, "visited") || extract_is(it, i, "access")
        || extract_is(it, i, "abgerufen") || extract_is(it, i, "consulté");
}

/* Whether somebody looked at a page on that date. */
static bool of_visit(const struct extract_labelled *it, size_t i)
{
    for (size_t back = 1; back <= 6 && back <= i; back++) {
        if (is_visit(it, i - back))
            return true;
    }
    return false;
}

/* A year at token i, also one that a scanner tore ("1 999"); else 0. */
static int year_at(const struct extract_labelled *it, size_t i)
{
    const struct extract_token *token = &it->tokens[i];
    if (token->shape == EXTRACT_YEAR)
        return token->number;
    if (token->shape < EXTRACT_DIGITS_1 || token->shape > EXTRACT_DIGITS_3)
        return 0;
    unsigned value = 0, digits = 0;
    for (; i < it->count && digits < 4; i++) {
        unsigned more = (unsigned)(it->tokens[i].shape - EXTRACT_DIGITS_1) + 1;
        if (it->tokens[i].shape < EXTRACT_DIGITS_1 || more > 3)
            break;
        for (unsigned k = 0; k < more; k++)
            value *= 10;
        value += it->tokens[i].number;
        digits += more;
    }
    return digits == 4 && value >= YEAR_MIN && value <= YEAR_MAX ? (int)value : 0;
}

/* "(SemEval-2023)": a year of the name of a venue; "(May 1992)" is a date. */
static bool is_in_name(const struct extract_labelled *it, size_t i)
{
    size_t at = i;
    while (at > 0 && (it->tokens[at - 1].shape == '-' || it->tokens[at - 1].shape == '\''))
        at--;
    if (at == 0 || !extract_is_word(&it->tokens[at - 1])
        || it->labels[at - 1] == EXTRACT_DATE)
        return false;
    for (size_t back = at; back > 0 && i - back < 12; back--) {
        if (it->tokens[back - 1].shape == '(')
            return true;
        if (it->tokens[back - 1].shape == ')' || it->tokens[back - 1].shape == ',')
            return false;
    }
    return false;
}

/* The last year of a run of dates, or the first of two that are a range; 0: there is none, or
 * somebody looked at a page then. */
static int year_of_run(const struct extract_labelled *it, struct extract_span dates)
{
    int last = 0;
    for (size_t i = dates.from; i < dates.to; i++) {
        int year = of_visit(it, i) || is_in_name(it, i) ? 0 : year_at(it, i);
        bool range = last && (it->tokens[i - 1].shape == '-' || it->tokens[i - 1].shape == '/');
        last = year && !range ? year : last;
    }
    return last;
}

/* The year that stands before the title; else the last one: earlier ones are of the conference
 * ("Proc. of X, May 1992, 1993"). */
static int find_year(const struct extract_labelled *it)
{
    size_t title = extract_run(it, EXTRACT_TITLE, 0).from;
    int last = 0, visit = 0, elsewhere = 0, named = 0;
    for (struct extract_span dates = extract_run(it, EXTRACT_DATE, 0); dates.to > dates.from;
         dates = extract_run(it, EXTRACT_DATE, dates.to)) {
        int year = year_of_run(it, dates);
        last = year ? year : last;
        if (year && dates.from < title)
            return year;
        for (size_t i = dates.from; i < dates.to && !visit; i++)
            visit = year_at(it, i);
    }
    if (last)
        return last;
    for (size_t i = 0; i < it->count; i++) {
        uint8_t label = it->labels[i];
        bool inside = label == EXTRACT_IDENTIFIER || label == EXTRACT_WEB
            || label == EXTRACT_PAGES || label == EXTRACT_TITLE;
        if (it->tokens[i].shape != EXTRACT_YEAR || inside || of_visit(it, i))
            continue;
        if (is_in_name(it, i))
            named = it->tokens[i].number;
        else
            elsewhere = it->tokens[i].number;
    }
    return elsewhere ? elsewhere : named ? named : visit;
}

/* --- the rest */

static void find_authors(const struct extract_labelled *it, struct bib_work *work)
{
    struct extract_span span = extract_run(it, EXTRACT_AUTHOR, 0);
    while (span.to > span.from && extract_words_in(it, span) == 0)
        span = extract_run(it, EXTRACT_AUTHOR, span.to);
    bool editors = span.to == span.from;
    /* Names from the beginning on are of one list, whatever the chain took the first for. */
    size_t first_name = span.from;
    while (first_name > 0 && it->labels[first_name - 1] == EXTRACT_EDITOR)
        first_name--;
    if (first_name == 0)
        span.from = 0;
    if (editors)
        span = extract_run(it, EXTRACT_EDITOR, 0);
    /* Editors of the book are nobody's authors; those of the work itself stand before it. */
    if (editors && extract_run(it, EXTRACT_TITLE, 0).from < span.from)
        return;
    if (span.to > span.from) {
        const struct extract_token *first = &it->tokens[span.from];
        const struct extract_token *last = &it->tokens[span.to - 1];
        extract_people(work, it->text + first->at, last->at + last->len - first->at,
                       it->arena);
    }
}

static bool has_any(const struct extract_labelled *it, const char *const *words)
{
    for (size_t i = 0; i < it->count; i++) {
        for (const char *const *word = words; *word; word++) {
            if (it->labels[i] != EXTRACT_TITLE && it->labels[i] != EXTRACT_AUTHOR
                && extract_is(it, i, *word))
                return true;
        }
    }
    return false;
}

static enum bib_kind find_kind(const struct extract_labelled *it, const struct bib_work *work)
{
    static const char *const thesis[] = { "thesis", "dissertation", "thèse", "diplomarbeit",
                                          "phd", "habilitation", NULL };
    static const char *const report[] = { "report", "rfc", "rep", "memo", "whitepaper",
                                          "standard", "patent", NULL };
    size_t journal_at = extract_run(it, EXTRACT_JOURNAL, 0).from;
    size_t book_at = extract_run(it, EXTRACT_BOOK, 0).from;
    bool book = book_at < it->count, journal = journal_at < it->count
        && !(book && book_at < journal_at);
    if (has_any(it, thesis))
        return BIB_THESIS;
    if (work->arxiv_id && !book
        && (!journal || !work->volume || has_any(it, (const char *const[]){ "corr", NULL })))
        return BIB_PREPRINT;
    if (journal)
        return BIB_ARTICLE;
    if (book)
        return BIB_PAPER;
    if (has_any(it, report))
        return BIB_REPORT;
    if (extract_run(it, EXTRACT_PUBLISHER, 0).from < it->count)
        return BIB_BOOK;
    return work->url_count ? BIB_WEB : BIB_UNKNOWN;
}

/* The journal or the book; where the chain wavers between the two within one name, both. */
static struct extract_span venue_run(const struct extract_labelled *it, bool is_book)
{
    enum { NEAR = 12 };
    struct extract_span journal = extract_run(it, EXTRACT_JOURNAL, 0);
    struct extract_span book = extract_run(it, EXTRACT_BOOK, 0);
    if (is_book || book.from == book.to)
        return journal;
    if (journal.from == journal.to)
        return book;
    if (journal.from < book.from || journal.from > book.to + NEAR)
        return journal.from < book.from ? journal : book;
    for (size_t i = book.to; i < journal.from; i++) {
        uint8_t label = it->labels[i];
        if (label == EXTRACT_DATE || label == EXTRACT_VOLUME || label == EXTRACT_PAGES
            || label == EXTRACT_PUBLISHER || label == EXTRACT_EDITOR)
            return book;
    }
    return (struct extract_span){ book.from, journal.to };
}

/* "Workshop on "Citizen Linguistics"": what is quoted inside the name is of it. */
static size_t behind_quote(const struct extract_labelled *it, size_t i)
{
    if (it->tokens[i].shape != '"' || !extract_is_word(&it->tokens[i - 1]))
        return i;
    for (size_t end = i + 1; end < it->count; end++) {
        if (it->tokens[end].shape == '"')
            return end + 1;
    }
    return i;
}

/* What joins two words to one phrase. */
static bool joins(const struct extract_token *token)
{
    return extract_is_content(token) || token->shape == '-' || token->shape == '&'
        || token->shape == '/' || token->shape == '+';
}

/* Whether the name of a venue goes on at token i: no sign is between, or a colon that the name
 * has before its subtitle.  A year is of the name when words follow it. */
static bool name_goes_on(const struct extract_labelled *it, size_t i)
{
    uint8_t label = it->labels[i];
    if (label == EXTRACT_IDENTIFIER || label == EXTRACT_WEB || label == EXTRACT_PAGES)
        return false;
    const struct extract_token *before = &it->tokens[i - 1], *token = &it->tokens[i];
    if (before->shape == ':')
        return extract_is_word(token) && label != EXTRACT_PUBLISHER && label != EXTRACT_DATE;
    if (token->shape == ':')
        return joins(before) && i + 1 < it->count && extract_is_word(&it->tokens[i + 1])
            && label != EXTRACT_PLACE;
    if (!joins(before) || !joins(token))
        return false;
    if (extract_is_number(token) && token->space)
        return i + 1 < it->count && extract_is_word(&it->tokens[i + 1])
            && label != EXTRACT_VOLUME;
    return true;
}

/* A name does not change into something else in the middle of a phrase: "Journal of <place>
 * Machine Learning". */
static struct extract_span whole_name(const struct extract_labelled *it,
                                      struct extract_span span)
{
    while (span.to > span.from && span.to < it->count && name_goes_on(it, span.to)) {
        uint8_t label = it->labels[span.to];
        do
            span.to++;
        while (span.to < it->count && it->labels[span.to] == label
               && (label == EXTRACT_JOURNAL || label == EXTRACT_BOOK
                   || joins(&it->tokens[span.to])));
    }
    if (span.to > span.from && span.to < it->count)
        span.to = behind_quote(it, span.to);
    return span;
}

/* It is labelled as one, so that a year in its name is not taken for that of the work. */
static const char *venue(const struct extract_labelled *it, bool is_book)
{
    struct extract_span span = whole_name(it, venue_run(it, is_book));
    extract_relabel(it, span, EXTRACT_BOOK);
    span = extract_trim(it, span);
    return span.to > span.from ? copy(it, span) : NULL;
}

static void find_fields(const struct extract_labelled *it, struct bib_work *work)
{
    extract_title_repair(it);
    bool is_book;
    struct extract_span title = extract_title_run(it, &is_book);
    if (extract_words_in(it, title) > 0)
        work->title = copy(it, title);
    find_authors(it, work);
    work->volume = field(it, EXTRACT_VOLUME);
    work->pages = field(it, EXTRACT_PAGES);
    work->kind = find_kind(it, work);
    work->venue = venue(it, is_book);
    work->year = find_year(it);
    if (!work->venue && (work->kind == BIB_BOOK || is_book))
        work->venue = field(it, EXTRACT_PUBLISHER);
}

static wr_err parse_text(const struct extract_chain *chain, const char *text, size_t len,
                         struct wr_arena *arena, struct bib_work *work)
{
    struct extract_labelled it = { .text = text, .arena = arena };
    it.tokens = malloc((len + 1) * sizeof(*it.tokens));
    it.labels = malloc(len + 1);
    wr_err err = it.tokens && it.labels ? WR_OK : WR_NOMEM;
    if (!err) {
        it.count = extract_field_tokens(it.tokens, len, text, len);
        err = extract_field_label(chain, it.tokens, it.count, it.labels);
    }
    if (!err)
        find_fields(&it, work);
    free(it.tokens);
    free(it.labels);
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

/* "Ibid., p. 12", "Ebd., S. 3": the work of the reference before. */
static bool is_repeated(const char *text)
{
    static const char *const words[] = { "ibid", "ibidem", "ebd", "ebenda", "idem", "同上" };
    size_t len = strcspn(text, " .,;:(");
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        if (strlen(words[i]) == len && extract_word(text, len) == extract_word(words[i], len))
            return true;
    }
    return false;
}

/* Why there is nothing to look for; NULL: there is. */
static const char *skip_reason(const struct bib_reference *reference)
{
    const struct bib_work *work = &reference->work;
    if (is_repeated(reference->raw))
        return "it repeats the reference before it";
    if (!work->title && !work->doi && !work->arxiv_id)
        return "it has no title and no identifier";
    return NULL;
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
    reference.skip = skip_reason(&reference);
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
