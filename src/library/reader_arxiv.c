/* reader_arxiv.c - arXiv's metadata as JSON lines (the public snapshot of all records). */
#include "biblio/ident.h"
#include "biblio/latex.h"
#include "library/json_objects.h"

/* Titles and names are TeX here and there. */
static const char *plain(const json_t *text, struct wr_arena *arena)
{
    return json_is_string(text)
        ? bib_latex(arena, json_string_value(text), json_string_length(text)) : NULL;
}

static void take_authors(const json_t *object, struct wr_arena *arena, struct bib_work *work)
{
    struct reader_names names = { 0 };
    size_t i;
    json_t *author;
    json_array_foreach(json_object_get(object, "authors_parsed"), i, author)
        reader_add_parted(&names, arena, plain(json_array_get(author, 0), arena),
                          plain(json_array_get(author, 1), arena));
    work->authors = names.at;
    work->author_count = names.count;
}

static bool take(const json_t *object, struct wr_arena *arena, struct bib_record *ret)
{
    const json_t *version = json_array_get(json_object_get(object, "versions"), 0);
    const char *id = json_objects_text(object, "id", arena);
    const char *doi = json_objects_first(object, "doi", arena);
    const char *created = json_objects_text(version, "created", arena);
    struct bib_work *work = &ret->work;
    work->kind = BIB_PREPRINT;
    work->title = plain(json_object_get(object, "title"), arena);
    work->venue = "arXiv";
    work->arxiv_id = id ? bib_ident_arxiv(arena, id) : NULL;
    work->doi = doi ? bib_ident_doi(arena, doi) : NULL;
    if (!created)
        created = json_objects_text(object, "update_date", arena);
    work->year = reader_year(created);
    take_authors(object, arena, work);
    ret->id = id;
    return true;
}

static wr_err open(void **ret, struct reader_sink *sink)
{
    return json_objects_open(ret, sink, take);
}

const struct reader_kind reader_arxiv = {
    .kind = "arxiv", .name = "arXiv",
    .reads = "arXiv's metadata, one JSON object a line (arxiv-metadata-oai-snapshot.json)",
    .suffix = ".json", .open = open, JSON_OBJECTS_CALLS };
