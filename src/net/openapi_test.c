/* openapi_test.c - the document is valid, refers to nothing that is not there, and says
 * what the table says. */
#include "net/openapi.h"

#include <jansson.h>

#include "testing/http_rig.h"

static const struct openapi_info info = { .title = "Test \"API\"", .version = "1.2.3",
                                          .summary = "What a test needs." };

static const struct wr_route routes[] = {
    { .method = "GET", .path = "/things/{id}", .handler = hello, .summary = "One thing.",
      .tag = "things", .scope = "things.read",
      .query = "limit: how many, 1 to 50\noffset\nregion: where" },
    { .method = "POST", .path = "/things", .handler = echo, .body_max = 5000,
      .takes = "{\"type\":\"object\"}", .gives = "{\"type\":\"array\"}" },
    { .method = "PUT", .path = "/things/{id}", .handler = echo, .deadline = WR_S(7) },
    { .method = "GET", .path = "/a/{b}/c/{d}", .handler = hello, .class = WR_ROUTE_LONG },
    { .method = "GET", .path = "/events", .handler = hello, .class = WR_ROUTE_STREAM },
    { .method = "GET", .path = "/healthz", .handler = nothing, .class = WR_ROUTE_PRIORITY,
      .unwell = "It does not." },
    { .method = "POST", .path = "/do", .handler = nothing, .class = WR_ROUTE_PRIORITY },
    { .method = "GET", .path = "/openapi.json", .handler = openapi_serve,
      .arg = (void *)&info },
};

static const char *const problems[] = { "/things", NULL };
static const char *const flats[] = { "/do", NULL };

static wr_err anybody(void *arg, struct wr_call *call)
{
    (void)arg, (void)call;
    return WR_OK;
}

/* The document, as a server gives it out. */
static json_t *document(void)
{
    struct site site;
    static char bytes[1 << 16];
    size_t len = 0, size;
    json_error_t error;
    open_site_of(&site, 1, (struct wr_http_conf){
        .routes = routes, .count = sizeof(routes) / sizeof(routes[0]), .problems = problems,
        .flats = flats, .admit = anybody });
    struct wr_stream *stream = dial(&site);
    say(stream, "GET /openapi.json HTTP/1.0\r\n\r\n");
    while (!wr_stream_read(stream, &size, bytes + len, sizeof(bytes) - 1 - len, WR_NEVER)
           && size)
        len += size;
    bytes[len] = '\0';
    wr_stream_close(stream);
    close_site(&site);
    CHECK(strstr(bytes, "\r\nContent-Type: application/json\r\n") != NULL);
    const char *body = strstr(bytes, "\r\n\r\n");
    REQUIRE(body, NULL);
    json_t *json = json_loads(body + 4, JSON_REJECT_DUPLICATES, &error);
    if (!json)
        CHECK_STR("valid JSON", error.text);
    return json;
}

/* The value at a path of keys, which are separated by spaces. */
static json_t *at(json_t *json, const char *keys)
{
    char key[100];
    int used;
    while (json && sscanf(keys, "%99s%n", key, &used) == 1) {
        json = json_is_array(json) ? json_array_get(json, strtoul(key, NULL, 10))
                                   : json_object_get(json, key);
        keys += used;
    }
    return json;
}

static const char *text_at(json_t *json, const char *keys)
{
    const char *text = json_string_value(at(json, keys));
    return text ? text : "nothing";
}

TEST(the_document_says_what_it_is)
{
    json_t *json = document();
    CHECK_STR("3.1.0", text_at(json, "openapi"));
    CHECK_STR("Test \"API\"", text_at(json, "info title"));
    CHECK_STR("1.2.3", text_at(json, "info version"));
    CHECK_STR("What a test needs.", text_at(json, "info summary"));
    json_decref(json);
}

TEST(routes_of_one_path_are_together_and_none_is_missing)
{
    json_t *json = document();
    CHECK_EQ(7, json_object_size(at(json, "paths")));
    for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
        char keys[100];
        snprintf(keys, sizeof(keys), "paths %s %s", routes[i].path,
                 strcmp(routes[i].method, "GET") == 0    ? "get"
                 : strcmp(routes[i].method, "POST") == 0 ? "post"
                                                         : "put");
        CHECK(json_is_object(at(json, keys)));
    }
    CHECK_EQ(2, json_object_size(at(json, "paths /things/{id}")));
    json_decref(json);
}

TEST(an_operation_has_its_summary_tag_parameters_and_scope)
{
    json_t *json = document(), *get = at(json, "paths /things/{id} get");
    CHECK_STR("One thing.", text_at(get, "summary"));
    CHECK_STR("things", text_at(get, "tags 0"));
    CHECK_STR("get_things_id", text_at(get, "operationId"));
    CHECK_STR("things.read", text_at(get, "security 0 token 0"));
    CHECK_EQ(4, json_array_size(at(get, "parameters")));
    CHECK_STR("id", text_at(get, "parameters 0 name"));
    CHECK_STR("path", text_at(get, "parameters 0 in"));
    CHECK(json_is_true(at(get, "parameters 0 required")));
    CHECK_STR("limit", text_at(get, "parameters 1 name"));
    CHECK_STR("how many, 1 to 50", text_at(get, "parameters 1 description"));
    CHECK_STR("query", text_at(get, "parameters 1 in"));
    CHECK(json_is_false(at(get, "parameters 1 required")));
    CHECK_STR("offset", text_at(get, "parameters 2 name"));
    CHECK_STR("nothing", text_at(get, "parameters 2 description"));
    CHECK_STR("region", text_at(get, "parameters 3 name"));
    CHECK_STR("where", text_at(get, "parameters 3 description"));
    CHECK_STR("d", text_at(json, "paths /a/{b}/c/{d} get parameters 1 name"));
    json_decref(json);
}

TEST(limits_are_those_of_the_server)
{
    json_t *json = document();
    CHECK_EQ(5000, json_integer_value(at(json, "paths /things post requestBody x-body-max")));
    CHECK_EQ(1 << 20,
             json_integer_value(at(json, "paths /things/{id} put requestBody x-body-max")));
    CHECK(!at(json, "paths /things/{id} get requestBody"));
    CHECK_EQ(7000, json_integer_value(at(json, "paths /things/{id} put x-deadline-ms")));
    CHECK_EQ(2000, json_integer_value(at(json, "paths /things post x-deadline-ms")));
    CHECK_EQ(300000, json_integer_value(at(json, "paths /a/{b}/c/{d} get x-deadline-ms")));
    CHECK_STR("stream", text_at(json, "paths /events get x-class"));
    json_decref(json);
}

static bool answers_with(json_t *json, const char *operation, const char *status)
{
    char keys[200];
    snprintf(keys, sizeof(keys), "paths %s responses %s", operation, status);
    return at(json, keys) != NULL;
}

TEST(the_errors_of_a_path_are_those_that_it_can_have)
{
    json_t *json = document();
    static const char *const of_post[] = { "2XX", "400", "413", "415", "429", "503", "504" };
    for (size_t i = 0; i < sizeof(of_post) / sizeof(of_post[0]); i++)
        CHECK(answers_with(json, "/things post", of_post[i]));
    CHECK(!answers_with(json, "/things post", "404"));
    CHECK(!answers_with(json, "/things post", "401"));
    CHECK(answers_with(json, "/things/{id} get", "404"));
    CHECK(answers_with(json, "/things/{id} get", "401"));
    CHECK(!answers_with(json, "/things/{id} get", "413"));
    CHECK(answers_with(json, "/healthz get", "429"));
    CHECK(answers_with(json, "/healthz get", "403"));       /* its host may be judged */
    CHECK(!answers_with(json, "/healthz get", "401"));
    CHECK(!answers_with(json, "/healthz get", "504"));
    CHECK_STR("It does not.", text_at(json, "paths /healthz get responses 503 description"));
    CHECK(answers_with(json, "/do post", "429"));
    CHECK(!answers_with(json, "/do post", "503"));
    CHECK(!answers_with(json, "/do post", "413"));
    CHECK(!at(json, "paths /do post requestBody"));
    CHECK(answers_with(json, "/events get", "503"));
    CHECK(!answers_with(json, "/events get", "504"));
    CHECK(at(json, "components responses 429 headers Retry-After") != NULL);
    CHECK(at(json, "components responses 503 headers Retry-After") != NULL);
    CHECK(!at(json, "components responses 404 headers"));
    json_decref(json);
}

TEST(the_shape_of_an_error_is_that_of_its_path)
{
    json_t *json = document();
    CHECK_STR("#/components/responses/400-problem",
              text_at(json, "paths /things/{id} get responses 400 $ref"));
    CHECK_STR("#/components/responses/400",
              text_at(json, "paths /events get responses 400 $ref"));
    CHECK_STR("#/components/schemas/Problem",
              text_at(json, "components responses 429-problem content "
                            "application/problem+json schema $ref"));
    CHECK_STR("#/components/responses/400-flat",
              text_at(json, "paths /do post responses 400 $ref"));
    CHECK_STR("#/components/schemas/FlatError",
              text_at(json, "components responses 429-flat content application/json schema "
                            "$ref"));
    CHECK_STR("#/components/schemas/Error",
              text_at(json, "components responses 429 content application/json schema $ref"));
    json_decref(json);
}

/* Every $ref, wherever it stands. */
static void check_refs(json_t *root, json_t *json, int *count)
{
    const char *key;
    json_t *value;
    size_t index;
    if (json_is_array(json)) {
        json_array_foreach(json, index, value) check_refs(root, value, count);
        return;
    }
    json_object_foreach(json, key, value)
    {
        check_refs(root, value, count);
        if (strcmp(key, "$ref") != 0)
            continue;
        char keys[200];
        snprintf(keys, sizeof(keys), "%s", json_string_value(value));
        CHECK(strncmp(keys, "#/", 2) == 0);
        for (char *slash = keys; *slash; slash++)
            if (*slash == '/' || *slash == '#')
                *slash = ' ';
        CHECK(at(root, keys) != NULL);
        ++*count;
    }
}

TEST(every_reference_leads_somewhere_and_operations_have_names_of_their_own)
{
    json_t *json = document(), *path, *operation;
    const char *name, *method, *ids[20];
    int count = 0, id_count = 0;
    check_refs(json, json, &count);
    CHECK(count > 30);
    json_object_foreach(at(json, "paths"), name, path)
        json_object_foreach(path, method, operation)
    {
        ids[id_count] = text_at(operation, "operationId");
        for (int i = 0; i < id_count; i++)
            CHECK(strcmp(ids[i], ids[id_count]) != 0);
        id_count++;
    }
    CHECK_EQ(8, id_count);
    json_decref(json);
}

TEST(a_route_says_what_it_takes_and_what_it_gives)
{
    json_t *json = document();
    CHECK_STR("object", text_at(json, "paths /things post requestBody content application/json "
                                      "schema type"));
    CHECK_STR("array", text_at(json, "paths /things post responses 2XX content "
                                     "application/json schema type"));
    CHECK(!at(json, "paths /things/{id} put requestBody content application/json schema"));
    CHECK(!at(json, "paths /things/{id} put responses 2XX content"));
    json_decref(json);
}
