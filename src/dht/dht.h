/* dht.h - providers and names, from several proxies of an OpenDHT network at once.
 *
 *     err = dht_open(&dht, &(struct dht_conf){ .proxies = urls, .count = 5 });
 *     err = wr_scope_go(scope, "dht.janitor", dht_run, dht);
 *     ...
 *     struct dht_found found;
 *     err = dht_find(dht, &(struct dht_wanted){ DHT_PROVIDER, &cid, NULL }, &found, deadline);
 *     ...found.records[i]
 *     dht_found_free(&found);
 *     ...
 *     err = dht_put(dht, &wanted, record, len, deadline);
 *     dht_close(dht, deadline);
 *
 * Each proxy (proxy.h) is a target.  A lookup asks `alpha` of them at once and, when the first
 * good answer is later than usual (never later than `hedge`, and up to 5 % sooner, by lot) or
 * all have failed, `beta` others
 * (weir/hedge.h); `quorum` answers with at least one good record are enough, the others are
 * canceled by closing them.  What came until then is united: one record of each provider, the
 * freshest (dht_set.h).  Fewer answers than the quorum are an answer too when nobody is left to
 * ask, or when the deadline comes.  Who answered first last time is asked first (targets.h).
 *
 * A proxy says what it finds as it finds it, and the end of its answer waits for every node of
 * the network that it has asked, a second for one that is frozen.  So an answer with a good
 * record has `linger` to end, or a fifth of that after its last record, and then counts as
 * whole.
 *
 * That there is none is believed when all who were asked say so, alpha and beta; who says
 * nothing, when more than half have said that there is none, is waited for no longer than
 * `linger`.
 *
 * A target that fails is left alone for a while (weir/breaker.h).  One that is canceled has
 * failed if it had been silent until others were asked, and three times as long as who
 * answered; the time that a short deadline leaves says nothing either.  The janitor asks those
 * that nobody has heard of for 5 s, and those that failed, whether they are there: so who is
 * silent is found out, and who is back is found, though nobody looks for anything.  TIMEOUT of
 * a try, no connection and 5xx are tried again within the deadline, `tries_max` times in all,
 * after 50 to 100 ms, and within a budget (weir/retry.h).
 *
 * Everything a proxy says is a stranger's: bytes, lines and records are bounded, and each
 * record is verified (dht_record.h).  Of what one proxy brings for one lookup no more than
 * DHT_CHECKS_MAX signatures are checked; the same bytes from several are checked once, and what
 * is wrong without a look at the signature costs nothing.  Who brings more than that, or than
 * is read (proxy.h), and nothing good before, has not said that there is none: he has not
 * answered, though he is there.
 *
 * It is opened and closed by one task, run by a task below that one, and asked by any fiber on
 * any worker in between.
 */
#ifndef WR_DHT_DHT_H
#define WR_DHT_DHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/breaker.h>
#include <weir/err.h>
#include <weir/fetch.h>
#include <weir/hedge.h>
#include <weir/retry.h>
#include <weir/time.h>

#include "dht/dht_record.h"
#include "dht/dht_set.h"

#define DHT_PROXIES_MAX 16
#define DHT_CHECKS_MAX 256              /* signatures of what one proxy says to one lookup */
#define DHT_PING_EVERY WR_S(5)

struct dht;

/* Zero is the default of everything but the proxies.  Nothing is copied but their addresses. */
struct dht_conf {
    const char *const *proxies;         /* "http://127.0.0.1:8081", all different */
    size_t count;                       /* 1 to DHT_PROXIES_MAX */
    uint32_t alpha, beta, quorum;       /* 3, 2, 1; alpha + beta <= WR_HEDGE_LEGS_MAX */
    wr_time hedge;                      /* 150 ms */
    wr_time linger;                     /* 50 ms */
    bool unhedged;                      /* nobody but the first is asked: for comparison */
    uint32_t tries_max;                 /* the first included; 4 */
    wr_time window, cooldown;           /* of the breakers: 30 s, 10 s */
    uint32_t trip_permille, probes;     /* 500, 3 */
    /* The name is "dht", internal addresses are allowed, and without an https among the proxies
     * it is `plain`. */
    struct wr_fetch_conf fetch;
    /* Whom to believe about names: ids, SIGNER_ID bytes each; none: nobody. */
    const unsigned char (*trusted)[SIGNER_ID];
    size_t trusted_count;
};

struct dht_found {
    struct dht_record *records;         /* of each provider one; of a name one */
    size_t count;                       /* 1 to DHT_RECORDS_MAX; the freshest first */
    wr_time alpha_took, beta_took;      /* until the first good answer of each wave; 0: none */
    enum { DHT_ALPHA, DHT_BETA, DHT_TIE } winner;   /* TIE: both answered */
};

struct dht_stat {
    size_t targets, open;               /* how many there are; ... whose breaker is open */
    size_t reachable;                   /* answered, and have not failed since */
    bool pinged;                        /* one of these has said how many nodes it knows: */
    uint64_t nodes;                     /* of the network, as the best of them knows it */
    uint64_t lookups, puts;
    uint64_t none;                      /* lookups that found nothing */
    uint64_t dropped[DHT_FAULTS];       /* records, by fault */
    struct wr_hedge_stat hedge;         /* of lookups */
    struct wr_hedge_stat put_hedge;     /* of what is put */
    struct wr_retry_stat retry;
};

/* Errors: NOMEM, INVALID (an address of a proxy that is none, or is there twice), those of
 * wr_fetch_client_new.  Numbers that contradict one another are a panic. */
wr_err dht_open(struct dht **ret, const struct dht_conf *conf);

/* Whether a list of addresses would do.  Errors: INVALID, NOMEM; *ret_which is which one, and
 * *ret_why a clause that says what is wrong with it. */
wr_err dht_proxies_check(const char *const *proxies, size_t count, size_t *ret_which,
                         const char **ret_why);

/* Other bounds of the breakers from now on: window, cooldown, trip_permille and probes, where
 * zero is the default; nothing else of `conf` counts.  Any fiber, while it is open. */
void dht_set_breakers(struct dht *dht, const struct dht_conf *conf);

/* The janitor of its breakers, as a task: until it is canceled. */
wr_err dht_run(void *dht);

/* Nobody asks any more, and the janitor has ended.  NULL is allowed. */
void dht_close(struct dht *dht, wr_time deadline);

/* Of a name without anybody to believe there is none, and nobody is asked.
 * Errors: NOTFOUND (there is none), OPENCIRCUIT (nobody may be asked), QUARANTINE (there is
 * more than can be checked, and nothing good in what was), TIMEOUT, CANCELED, NOMEM, BUSY; IO
 * and others: nobody could be asked. */
wr_err dht_find(struct dht *dht, const struct dht_wanted *wanted, struct dht_found *ret,
                wr_time deadline);
void dht_found_free(struct dht_found *found);       /* twice is fine */

/* Put a record where it belongs, by one proxy: the same for each key while it answers, else
 * another; the same record once more does no harm.  DEGRADED: a proxy has it, which knows of no
 * other node to give it to.  Errors: as dht_find, but NOTFOUND and QUARANTINE. */
wr_err dht_put(struct dht *dht, const struct dht_wanted *wanted, const void *record, size_t len,
               wr_time deadline);

/* Follow a key: `tell` is called for each record that is believed, as it comes, until the
 * deadline; after a change of proxy for all of them again.  An error of `tell` ends it.
 * Errors: TIMEOUT is the end; CANCELED, NOMEM; that of tell. */
wr_err dht_follow(struct dht *dht, const struct dht_wanted *wanted,
                  wr_err (*tell)(void *arg, const struct dht_record *record), void *arg,
                  wr_time deadline);

struct dht_stat dht_stat(const struct dht *dht);

#endif
