#include "store/cache_row.h"

#include <string.h>

#include <weir/task.h>

#include "testing/store_rig.h"

#define SOON wr_after(WR_S(5))

static struct wr_wall in(wr_time span)
{
    return (struct wr_wall){ rig_wall().ns + span };
}

static wr_err put(struct store *store, const char *key, const char *answer, wr_time span)
{
    struct store_value value = { .type = STORE_IS_BLOB, .bytes = answer,
                                 .len = answer ? strlen(answer) : 0 };
    return store_cache_put(store, "c", key, strlen(key), answer ? &value : NULL, in(span),
                           SOON);
}

/* The answer: "" for none, "?" for not known. */
static const char *get(struct store *store, const char *cache, const char *key)
{
    static char text[64];
    struct store_cached cached;
    wr_err err = store_cache_get(store, cache, key, strlen(key), &cached, SOON);
    CHECK(err == WR_OK || err == WR_NOTFOUND);
    snprintf(text, sizeof(text), "%s", err ? "?" : cached.nothing ? "" :
             (const char *)cached.answer.bytes);
    store_cache_free(&cached);
    return text;
}

STORE_TEST(an_answer_is_found_until_its_time_is_over)
{
    CHECK_OK(put(store, "key", "answer", WR_S(10)));
    CHECK_STR("answer", get(store, "c", "key"));
    CHECK_STR("?", get(store, "c", "other"));
    CHECK_STR("?", get(store, "d", "key"));
    pass(WR_S(10) - WR_MS(1));
    CHECK_STR("answer", get(store, "c", "key"));
    pass(WR_MS(1));
    CHECK_STR("?", get(store, "c", "key"));
}

STORE_TEST(that_there_is_none_is_an_answer_too)
{
    CHECK_OK(put(store, "key", NULL, WR_S(10)));
    CHECK_STR("", get(store, "c", "key"));
}

STORE_TEST(a_new_answer_takes_the_place_of_the_old)
{
    CHECK_OK(put(store, "key", "old", WR_S(10)));
    CHECK_OK(put(store, "key", "new", WR_S(20)));
    pass(WR_S(15));
    CHECK_STR("new", get(store, "c", "key"));
}

STORE_TEST(a_sweep_takes_out_what_is_over_and_nothing_else)
{
    uint64_t count;
    for (int i = 0; i < 10; i++) {
        char key[8];
        snprintf(key, sizeof(key), "%d", i);
        CHECK_OK(put(store, key, "x", i < 7 ? WR_S(1) : WR_S(100)));
    }
    pass(WR_S(1));
    CHECK_OK(store_cache_sweep(store, 5, &count, SOON));
    CHECK_EQ(5, count);
    CHECK_OK(store_cache_sweep(store, 5, &count, SOON));
    CHECK_EQ(2, count);
    CHECK_STR("x", get(store, "c", "9"));
}

STORE_TEST(keys_and_answers_are_bounded)
{
    static char key[STORE_CACHE_KEY_MAX + 1];
    struct store_value none = STORE_BLOB("", 0);
    CHECK_OK(store_cache_put(store, "c", key, sizeof(key) - 1, &none, in(WR_S(1)), SOON));
    CHECK_ERR(WR_INVALID, store_cache_put(store, "c", key, sizeof(key), &none, in(WR_S(1)),
                                          SOON));
}

STORE_TEST(rows_are_counted_and_those_that_end_soonest_go_first)
{
    uint64_t count;
    CHECK_OK(put(store, "later", "x", WR_S(20)));
    CHECK_OK(put(store, "soon", "x", WR_S(10)));
    CHECK_OK(put(store, "last", "x", WR_S(30)));
    CHECK_OK(store_cache_count(store, &count, SOON));
    CHECK_EQ(3, count);
    CHECK_OK(store_cache_trim(store, 2, &count, SOON));
    CHECK_EQ(2, count);
    CHECK_STR("?", get(store, "c", "soon"));
    CHECK_STR("?", get(store, "c", "later"));
    CHECK_STR("x", get(store, "c", "last"));
}
