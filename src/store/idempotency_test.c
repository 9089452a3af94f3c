#include "store/idempotency.h"

#include <string.h>

#include <weir/task.h>

#include "testing/store_rig.h"

#define SOON wr_after(WR_S(5))
#define DAY WR_S(86400)
#define KEYS_MAX 3
#define ASK(route, key, digest) \
    &(struct store_once_ask) \
    { \
        route, key, digest, DAY, KEYS_MAX \
    }

/* The turn of the last one that was begun. */
static uint64_t turn;

static wr_err begin(struct store *store, const char *key, const char *digest)
{
    struct store_once was;
    wr_err err = store_once_begin(store, ASK("POST /x", key, digest), &was, SOON);
    if (!err)
        turn = was.turn;
    store_once_free(&was);
    return err;
}

static wr_err end(struct store *store, const char *key, uint64_t which, const char *body)
{
    return store_once_end(store, "POST /x", key, which,
                          &(struct store_once_answer){ 202, body, strlen(body) }, SOON);
}

static wr_err drop(struct store *store, const char *key, uint64_t which)
{
    return store_once_drop(store, "POST /x", key, which, SOON);
}

STORE_TEST(the_second_request_gets_the_answer_of_the_first)
{
    struct store_once was;
    CHECK_OK(begin(store, "k", "d"));
    CHECK_ERR(WR_BUSY, begin(store, "k", "d"));
    CHECK_OK(end(store, "k", turn, "{\"id\":1}"));
    CHECK_ERR(WR_EXISTS, store_once_begin(store, ASK("POST /x", "k", "d"), &was, SOON));
    CHECK_EQ(202, was.status);
    CHECK_EQ(8, was.body.len);
    CHECK_EQ(0, memcmp("{\"id\":1}", was.body.bytes, 8));
    store_once_free(&was);
    CHECK_ERR(WR_NOTFOUND, end(store, "k", turn, ""));
}

STORE_TEST(a_key_is_of_one_route_and_one_request)
{
    struct store_once was;
    CHECK_OK(begin(store, "k", "d"));
    CHECK_ERR(WR_INVALID, begin(store, "k", "another"));
    CHECK_OK(store_once_begin(store, ASK("POST /y", "k", "another"), &was, SOON));
    store_once_free(&was);
}

STORE_TEST(a_key_is_new_again_after_its_time)
{
    CHECK_OK(begin(store, "k", "d"));
    CHECK_OK(end(store, "k", turn, ""));
    pass(DAY - WR_MS(1));
    CHECK_ERR(WR_EXISTS, begin(store, "k", "d"));
    pass(WR_MS(1));
    CHECK_OK(begin(store, "k", "another"));
}

STORE_TEST(one_that_was_begun_and_left_is_free_after_a_minute)
{
    CHECK_OK(begin(store, "k", "d"));
    pass(STORE_ONCE_BEGUN - WR_MS(1));
    CHECK_ERR(WR_BUSY, begin(store, "k", "d"));
    pass(WR_MS(1));
    CHECK_OK(begin(store, "k", "d"));
}

STORE_TEST(one_that_was_not_done_is_free_at_once)
{
    CHECK_OK(begin(store, "k", "d"));
    CHECK_OK(drop(store, "k", turn));
    CHECK_ERR(WR_NOTFOUND, drop(store, "k", turn));
    CHECK_OK(begin(store, "k", "d"));
    CHECK_OK(end(store, "k", turn, ""));
    CHECK_ERR(WR_NOTFOUND, drop(store, "k", turn));   /* it was done */
}

STORE_TEST(no_more_keys_are_kept_than_may_be_and_those_that_are_still_count)
{
    uint64_t count;
    for (int i = 0; i < KEYS_MAX; i++)
        CHECK_OK(begin(store, (const char *const[]){ "a", "b", "c" }[i], "d"));
    CHECK_OK(end(store, "c", turn, ""));
    CHECK_ERR(WR_SHED, begin(store, "e", "d"));
    CHECK_ERR(WR_BUSY, begin(store, "a", "d"));
    CHECK_ERR(WR_EXISTS, begin(store, "c", "d"));
    pass(STORE_ONCE_BEGUN);
    CHECK_OK(begin(store, "a", "another"));         /* it is over, and needs no other room */
    CHECK_ERR(WR_SHED, begin(store, "e", "d"));
    CHECK_OK(store_once_sweep(store, 10, &count, SOON));
    CHECK_EQ(1, count);
    CHECK_OK(begin(store, "e", "d"));
}

STORE_TEST(a_sweep_takes_out_keys_whose_time_is_over)
{
    uint64_t count;
    CHECK_OK(begin(store, "a", "d"));
    CHECK_OK(begin(store, "b", "d"));
    CHECK_OK(end(store, "b", turn, ""));
    pass(STORE_ONCE_BEGUN);
    CHECK_OK(store_once_sweep(store, 10, &count, SOON));
    CHECK_EQ(1, count);
    CHECK_ERR(WR_EXISTS, begin(store, "b", "d"));
}

/* The first takes too long, its row is swept or not, and another begins. */
static void overtake(struct store *store, uint64_t *first, bool swept)
{
    uint64_t count;
    CHECK_OK(begin(store, "k", "first"));
    *first = turn;
    pass(STORE_ONCE_BEGUN);
    if (swept)
        CHECK_OK(store_once_sweep(store, 10, &count, SOON));
    CHECK_OK(begin(store, "k", "second"));
    CHECK(turn > *first);
}

static void check_late(struct store *store, bool swept)
{
    uint64_t first;
    struct store_once was;
    overtake(store, &first, swept);
    CHECK_ERR(WR_NOTFOUND, end(store, "k", first, "of the first"));
    CHECK_ERR(WR_NOTFOUND, drop(store, "k", first));
    CHECK_ERR(WR_BUSY, begin(store, "k", "second"));
    CHECK_OK(end(store, "k", turn, "of the second"));
    CHECK_ERR(WR_EXISTS, store_once_begin(store, ASK("POST /x", "k", "second"), &was, SOON));
    CHECK_EQ(13, was.body.len);
    store_once_free(&was);
}

STORE_TEST(who_is_late_neither_answers_nor_drops_the_next_ones_request)
{
    check_late(store, false);
}

STORE_TEST(who_is_late_is_told_so_even_when_his_row_was_swept)
{
    check_late(store, true);
}
