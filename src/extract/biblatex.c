/* biblatex.c - a .bbl that BibLaTeX reads: \entry, \name, \field, as entries of BibTeX. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/forget.h"
#include "extract/tex.h"

#define FIELDS_MAX 64

struct reader {
    const char *at, *end;           /* of the entry */
    struct wr_arena *arena;
    struct bibtex_field fields[FIELDS_MAX];
    size_t count;
    struct wr_text names;
};

static void add_field(struct reader *reader, const char *name, size_t name_len,
                      const char *value, size_t len)
{
    if (reader->count == FIELDS_MAX || len == 0 || len > BIBTEX_VALUE_MAX)
        return;
    struct bibtex_field *field = &reader->fields[reader->count];
    field->name = wr_arena_copy(reader->arena, name, name_len);
    field->value = wr_arena_copy(reader->arena, value, len);
    field->len = len;
    reader->count += field->name && field->value;
}

/* family={Knuth} in what is one name; false: it has none. */
static bool name_part(struct extract_argument name, const char *key,
                      struct extract_argument *ret)
{
    size_t len = strlen(key);
    const char *end = name.at + name.len;
    for (const char *at = name.at; (at = memmem(at, (size_t)(end - at), key, len)); at += len)
        if (at == name.at || at[-1] == ',' || at[-1] == ' ' || at[-1] == '\n' || at[-1] == '{'
            || at[-1] == '\x01')
            return extract_tex_argument(at + len, end, ret);
    return false;
}

/* One name: of late {{hash=..}{family={..}, given={..}}}, before that a row of groups of which
 * the second is the family and the fourth the given name. */
static void read_name(struct reader *reader, struct extract_argument name)
{
    struct extract_argument family = { 0 }, given = { 0 }, prefix = { 0 }, part;
    if (name_part(name, "family=", &family)) {
        name_part(name, "given=", &given);
        name_part(name, "prefix=", &prefix);
    } else {
        const char *at = name.at, *end = name.at + name.len;
        for (int i = 0; i < 6 && extract_tex_argument(at, end, &part); i++, at = part.behind) {
            if (i == 1)
                family = part;
            else if (i == 3)
                given = part;
            else if (i == 5)
                prefix = part;
        }
    }
    if (family.len == 0)
        return;
    if (reader->names.len > 0)
        wr_text_str(&reader->names, " and ");
    wr_text_str(&reader->names, "{");
    if (prefix.len > 0) {
        wr_text_bytes(&reader->names, prefix.at, prefix.len);
        wr_text_str(&reader->names, " ");
    }
    wr_text_bytes(&reader->names, family.at, family.len);
    wr_text_str(&reader->names, "}");
    if (given.len > 0) {
        wr_text_str(&reader->names, ", ");
        wr_text_bytes(&reader->names, given.at, given.len);
    }
}

/* \name{author}{2}{options}{ {name}{name} }, also without the options. */
static const char *read_names(struct reader *reader, const char *at)
{
    struct extract_argument role, part = { 0 }, name;
    if (!extract_tex_argument(at, reader->end, &role))
        return role.behind;
    for (at = role.behind; extract_tex_argument(at, reader->end, &name); at = name.behind)
        part = name;
    if (part.len == 0)
        return name.behind;
    wr_text_rewind(&reader->names, 0);
    const char *end = part.at + part.len;
    for (const char *next = part.at; extract_tex_argument(next, end, &name); next = name.behind)
        read_name(reader, name);
    if (reader->names.len == 0)
        return name.behind;
    if (memmem(reader->at, (size_t)(reader->end - reader->at), "\\true{moreauthor}", 17))
        wr_text_str(&reader->names, " and others");
    add_field(reader, role.at, role.len, reader->names.at, reader->names.len);
    return part.behind;
}

/* \field{title}{...} */
static const char *read_field(struct reader *reader, const char *at)
{
    struct extract_argument name, value;
    if (!extract_tex_argument(at, reader->end, &name))
        return name.behind;
    if (extract_tex_argument(name.behind, reader->end, &value))
        add_field(reader, name.at, name.len, value.at, value.len);
    return value.behind;
}

/* \list{publisher}{1}{ {Springer} } */
static const char *read_list(struct reader *reader, const char *at)
{
    struct extract_argument name, count, value;
    if (!extract_tex_argument(at, reader->end, &name))
        return name.behind;
    if (!extract_tex_argument(name.behind, reader->end, &count))
        return count.behind;
    if (extract_tex_argument(count.behind, reader->end, &value))
        add_field(reader, name.at, name.len, value.at, value.len);
    return value.behind;
}

/* \verb{doi} and the line after it: \verb 10.1000/x */
static const char *read_verb(struct reader *reader, const char *at)
{
    struct extract_argument name;
    if (!extract_tex_argument(at, reader->end, &name))
        return name.behind;
    const char *line = extract_tex_find(name.behind, reader->end, "\\verb");
    if (!line)
        return name.behind;
    line += 5;
    const char *behind = memchr(line, '\n', (size_t)(reader->end - line));
    behind = behind ? behind : reader->end;
    add_field(reader, name.at, name.len, line, (size_t)(behind - line));
    return behind;
}

static const struct command {
    const char *name;
    const char *(*read)(struct reader *reader, const char *at);
} commands[] = {
    { "\\field", read_field },
    { "\\name", read_names },
    { "\\list", read_list },
    { "\\verb", read_verb },
};

static void read_fields(struct reader *reader, const char *at)
{
    while (reader->count < FIELDS_MAX
           && (at = memchr(at, '\\', (size_t)(reader->end - at)))) {
        const char *behind = at + 1;
        for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
            size_t len = strlen(commands[i].name);
            if ((size_t)(reader->end - at) > len && memcmp(at, commands[i].name, len) == 0
                && at[len] == '{')
                behind = commands[i].read(reader, at + len);
        }
        at = behind;
    }
}

/* The same entry stands in every list that the document prints. */
static bool is_known(const struct bibtex_file *file, struct extract_argument key)
{
    for (size_t i = file->count; i-- > 0 && file->count - i < 4096;)
        if (strncmp(file->entries[i].key, key.at, key.len) == 0
            && file->entries[i].key[key.len] == '\0')
            return true;
    return false;
}

static bool add_entry(struct reader *reader, struct bibtex_file *file, size_t *room,
                      const struct bibtex_entry *entry)
{
    if (file->count == *room) {
        size_t more = *room ? 2 * *room : 64;
        void *at = wr_arena_grow(reader->arena, file->entries, file->count, more,
                                 sizeof(file->entries[0]));
        if (!at)
            return false;
        file->entries = at;
        *room = more;
    }
    struct bibtex_entry *added = &file->entries[file->count++];
    *added = *entry;
    added->fields = wr_arena_grow(reader->arena, reader->fields, reader->count,
                                  reader->count, sizeof(reader->fields[0]));
    added->field_count = added->fields ? reader->count : 0;
    return added->fields;
}

static wr_err read_entries(struct reader *reader, const char *text, size_t len,
                           struct bibtex_file *ret, bool *ret_cut)
{
    const char *end = text + len, *at = text, *close = text;
    size_t room = 0;
    while (!*ret_cut && (at = extract_tex_find(at, end, "\\entry"))) {
        struct extract_argument key, type;
        struct bibtex_entry entry = { .at = { .begin = (size_t)(at - text) } };
        if (close <= at)
            close = extract_tex_find(at, end, "\\endentry");
        close = close ? close : end;
        reader->at = at;
        reader->end = close;
        at += 6;
        if (!extract_tex_argument(at, close, &key)
            || !extract_tex_argument(key.behind, close, &type) || is_known(ret, key))
            continue;
        entry.at.end = (size_t)(close - text);
        entry.key = wr_arena_copy(reader->arena, key.at, key.len);
        entry.type = wr_arena_copy(reader->arena, type.at, type.len);
        reader->count = 0;
        read_fields(reader, type.behind);
        *ret_cut = ret->count == EXTRACT_ITEMS_MAX;
        if (!entry.key || !entry.type
            || (!*ret_cut && !add_entry(reader, ret, &room, &entry)))
            return WR_NOMEM;
        at = close;
    }
    return reader->arena->full ? WR_NOMEM : WR_OK;
}

static void number_lines(struct bibtex_file *file, const char *original)
{
    uint32_t line = 1;
    for (size_t i = 0, at = 0; i < file->count; i++) {
        struct bibtex_span *span = &file->entries[i].at;
        for (; at < span->begin; at++)
            line += original[at] == '\n';
        span->line = line;
        for (; at < span->end; at++)
            line += original[at] == '\n';
        span->line_end = line;
    }
}

wr_err extract_biblatex(const char *text, const char *original, size_t len,
                        struct wr_arena *arena, struct bibtex_file *ret, bool *ret_cut)
{
    *ret = (struct bibtex_file){ 0 };
    struct reader *reader = calloc(1, sizeof(*reader));
    if (!reader)
        return WR_NOMEM;
    reader->arena = arena;
    reader->names = wr_text_heap(BIBTEX_VALUE_MAX);
    wr_err err = read_entries(reader, text, len, ret, ret_cut);
    number_lines(ret, original);
    wr_text_free(&reader->names);
    wr_forget_free(reader);
    return err;
}
