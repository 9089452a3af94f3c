/* bibtex_work.c - entries of a .bib file as works that somebody cites. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "biblio/bibtex.h"
#include "biblio/bibtex_name.h"
#include "biblio/ident.h"
#include "biblio/latex.h"

#define RAW_MAX 8192                /* bytes of an entry that are kept as they stand */
#define PARENTS_MAX 4               /* crossref of a crossref */
#define URLS_MAX 8

/* What a type of entry is, and in which fields its venue stands, the best first. */
static const struct type {
    const char *name;
    enum bib_kind kind;
    const char *venue[6];
} types[] = {
    { "article", BIB_ARTICLE, { "journal", "journaltitle", "shortjournal", "booktitle" } },
    { "periodical", BIB_ARTICLE, { "journal", "journaltitle", "publisher" } },
    { "inproceedings", BIB_PAPER, { "booktitle", "eventtitle", "journal", "series" } },
    { "conference", BIB_PAPER, { "booktitle", "eventtitle", "journal", "series" } },
    { "incollection", BIB_PAPER, { "booktitle", "series", "publisher" } },
    { "inbook", BIB_PAPER, { "booktitle", "series", "publisher" } },
    { "inreference", BIB_PAPER, { "booktitle", "series", "publisher" } },
    { "book", BIB_BOOK, { "publisher" } },
    { "mvbook", BIB_BOOK, { "publisher" } },
    { "booklet", BIB_BOOK, { "publisher", "howpublished" } },
    { "collection", BIB_BOOK, { "publisher" } },
    { "proceedings", BIB_BOOK, { "publisher", "organization" } },
    { "phdthesis", BIB_THESIS, { "school", "institution", "publisher" } },
    { "mastersthesis", BIB_THESIS, { "school", "institution", "publisher" } },
    { "thesis", BIB_THESIS, { "institution", "school", "publisher" } },
    { "techreport", BIB_REPORT, { "institution", "organization", "publisher" } },
    { "report", BIB_REPORT, { "institution", "organization", "publisher" } },
    { "manual", BIB_REPORT, { "organization", "institution", "publisher" } },
    { "standard", BIB_REPORT, { "organization", "institution", "publisher" } },
    { "patent", BIB_REPORT, { "holder", "organization" } },
    { "online", BIB_WEB, { "organization", "publisher", "howpublished" } },
    { "electronic", BIB_WEB, { "organization", "publisher", "howpublished" } },
    { "www", BIB_WEB, { "organization", "publisher", "howpublished" } },
    { "software", BIB_WEB, { "organization", "publisher", "howpublished" } },
    { "dataset", BIB_WEB, { "organization", "publisher", "howpublished" } },
    /* Any other: misc, unpublished, and what styles of their own define. */
    { "", BIB_UNKNOWN, { "journal", "journaltitle", "booktitle", "howpublished", "publisher",
                         "organization" } },
};

static const struct type *type_of(const struct bibtex_entry *entry)
{
    const struct type *type = types;
    while (*type->name && strcmp(type->name, entry->type) != 0)
        type++;
    return type;
}

/* An entry, and those it takes over from. */
struct family {
    const struct bibtex_entry *entries[PARENTS_MAX];
    size_t count;
};

struct reader {
    struct wr_arena *arena;
    const char *text;
    const struct bibtex_file *file;
    const struct bibtex_entry **by_key;
    size_t key_count;
};

/* ---- fields, own and taken over ---- */

static int compare_keys(const void *a, const void *b)
{
    const struct bibtex_entry *one = *(const struct bibtex_entry *const *)a;
    const struct bibtex_entry *other = *(const struct bibtex_entry *const *)b;
    return strcasecmp(one->key, other->key);
}

static const struct bibtex_entry *find_entry(const struct reader *reader, const char *key)
{
    struct bibtex_entry wanted = { .key = key };
    const struct bibtex_entry *wanted_at = &wanted, **found;
    if (reader->key_count == 0)
        return NULL;
    found = bsearch(&wanted_at, reader->by_key, reader->key_count, sizeof(void *),
                    compare_keys);
    return found ? *found : NULL;
}

static struct family family_of(const struct reader *reader, const struct bibtex_entry *entry)
{
    struct family family = { 0 };
    while (entry && family.count < PARENTS_MAX) {
        family.entries[family.count++] = entry;
        const struct bibtex_field *link = bibtex_field(entry, "crossref");
        if (!link)
            link = bibtex_field(entry, "xdata");
        entry = link ? find_entry(reader, link->value) : NULL;
    }
    return family;
}

/* What an entry may take over under the same name; of the rest, people and titles are the
 * parent's own. */
static bool is_inherited(const char *name)
{
    static const char *const own[] = { "title", "subtitle", "author", "doi", "eprint", "url",
                                       "note", "howpublished", "pages", "crossref", NULL };
    for (const char *const *at = own; *at; at++)
        if (strcmp(*at, name) == 0)
            return false;
    return true;
}

static const struct bibtex_field *field_of(const struct family *family, const char *name)
{
    const struct bibtex_field *field = bibtex_field(family->entries[0], name);
    for (size_t i = 1; !field && i < family->count; i++) {
        if (is_inherited(name))
            field = bibtex_field(family->entries[i], name);
        if (!field && strcmp(name, "booktitle") == 0)
            field = bibtex_field(family->entries[i], "title");
        if (!field && strcmp(name, "journal") == 0)
            field = bibtex_field(family->entries[i], "title");
    }
    return field;
}

/* Read, or NULL when there is nothing in it. */
static const char *text_of(const struct reader *reader, const struct bibtex_field *field)
{
    const char *text = field ? bib_latex(reader->arena, field->value, field->len) : NULL;
    return text && *text ? text : NULL;
}

static const char *read_field(const struct reader *reader, const struct family *family,
                              const char *name)
{
    return text_of(reader, field_of(family, name));
}

static const char *joined(struct wr_arena *arena, const char *a, const char *between,
                          const char *b)
{
    if (!a || !b)
        return a ? a : b;
    size_t size = strlen(a) + strlen(between) + strlen(b) + 1;
    char *both = wr_arena_alloc(arena, size);
    if (both)
        snprintf(both, size, "%s%s%s", a, between, b);
    return both;
}

/* ---- what is in them ---- */

static void read_title(const struct reader *reader, const struct family *family,
                       struct bib_work *work)
{
    static const char *const names[] = { "title", "booktitle", "maintitle", "shorttitle" };
    for (size_t i = 0; !work->title && i < sizeof(names) / sizeof(names[0]); i++)
        work->title = read_field(reader, family, names[i]);
    const char *subtitle = read_field(reader, family, "subtitle");
    if (work->title && subtitle && !strstr(work->title, subtitle))
        work->title = joined(reader->arena, work->title, ": ", subtitle);
}

static void read_authors(const struct reader *reader, const struct family *family,
                         struct bib_work *work)
{
    const struct bibtex_field *field = field_of(family, "author");
    bool edited = work->kind == BIB_BOOK || work->kind == BIB_UNKNOWN;
    if (!field && edited)
        field = bibtex_field(family->entries[0], "editor");
    if (field)
        bibtex_names(reader->arena, field->value, field->len, work);
}

/* The first number of four digits that can be a year. */
static int year_in(const char *text)
{
    for (const char *at = text; at && *at;) {
        size_t digits = strspn(at, "0123456789");
        if (digits == 4 && (*at == '1' || *at == '2'))
            return (int)strtol(at, NULL, 10);
        at += digits ? digits : 1;
    }
    return 0;
}

static void read_year(const struct reader *reader, const struct family *family,
                      struct bib_work *work)
{
    static const char *const names[] = { "year", "date", "origdate", "eventdate",
                                         "issue_date" };
    for (size_t i = 0; work->year == 0 && i < sizeof(names) / sizeof(names[0]); i++)
        work->year = year_in(read_field(reader, family, names[i]));
}

/* An address is no venue. */
static void read_venue(const struct reader *reader, const struct family *family,
                       const struct type *type, struct bib_work *work)
{
    for (size_t i = 0; !work->venue && i < 6 && type->venue[i]; i++) {
        const char *text = read_field(reader, family, type->venue[i]);
        if (text && !strstr(text, "://") && text != work->title)
            work->venue = text;
    }
}

/* ---- identifiers ---- */

struct links {
    const char *at[URLS_MAX];
    uint32_t count;
};

static void add_link(struct links *links, const char *url)
{
    for (uint32_t i = 0; i < links->count; i++)
        if (strcmp(links->at[i], url) == 0)
            return;
    if (links->count < URLS_MAX)
        links->at[links->count++] = url;
}

static void find_identifiers(const struct reader *reader, const char *text,
                             struct bib_work *work, struct links *links)
{
    struct bib_ident found[BIB_IDENT_MAX];
    size_t count = text
        ? bib_ident_find(found, BIB_IDENT_MAX, text, strlen(text), reader->arena) : 0;
    for (size_t i = 0; i < count; i++) {
        if (found[i].kind == BIB_DOI && !work->doi)
            work->doi = found[i].value;
        else if (found[i].kind == BIB_ARXIV && !work->arxiv_id)
            work->arxiv_id = found[i].value;
        else if (found[i].kind == BIB_URL)
            add_link(links, found[i].value);
    }
}

static bool says(const struct reader *reader, const struct family *family, const char *name,
                 const char *word)
{
    const char *text = read_field(reader, family, name);
    return text && strcasecmp(text, word) == 0;
}

/* eprint = 2403.00108, with archiveprefix or eprinttype arXiv, or with neither. */
static void read_eprint(const struct reader *reader, const struct family *family,
                        struct bib_work *work)
{
    const struct bibtex_field *field = field_of(family, "eprint");
    bool elsewhere = (field_of(family, "archiveprefix")
                      && !says(reader, family, "archiveprefix", "arxiv"))
        || (field_of(family, "eprinttype") && !says(reader, family, "eprinttype", "arxiv"));
    const char *text = field && !elsewhere
        ? bib_latex_literal(reader->arena, field->value, field->len) : NULL;
    if (text)
        work->arxiv_id = bib_ident_arxiv(reader->arena, text);
}

static void read_identifiers(const struct reader *reader, const struct family *family,
                             struct bib_work *work)
{
    static const char *const literal[] = { "url", "ee", "link", "doi", "eprint" };
    static const char *const prose[] = { "howpublished", "note", "number", "pages", "annote",
                                         "eid", "archive" };
    struct links links = { 0 };
    const struct bibtex_field *doi = field_of(family, "doi");
    const char *text = doi ? bib_latex_literal(reader->arena, doi->value, doi->len) : NULL;
    if (text)
        work->doi = bib_ident_doi(reader->arena, text);
    read_eprint(reader, family, work);
    for (size_t i = 0; i < sizeof(literal) / sizeof(literal[0]); i++) {
        const struct bibtex_field *field = field_of(family, literal[i]);
        if (field)
            find_identifiers(reader, bib_latex_literal(reader->arena, field->value, field->len),
                             work, &links);
    }
    /* "CoRR" and "abs/2403.00108" are an identifier together. */
    const char *journal = joined(reader->arena, read_field(reader, family, "journal"), ", ",
                                 read_field(reader, family, "volume"));
    find_identifiers(reader, journal, work, &links);
    for (size_t i = 0; i < sizeof(prose) / sizeof(prose[0]); i++)
        find_identifiers(reader, read_field(reader, family, prose[i]), work, &links);
    work->urls = wr_arena_grow(reader->arena, links.at, links.count, links.count,
                               sizeof(links.at[0]));
    work->url_count = work->urls ? links.count : 0;
}

/* ---- references ---- */

/* As it stands, with spaces collapsed, up to RAW_MAX bytes and a whole character. */
static const char *raw_of(const struct reader *reader, const struct bibtex_entry *entry)
{
    char buf[RAW_MAX];
    size_t len = 0;
    for (size_t i = entry->at.begin; i < entry->at.end && len < sizeof(buf); i++) {
        char c = reader->text[i];
        if ((unsigned char)c <= ' ')
            c = ' ';
        if (c != ' ' || (len > 0 && buf[len - 1] != ' '))
            buf[len++] = c;
    }
    bool cut = len == sizeof(buf);
    while (cut && len > 0 && ((unsigned char)buf[len - 1] & 0xc0) == 0x80)
        len--;
    return wr_arena_copy(reader->arena, buf, cut && len > 0 ? len - 1 : len);
}

/* A preprint is known by where it is, whatever the entry calls itself. */
static void settle_kind(struct bib_work *work)
{
    bool archive = work->venue && (strncasecmp(work->venue, "arxiv", 5) == 0
                                   || strcasecmp(work->venue, "corr") == 0);
    if (archive || (work->kind == BIB_UNKNOWN && work->arxiv_id && !work->venue))
        work->kind = BIB_PREPRINT;
    else if (work->kind == BIB_UNKNOWN && work->url_count > 0 && !work->venue)
        work->kind = BIB_WEB;
}

static void read_reference(const struct reader *reader, const struct bibtex_entry *entry,
                           struct bib_reference *ret)
{
    struct family family = family_of(reader, entry);
    const struct type *type = type_of(entry);
    struct bib_work *work = &ret->work;
    ret->key = entry->key;
    ret->raw = raw_of(reader, entry);
    ret->line = entry->at.line;
    ret->line_end = entry->at.line_end;
    work->kind = type->kind;
    read_title(reader, &family, work);
    read_authors(reader, &family, work);
    read_year(reader, &family, work);
    read_venue(reader, &family, type, work);
    work->volume = read_field(reader, &family, "volume");
    work->pages = read_field(reader, &family, "pages");
    read_identifiers(reader, &family, work);
    settle_kind(work);
    if (!work->title && !work->doi && !work->arxiv_id && !work->url_count)
        ret->skip = "it has neither a title nor an identifier";
}

static wr_err sort_keys(struct reader *reader)
{
    reader->by_key = calloc(reader->file->count + 1, sizeof(void *));
    if (!reader->by_key)
        return WR_NOMEM;
    for (size_t i = 0; i < reader->file->count; i++)
        if (reader->file->entries[i].key)
            reader->by_key[reader->key_count++] = &reader->file->entries[i];
    qsort(reader->by_key, reader->key_count, sizeof(void *), compare_keys);
    return WR_OK;
}

/* What only hands fields on is no work. */
static bool is_work(const struct bibtex_entry *entry)
{
    return strcmp(entry->type, "xdata") != 0 && strcmp(entry->type, "set") != 0;
}

wr_err bibtex_references(const char *text, const struct bibtex_file *file,
                         struct wr_arena *arena, struct bib_references *ret)
{
    struct reader reader = { .arena = arena, .text = text, .file = file };
    *ret = (struct bib_references){ .at = wr_arena_alloc(arena, file->count
                                                         * sizeof(ret->at[0])) };
    wr_err err = ret->at ? sort_keys(&reader) : WR_NOMEM;
    for (size_t i = 0; !err && !arena->full && i < file->count; i++) {
        if (!is_work(&file->entries[i]))
            continue;
        struct bib_reference *reference = &ret->at[ret->count++];
        read_reference(&reader, &file->entries[i], reference);
        reference->number = (uint32_t)ret->count;
    }
    free(reader.by_key);
    return arena->full ? WR_NOMEM : err;
}
