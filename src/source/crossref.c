/* crossref.c - Crossref: most articles with a DOI, and what became of them. */
#include "source/csl.h"

static void request(const struct source_reading *reading, struct source_request *ret)
{
    const struct source_question *question = reading->question;
    if (question->by == SOURCE_BY_DOI) {
        wr_text_str(&ret->url, "/works/");
        request_escape(&ret->url, question->text, "/");
        return;
    }
    wr_text_str(&ret->url, "/works?query.title=");
    request_words(&ret->url, question->text, 6, "%20");
    wr_text_str(&ret->url, "&rows=5");
}

const struct source_driver source_crossref = {
    .name = "CrossRef",
    SOURCE_SLUG("crossref"),
    .base = "https://api.crossref.org",
    .asks = SOURCE_TITLE | SOURCE_DOI,
    .keyless = SOURCE_TITLE | SOURCE_DOI,
    .always = SOURCE_DOI,
    .polite = true,
    .interval = WR_S(1),
    .interval_keyed = WR_S(1) / 3,
    .at_once = 1,
    .at_once_keyed = 3,
    .timeout = WR_S(10),
    .complete = true,
    .recorded = true,
    .list = "message.items",
    .single = "message",
    .total = "message.total-results",
    .request = request,
    .item = csl_item,
};
