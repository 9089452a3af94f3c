/* diary.h - what was done to the node, and by whom.
 *
 *     diary_note(node->diary, &(struct diary_event){ .type = "admin.shutdown",
 *         .actor = "127.0.0.1:4711", .request = id });
 *
 * Each event is a line of the log at once, whatever its level, and then goes to the store
 * (store/audit.h), from where it is listed.  Whoever notes one does not wait: a task of its own
 * writes them.  While the store cannot write they wait, the newest DIARY_QUEUE; when that task
 * has to end they have DIARY_LAST_WORD more.  What is not kept is counted.  Where a commit
 * failed it is not known whether an event is in the store: then it is written again, so that it
 * may stand there twice, rather than not at all.
 *
 * Events are kept for DIARY_KEPT.  Under amnesia there is the log and nothing else.
 */
#ifndef WR_NODE_DIARY_H
#define WR_NODE_DIARY_H

#include <stdbool.h>

#include <weir/err.h>
#include <weir/http.h>
#include <weir/once.h>
#include <weir/time.h>

#include "store/store.h"

#define DIARY_QUEUE 256
#define DIARY_LAST_WORD WR_MS(500)
#define DIARY_KEPT (90 * WR_S(86400))
#define DIARY_NOTE_MAX 1000             /* bytes of an operator's note */
#define DIARY_PAGE_MAX 50               /* events in one answer */

struct diary;

/* All but the type may be NULL. */
struct diary_event {
    const char *type;                   /* "admin.reload"; at most 39 bytes */
    const char *actor;                  /* who; "node" when nobody asked */
    const char *request;                /* the id of the call */
    const char *detail;                 /* JSON of at most 255 bytes */
    bool told;                          /* the log has it, with more than we know */
};

/* The store must outlive it; NULL: there is the log alone.  Errors: NOMEM. */
wr_err diary_new(struct diary **ret, struct store *store);

/* NULL is allowed. */
void diary_free(struct diary *diary);

/* Does not wait; any fiber. */
void diary_note(struct diary *diary, const struct diary_event *event);

/* The same, of a call. */
void diary_call(struct diary *diary, struct wr_call *call, const char *type);

/* The task that writes them, a child of the supervisor; its arg is the diary. */
wr_err diary_run(void *arg, struct wr_once *drain);

/* Handlers; the arg of their routes is the node. */
wr_err diary_serve_list(struct wr_call *call);
wr_err diary_serve_note(struct wr_call *call);

#endif
