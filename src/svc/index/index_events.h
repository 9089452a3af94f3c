/* index_events.h - what happens in the index, told to whoever watches.
 *
 *     index_events_tell(desk->events, &(struct index_event){
 *         .kind = INDEX_PIN_CHANGED, .key = &key, .what = "index.pin", .corr_id = corr });
 *
 * Three kinds: something was accepted by an operator, a pin was changed, a key was resolved.
 * Of keys only a hint is told: the first 12 hex digits of the content id, or of the hash of the
 * name.  Watchers come by GET /v1/index/events, as events that a server sends; each is a fan-
 * out of the facet `feed`.
 *
 * The last 1024 are kept and nobody is waited for: who is too slow is told how many he has
 * missed ("lagged"), which is counted (bus_lagged_total) and said in the log at most once in
 * five seconds.  As long as nobody watches nothing is kept, and telling costs one load.
 */
#ifndef WR_INDEX_EVENTS_H
#define WR_INDEX_EVENTS_H

#include <weir/err.h>
#include <weir/http.h>
#include <weir/time.h>

#include "svc/index/index_desk.h"
#include "svc/index/index_key.h"

#define INDEX_EVENTS_KEPT 1024
#define INDEX_EVENT_ROUTES 1

struct index_events;

enum index_event_kind { INDEX_ADMIN_ACCEPTED, INDEX_PIN_CHANGED, INDEX_RESOLVE_OBSERVED };

/* Copied when it is told, but for `what`. */
struct index_event {
    enum index_event_kind kind;
    const struct index_key *key;        /* or NULL */
    const char *what;                   /* a literal: "index.pin"; where a resolve found it */
    wr_time took;                       /* of a resolve */
    const char *corr_id;                /* or NULL */
};

/* Errors: NOMEM. */
wr_err index_events_new(struct index_events **ret);

/* Nobody watches any more.  NULL is allowed. */
void index_events_free(struct index_events *events);

/* Never waits.  Any fiber. */
void index_events_tell(struct index_events *events, const struct index_event *event);

/* GET /v1/index/events. */
void index_event_routes(struct wr_route ret[INDEX_EVENT_ROUTES], struct index_desk *desk);

#endif
