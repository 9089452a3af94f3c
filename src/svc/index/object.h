/* object.h - the bytes themselves: ours, or a provider's, verified either way.
 *
 *     struct object_got got;
 *     err = object_get(object, &cid, &got, wr_after(WR_S(10)));
 *     ...got.bytes, got.len; got.from is who gave it, "" for our own store
 *     object_got_free(&got);
 *
 * What is in the store is read there (blob.h verifies it).  Else providers are asked over
 * OAP/1 for OBJ_GET {"addr":"b3:..."}, in the order in which `find` has them.  What comes is
 * hashed as it comes, is at most STORE_BLOB_MAX, and counts only if its id is right.  One who
 * does not answer, stops in the middle, or answers with something else is passed over for the
 * next.  Each has half of what is left of the deadline, the last one all of it; his first
 * bytes, and each more, must come within `part_within`.
 *
 * How long the first byte took is remembered as a provider's latency (latency.h), for rank.h;
 * one who failed counts as slowest.  What was received and what failed is in the book (book.h).
 *
 * Providers are strangers: their addresses are IP addresses and never names, and unless
 * `internal` says so none that only this machine or its network knows.  Nothing but the id is
 * told to them: no token of ours goes there.
 *
 * An object of ours that was damaged is fetched as if it were not there, and put in its place.
 * Otherwise nothing that was fetched is kept.
 */
#ifndef WR_INDEX_OBJECT_H
#define WR_INDEX_OBJECT_H

#include <weir/err.h>
#include <weir/oap.h>
#include <weir/time.h>

#include "base/hash.h"
#include "base/text.h"
#include "store/blob.h"
#include "svc/index/book.h"
#include "svc/index/latency.h"
#include "svc/index/rank.h"

#define OBJECT_PROVIDERS_MAX 8          /* are asked for one object */
#define OBJECT_FETCHES_MAX 16           /* at the same time: of all, for memory's sake */

struct object;

/* Everything must outlive it.  Zero is the default of what follows `find`. */
struct object_conf {
    struct store *store;
    struct book *book;
    struct latencies *latencies;
    const char *self;                   /* our id: we do not ask ourselves */
    /* Who has it, the best first, up to `max`.  Errors: NOTFOUND, and whatever keeps one from
     * knowing.  NULL: nobody. */
    wr_err (*find)(void *arg, const struct wr_hash *cid, struct provider *ret, size_t max,
                   size_t *ret_count, wr_time deadline);
    void *arg;
    bool internal;                      /* go to loopback and private addresses too */
    wr_time part_within;                /* 1 s */
};

struct object_got {
    const char *bytes;
    size_t len;
    char from[PROVIDER_ID];
    struct wr_text fetched;             /* where they are, */
    char *stored;                       /* ... or there */
};

/* Errors: NOMEM. */
wr_err object_new(struct object **ret, const struct object_conf *conf);
void object_free(struct object *object);        /* nobody uses it; NULL is allowed */

/* `internal` from now on. */
void object_allow_internal(struct object *object, bool internal);

/* Errors: NOTFOUND (nobody has it), QUARANTINE (ours is damaged, and nobody else has it), IO
 * (those who say that they have it do not give it), BUSY (OBJECT_FETCHES_MAX are under way),
 * TIMEOUT, CANCELED, NOMEM; those of `find`. */
wr_err object_get(struct object *object, const struct wr_hash *cid, struct object_got *ret,
                  wr_time deadline);
void object_got_free(struct object_got *got);   /* one that is all zero is fine */

/* Only what is in the store.  Errors: NOTFOUND, QUARANTINE; those of the store. */
wr_err object_get_own(struct object *object, const struct wr_hash *cid, struct object_got *ret,
                      wr_time deadline);

/* Keep bytes in the store under this id.  Errors: QUARANTINE (it is not theirs), INVALID (too
 * large); those of store_blob_put. */
wr_err object_put(struct object *object, const struct wr_hash *cid, const void *bytes,
                  size_t len, wr_time deadline);

#endif
