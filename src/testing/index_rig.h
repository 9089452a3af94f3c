/* index_rig.h - a resolver that runs, over a store in memory and a DHT that does as it is told.
 *
 *     struct index_rig rig;
 *     REQUIRE(index_rig_begin(&rig, &(struct resolver_conf){ .workers = 2 }));
 *     rig.dht.takes = WR_MS(3);
 *     ...rig.resolver...
 *     index_rig_end(&rig);            drained, and nothing is left
 */
#ifndef WR_TESTING_INDEX_RIG_H
#define WR_TESTING_INDEX_RIG_H

#include <stdio.h>
#include <string.h>

#include <weir/once.h>
#include <weir/scope.h>
#include <weir/task.h>

#include "svc/index/resolver.h"
#include "testing/dht_fake.h"
#include "testing/settle.h"
#include "testing/store_rig.h"

#define RIG_SELF "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"

struct index_rig {
    struct dht dht;
    struct dht_line *line;
    struct store_rig stored;
    struct store *store;
    struct resolver *resolver;
    struct wr_once *drain;
    struct wr_scope *scope;
    wr_err ended;                       /* what resolver_run has returned */
    bool is_over;
};

static inline wr_err index_rig_run(void *arg)
{
    struct index_rig *rig = arg;
    rig->ended = resolver_run(rig->resolver, rig->drain);
    rig->is_over = true;
    return WR_OK;
}

static inline bool index_rig_make(struct index_rig *rig, const struct resolver_conf *conf)
{
    struct resolver_conf mine = *conf;
    *rig = (struct index_rig){ .stored.url = "sqlite:", .dht.count = 1 };
    REQUIRE_OK(rig_open(&rig->stored), false);
    REQUIRE_OK(dht_line_new(&rig->line), false);
    REQUIRE_OK(dht_line_attach(rig->line, &rig->dht), false);
    REQUIRE_OK(wr_once_new(&rig->drain, "test.drain", 0), false);
    rig->store = mine.store = rig->stored.store;
    mine.line = rig->line;
    snprintf(mine.self.id, sizeof(mine.self.id), "%s", RIG_SELF);
    snprintf(mine.self.addr, sizeof(mine.self.addr), "tcp://10.0.0.1:9101");
    REQUIRE_OK(resolver_new(&rig->resolver, &mine), false);
    rig->scope = scope_open();
    return rig->scope;
}

static inline bool index_rig_begin(struct index_rig *rig, const struct resolver_conf *conf)
{
    if (!index_rig_make(rig, conf))
        return false;
    go(rig->scope, index_rig_run, rig);
    return true;
}

static inline void index_rig_end(struct index_rig *rig)
{
    CHECK_OK(wr_once_set(rig->drain, NULL));
    scope_done(rig->scope);
    CHECK(rig->is_over);
    CHECK_OK(rig->ended);
    dht_line_detach(rig->line);
    resolver_free(rig->resolver);
    dht_line_free(rig->line);
    wr_once_free(rig->drain);
    rig_shut(&rig->stored);
}

/* The key of the n-th content, or of the n-th name. */
static inline struct index_key rig_cid(int n)
{
    struct index_key key = { .cid = wr_hash_of(&n, sizeof(n)) };
    wr_hash_print_cid(&key.cid, key.text);
    return key;
}

static inline struct index_key rig_name(int n)
{
    struct index_key key = { .is_name = true };
    snprintf(key.text, sizeof(key.text), "name:n%d", n);
    return key;
}

/* Somebody who asks for the providers of the n-th content. */
struct asker {
    struct resolver *resolver;
    int n;
    bool fresh;
    wr_time within;
    wr_err err;
    struct resolver_answer answer;
    wr_time began, took;
    bool answered;
};

static inline wr_err ask_providers(void *arg)
{
    struct asker *asker = arg;
    struct index_key key = rig_cid(asker->n);
    asker->began = wr_now();
    asker->err = resolver_providers(asker->resolver, &key.cid, asker->fresh, &asker->answer,
                                    wr_after(asker->within));
    asker->took = wr_now() - asker->began;
    asker->answered = true;
    resolver_answer_free(&asker->answer);
    return WR_OK;
}

#endif
