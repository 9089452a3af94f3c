/* openalex.c - OpenAlex: all fields.  A look by DOI is free; a search needs a key. */
#include <string.h>

#include "source/reading.h"

#define FIELDS "select=id,doi,title,publication_year,type,authorships,primary_location," \
               "biblio,is_retracted"

static void request(const struct source_reading *reading, struct source_request *ret)
{
    const struct source_question *question = reading->question;
    if (question->by == SOURCE_BY_DOI) {
        wr_text_str(&ret->url, "/works/doi:");
        request_escape(&ret->url, question->text, "/");
        wr_text_str(&ret->url, "?" FIELDS);
        return;
    }
    wr_text_str(&ret->url, "/works?filter=title.search:");
    request_words(&ret->url, question->text, 6, "%20");
    wr_text_str(&ret->url, "&per_page=5&" FIELDS);
}

static const struct reading_kind kinds[] = {
    { "article", BIB_ARTICLE }, { "review", BIB_ARTICLE }, { "book-chapter", BIB_PAPER },
    { "book", BIB_BOOK }, { "dissertation", BIB_THESIS }, { "report", BIB_REPORT },
    { "standard", BIB_REPORT }, { "preprint", BIB_PREPRINT }, { "dataset", BIB_WEB },
    { NULL, BIB_UNKNOWN },
};

static const char *pages(struct source_reading *reading, const json_t *biblio)
{
    const char *first = reading_str(reading, biblio, "first_page");
    const char *last = reading_str(reading, biblio, "last_page");
    return first && last ? reading_join(reading, first, "-", last) : first;
}

static void read_place(struct source_reading *reading, const json_t *item,
                       struct bib_work *work)
{
    const json_t *place = reading_at(item, "primary_location");
    work->venue = reading_str(reading, place, "source.display_name");
    if (!work->venue)
        work->venue = reading_str(reading, place, "raw_source_name");
    const char *page = reading_str(reading, place, "landing_page_url");
    if (page && strstr(page, "arxiv.org/"))
        work->arxiv_id = reading_arxiv_id(reading, page);
}

static bool item(struct source_reading *reading, const json_t *work_item,
                 struct bib_record *ret)
{
    struct bib_work *work = &ret->work;
    size_t i;
    const json_t *author;
    work->kind = reading_kind(kinds, reading_str(reading, work_item, "type"));
    work->title = reading_str(reading, work_item, "title");
    if (!work->title)
        work->title = reading_str(reading, work_item, "display_name");
    work->year = reading_year(work_item, "publication_year");
    read_place(reading, work_item, work);
    work->volume = reading_str(reading, work_item, "biblio.volume");
    work->pages = pages(reading, reading_at(work_item, "biblio"));
    json_array_foreach((json_t *)reading_at(work_item, "authorships"), i, author)
    {
        const char *name = reading_str(reading, author, "author.display_name");
        if (!name)
            name = reading_str(reading, author, "raw_author_name");
        reading_author_name(reading, ret, name);
    }
    work->doi = reading_doi(reading, reading_str(reading, work_item, "doi"));
    ret->id = reading_str(reading, work_item, "id");
    reading_url(reading, ret, ret->id);
    if (json_is_true(reading_at(work_item, "is_retracted")))
        ret->retraction = "retracted";
    return work->title;
}

const struct source_driver source_openalex = {
    .name = "OpenAlex",
    SOURCE_SLUG("openalex"),
    .base = "https://api.openalex.org",
    .asks = SOURCE_TITLE | SOURCE_DOI,
    .keyless = SOURCE_DOI,
    .key_parameter = "api_key",
    .key_env = "OPENALEX_KEY",
    .interval = WR_S(1) / 10,
    .interval_keyed = WR_S(1) / 10,
    .timeout = WR_S(10),
    .recorded = true,
    .list = "results",
    .single = "",
    .total = "meta.count",
    .request = request,
    .item = item,
};
