/* audit.h - what was done, by whom: a list that only grows, until it is pruned.
 *
 *     err = store_audit_add(store, &(struct store_event){ .type = "admin.shutdown",
 *         .actor = "token:ops", .request = ulid, .detail = json }, deadline);
 *     err = store_audit_list(store, after, 100, &events, deadline);
 *
 * Events have numbers that rise; who has read up to one asks for those after it.  Over
 * PostgreSQL a number may be seen before a smaller one that is still being written: such a
 * reader goes back a little (events carry their time).
 */
#ifndef WR_STORE_AUDIT_H
#define WR_STORE_AUDIT_H

#include "store/store.h"
#include "store/verb.h"

#define STORE_EVENT_DETAIL_MAX (64 << 10)
#define STORE_EVENT_LIST_MAX 1000

struct store_event {
    int64_t number;                 /* set by the store, */
    struct wr_wall at;              /* ... and so is this */
    const char *type, *actor;       /* required */
    const char *request;            /* its id; NULL: none */
    const char *detail;             /* JSON; NULL: none */
};

struct store_events { size_t count; struct store_rows rows; };

/* Errors: INVALID (a detail that is too long). */
wr_err store_audit_add(struct store *store, const struct store_event *event, wr_time deadline);

/* Up to `max` events whose number is above `after`, in order. */
wr_err store_audit_list(struct store *store, int64_t after, size_t max,
                        struct store_events *ret, wr_time deadline);
struct store_event store_event_at(const struct store_events *events, size_t i);
void store_events_free(struct store_events *events);

/* Take out up to `max` events that are older than this; *ret is how many. */
wr_err store_audit_prune(struct store *store, struct wr_wall before, size_t max, uint64_t *ret,
                         wr_time deadline);

#endif
