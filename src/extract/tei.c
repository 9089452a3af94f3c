/* tei.c - references in TEI: one pass, the fields of the reference that is open. */
#include "extract/tei.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/forget.h"
#include "base/text.h"
#include "biblio/ident.h"
#include "extract/reference.h"
#include "extract/xml.h"

#define TEXT_MAX 16384
#define AUTHORS_MAX 4096
#define URLS_MAX 8

struct reader {
    struct wr_arena *arena;
    struct bib_references *ret;
    size_t room;
    wr_err err;

    unsigned header, structure, bibl;       /* how deep we are in one */
    unsigned analytic, monograph, author, note;

    struct bib_reference reference;         /* that is open */
    const char *analytic_title, *monograph_title, *journal, *publisher, *raw;
    struct bib_name *authors;
    size_t author_count, author_room;
    const char *urls[URLS_MAX];
    struct wr_text given, surname, name;
    struct wr_text text;                    /* of the element that is open */
    struct wr_text whole;                   /* of the bibl that is open */
    char unit[16], kind[16], level[4];
};

/* ---- text ---- */

/* With spaces collapsed; NULL when there is nothing. */
static const char *collapsed(struct reader *reader, const struct wr_text *text)
{
    char *copy = wr_arena_copy(reader->arena, text->at, text->len);
    size_t len = 0;
    for (const char *at = copy; at && *at; at++) {
        char c = *at;
        if ((unsigned char)c <= ' ')
            c = ' ';
        if (c != ' ' || (len > 0 && copy[len - 1] != ' '))
            copy[len++] = c;
    }
    while (len > 0 && copy[len - 1] == ' ')
        len--;
    if (!copy || len == 0)
        return NULL;
    copy[len] = '\0';
    return copy;
}

static void on_text(void *arg, const char *bytes, size_t len)
{
    struct reader *reader = arg;
    if (reader->structure)
        wr_text_bytes(&reader->text, bytes, len);
    if (reader->bibl)
        wr_text_bytes(&reader->whole, bytes, len);
}

static void keep_attribute(char *buf, size_t size, const char *const *attributes,
                           const char *name)
{
    const char *value = extract_xml_attribute(attributes, name);
    struct wr_text text = wr_text_over(buf, size);
    wr_text_str(&text, value ? value : "");
}

/* ---- the elements of a reference ---- */

static void add_url(struct reader *reader, const char *url)
{
    struct bib_work *work = &reader->reference.work;
    if (!url || !strstr(url, "://") || work->url_count == URLS_MAX)
        return;
    const char *copy = wr_arena_str(reader->arena, url);
    if (copy)
        reader->urls[work->url_count++] = copy;
}

static void read_date(struct reader *reader, const char *const *attributes)
{
    const char *when = extract_xml_attribute(attributes, "when");
    long year = when ? strtol(when, NULL, 10) : 0;
    if (reader->reference.work.year == 0 && year >= 1000 && year < 3000)
        reader->reference.work.year = (int)year;
}

/* <biblScope unit="page" from="1" to="9"/> */
static void read_range(struct reader *reader, const char *const *attributes)
{
    const char *from = extract_xml_attribute(attributes, "from");
    const char *to = extract_xml_attribute(attributes, "to");
    keep_attribute(reader->unit, sizeof(reader->unit), attributes, "unit");
    if (!from || strcmp(reader->unit, "page") != 0)
        return;
    wr_text_rewind(&reader->text, 0);
    wr_text_format(&reader->text, to ? "%s–%s" : "%s", from, to);
    reader->reference.work.pages = collapsed(reader, &reader->text);
}

static void open_reference(struct reader *reader, const char *const *attributes)
{
    const char *key = extract_xml_attribute(attributes, "id");
    reader->reference = (struct bib_reference){ 0 };
    reader->reference.key = key ? wr_arena_str(reader->arena, key) : NULL;
    reader->analytic_title = reader->monograph_title = reader->journal = NULL;
    reader->publisher = reader->raw = NULL;
    reader->authors = NULL;
    reader->author_count = reader->author_room = 0;
    reader->analytic = reader->monograph = reader->author = reader->note = 0;
    wr_text_rewind(&reader->whole, 0);
}

static void on_start(void *arg, const char *name, const char *const *attributes)
{
    struct reader *reader = arg;
    reader->header += strcmp(name, "teiHeader") == 0;
    if (strcmp(name, "biblStruct") == 0 && !reader->header) {
        if (reader->structure++ == 0)
            open_reference(reader, attributes);
    } else if (strcmp(name, "bibl") == 0 && !reader->header && !reader->structure) {
        if (reader->bibl++ == 0)
            open_reference(reader, attributes);
    }
    if (reader->structure == 0)
        return;
    reader->analytic += strcmp(name, "analytic") == 0;
    reader->monograph += strcmp(name, "monogr") == 0;
    if (strcmp(name, "author") == 0) {
        reader->author++;
        wr_text_rewind(&reader->given, 0);
        wr_text_rewind(&reader->surname, 0);
        wr_text_rewind(&reader->name, 0);
    } else if (strcmp(name, "title") == 0) {
        keep_attribute(reader->level, sizeof(reader->level), attributes, "level");
    } else if (strcmp(name, "idno") == 0 || strcmp(name, "note") == 0) {
        keep_attribute(reader->kind, sizeof(reader->kind), attributes, "type");
    } else if (strcmp(name, "date") == 0) {
        read_date(reader, attributes);
    } else if (strcmp(name, "ptr") == 0) {
        add_url(reader, extract_xml_attribute(attributes, "target"));
    }
    wr_text_rewind(&reader->text, 0);
    if (strcmp(name, "biblScope") == 0)
        read_range(reader, attributes);
    wr_text_rewind(&reader->text, 0);
}

static void end_author(struct reader *reader)
{
    bool parted = reader->surname.len > 0;
    struct bib_name name = { collapsed(reader, parted ? &reader->surname : &reader->name),
                             parted ? collapsed(reader, &reader->given) : NULL };
    if (!name.family || reader->author_count == AUTHORS_MAX)
        return;
    if (reader->author_count == reader->author_room) {
        size_t room = reader->author_room ? 2 * reader->author_room : 8;
        void *more = wr_arena_grow(reader->arena, reader->authors, reader->author_count, room,
                                   sizeof(name));
        if (!more)
            return;
        reader->authors = more;
        reader->author_room = room;
    }
    reader->authors[reader->author_count++] = name;
}

static void add_part(struct wr_text *name, const struct wr_text *part)
{
    if (name->len > 0)
        wr_text_bytes(name, " ", 1);
    wr_text_bytes(name, part->at, part->len);
}

static void end_title(struct reader *reader)
{
    const char *title = collapsed(reader, &reader->text);
    const char **slot = reader->analytic ? &reader->analytic_title
        : reader->level[0] == 'j'        ? &reader->journal
                                         : &reader->monograph_title;
    if (!*slot)
        *slot = title;
}

static void end_identifier(struct reader *reader)
{
    struct bib_work *work = &reader->reference.work;
    const char *text = collapsed(reader, &reader->text);
    if (!text)
        return;
    if (strcasecmp(reader->kind, "doi") == 0 && !work->doi)
        work->doi = bib_ident_doi(reader->arena, text);
    else if (strcasecmp(reader->kind, "arxiv") == 0 && !work->arxiv_id)
        work->arxiv_id = bib_ident_arxiv(reader->arena, text);
}

static void end_scope(struct reader *reader)
{
    struct bib_work *work = &reader->reference.work;
    const char **slot = strcmp(reader->unit, "volume") == 0 ? &work->volume
        : strcmp(reader->unit, "page") == 0                 ? &work->pages
                                                            : NULL;
    const char *text = slot && !*slot ? collapsed(reader, &reader->text) : NULL;
    if (text)
        *slot = text;
}

/* Everything that ends inside a biblStruct. */
static void end_element(struct reader *reader, const char *name)
{
    if (strcmp(name, "analytic") == 0 && reader->analytic)
        reader->analytic--;
    else if (strcmp(name, "monogr") == 0 && reader->monograph)
        reader->monograph--;
    else if (strcmp(name, "surname") == 0 && reader->author)
        add_part(&reader->surname, &reader->text);
    else if (strcmp(name, "forename") == 0 && reader->author)
        add_part(&reader->given, &reader->text);
    else if ((strcmp(name, "persName") == 0 || strcmp(name, "orgName") == 0) && reader->author)
        add_part(&reader->name, &reader->text);
    else if (strcmp(name, "title") == 0)
        end_title(reader);
    else if (strcmp(name, "idno") == 0)
        end_identifier(reader);
    else if (strcmp(name, "biblScope") == 0)
        end_scope(reader);
    else if (strcmp(name, "publisher") == 0 && !reader->publisher)
        reader->publisher = collapsed(reader, &reader->text);
    else if (strcmp(name, "note") == 0 && strcmp(reader->kind, "raw_reference") == 0)
        reader->raw = collapsed(reader, &reader->text);
    else if (strcmp(name, "ref") == 0)
        add_url(reader, collapsed(reader, &reader->text));
    if (strcmp(name, "author") == 0 && reader->author) {
        if (reader->name.len == 0)
            add_part(&reader->name, &reader->text);
        end_author(reader);
        reader->author--;
    }
    wr_text_rewind(&reader->text, 0);
}

/* ---- references ---- */

static void keep_reference(struct reader *reader)
{
    struct bib_references *all = reader->ret;
    if (all->count == EXTRACT_TEI_MAX)
        return;
    if (all->count == reader->room) {
        size_t room = reader->room ? 2 * reader->room : 64;
        void *more = wr_arena_grow(reader->arena, all->at, all->count, room, sizeof(*all->at));
        if (!more)
            return;
        all->at = more;
        reader->room = room;
    }
    reader->reference.number = (uint32_t)all->count + 1;
    all->at[all->count++] = reader->reference;
}

/* A raw text where GROBID has kept none: who, what, where, when. */
static const char *written(struct reader *reader)
{
    const struct bib_work *work = &reader->reference.work;
    wr_text_rewind(&reader->whole, 0);
    for (size_t i = 0; i < reader->author_count; i++)
        wr_text_format(&reader->whole, "%s%s%s%s", i ? ", " : "",
                       reader->authors[i].given ? reader->authors[i].given : "",
                       reader->authors[i].given ? " " : "", reader->authors[i].family);
    const char *const parts[] = { work->title, work->venue };
    for (size_t i = 0; i < 2; i++)
        if (parts[i])
            wr_text_format(&reader->whole, "%s%s", reader->whole.len ? ". " : "", parts[i]);
    if (work->year)
        wr_text_format(&reader->whole, "%s%d", reader->whole.len ? ", " : "", work->year);
    return collapsed(reader, &reader->whole);
}

static void end_structure(struct reader *reader)
{
    struct bib_reference *reference = &reader->reference;
    struct bib_work *work = &reference->work;
    work->title = reader->analytic_title ? reader->analytic_title : reader->monograph_title;
    work->venue = reader->journal                            ? reader->journal
        : reader->analytic_title && reader->monograph_title ? reader->monograph_title
                                                             : reader->publisher;
    work->kind = reader->journal  ? BIB_ARTICLE
        : reader->analytic_title && reader->monograph_title ? BIB_PAPER
        : reader->analytic_title                            ? BIB_UNKNOWN
        : reader->monograph_title                           ? BIB_BOOK
                                                            : BIB_UNKNOWN;
    work->authors = reader->authors;
    work->author_count = (uint32_t)reader->author_count;
    work->urls = wr_arena_grow(reader->arena, reader->urls, work->url_count, work->url_count,
                               sizeof(reader->urls[0]));
    if (!work->urls)
        work->url_count = 0;
    reference->raw = reader->raw ? reader->raw : written(reader);
    if (!work->title && !work->doi && !work->arxiv_id && !work->url_count)
        reference->skip = "it has neither a title nor an identifier";
    if (reference->raw)
        keep_reference(reader);
}

static void end_bibl(struct reader *reader)
{
    const char *key = reader->reference.key;
    const char *raw = collapsed(reader, &reader->whole);
    if (!raw || reader->err)
        return;
    reader->err = extract_reference(raw, strlen(raw), reader->arena, &reader->reference);
    reader->reference.key = key;
    if (!reader->err)
        keep_reference(reader);
}

static void on_end(void *arg, const char *name)
{
    struct reader *reader = arg;
    if (strcmp(name, "teiHeader") == 0 && reader->header)
        reader->header--;
    if (strcmp(name, "biblStruct") == 0 && reader->structure) {
        if (--reader->structure == 0)
            end_structure(reader);
    } else if (reader->structure) {
        end_element(reader, name);
    } else if (strcmp(name, "bibl") == 0 && reader->bibl && --reader->bibl == 0) {
        end_bibl(reader);
    }
}

wr_err extract_tei(const char *bytes, size_t size, struct wr_arena *arena,
                   struct bib_references *ret, uint32_t *ret_line)
{
    static const struct extract_xml handlers = { on_start, on_end, on_text };
    *ret = (struct bib_references){ 0 };
    struct reader *reader = calloc(1, sizeof(*reader));
    if (!reader)
        return WR_NOMEM;
    reader->arena = arena;
    reader->ret = ret;
    struct wr_text *texts[] = { &reader->given, &reader->surname, &reader->name, &reader->text,
                                &reader->whole };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        *texts[i] = wr_text_heap(TEXT_MAX);
    wr_err err = extract_xml(bytes, size, &handlers, reader, ret_line);
    if (reader->err || arena->full)
        err = reader->err ? reader->err : WR_NOMEM;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        wr_text_free(texts[i]);
    wr_forget_free(reader);
    return err;
}
