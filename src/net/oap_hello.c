/* oap_hello.c - the JSON of a HELLO. */
#include "net/oap_hello.h"

#include <string.h>

#include "base/json.h"
#include "net/json_in.h"
#include "net/oap.h"

#define HELLO_MAX 4096

static json_t *read_object(const void *payload, size_t len)
{
    return len > HELLO_MAX ? NULL : json_in_object(payload, len);
}

static bool lower(size_t *frame_max, const json_t *value)
{
    json_int_t want = json_integer_value(value);
    if (!json_is_integer(value) || want < OAP_FRAME_MIN)
        return false;
    if ((size_t)want < *frame_max)
        *frame_max = (size_t)want;
    return true;
}

bool oap_hello_read(size_t *frame_max, const void *payload, size_t len)
{
    json_t *json = read_object(payload, len), *value;
    const char *key;
    if (!json)
        return false;
    json_t *ua = json_object_get(json, "ua");
    bool good = json_is_string(ua) || json_is_null(ua);
    json_object_foreach(json, key, value)
    {
        if (value != ua)
            good = good && strcmp(key, "max_frame") == 0 && lower(frame_max, value);
    }
    json_decref(json);
    return good;
}

bool oap_hello_read_answer(size_t *frame_max, const void *payload, size_t len)
{
    json_t *json = read_object(payload, len);
    bool good = json && lower(frame_max, json_object_get(json, "max_frame"));
    json_decref(json);
    return good;
}

void oap_hello_write(struct wr_text *text, size_t frame_max, unsigned inflight_max, bool tls)
{
    struct wr_json json = wr_json_to(text);
    wr_json_object(&json, NULL);
    wr_json_u64(&json, "max_frame", frame_max);
    wr_json_u64(&json, "max_inflight", inflight_max);
    wr_json_u64(&json, "flags_supported", OAP_FLAGS);
    wr_json_array(&json, "versions");
    wr_json_u64(&json, NULL, OAP_VERSION);
    wr_json_end(&json);
    wr_json_array(&json, "transports");
    wr_json_str(&json, NULL, tls ? "tcp+tls" : "tcp");
    wr_json_end(&json);
    wr_json_end(&json);
}
