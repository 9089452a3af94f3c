/* openreview.c - OpenReview: submissions, by the number of their forum or by title.
 *
 * A member of a note is a text in the first version of the interface and an object with the
 * text as its `value` in the second.
 */
#include <stdio.h>
#include <string.h>

#include "source/reading.h"

static void request(const struct source_reading *reading, struct source_request *ret)
{
    const struct source_question *question = reading->question;
    if (question->by == SOURCE_BY_FORUM) {
        wr_text_str(&ret->url, "/notes?id=");
        request_escape(&ret->url, question->text, "");
        return;
    }
    wr_text_str(&ret->url, "/notes/search?term=");
    request_words(&ret->url, question->text, 8, "%20");
    wr_text_str(&ret->url, "&type=terms&content=title&source=forum&limit=5");
}

static const json_t *member(const json_t *note, const char *name)
{
    const json_t *content = json_object_get(note, "content");
    const json_t *value = json_object_get(json_is_object(content) ? content : note, name);
    return json_is_object(value) ? json_object_get(value, "value") : value;
}

#define SECONDS_OF_YEAR 31556952        /* dates are in milliseconds since 1970 */

static int year_of(const json_t *note, const char *venue)
{
    static const char *const dates[] = { "pdate", "odate", "cdate" };
    int year = venue ? reading_year_of(venue) : 0;
    if (!year)
        year = reading_year(member(note, "year"), "");
    for (size_t i = 0; i < sizeof(dates) / sizeof(dates[0]) && !year; i++) {
        const json_t *date = json_object_get(note, dates[i]);
        json_int_t since = json_integer_value(date) / 1000 / SECONDS_OF_YEAR;
        if (since > 0 && since < 200)
            year = 1970 + (int)since;
    }
    return year;
}

static bool item(struct source_reading *reading, const json_t *note, struct bib_record *ret)
{
    struct bib_work *work = &ret->work;
    size_t i;
    const json_t *author;
    work->title = reading_str(reading, member(note, "title"), "");
    work->venue = reading_str(reading, member(note, "venue"), "");
    work->year = year_of(note, work->venue);
    json_array_foreach((json_t *)member(note, "authors"), i, author)
        if (json_is_string(author))
            reading_author_name(reading, ret, json_string_value(author));
    ret->id = reading_str(reading, note, "id");
    work->kind = BIB_PAPER;
    return work->title;
}

const struct source_driver source_openreview = {
    .name = "OpenReview",
    SOURCE_SLUG("openreview"),
    .base = "https://api2.openreview.net",
    .asks = SOURCE_TITLE | SOURCE_FORUM,
    .keyless = SOURCE_TITLE | SOURCE_FORUM,
    .interval = WR_S(1),
    .timeout = WR_S(10),
    .complete = true,
    .recorded = true,
    .list = "notes",
    .total = "count",
    .request = request,
    .item = item,
};
