/* reader_dblp.c - DBLP: one XML file with some ten million records.
 *
 * Its letters are written as entities which a DTD defines; they are those of HTML for Latin-1,
 * and are known here (entity.h), so that no DTD is needed.
 *
 * Reading can go on behind any record: the parser is told that the root has begun.
 */
#include <expat.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "biblio/ident.h"
#include "library/entity.h"
#include "library/reader.h"

#define TEXT_MAX (1u << 20)

/* So that entities which nobody defines are passed to us instead of being an error. */
static const char prologue[] = "<!DOCTYPE dblp SYSTEM \"dblp.dtd\"><dblp>";

static const struct { const char *name; enum bib_kind kind; } records[] = {
    { "article", BIB_ARTICLE }, { "inproceedings", BIB_PAPER }, { "incollection", BIB_PAPER },
    { "proceedings", BIB_BOOK }, { "book", BIB_BOOK }, { "phdthesis", BIB_THESIS },
    { "mastersthesis", BIB_THESIS }, { "data", BIB_WEB } };

enum field { NONE, AUTHOR, EDITOR, TITLE, YEAR, JOURNAL, BOOKTITLE, PUBLISHER, VOLUME, EE };

static const struct { const char *name; enum field field; } fields[] = {
    { "author", AUTHOR }, { "editor", EDITOR }, { "title", TITLE }, { "year", YEAR },
    { "journal", JOURNAL }, { "booktitle", BOOKTITLE }, { "publisher", PUBLISHER },
    { "volume", VOLUME }, { "ee", EE } };

struct dblp {
    struct reader_sink *sink;
    XML_Parser parser;
    uint64_t offset;                /* of the member, where the parser has begun; */
    uint64_t before;                /* ... it was told so many bytes before that */
    uint64_t safe;
    unsigned depth;                 /* 1: in the root, 2: in a record, 3: in a field */
    bool wanted;                    /* the record is one of ours */
    enum field field;
    struct wr_text text;
    struct bib_record record;
    const char *journal, *booktitle, *publisher, *volume;
    struct reader_names authors, editors;
    uint64_t line;
    wr_err err;
};

/* ---- records ---- */

static void begin_record(struct dblp *dblp, const char *name, const char **attributes)
{
    dblp->wanted = false;
    for (size_t i = 0; i < sizeof(records) / sizeof(*records); i++)
        if (strcmp(name, records[i].name) == 0) {
            dblp->wanted = true;
            dblp->record = (struct bib_record){ .authors_partial = true,
                                                .work.kind = records[i].kind };
        }
    dblp->journal = dblp->booktitle = dblp->publisher = dblp->volume = NULL;
    dblp->authors = dblp->editors = (struct reader_names){ 0 };
    dblp->line = XML_GetCurrentLineNumber(dblp->parser);
    for (; *attributes; attributes += 2)
        if (strcmp(attributes[0], "key") == 0)
            dblp->record.id = wr_arena_str(&dblp->sink->arena, attributes[1]);
}

/* Preprints stand as articles of a journal CoRR, whose volume is "abs/" and the number. */
static void take_preprint(struct dblp *dblp)
{
    struct bib_work *work = &dblp->record.work;
    if (!dblp->journal || strcmp(dblp->journal, "CoRR") != 0)
        return;
    work->kind = BIB_PREPRINT;
    if (!work->arxiv_id && dblp->volume && strncmp(dblp->volume, "abs/", 4) == 0)
        work->arxiv_id = bib_ident_arxiv(&dblp->sink->arena, dblp->volume + 4);
}

static void end_record(struct dblp *dblp)
{
    struct bib_work *work = &dblp->record.work;
    struct reader_names *names =
        dblp->authors.count > 0 ? &dblp->authors : &dblp->editors;
    work->authors = names->at;
    work->author_count = names->count;
    work->venue = dblp->journal ? dblp->journal
        : dblp->booktitle       ? dblp->booktitle : dblp->publisher;
    take_preprint(dblp);
    dblp->err = reader_give(dblp->sink, &dblp->record, dblp->line);
}

/* Titles end with a full stop that is not theirs. */
static const char *without_stop(const char *title)
{
    size_t len = title ? strlen(title) : 0;
    if (len > 1 && title[len - 1] == '.' && title[len - 2] != '.')
        ((char *)(uintptr_t)title)[len - 1] = '\0';     /* it is a copy of our own */
    return title;
}

static void take_ee(struct dblp *dblp, const char *text)
{
    struct bib_work *work = &dblp->record.work;
    struct wr_arena *arena = &dblp->sink->arena;
    if (!work->doi)
        work->doi = bib_ident_doi(arena, text);
    if (!work->arxiv_id)
        work->arxiv_id = bib_ident_arxiv(arena, text);
}

static void end_field(struct dblp *dblp)
{
    struct wr_arena *arena = &dblp->sink->arena;
    const char *text = reader_clean(arena, dblp->text.at, dblp->text.len);
    if (!text)
        return;
    switch (dblp->field) {
    case AUTHOR: reader_add_name(&dblp->authors, arena, text); break;
    case EDITOR: reader_add_name(&dblp->editors, arena, text); break;
    case TITLE: dblp->record.work.title = without_stop(text); break;
    case YEAR: dblp->record.work.year = reader_year(text); break;
    case JOURNAL: dblp->journal = text; break;
    case BOOKTITLE: dblp->booktitle = text; break;
    case PUBLISHER: dblp->publisher = text; break;
    case VOLUME: dblp->volume = text; break;
    case EE: take_ee(dblp, text); break;
    case NONE: break;
    }
}

/* ---- elements ---- */

static void begin_field(struct dblp *dblp, const char *name)
{
    dblp->field = NONE;
    for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
        if (strcmp(name, fields[i].name) == 0)
            dblp->field = fields[i].field;
    wr_text_rewind(&dblp->text, 0);
}

static void XMLCALL on_start(void *arg, const char *name, const char **attributes)
{
    struct dblp *dblp = arg;
    dblp->depth++;
    if (dblp->depth == 1 && strcmp(name, "dblp") != 0) {
        char what[160];
        struct wr_text text = WR_TEXT(what);
        wr_text_format(&text, "this is not dblp.xml: it begins with <%.40s>, not with <dblp>",
                       name);
        dblp->sink->fault(dblp->sink->to, XML_GetCurrentLineNumber(dblp->parser), what);
        dblp->err = WR_INVALID;
        XML_StopParser(dblp->parser, XML_FALSE);
    }
    if (dblp->depth == 2)
        begin_record(dblp, name, attributes);
    else if (dblp->depth == 3 && dblp->wanted)
        begin_field(dblp, name);
}

static void XMLCALL on_end(void *arg, const char *name)
{
    struct dblp *dblp = arg;
    (void)name;
    if (dblp->depth == 3 && dblp->wanted)
        end_field(dblp);
    if (dblp->depth == 2) {
        if (dblp->wanted)
            end_record(dblp);
        else
            wr_arena_free(&dblp->sink->arena);
        uint64_t at = (uint64_t)XML_GetCurrentByteIndex(dblp->parser)
            + (uint64_t)XML_GetCurrentByteCount(dblp->parser);
        dblp->safe = dblp->offset + at - dblp->before;
    }
    dblp->depth--;
    if (dblp->err)
        XML_StopParser(dblp->parser, XML_FALSE);
}

static void XMLCALL on_text(void *arg, const char *text, int len)
{
    struct dblp *dblp = arg;
    if (dblp->depth >= 3 && dblp->wanted && dblp->field != NONE)
        wr_text_bytes(&dblp->text, text, (size_t)len);
}

static void XMLCALL on_entity(void *arg, const char *name, int is_parameter)
{
    const char *text = is_parameter ? NULL : entity_text(name);
    if (text)
        on_text(arg, text, (int)strlen(text));
}

/* ---- the reader ---- */

static wr_err open(void **ret, struct reader_sink *sink)
{
    struct dblp *dblp = calloc(1, sizeof(*dblp));
    if (!dblp)
        return WR_NOMEM;
    dblp->sink = sink;
    dblp->text = wr_text_heap(TEXT_MAX);
    *ret = dblp;
    return WR_OK;
}

static void close(void *self)
{
    struct dblp *dblp = self;
    if (dblp->parser)
        XML_ParserFree(dblp->parser);
    wr_text_free(&dblp->text);
    free(dblp);
}

static wr_err parse(struct dblp *dblp, const char *bytes, size_t len, bool last)
{
    if (XML_Parse(dblp->parser, bytes, (int)len, last) == XML_STATUS_OK || dblp->err)
        return dblp->err;
    dblp->sink->fault(dblp->sink->to, XML_GetCurrentLineNumber(dblp->parser),
                      XML_ErrorString(XML_GetErrorCode(dblp->parser)));
    return WR_INVALID;
}

static wr_err begin(void *self, uint64_t offset)
{
    struct dblp *dblp = self;
    if (dblp->parser)
        XML_ParserFree(dblp->parser);
    dblp->parser = XML_ParserCreate(NULL);
    if (!dblp->parser)
        return WR_NOMEM;
    XML_SetUserData(dblp->parser, dblp);
    XML_SetElementHandler(dblp->parser, on_start, on_end);
    XML_SetCharacterDataHandler(dblp->parser, on_text);
    XML_SetSkippedEntityHandler(dblp->parser, on_entity);
    dblp->depth = 0;
    dblp->offset = dblp->safe = offset;
    dblp->before = offset > 0 ? strlen(prologue) : 0;
    return offset > 0 ? parse(dblp, prologue, strlen(prologue), false) : WR_OK;
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
    return ((struct dblp *)self)->safe;
}

const struct reader_kind reader_dblp = {
    .kind = "dblp", .name = "DBLP", .reads = "dblp.xml, the whole of DBLP in one XML file",
    .suffix = ".xml", .open = open, .begin = begin, .feed = feed, .end = end, .safe = safe,
    .close = close };
