/* bibitem.c - one \bibitem after the other, as references. */
#include "extract/bibitem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/forget.h"
#include "base/text.h"
#include "biblio/bibtex.h"
#include "biblio/latex.h"
#include "extract/reference.h"
#include "extract/tex.h"

#define FIELDS_MAX 24
#define ITEM_MAX ((size_t)64 << 10)     /* bytes of one; what is more is left out */
#define BLOCKS_MAX 16

/* An item taken apart. */
struct item {
    const char *key;
    const char *body, *end;
    struct bibtex_field fields[FIELDS_MAX];
    size_t count;
};

struct reader {
    struct wr_arena *arena;
    struct item item;
    struct wr_text names;               /* of the authors, joined by " and " */
};

/* ---- \bibitem[label]{key} ---- */

/* Behind a label in brackets, in which braces may hold brackets. */
static const char *pass_label(const char *at, const char *end)
{
    size_t depth = 0;
    const char *begin = at;
    while (at < end && (unsigned char)*at <= ' ')
        at++;
    if (at >= end || *at != '[')
        return begin;
    for (; at < end; at++) {
        if (*at == '{')
            depth++;
        else if (*at == '}' && depth > 0)
            depth--;
        else if (*at == ']' && depth == 0)
            return at + 1;
    }
    return begin;
}

static void open_item(struct reader *reader, const struct extract_item *raw)
{
    struct item *item = &reader->item;
    const char *end = raw->end;
    if ((size_t)(end - raw->begin) > ITEM_MAX)
        end = raw->begin + ITEM_MAX;
    const char *at = pass_label(raw->begin + strlen("\\bibitem"), end);
    struct extract_argument key;
    bool has_key = extract_tex_argument(at, end, &key);
    item->key = has_key && key.len > 0 ? bib_latex_literal(reader->arena, key.at,
                                                           key.len) : NULL;
    item->body = has_key ? key.behind : at;
    item->end = end;
    item->count = 0;
    wr_text_rewind(&reader->names, 0);
}

/* ---- what has a name ---- */

static void add_field(struct reader *reader, const char *name, const char *value, size_t len)
{
    struct item *item = &reader->item;
    for (size_t i = 0; i < item->count; i++)
        if (strcmp(item->fields[i].name, name) == 0)
            return;
    if (item->count == FIELDS_MAX || len == 0)
        return;
    struct bibtex_field *field = &item->fields[item->count];
    field->name = name;
    field->value = wr_arena_copy(reader->arena, value, len);
    field->len = len;
    item->count += field->value != NULL;
}

/* "Donald~E. Knuth", or with \bibfnamefont{Donald} and \bibnamefont{Knuth}. */
static void add_person(struct reader *reader, struct extract_argument person)
{
    const char *end = person.at + person.len;
    const char *family_at = extract_tex_find(person.at, end, "\\bibnamefont");
    const char *given_at = extract_tex_find(person.at, end, "\\bibfnamefont");
    struct extract_argument family, given;
    if (reader->names.len > 0)
        wr_text_str(&reader->names, " and ");
    if (family_at && extract_tex_argument(family_at + 12, end, &family)) {
        wr_text_format(&reader->names, "{%.*s}", (int)family.len, family.at);
        if (given_at && extract_tex_argument(given_at + 13, end, &given))
            wr_text_format(&reader->names, ", %.*s", (int)given.len, given.at);
    } else {
        wr_text_bytes(&reader->names, person.at, person.len);
    }
}

/* Names in the styles of which the people are called so; editors are not authors. */
static bool is_person(struct extract_argument name)
{
    return (name.len == 6 && memcmp(name.at, "person", 6) == 0)
        || (name.len == 6 && memcmp(name.at, "author", 6) == 0);
}

static const char *known_name(struct extract_argument name)
{
    static const char *const names[] = { "title", "year", "journal", "booktitle", "volume",
                                         "pages",
                                         "publisher", "school", "institution", "series", "doi",
                                         "eprint", "note", "howpublished", "number", NULL };
    for (const char *const *at = names; *at; at++)
        if (strlen(*at) == name.len && memcmp(*at, name.at, name.len) == 0)
            return *at;
    return NULL;
}

/* \bibinfo{title}{...} */
static const char *read_info(struct reader *reader, const char *at)
{
    struct extract_argument name, value;
    if (!extract_tex_argument(at, reader->item.end, &name))
        return name.behind;
    if (!extract_tex_argument(name.behind, reader->item.end, &value))
        return value.behind;
    const char *known = known_name(name);
    if (is_person(name))
        add_person(reader, value);
    else if (known)
        add_field(reader, known, value.at, value.len);
    return value.behind;
}

/* \bibfield{editor}{...} is passed over; of any other the parts have names of their own. */
static const char *read_group(struct reader *reader, const char *at)
{
    struct extract_argument name, value;
    if (!extract_tex_argument(at, reader->item.end, &name))
        return name.behind;
    bool editors = name.len == 6 && memcmp(name.at, "editor", 6) == 0;
    if (editors && extract_tex_argument(name.behind, reader->item.end, &value))
        return value.behind;
    return name.behind;
}

static const char *read_one(struct reader *reader, const char *at, const char *name)
{
    struct extract_argument value;
    if (extract_tex_argument(at, reader->item.end, &value))
        add_field(reader, name, value.at, value.len);
    return value.behind;
}

static const char *read_title(struct reader *reader, const char *at)
{
    return read_one(reader, at, "title");
}

static const char *read_doi(struct reader *reader, const char *at)
{
    return read_one(reader, at, "doi");
}

static const char *read_address(struct reader *reader, const char *at)
{
    return read_one(reader, at, "url");
}

static const char *read_link(struct reader *reader, const char *at)
{
    return read_one(reader, at, "link");
}

static const struct command {
    const char *name;
    const char *(*read)(struct reader *reader, const char *at);
} commands[] = {
    { "\\bibinfo", read_info },     { "\\bibfield", read_group }, { "\\showarticletitle",
                                                                    read_title },
    { "\\showDOI", read_doi },      { "\\doi", read_doi },        { "\\url", read_address },
    { "\\showURL", read_address },  { "\\href", read_link },
};

static void read_named(struct reader *reader)
{
    const char *at = reader->item.body, *end = reader->item.end;
    while ((at = memchr(at, '\\', (size_t)(end - at)))) {
        const char *behind = at + 1;
        for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
            if (extract_tex_find(at, at + strlen(commands[i].name) + 1 < end
                                     ? at + strlen(commands[i].name) + 1 : end,
                                 commands[i].name) == at)
                behind = commands[i].read(reader, at + strlen(commands[i].name));
        }
        at = behind;
    }
    add_field(reader, "author", reader->names.at, reader->names.len);
}

static bool has(const struct item *item, const char *name)
{
    for (size_t i = 0; i < item->count; i++)
        if (strcmp(item->fields[i].name, name) == 0)
            return true;
    return false;
}

static const char *type_of(const struct item *item)
{
    return has(item, "journal") ? "article"
        : has(item, "booktitle") ? "inproceedings"
        : has(item, "school")    ? "phdthesis"
        : has(item, "publisher") ? "book"
                                 : "misc";
}

/* ---- what has none ---- */

/* A title in italics is a book's, and what follows it is not. */
static struct extract_argument in_italics(const char *at, const char *end)
{
    static const char *const starts[] = { "\\emph", "\\textit" };
    struct extract_argument group = { 0 };
    while (at < end && (unsigned char)*at <= ' ')
        at++;
    for (size_t i = 0; i < 2; i++) {
        size_t len = strlen(starts[i]);
        if ((size_t)(end - at) > len && memcmp(at, starts[i], len) == 0
            && extract_tex_argument(at + len, end, &group))
            return group;
    }
    bool old = end - at > 4 && at[0] == '{' && (memcmp(at + 1, "\\em", 3) == 0
                                                || memcmp(at + 1, "\\it", 3) == 0);
    if (!old || !extract_tex_argument(at, end, &group))
        group.len = 0;
    return group;
}

/* The title by \newblock: authors, title, and the rest.  NULL: it has no such parts. */
static const char *title_of_blocks(struct reader *reader)
{
    const char *blocks[BLOCKS_MAX], *end = reader->item.end;
    size_t count = 0;
    for (const char *at = reader->item.body; count < BLOCKS_MAX
         && (at = extract_tex_find(at, end, "\\newblock")); at += 9)
        blocks[count++] = at;
    if (count == 0)
        return NULL;
    const char *at = blocks[0] + 9, *behind = count > 1 ? blocks[1] : end;
    struct extract_argument italics = in_italics(at, behind);
    if (count < 2 && italics.len == 0)
        return NULL;
    char *title = italics.len > 0 ? bib_latex(reader->arena, italics.at, italics.len)
                                  : bib_latex(reader->arena, at, (size_t)(behind - at));
    if (!title || strncmp(title, "In ", 3) == 0 || strncmp(title, "In: ", 4) == 0)
        return NULL;
    char *series = strstr(title, ", volume ");
    if (series)
        *series = '\0';
    size_t len = strlen(title);
    while (len > 0 && strchr(".,;: ", title[len - 1]))
        title[--len] = '\0';
    return len > 0 ? title : NULL;
}

/* What is known by name stays; the rest is what the text says. */
static void complete(struct bib_work *work, const struct bib_work *read)
{
    if (!work->title)
        work->title = read->title;
    if (work->author_count == 0) {
        work->authors = read->authors;
        work->author_count = read->author_count;
        work->et_al = read->et_al;
    }
    if (work->year == 0)
        work->year = read->year;
    if (!work->venue)
        work->venue = read->venue;
    if (!work->volume)
        work->volume = read->volume;
    if (!work->pages)
        work->pages = read->pages;
    if (!work->doi)
        work->doi = read->doi;
    if (!work->arxiv_id)
        work->arxiv_id = read->arxiv_id;
    if (work->url_count == 0) {
        work->urls = read->urls;
        work->url_count = read->url_count;
    }
    if (work->kind == BIB_UNKNOWN || (work->kind == BIB_WEB && read->venue))
        work->kind = read->kind;
}

static wr_err read_text(struct reader *reader, struct bib_reference *ret)
{
    const struct item *item = &reader->item;
    struct bib_reference text = { 0 };
    ret->raw = bib_latex(reader->arena, item->body, (size_t)(item->end - item->body));
    if (!ret->raw)
        return WR_NOMEM;
    wr_err err = extract_reference(ret->raw, strlen(ret->raw), reader->arena, &text);
    if (err)
        return err;
    const char *title = text.work.author_count > 0 ? title_of_blocks(reader) : NULL;
    if (title)
        text.work.title = title;
    complete(&ret->work, &text.work);
    ret->truncated = text.truncated;
    ret->skip = ret->work.title || ret->work.doi || ret->work.arxiv_id ? NULL : text.skip;
    return reader->arena->full ? WR_NOMEM : WR_OK;
}

/* ---- all of them ---- */

static wr_err read_item(struct reader *reader, const struct extract_item *raw,
                        struct bib_reference *ret)
{
    struct item *item = &reader->item;
    struct bib_references one;
    open_item(reader, raw);
    read_named(reader);
    struct bibtex_entry entry = { .type = type_of(item), .key = item->key,
                                  .fields = item->fields,
                                  .field_count = item->count,
                                  .at = { .line = raw->line, .line_end = raw->line_end } };
    wr_err err = bibtex_references("", &(struct bibtex_file){ .entries = &entry, .count = 1 },
                                   reader->arena, &one);
    if (err)
        return err;
    *ret = one.at[0];
    return read_text(reader, ret);
}

wr_err extract_items(const struct extract_item *items, size_t count, struct wr_arena *arena,
                     struct bib_references *ret)
{
    *ret = (struct bib_references){ .at = wr_arena_alloc(arena, count * sizeof(ret->at[0])) };
    struct reader *reader = ret->at ? calloc(1, sizeof(*reader)) : NULL;
    if (!reader)
        return WR_NOMEM;
    reader->arena = arena;
    reader->names = wr_text_heap(BIBTEX_VALUE_MAX);
    wr_err err = WR_OK;
    for (size_t i = 0; !err && i < count; i++) {
        err = read_item(reader, &items[i], &ret->at[i]);
        ret->at[i].number = (uint32_t)i + 1;
        ret->count = i + 1;
    }
    wr_text_free(&reader->names);
    wr_forget_free(reader);
    return err;
}
