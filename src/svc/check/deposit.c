/* deposit.c - what a publisher says that a work cites: see deposit.h. */
#include "svc/check/deposit.h"

#include <stdio.h>
#include <string.h>

#include <weir/offload.h>

#include "biblio/author.h"
#include "extract/reference.h"
#include "source/reading.h"

#define RAW_MAX 2048

struct deposit {
    const char *name, *json;
    size_t len;
    struct wr_arena *arena;
    struct extract_documents *ret;
    char *why;
    struct source_reading reading;
    wr_err err;
};

/* ---- one item ---- */

/* What is looked at by a person, where it was not printed. */
static const char *write_raw(struct deposit *deposit, const json_t *item)
{
    static const char *const names[] = { "author", "article-title", "volume-title",
                                         "journal-title", "volume", "first-page", "year" };
    char buf[RAW_MAX];
    struct wr_text raw = WR_TEXT(buf);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *value = reading_title(&deposit->reading, item, names[i]);
        if (value)
            wr_text_format(&raw, "%s%s", raw.len ? ". " : "", value);
    }
    return wr_arena_copy(deposit->arena, raw.at, raw.len);
}

static void take_author(struct deposit *deposit, const json_t *item, struct bib_work *work)
{
    const char *text = reading_str(&deposit->reading, item, "author");
    struct bib_name *name = wr_arena_alloc(deposit->arena, sizeof(*name));
    if (work->author_count || !text || !name
        || !bib_author_parse(name, text, strlen(text), deposit->arena))
        return;
    work->authors = name;
    work->author_count = 1;
    work->et_al = true;
}

static void take_fields(struct deposit *deposit, const json_t *item, struct bib_work *work)
{
    struct source_reading *reading = &deposit->reading;
    const char *title = reading_title(reading, item, "article-title");
    const char *volume_title = reading_title(reading, item, "volume-title");
    const char *journal = reading_str(reading, item, "journal-title");
    const char *doi = reading_doi(reading, reading_str(reading, item, "DOI"));
    int year = reading_year(item, "year");
    if (journal || title || volume_title)
        work->kind = journal ? BIB_ARTICLE : title ? BIB_PAPER : BIB_BOOK;
    if (title || volume_title)
        work->title = title ? title : volume_title;
    if (journal || (title && volume_title))
        work->venue = journal ? journal : volume_title;
    if (reading_str(reading, item, "volume"))
        work->volume = reading_str(reading, item, "volume");
    if (reading_str(reading, item, "first-page"))
        work->pages = reading_str(reading, item, "first-page");
    work->year = year ? year : work->year;
    work->doi = doi ? doi : work->doi;
    take_author(deposit, item, work);
}

static wr_err read_item(struct deposit *deposit, const json_t *item, struct bib_reference *ret,
                        uint32_t number)
{
    const char *printed = reading_str(&deposit->reading, item, "unstructured");
    wr_err err = WR_OK;
    *ret = (struct bib_reference){ 0 };
    if (printed)
        err = extract_reference(printed, strlen(printed), deposit->arena, ret);
    if (err)
        return err;
    ret->number = number;
    take_fields(deposit, item, &ret->work);
    if (!ret->raw)
        ret->raw = write_raw(deposit, item);
    bool anything = ret->work.title || ret->work.doi || ret->work.arxiv_id
        || ret->work.url_count;
    ret->skip = anything ? NULL : "it has neither a title nor an identifier";
    return deposit->arena->full ? WR_NOMEM : WR_OK;
}

/* ---- all of them ---- */

static wr_err read_items(struct deposit *deposit, const json_t *items)
{
    size_t count = json_array_size(items);
    struct extract_document *document = wr_arena_alloc(deposit->arena, sizeof(*document));
    struct bib_reference *at = wr_arena_alloc(deposit->arena, count * sizeof(*at));
    wr_err err = document && at ? WR_OK : WR_NOMEM;
    for (size_t i = 0; i < count && !err; i++)
        err = read_item(deposit, json_array_get(items, i), &at[i], (uint32_t)i + 1);
    if (err)
        return err;
    *document = (struct extract_document){
        .name = wr_arena_str(deposit->arena, deposit->name), .kind = "Crossref",
        .references = { at, count } };
    *deposit->ret = (struct extract_documents){ document, 1 };
    return deposit->arena->full ? WR_NOMEM : WR_OK;
}

static void read_record(void *arg)
{
    struct deposit *deposit = arg;
    json_t *root = reading_json(&deposit->reading, deposit->json, deposit->len);
    const json_t *items = reading_at(root, "message.reference");
    deposit->err = WR_OK;
    if (!json_is_object(reading_at(root, "message"))) {
        deposit->err = WR_IO;
        snprintf(deposit->why, DEPOSIT_WHY, "Crossref sent something that is no record of a "
                 "work; try again later, or give the file of the paper");
    } else if (json_array_size(items) == 0) {
        deposit->err = WR_NOTFOUND;
        snprintf(deposit->why, DEPOSIT_WHY, "Crossref has no list of what it cites: its "
                 "publisher has deposited none; give the file of the paper");
    } else {
        deposit->err = read_items(deposit, items);
        if (deposit->err)
            snprintf(deposit->why, DEPOSIT_WHY, "what it cites cannot be read: %s",
                     wr_err_text(deposit->err));
    }
    json_decref(root);
}

wr_err deposit_read(const char *name, const char *json, size_t len, struct wr_arena *arena,
                    struct extract_documents *ret, char *why, wr_time deadline)
{
    struct deposit deposit = {
        .name = name, .json = json, .len = len, .arena = arena, .ret = ret, .why = why,
        .reading = { .driver = &source_crossref, .arena = arena } };
    wr_err err = wr_offload(read_record, &deposit, deadline);
    if (err)
        snprintf(why, DEPOSIT_WHY, "there was no time to read it: %s", wr_err_text(err));
    return err ? err : deposit.err;
}
