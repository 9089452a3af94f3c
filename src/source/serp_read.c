/* serp_read.c - see serp_read.h. */
#include "source/serp_read.h"

#include <string.h>

#include "source/reading.h"

/* In this order: one that is "suspended: CAPTCHA" wants a CAPTCHA. */
static const struct { const char *word; enum serp_kind kind; } words[] = {
    { "captcha", SERP_CAPTCHA },
    { "denied", SERP_BLOCKED },
    { "too many", SERP_BLOCKED },
    { "blocked", SERP_BLOCKED },
    { "forbidden", SERP_BLOCKED },
    { "suspended", SERP_BLOCKED },
    { "timeout", SERP_TIMEOUT },
    { "timed out", SERP_TIMEOUT },
};

enum serp_kind serp_read_kind(const char *text)
{
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (strcasestr(text, words[i].word))
            return words[i].kind;
    return SERP_OTHER;
}

static uint32_t engines_of(const json_t *item)
{
    uint32_t engines = 0;
    size_t i;
    const json_t *name;
    json_array_foreach((json_t *)reading_at(item, "engines"), i, name)
    {
        enum serp_engine engine = json_is_string(name)
                                      ? serp_engine_find(json_string_value(name))
                                      : SERP_ENGINES;
        if (engine < SERP_ENGINES)
            engines |= SERP_BIT(engine);
    }
    return engines;
}

/* An address as it is: what is cleaned of markup is another one. */
static const char *address_of(struct source_reading *reading, const json_t *item)
{
    const char *url = json_string_value(reading_at(item, "url"));
    size_t len = url ? strlen(url) : 0;
    if (len >= SOURCE_URL_MAX || len < 8
        || (strncasecmp(url, "https://", 8) != 0 && strncasecmp(url, "http://", 7) != 0))
        return NULL;
    for (const char *at = url; *at; at++)
        if ((unsigned char)*at <= ' ' || *at == 0x7f)
            return NULL;
    return wr_arena_copy(reading->arena, url, len);
}

static bool is_known(const struct serp_found *found, const char *url)
{
    for (size_t i = 0; i < found->count; i++)
        if (strcmp(found->results[i].url, url) == 0)
            return true;
    return false;
}

static void add(struct serp_found *found, struct source_reading *reading, const json_t *item)
{
    if (found->count == SERP_RESULTS_MAX || !json_is_object(item))
        return;
    struct serp_result result = { .url = address_of(reading, item),
                                  .title = reading_str(reading, item, "title"),
                                  .engines = engines_of(item),
                                  .rank = (uint32_t)found->count + 1 };
    if (!result.url || !result.title || is_known(found, result.url))
        return;
    result.snippet = reading_str(reading, item, "content");
    result.date = reading_str(reading, item, "publishedDate");
    result.engine = reading_str(reading, item, "engine");
    if (!result.engine)
        result.engine = reading_str(reading, item, "engines");
    found->results[found->count++] = result;
}

/* ["google", "CAPTCHA required"] */
static void add_trouble(struct serp_found *found, struct source_reading *reading,
                        const json_t *pair)
{
    const json_t *name = json_array_get(pair, 0), *said = json_array_get(pair, 1);
    enum serp_engine engine = json_is_string(name) ? serp_engine_find(json_string_value(name))
                                                   : SERP_ENGINES;
    if (engine == SERP_ENGINES)
        return;
    for (size_t i = 0; i < found->trouble_count; i++)
        if (found->troubles[i].engine == engine)
            return;
    const char *text = json_is_string(said) ? reading_text(reading, json_string_value(said),
                                                           json_string_length(said)) : NULL;
    found->troubles[found->trouble_count++] = (struct serp_trouble){
        .engine = engine, .text = text ? text : "it does not say why",
        .kind = text ? serp_read_kind(text) : SERP_OTHER };
}

static wr_err read_all(struct serp_found *found, struct source_reading *reading,
                       const json_t *root)
{
    const json_t *results = reading_at(root, "results"), *item;
    size_t i;
    if (!json_is_array(results))
        return reading_fail(reading, WR_IO, "sent JSON without a result in it");
    json_array_foreach((json_t *)results, i, item)
        add(found, reading, item);
    json_array_foreach((json_t *)reading_at(root, "unresponsive_engines"), i, item)
        add_trouble(found, reading, item);
    return WR_OK;
}

wr_err serp_read(struct serp_found *ret, struct source_reading *reading,
                 const struct source_reply *reply)
{
    wr_err err = reading_status(reading, reply);
    if (err)
        return err;
    ret->count = ret->trouble_count = 0;
    ret->results = wr_arena_alloc(reading->arena, SERP_RESULTS_MAX * sizeof(*ret->results));
    json_t *root = ret->results ? reading_json(reading, reply->bytes, reply->len) : NULL;
    err = root ? read_all(ret, reading, root) : WR_IO;
    json_decref(root);
    if (reading->arena->full)
        err = reading_fail(reading, WR_NOMEM, "sent more than there is room for");
    if (err)
        ret->count = ret->trouble_count = 0;
    return err;
}
