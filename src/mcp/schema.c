/* schema.c - the arguments of a tool: what clients are told, and whether they keep to it. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "mcp/schema.h"

static bool shown(const struct mcp_field *field, bool local)
{
    return local || !field->local;
}

/* ---- what clients are told ---- */

static void write_words(struct wr_json *json, const char *const *words)
{
    wr_json_array(json, "enum");
    for (; *words; words++)
        wr_json_str(json, NULL, *words);
    wr_json_end(json);
}

static void write_field(struct wr_json *json, const struct mcp_field *field)
{
    static const char *const types[] = { [MCP_STRING] = "string", [MCP_INTEGER] = "integer",
                                         [MCP_BOOLEAN] = "boolean" };
    if (field->type == MCP_OTHER) {
        wr_json_raw(json, field->name, field->schema, strlen(field->schema));
        return;
    }
    wr_json_object(json, field->name);
    wr_json_str(json, "type", types[field->type]);
    wr_json_str(json, "description", field->what);
    if (field->words)
        write_words(json, field->words);
    if (field->type == MCP_STRING && field->min)
        wr_json_i64(json, "minLength", field->min);
    if (field->type == MCP_INTEGER) {
        wr_json_i64(json, "minimum", field->min);
        wr_json_i64(json, "maximum", field->max);
    }
    if (field->preset)
        wr_json_raw(json, "default", field->preset, strlen(field->preset));
    wr_json_end(json);
}

void mcp_schema_write(struct wr_json *json, const char *key, const struct mcp_field *fields,
                      size_t count, bool local)
{
    wr_json_object(json, key);
    wr_json_str(json, "type", "object");
    wr_json_object(json, "properties");
    for (size_t i = 0; i < count; i++)
        if (shown(&fields[i], local))
            write_field(json, &fields[i]);
    wr_json_end(json);
    wr_json_array(json, "required");
    for (size_t i = 0; i < count; i++)
        if (fields[i].required && shown(&fields[i], local))
            wr_json_str(json, NULL, fields[i].name);
    wr_json_end(json);
    wr_json_bool(json, "additionalProperties", false);
    wr_json_end(json);
}

/* ---- whether they keep to it ---- */

static bool wrong(struct mcp_misfit *ret, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool wrong(struct mcp_misfit *ret, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(ret->why, sizeof(ret->why), format, args);
    va_end(args);
    return false;
}

static bool check_words(const struct mcp_field *field, const char *value,
                        struct mcp_misfit *ret)
{
    struct wr_text text = WR_TEXT(ret->why);
    wr_text_format(&text, "\"%s\" must be one of", field->name);
    for (const char *const *word = field->words; *word; word++) {
        if (strcmp(*word, value) == 0)
            return true;
        wr_text_format(&text, "%s \"%s\"", word == field->words ? "" : ",", *word);
    }
    return false;
}

static bool check_string(const struct mcp_field *field, const json_t *value,
                         struct mcp_misfit *ret)
{
    const char *text = json_string_value(value);
    size_t len = json_string_length(value);
    if (!text)
        return wrong(ret, "\"%s\" must be a string", field->name);
    if (field->min && strspn(text, " \t\r\n") == len)
        return wrong(ret, "\"%s\" is empty: %s", field->name, field->what);
    if (field->min && len < (size_t)field->min)
        return wrong(ret, "\"%s\" has %zu bytes; at least %" PRId64 " are needed",
                     field->name, len, field->min);
    if (field->max && len > (size_t)field->max)
        return wrong(ret, "\"%s\" has %zu bytes; at most %" PRId64 " are allowed", field->name,
                     len, field->max);
    return !field->words || check_words(field, text, ret);
}

static bool check_integer(const struct mcp_field *field, const json_t *value,
                          struct mcp_misfit *ret)
{
    json_int_t number = json_integer_value(value);
    if (!json_is_integer(value))
        return wrong(ret, "\"%s\" must be an integer", field->name);
    if (number < field->min || number > field->max)
        return wrong(ret, "\"%s\" is %" JSON_INTEGER_FORMAT "; from %" PRId64 " to %" PRId64
                     " is allowed", field->name, number, field->min, field->max);
    return true;
}

static bool check_field(const struct mcp_field *field, const json_t *value,
                        struct mcp_misfit *ret)
{
    snprintf(ret->name, sizeof(ret->name), "%s", field->name);
    if (!value)
        return !field->required
            || wrong(ret, "\"%s\" is missing: %s", field->name, field->what);
    switch (field->type) {
    case MCP_STRING: return check_string(field, value, ret);
    case MCP_INTEGER: return check_integer(field, value, ret);
    case MCP_BOOLEAN:
        return json_is_boolean(value)
            || wrong(ret, "\"%s\" must be true or false", field->name);
    default: return true;
    }
}

static bool check_name(const struct mcp_field *fields, size_t count, bool local,
                       const char *name, struct mcp_misfit *ret)
{
    struct wr_text text = WR_TEXT(ret->why);
    snprintf(ret->name, sizeof(ret->name), "%s", name);
    wr_text_format(&text, "there is no argument \"%.60s\"; there are", name);
    for (size_t i = 0; i < count; i++) {
        if (!shown(&fields[i], local))
            continue;
        if (strcmp(fields[i].name, name) == 0)
            return true;
        wr_text_format(&text, " \"%s\"", fields[i].name);
    }
    if (!count)
        wr_text_str(&text, " none");
    return false;
}

bool mcp_schema_names(const struct mcp_field *fields, size_t count, bool local,
                      const json_t *arguments, struct mcp_misfit *ret)
{
    /* jansson's iterators take what they do not change as if they did. */
    json_t *object = (json_t *)(uintptr_t)arguments;
    for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at))
        if (!check_name(fields, count, local, json_object_iter_key(at), ret))
            return false;
    *ret = (struct mcp_misfit){ 0 };    /* names that might have been meant */
    return true;
}

bool mcp_schema_check(const struct mcp_field *fields, size_t count, bool local,
                      const json_t *arguments, struct mcp_misfit *ret)
{
    if (!mcp_schema_names(fields, count, local, arguments, ret))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!check_field(&fields[i], json_object_get(arguments, fields[i].name), ret))
            return false;
    *ret = (struct mcp_misfit){ 0 };
    return true;
}
