/* mcp_fuzz.c - any bytes as a message of a client: answered once, or not at all.
 *
 * The first byte says in which state the session is and what its client may do; the rest are
 * lines, each a message.  Whatever they are: an answer is one line of JSON of JSON-RPC 2.0, a
 * request that could be read has exactly one, with its id; a notification has none; and wrong
 * bytes never reach a handler.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <weir/panic.h>
#include <weir/run.h>
#include <weir/task.h>

#include "mcp/header.h"
#include "mcp/request.h"
#include "mcp/session.h"

#define INPUT_MAX 16384
#define LINES_MAX 16

static wr_err echo(struct mcp_request *request)
{
    size_t len;
    const char *text = mcp_request_string(request, "text", &len);
    WR_ASSERT(text && len <= 100);
    WR_ASSERT(mcp_request_integer(request, "count", 3) >= 1);
    WR_ASSERT(mcp_request_integer(request, "count", 3) <= 9);
    WR_ASSERT(mcp_request_local(request) || !mcp_request_json(request, "path"));
    mcp_request_progress(request, 1, 2, "%s", text);
    wr_text_bytes(mcp_request_text(request), text, len);
    wr_text_str(mcp_request_structured(request), "{\n}");
    return mcp_request_boolean(request, "fail", false)
               ? mcp_request_fail(request, WR_IO, "%s", text)
               : WR_OK;
}

static wr_err read_it(struct mcp_request *request)
{
    wr_text_str(mcp_request_text(request), mcp_request_rest(request));
    return strlen(mcp_request_uri(request)) % 2 ? WR_OK : WR_NOTFOUND;
}

/* Asks twice, shows what it heard, and becomes a task where it may. */
static wr_err ask(struct mcp_request *request)
{
    const json_t *first, *second = NULL;
    wr_err err = mcp_request_ask(request, "a", "elicitation/create", json_object(), &first);
    WR_ASSERT(!first || json_is_object(first));
    if (!err && first)
        err = mcp_request_ask(request, "b", "sampling/createMessage", json_object(), &second);
    mcp_request_log(request, MCP_ERROR, "%d", err);
    mcp_request_image(request, "image/png", request, 7);
    if (!err && second && mcp_request_defers(request))
        mcp_request_defer(request, &(struct mcp_task){ .id = "t", .version = 1 });
    return err;
}

/* One task in each state, named by its number. */
static wr_err look(struct mcp_request *request, const char *id, uint64_t seen,
                   struct mcp_task *ret, wr_time deadline)
{
    if (id[0] < '0' || id[0] > '4' || id[1])
        return WR_NOTFOUND;
    *ret = (struct mcp_task){ .state = (enum mcp_task_state)(id[0] - '0'), .version = 1,
                              .broken = mcp_request_local(request), .note = "note" };
    ret->id[0] = id[0];
    return seen ? wr_sleep(deadline) : WR_OK;
}

static wr_err result(struct mcp_request *request, const char *id)
{
    wr_text_str(mcp_request_text(request), id);
    return WR_OK;
}

static wr_err cancel(struct mcp_request *request, const char *id)
{
    (void)request;
    (void)id;
    return WR_OK;
}

static wr_err list(struct mcp_request *request, const char *after, struct mcp_task *ret,
                   size_t max, size_t *ret_count)
{
    WR_ASSERT(max);
    *ret_count = 1;
    return after ? WR_NOTFOUND : look(request, "0", 0, ret, WR_NOW);
}

static json_t *inputs(struct mcp_request *request, const char *id)
{
    (void)request;
    return json_pack("{s:{s:s,s:{}}}", id, "method", "elicitation/create", "params");
}

static wr_err update(struct mcp_request *request, const char *id, const char *name,
                     const json_t *answer)
{
    WR_ASSERT(answer);
    (void)request;
    return strcmp(id, name) == 0 ? WR_OK : WR_NOTFOUND;
}

static const struct mcp_tasks tasks = { .look = look, .result = result, .cancel = cancel,
                                        .list = list, .inputs = inputs, .update = update };

static const char *const words[] = { "a", "b", NULL };
static const struct mcp_field fields[] = {
    { .name = "text", .what = "text", .required = true, .max = 100 },
    { .name = "count", .what = "count", .type = MCP_INTEGER, .min = 1, .max = 9 },
    { .name = "fail", .what = "fail", .type = MCP_BOOLEAN },
    { .name = "path", .what = "path", .local = true },
    { .name = "word", .what = "word", .words = words },
};
static const struct mcp_tool tools[] = {
    { .name = "echo", .what = "echo", .fields = fields, .field_count = 5, .output = "{}",
      .handler = echo },
    { .name = "ask", .what = "ask", .defers = MCP_MAY_DEFER, .handler = ask },
};
static const struct mcp_prompt prompt = { .name = "p", .what = "p", .fields = fields,
                                          .field_count = 1, .text = "{text}{{text}" };
static const struct mcp_resource resource = { .uri = "x://{y}", .name = "x", .what = "x",
                                              .media = "text/plain", .read = read_it };
static const struct mcp_offer offer = {
    .name = "f", .version = "1", .tools = tools, .tool_count = 2, .prompts = &prompt,
    .prompt_count = 1, .resources = &resource, .resource_count = 1, .tasks = &tasks,
    .logs = true,
};

struct input { const char *at; size_t len; struct mcp_session *session; unsigned answers; };

static wr_err hear(void *arg, const struct mcp_out *out)
{
    struct input *input = arg;
    json_t *json = json_loadb(out->at, out->len, JSON_REJECT_DUPLICATES, NULL);
    WR_ASSERT(json && !memchr(out->at, '\n', out->len) && !memchr(out->at, '\r', out->len));
    WR_ASSERT(strcmp(json_string_value(json_object_get(json, "jsonrpc")), "2.0") == 0);
    bool error = json_object_get(json, "error"), result = json_object_get(json, "result");
    WR_ASSERT(out->last == (error || result) && !(error && result));
    WR_ASSERT(error == (out->code != MCP_OK));
    input->answers += out->last;
    json_decref(json);
    return WR_OK;
}

static void take(struct input *input, const char *line, size_t len, uint8_t how)
{
    struct mcp_peer peer = { .send = hear, .arg = input, .local = how & 1, .modern = how & 2 };
    struct mcp_headers headers = { .version = MCP_MODERN, .method = "tools/call",
                                   .name = "=?base64?ZWNobw?=" };
    struct mcp_message message;
    struct mcp_fault fault;
    input->answers = 0;
    if (!mcp_message_read(&message, line, len, &fault)) {
        WR_ASSERT(fault.why[0]);
        mcp_session_refuse(&message, &fault, &peer);
        WR_ASSERT(input->answers == 1);
    } else {
        if (message.method && !mcp_headers_agree(&headers, &message, &fault))
            WR_ASSERT(fault.code == MCP_HEADER_MISMATCH);
        /* Who listens does so for ever. */
        if (!message.method || strcmp(message.method, "subscriptions/listen") != 0) {
            mcp_session_answer(input->session, &message, &peer);
            WR_ASSERT(input->answers == (message.kind == MCP_REQUEST));
        }
    }
    mcp_message_free(&message);
}

static wr_err run(void *arg)
{
    struct input *input = arg;
    static const char begin[] = "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\","
                                "\"params\":{\"protocolVersion\":\"2025-11-25\"}}";
    uint8_t how = (uint8_t)input->at[0];
    const char *at = input->at + 1, *end = input->at + input->len;
    WR_ASSERT(!mcp_session_new(&input->session, &offer));
    if (how & 4)
        take(input, begin, strlen(begin), 0);
    for (int i = 0; i < LINES_MAX && at < end; i++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        take(input, at, (size_t)(stop - at), how);
        at = stop + (stop < end);
    }
    mcp_session_free(input->session);
    return WR_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = { .at = (const char *)data, .len = size };
    if (size == 0 || size > INPUT_MAX)
        return 0;
    WR_ASSERT(!wr_run(&(struct wr_run_conf){ .workers = 1, .virtual_clock = true }, run,
                      &input));
    return 0;
}
