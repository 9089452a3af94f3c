#include "store/cache_level.h"

#include <stdatomic.h>
#include <string.h>

#include <weir/scope.h>

#include "store/cache_row.h"
#include "store/store_int.h"
#include "testing/ask_rig.h"
#include "testing/settle.h"
#include "testing/store_rig.h"

#define SOON wr_after(WR_S(5))

/* A node's end of the store: a level and its task, and a cache before it. */
struct end {
    struct wr_scope *scope;
    struct cache_level *level;
    struct wr_cache *cache;
    int asked;
};

static void end_open(struct end *end, struct store *store, struct cache_level_conf conf)
{
    *end = (struct end){ .scope = scope_open() };
    conf.store = store;
    CHECK_OK(cache_level_new(&end->level, &conf));
    CHECK_OK(wr_cache_new(&end->cache, &(struct wr_cache_conf){
        .name = "test", .ttl = WR_S(10), .ttl_nothing = WR_S(2),
        .behind = cache_level_behind(end->level) }));
}

static void end_run(struct end *end)
{
    CHECK_OK(wr_scope_go(end->scope, "test.level", cache_level_run, end->level));
}

static void end_close(struct end *end)
{
    wr_scope_cancel(end->scope);
    CHECK_OK(wr_scope_close(end->scope));
    wr_cache_free(end->cache);
    cache_level_free(end->level);
}

/* Until everything that was put is written, or was given up. */
static void written(struct end *end, uint64_t puts)
{
    struct cache_level_stat stat;
    do {
        settle();
        stat = cache_level_stat(end->level);
    } while (stat.written + stat.not_written < puts);
}

static wr_err answer_none_to_n(const struct wr_way *way, struct wr_ask *ask, wr_time deadline)
{
    struct end *end = way->self;
    (void)deadline;
    end->asked++;
    return *(const char *)ask->key == 'n' ? WR_NOTFOUND
                                          : wr_bytes_copy(&ask->answer, ask->key, ask->key_len);
}

/* Through the cache; the answer to a key is the key, and to those that begin with n none. */
static wr_err ask_for(struct end *end, const char *key)
{
    struct wr_ask ask = { .key = key, .key_len = strlen(key), .safe = true };
    wr_err err = wr_way_ask(WR_CACHED(end->cache, WR_WAY(answer_none_to_n, end)), &ask, SOON);
    CHECK(*key == 'n' ? err == WR_NOTFOUND && !ask.answer
                      : err == WR_OK && strcmp((char *)ask.answer->data, key) == 0);
    wr_ask_done(&ask);
    return err;
}

STORE_TEST(two_nodes_on_one_store_find_each_others_answers)
{
    struct end one, other;
    end_open(&one, store, (struct cache_level_conf){ 0 });
    end_open(&other, store, (struct cache_level_conf){ 0 });
    end_run(&one);
    CHECK_OK(ask_for(&one, "key"));
    CHECK_ERR(WR_NOTFOUND, ask_for(&one, "none"));
    CHECK_EQ(2, one.asked);
    written(&one, 2);
    CHECK_EQ(2, cache_level_stat(one.level).written);
    CHECK_OK(ask_for(&other, "key"));
    CHECK_ERR(WR_NOTFOUND, ask_for(&other, "none"));
    CHECK_EQ(0, other.asked);
    CHECK_EQ(2, cache_level_stat(other.level).hits);
    CHECK_OK(ask_for(&other, "else"));
    CHECK_EQ(1, other.asked);
    CHECK_EQ(1, cache_level_stat(other.level).misses);
    end_close(&other);
    end_close(&one);
}

LOCAL_TEST(an_answer_of_the_store_is_kept_until_its_time_is_over_and_not_a_moment_longer)
{
    struct end one, other;
    end_open(&one, store, (struct cache_level_conf){ 0 });
    end_open(&other, store, (struct cache_level_conf){ 0 });
    end_run(&one);
    wr_time begun = wr_now();
    CHECK_OK(ask_for(&one, "key"));
    CHECK_ERR(WR_NOTFOUND, ask_for(&one, "none"));
    written(&one, 2);
    CHECK_OK(wr_sleep(begun + WR_S(2)));            /* none has its own time */
    CHECK_ERR(WR_NOTFOUND, ask_for(&other, "none"));
    CHECK_EQ(1, other.asked);
    CHECK_OK(wr_sleep(begun + WR_S(10) - WR_MS(2)));
    CHECK_OK(ask_for(&other, "key"));               /* now it is in the memory of the other */
    CHECK_EQ(1, other.asked);
    CHECK_OK(wr_sleep(begun + WR_S(10)));
    CHECK_OK(ask_for(&other, "key"));
    CHECK_EQ(2, other.asked);
    end_close(&other);
    end_close(&one);
}

STORE_TEST(a_later_answer_takes_the_place_of_an_earlier_one_in_the_order_of_puts)
{
    struct end one;
    struct wr_bytes *answers[10];
    struct store_cached cached;
    end_open(&one, store, (struct cache_level_conf){ 0 });
    for (int i = 0; i < 10; i++) {
        CHECK_OK(wr_bytes_copy(&answers[i], &(char){ (char)('0' + i) }, 1));
        wr_cache_put(one.cache, "key", 3, answers[i]);
    }
    end_run(&one);
    written(&one, 10);
    CHECK_OK(store_cache_get(store, "test", "key", 3, &cached, SOON));
    CHECK_STR("9", (const char *)cached.answer.bytes);
    store_cache_free(&cached);
    for (int i = 0; i < 10; i++)
        wr_bytes_unref(answers[i]);
    end_close(&one);
}

static void put_numbers(struct end *end, int from, int to)
{
    for (int i = from; i < to; i++) {
        char key[8];
        snprintf(key, sizeof(key), "n%d", i);
        wr_cache_put(end->cache, key, strlen(key), NULL);
    }
}

LOCAL_TEST(a_put_does_not_wait_and_what_does_not_fit_is_counted)
{
    struct end one;
    end_open(&one, store, (struct cache_level_conf){ .queue_max = 80 });
    wr_time begun = wr_now();
    put_numbers(&one, 0, 1000);                     /* nobody writes */
    CHECK_EQ(begun, wr_now());
    uint64_t refused = cache_level_stat(one.level).not_written;
    CHECK(refused >= 920);
    end_run(&one);
    written(&one, 1000);
    CHECK_EQ(refused, cache_level_stat(one.level).not_written);
    end_close(&one);
}

STORE_TEST(what_is_too_large_or_too_much_is_not_written)
{
    struct end one;
    struct wr_bytes *large, *fits;
    end_open(&one, store, (struct cache_level_conf){ .answer_max = 1000, .bytes_max = 4000 });
    CHECK_OK(wr_bytes_new(&large, 1001));
    CHECK_OK(wr_bytes_new(&fits, 1000));
    memset(large->data, 0, 1001);
    memset(fits->data, 0, 1000);
    wr_cache_put(one.cache, "large", 5, large);
    CHECK_EQ(1, cache_level_stat(one.level).not_written);
    for (int i = 0; i < 10; i++)
        wr_cache_put(one.cache, &i, sizeof(i), fits);
    CHECK_EQ(7, cache_level_stat(one.level).not_written);
    end_run(&one);
    written(&one, 11);
    CHECK_EQ(4, cache_level_stat(one.level).written);
    wr_bytes_unref(large);
    wr_bytes_unref(fits);
    end_close(&one);
}

LOCAL_TEST(rows_whose_time_is_over_and_rows_beyond_the_bound_are_taken_out)
{
    struct end one;
    uint64_t rows;
    end_open(&one, store, (struct cache_level_conf){ .rows_max = 160, .queue_max = 8000 });
    end_run(&one);
    put_numbers(&one, 0, 1000);
    written(&one, 1000);
    settle();
    CHECK_OK(store_cache_count(store, &rows, SOON));
    CHECK(rows <= 160 + 10 + 8);
    CHECK_OK(wr_sleep(wr_after(WR_S(12))));         /* all are over, and the tick has come */
    settle();
    CHECK_OK(store_cache_count(store, &rows, SOON));
    CHECK_EQ(0, rows);
    CHECK_EQ(1000, cache_level_stat(one.level).removed);
    end_close(&one);
}

/* ---- a store that breaks, and one that does not answer ---- */

/* Until it is mended: what `engine` points to is false then. */
static wr_err breaks(void *engine, struct store_act *act, wr_time deadline, const char *place)
{
    (void)act;
    (void)deadline;
    (void)place;
    return *(bool *)engine ? WR_IO : WR_OK;         /* which is no rows */
}

TEST(a_broken_store_is_a_miss_is_left_alone_for_a_while_and_is_then_asked_again)
{
    static const struct store_engine engine = { .act = breaks };
    bool broken = true;
    struct store store = { .engine = &engine, .state = &broken };
    struct end one;
    end_open(&one, &store, (struct cache_level_conf){ 0 });
    CHECK_OK(ask_for(&one, "a"));
    CHECK_EQ(1, cache_level_stat(one.level).failed);
    CHECK_OK(ask_for(&one, "b"));                   /* not asked: nor is it written */
    CHECK_EQ(1, cache_level_stat(one.level).failed);
    CHECK_EQ(1, cache_level_stat(one.level).skipped);
    CHECK_EQ(2, cache_level_stat(one.level).not_written);
    CHECK_EQ(2, one.asked);
    broken = false;
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    CHECK_OK(ask_for(&one, "c"));
    CHECK_EQ(1, cache_level_stat(one.level).misses);
    CHECK_EQ(1, cache_level_stat(one.level).failed);
    end_close(&one);
}

static wr_err never(void *engine, struct store_act *act, wr_time deadline, const char *place)
{
    (void)engine;
    (void)act;
    (void)place;
    wr_err err = wr_sleep(deadline);
    return err ? err : WR_TIMEOUT;
}

TEST(a_slow_store_is_waited_for_a_tenth_of_a_second_and_is_a_miss)
{
    static const struct store_engine engine = { .act = never };
    struct store slow = { .engine = &engine };
    struct end one;
    end_open(&one, &slow, (struct cache_level_conf){ 0 });
    wr_time begun = wr_now();
    CHECK_OK(ask_for(&one, "a"));
    CHECK_EQ(WR_MS(100), wr_now() - begun);
    CHECK_OK(ask_for(&one, "b"));
    CHECK_EQ(WR_MS(100), wr_now() - begun);
    CHECK_EQ(1, cache_level_stat(one.level).failed);
    end_close(&one);
}

TEST(who_has_less_time_than_that_says_nothing_about_the_store)
{
    static const struct store_engine engine = { .act = never };
    struct store slow = { .engine = &engine };
    struct end one;
    end_open(&one, &slow, (struct cache_level_conf){ 0 });
    const struct wr_cache_level *behind = cache_level_behind(one.level);
    struct wr_bytes *answer;
    struct wr_wall until;
    for (int i = 0; i < 2; i++)
        CHECK_ERR(WR_NOTFOUND, behind->get(behind->self, "test", "k", 1, &answer, &until,
                                           wr_after(WR_MS(1))));
    CHECK_EQ(2, cache_level_stat(one.level).failed);
    CHECK_EQ(0, cache_level_stat(one.level).skipped);
    end_close(&one);
}

STORE_TEST(who_stops_has_all_of_it_written)
{
    struct end end;
    uint64_t rows;
    end_open(&end, store, (struct cache_level_conf){ 0 });
    end_run(&end);
    for (uint32_t i = 0; i < 100; i++)
        wr_cache_put(end.cache, &i, sizeof(i), NULL);
    cache_level_stop(end.level);
    CHECK_OK(wr_scope_join(end.scope, SOON));
    CHECK_OK(store_cache_count(store, &rows, SOON));
    CHECK_EQ(100, rows);
    uint32_t late = 100;                        /* is counted, and no more */
    wr_cache_put(end.cache, &late, sizeof(late), NULL);
    CHECK_EQ(1, cache_level_stat(end.level).not_written);
    end_close(&end);
}
