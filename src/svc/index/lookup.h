/* lookup.h - one question, answered by the store and then by the DHT.
 *
 *     struct wr_bytes *bytes;
 *     err = lookup_manifest(&lookup, &key, &bytes, deadline);
 *     err = lookup_providers(&lookup, &cid, &bytes, deadline);
 *     const struct found *found = found_in(bytes);
 *     ...
 *     wr_bytes_unref(bytes);
 *
 * The manifest of a name is what the store says; of a content id what its pointer says, or
 * itself, if it is offered here.  What the store does not know is asked of the DHT: a name by
 * those who are believed about names (dht.h), a content id by looking for providers of it.
 * With nobody to believe (dht_line_without_names) a name that the store does not know is not
 * there, whether there is a DHT or not.
 *
 * Providers are asked of the DHT, and we are one ourselves if it is offered here.  When nobody
 * can be asked, or nobody answers, what the store has is the answer, and `degraded`; only what
 * the store has not is then an error.  A little of the time is kept for that.
 */
#ifndef WR_INDEX_LOOKUP_H
#define WR_INDEX_LOOKUP_H

#include <weir/bytes.h>
#include <weir/err.h>
#include <weir/time.h>

#include "store/store.h"
#include "svc/index/dht_line.h"
#include "svc/index/index_key.h"
#include "svc/index/rank.h"

#define LOOKUP_KEEPS WR_MS(50)          /* of the deadline, to answer from the store */

enum found_source { FOUND_CACHE, FOUND_DB, FOUND_DHT, FOUND_SOURCES };
extern const char *const found_sources[FOUND_SOURCES];      /* "cache", "db", "dht" */

enum found_winner { FOUND_ALPHA, FOUND_BETA, FOUND_TIE, FOUND_WINNERS };
extern const char *const found_winners[FOUND_WINNERS];      /* "alpha", "beta", "tie" */

/* A plain value: it lies in bytes that caches and waiters share. */
struct found {
    enum found_source source;
    bool degraded;                      /* the DHT could not be asked */
    bool asked;                         /* the DHT has answered: the next three are of that */
    enum found_winner winner;
    wr_time alpha_took, beta_took;      /* 0: did not answer */
    struct wr_hash manifest;            /* of a question for providers: the content id */
    wr_time looked_at;                  /* by wr_now */
    size_t count;
    struct provider providers[];        /* of each id one, not ranked */
};

static inline const struct found *found_in(const struct wr_bytes *bytes)
{
    return (const struct found *)(const void *)bytes->data;
}

/* Whom to ask.  `self` without an id: we are nobody, and offer nothing. */
struct lookup {
    struct store *store;
    struct dht_line *line;
    struct provider self;               /* its times are set when it is offered */
    wr_time valid;                      /* how long our own record is good: 10 min */
};

/* Errors: NOTFOUND (nobody knows of it); DEGRADED (there is no DHT, or nobody there could be
 * asked, and the store does not know); OPENCIRCUIT (no target may be asked, and the same);
 * QUARANTINE (what the store has is damaged); TIMEOUT, CANCELED, NOMEM; those of the store. */
wr_err lookup_manifest(const struct lookup *lookup, const struct index_key *key,
                       struct wr_bytes **ret, wr_time deadline);
wr_err lookup_providers(const struct lookup *lookup, const struct wr_hash *cid,
                        struct wr_bytes **ret, wr_time deadline);

#endif
