/* json_in.c - see json_in.h. */
#include "net/json_in.h"

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
