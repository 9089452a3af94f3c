/* fixture_tools.c - the tools of the conformance suite that answer at once, or ask first. */
#include "fixtures.h"

#include <stdlib.h>
#include <string.h>

#include <weir/task.h>

#include "mcp/request.h"

#define STEP WR_MS(150)             /* progress is told ten times a second at most */

const unsigned char fixture_png[] = {
    0x89, 'P', 'N', 'G', 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 'I', 'H', 'D', 'R', 0, 0, 0, 1,
    0, 0, 0, 1, 8, 2, 0, 0, 0, 0x90, 0x77, 0x53, 0xde, 0, 0, 0, 12, 'I', 'D', 'A', 'T', 0x08,
    0xd7, 0x63, 0xf8, 0xcf, 0xc0, 0x00, 0x00, 0x03, 0x01, 0x01, 0x00, 0x18, 0xdd, 0x8d, 0xb0,
    0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82,
};
const size_t fixture_png_len = sizeof(fixture_png);

static const unsigned char wav[] = {
    'R', 'I', 'F', 'F', 38, 0, 0, 0, 'W', 'A', 'V', 'E', 'f', 'm', 't', ' ', 16, 0, 0, 0, 1, 0,
    1, 0, 0x40, 0x1f, 0, 0, 0x80, 0x3e, 0, 0, 2, 0, 16, 0, 'd', 'a', 't', 'a', 2, 0, 0, 0, 0, 0,
};

/* ---- contents ---- */

static wr_err say_text(struct mcp_request *request)
{
    wr_text_str(mcp_request_text(request), "This is a simple text response for testing.");
    return WR_OK;
}

static wr_err say_image(struct mcp_request *request)
{
    mcp_request_image(request, "image/png", fixture_png, sizeof(fixture_png));
    return WR_OK;
}

static wr_err say_audio(struct mcp_request *request)
{
    mcp_request_audio(request, "audio/wav", wav, sizeof(wav));
    return WR_OK;
}

static wr_err say_resource(struct mcp_request *request)
{
    static const char text[] = "This is an embedded resource content.";
    mcp_request_embed(request, "test://embedded-resource", "text/plain", text, strlen(text));
    return WR_OK;
}

static wr_err say_all(struct mcp_request *request)
{
    static const char json[] = "{\"test\":\"data\",\"value\":123}";
    wr_text_str(mcp_request_text(request), "Multiple content types test:");
    mcp_request_image(request, "image/png", fixture_png, sizeof(fixture_png));
    mcp_request_embed(request, "test://mixed-content-resource", "application/json", json,
                      strlen(json));
    return WR_OK;
}

static wr_err fail(struct mcp_request *request)
{
    return mcp_request_fail(request, WR_IO, "This tool intentionally returns an error for "
                            "testing");
}

static wr_err greet(struct mcp_request *request)
{
    wr_text_format(mcp_request_text(request), "Hello, %s!",
                   mcp_request_string(request, "name", NULL));
    return WR_OK;
}

/* ---- what is said meanwhile ---- */

static wr_err say_logs(struct mcp_request *request)
{
    static const char *const steps[] = { "Tool execution started", "Tool processing data",
                                         "Tool execution completed" };
    wr_err err = WR_OK;
    for (size_t i = 0; i < 3 && !err; i++) {
        mcp_request_log(request, MCP_INFO, "%s", steps[i]);
        err = wr_sleep(wr_after(WR_MS(50)));
    }
    wr_text_str(mcp_request_text(request), "Three things were logged.");
    return err;
}

static wr_err say_progress(struct mcp_request *request)
{
    wr_err err = WR_OK;
    for (uint32_t done = 0; done <= 100 && !err; done += 50) {
        mcp_request_progress(request, done, 100, "%u of 100", done);
        err = wr_sleep(wr_after(STEP));
    }
    wr_text_str(mcp_request_text(request), "Three steps were made.");
    return err;
}

/* ---- what the client is asked ---- */

const char *fixture_answer(const json_t *answer, const char *key)
{
    return json_string_value(json_object_get(json_object_get(answer, "content"), key));
}

json_t *fixture_form(const char *message, const char *key)
{
    return json_pack("{s:s,s:{s:s,s:{s:{s:s}},s:[s]}}", "message", message, "requestedSchema",
                     "type", "object", "properties", key, "type", "string", "required", key);
}

static json_t *confirmation(void)
{
    return json_pack("{s:s,s:{s:s,s:{s:{s:s}},s:[s]}}", "message", "Please confirm",
                     "requestedSchema", "type", "object", "properties", "ok", "type", "boolean",
                     "required", "ok");
}

static json_t *sample(const char *text, int tokens)
{
    return json_pack("{s:[{s:s,s:{s:s,s:s}}],s:i}", "messages", "role", "user", "content",
                     "type", "text", "text", text, "maxTokens", tokens);
}

static const char *sampled(const json_t *answer)
{
    const char *text = fixture_answer(answer, "text");
    return text ? text : "nothing";
}

/* As the client sent it. */
static void write_raw(struct mcp_request *request, const char *before, const json_t *answer)
{
    char *text = answer ? json_dumps(answer, JSON_COMPACT) : NULL;
    wr_text_format(mcp_request_text(request), "%s%s", before, text ? text : "");
    free(text);
}

static wr_err ask_sampling(struct mcp_request *request)
{
    const json_t *answer;
    wr_err err = mcp_request_ask(request, "sample", "sampling/createMessage",
                                 sample(mcp_request_string(request, "prompt", NULL), 100),
                                 &answer);
    wr_text_format(mcp_request_text(request), "LLM response: %s", sampled(answer));
    return err;
}

static wr_err ask_form(struct mcp_request *request, json_t *params)
{
    const json_t *answer;
    wr_err err = mcp_request_ask(request, "form", "elicitation/create", params, &answer);
    write_raw(request, "Elicitation completed: ", answer);
    return err;
}

static wr_err ask_person(struct mcp_request *request)
{
    return ask_form(request, json_pack(
        "{s:s,s:{s:s,s:{s:{s:s,s:s},s:{s:s,s:s}},s:[s,s]}}", "message",
        mcp_request_string(request, "message", NULL), "requestedSchema", "type", "object",
        "properties", "username", "type", "string", "description", "User's response", "email",
        "type", "string", "description", "User's email address", "required", "username",
        "email"));
}

static wr_err ask_defaults(struct mcp_request *request)
{
    static const char form[] =
        "{\"message\":\"Please look at the defaults\",\"requestedSchema\":{\"type\":\"object\","
        "\"properties\":{\"name\":{\"type\":\"string\",\"default\":\"John Doe\"},"
        "\"age\":{\"type\":\"integer\",\"default\":30},"
        "\"score\":{\"type\":\"number\",\"default\":95.5},"
        "\"status\":{\"type\":\"string\",\"enum\":[\"active\",\"inactive\",\"pending\"],"
        "\"default\":\"active\"},\"verified\":{\"type\":\"boolean\",\"default\":true}}}}";
    return ask_form(request, json_loads(form, 0, NULL));
}

static wr_err ask_enums(struct mcp_request *request)
{
#define TITLED "[{\"const\":\"value1\",\"title\":\"First\"},{\"const\":\"value2\",\"title\":" \
               "\"Second\"},{\"const\":\"value3\",\"title\":\"Third\"}]"
    static const char form[] =
        "{\"message\":\"Please "
        "choose\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"
        "\"untitledSingle\":{\"type\":\"string\",\"enum\":[\"option1\",\"option2\",\"option3\"]"
        "},"
        "\"titledSingle\":{\"type\":\"string\",\"oneOf\":" TITLED "},"
        "\"legacyEnum\":{\"type\":\"string\",\"enum\":[\"opt1\",\"opt2\",\"opt3\"],"
        "\"enumNames\":[\"Option One\",\"Option Two\",\"Option Three\"]},"
        "\"untitledMulti\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":"
        "[\"option1\",\"option2\",\"option3\"]}},"
        "\"titledMulti\":{\"type\":\"array\",\"items\":{\"anyOf\":" TITLED "}}}}}";
    return ask_form(request, json_loads(form, 0, NULL));
}

static wr_err ask_name(struct mcp_request *request)
{
    const json_t *answer;
    wr_err err = mcp_request_ask(request, "user_name", "elicitation/create",
                                 fixture_form("What is your name?", "name"), &answer);
    const char *name = fixture_answer(answer, "name");
    wr_text_format(mcp_request_text(request), "Hello, %s!", name ? name : "stranger");
    return err;
}

static wr_err ask_capital(struct mcp_request *request)
{
    const json_t *answer;
    wr_err err = mcp_request_ask(request, "capital_question", "sampling/createMessage",
                                 sample("What is the capital of France?", 100), &answer);
    wr_text_str(mcp_request_text(request), sampled(answer));
    return err;
}

static wr_err ask_roots(struct mcp_request *request)
{
    const json_t *answer;
    wr_err err = mcp_request_ask(request, "client_roots", "roots/list", json_object(), &answer);
    write_raw(request, "Roots: ", answer);
    return err;
}

/* What the client brings back has been checked before this runs. */
static wr_err ask_confirmation(struct mcp_request *request)
{
    const json_t *answer;
    wr_err err = mcp_request_ask(request, "confirm", "elicitation/create", confirmation(),
                                 &answer);
    wr_text_str(mcp_request_text(request), "state-ok");
    return err;
}

static wr_err ask_three(struct mcp_request *request)
{
    const json_t *name, *greeting, *roots;
    wr_err err = mcp_request_ask(request, "user_name", "elicitation/create",
                                 fixture_form("What is your name?", "name"), &name);
    if (!err)
        err = mcp_request_ask(request, "greeting", "sampling/createMessage",
                              sample("Generate a greeting", 50), &greeting);
    if (!err)
        err = mcp_request_ask(request, "client_roots", "roots/list", json_object(), &roots);
    wr_text_str(mcp_request_text(request), "All three were heard.");
    return err;
}

static wr_err ask_twice(struct mcp_request *request)
{
    const json_t *name, *color = NULL;
    wr_err err = mcp_request_ask(request, "step1", "elicitation/create",
                                 fixture_form("Step 1: What is your name?", "name"), &name);
    if (!err && name)
        err = mcp_request_ask(request, "step2", "elicitation/create",
                              fixture_form("Step 2: What is your favorite color?", "color"),
                              &color);
    wr_text_format(mcp_request_text(request), "%s likes %s", fixture_answer(name, "name"),
                   fixture_answer(color, "color"));
    return err;
}

/* Only what the client said it can do. */
static wr_err ask_what_it_can(struct mcp_request *request)
{
    const json_t *answer;
    wr_err err = WR_OK;
    if (mcp_request_can(request, "elicitation/create"))
        err = mcp_request_ask(request, "user_name", "elicitation/create",
                              fixture_form("What is your name?", "name"), &answer);
    if (!err && mcp_request_can(request, "sampling/createMessage"))
        err = mcp_request_ask(request, "greeting", "sampling/createMessage",
                              sample("Generate a greeting", 50), &answer);
    wr_text_str(mcp_request_text(request), "Nothing more is needed.");
    return err;
}

static const struct mcp_field prompt_field[] = {
    { .name = "prompt", .what = "What the model is asked", .required = true } };
static const struct mcp_field message_field[] = {
    { .name = "message", .what = "What the person is told", .required = true } };
static const struct mcp_field name_field[] = {
    { .name = "name", .what = "Whom to greet", .required = true } };

#define TOOL(tool, run) \
    { .name = (tool), .what = "For the conformance suite.", .handler = (run) }
#define ASKS(tool, run, field) \
    { .name = (tool), .what = "For the conformance suite.", .handler = (run), \
      .fields = (field), .field_count = 1 }
const struct mcp_tool fixture_tools[] = {
    TOOL("test_simple_text", say_text),
    TOOL("test_image_content", say_image),
    TOOL("test_audio_content", say_audio),
    TOOL("test_embedded_resource", say_resource),
    TOOL("test_multiple_content_types", say_all),
    TOOL("test_tool_with_logging", say_logs),
    TOOL("test_logging_tool", say_logs),
    TOOL("test_error_handling", fail),
    TOOL("test_tool_with_progress", say_progress),
    ASKS("test_sampling", ask_sampling, prompt_field),
    ASKS("test_elicitation", ask_person, message_field),
    ASKS("greet", greet, name_field),
    TOOL("test_elicitation_sep1034_defaults", ask_defaults),
    TOOL("test_elicitation_sep1330_enums", ask_enums),
    TOOL("test_streaming_elicitation", ask_name),
    TOOL("test_missing_capability", ask_capital),
    TOOL("test_input_required_result_elicitation", ask_name),
    TOOL("test_input_required_result_sampling", ask_capital),
    TOOL("test_input_required_result_list_roots", ask_roots),
    TOOL("test_input_required_result_request_state", ask_confirmation),
    TOOL("test_input_required_result_tampered_state", ask_confirmation),
    TOOL("test_input_required_result_multiple_inputs", ask_three),
    TOOL("test_input_required_result_multi_round", ask_twice),
    TOOL("test_input_required_result_capabilities", ask_what_it_can),
};
const size_t fixture_tool_count = sizeof(fixture_tools) / sizeof(*fixture_tools);
