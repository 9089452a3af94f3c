#include "svc/index/resolver.h"

#include <string.h>

#include "base/rand.h"
#include "svc/index/catalog.h"
#include "testing/index_rig.h"
#include "testing/metric_rig.h"

#define DEADLINE WR_MS(1200)
#define SOON wr_after(WR_S(5))

/* Ask for the n-th content, now, in this fiber; how many providers. */
static int providers(struct index_rig *rig, wr_err want, int n, bool fresh)
{
    struct index_key key = rig_cid(n);
    struct resolver_answer answer = { 0 };
    wr_err err = resolver_providers(rig->resolver, &key.cid, fresh, &answer,
                                    wr_after(DEADLINE));
    CHECK_ERR(want, err);
    int count = err ? -1 : (int)answer.count;
    resolver_answer_free(&answer);
    return count;
}

static void start(struct index_rig *rig, struct asker *asker, int n, wr_time within)
{
    *asker = (struct asker){ .resolver = rig->resolver, .n = n, .within = within };
    go(rig->scope, ask_providers, asker);
}

/* ---- admission ---- */

TEST(a_full_queue_refuses_at_once_and_is_counted)
{
    struct index_rig rig;
    struct asker askers[4];
    REQUIRE(index_rig_begin(&rig, &(struct resolver_conf){ .workers = 1, .queue_max = 2 }));
    rig.dht.takes = WR_MS(100);
    for (int i = 0; i < 3; i++)
        start(&rig, &askers[i], i, DEADLINE);
    CHECK_EQ(2, resolver_stat(rig.resolver).queue.len);
    CHECK_EQ(1, resolver_stat(rig.resolver).working);
    start(&rig, &askers[3], 3, DEADLINE);
    CHECK(askers[3].answered);
    CHECK_ERR(WR_BUSY, askers[3].err);
    CHECK_EQ(0, askers[3].took);
    CHECK_EQ(1, resolver_stat(rig.resolver).refused);
    CHECK_EQ(1, resolver_stat(rig.resolver).queue.refused);
    index_rig_end(&rig);
    for (int i = 0; i < 3; i++) {
        CHECK_OK(askers[i].err);
        CHECK(WR_MS(100) * (i + 1) - askers[i].took <= 9);      /* of which settle() took 9 */
    }
    CHECK_EQ(3, rig.dht.finds);
}

TEST(what_is_in_the_cache_waits_for_nobody)
{
    struct index_rig rig;
    struct asker askers[3];
    REQUIRE(index_rig_begin(&rig, &(struct resolver_conf){ .workers = 1, .queue_max = 1 }));
    CHECK_EQ(1, providers(&rig, WR_OK, 7, false));
    rig.dht.takes = WR_MS(500);
    for (int i = 0; i < 3; i++)
        start(&rig, &askers[i], i, DEADLINE);
    CHECK_ERR(WR_BUSY, askers[2].err);
    wr_time began = wr_now();
    CHECK_EQ(1, providers(&rig, WR_OK, 7, false));
    CHECK_EQ(began, wr_now());
    CHECK_EQ(1, resolver_stat(rig.resolver).hits);
    index_rig_end(&rig);
}

/* ---- deadlines ---- */

TEST(an_answer_that_does_not_come_ends_at_the_deadline_exactly)
{
    struct index_rig rig;
    REQUIRE(index_rig_begin(&rig, &(struct resolver_conf){ .workers = 2 }));
    rig.dht.takes = WR_S(99);
    wr_time began = wr_now();
    providers(&rig, WR_TIMEOUT, 1, false);
    CHECK_EQ(DEADLINE, wr_now() - began);
    CHECK_EQ(1, rig.dht.finds);
    index_rig_end(&rig);
}

TEST(the_wait_in_the_queue_is_part_of_the_deadline)
{
    struct index_rig rig;
    struct asker first, second;
    REQUIRE(index_rig_begin(&rig, &(struct resolver_conf){ .workers = 1 }));
    rig.dht.takes = WR_MS(800);
    start(&rig, &first, 1, DEADLINE);
    start(&rig, &second, 2, DEADLINE);
    index_rig_end(&rig);
    CHECK_OK(first.err);
    CHECK_ERR(WR_TIMEOUT, second.err);
    CHECK_EQ(DEADLINE, second.took);
    CHECK_EQ(2, rig.dht.finds);
}

TEST(a_job_that_is_too_late_asks_nobody)
{
    struct index_rig rig;
    struct asker first, second;
    REQUIRE(index_rig_begin(&rig, &(struct resolver_conf){ .workers = 1 }));
    rig.dht.takes = WR_MS(1100);
    start(&rig, &first, 1, DEADLINE);
    start(&rig, &second, 2, WR_MS(1000));
    CHECK_OK(wr_sleep(wr_after(WR_MS(1150))));
    CHECK_EQ(1, resolver_stat(rig.resolver).late);
    index_rig_end(&rig);
    CHECK_ERR(WR_TIMEOUT, second.err);
    CHECK_EQ(WR_MS(1000), second.took);
    CHECK_EQ(1, rig.dht.finds);
    CHECK_EQ(0, rig.dht.asking);
}

/* ---- one flight ---- */

TEST(those_who_want_the_same_ask_once)
{
    enum { MANY = 100 };
    static struct asker askers[MANY];
    struct index_rig rig;
    REQUIRE(index_rig_begin(&rig, &(struct resolver_conf){ .workers = 4, .queue_max = 1 }));
    rig.dht.takes = WR_MS(50);
    for (int i = 0; i < MANY; i++)
        start(&rig, &askers[i], 1, DEADLINE);
    CHECK_EQ(MANY - 1, resolver_stat(rig.resolver).shared);
    index_rig_end(&rig);
    for (int i = 0; i < MANY; i++)
        CHECK_OK(askers[i].err);
    CHECK_EQ(1, rig.dht.finds);
}

TEST(who_has_more_time_than_the_one_he_waited_for_looks_again)
{
    struct index_rig rig;
    struct asker hasty, patient;
    REQUIRE(index_rig_begin(&rig, &(struct resolver_conf){ .workers = 1 }));
    rig.dht.takes = WR_MS(300);
    start(&rig, &hasty, 1, WR_MS(100));
    start(&rig, &patient, 1, DEADLINE);
    CHECK_OK(wr_sleep(wr_after(WR_MS(500))));
    CHECK(patient.answered);
    index_rig_end(&rig);
    CHECK_ERR(WR_TIMEOUT, hasty.err);
    CHECK_EQ(WR_MS(100), hasty.took);
    CHECK_OK(patient.err);
    CHECK_EQ(2, rig.dht.finds);
}

TEST(a_lookup_goes_on_for_the_others_when_who_asked_first_is_gone)
{
    struct index_rig rig;
    struct asker first, second;
    REQUIRE(index_rig_begin(&rig, &(struct resolver_conf){ .workers = 1 }));
    rig.dht.takes = WR_MS(300);
    struct wr_scope *scope = scope_open();
    first = (struct asker){ .resolver = rig.resolver, .n = 1, .within = DEADLINE };
    go(scope, ask_providers, &first);
    start(&rig, &second, 1, DEADLINE);
    wr_scope_cancel(scope);
    CHECK_OK(wr_scope_close(scope));
    CHECK_ERR(WR_CANCELED, first.err);
    index_rig_end(&rig);
    CHECK_OK(second.err);
    CHECK_EQ(1, rig.dht.finds);
}

/* ---- what is remembered ---- */

TEST(an_answer_is_remembered_for_ten_seconds_and_that_there_is_none_for_two)
{
    struct index_rig rig;
    REQUIRE(index_rig_begin(&rig, &(struct resolver_conf){ .workers = 2 }));
    CHECK_EQ(1, providers(&rig, WR_OK, 1, false));
    wr_time began = wr_now();
    rig.dht.count = 0;
    providers(&rig, WR_NOTFOUND, 2, false);
    CHECK_OK(wr_sleep(began + WR_S(2) - 1));
    providers(&rig, WR_NOTFOUND, 2, false);
    CHECK_EQ(2, rig.dht.finds);
    CHECK_EQ(1, resolver_stat(rig.resolver).nothings);
    CHECK_OK(wr_sleep(began + WR_S(2)));
    rig.dht.count = 3;
    CHECK_EQ(3, providers(&rig, WR_OK, 2, false));
    CHECK_EQ(3, rig.dht.finds);
    CHECK_OK(wr_sleep(began + WR_S(10) - 1));
    CHECK_EQ(1, providers(&rig, WR_OK, 1, false));
    CHECK_EQ(3, rig.dht.finds);
    CHECK_OK(wr_sleep(began + WR_S(10)));
    CHECK_EQ(3, providers(&rig, WR_OK, 1, false));
    CHECK_EQ(4, rig.dht.finds);
    index_rig_end(&rig);
}

TEST(an_answer_from_the_cache_says_so_and_how_old_it_is)
{
    struct index_rig rig;
    struct resolver_answer answer;
    struct index_key key = rig_cid(1);
    REQUIRE(index_rig_begin(&rig, &(struct resolver_conf){ .workers = 2 }));
    REQUIRE_OK(resolver_resolve(rig.resolver, &key, false, &answer, SOON));
    CHECK_EQ(FOUND_DHT, answer.source);
    CHECK_EQ(0, answer.age);
    resolver_answer_free(&answer);
    CHECK_OK(wr_sleep(wr_after(WR_S(3))));
    REQUIRE_OK(resolver_resolve(rig.resolver, &key, false, &answer, SOON));
    CHECK_EQ(FOUND_CACHE, answer.source);
    CHECK_EQ(WR_S(3), answer.age);
    CHECK_EQ(1, answer.count);
    resolver_answer_free(&answer);
    CHECK_EQ(1, providers(&rig, WR_OK, 1, false));      /* what was found serves that too */
    CHECK_EQ(1, rig.dht.finds);
    index_rig_end(&rig);
}

TEST(errors_and_what_only_the_store_said_are_not_remembered)
{
    static const wr_err errors[] = { WR_OPENCIRCUIT, WR_IO };
    struct index_rig rig;
    struct index_key ours = rig_cid(2);
    REQUIRE(index_rig_begin(&rig, &(struct resolver_conf){ .workers = 2 }));
    CHECK_OK(catalog_offer(rig.store, ours.text, SOON));
    for (int i = 0; i < 2; i++) {
        rig.dht.err = errors[i];
        providers(&rig, i == 0 ? WR_OPENCIRCUIT : WR_DEGRADED, 1, false);
        CHECK_EQ(1, providers(&rig, WR_OK, 2, false));
        CHECK_EQ(0, resolver_stat(rig.resolver).entries);
    }
    rig.dht.err = WR_OK;
    rig.dht.count = 4;
    CHECK_EQ(4, providers(&rig, WR_OK, 1, false));
    CHECK_EQ(5, providers(&rig, WR_OK, 2, false));
    index_rig_end(&rig);
}

TEST(a_fresh_question_does_not_look_into_the_cache_and_renews_it)
{
    struct index_rig rig;
    REQUIRE(index_rig_begin(&rig, &(struct resolver_conf){ .workers = 2 }));
    CHECK_EQ(1, providers(&rig, WR_OK, 1, false));
    rig.dht.count = 2;
    CHECK_EQ(1, providers(&rig, WR_OK, 1, false));
    CHECK_EQ(2, providers(&rig, WR_OK, 1, true));
    CHECK_EQ(2, providers(&rig, WR_OK, 1, false));
    rig.dht.count = 0;
    providers(&rig, WR_NOTFOUND, 1, true);
    providers(&rig, WR_NOTFOUND, 1, false);
    CHECK_EQ(3, rig.dht.finds);
    index_rig_end(&rig);
}

TEST(what_is_dropped_is_looked_for_again)
{
    struct index_rig rig;
    struct index_key key = rig_cid(1);
    REQUIRE(index_rig_begin(&rig, &(struct resolver_conf){ .workers = 2 }));
    CHECK_EQ(1, providers(&rig, WR_OK, 1, false));
    resolver_drop(rig.resolver, &key);
    CHECK_EQ(1, providers(&rig, WR_OK, 1, false));
    CHECK_EQ(2, rig.dht.finds);
    resolver_clear(rig.resolver);
    CHECK_EQ(1, providers(&rig, WR_OK, 1, false));
    CHECK_EQ(3, rig.dht.finds);
    index_rig_end(&rig);
}

static wr_err ask_slowly(void *arg)
{
    struct index_rig *rig = arg;
    struct resolver_answer answer = { 0 };
    struct index_key key = { .cid = wr_hash_of("a", 1) };
    wr_hash_print_cid(&key.cid, key.text);
    wr_err err = resolver_providers(rig->resolver, &key.cid, false, &answer, wr_after(WR_S(1)));
    resolver_answer_free(&answer);
    return err == WR_NOTFOUND ? WR_OK : err;
}

TEST(what_was_looked_for_before_a_drop_is_neither_remembered_nor_shared_afterwards)
{
    struct index_rig rig;
    struct resolver_answer answer = { 0 };
    struct index_key key = { .cid = wr_hash_of("a", 1) };
    wr_hash_print_cid(&key.cid, key.text);
    REQUIRE(index_rig_begin(&rig, &(struct resolver_conf){ .workers = 2 }));
    rig.dht.takes = WR_MS(200);
    struct wr_scope *scope = scope_open();
    go(scope, ask_slowly, &rig);
    rig.dht.takes = WR_MS(50);
    rig.dht.count = 1;                      /* from now on somebody has it */
    resolver_drop(rig.resolver, &key);
    CHECK_OK(resolver_providers(rig.resolver, &key.cid, false, &answer, wr_after(WR_S(1))));
    resolver_answer_free(&answer);
    rig.dht.err = WR_NOTFOUND;              /* what the first has seen, and says last */
    scope_done(scope);
    CHECK_EQ(2, rig.dht.finds);
    CHECK_OK(resolver_providers(rig.resolver, &key.cid, false, &answer, wr_after(WR_S(1))));
    CHECK_EQ(FOUND_CACHE, answer.source);
    resolver_answer_free(&answer);
    index_rig_end(&rig);
}

TEST(what_a_name_stands_for_comes_with_the_providers_that_are_known)
{
    struct index_rig rig;
    struct index_key name = rig_name(1), cid = rig_cid(1);
    struct resolver_answer answer;
    REQUIRE(index_rig_begin(&rig, &(struct resolver_conf){ .workers = 2 }));
    struct catalog_pointer pointer = { .kind = CATALOG_SITE, .key = "n1", .updated_at_ms = 1,
                                       .manifest = cid.cid };
    CHECK_OK(catalog_put(rig.store, &pointer, SOON));
    REQUIRE_OK(resolver_resolve(rig.resolver, &name, false, &answer, SOON));
    CHECK_EQ(FOUND_DB, answer.source);
    CHECK_EQ(0, answer.count);
    CHECK(wr_hash_equal(&cid.cid, &answer.manifest));
    resolver_answer_free(&answer);
    CHECK_EQ(0, rig.dht.finds);
    rig.dht.count = 3;
    CHECK_EQ(3, providers(&rig, WR_OK, 1, false));
    REQUIRE_OK(resolver_resolve(rig.resolver, &name, false, &answer, SOON));
    CHECK_EQ(FOUND_CACHE, answer.source);
    CHECK_EQ(3, answer.count);
    resolver_answer_free(&answer);
    index_rig_end(&rig);
}

/* ---- warmth ---- */

TEST(what_is_pinned_or_configured_is_looked_for_at_the_start)
{
    struct index_rig rig;
    struct index_key warm[] = { rig_cid(1), rig_name(2) };
    REQUIRE(index_rig_make(&rig, &(struct resolver_conf){ .workers = 1, .warmup = warm,
                                                          .warmup_count = 2 }));
    struct index_key pinned = rig_cid(3), stood_for = rig_cid(4);
    CHECK_OK(catalog_pin(rig.store, pinned.text, SOON));
    rig.dht.manifest = stood_for.cid;
    go(rig.scope, index_rig_run, &rig);
    for (int i = 0; i < 20 && resolver_stat(rig.resolver).warmed < 4; i++)
        CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    CHECK_EQ(4, resolver_stat(rig.resolver).warmed);
    CHECK_EQ(4, rig.dht.finds);
    for (int n = 1; n <= 4; n++)
        if (n != 2)
            CHECK_EQ(1, providers(&rig, WR_OK, n, false));
    CHECK_EQ(4, rig.dht.finds);
    CHECK_EQ(0, resolver_stat(rig.resolver).looked);
    index_rig_end(&rig);
}

TEST(warming_is_bounded_and_takes_no_place_in_the_queue)
{
    struct index_rig rig;
    struct index_key key = rig_cid(1);
    int taken = 0;
    REQUIRE(index_rig_begin(&rig, &(struct resolver_conf){ .workers = 1, .queue_max = 1 }));
    rig.dht.takes = WR_MS(10);
    while (taken < 2 * RESOLVER_WARM_MAX && !resolver_warm(rig.resolver, &key))
        key = rig_cid(++taken);
    CHECK(taken >= RESOLVER_WARM_MAX && taken <= RESOLVER_WARM_MAX + 4);    /* in hand */
    CHECK_ERR(WR_BUSY, resolver_warm(rig.resolver, &key));
    CHECK_EQ(0, resolver_stat(rig.resolver).queue.len);
    wr_time began = wr_now();
    CHECK_EQ(1, providers(&rig, WR_OK, -1, false));     /* nobody is before it */
    CHECK_EQ(WR_MS(10), wr_now() - began);
    while (resolver_stat(rig.resolver).warmed < (uint64_t)taken)
        CHECK_OK(wr_sleep(wr_after(WR_MS(10))));
    CHECK(rig.dht.asking_most <= 5);
    index_rig_end(&rig);
}

/* ---- a DHT that comes and goes ---- */

TEST(a_lookup_whose_dht_goes_is_degraded_and_the_next_one_has_another)
{
    struct index_rig rig;
    struct asker asker;
    REQUIRE(index_rig_begin(&rig, &(struct resolver_conf){ .workers = 2 }));
    rig.dht.takes = WR_MS(500);
    start(&rig, &asker, 1, DEADLINE);
    dht_line_detach(rig.line);
    settle();
    CHECK(asker.answered);
    CHECK_ERR(WR_DEGRADED, asker.err);
    providers(&rig, WR_DEGRADED, 1, false);
    rig.dht.takes = 0;
    CHECK_OK(dht_line_attach(rig.line, &rig.dht));
    CHECK_EQ(1, providers(&rig, WR_OK, 1, false));
    index_rig_end(&rig);
}

/* ---- ends ---- */

TEST(a_drain_answers_what_waits_and_takes_nothing_new)
{
    struct index_rig rig;
    struct asker askers[3], late;
    REQUIRE(index_rig_begin(&rig, &(struct resolver_conf){ .workers = 1 }));
    rig.dht.takes = WR_MS(100);
    for (int i = 0; i < 3; i++)
        start(&rig, &askers[i], i, DEADLINE);
    CHECK_OK(wr_once_set(rig.drain, NULL));
    settle();
    start(&rig, &late, 9, DEADLINE);
    CHECK_ERR(WR_DRAINING, late.err);
    CHECK_EQ(0, late.took);
    struct index_key key = rig_cid(1);
    CHECK_ERR(WR_DRAINING, resolver_warm(rig.resolver, &key));
    scope_done(rig.scope);
    for (int i = 0; i < 3; i++)
        CHECK_OK(askers[i].err);
    rig.scope = scope_open();
    wr_once_free(rig.drain);
    CHECK_OK(wr_once_new(&rig.drain, "test.drain", 0));
    index_rig_end(&rig);
}

TEST(who_waits_when_it_is_aborted_is_told_so_at_once)
{
    struct index_rig rig;
    struct asker askers[3];
    struct wr_scope *others = scope_open();
    REQUIRE(index_rig_begin(&rig, &(struct resolver_conf){ .workers = 1 }));
    rig.dht.takes = WR_MS(1000);
    wr_time began = wr_now();
    for (int i = 0; i < 3; i++) {
        askers[i] = (struct asker){ .resolver = rig.resolver, .n = i, .within = DEADLINE };
        go(others, ask_providers, &askers[i]);
    }
    wr_scope_cancel(rig.scope);
    CHECK_OK(wr_scope_close(rig.scope));
    scope_done(others);
    CHECK(wr_now() - began < WR_MS(1));
    for (int i = 0; i < 3; i++)
        CHECK_ERR(WR_DRAINING, askers[i].err);
    CHECK_ERR(WR_CANCELED, rig.ended);
    rig.ended = WR_OK;
    rig.scope = scope_open();
    index_rig_end(&rig);
}

TEST(a_worker_that_panics_is_replaced_and_its_question_asked_again)
{
    struct index_rig rig;
    struct asker asker;
    REQUIRE(index_rig_begin(&rig, &(struct resolver_conf){ .workers = 1 }));
    rig.dht.takes = WR_MS(10);
    rig.dht.panics = true;
    start(&rig, &asker, 1, DEADLINE);
    CHECK_OK(wr_sleep(wr_after(WR_MS(15))));
    rig.dht.panics = false;
    CHECK_OK(wr_sleep(wr_after(WR_MS(15))));
    CHECK(asker.answered);
    CHECK_OK(asker.err);
    CHECK_EQ(1, resolver_stat(rig.resolver).restarted);
    CHECK_EQ(0, resolver_stat(rig.resolver).working);
    index_rig_end(&rig);
}

/* ---- whatever happens ---- */

/* The network is slow, silent, empty or broken by turns. */
static wr_err make_weather(void *arg)
{
    static const wr_err errors[] = { WR_OK, WR_OK, WR_OK, WR_OPENCIRCUIT, WR_IO };
    struct index_rig *rig = arg;
    struct wr_rand rand;
    wr_rand_seed(&rand, 11);
    for (int i = 0; i < 300; i++) {
        rig->dht.takes = WR_MS(wr_rand_below(&rand, 3)) * 700;
        rig->dht.err = errors[wr_rand_below(&rand, 5)];
        rig->dht.count = wr_rand_below(&rand, 3);
        if (wr_rand_below(&rand, 10) == 0) {
            dht_line_detach(rig->line);
            CHECK_OK(wr_sleep(wr_after(WR_MS(5))));
            CHECK_OK(dht_line_attach(rig->line, &rig->dht));
        }
        CHECK_OK(wr_sleep(wr_after(WR_MS(wr_rand_below(&rand, 40)))));
    }
    return WR_OK;
}

TEST(every_question_is_answered_by_its_deadline_and_counted_once)
{
    enum { MANY = 3000 };
    static struct asker askers[MANY];
    struct index_rig rig;
    struct wr_rand rand;
    REQUIRE(index_rig_begin(&rig, &(struct resolver_conf){ .workers = 8, .queue_max = 16 }));
    wr_rand_seed(&rand, 5);
    CHECK_OK(wr_scope_go(rig.scope, "test.weather", make_weather, &rig));
    for (int i = 0; i < MANY; i++) {
        askers[i] = (struct asker){ .resolver = rig.resolver, .fresh = i % 7 == 0,
                                    .n = (int)wr_rand_below(&rand, 60),
                                    .within = WR_MS(1 + (int64_t)wr_rand_below(&rand, 1200)) };
        CHECK_OK(wr_scope_go(rig.scope, "test.asker", ask_providers, &askers[i]));
        CHECK_OK(wr_sleep(wr_after(WR_US(wr_rand_below(&rand, 4000)))));
    }
    CHECK_OK(wr_sleep(wr_after(WR_S(2))));
    struct resolver_stat stat = resolver_stat(rig.resolver);
    int busy = 0, late = 0, fine = 0;
    for (int i = 0; i < MANY; i++) {
        CHECK(askers[i].answered);
        CHECK(askers[i].took <= askers[i].within);
        CHECK(askers[i].err != WR_TIMEOUT || askers[i].took == askers[i].within);
        CHECK(askers[i].err != WR_BUSY || askers[i].took < askers[i].within);
        busy += askers[i].err == WR_BUSY;
        late += askers[i].err == WR_TIMEOUT;
        fine += !askers[i].err;
    }
    CHECK(busy > 0 && late > 0 && fine > 0);
    CHECK_EQ(MANY, stat.asked);
    CHECK_EQ(stat.queue.sent, stat.looked + stat.late);
    CHECK_EQ(stat.refused, stat.queue.refused);
    CHECK_EQ(0, stat.working);
    CHECK_EQ(0, stat.queue.len);
    CHECK_EQ(0, rig.dht.asking);
    CHECK(stat.looked >= rig.dht.finds);
    index_rig_end(&rig);
}
