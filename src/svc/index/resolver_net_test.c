/* Resolver and announcer over a real dht, and proxies that do what a test tells them. */
#include <string.h>

#include "svc/index/announcer.h"
#include "svc/index/catalog.h"
#include "svc/index/resolver.h"
#include "testing/dht_rig.h"
#include "testing/settle.h"
#include "testing/store_rig.h"

#define DEADLINE WR_MS(1200)
#define SOON wr_after(WR_S(5))

/* A node of a network: its own store, resolver and announcer, and a dht over the proxies. */
struct net_node {
    struct dht_rig net;
    struct store_rig stored;
    struct dht_line *line;
    struct resolver *resolver;
    struct announcer *announcer;
    struct wr_once *drain;
    struct wr_scope *scope;
};

static wr_err resolve(void *arg)
{
    struct net_node *node = arg;
    return resolver_run(node->resolver, node->drain);
}

static wr_err announce(void *arg)
{
    struct net_node *node = arg;
    return announcer_run(node->announcer, node->drain);
}

static struct net_node *open_node(void)
{
    static struct net_node room;
    struct net_node *node = &room;
    *node = (struct net_node){ 0 };
    dht_rig_open(&node->net, 5);
    node->stored = (struct store_rig){ .url = "sqlite:" };
    REQUIRE_OK(rig_open(&node->stored), NULL);
    REQUIRE_OK(dht_line_new(&node->line), NULL);
    REQUIRE_OK(dht_line_attach(node->line, node->net.dht), NULL);
    REQUIRE_OK(wr_once_new(&node->drain, "test.drain", 0), NULL);
    REQUIRE_OK(resolver_new(&node->resolver, &(struct resolver_conf){
        .store = node->stored.store, .line = node->line, .workers = 8 }), NULL);
    REQUIRE_OK(announcer_new(&node->announcer, &(struct announcer_conf){
        .store = node->stored.store, .line = node->line, .signer = node->net.signers[1],
        .addr = "tcp://10.0.0.1:9101", .region = "eu" }), NULL);
    node->scope = scope_open();
    go(node->scope, resolve, node);
    return node;
}

static void close_node(struct net_node *node)
{
    CHECK_OK(wr_once_set(node->drain, NULL));
    scope_done(node->scope);
    dht_line_detach(node->line);
    announcer_free(node->announcer);
    resolver_free(node->resolver);
    dht_line_free(node->line);
    wr_once_free(node->drain);
    rig_shut(&node->stored);
    dht_rig_close(&node->net);
}

static int find(struct net_node *node, wr_err want, const struct wr_hash *cid, wr_time *ret)
{
    struct resolver_answer answer = { 0 };
    wr_time began = wr_now();
    wr_err err = resolver_providers(node->resolver, cid, true, &answer, began + DEADLINE);
    *ret = wr_now() - began;
    CHECK_ERR(want, err);
    int count = err ? -1 : (int)answer.count;
    resolver_answer_free(&answer);
    return count;
}

static void freeze(struct net_node *node, int from, int until, bool frozen)
{
    for (int i = from; i < until; i++)
        node->net.cloud.proxies[i].frozen = frozen;
}

TEST(an_alpha_peer_that_drops_in_mid_flight_is_replaced_by_the_second_wave)
{
    struct net_node *node = open_node();
    REQUIRE(node);
    struct cloud_proxy *proxies = node->net.cloud.proxies;
    struct resolver_answer answer;
    dht_rig_offer(&node->net, 0, 0);
    freeze(node, 0, 3, true);
    proxies[3].takes = WR_MS(7);
    proxies[4].takes = WR_MS(70);
    wr_time began = wr_now();
    REQUIRE_OK(resolver_providers(node->resolver, &node->net.cid, false, &answer,
                                  wr_after(DEADLINE)));
    CHECK(DHT_RIG_HEDGED(wr_now() - began, WR_MS(7)));
    CHECK_EQ(FOUND_BETA, answer.winner);
    CHECK_EQ(1, answer.count);
    resolver_answer_free(&answer);
    freeze(node, 0, 3, false);
    CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    for (int i = 0; i < 5; i++)
        CHECK_EQ(i == 3 ? 0 : 1, proxies[i].left);      /* hung up on */
    close_node(node);
}

TEST(with_every_target_dead_it_is_answered_at_the_deadline_then_at_once_until_they_are_back)
{
    struct net_node *node = open_node();
    REQUIRE(node);
    wr_time took;
    dht_rig_offer(&node->net, 0, 0);
    CHECK_EQ(1, find(node, WR_OK, &node->net.cid, &took));
    freeze(node, 0, 5, true);
    find(node, WR_TIMEOUT, &node->net.cid, &took);
    CHECK_EQ(DEADLINE, took);
    struct resolver_answer answer;
    wr_err err = WR_TIMEOUT;
    for (int i = 0; i < 10 && err == WR_TIMEOUT; i++)
        err = resolver_providers(node->resolver, &node->net.cid, true, &answer,
                                 wr_after(DEADLINE));
    CHECK_ERR(WR_OPENCIRCUIT, err);
    find(node, WR_OPENCIRCUIT, &node->net.cid, &took);
    CHECK_EQ(0, took);
    freeze(node, 0, 5, false);
    CHECK_OK(wr_sleep(wr_after(WR_S(11))));             /* the cooldown and a second */
    CHECK_EQ(1, find(node, WR_OK, &node->net.cid, &took));
    close_node(node);
}

TEST(what_one_announces_another_finds_until_it_has_not_been_said_for_ten_minutes)
{
    struct net_node *node = open_node();
    REQUIRE(node);
    struct index_key key = { .cid = node->net.cid };
    struct resolver_answer answer;
    wr_time took;
    wr_hash_print_cid(&key.cid, key.text);
    struct wr_scope *announcers = scope_open();
    go(announcers, announce, node);
    CHECK_OK(announcer_offer(node->announcer, &key, SOON));
    CHECK_OK(wr_sleep(wr_after(WR_S(1600))));           /* several rounds */
    CHECK(announcer_stat(node->announcer).round >= 5);
    CHECK_EQ(0, announcer_stat(node->announcer).failures);
    REQUIRE_OK(resolver_providers(node->resolver, &key.cid, false, &answer, SOON));
    REQUIRE(answer.count == 1);
    char id[SIGNER_ID_TEXT];
    signer_id_print(signer_id(node->net.signers[1]), id);
    CHECK_STR(id, answer.providers[0].id);
    CHECK_STR("tcp://10.0.0.1:9101", answer.providers[0].addr);
    CHECK(wr_wall().ns - answer.providers[0].seen_at.ns < WR_S(301));
    resolver_answer_free(&answer);
    wr_scope_cancel(announcers);
    (void)!wr_scope_close(announcers);
    CHECK_OK(wr_sleep(wr_after(WR_S(601))));
    find(node, WR_NOTFOUND, &key.cid, &took);
    close_node(node);
}

/* ---- a dht that is closed and opened again under load ---- */

struct load { struct net_node *node; int fine, degraded, other; };

static wr_err ask_on(void *arg)
{
    struct load *load = arg;
    struct resolver_answer answer;
    for (int i = 0; i < 200; i++) {
        wr_err err = resolver_providers(load->node->resolver, &load->node->net.cid, true,
                                        &answer, wr_after(DEADLINE));
        load->fine += !err;
        load->degraded += err == WR_DEGRADED;
        load->other += err && err != WR_DEGRADED;
        if (!err)
            resolver_answer_free(&answer);
        CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    }
    return WR_OK;
}

/* As the task does that has the dht: it is opened, run and closed, and again. */
static wr_err reopen_dht(void *arg)
{
    struct net_node *node = arg;
    for (int i = 0; i < 10; i++) {
        struct dht *dht;
        REQUIRE_OK(dht_open(&dht, &node->net.conf), WR_NOMEM);
        struct wr_scope *scope = scope_open();
        CHECK_OK(wr_scope_go(scope, "test.dht", dht_run, dht));
        CHECK_OK(dht_line_attach(node->line, dht));
        CHECK_OK(wr_sleep(wr_after(WR_MS(50))));
        dht_line_detach(node->line);
        wr_scope_cancel(scope);
        CHECK_OK(wr_scope_close(scope));
        dht_close(dht, wr_after(WR_S(1)));
        CHECK_OK(wr_sleep(wr_after(WR_MS(5))));
    }
    return dht_line_attach(node->line, node->net.dht);
}

TEST(a_dht_that_is_opened_again_under_load_loses_nobody)
{
    struct net_node *node = open_node();
    REQUIRE(node);
    struct load loads[6] = { 0 };
    struct wr_scope *askers = scope_open();
    dht_rig_offer(&node->net, 0, 0);
    for (int i = 0; i < 5; i++)
        node->net.cloud.proxies[i].takes = WR_MS(3);
    for (int i = 0; i < 6; i++) {
        loads[i].node = node;
        go(askers, ask_on, &loads[i]);
    }
    dht_line_detach(node->line);
    go(askers, reopen_dht, node);
    scope_done(askers);
    for (int i = 0; i < 6; i++) {
        CHECK(loads[i].fine > 100 && loads[i].degraded > 0);
        CHECK_EQ(0, loads[i].other);
    }
    close_node(node);
}
