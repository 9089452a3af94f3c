/* resolver.h - where is it, who has it: cache, then store, then DHT, inside a deadline.
 *
 *     struct resolver_answer answer;
 *     err = resolver_resolve(resolver, &key, fresh, &answer, deadline);
 *     err = resolver_providers(resolver, &cid, fresh, &answer, deadline);
 *     ...answer.manifest, answer.source, answer.providers (not ranked: rank.h), answer.age
 *     resolver_answer_free(&answer);
 *
 * What is in the cache (10 s; that there is none, 2 s) is answered where it is asked and waits
 * for nobody; `fresh` does not look there.  Anything else is a job: index.work has room for
 * 512, one more is refused at once (BUSY); `workers` fibers take them.  Who asks for what is
 * being looked for already waits for that (flight.h) and takes no place; if that fails for a
 * reason that is another's (his deadline, which was earlier) it is looked for again.  A job
 * whose deadline has passed in the queue asks nobody.
 *
 * A worker looks into the store and then asks the DHT (lookup.h).  Answers that say `degraded`
 * are not remembered, nor are errors.
 *
 * Pinned ids are also in a cache of their own, from which others do not crowd them out.  What
 * is pinned, and the keys of `warmup`, are looked for at the start, with low priority.
 *
 * The DHT may come and go (dht_line.h).  Sets are verified and bounded (DHT_RECORDS_MAX).
 */
#ifndef WR_INDEX_RESOLVER_H
#define WR_INDEX_RESOLVER_H

#include <weir/bytes.h>
#include <weir/chan.h>
#include <weir/err.h>
#include <weir/once.h>
#include <weir/time.h>

#include "store/store.h"
#include "svc/index/dht_line.h"
#include "svc/index/index_key.h"
#include "svc/index/index_memory.h"
#include "svc/index/lookup.h"
#include "svc/index/rank.h"

#define RESOLVER_WORKERS_MAX 1024
#define RESOLVER_WARM_MAX 1024          /* keys that wait to be looked for at leisure */

struct resolver;

/* Zero is the default of everything but the first two.  Nothing is copied but `self`. */
struct resolver_conf {
    struct store *store;
    struct dht_line *line;
    struct provider self;               /* id, addr, region; without an id we offer nothing */
    wr_time valid;                      /* how long our own record is good; 10 min */
    uint32_t workers;                   /* 128; at most RESOLVER_WORKERS_MAX */
    size_t queue_max;                   /* 512 */
    struct index_memory_conf memory;
    wr_time warm_within;                /* for each key that is warmed; 1200 ms */
    const struct index_key *warmup;
    size_t warmup_count;
};

struct resolver_answer {
    enum found_source source;           /* where it was */
    bool degraded;                      /* the DHT could not be asked: what the store has */
    bool asked;                         /* the DHT was: then the next three say how */
    enum found_winner winner;
    wr_time alpha_took, beta_took;
    struct wr_hash manifest;            /* of providers: the content id */
    wr_time age;                        /* since it was looked for */
    const struct provider *providers;   /* of a resolve: those of the manifest that are known */
    size_t count;
    struct wr_bytes *bytes, *set;       /* what all this lies in */
};

/* Since the start.  What was asked is what hit, or shared, or was looked for, or refused. */
struct resolver_stat {
    uint64_t asked, hits, nothings;     /* in the cache: something, that there is none */
    uint64_t shared;                    /* waited for another's lookup */
    uint64_t looked;                    /* lookups of workers that have ended */
    uint64_t looked_ns;                 /* how long they took together */
    uint64_t refused;                   /* BUSY */
    uint64_t late;                      /* jobs that were too late when they were taken up */
    uint64_t warmed;                    /* lookups of the prefetcher */
    uint64_t restarted;                 /* workers that ended by a panic */
    uint32_t workers, working;
    size_t entries;                     /* in both caches */
    struct wr_chan_stat queue;          /* index.work */
};

/* Errors: NOMEM. */
wr_err resolver_new(struct resolver **ret, const struct resolver_conf *conf);

/* Nobody asks, and it does not run.  NULL is allowed. */
void resolver_free(struct resolver *resolver);

/* Its janitors and workers, as a child of a supervisor: until it is drained.  Then nothing new
 * is taken (DRAINING), and what waits is still answered.  If it ends otherwise and is started
 * again, what waits has waited for that.  Errors: NOMEM, CANCELED. */
wr_err resolver_run(void *resolver, struct wr_once *drain);

/* Errors: NOTFOUND, BUSY (index.work is full), TIMEOUT (at the deadline), OPENCIRCUIT (no
 * target may be asked, and the store does not know), DEGRADED (there is no DHT, or it cannot be
 * asked, and the same), QUARANTINE (what the store has is damaged), CANCELED, DRAINING, NOMEM,
 * PANIC; those of the store. */
wr_err resolver_resolve(struct resolver *resolver, const struct index_key *key, bool fresh,
                        struct resolver_answer *ret, wr_time deadline);
wr_err resolver_providers(struct resolver *resolver, const struct wr_hash *cid, bool fresh,
                          struct resolver_answer *ret, wr_time deadline);

/* One of zeros is fine. */
void resolver_answer_free(struct resolver_answer *answer);

/* Other bounds and times of the caches from now on. */
void resolver_remember(struct resolver *resolver, const struct index_memory_conf *conf);

/* Out of the caches: after a publish, for a reindex; or everything, as amnesia wants it. */
void resolver_drop(struct resolver *resolver, const struct index_key *key);
void resolver_clear(struct resolver *resolver);

/* Look for it anew, at leisure: a name and what it stands for, or the providers of a content
 * id.  Does not wait.  Errors: BUSY (RESOLVER_WARM_MAX wait), DRAINING. */
wr_err resolver_warm(struct resolver *resolver, const struct index_key *key);

struct resolver_stat resolver_stat(struct resolver *resolver);

#endif
