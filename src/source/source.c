/* source.c - the list of sources, and what they have in common: requests, statuses, items. */
#include "source/source.h"

#include <string.h>
#include <strings.h>

#include <weir/panic.h>

#include "source/reading.h"

const struct source_driver *const source_drivers[SOURCE_COUNT] = {
    &source_crossref, &source_arxiv, &source_dblp, &source_semantic_scholar, &source_openalex,
    &source_acl, &source_europe_pmc, &source_pubmed, &source_doi, &source_open_library,
    &source_openreview, &source_eprint, &source_rfc_editor, &source_govinfo,
};

const struct source_driver *const source_fallbacks[SOURCE_FALLBACKS] = {
    &source_alive, &source_wayback, &source_web_search,
};

const char *source_by_name(enum source_by by)
{
    static const char *const names[SOURCE_BY_COUNT] = {
        [SOURCE_BY_TITLE] = "title", [SOURCE_BY_DOI] = "doi", [SOURCE_BY_ARXIV] = "arxiv_id",
        [SOURCE_BY_RFC] = "rfc", [SOURCE_BY_EPRINT] = "eprint", [SOURCE_BY_ACL] = "acl",
        [SOURCE_BY_FORUM] = "forum", [SOURCE_BY_URL] = "url",
    };
    WR_ASSERT(by < SOURCE_BY_COUNT);
    return names[by];
}

static const struct source_driver *find_in(const struct source_driver *const *drivers,
                                           size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcasecmp(name, drivers[i]->name) == 0 || strcasecmp(name, drivers[i]->slug) == 0)
            return drivers[i];
    return NULL;
}

const struct source_driver *source_find(const char *name)
{
    const struct source_driver *driver = find_in(source_drivers, SOURCE_COUNT, name);
    return driver ? driver : find_in(source_fallbacks, SOURCE_FALLBACKS, name);
}

wr_err source_request_write(const struct source_reading *reading, const char *base,
                            struct source_request *ret)
{
    base = base ? base : reading->driver->base;
    if (!base)
        return WR_INVALID;
    wr_text_str(&ret->url, base);
    reading->driver->request(reading, ret);
    return ret->url.cut || ret->body.cut ? WR_INVALID : WR_OK;
}

/* ---- answers ---- */

static void read_item(struct source_reading *reading, const json_t *item)
{
    struct bib_record *record = json_is_object(item) ? reading_record(reading) : NULL;
    if (record && !reading->driver->item(reading, item, record))
        reading->count--;
}

static bool says_none(const struct source_driver *driver, const json_t *root)
{
    const json_t *total = driver->total ? reading_at(root, driver->total) : NULL;
    return (json_is_integer(total) && json_integer_value(total) == 0)
           || (json_is_string(total) && strcmp(json_string_value(total), "0") == 0);
}

/* A list, or one object where that was asked for.  Nothing else is an answer. */
static wr_err read_items(struct source_reading *reading, const json_t *root)
{
    const struct source_driver *driver = reading->driver;
    bool single = driver->single && reading->question->by != SOURCE_BY_TITLE;
    const json_t *items = reading_at(root, single ? driver->single : driver->list);
    if (!items && !single && says_none(driver, root))
        return WR_NOTFOUND;
    if (single ? !json_is_object(items) : !json_is_array(items))
        return reading_fail(reading, WR_IO, "sent JSON without a result in it");
    if (single) {
        read_item(reading, items);
        return reading->count ? WR_OK
                              : reading_fail(reading, WR_IO, "sent a record without a title");
    }
    size_t i;
    const json_t *item;
    json_array_foreach((json_t *)items, i, item)
        read_item(reading, item);
    return reading->count ? WR_OK : WR_NOTFOUND;
}

static wr_err read_json(struct source_reading *reading, const struct source_reply *reply)
{
    json_t *root = reading_json(reading, reply->bytes, reply->len);
    if (!root)
        return WR_IO;
    wr_err err = read_items(reading, root);
    json_decref(root);
    return err;
}

wr_err source_read(struct source_reading *reading, const struct source_reply *reply)
{
    const struct source_driver *driver = reading->driver;
    wr_err err = reading_status(reading, reply);
    if (!err) {
        reading->next = NULL;           /* who was refused will need it again */
        err = driver->read ? driver->read(reading, reply) : read_json(reading, reply);
    }
    if (reading->arena->full)
        return reading_fail(reading, WR_NOMEM, "sent more than there is room for");
    return err;
}
