#include "mcp/message.h"

#include <string.h>

#include "net/json_in.h"
#include "testing/test.h"

static struct mcp_message message;
static struct mcp_fault fault;

static bool read_text(const char *text)
{
    mcp_message_free(&message);
    return mcp_message_read(&message, text, strlen(text), &fault);
}

static enum mcp_code code_of(const char *text)
{
    enum mcp_code code = read_text(text) ? MCP_OK : fault.code;
    mcp_message_free(&message);
    return code;
}

TEST_PLAIN(a_request_has_an_id_a_method_and_params)
{
    REQUIRE(read_text("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"params\":{}}"));
    CHECK_EQ(MCP_REQUEST, message.kind);
    CHECK_STR("7", message.id);
    CHECK_STR("ping", message.method);
    CHECK(message.params);
    mcp_message_free(&message);
}

TEST_PLAIN(an_id_is_given_back_as_json)
{
    REQUIRE(read_text("{\"jsonrpc\":\"2.0\",\"id\":\"a\\\"b\\u00e9\",\"method\":\"ping\"}"));
    CHECK_STR("\"a\\\"b\xc3\xa9\"", message.id);
    mcp_message_free(&message);
}

TEST_PLAIN(without_an_id_it_is_a_notification_and_without_a_method_a_response)
{
    CHECK(read_text("{\"jsonrpc\":\"2.0\",\"method\":\"x\"}"));
    CHECK_EQ(MCP_NOTIFICATION, message.kind);
    CHECK(read_text("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"));
    CHECK_EQ(MCP_RESPONSE, message.kind);
    mcp_message_free(&message);
}

TEST_PLAIN(what_is_no_json_is_a_parse_error)
{
    CHECK_EQ(MCP_PARSE, code_of(""));
    CHECK_EQ(MCP_PARSE, code_of("{\"jsonrpc\":"));
    CHECK_EQ(MCP_PARSE, code_of("{\"a\":1,\"a\":2}"));
    CHECK_EQ(MCP_PARSE, code_of("\"\xff\xfe\""));
    CHECK_EQ(MCP_PARSE, code_of("\"\\ud800\""));
    CHECK_EQ(MCP_PARSE, code_of("{} {}"));
}

TEST_PLAIN(a_number_beyond_64_bits_is_told_as_that)
{
    CHECK_EQ(MCP_PARSE, code_of("{\"id\":92233720368547758080}"));
    CHECK(strstr(fault.why, "it has a number that is too large, at byte "));
}

TEST_PLAIN(json_that_is_no_message_is_an_invalid_request)
{
    CHECK_EQ(MCP_INVALID_REQUEST, code_of("7"));
    CHECK_EQ(MCP_INVALID_REQUEST, code_of("[]"));
    CHECK_EQ(MCP_INVALID_REQUEST, code_of("{}"));
    CHECK_EQ(MCP_INVALID_REQUEST, code_of("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"x\"}"));
    CHECK_EQ(MCP_INVALID_REQUEST,
             code_of("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"x\"}"));
    CHECK_EQ(MCP_INVALID_REQUEST, code_of("{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"x\"}"));
    CHECK_EQ(MCP_INVALID_REQUEST, code_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":2}"));
    CHECK_EQ(MCP_INVALID_REQUEST, code_of("{\"jsonrpc\":\"2.0\",\"id\":1}"));
    CHECK_EQ(MCP_INVALID_REQUEST,
             code_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":[1]}"));
}

TEST_PLAIN(a_request_that_is_wrong_keeps_its_id)
{
    CHECK(!read_text("{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":7}"));
    CHECK_STR("9", message.id);
    mcp_message_free(&message);
}

TEST_PLAIN(an_id_that_is_too_long_is_refused)
{
    char text[MCP_ID_MAX + 100] = "{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"id\":\"";
    size_t at = strlen(text);
    memset(text + at, 'i', MCP_ID_MAX - 2);
    memcpy(text + at + MCP_ID_MAX - 2, "\"}", 3);
    CHECK_EQ(MCP_INVALID_REQUEST, code_of(text));
    memcpy(text + at + MCP_ID_MAX - 3, "\"}", 3);
    CHECK_EQ(MCP_OK, code_of(text));
}

TEST_PLAIN(brackets_count_as_deep_as_they_nest_and_not_in_strings)
{
    char text[4000] = "{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{\"a\":";
    size_t at = strlen(text);
    memset(text + at, '[', JSON_IN_DEPTH_MAX - 2);
    memset(text + at + JSON_IN_DEPTH_MAX - 2, ']', JSON_IN_DEPTH_MAX - 2);
    strncpy(text + at + (size_t)2 * (JSON_IN_DEPTH_MAX - 2), "}}", 3);
    CHECK_EQ(MCP_OK, code_of(text));
    memset(text + at, '[', JSON_IN_DEPTH_MAX - 1);
    CHECK_EQ(MCP_PARSE, code_of(text));
    CHECK(strstr(fault.why, "deeper"));
    text[at] = '"';
    memset(text + at + 1, '{', 3000);
    strncpy(text + at + 3001, "\\\"{\"}}", 8);
    CHECK_EQ(MCP_OK, code_of(text));
}

TEST_PLAIN(more_values_than_memory_is_meant_for_are_not_read)
{
    static char text[2 * (MCP_VALUES_MAX + 2) + 1];
    size_t len = sizeof(text) - 1;
    for (size_t i = 0; i < len; i += 2)
        memcpy(text + i, ",0", 2);
    text[0] = '[';
    text[len - 1] = ']';
    text[len] = '\0';
    CHECK_EQ(MCP_PARSE, code_of(text));
    CHECK(strstr(fault.why, "values"));
}

TEST_PLAIN(more_than_four_mebibytes_are_not_read)
{
    static char text[MCP_MESSAGE_MAX + 1];
    CHECK(!mcp_message_read(&message, text, sizeof(text), &fault));
    CHECK_EQ(MCP_INVALID_REQUEST, fault.code);
}
