#include <weir/secret.h>

#include <stdlib.h>
#include <string.h>

#include <pthread.h>

#include "base/secret.h"
#include "testing/test.h"

#define KEY "correct horse battery staple"
#define KEY_SIZE (sizeof(KEY) - 1)

static struct wr_secret *make_key(void)
{
    char source[] = KEY;
    struct wr_secret *secret = NULL;
    CHECK_OK(wr_secret_new(&secret, source, KEY_SIZE));
    return secret;
}

static bool all_zero(const void *block, size_t size)
{
    const unsigned char *bytes = block;
    for (size_t i = 0; i < size; i++)
        if (bytes[i])
            return false;
    return true;
}

/* ---- a heap that looks at what it gets back ---- */

static int blocks_out;
static int blocks_dirty;

static void *watched_get(size_t size)
{
    blocks_out++;
    return malloc(size);
}

static void watched_put(void *block, size_t size)
{
    blocks_out--;
    blocks_dirty += !all_zero(block, size);
    free(block);
}

static void *empty_get(size_t size)
{
    (void)size;
    return NULL;
}

static const struct wr_secret_heap watched = { .get = watched_get, .put = watched_put };
static const struct wr_secret_heap empty = { .get = empty_get, .put = watched_put };

TEST_PLAIN(making_a_secret_wipes_the_bytes_it_was_made_of)
{
    char source[] = KEY;
    struct wr_secret *secret;
    REQUIRE_OK(wr_secret_new(&secret, source, KEY_SIZE));
    CHECK(all_zero(source, sizeof(source)));
    CHECK_EQ(KEY_SIZE, wr_secret_size(secret));
    CHECK(memcmp(wr_secret_bytes(secret), KEY, KEY_SIZE) == 0);
    wr_secret_unref(secret);
}

TEST_PLAIN(the_last_user_wipes_the_bytes_before_the_memory_goes_back)
{
    const struct wr_secret_heap *before = wr_secret_heap;
    wr_secret_heap = &watched;
    blocks_out = blocks_dirty = 0;
    struct wr_secret *secret = make_key();
    CHECK(wr_secret_ref(secret) == secret);
    wr_secret_unref(secret);
    CHECK_EQ(1, blocks_out);
    CHECK(memcmp(wr_secret_bytes(secret), KEY, KEY_SIZE) == 0);
    wr_secret_unref(secret);
    CHECK_EQ(0, blocks_out);
    CHECK_EQ(0, blocks_dirty);
    wr_secret_heap = before;
}

TEST_PLAIN(without_memory_there_is_no_secret_and_no_readable_source_either)
{
    const struct wr_secret_heap *before = wr_secret_heap;
    char source[] = KEY;
    struct wr_secret *untouched = (struct wr_secret *)source, *secret = untouched;
    wr_secret_heap = &empty;
    CHECK_ERR(WR_NOMEM, wr_secret_new(&secret, source, KEY_SIZE));
    wr_secret_heap = before;
    CHECK(secret == untouched);
    CHECK(all_zero(source, sizeof(source)));
}

TEST_PLAIN(only_the_very_same_bytes_are_equal)
{
    struct wr_secret *secret = make_key();
    CHECK(wr_secret_equal(secret, KEY, KEY_SIZE));
    CHECK(!wr_secret_equal(secret, KEY, KEY_SIZE - 1));
    CHECK(!wr_secret_equal(secret, KEY, KEY_SIZE + 1));
    CHECK(!wr_secret_equal(secret, "", 0));
    for (size_t i = 0; i < KEY_SIZE; i++) {
        char other[] = KEY;
        other[i] ^= 1;
        CHECK(!wr_secret_equal(secret, other, KEY_SIZE));
    }
    wr_secret_unref(secret);
}

TEST_PLAIN(a_secret_may_be_empty)
{
    char nothing = 'x';
    struct wr_secret *secret;
    REQUIRE_OK(wr_secret_new(&secret, &nothing, 0));
    CHECK_EQ('x', nothing);
    CHECK_EQ(0, wr_secret_size(secret));
    CHECK(wr_secret_equal(secret, "", 0));
    wr_secret_unref(secret);
    wr_secret_unref(NULL);
}

static void *use_and_let_go(void *arg)
{
    struct wr_secret *secret = arg;
    for (int i = 0; i < 1000; i++) {
        struct wr_secret *mine = wr_secret_ref(secret);
        CHECK(wr_secret_equal(mine, KEY, KEY_SIZE));
        wr_secret_unref(mine);
    }
    wr_secret_unref(secret);
    return NULL;
}

TEST_PLAIN(users_on_many_threads_let_go_once)
{
    const struct wr_secret_heap *before = wr_secret_heap;
    wr_secret_heap = &watched;
    blocks_out = blocks_dirty = 0;
    struct wr_secret *secret = make_key();
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, use_and_let_go, wr_secret_ref(secret));
    wr_secret_unref(secret);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    CHECK_EQ(0, blocks_out);
    CHECK_EQ(0, blocks_dirty);
    wr_secret_heap = before;
}

static void keep(void *block, size_t size)
{
    (void)block, (void)size;
}

TEST_DIES_PLAIN(letting_go_once_too_often_is_a_panic, "secret\\.c:[0-9]+: assertion failed")
{
    wr_secret_heap = &(const struct wr_secret_heap){ .get = watched_get, .put = keep };
    struct wr_secret *secret = make_key();
    wr_secret_unref(secret);
    wr_secret_unref(secret);
}
