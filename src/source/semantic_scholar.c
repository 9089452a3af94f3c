/* semantic_scholar.c - Semantic Scholar: all fields, by identifier and by title. */
#include "source/reading.h"

#define FIELDS "fields=title,authors,year,venue,journal,externalIds,publicationTypes,url"

static void request(const struct source_reading *reading, struct source_request *ret)
{
    const struct source_question *question = reading->question;
    if (question->by == SOURCE_BY_TITLE) {
        wr_text_str(&ret->url, "/graph/v1/paper/search?query=");
        request_words(&ret->url, question->text, 6, "%20");
        wr_text_str(&ret->url, "&limit=10&" FIELDS);
        return;
    }
    wr_text_str(&ret->url, question->by == SOURCE_BY_DOI ? "/graph/v1/paper/DOI:"
                                                         : "/graph/v1/paper/ARXIV:");
    request_escape(&ret->url, question->text, "/");
    wr_text_str(&ret->url, "?" FIELDS);
}

static const struct reading_kind kinds[] = {
    { "JournalArticle", BIB_ARTICLE },
    { "Conference", BIB_PAPER },
    { "BookSection", BIB_PAPER },
    { "Book", BIB_BOOK },
    { "Dataset", BIB_WEB },
    { NULL, BIB_UNKNOWN },
};

/* Of several types the more telling one: a paper at a conference is often both. */
static enum bib_kind kind_of(const json_t *types)
{
    enum bib_kind kind = BIB_UNKNOWN;
    size_t i;
    const json_t *type;
    json_array_foreach((json_t *)types, i, type)
    {
        enum bib_kind one = reading_kind(kinds, json_string_value(type));
        kind = one > kind ? one : kind;
    }
    return kind;
}

static bool item(struct source_reading *reading, const json_t *paper, struct bib_record *ret)
{
    struct bib_work *work = &ret->work;
    size_t i;
    const json_t *author;
    work->title = reading_str(reading, paper, "title");
    work->kind = kind_of(reading_at(paper, "publicationTypes"));
    work->year = reading_year(paper, "year");
    work->venue = reading_str(reading, paper, "venue");
    if (!work->venue)
        work->venue = reading_str(reading, paper, "journal.name");
    work->volume = reading_str(reading, paper, "journal.volume");
    work->pages = reading_str(reading, paper, "journal.pages");
    json_array_foreach((json_t *)reading_at(paper, "authors"), i, author)
        reading_author_name(reading, ret, reading_str(reading, author, "name"));
    work->doi = reading_doi(reading, reading_str(reading, paper, "externalIds.DOI"));
    work->arxiv_id = reading_arxiv_id(reading,
                                      reading_str(reading, paper, "externalIds.ArXiv"));
    reading_url(reading, ret, reading_str(reading, paper, "url"));
    ret->id = reading_str(reading, paper, "paperId");
    return work->title;
}

const struct source_driver source_semantic_scholar = {
    .name = "Semantic Scholar",
    SOURCE_SLUG("semantic_scholar"),
    .base = "https://api.semanticscholar.org",
    .asks = SOURCE_TITLE | SOURCE_DOI | SOURCE_ARXIV,
    .keyless = SOURCE_TITLE | SOURCE_DOI | SOURCE_ARXIV,
    .key_header = "x-api-key",
    .key_env = "S2_API_KEY",
    .interval = WR_S(3),
    .interval_keyed = WR_S(1),
    .timeout = WR_S(10),
    .complete = true,
    .recorded = true,
    .list = "data",
    .single = "",
    .total = "total",
    .request = request,
    .item = item,
};
