#include "store/serving.h"

#include <string.h>

#include "testing/store_rig.h"

#define SOON wr_after(WR_S(20))

static wr_err add(struct store *store, const char *reporter, int64_t batch, int64_t hour,
                  const char *provider, uint64_t bytes)
{
    struct store_serving row = { .hour = hour, .provider = provider, .role = STORE_RECEIVED,
                                 .objects = 1, .bytes = bytes, .failed = 2 };
    return store_serving_add(store, reporter, batch, &row, 1, SOON);
}

/* All of these hours, as "hour reporter provider role objects bytes failed;...". */
static const char *said(struct store *store, int64_t from, int64_t to)
{
    static char text[1000];
    struct store_servings list = { 0 };
    size_t len = 0;
    text[0] = '\0';
    CHECK_OK(store_serving_list(store, &(struct store_serving_ask){ .from = from, .to = to,
                                                                    .max = 100 }, &list, SOON));
    for (size_t i = 0; i < list.count; i++) {
        struct store_serving row = store_serving_at(&list, i);
        len += (size_t)snprintf(text + len, sizeof(text) - len,
                                "%lld %s %s %d %llu %llu %llu;", (long long)row.hour,
                                row.reporter, row.provider, (int)row.role,
                                (unsigned long long)row.objects, (unsigned long long)row.bytes,
                                (unsigned long long)row.failed);
    }
    store_servings_free(&list);
    return text;
}

STORE_TEST(what_is_added_adds_up_for_each_hour_reporter_provider_and_role)
{
    struct store_serving served = { .hour = 7, .provider = "me", .role = STORE_SERVED,
                                    .objects = 5, .bytes = 50 };
    CHECK_OK(add(store, "me", 1, 7, "you", 10));
    CHECK_OK(add(store, "me", 2, 7, "you", 100));
    CHECK_OK(add(store, "me", 3, 8, "you", 1));
    CHECK_OK(add(store, "other", 4, 7, "you", 2));
    CHECK_OK(store_serving_add(store, "me", 5, &served, 1, SOON));
    CHECK_STR("7 me me 1 5 50 0;7 me you 2 2 110 4;7 other you 2 1 2 2;8 me you 2 1 1 2;",
              said(store, 7, 9));
}

STORE_TEST(a_batch_that_is_given_again_adds_nothing)
{
    CHECK_OK(add(store, "me", 1, 7, "you", 10));
    CHECK_OK(add(store, "me", 1, 7, "you", 10));
    CHECK_STR("7 me you 2 1 10 2;", said(store, 7, 8));
    CHECK_OK(add(store, "me", 2, 7, "you", 10));
    CHECK_STR("7 me you 2 2 20 4;", said(store, 7, 8));
}

STORE_TEST(one_reporters_batch_is_nothing_to_anothers)
{
    CHECK_OK(add(store, "a", 1, 7, "you", 10));
    CHECK_OK(add(store, "b", 1, 7, "you", 10));
    CHECK_STR("7 a you 2 1 10 2;7 b you 2 1 10 2;", said(store, 7, 8));
}

STORE_TEST(one_provider_may_be_twice_in_a_batch)
{
    struct store_serving rows[] = {
        { .hour = 1, .provider = "x", .role = STORE_RECEIVED, .objects = 1, .bytes = 3 },
        { .hour = 1, .provider = "x", .role = STORE_RECEIVED, .objects = 1, .bytes = 4 },
        { .hour = 1, .provider = "x", .role = STORE_SERVED, .objects = 1, .bytes = 9 },
    };
    CHECK_OK(store_serving_add(store, "me", 1, rows, 3, SOON));
    CHECK_STR("1 me x 1 1 9 0;1 me x 2 2 7 0;", said(store, 1, 2));
}

STORE_TEST(hours_are_from_this_one_and_before_that_one)
{
    for (int64_t hour = 1; hour <= 4; hour++)
        CHECK_OK(add(store, "me", hour, hour, "x", 1));
    CHECK_STR("2 me x 2 1 1 2;3 me x 2 1 1 2;", said(store, 2, 4));
    CHECK_STR("", said(store, 5, 9));
}

STORE_TEST(a_page_goes_on_behind_the_last_row_of_the_one_before)
{
    struct store_servings list = { 0 };
    char provider[8], last[8] = "";
    for (int i = 0; i < 7; i++) {
        snprintf(provider, sizeof(provider), "p%d", i);
        CHECK_OK(add(store, "me", i, 3, provider, 1));
    }
    struct store_serving after;
    struct store_serving_ask ask = { .from = 0, .to = 9, .max = 3 };
    size_t all = 0;
    for (int page = 0; page < 4; page++) {
        struct store_servings next = { 0 };
        CHECK_OK(store_serving_list(store, &ask, &next, SOON));
        store_servings_free(&list);
        list = next;
        all += list.count;
        for (size_t i = 0; i < list.count; i++) {
            after = store_serving_at(&list, i);
            CHECK(strcmp(last, after.provider) < 0);
            snprintf(last, sizeof(last), "%s", after.provider);
        }
        ask.after = &after;
    }
    CHECK_EQ(7, all);
    CHECK_EQ(0, list.count);
    store_servings_free(&list);
}

STORE_TEST(what_is_no_row_is_refused)
{
    static char id[STORE_SERVING_ID_MAX + 2];
    struct store_serving row = { .provider = "x" };
    memset(id, 'x', STORE_SERVING_ID_MAX);
    id[STORE_SERVING_ID_MAX] = '\0';
    CHECK_OK(add(store, id, 1, 1, id, 1));
    id[STORE_SERVING_ID_MAX] = 'x';
    CHECK_ERR(WR_INVALID, add(store, id, 1, 1, "x", 1));
    CHECK_ERR(WR_INVALID, add(store, "x", 1, 1, id, 1));
    CHECK_ERR(WR_INVALID, add(store, "x", 1, 1, "", 1));
    CHECK_ERR(WR_INVALID, store_serving_add(store, "x", 1, &row, 1, SOON));     /* no role */
    CHECK_ERR(WR_INVALID, store_serving_add(store, "x", 1, NULL, STORE_SERVING_ADD_MAX + 1,
                                            SOON));
    CHECK_OK(store_serving_add(store, "x", 1, NULL, 0, SOON));
}

STORE_TEST(a_full_batch_is_taken)
{
    static struct store_serving rows[STORE_SERVING_ADD_MAX];
    static char ids[STORE_SERVING_ADD_MAX][STORE_SERVING_ID_MAX + 1];
    struct store_servings list = { 0 };
    for (size_t i = 0; i < STORE_SERVING_ADD_MAX; i++) {
        snprintf(ids[i], sizeof(ids[i]), "%064zu", i);
        rows[i] = (struct store_serving){ .hour = 1, .provider = ids[i], .role = STORE_SERVED,
                                          .objects = INT64_MAX, .bytes = INT64_MAX };
    }
    CHECK_OK(store_serving_add(store, "me", 1, rows, STORE_SERVING_ADD_MAX, SOON));
    CHECK_OK(store_serving_list(store, &(struct store_serving_ask){
        .from = 1, .to = 2, .max = STORE_SERVING_LIST_MAX }, &list, SOON));
    CHECK_EQ(STORE_SERVING_LIST_MAX, list.count);
    CHECK_EQ(INT64_MAX, store_serving_at(&list, 999).bytes);
    store_servings_free(&list);
}

STORE_TEST(old_hours_are_forgotten_the_oldest_first)
{
    uint64_t gone = 0;
    for (int64_t hour = 1; hour <= 4; hour++)
        CHECK_OK(add(store, "me", hour, hour, "x", 1));
    CHECK_OK(store_serving_forget(store, 4, 2, &gone, SOON));
    CHECK_EQ(2, gone);
    CHECK_STR("3 me x 2 1 1 2;4 me x 2 1 1 2;", said(store, 0, 9));
    CHECK_OK(store_serving_forget(store, 4, 2, &gone, SOON));
    CHECK_EQ(1, gone);
    CHECK_STR("4 me x 2 1 1 2;", said(store, 0, 9));
}

TEST(an_hour_begins_when_a_clock_strikes)
{
    CHECK_EQ(0, store_serving_hour((struct wr_wall){ WR_S(3600) - 1 }));
    CHECK_EQ(1, store_serving_hour((struct wr_wall){ WR_S(3600) }));
}
