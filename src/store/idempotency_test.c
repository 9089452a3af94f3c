#include "store/idempotency.h"

#include <string.h>

#include <weir/task.h>

#include "testing/store_rig.h"

#define SOON wr_after(WR_S(5))
#define DAY WR_S(86400)

static wr_err begin(struct store *store, const char *key, const char *digest)
{
    struct store_once was;
    wr_err err = store_once_begin(store, "POST /x", key, digest, DAY, &was, SOON);
    store_once_free(&was);
    return err;
}

STORE_TEST(the_second_request_gets_the_answer_of_the_first)
{
    struct store_once was;
    CHECK_OK(begin(store, "k", "d"));
    CHECK_ERR(WR_BUSY, begin(store, "k", "d"));
    CHECK_OK(store_once_end(store, "POST /x", "k", 202, "{\"id\":1}", 8, SOON));
    CHECK_ERR(WR_EXISTS, store_once_begin(store, "POST /x", "k", "d", DAY, &was, SOON));
    CHECK_EQ(202, was.status);
    CHECK_EQ(8, was.body.len);
    CHECK_EQ(0, memcmp("{\"id\":1}", was.body.bytes, 8));
    store_once_free(&was);
    CHECK_ERR(WR_NOTFOUND, store_once_end(store, "POST /x", "k", 500, "", 0, SOON));
}

STORE_TEST(a_key_is_of_one_route_and_one_request)
{
    struct store_once was;
    CHECK_OK(begin(store, "k", "d"));
    CHECK_ERR(WR_INVALID, begin(store, "k", "another"));
    CHECK_OK(store_once_begin(store, "POST /y", "k", "another", DAY, &was, SOON));
    store_once_free(&was);
}

STORE_TEST(a_key_is_new_again_after_its_time)
{
    CHECK_OK(begin(store, "k", "d"));
    CHECK_OK(store_once_end(store, "POST /x", "k", 200, "", 0, SOON));
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
    CHECK_OK(store_once_drop(store, "POST /x", "k", SOON));
    CHECK_ERR(WR_NOTFOUND, store_once_drop(store, "POST /x", "k", SOON));
    CHECK_OK(begin(store, "k", "d"));
    CHECK_OK(store_once_end(store, "POST /x", "k", 200, "", 0, SOON));
    CHECK_ERR(WR_NOTFOUND, store_once_drop(store, "POST /x", "k", SOON));   /* it was done */
}

STORE_TEST(a_sweep_takes_out_keys_whose_time_is_over)
{
    uint64_t count;
    CHECK_OK(begin(store, "a", "d"));
    CHECK_OK(begin(store, "b", "d"));
    CHECK_OK(store_once_end(store, "POST /x", "b", 200, "", 0, SOON));
    pass(STORE_ONCE_BEGUN);
    CHECK_OK(store_once_sweep(store, 10, &count, SOON));
    CHECK_EQ(1, count);
    CHECK_ERR(WR_EXISTS, begin(store, "b", "d"));
}
