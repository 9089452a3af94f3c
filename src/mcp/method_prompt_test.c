#include "testing/mcp_rig.h"

static struct client client;

static const char *ask(const char *method, const char *params)
{
    static char says[2000];
    snprintf(says, sizeof(says),
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{%s}}", method,
             params);
    return client_say(&client, says);
}

TEST(a_prompt_is_filled_in_with_what_is_given_and_nothing_else)
{
    client_begin(&client);
    CHECK(has(ask("prompts/get", "\"name\":\"greet\",\"arguments\":{\"who\":\"{how}\"}"),
              "\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":"
              "\"Greet {how} , not {whom}. {\"}}]"));
    client_close(&client);
}

TEST(a_prompt_without_what_it_needs_is_refused)
{
    client_begin(&client);
    CHECK(has(ask("prompts/get", "\"name\":\"greet\""), "\"code\":-32602"));
    CHECK(has(ask("prompts/get", "\"name\":\"leave\""), "there is no prompt \\\"leave\\\""));
    client_close(&client);
}

static const char *const words[] = { "red", "rose", "blue", NULL };
static const struct mcp_field colored[] = {
    { .name = "color", .what = "Which.", .proposals = words },
    { .name = "other", .what = "Which.", .words = rig_words },
};
static const struct mcp_prompt paints[] = {
    { .name = "paint", .what = "Paints.", .fields = colored, .field_count = 2, .text = "" } };
static const struct mcp_offer painter = { .name = "painter", .version = "1", .prompts = paints,
                                          .prompt_count = 1 };

#define TYPED(argument, value) "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"paint\"}," \
    "\"argument\":{\"name\":\"" argument "\",\"value\":\"" value "\"}," RIG_META

TEST(what_was_typed_is_completed_from_what_is_proposed)
{
    client_open_with(&client, &painter);
    CHECK(has(ask("server/discover", RIG_META), "\"completions\":{}"));
    CHECK(has(ask("completion/complete", TYPED("color", "r")),
              "\"completion\":{\"values\":[\"red\",\"rose\"],\"total\":2,\"hasMore\":false}"));
    CHECK(has(ask("completion/complete", TYPED("other", "h")), "\"values\":[\"high\"]"));
    CHECK(has(ask("completion/complete", TYPED("color", "x")), "\"values\":[]"));
    CHECK(has(ask("prompts/get", "\"name\":\"paint\",\"arguments\":{\"color\":\"mauve\"},"
                                 RIG_META), "\"messages\""));
    client_close(&client);
}

TEST(a_completion_of_something_that_is_not_there_is_refused)
{
    client_open_with(&client, &painter);
    CHECK(has(ask("completion/complete", TYPED("hue", "r")), "\"code\":-32602"));
    CHECK(has(ask("completion/complete", "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"x\"},"
                  "\"argument\":{\"name\":\"a\",\"value\":\"\"}," RIG_META),
              "there is no prompt"));
    CHECK(has(ask("completion/complete", "\"ref\":{\"type\":\"x\"},"
                  "\"argument\":{\"name\":\"a\",\"value\":\"\"}," RIG_META),
              "\"code\":-32602"));
    CHECK(has(ask("completion/complete", "\"ref\":{\"type\":\"ref/resource\",\"uri\":\"x\"},"
                  "\"argument\":{\"name\":\"a\",\"value\":\"\"}," RIG_META),
              "\"values\":[]"));
    CHECK(has(ask("completion/complete", RIG_META), "\"code\":-32602"));
    client_close(&client);
}
