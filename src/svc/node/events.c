/* events.c - the bus, to whoever watches: server-sent events.
 *
 * Each watcher is a fan-out of the feed facet: there are so many at once, and when there
 * is no room for another, those who have watched for longer than they asked for are told
 * to go, the oldest first.
 */
#include <stdio.h>
#include <stdlib.h>

#include <weir/sse.h>

#include "base/json.h"
#include "svc/node/node_int.h"

static wr_err send_event(struct wr_sse *sse, const struct bus_event *event)
{
    char buf[300];
    struct wr_text text = WR_TEXT(buf);
    struct wr_json json = wr_json_to(&text);
    wr_json_object(&json, NULL);
    if (event->service[0])
        wr_json_str(&json, "service", event->service);
    if (event->kind == BUS_HEALTH)
        wr_json_bool(&json, "ok", event->ok);
    if (event->kind == BUS_CONFIG_UPDATED)
        wr_json_u64(&json, "version", event->version);
    wr_json_end(&json);
    return wr_sse_event(sse, NULL, bus_kind_name(event->kind), text.at);
}

/* Who was too slow has missed some, and is told how it stands instead. */
static wr_err send_snapshot(struct wr_sse *sse, struct node *node)
{
    struct wr_text text = wr_text_heap(16384);
    struct wr_json json = wr_json_to(&text);
    struct ready_view view;
    ready_look(node->ready, &view);
    wr_json_object(&json, NULL);
    ready_write(node->ready, &view, &json);
    wr_json_end(&json);
    wr_err err = text.cut ? WR_NOMEM : wr_sse_event(sse, NULL, "Snapshot", text.at);
    wr_text_free(&text);
    return err;
}

wr_err events_serve(struct wr_call *call)
{
    struct node *node = wr_call_arg(call);
    const struct facet_permit *permit = *wr_call_memo(call);
    struct bus_reader reader = bus_reader(node->bus, "events");
    struct bus_event event;
    struct wr_case cases[] = { bus_case(&reader, &event) };
    struct wr_sse sse;
    size_t which;
    wr_err err = wr_sse_begin(&sse, call, &(struct wr_sse_conf){ 0 });
    if (!err)
        err = send_snapshot(&sse, node);
    while (!err && !(permit && facet_shed(permit))
           && !(err = wr_sse_select(&sse, &which, cases, 1))) {
        bus_took(&reader, cases[0].err);
        if (cases[0].err == WR_LAGGED)
            err = send_snapshot(&sse, node);
        else
            err = cases[0].err ? cases[0].err : send_event(&sse, &event);
    }
    return wr_sse_end(&sse, err);
}
