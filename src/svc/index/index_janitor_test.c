/* index_janitor_test.c - the DHT of a node and its janitor: what is said of them, and what
 * becomes of the one without the other.  The DHT is a fake, which does as it is told. */
#include "svc/index/index_engine.h"

#include <stdio.h>
#include <string.h>

#include "conf/node_keys.h"
#include "svc/service.h"
#include "testing/dht_fake.h"
#include "testing/settle.h"

static struct dht fake;
static struct dht_stat fake_stat;
static struct wr_once *panics;          /* the janitor does, when it is set; NULL: never */
static unsigned opened, closed;

wr_err dht_proxies_check(const char *const *proxies, size_t count, size_t *ret_which,
                         const char **ret_why)
{
    (void)proxies, (void)count, (void)ret_which, (void)ret_why;
    return WR_OK;
}

wr_err dht_open(struct dht **ret, const struct dht_conf *conf)
{
    CHECK_EQ(1, conf->count);
    opened++;
    *ret = &fake;
    return WR_OK;
}

void dht_close(struct dht *dht, wr_time deadline)
{
    CHECK(dht == &fake && deadline > wr_now());
    closed++;
}

static wr_time window;

void dht_set_breakers(struct dht *dht, const struct dht_conf *conf)
{
    CHECK(dht == &fake);
    window = conf->window;
}

wr_err dht_run(void *dht)
{
    CHECK(dht == &fake);
    if (!panics)
        return wr_sleep(WR_NEVER);
    wr_err err = wr_once_wait(panics, NULL, WR_NEVER);
    if (!err)
        wr_panic("the janitor was told to");
    return err;
}

struct dht_stat dht_stat(const struct dht *dht)
{
    CHECK(dht == &fake);
    return fake_stat;
}

static void open_with(struct index_engine *engine, const char *flag)
{
    static const struct wr_conf_table *const tables[] = { &wr_node_keys, &index_keys, NULL };
    char *argv[] = { (char *)"weir", (char *)"--amnesia", (char *)"--index-dhtnode=off",
                     (char *)"--index-proxies=http://127.0.0.1:1", (char *)(uintptr_t)flag };
    char why[NODE_WHY_MAX];
    struct wr_conf *conf = NULL;
    struct wr_conf_report report = { 0 };
    CHECK_OK(wr_conf_load(&conf, &(struct wr_conf_source){ .tables = tables, .cpus = 2,
                                     .argc = flag ? 5 : 4, .argv = argv }, &report));
    wr_conf_report_free(&report);
    CHECK_OK(index_engine_open(engine, conf, why));
    wr_conf_unref(conf);
}

struct life { struct index_engine engine; struct wr_once *drain; wr_err err; bool ended; };

static wr_err live(void *arg)
{
    struct life *life = arg;
    life->err = index_engine_run(&life->engine, life->drain);
    life->ended = true;
    return WR_OK;
}

static struct wr_scope *begin(struct life *life, const char *flag)
{
    struct wr_scope *scope = scope_open();
    open_with(&life->engine, flag);
    CHECK_OK(wr_once_new(&life->drain, "test.drain", 0));
    go(scope, live, life);
    CHECK(dht_line_is_up(life->engine.line));
    return scope;
}

static void end(struct life *life, struct wr_scope *scope)
{
    if (!life->ended)
        CHECK_OK(wr_once_set(life->drain, NULL));
    scope_done(scope);
    CHECK_EQ(opened, closed);
    CHECK(!dht_line_is_up(life->engine.line));
    wr_once_free(life->drain);
    index_engine_close(&life->engine);
}

TEST(a_janitor_that_panics_takes_the_dht_with_it_so_that_both_are_begun_again)
{
    struct life life = { 0 };
    CHECK_OK(wr_once_new(&panics, "test.panic", 0));
    struct wr_scope *scope = begin(&life, NULL);
    CHECK(!life.ended);
    CHECK_OK(wr_once_set(panics, NULL));
    settle();
    CHECK(life.ended);
    CHECK_ERR(WR_PANIC, life.err);          /* the supervisor begins it again */
    end(&life, scope);
    wr_once_free(panics);
    panics = NULL;
}

TEST(who_is_told_to_finish_does_so_at_once_and_without_an_error)
{
    struct life life = { 0 };
    struct wr_scope *scope = begin(&life, NULL);
    CHECK_OK(wr_once_set(life.drain, NULL));
    settle();
    CHECK(life.ended);
    CHECK_OK(life.err);
    end(&life, scope);
}

TEST(a_network_of_nobody_is_degraded_if_others_were_to_be_there)
{
    struct life life = { 0 };
    char why[256] = "";
    struct wr_scope *scope = begin(&life, "--index-bootstrap=dht.example:4222");
    fake_stat = (struct dht_stat){ .targets = 1, .reachable = 1 };
    CHECK_EQ(WR_HEALTH_READY, index_engine_probe(&life.engine, why));   /* nobody was asked */
    fake_stat.pinged = true;
    CHECK_EQ(WR_HEALTH_DEGRADED, index_engine_probe(&life.engine, why));
    CHECK(strstr(why, "no other node of the network is known"));
    fake_stat.nodes = 1;
    CHECK_EQ(WR_HEALTH_READY, index_engine_probe(&life.engine, why));
    CHECK_STR("1 of 1 proxies answer; alpha and beta want 5", why);
    end(&life, scope);
    life = (struct life){ 0 };
    scope = begin(&life, NULL);             /* a network of its own */
    fake_stat.nodes = 0;
    CHECK_EQ(WR_HEALTH_READY, index_engine_probe(&life.engine, why));
    end(&life, scope);
}

TEST(fewer_proxies_than_are_wanted_are_a_note_on_the_map)
{
    static char map[64 * 1024];
    struct index_engine engine;
    size_t len;
    open_with(&engine, NULL);
    CHECK_OK(wr_topo_write(&len, map, sizeof(map), WR_TOPO_TEXT));
    CHECK(strstr(map, "NOTE index.dht: proxies of the DHT: 1, of 5 that alpha and beta want"));
    index_engine_close(&engine);
    CHECK_OK(wr_topo_write(&len, map, sizeof(map), WR_TOPO_TEXT));
    CHECK(!strstr(map, "NOTE"));
}
