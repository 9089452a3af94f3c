#include <weir/cache.h>

#include <stdio.h>
#include <string.h>

#include <weir/lock.h>
#include <weir/scope.h>
#include <weir/task.h>

#include "testing/ask_rig.h"
#include "testing/test.h"

/* A cache with its janitor at work. */
struct rig {
    struct wr_cache *cache;
    struct wr_scope *scope;
};

static void rig_open(struct rig *rig, struct wr_cache_conf conf)
{
    conf.name = "test";
    CHECK_OK(wr_cache_new(&rig->cache, &conf));
    CHECK_OK(wr_scope_new(&rig->scope, &(struct wr_scope_conf){
        .name = "janitor", .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(rig->scope, "janitor", wr_cache_run, rig->cache));
}

static void rig_close(struct rig *rig)
{
    CHECK_OK(wr_scope_close(rig->scope));
    wr_cache_free(rig->cache);
}

static void put(struct rig *rig, const char *key, const char *text)
{
    struct wr_bytes *answer = NULL;
    if (text)
        CHECK_OK(wr_bytes_copy(&answer, text, strlen(text)));
    wr_cache_put(rig->cache, key, strlen(key), answer);
    wr_bytes_unref(answer);
}

/* What a key leads to: its text, "nothing" or "miss". */
static const char *got(struct rig *rig, const char *key)
{
    static __thread char text[64];
    struct wr_bytes *answer;
    switch (wr_cache_get(rig->cache, key, strlen(key), &answer)) {
    case WR_CACHE_HIT:
        snprintf(text, sizeof(text), "%s", (const char *)answer->data);
        wr_bytes_unref(answer);
        return text;
    case WR_CACHE_NOTHING: return "nothing";
    default: return "miss";
    }
}

TEST(what_was_put_is_had_under_its_key_and_no_other)
{
    struct rig rig;
    rig_open(&rig, (struct wr_cache_conf){ 0 });
    put(&rig, "name", "value");
    put(&rig, "none", NULL);
    CHECK_STR("value", got(&rig, "name"));
    CHECK_STR("nothing", got(&rig, "none"));
    CHECK_STR("miss", got(&rig, "nam"));
    CHECK_STR("miss", got(&rig, "names"));
    put(&rig, "name", "another");
    CHECK_STR("another", got(&rig, "name"));
    struct wr_cache_stat stat = wr_cache_stat(rig.cache);
    CHECK_EQ(2, stat.entries);
    CHECK_EQ(2, stat.hits);
    CHECK_EQ(1, stat.nothings);
    CHECK_EQ(2, stat.misses);
    rig_close(&rig);
}

TEST(an_answer_is_good_for_its_time_and_not_a_nanosecond_longer)
{
    struct rig rig;
    rig_open(&rig, (struct wr_cache_conf){ .tick = WR_S(3600) });
    wr_time begun = wr_now();
    put(&rig, "name", "value");
    put(&rig, "none", NULL);
    CHECK_OK(wr_sleep(begun + WR_S(2) - 1));
    CHECK_STR("nothing", got(&rig, "none"));
    CHECK_OK(wr_sleep(begun + WR_S(2)));
    CHECK_STR("miss", got(&rig, "none"));
    CHECK_OK(wr_sleep(begun + WR_S(10) - 1));
    CHECK_STR("value", got(&rig, "name"));
    CHECK_OK(wr_sleep(begun + WR_S(10)));
    CHECK_STR("miss", got(&rig, "name"));
    CHECK_EQ(2, wr_cache_stat(rig.cache).entries);      /* the janitor has not come yet */
    rig_close(&rig);
}

TEST(the_janitor_takes_out_what_is_over)
{
    struct rig rig;
    rig_open(&rig, (struct wr_cache_conf){ 0 });
    for (int i = 0; i < 1000; i++) {
        char key[16];
        snprintf(key, sizeof(key), "%d", i);
        put(&rig, key, "value");
    }
    CHECK_OK(wr_sleep(wr_after(WR_S(11))));
    struct wr_cache_stat stat = wr_cache_stat(rig.cache);
    CHECK_EQ(0, stat.entries);
    CHECK_EQ(0, stat.bytes);
    CHECK_EQ(1000, stat.expired);
    rig_close(&rig);
}

TEST(below_zero_nothing_is_remembered)
{
    struct rig rig;
    rig_open(&rig, (struct wr_cache_conf){ .ttl_nothing = -1 });
    put(&rig, "none", NULL);
    CHECK_STR("miss", got(&rig, "none"));
    rig_close(&rig);
}

TEST(the_number_of_entries_never_passes_its_bound_and_what_is_wanted_stays)
{
    struct rig rig;
    rig_open(&rig, (struct wr_cache_conf){ .entries_max = 6400, .ttl = WR_S(3600) });
    for (int i = 0; i < 50000; i++) {
        char key[16];
        snprintf(key, sizeof(key), "%d", i);
        put(&rig, key, "value");
        if (i == 0 || i % 100 == 0)
            CHECK_STR("value", got(&rig, "0"));
        if (i % 500 == 499) {
            CHECK(wr_cache_stat(rig.cache).entries <= 6400);
            CHECK_OK(wr_sleep(wr_after(WR_MS(1))));         /* the janitor runs */
        }
    }
    CHECK_STR("value", got(&rig, "0"));
    CHECK(wr_cache_stat(rig.cache).evicted > 40000);
    rig_close(&rig);
}

TEST(a_full_shard_takes_no_more_as_long_as_no_janitor_comes)
{
    struct wr_cache *cache;
    REQUIRE_OK(wr_cache_new(&cache, &(struct wr_cache_conf){
        .name = "test", .entries_max = 640 }));
    for (uint32_t i = 0; i < 6400; i++)
        wr_cache_put(cache, &i, sizeof(i), NULL);
    CHECK_EQ(640, wr_cache_stat(cache).entries);
    CHECK_EQ(6400 - 640, wr_cache_stat(cache).not_kept);
    wr_cache_free(cache);
}

TEST(a_small_cache_keeps_as_many_as_it_was_made_for)
{
    struct rig rig;
    rig_open(&rig, (struct wr_cache_conf){ .entries_max = 16 });
    for (int i = 0; i < 14; i++) {
        char key[16];
        snprintf(key, sizeof(key), "%d", i);
        put(&rig, key, "value");
        CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    }
    CHECK_EQ(14, wr_cache_stat(rig.cache).entries);
    rig_close(&rig);
}

TEST(other_bounds_and_times_are_in_force_at_once_and_what_is_too_much_goes)
{
    struct rig rig;
    rig_open(&rig, (struct wr_cache_conf){ .entries_max = 1000 });
    for (int i = 0; i < 500; i++) {
        char key[16];
        snprintf(key, sizeof(key), "%d", i);
        put(&rig, key, "value");
    }
    CHECK_EQ(500, wr_cache_stat(rig.cache).entries);
    wr_cache_set(rig.cache, &(struct wr_cache_conf){ .entries_max = 100, .ttl = WR_S(60) });
    CHECK_OK(wr_sleep(wr_after(WR_MS(1001))));              /* the janitor has come by */
    CHECK(wr_cache_stat(rig.cache).entries <= 100);
    wr_cache_clear(rig.cache);
    put(&rig, "1", "value");
    CHECK_OK(wr_sleep(wr_after(WR_S(59))));
    CHECK_EQ(1, wr_cache_stat(rig.cache).entries);
    CHECK_OK(wr_sleep(wr_after(WR_S(2))));
    CHECK_EQ(0, wr_cache_stat(rig.cache).entries);
    rig_close(&rig);
}

TEST(the_bytes_never_pass_their_bound_and_what_is_too_large_is_not_kept)
{
    struct rig rig;
    const size_t bytes_max = 262144;            /* 4096 for each shard */
    rig_open(&rig, (struct wr_cache_conf){ .bytes_max = bytes_max, .ttl = WR_S(3600) });
    static char large[8192];
    memset(large, 'x', sizeof(large) - 1);
    put(&rig, "large", large);
    CHECK_STR("miss", got(&rig, "large"));
    CHECK_EQ(1, wr_cache_stat(rig.cache).not_kept);
    large[500] = 0;
    for (int i = 0; i < 2000; i++) {
        char key[16];
        snprintf(key, sizeof(key), "%d", i);
        put(&rig, key, large);
        CHECK(wr_cache_stat(rig.cache).bytes <= bytes_max);
    }
    rig_close(&rig);
}

TEST(one_and_all_can_be_dropped)
{
    struct rig rig;
    rig_open(&rig, (struct wr_cache_conf){ 0 });
    put(&rig, "a", "1");
    put(&rig, "b", "2");
    wr_cache_drop(rig.cache, "a", 1);
    wr_cache_drop(rig.cache, "c", 1);
    CHECK_STR("miss", got(&rig, "a"));
    CHECK_STR("2", got(&rig, "b"));
    wr_cache_clear(rig.cache);
    CHECK_STR("miss", got(&rig, "b"));
    CHECK_EQ(0, wr_cache_stat(rig.cache).bytes);
    rig_close(&rig);
}

/* ---- as a wrapper ---- */

static wr_err ask_key(struct rig *rig, struct outsider *outsider, struct wr_ask *ask,
                      wr_time deadline)
{
    *ask = (struct wr_ask){ .key = "k", .key_len = 1, .safe = true };
    return wr_way_ask(WR_CACHED(rig->cache, OUTSIDER(outsider)), ask, deadline);
}

TEST(an_answer_is_asked_for_once_and_remembered_and_so_is_that_there_is_none)
{
    struct rig rig;
    rig_open(&rig, (struct wr_cache_conf){ 0 });
    struct outsider outsider = { .script = { WR_NOTFOUND } };
    struct wr_ask ask;
    CHECK_ERR(WR_NOTFOUND, ask_key(&rig, &outsider, &ask, wr_after(WR_S(1))));
    CHECK_ERR(WR_NOTFOUND, ask_key(&rig, &outsider, &ask, wr_after(WR_S(1))));
    CHECK_EQ(1, outsider.asked);
    CHECK_OK(wr_sleep(wr_after(WR_S(2))));
    for (int i = 0; i < 3; i++) {
        CHECK_OK(ask_key(&rig, &outsider, &ask, wr_after(WR_S(1))));
        CHECK_STR("answer", ask_text(&ask));
        wr_ask_done(&ask);
    }
    CHECK_EQ(2, outsider.asked);
    rig_close(&rig);
}

TEST(errors_are_never_remembered)
{
    struct rig rig;
    rig_open(&rig, (struct wr_cache_conf){ 0 });
    struct outsider outsider = { .always = WR_IO };
    struct wr_ask ask;
    for (int i = 0; i < 3; i++)
        CHECK_ERR(WR_IO, ask_key(&rig, &outsider, &ask, wr_after(WR_S(1))));
    CHECK_EQ(3, outsider.asked);
    rig_close(&rig);
}

TEST(without_a_key_everything_is_asked)
{
    struct rig rig;
    rig_open(&rig, (struct wr_cache_conf){ 0 });
    struct outsider outsider = { 0 };
    struct wr_ask ask = { .safe = true };
    for (int i = 0; i < 3; i++)
        CHECK_OK(wr_way_ask(WR_CACHED(rig.cache, OUTSIDER(&outsider)), &ask,
                            wr_after(WR_S(1))));
    CHECK_EQ(3, outsider.asked);
    wr_ask_done(&ask);
    rig_close(&rig);
}

struct asker {
    struct rig *rig;
    struct outsider *outsider;
    wr_time deadline;
    wr_err err;
    wr_time ended;
};

static wr_err ask_in_task(void *arg)
{
    struct asker *asker = arg;
    struct wr_ask ask;
    asker->err = ask_key(asker->rig, asker->outsider, &ask, asker->deadline);
    asker->ended = wr_now();
    wr_ask_done(&ask);
    return WR_OK;
}

TEST(a_storm_of_misses_on_one_key_asks_once)
{
    struct rig rig;
    rig_open(&rig, (struct wr_cache_conf){ 0 });
    struct outsider outsider = { .takes = WR_MS(100) };
    struct asker askers[100];
    struct wr_scope *scope;
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "askers", .deadline = WR_NEVER }));
    for (int i = 0; i < 100; i++) {
        askers[i] = (struct asker){ &rig, &outsider, wr_after(WR_S(5)), WR_IO, 0 };
        CHECK_OK(wr_scope_go(scope, "asker", ask_in_task, &askers[i]));
    }
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_OK(wr_scope_close(scope));
    CHECK_EQ(1, outsider.asked);
    for (int i = 0; i < 100; i++)
        CHECK_OK(askers[i].err);
    CHECK_EQ(99, wr_cache_stat(rig.cache).shared + wr_cache_stat(rig.cache).hits);
    rig_close(&rig);
}

TEST(when_the_one_who_went_runs_out_of_time_the_next_one_goes)
{
    struct rig rig;
    rig_open(&rig, (struct wr_cache_conf){ 0 });
    struct outsider outsider = { .takes = WR_MS(100) };
    struct asker askers[3];
    struct wr_scope *scope;
    wr_time begun = wr_now();
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "askers", .deadline = WR_NEVER }));
    static const wr_time patience[] = { WR_MS(30), WR_MS(40), WR_S(1) };
    for (int i = 0; i < 3; i++) {
        askers[i] = (struct asker){ &rig, &outsider, begun + patience[i], WR_IO, 0 };
        CHECK_OK(wr_scope_go(scope, "asker", ask_in_task, &askers[i]));
        CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    }
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_OK(wr_scope_close(scope));
    CHECK_ERR(WR_TIMEOUT, askers[0].err);
    CHECK_EQ(WR_MS(30), askers[0].ended - begun);
    CHECK_ERR(WR_TIMEOUT, askers[1].err);
    CHECK_EQ(WR_MS(40), askers[1].ended - begun);
    CHECK_OK(askers[2].err);
    CHECK(askers[2].ended - begun <= WR_MS(40 + 100));
    rig_close(&rig);
}

/* ---- a level behind ---- */

struct shelf {
    struct wr_mutex lock;
    struct wr_bytes *answer;
    struct wr_wall until;
    bool holds;
    int gets, puts;
};

static wr_err shelf_get(void *self, const char *cache, const void *key, size_t len,
                        struct wr_bytes **ret, struct wr_wall *ret_until, wr_time deadline)
{
    struct shelf *shelf = self;
    (void)key;
    (void)deadline;
    CHECK_STR("test", cache);
    CHECK_EQ(1, len);
    shelf->gets++;
    if (!shelf->holds)
        return WR_NOTFOUND;
    *ret = wr_bytes_ref(shelf->answer);
    *ret_until = shelf->until;
    return WR_OK;
}

static void shelf_put(void *self, const char *cache, const void *key, size_t len,
                      struct wr_bytes *answer, struct wr_wall until)
{
    struct shelf *shelf = self;
    (void)cache;
    (void)key;
    (void)len;
    wr_bytes_unref(shelf->answer);
    shelf->answer = wr_bytes_ref(answer);
    shelf->until = until;
    shelf->holds = true;
    shelf->puts++;
}

TEST(what_is_not_here_is_looked_for_behind_and_kept_no_longer_than_there)
{
    struct shelf shelf = { .lock = WR_MUTEX("shelf", 1) };
    struct wr_cache_level behind = { shelf_get, shelf_put, &shelf };
    struct rig rig;
    rig_open(&rig, (struct wr_cache_conf){ .behind = &behind });
    struct outsider outsider = { 0 };
    struct wr_ask ask;
    wr_time begun = wr_now();
    CHECK_OK(ask_key(&rig, &outsider, &ask, wr_after(WR_S(1))));
    CHECK_EQ(1, shelf.gets);
    CHECK_EQ(1, shelf.puts);
    wr_ask_done(&ask);
    CHECK_OK(wr_sleep(begun + WR_S(8)));
    wr_cache_clear(rig.cache);
    CHECK_OK(ask_key(&rig, &outsider, &ask, wr_after(WR_S(1))));
    CHECK_STR("answer", ask_text(&ask));
    CHECK_EQ(1, outsider.asked);
    CHECK_EQ(1, wr_cache_stat(rig.cache).behind_hits);
    wr_ask_done(&ask);
    CHECK_OK(wr_sleep(begun + WR_S(10)));
    CHECK_STR("miss", got(&rig, "k"));
    CHECK_OK(ask_key(&rig, &outsider, &ask, wr_after(WR_S(1))));     /* over behind, too */
    CHECK_EQ(2, outsider.asked);
    wr_ask_done(&ask);
    wr_bytes_unref(shelf.answer);
    rig_close(&rig);
}

TEST(what_has_more_time_left_behind_than_an_answer_gets_is_of_unknown_age_and_not_given_out)
{
    struct shelf shelf = { .lock = WR_MUTEX("shelf", 1) };
    struct wr_cache_level behind = { shelf_get, shelf_put, &shelf };
    struct rig rig;
    rig_open(&rig, (struct wr_cache_conf){ .behind = &behind });
    struct outsider outsider = { 0 };
    struct wr_ask ask;
    CHECK_OK(ask_key(&rig, &outsider, &ask, wr_after(WR_S(1))));
    wr_ask_done(&ask);
    wr_cache_clear(rig.cache);
    shelf.until.ns += WR_S(3600);                   /* or: the calendar is an hour back */
    CHECK_OK(ask_key(&rig, &outsider, &ask, wr_after(WR_S(1))));
    CHECK_EQ(2, outsider.asked);
    wr_ask_done(&ask);
    wr_bytes_unref(shelf.answer);
    rig_close(&rig);
}

TEST_PANICS(a_cache_has_one_janitor, "has a janitor already")
{
    struct rig rig;
    rig_open(&rig, (struct wr_cache_conf){ 0 });
    CHECK_OK(wr_sleep(wr_after(1)));
    CHECK_OK(wr_cache_run(rig.cache));
}
