/* reader_retractionwatch.c - the Retraction Watch database, a CSV file with a row for each
 * notice: which paper, by whom, what was noticed, when, and where that is said.
 *
 * Only retractions are kept.  Corrections and expressions of concern do not take a paper back.
 *
 * The first row says which column is which; reading goes on only behind it.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <weir/panic.h>

#include "biblio/ident.h"
#include "library/csv.h"
#include "library/reader.h"

enum column { ID, TITLE, JOURNAL, AUTHOR, NATURE, NOTICE_DOI, NOTICE_DATE, DOI, DATE, COLUMNS };

static const char *const names[COLUMNS] = {
    [ID] = "Record ID", [TITLE] = "Title", [JOURNAL] = "Journal", [AUTHOR] = "Author",
    [NATURE] = "RetractionNature", [NOTICE_DOI] = "RetractionDOI",
    [NOTICE_DATE] = "RetractionDate", [DOI] = "OriginalPaperDOI",
    [DATE] = "OriginalPaperDate" };

struct watch {
    struct reader_sink *sink;
    struct csv csv;
    bool named;                     /* the columns are known */
    size_t columns[COLUMNS];        /* 1 + where it is; 0: nowhere */
};

static bool take_names(struct watch *watch, const struct csv_row *row)
{
    memset(watch->columns, 0, sizeof(watch->columns));
    for (size_t i = 0; i < row->count; i++) {
        const char *field = row->fields[i];
        if (i == 0 && strncmp(field, "\xef\xbb\xbf", 3) == 0)
            field += 3;
        for (size_t k = 0; k < COLUMNS; k++)
            if (strcasecmp(field, names[k]) == 0)
                watch->columns[k] = i + 1;
    }
    return watch->columns[TITLE] && watch->columns[NATURE] && watch->columns[DOI];
}

/* NULL: empty, or there is no such column. */
static const char *field(const struct watch *watch, const struct csv_row *row,
                         enum column column)
{
    size_t place = watch->columns[column];
    return place > 0 && place <= row->count
        ? reader_clean(&watch->sink->arena, row->fields[place - 1],
                       strlen(row->fields[place - 1]))
        : NULL;
}

static void take_authors(struct wr_arena *arena, const char *list, struct bib_work *work)
{
    struct reader_names found = { 0 };
    while (list && *list) {
        size_t len = strcspn(list, ";");
        const char *name = reader_clean(arena, list, len);
        if (name)
            reader_add_name(&found, arena, name);
        list += len + (list[len] == ';');
    }
    work->authors = found.at;
    work->author_count = found.count;
}

static wr_err take_paper(struct watch *watch, const struct csv_row *row)
{
    struct wr_arena *arena = &watch->sink->arena;
    struct bib_record record = { .id = field(watch, row, ID) };
    const char *doi = field(watch, row, DOI), *notice = field(watch, row, NOTICE_DOI);
    const char *date = field(watch, row, DATE);
    record.work.title = field(watch, row, TITLE);
    record.work.venue = field(watch, row, JOURNAL);
    record.work.doi = doi ? bib_ident_doi(arena, doi) : NULL;
    record.work.year = date ? reader_year(date) : 0;
    take_authors(arena, field(watch, row, AUTHOR), &record.work);
    record.retraction = notice ? bib_ident_doi(arena, notice) : NULL;
    if (!record.retraction)
        record.retraction = field(watch, row, NOTICE_DATE);
    if (!record.retraction)
        record.retraction = "retracted";
    return reader_give(watch->sink, &record, row->line);
}

static wr_err on_row(void *to, const struct csv_row *row)
{
    struct watch *watch = to;
    struct reader_sink *sink = watch->sink;
    if (!watch->named) {
        watch->named = take_names(watch, row);
        if (!watch->named)
            sink->fault(sink->to, row->line, "this is not the Retraction Watch database: its "
                        "first row does not name the columns Title, RetractionNature and "
                        "OriginalPaperDOI");
        return watch->named ? WR_OK : WR_INVALID;
    }
    if (row->cut) {
        sink->fault(sink->to, row->line, "the row is longer than 1 MB or has too many fields");
        return WR_OK;
    }
    const char *nature = field(watch, row, NATURE);
    if (nature && strcasecmp(nature, "Retraction") == 0)
        return take_paper(watch, row);
    if (!nature)
        sink->fault(sink->to, row->line, "the row does not say what was noticed");
    wr_arena_free(&sink->arena);
    return WR_OK;
}

/* ---- the reader ---- */

static wr_err open(void **ret, struct reader_sink *sink)
{
    struct watch *watch = calloc(1, sizeof(*watch));
    if (!watch)
        return WR_NOMEM;
    watch->sink = sink;
    csv_init(&watch->csv, on_row, watch);
    *ret = watch;
    return WR_OK;
}

static void close(void *self)
{
    struct watch *watch = self;
    csv_fini(&watch->csv);
    free(watch);
}

static wr_err begin(void *self, uint64_t offset)
{
    struct watch *watch = self;
    WR_ASSERT(offset == 0);
    watch->named = false;
    csv_begin(&watch->csv, 0);
    return WR_OK;
}

static wr_err feed(void *self, const char *bytes, size_t len)
{
    return csv_feed(&((struct watch *)self)->csv, bytes, len);
}

static wr_err end(void *self)
{
    return csv_end(&((struct watch *)self)->csv);
}

static uint64_t safe(void *self)
{
    (void)self;
    return 0;
}

const struct reader_kind reader_retractionwatch = {
    .kind = "retractionwatch", .name = "Retraction Watch",
    .reads = "the Retraction Watch database, a CSV file", .suffix = ".csv", .open = open,
    .begin = begin, .feed = feed, .end = end, .safe = safe, .close = close };
