/* dblp.c - DBLP: computer science, by title. */
#include <string.h>

#include "source/reading.h"

static void request(const struct source_reading *reading, struct source_request *ret)
{
    wr_text_str(&ret->url, "/search/publ/api?q=");
    request_words(&ret->url, reading->question->text, 6, "%20");
    wr_text_str(&ret->url, "&format=json&h=10");
}

static const struct reading_kind kinds[] = {
    { "Journal Articles", BIB_ARTICLE },
    { "Conference and Workshop Papers", BIB_PAPER },
    { "Parts in Books or Collections", BIB_PAPER },
    { "Books and Theses", BIB_BOOK },
    { "Informal and Other Publications", BIB_PREPRINT },
    { "Informal Publications", BIB_PREPRINT },
    { NULL, BIB_UNKNOWN },
};

/* One author is an object or a text, several are a list of these. */
static void read_author(struct source_reading *reading, struct bib_record *record,
                        const json_t *author)
{
    const char *name = json_is_string(author) ? json_string_value(author)
                                              : reading_str(reading, author, "text");
    reading_author_name(reading, record, name);
}

static void read_authors(struct source_reading *reading, struct bib_record *record,
                         const json_t *list)
{
    size_t i;
    const json_t *author;
    if (!json_is_array(list))
        read_author(reading, record, list);
    json_array_foreach((json_t *)list, i, author)
        read_author(reading, record, author);
}

static bool read_item(struct source_reading *reading, const json_t *item,
                      struct bib_record *ret)
{
    const json_t *info = reading_at(item, "info");
    struct bib_work *work = &ret->work;
    work->kind = reading_kind(kinds, reading_str(reading, info, "type"));
    work->title = reading_title(reading, info, "title");
    work->year = reading_year(info, "year");
    work->venue = reading_str(reading, info, "venue");
    if (!work->venue)
        work->venue = reading_str(reading, info, "publisher");
    work->volume = reading_str(reading, info, "volume");
    work->pages = reading_str(reading, info, "pages");
    work->doi = reading_doi(reading, reading_str(reading, info, "doi"));
    if (work->volume && strncmp(work->volume, "abs/", 4) == 0)
        work->arxiv_id = reading_arxiv_id(reading, work->volume + 4);
    read_authors(reading, ret, reading_at(info, "authors.author"));
    reading_url(reading, ret, reading_str(reading, info, "url"));
    ret->id = reading_str(reading, info, "key");
    return work->title;
}

const struct source_driver source_dblp = {
    .name = "DBLP",
    SOURCE_SLUG("dblp"),
    .base = "https://dblp.org",
    .asks = SOURCE_TITLE,
    .keyless = SOURCE_TITLE,
    .interval = WR_S(1),
    .at_once = 1,
    .timeout = WR_S(10),
    .recorded = true,
    .list = "result.hits.hit",
    .total = "result.hits.@total",
    .request = request,
    .item = read_item,
};
