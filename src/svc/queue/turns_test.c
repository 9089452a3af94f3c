#include "svc/queue/turns.h"

#include "testing/test.h"

TEST(one_is_at_it_for_each_task)
{
    struct turns turns;
    struct turn first, other, second;
    turns_init(&turns);
    CHECK(turns_begin(&turns, &first, "a"));
    CHECK(turns_begin(&turns, &other, "b"));
    CHECK(!turns_begin(&turns, &second, "a"));
    CHECK(turns_end(&turns, &first));
    CHECK(!turns_end(&turns, &other));
    turns_fini(&turns);
}

TEST(who_ends_is_followed_once_however_many_have_come)
{
    struct turns turns;
    struct turn first, more;
    turns_init(&turns);
    CHECK(turns_begin(&turns, &first, "a"));
    for (int i = 0; i < 5; i++)
        CHECK(!turns_begin(&turns, &more, "a"));
    CHECK(turns_end(&turns, &first));
    CHECK(turns_begin(&turns, &first, "a"));
    CHECK(!turns_end(&turns, &first));
    turns_fini(&turns);
}

TEST(a_turn_that_has_ended_is_nobodys)
{
    struct turns turns;
    struct turn first, last;
    turns_init(&turns);
    CHECK(turns_begin(&turns, &first, "a"));
    CHECK(turns_begin(&turns, &last, "b"));
    CHECK(!turns_end(&turns, &first));
    CHECK(turns_begin(&turns, &first, "a"));
    CHECK(!turns_end(&turns, &last));
    CHECK(!turns_end(&turns, &first));
    CHECK(!turns.first);
    turns_fini(&turns);
}
