#include "svc/index/index_ask.h"

#include <stdio.h>
#include <string.h>

#include <weir/oap.h>
#include <weir/panic.h>

#include "net/json_in.h"

static wr_err read_limit(struct index_ask *ask, const json_t *json, const char **ret_clause)
{
    *ret_clause = "limit is a whole number";
    if (!json_is_integer(json))
        return WR_INVALID;
    json_int_t limit = json_integer_value(json);
    ask->limit = limit < 1 ? 1 : limit > RANK_LIMIT_MAX ? RANK_LIMIT_MAX : (size_t)limit;
    return WR_OK;
}

static wr_err read_region(struct index_ask *ask, const json_t *json, const char **ret_clause)
{
    *ret_clause = "region is a text of at most 32 bytes";
    if (!json_is_string(json) || json_string_length(json) >= sizeof(ask->region)
        || strlen(json_string_value(json)) != json_string_length(json))
        return WR_INVALID;
    snprintf(ask->region, sizeof(ask->region), "%s", json_string_value(json));
    return WR_OK;
}

static wr_err read_fresh(struct index_ask *ask, const json_t *json, const char **ret_clause)
{
    *ret_clause = "fresh is true or false";
    ask->fresh = json_is_true(json);
    return json_is_boolean(json) ? WR_OK : WR_INVALID;
}

static wr_err read_key(struct index_ask *ask, const json_t *json, const char **ret_clause)
{
    *ret_clause = "a key is a text, of a content id or a name";
    if (!json_is_string(json)
        || strlen(json_string_value(json)) != json_string_length(json))
        return WR_INVALID;
    return index_key_read(&ask->key, json_string_value(json), ret_clause);
}

static wr_err read_cid(struct index_ask *ask, const json_t *json, const char **ret_clause)
{
    wr_err err = read_key(ask, json, ret_clause);
    if (!err && ask->key.is_name) {
        *ret_clause = "this needs a content id: b3: and 64 hex digits in lower case";
        err = WR_INVALID;
    }
    return err;
}

/* What a verb is asked with; the first field is required. */
static const struct shape {
    uint16_t verb;
    struct field {
        const char *name;
        wr_err (*read)(struct index_ask *ask, const json_t *json, const char **ret_clause);
    } fields[4];
    const char *clause;
} shapes[] = {
    { WR_OAP_OBJ_GET, { { "addr", read_cid } }, "it is asked with {\"addr\":\"b3:...\"}" },
    { WR_OAP_INDEX_RESOLVE, { { "key", read_key }, { "fresh", read_fresh } },
      "it is asked with {\"key\":\"b3:... or name:...\",\"fresh\":true or false}" },
    { WR_OAP_INDEX_PROVIDERS, { { "cid", read_cid }, { "limit", read_limit },
                                { "region", read_region } },
      "it is asked with {\"cid\":\"b3:...\",\"limit\":1 to 32,\"region\":\"...\"}" },
};

static wr_err read_fields(struct index_ask *ask, const struct shape *shape, json_t *json,
                          const char **ret_clause)
{
    size_t known = 0;
    for (const struct field *field = shape->fields; field->name; field++) {
        const json_t *value = json_object_get(json, field->name);
        known += value != NULL;
        wr_err err = value ? field->read(ask, value, ret_clause) : WR_OK;
        if (err)
            return err;
    }
    *ret_clause = shape->clause;
    bool fine = json_object_get(json, shape->fields[0].name)
        && known == json_object_size(json);
    return fine ? WR_OK : WR_INVALID;
}

wr_err index_ask_read(struct index_ask *ret, uint16_t verb, const void *payload, size_t len,
                      const char **ret_clause)
{
    const struct shape *shape = shapes;
    struct index_ask ask = { .limit = RANK_LIMIT };
    while (shape->verb != verb) {
        shape++;
        WR_ASSERT(shape < shapes + sizeof(shapes) / sizeof(*shapes));
    }
    json_t *json = json_in_object(payload, len);
    *ret_clause = shape->clause;
    wr_err err = json ? read_fields(&ask, shape, json, ret_clause) : WR_INVALID;
    json_decref(json);
    if (!err)
        *ret = ask;
    return err;
}
