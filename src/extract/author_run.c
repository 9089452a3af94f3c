#include "extract/author_run.h"

static bool is_and(const struct extract_labelled *it, size_t i)
{
    return extract_is(it, i, "and") || it->tokens[i].shape == '&';
}

/* "Adleman L.": the name that this initial belongs to is there already. */
static bool has_surname_before(const struct extract_labelled *it, size_t initial)
{
    if (initial == 0)
        return false;
    const struct extract_token *before = &it->tokens[initial - 1];
    return before->shape == EXTRACT_CAPITAL || before->shape == EXTRACT_MIXED;
}

void extract_author_surname(const struct extract_labelled *it)
{
    struct extract_span span = extract_run(it, EXTRACT_AUTHOR, 0);
    if (span.to >= it->count || span.to < span.from + 2
        || it->tokens[span.from].shape != EXTRACT_INITIAL)
        return;
    size_t last = span.to - 1;
    while (last > span.from && it->tokens[last].shape == '.')
        last--;
    if (it->tokens[last].shape != EXTRACT_INITIAL || has_surname_before(it, last))
        return;
    for (size_t at = span.to; at < it->count; at++) {
        uint8_t shape = it->tokens[at].shape;
        bool joined = at > span.to && it->tokens[at - 1].shape == '-';
        if (shape == EXTRACT_INITIAL || shape == '.' || (shape == '-' && at > span.to)) {
            it->labels[at] = EXTRACT_AUTHOR;
            continue;
        }
        if (extract_is_word(&it->tokens[at])
            && (joined || it->labels[at - 1] == EXTRACT_AUTHOR))
            it->labels[at] = EXTRACT_AUTHOR;
        if (at + 1 >= it->count || it->tokens[at + 1].shape != '-'
            || it->tokens[at + 1].space)
            return;
    }
}

/* Whether these tokens are of no name: there is a small word, or two words with a space. */
static bool reads_on(const struct extract_labelled *it, size_t from, size_t to)
{
    size_t words = 0;
    bool names = false;
    for (size_t i = from; i < to; i++) {
        uint8_t shape = it->tokens[i].shape;
        bool initial = shape == EXTRACT_INITIAL && i + 1 < to
            && it->tokens[i + 1].shape == '.';
        names = names || initial || shape == ',' || shape == ';' || extract_is(it, i, "and");
        if (shape == EXTRACT_LOWER && it->tokens[i].len > 3 && it->tokens[i].space)
            return true;
        words += extract_is_word(&it->tokens[i]) && it->tokens[i].space;
    }
    return words > 1 && !names;
}

/* Where a list of names ends that runs on into the title: behind a colon, behind a surname and
 * its full stop, behind initials that have none elsewhere.  `to`: nowhere. */
static size_t names_end(const struct extract_labelled *it, struct extract_span names)
{
    static const char *const short_words[] = { "al", "eds", "ed", "jr", "sr", "dr", "st",
                                               "von", "van", "et" };
    bool bare = extract_field_bare(it->tokens, it->count);
    for (size_t i = names.from + 1; i + 1 < names.to; i++) {
        const struct extract_token *before = &it->tokens[i - 1], *after = &it->tokens[i + 1];
        if (!extract_is_word(after) || !after->space)
            continue;
        if (it->tokens[i].shape == ':')
            return i + 1;
        if (it->tokens[i].shape != '.')
            continue;
        bool initial = before->shape == EXTRACT_INITIAL
            || (before->shape == EXTRACT_CAPS && before->len <= 3);
        bool name = extract_is_word(before) && before->len > 2 && !initial;
        for (size_t k = 0; k < sizeof(short_words) / sizeof(*short_words); k++)
            name = name && !extract_is(it, i - 1, short_words[k]);
        bool first = i == names.from + 2 && reads_on(it, i + 1, names.to);
        if ((initial && (bare || first)) || name)
            return i + 1;
    }
    return names.to;
}

/* "Smith, J., Yao, W. Cluster <title> analysis": where surnames come first, a word behind the
 * last initial is of the title. */
static size_t word_behind(const struct extract_labelled *it, struct extract_span names)
{
    size_t last = names.to - 1;
    bool turned = names.to > names.from + 5 && it->tokens[names.from + 1].shape == ','
        && it->tokens[names.from + 2].shape == EXTRACT_INITIAL;
    /* "Seginer Y. Fast <title> parsing" */
    turned = turned || (names.to == names.from + 4 && extract_is_word(&it->tokens[names.from])
                        && it->tokens[names.from].shape != EXTRACT_INITIAL);
    bool word = turned && extract_is_word(&it->tokens[last])
        && it->tokens[last].shape != EXTRACT_INITIAL && it->tokens[last - 1].shape == '.'
        && it->tokens[last - 2].shape == EXTRACT_INITIAL;
    return word ? last : names.to;
}

/* "R. Kashaev, The Yang-Baxter <title> relation": a name would have a sign behind it, or an
 * initial in it. */
static size_t piece_behind(const struct extract_labelled *it, struct extract_span names)
{
    size_t at = names.to;
    if (!extract_is_content(&it->tokens[names.to - 1])
        || extract_field_bare(it->tokens, it->count))
        return names.to;
    for (; at > names.from; at--) {
        if (it->tokens[at - 1].shape == ',' || it->tokens[at - 1].shape == ';')
            break;
        bool initial = it->tokens[at - 1].shape == EXTRACT_INITIAL && at < names.to
            && it->tokens[at].shape == '.';
        if (initial || extract_is(it, at - 1, "and"))
            return names.to;
    }
    return at > names.from ? at : names.to;
}

/* Names of three scripts have a few characters; what is longer is no name. */
static size_t long_word(const struct extract_labelled *it, struct extract_span names)
{
    enum { NAME_BYTES = 18 };
    for (size_t i = names.from + 1; i < names.to; i++) {
        if (it->tokens[i].shape == EXTRACT_LETTERS && it->tokens[i].len > NAME_BYTES)
            return i;
    }
    return names.to;
}

static void repair_names_end(const struct extract_labelled *it)
{
    struct extract_span names = extract_run(it, EXTRACT_AUTHOR, 0);
    size_t title = extract_run(it, EXTRACT_TITLE, 0).from;
    uint8_t after = names.to < it->count ? it->labels[names.to] : EXTRACT_OTHER;
    bool before_book = after == EXTRACT_BOOK || after == EXTRACT_JOURNAL
        || (after == EXTRACT_DATE && extract_field_bare(it->tokens, it->count));
    if (names.to < names.from + 3 || (title < it->count && title != names.to && !before_book))
        return;
    size_t end = names_end(it, names);
    if (end == names.to && title == names.to)
        end = word_behind(it, names);
    if (end == names.to && title == names.to)
        end = piece_behind(it, names);
    if (end == names.to)
        end = long_word(it, names);
    extract_relabel(it, (struct extract_span){ end, names.to }, EXTRACT_TITLE);
}

/* "<author> Smith MS, <title> O'Leary DS: Application": the last name of a list, in the same
 * form as the others. */
static void repair_last_name(const struct extract_labelled *it)
{
    size_t at = extract_run(it, EXTRACT_TITLE, 0).from;
    if (at == 0 || at + 3 >= it->count || it->labels[at - 1] != EXTRACT_AUTHOR
        || !extract_field_bare(it->tokens, it->count))
        return;
    bool initials = it->tokens[at + 1].shape == EXTRACT_INITIAL
        || (it->tokens[at + 1].shape == EXTRACT_CAPS && it->tokens[at + 1].len <= 3);
    bool goes_on = it->tokens[at - 1].shape == ',' || is_and(it, at - 1);
    uint8_t after = it->tokens[at + 2].shape;
    bool ends = after == ':' || after == ',' || (after == '.' && it->tokens[at + 3].space);
    if (goes_on && initials && extract_is_word(&it->tokens[at]) && ends)
        extract_relabel(it, (struct extract_span){ at, at + 3 }, EXTRACT_AUTHOR);
}

/* "<title> The X Study Group. Continued benefit": a body that signs a work. */
static void repair_body(const struct extract_labelled *it)
{
    static const char *const bodies[] = { "group", "consortium", "collaboration", "committee",
                                          "team", "association", "organization", "society",
                                          "organisation", "institute", "investigators" };
    struct extract_span title = extract_run(it, EXTRACT_TITLE, 0);
    size_t stop = title.from;
    while (stop < title.to && it->tokens[stop].shape != '.')
        stop++;
    if (title.from > 0 || stop < 2 || stop + 3 >= title.to || !it->tokens[stop + 1].space)
        return;
    for (size_t k = 0; k < sizeof(bodies) / sizeof(*bodies); k++) {
        if (extract_is(it, stop - 1, bodies[k])
            && it->tokens[stop - 1].shape == EXTRACT_CAPITAL)
            extract_relabel(it, (struct extract_span){ 0, stop + 1 }, EXTRACT_AUTHOR);
    }
}

static bool is_of_names(const struct extract_labelled *it, size_t i)
{
    uint8_t shape = it->tokens[i].shape;
    return (shape >= EXTRACT_CAPITAL && shape <= EXTRACT_MIXED) || shape == ',' || shape == '&'
        || shape == '-' || extract_is(it, i, "and")
        || (shape == EXTRACT_LOWER && it->tokens[i].len <= 3)
        || (shape == '.' && (it->tokens[i - 1].shape == EXTRACT_INITIAL
                             || extract_is(it, i - 1, "md")));
}

/* Whether "Md." or ", M." is before token i. */
static bool begins_name(const struct extract_labelled *it, size_t i)
{
    if (i < 2 || it->tokens[i - 1].shape != '.')
        return false;
    return extract_is(it, i - 2, "md")
        || (i > 2 && it->tokens[i - 2].shape == EXTRACT_INITIAL
            && it->tokens[i - 3].shape == ',');
}

/* "Smith, <title> Eryawan Yulian and Akmal Hanif. Evaluating": more of the names, up to their
 * full stop or to what follows names. */
static void repair_more_names(const struct extract_labelled *it)
{
    struct extract_span title = extract_run(it, EXTRACT_TITLE, 0);
    size_t at = title.from;
    bool both = false;
    bool named = at > 0 && at < it->count && it->labels[at - 1] == EXTRACT_AUTHOR;
    both = named && is_and(it, at - 1);
    if (!named || !(both || it->tokens[at - 1].shape == ',' || begins_name(it, at)))
        return;
    for (; at < title.to && is_of_names(it, at); at++)
        both = both || is_and(it, at);
    bool stops = both && at + 3 < title.to && it->tokens[at].shape == '.'
        && it->tokens[at + 1].space;
    size_t end = at < title.to && it->tokens[at].shape == '.' ? at + 1 : at;
    uint8_t after = end < it->count ? it->labels[end] : EXTRACT_OTHER;
    bool whole = end == title.to
        && ((both && after == EXTRACT_DATE) || after == EXTRACT_AUTHOR)
        && extract_run(it, EXTRACT_TITLE, title.to).from < it->count;
    if (stops || whole)
        extract_relabel(it, (struct extract_span){ title.from, end }, EXTRACT_AUTHOR);
}

static bool is_initials(const struct extract_token *token)
{
    return token->shape == EXTRACT_INITIAL || (token->shape == EXTRACT_CAPS && token->len <= 3);
}

/* "<author> de Marcken C. Heads of, <title> and of what": a surname and its initials are all
 * names there are, where no comma is before their full stop and what follows is no surname. */
static void repair_one_name(const struct extract_labelled *it)
{
    size_t title = extract_run(it, EXTRACT_TITLE, 0).from, at = 0;
    while (at < 4 && at < it->count && extract_is_word(&it->tokens[at])
           && !is_initials(&it->tokens[at]))
        at++;
    size_t first = at + 2;                  /* behind the full stop */
    if (at == 0 || at > 3 || first >= title || title >= it->count
        || !is_initials(&it->tokens[at]) || it->tokens[at + 1].shape != '.')
        return;
    const struct extract_token *word = &it->tokens[first];
    bool capital = word->shape >= EXTRACT_CAPITAL && word->shape <= EXTRACT_MIXED;
    bool reads = it->tokens[first + 1].shape == EXTRACT_LOWER && !is_and(it, first + 1);
    bool stops = it->tokens[first + 1].shape == ':';
    if (word->space && capital && (reads || stops)) {
        extract_relabel(it, (struct extract_span){ 0, first }, EXTRACT_AUTHOR);
        extract_relabel(it, (struct extract_span){ first, title }, EXTRACT_TITLE);
    }
}

/* "<title> Ying Hao Lim and Suet Yan Liew. Alignment": names in full, where the chain has seen
 * none. */
static void repair_full_names(const struct extract_labelled *it)
{
    struct extract_span title = extract_run(it, EXTRACT_TITLE, 0);
    size_t at = 0, words = 0, fewest = SIZE_MAX;
    bool both = false;
    if (title.from > 0 || extract_run(it, EXTRACT_AUTHOR, 0).from < it->count)
        return;
    while (at < title.to && it->tokens[at].shape != '.' && (at == 0 || is_of_names(it, at))) {
        uint8_t shape = it->tokens[at].shape;
        if (is_and(it, at) || shape == ',') {
            both = both || is_and(it, at);
            fewest = words < fewest ? words : fewest;
            words = 0;
        }
        words += shape >= EXTRACT_CAPITAL && shape <= EXTRACT_MIXED;
        at++;
    }
    fewest = words < fewest ? words : fewest;
    if (both && fewest > 1 && at + 3 < title.to && it->tokens[at].shape == '.'
        && it->tokens[at + 1].space)
        extract_relabel(it, (struct extract_span){ 0, at + 1 }, EXTRACT_AUTHOR);
}

void extract_author_repair(const struct extract_labelled *it)
{
    repair_one_name(it);
    repair_full_names(it);
    repair_names_end(it);
    repair_more_names(it);
    repair_last_name(it);
    repair_body(it);
}
