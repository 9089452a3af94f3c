/* json_file.c - JSON to entries, by jansson.
 *
 * Duplicate keys, zero bytes and numbers that do not fit are errors of its own.  It
 * does not tell on which line a value stands; only its errors have lines.
 */
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "conf/entry.h"

#define LIST_MAX (64ul * 1024)

static bool add(struct entries *ret, const char *key, enum entry_kind kind, const char *text,
                size_t size, size_t count)
{
    return wr_entries_add(
        ret,
        &(struct entry){
            .key = (char *)key, .kind = kind, .text = (char *)text, .count = count },
        size);
}

static bool add_text(struct entries *ret, const char *key, enum entry_kind kind,
                     const char *text)
{
    return add(ret, key, kind, text, strlen(text), 0);
}

static bool add_list(struct entries *ret, const char *key, const json_t *list)
{
    struct wr_text text = wr_text_heap(LIST_MAX);
    size_t i, count = json_array_size(list);
    const json_t *item;
    bool words = true, numbers = count > 0;
    json_array_foreach(list, i, item)
    {
        words = words && json_is_string(item);
        numbers = numbers && json_is_integer(item);
        if (json_is_string(item))
            wr_text_str(&text, json_string_value(item));
        else if (json_is_integer(item))
            wr_text_i64(&text, json_integer_value(item));
        wr_text_bytes(&text, "", 1);
    }
    bool good;
    if (text.cut)
        good = wr_entries_fail(ret, 0, "a list of more than 64 KiB");
    else if (words || numbers)
        good = add(ret, key, words ? ENTRY_WORDS : ENTRY_NUMBERS, text.at, text.len, count);
    else
        good = add_text(ret, key, ENTRY_OTHER, "a list of other things");
    wr_text_free(&text);
    return good;
}

static bool add_value(struct entries *ret, const char *key, const json_t *value)
{
    char number[24];
    switch (json_typeof(value)) {
    case JSON_TRUE: return add_text(ret, key, ENTRY_BOOL, "true");
    case JSON_FALSE: return add_text(ret, key, ENTRY_BOOL, "false");
    case JSON_STRING: return add_text(ret, key, ENTRY_STRING, json_string_value(value));
    case JSON_INTEGER:
        snprintf(number, sizeof(number), "%lld", json_integer_value(value));
        return add_text(ret, key, ENTRY_INT, number);
    case JSON_ARRAY: return add_list(ret, key, value);
    case JSON_REAL: return add_text(ret, key, ENTRY_OTHER, "a number with a fraction");
    case JSON_OBJECT: return add_text(ret, key, ENTRY_TABLE, "an empty table");
    case JSON_NULL: break;
    }
    return add_text(ret, key, ENTRY_OTHER, "null");
}

/* A part of a key with a dot in it could be mistaken for several: it shows its quotes. */
static bool add_object(struct entries *ret, const json_t *object, const char *prefix,
                       unsigned depth)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value)
    {
        char buf[2 * WR_ENTRY_KEY_MAX];
        struct wr_text key = WR_TEXT(buf);
        bool inner = json_object_size(value) > 0;
        const char *quote = strchr(name, '.') ? "\"" : "";
        wr_text_format(&key, "%s%s%s%s%s", prefix, quote, name, quote, inner ? "." : "");
        if (key.cut || key.len > WR_ENTRY_KEY_MAX)
            return wr_entries_fail(ret, 0, "a key of more than 128 bytes");
        if (!inner) {
            if (!add_value(ret, buf, value))
                return false;
        } else if (depth == WR_ENTRY_DEPTH_MAX) {
            return wr_entries_fail(ret, 0, "objects more than 8 deep");
        } else if (!add_object(ret, value, buf, depth + 1)) {
            return false;
        }
    }
    return true;
}

bool wr_entries_json(struct entries *ret, const char *text, size_t len)
{
    json_error_t error;
    json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
    bool good;
    if (!root)
        good = wr_entries_fail(ret, error.line > 0 ? (unsigned)error.line : 0, error.text);
    else if (!json_is_object(root))
        good = wr_entries_fail(ret, 1, "the whole must be an object");
    else
        good = add_object(ret, root, "", 1);
    json_decref(root);
    return good;
}
