#include "extract/field.h"

#include <stdlib.h>

#include <weir/panic.h>

const char *const extract_field_names[EXTRACT_FIELDS] = {
    "other", "author", "editor", "title", "book", "journal", "date", "volume", "issue", "pages",
    "publisher", "place", "identifier", "web", "note", "institution",
};

size_t extract_field_tokens(struct extract_token *ret, size_t max, const char *text, size_t len)
{
    size_t count = extract_tokens(ret, max, text, len);
    for (size_t i = 1; i + 1 < count; i++) {
        bool closes = ret[i].shape == ',' || ret[i].shape == '.' || ret[i].shape == ';'
            || ret[i].shape == ':' || ret[i].shape == ')' || ret[i].shape == ']';
        bool opens = ret[i].shape == '(' || ret[i].shape == '[';
        if ((closes && ret[i].space && !ret[i + 1].space)
            || (opens && !ret[i].space && ret[i + 1].space)) {
            ret[i].space = opens;
            ret[i + 1].space = closes;
        }
    }
    return count;
}

/* What is passed along while the places are filled. */
struct text {
    const struct extract_token *tokens;
    size_t count;
    bool bare;              /* its initials have no full stops: "Smith JK, Yao W" */
};

/* Whether a full stop behind an initial is of the initial, and ends nothing. */
static bool is_of_initial(const struct text *text, size_t i)
{
    return i > 0 && text->tokens[i - 1].shape == EXTRACT_INITIAL && !text->bare;
}

/* A piece is what lies between two of these, as far as it is not an abbreviated name. */
static bool ends_piece(const struct text *text, size_t i)
{
    const struct extract_token *tokens = text->tokens;
    switch (tokens[i].shape) {
    case ',':
    case ';':
    case ':':
    case '(':
    case ')':
    case '[':
    case ']':
    case '"':
    case '?':
    case '!': return true;
    case '.': return !is_of_initial(text, i);
    default: return false;
    }
}

static uint32_t bin(size_t value)
{
    return value < 5 ? (uint32_t)value : value < 8 ? 5 : value < 14 ? 6 : value < 24 ? 7 : 8;
}

/* How many words a piece has and of which kinds: names have few and capital ones, a title has
 * many, numbers stand alone. */
static uint32_t piece_kind(const struct extract_token *tokens, size_t from, size_t to)
{
    size_t words = 0, lower = 0, initials = 0, numbers = 0, caps = 0;
    for (size_t i = from; i < to; i++) {
        words += extract_is_word(&tokens[i]);
        lower += tokens[i].shape == EXTRACT_LOWER;
        initials += tokens[i].shape == EXTRACT_INITIAL;
        caps += tokens[i].shape == EXTRACT_CAPS;
        numbers += extract_is_number(&tokens[i]);
    }
    uint32_t kind = bin(words);
    kind = kind * 4 + (lower == 0 ? 0 : lower * 2 < words ? 1 : lower < words ? 2 : 3);
    kind = kind * 3 + (initials == 0 ? 0 : initials * 2 < words ? 1 : 2);
    kind = kind * 3 + (numbers == 0 ? 0 : numbers == 1 ? 1 : 2);
    return kind * 2 + (caps > 0) + 1;
}

static void fill_pieces(struct extract_place *ret, const struct text *text)
{
    uint32_t before = 0, nth = 0;
    size_t count = text->count;
    for (size_t from = 0; from < count;) {
        size_t to = from;
        while (to < count && !ends_piece(text, to))
            to++;
        uint32_t kind = piece_kind(text->tokens, from, to);
        size_t end = to < count ? to + 1 : to;
        for (size_t i = from; i < end; i++) {
            ret[i].piece = kind;
            ret[i].piece_before = before;
            ret[i].nth = (uint8_t)(nth < 15 ? nth : 15);
        }
        if (to > from) {
            before = kind;
            nth++;
        }
        from = end;
    }
    uint32_t after = 0, left = 0;
    for (size_t i = count; i-- > 0;) {
        ret[i].piece_after = after;
        ret[i].left = (uint8_t)(left < 11 ? left : 11);
        if (i > 0 && ends_piece(text, i - 1) && !ends_piece(text, i)) {
            after = ret[i].piece;
            left++;
        }
    }
}

/* A single mark is one of a quotation when a space stands on its outer side alone; else it is
 * an apostrophe. */
static bool opens_quote(const struct extract_token *tokens, size_t count, size_t i)
{
    if (tokens[i].shape == '"')
        return true;
    return (tokens[i].shape == '\'' || tokens[i].shape == '`') && tokens[i].space
        && i + 1 < count && !tokens[i + 1].space;
}

static bool closes_quote(const struct extract_token *tokens, size_t count, size_t i)
{
    if (tokens[i].shape == '"')
        return true;
    return tokens[i].shape == '\'' && !tokens[i].space
        && (i + 1 == count || tokens[i + 1].space || tokens[i + 1].shape > EXTRACT_DIGITS_MANY);
}

bool extract_field_quoted(const struct extract_token *tokens, size_t count, size_t *ret_from,
                          size_t *ret_to)
{
    size_t from = 0;
    while (from < count && !opens_quote(tokens, count, from))
        from++;
    size_t first = count;
    for (size_t i = from + 2; i < count; i++) {
        bool same = (tokens[i].shape == '"') == (tokens[from].shape == '"');
        if (!same || !closes_quote(tokens, count, i))
            continue;
        /* What is quoted may have quotations: a comma stands inside of the last mark. */
        first = first < count ? first : i;
        if (tokens[i - 1].shape == ',') {
            first = i;
            break;
        }
    }
    *ret_from = from;
    *ret_to = first;
    return first < count;
}

/* Before, in or behind what is quoted first; nothing is quoted at all. */
static void fill_quotes(struct extract_place *ret, const struct extract_token *tokens,
                        size_t count)
{
    size_t from = 0, to = 0;
    bool any = extract_field_quoted(tokens, count, &from, &to);
    for (size_t i = 0; i < count; i++)
        ret[i].quote = !any ? 0 : i < from ? 1 : i <= to ? 2 : 3;
}

static bool ends_sentence(const struct text *text, size_t i)
{
    return text->tokens[i].shape == '.' && i > 0 && i + 1 < text->count
        && text->tokens[i + 1].space && !is_of_initial(text, i);
}

/* A comma stands right behind initials. */
bool extract_field_bare(const struct extract_token *tokens, size_t count)
{
    enum { LOOKED_AT = 12 };
    for (size_t i = 1; i + 1 < count && i < LOOKED_AT; i++) {
        bool initials = tokens[i].shape == EXTRACT_INITIAL
            || (tokens[i].shape == EXTRACT_CAPS && tokens[i].len <= 3);
        uint8_t before = tokens[i - 1].shape, after = tokens[i + 1].shape;
        if (tokens[i].shape == '.')
            return false;
        bool name = (before >= EXTRACT_CAPITAL && before <= EXTRACT_MIXED)
            || (before == EXTRACT_LOWER && i > 1 && tokens[i - 2].shape == '-');
        bool ends = after == ',' || after == ':' || after == ';';
        if (initials && tokens[i].space && name && ends)
            return true;
    }
    return false;
}

static bool is_capital(const struct extract_token *token)
{
    return token->shape >= EXTRACT_CAPITAL && token->shape <= EXTRACT_MIXED;
}

/* Capital words that lead to a number: where a title is in small letters, they are what
 * follows it.  Small words and full stops may stand among them. */
static void fill_leads(struct extract_place *ret, const struct extract_token *tokens,
                       size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (!extract_is_number(&tokens[i]))
            continue;
        size_t from = i, words = 0, most = i > 16 ? i - 16 : 0;
        while (from > most) {
            const struct extract_token *token = &tokens[from - 1];
            bool small = token->shape == EXTRACT_LOWER && token->len <= 3 && words > 0;
            if (!is_capital(token) && !small && token->shape != '.' && token->shape != '&'
                && !(words == 0 && (token->shape == ',' || token->shape == '(')))
                break;
            words += is_capital(token);
            from--;
        }
        while (from < i && !is_capital(&tokens[from]))
            from++;
        for (size_t k = from, nth = 0; words > 0 && k < i; k++) {
            ret[k].lead = (uint8_t)(1 + (words < 6 ? words : 6) * 4 + (nth < 3 ? nth : 3));
            nth += is_capital(&tokens[k]);
        }
    }
}

void extract_field_places(struct extract_place *ret, const struct extract_token *tokens,
                          size_t count)
{
    uint8_t round = 0, square = 0, year = 0, sentence = 0;
    uint32_t run = 0;
    struct text text = { tokens, count, extract_field_bare(tokens, count) };
    for (size_t i = 0; i < count; i++) {
        if (tokens[i].space || i == 0)
            run = tokens[i].word;
        if (tokens[i].shape == '(')
            round = 1;
        else if (tokens[i].shape == '[')
            square = 1;
        ret[i] = (struct extract_place){ .bracket = (uint8_t)(round + 2 * square), .year = year,
                                         .sentence = sentence, .run = run };
        if (tokens[i].shape == ')')
            round = 0;
        else if (tokens[i].shape == ']')
            square = 0;
        year = year || tokens[i].shape == EXTRACT_YEAR;
        if (sentence < 7 && ends_sentence(&text, i))
            sentence++;
    }
    fill_quotes(ret, tokens, count);
    fill_pieces(ret, &text);
    fill_leads(ret, tokens, count);
}

/* What the beginning looks like: the style of the whole often follows from it. */
static uint32_t style(const struct extract_token *tokens, size_t count)
{
    uint32_t hash = 0;
    for (size_t i = 0; i < 4; i++)
        hash = extract_mix(hash, i < count ? tokens[i].shape : EXTRACT_NONE);
    return hash;
}

/* Which step leads to a token: by the sign before it, or what it is itself. */
static uint8_t edge_class(const struct extract_token *tokens, size_t i)
{
    static const char before[] = ".,:;()[]\"-?/&'";
    if (i == 0)
        return 0;
    for (uint8_t k = 0; before[k]; k++) {
        if (tokens[i - 1].shape == (uint8_t)before[k])
            return (uint8_t)(k + 1);
    }
    if (tokens[i].shape > EXTRACT_DIGITS_MANY)
        return 15;
    if (extract_is_number(&tokens[i]))
        return extract_is_number(&tokens[i - 1]) ? 16 : 17;
    return extract_is_number(&tokens[i - 1]) ? 18 : 19;
}

static const struct extract_token none;

static const struct extract_token *near(const struct extract_token *tokens, size_t count,
                                        size_t i, int by)
{
    if ((by < 0 && i < (size_t)-by) || (by > 0 && i + (size_t)by >= count))
        return &none;
    return by < 0 ? &tokens[i - (size_t)-by] : &tokens[i + (size_t)by];
}

enum {
    BIAS, WORD, PAIR, SHAPE, SHAPES, HEAD, TAIL, PLACE, PIECE, RUN, STYLE, SPACING, NUMBER,
    END, NTH, LENGTH, LEAD, PER = 18,
};

static void words(struct extract_features *ret, const struct extract_token *const w[7])
{
    for (uint32_t k = 0; k < 7; k++)
        extract_feature(ret, WORD + PER * k, w[k]->word);
    for (uint32_t k = 1; k < 5; k++)
        extract_feature(ret, PAIR + PER * k, extract_mix(w[k]->word, w[k + 1]->word));
    extract_feature(ret, HEAD, w[3]->head);
    extract_feature(ret, TAIL, w[3]->tail);
    extract_feature(ret, TAIL + PER, extract_mix(w[3]->tail, w[3]->shape));
    extract_feature(ret, TAIL + PER * 2, w[2]->tail);
    extract_feature(ret, TAIL + PER * 3, w[4]->tail);
}

static void shapes(struct extract_features *ret, const struct extract_token *const w[7])
{
    uint32_t before = extract_mix(w[2]->shape, w[1]->shape);
    uint32_t here = extract_mix(w[3]->shape, w[3]->space);
    uint32_t after = extract_mix(w[4]->shape, w[5]->shape);
    extract_feature(ret, SHAPE, w[3]->shape);
    extract_feature(ret, SHAPES, extract_mix(here, w[2]->shape));
    extract_feature(ret, SHAPES + PER, extract_mix(here, w[4]->shape));
    extract_feature(ret, SHAPES + PER * 2, extract_mix(here, before));
    extract_feature(ret, SHAPES + PER * 3, extract_mix(here, after));
    extract_feature(ret, SHAPES + PER * 4,
                    extract_mix(here, extract_mix(w[2]->shape, w[4]->shape)));
    extract_feature(ret, SHAPES + PER * 5, extract_mix(here, extract_mix(before, after)));
    extract_feature(ret, SHAPES + PER * 6, extract_mix(w[2]->word, after));
    extract_feature(ret, SHAPES + PER * 7, extract_mix(w[4]->word, extract_mix(here, before)));
    extract_feature(ret, SPACING, extract_mix(here, w[4]->space));
    extract_feature(ret, LENGTH, extract_mix(w[3]->shape, w[3]->len < 12 ? w[3]->len
                                             : 12 + w[3]->len / 6));
    extract_feature(ret, LENGTH + PER, extract_mix(extract_mix(w[3]->shape, w[3]->len / 3),
                                                   extract_mix(w[2]->shape, w[4]->shape)));
    if (extract_is_number(w[3])) {
        extract_feature(ret, NUMBER, extract_mix(w[3]->number / 10, w[2]->word));
        extract_feature(ret, NUMBER + PER, extract_mix(w[3]->shape, w[4]->word));
    }
}

static void places(struct extract_features *ret, const struct extract_place *at,
                   const struct extract_token *token)
{
    uint32_t inside = (uint32_t)(at->quote * 4 + at->bracket);
    uint32_t passed = (uint32_t)(at->year * 8 + at->sentence);
    uint32_t shape = token->shape;
    extract_feature(ret, PLACE, extract_mix(inside, shape));
    extract_feature(ret, PLACE + PER, extract_mix(passed, shape));
    extract_feature(ret, PLACE + PER * 2, extract_mix(inside, passed));
    extract_feature(ret, PLACE + PER * 3, extract_mix(at->quote, passed));
    extract_feature(ret, PIECE, at->piece);
    extract_feature(ret, PIECE + PER, at->piece_before);
    extract_feature(ret, PIECE + PER * 2, at->piece_after);
    extract_feature(ret, PIECE + PER * 3, extract_mix(at->piece, shape));
    extract_feature(ret, PIECE + PER * 4, extract_mix(at->piece, passed));
    extract_feature(ret, PIECE + PER * 5, extract_mix(at->piece_before, at->piece));
    extract_feature(ret, PIECE + PER * 6, extract_mix(at->piece, at->piece_after));
    extract_feature(ret, PIECE + PER * 7, extract_mix(at->piece_before, shape));
    extract_feature(ret, PIECE + PER * 8, extract_mix(at->piece_after, shape));
    extract_feature(ret, NTH, extract_mix(at->nth, at->piece));
    extract_feature(ret, NTH + PER, extract_mix(at->left, at->piece));
    extract_feature(ret, NTH + PER * 2, extract_mix(at->nth, shape));
    extract_feature(ret, NTH + PER * 3, extract_mix(at->left, shape));
    extract_feature(ret, LEAD, at->lead);
    extract_feature(ret, LEAD + PER, extract_mix(at->lead, shape));
    extract_feature(ret, LEAD + PER * 2, extract_mix(at->lead, at->piece));
    extract_feature(ret, LEAD + PER * 3, extract_mix(at->lead > 0, passed));
    extract_feature(ret, RUN, at->run);
    extract_feature(ret, RUN + PER, extract_mix(at->run, shape));
}

uint8_t extract_field_features(struct extract_features *ret, const struct extract_token *tokens,
                               const struct extract_place *places_, size_t count, size_t i)
{
    const struct extract_token *w[7];
    for (int by = -3; by <= 3; by++)
        w[by + 3] = near(tokens, count, i, by);
    uint32_t part = (uint32_t)(i * 12 / count), begin = bin(i), left = bin(count - 1 - i);
    uint32_t start = style(tokens, count);
    ret->count = 0;
    extract_feature(ret, BIAS, 0);
    words(ret, w);
    shapes(ret, w);
    places(ret, &places_[i], w[3]);
    extract_feature(ret, END, extract_mix(part, w[3]->shape));
    extract_feature(ret, END + PER, begin);
    extract_feature(ret, END + PER * 2, extract_mix(begin, w[3]->shape));
    extract_feature(ret, END + PER * 3, extract_mix(left, w[3]->shape));
    extract_feature(ret, STYLE, extract_mix(start, w[3]->shape));
    extract_feature(ret, STYLE + PER, extract_mix(start, places_[i].sentence));
    extract_feature(ret, STYLE + PER * 2, extract_mix(start, places_[i].piece));
    return edge_class(tokens, i);
}

/* Made of src/extract/field.model at build time. */
extern const uint32_t extract_field_model[];
extern const size_t extract_field_model_words;

void extract_field_chain(struct extract_chain *ret)
{
    wr_err err = extract_chain_open(ret, extract_field_model, extract_field_model_words);
    WR_ASSERT(!err);
}

wr_err extract_field_label(const struct extract_chain *chain,
                           const struct extract_token *tokens, size_t count, uint8_t *ret)
{
    WR_ASSERT(chain->labels == EXTRACT_FIELDS && chain->classes == EXTRACT_FIELD_CLASSES);
    struct extract_place *at = calloc(count + 1, sizeof(*at));
    int32_t *scores = calloc(count + 1, EXTRACT_FIELDS * sizeof(*scores));
    uint8_t *edges = calloc(count + 1, 1 + EXTRACT_FIELDS);
    if (at && scores && edges) {
        extract_field_places(at, tokens, count);
        for (size_t i = 0; i < count; i++) {
            struct extract_features features;
            edges[i] = extract_field_features(&features, tokens, at, count, i);
            extract_chain_score(chain, &features, scores + i * EXTRACT_FIELDS);
        }
        extract_chain_best(chain, scores, edges, count, edges + count, ret);
    }
    wr_err err = at && scores && edges ? WR_OK : WR_NOMEM;
    free(at);
    free(scores);
    free(edges);
    return err;
}
