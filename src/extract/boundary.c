#include "extract/boundary.h"

#include <stdlib.h>
#include <string.h>

#include <weir/panic.h>

#include "base/forget.h"

const char *const extract_boundary_names[EXTRACT_BOUNDARIES] = { "outside", "begins",
                                                                  "continues" };

/* --- lines */

static size_t leading_spaces(const struct extract_line *line)
{
    size_t spaces = 0;
    for (size_t i = 0; i < line->len && (line->text[i] == ' ' || line->text[i] == '\t'); i++)
        spaces += line->text[i] == '\t' ? 4 : 1;
    return spaces;
}

static bool has_layout(const struct extract_line *line)
{
    return line->x1 > line->x0;
}

/* How far a line is from its margin: in points, or in characters.  The margin is the leftmost
 * line near it on the same page, so that columns have each their own. */
static bool is_indented(const struct extract_line *lines, size_t count, size_t at)
{
    enum { NEAR = 12 };
    size_t from = at > NEAR ? at - NEAR : 0, to = at + NEAR < count ? at + NEAR : count;
    if (!has_layout(&lines[at])) {
        size_t least = SIZE_MAX, own = leading_spaces(&lines[at]);
        for (size_t i = from; i < to; i++) {
            size_t spaces = leading_spaces(&lines[i]);
            if (lines[i].len > spaces && spaces < least)
                least = spaces;
        }
        return own > least + 1;
    }
    float least = lines[at].x0;
    for (size_t i = from; i < to; i++) {
        bool column = lines[i].x0 < lines[at].x1 && lines[i].x1 > lines[at].x0;
        if (lines[i].page == lines[at].page && column && lines[i].x0 < least
            && lines[at].x0 - lines[i].x0 < 72)
            least = lines[i].x0;
    }
    return lines[at].x0 - least > 4;
}

static void fill_indents(struct extract_boundary_text *text, const struct extract_line *lines)
{
    size_t indented = 0;
    for (size_t i = 0; i < text->line_count; i++) {
        text->lines[i].indent = is_indented(lines, text->line_count, i) ? 2 : 1;
        indented += text->lines[i].indent == 2;
    }
    for (size_t i = 0; indented * 20 < text->line_count && i < text->line_count; i++)
        text->lines[i].indent = 0;
}

static void fill_widths(struct extract_boundary_text *text, const struct extract_line *lines)
{
    size_t usual = 1;
    for (size_t i = 0; i < text->line_count; i++) {
        if (lines[i].len > usual && lines[i].len < 200)
            usual = lines[i].len;
    }
    for (size_t i = 0; i < text->line_count; i++) {
        size_t width = lines[i].len * 5 / (usual + 1);
        text->lines[i].width = (uint8_t)(width < 4 ? width : 4);
    }
}

/* --- labels */

/* "[12]", "(12)", "12.", "12)", "12" at token i. */
static void read_label(const struct extract_boundary_text *text, size_t i,
                       struct extract_boundary_line *line)
{
    const struct extract_token *tokens = text->tokens;
    size_t at = i, left = text->count - i;
    uint8_t open = left ? tokens[at].shape : 0;
    if (open == '[' || open == '(') {
        if (left > 2 && extract_is_number(&tokens[at + 1])
            && tokens[at + 2].shape == (open == '[' ? ']' : ')')) {
            line->form = open;
            line->number = tokens[at + 1].number;
        }
    } else if (left > 1 && extract_is_number(&tokens[at]) && tokens[at].number < 5000) {
        line->number = tokens[at].number;
        line->form = tokens[at + 1].shape == '.' || tokens[at + 1].shape == ')'
            || tokens[at + 1].shape == ']' ? tokens[at + 1].shape : ' ';
    }
}

/* How many labels of a form follow one another, when numbers that are not the next are passed
 * over; marks them when asked to.  It may begin anywhere near 1. */
static size_t order(struct extract_boundary_text *text, uint8_t form, bool mark)
{
    size_t found = 0;
    uint32_t next = 0;
    for (size_t i = 0; i < text->line_count; i++) {
        struct extract_boundary_line *line = &text->lines[i];
        if (line->form != form || line->number == 0)
            continue;
        /* One that was lost on the way must not end the list; a new list begins at 1. */
        bool goes_on = next && line->number >= next && line->number <= next + 2;
        bool starts = (next == 0 && line->number <= 3) || (next > 3 && line->number == 1);
        if (!goes_on && !starts)
            continue;
        line->in_order = mark;
        next = line->number + 1;
        found++;
    }
    return found;
}

static void fill_labels(struct extract_boundary_text *text)
{
    static const uint8_t forms[] = { '[', '.', ')', '(', ']', ' ' };
    size_t most = 0;
    for (size_t i = 0; i < text->line_count; i++)
        read_label(text, text->lines[i].token, &text->lines[i]);
    for (size_t k = 0; k < sizeof(forms); k++) {
        size_t found = order(text, forms[k], false);
        if (found >= 3 && found > most) {
            most = found;
            text->form = forms[k];
        }
    }
    if (text->form)
        order(text, text->form, true);
}

/* --- how lines begin */

static uint32_t beginning(const struct extract_boundary_text *text, size_t i)
{
    uint32_t hash = 0;
    for (size_t k = 0; k < 3; k++)
        hash = extract_mix(hash, i + k < text->count ? text->tokens[i + k].shape : 0);
    return hash;
}

/* The most frequent beginning of lines behind one that ends with a full stop. */
static void fill_start(struct extract_boundary_text *text)
{
    enum { LOOKED_AT = 120 };
    size_t most = 0, limit = text->line_count < LOOKED_AT ? text->line_count : LOOKED_AT;
    for (size_t i = 1; i < limit; i++) {
        size_t token = text->lines[i].token, same = 0;
        if (token == 0 || token >= text->count || text->tokens[token - 1].shape != '.')
            continue;
        uint32_t hash = beginning(text, token);
        for (size_t k = 1; k < limit; k++) {
            size_t other = text->lines[k].token;
            same += other > 0 && other < text->count && text->tokens[other - 1].shape == '.'
                && beginning(text, other) == hash;
        }
        if (same > most) {
            most = same;
            text->start = hash;
        }
    }
}

/* --- reading */

/* How many lines are read, and how long they are together. */
static size_t lines_read(const struct extract_line *lines, size_t count, size_t *ret_len)
{
    size_t read = 0;
    *ret_len = 0;
    while (read < count && read < EXTRACT_BOUNDARY_LINES
           && lines[read].len < EXTRACT_BOUNDARY_BYTES - *ret_len) {
        *ret_len += lines[read].len + 1;
        read++;
    }
    return read;
}

static void join(struct extract_boundary_text *text, const struct extract_line *lines,
                 size_t *starts)
{
    for (size_t i = 0; i < text->line_count; i++) {
        starts[i] = text->len;
        for (size_t k = 0; k < lines[i].len; k++) {
            char c = lines[i].text[k];
            text->text[text->len++] = (char)(c == '\n' ? ' ' : c);
        }
        text->text[text->len++] = '\n';
    }
}

static void assign_lines(struct extract_boundary_text *text, const size_t *starts)
{
    size_t line = 0;
    for (size_t i = 0; i < text->count; i++) {
        while (line + 1 < text->line_count && starts[line + 1] <= text->tokens[i].at)
            text->lines[++line].token = i;
        text->line_of[i] = (uint32_t)line;
    }
    while (line + 1 < text->line_count)
        text->lines[++line].token = text->count;
}

wr_err extract_boundary_read(struct extract_boundary_text *ret,
                             const struct extract_line *lines, size_t count)
{
    size_t len;
    count = lines_read(lines, count, &len);
    *ret = (struct extract_boundary_text){ .line_count = count };
    size_t room = len < EXTRACT_BOUNDARY_TOKENS ? len : EXTRACT_BOUNDARY_TOKENS;
    size_t *starts = calloc(count + 1, sizeof(*starts));
    ret->text = malloc(len + 1);
    ret->lines = calloc(count + 1, sizeof(*ret->lines));
    ret->tokens = malloc((room + 1) * sizeof(*ret->tokens));
    wr_err err = starts && ret->text && ret->lines && ret->tokens ? WR_OK : WR_NOMEM;
    if (!err) {
        join(ret, lines, starts);
        ret->count = extract_tokens(ret->tokens, room, ret->text, ret->len);
        ret->line_of = malloc((ret->count + 1) * sizeof(*ret->line_of));
        err = ret->line_of ? WR_OK : WR_NOMEM;
    }
    if (!err) {
        assign_lines(ret, starts);
        fill_indents(ret, lines);
        fill_widths(ret, lines);
        fill_labels(ret);
        fill_start(ret);
    }
    free(starts);
    return err;
}

void extract_boundary_free(struct extract_boundary_text *text)
{
    wr_forget_free(text->text);
    free(text->tokens);
    free(text->line_of);
    free(text->lines);
    *text = (struct extract_boundary_text){ 0 };
}

/* --- features */

static const struct extract_token none;

static const struct extract_token *near(const struct extract_boundary_text *text, size_t i,
                                        int by)
{
    if ((by < 0 && i < (size_t)-by) || (by > 0 && i + (size_t)by >= text->count))
        return &none;
    return by < 0 ? &text->tokens[i - (size_t)-by] : &text->tokens[i + (size_t)by];
}

/* What a name looks like from its first token. */
static uint32_t name_kind(const struct extract_boundary_text *text, size_t i)
{
    uint8_t s[5];
    for (int k = 0; k < 5; k++)
        s[k] = near(text, i, k)->shape;
    bool word = s[0] == EXTRACT_CAPITAL || s[0] == EXTRACT_CAPS || s[0] == EXTRACT_MIXED;
    if (s[0] == EXTRACT_INITIAL && s[1] == '.')
        return s[2] == EXTRACT_INITIAL || s[2] == EXTRACT_CAPITAL || s[2] == '-' ? 1 : 2;
    if (word && s[1] == ',' && s[2] == EXTRACT_INITIAL)
        return 3;
    if (word && (s[1] == EXTRACT_INITIAL || s[1] == EXTRACT_CAPS))
        return 4;
    bool ends = s[2] == ',' || s[2] == '.' || s[2] == EXTRACT_LOWER;
    if (word && s[1] == EXTRACT_CAPITAL && ends)
        return 5;
    if (word && s[1] == ',' && s[2] == EXTRACT_CAPITAL)
        return 6;
    if (word && s[1] == '-' && s[2] == EXTRACT_CAPITAL)
        return 7;
    return word ? 8 : s[0] == EXTRACT_LOWER ? 9 : 10;
}

/* Tokens since the last year, in steps. */
static uint32_t since_year(const struct extract_boundary_text *text, size_t i)
{
    for (uint32_t back = 1; back <= 12 && back <= i; back++) {
        if (text->tokens[i - back].shape == EXTRACT_YEAR)
            return back < 5 ? back : back < 8 ? 5 : 6;
    }
    return 0;
}

enum { BIAS, WORD, SHAPES, LINE, LABEL, NAME, YEAR, START, PER = 8 };

static void of_words(struct extract_features *ret, const struct extract_boundary_text *text,
                     size_t i, uint32_t first)
{
    const struct extract_token *w[7];
    for (int by = -3; by <= 3; by++)
        w[by + 3] = near(text, i, by);
    uint32_t before = extract_mix(w[2]->shape, w[1]->shape);
    uint32_t after = extract_mix(w[3]->shape, extract_mix(w[4]->shape, w[5]->shape));
    for (uint32_t k = 1; k < 6; k++)
        extract_feature(ret, WORD + PER * k, extract_mix(w[k]->word, first));
    extract_feature(ret, SHAPES, extract_mix(first, w[3]->shape));
    extract_feature(ret, SHAPES + PER, extract_mix(first, w[2]->shape));
    extract_feature(ret, SHAPES + PER * 2, extract_mix(first, before));
    extract_feature(ret, SHAPES + PER * 3, extract_mix(first, after));
    extract_feature(ret, SHAPES + PER * 4,
                    extract_mix(first, extract_mix(before, w[0]->shape)));
    extract_feature(ret, SHAPES + PER * 5, extract_mix(extract_mix(before, after), first));
    extract_feature(ret, SHAPES + PER * 6, extract_mix(extract_mix(w[2]->shape, after), first));
    extract_feature(ret, SHAPES + PER * 7,
                    extract_mix(extract_mix(w[2]->word, w[3]->shape), w[4]->shape));
    uint32_t name = name_kind(text, i), year = since_year(text, i);
    extract_feature(ret, NAME, extract_mix(name, first));
    extract_feature(ret, NAME + PER, extract_mix(extract_mix(name, first), w[2]->shape));
    extract_feature(ret, NAME + PER * 2, extract_mix(extract_mix(name, first), before));
    extract_feature(ret, YEAR, extract_mix(year, first));
    extract_feature(ret, YEAR + PER, extract_mix(extract_mix(year, first), w[2]->shape));
    extract_feature(ret, YEAR + PER * 2, extract_mix(extract_mix(year, name), first));
    extract_feature(ret, YEAR + PER * 3,
                    extract_mix(extract_mix(year, name), extract_mix(first, w[2]->shape)));
}

static void of_line(struct extract_features *ret, const struct extract_boundary_text *text,
                    size_t i)
{
    const struct extract_boundary_line *line = &text->lines[text->line_of[i]];
    const struct extract_boundary_line *before = text->line_of[i] ? line - 1 : line;
    uint32_t end = near(text, i, -1)->shape;
    uint32_t same_form = line->form == text->form;
    uint32_t number = text->form * 4u + same_form * 2 + line->in_order;
    uint32_t indent = (uint32_t)(line->indent * 3 + before->indent);
    uint32_t start = (uint32_t)(text->start == beginning(text, i));
    uint32_t labelled = text->form != 0;
    uint32_t all = extract_mix(number, indent);
    extract_feature(ret, LINE, extract_mix(indent, labelled));
    extract_feature(ret, LINE + PER, extract_mix(before->width, labelled));
    extract_feature(ret, LINE + PER * 2, extract_mix(extract_mix(before->width, end), indent));
    extract_feature(ret, LINE + PER * 3, extract_mix(line->width, before->width));
    extract_feature(ret, LINE + PER * 4, extract_mix(end, labelled));
    extract_feature(ret, LINE + PER * 5,
                    extract_mix(extract_mix(end, indent), extract_mix(start, labelled)));
    extract_feature(ret, LABEL, number);
    extract_feature(ret, LABEL + PER, extract_mix(number, end));
    extract_feature(ret, LABEL + PER * 2, all);
    extract_feature(ret, LABEL + PER * 3, extract_mix(all, name_kind(text, i)));
    extract_feature(ret, LABEL + PER * 4,
                    extract_mix(all, extract_mix(end, name_kind(text, i))));
    extract_feature(ret, START, extract_mix(start, labelled));
    extract_feature(ret, START + PER, extract_mix(extract_mix(start, end), before->width));
}

uint8_t extract_boundary_features(struct extract_features *ret,
                                  const struct extract_boundary_text *text, size_t i)
{
    uint32_t line = text->line_of[i];
    bool first = text->lines[line].token == i;
    uint8_t before = near(text, i, -1)->shape;
    ret->count = 0;
    extract_feature(ret, BIAS, first);
    of_words(ret, text, i, first);
    if (first)
        of_line(ret, text, i);
    extract_feature(ret, LABEL + PER * 5, extract_mix(text->form, first));
    extract_feature(ret, LABEL + PER * 6,
                    extract_mix(extract_mix(text->form, before), name_kind(text, i)));
    if (i == 0)
        return 0;
    if (first)
        return text->lines[line].in_order ? 5 : 1;
    return before == ';' ? 2 : before == '.' ? 3 : 4;
}

/* Made of src/extract/boundary.model at build time. */
extern const uint32_t extract_boundary_model[];
extern const size_t extract_boundary_model_words;

void extract_boundary_chain(struct extract_chain *ret)
{
    wr_err err = extract_chain_open(ret, extract_boundary_model, extract_boundary_model_words);
    WR_ASSERT(!err);
}

wr_err extract_boundary_label(const struct extract_chain *chain,
                              const struct extract_boundary_text *text, uint8_t *ret)
{
    WR_ASSERT(chain->labels == EXTRACT_BOUNDARIES);
    WR_ASSERT(chain->classes == EXTRACT_BOUNDARY_CLASSES);
    int32_t *scores = calloc(text->count + 1, EXTRACT_BOUNDARIES * sizeof(*scores));
    uint8_t *edges = calloc(text->count + 1, 1 + EXTRACT_BOUNDARIES);
    if (scores && edges) {
        for (size_t i = 0; i < text->count; i++) {
            struct extract_features features;
            edges[i] = extract_boundary_features(&features, text, i);
            extract_chain_score(chain, &features, scores + i * EXTRACT_BOUNDARIES);
        }
        extract_chain_best(chain, scores, edges, text->count, edges + text->count, ret);
    }
    wr_err err = scores && edges ? WR_OK : WR_NOMEM;
    free(scores);
    free(edges);
    return err;
}
