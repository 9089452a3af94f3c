/* sse.h - server-sent events: a stream of events to one reader, as a plain loop.
 *
 *     static wr_err ticks(struct wr_call *call)
 *     {
 *         struct wr_sse sse;
 *         struct tick tick;
 *         struct wr_case cases[] = { WR_CASE_BCAST(reader, &tick) };
 *         size_t which;
 *         wr_err err = wr_sse_begin(&sse, call, &(struct wr_sse_conf){ 0 });
 *         while (!err && !(err = wr_sse_select(&sse, &which, cases, 1)))
 *             err = wr_sse_event(&sse, tick.id, "tick", tick.text);
 *         return wr_sse_end(&sse, err);
 *     }
 *
 * The route is of the class STREAM.  While nothing happens a comment goes out every 15
 * seconds, so that a reader that has gone is noticed and a proxy does not give up.  A
 * reader that does not take an event in time is cut off.  When the server drains, when
 * no event came for too long, and shortly before the route's deadline, the stream ends
 * with a last event:
 *
 *     event: end
 *     data: draining | idle | total
 *
 * A reader that comes back says which event it saw last: wr_sse_last_id.
 */
#ifndef WEIR_SSE_H
#define WEIR_SSE_H

#include <stddef.h>

#include <weir/err.h>
#include <weir/http.h>
#include <weir/select.h>
#include <weir/time.h>

#define WR_SSE_EVENT_MAX ((size_t)1 << 20)

/* Zero is the default of everything. */
struct wr_sse_conf {
    wr_time heartbeat;          /* of silence, then a comment; 15 s */
    wr_time idle_max;           /* without an event; 300 s */
    wr_time write_within;       /* an event must be taken so soon; 5 s */
};

/* A stream of events; it lies in the handler and belongs to it. */
struct wr_sse {
    struct wr_call *call;
    struct wr_sse_conf conf;
    wr_time spoke;              /* when something was sent */
    wr_time event_at;           /* ... an event */
    wr_time until;              /* the last moment for the last event */
};

/* The id of the last event that the reader has seen; NULL when it says none. */
const char *wr_sse_last_id(const struct wr_call *call);

/* Headers go out now.  Errors: TIMEOUT, CANCELED, BROKENPIPE, IO. */
wr_err wr_sse_begin(struct wr_sse *sse, struct wr_call *call, const struct wr_sse_conf *conf);

/* An event.  The id and the name may be NULL, and have no line breaks: a panic; data may
 * have any number of lines.
 * Errors: as wr_call_send; INVALID (larger than WR_SSE_EVENT_MAX), NOMEM. */
wr_err wr_sse_event(struct wr_sse *sse, const char *id, const char *name, const char *data);

/* Wait for the first of some cases, none is fine, and keep the stream alive meanwhile.
 * Errors: DRAINING; TIMEOUT (idle, or the end of the route's deadline is near);
 * BROKENPIPE (the reader has gone), CANCELED, IO. */
wr_err wr_sse_select(struct wr_sse *sse, size_t *ret, struct wr_case *cases,
                     size_t count WR_AT);
#define wr_sse_select(...) wr_sse_select(__VA_ARGS__, WR_HERE)

/* The loop ended with this error: say goodbye if that is possible.  Returns what the
 * handler returns: WR_OK when the stream ended in good order. */
wr_err wr_sse_end(struct wr_sse *sse, wr_err err);

#endif
