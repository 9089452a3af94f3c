#include "extract/title_run.h"

#include "extract/author_run.h"
#include "extract/field.h"

/* "[J]", "[EB/OL]": what kind of work it is, in the Chinese standard. */
static bool is_type_mark(const struct extract_labelled *it, size_t i)
{
    return i + 2 < it->count && it->tokens[i].shape == '['
        && (it->tokens[i + 1].shape == EXTRACT_INITIAL
            || (it->tokens[i + 1].shape == EXTRACT_CAPS && it->tokens[i + 1].len == 2))
        && (it->tokens[i + 2].shape == ']' || it->tokens[i + 2].shape == '/');
}

/* What tells more about a work, and stands behind the end of its title. */
static const char *const behind_titles[][2] = {
    { "to", "appear" }, { "in", "press" }, { "submitted", "to" }, { "accepted", "for" },
    { "technical", "report" }, { "tech", "rep" }, { "phd", "thesis" }, { "ph", "d" },
    { "in", "proceedings" }, { "in", "proc" }, { "proceedings", "of" }, { "lecture", "notes" },
    { "arxiv", "preprint" }, { "available", "at" }, { "available", "online" },
    { "available", "from" }, { "doctoral", "dissertation" }, { "doctoral", "thesis" },
    { "tech", "report" }, { "workshop", "on" }, { "findings", "of" }, { "actes", "de" },
    { "journal", "of" }, { "transactions", "of" }, { "transactions", "on" },
    { "conference", "of" }, { "conference", "on" }, { "annual", "meeting" },
    { "graduate", "texts" }, { "springer", "series" }, { "springer", "monographs" },
    { "cambridge", "tracts" }, { "cambridge", "studies" }, { "oxford", "mathematical" },
};

/* Whether a new sentence of that kind begins at token i, or one with "In". */
static bool is_behind_title(const struct extract_labelled *it, size_t i)
{
    uint8_t before = it->tokens[i - 1].shape;
    if (extract_is(it, i, "phd") && extract_is(it, i + 1, "thesis"))
        return true;
    if ((before != '.' && before != ',' && before != ';' && before != '?')
        || !it->tokens[i].space)
        return false;
    for (size_t k = 0; k < sizeof(behind_titles) / sizeof(*behind_titles); k++) {
        size_t next = i + 1;
        while (next < it->count && !extract_is_content(&it->tokens[next]))
            next++;
        if (extract_is(it, i, behind_titles[k][0]) && extract_is(it, next, behind_titles[k][1]))
            return true;
    }
    if (extract_is(it, i, "proc") && i + 1 < it->count && it->tokens[i + 1].shape == '.')
        return true;
    return before == '.' && extract_is(it, i, "in")
        && it->tokens[i].shape == EXTRACT_CAPITAL;
}

/* A title stops where a mark of its kind stands, or what tells more about the work, which is
 * the book if anything; and a year behind its full stop is not of it. */
static struct extract_span cut_title(const struct extract_labelled *it,
                                     struct extract_span span)
{
    for (size_t i = span.from + 1; i < span.to; i++) {
        struct extract_span before = { span.from, i };
        if (is_type_mark(it, i))
            return before;
        if (is_behind_title(it, i) && extract_words_in(it, before) > 1) {
            extract_relabel(it, (struct extract_span){ i, span.to }, EXTRACT_BOOK);
            span.to = i;
        }
    }
    size_t last = span.to;
    while (last > span.from + 3 && !extract_is_content(&it->tokens[last - 1]))
        last--;
    if (last > span.from + 3 && it->tokens[last - 1].shape == EXTRACT_YEAR
        && it->tokens[last - 2].shape == '.')
        span.to = last - 1;
    return span;
}

/* What is quoted, if it is long enough for a title. */
static struct extract_span quoted(const struct extract_labelled *it)
{
    struct extract_span span = { 0, 0 };
    if (!extract_field_quoted(it->tokens, it->count, &span.from, &span.to))
        return (struct extract_span){ 0, 0 };
    span.from++;
    return extract_words_in(it, span) >= 2 ? span : (struct extract_span){ 0, 0 };
}

/* "(LIGO Collaboration)" is whom the authors write for. */
static bool is_collaboration(const struct extract_labelled *it, struct extract_span span)
{
    while (span.to > span.from && !extract_is_content(&it->tokens[span.to - 1]))
        span.to--;
    return span.to > span.from && extract_is(it, span.to - 1, "collaboration");
}

/* What stands before a title. */
static bool is_opening(uint8_t label)
{
    return label == EXTRACT_AUTHOR || label == EXTRACT_DATE;
}

/* A name of something else between the authors and the title is part of the title: the chain
 * was misled by its commas. */
static size_t title_from(const struct extract_labelled *it, size_t from)
{
    const uint8_t *labels = it->labels;
    size_t at = from;
    while (at > 0 && (labels[at - 1] == EXTRACT_BOOK || labels[at - 1] == EXTRACT_NOTE
                      || labels[at - 1] == EXTRACT_JOURNAL))
        at--;
    return at > 0 && is_opening(labels[at - 1]) ? at : from;
}

/* "In Search of ...", "GPT-4 Technical Report": a word that leads to a book, or a kind of
 * work, is part of the title where nothing stands between the two. */
static struct extract_span widen_title(const struct extract_labelled *it,
                                       struct extract_span span)
{
    size_t from = span.from = title_from(it, span.from);
    if (from > 1 && it->labels[from - 1] == EXTRACT_OTHER && extract_is(it, from - 1, "in")
        && it->tokens[from - 1].shape == EXTRACT_CAPITAL
        && is_opening(it->labels[from - 2]))
        span.from = from - 1;
    if (span.to < it->count && it->labels[span.to] == EXTRACT_NOTE
        && extract_is_content(&it->tokens[span.to - 1])) {
        while (span.to < it->count && it->labels[span.to] == EXTRACT_NOTE
               && extract_is_content(&it->tokens[span.to]))
            span.to++;
    }
    return span;
}

/* An initial alone was lost by a name. */
static bool says_something(const struct extract_labelled *it, struct extract_span span)
{
    for (size_t i = span.from; i < span.to; i++) {
        if (extract_is_word(&it->tokens[i]) && it->tokens[i].shape != EXTRACT_INITIAL)
            return true;
    }
    return false;
}

/* ---- repairs: where the chain is known to be misled ---- */

static bool names_editors(const struct extract_labelled *it, struct extract_span span)
{
    for (size_t i = span.from; i < span.to + 3 && i < it->count; i++) {
        if (extract_is(it, i, "eds") || extract_is(it, i, "ed") || extract_is(it, i, "editors")
            || extract_is(it, i, "editor") || extract_is(it, i, "hrsg"))
            return true;
    }
    return false;
}

/* "1994. Types, Subtypes, and Behavior": capital words and commas look like names.  What
 * stands right behind authors and year is the title, unless it is said to be editors; and so
 * is the rest of it, up to the journal. */
static void repair_title(const struct extract_labelled *it)
{
    size_t at = 0;
    while (at < it->count && is_opening(it->labels[at]))
        at++;
    if (at == 0 || at == it->count || it->labels[at] != EXTRACT_EDITOR)
        return;
    struct extract_span span = extract_run(it, EXTRACT_EDITOR, at);
    if (names_editors(it, span))
        return;
    extract_relabel(it, span, EXTRACT_TITLE);
    struct extract_span book = extract_run(it, EXTRACT_BOOK, span.to);
    if (book.from == span.to && book.to < it->count
        && it->labels[book.to] == EXTRACT_JOURNAL)
        extract_relabel(it, book, EXTRACT_TITLE);
}

/* Whether what is quoted up to token `to` is a whole: a sign stands inside the closing mark
 * or behind it, or something begins there. */
static bool ends_at_quote(const struct extract_labelled *it, size_t to)
{
    uint8_t last = it->tokens[to - 1].shape;
    if (to + 1 < it->count && it->tokens[to + 1].shape == ':')
        return false;
    if (last == ',' || last == '.' || last == '?' || last == '!' || to + 1 >= it->count)
        return true;
    const struct extract_token *after = &it->tokens[to + 1];
    return after->shape != EXTRACT_LOWER || extract_is(it, to + 1, "in");
}

/* Whether a quotation begins at token `open`, and not only a word of a title. */
static bool begins_at_quote(const struct extract_labelled *it, size_t open)
{
    if (open == 0 || is_opening(it->labels[open - 1]))
        return true;
    uint8_t before = it->tokens[open - 1].shape;
    return before == '.' || before == ',' || before == ')' || before == ';'
        || (before == ':' && it->labels[open - 1] != EXTRACT_TITLE);
}

/* Names have none. */
static bool has_small_word(const struct extract_labelled *it, struct extract_span span)
{
    for (size_t i = span.from; i < span.to; i++) {
        if (it->tokens[i].shape == EXTRACT_LOWER && it->tokens[i].len > 3)
            return true;
    }
    return false;
}

/* Where a sentence with "In" begins that leads to the book; the number of tokens: nowhere. */
static size_t in_at(const struct extract_labelled *it, size_t from)
{
    for (size_t i = from + 2; i + 1 < it->count; i++) {
        uint8_t before = it->tokens[i - 1].shape;
        bool ended = before == '.' || before == '?' || before == '!' || before == ']';
        if (ended && it->tokens[i].space && it->tokens[i].shape == EXTRACT_CAPITAL
            && extract_is(it, i, "in") && (extract_is_content(&it->tokens[i + 1])
                                           || it->tokens[i + 1].shape == ':'))
            return i;
    }
    return it->count;
}

/* What is quoted right behind the authors is the title, all of it and nothing else.  False:
 * nothing is. */
static bool repair_quoted(const struct extract_labelled *it)
{
    struct extract_span inside = quoted(it), title = extract_run(it, EXTRACT_TITLE, 0);
    size_t open = inside.from - 1;
    size_t in = in_at(it, inside.to);
    struct extract_span rest = { inside.to + 1, in };
    if (inside.to == 0 || !ends_at_quote(it, inside.to) || !begins_at_quote(it, open)
        || (in < it->count && extract_words_in(it, rest) > 0)
        || (title.from < title.to && title.from > inside.to))
        return false;
    struct extract_span before = { title.from, open };
    if (title.from < open && title.to > title.from) {
        if (has_small_word(it, before))
            return false;
        extract_relabel(it, before, EXTRACT_AUTHOR);
    }
    extract_relabel(it, (struct extract_span){ open, inside.to + 1 }, EXTRACT_TITLE);
    for (size_t i = inside.to + 1; i < it->count && it->labels[i] == EXTRACT_TITLE; i++)
        it->labels[i] = EXTRACT_JOURNAL;
    return true;
}

/* Whether tokens i - 1 and i are of one word: "Re-Formed", "p53". */
static bool is_one_word(const struct extract_labelled *it, size_t i)
{
    const struct extract_token *before = &it->tokens[i - 1], *token = &it->tokens[i];
    return !token->space && (extract_is_content(token) || token->shape == '-')
        && (extract_is_content(before) || before->shape == '-');
}

/* A title does not begin or end inside of one, but a year has letters behind it: "1998b". */
static void repair_word(const struct extract_labelled *it)
{
    struct extract_span title = extract_run(it, EXTRACT_TITLE, 0);
    size_t from = title.from, to = title.to;
    if (from == to)
        return;
    while (from > 0 && is_one_word(it, from) && it->tokens[from - 1].shape != EXTRACT_YEAR)
        it->labels[--from] = EXTRACT_TITLE;
    while (to < it->count && is_one_word(it, to))
        it->labels[to++] = EXTRACT_TITLE;
}

/* Words that lead to others: no title ends with one. */
static bool leads_on(const struct extract_labelled *it, size_t i)
{
    static const char *const words[] = { "of", "the", "in", "for", "and", "with", "on", "to",
                                         "a", "an", "by", "from", "at", "into", "between",
                                         "der", "die", "des", "von", "und", "für", "de", "la",
                                         "et", "du", "à" };
    for (size_t k = 0; k < sizeof(words) / sizeof(*words); k++) {
        if (it->tokens[i].shape == EXTRACT_LOWER && extract_is(it, i, words[k]))
            return true;
    }
    return it->tokens[i].shape == ':' || it->tokens[i].shape == '&';
}

/* "<title> development of <journal> Dictyostelium. Development": such a title goes on to the
 * end of the sentence, if something is left behind it. */
static void repair_ending(const struct extract_labelled *it)
{
    struct extract_span title = extract_run(it, EXTRACT_TITLE, 0);
    if (title.to == title.from || title.to >= it->count
        || (!leads_on(it, title.to - 1) && it->tokens[title.to].shape != ':'))
        return;
    uint8_t label = it->labels[title.to];
    if (label == EXTRACT_WEB || label == EXTRACT_DATE || label == EXTRACT_IDENTIFIER)
        return;
    size_t stop = title.to;
    while (stop < it->count && it->labels[stop] == label && it->tokens[stop].shape != '.'
           && it->tokens[stop].shape != ',' && it->tokens[stop].shape != ';')
        stop++;
    if (stop + 1 < it->count && it->labels[stop] == label)
        extract_relabel(it, (struct extract_span){ title.to, stop + 1 }, EXTRACT_TITLE);
}

/* Words with which a book begins that is not the title. */
static bool begins_book(const struct extract_labelled *it, struct extract_span span)
{
    static const char *const words[] = { "proceedings", "proc", "advances", "conference",
                                         "international", "workshop", "symposium", "lecture",
                                         "annual", "in", "transactions", "handbook" };
    size_t at = extract_trim(it, span).from;
    for (size_t k = 0; k < sizeof(words) / sizeof(*words); k++) {
        if (extract_is(it, at, words[k]))
            return true;
    }
    return at < it->count && extract_is_number(&it->tokens[at]);
}

/* "<title> blood donors <book> (in Italian) <journal> Clin Ter": what stands right between a
 * title and its journal is of the title, for a work has no book beside its journal. */
static void repair_between(const struct extract_labelled *it)
{
    struct extract_span title = extract_run(it, EXTRACT_TITLE, 0);
    size_t from = title.to;
    if (title.to > title.from && extract_is(it, from, "in")
        && it->labels[from] == EXTRACT_OTHER && extract_is_content(&it->tokens[from - 1]))
        from++;
    struct extract_span book = extract_run(it, EXTRACT_BOOK, title.to);
    if (title.to > title.from && book.from == from && book.to < it->count
        && it->labels[book.to] == EXTRACT_JOURNAL && !begins_book(it, book))
        extract_relabel(it, (struct extract_span){ title.to, book.to }, EXTRACT_TITLE);
}

/* Whether "In" begins a sentence among these tokens. */
static bool leads_to_book(const struct extract_labelled *it, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        if (extract_is(it, i, "in") && it->tokens[i - 1].shape == '.')
            return true;
    }
    return false;
}

/* "<title> interleukins <journal> 4, <volume> 13, <title> and 5 by": a title is one, also when
 * numbers in it looked like something else.  The parts are near, and what a title is followed
 * by comes behind the last. */
static void repair_parts(const struct extract_labelled *it)
{
    enum { NEAR = 8 };
    struct extract_span title = extract_run(it, EXTRACT_TITLE, 0);
    struct extract_span more = extract_run(it, EXTRACT_TITLE, title.to);
    for (; more.to > more.from; more = extract_run(it, EXTRACT_TITLE, title.to)) {
        uint8_t after = more.to < it->count ? it->labels[more.to] : EXTRACT_OTHER;
        bool ended = after == EXTRACT_JOURNAL || after == EXTRACT_BOOK
            || after == EXTRACT_PUBLISHER;
        if (!ended || more.from > title.to + NEAR || leads_to_book(it, title.to, more.from))
            return;
        extract_relabel(it, (struct extract_span){ title.to, more.from }, EXTRACT_TITLE);
        title.to = more.to;
    }
}

/* "<title> Familial aggregation. <journal> The Framingham Study. Stroke": where names have no
 * full stops, abbreviated journals have none either. */
static void repair_sentence(const struct extract_labelled *it)
{
    struct extract_span title = extract_run(it, EXTRACT_TITLE, 0);
    struct extract_span journal = extract_run(it, EXTRACT_JOURNAL, title.to);
    if (title.to == title.from || journal.from != title.to
        || !extract_field_bare(it->tokens, it->count))
        return;
    size_t stops = 0, stop = 0;
    for (size_t i = journal.from + 1; i < journal.to; i++) {
        if (it->tokens[i].shape == '.') {
            stops++;
            stop = i;
        }
    }
    if (stops == 1 && stop + 1 < journal.to && extract_is_word(&it->tokens[stop + 1]))
        extract_relabel(it, (struct extract_span){ title.to, stop + 1 }, EXTRACT_TITLE);
}

/* "<author> Jackson, <journal> Classical Electrodynamics, <publisher> Wiley", "<author> Turing.
 * <journal> On Computable Numbers. <date> 1936": what a publisher brings out, and what has
 * neither volume nor pages, is the work itself. */
static void repair_book(const struct extract_labelled *it)
{
    struct extract_span journal = extract_run(it, EXTRACT_JOURNAL, 0);
    bool other = extract_run(it, EXTRACT_TITLE, 0).from < it->count
        || extract_run(it, EXTRACT_BOOK, 0).from < it->count;
    bool published = extract_run(it, EXTRACT_PUBLISHER, 0).from < it->count;
    bool placed = extract_run(it, EXTRACT_VOLUME, 0).from < it->count
        || extract_run(it, EXTRACT_PAGES, 0).from < it->count
        || extract_run(it, EXTRACT_IDENTIFIER, 0).from < it->count;
    if (!other && (published || !placed) && extract_words_in(it, journal) > 1)
        extract_relabel(it, journal, EXTRACT_TITLE);
}

/* Where the last sentence of a title begins, or else what is behind its last comma; `to`: it
 * has only one, or nothing would be left. */
static size_t last_part(const struct extract_labelled *it, struct extract_span title)
{
    for (int comma = 0; comma < 2; comma++) {
        for (size_t i = title.to - 1; i > title.from + 2; i--) {
            uint8_t sign = it->tokens[i - 1].shape;
            bool ends = comma ? sign == ',' : sign == '.' || sign == '?';
            if (ends && it->tokens[i].space && extract_is_word(&it->tokens[i])
                && it->tokens[i].shape != EXTRACT_LOWER)
                return i;
        }
    }
    return title.to;
}

static bool names_venue(const struct extract_labelled *it, struct extract_span span)
{
    static const char *const words[] = { "conference", "workshop", "proceedings", "meeting",
                                         "symposium", "journal", "transactions", "papers",
                                         "posters", "abstracts", "conferences", "seminar" };
    for (size_t i = span.from; i < span.to; i++) {
        for (size_t k = 0; k < sizeof(words) / sizeof(*words); k++) {
            if (it->tokens[i].shape == EXTRACT_CAPITAL && extract_is(it, i, words[k]))
                return true;
        }
    }
    return false;
}

/* "<title> Models of sepsis. Surg Infect. <date> 2016; <volume> 17": what has a volume has
 * appeared somewhere; where no journal was seen, it is the last part of the title. */
static void repair_last_part(const struct extract_labelled *it)
{
    struct extract_span title = extract_trim(it, extract_run(it, EXTRACT_TITLE, 0));
    static const enum extract_field others[] = { EXTRACT_JOURNAL, EXTRACT_BOOK,
                                                 EXTRACT_PUBLISHER, EXTRACT_INSTITUTION };
    bool quotes = title.from > 0 && (it->tokens[title.from - 1].shape == '"'
                                     || it->tokens[title.from - 1].shape == '\'');
    if (quotes || title.to < title.from + 4)
        return;
    for (size_t k = 0; k < sizeof(others) / sizeof(*others); k++) {
        if (extract_run(it, others[k], 0).from < it->count)
            return;
    }
    struct extract_span last = { last_part(it, title), title.to };
    if (extract_run(it, EXTRACT_VOLUME, title.to).from < it->count || names_venue(it, last))
        extract_relabel(it, last, EXTRACT_JOURNAL);
}

/* "<title> Proc. <book> 29th ICRC" is all one book. */
static void repair_proceedings(const struct extract_labelled *it)
{
    struct extract_span title = extract_run(it, EXTRACT_TITLE, 0);
    struct extract_span book = extract_run(it, EXTRACT_BOOK, title.to);
    if (title.to > title.from && book.to > book.from && book.from <= title.to + 1
        && extract_words_in(it, title) == 1 && extract_is(it, title.from, "proc"))
        extract_relabel(it, (struct extract_span){ title.from, book.to }, EXTRACT_BOOK);
}

/* "Smith. <book> Aware technologies: <title> practices. In <editor> Nature": what stands
 * between the names and such a sentence is the title, and the sentence names the book. */
static void repair_in(const struct extract_labelled *it)
{
    size_t from = 0;
    while (from < it->count && is_opening(it->labels[from]))
        from++;
    size_t in = in_at(it, from), book = in + 1;
    if (from == 0 || in >= it->count)
        return;
    for (size_t i = from; i < in; i++) {
        uint8_t label = it->labels[i];
        if (label == EXTRACT_WEB || label == EXTRACT_IDENTIFIER || label == EXTRACT_DATE)
            return;
    }
    extract_relabel(it, (struct extract_span){ from, in }, EXTRACT_TITLE);
    it->labels[in] = EXTRACT_OTHER;
    while (book < it->count && !extract_is_content(&it->tokens[book]))
        book++;
    size_t end = book;
    while (end < it->count && it->labels[end] == it->labels[book])
        end++;
    struct extract_span run = { book, end };
    if (book < it->count && it->labels[book] != EXTRACT_BOOK
        && it->labels[book] != EXTRACT_JOURNAL && !names_editors(it, run))
        extract_relabel(it, run, EXTRACT_BOOK);
}

/* "<title> ...," <note> in Nature, <date> 2020" */
static void repair_in_small(const struct extract_labelled *it)
{
    struct extract_span title = extract_run(it, EXTRACT_TITLE, 0);
    struct extract_span note = extract_run(it, EXTRACT_NOTE, title.to);
    if (title.to > title.from && note.from == title.to && note.to > note.from
        && extract_is(it, note.from, "in")
        && extract_run(it, EXTRACT_JOURNAL, 0).from >= it->count
        && extract_run(it, EXTRACT_BOOK, 0).from >= it->count)
        extract_relabel(it, (struct extract_span){ note.from + 1, note.to }, EXTRACT_BOOK);
}

void extract_title_repair(const struct extract_labelled *it)
{
    extract_author_surname(it);
    repair_title(it);
    if (repair_quoted(it)) {
        repair_in_small(it);
        return;
    }
    extract_author_repair(it);
    repair_in(it);
    repair_proceedings(it);
    repair_word(it);
    repair_ending(it);
    repair_sentence(it);
    repair_between(it);
    repair_parts(it);
    repair_book(it);
    repair_last_part(it);
}

/* The first run that says something.  Where the chain saw none, the book is the work itself,
 * or else what is quoted. */
struct extract_span extract_title_run(const struct extract_labelled *it, bool *ret_is_book)
{
    *ret_is_book = false;
    for (struct extract_span span = extract_run(it, EXTRACT_TITLE, 0); span.to > span.from;
         span = extract_run(it, EXTRACT_TITLE, span.to)) {
        if (says_something(it, span) && !is_collaboration(it, span))
            return extract_trim(it, cut_title(it, widen_title(it, span)));
    }
    struct extract_span span = extract_trim(it, quoted(it));
    if (span.to > span.from)
        return span;
    *ret_is_book = true;
    return extract_trim(it, cut_title(it, extract_run(it, EXTRACT_BOOK, 0)));
}
