/* dht_int.h - what the files of dht.h share: dht.c has its life, its janitor and what is put,
 * dht_find.c what is found. */
#ifndef WR_DHT_DHT_INT_H
#define WR_DHT_DHT_INT_H

#include <stdatomic.h>

#include "base/rand.h"
#include "dht/dht.h"
#include "dht/proxy.h"
#include "dht/targets.h"

struct dht {
    struct dht_conf conf;
    struct wr_fetch_client *client;
    struct wr_breakers *breakers;
    struct wr_hedge *hedge, *put_hedge;
    struct wr_retry *retry, *put_retry;
    struct wr_rand_shared rand;
    struct targets targets;
    struct proxy proxies[DHT_PROXIES_MAX];
    char urls[DHT_PROXIES_MAX][PROXY_URL_MAX + 1];
    const char *names[DHT_PROXIES_MAX];     /* the same, for the breakers */
    _Atomic uint64_t nodes[DHT_PROXIES_MAX];
    atomic_bool pinging[DHT_PROXIES_MAX], pinged[DHT_PROXIES_MAX];
    _Atomic uint64_t lookups, puts, none;
    _Atomic uint64_t dropped[DHT_FAULTS];
};

/* One value that a proxy brought: WR_OK, with the record, when nothing is wrong with it but,
 * perhaps, its signature; and whether that is right.  INVALID is counted. */
wr_err dht_weigh(struct dht *dht, struct dht_record *ret, const struct dht_wanted *wanted,
                 enum proxy_line line, const void *bytes, size_t len);
wr_err dht_check(struct dht *dht, const struct dht_record *record, const void *bytes,
                 size_t len);

/* A target has been asked, and has ended after `took`: tell the breaker and the order.
 * `other`: how long it took the first who has answered the same question; 0: nobody has. */
void dht_tell(struct dht *dht, uint32_t target, uint32_t pass, wr_err err, wr_time took,
              wr_time other);

/* It is the first who answers, if nobody was before. */
void dht_tell_first(_Atomic wr_time *first, wr_time took);

/* A question of a search, for wr_hedge_conf.satisfies. */
bool dht_search_satisfies(const struct wr_ask *ask, const struct wr_bytes *answer);

#endif
