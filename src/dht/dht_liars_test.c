/* dht_liars_test.c - proxies that lie, and keys under which others have put anything at all:
 * what is true is found all the same, or it is not said that there is none. */
#include <string.h>

#include <weir/scope.h>
#include <weir/task.h>

#include "dht/dht.h"
#include "dht/proxy.h"
#include "testing/dht_rig.h"
#include "testing/metric_rig.h"
#include "testing/test.h"

#define DEADLINE WR_MS(1200)

static struct dht_rig *rig_open(struct dht_conf conf, size_t proxies)
{
    struct dht_rig *rig = calloc(1, sizeof(*rig));
    rig->conf = conf;
    dht_rig_open(rig, proxies);
    return rig;
}

static void rig_close(struct dht_rig *rig)
{
    dht_rig_close(rig);
    free(rig);
}

static wr_err find(struct dht_rig *rig, size_t *ret_count, wr_time *ret_took)
{
    struct dht_found found;
    wr_time begun = wr_now();
    wr_err err = dht_find(rig->dht, &rig->wanted, &found, wr_after(DEADLINE));
    *ret_took = wr_now() - begun;
    *ret_count = found.count;
    dht_found_free(&found);
    return err;
}

/* A proxy says so many records whose signatures are wrong before all others. */
static void forge(struct dht_rig *rig, size_t proxy, unsigned count)
{
    struct cloud_proxy *liar = &rig->cloud.proxies[proxy];
    struct dht_record record = dht_rig_record(rig, 0);
    liar->lie_len = dht_rig_write(rig, liar->lie, &record, 0);
    liar->lie[liar->lie_len - 5] ^= 0x80;
    liar->lies = count;
}

/* ... so many values that are no records. */
static void babble(struct dht_rig *rig, size_t proxy, unsigned count)
{
    struct cloud_proxy *liar = &rig->cloud.proxies[proxy];
    liar->lie_len = (size_t)snprintf((char *)liar->lie, sizeof(liar->lie), "nonsense 0000");
    liar->lies = count;
}

static uint64_t forged(const struct dht_rig *rig)
{
    return dht_stat(rig->dht).dropped[DHT_FORGED];
}

/* ---- what is not believed ---- */

TEST(what_nobody_should_believe_is_dropped_and_counted)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 1);
    unsigned char bytes[1600] = { 0 };
    size_t count;
    wr_time took;
    struct dht_record record = dht_rig_record(rig, 0);
    size_t len = dht_rig_write(rig, bytes, &record, 0);
    bytes[len - 1] ^= 1;
    dht_rig_litter(rig, bytes, len);                            /* forged */
    dht_rig_litter(rig, "nonsense", 8);                         /* malformed */
    dht_rig_litter(rig, bytes, sizeof(bytes));                  /* oversized */
    record = dht_rig_record(rig, WR_S(601));
    dht_rig_litter(rig, bytes, dht_rig_write(rig, bytes, &record, 0));      /* expired */
    record = dht_rig_record(rig, 0);
    record.cid.bytes[31] ^= 1;          /* the key of the network is the same: 20 bytes */
    dht_rig_litter(rig, bytes, dht_rig_write(rig, bytes, &record, 0));      /* foreign */
    CHECK_ERR(WR_NOTFOUND, find(rig, &count, &took));
    struct dht_stat stat = dht_stat(rig->dht);
    for (int fault = DHT_OVERSIZED; fault < DHT_FAULTS; fault++) {
        CHECK_EQ(1, stat.dropped[fault]);
        CHECK(metric_value("dht_records_dropped_total{fault=\"%s\",svc=\"index\"}",
                           dht_faults[fault]) > 0);
    }
    dht_rig_offer(rig, 2, 0);
    CHECK_OK(find(rig, &count, &took));
    CHECK_EQ(1, count);
    CHECK_EQ(0, dht_stat(rig->dht).dropped[DHT_FINE]);
    rig_close(rig);
}

TEST(the_same_bytes_from_several_are_checked_once)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ .quorum = 3 }, 3);
    unsigned char bytes[DHT_RECORD_MAX];
    size_t count;
    wr_time took;
    struct dht_record record = dht_rig_record(rig, 0);
    size_t len = dht_rig_write(rig, bytes, &record, 0);
    bytes[len - 1] ^= 1;
    dht_rig_litter(rig, bytes, len);
    dht_rig_offer(rig, 1, 0);
    CHECK_OK(find(rig, &count, &took));
    CHECK_EQ(1, count);
    CHECK_EQ(1, dht_stat(rig->dht).dropped[DHT_FORGED]);
    rig_close(rig);
}

/* ---- many ---- */

TEST(one_liar_does_not_hide_what_others_have)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 3);
    size_t count;
    wr_time took;
    dht_rig_offer(rig, 1, 0);
    forge(rig, 0, 5000);
    rig->cloud.proxies[1].takes = rig->cloud.proxies[2].takes = WR_MS(20);
    for (int i = 0; i < 5; i++) {
        CHECK_OK(find(rig, &count, &took));
        CHECK_EQ(1, count);
        CHECK_EQ(WR_MS(20), took);
    }
    CHECK_EQ(0, dht_stat(rig->dht).none);
    babble(rig, 0, 5000);
    CHECK_OK(find(rig, &count, &took));
    CHECK_EQ(1, count);
    rig_close(rig);
}

TEST(who_brings_more_than_is_checked_has_not_said_that_there_is_none)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 1);
    size_t count;
    wr_time took;
    dht_rig_offer(rig, 1, 0);
    forge(rig, 0, DHT_CHECKS_MAX - 1);
    CHECK_OK(find(rig, &count, &took));
    CHECK_EQ(DHT_CHECKS_MAX - 1, forged(rig));
    forge(rig, 0, 5000);
    CHECK_ERR(WR_QUARANTINE, find(rig, &count, &took));
    CHECK_EQ(2 * DHT_CHECKS_MAX - 1, forged(rig));
    babble(rig, 0, PROXY_LINES_MAX - 1);            /* no signature is checked for those */
    CHECK_OK(find(rig, &count, &took));
    CHECK_EQ(1, count);
    babble(rig, 0, 5000);                           /* but only so much is read */
    CHECK_ERR(WR_QUARANTINE, find(rig, &count, &took));
    CHECK_EQ(0, dht_stat(rig->dht).none);
    CHECK_EQ(1, dht_stat(rig->dht).reachable);      /* it is there, and others may ask it */
    rig_close(rig);
}

TEST(each_liar_has_only_so_many_signatures_checked)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 5);
    size_t count;
    wr_time took;
    for (size_t i = 0; i < 5; i++) {
        forge(rig, i, 5000);
        rig->cloud.proxies[i].lie[rig->cloud.proxies[i].lie_len - 5] ^= (unsigned char)(i + 1);
    }
    CHECK_ERR(WR_QUARANTINE, find(rig, &count, &took));
    CHECK_EQ(5 * DHT_CHECKS_MAX, forged(rig));
    rig_close(rig);
}

TEST(what_most_say_is_not_there_is_not_there_whatever_a_liar_says)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 3);
    size_t count;
    wr_time took;
    forge(rig, 0, 5000);
    CHECK_ERR(WR_NOTFOUND, find(rig, &count, &took));
    forge(rig, 1, 5000);
    CHECK_ERR(WR_QUARANTINE, find(rig, &count, &took));
    rig_close(rig);
}

/* All of them bring what somebody has put there: each looks at another part of it. */
TEST(what_lies_behind_much_else_is_found_by_several)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 3);
    unsigned char bytes[DHT_RECORD_MAX];
    size_t count;
    wr_time took;
    struct dht_record record = dht_rig_record(rig, 0);
    size_t len = dht_rig_write(rig, bytes, &record, 0);
    bytes[len - 5] ^= 0x80;
    for (unsigned i = 0; i < DHT_CHECKS_MAX + 50; i++) {
        bytes[len - 1] = (unsigned char)i;
        bytes[len - 2] = (unsigned char)(i >> 8);
        dht_rig_litter(rig, bytes, len);
    }
    dht_rig_offer(rig, 1, 0);
    CHECK_OK(find(rig, &count, &took));
    CHECK_EQ(1, count);
    rig_close(rig);
}

TEST(names_of_those_who_are_not_trusted_cost_no_signature)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 1);
    struct dht_wanted wanted = { DHT_NAME, NULL, "weir.example" };
    unsigned char bytes[DHT_RECORD_MAX], key[DHT_KEY], trusted[1][SIGNER_ID];
    struct dht_found found;
    dht_key_of(key, &wanted);
    for (size_t i = 0; i < DHT_CHECKS_MAX + 50; i++) {
        struct dht_record record = dht_rig_record(rig, WR_S(1 + i));
        bool is_last = i == DHT_CHECKS_MAX + 49;
        record.kind = DHT_NAME;
        record.addr[0] = record.region[0] = '\0';
        snprintf(record.name, sizeof(record.name), "weir.example");
        cloud_put(&rig->cloud, key, bytes, dht_rig_write(rig, bytes, &record, is_last ? 0 : 1));
    }
    memcpy(trusted[0], signer_id(rig->signers[0]), SIGNER_ID);
    struct dht *dht;
    REQUIRE_OK(dht_open(&dht, &(struct dht_conf){
        .proxies = rig->cloud.urls, .count = 1, .trusted = trusted, .trusted_count = 1 }));
    CHECK_OK(dht_find(dht, &wanted, &found, wr_after(DEADLINE)));
    CHECK_EQ(1, found.count);
    dht_found_free(&found);
    dht_close(dht, wr_after(WR_S(1)));
    rig_close(rig);
}

/* ---- at the same moment ---- */

/* Two say the same at once; if one of them were thought to have said nothing, the third, who is
 * slow, would be waited for. */
TEST(what_another_is_checking_counts_as_what_comes_of_it)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ .quorum = 2 }, 3);
    size_t count;
    wr_time took;
    dht_rig_offer(rig, 0, 0);
    for (unsigned i = 0; i < 200; i++) {
        for (unsigned j = 0; j < 3; j++)
            rig->cloud.proxies[j].takes = WR_MS(j == i % 3 ? 100 : 5);
        CHECK_OK(find(rig, &count, &took));
        CHECK_EQ(WR_MS(5), took);
    }
    rig_close(rig);
}
