#include "mcp/header.h"

#include <string.h>

#include "testing/mcp_rig.h"

static const char *judged(const struct mcp_headers *headers, const char *text)
{
    static struct mcp_fault fault;
    struct mcp_message message;
    REQUIRE(mcp_message_read(&message, text, strlen(text), &fault), "unread");
    bool good = mcp_headers_agree(headers, &message, &fault);
    CHECK(good || fault.code == MCP_HEADER_MISMATCH);
    mcp_message_free(&message);
    return good ? "" : fault.why;
}

#define CALL(name) "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{" \
                   "\"name\":\"" name "\"," RIG_META "}}"
#define SAID(name_) \
    &(struct mcp_headers) \
    { \
        .version = "2026-07-28", .method = "tools/call", .name = (name_) \
    }

TEST_PLAIN(headers_that_say_what_the_message_says_are_fine)
{
    CHECK_STR("", judged(SAID("echo"), CALL("echo")));
}

TEST_PLAIN(a_header_that_is_missing_or_says_something_else_is_named)
{
    CHECK_STR("the header Mcp-Name is missing", judged(SAID(NULL), CALL("echo")));
    CHECK_STR("the header Mcp-Name is not what the message says",
              judged(SAID("Echo"), CALL("echo")));
    CHECK_STR("the header MCP-Protocol-Version is missing",
              judged(&(struct mcp_headers){ .method = "tools/call", .name = "echo" },
                     CALL("echo")));
    CHECK_STR("the header MCP-Protocol-Version is not what the message says",
              judged(&(struct mcp_headers){ .version = "2025-11-25" }, CALL("echo")));
    CHECK_STR("the header Mcp-Method is missing",
              judged(&(struct mcp_headers){ .version = "2026-07-28" }, CALL("echo")));
}

TEST_PLAIN(a_name_may_be_in_base64)
{
    CHECK_STR("", judged(SAID("=?base64?ZWNobw==?="), CALL("echo")));
    CHECK_STR("", judged(SAID("=?base64?w6k/Pz8+?="), CALL("\xc3\xa9?\?\?>")));
    CHECK(judged(SAID("=?base64?ZWNobx==?="), CALL("echo"))[0]);
    CHECK(judged(SAID("=?base64?w6k_Pz8-?="), CALL("\xc3\xa9?\?\?>"))[0]);
    CHECK(judged(SAID("=?base64?ZWNob2VjaG8=?="), CALL("echo"))[0]);
    CHECK(judged(SAID("=?base64?="), CALL("echo"))[0]);
    CHECK_STR("", judged(SAID("=?base64?\?="), CALL("")));
}

TEST_PLAIN(a_resource_is_named_by_its_uri_and_a_list_not_at_all)
{
    CHECK_STR("", judged(&(struct mcp_headers){ .version = "2026-07-28",
                                                .method = "resources/read", .name = "a://b" },
                         "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\","
                         "\"params\":{\"uri\":\"a://b\"," RIG_META "}}"));
    CHECK_STR("", judged(&(struct mcp_headers){ .version = "2026-07-28",
                                                .method = "tools/list" },
                         "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\","
                         "\"params\":{" RIG_META "}}"));
}
