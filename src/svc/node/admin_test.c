/* admin_test.c - the admin plane: what it refuses, and how. */
#include <jansson.h>

#include "testing/node_rig.h"

static struct answer answer;

static bool is_problem(const char *name)
{
    char begin[60];
    snprintf(begin, sizeof(begin), "{\"type\":\"urn:weir:problem:%s\",", name);
    return strstr(answer.head, "\r\nContent-Type: application/problem+json\r\n")
        && strncmp(answer.body, begin, strlen(begin)) == 0;
}

TEST(the_admin_plane_refuses_with_problems)
{
    struct rig rig;
    rig_begin(&rig, NULL);
    CHECK_EQ(404, rig_get(&rig, "/api/v1/nothing", &answer));
    CHECK(is_problem("NotFound"));
    CHECK_EQ(405, rig_post(&rig, "/healthz", &answer));
    CHECK(is_problem("Unsupported"));
    CHECK(strstr(answer.head, "\r\nAllow: GET, HEAD"));
    CHECK_EQ(400, rig_post(&rig, "/api/v1/debug/crash?service=moon", &answer));
    CHECK(is_problem("Invalid"));
    CHECK(strstr(answer.body, "\"detail\":\"service is \\\"moon\\\"; node.worker can crash\""));
    CHECK_OK(rig_end(&rig));
}

TEST(who_may_not_is_told_by_a_problem)
{
    struct rig rig;
    rig_env = (char *[]){ "RON_ADMIN_TOKEN=open-sesame", NULL };
    rig_begin(&rig, NULL);
    rig_env = NULL;
    CHECK_EQ(401, rig_post(&rig, "/api/v1/reload", &answer));
    CHECK(is_problem("Denied"));
    CHECK(strstr(answer.body, "\"status\":401,"));
    CHECK(strstr(answer.head, "\r\nWWW-Authenticate: Bearer"));
    CHECK_OK(rig_end(&rig));
}

TEST(the_data_plane_keeps_its_own_shape)
{
    struct rig rig;
    rig_begin(&rig, NULL);
    CHECK_EQ(404, rig_get(&rig, "/v1/nothing", &answer));
    CHECK(strstr(answer.head, "\r\nContent-Type: application/json\r\n"));
    CHECK(strncmp(answer.body, "{\"error\":{\"code\":\"NotFound\"", 27) == 0);
    CHECK_EQ(405, rig_post(&rig, "/v1/hello", &answer));
    CHECK(strncmp(answer.body, "{\"error\":{", 10) == 0);
    CHECK_OK(rig_end(&rig));
}

static bool is_public(const char *path)
{
    static const char *const all[] = { "/", "/healthz", "/readyz", "/metrics", "/version" };
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (strcmp(all[i], path) == 0)
            return true;
    return false;
}

TEST(every_route_but_the_public_ones_has_a_scope_and_the_description_says_so)
{
    struct rig rig;
    const char *path, *method;
    json_t *operations, *operation;
    size_t count = 0;
    rig_begin(&rig, NULL);
    CHECK_EQ(200, rig_get(&rig, "/openapi.json", &answer));
    json_t *document = json_loads(answer.body, 0, NULL);
    json_object_foreach(json_object_get(document, "paths"), path, operations)
        json_object_foreach(operations, method, operation)
    {
        bool guarded = json_array_size(json_object_get(operation, "security")) == 1;
        bool refuses = json_object_get(json_object_get(operation, "responses"), "401");
        if (guarded == is_public(path) || guarded != refuses)
            CHECK_STR("a scope, unless it is public", path);
        count++;
    }
    CHECK(count >= 14);
    json_decref(document);
    CHECK_OK(rig_end(&rig));
}
