/* json.c - see json.h. */
#include "base/json.h"

#include <string.h>

#include <weir/panic.h>

struct wr_json wr_json_to(struct wr_text *text)
{
    return (struct wr_json){ .text = text };
}

static void before_value(struct wr_json *json, const char *key)
{
    uint32_t level = 1u << json->depth;
    bool in_object = json->object & level;
    if (in_object != (key != NULL))
        wr_panic("JSON: a value in an object needs a key, any other has none (%s)",
                 key ? key : "no key");
    if (json->follows & level)
        wr_text_bytes(json->text, ",", 1);
    json->follows |= level;
    if (key) {
        wr_text_json(json->text, key, strlen(key));
        wr_text_bytes(json->text, ":", 1);
    }
}

static void open(struct wr_json *json, const char *key, bool object)
{
    before_value(json, key);
    if (json->depth + 1 == WR_JSON_DEPTH_MAX)
        wr_panic("JSON: deeper than %d levels", WR_JSON_DEPTH_MAX - 1);
    uint32_t level = 1u << ++json->depth;
    json->object = object ? json->object | level : json->object & ~level;
    json->follows &= ~level;
    wr_text_bytes(json->text, object ? "{" : "[", 1);
}

void wr_json_object(struct wr_json *json, const char *key)
{
    open(json, key, true);
}

void wr_json_array(struct wr_json *json, const char *key)
{
    open(json, key, false);
}

void wr_json_end(struct wr_json *json)
{
    if (json->depth == 0)
        wr_panic("JSON: an end too many");
    bool object = json->object & 1u << json->depth--;
    wr_text_bytes(json->text, object ? "}" : "]", 1);
}

void wr_json_bytes(struct wr_json *json, const char *key, const char *bytes, size_t len)
{
    before_value(json, key);
    wr_text_json(json->text, bytes, len);
}

void wr_json_str(struct wr_json *json, const char *key, const char *value)
{
    if (value)
        wr_json_bytes(json, key, value, strlen(value));
    else
        wr_json_null(json, key);
}

void wr_json_u64(struct wr_json *json, const char *key, uint64_t value)
{
    before_value(json, key);
    wr_text_u64(json->text, value);
}

void wr_json_i64(struct wr_json *json, const char *key, int64_t value)
{
    wr_json_decimal(json, key, value, 0);
}

void wr_json_decimal(struct wr_json *json, const char *key, int64_t value, unsigned digits)
{
    before_value(json, key);
    wr_text_decimal(json->text, value, digits);
}

void wr_json_bool(struct wr_json *json, const char *key, bool value)
{
    wr_json_raw(json, key, value ? "true" : "false", value ? 4 : 5);
}

void wr_json_null(struct wr_json *json, const char *key)
{
    wr_json_raw(json, key, "null", 4);
}

void wr_json_time(struct wr_json *json, const char *key, struct wr_wall wall)
{
    char buf[40];
    struct wr_text text = WR_TEXT(buf);
    if (wall.ns)
        wr_text_rfc3339(&text, wall);
    wr_json_str(json, key, wall.ns ? buf : NULL);
}

void wr_json_raw(struct wr_json *json, const char *key, const char *value, size_t len)
{
    before_value(json, key);
    wr_text_bytes(json->text, value, len);
}
