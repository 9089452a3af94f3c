/* europe_pmc.c - Europe PMC: the life sciences, PubMed and more. */
#include <string.h>

#include "source/reading.h"

#define QUERY_MAX 100                   /* bytes of a title; longer ones find no more */

/* What means something in a query is left out of a title. */
static void write_title(struct wr_text *url, const char *title)
{
    size_t count = 0;
    for (; *title && (count < QUERY_MAX || ((unsigned char)*title & 0xc0) == 0x80); title++) {
        if (strchr("\"'[](){}:;", *title))
            continue;
        request_escape(url, (const char[2]){ *title, '\0' }, "");
        count++;
    }
}

static void request(const struct source_reading *reading, struct source_request *ret)
{
    const struct source_question *question = reading->question;
    wr_text_str(&ret->url, "/europepmc/webservices/rest/search?query=");
    if (question->by == SOURCE_BY_DOI) {
        wr_text_str(&ret->url, "DOI:%22");
        request_escape(&ret->url, question->text, "/");
        wr_text_str(&ret->url, "%22");
    } else {
        write_title(&ret->url, question->text);
    }
    wr_text_str(&ret->url, "&format=json&pageSize=15");
}

/* "Walker IS, Doe JA.": a family and initials each. */
static void read_authors(struct source_reading *reading, struct bib_record *record,
                         const char *list)
{
    while (list && *list) {
        size_t len = strcspn(list, ","), end = len;
        while (end > 0 && (list[end - 1] == '.' || list[end - 1] == ' '))
            end--;
        reading_author_name(reading, record, wr_arena_copy(reading->arena, list, end));
        list += len + (list[len] == ',');
        list += strspn(list, " ");
    }
}

static bool item(struct source_reading *reading, const json_t *article, struct bib_record *ret)
{
    struct bib_work *work = &ret->work;
    const char *type = reading_str(reading, article, "pubType");
    work->title = reading_title(reading, article, "title");
    work->kind = type && strstr(type, "preprint") ? BIB_PREPRINT : BIB_ARTICLE;
    work->year = reading_year(article, "pubYear");
    work->venue = reading_str(reading, article, "journalTitle");
    work->volume = reading_str(reading, article, "journalVolume");
    work->pages = reading_str(reading, article, "pageInfo");
    work->doi = reading_doi(reading, reading_str(reading, article, "doi"));
    read_authors(reading, ret, reading_str(reading, article, "authorString"));
    ret->id = reading_str(reading, article, "id");
    if (type && strstr(type, "retracted publication"))
        ret->retraction = "retracted";
    return work->title;
}

const struct source_driver source_europe_pmc = {
    .name = "Europe PMC",
    SOURCE_SLUG("europe_pmc"),
    .base = "https://www.ebi.ac.uk",
    .asks = SOURCE_TITLE | SOURCE_DOI,
    .keyless = SOURCE_TITLE | SOURCE_DOI,
    .interval = WR_S(1) / 2,
    .timeout = WR_S(10),
    .complete = true,
    .list = "resultList.result",
    .total = "hitCount",
    .request = request,
    .item = item,
};
