/* mcp_rig.h - an offer with odd tools, and a client that says what it is told. */
#ifndef WR_TESTING_MCP_RIG_H
#define WR_TESTING_MCP_RIG_H

#include <stdlib.h>
#include <string.h>

#include <weir/lock.h>
#include <weir/scope.h>

#include "base/text.h"
#include "mcp/request.h"
#include "mcp/session.h"
#include "testing/settle.h"
#include "testing/test.h"

#define RIG __attribute__((unused)) static

/* ---- the offer ---- */

/* Gives back what it is given. */
RIG wr_err rig_echo(struct mcp_request *request)
{
    size_t len;
    const char *text = mcp_request_string(request, "text", &len);
    int64_t times = mcp_request_integer(request, "times", 1);
    for (int64_t i = 0; i < times; i++)
        wr_text_bytes(mcp_request_text(request), text, len);
    wr_text_format(mcp_request_structured(request), "{\"bytes\":%lld,\n\"file\":%s}\n",
                   (long long)len * times,
                   mcp_request_string(request, "path", NULL) ? "true" : "false");
    return WR_OK;
}

/* Takes nearly so many seconds, one step each: never at the same moment as a whole one ends. */
RIG wr_err rig_slow(struct mcp_request *request)
{
    int64_t seconds = mcp_request_integer(request, "seconds", 1);
    bool silent = mcp_request_boolean(request, "silent", false);
    wr_err err = WR_OK;
    for (int64_t i = 1; i <= seconds && !err; i++) {
        err = wr_sleep(wr_after(WR_MS(990)));
        if (!err && !silent)
            mcp_request_progress(request, (uint32_t)i, (uint32_t)seconds, "step %d", (int)i);
    }
    wr_text_str(mcp_request_text(request), "done");
    return err;
}

RIG wr_err rig_fail(struct mcp_request *request)
{
    if (mcp_request_boolean(request, "silent", false))
        return WR_NOTFOUND;
    wr_text_str(mcp_request_text(request), "half of it");
    wr_text_str(mcp_request_structured(request), "{}");
    return mcp_request_fail(request, WR_IO, "the \"disk\" is full");
}

/* Says more than can be sent. */
RIG wr_err rig_flood(struct mcp_request *request)
{
    static const char line[1024] = { [0 ... 1023] = 'x' };
    for (size_t i = 0; i <= MCP_ANSWER_MAX / sizeof(line); i++)
        wr_text_bytes(mcp_request_text(request), line, sizeof(line));
    return WR_OK;
}

RIG wr_err rig_panic(struct mcp_request *request)
{
    (void)request;
    wr_panic("as asked");
}

RIG wr_err rig_read(struct mcp_request *request)
{
    if (strcmp(mcp_request_rest(request), "missing") == 0)
        return WR_NOTFOUND;
    if (strcmp(mcp_request_rest(request), "broken") == 0)
        return WR_IO;
    wr_text_format(mcp_request_text(request), "<%s>", mcp_request_rest(request));
    return WR_OK;
}

RIG const char *const rig_words[] = { "low", "high", NULL };
RIG const struct mcp_field rig_echo_fields[] = {
    { .name = "text", .what = "what to say", .required = true, .max = 1000 },
    { .name = "times", .what = "how often", .type = MCP_INTEGER, .min = 1, .max = 9,
      .preset = "1" },
    { .name = "voice", .what = "how", .words = rig_words },
    { .name = "path", .what = "a file", .local = true },
    { .name = "more", .what = "anything", .type = MCP_OTHER, .schema = "{\"type\":\"array\"}" },
};
RIG const struct mcp_field rig_slow_fields[] = {
    { .name = "seconds", .what = "how long", .type = MCP_INTEGER, .min = 0, .max = 1000 },
    { .name = "silent", .what = "without progress", .type = MCP_BOOLEAN },
};
RIG const struct mcp_tool rig_tools[] = {
    { .name = "echo", .title = "Echo", .what = "Gives back a text.",
      .fields = rig_echo_fields, .field_count = 5, .reads_only = true, .repeatable = true,
      .output = "{\"type\":\"object\"}", .handler = rig_echo },
    { .name = "slow", .what = "Takes its time.", .fields = rig_slow_fields, .field_count = 2,
      .handler = rig_slow },
    { .name = "fail", .what = "Fails.", .fields = rig_slow_fields, .field_count = 2,
      .output = "{\"type\":\"object\"}", .handler = rig_fail, .destroys = true },
    { .name = "flood", .what = "Says too much.", .handler = rig_flood },
    { .name = "brief", .what = "Has 5 s.", .fields = rig_slow_fields, .field_count = 2,
      .handler = rig_slow, .within = WR_S(5) },
    { .name = "panic", .what = "Panics.", .handler = rig_panic },
};
RIG const struct mcp_field rig_prompt_fields[] = {
    { .name = "who", .what = "whom to greet", .required = true },
    { .name = "how", .what = "in which words" },
};
RIG const struct mcp_prompt rig_prompts[] = {
    { .name = "greet", .title = "Greet", .what = "Greets somebody.",
      .fields = rig_prompt_fields, .field_count = 2,
      .text = "Greet {who} {how}, not {whom}. {" },
};
RIG const struct mcp_resource rig_resources[] = {
    { .uri = "test://fixed", .name = "fixed", .what = "One thing.", .media = "text/plain",
      .read = rig_read },
    { .uri = "test://item/{id}", .name = "item", .what = "Many things.", .media = "text/plain",
      .read = rig_read },
};
RIG const struct mcp_offer rig_offer = {
    .name = "rig", .title = "The rig", .version = "7", .instructions = "Be brief.",
    .tools = rig_tools, .tool_count = 6, .prompts = rig_prompts, .prompt_count = 1,
    .resources = rig_resources, .resource_count = 2,
};

/* ---- the client ---- */

#define RIG_META "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
                 "\"io.modelcontextprotocol/clientCapabilities\":{}}"

struct client {
    struct mcp_session *session;
    struct mcp_peer peer;
    struct wr_mutex lock;
    struct wr_text heard;           /* every message with a line end, since it was last read */
    unsigned count, answers;
    wr_time last_at;
    wr_err deaf;                    /* what sending to it gives */
    struct mcp_out last;
    const char *says;
};

RIG wr_err client_hear(void *arg, const struct mcp_out *out)
{
    struct client *client = arg;
    wr_mutex_lock(&client->lock);
    wr_text_bytes(&client->heard, out->at, out->len);
    wr_text_str(&client->heard, "\n");
    client->count++;
    client->answers += out->last;
    client->last_at = wr_now();
    client->last = *out;
    wr_mutex_unlock(&client->lock);
    return client->deaf;
}

RIG void client_open_with(struct client *client, const struct mcp_offer *offer)
{
    *client = (struct client){ .lock = WR_MUTEX("test.client", 800),
                               .heard = wr_text_heap((size_t)64 << 20) };
    client->peer = (struct mcp_peer){ .send = client_hear, .arg = client, .local = true };
    CHECK_OK(mcp_session_new(&client->session, offer));
}

RIG void client_open(struct client *client)
{
    client_open_with(client, &rig_offer);
}

RIG void client_close(struct client *client)
{
    mcp_session_free(client->session);
    wr_text_free(&client->heard);
    wr_mutex_fini(&client->lock);
}

/* Send it, and have it answered in this fiber. */
RIG const char *client_say(struct client *client, const char *says)
{
    struct mcp_message message;
    struct mcp_fault fault;
    wr_text_rewind(&client->heard, 0);
    if (mcp_message_read(&message, says, strlen(says), &fault))
        mcp_session_answer(client->session, &message, &client->peer);
    else
        mcp_session_refuse(&message, &fault, &client->peer);
    mcp_message_free(&message);
    return client->heard.at ? client->heard.at : "";
}

RIG wr_err client_task(void *arg)
{
    struct client *client = arg;
    struct mcp_message message;
    struct mcp_fault fault;
    CHECK(mcp_message_read(&message, client->says, strlen(client->says), &fault));
    mcp_session_answer(client->session, &message, &client->peer);
    mcp_message_free(&message);
    return WR_OK;
}

/* ... in another, which has come to its first wait. */
RIG void client_start(struct client *client, struct wr_scope *scope, const char *says)
{
    client->says = says;
    CHECK_OK(wr_scope_go(scope, "test.client", client_task, client));
    settle();
}

RIG void client_begin(struct client *client)
{
    client_open(client);
    client_say(client, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":"
                       "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}}}");
    client->count = client->answers = 0;
    wr_text_rewind(&client->heard, 0);
}

RIG bool has(const char *text, const char *part)
{
    return strstr(text, part);
}

#endif
