#include "store/sqlite_quota.h"

#include <sqlite3.h>

#include "testing/test.h"

static void install(void)
{
    static bool done;
    if (!done)
        sqlite_quota_install();
    done = true;
}

TEST_PLAIN(beyond_its_quota_a_thread_gets_no_memory)
{
    install();
    sqlite_quota_begin(10000);
    void *first = sqlite3_malloc(6000);
    void *second = sqlite3_malloc(6000);
    CHECK(first && !second);
    CHECK(!sqlite3_realloc(first, 20000));
    CHECK(sqlite_quota_end());
    sqlite3_free(first);
}

TEST_PLAIN(what_is_given_back_can_be_taken_again)
{
    install();
    sqlite_quota_begin(10000);
    for (int i = 0; i < 10; i++) {
        void *at = sqlite3_malloc(6000);
        CHECK(at);
        sqlite3_free(at);
    }
    CHECK(!sqlite_quota_end());
}

TEST_PLAIN(without_a_quota_there_is_no_bound)
{
    install();
    sqlite_quota_begin(100);
    CHECK(!sqlite_quota_end());
    void *at = sqlite3_malloc(100000);
    CHECK(at);
    sqlite3_free(at);
}
