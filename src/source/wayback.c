/* wayback.c - the Wayback Machine: whether an address was ever there. */
#include <stdlib.h>

#include "biblio/judge.h"
#include "source/reading.h"

static void request(const struct source_reading *reading, struct source_request *ret)
{
    wr_text_str(&ret->url, "/wayback/available?url=");
    request_escape(&ret->url, reading->question->text, "");
}

/* A snapshot of an error page shows that there was nothing. */
static bool is_good(const char *status)
{
    long code = status ? strtol(status, NULL, 10) : 0;
    return code >= 200 && code < 400;
}

static wr_err read_snapshot(struct source_reading *reading, const json_t *root)
{
    const json_t *snapshots = reading_at(root, "archived_snapshots");
    const json_t *closest = reading_at(snapshots, "closest");
    if (!json_is_object(snapshots))
        return reading_fail(reading, WR_IO, "sent JSON without a result in it");
    if (!json_is_true(reading_at(closest, "available"))
        || !is_good(reading_str(reading, closest, "status")))
        return WR_NOTFOUND;
    return reading_page(reading, reading_str(reading, closest, "timestamp"),
                        reading_str(reading, closest, "url"));
}

static wr_err read_answer(struct source_reading *reading, const struct source_reply *reply)
{
    json_t *root = reading_json(reading, reply->bytes, reply->len);
    if (!root)
        return WR_IO;
    wr_err err = read_snapshot(reading, root);
    json_decref(root);
    return err;
}

const struct source_driver source_wayback = {
    .name = "Wayback Machine",
    SOURCE_SLUG("wayback"),
    .base = "https://archive.org",
    .asks = SOURCE_URL,
    .keyless = SOURCE_URL,
    .interval = WR_S(1),
    .at_once = 1,
    .timeout = WR_S(10),
    .has = bib_work_is_page,
    .request = request,
    .read = read_answer,
};
