/* rfc_editor.c - the RFC Editor: requests for comments, by number. */
#include <string.h>

#include "source/reading.h"

static void request(const struct source_reading *reading, struct source_request *ret)
{
    const char *number = reading->question->text;
    number += strspn(number, "0");
    wr_text_str(&ret->url, "/rfc/rfc");
    request_escape(&ret->url, number, "");
    wr_text_str(&ret->url, ".json");
}

static bool item(struct source_reading *reading, const json_t *rfc, struct bib_record *ret)
{
    struct bib_work *work = &ret->work;
    size_t i;
    const json_t *author;
    work->title = reading_str(reading, rfc, "title");
    work->kind = BIB_REPORT;
    work->venue = "RFC Editor";
    work->year = reading_year(rfc, "pub_date");
    work->doi = reading_doi(reading, reading_str(reading, rfc, "doi"));
    json_array_foreach((json_t *)reading_at(rfc, "authors"), i, author)
        reading_author_name(reading, ret, json_is_string(author)
                                              ? json_string_value(author)
                                              : reading_str(reading, author, "name"));
    ret->id = reading_str(reading, rfc, "doc_id");
    return work->title;
}

const struct source_driver source_rfc_editor = {
    .name = "RFC Editor",
    SOURCE_SLUG("rfc_editor"),
    .base = "https://www.rfc-editor.org",
    .asks = SOURCE_RFC,
    .keyless = SOURCE_RFC,
    .always = SOURCE_RFC,
    .interval = WR_S(1),
    .timeout = WR_S(10),
    .complete = true,
    .single = "",
    .request = request,
    .item = item,
};
