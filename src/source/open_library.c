/* open_library.c - Open Library: books. */
#include "source/reading.h"

static void request(const struct source_reading *reading, struct source_request *ret)
{
    wr_text_str(&ret->url, "/search.json?title=");
    request_words(&ret->url, reading->question->text, 8, "%20");
    wr_text_str(&ret->url, "&limit=5&fields=title,subtitle,author_name,key,first_publish_year,"
                           "publisher");
}

static const char *whole_title(struct source_reading *reading, const json_t *item)
{
    const char *title = reading_str(reading, item, "title");
    const char *subtitle = reading_str(reading, item, "subtitle");
    return title && subtitle ? reading_join(reading, title, ": ", subtitle) : title;
}

static bool item(struct source_reading *reading, const json_t *book, struct bib_record *ret)
{
    struct bib_work *work = &ret->work;
    size_t i;
    const json_t *author;
    work->title = whole_title(reading, book);
    work->kind = BIB_BOOK;
    work->year = reading_year(book, "first_publish_year");
    work->venue = reading_str(reading, book, "publisher");
    json_array_foreach((json_t *)reading_at(book, "author_name"), i, author)
        if (json_is_string(author))
            reading_author_name(reading, ret, json_string_value(author));
    ret->id = reading_str(reading, book, "key");
    return work->title;
}

const struct source_driver source_open_library = {
    .name = "Open Library",
    SOURCE_SLUG("open_library"),
    .base = "https://openlibrary.org",
    .asks = SOURCE_TITLE,
    .keyless = SOURCE_TITLE,
    .polite = true,
    .interval = WR_S(1),
    .interval_keyed = WR_S(1) / 3,
    .timeout = WR_S(10),
    .pause = WR_S(2),
    .refuses_503 = true,
    .list = "docs",
    .total = "numFound",
    .request = request,
    .item = item,
};
