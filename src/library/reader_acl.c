/* reader_acl.c - the ACL Anthology: XML files with volumes of papers.
 *
 * What is kept of a volume (name, year) is wanted by all its papers, so reading goes on only at
 * the beginning of a file; the files are small.
 */
#include <expat.h>
#include <stdlib.h>
#include <string.h>

#include <weir/panic.h>

#include "base/text.h"
#include "biblio/ident.h"
#include "library/reader.h"

#define TEXT_MAX (1u << 20)
#define ID_MAX 128

/* Elements whose text is wanted, by the one they stand in. */
enum element {
    NONE, TITLE, DOI, URL, FIRST, LAST, RETRACTED, BOOKTITLE, JOURNAL, YEAR
};

static const struct {
    const char *name;
    enum element element;
    bool in_meta, in_paper;
} wanted[] = {
    { "title", TITLE, false, true }, { "doi", DOI, true, true }, { "url", URL, true, true },
    { "first", FIRST, true, true }, { "last", LAST, true, true },
    { "retracted", RETRACTED, false, true }, { "booktitle", BOOKTITLE, true, false },
    { "journal-title", JOURNAL, true, false }, { "year", YEAR, true, false } };

/* Elements in a paper whose content is not of the paper. */
static const char *const passed_over[] = { "abstract", "variant", "affiliation", "erratum",
                                           "revision" };

struct volume { char booktitle[1024], journal[256], url[ID_MAX], doi[256]; int year; };

struct acl {
    struct reader_sink *sink;
    XML_Parser parser;
    bool begun, broken;
    bool in_meta, in_paper;
    unsigned skip;                  /* depth in what is passed over */
    unsigned depth;                 /* ... in what is wanted */
    enum element element;
    struct wr_text text;
    struct volume volume;
    char collection[ID_MAX], volume_id[ID_MAX], paper_id[ID_MAX];
    const char *title, *doi, *url, *first, *last, *retracted;   /* of the paper, in the arena */
    struct reader_names names;
    uint64_t line;
    wr_err err;
};

static const char *attribute(const char **attributes, const char *name)
{
    for (; *attributes; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return "";
}

static void set(char *ret, size_t size, const char *value)
{
    struct wr_text text = wr_text_over(ret, size);
    wr_text_str(&text, value);
}

/* ---- what is handed over ---- */

static void clear_paper(struct acl *acl)
{
    acl->title = acl->doi = acl->url = acl->first = acl->last = acl->retracted = NULL;
    acl->names = (struct reader_names){ 0 };
}

static void give(struct acl *acl, struct bib_record *record)
{
    struct wr_arena *arena = &acl->sink->arena;
    record->work.year = acl->volume.year;
    record->work.authors = acl->names.at;
    record->work.author_count = acl->names.count;
    record->work.doi = record->work.doi ? bib_ident_doi(arena, record->work.doi) : NULL;
    acl->err = reader_give(acl->sink, record, acl->line);
    clear_paper(acl);
}

static void give_paper(struct acl *acl)
{
    char id[3 * ID_MAX];
    struct wr_text text = WR_TEXT(id);
    const struct volume *volume = &acl->volume;
    if (acl->url && !strchr(acl->url, '/'))
        wr_text_str(&text, acl->url);
    else
        wr_text_format(&text, "%s-%s.%s", acl->collection, acl->volume_id, acl->paper_id);
    struct bib_record record = { .id = text.at, .retraction = acl->retracted };
    record.work.kind = volume->journal[0] ? BIB_ARTICLE : BIB_PAPER;
    record.work.title = acl->title;
    record.work.venue = volume->journal[0] ? volume->journal
        : volume->booktitle[0]             ? volume->booktitle : NULL;
    record.work.doi = acl->doi;
    give(acl, &record);
}

/* The volume itself is a work too, of its editors. */
static void give_volume(struct acl *acl)
{
    const struct volume *volume = &acl->volume;
    if (!volume->booktitle[0] || !volume->url[0]) {
        wr_arena_free(&acl->sink->arena);
        clear_paper(acl);
        return;
    }
    struct bib_record record = { .id = volume->url };
    record.work.kind = BIB_BOOK;
    record.work.title = volume->booktitle;
    record.work.doi = volume->doi[0] ? volume->doi : NULL;
    give(acl, &record);
}

/* ---- elements ---- */

static void begin_wanted(struct acl *acl, const char *name)
{
    for (size_t i = 0; i < sizeof(passed_over) / sizeof(*passed_over); i++)
        if (strcmp(name, passed_over[i]) == 0)
            acl->skip = 1;
    for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
        if (strcmp(name, wanted[i].name) == 0
            && (acl->in_paper ? wanted[i].in_paper : wanted[i].in_meta)) {
            acl->element = wanted[i].element;
            acl->depth = 1;
            wr_text_rewind(&acl->text, 0);
        }
}

static void XMLCALL on_start(void *arg, const char *name, const char **attributes)
{
    struct acl *acl = arg;
    if (!acl->begun && strcmp(name, "collection") != 0) {
        char what[160];
        struct wr_text text = WR_TEXT(what);
        wr_text_format(&text, "this is no file of the ACL Anthology: it begins with <%.40s>, "
                       "not with <collection>", name);
        acl->sink->fault(acl->sink->to, XML_GetCurrentLineNumber(acl->parser), what);
        acl->err = WR_INVALID;
    }
    acl->begun = true;
    if (acl->skip > 0)
        acl->skip++;
    else if (acl->element != NONE)
        acl->depth++;
    else if (acl->in_meta || acl->in_paper)
        begin_wanted(acl, name);
    else if (strcmp(name, "collection") == 0)
        set(acl->collection, sizeof(acl->collection), attribute(attributes, "id"));
    else if (strcmp(name, "volume") == 0) {
        acl->volume = (struct volume){ .year = 0 };
        set(acl->volume_id, sizeof(acl->volume_id), attribute(attributes, "id"));
    } else if (strcmp(name, "meta") == 0 || strcmp(name, "paper") == 0) {
        acl->in_meta = name[0] == 'm';
        acl->in_paper = !acl->in_meta;
        acl->line = XML_GetCurrentLineNumber(acl->parser);
        set(acl->paper_id, sizeof(acl->paper_id), attribute(attributes, "id"));
    }
}

static void end_in_volume(struct acl *acl, const char *text)
{
    struct volume *volume = &acl->volume;
    switch (acl->element) {
    case BOOKTITLE: set(volume->booktitle, sizeof(volume->booktitle), text); break;
    case JOURNAL: set(volume->journal, sizeof(volume->journal), text); break;
    case URL: set(volume->url, sizeof(volume->url), text); break;
    case DOI: set(volume->doi, sizeof(volume->doi), text); break;
    case YEAR: volume->year = reader_year(text); break;
    default: break;
    }
}

static void end_wanted(struct acl *acl)
{
    struct wr_arena *arena = &acl->sink->arena;
    const char *text = reader_clean(arena, acl->text.at, acl->text.len);
    switch (acl->element) {
    case FIRST: acl->first = text; break;
    case LAST: acl->last = text; break;
    case TITLE: acl->title = text; break;
    case RETRACTED: acl->retracted = text ? text : "retracted"; break;
    default:
        if (acl->in_meta && text)
            end_in_volume(acl, text);
        else if (acl->element == DOI)
            acl->doi = text;
        else if (acl->element == URL)
            acl->url = text;
    }
    acl->element = NONE;
}

static void end_name(struct acl *acl)
{
    reader_add_parted(&acl->names, &acl->sink->arena, acl->last, acl->first);
    acl->first = acl->last = NULL;
}

static void XMLCALL on_end(void *arg, const char *name)
{
    struct acl *acl = arg;
    if (acl->skip > 0) {
        acl->skip--;
        return;
    }
    if (acl->element != NONE) {
        if (--acl->depth == 0)
            end_wanted(acl);
        return;
    }
    if (strcmp(name, "author") == 0 || strcmp(name, "editor") == 0)
        end_name(acl);
    else if (strcmp(name, "volume") == 0)
        acl->volume = (struct volume){ .year = 0 };     /* what follows is in none */
    else if (acl->in_meta && strcmp(name, "meta") == 0) {
        acl->in_meta = false;
        give_volume(acl);
    } else if (acl->in_paper && strcmp(name, "paper") == 0) {
        acl->in_paper = false;
        give_paper(acl);
    }
    if (acl->err)
        XML_StopParser(acl->parser, XML_FALSE);
}

static void XMLCALL on_text(void *arg, const char *text, int len)
{
    struct acl *acl = arg;
    if (acl->element != NONE && acl->skip == 0)
        wr_text_bytes(&acl->text, text, (size_t)len);
}

/* ---- the reader ---- */

static wr_err open(void **ret, struct reader_sink *sink)
{
    struct acl *acl = calloc(1, sizeof(*acl));
    if (!acl)
        return WR_NOMEM;
    acl->sink = sink;
    acl->text = wr_text_heap(TEXT_MAX);
    *ret = acl;
    return WR_OK;
}

static void close(void *self)
{
    struct acl *acl = self;
    if (acl->parser)
        XML_ParserFree(acl->parser);
    wr_text_free(&acl->text);
    free(acl);
}

static wr_err begin(void *self, uint64_t offset)
{
    struct acl *acl = self;
    WR_ASSERT(offset == 0);
    if (acl->parser)
        XML_ParserFree(acl->parser);
    acl->parser = XML_ParserCreate(NULL);
    if (!acl->parser)
        return WR_NOMEM;
    XML_SetUserData(acl->parser, acl);
    XML_SetElementHandler(acl->parser, on_start, on_end);
    XML_SetCharacterDataHandler(acl->parser, on_text);
    acl->begun = acl->broken = acl->in_meta = acl->in_paper = false;
    acl->skip = acl->depth = 0;
    acl->element = NONE;
    clear_paper(acl);
    wr_arena_free(&acl->sink->arena);
    return WR_OK;
}

/* A file that is broken is passed over from there on: the others are not. */
static wr_err parse(struct acl *acl, const char *bytes, size_t len, bool last)
{
    if (acl->broken || XML_Parse(acl->parser, bytes, (int)len, last) == XML_STATUS_OK)
        return acl->err;
    if (!acl->err) {
        acl->broken = true;
        acl->sink->fault(acl->sink->to, XML_GetCurrentLineNumber(acl->parser),
                         XML_ErrorString(XML_GetErrorCode(acl->parser)));
        return acl->begun ? WR_OK : WR_INVALID;
    }
    return acl->err;
}

static wr_err feed(void *self, const char *bytes, size_t len)
{
    return parse(self, bytes, len, false);
}

static wr_err end(void *self)
{
    return parse(self, "", 0, true);
}

static uint64_t safe(void *self)
{
    (void)self;
    return 0;
}

const struct reader_kind reader_acl = {
    .kind = "acl", .name = "ACL Anthology",
    .reads = "the XML files of the ACL Anthology (data/xml of its repository), packed or one",
    .suffix = ".xml", .open = open, .begin = begin, .feed = feed, .end = end, .safe = safe,
    .close = close };
