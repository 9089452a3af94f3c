/* method_listen.c - news for who has asked for it. */
#include <string.h>

#include <weir/task.h>

#include "mcp/mcp_int.h"

/* Nothing of ours changes while it runs: what can be listened to is nothing, until the end. */
static wr_err listen(struct mcp_request *request)
{
    (void)request;
    return wr_sleep(WR_NEVER);
}

void mcp_answer_listen(struct mcp_request *request)
{
    char buf[1024];
    struct wr_text text = WR_TEXT(buf);
    struct wr_json json = wr_json_to(&text);
    const char *id = request->message->id;
    if (!json_is_object(mcp_param(request, "notifications"))) {
        mcp_request_refuse(request, MCP_INVALID_PARAMS, "params.notifications must be an "
                           "object");
        return;
    }
    wr_json_object(&json, NULL);
    wr_json_str(&json, "jsonrpc", "2.0");
    wr_json_str(&json, "method", "notifications/subscriptions/acknowledged");
    wr_json_object(&json, "params");
    wr_json_object(&json, "_meta");
    wr_json_raw(&json, META "subscriptionId", id, strlen(id));
    wr_json_end(&json);
    wr_json_object(&json, "notifications");
    wr_json_end(&json);
    wr_json_end(&json);
    wr_json_end(&json);
    struct mcp_out out = { .at = text.at, .len = text.len };
    if (!request->peer->send(request->peer->arg, &out))
        (void)!mcp_request_run(request, listen, WR_NEVER);
}
