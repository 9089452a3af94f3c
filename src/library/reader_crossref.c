/* reader_crossref.c - works of Crossref: JSON lines, or files with a list of "items". */
#include <string.h>

#include "base/text.h"
#include "biblio/ident.h"
#include "library/json_objects.h"

#define TITLE_MAX 4000

static enum bib_kind kind_of(const char *type)
{
    static const struct { const char *type; enum bib_kind kind; } table[] = {
        { "journal-article", BIB_ARTICLE }, { "proceedings-article", BIB_PAPER },
        { "book-chapter", BIB_PAPER }, { "book-section", BIB_PAPER }, { "book", BIB_BOOK },
        { "monograph", BIB_BOOK }, { "edited-book", BIB_BOOK }, { "proceedings", BIB_BOOK },
        { "reference-book", BIB_BOOK }, { "dissertation", BIB_THESIS },
        { "report", BIB_REPORT }, { "standard", BIB_REPORT },
        { "posted-content", BIB_PREPRINT },
        { "dataset", BIB_WEB } };
    for (size_t i = 0; type && i < sizeof(table) / sizeof(*table); i++)
        if (strcmp(type, table[i].type) == 0)
            return table[i].kind;
    return BIB_UNKNOWN;
}

/* What is no work of its own: a journal, a figure, somebody's review of a paper. */
static bool is_work(const char *type)
{
    static const char *const others[] = { "journal", "journal-issue", "journal-volume",
                                          "component", "peer-review", "grant", "book-series" };
    for (size_t i = 0; type && i < sizeof(others) / sizeof(*others); i++)
        if (strcmp(type, others[i]) == 0)
            return false;
    return true;
}

/* The subtitle belongs to it, unless it is there already. */
static const char *whole_title(const json_t *object, struct wr_arena *arena)
{
    char buf[TITLE_MAX];
    struct wr_text text = WR_TEXT(buf);
    const char *title = json_objects_first(object, "title", arena);
    const char *subtitle = json_objects_first(object, "subtitle", arena);
    if (!title || !subtitle || strstr(title, subtitle))
        return title;
    wr_text_format(&text, "%s%s%s", title, strchr("?!:", title[strlen(title) - 1]) ? " " : ": ",
                   subtitle);
    return text.cut ? title : wr_arena_str(arena, text.at);
}

static int year_of(const json_t *object)
{
    static const char *const dates[] = { "issued", "published-print", "published-online",
                                         "published" };
    for (size_t i = 0; i < sizeof(dates) / sizeof(*dates); i++) {
        const json_t *parts = json_object_get(json_object_get(object, dates[i]), "date-parts");
        json_int_t year = json_integer_value(json_array_get(json_array_get(parts, 0), 0));
        if (year > 0 && year < 3000)
            return (int)year;
    }
    return 0;
}

/* The notice stands on the article as an update of it, or as a relation to it. */
static const char *retraction_of(const json_t *object, struct wr_arena *arena)
{
    const json_t *relation = json_object_get(object, "relation");
    const json_t *notice = json_array_get(json_object_get(relation, "is-retracted-by"), 0);
    size_t i;
    json_t *update;
    json_array_foreach(json_object_get(object, "updated-by"), i, update)
    {
        const char *type = json_objects_text(update, "type", arena);
        if (type && (strcmp(type, "retraction") == 0 || strcmp(type, "removal") == 0
                     || strcmp(type, "withdrawal") == 0)) {
            const char *doi = json_objects_text(update, "DOI", arena);
            return doi ? doi : type;
        }
    }
    return json_objects_text(notice, "id", arena);
}

static void take_authors(const json_t *list, struct wr_arena *arena, struct bib_work *work)
{
    struct reader_names names = { 0 };
    size_t i;
    json_t *author;
    json_array_foreach(list, i, author)
    {
        const char *family = json_objects_text(author, "family", arena);
        const char *given = json_objects_text(author, "given", arena);
        if (!family && !given)
            family = json_objects_text(author, "name", arena);
        reader_add_parted(&names, arena, family, given);
    }
    work->authors = names.at;
    work->author_count = names.count;
}

static bool take(const json_t *object, struct wr_arena *arena, struct bib_record *ret)
{
    struct bib_work *work = &ret->work;
    const char *type = json_objects_text(object, "type", arena);
    const char *doi = json_objects_text(object, "DOI", arena);
    if (!is_work(type))
        return false;
    work->kind = kind_of(type);
    work->title = whole_title(object, arena);
    work->venue = json_objects_first(object, "container-title", arena);
    if (!work->venue && work->kind == BIB_BOOK)
        work->venue = json_objects_text(object, "publisher", arena);
    work->year = year_of(object);
    work->doi = doi ? bib_ident_doi(arena, doi) : NULL;
    work->arxiv_id = work->doi ? bib_ident_doi_arxiv(work->doi) : NULL;
    take_authors(json_object_get(object, "author"), arena, work);
    if (work->author_count == 0 && work->kind == BIB_BOOK)
        take_authors(json_object_get(object, "editor"), arena, work);
    ret->id = work->doi;
    ret->retraction = retraction_of(object, arena);
    return true;
}

static wr_err open(void **ret, struct reader_sink *sink)
{
    return json_objects_open(ret, sink, take);
}

const struct reader_kind reader_crossref = {
    .kind = "crossref", .name = "Crossref",
    .reads = "works of Crossref: one JSON object a line, or files with a list of \"items\"",
    .open = open, JSON_OBJECTS_CALLS };
