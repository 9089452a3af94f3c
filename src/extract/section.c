#include "extract/section.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "biblio/fold.h"
#include "extract/tokens.h"

#define HEADING_BYTES 120
#define FOLDED 256

/* Headings in the form of bib_fold: small letters, no spaces, no accents. */
static const char *const headings[] = {
    "references", "reference", "bibliography", "workscited", "literaturecited", "literature",
    "referencesandnotes", "notesandreferences", "referencelist", "listofreferences",
    "referencescited", "citedreferences", "bibliographicreferences", "selectedbibliography",
    "referencesandfurtherreading", "supplementaryreferences", "citations", "sources",
    "literatur", "literaturverzeichnis", "quellenverzeichnis", "literaturangaben",
    "bibliographie", "referencesbibliographiques", "bibliografia", "referencias",
    "referenciasbibliograficas", "riferimenti", "riferimentibibliografici", "bibliografie",
    "literatura", "literatuur", "referenties", "referenser", "referanser", "litteratur",
    "litteraturlista", "kallor", "lahteet", "kirjallisuus", "kaynakca", "kaynaklar", "irodalom",
    "irodalomjegyzek", "pismiennictwo", "βιβλιογραφια", "αναφορες", "литература",
    "списоклитературы", "библиография", "библиографическийсписок", "参考文献", "參考文獻",
    "引用文献", "参考資料", "참고문헌",
};

/* What may follow a bibliography; a line that begins with one, and is short. */
static const char *const ends[] = {
    "appendix", "appendices", "acknowledgment", "acknowledgement", "supplementary",
    "supportinginformation", "supplemental", "ethicsstatement", "ethicalconsiderations",
    "broaderimpact", "authorcontributions", "abouttheauthor", "authorbiograph", "biograph",
    "neuripspaperchecklist", "paperchecklist", "checklist", "listoffigures", "listoftables",
    "figurelegends", "figurecaptions", "anhang", "danksagung", "annexe", "remerciements",
    "apendice", "agradecimientos", "conflictofinterest", "competinginterest",
    "dataavailability", "reproducibilitystatement", "glossary", "curriculumvitae",
};

/* The first words of what stands behind the letter of an appendix: "A Proofs". */
static const char *const appendix_words[] = {
    "additional", "proof", "proofs", "technical", "extended", "experimental", "derivation",
    "algorithm", "algorithms", "detail", "details", "detailed", "implementation", "analysis",
    "benchmark", "dataset", "datasets", "ablation", "hyperparameter", "hyperparameters",
    "prompt", "prompts", "annotation", "evaluation", "training", "baseline", "baselines",
    "reproducibility", "limitation", "limitations", "discussion", "example", "examples",
    "survey", "questionnaire", "full", "further", "human", "results", "omitted", "missing",
    "supplementary", "more", "data", "model", "notation", "background", "related",
};

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

/* The folded line, without a number of a section in front; NULL: the line is too long. */
static const char *folded(const struct extract_line *line, char buf[FOLDED])
{
    struct wr_text text = wr_text_over(buf, FOLDED);
    if (line->len > HEADING_BYTES)
        return NULL;
    bib_fold(&text, line->text, line->len);
    if (text.cut)
        return NULL;
    const char *at = buf;
    while (*at >= '0' && *at <= '9')
        at++;
    return at;
}

/* "viireferences", "breferences": the number of a section in letters. */
static bool is_roman(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (!strchr("ivxlc", text[i]))
            return false;
    }
    return true;
}

bool extract_section_heads(const struct extract_line *line)
{
    char buf[FOLDED];
    const char *text = folded(line, buf);
    if (!text || !*text)
        return false;
    size_t len = strlen(text);
    for (size_t i = 0; i < COUNT(headings); i++) {
        size_t heading = strlen(headings[i]);
        if (len < heading || strcmp(text + len - heading, headings[i]) != 0)
            continue;
        size_t before = len - heading;
        if (before == 0 || (before <= 6 && is_roman(text, before)))
            return true;
    }
    return false;
}

static bool is(const struct extract_token *token, const char *word)
{
    size_t len = strlen(word);
    return token->len == len && token->word == extract_word(word, len);
}

static bool is_listed(const struct extract_token *token)
{
    for (size_t i = 0; i < COUNT(appendix_words); i++) {
        if (is(token, appendix_words[i]))
            return true;
    }
    return false;
}

/* "A Proofs", "A. Additional results", "A.1", "B Implementation Details" */
static bool heads_appendix(const struct extract_line *line)
{
    struct extract_token tokens[8];
    size_t count = extract_tokens(tokens, 8, line->text, line->len < 60 ? line->len : 60);
    if (count < 2 || tokens[0].shape != EXTRACT_INITIAL || line->text[tokens[0].at] > 'H')
        return false;
    size_t at = 1;
    while (at < count && (tokens[at].shape == '.' || tokens[at].shape == ':'
                          || extract_is_number(&tokens[at])))
        at++;
    if (at == count)
        return count >= 3 && extract_is_number(&tokens[2]);
    return line->len < 80 && tokens[at].space && is_listed(&tokens[at]);
}

/* "A. Partitioned and other algorithms": a letter and words, nothing that a reference has. */
static bool may_head_appendix(const struct extract_line *line)
{
    struct extract_token tokens[16];
    size_t count = extract_tokens(tokens, 16, line->text, line->len < 90 ? line->len : 90);
    if (count < 3 || count == 16 || tokens[0].shape != EXTRACT_INITIAL
        || line->text[tokens[0].at] > 'H')
        return false;
    size_t at = tokens[1].shape == '.' || tokens[1].shape == ':' ? 2 : 1;
    if (tokens[at].shape != EXTRACT_CAPITAL || !tokens[at].space)
        return false;
    size_t small = 0;
    for (; at < count; at++) {
        if (extract_is_number(&tokens[at]) || tokens[at].shape == ','
            || tokens[at].shape == EXTRACT_INITIAL)
            return false;
        small += tokens[at].shape == EXTRACT_LOWER;
    }
    return small > 0 && tokens[count - 1].shape != '.';
}

static bool ends_section(const struct extract_line *line)
{
    char buf[FOLDED];
    const char *text = folded(line, buf);
    if (!text || !*text)
        return false;
    if (heads_appendix(line))
        return true;
    /* A reference whose line begins so ends with a full stop or goes on for long. */
    size_t len = line->len;
    while (len > 0 && line->text[len - 1] == ' ')
        len--;
    if (len > 70 || line->text[len - 1] == '.' || line->text[len - 1] == ',')
        return false;
    for (size_t i = 0; i < COUNT(ends); i++) {
        if (strncmp(text, ends[i], strlen(ends[i])) == 0)
            return true;
    }
    return false;
}

/* --- evidence */

/* Whether a line has what references have: a year, a DOI, initials, "pp.", a label. */
static bool looks_cited(const struct extract_line *line)
{
    struct extract_token tokens[64];
    size_t count = extract_tokens(tokens, 64, line->text, line->len);
    unsigned signs = 0;
    for (size_t i = 0; i < count; i++) {
        bool dotted = i + 1 < count && tokens[i + 1].shape == '.';
        signs += tokens[i].shape == EXTRACT_YEAR;
        signs += tokens[i].shape == EXTRACT_INITIAL && dotted;
        signs += is(&tokens[i], "doi") || is(&tokens[i], "http") || is(&tokens[i], "https");
        signs += dotted && (is(&tokens[i], "pp") || is(&tokens[i], "vol")
                            || is(&tokens[i], "proc"));
    }
    return signs >= 1;
}

/* Of a hundred lines that are not empty, how many look so; at most `most` are looked at. */
static unsigned evidence(const struct extract_line *lines, size_t from, size_t to, size_t most)
{
    size_t seen = 0, cited = 0;
    for (size_t i = from; i < to && seen < most; i++) {
        if (lines[i].len < 4)
            continue;
        seen++;
        cited += looks_cited(&lines[i]);
    }
    return seen ? (unsigned)(cited * 100 / seen) : 0;
}

#define LOOKED_AT 60
#define LOOKED_AT_BEHIND 20
#define TOO_LITTLE 20           /* of a hundred, behind what may be the heading of another */
#define ENOUGH 25               /* of a hundred, behind a heading */
#define ENOUGH_ALONE 40         /* without one */

/* Where the last list of labels begins: the last line with [1] or 1. behind which 2 and 3
 * come; `count` when there is none. */
static size_t last_list(const struct extract_line *lines, size_t count)
{
    size_t start = count;
    uint32_t next = 1;
    size_t first = count;
    for (size_t i = 0; i < count; i++) {
        struct extract_token tokens[3];
        size_t len = lines[i].len < 32 ? lines[i].len : 32;
        if (extract_tokens(tokens, 3, lines[i].text, len) < 3 || tokens[0].shape != '['
            || !extract_is_number(&tokens[1]) || tokens[2].shape != ']')
            continue;
        if (tokens[1].number == 1)
            first = i, next = 1;
        if (tokens[1].number != next)
            continue;
        next++;
        if (next == 4)
            start = first;
    }
    return start;
}

static size_t end_of(const struct extract_line *lines, size_t count, size_t from)
{
    size_t to = from;
    while (to < count && !ends_section(&lines[to])
           && !(may_head_appendix(&lines[to])
                && evidence(lines, to + 1, count, LOOKED_AT_BEHIND) < TOO_LITTLE))
        to++;
    return to;
}

static void add(struct extract_sections *ret, size_t from, size_t to)
{
    if (ret->count > 0 && ret->at[ret->count - 1].to == from)
        ret->at[ret->count - 1].to = to;
    else if (to > from && ret->count < EXTRACT_SECTIONS_MAX)
        ret->at[ret->count++] = (struct extract_section){ from, to };
}

wr_err extract_sections(struct extract_sections *ret, const struct extract_line *lines,
                        size_t count, struct wr_arena *arena)
{
    struct extract_sections sections = { 0 };
    sections.at = wr_arena_alloc(arena, EXTRACT_SECTIONS_MAX * sizeof(*sections.at));
    if (!sections.at)
        return WR_NOMEM;
    for (size_t i = 0; i < count; i++) {
        if (!extract_section_heads(&lines[i]))
            continue;
        size_t to = end_of(lines, count, i + 1);
        if (evidence(lines, i + 1, to, LOOKED_AT) < ENOUGH)
            continue;
        add(&sections, i + 1, to);
        i = to > i ? to - 1 : i;
    }
    if (sections.count == 0 && evidence(lines, 0, count, SIZE_MAX) >= ENOUGH_ALONE) {
        add(&sections, 0, count);
    } else if (sections.count == 0) {
        size_t start = last_list(lines, count);
        if (start < count)
            add(&sections, start, end_of(lines, count, start));
    }
    *ret = sections;
    return WR_OK;
}

/* --- noise */

static bool is_page_number(const struct extract_line *line)
{
    size_t digits = 0;
    for (size_t i = 0; i < line->len; i++) {
        char c = line->text[i];
        if (c >= '0' && c <= '9')
            digits++;
        else if (c != ' ' && c != '-' && c != '\f' && c != '\r' && c != '\t')
            return false;
    }
    return digits >= 1 && digits <= 4;
}

/* At the head or the foot of its page: two lines at most are between it and the edge. */
static bool is_at_edge(const struct extract_line *lines, size_t count, size_t at)
{
    uint32_t page = lines[at].page;
    return page > 0 && (at < 2 || lines[at - 2].page != page || at + 2 >= count
                        || lines[at + 2].page != page);
}

static void letters_of(const struct extract_line *line, char buf[FOLDED])
{
    struct wr_text text = wr_text_over(buf, FOLDED);
    bib_fold(&text, line->text, line->len);
    size_t kept = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (buf[i] < '0' || buf[i] > '9')
            buf[kept++] = buf[i];
    }
    buf[kept] = '\0';
}

static bool has_place(const struct extract_line *line)
{
    return line->page > 0 && line->x1 > line->x0;
}

/* On another page where this one is on its own. */
static bool same_place(const struct extract_line *a, const struct extract_line *b)
{
    enum { NEARLY = 2 };        /* points */
    return has_place(b) && a->page != b->page && fabsf(a->y0 - b->y0) < NEARLY
        && (fabsf(a->x0 - b->x0) < NEARLY || fabsf(a->x1 - b->x1) < NEARLY);
}

/* Whether one line says that the other is a running head: where it is known where lines
 * stand, the reading order of a head does not matter. */
static bool may_repeat(const struct extract_line *lines, size_t count, size_t at, size_t other)
{
    if (has_place(&lines[at]))
        return same_place(&lines[at], &lines[other]);
    return at != other && is_at_edge(lines, count, other);
}

bool extract_section_noise(const struct extract_line *lines, size_t count, size_t at)
{
    enum { NEAR = 400, TIMES = 2, LEAST = 4 };
    char own[FOLDED], other[FOLDED];
    bool edge = is_at_edge(lines, count, at);
    if (!edge && !has_place(&lines[at]))
        return false;
    if (edge && is_page_number(&lines[at]))
        return true;
    letters_of(&lines[at], own);
    if (strlen(own) < LEAST)
        return false;
    size_t from = at > NEAR ? at - NEAR : 0, to = at + NEAR < count ? at + NEAR : count;
    size_t same = 0;
    for (size_t i = from; i < to && same < TIMES; i++) {
        if (!may_repeat(lines, count, at, i))
            continue;
        letters_of(&lines[i], other);
        same += strcmp(own, other) == 0;
    }
    return same >= TIMES;
}
