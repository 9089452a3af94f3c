#include "dht/dht.h"

#include <string.h>

#include <weir/scope.h>
#include <weir/task.h>

#include "testing/dht_rig.h"
#include "testing/test.h"

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

static wr_err put(struct dht_rig *rig, size_t signer, wr_time *ret_took)
{
    unsigned char bytes[DHT_RECORD_MAX];
    struct dht_record record = dht_rig_record(rig, 0);
    size_t len = dht_rig_write(rig, bytes, &record, signer);
    wr_time begun = wr_now();
    wr_err err = dht_put(rig->dht, &rig->wanted, bytes, len, wr_after(WR_S(5)));
    *ret_took = wr_now() - begun;
    return err;
}

static unsigned puts_of(const struct dht_rig *rig)
{
    unsigned puts = 0;
    for (size_t i = 0; i < rig->cloud.count; i++)
        puts += rig->cloud.proxies[i].puts;
    return puts;
}

/* ---- what is put ---- */

TEST(what_one_puts_is_found_by_another)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 5);
    struct dht_found found;
    wr_time took;
    CHECK_OK(put(rig, 3, &took));
    CHECK_EQ(1, puts_of(rig));
    CHECK_OK(dht_find(rig->dht, &rig->wanted, &found, wr_after(WR_S(1))));
    REQUIRE(found.count == 1);
    CHECK_EQ(0, memcmp(found.records[0].id, signer_id(rig->signers[3]), SIGNER_ID));
    dht_found_free(&found);
    CHECK_EQ(1, dht_stat(rig->dht).puts);
    rig_close(rig);
}

TEST(the_same_record_twice_is_one_value_and_another_is_another)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 2);
    wr_time took;
    CHECK_OK(put(rig, 0, &took));
    CHECK_OK(put(rig, 0, &took));
    CHECK_EQ(1, rig->cloud.value_count);
    CHECK_OK(put(rig, 1, &took));
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    CHECK_OK(put(rig, 0, &took));
    CHECK_EQ(3, rig->cloud.value_count);
    rig_close(rig);
}

TEST(a_key_is_put_by_the_same_one_each_time_and_many_by_all)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 4);
    wr_time took;
    unsigned most = 0;
    for (int i = 0; i < 10; i++)
        CHECK_OK(put(rig, 0, &took));
    for (int i = 0; i < 4; i++)
        most = rig->cloud.proxies[i].puts > most ? rig->cloud.proxies[i].puts : most;
    CHECK_EQ(10, most);
    for (int i = 0; i < 256; i++) {
        rig->cid.bytes[DHT_KEY - 1] = (unsigned char)i;
        CHECK_OK(put(rig, 0, &took));
    }
    for (int i = 0; i < 4; i++)
        CHECK(rig->cloud.proxies[i].puts >= 64);
    rig_close(rig);
}

TEST(a_put_to_one_that_is_frozen_or_dead_goes_to_another)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 2);
    wr_time took;
    unsigned home = rig->cid.bytes[DHT_KEY - 1] % 2;
    rig->cloud.proxies[home].frozen = true;
    CHECK_OK(put(rig, 0, &took));
    CHECK(took <= 4 * WR_MS(150) && took >= 4 * WR_MS(150) * 95 / 100);    /* it is patient */
    CHECK_EQ(1, dht_stat(rig->dht).put_hedge.extra);
    CHECK_OK(put(rig, 1, &took));
    CHECK_EQ(0, took);                              /* who failed is asked last */
    rig->cloud.proxies[home].frozen = false;
    rig->cloud.proxies[1 - home].dead = true;
    CHECK_OK(put(rig, 2, &took));
    CHECK_EQ(0, took);
    CHECK_EQ(3, rig->cloud.value_count);
    rig_close(rig);
}

TEST(a_put_that_nobody_takes_is_tried_again_and_ends)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 3);
    wr_time took;
    for (int i = 0; i < 3; i++)
        rig->cloud.proxies[i].frozen = true;
    CHECK_ERR(WR_TIMEOUT, put(rig, 0, &took));
    CHECK(took >= WR_MS(3 * 1200 + 150) && took <= WR_MS(4 * 1200 + 300));
    rig_close(rig);
}

TEST(a_put_to_a_network_of_one_is_there_and_degraded)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 2);
    struct dht_found found;
    wr_time took;
    rig->cloud.proxies[0].alone = rig->cloud.proxies[1].alone = true;
    CHECK_ERR(WR_DEGRADED, put(rig, 0, &took));
    CHECK_OK(dht_find(rig->dht, &rig->wanted, &found, wr_after(WR_S(1))));
    CHECK_EQ(1, found.count);
    dht_found_free(&found);
    CHECK_EQ(2, puts_of(rig));                      /* the other might have known some */
    CHECK_OK(wr_sleep(wr_after(WR_S(6))));
    CHECK_EQ(0, dht_stat(rig->dht).nodes);
    CHECK_EQ(2, dht_stat(rig->dht).reachable);
    rig->cloud.proxies[1].alone = false;
    CHECK_OK(put(rig, 1, &took));
    rig_close(rig);
}

/* ---- what is followed ---- */

struct follower { struct dht_rig *rig; _Atomic unsigned told; unsigned stop_at; wr_err err; };

static wr_err hear(void *arg, const struct dht_record *record)
{
    struct follower *follower = arg;
    CHECK_EQ(DHT_PROVIDER, record->kind);
    return atomic_fetch_add(&follower->told, 1) + 1 == follower->stop_at ? WR_EXISTS : WR_OK;
}

static wr_err follow(void *arg)
{
    struct follower *follower = arg;
    follower->err = dht_follow(follower->rig->dht, &follower->rig->wanted, hear, follower,
                               wr_after(WR_S(100)));
    return WR_OK;
}

TEST(who_follows_is_told_of_what_is_put_later_and_of_nothing_that_is_not_believed)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 2);
    struct follower follower = { .rig = rig };
    struct wr_scope *scope;
    wr_time took;
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "test", .deadline = WR_NEVER }));
    CHECK_OK(put(rig, 0, &took));
    CHECK_OK(wr_scope_go(scope, "test.follower", follow, &follower));
    CHECK_OK(wr_sleep(wr_after(WR_MS(10))));
    CHECK_EQ(1, follower.told);
    dht_rig_litter(rig, "nonsense", 8);
    CHECK_OK(put(rig, 1, &took));
    CHECK_OK(wr_sleep(wr_after(WR_MS(10))));
    CHECK_EQ(2, follower.told);
    rig->cloud.proxies[0].dead = true;              /* the other has to tell it all again */
    CHECK_OK(wr_sleep(wr_after(WR_MS(200))));
    CHECK_EQ(4, follower.told);
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_ERR(WR_TIMEOUT, follower.err);
    CHECK_OK(wr_scope_close(scope));
    rig_close(rig);
}

TEST(who_is_told_may_end_it)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 2);
    struct follower follower = { .rig = rig, .stop_at = 2 };
    wr_time took;
    CHECK_OK(put(rig, 0, &took));
    CHECK_OK(put(rig, 1, &took));
    CHECK_OK(put(rig, 2, &took));
    CHECK_OK(follow(&follower));
    CHECK_ERR(WR_EXISTS, follower.err);
    CHECK_EQ(2, follower.told);
    rig_close(rig);
}

TEST(who_listens_to_a_frozen_one_hears_from_another_after_a_while)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 2);
    struct follower follower = { .rig = rig, .stop_at = 1 };
    wr_time begun = wr_now();
    rig->cloud.proxies[0].frozen = true;
    dht_rig_offer(rig, 0, 0);
    CHECK_OK(follow(&follower));
    CHECK_ERR(WR_EXISTS, follower.err);
    CHECK(wr_now() - begun <= WR_S(31));
    rig_close(rig);
}

/* ---- the janitor ---- */

TEST(the_janitor_asks_whoever_nobody_has_heard_of)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 3);
    CHECK(!dht_stat(rig->dht).pinged);
    CHECK_OK(wr_sleep(wr_after(WR_MS(50))));
    CHECK_EQ(3, dht_stat(rig->dht).reachable);
    CHECK(dht_stat(rig->dht).pinged);
    CHECK_EQ(7, dht_stat(rig->dht).nodes);
    CHECK_OK(wr_sleep(wr_after(WR_S(20))));
    for (int i = 0; i < 3; i++)
        CHECK(rig->cloud.proxies[i].pings == 4 || rig->cloud.proxies[i].pings == 5);
    rig_close(rig);
}

TEST(one_that_freezes_is_found_out_though_nobody_looks_for_anything)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 3);
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    rig->cloud.proxies[2].frozen = true;
    CHECK_OK(wr_sleep(wr_after(WR_S(6))));
    CHECK_EQ(2, dht_stat(rig->dht).reachable);
    CHECK_OK(wr_sleep(wr_after(WR_S(10))));
    CHECK_EQ(1, dht_stat(rig->dht).open);
    rig->cloud.proxies[2].frozen = false;
    CHECK_OK(wr_sleep(wr_after(WR_S(11))));
    CHECK_EQ(3, dht_stat(rig->dht).reachable);
    CHECK_EQ(0, dht_stat(rig->dht).open);
    rig_close(rig);
}

TEST(what_one_knew_who_is_gone_is_not_known_any_more)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 2);
    rig->cloud.proxies[1].alone = true;
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    CHECK_EQ(7, dht_stat(rig->dht).nodes);
    rig->cloud.proxies[0].frozen = true;
    CHECK_OK(wr_sleep(wr_after(WR_S(8))));
    CHECK_EQ(1, dht_stat(rig->dht).reachable);
    CHECK(dht_stat(rig->dht).pinged);
    CHECK_EQ(0, dht_stat(rig->dht).nodes);
    rig_close(rig);
}

/* ---- life ---- */

TEST(an_address_that_is_none_or_is_there_twice_is_refused)
{
    static const char *const wrong[][2] = { { "http://a", "http://A:80/" },
                                            { "http://a", "127.0.0.1" },
                                            { "http://a", "http://b/key" } };
    for (size_t i = 0; i < 3; i++) {
        struct dht *dht;
        size_t which;
        const char *why = NULL;
        CHECK_ERR(WR_INVALID, dht_proxies_check(wrong[i], 2, &which, &why));
        CHECK_EQ(1, which);
        CHECK(why != NULL);
        CHECK_ERR(WR_INVALID, dht_open(&dht, &(struct dht_conf){
            .proxies = wrong[i], .count = 2 }));
    }
}

TEST_PANICS(a_quorum_above_alpha_is_a_panic, "alpha 2, beta 2, quorum 3")
{
    struct dht *dht;
    const char *const urls[] = { "http://127.0.0.1:1" };
    CHECK_OK(dht_open(&dht, &(struct dht_conf){
        .proxies = urls, .count = 1, .alpha = 2, .quorum = 3 }));
}
