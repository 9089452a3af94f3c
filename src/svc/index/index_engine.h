/* index_engine.h - who this node is to others, and by what it asks them.
 *
 *     err = index_engine_open(&engine, conf, why);
 *     ... children: index_engine_run, index_engine_run_node, with &engine as their arg
 *     ...engine.line (dht_line.h), engine.self (rank.h), engine.signer
 *     index_engine_close(&engine);
 *
 * It opens what the configuration says: the node's key (data/node.key; in memory under
 * amnesia), a dhtnode of its own (index.dhtnode) and the proxies of others (index.proxies).
 * Without any proxy there is no DHT: that is no error, and index_engine_probe says so.
 */
#ifndef WR_INDEX_ENGINE_H
#define WR_INDEX_ENGINE_H

#include <weir/lock.h>
#include <weir/once.h>
#include <weir/sup.h>
#include <weir/topo.h>

#include "conf/conf.h"
#include "dht/dht.h"
#include "dht/dhtnode.h"
#include "net/signer.h"
#include "svc/index/dht_line.h"
#include "svc/index/index_keys.h"
#include "svc/index/rank.h"

struct index_engine {
    struct wr_conf *conf;               /* held */
    struct signer *signer;
    char id[SIGNER_ID_TEXT];
    struct provider self;               /* without an id if nobody could come to us */
    struct dht_line *line;
    struct dht_conf dht_conf;           /* of breakers under the lock */
    const char *proxies[DHT_PROXIES_MAX];
    unsigned char trusted[INDEX_TRUSTED_MAX][SIGNER_ID];
    bool has_node;
    struct dhtnode node;
    struct wr_topo_note note;           /* on the map, if there are fewer proxies than wanted */
    char note_text[100];
    struct wr_mutex lock;               /* of the next, for who looks at it */
    struct dht *dht;                    /* while it is attached */
};

/* Errors: those of signer_open and dhtnode_prepare, NOMEM; with a sentence in `why`, of
 * NODE_WHY_MAX. */
wr_err index_engine_open(struct index_engine *engine, struct wr_conf *conf, char *why);

/* Another configuration is in force: of it the bounds of breakers count.  Does not wait. */
void index_engine_reload(struct index_engine *engine, const struct wr_conf *conf);

/* Nobody asks any more.  One that is all zero is fine. */
void index_engine_close(struct index_engine *engine);

/* Children of the node: the DHT behind the line; the dhtnode.  What is not wanted waits.  The
 * DHT is nothing without its janitor: when that ends, the child does, with its error. */
wr_err index_engine_run(void *engine, struct wr_once *drain);
wr_err index_engine_run_node(void *engine, struct wr_once *drain);

/* Whether others can be asked; DEGRADED if not, never worse.  READY_WHY_MAX bytes of why.  With
 * index.bootstrap a network of nobody is no network: that is judged when a proxy has said so,
 * which is some milliseconds after the start, and then every 5 s. */
enum wr_health index_engine_probe(struct index_engine *engine, char *why);

#endif
