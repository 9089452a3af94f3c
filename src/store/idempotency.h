/* idempotency.h - a request that is made twice is done once.
 *
 *     struct store_once_ask ask = { "POST /admin/pin", key, digest, .keep = WR_S(86400),
 *                                   .keys_max = 10000 };
 *     err = store_once_begin(store, &ask, &was, deadline);
 *     WR_OK:      it is new: do it, then store_once_end(store, route, key, was.turn,
 *                 &(struct store_once_answer){ 202, body, len }, deadline)
 *     WR_EXISTS:  it was done: was.status and was.body are the answer it had
 *     WR_BUSY:    it is being done
 *     WR_INVALID: the same key came with another request
 *     WR_SHED:    as many keys are kept as may
 *     ...
 *     store_once_free(&was);
 *
 * A key is kept for as long as its first request said, and is then new again.  One that was
 * begun and never ended (the process died) is free again after STORE_ONCE_BEGUN; whether the
 * request had its effect is then for the effect's own key to say.  Who begins it gets a turn, a
 * number that only rises: one who was late, so that the key was begun again, gets NOTFOUND for
 * his end or drop, and the answer of the other is not touched.
 */
#ifndef WR_STORE_IDEMPOTENCY_H
#define WR_STORE_IDEMPOTENCY_H

#include "store/store.h"
#include "store/verb.h"

#define STORE_ONCE_KEY_MAX 255
#define STORE_ONCE_BODY_MAX (1 << 20)
#define STORE_ONCE_BEGUN WR_S(60)

struct store_once {
    uint64_t turn;                  /* of WR_OK: for its end or drop */
    int status;                     /* of WR_EXISTS, as is the body */
    struct store_value body;
    struct store_rows rows;
};

struct store_once_ask {
    const char *route, *key, *digest;   /* the digest is of the request */
    wr_time keep;
    uint64_t keys_max;                  /* of all routes; a key that there is needs no room */
};

/* See above; INVALID too for a key that is too long.  Nodes that begin at the same instant may
 * keep one key each beyond keys_max. */
wr_err store_once_begin(struct store *store, const struct store_once_ask *ask,
                        struct store_once *ret, wr_time deadline);
void store_once_free(struct store_once *once);

struct store_once_answer { int status; const void *body; size_t len; };

/* It is done, with this answer.  Errors: NOTFOUND (it is not being done by this turn), INVALID
 * (too long). */
wr_err store_once_end(struct store *store, const char *route, const char *key, uint64_t turn,
                      const struct store_once_answer *answer, wr_time deadline);

/* It was not done after all: the key is free.  Errors: NOTFOUND (as above). */
wr_err store_once_drop(struct store *store, const char *route, const char *key, uint64_t turn,
                       wr_time deadline);

/* Take out up to `max` keys whose time is over; *ret is how many. */
wr_err store_once_sweep(struct store *store, size_t max, uint64_t *ret, wr_time deadline);

#endif
