/* sse.c - see sse.h: nothing but calls of http.h. */
#include <weir/sse.h>

#include <string.h>

#include <weir/panic.h>
#include <weir/scope.h>

#include "base/text.h"

#define HEARTBEAT WR_S(15)
#define IDLE_MAX WR_S(300)
#define WRITE_WITHIN WR_S(5)

const char *wr_sse_last_id(const struct wr_call *call)
{
    return wr_call_header(call, "last-event-id");
}

static wr_time sum(wr_time a, wr_time b)
{
    return a > WR_NEVER - b ? WR_NEVER : a + b;
}

static wr_time earlier(wr_time a, wr_time b)
{
    return a < b ? a : b;
}

wr_err wr_sse_begin(struct wr_sse *sse, struct wr_call *call, const struct wr_sse_conf *conf)
{
    *sse = (struct wr_sse){ .call = call, .conf = *conf };
    if (!sse->conf.heartbeat)
        sse->conf.heartbeat = HEARTBEAT;
    if (!sse->conf.idle_max)
        sse->conf.idle_max = IDLE_MAX;
    if (!sse->conf.write_within)
        sse->conf.write_within = WRITE_WITHIN;
    sse->spoke = sse->event_at = wr_now();
    sse->until = wr_scope_deadline();
    if (sse->until != WR_NEVER)
        sse->until -= sse->conf.write_within;
    wr_call_type(call, "text/event-stream");
    wr_call_reply_header(call, "Cache-Control", "no-store");
    return wr_call_begin(call);
}

static wr_err put(struct wr_sse *sse, const char *bytes, size_t len)
{
    wr_err err = wr_call_send(sse->call, bytes, len, wr_after(sse->conf.write_within));
    sse->spoke = wr_now();
    return err;
}

static void add_field(struct wr_text *text, const char *name, const char *value)
{
    if (value && strpbrk(value, "\r\n"))
        wr_panic("%s of an event: a line break in it", name);
    if (value)
        wr_text_format(text, "%s: %s\n", name, value);
}

/* Each line of the data is a field of its own; all three kinds of line break end one. */
static void add_data(struct wr_text *text, const char *data)
{
    for (;;) {
        size_t len = strcspn(data, "\r\n");
        wr_text_str(text, "data: ");
        wr_text_bytes(text, data, len);
        wr_text_str(text, "\n");
        data += len;
        if (!*data)
            break;
        data += data[0] == '\r' && data[1] == '\n' ? 2 : 1;
    }
    wr_text_str(text, "\n");
}

wr_err wr_sse_event(struct wr_sse *sse, const char *id, const char *name, const char *data)
{
    struct wr_text text = wr_text_heap(WR_SSE_EVENT_MAX);
    add_field(&text, "id", id);
    add_field(&text, "event", name);
    add_data(&text, data);
    wr_err err = !text.cut                               ? put(sse, text.at, text.len)
                 : text.len + text.cut >= WR_SSE_EVENT_MAX ? WR_INVALID
                                                         : WR_NOMEM;
    wr_text_free(&text);
    if (!err)
        sse->event_at = sse->spoke;
    return err;
}

wr_err (wr_sse_select)(struct wr_sse *sse, size_t *ret, struct wr_case *cases, size_t count,
                       const char *place)
{
    static const char comment[] = ":\n\n";
    for (;;) {
        wr_time end = earlier(sum(sse->event_at, sse->conf.idle_max), sse->until);
        wr_time deadline = earlier(sum(sse->spoke, sse->conf.heartbeat), end);
        wr_err err = (wr_call_select)(sse->call, ret, cases, count, deadline, place);
        if (err != WR_TIMEOUT || wr_now() >= end)
            return err;
        err = put(sse, comment, strlen(comment));
        if (err)
            return err;
    }
}

wr_err wr_sse_end(struct wr_sse *sse, wr_err err)
{
    if (err == WR_CLOSED)
        return WR_OK;               /* a HEAD: all was said */
    if (err != WR_DRAINING && err != WR_TIMEOUT)
        return err;                 /* after a send that came too late the next fails too */
    return wr_sse_event(sse, NULL, "end",
                        err == WR_DRAINING            ? "draining"
                        : wr_now() >= sse->until ? "total"
                                                      : "idle");
}
