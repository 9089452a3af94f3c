/* bibtex.c - a .bib file, read by hand from left to right. */
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "base/forget.h"
#include "biblio/bibtex.h"
#include "biblio/latex.h"

struct macro {
    const char *name, *value;
    size_t name_len, len;
};

struct parser {
    const char *text, *at, *end;
    struct wr_arena *arena;
    struct bibtex_file *file;
    size_t entry_room;

    const char *counted;            /* up to here lines have been counted */
    uint32_t line;

    const char *limit;              /* where the entry must end: the next one begins here */
    const char *next;               /* the last of those that were looked for */
    bool comment_open;              /* a @comment that nobody closes was seen */

    struct bibtex_field fields[BIBTEX_FIELDS_MAX];      /* of the entry that is being read */
    size_t field_count;
    void *macros;                   /* a tree, by name without regard to case */
    size_t macro_count;
    struct wr_text value;           /* of the field that is being read */
};

/* ---- where we are ---- */

/* Asked for in the order of the file. */
static uint32_t line_at(struct parser *parser, const char *at)
{
    while (parser->counted < at) {
        const char *newline = memchr(parser->counted, '\n', (size_t)(at - parser->counted));
        parser->line += newline != NULL;
        parser->counted = newline ? newline + 1 : at;
    }
    return parser->line;
}

static void fault_on(struct parser *parser, uint32_t line, const char *what)
{
    struct bibtex_file *file = parser->file;
    if (file->fault_count < BIBTEX_FAULTS_MAX)
        file->faults[file->fault_count] = (struct bibtex_fault){ line, what };
    file->fault_count++;
}

static void fault(struct parser *parser, const char *at, const char *what)
{
    fault_on(parser, line_at(parser, at), what);
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

/* What a name may be made of: everything that has no meaning of its own. */
static bool in_name(char c)
{
    return (unsigned char)c > ' ' && !one_of(c, "\"#%'(),={}");
}

static void pass_spaces(struct parser *parser)
{
    while (parser->at < parser->limit && is_space(*parser->at))
        parser->at++;
}

/* Whether the next sign is this one; it is passed over then. */
static bool take(struct parser *parser, char sign)
{
    bool there = parser->at < parser->limit && *parser->at == sign;
    parser->at += there;
    return there;
}

/* The next entry that begins a line, as all do that people write: what is not closed ends
 * there.  A line in a value that looks so is rarer than a brace that is missing. */
static const char *find_entry(const char *at, const char *end)
{
    while ((at = memchr(at, '\n', (size_t)(end - at)))) {
        while (at < end && is_space(*at))
            at++;
        const char *begin = at;
        if (at >= end || *at != '@')
            continue;
        for (at++; at < end && is_letter(*at);)
            at++;
        while (at < end && (*at == ' ' || *at == '\t'))
            at++;
        if (at < end && at > begin + 1 && (*at == '{' || *at == '('))
            return begin;
    }
    return end;
}

static const char *next_entry(struct parser *parser)
{
    if (parser->next <= parser->at)
        parser->next = find_entry(parser->at, parser->end);
    return parser->next;
}

/* ---- macros ---- */

static int compare_macros(const void *a, const void *b)
{
    const struct macro *one = a, *other = b;
    size_t a_len = one->name_len, b_len = other->name_len;
    int order = strncasecmp(one->name, other->name, a_len < b_len ? a_len : b_len);
    return order ? order : (a_len > b_len) - (a_len < b_len);
}

static const struct macro *find_macro(const struct parser *parser, const char *name, size_t len)
{
    struct macro **found = tfind(&(struct macro){ .name = name, .name_len = len },
                                 &parser->macros, compare_macros);
    return found ? *found : NULL;
}

/* The last of the same name counts. */
static void add_macro(struct parser *parser, const struct bibtex_field *field)
{
    if (parser->macro_count == BIBTEX_MACROS_MAX) {
        fault(parser, parser->at, "there are more macros than can be kept");
        return;
    }
    struct macro *macro = wr_arena_alloc(parser->arena, sizeof(*macro));
    if (!macro)
        return;
    *macro = (struct macro){ field->name, field->value, strlen(field->name), field->len };
    struct macro **kept = tsearch(macro, &parser->macros, compare_macros);
    if (kept && *kept != macro)
        **kept = *macro;
    parser->macro_count++;
}

static void keep(void *macro)
{
    (void)macro;                    /* it lies in the arena */
}

/* ---- values ---- */

/* Behind the value that begins here with a brace or a quote; NULL: it is not closed.  A
 * backslash protects nothing, as for BibTeX. */
static const char *delimited_end(const char *at, const char *end)
{
    bool quoted = *at == '"';
    size_t depth = 0;
    for (at += quoted; at < end; at++) {
        bool closes = *at == '"' && quoted && depth == 0;
        if (*at == '{')
            depth++;
        else if (*at == '}' && depth > 0)
            closes = --depth == 0 && !quoted;
        if (closes)
            return at + 1;
    }
    return NULL;
}

/* A number, a macro, or what was meant to be in braces: up to the end of the line. */
static void read_bare(struct parser *parser)
{
    const char *begin = parser->at;
    while (parser->at < parser->limit && in_name(*parser->at))
        parser->at++;
    size_t len = (size_t)(parser->at - begin);
    const char *behind = parser->at;
    while (behind < parser->limit && is_space(*behind))
        behind++;
    if (len > 0 && behind < parser->limit && one_of(*behind, ",#})")) {
        const struct macro *macro = find_macro(parser, begin, len);
        wr_text_bytes(&parser->value, macro ? macro->value : begin, macro ? macro->len : len);
        return;
    }
    fault(parser, begin, "a value is neither in braces nor in quotes");
    while (parser->at < parser->limit && !one_of(*parser->at, ",\n{}"))
        parser->at++;
    while (parser->at > begin && is_space(parser->at[-1]))
        parser->at--;
    wr_text_bytes(&parser->value, begin, (size_t)(parser->at - begin));
}

/* One part of a value; false: it is not closed. */
static bool read_part(struct parser *parser)
{
    if (parser->at >= parser->limit)
        return false;
    if (*parser->at != '{' && *parser->at != '"') {
        read_bare(parser);
        return true;
    }
    const char *close = delimited_end(parser->at, parser->limit);
    if (!close)
        return false;
    wr_text_bytes(&parser->value, parser->at + 1, (size_t)(close - parser->at) - 2);
    parser->at = close;
    return true;
}

/* A value: parts joined by #.  False: it is not closed. */
static bool read_value(struct parser *parser, struct bibtex_field *field)
{
    wr_text_rewind(&parser->value, 0);
    const char *begin = parser->at, *behind;
    uint32_t line = line_at(parser, begin);
    do {
        pass_spaces(parser);
        if (!read_part(parser))
            return false;
        behind = parser->at;
        pass_spaces(parser);
    } while (take(parser, '#'));
    if (parser->value.cut)
        fault_on(parser, line, "a value is too long and was cut");
    field->at = (struct bibtex_span){ (size_t)(begin - parser->text),
                                      (size_t)(behind - parser->text), line,
                                      line_at(parser, behind) };
    field->value = wr_arena_copy(parser->arena, parser->value.at, parser->value.len);
    field->len = parser->value.len;
    return true;
}

static char *lower_copy(struct parser *parser, const char *at, size_t len)
{
    char *copy = wr_arena_copy(parser->arena, at, len);
    for (char *c = copy; c && *c; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c | 0x20);
    return copy;
}

/* ---- fields ---- */

static bool has_field(const struct parser *parser, const char *name)
{
    for (size_t i = 0; i < parser->field_count; i++)
        if (strcmp(parser->fields[i].name, name) == 0)
            return true;
    return false;
}

static void keep_field(struct parser *parser, const struct bibtex_field *field)
{
    if (!field->name || !field->value || has_field(parser, field->name))
        return;
    if (parser->field_count == BIBTEX_FIELDS_MAX)
        fault(parser, parser->at, "an entry has too many fields");
    else
        parser->fields[parser->field_count++] = *field;
}

/* To the comma behind something that cannot be read. */
static void pass_rubbish(struct parser *parser, char close)
{
    fault(parser, parser->at, "not a field: what is expected is a name, = and a value");
    while (parser->at < parser->limit && *parser->at != ',' && *parser->at != close) {
        const char *group = parser->at + 1;
        if (*parser->at == '{')
            group = delimited_end(parser->at, parser->limit);
        parser->at = group ? group : parser->limit;
    }
}

/* Fields up to the sign that closes the entry.  False: it is not closed. */
static bool read_fields(struct parser *parser, char close)
{
    bool comma = true;
    for (;;) {
        pass_spaces(parser);
        if (parser->at >= parser->limit)
            return false;
        if (take(parser, close))
            return true;
        if (take(parser, ',')) {
            comma = true;
            continue;
        }
        const char *begin = parser->at;
        while (parser->at < parser->limit && in_name(*parser->at))
            parser->at++;
        struct bibtex_field field = { 0 };
        size_t len = (size_t)(parser->at - begin);
        pass_spaces(parser);
        if (len == 0 || !take(parser, '=')) {
            pass_rubbish(parser, close);
            continue;
        }
        if (!comma)
            fault(parser, begin, "a comma is missing before this field");
        comma = false;
        pass_spaces(parser);
        if (parser->at < parser->limit && (*parser->at == ',' || *parser->at == close))
            continue;
        field.name = lower_copy(parser, begin, len);
        if (!read_value(parser, &field))
            return false;
        keep_field(parser, &field);
    }
}

/* ---- entries ---- */

/* The key is what stands before the first comma; where that is a field there is none. */
static const char *read_key(struct parser *parser, char close)
{
    pass_spaces(parser);
    const char *begin = parser->at;
    while (parser->at < parser->limit && *parser->at != ',' && *parser->at != close
           && *parser->at != '=' && *parser->at != '\n')
        parser->at++;
    if (parser->at < parser->limit && *parser->at == '=') {
        fault(parser, begin, "the entry has no key");
        parser->at = begin;
        return NULL;
    }
    const char *end = parser->at;
    while (end > begin && is_space(end[-1]))
        end--;
    return end > begin ? wr_arena_copy(parser->arena, begin, (size_t)(end - begin)) : NULL;
}

static void add_entry(struct parser *parser, struct bibtex_entry *entry)
{
    struct bibtex_file *file = parser->file;
    if (file->count == BIBTEX_ENTRIES_MAX) {
        fault(parser, parser->at, "there are more entries than can be read");
        parser->at = parser->end;
        return;
    }
    if (file->count == parser->entry_room) {
        size_t room = parser->entry_room ? 2 * parser->entry_room : 64;
        void *more = wr_arena_grow(parser->arena, file->entries, file->count, room,
                                   sizeof(*entry));
        if (!more)
            return;
        file->entries = more;
        parser->entry_room = room;
    }
    entry->fields = wr_arena_grow(parser->arena, parser->fields, parser->field_count,
                                  parser->field_count, sizeof(parser->fields[0]));
    entry->field_count = entry->fields ? parser->field_count : 0;
    file->entries[file->count++] = *entry;
}

static void read_entry(struct parser *parser, struct bibtex_entry *entry, char close)
{
    entry->key = read_key(parser, close);
    if (!read_fields(parser, close)) {
        fault_on(parser, entry->at.line, "the entry is not closed");
        parser->at = parser->limit;
    }
    const char *behind = parser->at;
    while (is_space(behind[-1]))
        behind--;
    entry->at.end = (size_t)(behind - parser->text);
    entry->at.line_end = line_at(parser, behind);
    add_entry(parser, entry);
}

/* Comments may hold entries, so what counts is the brace that closes them; one that is not
 * closed is a line. */
static void pass_comment(struct parser *parser)
{
    const char *close = parser->comment_open ? NULL : delimited_end(parser->at, parser->end);
    if (close)
        parser->at = close;
    else
        parser->comment_open = true;
}

static bool is_type(const struct bibtex_entry *entry, const char *type)
{
    return entry->type && strcmp(entry->type, type) == 0;
}

/* Behind an @. */
static void read_one(struct parser *parser)
{
    const char *begin = parser->at - 1, *name = parser->at;
    parser->limit = parser->end;
    while (parser->at < parser->end && is_letter(*parser->at))
        parser->at++;
    size_t len = (size_t)(parser->at - name);
    pass_spaces(parser);
    if (len == 0 || parser->at >= parser->end || (*parser->at != '{' && *parser->at != '('))
        return;                     /* an address in what stands between entries */
    struct bibtex_entry entry = { .type = lower_copy(parser, name, len) };
    if (is_type(&entry, "comment") && *parser->at == '{') {
        pass_comment(parser);
        return;
    }
    char close = *parser->at++ == '{' ? '}' : ')';
    parser->limit = next_entry(parser);
    parser->field_count = 0;
    entry.at.begin = (size_t)(begin - parser->text);
    entry.at.line = line_at(parser, begin);
    if (is_type(&entry, "preamble")) {
        struct bibtex_field ignored;
        if (!read_value(parser, &ignored))
            fault_on(parser, entry.at.line, "the preamble is not closed");
    } else if (is_type(&entry, "string")) {
        if (!read_fields(parser, close))
            fault_on(parser, entry.at.line, "the macro is not closed");
        for (size_t i = 0; i < parser->field_count; i++)
            add_macro(parser, &parser->fields[i]);
    } else if (!is_type(&entry, "comment")) {
        read_entry(parser, &entry, close);
    }
}

wr_err bibtex_parse(const char *text, size_t len, struct wr_arena *arena,
                    struct bibtex_file *ret)
{
    *ret = (struct bibtex_file){ .faults = wr_arena_alloc(arena, BIBTEX_FAULTS_MAX
                                                          * sizeof(ret->faults[0])) };
    struct parser *parser = calloc(1, sizeof(*parser));
    if (!parser || !ret->faults) {
        wr_forget_free(parser);
        return WR_NOMEM;
    }
    parser->text = parser->at = parser->counted = text;
    parser->end = text + len;
    parser->arena = arena;
    parser->file = ret;
    parser->line = 1;
    parser->value = wr_text_heap(BIBTEX_VALUE_MAX);
    while (!arena->full
           && (parser->at = memchr(parser->at, '@', (size_t)(parser->end - parser->at)))) {
        parser->at++;
        read_one(parser);
    }
    wr_text_free(&parser->value);
    tdestroy(parser->macros, keep);
    wr_forget_free(parser);
    return arena->full ? WR_NOMEM : WR_OK;
}

const struct bibtex_field *bibtex_field(const struct bibtex_entry *entry, const char *name)
{
    for (size_t i = 0; i < entry->field_count; i++)
        if (strcmp(entry->fields[i].name, name) == 0)
            return &entry->fields[i];
    return NULL;
}
