/* spool_test.c - tests of spool.c. */
#include "library/spool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "testing/test.h"

TEST(a_spool_gives_back_what_was_added_wherever_it_lies)
{
    char folder[] = "/tmp/weir-spool-XXXXXX", path[64], got[64];
    struct spool spool;
    REQUIRE(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/a", folder);
    REQUIRE_OK(spool_open(&spool, path, 3, 8));
    CHECK_OK(spool_add(&spool, "12345", 5));
    CHECK(access(path, F_OK) != 0);             /* it waits */
    CHECK_OK(spool_add(&spool, "6789", 4));
    CHECK_EQ(5, spool.flushed);
    CHECK_OK(spool_add(&spool, "abcdefghijkl", 12));
    CHECK_OK(spool_add(&spool, "XY", 2));
    CHECK_EQ(23, spool_size(&spool));
    CHECK_EQ(21, spool.flushed);
    CHECK_OK(spool_read(&spool, 0, got, 23));
    CHECK(memcmp(got, "123456789abcdefghijklXY", 23) == 0);
    CHECK_OK(spool_read(&spool, 20, got, 3));
    CHECK(memcmp(got, "lXY", 3) == 0);
    CHECK_OK(spool_read(&spool, 22, got, 1));
    CHECK(got[0] == 'Y');
    CHECK_ERR(WR_IO, spool_read(&spool, 22, got, 2));
    CHECK_ERR(WR_IO, spool_read(&spool, 24, got, 0));
    spool_close(&spool);
    CHECK_EQ(0, unlink(path));
    CHECK_EQ(0, rmdir(folder));
}

TEST(a_spool_that_cannot_be_written_says_so)
{
    struct spool spool;
    REQUIRE_OK(spool_open(&spool, "/nowhere/at/all", 0, 4));
    CHECK_OK(spool_add(&spool, "123", 3));
    CHECK_ERR(WR_NOTFOUND, spool_add(&spool, "45", 2));
    CHECK_EQ(3, spool_size(&spool));
    spool_close(&spool);
}
