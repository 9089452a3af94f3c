/* pubmed.c - PubMed: medicine.  A search gives numbers, a second request what they mean. */
#include <string.h>

#include "source/reading.h"

#define NUMBERS_MAX 10
#define NUMBERS_ROOM ((size_t)NUMBERS_MAX * 12)

static void request(const struct source_reading *reading, struct source_request *ret)
{
    const struct source_question *question = reading->question;
    if (reading->step > 0) {
        wr_text_str(&ret->url, "/entrez/eutils/esummary.fcgi?db=pubmed&id=");
        wr_text_str(&ret->url, reading->next);
        wr_text_str(&ret->url, "&retmode=json");
        return;
    }
    wr_text_str(&ret->url, "/entrez/eutils/esearch.fcgi?db=pubmed&term=");
    if (question->by == SOURCE_BY_DOI) {
        request_escape(&ret->url, question->text, "/");
        wr_text_str(&ret->url, "%5Bdoi%5D");
    } else {
        request_words(&ret->url, question->text, 6, "%5BTitle%5D%20AND%20");
        wr_text_str(&ret->url, "%5BTitle%5D");
    }
    wr_text_format(&ret->url, "&retmode=json&retmax=%d", NUMBERS_MAX);
}

static wr_err read_numbers(struct source_reading *reading, const json_t *root)
{
    const json_t *list = reading_at(root, "esearchresult.idlist"), *number;
    if (!json_is_array(list) || reading_at(root, "esearchresult.ERROR"))
        return reading_fail(reading, WR_IO, "sent no list of articles");
    char *next = wr_arena_alloc(reading->arena, NUMBERS_ROOM);
    if (!next)
        return WR_NOMEM;
    struct wr_text text = wr_text_over(next, NUMBERS_ROOM);
    size_t i;
    json_array_foreach((json_t *)list, i, number)
    {
        const char *digits = json_is_string(number) ? json_string_value(number) : "";
        if (i == NUMBERS_MAX || !*digits || strlen(digits) > 10
            || digits[strspn(digits, "0123456789")])
            continue;
        wr_text_format(&text, "%s%s", text.len ? "," : "", digits);
    }
    reading->next = text.len ? next : NULL;
    return text.len ? WR_OK : WR_NOTFOUND;
}

static void read_article(struct source_reading *reading, const json_t *article)
{
    size_t i;
    const json_t *part;
    struct bib_record *record = json_is_object(article) ? reading_record(reading) : NULL;
    if (!record)
        return;
    struct bib_work *work = &record->work;
    work->title = reading_title(reading, article, "title");
    if (!work->title) {
        reading->count--;
        return;
    }
    work->kind = BIB_ARTICLE;
    work->year = reading_year(article, "pubdate");
    work->venue = reading_str(reading, article, "fulljournalname");
    if (!work->venue)
        work->venue = reading_str(reading, article, "source");
    work->volume = reading_str(reading, article, "volume");
    work->pages = reading_str(reading, article, "pages");
    json_array_foreach((json_t *)reading_at(article, "authors"), i, part)
        reading_author_name(reading, record, reading_str(reading, part, "name"));
    json_array_foreach((json_t *)reading_at(article, "articleids"), i, part)
    {
        const char *type = reading_str(reading, part, "idtype");
        if (type && strcmp(type, "doi") == 0)
            work->doi = reading_doi(reading, reading_str(reading, part, "value"));
    }
    json_array_foreach((json_t *)reading_at(article, "pubtype"), i, part)
        if (json_is_string(part)
            && strcmp(json_string_value(part), "Retracted Publication") == 0)
            record->retraction = "retracted";
    record->id = reading_str(reading, article, "uid");
}

static wr_err read_articles(struct source_reading *reading, const json_t *root)
{
    const json_t *result = reading_at(root, "result"), *number;
    const json_t *numbers = reading_at(result, "uids");
    size_t i;
    if (!json_is_array(numbers))
        return reading_fail(reading, WR_IO, "sent no articles");
    json_array_foreach((json_t *)numbers, i, number)
        if (json_is_string(number))
            read_article(reading, json_object_get(result, json_string_value(number)));
    return reading->count ? WR_OK : WR_NOTFOUND;
}

static wr_err read_answer(struct source_reading *reading, const struct source_reply *reply)
{
    json_t *root = reading_json(reading, reply->bytes, reply->len);
    if (!root)
        return WR_IO;
    wr_err err = reading->step == 0 ? read_numbers(reading, root)
                                    : read_articles(reading, root);
    json_decref(root);
    return err;
}

const struct source_driver source_pubmed = {
    .name = "PubMed",
    SOURCE_SLUG("pubmed"),
    .base = "https://eutils.ncbi.nlm.nih.gov",
    .asks = SOURCE_TITLE | SOURCE_DOI,
    .keyless = SOURCE_TITLE | SOURCE_DOI,
    .key_parameter = "api_key",
    .key_env = "NCBI_API_KEY",
    .interval = WR_S(1) / 3,
    .interval_keyed = WR_S(1) / 10,
    .timeout = WR_S(10),
    .pause = WR_S(1),
    .refuses_503 = true,
    .complete = true,
    .request = request,
    .read = read_answer,
};
