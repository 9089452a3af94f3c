#include "svc/index/announcer.h"

#include <string.h>

#include "svc/index/catalog.h"
#include "testing/dht_fake.h"
#include "testing/settle.h"
#include "testing/store_rig.h"

#define SOON wr_after(WR_S(5))

struct rig {
    struct dht dht;
    struct dht_line *line;
    struct store_rig stored;
    struct store *store;
    struct signer *signer;
    struct announcer *announcer;
    struct wr_once *drain;
    struct wr_scope *scope;
};

static wr_err run(void *arg)
{
    struct rig *rig = arg;
    CHECK_OK(announcer_run(rig->announcer, rig->drain));
    return WR_OK;
}

static bool make(struct rig *rig, const struct announcer_conf *conf)
{
    struct announcer_conf mine = *conf;
    char why[SIGNER_WHY];
    *rig = (struct rig){ .stored.url = "sqlite:", .dht.takes = WR_MS(2) };
    REQUIRE_OK(rig_open(&rig->stored), false);
    REQUIRE_OK(dht_line_new(&rig->line), false);
    REQUIRE_OK(wr_once_new(&rig->drain, "test.drain", 0), false);
    REQUIRE_OK(signer_open(&rig->signer, NULL, SOON, why), false);
    rig->store = mine.store = rig->stored.store;
    mine.line = rig->line;
    mine.signer = rig->signer;
    mine.addr = mine.addr ? mine.addr : "tcp://10.0.0.1:9101";
    mine.region = "eu";
    REQUIRE_OK(announcer_new(&rig->announcer, &mine), false);
    rig->scope = scope_open();
    return rig->scope;
}

static void end(struct rig *rig)
{
    CHECK_OK(wr_once_set(rig->drain, NULL));
    scope_done(rig->scope);
    dht_line_detach(rig->line);
    announcer_free(rig->announcer);
    dht_line_free(rig->line);
    wr_once_free(rig->drain);
    signer_close(rig->signer);
    rig_shut(&rig->stored);
}

static struct index_key cid(int n)
{
    struct index_key key = { .cid = wr_hash_of(&n, sizeof(n)) };
    wr_hash_print_cid(&key.cid, key.text);
    return key;
}

static void offer(struct rig *rig, int count)
{
    for (int i = 0; i < count; i++) {
        struct index_key key = cid(i);
        CHECK_OK(catalog_offer(rig->store, key.text, SOON));
    }
}

static struct announcer_stat stat_of(const struct rig *rig)
{
    return announcer_stat(rig->announcer);
}

/* The last record that was put, if it is one for this. */
static wr_err read_put(struct rig *rig, const struct index_key *key, struct dht_record *ret)
{
    enum dht_fault fault;
    struct dht_wanted wanted = { key->is_name ? DHT_NAME : DHT_PROVIDER,
                                 key->is_name ? NULL : &key->cid,
                                 key->is_name ? index_key_name(key) : NULL };
    return dht_record_read(ret, rig->dht.put, rig->dht.put_len, &wanted, wr_wall(), &fault);
}

TEST(all_offers_are_announced_at_the_start_and_every_interval)
{
    struct rig rig;
    REQUIRE(make(&rig, &(struct announcer_conf){ .every = WR_S(60) }));
    offer(&rig, 30);
    CHECK_OK(dht_line_attach(rig.line, &rig.dht));
    wr_time began = wr_now();
    go(rig.scope, run, &rig);
    CHECK_OK(wr_sleep(began + WR_S(59)));
    CHECK_EQ(30, rig.dht.puts);
    CHECK_EQ(1, stat_of(&rig).round);
    CHECK_EQ(30, stat_of(&rig).done);
    CHECK_EQ(30, stat_of(&rig).total);
    CHECK_EQ(30, stat_of(&rig).announced);
    CHECK(!stat_of(&rig).running);
    CHECK_OK(wr_sleep(began + WR_S(119)));
    CHECK_EQ(60, rig.dht.puts);
    CHECK_EQ(2, stat_of(&rig).round);
    end(&rig);
}

TEST(a_record_says_who_has_it_where_and_until_when)
{
    struct rig rig;
    struct dht_record record;
    struct index_key key = cid(0);
    REQUIRE(make(&rig, &(struct announcer_conf){ 0 }));
    CHECK_OK(dht_line_attach(rig.line, &rig.dht));
    go(rig.scope, run, &rig);
    CHECK_OK(announcer_offer(rig.announcer, &key, SOON));
    CHECK_OK(wr_sleep(wr_after(WR_MS(5))));
    REQUIRE_OK(read_put(&rig, &key, &record));
    CHECK(memcmp(record.id, signer_id(rig.signer), SIGNER_ID) == 0);
    CHECK_STR("tcp://10.0.0.1:9101", record.addr);
    CHECK_STR("eu", record.region);
    CHECK_EQ(WR_S(600), record.expires_at.ns - record.issued_at.ns);
    announcer_introduce(rig.announcer, "tcp://10.0.0.2:9101", "us");
    announcer_begin(rig.announcer);
    CHECK_OK(wr_sleep(wr_after(WR_MS(5))));
    REQUIRE_OK(read_put(&rig, &key, &record));
    CHECK_STR("tcp://10.0.0.2:9101", record.addr);
    CHECK_STR("us", record.region);
    end(&rig);
}

TEST(a_name_is_announced_with_what_it_stands_for_by_then)
{
    struct rig rig;
    struct dht_record record;
    struct index_key name = { .is_name = true, .text = "name:n1" };
    struct catalog_pointer pointer = { .kind = CATALOG_SITE, .key = "n1", .updated_at_ms = 1,
                                       .manifest = cid(1).cid };
    REQUIRE(make(&rig, &(struct announcer_conf){ 0 }));
    CHECK_OK(dht_line_attach(rig.line, &rig.dht));
    go(rig.scope, run, &rig);
    CHECK_OK(announcer_offer(rig.announcer, &name, SOON));
    CHECK_OK(wr_sleep(wr_after(WR_MS(5))));
    CHECK_EQ(0, rig.dht.puts);                  /* it stands for nothing yet */
    CHECK_EQ(1, stat_of(&rig).added_done);
    for (int i = 1; i <= 2; i++) {
        pointer.manifest = cid(i).cid;
        CHECK_OK(catalog_put(rig.store, &pointer, SOON));
        announcer_begin(rig.announcer);
        CHECK_OK(wr_sleep(wr_after(WR_MS(5))));
        REQUIRE_OK(read_put(&rig, &name, &record));
        CHECK(wr_hash_equal(&pointer.manifest, &record.cid));
        CHECK_STR("n1", record.name);
        CHECK_STR("", record.addr);
    }
    end(&rig);
}

TEST(what_is_new_is_announced_at_once_though_a_round_runs)
{
    struct rig rig;
    struct index_key key = cid(-1);
    REQUIRE(make(&rig, &(struct announcer_conf){ 0 }));
    offer(&rig, 2000);
    CHECK_OK(dht_line_attach(rig.line, &rig.dht));
    go(rig.scope, run, &rig);
    CHECK_OK(wr_sleep(wr_after(WR_MS(100))));
    CHECK(stat_of(&rig).running);
    wr_time began = wr_now();
    CHECK_OK(announcer_offer(rig.announcer, &key, SOON));
    while (stat_of(&rig).added_done == 0)
        CHECK_OK(wr_sleep(wr_after(WR_US(500))));
    CHECK(wr_now() - began <= WR_MS(3));
    CHECK(stat_of(&rig).running);
    end(&rig);
}

TEST(a_round_is_paced_and_bounded_and_fast_enough)
{
    struct rig rig;
    REQUIRE(make(&rig, &(struct announcer_conf){ .inflight = 4 }));
    offer(&rig, 2000);
    CHECK_OK(dht_line_attach(rig.line, &rig.dht));
    wr_time began = wr_now();
    go(rig.scope, run, &rig);
    while (stat_of(&rig).done < 2000)
        CHECK_OK(wr_sleep(wr_after(WR_MS(10))));
    wr_time took = wr_now() - began;
    CHECK(took >= WR_MS(1980) && took <= WR_MS(2100));      /* 1000 a second */
    CHECK(rig.dht.asking_most <= 4);
    end(&rig);
}

TEST(so_many_that_they_would_not_be_done_in_time_are_announced_faster)
{
    struct rig rig;
    REQUIRE(make(&rig, &(struct announcer_conf){ .every = WR_S(2), .valid = WR_S(4),
                                                 .rate = 100 }));
    offer(&rig, 1000);
    CHECK_OK(dht_line_attach(rig.line, &rig.dht));
    wr_time began = wr_now();
    go(rig.scope, run, &rig);
    while (stat_of(&rig).done < 1000)
        CHECK_OK(wr_sleep(wr_after(WR_MS(10))));
    CHECK(wr_now() - began <= WR_MS(1100));
    end(&rig);
}

TEST(what_could_not_be_announced_is_counted_and_tried_again)
{
    struct rig rig;
    REQUIRE(make(&rig, &(struct announcer_conf){ 0 }));
    offer(&rig, 50);
    rig.dht.err = WR_IO;
    CHECK_OK(dht_line_attach(rig.line, &rig.dht));
    wr_time began = wr_now();
    go(rig.scope, run, &rig);
    CHECK_OK(wr_sleep(began + WR_S(1)));
    CHECK_EQ(50, stat_of(&rig).failed);
    CHECK_EQ(50, stat_of(&rig).failures);
    CHECK_EQ(0, stat_of(&rig).announced);
    rig.dht.err = WR_OK;
    CHECK_OK(wr_sleep(began + ANNOUNCER_AGAIN - 1));
    CHECK_EQ(50, rig.dht.puts);
    CHECK_OK(wr_sleep(began + ANNOUNCER_AGAIN + WR_S(1)));
    CHECK_EQ(100, rig.dht.puts);
    CHECK_EQ(50, stat_of(&rig).announced);
    CHECK_OK(wr_sleep(began + ANNOUNCER_AGAIN * 2 + WR_S(1)));
    CHECK_EQ(100, rig.dht.puts);
    end(&rig);
}

TEST(a_proxy_that_is_alone_has_it_all_the_same)
{
    struct rig rig;
    REQUIRE(make(&rig, &(struct announcer_conf){ 0 }));
    offer(&rig, 3);
    rig.dht.err = WR_DEGRADED;
    CHECK_OK(dht_line_attach(rig.line, &rig.dht));
    go(rig.scope, run, &rig);
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    CHECK_EQ(3, stat_of(&rig).alone);
    CHECK_EQ(0, stat_of(&rig).failed);
    end(&rig);
}

TEST(without_a_dht_a_round_waits_for_one)
{
    struct rig rig;
    struct index_key key = cid(77);
    REQUIRE(make(&rig, &(struct announcer_conf){ 0 }));
    offer(&rig, 3);
    go(rig.scope, run, &rig);
    CHECK_OK(announcer_offer(rig.announcer, &key, SOON));
    CHECK_OK(wr_sleep(wr_after(WR_S(100))));
    CHECK_EQ(0, stat_of(&rig).round);
    CHECK_OK(dht_line_attach(rig.line, &rig.dht));
    announcer_begin(rig.announcer);
    CHECK_OK(wr_sleep(wr_after(WR_MS(50))));
    CHECK_EQ(1, stat_of(&rig).round);
    CHECK_EQ(4, stat_of(&rig).announced);
    end(&rig);
}

TEST(a_dht_that_goes_in_the_middle_of_a_round_is_survived)
{
    struct rig rig;
    REQUIRE(make(&rig, &(struct announcer_conf){ .every = WR_S(60) }));
    offer(&rig, 500);
    CHECK_OK(dht_line_attach(rig.line, &rig.dht));
    wr_time began = wr_now();
    go(rig.scope, run, &rig);
    CHECK_OK(wr_sleep(wr_after(WR_MS(100))));
    dht_line_detach(rig.line);
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    CHECK_EQ(500, stat_of(&rig).done);
    CHECK(stat_of(&rig).failed > 300);
    CHECK_OK(dht_line_attach(rig.line, &rig.dht));
    CHECK_OK(wr_sleep(began + WR_S(59)));
    CHECK_EQ(500, stat_of(&rig).announced);
    end(&rig);
}

TEST(who_has_no_address_offers_names_alone)
{
    struct rig rig;
    REQUIRE(make(&rig, &(struct announcer_conf){ .addr = "" }));
    offer(&rig, 3);
    CHECK_OK(dht_line_attach(rig.line, &rig.dht));
    go(rig.scope, run, &rig);
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    CHECK_EQ(3, stat_of(&rig).done);
    CHECK_EQ(0, rig.dht.puts);
    end(&rig);
}

TEST(a_drain_waits_for_nobody)
{
    struct rig rig;
    REQUIRE(make(&rig, &(struct announcer_conf){ 0 }));
    offer(&rig, 100);
    rig.dht.takes = WR_S(2);
    CHECK_OK(dht_line_attach(rig.line, &rig.dht));
    go(rig.scope, run, &rig);
    wr_time began = wr_now();
    end(&rig);
    CHECK_EQ(began, wr_now());
}

static wr_err run_again(void *arg)
{
    struct rig *rig = arg;
    CHECK_ERR(WR_PANIC, announcer_run(rig->announcer, rig->drain));
    rig->dht.panics = false;
    return announcer_run(rig->announcer, rig->drain);
}

TEST(when_one_of_its_tasks_panics_it_ends_and_started_again_it_announces)
{
    struct rig rig;
    struct index_key first = cid(1), second = cid(2);
    REQUIRE(make(&rig, &(struct announcer_conf){ .every = WR_S(3600) }));
    CHECK_OK(dht_line_attach(rig.line, &rig.dht));
    CHECK_OK(wr_scope_go(rig.scope, "test.announcer", run_again, &rig));
    settle();
    rig.dht.panics = true;
    CHECK_OK(announcer_offer(rig.announcer, &first, SOON));
    CHECK_OK(wr_sleep(wr_after(WR_MS(10))));
    CHECK(!rig.dht.panics);                 /* it has ended, and runs again */
    uint64_t before = stat_of(&rig).announced;
    CHECK_OK(announcer_offer(rig.announcer, &second, SOON));
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    CHECK(stat_of(&rig).announced > before);
    end(&rig);
}
