/* json.h - JSON written value by value into a text.
 *
 *     struct wr_json json = wr_json_to(&text);
 *     wr_json_object(&json, NULL);
 *     wr_json_str(&json, "name", name);
 *     wr_json_array(&json, "sizes");
 *     wr_json_u64(&json, NULL, 7);
 *     wr_json_end(&json);
 *     wr_json_end(&json);
 *
 * Commas and quotes are its business; strings may be any bytes and come out as
 * valid UTF-8.  Inside an object every value has a key, elsewhere none has: the
 * other way round, or an end too many, is a panic.  What does not fit the text is
 * cut, and text.cut says so.
 */
#ifndef WR_BASE_JSON_H
#define WR_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

#define WR_JSON_DEPTH_MAX 32

struct wr_json {
    struct wr_text *text;
    unsigned depth;
    uint32_t object;            /* bit per level: an object, not an array */
    uint32_t follows;           /* bit per level: something stands there already */
};

struct wr_json wr_json_to(struct wr_text *text);

void wr_json_object(struct wr_json *json, const char *key);
void wr_json_array(struct wr_json *json, const char *key);
void wr_json_end(struct wr_json *json);

void wr_json_str(struct wr_json *json, const char *key, const char *value);
void wr_json_bytes(struct wr_json *json, const char *key, const char *bytes, size_t len);
void wr_json_u64(struct wr_json *json, const char *key, uint64_t value);
void wr_json_i64(struct wr_json *json, const char *key, int64_t value);
void wr_json_decimal(struct wr_json *json, const char *key, int64_t value, unsigned digits);
void wr_json_bool(struct wr_json *json, const char *key, bool value);
void wr_json_null(struct wr_json *json, const char *key);

/* A moment, as RFC 3339 has it; null for none (0). */
void wr_json_time(struct wr_json *json, const char *key, struct wr_wall wall);

/* A value that is JSON already.  wr_json_str writes null for NULL. */
void wr_json_raw(struct wr_json *json, const char *key, const char *value, size_t len);

#endif
