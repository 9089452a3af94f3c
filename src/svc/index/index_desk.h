/* index_desk.h - what those who serve the index share, whatever they are asked by.
 *
 * Routes and tools have a pointer to one; it is filled in when the service is opened.  Answers
 * and refusals of routes are made here, so that all of them look the same: errors as flat.h has
 * them, and a store that fails is 503, no gateway's fault.
 */
#ifndef WR_INDEX_DESK_H
#define WR_INDEX_DESK_H

#include <jansson.h>

#include <weir/http.h>

#include "base/text.h"
#include "svc/index/index_settings.h"

struct announcer;                       /* announcer.h */
struct index_events;                    /* index_events.h */
struct index_key;                       /* index_key.h */
struct latencies;                       /* latency.h */
struct resolver;                        /* resolver.h */
struct roster;                          /* flow/roster.h */
struct scribe;                          /* scribe.h */
struct store;                           /* store/store.h */

#define INDEX_ANSWER_MAX ((size_t)1 << 20)      /* bytes of JSON */

struct index_desk {
    struct store *store;                /* NULL: the index is not open here */
    struct resolver *resolver;          /* NULL: as above */
    struct wr_cell *settings;           /* of struct index_settings */
    struct scribe *scribe;              /* writes pointers */
    struct announcer *announcer;        /* tells others what we offer */
    struct latencies *latencies;        /* how fast providers are; or NULL */
    struct roster *quotas;              /* what tenants have used up */
    struct index_events *events;        /* what happens, for those who watch */
};

/* The desk of a route, if it is open.  Errors: UNSUPPORTED (it needs a store). */
wr_err index_desk_of(struct wr_call *call, struct index_desk **ret);

/* Say that it has failed; returns what a handler is to return.  What the error says by itself
 * is enough where `why` is NULL. */
wr_err index_desk_fail(struct wr_call *call, wr_err err, const char *why);

/* Answer with what is in `text`, which is freed, unless there was an error. */
wr_err index_desk_answer(struct wr_call *call, wr_err err, unsigned status,
                         struct wr_text *text);

/* How many content ids may be pinned. */
uint64_t index_desk_pins_max(struct index_desk *desk);

/* Whether this node can offer it: a content id whose bytes it has, and they are right; a name
 * that stands for something here.  Errors: NOTFOUND, QUARANTINE; those of the store. */
wr_err index_desk_has(struct index_desk *desk, const struct index_key *key, wr_time deadline);

/* What is remembered of a key is no longer so: `prefix` and `rest` are its text. */
void index_desk_forget(struct index_desk *desk, const char *prefix, const char *rest);

/* A number of the query, clamped to its limits; what is no number is the preset. */
size_t index_desk_number(struct wr_call *call, const char *name, size_t min, size_t max,
                         size_t preset);

/* That a body is application/json, or says nothing.  Errors: UNSUPPORTED (415). */
wr_err index_desk_is_json(struct wr_call *call);

/* The body as an object of JSON, for json_decref.  `names` are the members that it may have;
 * the last is NULL.  Errors: INVALID (400), UNSUPPORTED (415); and the answer says why. */
wr_err index_desk_body(struct wr_call *call, const char *const *names, json_t **ret);

#endif
