/* source_rig.h - a driver's requests and answers as texts, for the tests of the drivers.
 *
 *     CHECK_STR("https://dblp.org/search/...", asked(&source_dblp, SOURCE_BY_TITLE, "..."));
 *     CHECK_STR("A title | Doe, Jane; Roe | 2001 | ...", told(&source_dblp, ..., "{...}"));
 *
 * A record is its title, authors, year, venue, volume, pages, DOI, arXiv id and id, with "-"
 * for what it has not; then what is special of it.
 */
#ifndef WR_TESTING_SOURCE_RIG_H
#define WR_TESTING_SOURCE_RIG_H

#include <string.h>

#include "source/source.h"
#include "testing/test.h"

#define RIG_SOURCE __attribute__((unused)) static

RIG_SOURCE struct wr_arena rig_arena = { .max = 4 << 20 };
RIG_SOURCE struct source_reading rig_reading;
RIG_SOURCE struct source_question rig_question;

RIG_SOURCE const char *asked_of(const struct source_reading *reading)
{
    static char url[SOURCE_URL_MAX], body[SOURCE_URL_MAX];
    struct source_request request = { .url = WR_TEXT(url), .body = WR_TEXT(body) };
    CHECK_OK(source_request_write(reading, NULL, &request));
    if (request.body.len)
        wr_text_format(&request.url, " %s", body);
    return url;
}

RIG_SOURCE const char *asked(const struct source_driver *driver, enum source_by by,
                             const char *text)
{
    struct source_question question = { .by = by, .text = text };
    return asked_of(&(struct source_reading){ .driver = driver, .question = &question,
                                              .arena = &rig_arena });
}

RIG_SOURCE void tell(struct wr_text *text, const char *value)
{
    wr_text_format(text, " | %s", value ? value : "-");
}

RIG_SOURCE void tell_record(struct wr_text *text, const struct bib_record *record)
{
    const struct bib_work *work = &record->work;
    wr_text_format(text, "%s%s | ", text->len ? "\n" : "", work->title);
    for (uint32_t i = 0; i < work->author_count; i++)
        wr_text_format(text, "%s%s%s%s", i ? "; " : "", work->authors[i].family,
                       work->authors[i].given ? ", " : "",
                       work->authors[i].given ? work->authors[i].given : "");
    wr_text_format(text, " | %d", work->year);
    tell(text, work->venue);
    tell(text, work->volume);
    tell(text, work->pages);
    tell(text, work->doi);
    tell(text, work->arxiv_id);
    tell(text, record->id);
    if (record->retraction)
        wr_text_format(text, " | retracted: %s", record->retraction);
}

/* Begin a question anew. */
RIG_SOURCE void pose(const struct source_driver *driver, enum source_by by, const char *text,
                     const char *title)
{
    wr_arena_free(&rig_arena);
    rig_question = (struct source_question){ .by = by, .text = text, .title = title };
    rig_reading = (struct source_reading){ .driver = driver, .question = &rig_question,
                                           .arena = &rig_arena };
}

RIG_SOURCE wr_err take(unsigned status, const char *bytes)
{
    return source_read(&rig_reading, &(struct source_reply){
        .status = status, .bytes = bytes, .len = strlen(bytes) });
}

/* All records, a line each; or the error, and why. */
RIG_SOURCE const char *told(const struct source_driver *driver, enum source_by by,
                            const char *text, const char *bytes)
{
    static char buf[20000];
    struct wr_text ret = WR_TEXT(buf);
    pose(driver, by, text, NULL);
    wr_err err = take(200, bytes);
    if (err)
        wr_text_format(&ret, "%s: %s", wr_err_name(err), rig_reading.why);
    for (size_t i = 0; !err && i < rig_reading.count; i++)
        tell_record(&ret, &rig_reading.records[i]);
    return buf;
}

#endif
