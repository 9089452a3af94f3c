/* claims.c - tests of every kind, true and false, for the harness to judge. */
#include <stdlib.h>

#include <weir/scope.h>
#include <weir/task.h>
#include <weir/time.h>

#include "testing/test.h"

TEST(good_in_a_runtime)
{
    wr_time start = wr_now();
    CHECK_OK(wr_sleep(wr_after(WR_S(3600))));
    CHECK_EQ(WR_S(3600), wr_now() - start);
}

TEST_PLAIN(good_plain)
{
    CHECK(true);
    CHECK_STR("same", "same");
    CHECK_STR(NULL, NULL);
}

TEST_DIES(good_death, "claims.c:[0-9]+: .*no way out")
{
    wr_foreign_enter();
    wr_panic("there is %s way out", "no");
}

TEST_DIES_PLAIN(good_plain_death, "assertion failed: 1 == 2")
{
    WR_ASSERT(1 == 2);
}

TEST_PANICS(good_contained_panic, "assertion failed: false")
{
    WR_ASSERT(false);
}

TEST(skip_with_a_reason)
{
    SKIP("not on this machine");
}

TEST_DIES(skip_in_a_child, "never seen")
{
    SKIP("not on this machine");
}

TEST_PLAIN(bad_check)
{
    CHECK(1 + 1 == 3);
}

TEST_PLAIN(bad_number)
{
    CHECK_EQ(3, 1 + 1);
}

TEST_PLAIN(bad_string)
{
    CHECK_STR("one", "other");
    CHECK_STR("one", NULL);
}

TEST_PLAIN(bad_error)
{
    CHECK_ERR(WR_BUSY, WR_CLOSED);
}

static wr_err check_falsely(void *arg)
{
    (void)arg;
    CHECK(false);
    return WR_OK;
}

TEST(bad_check_in_another_fiber)
{
    struct wr_scope *scope;
    REQUIRE_OK(wr_scope_new(&scope,
                            &(struct wr_scope_conf){ .name = "test", .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(scope, "test.falsely", check_falsely, NULL));
    CHECK_OK(wr_scope_close(scope));
}

TEST(bad_panic)
{
    wr_panic("not claimed");
}

TEST_PLAIN(bad_requirement)
{
    REQUIRE(false);
    abort();
}

TEST_DIES(bad_survivor, "anything")
{
}

TEST_DIES(bad_message, "the right words")
{
    wr_foreign_enter();
    wr_panic("the wrong words");
}

TEST_DIES(bad_contained, "contained")
{
    wr_panic("contained, so it does not die");
}

TEST_PANICS(bad_death, "no longer contained")
{
    wr_foreign_enter();
    wr_panic("no longer contained");
}

TEST_DIES(bad_check_before_death, "at the end")
{
    CHECK(false);
    wr_foreign_enter();
    wr_panic("at the end");
}
