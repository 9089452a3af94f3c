/* openapi.c - see openapi.h. */
#include "net/openapi.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "net/problem.h"
#include "net/server.h"

#define ID_MAX 128
#define MS WR_MS(1)

/* ---- what the server answers with by itself ---- */

enum {
    NEEDS_BODY = 1, NEEDS_PARAM = 2, NEEDS_SCOPE = 4, NEEDS_QUEUE = 8, NEEDS_TIME = 16,
    NEEDS_GATE = 32,
};

/* `when`: for routes that have all of these; 0 is every route. */
static const struct { const char *status, *text; unsigned when; bool again; } answers[] = {
    { "400", "The request is not valid.", 0, false },
    { "401", "It takes a token, and there is none that holds.", NEEDS_SCOPE, false },
    { "403", "The token, the host or the origin does not allow it.", NEEDS_GATE, false },
    { "404", "There is nothing by that name.", NEEDS_PARAM, false },
    { "413", "The body is larger than this path takes.", NEEDS_BODY, false },
    { "415", "The body is in a coding that is not known.", NEEDS_BODY, false },
    { "429", "The caller asks for more than it may, or as much runs or waits as may.", 0,
      true },
    { "503", "The server is overloaded or about to stop.", NEEDS_QUEUE, true },
    { "504", "There was no answer within the deadline.", NEEDS_TIME, false },
};
#define ANSWERS (sizeof(answers) / sizeof(answers[0]))

static unsigned needs(const struct wr_route *route, const struct wr_http_conf *conf)
{
    return (route->body_max ? NEEDS_BODY : 0) | (strchr(route->path, '{') ? NEEDS_PARAM : 0)
        | (route->scope ? NEEDS_SCOPE : 0) | (route->scope || conf->admit ? NEEDS_GATE : 0)
        | (route->class != WR_ROUTE_PRIORITY ? NEEDS_QUEUE : 0)
        | (route->class == WR_ROUTE_SHORT || route->class == WR_ROUTE_LONG ? NEEDS_TIME : 0);
}

static void add_ref(struct wr_json *json, const char *key, const char *kind, const char *name)
{
    char room[100];
    struct wr_text text = WR_TEXT(room);
    wr_text_format(&text, "#/components/%s/%s", kind, name);
    wr_json_object(json, key);
    wr_json_str(json, "$ref", text.at);
    wr_json_end(json);
}

/* Errors look in one of these ways, by their path. */
enum shape { SHAPE_ERROR, SHAPE_PROBLEM, SHAPE_FLAT };

static const struct { const char *suffix, *type, *schema; } shapes[] = {
    [SHAPE_ERROR] = { "", "application/json", "Error" },
    [SHAPE_PROBLEM] = { "-problem", PROBLEM_TYPE, "Problem" },
    [SHAPE_FLAT] = { "-flat", "application/json", "FlatError" },
};

static enum shape shape_of(const struct wr_http_conf *conf, const char *path)
{
    return problem_path(conf->problems, path) ? SHAPE_PROBLEM
           : problem_path(conf->flats, path)  ? SHAPE_FLAT
                                              : SHAPE_ERROR;
}

/* The same answer in another shape has another name. */
static const char *answer_name(char *room, size_t size, size_t answer, enum shape shape)
{
    snprintf(room, size, "%s%s", answers[answer].status, shapes[shape].suffix);
    return room;
}

/* NULL: nothing is said of it. */
static void add_content(struct wr_json *json, const char *schema)
{
    wr_json_object(json, "content");
    wr_json_object(json, "application/json");
    if (schema)
        wr_json_raw(json, "schema", schema, strlen(schema));
    wr_json_end(json);
    wr_json_end(json);
}

/* What a route says of itself is no error, and looks as it likes. */
static void add_unwell(struct wr_json *json, const char *text)
{
    wr_json_object(json, "503");
    wr_json_str(json, "description", text);
    add_content(json, NULL);
    wr_json_end(json);
}

static void add_answers(struct wr_json *json, const struct wr_route *route,
                        const struct wr_http_conf *conf)
{
    char name[32];
    enum shape shape = shape_of(conf, route->path);
    wr_json_object(json, "responses");
    wr_json_object(json, "2XX");
    wr_json_str(json, "description", "It is done.");
    if (route->gives)
        add_content(json, route->gives);
    wr_json_end(json);
    for (size_t i = 0; i < ANSWERS; i++)
        if ((answers[i].when & ~needs(route, conf)) == 0
            && !(route->unwell && strcmp(answers[i].status, "503") == 0))
            add_ref(json, answers[i].status, "responses",
                    answer_name(name, sizeof(name), i, shape));
    if (route->unwell)
        add_unwell(json, route->unwell);
    wr_json_end(json);
}

/* ---- one operation ---- */

static void add_parameter(struct wr_json *json, const char *in, struct slice name,
                          struct slice text)
{
    wr_json_object(json, NULL);
    wr_json_bytes(json, "name", name.at, name.len);
    wr_json_str(json, "in", in);
    wr_json_bool(json, "required", strcmp(in, "path") == 0);
    if (text.len)
        wr_json_bytes(json, "description", text.at, text.len);
    wr_json_object(json, "schema");
    wr_json_str(json, "type", "string");
    wr_json_end(json);
    wr_json_end(json);
}

static void add_parameters(struct wr_json *json, const struct wr_route *route)
{
    wr_json_array(json, "parameters");
    for (const char *at = strchr(route->path, '{'); at; at = strchr(at, '{')) {
        at++;
        add_parameter(json, "path", (struct slice){ at, strcspn(at, "}") },
                      (struct slice){ 0 });
    }
    for (const char *line = route->query; line && *line; line += *line == '\n') {
        size_t len = strcspn(line, "\n"), name_len = strcspn(line, ":\n");
        size_t skip = name_len + (name_len < len) + (name_len + 1 < len);       /* ": " */
        add_parameter(json, "query", (struct slice){ line, name_len },
                      (struct slice){ line + skip, len - skip });
        line += len;
    }
    wr_json_end(json);
}

static void add_body(struct wr_json *json, const struct wr_route *route)
{
    char room[100];
    struct wr_text text = WR_TEXT(room);
    if (!route->body_max)
        return;
    wr_text_format(&text, "At most %zu bytes; gzip and zstd are taken.", route->body_max);
    wr_json_object(json, "requestBody");
    wr_json_str(json, "description", text.at);
    add_content(json, route->takes);
    wr_json_u64(json, "x-body-max", route->body_max);
    wr_json_end(json);
}

/* get_epochs_id_compute: unique, because method and path together are. */
static void add_id(struct wr_json *json, const struct wr_route *route)
{
    char room[ID_MAX];
    struct wr_text text = WR_TEXT(room);
    for (const char *at = route->method; *at; at++)
        wr_text_format(&text, "%c", tolower((unsigned char)*at));
    for (const char *at = route->path; *at; at++)
        if (*at == '/' || *at == '.' || *at == '-')
            wr_text_str(&text, "_");
        else if (*at != '{' && *at != '}')
            wr_text_bytes(&text, at, 1);
    wr_json_str(json, "operationId", text.at);
}

static void add_operation(struct wr_json *json, const struct wr_route *route,
                          const struct wr_http_conf *conf)
{
    static const char *const classes[] = { "short", "priority", "long", "stream" };
    char method[16];
    struct wr_text text = WR_TEXT(method);
    for (const char *at = route->method; *at; at++)
        wr_text_format(&text, "%c", tolower((unsigned char)*at));
    wr_json_object(json, method);
    add_id(json, route);
    if (route->summary)
        wr_json_str(json, "summary", route->summary);
    if (route->tag) {
        wr_json_array(json, "tags");
        wr_json_str(json, NULL, route->tag);
        wr_json_end(json);
    }
    add_parameters(json, route);
    add_body(json, route);
    add_answers(json, route, conf);
    if (route->scope) {
        wr_json_array(json, "security");
        wr_json_object(json, NULL);
        wr_json_array(json, "token");
        wr_json_str(json, NULL, route->scope);
        wr_json_end(json);
        wr_json_end(json);
        wr_json_end(json);
    }
    wr_json_str(json, "x-class", classes[route->class]);
    wr_json_i64(json, "x-deadline-ms", route->deadline / MS);
    wr_json_end(json);
}

/* ---- the document ---- */

static void add_paths(struct wr_json *json, const struct wr_http_conf *conf)
{
    const struct wr_route *routes = conf->routes;
    size_t count = conf->count;
    wr_json_object(json, "paths");
    for (size_t i = 0; i < count; i++) {
        size_t first = 0;
        while (strcmp(routes[first].path, routes[i].path) != 0)
            first++;
        if (first < i)
            continue;
        wr_json_object(json, routes[i].path);
        for (size_t j = i; j < count; j++)
            if (strcmp(routes[j].path, routes[i].path) == 0)
                add_operation(json, &routes[j], conf);
        wr_json_end(json);
    }
    wr_json_end(json);
}

static void add_shape(struct wr_json *json, enum shape shape)
{
    static const char again[] =
        "{\"Retry-After\":{\"description\":\"Seconds until it may be otherwise.\","
        "\"schema\":{\"type\":\"integer\",\"minimum\":1}}}";
    char name[32];
    for (size_t i = 0; i < ANSWERS; i++) {
        wr_json_object(json, answer_name(name, sizeof(name), i, shape));
        wr_json_str(json, "description", answers[i].text);
        if (answers[i].again)
            wr_json_raw(json, "headers", again, strlen(again));
        wr_json_object(json, "content");
        wr_json_object(json, shapes[shape].type);
        add_ref(json, "schema", "schemas", shapes[shape].schema);
        wr_json_end(json);
        wr_json_end(json);
        wr_json_end(json);
    }
}

static void add_components(struct wr_json *json, const struct wr_http_conf *conf)
{
    static const char error[] =
        "{\"type\":\"object\",\"required\":[\"error\"],\"properties\":{\"error\":{"
        "\"type\":\"object\",\"required\":[\"code\",\"message\",\"retryable\"],\"properties\":{"
        "\"code\":{\"type\":\"string\"},\"message\":{\"type\":\"string\"},"
        "\"retryable\":{\"type\":\"boolean\"},\"corr_id\":{\"type\":\"string\"}}}}}";
    static const char problem[] =
        "{\"type\":\"object\",\"required\":[\"type\",\"title\",\"status\",\"detail\","
        "\"retryable\"],\"properties\":{\"type\":{\"type\":\"string\",\"format\":\"uri\"},"
        "\"title\":{\"type\":\"string\"},\"status\":{\"type\":\"integer\"},"
        "\"detail\":{\"type\":\"string\"},\"instance\":{\"type\":\"string\",\"format\":\"uri\"}"
        ","
        "\"retryable\":{\"type\":\"boolean\"}}}";
    static const char flat[] =
        "{\"type\":\"object\",\"required\":[\"code\",\"message\",\"corr_id\",\"retryable\"],"
        "\"properties\":{\"code\":{\"type\":\"string\"},\"message\":{\"type\":\"string\"},"
        "\"corr_id\":{\"type\":\"string\"},\"retryable\":{\"type\":\"boolean\"},"
        "\"retry_after\":{\"type\":\"integer\",\"minimum\":1}}}";
    static const char token[] = "{\"type\":\"http\",\"scheme\":\"bearer\"}";
    wr_json_object(json, "components");
    wr_json_object(json, "schemas");
    wr_json_raw(json, "Error", error, strlen(error));
    if (conf->problems)
        wr_json_raw(json, "Problem", problem, strlen(problem));
    if (conf->flats)
        wr_json_raw(json, "FlatError", flat, strlen(flat));
    wr_json_end(json);
    wr_json_object(json, "responses");
    add_shape(json, SHAPE_ERROR);
    if (conf->problems)
        add_shape(json, SHAPE_PROBLEM);
    if (conf->flats)
        add_shape(json, SHAPE_FLAT);
    wr_json_end(json);
    wr_json_object(json, "securitySchemes");
    wr_json_raw(json, "token", token, strlen(token));
    wr_json_end(json);
    wr_json_end(json);
}

void openapi_write(struct wr_text *text, const struct openapi_info *info,
                   const struct wr_http_conf *conf)
{
    struct wr_json json = wr_json_to(text);
    wr_json_object(&json, NULL);
    wr_json_str(&json, "openapi", "3.1.0");
    wr_json_object(&json, "info");
    wr_json_str(&json, "title", info->title);
    wr_json_str(&json, "version", info->version);
    if (info->summary)
        wr_json_str(&json, "summary", info->summary);
    wr_json_end(&json);
    add_paths(&json, conf);
    add_components(&json, conf);
    wr_json_end(&json);
}

wr_err openapi_serve(struct wr_call *call)
{
    wr_call_type(call, "application/json");
    openapi_write(&call->reply, wr_call_arg(call), &call->http->conf);
    return WR_OK;
}
