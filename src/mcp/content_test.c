#include "testing/mcp_rig.h"

static struct client client;

static wr_err write_all(struct mcp_request *request)
{
    if (mcp_request_string(request, "who", NULL))
        wr_text_str(mcp_request_text(request), mcp_request_string(request, "who", NULL));
    mcp_request_image(request, "image/png", "\xff", 1);
    mcp_request_audio(request, "audio/wav", "\xff\xfe", 2);
    mcp_request_embed(request, "test://a", "text/plain", "a\"b", 3);
    return WR_OK;
}

static wr_err write_much(struct mcp_request *request)
{
    static char much[MCP_ANSWER_MAX / 2];
    mcp_request_image(request, "image/png", much, sizeof(much));
    mcp_request_image(request, "image/png", much, sizeof(much));
    return WR_OK;
}

static wr_err refuse(struct mcp_request *request)
{
    return mcp_request_fail(request, WR_INVALID, "not \"%s\"",
                            mcp_request_string(request, "who", NULL));
}

static const struct mcp_tool tools[] = {
    { .name = "all", .what = "All.", .fields = rig_prompt_fields, .field_count = 2,
      .handler = write_all },
    { .name = "much", .what = "Much.", .handler = write_much },
};
static const struct mcp_prompt prompts[] = {
    { .name = "all", .what = "All.", .fields = rig_prompt_fields, .field_count = 2,
      .handler = write_all },
    { .name = "much", .what = "Much.", .handler = write_much },
    { .name = "refuse", .what = "No.", .fields = rig_prompt_fields, .field_count = 2,
      .handler = refuse },
};
static const struct mcp_offer offer = { .name = "o", .version = "1", .tools = tools,
                                        .tool_count = 2, .prompts = prompts,
                                        .prompt_count = 3 };

static const char *ask(const char *method, const char *params)
{
    static char says[2000];
    snprintf(says, sizeof(says),
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{%s," RIG_META "}}",
             method, params);
    return client_say(&client, says);
}

#define IMAGE "{\"type\":\"image\",\"data\":\"/w==\",\"mimeType\":\"image/png\"}"
#define AUDIO "{\"type\":\"audio\",\"data\":\"//4=\",\"mimeType\":\"audio/wav\"}"
#define EMBED "{\"type\":\"resource\",\"resource\":{\"uri\":\"test://a\",\"mimeType\":" \
              "\"text/plain\",\"text\":\"a\\\"b\"}}"

TEST(a_tool_shows_plays_and_embeds_after_its_text)
{
    client_open_with(&client, &offer);
    CHECK(has(ask("tools/call", "\"name\":\"all\",\"arguments\":{\"who\":\"x\"}"),
              "\"content\":[{\"type\":\"text\",\"text\":\"x\"}," IMAGE "," AUDIO ","
              EMBED "]"));
    client_close(&client);
}

TEST(what_has_pictures_needs_no_text)
{
    client_open_with(&client, &offer);
    CHECK(has(ask("tools/call", "\"name\":\"all\",\"arguments\":{\"who\":\"\"}"),
              "\"content\":[" IMAGE ","));
    client_close(&client);
}

TEST(a_prompt_has_its_text_last)
{
    client_open_with(&client, &offer);
    CHECK(has(ask("prompts/get", "\"name\":\"all\",\"arguments\":{\"who\":\"x\"}"),
              "\"messages\":[{\"role\":\"user\",\"content\":" IMAGE "},"
              "{\"role\":\"user\",\"content\":" AUDIO "},{\"role\":\"user\",\"content\":" EMBED
              "},{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"x\"}}]"));
    client_close(&client);
}

TEST(what_is_too_large_to_be_sent_is_said_to_be)
{
    client_open_with(&client, &offer);
    CHECK(has(ask("tools/call", "\"name\":\"much\""), "too large to be sent"));
    CHECK(has(ask("prompts/get", "\"name\":\"much\""), "\"code\":-32602"));
    client_close(&client);
}

TEST(a_prompt_that_refuses_says_why)
{
    client_open_with(&client, &offer);
    CHECK(has(ask("prompts/get", "\"name\":\"refuse\",\"arguments\":{\"who\":\"x\"}"),
              "\"code\":-32602,\"message\":\"not \\\"x\\\"\""));
    client_close(&client);
}
