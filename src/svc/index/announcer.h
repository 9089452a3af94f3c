/* announcer.h - says again and again what this node offers.
 *
 *     err = announcer_offer(announcer, &key, deadline);     in the store, and announced at once
 *     ...
 *     struct announcer_stat stat = announcer_stat(announcer);
 *     ...stat.done of stat.total are announced in this round, stat.failed could not be
 *
 * A record lives for ten minutes (design/0020): so all offers (catalog.h) are announced every
 * `every`, round after round, each time with a new record.  A round runs with low priority,
 * `inflight` offers at a time, and no faster than need be: `rate` a second, or as many as half
 * of `every` takes.  What is new does not wait for the next round, and goes before it.
 *
 * What could not be announced is tried again after ANNOUNCER_AGAIN, if it is not more than
 * ANNOUNCER_QUEUE, else in the next round; that all of it is kept is the store's affair.
 * Without a DHT there is no round: it is looked for one after ANNOUNCER_AGAIN, or when
 * announcer_begin wants a round now.
 *
 * A name is announced with what it stands for by then.  What is withdrawn from the catalog is
 * not announced any more, and is forgotten by others when its last record is over.
 */
#ifndef WR_INDEX_ANNOUNCER_H
#define WR_INDEX_ANNOUNCER_H

#include <stdbool.h>
#include <stdint.h>

#include <weir/err.h>
#include <weir/once.h>
#include <weir/time.h>

#include "net/signer.h"
#include "store/store.h"
#include "svc/index/dht_line.h"
#include "svc/index/index_key.h"
#include "svc/index/rank.h"

#define ANNOUNCER_QUEUE 1024
#define ANNOUNCER_AGAIN WR_S(30)

struct announcer;

/* Zero is the default of everything but the first three.  Nothing is copied but the texts. */
struct announcer_conf {
    struct store *store;
    struct dht_line *line;
    const struct signer *signer;
    const char *addr, *region;          /* where we are; without an address we offer nothing */
    wr_time every, valid;               /* 5 min, 10 min */
    wr_time within;                     /* for one announcement; 2 s */
    uint32_t inflight;                  /* 64, of a round and of new ones each */
    uint32_t rate;                      /* 1000 a second */
};

struct announcer_stat {
    uint64_t round;                     /* the one that runs, or the last; 0: there was none */
    bool running;
    uint64_t done, total;               /* in it; of how many when it began */
    uint64_t failed;                    /* in it: of those that are done */
    wr_time began, took;                /* of the last whole round */
    uint64_t added;                     /* new offers, since the start */
    uint64_t added_done;                /* of these: announced, or not for now */
    uint64_t announced, failures;       /* announcements in all, by what came of them */
    uint64_t alone;                     /* ... by a proxy that knows of no other node */
};

/* Errors: NOMEM. */
wr_err announcer_new(struct announcer **ret, const struct announcer_conf *conf);

/* It does not run, and nobody offers.  NULL is allowed. */
void announcer_free(struct announcer *announcer);

/* As a child of a supervisor, until it is drained.  Errors: NOMEM, CANCELED. */
wr_err announcer_run(void *announcer, struct wr_once *drain);

/* Another address or region, from now on. */
void announcer_introduce(struct announcer *announcer, const char *addr, const char *region);

/* Offer it from now on: WR_OK means that it is in the store, and will be announced; at once,
 * if ANNOUNCER_QUEUE others are not before it for as long as the deadline is.  Errors: those of
 * the store. */
wr_err announcer_offer(struct announcer *announcer, const struct index_key *key,
                       wr_time deadline);

/* A round, now: there is a DHT, or another address.  Does not wait. */
void announcer_begin(struct announcer *announcer);

struct announcer_stat announcer_stat(const struct announcer *announcer);

#endif
