/* fix_value.c - values of BibTeX, read and written. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "biblio/bibtex_name.h"
#include "biblio/ident.h"
#include "biblio/latex.h"
#include "svc/check/fix_value.h"

/* ---- reading ---- */

static bool same(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

static bool same_names(const struct bib_work *a, const struct bib_work *b)
{
    if (a->author_count != b->author_count || a->et_al != b->et_al || a->author_count == 0)
        return false;
    for (uint32_t i = 0; i < a->author_count; i++) {
        const struct bib_name *one = &a->authors[i], *other = &b->authors[i];
        bool given = one->given || other->given ? same(one->given, other->given) : true;
        if (!given || !same(one->family, other->family))
            return false;
    }
    return true;
}

/* "1843", or a date that begins so. */
static bool says_year(const char *text, int year)
{
    char digits[16];
    int len = snprintf(digits, sizeof(digits), "%d", year);
    return text && year > 0 && strncmp(text, digits, (size_t)len) == 0
        && (text[len] == '\0' || text[len] == '-' || text[len] == '/');
}

/* Whether a value of BibTeX says of this field what the work does. */
static bool says(struct wr_arena *arena, enum bib_field kind, const char *tex, size_t len,
                 const struct bib_work *work)
{
    struct bib_work read = { 0 };
    const char *literal;
    switch (kind) {
    case BIB_FIELD_TITLE: return same(bib_latex(arena, tex, len), work->title);
    case BIB_FIELD_VENUE: return same(bib_latex(arena, tex, len), work->venue);
    case BIB_FIELD_YEAR: return says_year(bib_latex(arena, tex, len), work->year);
    case BIB_FIELD_AUTHORS:
        bibtex_names(arena, tex, len, &read);
        return same_names(&read, work);
    case BIB_FIELD_DOI:
        literal = bib_latex_literal(arena, tex, len);
        return literal && same(bib_ident_doi(arena, literal), work->doi);
    case BIB_FIELD_ARXIV_ID:
        literal = bib_latex_literal(arena, tex, len);
        return literal && same(bib_ident_arxiv(arena, literal), work->arxiv_id);
    default: return false;
    }
}

const struct bibtex_field *check_fix_field(struct wr_arena *arena, enum bib_field kind,
                                           const struct bibtex_entry *entry,
                                           const struct bib_work *cited)
{
    static const char *const names[BIB_FIELD_COUNT][8] = {
        [BIB_FIELD_TITLE] = { "title" },
        [BIB_FIELD_AUTHORS] = { "author" },
        [BIB_FIELD_YEAR] = { "year", "date" },
        [BIB_FIELD_VENUE] = { "journal", "journaltitle", "booktitle", "publisher", "school",
                              "institution", "howpublished" },
        [BIB_FIELD_DOI] = { "doi" },
        [BIB_FIELD_ARXIV_ID] = { "eprint" },
    };
    bool shared = kind == BIB_FIELD_TITLE ? bibtex_field(entry, "subtitle") != NULL
        : kind == BIB_FIELD_VENUE && same(cited->title, cited->venue);
    if (shared)
        return NULL;                    /* which of two fields is wrong nobody knows */
    for (size_t i = 0; i < 8 && names[kind][i]; i++) {
        const struct bibtex_field *field = bibtex_field(entry, names[kind][i]);
        if (field && says(arena, kind, field->value, field->len, cited))
            return field;
    }
    return NULL;
}

/* ---- writing ---- */

/* What TeX or BibTeX would take for something else.  The last sign counts too: two dashes,
 * two apostrophes are one. */
static void write_sign(struct wr_text *tex, char sign, char last)
{
    static const struct { char sign; const char *tex; } signs[] = {
        { '&', "\\&" }, { '%', "\\%" }, { '$', "\\$" }, { '#', "\\#" }, { '_', "\\_" },
        { '~', "\\textasciitilde{}" }, { '^', "\\textasciicircum{}" },
        { '\\', "\\textbackslash{}" }, { '`', "\\textasciigrave{}" },
        { '{', "\\textbraceleft{}" }, { '}', "\\textbraceright{}" },
    };
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
        if (sign == signs[i].sign) {
            wr_text_str(tex, signs[i].tex);
            return;
        }
    }
    if (sign == last && (sign == '-' || sign == '\''))
        wr_text_str(tex, "{}");
    wr_text_bytes(tex, &sign, 1);
}

static void write_plain(struct wr_text *tex, const char *text, size_t len)
{
    char last = '\0';
    for (size_t i = 0; i < len; i++) {
        write_sign(tex, text[i], last);
        last = text[i];
    }
}

/* BERT, iPhone, HIV-1: styles that write titles in small letters must leave these alone. */
static bool has_capitals_inside(const char *word, size_t len)
{
    for (size_t i = 1; i < len; i++)
        if (word[i] >= 'A' && word[i] <= 'Z' && word[i - 1] != '-')
            return true;
    return false;
}

static void write_title(struct wr_text *tex, const char *title)
{
    while (*title) {
        size_t len = strcspn(title, " "), spaces = strspn(title + len, " ");
        bool kept = has_capitals_inside(title, len);
        wr_text_str(tex, kept ? "{" : "");
        write_plain(tex, title, len);
        wr_text_str(tex, kept ? "}" : "");
        wr_text_bytes(tex, title + len, spaces);
        title += len + spaces;
    }
}

/* "van der Berg, Jan"; a name of one part is kept together by braces. */
static void write_authors(struct wr_text *tex, const struct bib_work *work)
{
    for (uint32_t i = 0; i < work->author_count; i++) {
        const char *family = work->authors[i].family, *given = work->authors[i].given;
        bool parted = given && *given;
        wr_text_str(tex, i > 0 ? " and " : "");
        wr_text_str(tex, parted ? "" : "{");
        write_plain(tex, family ? family : "", family ? strlen(family) : 0);
        wr_text_str(tex, parted ? ", " : "}");
        write_plain(tex, parted ? given : "", parted ? strlen(given) : 0);
    }
    if (work->et_al)
        wr_text_str(tex, " and others");
}

static void write_text(struct wr_text *tex, const char *text)
{
    if (text)
        write_plain(tex, text, strlen(text));
}

static void write_value(struct wr_text *tex, enum bib_field kind, const struct bib_work *found)
{
    switch (kind) {
    case BIB_FIELD_TITLE: write_title(tex, found->title ? found->title : ""); break;
    case BIB_FIELD_AUTHORS: write_authors(tex, found); break;
    case BIB_FIELD_YEAR: wr_text_i64(tex, found->year); break;
    case BIB_FIELD_VENUE: write_text(tex, found->venue); break;
    case BIB_FIELD_DOI: wr_text_str(tex, found->doi ? found->doi : ""); break;
    case BIB_FIELD_ARXIV_ID: wr_text_str(tex, found->arxiv_id ? found->arxiv_id : ""); break;
    default: break;
    }
}

/* As BibTeX counts braces: a backslash protects none. */
static bool is_balanced(const char *tex)
{
    size_t depth = 0;
    for (; *tex; tex++) {
        if (*tex == '}' && depth-- == 0)
            return false;
        depth += *tex == '{';
    }
    return depth == 0;
}

static bool is_number(const char *text, size_t len)
{
    size_t digits = 0;
    while (digits < len && text[digits] >= '0' && text[digits] <= '9')
        digits++;
    return len > 0 && digits == len;
}

/* Between what the old one stands: nothing, quotes, or braces; a title that is kept as it is
 * by braces of its own stays so. */
static const char *delimited(struct wr_arena *arena, enum bib_field kind, const char *tex,
                             const char *old, size_t old_len)
{
    bool bare = old_len > 0 && is_number(old, old_len) && is_number(tex, strlen(tex));
    bool quoted = old_len > 0 && old[0] == '"' && !strchr(tex, '"');
    bool kept = kind == BIB_FIELD_TITLE && old_len > 3 && old[1] == '{'
        && bib_latex_group_end(old + 1, old + old_len) == old + old_len - 1;
    size_t room = strlen(tex) + 5;
    char *value = wr_arena_alloc(arena, room);
    if (value)
        snprintf(value, room, "%s%s%s%s%s", bare ? "" : quoted ? "\"" : "{", kept ? "{" : "",
                 tex, kept ? "}" : "", bare ? "" : quoted ? "\"" : "}");
    return value;
}

const char *check_fix_value(struct wr_arena *arena, enum bib_field kind,
                            const struct bib_work *found, const char *old, size_t old_len)
{
    struct wr_text tex = wr_text_heap(BIBTEX_VALUE_MAX);
    const char *value = NULL;
    write_value(&tex, kind, found);
    if (tex.len > 0 && !tex.cut && is_balanced(tex.at)
        && says(arena, kind, tex.at, tex.len, found))
        value = delimited(arena, kind, tex.at, old, old_len);
    wr_text_free(&tex);
    return value;
}
