/* auth.h - what only a person can do: a page or a search engine that wants to see a human.
 *
 *     err = store_auth_park(store, job->id, job->attempt, items, WR_S(3 * 3600), deadline);
 *     ...
 *     err = store_auth_list(store, task, 100, &auths, deadline);
 *     ...a person does what is asked for
 *     err = store_auth_resolve(store, &(struct store_auth_which){ .domain = "example.org" },
 *                              STORE_AUTH_COMPLETED, slots, &auths, deadline);
 *
 * A job that meets such a thing is set aside (it is WAITING), with an item for each of them, in
 * one commit.  When the last of its items is resolved it is queued again, if a person has done
 * one of them; if all were skipped or nobody came in time, it has failed.
 */
#ifndef WR_STORE_AUTH_H
#define WR_STORE_AUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/store.h"
#include "store/verb.h"

#define STORE_AUTH_LIST_MAX 256

enum store_auth_end { STORE_AUTH_COMPLETED, STORE_AUTH_SKIPPED, STORE_AUTH_EXPIRED };

/* Texts are the result's. */
struct store_auth {
    const char *id, *task, *job, *url, *domain, *type, *priority;
    struct wr_wall queued_at, expires_at;
};

struct store_auths {
    struct store_auth auths[STORE_AUTH_LIST_MAX];
    size_t count;
    struct store_rows rows;
};

/* One of these. */
struct store_auth_which { const char *id, *domain, *task; };

/* Set the job aside; of a task that was stopped for its kind it is canceled.  The items are a
 * JSON array of arrays: [id, url, domain, type, priority].  They wait so long.  Errors:
 * NOTFOUND (the job is not that attempt's); INVALID (no such JSON). */
wr_err store_auth_park(struct store *store, const char *job, uint32_t attempt,
                       const char *items, wr_time within, wr_time deadline);

/* What waits, the oldest first; of a task, or (NULL) of all. */
wr_err store_auth_list(struct store *store, const char *task, size_t max,
                       struct store_auths *ret, wr_time deadline);
void store_auths_free(struct store_auths *auths);

/* How many wait; of a task, or (NULL) of all. */
wr_err store_auth_count(struct store *store, const char *task, uint64_t *ret,
                        wr_time deadline);

/* They have come to this end; *ret has them: with an id that was COMPLETED also the others of
 * its domain and type.  Slots are those whose jobs may go on.  With EXPIRED it is all whose
 * time is over, and `which` may be NULL.  At most STORE_AUTH_LIST_MAX at once: with as many
 * there may be more.  None: WR_OK, a count of 0. */
wr_err store_auth_resolve(struct store *store, const struct store_auth_which *which,
                          enum store_auth_end end, const char *const *slots,
                          struct store_auths *ret, wr_time deadline);

/* Whether a person has done what this domain asked for, on whichever node, in the last such
 * time. */
wr_err store_auth_helped(struct store *store, const char *domain, wr_time within, bool *ret,
                         wr_time deadline);

/* Forget what came to its end before this moment: up to `max`, at most STORE_AUTH_LIST_MAX, but
 * nothing of a job that still waits.  *ret is how many: as many as `max` says that there may be
 * more. */
wr_err store_auth_prune(struct store *store, struct wr_wall before, size_t max, uint64_t *ret,
                        wr_time deadline);

/* Whether there is, or was, such an item.  Errors: NOTFOUND. */
wr_err store_auth_known(struct store *store, const char *id, wr_time deadline);

#endif
