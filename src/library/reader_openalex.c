/* reader_openalex.c - works of OpenAlex as JSON lines (part files of its snapshot). */
#include <string.h>

#include "biblio/ident.h"
#include "library/json_objects.h"

static enum bib_kind kind_of(const char *type)
{
    static const struct { const char *type; enum bib_kind kind; } table[] = {
        { "article", BIB_ARTICLE }, { "review", BIB_ARTICLE }, { "letter", BIB_ARTICLE },
        { "editorial", BIB_ARTICLE }, { "book-chapter", BIB_PAPER }, { "book", BIB_BOOK },
        { "dissertation", BIB_THESIS }, { "preprint", BIB_PREPRINT }, { "report", BIB_REPORT },
        { "standard", BIB_REPORT }, { "dataset", BIB_WEB } };
    for (size_t i = 0; type && i < sizeof(table) / sizeof(*table); i++)
        if (strcmp(type, table[i].type) == 0)
            return table[i].kind;
    return BIB_UNKNOWN;
}

static const char *last_part(const char *address)
{
    const char *slash = address ? strrchr(address, '/') : NULL;
    return slash ? slash + 1 : address;
}

static bool take(const json_t *object, struct wr_arena *arena, struct bib_record *ret)
{
    struct reader_names names = { 0 };
    struct bib_work *work = &ret->work;
    const json_t *location = json_object_get(object, "primary_location");
    const char *doi = json_objects_text(object, "doi", arena);
    size_t i;
    json_t *authorship;
    json_array_foreach(json_object_get(object, "authorships"), i, authorship)
        reader_add_name(&names, arena,
                        json_objects_text(json_object_get(authorship, "author"),
                                          "display_name", arena));
    work->authors = names.at;
    work->author_count = names.count;
    work->title = json_objects_text(object, "display_name", arena);
    if (!work->title)
        work->title = json_objects_text(object, "title", arena);
    work->venue =
        json_objects_text(json_object_get(location, "source"), "display_name", arena);
    work->kind = kind_of(json_objects_text(object, "type", arena));
    work->year = (int)json_integer_value(json_object_get(object, "publication_year"));
    work->doi = doi ? bib_ident_doi(arena, doi) : NULL;
    work->arxiv_id = work->doi ? bib_ident_doi_arxiv(work->doi) : NULL;
    ret->id = last_part(json_objects_text(object, "id", arena));
    ret->authors_partial = true;            /* long lists are cut */
    if (json_is_true(json_object_get(object, "is_retracted")))
        ret->retraction = "retracted";
    return true;
}

static wr_err open(void **ret, struct reader_sink *sink)
{
    return json_objects_open(ret, sink, take);
}

const struct reader_kind reader_openalex = {
    .kind = "openalex", .name = "OpenAlex",
    .reads = "works of OpenAlex, one JSON object a line (part files of its snapshot)",
    .open = open, JSON_OBJECTS_CALLS };
