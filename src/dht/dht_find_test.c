#include <string.h>

#include <weir/scope.h>
#include <weir/task.h>

#include "dht/dht.h"
#include "testing/dht_rig.h"
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

/* How many were found, and how long it took. */
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

static void freeze(struct dht_rig *rig, size_t from, size_t to, bool frozen)
{
    for (size_t i = from; i < to; i++)
        rig->cloud.proxies[i].frozen = frozen;
}

/* ---- the waves ---- */

TEST(the_first_three_are_asked_and_the_fastest_wins)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 5);
    struct dht_found found;
    for (int i = 0; i < 5; i++)
        rig->cloud.proxies[i].takes = WR_MS(10 * (5 - i));
    dht_rig_offer(rig, 0, 0);
    wr_time begun = wr_now();
    CHECK_OK(dht_find(rig->dht, &rig->wanted, &found, wr_after(DEADLINE)));
    CHECK_EQ(WR_MS(30), wr_now() - begun);
    CHECK_EQ(3, cloud_asked(&rig->cloud));
    CHECK_EQ(1, found.count);
    CHECK_STR("tcp://10.0.0.7:9101", found.records[0].addr);
    CHECK_EQ(0, memcmp(found.records[0].id, signer_id(rig->signers[0]), SIGNER_ID));
    CHECK_EQ(WR_MS(30), found.alpha_took);
    CHECK_EQ(0, found.beta_took);
    CHECK_EQ(DHT_ALPHA, found.winner);
    dht_found_free(&found);
    CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    CHECK_EQ(1, rig->cloud.proxies[0].left);        /* canceled by closing */
    CHECK_EQ(1, rig->cloud.proxies[1].left);
    rig_close(rig);
}

TEST(three_frozen_ones_in_front_cost_the_hedge_and_no_more)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 5);
    struct dht_found found;
    dht_rig_offer(rig, 0, 0);
    freeze(rig, 0, 3, true);
    rig->cloud.proxies[3].takes = WR_MS(5);
    rig->cloud.proxies[4].takes = WR_MS(9);
    wr_time begun = wr_now();
    CHECK_OK(dht_find(rig->dht, &rig->wanted, &found, wr_after(DEADLINE)));
    CHECK(DHT_RIG_HEDGED(wr_now() - begun, WR_MS(5)));
    CHECK_EQ(0, found.alpha_took);
    CHECK_EQ(wr_now() - begun, found.beta_took);
    CHECK_EQ(DHT_BETA, found.winner);
    dht_found_free(&found);
    CHECK_EQ(2, dht_stat(rig->dht).hedge.extra);
    CHECK_EQ(2, dht_stat(rig->dht).reachable);      /* the others have failed */
    /* Who won is asked first from now on. */
    size_t count;
    wr_time took;
    for (int i = 0; i < 20; i++) {
        CHECK_OK(find(rig, &count, &took));
        CHECK_EQ(WR_MS(5), took);
    }
    rig_close(rig);
}

TEST(new_ones_frozen_in_front_each_time_never_cost_more_than_the_hedge)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 5);
    size_t count;
    wr_time took;
    dht_rig_offer(rig, 0, 0);
    for (int i = 0; i < 5; i++)
        rig->cloud.proxies[i].takes = WR_MS(5);
    for (int round = 0; round < 60; round++) {
        for (int i = 0; i < 5; i++)
            rig->cloud.proxies[i].frozen = (i + round) % 5 < 3;
        CHECK_OK(find(rig, &count, &took));
        CHECK(took <= WR_MS(155));
        CHECK_EQ(1, count);
    }
    rig_close(rig);
}

TEST(a_peer_that_drops_in_mid_flight_is_replaced_and_the_others_are_canceled)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 5);
    size_t count;
    wr_time took;
    dht_rig_offer(rig, 0, 0);
    for (int i = 0; i < 3; i++) {
        rig->cloud.proxies[i].takes = WR_MS(20);
        rig->cloud.proxies[i].short_of = true;
        rig->cloud.proxies[i].cut_off = true;
    }
    rig->cloud.proxies[3].takes = WR_MS(7);
    rig->cloud.proxies[4].takes = WR_MS(70);
    CHECK_OK(find(rig, &count, &took));
    CHECK_EQ(WR_MS(27), took);
    CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    CHECK_EQ(1, rig->cloud.proxies[4].left);
    rig_close(rig);
}

TEST(with_all_frozen_it_ends_at_the_deadline_to_the_nanosecond)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 5);
    size_t count;
    wr_time took;
    freeze(rig, 0, 5, true);
    CHECK_ERR(WR_TIMEOUT, find(rig, &count, &took));
    CHECK_EQ(DEADLINE, took);
    CHECK_EQ(0, count);
    CHECK_EQ(5, cloud_asked(&rig->cloud));
    rig_close(rig);
}

TEST(unhedged_a_frozen_one_in_front_is_a_timeout)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ .unhedged = true }, 5);
    size_t count;
    wr_time took;
    dht_rig_offer(rig, 0, 0);
    freeze(rig, 0, 1, true);
    CHECK_ERR(WR_TIMEOUT, find(rig, &count, &took));
    CHECK_EQ(DEADLINE, took);
    CHECK_EQ(1, cloud_asked(&rig->cloud));
    rig_close(rig);
}

TEST(healthy_lookups_ask_hardly_anybody_in_addition)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 5);
    size_t count;
    wr_time took;
    dht_rig_offer(rig, 0, 0);
    for (unsigned i = 0; i < 1500; i++) {
        for (unsigned j = 0; j < 5; j++)    /* one of 50 takes ten times as long as usual */
            rig->cloud.proxies[j].takes = WR_MS(i % 50 == 0 ? 30 : 3);
        CHECK_OK(find(rig, &count, &took));
        CHECK(took <= WR_MS(30));
    }
    struct dht_stat stat = dht_stat(rig->dht);
    CHECK(stat.hedge.extra * 50 <= stat.lookups + 100);
    rig_close(rig);
}

/* ---- what is found ---- */

TEST(an_answer_that_does_not_end_counts_after_a_while)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 3);
    size_t count;
    wr_time took;
    dht_rig_offer(rig, 0, 0);
    dht_rig_offer(rig, 1, 0);
    for (int i = 0; i < 3; i++) {
        rig->cloud.proxies[i].between = WR_MS(5);
        rig->cloud.proxies[i].stalls = WR_S(1);
    }
    CHECK_OK(find(rig, &count, &took));
    CHECK_EQ(WR_MS(5 + 5 + 10), took);
    CHECK_EQ(2, count);
    rig_close(rig);
}

TEST(an_answer_that_goes_on_and_on_counts_in_the_end)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 1);
    size_t count;
    wr_time took;
    for (int i = 0; i < 40; i++)
        dht_rig_offer(rig, (size_t)i % DHT_RIG_SIGNERS, WR_S(i));
    rig->cloud.proxies[0].between = WR_MS(8);
    CHECK_OK(find(rig, &count, &took));
    CHECK_EQ(WR_MS(8 + 50), took);
    CHECK_EQ(DHT_RIG_SIGNERS, count);
    rig_close(rig);
}

TEST(what_breaks_off_after_something_good_was_said_is_an_answer)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 1);
    size_t count;
    wr_time took;
    dht_rig_offer(rig, 0, 0);
    rig->cloud.proxies[0].short_of = true;
    CHECK_OK(find(rig, &count, &took));
    CHECK_EQ(1, count);
    rig_close(rig);
}

TEST(of_each_provider_there_is_one_record_the_freshest_first)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 5);
    struct dht_found found;
    dht_rig_offer(rig, 0, WR_S(300));
    dht_rig_offer(rig, 1, WR_S(200));
    dht_rig_offer(rig, 0, WR_S(100));
    dht_rig_offer(rig, 0, WR_S(250));
    CHECK_OK(dht_find(rig->dht, &rig->wanted, &found, wr_after(DEADLINE)));
    REQUIRE(found.count == 2);
    CHECK_EQ(0, memcmp(found.records[0].id, signer_id(rig->signers[0]), SIGNER_ID));
    CHECK(found.records[0].issued_at.ns > found.records[1].issued_at.ns);
    dht_found_free(&found);
    rig_close(rig);
}

TEST(a_quorum_of_two_unites_what_two_say)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ .quorum = 2 }, 3);
    size_t count;
    wr_time took;
    dht_rig_offer(rig, 0, 0);
    rig->cloud.proxies[0].takes = WR_MS(10);
    rig->cloud.proxies[1].takes = WR_MS(20);
    rig->cloud.proxies[2].takes = WR_MS(40);
    CHECK_OK(find(rig, &count, &took));
    CHECK_EQ(WR_MS(20), took);
    CHECK_EQ(1, count);
    rig_close(rig);
}

TEST(fewer_than_the_quorum_are_an_answer_when_nobody_is_left)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ .quorum = 2 }, 3);
    size_t count;
    wr_time took;
    dht_rig_offer(rig, 0, 0);
    rig->cloud.proxies[0].cut_off = rig->cloud.proxies[1].cut_off = true;
    rig->cloud.proxies[2].takes = WR_MS(40);
    CHECK_OK(find(rig, &count, &took));
    CHECK_EQ(WR_MS(40), took);
    CHECK_EQ(1, count);
    freeze(rig, 0, 2, true);
    CHECK_OK(find(rig, &count, &took));
    CHECK_EQ(DEADLINE, took);
    CHECK_EQ(1, count);
    rig_close(rig);
}

TEST(a_name_is_believed_from_those_who_are_trusted)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 3);
    struct dht_wanted wanted = { DHT_NAME, NULL, "weir.example" };
    unsigned char bytes[DHT_RECORD_MAX], key[DHT_KEY], trusted[1][SIGNER_ID];
    struct dht_found found;
    dht_key_of(key, &wanted);
    for (size_t i = 0; i < 2; i++) {    /* the one who is not trusted is fresher */
        struct dht_record record = dht_rig_record(rig, i ? 0 : WR_S(60));
        record.kind = DHT_NAME;
        record.addr[0] = record.region[0] = '\0';
        snprintf(record.name, sizeof(record.name), "weir.example");
        cloud_put(&rig->cloud, key, bytes, dht_rig_write(rig, bytes, &record, i));
    }
    CHECK_ERR(WR_NOTFOUND, dht_find(rig->dht, &wanted, &found, wr_after(DEADLINE)));
    CHECK_EQ(0, cloud_asked(&rig->cloud));
    memcpy(trusted[0], signer_id(rig->signers[0]), SIGNER_ID);
    struct dht *dht;
    REQUIRE_OK(dht_open(&dht, &(struct dht_conf){
        .proxies = rig->cloud.urls, .count = 3, .trusted = trusted, .trusted_count = 1 }));
    CHECK_OK(dht_find(dht, &wanted, &found, wr_after(DEADLINE)));
    REQUIRE(found.count == 1);
    CHECK_EQ(0, memcmp(found.records[0].id, trusted[0], SIGNER_ID));
    CHECK(dht_stat(dht).dropped[DHT_FOREIGN] > 0);
    dht_found_free(&found);
    dht_close(dht, wr_after(WR_S(1)));
    rig_close(rig);
}

/* ---- that there is none ---- */

TEST(that_there_is_none_is_said_when_all_five_have_said_so)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 5);
    size_t count;
    wr_time took;
    for (int i = 0; i < 5; i++)
        rig->cloud.proxies[i].takes = WR_MS(10);
    CHECK_ERR(WR_NOTFOUND, find(rig, &count, &took));
    CHECK_EQ(WR_MS(20), took);
    CHECK_EQ(5, cloud_asked(&rig->cloud));
    CHECK_EQ(1, dht_stat(rig->dht).none);
    rig_close(rig);
}

TEST(one_of_the_second_wave_knows_what_the_first_does_not)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 5);
    size_t count;
    wr_time took;
    dht_rig_offer(rig, 0, 0);
    for (int i = 0; i < 4; i++)
        rig->cloud.proxies[i].cut_off = true;
    rig->cloud.proxies[4].takes = WR_MS(10);
    CHECK_OK(find(rig, &count, &took));
    CHECK_EQ(WR_MS(10), took);
    rig_close(rig);
}

TEST(who_is_silent_when_most_say_that_there_is_none_is_not_waited_for)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 5);
    size_t count;
    wr_time took;
    for (int i = 0; i < 5; i++)
        rig->cloud.proxies[i].takes = WR_MS(10);
    freeze(rig, 1, 3, true);
    CHECK_ERR(WR_NOTFOUND, find(rig, &count, &took));
    CHECK(DHT_RIG_HEDGED(took, WR_MS(10 + 50)));
    rig_close(rig);
}

TEST(who_is_silent_when_few_say_that_there_is_none_is_waited_for)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 5);
    size_t count;
    wr_time took;
    freeze(rig, 0, 3, true);
    CHECK_ERR(WR_TIMEOUT, find(rig, &count, &took));
    CHECK_EQ(DEADLINE, took);
    rig_close(rig);
}

TEST(who_cannot_answer_does_not_make_an_error_of_what_most_say)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 5);
    size_t count;
    wr_time took;
    rig->cloud.proxies[1].dead = rig->cloud.proxies[3].dead = true;
    CHECK_ERR(WR_NOTFOUND, find(rig, &count, &took));
    rig->cloud.proxies[0].dead = true;
    CHECK_ERR(WR_IO, find(rig, &count, &took));
    rig_close(rig);
}

/* ---- tries ---- */

TEST(when_all_fail_they_are_asked_again_after_a_pause)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 3);
    size_t count;
    wr_time took;
    for (int i = 0; i < 3; i++)
        rig->cloud.proxies[i].status = 503;
    CHECK_ERR(WR_IO, find(rig, &count, &took));
    CHECK_EQ(2 * 3, cloud_asked(&rig->cloud));      /* one more try in a second is free */
    CHECK(took >= WR_MS(50) && took <= WR_MS(100));
    CHECK_EQ(1, dht_stat(rig->dht).retry.again);
    rig_close(rig);
}

TEST(a_lookup_is_tried_again_three_times_and_no_more)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ .trip_permille = 1000 }, 3);
    size_t count;
    wr_time took;
    dht_rig_offer(rig, 0, 0);
    for (int i = 0; i < 50; i++)                    /* they pay for new tries */
        CHECK_OK(find(rig, &count, &took));
    CHECK_OK(wr_sleep(wr_after(WR_MS(1))));         /* those who lost have heard of it */
    unsigned before = cloud_asked(&rig->cloud);
    for (int i = 0; i < 3; i++)
        rig->cloud.proxies[i].status = 503;
    CHECK_ERR(WR_IO, find(rig, &count, &took));
    CHECK_EQ((1 + 3) * 3, cloud_asked(&rig->cloud) - before);
    CHECK(took >= 3 * WR_MS(50) && took <= 3 * WR_MS(100));
    CHECK_EQ(3, dht_stat(rig->dht).retry.again);
    rig_close(rig);
}

static wr_err heal(void *arg)
{
    struct dht_rig *rig = arg;
    wr_err err = wr_sleep(wr_after(WR_MS(20)));
    for (int i = 0; i < 3; i++)
        rig->cloud.proxies[i].status = 0;
    return err;
}

TEST(what_is_back_after_the_pause_answers)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 3);
    struct wr_scope *scope;
    size_t count;
    wr_time took;
    dht_rig_offer(rig, 0, 0);
    for (int i = 0; i < 3; i++)
        rig->cloud.proxies[i].status = 503;
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "test", .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(scope, "test.healer", heal, rig));
    CHECK_OK(find(rig, &count, &took));
    CHECK_EQ(1, count);
    CHECK_OK(wr_scope_close(scope));
    rig_close(rig);
}

/* ---- who is given up, and who is not ---- */

TEST(who_is_silent_when_others_have_answered_has_failed)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 5);
    size_t count;
    wr_time took;
    dht_rig_offer(rig, 0, 0);
    CHECK_OK(wr_sleep(wr_after(WR_MS(10))));        /* all have answered the janitor */
    freeze(rig, 0, 3, true);
    rig->cloud.proxies[3].takes = rig->cloud.proxies[4].takes = WR_MS(40);
    CHECK_OK(find(rig, &count, &took));
    CHECK_EQ(2, dht_stat(rig->dht).reachable);
    CHECK_OK(wr_sleep(wr_after(WR_S(8))));
    CHECK_EQ(3, dht_stat(rig->dht).open);
    rig_close(rig);
}

TEST(when_all_are_slow_who_comes_second_has_not_failed)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 5);
    size_t count;
    wr_time took;
    dht_rig_offer(rig, 0, 0);
    for (int i = 0; i < 5; i++)
        rig->cloud.proxies[i].takes = WR_MS(200 + 10 * i);
    for (int i = 0; i < 30; i++)
        CHECK_OK(find(rig, &count, &took));
    CHECK_EQ(0, dht_stat(rig->dht).open);
    CHECK_EQ(5, dht_stat(rig->dht).reachable);
    rig_close(rig);
}

TEST(a_deadline_that_is_too_short_is_nobodys_fault)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 3);
    struct dht_found found;
    for (int i = 0; i < 3; i++)
        rig->cloud.proxies[i].takes = WR_MS(100);
    CHECK_OK(wr_sleep(wr_after(WR_MS(150))));       /* they have answered the janitor */
    for (int i = 0; i < 30; i++)
        CHECK_ERR(WR_TIMEOUT, dht_find(rig->dht, &rig->wanted, &found, wr_after(WR_MS(20))));
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    CHECK_EQ(0, dht_stat(rig->dht).open);
    CHECK_EQ(3, dht_stat(rig->dht).reachable);
    rig_close(rig);
}

TEST(with_all_given_up_nobody_is_asked_and_that_is_said_at_once)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 5);
    size_t count;
    wr_time took;
    dht_rig_offer(rig, 0, 0);
    freeze(rig, 0, 5, true);
    wr_err err = WR_TIMEOUT;
    for (int i = 0; i < 10 && err == WR_TIMEOUT; i++)
        err = find(rig, &count, &took);
    CHECK_ERR(WR_OPENCIRCUIT, err);
    CHECK_EQ(0, took);
    CHECK_EQ(5, dht_stat(rig->dht).open);
    CHECK_EQ(0, dht_stat(rig->dht).reachable);
    rig_close(rig);
}

TEST(who_is_back_is_found_within_the_cooldown_and_a_second)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 5);
    size_t count;
    wr_time took;
    dht_rig_offer(rig, 0, 0);
    freeze(rig, 0, 5, true);
    for (int i = 0; i < 10; i++)
        (void)!find(rig, &count, &took);
    CHECK_EQ(5, dht_stat(rig->dht).open);
    freeze(rig, 0, 5, false);
    CHECK_OK(wr_sleep(wr_after(WR_S(11))));         /* nobody looks for anything */
    CHECK_EQ(0, dht_stat(rig->dht).open);
    CHECK_EQ(5, dht_stat(rig->dht).reachable);
    CHECK_OK(find(rig, &count, &took));
    CHECK_EQ(0, took);
    rig_close(rig);
}

struct caller { struct dht_rig *rig; wr_err err; wr_time took; };

static wr_err call(void *arg)
{
    struct caller *caller = arg;
    size_t count;
    caller->err = find(caller->rig, &count, &caller->took);
    return WR_OK;
}

TEST(a_cancel_from_above_ends_it_at_once_and_is_nobodys_fault)
{
    struct dht_rig *rig = rig_open((struct dht_conf){ 0 }, 5);
    struct caller callers[8];
    struct wr_scope *scope;
    freeze(rig, 0, 5, true);
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "test", .deadline = WR_NEVER }));
    for (int i = 0; i < 8; i++) {
        callers[i] = (struct caller){ .rig = rig };
        CHECK_OK(wr_scope_go(scope, "test.caller", call, &callers[i]));
    }
    CHECK_OK(wr_sleep(wr_after(WR_MS(400))));
    wr_scope_cancel(scope);
    CHECK_OK(wr_scope_close(scope));
    for (int i = 0; i < 8; i++) {
        CHECK_ERR(WR_CANCELED, callers[i].err);
        CHECK_EQ(WR_MS(400), callers[i].took);
    }
    CHECK_OK(wr_sleep(wr_after(WR_MS(200))));
    CHECK_EQ(0, dht_stat(rig->dht).open);
    rig_close(rig);
}
