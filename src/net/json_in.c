/* json_in.c - see json_in.h. */
#include "net/json_in.h"

#include <stdbool.h>

#define WHOLE_MAX 9007199254740992.0    /* above this a real is no number of its own */

json_t *json_in_object(const void *bytes, size_t len)
{
    const char *text = bytes;
    size_t brackets = 0;
    for (size_t i = 0; i < len; i++)
        brackets += text[i] == '[' || text[i] == '{';
    if (brackets > JSON_IN_BRACKETS_MAX)
        return NULL;
    json_t *json = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
    if (json_is_object(json))
        return json;
    json_decref(json);
    return NULL;
}

/* What is no JSON may be counted wrongly; that is found later. */
enum json_in_size json_in_measure(const char *text, size_t len, size_t values_max)
{
    size_t depth = 0, values = 0;
    bool quoted = false;
    for (size_t i = 0; i < len; i++) {
        char at = text[i];
        if (quoted) {
            i += at == '\\';
            quoted = at != '"';
            continue;
        }
        quoted = at == '"';
        values += at == ',' || at == '[' || at == '{';
        if (at == '[' || at == '{')
            depth++;
        else if ((at == ']' || at == '}') && depth)
            depth--;
        if (depth > JSON_IN_DEPTH_MAX)
            return JSON_IN_DEEP;
        if (values > values_max)
            return JSON_IN_MANY;
    }
    return JSON_IN_FITS;
}

json_t *json_in_large(const void *bytes, size_t len, const char **ret_why)
{
    static const char *const whys[] = { [JSON_IN_DEEP] = "it nests deeper than 32 levels",
                                        [JSON_IN_MANY] = "it has more than 200000 values" };
    *ret_why = whys[json_in_measure(bytes, len, JSON_IN_VALUES_MAX)];
    if (*ret_why)
        return NULL;
    json_error_t error;
    json_t *json = json_loadb(bytes, len, JSON_REJECT_DUPLICATES, &error);
    if (json_is_object(json)) {
        json_in_whole(json);
        return json;
    }
    *ret_why = json ? "it is no object"
               : json_error_code(&error) == json_error_numeric_overflow
                   ? "it has a number that is too large; integers have 64 bits"
                   : "it is no JSON, or has a key twice";
    json_decref(json);
    return NULL;
}

/* What stands for this value; NULL: itself does. */
static json_t *whole(json_t *value)
{
    double real = json_real_value(value);
    if (!json_is_real(value)) {
        json_in_whole(value);
        return NULL;
    }
    bool fits = real >= -WHOLE_MAX && real <= WHOLE_MAX;
    return fits && real == (double)(json_int_t)real ? json_integer((json_int_t)real) : NULL;
}

void json_in_whole(json_t *json)
{
    json_t *value, *other;
    const char *key;
    size_t i;
    if (json_is_array(json))
        json_array_foreach(json, i, value)
        {
            other = whole(value);
            if (other)
                json_array_set_new(json, i, other);
        }
    if (json_is_object(json))
        json_object_foreach(json, key, value)
        {
            other = whole(value);
            if (other)
                json_object_set_new_nocheck(json, key, other);
        }
}
