/* index_engine_test.c - who a node is, and whom it asks. */
#include "svc/index/index_engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weir/file.h>

#include "conf/node_keys.h"
#include "svc/service.h"
#include "testing/test.h"

static struct wr_conf *load(const char *const *flags)
{
    static const struct wr_conf_table *const tables[] = { &wr_node_keys, &index_keys, NULL };
    char *argv[16] = { (char *)"weir", (char *)"--index-dhtnode=off" };
    struct wr_conf *conf = NULL;
    struct wr_conf_report report = { 0 };
    int argc = 2;
    for (size_t i = 0; flags[i]; i++)
        argv[argc++] = (char *)(uintptr_t)flags[i];
    if (!CHECK_OK(wr_conf_load(&conf, &(struct wr_conf_source){ .tables = tables, .cpus = 2,
                                                  .argc = argc, .argv = argv }, &report)))
        printf("# %s", report.text.at);
    wr_conf_report_free(&report);
    return conf;
}

static wr_err open_with(struct index_engine *engine, const char *const *flags)
{
    char why[NODE_WHY_MAX] = "";
    struct wr_conf *conf = load(flags);
    wr_err err = index_engine_open(engine, conf, why);
    if (err)
        printf("# %s\n", why);
    wr_conf_unref(conf);
    return err;
}

TEST(under_amnesia_it_is_another_one_each_time_and_writes_nothing)
{
    struct index_engine one, other;
    REQUIRE_OK(open_with(&one, (const char *const[]){ "--amnesia", NULL }));
    REQUIRE_OK(open_with(&other, (const char *const[]){ "--amnesia", NULL }));
    CHECK_EQ(64, strlen(one.id));
    CHECK(strcmp(one.id, other.id) != 0);
    CHECK_STR("", one.self.id);             /* nobody could come to it */
    index_engine_close(&one);
    index_engine_close(&other);
}

TEST(its_key_lasts_where_data_lasts)
{
    struct index_engine engine;
    char folder[] = "/tmp/weir-engine-XXXXXX", flag[80], path[80], id[SIGNER_ID_TEXT];
    REQUIRE(mkdtemp(folder));
    snprintf(flag, sizeof(flag), "--data=%s", folder);
    snprintf(path, sizeof(path), "%s/node.key", folder);
    REQUIRE_OK(open_with(&engine, (const char *const[]){ flag, NULL }));
    memcpy(id, engine.id, sizeof(id));
    index_engine_close(&engine);
    REQUIRE_OK(open_with(&engine, (const char *const[]){ flag, NULL }));
    CHECK_STR(id, engine.id);
    index_engine_close(&engine);
    CHECK_OK(wr_file_remove(path, WR_NEVER));
    rmdir(folder);
}

TEST(it_is_known_by_the_address_that_others_can_reach)
{
    struct index_engine engine;
    REQUIRE_OK(open_with(&engine, (const char *const[]){
        "--amnesia", "--oap-addr=127.0.0.1:9101", "--index-region=eu", NULL }));
    CHECK_STR("tcp://127.0.0.1:9101", engine.self.addr);
    CHECK_STR("eu", engine.self.region);
    CHECK_STR(engine.id, engine.self.id);
    index_engine_close(&engine);
    REQUIRE_OK(open_with(&engine, (const char *const[]){
        "--amnesia", "--oap-addr=127.0.0.1:9101", "--index-addr=tcp://203.0.113.9:1", NULL }));
    CHECK_STR("tcp://203.0.113.9:1", engine.self.addr);
    index_engine_close(&engine);
    REQUIRE_OK(open_with(&engine, (const char *const[]){ "--amnesia",
                                                         "--oap-addr=127.0.0.1:0", NULL }));
    CHECK_STR("", engine.self.id);
    index_engine_close(&engine);
}

TEST(without_a_proxy_it_says_so_and_is_degraded)
{
    struct index_engine engine;
    char why[256] = "";
    REQUIRE_OK(open_with(&engine, (const char *const[]){ "--amnesia", NULL }));
    CHECK_EQ(WR_HEALTH_DEGRADED, index_engine_probe(&engine, why));
    CHECK(strstr(why, "there is no proxy"));
    index_engine_close(&engine);
    REQUIRE_OK(open_with(&engine, (const char *const[]){
        "--amnesia", "--index-proxies=http://127.0.0.1:1,http://127.0.0.1:2", NULL }));
    CHECK_EQ(2, engine.dht_conf.count);
    CHECK_EQ(WR_HEALTH_DEGRADED, index_engine_probe(&engine, why));
    CHECK(strstr(why, "not open yet"));
    index_engine_close(&engine);
}
