/* web_search.c - a search of the web by SearxNG: the last who is asked.
 *
 * First for the title as it stands, then, if no page has it, for its words, then for the number
 * of a standard.  A page has a title when it is nearly the same or contains the other.
 */
#include <string.h>

#include "biblio/fold.h"
#include "biblio/ratio.h"
#include "source/reading.h"

#define ALIKE_PERMILLE 850
#define CONTAINED_MIN 15                /* letters */

enum { EXACT, WORDS, NUMBER };

/* "RFC 9110" in a title; NULL. */
static const char *number_of(const char *title)
{
    const char *rfc = strstr(title, "RFC ");
    return rfc && strspn(rfc + 4, "0123456789") > 0 ? rfc : NULL;
}

static void write_exact(struct wr_text *url, const char *title)
{
    wr_text_str(url, "%22");
    for (; *title; title++)
        if (!strchr("\":", *title))
            request_escape(url, (const char[2]){ *title, '\0' }, "");
    wr_text_str(url, "%22");
}

static void request(const struct source_reading *reading, struct source_request *ret)
{
    const char *title = reading->question->text, *rfc = number_of(title);
    unsigned step = reading->step;
    wr_text_str(&ret->url, "/search?q=");
    if (step == EXACT)
        write_exact(&ret->url, title);
    else if (step == WORDS)
        request_words(&ret->url, title, 6, "%20");
    else if (rfc)
        wr_text_format(&ret->url, "RFC%%20%.*s", (int)strspn(rfc + 4, "0123456789"), rfc + 4);
    wr_text_str(&ret->url, "&format=json");
}

static bool has_title(const char *page, const char *title)
{
    char one[BIB_FOLD_MAX], other[BIB_FOLD_MAX];
    struct wr_text a = WR_TEXT(one), b = WR_TEXT(other);
    bib_fold(&a, page, strlen(page));
    bib_fold(&b, title, strlen(title));
    return bib_ratio(one, a.len, other, b.len) >= ALIKE_PERMILLE
           || (b.len >= CONTAINED_MIN && strstr(one, other))
           || (a.len >= CONTAINED_MIN && strstr(other, one));
}

static void read_page(struct source_reading *reading, const json_t *page)
{
    const char *title = reading_str(reading, page, "title");
    if (!title || !has_title(title, reading->question->text))
        return;
    struct bib_record *record = reading_record(reading);
    if (!record)
        return;
    record->work.kind = BIB_WEB;
    record->work.title = title;
    record->id = reading_str(reading, page, "url");
    reading_url(reading, record, record->id);
}

static wr_err read_pages(struct source_reading *reading, const json_t *root)
{
    const char *title = reading->question->text;
    const json_t *results = reading_at(root, "results"), *page;
    size_t i;
    if (!json_is_array(results))
        return reading_fail(reading, WR_IO, "sent JSON without a result in it");
    json_array_foreach((json_t *)results, i, page)
        read_page(reading, page);
    if (reading->count)
        return WR_OK;
    /* It has no pages of its own: with none of those it asks, there is nothing to be said. */
    if (json_array_size(results) == 0
        && json_array_size(reading_at(root, "unresponsive_engines")) > 0)
        return reading_fail(reading, WR_IO, "could not ask a search engine");
    bool more = reading->step == EXACT ? true : reading->step == WORDS && number_of(title);
    reading->next = more ? "" : NULL;
    return more ? WR_OK : WR_NOTFOUND;
}

static wr_err read_answer(struct source_reading *reading, const struct source_reply *reply)
{
    json_t *root = reading_json(reading, reply->bytes, reply->len);
    if (!root)
        return WR_IO;
    wr_err err = read_pages(reading, root);
    json_decref(root);
    return err;
}

const struct source_driver source_web_search = {
    .name = "Web Search",
    SOURCE_SLUG("web_search"),
    .asks = SOURCE_TITLE,
    .keyless = SOURCE_TITLE,
    .interval = WR_S(1) / 2,
    .timeout = WR_S(10),
    .selects = true,
    .request = request,
    .read = read_answer,
};
